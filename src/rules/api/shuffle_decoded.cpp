#include "model/few_elements.h"
#include "model/mapper.h"
#include "model/pipeline.h"
#include "rules/decoded_media.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <span>

namespace deepperf::rules::shuffle_decoded {

using namespace python;

extern const Rule kShuffleDecoded;

namespace {

// How many bytes an image has that the mapped function resizes to a constant size: three channels of float32, which is
// what resize() gives. 0 if that is not known; the smallest one if there are several.
i64 bytes_of_image(const Site &site, const model::FunctionInfo &function, u32 depth = 0) {
  constexpr u32 kMostDepth = 3;
  constexpr i64 kBytesOfPixel = 12;
  i64 smallest = 0;
  const auto take = [&](i64 bytes) { smallest = bytes > 0 && (smallest == 0 || bytes < smallest) ? bytes : smallest; };
  const auto look = [&](const Node *node) {
    const auto *call = as<Call>(node);
    const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
    if (callee.is(model::Value::Tag::Api) && callee.name().text() == "tensorflow.image.resize") {
      const Site there = site_of(site, *call);
      const Expr *size = argument(*call, 1, "size");
      const std::vector<model::Argument::Given> written =
          size != nullptr ? model::written_as(scope_of(there), size) : std::vector<model::Argument::Given>{};
      const Expr *sides = written.size() == 1 ? written[0].expr : size;
      const auto *tuple = as<Tuple>(sides);
      const auto *list = as<List>(sides);
      const Array<Expr *> parts = tuple != nullptr ? tuple->elts : list != nullptr ? list->elts : Array<Expr *>{};
      i64 pixels = parts.size() == 2 ? 1 : 0;
      for (const Expr *side : parts) {
        const std::optional<model::ConstantValue> length =
            model::constant_of(written.size() == 1 ? written[0].scope : scope_of(there), side);
        pixels *= length.has_value() ? length->as_integer().value_or(0) : 0;
      }
      take(pixels * kBytesOfPixel);
    } else if (depth < kMostDepth && (callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method))) {
      take(bytes_of_image(site, *callee.function, depth + 1));
    }
    return false;
  };
  if (const FunctionDef *definition = function.definition()) {
    any_node(definition->body, look);
  } else if (const Lambda *lambda = function.lambda()) {
    any_node(static_cast<const Node *>(lambda->body), look);
  }
  return has_word(text_of(function), {"uint8"}) ? 0 : smallest;
}

// `len(paths)`, `dataset.cardinality()`, or a name for one: as many as there are.
bool is_whole_length(const Site &site, const Expr *expr) {
  const std::vector<model::Argument::Given> written = model::written_as(scope_of(site), expr);
  const auto *call = as<Call>(expr->kind != NodeKind::Call && written.size() == 1 ? written[0].expr : expr);
  if (call == nullptr) {
    return false;
  }
  const std::string_view method = called_method(*call);
  return called_api(site, *call) == "len" || method == "cardinality";
}

// So many decoded images take gigabytes, whatever their size is: 20,000 of 100 x 100 pixels take 2.4 GB as float32.
constexpr i64 kManyImages = 20'000;
constexpr i64 kManyBytes = i64{1} << 31;

void check_shuffle(const model::Project &project, Findings &findings, const model::Stage &shuffle) {
  Memory memory;
  const Site site{.project = project,
                  .findings = findings,
                  .memory = memory,
                  .module = shuffle.module,
                  .function = shuffle.function};
  const model::Argument given = argument_of(site, *shuffle.call, 0, "buffer_size");
  const Expr *buffer = given.given.size() == 1 && !given.unknown ? given.given[0].expr : nullptr;
  if (buffer == nullptr || shuffle.module->is_test || model::has_few_elements(project, shuffle)) {
    return;
  }
  const std::optional<model::ConstantValue> size = setting_of(site, given, model::ConstantValue::none());
  const bool is_large = size.has_value() && size->as_integer().value_or(0) >= kManyImages;
  const bool is_all = !size.has_value() && is_whole_length(site, buffer);
  const i64 count = size.has_value() ? size->as_integer().value_or(0) : 0;
  if (!is_large && !is_all && count < 1000) {
    return;
  }
  const model::Stage *resizing = nullptr;
  i64 bytes = 0;
  const model::Stage *decoding = nullptr;
  bool is_clear = true;
  model::walk_back(project, shuffle.previous, [&](const model::Stage &stage) {
    // What is cached is in memory anyway; batches, windows and filters count otherwise.
    if (stage.info == nullptr || stage.info->has(kCaches | kBatches | kUnbatches | kFlatMaps | kWindows | kTakes)) {
      is_clear = false;
      return false;
    }
    const model::Value &mapper = stage.mapper;
    const bool is_function = mapper.is(model::Value::Tag::Function) || mapper.is(model::Value::Tag::Method);
    if (stage.info->has(kMaps) && is_function && decoding_call(project, *mapper.function) != nullptr) {
      decoding = &stage;
    }
    if (stage.info->has(kMaps) && is_function && resizing == nullptr) {
      bytes = bytes_of_image(site, *mapper.function);
      resizing = bytes > 0 ? &stage : nullptr;
    }
    return true;
  });
  const bool is_heavy = !is_large && !is_all && bytes > 0 && count >= kManyBytes / bytes;
  decoding = is_heavy ? resizing : decoding;
  if (!is_clear || decoding == nullptr || (!is_large && !is_all && !is_heavy)) {
    return;
  }
  if (is_heavy) {
    Finding &finding =
        report(findings, kShuffleDecoded, *shuffle.module, shuffle.span(),
               fmt::format("this buffer holds up to {} images as float32, which take {} GB of memory", count,
                           (count * bytes + (i64{1} << 29)) >> 30),
               "shuffle the file names or records: move `shuffle()` before the `map()`, or keep the images as uint8");
    finding.notes.push_back({decoding->module->file, decoding->span(), "the image size is set here"});
    return;
  }
  Finding &finding = report(findings, kShuffleDecoded, *shuffle.module, shuffle.span(),
                            is_all ? "this buffer holds all decoded images of the data set in memory"
                                   : "this buffer holds tens of thousands of decoded images in memory",
                            "shuffle the file names or records: move `shuffle()` before the `map()` that decodes");
  finding.notes.push_back({decoding->module->file, decoding->span(), "the elements are decoded here"});
}

void check(const model::Project &project, Findings &findings) {
  for (const model::Stage &stage : std::span(project.stages).subspan(1)) {
    if (stage.info != nullptr && stage.call != nullptr && stage.info->has(kShuffles) && !stage.info->has(kRepeats)) {
      check_shuffle(project, findings, stage);
    }
  }
}

} // namespace

extern constinit const Rule kShuffleDecoded = {
    .info = {.code = "DP189",
             .name = "shuffle-decoded",
             .summary = "a `shuffle()` whose large buffer holds decoded images instead of file names or records",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Out of Memory, Slow Initialization Time",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`shuffle()` in a `tf.data` pipeline after a `map()` that decodes images or sound, with a buffer as large as the data set (`len(paths)`,
`dataset.cardinality()`) or of 20,000 elements and more, and without a `cache()` in between. Smaller buffers are reported where the `map()`
resizes images to a constant size and the buffer takes 2 GB or more.

## Why it costs

The buffer holds elements as they are at that stage. A decoded image of 380 x 380 pixels takes 1.7 MB as float32, its file name less than 100
bytes. All of it must be read and decoded before the first batch of each epoch is ready.

## Bad

```python
import tensorflow as tf


def load(path):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), [380, 380])


def pipeline(paths):
    dataset = tf.data.Dataset.from_tensor_slices(paths)
    dataset = dataset.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return dataset.shuffle(len(paths)).batch(32).prefetch(tf.data.AUTOTUNE)
```

## Good

```python
import tensorflow as tf


def load(path):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), [380, 380])


def pipeline(paths):
    dataset = tf.data.Dataset.from_tensor_slices(paths).shuffle(len(paths))
    dataset = dataset.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return dataset.batch(32).prefetch(tf.data.AUTOTUNE)
```

## When it is wrong

Where the data set is small and the decoded images fit into memory easily.

## References

- TensorFlow guide "tf.data: Build TensorFlow input pipelines": randomly shuffling input data
)"},
    .on_project = check};

} // namespace deepperf::rules::shuffle_decoded
