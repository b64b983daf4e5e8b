#include "model/few_elements.h"
#include "model/pipeline.h"
#include "rules/site.h"

#include <algorithm>
#include <span>

namespace deepperf::rules::shuffle_after_batch {

using namespace python;

extern const Rule kShuffleAfterBatch;

namespace {

// What the elements of the pipeline before `stage` are: the batch that made them, unless they were shuffled before, or
// taken apart again. `complete`
// tells whether all of it is known.
const model::Stage *batch_before(const model::Project &project, u32 stage, bool &complete) {
  const model::Stage *batch = nullptr;
  bool clear = true;
  complete = model::walk_back(project, stage, [&](const model::Stage &earlier) {
    if (earlier.info == nullptr) {
      clear = false;
      return false;
    }
    // What was read from files in turns and then batched: all that is known of the examples' order is that.
    if (batch != nullptr && earlier.info->has(kInterleaves) && !earlier.info->has(kShuffles)) {
      return false;
    }
    if (earlier.info->has(kShuffles | kUnbatches | kFlatMaps | kInterleaves | kWindows | kZips | kApplies)) {
      clear = false;
      return false;
    }
    if (earlier.info->has(kBatches)) {
      if (batch != nullptr) {
        clear = false; // batches of batches: somebody counts with them
      }
      batch = &earlier;
    }
    return true;
  });
  return clear ? batch : nullptr;
}

// A batch of one example is that example.
bool makes_ones(const model::Project &project, Findings &findings, const model::Stage &batch) {
  Memory memory;
  const Site site{
      .project = project, .findings = findings, .memory = memory, .module = batch.module, .function = batch.function};
  return integer_of(site, argument(*batch.call, 0, "batch_size")) == 1;
}

// `dataset.shuffle(100).take(1)`: somebody wants to look at a few.
bool is_look(const model::Project &project, const model::Stage &shuffle) {
  const auto index = static_cast<u32>(&shuffle - project.stages.data());
  return std::ranges::any_of(model::followers_of(project, index), [&](u32 next) {
    const model::Stage &stage = project.stages[next];
    return stage.call != nullptr && stage.info != nullptr && stage.info->has(kTakes) &&
           receiver_of(*stage.call) == shuffle.call;
  });
}

// The repeat() that the elements come through before they are first shuffled; null if there is none.
const model::Stage *repeat_before(const model::Project &project, u32 stage) {
  const model::Stage *repeat = nullptr;
  model::walk_back(project, stage, [&](const model::Stage &earlier) {
    if (earlier.info == nullptr || earlier.info->has(kShuffles | kBatches | kInterleaves | kFlatMaps | kWindows)) {
      return false;
    }
    repeat = earlier.info->has(kRepeats) ? &earlier : repeat;
    return repeat == nullptr;
  });
  return repeat;
}

void check_repeat(const model::Project &project, Findings &findings, const model::Stage &stage) {
  const model::Stage *repeat = repeat_before(project, stage.previous);
  if (repeat == nullptr || repeat->call == nullptr) {
    return;
  }
  Finding &finding =
      report(findings, kShuffleAfterBatch, *stage.module, stage.span(),
             "`shuffle()` after `repeat()` mixes epochs, so some examples appear twice before others appear once",
             "move `shuffle()` before `repeat()`");
  finding.tier = Tier::Hint; // it also hides the time that filling the buffer takes in each epoch
  finding.notes.push_back({repeat->module->file, repeat->span(), "the examples are repeated here"});
}

std::optional<i64> size_at(const model::Project &project, Findings &findings, const model::Stage &stage,
                           std::string_view keyword) {
  Memory memory;
  const Site site{
      .project = project, .findings = findings, .memory = memory, .module = stage.module, .function = stage.function};
  const std::optional<model::ConstantValue> size =
      setting_of(site, argument_of(site, *stage.call, 0, keyword), model::ConstantValue::none());
  return size.has_value() ? size->as_integer() : std::nullopt;
}

// A buffer that holds fewer examples than a batch hardly changes their order.
void check_buffer(const model::Project &project, Findings &findings, const model::Stage &stage) {
  const std::optional<i64> buffer = size_at(project, findings, stage, "buffer_size");
  if (!buffer.has_value() || *buffer < 1 || model::has_few_elements(project, stage)) {
    return;
  }
  bool is_shuffled = false; // by somebody before
  model::walk_back(project, stage.previous, [&](const model::Stage &earlier) {
    is_shuffled |= earlier.info == nullptr || earlier.info->has(kShuffles | kBatches);
    return true;
  });
  const model::Stage *next = &stage;
  while (next != nullptr && !is_shuffled && !next->info->has(kBatches)) {
    const std::vector<u32> &after = model::followers_of(project, static_cast<u32>(next - project.stages.data()));
    const model::Stage *follower = after.size() == 1 ? &project.stages[after[0]] : nullptr;
    const bool goes_on = follower != nullptr && follower->info != nullptr && follower->call != nullptr &&
                         follower->info->has(kMaps | kBatches | kCaches | kRepeats | kPrefetches);
    next = goes_on ? follower : nullptr;
  }
  const std::optional<i64> batch =
      next != nullptr && next->info->has(kBatches) ? size_at(project, findings, *next, "batch_size") : std::nullopt;
  if (is_shuffled || !batch.has_value() || *batch <= *buffer) {
    return;
  }
  Finding &finding =
      report(findings, kShuffleAfterBatch, *stage.module, stage.span(),
             "this buffer holds fewer examples than a batch, so the examples stay almost in their original order",
             "use a buffer of a few thousand examples, or of the whole data set if it fits into memory");
  finding.tier = Tier::Hint; // they may come in random order already
  finding.notes.push_back({next->module->file, next->span(), "the examples are batched here"});
}

void check(const model::Project &project, Findings &findings) {
  for (const model::Stage &stage : std::span(project.stages).subspan(1)) {
    if (stage.info == nullptr || stage.call == nullptr || !stage.info->has(kShuffles)) {
      continue;
    }
    bool complete = false;
    const model::Stage *batch = batch_before(project, stage.previous, complete);
    // Where batches are made again after it, the first ones were sequences, and those are what is to be shuffled.
    if (batch == nullptr || makes_ones(project, findings, *batch) ||
        model::is_followed_by(project, stage, kBatches | kUnbatches | kFlatMaps) || is_look(project, stage)) {
      check_repeat(project, findings, stage);
      check_buffer(project, findings, stage);
      continue;
    }
    Finding &finding =
        report(findings, kShuffleAfterBatch, *stage.module, stage.span(),
               "`shuffle()` after `batch()` shuffles whole batches, so the same examples stay together in every epoch",
               "move `shuffle()` before `batch()`");
    finding.tier = complete ? finding.tier : Tier::Hint; // whoever made it may have shuffled it
    finding.notes.push_back({batch->module->file, batch->span(), "the examples are batched here"});
  }
}

} // namespace

extern constinit const Rule kShuffleAfterBatch = {
    .info = {.code = "DP104",
             .name = "shuffle-after-batch",
             .summary = "a `tf.data` pipeline that shuffles batches instead of examples",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Out of Memory, Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .posts = "",
             .documentation = R"(## What it finds

`dataset.batch(n).shuffle(k)`, with any stages in between, where the examples were not shuffled before. As a hint: `shuffle()`
after `repeat()`, which mixes epochs, and a shuffle buffer that is smaller than a batch.

## Why it costs

The shuffle buffer counts elements, and after `batch()` an element is a batch: `shuffle(1000)` fills with 1000 batches
before the first step and keeps them in memory. The same examples share a batch in every epoch, so the gradients are
less random than they should be and training can converge worse.

## Bad

```python
import tensorflow as tf

dataset = tf.data.TFRecordDataset("train.tfrecord").batch(64).shuffle(10000)
```

## Good

```python
import tensorflow as tf

dataset = tf.data.TFRecordDataset("train.tfrecord").shuffle(10000).batch(64)
```

## When it is wrong

Where `batch` builds the examples themselves, such as sequences of a text, they are shuffled after it and batched again;
the rule is silent for such pipelines, and for those that also shuffle before `batch()`.

## References

- TensorFlow guide, "tf.data: Build TensorFlow input pipelines": randomly shuffling input data
)"},
    .on_project = check};

} // namespace deepperf::rules::shuffle_after_batch
