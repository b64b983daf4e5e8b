#include "model/variance.h"
#include "python/children.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules::session_in_loop {

using namespace python;

namespace {

// Is the session made for one use? Not where an inner loop runs it again and again.
struct InnerRuns {
  bool found = false;
};

bool runs_in_inner_loop(const Site &site, const model::Loop *outer) {
  const Node *const within = outer != nullptr ? outer->node : site.function->node;
  const auto find = [&] {
    const auto runs = [outer](const model::Loop *loop) { return loop->runs_session && !loop->tiny && loop != outer; };
    return InnerRuns{within != nullptr ? std::ranges::any_of(loops_inside(*site.function, *within), runs)
                                       : std::ranges::any_of(site.function->loops, runs)};
  };
  return site.memory.recall<InnerRuns>(outer != nullptr ? static_cast<const void *>(outer) : site.function, find).found;
}

// Waiting for checkpoints, or going through several: each needs its session.
bool restores_or_waits(const Site &site, const Node *node) {
  if (const auto *call = as<Call>(node)) {
    const std::string_view method = called_method(*call);
    if (method == "restore" || method == "import_meta_graph" || method == "sleep" || method == "load") {
      return true;
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || restores_or_waits(site, child); });
  return found;
}

void check(Site &site, const Call &call) {
  const Node *parent = site.ancestors.empty() ? nullptr : site.ancestors.back();
  if (parent == nullptr || site.function == nullptr || parent->kind == NodeKind::Return || is_traced(site)) {
    return;
  }
  if (const auto *assignment = as<Assign>(parent);
      assignment != nullptr && as<Name>(assignment->targets[0]) == nullptr) {
    return; // kept in an attribute
  }
  const model::Loop *loop = long_loop_around(site);
  const bool answers = loop == nullptr && in_request_handler(site);
  if (loop == nullptr && !answers &&
      (!site.function->in_loop || site.function->definition() == nullptr || site.function->name.text() == "__init__")) {
    return;
  }
  const bool new_graph = loop != nullptr ? loop->new_graph : site.function->new_graph;
  if (new_graph || runs_in_inner_loop(site, loop) || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const Expr *graph = argument(call, 1, "graph");
  if (loop != nullptr && graph != nullptr && model::varies(site.project, *loop, graph)) {
    return;
  }
  const Node *within = loop != nullptr ? loop->node : site.function->node;
  if (!answers && restores_or_waits(site, within)) {
    return;
  }
  Finding &finding = report(
      site, call,
      answers           ? "a session is created for every request, so TensorFlow prepares the graph again each time"
      : loop != nullptr ? "a session is created in every iteration, so TensorFlow prepares the graph again each time"
                        : "a session is created in every call of this function, which is called from a loop",
      answers ? "create one session when the server starts and use it for all requests"
              : "create one session before the loop and use it in all iterations");
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "the loop");
  }
  finding.tier = answers ? finding.tier : Tier::Hint;
}

} // namespace

extern constinit const Rule kSessionInLoop = {
    .info = {.code = "DP202",
             .name = "session-in-loop",
             .summary = "a TensorFlow session that is created again and again",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Memory Leak, Increasing Time Over Time",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .posts = "50282801",
             .documentation = R"(## What it finds

`tf.Session()` or `tf.InteractiveSession()` in a loop, or in a function that is called from one, where each session is used for one run and
the graph stays the same: a hint. A session that is created for every request of a server is a finding.

## Why it costs

At its first run a session prepares the graph for the devices: it prunes, optimizes and partitions the graph, and allocates memory. All of
that is lost with the session. Variables have to be initialized or loaded again.

## Bad

```python
import tensorflow as tf

for image in images:
    with tf.Session() as sess:
        result = sess.run(output, feed_dict={placeholder: image})
```

## Good

```python
import tensorflow as tf

with tf.Session() as sess:
    for image in images:
        result = sess.run(output, feed_dict={placeholder: image})
```

## When it is wrong

Loops that create a new graph in every iteration, restore a checkpoint or wait for one need a session each and are not reported, and neither
are those that train in an inner loop.

## References

- DLPerf, root cause "Confusion with Computation Graph"; Stack Overflow 50282801, from the study
)"},
    .calls = "tensorflow.Session tensorflow.InteractiveSession",
    .on_call = check};

} // namespace deepperf::rules::session_in_loop
