#include "model/context.h"
#include "rules/made_on_host.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::metric_computed_per_batch {

using namespace python;
using model::Value;

namespace {

// Curves are exact, and need all scores, as long as no thresholds are given.
bool is_curve(std::string_view metric) {
  return metric.ends_with("AUROC") || metric.ends_with("AveragePrecision") || metric.ends_with("ROC") ||
         metric.ends_with("PrecisionRecallCurve");
}

// Keeps every sample until compute(), which goes through all of them.
bool keeps_samples(const Site &site, const Call &maker, std::string_view api) {
  constexpr std::string_view kKeeping[] = {"SpearmanCorrCoef", "KendallRankCorrCoef",      "MeanAveragePrecision",
                                           "CatMetric",        "FrechetInceptionDistance", "FID"};
  if (!api.starts_with("torchmetrics.")) {
    return false;
  }
  const std::string_view metric = api.substr(api.rfind('.') + 1);
  if (metric.starts_with("Retrieval") || std::ranges::find(kKeeping, metric) != std::end(kKeeping)) {
    return true;
  }
  const auto thresholds = setting_of(site, argument_of(site, maker, ~0U, "thresholds"), model::ConstantValue::none());
  return is_curve(metric) && thresholds.has_value() && thresholds->is_none();
}

// The call that makes such a metric: the one that made the object, or one in the collection that it is.
const Call *keeping_metric(const Site &site, const Value &metric) {
  const Call *const maker = metric.is_kind(Kind::TorchMetric) && !metric.many ? metric.maker() : nullptr;
  if (maker == nullptr) {
    return nullptr;
  }
  const Site made = site_of(site, *maker);
  const Call *found = nullptr;
  any_node(maker, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && keeps_samples(made, *call, called_api(made, *call))) {
      found = call;
    }
    return found != nullptr;
  });
  return found;
}

// Does the loop, or the function that runs for each batch, forget what a metric has collected, so that each batch has
// its own value?
bool is_reset_here(const Site &site, const model::Loop *loop) {
  constexpr std::string_view kReset[] = {".reset("};
  const Node *const place = loop != nullptr ? loop->node : site.function->node;
  return place == nullptr || reaches_word(site, *place, kReset);
}

bool is_updated_here(const Site &site, const Expr &metric) {
  const FunctionDef *const definition = site.function->definition();
  return definition != nullptr && any_node(definition->body, [&](const Node *node) {
           const auto *call = as<Call>(node);
           return call != nullptr && called_method(*call) == "update" &&
                  text_of(site, receiver_of(*call)) == text_of(site, &metric);
         });
}

void check(Site &site, const Call &call) {
  const Expr *const metric = receiver_of(call);
  if (metric == nullptr || site.function == nullptr || site.module->is_test || !call.args.empty() ||
      enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const PlaceContext context = context_of(site);
  if (context.in_training_step) {
    return; // DP410 tells of all metrics there
  }
  const model::Loop *const loop = loop_around(site);
  const bool is_repeated = loop != nullptr && goes_over_data(site, *loop) && runs_every_iteration(site, *loop);
  if (!is_repeated && !model::is_evaluation_of_framework(*site.function) &&
      (loop != nullptr || !context.in_evaluation_step)) {
    return;
  }
  // Of a helper of such a step, what else happens to the metric is not seen, unless it takes the whole batch.
  if (!is_repeated && !model::is_evaluation_of_framework(*site.function) && !is_updated_here(site, *metric)) {
    return;
  }
  const Value made = value_of(site, metric);
  const Call *const keeping = keeping_metric(site, made);
  if (keeping == nullptr) {
    return;
  }
  // A new metric for each batch has only that batch.
  const auto *name = as<Name>(metric);
  const Expr *const assigned = name != nullptr ? last_assigned(site, *name) : nullptr;
  const bool is_new = assigned != nullptr && (loop == nullptr || loop->node->start <= assigned->start);
  if (is_new || is_reset_here(site, is_repeated ? loop : nullptr)) {
    return;
  }
  Finding &finding = report(
      site, call,
      fmt::format("`{}` processes all samples collected so far, and runs for every batch", text_of(site, call.func)),
      "call `update()` for each batch, and `compute()` once after the last one");
  finding.notes.push_back(
      {site_of(site, *keeping).module->file, keeping->span(), "this metric keeps every sample until it is reset"});
}

// `metrics(scores, y)` as a statement: torchmetrics computes the value of this batch as well, and nobody takes it.
void check_discarded(Site &site, const Call &call) {
  const bool is_statement = !site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::ExprStmt;
  const model::Loop *const loop = loop_around(site);
  if (!is_statement || site.function == nullptr || site.module->is_test || call.args.empty() || loop == nullptr ||
      !goes_over_data(site, *loop) || !runs_every_iteration(site, *loop)) {
    return;
  }
  const Value made = value_of(site, call.func);
  const Call *const maker = made.is_kind(Kind::TorchMetric) && !made.many ? made.maker() : nullptr;
  if (maker == nullptr || !called_api(site_of(site, *maker), *maker).starts_with("torchmetrics.")) {
    return;
  }
  const Call *const keeping = keeping_metric(site, made);
  const std::string_view metric = text_of(site, call.func);
  Finding &finding =
      report(site, call,
             keeping != nullptr
                 ? fmt::format("`{}` also computes the exact curve of every batch, and the result is discarded", metric)
                 : fmt::format("`{}` also computes the metric of every batch, and the result is discarded", metric),
             fmt::format("call `{}.update(…)`, which only collects, and `compute()` once after the loop", metric));
  if (keeping != nullptr) {
    finding.notes.push_back(
        {site_of(site, *keeping).module->file, keeping->span(), "this metric sorts all scores that it computes with"});
  } else { // counting costs little
    finding.tier = Tier::Hint;
  }
}

void check_call(Site &site, const Call &call) {
  if (called_method(call) == "compute") {
    check(site, call);
  } else {
    check_discarded(site, call);
  }
}

} // namespace

extern constinit const Rule kMetricComputedPerBatch = {
    .info = {.code = "DP482",
             .name = "metric-computed-per-batch",
             .summary = "a metric that keeps all samples and is computed again for every batch",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`compute()` of a torchmetrics metric that keeps all scores (AUROC, average precision and other exact curves without `thresholds`, rank
correlations, retrieval metrics, detection mAP, FID), in a step of a LightningModule or a loop over batches, without a `reset()` in between.
Also a metric that is called as a statement in a loop over batches, `metric(scores, y)`: a call computes the value of the batch as well as
collecting it, where `update()` only collects.

## Why it costs

Such a metric sorts or compares all samples that it has collected. Computed for every batch, the work grows with the square of the number
of batches, and in distributed training each call also gathers the samples of all processes.

## Bad

```python
import torch
from torchmetrics.classification import BinaryAUROC


@torch.inference_mode()
def evaluate(model, loader):
    auroc = BinaryAUROC()
    for x, y in loader:
        auroc.update(model(x).sigmoid(), y)
        print(auroc.compute())
```

## Good

```python
import torch
from torchmetrics.classification import BinaryAUROC


@torch.inference_mode()
def evaluate(model, loader):
    auroc = BinaryAUROC()
    for x, y in loader:
        auroc.update(model(x).sigmoid(), y)
    print(auroc.compute())
```

## When it is wrong

For a handful of batches.

## References

- torchmetrics: overview, metrics and memory management
)"},
    .calls = "TorchMetric.compute TorchMetric.__call__",
    .on_call = check_call};

} // namespace deepperf::rules::metric_computed_per_batch
