#include "model/exclusion.h"
#include "model/variance.h"
#include "rules/graph_op.h"
#include "rules/graph_op_excuses.h"
#include "rules/graph_op_repetition.h"
#include "rules/session_branches.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace deepperf::rules::graph_op_in_loop {

using namespace python;

extern const Rule kGraphOpInLoop;

namespace {

using model::FunctionInfo;
using model::Loop;
using model::OpFact;
using model::Project;

// Traced by a framework, or part of something that is.
bool runs_once(const FunctionInfo &function) {
  if (function.traced) {
    return true;
  }
  for (const FunctionInfo *outer = function.parent; outer != nullptr; outer = outer->parent) {
    if (outer->traced) {
      return true;
    }
  }
  return false;
}

std::string describe_loop(const Loop &loop) {
  switch (loop.node->kind) {
  case NodeKind::While:
    return "while loop";
  case NodeKind::For:
    return "for loop";
  default:
    return "comprehension";
  }
}

// The header of a loop: what stands before its body.
Span header_of(const Source &source, const Loop &loop) {
  const std::string_view text = source.text();
  const std::size_t line_end = text.find_first_of("\r\n", loop.node->start);
  return {loop.node->start, std::min(loop.node->end, static_cast<u32>(std::min(line_end, text.size())))};
}

class Linter {
public:
  Linter(const Project &project, Findings &findings)
      : project_(project), findings_(findings), repetition_(project), sessions_(project) {}

  void run() {
    for (const FunctionInfo &function : project_.functions) {
      if (function.module == nullptr || !function.module->tensorflow || runs_once(function)) {
        continue;
      }
      lint_own_ops(function);
    }
    find_what_leads_to_ops();
    for (const FunctionInfo &function : project_.functions) {
      if (function.module == nullptr || !leads_to_ops_[function.index] || runs_once(function)) {
        continue;
      }
      for (const model::CallSite &site : function.calls) {
        if (leads_to_ops_[site.callee->index]) {
          lint_call(function, site);
        }
      }
    }
    report_causes_once();
  }

private:
  // Functions with an operation of TensorFlow, and what calls those: nothing else is worth a summary.
  void find_what_leads_to_ops() {
    std::vector<const FunctionInfo *> queue;
    leads_to_ops_.resize(project_.functions.size());
    for (const FunctionInfo &function : project_.functions) {
      if (function.module->tensorflow && std::ranges::any_of(function.ops, is_tensorflow)) {
        queue.push_back(&function);
        leads_to_ops_[function.index] = true;
      }
    }
    if (queue.empty()) {
      return;
    }
    while (!queue.empty()) {
      const FunctionInfo *const callee = queue.back();
      queue.pop_back();
      for (const model::CallSite *site : callee->called_by) {
        const FunctionInfo *const caller = site->caller;
        if (!leads_to_ops_[caller->index]) {
          leads_to_ops_[caller->index] = true;
          queue.push_back(caller);
        }
      }
    }
  }

  static bool counts(const Loop &loop) { return !loop.few_iterations && !loop.makes_graph; }

  void lint_own_ops(const FunctionInfo &function) {
    const Expr *reported = nullptr;
    for (const OpFact &op : function.ops) {
      if (op.once || op.in_tape || op.initial_value || op.loop == nullptr || !is_tensorflow(op)) {
        continue;
      }
      if (reported != nullptr && (contains(reported, op.call) || same_line(function, reported, op.call))) {
        continue; // part of what has been reported
      }
      for (const Loop *loop = op.loop; loop != nullptr; loop = loop->parent) {
        if (loop->makes_graph) {
          break; // a graph of its own in each iteration: nothing outside matters
        }
        if (counts(*loop)) {
          const bool grows = loop->runs_session && !op.api.text().ends_with("get_variable") &&
                             !sessions_.runs_elsewhere_only(op.call, *loop);
          if (grows || repetition_.is_invariant(op, *loop)) {
            report(function, op.call, op, *loop, grows, nullptr);
            reported = op.call;
            break;
          }
        }
        if (counts(*loop) && op.api.text() == "minimize" && !function.module->may_be_eager()) {
          report_training_per_item(function, op, *loop);
          reported = op.call;
          break;
        }
        if (loop->once) {
          break;
        }
      }
    }
  }

  // A train op for each element of a loop: right for several models, never for several examples.
  void report_training_per_item(const FunctionInfo &function, const OpFact &op, const Loop &loop) {
    Finding finding;
    finding.rule = &kGraphOpInLoop.info;
    finding.file = function.module->file;
    finding.span = op.call->span();
    finding.tier = Tier::Hint;
    finding.message = "`minimize` adds another train op, with its own gradients, in every iteration";
    finding.advice = "if the loop iterates over data, create one train op before it and feed the data";
    finding.notes.push_back({function.module->file, header_of(function.module->parsed->source, loop),
                             fmt::format("the {} is here", describe_loop(loop))});
    causes_.push_back({std::move(finding), &op, nullptr});
  }

  static bool same_line(const FunctionInfo &function, const Node *a, const Node *b) {
    const std::string_view text = function.module->parsed->source.text();
    const u32 from = std::min(a->start, b->start);
    return text.substr(from, std::max(a->start, b->start) - from).find('\n') == std::string_view::npos;
  }

  // A call in a loop that leads to operations. In a loop that runs a session any of them is one too many; otherwise the
  // call must give the same in every iteration as a whole: an operation that repeats deep inside one that does not is
  // no use.
  void lint_call(const FunctionInfo &caller, const model::CallSite &site) {
    if (site.loop == nullptr || site.once || site.by_type || site.in_tape || site.callee->traced ||
        site.callee->makes_graph || site.callee == &caller ||
        reported_.contains(site.call)) { // of several that it may call, one is enough
      return;
    }
    const std::vector<model::ReachedOp> &reached = model::reached_by(project_, *site.callee);
    const auto first = std::ranges::find_if(reached, [&site](const model::ReachedOp &op) {
      return is_tensorflow(*op.op) && op.function->module->tensorflow && !op.function->traced && !is_excluded(site, op);
    });
    if (first == reached.end()) {
      return;
    }
    for (const Loop *loop = site.loop; loop != nullptr; loop = loop->parent) {
      if (loop->makes_graph) {
        return;
      }
      if (counts(*loop) && loop->runs_session && caller.module->near_tensorflow &&
          !sessions_.runs_elsewhere_only(site.call, *loop)) {
        return report(caller, site.call, *first->op, *loop, true, &*first, keeps_object(site, *loop));
      }
      const bool whole =
          counts(*loop) && !GraphOpRepetition::is_broken(*loop) && !site.callee->makes_variables &&
          !site.callee->runs_session && !site.callee->effects && site.callee->name.text() != "__init__" &&
          std::ranges::all_of(reached,
                              [&](const model::ReachedOp &op) { return repetition_.stays_same(site, op, *loop); }) &&
          repetition_.arguments_stay_same(site, *loop);
      if (whole) {
        // The call as a whole is as light as its heaviest operation.
        const auto heavy = std::ranges::find_if(reached, [](const model::ReachedOp &op) { return !is_light(*op.op); });
        const model::ReachedOp &shown = heavy != reached.end() && is_tensorflow(*heavy->op) ? *heavy : *first;
        return report(caller, site.call, *shown.op, *loop, false, &shown);
      }
      if (loop->once) {
        return;
      }
    }
  }

  // By what this call passes, or one on the way to the operation.
  static bool is_excluded(const model::CallSite &site, const model::ReachedOp &reached) {
    const model::CallSite *from = &site;
    for (const model::ReachedOp *op = &reached; op != nullptr; op = op->next) {
      const bool is_last = op->through == nullptr;
      if (model::excludes(*from, is_last ? op->op->call : op->through->call)) {
        return true;
      }
      if (is_last) {
        break;
      }
      from = op->through;
    }
    return false;
  }

  // The calls between the one that is reported and the operation, and the operation itself.
  static std::vector<Note> chain_of(const model::ReachedOp &reached) {
    std::vector<Note> notes;
    for (const model::ReachedOp *op = &reached; op->through != nullptr && notes.size() < 8; op = op->next) {
      const std::string_view name = op->through->callee->name ? op->through->callee->name.text() : "lambda";
      notes.push_back(
          {op->through->caller->module->file, op->through->call->span(), fmt::format("which calls `{}`", name)});
    }
    notes.push_back({reached.function->module->file, reached.op->call->span(),
                     fmt::format("which creates {}", op_name(*reached.op))});
    return notes;
  }

  void report(const FunctionInfo &function, const Expr *place, const OpFact &op, const Loop &loop, bool grows,
              const model::ReachedOp *reached, bool object_is_kept = false) {
    const Source &loop_source = loop.function->module->parsed->source;
    Finding finding;
    finding.rule = &kGraphOpInLoop.info;
    finding.file = function.module->file;
    finding.span = place->span();
    const std::string name = op_name(op);
    const bool is_test = function.module->is_test || loop.function->module->is_test || function.is_test;
    if (is_test || object_is_kept ||
        (grows ? loop.iterations == model::Iterations::Few || excuses_.keeps_variable_of_entry(op, loop) ||
                     goes_over_variables(loop) || (place == op.call && sets_each_variable(op, loop))
               : excuses_.is_minor(op, loop) || repetition_.stands_in_scope_of_iteration(op, loop, true))) {
      finding.tier = Tier::Hint;
    }
    const std::vector<Note> chain = reached != nullptr ? chain_of(*reached) : std::vector<Note>{};
    finding.notes.push_back({loop.function->module->file, header_of(loop_source, loop),
                             fmt::format("the {} is here", describe_loop(loop))});
    finding.notes.insert(finding.notes.end(), chain.begin(), chain.end());
    if (grows) {
      finding.message =
          place == op.call
              ? fmt::format("{} adds to the graph in every iteration of a loop that runs a session", name)
              : fmt::format("this call creates {}, so the graph grows in every iteration of a loop that runs a session",
                            name);
      finding.advice =
          "create the operation once before the loop and only run it inside; feed what changes through a placeholder";
      if (loop.session_run != nullptr) {
        finding.notes.push_back({loop.function->module->file, loop.session_run->span(), "the session runs here"});
      }
    } else {
      finding.message =
          place == op.call
              ? fmt::format("{} is created again in every iteration, but nothing it depends on changes", name)
              : "this call creates the same operations again in every iteration: nothing they depend on changes";
      finding.advice = "move it before the loop";
    }
    if (finding.tier == Tier::On) {
      reported_.insert(place);
    }
    causes_.push_back({std::move(finding), &op, reached});
  }

  // What has been said of an operation, or of a call on the way to it, is not said again for the loops further out.
  void report_causes_once() {
    for (Cause &cause : causes_) {
      bool said = cause.reached != nullptr && reported_.contains(cause.op->call);
      for (const model::ReachedOp *at = cause.reached; at != nullptr && !said; at = at->next) {
        said = at->through != nullptr && reported_.contains(at->through->call);
      }
      if (!said) {
        findings_.push_back(std::move(cause.finding));
      }
    }
  }

  struct Cause {
    Finding finding;
    const OpFact *op = nullptr;
    const model::ReachedOp *reached = nullptr; // null: the operation stands in the loop itself
  };

  const Project &project_;
  Findings &findings_;
  GraphOpRepetition repetition_;
  SessionBranches sessions_;
  GraphOpExcuses excuses_;
  std::vector<bool> leads_to_ops_; // by a function's index
  std::vector<Cause> causes_;
  std::unordered_set<const Node *> reported_;
};

void check(const Project &project, Findings &findings) { Linter(project, findings).run(); }

} // namespace

extern constinit const Rule kGraphOpInLoop = {
    .info = {.code = "DP201",
             .name = "graph-op-in-loop",
             .summary = "a TensorFlow operation that is created in every iteration of a loop",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Increasing Time Over Time, Memory Leak",
             .stage = "Model Building",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A TensorFlow operation inside a loop, also through calls, that

- depends on nothing that changes in the loop, so one operation before the loop is enough; or
- is in a loop that runs a session, where every iteration adds it to the graph.

## Why it costs

In graph mode each call adds a node. A loop that adds nodes between two calls of `Session.run` makes the graph larger with every iteration:
each run takes longer than the one before, and memory grows until it runs out. In eager mode the same result is computed repeatedly.

## Bad

```python
import tensorflow as tf

with tf.Session() as sess:
    for step in range(1000):
        sess.run(tf.reduce_mean(losses))
```

## Good

```python
import tensorflow as tf

mean = tf.reduce_mean(losses)
with tf.Session() as sess:
    for step in range(1000):
        sess.run(mean)
```

## When it is wrong

Loops that build layers whose operations depend on the loop are fine, and so is code that is traced once: inside `tf.function`, a Keras
layer's `call`, or a mapped function. The rule also ignores

- loops over a literal or over `range(10)` and below;
- loops that create or enter another `tf.Graph` in every iteration. A graph that is entered again, `with self.graph.as_default():`, is the
  same graph and grows;
- code that runs only the first time (`if i == 0`, `if key not in cache`) or not at all (`if 0:`, after `sys.exit()`, a branch that the
  call's arguments exclude).

Whatever a call in the loop may change, such as a variable in eager code, counts as changing.

These are hints:

- a cheap operation (a shape, a cast, a power) where a loop iterates over a collection of unknown length, or runs once per epoch;
- anything in a loop over what a model has few of (heads, levels, losses), and everything in functions called `test_…`;
- a variable for each entry of a dictionary that is kept there, objects that each build a part of the graph and are put into a list, and
  what is done once for each variable of a model, as when it is loaded.

## References

- DLPerf, root cause "Confusion with Computation Graph"
- TensorFlow documentation, `tf.Graph.finalize`: how to detect a graph that grows
)"},
    .on_project = check};

} // namespace deepperf::rules::graph_op_in_loop
