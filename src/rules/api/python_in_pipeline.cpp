#include "base/name_table.h"
#include "model/bind.h"
#include "model/classes.h"
#include "model/mapper.h"
#include "model/pipeline.h"
#include "rules/sample_cost.h"
#include "rules/tree.h"

#include <algorithm>
#include <span>

namespace deepperf::rules::python_in_pipeline {

using namespace python;

extern const Rule kPythonInPipeline;

namespace {

// The function that `from_generator` calls; null if it is not known.
const model::FunctionInfo *generator_of(const model::Project &project, const model::Stage &stage) {
  const Expr *given = argument(*stage.call, 0, "generator");
  const model::Value value = given != nullptr && stage.function != nullptr
                                 ? model::value_of(model::scope_of(project, *stage.function), given)
                                 : model::Value{};
  const model::Value function = value.is(model::Value::Tag::Partial) ? value.receiver() : value;
  if (function.is(model::Value::Tag::Object)) {
    return model::find_method_of(*function.type, intern("__iter__"));
  }
  if (!function.is(model::Value::Tag::Function) && !function.is(model::Value::Tag::Method)) {
    return nullptr;
  }
  // `lambda: generate(files)` and a function that returns the generator.
  const model::FunctionInfo *inner = function.function;
  return inner;
}

// The function that tf.py_function or the like is given.
const model::FunctionInfo *python_function_of(const model::Project &project, const Node *place) {
  const auto *call = as<Call>(place);
  const Expr *given = call != nullptr ? argument(*call, 0, "func") : nullptr;
  const model::FunctionInfo *around = call != nullptr ? project.caller_of(call) : nullptr;
  const model::Value value = given != nullptr && around != nullptr
                                 ? model::value_of(model::scope_of(project, *around), given)
                                 : model::Value{};
  const bool is_function = value.is(model::Value::Tag::Function) || value.is(model::Value::Tag::Method);
  return is_function ? value.function : nullptr;
}

// Functions of NumPy that TensorFlow has too, under the same name or a similar one.
bool has_twin(std::string_view api) {
  static const NameTable kNames(
      {"abs",     "add",         "all",     "any",       "arange",   "argmax", "argmin",      "array",   "asarray",
       "clip",    "concatenate", "cos",     "cumsum",    "dot",      "exp",    "expand_dims", "fliplr",  "flipud",
       "flip",    "float32",     "float64", "floor",     "int32",    "int64",  "log",         "matmul",  "max",
       "maximum", "mean",        "min",     "minimum",   "multiply", "ones",   "ones_like",   "pad",     "power",
       "reshape", "roll",        "rot90",   "round",     "sin",      "sqrt",   "square",      "squeeze", "stack",
       "std",     "sum",         "tile",    "transpose", "uint8",    "var",    "where",       "zeros",   "zeros_like",
       "rand",    "randn",       "randint", "random",    "uniform",  "normal"});
  return api.starts_with("numpy.") && kNames.has(intern(api.substr(api.rfind('.') + 1)));
}

bool is_method_of_array(std::string_view method) {
  return method == "copy" || method == "astype" || method == "reshape" || method == "mean" || method == "std" ||
         method == "sum" || method == "min" || method == "max" || method == "transpose" || method == "clip";
}

// Does a function consist of arithmetic and of what NumPy and TensorFlow both have, so that it could be written with
// TensorFlow as it is? `calls` counts those of NumPy.
bool has_only_twins(const model::Project &project, const model::FunctionInfo &function, u32 &calls, u32 depth = 0) {
  constexpr u32 kMostDepth = 3;
  const FunctionDef *definition = function.definition();
  if (definition == nullptr || depth > kMostDepth) {
    return false;
  }
  return !any_node(definition->body, [&](const Node *node) {
    const auto *entry = as<Subscript>(node);
    const Name *of = entry != nullptr ? model::root_name(entry->value) : nullptr;
    // A table of Python, or a loop whose end depends on the data, would be another program.
    const bool is_other =
        (of != nullptr && function.slot_of(of->id) == model::FunctionInfo::kNoSlot) || node->kind == NodeKind::While ||
        node->kind == NodeKind::Try || node->kind == NodeKind::With || node->kind == NodeKind::Lambda ||
        node->kind == NodeKind::ListComp || node->kind == NodeKind::DictComp || node->kind == NodeKind::Yield;
    const auto *call = as<Call>(node);
    if (is_other || call == nullptr) {
      return is_other;
    }
    const model::Value callee = project.callee_of(call);
    if (callee.is(model::Value::Tag::Function)) {
      return !has_only_twins(project, *callee.function, calls, depth + 1);
    }
    const std::string_view api = callee.is(model::Value::Tag::Api) ? callee.name().text() : std::string_view{};
    calls += has_twin(api) ? 1 : 0;
    const bool is_known = has_twin(api) || api == "range" || api == "len" || api == "int" || api == "float" ||
                          api == "min" || api == "max" || api == "abs" ||
                          (!api.starts_with("numpy.") && is_method_of_array(called_method(*call)));
    return !is_known;
  });
}

// Where Python decodes images or sound, for which TensorFlow has operations, the time is known to be spent there.
void report_work(const model::Project &project, Finding &finding, const model::Stage &stage,
                 const model::FunctionInfo *function) {
  const Decoding decoding = function != nullptr ? decoding_in(project, *function) : Decoding{};
  u32 calls = 0;
  if (decoding.call == nullptr && stage.info->has(kMaps) && function != nullptr && !stage.module->is_test &&
      has_only_twins(project, *function, calls) && calls > 0) {
    finding.notes.push_back(
        {function->module->file, function->node->span(), "TensorFlow has operations for all of this"});
    finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 3);
    return;
  }
  if (decoding.call == nullptr || stage.module->is_test) {
    finding.tier = Tier::Hint;
    return;
  }
  finding.notes.push_back({decoding.where->module->file, decoding.call->span(), "each element is decoded here"});
}

void check(const model::Project &project, Findings &findings) {
  for (const model::Stage &stage : std::span(project.stages).subspan(1)) {
    if (stage.info == nullptr || stage.call == nullptr) {
      continue;
    }
    if (stage.info->has(kSource) && stage.info->has(kPython)) {
      Finding &finding = report(
          findings, kPythonInPipeline, *stage.module, stage.span(),
          "this pipeline takes every element from a Python generator, sequentially",
          "read the data with TensorFlow (`from_tensor_slices`, `TFRecordDataset`, `tf.io`), and map in parallel");
      report_work(project, finding, stage, generator_of(project, stage));
    } else if (stage.info->has(kMaps)) {
      const model::MapperFacts mapper = model::examine_mapper(project, stage.mapper);
      if (mapper.python == nullptr) {
        continue;
      }
      Finding &finding =
          report(findings, kPythonInPipeline, *stage.module, stage.span(),
                 "this map runs Python for every element, so the interpreter lock keeps it from running in parallel",
                 "write the function with TensorFlow operations (`tf.io`, `tf.image`, `tf.strings`, `tf.signal`)");
      const model::Value mapped = stage.mapper;
      const bool known = mapped.is(model::Value::Tag::Function) || mapped.is(model::Value::Tag::Method);
      const bool is_shown = mapper.python->start >= stage.call->start && mapper.python->end <= stage.call->end;
      if (known && !is_shown) {
        finding.notes.push_back({mapped.function->module->file, mapper.python->span(), "it calls Python here"});
      }
      report_work(project, finding, stage, python_function_of(project, mapper.python));
    }
  }
}

} // namespace

extern constinit const Rule kPythonInPipeline = {
    .info = {.code = "DP107",
             .name = "python-in-pipeline",
             .summary = "a `tf.data` pipeline that calls Python for every element",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::None,
             .posts = "",
             .documentation = R"(## What it finds

`Dataset.from_generator`, and `map` with a function that calls `tf.py_function`, `tf.numpy_function` or `tf.py_func`. It is a finding where
that Python code decodes images or sound (OpenCV, Pillow, librosa, …), for which TensorFlow has operations, or where a mapped function
consists of arithmetic and NumPy functions that TensorFlow has too; else a hint.

## Why it costs

Python's interpreter lock lets one thread run at a time, so `num_parallel_calls` does not help, and the pipeline
competes with the training loop for the lock. Every element is also converted from TensorFlow to NumPy and back, and the
pipeline can neither be serialized nor run on a remote worker.

## Bad

```python
import cv2
import tensorflow as tf

def load(path):
    return tf.numpy_function(lambda name: cv2.imread(name.decode()), [path], tf.uint8)

dataset = tf.data.Dataset.list_files("*.png").map(load, num_parallel_calls=8)
```

## Good

```python
import tensorflow as tf

def load(path):
    return tf.io.decode_png(tf.io.read_file(path))

dataset = tf.data.Dataset.list_files("*.png").map(load, num_parallel_calls=8)
```

## When it is wrong

Some formats and libraries have no TensorFlow equivalent, and a generator that only passes on data that NumPy has in
memory is cheap. That is why it is a hint.

## References

- `tf.py_function` and `tf.data.Dataset.from_generator`: their notes on the interpreter lock and on serialization
- TensorFlow guide, "Better performance with the tf.data API"
)"},
    .on_project = check};

} // namespace deepperf::rules::python_in_pipeline
