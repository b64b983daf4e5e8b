#include "model/classes.h"
#include "rules/dataset_item.h"
#include "rules/reach.h"
#include "rules/sample_cost.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::sequence_without_workers {

using namespace python;
using model::Value;

namespace {

bool yields(const model::FunctionInfo &function) {
  const FunctionDef *definition = function.definition();
  return definition != nullptr && any_node(definition->body, [](const Node *node) {
           return node->kind == NodeKind::Yield || node->kind == NodeKind::YieldFrom;
         });
}

struct Source {
  const model::FunctionInfo *prepares = nullptr; // a batch
  bool is_generator = false;
};

// What prepares the batches that fit() gets.
Source source_of(const Site &site, const Expr *data) {
  const Value value = value_of(site, data);
  if (value.is(Value::Tag::Object)) {
    return is_keras_sequence(*value.type) ? Source{model::find_method_of(*value.type, intern("__getitem__")), false}
                                          : Source{};
  }
  const auto *name = as<Name>(data);
  const auto *call = as<Call>(name != nullptr ? last_assigned(site, *name) : data);
  const model::FunctionInfo *function = call != nullptr ? called_function(site, *call) : nullptr;
  return function != nullptr && yields(*function) ? Source{function, true} : Source{};
}

// Does a constructor of the PyDataset get `workers`, for its base class? Also where that is not known.
bool passes_workers(const Site &site, const Expr *data) {
  const std::vector<model::Argument::Given> made = model::written_as(scope_of(site), data);
  return made.empty() || std::ranges::any_of(made, [](const model::Argument::Given &given) {
           const auto *call = as<Call>(given.expr);
           return call == nullptr || !model::argument_of(given.scope, *call, ~0U, "workers").is_absent();
         });
}

// `workers=4`, here or in the class, as Keras 3 wants it; 1 and 0 do not count.
bool has_workers(const Site &site, const Call &call, const Expr *data) {
  const model::Argument given = argument_of(site, call, ~0U, "workers");
  if (!given.is_absent()) {
    const std::optional<model::ConstantValue> workers = setting_of(site, given, model::ConstantValue::of(i64{1}));
    return !workers.has_value() || workers->as_integer().value_or(2) > 1;
  }
  const Value value = value_of(site, data);
  const model::ClassInfo *type = value.is(Value::Tag::Object) ? value.type : nullptr;
  const auto class_has_word = [&](std::string_view word) {
    return type != nullptr && std::ranges::any_of(type->mro, [&](const model::ClassInfo *one) {
             return has_word(one->module->parsed->source.part(one->node->start, one->node->end), {word});
           });
  };
  const bool is_implied_by_class =
      class_has_word("workers") || (class_has_word("super().__init__(**") && passes_workers(site, data));
  return is_implied_by_class || has_hidden_arguments(call) || keyword_argument(call, "use_multiprocessing") != nullptr;
}

void check(Site &site, const Call &call) {
  const Expr *data = argument(call, 0, called_method(call) == "fit" ? "x" : "generator");
  if (data == nullptr || site.module->is_test) {
    return;
  }
  const Source source = source_of(site, data);
  if (source.prepares == nullptr || has_workers(site, call, data)) {
    return;
  }
  const Decoding decoding = decoding_in(site.project, *source.prepares);
  const Preparation preparation = preparation_by(site, *source.prepares);
  const Node *work = decoding.call != nullptr ? decoding.call : preparation.work;
  const model::FunctionInfo *where = decoding.call != nullptr ? decoding.where : preparation.where;
  if (work == nullptr || preparation.cost == SampleCost::Nothing) {
    return;
  }
  Finding &finding = report(
      site, call,
      source.is_generator
          ? fmt::format("`{}` gets its batches from a generator, which prepares one after another", called_method(call))
          : fmt::format("`{}` prepares all batches in one thread, because `workers` is 1 by default",
                        called_method(call)),
      source.is_generator
          ? "use a `tf.data` pipeline with a parallel `map`, or a `keras.utils.Sequence` with `workers=8`"
          : "pass `workers=8, use_multiprocessing=True`; in Keras 3 to the constructor of the `PyDataset`");
  finding.notes.push_back({where->module->file, work->span(), "each batch is read and decoded here"});
  finding.tier = decoding.call != nullptr ? finding.tier : Tier::Hint;
}

} // namespace

extern constinit const Rule kSequenceWithoutWorkers = {
    .info = {.code = "DP120",
             .name = "sequence-without-workers",
             .summary = "a Keras `Sequence` or generator that reads and decodes its batches one after another",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`fit` or `fit_generator` with a `keras.utils.Sequence` (in Keras 3: `PyDataset`) or a generator function that decodes images or sound for
each batch, and without `workers`. Where it reads something else, it is a hint.

## Why it costs

With the default of one worker a single thread reads and decodes all images, and the GPU waits for it. A `Sequence` can be read by several
processes at once. A generator cannot: it has one state.

## Bad

```python
import cv2
import numpy as np
from tensorflow import keras


class Images(keras.utils.Sequence):
    def __init__(self, files, labels):
        self.files, self.labels = files, labels

    def __len__(self):
        return len(self.files) // 32

    def __getitem__(self, index):
        part = slice(index * 32, index * 32 + 32)
        return np.stack([cv2.imread(file) for file in self.files[part]]), self.labels[part]


def train(model: keras.Model, files, labels):
    model.fit(Images(files, labels), epochs=10)
```

## Good

```python
import cv2
import numpy as np
from tensorflow import keras


class Images(keras.utils.Sequence):
    def __init__(self, files, labels):
        self.files, self.labels = files, labels

    def __len__(self):
        return len(self.files) // 32

    def __getitem__(self, index):
        part = slice(index * 32, index * 32 + 32)
        return np.stack([cv2.imread(file) for file in self.files[part]]), self.labels[part]


def train(model: keras.Model, files, labels):
    model.fit(Images(files, labels), epochs=10, workers=8, use_multiprocessing=True)
```

## When it is wrong

Where the images are small or the model is slow, so that one thread keeps up.

## References

- Keras documentation, `Model.fit` (`workers`, `use_multiprocessing`) and `keras.utils.PyDataset`
)"},
    .calls = "KerasModel.fit KerasModel.fit_generator",
    .on_call = check};

} // namespace deepperf::rules::sequence_without_workers
