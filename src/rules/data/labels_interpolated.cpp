#include "base/name_table.h"
#include "rules/dataset_item.h"
#include "rules/origins.h"
#include "rules/reach.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::labels_interpolated {

using namespace python;

namespace {

enum class Filter : u8 { Unknown, Nearest, Smooth };

Filter filter_named(std::string_view text) {
  if (has_word_in_any_case(text, {"nearest"})) {
    return Filter::Nearest;
  }
  return has_word_in_any_case(text, {"linear", "cubic", "lanczos", "antialias", "area", "hamming", "box"})
             ? Filter::Smooth
             : Filter::Unknown;
}

// What an argument says; `otherwise` where it is not given.
Filter filter_of(const Site &site, const Expr *expr, Filter otherwise) {
  if (expr == nullptr) {
    return otherwise;
  }
  if (const auto number = integer_of(site, expr)) {
    return *number == 0 ? Filter::Nearest : Filter::Smooth; // the same in PIL, OpenCV and SciPy
  }
  if (const auto text = string_of(site, expr)) {
    return filter_named(*text);
  }
  const std::string_view written = text_of(site, expr);
  return expr->kind == NodeKind::Attribute || expr->kind == NodeKind::Name ? filter_named(written) : Filter::Unknown;
}

// Does the picture have a mode for which PIL interpolates? With a palette it never does.
enum class Picture : u8 { None, Some, Interpolated };

Picture picture_of(const Site &site, const Expr *expr) {
  bool is_picture = false;
  bool is_converted = false;
  visit_origins(site, *site.function, expr, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    if (call == nullptr) {
      return Onward::Stop;
    }
    const Site inside = site_of_origin(site, *origin.function);
    const std::string_view api = called_api(inside, *call);
    if (api == "PIL.Image.open" || api == "PIL.Image.fromarray") {
      is_picture = true;
      return Onward::Stop;
    }
    const std::string_view method = called_method(*call);
    if (method == "convert" && call->args.size() == 1) {
      const auto mode = string_of(inside, call->args[0]);
      is_converted |= mode.has_value() && *mode != "P" && *mode != "1";
    }
    if (method == "convert" || method == "crop" || method == "transpose" || method == "rotate" || method == "resize") {
      origin.next = {receiver_of(*call)};
      return Onward::Next;
    }
    return Onward::Stop;
  });
  return !is_picture ? Picture::None : is_converted ? Picture::Interpolated : Picture::Some;
}

struct Resize {
  const model::FunctionInfo *function = nullptr;
  const Call *call = nullptr;
  std::string_view fix = {};
  bool is_certain = true;
};

// The `transforms.Resize(…)` that is called under a name or as an attribute; null if it is something else.
const Call *made_resize(const Site &site, const Call &call) {
  if (called_function(site, call) != nullptr || call.func->kind == NodeKind::Call) {
    return nullptr;
  }
  const auto written = model::written_as(scope_of(site), call.func);
  const auto *made = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
  return made != nullptr && written[0].scope.function != nullptr &&
                 called_api(site_of_origin(site, *written[0].scope.function), *made) == "torchvision.transforms.Resize"
             ? made
             : nullptr;
}

// A call that makes another size of a picture or array by interpolation.
std::optional<Resize> smooth_resize(const Site &site, const Call &call) {
  Resize found{.function = site.function, .call = &call};
  const std::string_view api = called_api(site, call);
  Filter filter = Filter::Unknown;
  if (has_hidden_arguments(call)) {
    return std::nullopt;
  }
  if (api == "cv2.resize") {
    filter = filter_of(site, argument(call, 5, "interpolation"), Filter::Smooth);
    found.fix = "interpolation=cv2.INTER_NEAREST";
  } else if (api == "torchvision.transforms.functional.resize") {
    filter = filter_of(site, argument(call, 2, "interpolation"), Filter::Smooth);
    found.fix = "interpolation=InterpolationMode.NEAREST";
    found.is_certain = !call.args.empty() && picture_of(site, call.args[0]) != Picture::Some;
  } else if (api == "torch.nn.functional.interpolate") {
    filter = filter_of(site, argument(call, 3, "mode"), Filter::Nearest);
    found.fix = "mode=\"nearest\"";
  } else if (api == "skimage.transform.resize") {
    filter = filter_of(site, argument(call, 2, "order"), Filter::Smooth);
    found.fix = "order=0, preserve_range=True, anti_aliasing=False";
  } else if (api == "scipy.ndimage.zoom" || api == "scipy.ndimage.interpolation.zoom") {
    filter = filter_of(site, argument(call, 3, "order"), Filter::Smooth);
    found.fix = "order=0";
  } else if (const Call *made = made_resize(site, call)) {
    filter = filter_of(site, argument(*made, 1, "interpolation"), Filter::Smooth);
    found.fix = "interpolation=InterpolationMode.NEAREST";
    found.is_certain = call.args.size() == 1 && picture_of(site, call.args[0]) == Picture::Interpolated;
  } else if (called_method(call) == "resize" && call.args.size() + call.keywords.size() <= 2) {
    const Picture picture = site.function != nullptr ? picture_of(site, receiver_of(call)) : Picture::None;
    if (picture == Picture::None) {
      return std::nullopt;
    }
    filter = filter_of(site, argument(call, 1, "resample"), Filter::Smooth);
    found.fix = "resample=Image.NEAREST";
    found.is_certain = picture == Picture::Interpolated;
  }
  return filter == Filter::Smooth ? std::optional(found) : std::nullopt;
}

// What the call only puts into another form; null if it computes something.
const Expr *passed_through(const Site &site, const Call &call) {
  static const NameTable kMethods({"squeeze", "unsqueeze", "float",      "to",     "cuda", "permute", "transpose",
                                   "copy",    "clone",     "contiguous", "astype", "view", "reshape", "numpy",
                                   "cpu",     "convert",   "crop",       "detach", "type", "byte",    "int"});
  const std::string_view api = called_api(site, call);
  if (api == "numpy.array" || api == "numpy.asarray" || api == "torch.from_numpy" || api == "torch.as_tensor" ||
      api == "torch.tensor" || api == "numpy.ascontiguousarray" || api == "numpy.expand_dims" ||
      api == "numpy.squeeze" || api == "PIL.Image.fromarray" || api == "torch.squeeze" || api == "torch.unsqueeze" ||
      api == "torchvision.transforms.functional.pil_to_tensor") {
    return call.args.empty() ? nullptr : call.args[0];
  }
  const auto *method = as<Attribute>(call.func);
  return method != nullptr && api.empty() && kMethods.has(method->attr) ? method->value : nullptr;
}

bool is_long_type(const Site &site, const Expr *expr) {
  if (expr == nullptr) {
    return false;
  }
  const model::Value type = value_of(site, expr);
  if (type.is(model::Value::Tag::Api)) {
    const std::string_view name = type.name().text();
    return name == "torch.long" || name == "torch.int64" || name == "torch.LongTensor";
  }
  const std::string_view text = text_of(site, expr);
  return text == "torch.long" || text == "torch.int64" || text == "torch.LongTensor" ||
         text == "\"torch.LongTensor\"" || text == "'torch.LongTensor'";
}

// The value that the call turns into class indices; null if it does not.
const Expr *made_index(const Site &site, const Call &call) {
  const std::string_view method = called_method(call);
  const std::string_view api = called_api(site, call);
  if (api == "torch.as_tensor" || api == "torch.tensor") {
    return !call.args.empty() && is_long_type(site, argument(call, 1, "dtype")) ? call.args[0] : nullptr;
  }
  if (api == "torch.LongTensor") {
    return call.args.size() == 1 ? call.args[0] : nullptr;
  }
  if (method == "long" && call.args.empty()) {
    return receiver_of(call);
  }
  const bool is_cast = (method == "to" || method == "type") &&
                       std::ranges::any_of(call.args, [&](const Expr *type) { return is_long_type(site, type); });
  const Keyword *dtype = method == "to" ? keyword_argument(call, "dtype") : nullptr;
  if (is_cast || (dtype != nullptr && is_long_type(site, dtype->value))) {
    return receiver_of(call);
  }
  if (method == "astype" && call.args.size() == 1 && runs_per_item(site)) {
    const std::string_view type = text_of(site, call.args[0]);
    return type == "np.int64" || type == "'int64'" || type == "\"int64\"" || type == "np.long" ? receiver_of(call)
                                                                                               : nullptr;
  }
  return nullptr;
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || site.function == nullptr ||
      !project_has_word(site, {"resize(", "Resize(", "interpolate(", "zoom("})) {
    return;
  }
  const Expr *value = made_index(site, call);
  if (value == nullptr) {
    return;
  }
  std::optional<Resize> found;
  visit_origins(site, *site.function, value, [&](const Origin &origin) {
    const auto *part = as<Subscript>(origin.expr);
    if (part != nullptr) {
      origin.next = {part->value};
      return Onward::Next;
    }
    const auto *at = as<Call>(origin.expr);
    if (at == nullptr) {
      return origin.expr->kind == NodeKind::Name && origin.parameter_of != nullptr ? Onward::Through : Onward::Stop;
    }
    const Site inside = site_of_origin(site, *origin.function);
    if (auto resize = smooth_resize(inside, *at)) {
      resize->function = origin.function;
      found = found.has_value() ? found : resize;
      return Onward::Stop;
    }
    if (const Expr *operand = passed_through(inside, *at)) {
      origin.next = {operand};
      return Onward::Next;
    }
    return Onward::Stop;
  });
  if (!found.has_value()) {
    return;
  }
  // The place of the resize is where it has to be corrected; several casts may lead there.
  struct Reported {
    mutable bool value = false;
  };
  const Reported &reported = site.memory.recall<Reported>(found->call, [] { return Reported{}; });
  if (reported.value) {
    return;
  }
  reported.value = true;
  Site place = site_of_origin(site, *found->function);
  Finding &finding =
      report(site.findings, *site.rule, *place.module, found->call->span(),
             "class labels are resized with interpolation, which puts other classes on the borders between two",
             fmt::format("take the nearest label instead: `{}`", found->fix));
  finding.notes.push_back({site.module->file, call.span(), "the result is used as class numbers here"});
  if (!found->is_certain) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kLabelsInterpolated = {
    .info = {.code = "DP431",
             .name = "labels-interpolated",
             .summary = "labels of pixels that are resized with interpolation",
             .root_cause = "Data: Wrong Data",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`cv2.resize(mask, size)`, `TF.resize(mask, size)`, `mask.resize(size)` of PIL, `F.interpolate(mask, mode="bilinear")` and the like, where the result becomes
a tensor of class numbers: `.long()`, `dtype=torch.long`. For pictures whose mode is not known it is a hint, because PIL never interpolates those
with a palette.

## Why it is wrong

Interpolation computes averages. Between class 2 and class 8 it produces 5, which is a class of its own, and the model learns borders of objects
that are not there. Metrics are computed from the same wrong labels, so nothing shows it.

## Bad

```python
import cv2
import torch
from torch.utils.data import Dataset


class Masks(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        mask = cv2.resize(cv2.imread(self.files[index], 0), (256, 256))
        return torch.from_numpy(mask).long()
```

## Good

```python
import cv2
import torch
from torch.utils.data import Dataset


class Masks(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        mask = cv2.resize(cv2.imread(self.files[index], 0), (256, 256), interpolation=cv2.INTER_NEAREST)
        return torch.from_numpy(mask).long()
```

## When it is wrong

Where there are only the classes 0 and 1, and the array holds whole numbers.

## References

- OpenCV: `cv2.resize`; Pillow: `Image.resize`; torchvision: `Resize`
)"},
    .calls = "*.long *.to *.type *.astype torch.as_tensor torch.tensor torch.LongTensor",
    .on_call = check};

} // namespace deepperf::rules::labels_interpolated
