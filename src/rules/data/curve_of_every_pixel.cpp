#include "rules/encoding.h"
#include "rules/made_on_host.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::curve_of_every_pixel {

using namespace python;
using model::Value;

namespace {

// A network that gives one output for each pixel, by the API that makes it.
bool makes_segmenter(std::string_view api) {
  return api.starts_with("segmentation_models_pytorch.") || api.starts_with("torchvision.models.segmentation.") ||
         (api.starts_with("transformers.") && api.find("SemanticSegmentation") != std::string_view::npos);
}

// Is it computed from the output of such a network: `net(x).squeeze(1).sigmoid()`, also under a name?
bool is_per_pixel(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 10;
  if (expr == nullptr || depth == kMostDepth) {
    return false;
  }
  if (const auto *name = as<Name>(expr)) {
    const Expr *const value = assigned_to(site, *name);
    return value != nullptr && value->end <= name->start && is_per_pixel(site, value, depth + 1);
  }
  if (const auto *attribute = as<Attribute>(expr)) {
    return is_per_pixel(site, attribute->value, depth + 1);
  }
  if (const auto *element = as<Subscript>(expr)) {
    return is_per_pixel(site, element->value, depth + 1);
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  std::string_view api;
  maker_of_callee(site, *call, &api);
  if (makes_segmenter(api)) {
    return true;
  }
  if (const model::FunctionInfo *const function = called_function(site, *call)) {
    const Expr *const result = returned_at_end(site, *call);
    return result != nullptr && is_per_pixel(site_inside(site, *function), result, depth + 1);
  }
  const std::string_view called = called_api(site, *call);
  const std::string_view method = called_method(*call);
  if (called == "torch.sigmoid" || called == "torch.softmax" || called == "torch.squeeze" ||
      called.starts_with("torch.nn.functional.")) {
    return !call->args.empty() && is_per_pixel(site, call->args[0], depth + 1);
  }
  constexpr std::string_view kReducing[] = {"mean", "max", "amax", "sum", "topk", "item"};
  return receiver_of(*call) != nullptr && std::ranges::find(kReducing, method) == std::end(kReducing) &&
         is_per_pixel(site, receiver_of(*call), depth + 1);
}

// Where the metrics of a project get outputs of such a network, and whether all of them do.
struct Updates {
  const Call *per_pixel = nullptr;
  const model::Module *module = nullptr;
  bool has_other = false;
};

Updates find_updates(const Site &site) {
  Updates found;
  for (const model::Module &module : site.project.modules) {
    for (const Stmt *statement : module.parsed->tree.body) {
      any_node_inside(static_cast<const Node *>(statement), [&](const Node *node) {
        const auto *call = as<Call>(node);
        if (call == nullptr || call->args.size() < 2) {
          return false;
        }
        const bool is_update = called_method(*call) == "update" || called_method(*call) == "forward";
        const Expr *const metric = is_update ? receiver_of(*call) : call->func;
        if (metric == nullptr || model::kind_of(metric) != Kind::TorchMetric) {
          return false;
        }
        if (is_per_pixel(site_of(site, *call), call->args[0])) {
          found.per_pixel = call;
          found.module = &module;
        } else {
          found.has_other = true;
        }
        return false;
      });
    }
  }
  return found;
}

void check(Site &site, const Call &call) {
  if (site.module->is_test ||
      !project_has_word(site, {"segmentation_models_pytorch", "models.segmentation", "SemanticSegmentation"})) {
    return;
  }
  const auto thresholds = setting_of(site, argument_of(site, call, ~0U, "thresholds"), model::ConstantValue::none());
  if (!thresholds.has_value() || !thresholds->is_none() || has_hidden_arguments(call)) {
    return;
  }
  const Updates &updates = site.memory.recall<Updates>(&site.project, [&site] { return find_updates(site); });
  if (updates.per_pixel == nullptr || updates.has_other) {
    return;
  }
  Finding &finding = report(site, call, "without `thresholds` this metric keeps the score of every pixel of all images",
                            "pass `thresholds=200`, which keeps counts for 200 thresholds only");
  finding.notes.push_back(
      {updates.module->file, updates.per_pixel->span(), "it receives one score for each pixel here"});
}

} // namespace

extern constinit const Rule kCurveOfEveryPixel = {
    .info = {.code = "DP433",
             .name = "curve-of-every-pixel",
             .summary = "an exact AUROC or average precision over all pixels of a data set",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Out of Memory, Slow Execution Time",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`AUROC`, `AveragePrecision`, `ROC` or `PrecisionRecallCurve` of torchmetrics without `thresholds`, which receive the outputs of a segmentation network: one of `segmentation_models_pytorch`,
`torchvision.models.segmentation` or Transformers.

## Why it costs

The exact curve needs all scores and targets, so the metric keeps them on the device until `compute()`, and then sorts them. An image of 512 x 512 pixels has as many scores as a
classification data set of 262,144 images. With `thresholds=200` the metric keeps 200 counts.

## Bad

```python
import segmentation_models_pytorch as smp
import torch
from torchmetrics.classification import BinaryAUROC

net = smp.Unet("resnet34", classes=1).cuda().eval()
auroc = BinaryAUROC().cuda()


@torch.inference_mode()
def evaluate(loader):
    for picture, mask in loader:
        auroc.update(net(picture.cuda()).sigmoid(), mask.cuda())
    return auroc.compute()
```

## Good

```python
import segmentation_models_pytorch as smp
import torch
from torchmetrics.classification import BinaryAUROC

net = smp.Unet("resnet34", classes=1).cuda().eval()
auroc = BinaryAUROC(thresholds=200).cuda()


@torch.inference_mode()
def evaluate(loader):
    for picture, mask in loader:
        auroc.update(net(picture.cuda()).sigmoid(), mask.cuda())
    return auroc.compute()
```

## When it is wrong

For a few small images.

## References

- torchmetrics: `BinaryAUROC`, argument `thresholds`
)"},
    .calls =
        "torchmetrics.AUROC torchmetrics.BinaryAUROC torchmetrics.MulticlassAUROC torchmetrics.MultilabelAUROC "
        "torchmetrics.AveragePrecision torchmetrics.BinaryAveragePrecision torchmetrics.MulticlassAveragePrecision "
        "torchmetrics.MultilabelAveragePrecision torchmetrics.ROC torchmetrics.BinaryROC torchmetrics.MulticlassROC "
        "torchmetrics.MultilabelROC torchmetrics.PrecisionRecallCurve torchmetrics.BinaryPrecisionRecallCurve "
        "torchmetrics.MulticlassPrecisionRecallCurve torchmetrics.MultilabelPrecisionRecallCurve",
    .on_call = check};

} // namespace deepperf::rules::curve_of_every_pixel
