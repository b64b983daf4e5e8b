#include "rules/processes.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::gather_with_duplicates {

using namespace python;

namespace {

// Numbers that are averaged anyway, and one per process.
bool is_loss(const Site &site, const Expr *expr) {
  return has_word_in_any_case(text_of(site, expr), {"loss", "time", "count", "num_", "total", "grad"});
}

// Are the names that take the result given to a metric, collected or compared with labels: one row for each sample?
bool is_for_metric(const Site &site, const Node &loop) {
  return any_node(&loop, [&site](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const std::string_view method = called_method(*call);
    return method == "add_batch" || method == "update" || model::kind_of(call->func) == Kind::TorchMetric ||
           ((method == "append" || method == "extend") && !is_loss(site, call));
  });
}

// Names that a function gets from prepare(): models, optimizers and loaders.
struct PreparedNames {
  std::vector<Symbol> names;
};

PreparedNames find_prepared(const Site &site) {
  PreparedNames prepared;
  const auto visit = [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *call = assignment != nullptr ? as<Call>(run_by(assignment->value)) : nullptr;
    if (call != nullptr && called_method(*call) == "prepare") {
      any_node(assignment->targets[0], [&](const Node *part) {
        if (const auto *name = as<Name>(part)) {
          prepared.names.push_back(name->id);
        }
        return false;
      });
    }
    return false;
  };
  if (const FunctionDef *definition = site.function->definition()) {
    any_node(definition->body, visit);
  } else if (site.function->node == nullptr) {
    any_node(site.module->parsed->tree.body, visit);
  }
  return prepared;
}

// Over batches that Accelerate shares out among the processes, or over those of some loader.
bool goes_over_batches(const Site &site, const model::Loop &loop) {
  const auto *name = as<Name>(iterated_by(site, loop));
  if (name == nullptr) {
    return goes_over_data(site, loop);
  }
  const PreparedNames &prepared =
      site.memory.recall<PreparedNames>(site.function, [&site] { return find_prepared(site); });
  return std::ranges::find(prepared.names, name->id) != prepared.names.end() || goes_over_data(site, loop);
}

// A number that the process counted itself: `torch.tensor([correct])`.
bool is_own_number(const Site &site, const Expr *expr) {
  const model::Value value = value_of(site, expr);
  const std::string_view api = value.maker() != nullptr && value.name() ? value.name().text() : std::string_view{};
  return api == "torch.tensor" || api == "torch.as_tensor" || api == "torch.Tensor";
}

bool is_cut(const Site &site) {
  constexpr std::string_view kCut[] = {
      "[:len(",      "[: len(",   "remainder", "drop_last",    "samples_seen", "num_samples",       "dataset_length",
      "len(dataset", "_dataset)", ".dataset",  "even_batches", "unique",       "gather_for_metrics"};
  return site.function->node != nullptr ? node_has_word(site, *site.function->node, kCut)
                                        : file_has_word(site, Words(kCut));
}

// The loop over batches may be in the only caller of a function that returns what it gathers.
const model::CallSite *caller_of_helper(const Site &site) {
  const bool is_returned =
      std::ranges::any_of(site.ancestors, [](const Node *node) { return node->kind == NodeKind::Return; });
  return site.function != nullptr && loop_around(site) == nullptr && is_returned &&
                 site.function->called_by.size() == 1 && site.function->called_by[0]->caller != site.function
             ? site.function->called_by[0]
             : nullptr;
}

void check(Site &site, const Call &call) {
  const model::CallSite *const caller = caller_of_helper(site);
  const Site around = caller != nullptr ? site_at(site, *caller) : site;
  const model::Loop *loop = loop_around(around);
  if (call.args.size() != 1 || site.function == nullptr || loop == nullptr || loop->node->kind != NodeKind::For ||
      loop->trains || loop->few_iterations || is_loss(site, call.args[0]) || is_own_number(site, call.args[0]) ||
      site.module->is_test) {
    return;
  }
  const model::Value receiver = value_of(site, receiver_of(call));
  if (receiver.maker() != nullptr) {
    const Keyword *split = keyword_argument(*receiver.maker(), "even_batches");
    if (split != nullptr || (receiver.name() && !receiver.name().text().starts_with("accelerate."))) {
      return;
    }
  }
  // Samples that were repeated are cut off by hand, or none is.
  if (is_cut(site) || is_cut(around) || !goes_over_batches(around, *loop) || !is_for_metric(around, *loop->node)) {
    return;
  }
  Finding &finding =
      report(site, call, "`gather()` keeps the samples that pad the last batch, so they are counted twice",
             "use `gather_for_metrics()`, which drops them");
  if (receiver.maker() == nullptr) {
    finding.tier = Tier::Hint;
  }
  const auto *method = as<Attribute>(call.func);
  if (method != nullptr) {
    const u32 start = method->end - static_cast<u32>(method->attr.text().size());
    set_fix(finding, false, {Edit{start, method->end, "gather_for_metrics"}});
  }
}

} // namespace

extern constinit const Rule kGatherWithDuplicates = {
    .info = {.code = "DP837",
             .name = "gather-with-duplicates",
             .summary = "an evaluation with Accelerate that counts the samples of a padded batch twice",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`accelerator.gather(…)` of predictions or labels in an evaluation loop, where the result goes into a metric or a list and is not truncated
to the length of the data set.

## Why it is wrong

Accelerate gives all processes the same number of samples: if the data set does not divide evenly, samples from its start are repeated.
`gather()` returns them too, so the metric counts them twice, and a list of predictions is longer than the data set. `gather_for_metrics()`
drops them.

## Bad

```python
from accelerate import Accelerator


def evaluate(model, loader, metric):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, loader)
    for batch in loader:
        predictions = model(batch["x"]).argmax(dim=-1)
        predictions, labels = accelerator.gather((predictions, batch["y"]))
        metric.add_batch(predictions=predictions, references=labels)
    return metric.compute()
```

## Good

```python
import torch
from accelerate import Accelerator


@torch.no_grad()
def evaluate(model, loader, metric):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, loader)
    for batch in loader:
        predictions = model(batch["x"]).argmax(dim=-1)
        predictions, labels = accelerator.gather_for_metrics((predictions, batch["y"]))
        metric.add_batch(predictions=predictions, references=labels)
    return metric.compute()
```

## When it is wrong

In one process, and where the number of samples divides evenly.

## References

- Accelerate: Accelerator.gather_for_metrics
)"},
    .calls = "Accelerator.gather",
    .on_call = check};

} // namespace deepperf::rules::gather_with_duplicates
