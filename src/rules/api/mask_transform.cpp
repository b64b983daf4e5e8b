#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"
#include "rules/vision_transforms.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::mask_transform {

using namespace python;

namespace {

bool has_step(const Site &site, const Expr *transform, std::string_view wanted) {
  for (const Call *step : transform_steps(site, transform)) {
    if (step_name(site, *step) == wanted) {
      return true;
    }
  }
  return false;
}

// `ToTensor()(mask).long()`: ToTensor has divided by 255
void check_cast(Site &site, const Call &call) {
  const bool casts = called_method(call) == "long" || called_method(call) == "int";
  if (!casts) {
    return;
  }
  const Expr *receiver = receiver_of(call);
  for (u32 i = 0; i < 3 && receiver != nullptr; ++i) { // squeeze() and the like change no numbers
    const auto *view = as<Call>(written_value(site, receiver));
    if (view == nullptr || (called_method(*view) != "squeeze" && called_method(*view) != "unsqueeze")) {
      break;
    }
    receiver = receiver_of(*view);
  }
  const auto *made = casts && receiver != nullptr ? as<Call>(written_value(site, receiver)) : nullptr;
  if (made == nullptr || site.module->is_test) {
    return;
  }
  const bool is_function = called_api(site, *made) == "torchvision.transforms.functional.to_tensor";
  if (made->args.size() != 1 || (!is_function && !has_step(site, made->func, "ToTensor"))) {
    return;
  }
  // A picture of 0 and 255 becomes 0 and 1, as is meant for a mask of two classes; then thresholds are written.
  Finding &finding =
      report(site, call, "`ToTensor` divides the labels by 255, so `long()` turns every label except 255 into 0",
             "convert the label image without scaling: `torch.as_tensor(np.array(mask), dtype=torch.long)`");
  add_note(finding, site, *made, "the labels are scaled here");
}

// The first step of a transform that moves pixels to random places; null if there is none. Where the transform depends
// on a setting, one of the choices is enough.
const Call *moving_step(const Site &site, const Expr *transform) {
  static constexpr std::string_view kMoving[] = {
      "RandomCrop",        "RandomHorizontalFlip", "RandomVerticalFlip", "RandomRotation",  "RandomAffine",
      "RandomResizedCrop", "RandomPerspective",    "ElasticTransform",   "RandomSizedCrop", "RandomZoomOut"};
  const auto is_moving = [&](const Expr *one) -> const Call * {
    for (const Call *step : transform_steps(site, one)) {
      if (std::ranges::find(kMoving, step_name(site, *step)) != std::end(kMoving)) {
        return step;
      }
    }
    return nullptr;
  };
  if (const Call *step = is_moving(transform)) {
    return step;
  }
  for (const model::Argument::Given &given : model::written_as(scope_of(site), transform)) {
    if (const Call *step = given.expr != transform ? is_moving(given.expr) : nullptr) {
      return step;
    }
  }
  return nullptr;
}

// Is the picture called a mask? A target may also be a picture of another kind that belongs to no other one.
bool is_mask(const Site &site, const Expr *expr) {
  std::string_view text = text_of(site, expr);
  const std::size_t dot = text.rfind('.');
  text = dot == std::string_view::npos ? text : text.substr(dot + 1);
  return has_word_in_any_case(text, {"mask", "label", "seg", "annot", "trimap", "_gt", "gt_"}) || text == "gt" ||
         text == "lbl";
}

bool is_target(const Site &site, const Expr *expr) {
  return is_mask(site, expr) || has_word_in_any_case(text_of(site, expr), {"target", "depth"});
}

// A call of a random transform with one picture.
struct Use {
  const Call *call = nullptr;
  const Expr *picture = nullptr;
  const Call *step = nullptr;
};

// The picture itself: without `.convert("L")` and the like.
const Expr *picture_of(const Expr *expr) {
  const auto *call = as<Call>(expr);
  return call != nullptr && receiver_of(*call) != nullptr ? picture_of(receiver_of(*call)) : expr;
}

void check_function(Site &site, const Node &node) {
  const auto &definition = static_cast<const FunctionDef &>(node);
  const model::FunctionInfo *const function = site.project.function_at(&node);
  if (!site.module->torch || site.module->is_test || function == nullptr ||
      !file_has_word(site, {"Random", "Elastic"}) ||
      has_word(text_of(*function), {"seed", "rng_state", "get_params", "set_state", "setstate"})) {
    return; // with the same seed both get the same numbers
  }
  Site inside{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  inside.module = site.module;
  inside.function = function;
  inside.type = function->type;
  inside.ancestors = {&node};
  std::vector<Use> uses;
  any_node(definition.body, [&](const Node *part) {
    const auto *call = as<Call>(part);
    const bool is_use = call != nullptr && call->args.size() == 1 && call->keywords.empty() &&
                        (call->func->kind == NodeKind::Attribute || call->func->kind == NodeKind::Name);
    if (is_use && called_function(inside, *call) == nullptr && called_api(inside, *call).empty()) {
      if (const Call *step = moving_step(inside, call->func)) {
        uses.push_back({call, picture_of(call->args[0]), step});
      }
    }
    return false;
  });
  for (const Use &second : uses) {
    if (!is_target(inside, second.picture)) {
      continue;
    }
    const auto first = std::ranges::find_if(uses, [&](const Use &one) { return !is_target(inside, one.picture); });
    if (first == uses.end()) {
      return;
    }
    Finding &finding = report(
        inside, *second.call,
        fmt::format("`{}` and `{}` are randomly transformed independently of each other, so they no longer match",
                    text_of(inside, first->picture), text_of(inside, second.picture)),
        "draw the random parameters once and apply them to both, or pass both to one transform of "
        "`torchvision.transforms.v2`");
    add_note(finding, inside, *first->call, "the image is transformed here");
    const model::FunctionInfo *const there = site.project.caller_of(second.step);
    finding.notes.push_back({there != nullptr ? there->module->file : site.module->file, second.step->span(),
                             "each call draws other random numbers"});
    if (!is_mask(inside, second.picture)) {
      finding.tier = Tier::Hint;
    }
    return;
  }
}

// VOCSegmentation(root, transform=…, target_transform=…)
void check_dataset(Site &site, const Call &call) {
  const Keyword *const pictures = keyword_argument(call, "transform");
  const Keyword *const masks = keyword_argument(call, "target_transform");
  const Call *const step = pictures != nullptr && masks != nullptr && moving_step(site, pictures->value) != nullptr
                               ? moving_step(site, masks->value)
                               : nullptr;
  if (step == nullptr || site.module->is_test) {
    return;
  }
  Finding &finding = report(site, call,
                            "`transform` and `target_transform` draw their random numbers independently of each other, "
                            "so images and masks no longer match",
                            "pass `transforms=`, which receives both, for example from `torchvision.transforms.v2`");
  add_note(finding, site, *step, "the masks are randomly transformed here");
}

void check(Site &site, const Node &node) {
  if (node.kind == NodeKind::FunctionDef) {
    check_function(site, node);
    return;
  }
  const auto &call = static_cast<const Call &>(node);
  if (call.func->kind == NodeKind::Name || call.func->kind == NodeKind::Attribute) {
    check_cast(site, call);
  }
}

} // namespace

extern constinit const Rule kMaskTransform = {
    .info = {.code = "DP173",
             .name = "mask-transform",
             .summary = "a label image that is scaled, or randomly transformed independently of its input image",
             .root_cause = "API: Wrong API Usage",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A data set for segmentation that calls a transform with random crops, flips or rotations for the image and once more for its mask, or has a separate one for
each of them, and `ToTensor` on a mask whose result becomes an integer tensor.

## Why it is wrong

Each call draws its own random numbers: the image is flipped and its mask is not. `ToTensor` divides by 255, so the labels 1, 2 and 3 become 0 when they are converted
back to integers.

## Bad

```python
from PIL import Image
from torch.utils.data import Dataset
from torchvision import transforms


class Segmentation(Dataset):
    def __init__(self, files):
        self.files = files
        self.transform = transforms.Compose([transforms.RandomCrop(256), transforms.ToTensor()])

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        image, mask = Image.open(self.files[i][0]), Image.open(self.files[i][1])
        return self.transform(image), self.transform(mask)
```

## Good

```python
import torch
from PIL import Image
from torch.utils.data import Dataset
from torchvision import tv_tensors
from torchvision.transforms import v2


class Segmentation(Dataset):
    def __init__(self, files):
        self.files = files
        self.transform = v2.Compose([v2.RandomCrop(256), v2.ToDtype({tv_tensors.Image: torch.float32}, scale=True)])

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        image = tv_tensors.Image(Image.open(self.files[i][0]))
        mask = tv_tensors.Mask(Image.open(self.files[i][1]))
        return self.transform(image, mask)
```

## When it is wrong

Where the second image is not a mask and does not have to match the first.
)"},
    .calls = "torchvision.datasets.VOCSegmentation torchvision.datasets.SBDataset torchvision.datasets.Cityscapes "
             "torchvision.datasets.OxfordIIITPet",
    .on_call = check_dataset,
    .nodes = {NodeKind::Call, NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::mask_transform
