#include "model/mapper.h"
#include "model/pipeline.h"
#include "rules/site.h"

#include <span>

namespace deepperf::rules::python_in_pipeline {

using namespace python;

extern const Rule kPythonInPipeline;

namespace {

void check(const model::Project &project, Findings &findings) {
  for (const model::Stage &stage : std::span(project.stages).subspan(1)) {
    if (stage.info == nullptr || stage.call == nullptr) {
      continue;
    }
    if (stage.info->has(kSource) && stage.info->has(kPython)) {
      report(findings, kPythonInPipeline, *stage.module, stage.span(),
             "this pipeline takes every element from a Python generator, sequentially",
             "read the data with TensorFlow (`from_tensor_slices`, `TFRecordDataset`, `tf.io`), and map in parallel");
    } else if (stage.info->has(kMaps)) {
      const model::MapperFacts mapper = model::examine_mapper(project, stage.mapper);
      if (mapper.python == nullptr) {
        continue;
      }
      Finding &finding =
          report(findings, kPythonInPipeline, *stage.module, stage.span(),
                 "this map runs Python for every element, so the interpreter lock keeps it from running in parallel",
                 "write the function with TensorFlow operations (`tf.io`, `tf.image`, `tf.strings`, `tf.signal`)");
      if (mapper.python->start >= stage.call->start && mapper.python->end <= stage.call->end) {
        continue; // it is shown anyway
      }
      const model::Value mapped = stage.mapper;
      const bool known = mapped.is(model::Value::Tag::Function) || mapped.is(model::Value::Tag::Method);
      if (known) {
        finding.notes.push_back({mapped.function->module->file, mapper.python->span(), "it calls Python here"});
      }
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
             .tier = Tier::Hint,
             .fix = FixKind::None,
             .posts = "",
             .documentation = R"(## What it finds

`Dataset.from_generator`, and `map` with a function that calls `tf.py_function`, `tf.numpy_function` or `tf.py_func`.

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
