#include "rules/reach.h"
#include "rules/tree.h"
#include <fmt/format.h>

namespace deepperf::rules::queue_never_started {

using namespace python;

namespace {

bool makes_queue(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (!api.starts_with("tensorflow.")) {
    return false;
  }
  const std::string_view name = api.substr(api.rfind('.') + 1);
  const bool is_train = api.find("train.") != std::string_view::npos;
  return is_train && (name == "string_input_producer" || name == "slice_input_producer" || name == "input_producer" ||
                      name == "range_input_producer" || name == "shuffle_batch" || name == "shuffle_batch_join" ||
                      name == "batch" || name == "batch_join");
}

void check_module(Site &site) {
  if (!site.module->tensorflow || site.module->is_test ||
      !file_has_word(site, {"input_producer", "shuffle_batch", "train.batch"}) ||
      !project_has_word(site, {"Session("}) || !project_has_word(site, {".run("}) ||
      project_has_word(site, {"start_queue_runners", "QueueRunners", "MonitoredTrainingSession", "MonitoredSession",
                              "Supervisor(", "managed_session", "slim.learning", "slim.evaluation", "Estimator(",
                              "create_threads", "learn.run", "evaluation.evaluate", "training.train("})) {
    return;
  }
  const Call *found = nullptr;
  for (const Stmt *statement : site.module->parsed->tree.body) {
    any_node_inside(statement, [&](const Node *node) {
      const auto *call = as<Call>(node);
      found = found == nullptr && call != nullptr && makes_queue(site, *call) ? call : found;
      return found != nullptr;
    });
  }
  if (found != nullptr) {
    report(site, *found,
           fmt::format("`{}` creates a queue that no queue runner fills, so the first run waits forever",
                       text_of(site, found->func)),
           "call `tf.train.start_queue_runners(sess, coord)` before the first run, or use `tf.data`");
  }
}

} // namespace

extern constinit const Rule kQueueNeverStarted = {
    .info = {.code = "DP953",
             .name = "queue-never-started",
             .summary = "a TensorFlow 1 input queue that no queue runner fills",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`tf.train.string_input_producer`, `tf.train.shuffle_batch` and the other queues of TensorFlow 1, in a program that runs a session and never starts
queue runners.

## Why it is wrong

These functions only describe a queue. Threads fill it, and `tf.train.start_queue_runners` starts them. Without that the first
`session.run` waits for an element forever, without any message.

## Bad

```python
import tensorflow as tf

files = tf.train.string_input_producer(["a.tfrecords"])
_, record = tf.TFRecordReader().read(files)
batch = tf.train.shuffle_batch([record], 32, 1000, 100)
with tf.Session() as session:
    print(session.run(batch))
```

## Good

```python
import tensorflow as tf

files = tf.train.string_input_producer(["a.tfrecords"])
_, record = tf.TFRecordReader().read(files)
batch = tf.train.shuffle_batch([record], 32, 1000, 100)
with tf.Session() as session:
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    print(session.run(batch))
    coordinator.request_stop()
    coordinator.join(threads)
```

## When it is wrong

Where a file that is not checked starts them.

## References

- TensorFlow 1 documentation of `tf.train.start_queue_runners`
)"},
    .on_module = check_module};

} // namespace deepperf::rules::queue_never_started
