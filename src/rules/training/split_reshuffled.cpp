#include "model/pipeline.h"
#include "rules/site.h"
#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::split_reshuffled {

using namespace python;

namespace {

// Does the stage give another order in each epoch?
bool reshuffles(const Site &site, const model::Stage &stage, bool &is_folder) {
  if (has_hidden_arguments(*stage.call)) {
    return false;
  }
  const std::string_view method = stage.method.text();
  if (method.ends_with("list_files")) {
    const Expr *shuffle = argument(*stage.call, 1, "shuffle");
    return shuffle == nullptr || bool_of(site, shuffle) == true;
  }
  if (method.ends_with("image_dataset_from_directory") || method.ends_with("text_dataset_from_directory")) {
    const Keyword *shuffle = keyword_argument(*stage.call, "shuffle");
    is_folder = true;
    return shuffle == nullptr || bool_of(site, shuffle->value) == true;
  }
  if (!stage.info->has(kShuffles)) {
    return false;
  }
  const Expr *again = argument(*stage.call, 2, "reshuffle_each_iteration");
  return again == nullptr || is_none(again) || bool_of(site, again) == true;
}

void check(Site &site, const Call &call) {
  const auto known = site.project.stage_of_call.find(&call);
  if (known == site.project.stage_of_call.end() || site.module->is_test || site.module->v1) {
    return;
  }
  const model::Project &project = site.project;
  const model::Stage &skip = project.stages[known->second];
  const auto is_take = [&](u32 index) {
    const model::Stage &stage = project.stages[index];
    return stage.call != nullptr && stage.method.text() == "take";
  };
  if (skip.previous == 0 || !std::ranges::any_of(model::followers_of(project, skip.previous), is_take)) {
    return;
  }
  constexpr u32 kMostStages = 60;
  u32 at = skip.previous;
  for (u32 i = 0; at != 0 && i < kMostStages; ++i) {
    const model::Stage &stage = project.stages[at];
    if (stage.call == nullptr || stage.info == nullptr || stage.other != 0 || stage.info->has(kCaches)) {
      return;
    }
    bool is_folder = false;
    if (reshuffles(site, stage, is_folder)) {
      Finding &finding =
          report(site.findings, *site.rule, *stage.module, stage.span(),
                 fmt::format("`{}` returns a different order in every epoch, so `take()` and `skip()` split the data "
                             "differently each time, and validation samples are trained on",
                             stage.method.text().substr(stage.method.text().rfind('.') + 1)),
                 stage.info->has(kSource) ? "pass `shuffle=False` here, and shuffle the training part after the split"
                                          : "pass `reshuffle_each_iteration=False`, and shuffle the training part "
                                            "again after the split");
      finding.notes.push_back({site.module->file, skip.span(), "split here"});
      finding.tier = is_folder ? Tier::Hint : finding.tier;
      return;
    }
    if (stage.info->has(kSource)) {
      return;
    }
    at = stage.previous;
  }
}

} // namespace

extern constinit const Rule kSplitReshuffled = {
    .info = {.code = "DP946",
             .name = "split-reshuffled",
             .summary = "a dataset that is reshuffled in every epoch and then split with `take` and `skip`",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `tf.data` pipeline that is shuffled with `shuffle()` or `list_files()` and then divided with `take(n)` and `skip(n)`, without
`reshuffle_each_iteration=False`.

## Why it is wrong

`shuffle()` draws a new order whenever the dataset is read from the start. `take(n)` and `skip(n)` then select other samples in every epoch, so
that after a few epochs the model has been trained on all validation samples, and the validation loss is meaningless.

## Bad

```python
import tensorflow as tf

def split(x, y, n):
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(10_000)
    return data.skip(n).batch(32).prefetch(1), data.take(n).batch(32).prefetch(1)
```

## Good

```python
import tensorflow as tf

def split(x, y, n):
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(10_000, seed=1, reshuffle_each_iteration=False)
    return data.skip(n).shuffle(10_000).batch(32).prefetch(1), data.take(n).batch(32).prefetch(1)
```

## When it is wrong

Where each part is read only once.

## References

- TensorFlow documentation of `tf.data.Dataset.shuffle`
)"},
    .calls = "Dataset.skip",
    .on_call = check};

} // namespace deepperf::rules::split_reshuffled
