#include "rules/session_feed.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::repeated_session_run {

using namespace python;

namespace {

// The run of a statement such as `x = sess.run(…)`, `print(sess.run(…))` or `losses.append(sess.run(…))`; null if there
// is none, or more than one.
const Call *run_of(const Site &site, const Stmt *statement) {
  if (statement->kind != NodeKind::Assign && statement->kind != NodeKind::AugAssign &&
      statement->kind != NodeKind::ExprStmt && statement->kind != NodeKind::Return) {
    return nullptr;
  }
  const Call *found = nullptr;
  u32 runs = 0;
  any_node(static_cast<const Node *>(statement), [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && is_session_run(site, *call)) {
      found = call;
      ++runs;
    }
    return false;
  });
  return runs == 1 ? found : nullptr;
}

// What is fed, as it is written; empty if nothing is.
std::string_view feed_of(const Site &site, const Call &run) {
  const Expr *feed = argument(run, 1, "feed_dict");
  return feed != nullptr ? text_of(site, feed) : std::string_view{};
}

// Does the statement run something else, or bind a name that the feed mentions?
bool may_change(const Stmt *statement, const Expr *feed) {
  return any_node(static_cast<const Node *>(statement), [feed](const Node *node) {
    const auto *name = as<Name>(node);
    const auto *call = as<Call>(node);
    return (name != nullptr && name->context == Context::Store && mentions(feed, name->id)) ||
           (call != nullptr && called_method(*call) == "run");
  });
}

void check_block(Site &site, const Block &body) {
  constexpr u32 kMostBetween = 6;
  for (u32 i = 0; i < body.size(); ++i) {
    const Call *first = run_of(site, body[i]);
    const Expr *feed = first != nullptr ? argument(*first, 1, "feed_dict") : nullptr;
    if (feed == nullptr) {
      continue;
    }
    std::vector<const Call *> others;
    u32 last = i;
    for (u32 next = i + 1; next < body.size() && next - last <= kMostBetween; ++next) {
      const Call *run = run_of(site, body[next]);
      if (run != nullptr && feed_of(site, *run) == text_of(site, feed)) {
        others.push_back(run);
        last = next;
      } else if (may_change(body[next], feed)) {
        break;
      }
    }
    if (others.empty()) {
      continue;
    }
    // Two optimizers in turn, as a GAN trains them, need a run each.
    u32 trains = fetches_train_op(site, first->args.empty() ? nullptr : first->args[0]) ? 1 : 0;
    for (const Call *other : others) {
      trains += fetches_train_op(site, other->args.empty() ? nullptr : other->args[0]) ? 1 : 0;
    }
    if (trains <= 1) {
      Finding &finding =
          report(site, *others.front(),
                 fmt::format("{} session runs compute the same forward pass for the same batch", others.size() + 1),
                 "fetch everything in one call: `sess.run([train_op, loss, accuracy], feed_dict=…)`");
      add_note(finding, site, *first, "the first run is here");
      finding.tier = trains == 1 && !site.module->is_test ? finding.tier : Tier::Hint;
    }
    i = last;
  }
}

// A function that every iteration of a loop calls: step(), train_on_batch().
void check_function(Site &site, const FunctionDef &definition) {
  const model::FunctionInfo *function = site.project.function_at(&definition);
  const auto is_repeated = [](const model::CallSite *caller) {
    return caller->loop != nullptr && !caller->loop->few_iterations && !caller->once;
  };
  if (function == nullptr || !function->runs_session || !std::ranges::any_of(function->called_by, is_repeated)) {
    return;
  }
  Site inside = site;
  inside.function = function;
  check_block(inside, definition.body);
}

void check(Site &site, const Node &node) {
  if (const auto *definition = as<FunctionDef>(&node)) {
    if (site.module->tensorflow) {
      check_function(site, *definition);
    }
    return;
  }
  const model::Loop *loop = site.project.loop_at(&node);
  if (!site.module->tensorflow || site.function == nullptr || loop == nullptr || loop->few_iterations ||
      !loop->runs_session) {
    return;
  }
  const auto *statement = as<For>(&node);
  check_block(site, statement != nullptr ? statement->body : static_cast<const While &>(node).body);
}

} // namespace

extern constinit const Rule kRepeatedSessionRun = {.info = {.code = "DP119",
                                                            .name = "repeated-session-run",
                                                            .summary = "several session runs for the same batch",
                                                            .root_cause = "API: Inefficient API Usage",
                                                            .symptoms = "Slow Execution Time",
                                                            .stage = "Training",
                                                            .frameworks = "TensorFlow",
                                                            .severity = Severity::Advice,
                                                            .tier = Tier::On,
                                                            .documentation = R"(## What it finds

Consecutive calls of `sess.run` in a loop, or in a function that a loop calls, that feed the same values, of which at most one trains. Where
none of them trains, it is a hint.

## Why it costs

Each run copies the batch to the device and computes the forward pass again. One run that fetches everything computes it
once.

## Bad

```python
import tensorflow as tf


def evaluate(sess: tf.Session, batches, x, loss, accuracy):
    for batch in batches:
        value = sess.run(loss, feed_dict={x: batch})
        right = sess.run(accuracy, feed_dict={x: batch})
        print(value, right)
```

## Good

```python
import tensorflow as tf


def evaluate(sess: tf.Session, batches, x, loss, accuracy):
    for batch in batches:
        value, right = sess.run([loss, accuracy], feed_dict={x: batch})
        print(value, right)
```

## When it is wrong

Where the loss after the update is needed, not the one that the update was computed from.

## References

- TensorFlow 1 documentation of `tf.Session.run`
)"},
                                                   .nodes = {NodeKind::For, NodeKind::While, NodeKind::FunctionDef},
                                                   .on_node = check};

} // namespace deepperf::rules::repeated_session_run
