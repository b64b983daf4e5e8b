#include "model/definitions.h"
#include "rules/optimizer_module.h"
#include "rules/processes.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::evaluation_not_gathered {

using namespace python;

namespace {

// ---- Loaders that Accelerate shares out -----------------------------------------------------------------------------

bool is_prepare(const Expr *expr) {
  const auto *call = as<Call>(expr);
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  return (method == "prepare" || method == "prepare_data_loader") &&
         model::kind_of(receiver_of(*call)) == Kind::Accelerator;
}

// `self.loader`, or a name: is that among what the assignment takes from prepare()?
struct PreparedPlaces {
  std::vector<Symbol> names;
  std::vector<Symbol> attributes;
};

const PreparedPlaces &prepared_in(const Site &site) {
  const model::FunctionInfo &function = *site.function;
  return site.memory.recall<PreparedPlaces>(&function, [&function] {
    PreparedPlaces found;
    const auto visit = [&found](const Node *node) {
      const auto *assignment = as<Assign>(node);
      if (assignment == nullptr || assignment->targets.size() != 1 || !is_prepare(assignment->value)) {
        return false;
      }
      any_node(assignment->targets[0], [&found](const Node *part) {
        if (const auto *name = as<Name>(part); name != nullptr && name->context == Context::Store) {
          found.names.push_back(name->id);
        } else if (const auto *attribute = as<Attribute>(part)) {
          found.attributes.push_back(attribute->attr);
        }
        return false;
      });
      return false;
    };
    if (const FunctionDef *definition = function.definition()) {
      any_node(definition->body, visit);
    } else if (function.node == nullptr) {
      any_node(function.module->parsed->tree.body, visit);
    }
    return found;
  });
}

// Does Accelerate give each process its own share of what the loop goes over? A parameter is what all callers pass.
bool is_shared_out(const Site &site, const Expr *loader, u32 depth) {
  constexpr u32 kMostDepth = 3;
  if (loader == nullptr || site.function == nullptr || depth > kMostDepth) {
    return false;
  }
  if (is_prepare(loader)) {
    return true;
  }
  if (const auto *attribute = as<Attribute>(loader)) {
    const model::ClassInfo *const type = site.function->type;
    return type != nullptr && std::ranges::any_of(type->mro, [&](const model::ClassInfo *at) {
             return std::ranges::any_of(at->members, [&](const auto &member) {
               const model::FunctionInfo *const method =
                   member.second.is(model::Value::Tag::Function) ? member.second.function : nullptr;
               if (method == nullptr || method->definition() == nullptr) {
                 return false;
               }
               Site there = site;
               there.function = method;
               const auto &stored = prepared_in(there).attributes;
               return std::ranges::find(stored, attribute->attr) != stored.end();
             });
           });
  }
  const auto *name = as<Name>(loader);
  if (name == nullptr) {
    return false;
  }
  const auto &names = prepared_in(site).names;
  if (std::ranges::find(names, name->id) != names.end()) {
    return true;
  }
  const auto passed = passed_for(*site.function, name->id);
  return !passed.empty() && std::ranges::all_of(passed, [&](const Passed &one) {
    return one.value != nullptr && one.site->caller != site.function &&
           is_shared_out(site_of(site, *one.site->call), one.value, depth + 1);
  });
}

// ---- What becomes of the predictions --------------------------------------------------------------------------------

// An object of evaluate or datasets that does not know of other processes.
bool is_alone(const Site &site, const Expr *metric) {
  const auto written = model::written_as(scope_of(site), metric);
  return !written.empty() && std::ranges::all_of(written, [&site](const model::Argument::Given &given) {
    const auto *made = as<Call>(given.expr);
    const std::string_view api = made != nullptr ? called_api(site, *made) : std::string_view{};
    return (api == "evaluate.load" || api == "evaluate.combine" || api == "datasets.load_metric") &&
           keyword_argument(*made, "num_process") == nullptr && !has_hidden_arguments(*made);
  });
}

// torchmetrics exchanges its state between processes when it computes, unless it is told not to.
bool never_synchronizes(const Site &site, const Expr *metric) {
  const model::Value value = value_of(site, metric);
  if (!value.is_kind(Kind::TorchMetric) || value.maker() == nullptr) {
    return false;
  }
  const Call *made = value.maker();
  while (receiver_of(*made) != nullptr && receiver_of(*made)->kind == NodeKind::Call) {
    made = static_cast<const Call *>(receiver_of(*made)); // Accuracy(…).to(device)
  }
  const Site there = site_of(site, *value.maker());
  const auto setting =
      setting_of(there, argument_of(there, *made, ~0U, "sync_on_compute"), model::ConstantValue::of(true));
  return setting.has_value() && !setting->overridable && setting->as_bool() == false;
}

void check(Site &site, const Call &call) {
  const std::string_view method = called_method(call);
  const bool is_called = model::kind_of(call.func) == Kind::TorchMetric; // metric(predictions, labels)
  const Expr *const metric = is_called ? call.func : receiver_of(call);
  const bool is_torchmetric = model::kind_of(metric) == Kind::TorchMetric;
  if (site.function == nullptr || site.module->is_test || metric == nullptr ||
      (is_torchmetric && !is_called && method != "update")) {
    return;
  }
  const model::Loop *const loop = loop_around(site);
  if (loop == nullptr || loop->node->kind != NodeKind::For || loop->trains || loop->few_iterations ||
      project_has_word(site, {"gather", "all_reduce", ".reduce(", "pad_across", "split_between_processes"})) {
    return;
  }
  if (!is_shared_out(site, iterated_by(site, *loop), 0) ||
      (is_torchmetric ? !never_synchronizes(site, metric) : !is_alone(site, metric))) {
    return;
  }
  Finding &finding = report(site, call,
                            "each process counts only its own share of the data, and the shares are never gathered, so "
                            "the score covers only part of the evaluation set",
                            "pass `accelerator.gather_for_metrics((predictions, labels))` to the metric");
  add_note(finding, site, *loop->node, "Accelerate divides these batches among the processes");
}

} // namespace

extern constinit const Rule kEvaluationNotGathered = {
    .info = {.code = "DP985",
             .name = "evaluation-not-gathered",
             .summary = "an evaluation with Accelerate in which each process scores only its own share",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop over a loader that `accelerator.prepare()` returned, whose predictions go into a metric of `evaluate`, or into one of torchmetrics with
`sync_on_compute=False`, in a project that never gathers them.

## Why it is wrong

A prepared loader gives each process its own share of the batches. Without `gather_for_metrics()` each process computes a score of that
share, and what the first process prints covers a fraction of the evaluation set. With a single process nothing shows.

## Bad

```python
import evaluate
import torch
from accelerate import Accelerator


def score(model, loader):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, loader)
    metric = evaluate.load("accuracy")
    model.eval()
    with torch.no_grad():
        for batch in loader:
            predictions = model(**batch).logits.argmax(dim=-1)
            metric.add_batch(predictions=predictions, references=batch["labels"])
    return metric.compute()
```

## Good

```python
import evaluate
import torch
from accelerate import Accelerator


def score(model, loader):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, loader)
    metric = evaluate.load("accuracy")
    model.eval()
    with torch.no_grad():
        for batch in loader:
            predictions = model(**batch).logits.argmax(dim=-1)
            predictions, labels = accelerator.gather_for_metrics((predictions, batch["labels"]))
            metric.add_batch(predictions=predictions, references=labels)
    return metric.compute()
```

## When it is wrong

Where the program is only ever started with one process.

## References

- Accelerate: `Accelerator.gather_for_metrics`
)"},
    .calls = "*.add_batch *.add TorchMetric.update TorchMetric.__call__",
    .on_call = check};

} // namespace deepperf::rules::evaluation_not_gathered
