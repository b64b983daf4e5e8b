#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"
#include "rules/vision_transforms.h"

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
      report(site, call, "`ToTensor` divides labels by 255, so that `long()` makes 0 of all of them but 255",
             "convert the picture of labels without scaling: `torch.as_tensor(np.array(mask), dtype=torch.long)`");
  add_note(finding, site, *made, "the labels are scaled here");
}

bool names_labels(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  text = dot == std::string_view::npos ? text : text.substr(dot + 1);
  return has_word_in_any_case(text, {"mask", "label", "target", "seg", "annot", "trimap"}) || text == "gt" ||
         text == "lbl";
}

// `self.tf(img), self.tf(mask)` with random steps in tf
void check_pair(Site &site, const Call &call) {
  const auto *value = call.args.size() == 1 ? as<Name>(call.args[0]) : nullptr;
  if (value == nullptr || site.module->is_test || !names_labels(value->id.text()) ||
      site.function->definition() == nullptr) {
    return;
  }
  const Call *random = random_step(site, call.func);
  if (random == nullptr || function_has_word(site, {"seed(", "set_rng_state", "setstate", "get_params"})) {
    return;
  }
  const std::string_view transform = text_of(site, call.func);
  const Call *other = nullptr;
  any_node(body_around(site), [&](const Node *node) {
    const auto *twin = as<Call>(node);
    if (twin != nullptr && twin != &call && twin->args.size() == 1 && text_of(site, twin->func) == transform &&
        text_of(site, twin->args[0]) != value->id.text()) {
      other = twin;
    }
    return other != nullptr;
  });
  if (other == nullptr) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` draws other random numbers for `{}` than for `{}`, so the two no longer fit each other",
                         transform, value->id.text(), text_of(site, other->args[0])),
             "transform both in one call, as `torchvision.transforms.v2` does with `tv_tensors.Mask`");
  add_note(finding, site, *other, "the picture is transformed here");
  add_note(finding, site, *random, "this step is random");
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (call.func->kind == NodeKind::Name || call.func->kind == NodeKind::Attribute) {
    check_cast(site, call);
    if (in_method(site, Kind::TorchDataset, "__getitem__")) {
      check_pair(site, call);
    }
  }
}

} // namespace

extern constinit const Rule kMaskTransform = {
    .info = {.code = "DP173",
             .name = "mask-transform",
             .summary = "a picture of labels that is scaled, or transformed at random apart from its image",
             .root_cause = "API: Wrong API Usage",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A data set for segmentation that calls one transform with random steps for the image and once more for its mask, and `ToTensor` on a mask whose result becomes an integer tensor.

## Why it is wrong

Each call draws its own random numbers: the image is flipped and its mask is not. `ToTensor` divides by 255, so that the labels 1, 2 and 3 become 0 when they are
made integers again.

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

Where the second picture is no mask, and needs not fit the first.
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::mask_transform
