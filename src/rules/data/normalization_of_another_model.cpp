#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace deepperf::rules::normalization_of_another_model {

using namespace python;

namespace {

bool has_prefix_of(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [name](std::string_view prefix) { return name.starts_with(prefix); });
}

// Weights of timm that were trained on pictures from -1 to 1, that is with mean and standard deviation 0.5.
bool expects_half(std::string_view model) {
  const std::size_t dot = model.find('.');
  const std::string_view name = model.substr(0, dot);
  const std::string_view tag = dot != std::string_view::npos ? model.substr(dot + 1) : std::string_view{};
  const bool is_plain_vit =
      has_prefix_of(name, {"vit_tiny_patch", "vit_small_patch", "vit_base_patch", "vit_large_patch"}) &&
      (name.ends_with("_224") || name.ends_with("_384"));
  if (is_plain_vit) {
    return tag.empty() || has_prefix_of(tag, {"augreg", "orig_in21k", "sam_in1k"});
  }
  return (name.starts_with("beit_") && (tag.empty() || tag.starts_with("in22k"))) ||
         (name.starts_with("mixer_") && tag.starts_with("goog"));
}

// The statistics of ImageNet, which torchvision's models expect.
bool is_imagenet_mean(const Site &site, const Expr *mean) {
  const model::Value value = value_of(site, mean);
  if (value.is(model::Value::Tag::Api) && value.name().text().ends_with("IMAGENET_DEFAULT_MEAN")) {
    return true;
  }
  const auto written = model::written_as(scope_of(site), mean);
  const auto *list = written.size() == 1 ? as<List>(written[0].expr) : nullptr;
  const auto *tuple = written.size() == 1 ? as<Tuple>(written[0].expr) : nullptr;
  const Array<Expr *> parts = list != nullptr ? list->elts : tuple != nullptr ? tuple->elts : Array<Expr *>{};
  constexpr double kMean[] = {0.485, 0.456, 0.406};
  constexpr double kNear = 0.002;
  for (u32 i = 0; i < parts.size() && parts.size() == 3; ++i) {
    const auto number = model::constant_of(written[0].scope, parts[i]);
    if (!number.has_value() || std::abs(number->as_number().value_or(0) - kMean[i]) > kNear) {
      return false;
    }
  }
  return parts.size() == 3;
}

// How a file normalizes its pictures.
struct Normalizations {
  const Call *imagenet = nullptr;
  bool has_other = false;
  u32 models = 0; // that timm makes there
};

Normalizations find_normalizations(const Site &site) {
  Normalizations found;
  for (const Stmt *statement : site.module->parsed->tree.body) {
    any_node_inside(static_cast<const Node *>(statement), [&](const Node *node) {
      const auto *call = as<Call>(node);
      const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
      found.models += api == "timm.create_model" ? 1 : 0;
      if (api.ends_with(".Normalize") || api == "torchvision.transforms.functional.normalize") {
        const Expr *const mean = argument(*call, api.ends_with("normalize") ? 1 : 0, "mean");
        const bool is_imagenet = mean != nullptr ? is_imagenet_mean(site_of(site, *call), mean)
                                                 : api.starts_with("albumentations.") && call->args.empty();
        found.imagenet = is_imagenet ? call : found.imagenet;
        found.has_other |= !is_imagenet;
      }
      return false;
    });
  }
  return found;
}

void check(Site &site, const Call &call) {
  const auto name = setting_of(site, argument_of(site, call, 0, "model_name"), model::ConstantValue::none());
  const auto pretrained = setting_of(site, argument_of(site, call, 1, "pretrained"), model::ConstantValue::of(false));
  if (!name.has_value() || !name->as_string().has_value() || !pretrained.has_value() || pretrained->as_bool() != true ||
      site.module->is_test || !expects_half(*name->as_string())) {
    return;
  }
  // What is trained further gets used to other numbers.
  const auto classes = setting_of(site, argument_of(site, call, ~0U, "num_classes"), model::ConstantValue::none());
  if (!classes.has_value() || (!classes->is_none() && classes->as_integer() != 0) ||
      project_has_word(site, {"backward(", ".fit(", "resolve_data_config", "resolve_model_data_config",
                              "pretrained_cfg", "default_cfg", "create_transform", "optim."})) {
    return;
  }
  const Normalizations &found =
      site.memory.recall<Normalizations>(site.module, [&site] { return find_normalizations(site); });
  if (found.imagenet == nullptr || found.has_other || found.models != 1) {
    return;
  }
  Finding &finding = report(
      site, *found.imagenet,
      fmt::format("`{}` was trained on images normalized with mean and standard deviation 0.5, but receives images "
                  "normalized differently",
                  *name->as_string()),
      "take the values from the model: `timm.data.create_transform(**timm.data.resolve_model_data_config(model))`");
  add_note(finding, site, call, "the model is loaded here");
}

} // namespace

extern constinit const Rule kNormalizationOfAnotherModel = {
    .info = {.code = "DP434",
             .name = "normalization-of-another-model",
             .summary = "images normalized with the ImageNet statistics, for a timm model that was trained with others",
             .root_cause = "Data: Data Preprocessing",
             .symptoms = "Wrong Result",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`timm.create_model("vit_base_patch16_224", pretrained=True)`, or another model of timm whose weights expect images with mean and standard deviation 0.5 (ViT of AugReg, BEiT, MLP-Mixer), used without further training
in a file that normalizes with the mean of ImageNet.

## Why it is wrong

Pretrained weights expect inputs normalized as in training. Other statistics shift and scale all inputs: the program runs, but predictions get worse.

## Bad

```python
import timm
from torchvision import transforms

model = timm.create_model("vit_base_patch16_224.augreg_in21k_ft_in1k", pretrained=True).eval()
transform = transforms.Compose(
    [
        transforms.Resize((224, 224)),
        transforms.ToTensor(),
        transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ]
)
```

## Good

```python
import timm

model = timm.create_model("vit_base_patch16_224.augreg_in21k_ft_in1k", pretrained=True).eval()
transform = timm.data.create_transform(**timm.data.resolve_model_data_config(model))
```

## When it is wrong

Where the weights are replaced by others that were trained with these statistics.

## References

- timm: `resolve_model_data_config`
)"},
    .calls = "timm.create_model",
    .on_call = check};

} // namespace deepperf::rules::normalization_of_another_model
