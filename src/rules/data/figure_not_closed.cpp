#include "model/guards.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::figure_not_closed {

using namespace python;

namespace {

// In a function that this one calls.
bool closes_elsewhere(const Site &site) {
  static constexpr std::string_view kCloses[] = {"close("};
  return site.function->node != nullptr && reaches_word(site, *site.function->node, kCloses);
}

// `plt.figure()` and then `plt.subplots()`, which makes another one: `plt.close()` closes that one alone.
bool is_replaced(const Site &site, const Call &call) {
  const FunctionDef *const definition = site.function->definition();
  const bool is_discarded = !site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::ExprStmt;
  if (definition == nullptr || !is_discarded || called_api(site, call) != "matplotlib.pyplot.figure" ||
      !call.args.empty()) {
    return false;
  }
  const Call *next = nullptr; // of all that is done to figures
  bool closes_others = false; // close("all"), close(fig)
  u32 closed = 0;
  any_node(definition->body, [&](const Node *node) {
    const auto *other = as<Call>(node);
    const std::string_view api = other != nullptr ? called_api(site, *other) : std::string_view{};
    if (api.starts_with("matplotlib.pyplot.") && other->start > call.end &&
        (next == nullptr || other->start < next->start)) {
      next = other;
    }
    closes_others |= api == "matplotlib.pyplot.close" && !other->args.empty();
    closed += api == "matplotlib.pyplot.close" ? 1 : 0;
    return false;
  });
  return next != nullptr && called_api(site, *next) == "matplotlib.pyplot.subplots" && !closes_others && closed == 1;
}

// `plt.close()`, and not close() of a file.
bool closes_figures(const Site &site, const model::FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  const Block body = definition != nullptr ? definition->body : function.module->parsed->tree.body;
  return any_node(body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr || call->fact == 0 || called_name(*call) != "close") {
      return false;
    }
    const model::Value callee = site.project.callee_of(call);
    const bool is_file = model::kind_of(receiver_of(*call)) == Kind::File;
    return !is_file && (!callee.is(model::Value::Tag::Api) || callee.name().text().starts_with("matplotlib."));
  });
}

// Do all calls of the function stand under a flag, as in `if plots: plot_results()`? Nobody knows in which iterations
// it is set: it may be in the last epoch only. `if epoch % 10 == 0` is known.
bool depends_on_flags(const Site &site) {
  const auto is_flagged = [&site](const model::CallSite *caller) {
    const Site there = site_at(site, *caller->caller, *caller->call);
    const auto *branch = as<If>(enclosing(there, NodeKind::If));
    return branch != nullptr && !model::counts_steps(branch->test) && !any_node(branch->test, [](const Node *part) {
             const auto *operation = as<BinOp>(part);
             return part->kind == NodeKind::Compare || (operation != nullptr && operation->op() == Operator::Mod);
           });
  };
  return !site.function->called_by.empty() && std::ranges::all_of(site.function->called_by, is_flagged);
}

void check(Site &site, const Call &call) {
  if (site.function != nullptr && !site.module->is_test && context_of(site).repeated && is_replaced(site, call)) {
    report(
        site, call,
        "`plt.subplots()` creates another figure, and `plt.close()` closes only that one, so this one stays in memory",
        "remove this call");
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  const bool is_repeated = loop != nullptr
                               ? loop->iterations != model::Iterations::Few && runs_every_iteration(site, *loop)
                               : context_of(site).repeated;
  if (!is_repeated || site.function == nullptr || site.module->is_test ||
      function_has_word(
          site, {"close(", ".show(", " show(", ".clf(", ".cla(", "clear(", "return fig", "add_figure", "yield"}) ||
      closes_elsewhere(site) ||
      (call.args.size() == 1 && called_api(site, call) == "matplotlib.pyplot.figure")) { // the same number each time
    return;
  }
  if (!function_has_word(site, {"savefig"})) {
    return; // somebody else may do something with it
  }
  Finding &finding =
      report(site, call, "figures are created repeatedly and never closed, so all of them stay in memory",
             "call `plt.close(fig)` after `savefig`");
  // `if args.plot:` around it is an option as well.
  const bool is_option = loop == nullptr && enclosing(site, NodeKind::If) != nullptr;
  if (is_option || (loop == nullptr && depends_on_flags(site))) {
    finding.tier = Tier::Hint;
  }
  if (std::ranges::any_of(site.function->called_by,
                          [&](const model::CallSite *one) { return closes_figures(site, *one->caller); })) {
    finding.tier = Tier::Hint; // the caller may close them
  }
}

} // namespace

extern constinit const Rule kFigureNotClosed = {
    .info = {.code = "DP418",
             .name = "figure-not-closed",
             .summary = "figures that are created in a loop and never closed",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Out of Memory, Increasing Time Over Time",
             .stage = "Evaluation",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`plt.figure()` or `plt.subplots()` in a loop, or in a function that a loop calls, that saves the figure and does not
close it. It is a hint where a caller closes something, and in a function under a condition.

## Why it costs

pyplot keeps every figure until it is closed, with its axes, images and caches, so memory grows with every figure.

## Bad

```python
import matplotlib.pyplot as plt
import torch


def plot(batches):
    for i, batch in enumerate(batches):
        plt.figure()
        plt.plot(torch.as_tensor(batch))
        plt.savefig(f"{i}.png")
```

## Good

```python
import matplotlib.pyplot as plt
import torch


def plot(batches):
    for i, batch in enumerate(batches):
        figure = plt.figure()
        plt.plot(torch.as_tensor(batch))
        plt.savefig(f"{i}.png")
        plt.close(figure)
```

## When it is wrong

A handful of figures does no harm.

## References

- Matplotlib: `pyplot.close`, and the warning about more than 20 open figures
)"},
    .calls = "matplotlib.pyplot.figure matplotlib.pyplot.subplots",
    .on_call = check};

} // namespace deepperf::rules::figure_not_closed
