#include "rules/session_feed.h"

#include "model/bind.h"

#include <algorithm>

namespace deepperf::rules::session_run_per_sample {

using namespace python;

namespace {

// Does the loop's head give it: `user` of `for user, item in …`?
bool is_bound_by_head(const model::Loop &loop, const Expr *expr) {
  const auto *statement = as<For>(loop.node);
  const Name *root = model::root_name(expr);
  return statement != nullptr && root != nullptr && mentions(statement->target, root->id);
}

// `frame.itertuples()`, `zip(users, items)`, an array: the rows of what is in memory.
bool goes_over_rows(const Site &site, const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  const Expr *over = statement != nullptr ? iterated_by(site, loop) : nullptr;
  if (over == nullptr) {
    return false;
  }
  const auto *head = as<Call>(statement->iter);
  if (head != nullptr && called_api(site, *head) == "zip") {
    return true;
  }
  const auto *call = as<Call>(over);
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  if (method == "itertuples" || method == "iterrows" || method == "tolist") {
    return true;
  }
  return model::kind_of(over) == Kind::NumpyArray || model::kind_of(over) == Kind::PandasFrame;
}

// `rows[i:i + 1]` with the counter of `for i in range(len(rows))`.
bool is_row_slice(const Site &site, const model::Loop &loop, const Expr *expr) {
  const auto *statement = as<For>(loop.node);
  const auto *range = statement != nullptr ? as<Call>(statement->iter) : nullptr;
  const auto *counter = statement != nullptr ? as<Name>(statement->target) : nullptr;
  const auto *row = as<Subscript>(expr);
  const auto *slice = row != nullptr ? as<Slice>(row->slice) : nullptr;
  const auto *from = slice != nullptr ? as<Name>(slice->lower) : nullptr;
  const auto *to = slice != nullptr ? as<BinOp>(slice->upper) : nullptr;
  const auto *upper = to != nullptr && to->op() == Operator::Add ? as<Name>(to->left) : nullptr;
  return counter != nullptr && range != nullptr && called_api(site, *range) == "range" && range->args.size() < 3 &&
         from != nullptr && from->id == counter->id && upper != nullptr && upper->id == counter->id &&
         integer_of(site, to->right) == 1;
}

void check(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr || !is_session_run(site, call) || plays_games(*site.module) ||
      !runs_every_iteration(site, *loop)) {
    return;
  }
  const std::string_view fetched = text_of(site, &call);
  if (fetched.find("initializer") != std::string_view::npos) {
    return; // the source of a pipeline
  }
  const Dict *fed = fed_dict(site, call);
  if (fed == nullptr) {
    return;
  }
  const auto one = std::ranges::find_if(fed->items, [&](const DictItem &item) {
    return item.key != nullptr && (is_batch_of_one(site, item.value) || is_row_slice(site, *loop, item.value));
  });
  if (one == fed->items.end()) {
    return;
  }
  Finding &finding = report(site, call, "this runs the session for one example at a time",
                            "collect examples into batches, and run the session once for each batch");
  add_note(finding, site, *one->value, "this is a batch of one example");
  // Rows of a table, each fed as `[value]`: all of them have one shape, and are at hand.
  const bool is_proven = std::ranges::all_of(fed->items, [&](const DictItem &item) {
    if (item.key != nullptr && is_row_slice(site, *loop, item.value)) {
      return true;
    }
    if (!goes_over_rows(site, *loop)) {
      return number_of(site, item.value).has_value() || bool_of(site, item.value).has_value();
    }
    const auto *list = as<List>(item.value);
    return (list != nullptr && list->elts.size() == 1 && is_bound_by_head(*loop, list->elts[0])) ||
           number_of(site, item.value).has_value() || bool_of(site, item.value).has_value();
  });
  finding.tier = is_proven && !site.module->is_test ? Tier::On : Tier::Hint;
}

} // namespace

extern constinit const Rule kSessionRunPerSample = {
    .info = {.code = "DP110",
             .name = "session-run-per-sample",
             .summary = "a session that runs for one example at a time",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Prediction",
             .frameworks = "TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::None,
             .posts = "",
             .documentation = R"(## What it finds

`sess.run(…, feed_dict={x: [example]})` in a loop, where the fed value is a batch of one: `[x]`, `x[None]`,
`np.expand_dims(x, 0)`, `x.reshape(1, …)`.

## Why it costs

Each run has a fixed cost in Python and in the runtime, and it moves one example to the device and back. A single
example leaves most of the device idle.

## Bad

```python
import numpy as np

import tensorflow.compat.v1 as tf

def embed(sess, x, y, images):
    return_value = []
    for image in images:
        return_value.append(sess.run(y, feed_dict={x: np.expand_dims(image, 0)}))
    return return_value
```

## Good

```python
import numpy as np

import tensorflow.compat.v1 as tf

def embed(sess, x, y, images):
    return [sess.run(y, feed_dict={x: images[i : i + 64]}) for i in range(0, len(images), 64)]
```

## When it is wrong

Examples of different shapes cannot form a batch, and examples that arrive one by one (a camera, a game) should not wait
for others. So it is a hint, unless the loop goes over the rows of a table or array and feeds each value as `[value]`.

## References

- DLPerf, root cause "Not Using Batch API"
)"},
    .calls = "*.run",
    .on_call = check};

} // namespace deepperf::rules::session_run_per_sample
