#include "rules/per_step.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::state_dict_per_entry {

using namespace python;

namespace {

bool is_walk(const Node *node) {
  const auto *call = as<Call>(node);
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  return call != nullptr && call->args.empty() &&
         (method == "state_dict" || method == "named_parameters" || method == "parameters");
}

// Goes the loop over the entries of a state dictionary, or over parameters?
bool goes_over_entries(const Expr *iterated) {
  return iterated != nullptr && any_node_inside(iterated, [](const Node *node) { return is_walk(node); });
}

// Does anything come to the function more than once, as the update of an EMA copy in each step? A function that nobody
// calls in these files may be such an update.
bool is_called_repeatedly(const Site &site) {
  const PlaceContext context = context_of(site);
  const bool is_step = context.in_training_step || context.in_evaluation_step || in_step(site) || in_forward_pass(site);
  if (site.function == nullptr || site.function->node == nullptr) {
    return is_step;
  }
  return is_step || (!only_builds(*site.function, Built::Anything) && !context.runs_once &&
                     (site.function->in_loop || context.callers_unknown));
}

void check(Site &site, const Call &call) {
  if (!call.args.empty() || site.module->is_test) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  if (loop == nullptr) {
    return;
  }
  const Expr *iterated = nullptr;
  if (const auto *statement = as<For>(loop->node)) {
    iterated = statement->iter;
  } else if (loop->node->kind == NodeKind::DictComp || loop->node->kind == NodeKind::ListComp) {
    iterated = static_cast<const ComprehensionExpr *>(loop->node)->generators[0]->iter;
  }
  if (!goes_over_entries(iterated) || contains(iterated, &call)) {
    return;
  }
  // `model.state_dict()[name]`: one entry is taken out, and the others are thrown away.
  const auto *entry = !site.ancestors.empty() ? as<Subscript>(site.ancestors.back()) : nullptr;
  if (entry == nullptr || entry->value != &call) {
    return;
  }
  const std::string_view text = text_of(site, &call);
  const bool is_known = any_node(loop->node, [&](const Node *node) {
    const auto *other = as<Call>(node);
    return other != nullptr && other->start < call.start && other->start >= iterated->end &&
           text_of(site, other) == text;
  });
  if (is_known) {
    return; // once for each loop
  }
  Finding &finding = report(
      site, call, fmt::format("`{}` collects all weights again for every entry of this loop", text_of(site, &call)),
      "call it once before the loop, or iterate over both: `zip(a.parameters(), b.parameters())`");
  add_note(finding, site, *loop->node, "once in every iteration of this loop");
  if (loop->parent == nullptr && !is_called_repeatedly(site)) {
    finding.tier = Tier::Hint; // weights that are copied once, while a program starts
  }
}

} // namespace

extern constinit const Rule kStateDictPerEntry = {
    .info = {.code = "DP256",
             .name = "state-dict-per-entry",
             .summary = "a state dictionary that is built again for every entry that is read",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`model.state_dict()[name]` in a loop over the entries of a state dictionary or over named parameters.

## Why it costs

`state_dict()` traverses all modules and builds a new dictionary in each call. For n entries that is n² work, in
every update of an average or a target network.

## Bad

```python
import torch


def update(average: torch.nn.Module, model: torch.nn.Module, decay):
    with torch.no_grad():
        for name in model.state_dict():
            average.state_dict()[name].mul_(decay).add_(model.state_dict()[name], alpha=1 - decay)
```

## Good

```python
import torch


def update(average: torch.nn.Module, model: torch.nn.Module, decay):
    with torch.no_grad():
        for mean, value in zip(average.parameters(), model.parameters()):
            mean.mul_(decay).add_(value, alpha=1 - decay)
```

## When it is wrong

For a model of a few layers the difference is small. A copy that is made once, while a program starts, is only a hint.

## References

- `torch.nn.Module.state_dict`
)"},
    .calls = "*.state_dict",
    .on_call = check};

} // namespace deepperf::rules::state_dict_per_entry
