#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::batch_size_with_dataset {

using namespace python;

namespace {

// `fit(dataset, **settings)` with `batch_size` among the settings.
void check_options(Site &site, const Call &call, const Expr *data) {
  constexpr u32 kByNameOnly = 64;
  const model::Argument size = argument_of(site, call, kByNameOnly, "batch_size");
  const auto hidden = std::ranges::find_if(call.keywords, [](const Keyword *keyword) { return !keyword->name; });
  if (data == nullptr || hidden == call.keywords.end() || model::kind_of(data) != Kind::Dataset || size.unknown ||
      size.may_be_absent || size.given.size() != 1 || is_none(size.given[0].expr) ||
      model::kind_of(receiver_of(call)) != Kind::KerasModel) {
    return;
  }
  Finding &finding =
      report(site, **hidden,
             fmt::format("`batch_size` does not apply to a `tf.data.Dataset`: `{}()` raises an error or ignores it",
                         called_method(call)),
             "omit `batch_size` from these options, and set the batch size on the dataset with `dataset.batch(…)`");
  finding.notes.push_back(
      {size.given[0].scope.module->file, size.given[0].expr->span(), "`batch_size` is passed from here"});
}

void check(Site &site, const Call &call) {
  const Keyword *size = keyword_argument(call, "batch_size");
  const Expr *data = argument(call, 0, "x");
  if (size == nullptr) {
    check_options(site, call, data);
    return;
  }
  if (size == nullptr || data == nullptr || is_none(size->value) || model::kind_of(data) != Kind::Dataset) {
    return;
  }
  // Of another library, most likely, if it is known and no Keras model.
  const Kind receiver = model::kind_of(receiver_of(call));
  if (receiver != Kind::KerasModel && receiver != Kind::Unknown) {
    return;
  }
  Finding &finding =
      report(site, *size,
             fmt::format("`batch_size` does not apply to a `tf.data.Dataset`: `{}()` raises an error or ignores it",
                         called_method(call)),
             "omit `batch_size`, and set the batch size on the dataset with `dataset.batch(…)`");
  if (const std::optional<Edit> edit = remove_argument(site, call, *size)) {
    // Of what is not known to be Keras' own method the argument may mean something, and a value may do something.
    const NodeKind value = size->value->kind;
    const bool is_plain = value == NodeKind::Constant || value == NodeKind::Name || value == NodeKind::Attribute;
    set_fix(finding, receiver == Kind::KerasModel && called_function(site, call) == nullptr && is_plain, {*edit});
  }
}

} // namespace

extern constinit const Rule kBatchSizeWithDataset = {
    .info = {.code = "DP114",
             .name = "batch-size-with-dataset",
             .summary = "`batch_size` passed together with a `tf.data.Dataset`",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Out of Memory, Slow Execution Time",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Safe,
             .posts = "58277991 62670041",
             .documentation = R"(## What it finds

`model.fit(dataset, batch_size=32)`, and the same for `evaluate` and `predict`, where the first argument is a
`tf.data.Dataset`.

## Why it costs

Keras treats every element of a dataset as a batch. Depending on the version, it raises an error for `batch_size` or
ignores it. If the dataset is not batched, every example becomes a batch, and training is slow whatever number is
passed.

## Bad

```python
import tensorflow as tf

def train(model, x, y):
    dataset = tf.data.Dataset.from_tensor_slices((x, y))
    model.fit(dataset, batch_size=32, epochs=3)
```

## Good

```python
import tensorflow as tf

def train(model, x, y):
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(32)
    model.fit(dataset, epochs=3)
```

## When it is wrong

Never, for Keras models. The fix removes the argument; it does not add a missing `batch()`.

## References

- `tf.keras.Model.fit`: do not specify `batch_size` for datasets
- DLPerf, posts 58277991 and 62670041
)"},
    .calls = "*.fit *.evaluate *.predict",
    .on_call = check};

} // namespace deepperf::rules::batch_size_with_dataset
