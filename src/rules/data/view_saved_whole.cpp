#include "base/name_table.h"
#include "rules/origins.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::view_saved_whole {

using namespace python;

namespace {

// Methods that give views, which share the storage of the whole.
bool gives_views(std::string_view name) {
  static const NameTable kMethods({"unbind", "split", "chunk", "narrow", "select", "unfold", "tensor_split"});
  return !name.empty() && kMethods.has(intern(name));
}

bool is_tensor(const Expr *expr) { return model::kind_of(expr) == Kind::TorchTensor; }

// `x[i]`, `x[a:b]`: a part of a tensor that shares its storage; a mask or a list of indices copies.
bool is_part(const Site &site, const Subscript &part) {
  const auto is_place = [&](const Expr *index) {
    if (index->kind == NodeKind::Slice || integer_of(site, index).has_value()) {
      return true;
    }
    const bool is_number = model::kind_of(index) == Kind::Number;
    const auto *name = as<Name>(index);
    bool is_counter = false; // of `for i in range(n)`, `for i, path in enumerate(paths)`
    if (name != nullptr && site.function != nullptr && !is_number) {
      visit_origins(site, *site.function, name, [&](const Origin &origin) {
        const auto *call = as<Call>(origin.expr);
        const std::string_view callee = call != nullptr ? called_name(*call) : std::string_view{};
        is_counter = callee == "range" || callee == "enumerate";
        return Onward::Stop;
      });
    }
    return is_number || is_counter;
  };
  const auto *axes = as<Tuple>(part.slice);
  const bool is_view = axes != nullptr ? std::ranges::all_of(axes->elts, is_place) : is_place(part.slice);
  return is_view && is_tensor(part.value);
}

// The part of a larger tensor that the expression is, on all ways; null if it may be a tensor of its own.
const Expr *whole_behind(const Site &site, const Expr *saved) {
  const Expr *found = nullptr;
  bool is_other = site.function == nullptr;
  if (is_other) {
    return nullptr;
  }
  if (const auto *part = as<Subscript>(saved)) { // followed further, a mask would look like an element
    return is_part(site, *part) ? part : nullptr;
  }
  visit_origins(site, *site.function, saved, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    const Site there = site_of_origin(site, *origin.function);
    const auto *call = as<Call>(origin.expr);
    const auto *part = as<Subscript>(origin.expr);
    if (call != nullptr && called_method(*call) == "detach" && origin.path.empty()) {
      return Onward::Through;
    }
    const bool is_element = call != nullptr && origin.path.size() == 1 &&
                            (gives_views(called_name(*call)) || (is_tensor(call) && called_api(there, *call).empty()));
    const bool is_view = is_element || (part != nullptr && origin.path.empty() && is_part(there, *part));
    found = is_view ? origin.expr : found;
    is_other = is_other || !is_view;
    return Onward::Stop;
  });
  return is_other ? nullptr : found;
}

void check(Site &site, const Call &call) {
  const Expr *saved = argument(call, 0, "obj");
  const bool is_repeated = loop_around(site) != nullptr || (site.function != nullptr && site.function->in_loop);
  if (saved == nullptr || !is_repeated || site.module->is_test) {
    return;
  }
  if (whole_behind(site, saved) == nullptr) {
    return;
  }
  report(site, call, "every file gets the storage of the whole tensor, of which this is one part",
         fmt::format("save a copy of the part: `{}.clone()`", text_of(site, saved)));
}

} // namespace

extern constinit const Rule kViewSavedWhole = {
    .info = {.code = "DP483",
             .name = "view-saved-whole",
             .summary = "parts of a tensor that are saved one by one, each with the storage of the whole",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.save` of one row, slice or element of a tensor, in a loop over these parts.

## Why it costs

A part of a tensor is a view: it has the storage of the whole tensor, a place in it and a size. `torch.save` writes the storage, so that views that
share it still share it when they are loaded. Each file is therefore as large as the whole batch, and so is what is read and kept in memory later.

## Bad

```python
import torch


def save_features(model, images, paths):
    with torch.no_grad():
        features = model(images).cpu()
    for i, path in enumerate(paths):
        torch.save(features[i], path)
```

## Good

```python
import torch


def save_features(model, images, paths):
    with torch.no_grad():
        features = model(images).cpu()
    for i, path in enumerate(paths):
        torch.save(features[i].clone(), path)
```

## When it is wrong

Where the whole tensor has one part.

## References

- PyTorch notes on serialization: saving and loading tensors preserves views
)"},
    .calls = "torch.save",
    .on_call = check};

} // namespace deepperf::rules::view_saved_whole
