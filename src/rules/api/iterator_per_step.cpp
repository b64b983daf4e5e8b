#include "model/pipeline.h"
#include "rules/repetition.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::iterator_per_step {

using namespace python;

namespace {

bool is_dataset(const Site &site, const Expr *expr) {
  return model::kind_of(expr) == Kind::Dataset || value_of(site, expr).is_kind(Kind::Dataset);
}

// What is read once per iterator: a batch or two, in `next(iter(ds))` or `for batch in ds.take(1)`.
void check(Site &site, const Node &node) {
  if (!site.module->tensorflow || site.module->v1 || site.module->is_test) {
    return;
  }
  const Expr *data = nullptr;
  if (const auto *call = as<Call>(&node)) {
    const auto *made = called_name(*call) == "next" && call->args.size() == 1 ? as<Call>(call->args[0]) : nullptr;
    data = made != nullptr && called_name(*made) == "iter" && made->args.size() == 1 ? made->args[0] : nullptr;
  }
  if (data == nullptr || !is_dataset(site, data) || called_api(site, static_cast<const Call &>(node)) != "next") {
    return;
  }
  const Repetition repetition = repetition_of(site);
  if (repetition.loop == nullptr || !stays_same(site, repetition, data)) {
    return;
  }
  Finding &finding = report(
      site, node,
      "a new iterator is created in every iteration, so the pipeline starts again, refills its buffers, and only its "
      "first elements are ever read",
      fmt::format("create it once, `batches = iter({}.repeat())`, and call `next(batches)`", text_of(site, data)));
  add_note(finding, site, repetition);
}

} // namespace

extern constinit const Rule kIteratorPerStep = {
    .info = {.code = "DP124",
             .name = "iterator-per-step",
             .summary = "a `tf.data` iterator that is created again in every step",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`next(iter(dataset))` in a loop, or in a function that a loop calls, for a `tf.data.Dataset` that stays the same.

## Why it costs

Each iterator starts the pipeline from the beginning: it opens the files, starts the threads and fills the shuffle buffer, for one batch. And
the rest of the data is never read: without `shuffle()`, every step gets the same batch.

## Bad

```python
import tensorflow as tf

data = tf.data.Dataset.range(10_000).shuffle(1000).batch(32).prefetch(1)

def train(step, steps):
    for _ in range(steps):
        step(next(iter(data)))
```

## Good

```python
import tensorflow as tf

data = tf.data.Dataset.range(10_000).shuffle(1000).batch(32).prefetch(1)

def train(step, steps):
    for batch in data.repeat().take(steps):
        step(batch)
```

## When it is wrong

Where the same batch is intended each time.

## References

- TensorFlow guide "tf.data: Build TensorFlow input pipelines"
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::iterator_per_step
