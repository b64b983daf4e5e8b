#include "model/pipeline.h"
#include "rules/decoded_media.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <span>

namespace deepperf::rules::decoded_then_dropped {

using namespace python;

extern const Rule kDecodedThenDropped;

namespace {

constexpr i64 kFew = 100; // elements, which are decoded in no time

void check_stage(const model::Project &project, Findings &findings, const model::Stage &dropping) {
  Memory memory;
  const Site site{.project = project,
                  .findings = findings,
                  .memory = memory,
                  .module = dropping.module,
                  .function = dropping.function};
  const bool is_shard = dropping.method.text() == "shard";
  const Expr *count = argument(*dropping.call, 0, is_shard ? "num_shards" : "count");
  const auto number = count != nullptr ? integer_of(site, count) : std::nullopt;
  if (count == nullptr || dropping.module->is_test || (number.has_value() && *number <= (is_shard ? 1 : kFew))) {
    return;
  }
  const model::Stage *decoding = nullptr;
  bool is_clear = true;
  model::walk_back(project, dropping.previous, [&](const model::Stage &stage) {
    // What is cached is decoded once; where the number of elements changes, the order of the stages matters.
    if (stage.info == nullptr || stage.info->has(kCaches | kBatches | kUnbatches | kFlatMaps | kInterleaves | kWindows |
                                                 kFilters | kRepeats | kTakes)) {
      is_clear = false;
      return false;
    }
    const model::Value &mapper = stage.mapper;
    const bool is_function = mapper.is(model::Value::Tag::Function) || mapper.is(model::Value::Tag::Method);
    if (stage.info->has(kMaps) && is_function && decoding_call(project, *mapper.function) != nullptr) {
      decoding = &stage;
    }
    return true;
  });
  if (!is_clear || decoding == nullptr) {
    return;
  }
  Finding &finding = report(findings, kDecodedThenDropped, *dropping.module, dropping.span(),
                            is_shard ? "every process decodes the elements of all shards, and drops those of the others"
                                     : "the elements that are skipped are decoded first, in every epoch",
                            fmt::format("move `{}()` before the `map()` that decodes", dropping.method.text()));
  finding.notes.push_back({decoding->module->file, decoding->span(), "the elements are decoded here"});
}

void check(const model::Project &project, Findings &findings) {
  for (const model::Stage &stage : std::span(project.stages).subspan(1)) {
    const bool drops = stage.info != nullptr && stage.call != nullptr &&
                       (stage.method.text() == "shard" || stage.method.text() == "skip");
    if (drops && stage.info->has(kTakes)) {
      check_stage(project, findings, stage);
    }
  }
}

} // namespace

extern constinit const Rule kDecodedThenDropped = {
    .info = {.code = "DP176",
             .name = "decoded-then-dropped",
             .summary = "a `tf.data` pipeline that decodes images or sound which `shard()` or `skip()` then drops",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal CPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`shard()` or `skip()` after a `map()` that decodes images or sound, where nothing in between caches the elements or changes their number.

## Why it costs

`tf.data` does not move stages. With `map(decode).shard(8, index)` each of 8 processes decodes the whole data set and uses an eighth of it, and with
`map(decode).skip(n)` the training set decodes the validation set in every epoch, only to skip it.

## Bad

```python
import tensorflow as tf


def decode(path):
    return tf.io.decode_jpeg(tf.io.read_file(path), channels=3)


def part(paths, index):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    ds = ds.map(decode, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.shard(8, index)
    return ds.batch(32).prefetch(tf.data.AUTOTUNE)
```

## Good

```python
import tensorflow as tf


def decode(path):
    return tf.io.decode_jpeg(tf.io.read_file(path), channels=3)


def part(paths, index):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    ds = ds.shard(8, index)
    ds = ds.map(decode, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(32).prefetch(tf.data.AUTOTUNE)
```

## When it is wrong

Where decoding takes no time next to the training.

## References

- TensorFlow: `tf.data.Dataset.shard`
)"},
    .on_project = check};

} // namespace deepperf::rules::decoded_then_dropped
