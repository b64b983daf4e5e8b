#include "model/variance.h"
#include "python/children.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules {

using namespace python;

extern const Rule kGraphOpInLoop;

namespace {

using model::FunctionInfo;
using model::Loop;
using model::OpFact;
using model::Project;

// What gives something else, or leaves something behind, each time.
constexpr u64 kStateful = kRandom | kVariable | kGraphState | kIo | kPython;

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

// Of TensorFlow: by its name, or a method of one of its kinds.
bool is_tensorflow(const OpFact &op) {
  const std::string_view name = op.api.text();
  return name.starts_with("tensorflow.") || name.starts_with("assign") || name == "minimize" ||
         name == "apply_gradients" || name == "compute_gradients" || name == "get_next";
}

bool contains(const Node *outer, const Node *inner) { return outer->start <= inner->start && inner->end <= outer->end; }

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

std::string op_name(const OpFact &op) {
  std::string name(op.api.text());
  if (name.starts_with("tensorflow.")) {
    name = "tf." + name.substr(std::string_view("tensorflow.").size());
  }
  return name;
}

// The header of a loop: what stands before its body.
Span header_of(const Source &source, const Loop &loop) {
  const std::string_view text = source.text();
  const std::size_t line_end = text.find_first_of("\r\n", loop.node->start);
  return {loop.node->start, std::min(loop.node->end, static_cast<u32>(std::min(line_end, text.size())))};
}

class Judge {
public:
  Judge(const Project &project, Findings &findings) : project_(project), findings_(findings) {}

  void run() {
    for (const FunctionInfo &function : project_.functions) {
      if (function.module == nullptr || !function.module->tensorflow || runs_once(function)) {
        continue;
      }
      judge_own_ops(function);
    }
    for (const FunctionInfo &function : project_.functions) {
      if (function.module == nullptr || runs_once(function)) {
        continue;
      }
      for (const model::CallSite &site : function.calls) {
        judge_call(function, site);
      }
    }
  }

private:
  static bool counts(const Loop &loop) { return !loop.tiny && !loop.makes_graph; }

  void judge_own_ops(const FunctionInfo &function) {
    const Call *reported = nullptr;
    for (const OpFact &op : function.ops) {
      if (op.once || op.in_tape || op.initial_value || op.loop == nullptr || !is_tensorflow(op)) {
        continue;
      }
      if (reported != nullptr && (contains(reported, op.call) || same_line(function, reported, op.call))) {
        continue; // part of what has been reported
      }
      for (const Loop *loop = op.loop; loop != nullptr; loop = loop->parent) {
        if (loop->makes_graph) {
          break; // a graph of its own in each turn: nothing outside matters
        }
        if (!counts(*loop)) {
          continue;
        }
        if (loop->runs_session && !op.api.text().ends_with("get_variable")) {
          report(function, op.call, op, *loop, true, {});
          reported = op.call;
          break;
        }
        if (is_invariant(op, *loop)) {
          report(function, op.call, op, *loop, false, {});
          reported = op.call;
          break;
        }
      }
    }
  }

  static bool same_line(const FunctionInfo &function, const Node *a, const Node *b) {
    const std::string_view text = function.module->parsed->source.text();
    const u32 from = std::min(a->start, b->start);
    return text.substr(from, std::max(a->start, b->start) - from).find('\n') == std::string_view::npos;
  }

  bool is_invariant(const OpFact &op, const Loop &loop) const {
    return (op.traits & kStateful) == 0 && !starts_accumulation(op, loop) && !model::varies(project_, loop, op.call);
  }

  // `total = tf.zeros(…)`, which an inner loop then adds to: each turn needs its own.
  static bool starts_accumulation(const OpFact &op, const Loop &loop) {
    if (!op.target || (op.traits & kConstant) == 0) {
      return false;
    }
    u32 bindings = 0;
    const auto visit = [&](const auto &self, const Node *node) -> void {
      const auto *name = as<Name>(node);
      bindings += name != nullptr && name->id == op.target && name->context == Context::Store ? 1 : 0;
      for_each_child(node, [&](const Node *child) { self(self, child); });
    };
    visit(visit, loop.node);
    return bindings > 1;
  }

  // A call in a loop that leads to operations. In a loop that runs a session any of them is one too many; otherwise the
  // call must give the same in every turn as a whole: an operation that repeats deep inside one that does not is no
  // use.
  void judge_call(const FunctionInfo &caller, const model::CallSite &site) {
    if (site.loop == nullptr || site.once || site.in_tape || site.callee->traced || site.callee->makes_graph ||
        site.callee == &caller) {
      return;
    }
    const std::vector<model::ReachedOp> &reached = model::reached_by(project_, *site.callee);
    const auto first = std::ranges::find_if(reached, [](const model::ReachedOp &op) {
      return is_tensorflow(*op.op) && op.function->module->tensorflow && !op.function->traced;
    });
    if (first == reached.end()) {
      return;
    }
    for (const Loop *loop = site.loop; loop != nullptr; loop = loop->parent) {
      if (loop->makes_graph) {
        return;
      }
      if (!counts(*loop)) {
        continue;
      }
      if (loop->runs_session && caller.module->tensorflow) {
        return report(caller, site.call, *first->op, *loop, true, chain_of(*first));
      }
      const bool whole =
          !site.callee->makes_variables && !site.callee->runs_session && !site.callee->effects &&
          site.callee->name.text() != "__init__" &&
          std::ranges::all_of(reached, [&](const model::ReachedOp &op) { return stays_same(site, op, *loop); }) &&
          arguments_stay_same(site, *loop);
      if (whole) {
        return report(caller, site.call, *first->op, *loop, false, chain_of(*first));
      }
    }
  }

  bool arguments_stay_same(const model::CallSite &site, const Loop &loop) const {
    return std::ranges::none_of(site.call->args, [&](const Expr *arg) { return model::varies(project_, loop, arg); }) &&
           std::ranges::none_of(site.call->keywords,
                                [&](const Keyword *keyword) { return model::varies(project_, loop, keyword->value); });
  }

  bool stays_same(const model::CallSite &site, const model::ReachedOp &reached, const Loop &loop) const {
    if (reached.varies || (reached.op->traits & kStateful) != 0) {
      return false;
    }
    for (const Symbol attribute : reached.attributes) {
      if (std::ranges::binary_search(loop.attributes, attribute.id, {}, &Symbol::id)) {
        return false;
      }
    }
    if (!reached.attributes.empty() && !loop.function->calls.empty()) {
      for (const model::CallSite &other : loop.function->calls) {
        for (const Symbol attribute : reached.attributes) {
          if (std::ranges::find(other.callee->attribute_stores, attribute) != other.callee->attribute_stores.end()) {
            return false;
          }
        }
      }
    }
    // What holds the attributes must itself stay the same.
    if (const auto *method = as<Attribute>(site.call->func);
        method != nullptr && site.bound && model::varies(project_, loop, method->value)) {
      return false;
    }
    for (const Expr *arg : site.call->args) {
      if (arg->kind == NodeKind::Starred) {
        return false;
      }
    }
    for (u32 i = 0; i < 64 && i < site.callee->params.size(); ++i) {
      if ((reached.params >> i & 1U) == 0) {
        continue;
      }
      const Expr *passed = model::passed_argument(site, i);
      if (passed != nullptr && model::varies(project_, loop, passed)) {
        return false;
      }
    }
    return true;
  }

  // The calls between the one that is reported and the operation, and the operation itself.
  static std::vector<Note> chain_of(const model::ReachedOp &reached) {
    std::vector<Note> notes;
    for (const model::ReachedOp *op = &reached; op->through != nullptr && notes.size() < 8; op = op->next) {
      const std::string_view name = op->through->callee->name ? op->through->callee->name.text() : "a function";
      notes.push_back(
          {op->through->caller->module->file, op->through->call->span(), fmt::format("which calls {}", name)});
    }
    notes.push_back({reached.function->module->file, reached.op->call->span(),
                     fmt::format("which makes {}", op_name(*reached.op))});
    return notes;
  }

  void report(const FunctionInfo &function, const Call *place, const OpFact &op, const Loop &loop, bool grows,
              std::vector<Note> chain) {
    const Source &loop_source = loop.function->module->parsed->source;
    Finding finding;
    finding.rule = &kGraphOpInLoop.info;
    finding.file = function.module->file;
    finding.span = place->span();
    const std::string name = op_name(op);
    const bool is_comprehension = loop.node->kind != NodeKind::For && loop.node->kind != NodeKind::While;
    // What only fills a place with a start value, or costs nothing.
    const bool fills = name == "tf.zeros" || name == "tf.ones" || name == "tf.fill" || name == "tf.zeros_like" ||
                       name == "tf.ones_like";
    const bool trivial = ((op.traits & kConstant) != 0 &&
                          (is_comprehension || name == "tf.constant" || name == "tf.convert_to_tensor")) ||
                         (fills && (op.stored || op.target));
    if (function.module->is_test || loop.function->module->is_test || (!grows && trivial)) {
      finding.tier = Tier::Hint;
    }
    finding.notes.push_back({loop.function->module->file, header_of(loop_source, loop),
                             fmt::format("the {} is here", describe_loop(loop))});
    finding.notes.insert(finding.notes.end(), chain.begin(), chain.end());
    if (grows) {
      finding.message = place == op.call
                            ? fmt::format("{} adds to the graph in every turn of a loop that runs a session", name)
                            : fmt::format("this call makes {}, so the graph grows in every turn of a loop that runs a "
                                          "session",
                                          name);
      finding.advice = "make the operation once, before the loop, and only run it inside; feed what changes through a "
                       "placeholder";
      if (loop.session_run != nullptr) {
        finding.notes.push_back({loop.function->module->file, loop.session_run->span(), "the session runs here"});
      }
    } else {
      finding.message =
          place == op.call
              ? fmt::format("{} is made again in every turn of a loop, but nothing it depends on changes", name)
              : "this call makes the same operations again in every turn of a loop: nothing they depend on changes";
      finding.advice = "move it before the loop";
    }
    findings_.push_back(std::move(finding));
  }

  const Project &project_;
  Findings &findings_;
};

void check(const Project &project, Findings &findings) { Judge(project, findings).run(); }

} // namespace

extern constinit const Rule kGraphOpInLoop = {
    .info = {.code = "DP201",
             .name = "graph-op-in-loop",
             .summary = "a TensorFlow operation made again in every turn of a loop",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Increasing Time Over Time, Memory Leak",
             .stage = "Model Building",
             .frameworks = "TensorFlow",
             .tier = Tier::On,
             .documentation = R"(## What it finds

A TensorFlow operation inside a loop, also through calls, that

- depends on nothing that changes in the loop, so that one before the loop would do; or
- stands in a loop that runs a session, where every turn adds it to the graph anew.

## Why it costs

In graph mode each call adds a node. A loop that adds nodes between two `Session.run` makes the graph larger with every
turn: each run takes longer than the one before, and memory grows until there is none left. Executed eagerly, the same
result is computed again and again.

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

Loops that build layers, each with operations that depend on the loop, are fine, and so is code that is traced once
(inside `tf.function`, a Keras layer's `call`, a mapped function). Loops over a literal, or over `range(10)` and below, are
left alone, and so are loops that make a new `tf.Graph` in every turn.

## References

- DLPerf, root cause "Confusion with Computation Graph"; DeepPerf's first checker
- TensorFlow documentation, `tf.Graph.finalize`: how to notice a graph that grows
)"},
    .on_project = check};

} // namespace deepperf::rules
