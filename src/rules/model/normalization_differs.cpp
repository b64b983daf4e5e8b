#include "rules/assignments.h"
#include "rules/site.h"
#include "rules/tree.h"
#include "rules/vision_transforms.h"

#include <fmt/format.h>

namespace deepperf::rules::normalization_differs {

using namespace python;

namespace {

// The numbers of Normalize(mean, std); empty if they are not written down.
std::string numbers_of(const Site &site, const Call &normalize) {
  std::string text;
  for (const Expr *argument : normalize.args) {
    const auto *tuple = as<Tuple>(argument);
    const auto *list = as<List>(argument);
    if (tuple == nullptr && list == nullptr) {
      return {};
    }
    for (const Expr *element : tuple != nullptr ? tuple->elts : list->elts) {
      const auto number = number_of(site, element);
      if (!number.has_value()) {
        return {};
      }
      text += fmt::format("{} ", *number);
    }
  }
  return text;
}

// What is known of the transform of a data set.
struct Normalized {
  bool is_known = false;
  const Call *step = nullptr; // null: it does not normalize
};

Normalized normalized_by(const Site &site, const Call &call) {
  const Keyword *transform = keyword_argument(call, "transform");
  Normalized found;
  bool is_tensor = false;
  for (const Call *step : transform_steps(site, transform != nullptr ? transform->value : nullptr)) {
    const std::string_view name = step_name(site, *step);
    if (name.empty() || name == "Lambda") {
      return {}; // it may do anything
    }
    found.step = name == "Normalize" ? step : found.step;
    is_tensor = is_tensor || name == "ToTensor" || name == "ToImage";
  }
  found.is_known = is_tensor;
  return found;
}

bool is_half(const Site &site, const Call &call, ConstantKind half) {
  const Keyword *train = keyword_argument(call, "train");
  return train != nullptr && is_constant(train->value, half) && model::kind_of(&call) == Kind::TorchDataset &&
         called_api(site, call).starts_with("torchvision.datasets.");
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  const Normalized here =
      is_half(site, call, ConstantKind::False) && !site.module->is_test ? normalized_by(site, call) : Normalized{};
  if (!here.is_known) {
    return;
  }
  const Call *training = nullptr;
  any_node(body_around(site), [&](const Node *other) {
    const auto *half = as<Call>(other);
    if (half != nullptr && is_half(site, *half, ConstantKind::True) &&
        called_api(site, *half) == called_api(site, call)) {
      training = half;
    }
    return training != nullptr;
  });
  const Normalized there = training != nullptr ? normalized_by(site, *training) : Normalized{};
  if (!there.is_known) {
    return;
  }
  const bool has_one_none = (here.step == nullptr) != (there.step == nullptr);
  const std::string mine = here.step != nullptr ? numbers_of(site, *here.step) : std::string();
  const std::string theirs = there.step != nullptr ? numbers_of(site, *there.step) : std::string();
  if (!has_one_none && (mine.empty() || theirs.empty() || mine == theirs)) {
    return;
  }
  Finding &finding =
      report(site, call,
             has_one_none ? "only one of the data sets for training and for evaluation is normalized"
                          : "the data for training and for evaluation is normalized with different values",
             "use the same `Normalize` in both transforms");
  add_note(finding, site, *training, "the data for training");
}

} // namespace

extern constinit const Rule kNormalizationDiffers = {
    .info = {.code = "DP276",
             .name = "normalization-differs",
             .summary = "training and evaluation data that is normalized differently",
             .root_cause = "Training: Wrong Data",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

The two halves of a data set of torchvision, `train=True` and `train=False`, whose transforms normalize with different values, or of which only one normalizes.

## Why it is wrong

The model learns from inputs of one scale and is evaluated on inputs of another. The scores are worse than the model, and nothing fails.

## Bad

```python
from torchvision import datasets, transforms

train_transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1307,), (0.3081,))])
train_set = datasets.MNIST("data", train=True, transform=train_transform)
test_set = datasets.MNIST("data", train=False, transform=transforms.ToTensor())
```

## Good

```python
from torchvision import datasets, transforms

transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1307,), (0.3081,))])
train_set = datasets.MNIST("data", train=True, transform=transform)
test_set = datasets.MNIST("data", train=False, transform=transform)
```

## When it is wrong

Where the model normalizes its input itself.
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::normalization_differs
