#include "rules/session_feed.h"

namespace deepperf::rules::feed_dict_training_loop {

using namespace python;

namespace {

// A rate or a flag is no data.
bool is_data(const Site &site, const Expr *value) {
  return value->kind != NodeKind::Constant && !number_of(site, value).has_value() && !bool_of(site, value).has_value();
}

void check(Site &site, const Call &call) {
  if (!is_session_run(site, call) || !fetches_train_op(site, argument(call, 0, "fetches")) ||
      plays_games(*site.module)) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  const Dict *fed = loop != nullptr ? fed_dict(site, call) : nullptr;
  if (fed == nullptr) {
    return;
  }
  u32 arrays = 0;
  for (const DictItem &item : fed->items) {
    arrays += item.key != nullptr && is_data(site, item.value) ? 1 : 0;
  }
  if (arrays == 0) {
    return;
  }
  Finding &finding =
      report(site, call, "each step waits while Python prepares its batch and copies it in through `feed_dict`",
             "feed the model from a `tf.data` pipeline that ends in `prefetch()`");
  if (fed->start < call.start) {
    add_note(finding, site, *fed, "the batch is fed here");
  }
}

} // namespace

extern constinit const Rule kFeedDictTrainingLoop = {
    .info = {.code = "DP108",
             .name = "feed-dict-training-loop",
             .summary = "a training loop that feeds its batches through `feed_dict`",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .fix = FixKind::None,
             .posts = "51118565",
             .documentation = R"(## What it finds

`sess.run(train_op, feed_dict={x: batch, …})` in a loop.

## Why it costs

The GPU waits while Python prepares a batch, and again while it is copied, first from NumPy into a tensor and then to
the device, all on one thread. A `tf.data` pipeline prepares and copies the next batches during the current step, with
several threads.

## Bad

```python
import tensorflow.compat.v1 as tf

x = tf.placeholder(tf.float32, [None, 10])
train_op = tf.train.AdamOptimizer().minimize(tf.reduce_mean(tf.layers.dense(x, 1)))

def train(sess, batches):
    for batch in batches:
        sess.run(train_op, feed_dict={x: batch})
```

## Good

```python
import tensorflow.compat.v1 as tf

def train(sess, files, parse, steps):
    dataset = tf.data.TFRecordDataset(files).map(parse, num_parallel_calls=8).batch(64).prefetch(2)
    x = dataset.make_one_shot_iterator().get_next()
    train_op = tf.train.AdamOptimizer().minimize(tf.reduce_mean(tf.layers.dense(x, 1)))
    for _ in range(steps):
        sess.run(train_op)
```

## When it is wrong

Where batches are small and already in memory, little is lost. Where the model decides what comes next, as in
reinforcement learning, there is nothing to prefetch; the rule is silent in files that use `gym`. It is a hint for these
reasons.

## References

- TensorFlow guide, "Better performance with the tf.data API"
- DLPerf, post 51118565
)"},
    .calls = "*.run",
    .on_call = check};

} // namespace deepperf::rules::feed_dict_training_loop
