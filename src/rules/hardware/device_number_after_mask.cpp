#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::device_number_after_mask {

using namespace python;

namespace {

// The number in `str(args.gpu)`, `f"{args.gpu}"`, `"{}".format(args.gpu)`, `args.gpu`; null for a literal.
const Expr *number_in(const Expr *expr) {
  if (const auto *choice = as<IfExp>(expr)) {
    return number_in(choice->body);
  }
  if (const auto *call = as<Call>(expr)) {
    const auto *function = as<Name>(call->func);
    const bool is_text = function != nullptr && function->id.text() == "str";
    const bool is_format = called_method(*call) == "format";
    return (is_text || is_format) && call->args.size() == 1 ? number_in(call->args[0]) : nullptr;
  }
  if (const auto *text = as<JoinedStr>(expr)) {
    const Expr *found = nullptr;
    for (const Expr *part : text->values) {
      if (const auto *value = as<FormattedValue>(part)) {
        if (found != nullptr) {
          return nullptr;
        }
        found = value->value;
      }
    }
    return found;
  }
  if (const auto *format = as<BinOp>(expr); format != nullptr && format->op() == Operator::Mod) {
    return number_in(format->right);
  }
  return expr->kind == NodeKind::Name || expr->kind == NodeKind::Attribute ? expr : nullptr;
}

// Is it os.environ["CUDA_VISIBLE_DEVICES"]?
bool is_mask(const Site &site, const Expr *target) {
  const auto *access = as<Subscript>(target);
  return access != nullptr && text_of(site, access->value).ends_with("environ") &&
         text_of(site, access->slice).find("CUDA_VISIBLE_DEVICES") != std::string_view::npos;
}

void check(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  if (assignment.targets.size() != 1 || !is_mask(site, assignment.targets[0]) || !site.module->torch) {
    return;
  }
  const Expr *const number = number_in(assignment.value);
  if (number == nullptr) {
    return;
  }
  const std::string_view text = text_of(site, number);
  const FunctionDef *definition = site.function->definition();
  const Block body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const Call *used = nullptr;
  any_node(body, [&](const Node *inner) {
    const auto *call = as<Call>(inner);
    if (call == nullptr || call->start < assignment.end || call->args.empty() || used != nullptr) {
      return used != nullptr;
    }
    const std::string_view api = called_api(site, *call);
    const bool is_device = api == "torch.device" && text_of(site, call->args[0]).find("cuda") != std::string_view::npos;
    const bool is_set = api == "torch.cuda.set_device";
    const Expr *const chosen = is_device || is_set ? number_in(call->args[0]) : nullptr;
    if (chosen != nullptr && text_of(site, chosen) == text) {
      used = call;
    }
    return used != nullptr;
  });
  if (used == nullptr) {
    return;
  }
  Finding &finding = report(
      site, *used,
      fmt::format("`CUDA_VISIBLE_DEVICES` leaves one GPU, which is number 0, so any other `{}` does not exist", text),
      "use `cuda:0` after setting `CUDA_VISIBLE_DEVICES`, or do not set it");
  add_note(finding, site, assignment, "only this GPU is visible from here on");
}

} // namespace

extern constinit const Rule kDeviceNumberAfterMask = {
    .info = {.code = "DP519",
             .name = "device-number-after-mask",
             .summary = "a GPU number that is used again after `CUDA_VISIBLE_DEVICES` was set to it",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Program Crash",
             .stage = "Environment Setting",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)` followed by `torch.device(f"cuda:{gpu}")` or
`torch.cuda.set_device(gpu)` with the same number.

## Why it is wrong

The variable hides all other GPUs, and the ones that are left are counted from 0. With `gpu` 1 the only device is
`cuda:0`, and `cuda:1` is an invalid device ordinal.

## Bad

```python
import os

import torch


def device_of(gpu):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)
    return torch.device(f"cuda:{gpu}")
```

## Good

```python
import torch


def device_of(gpu):
    return torch.device(f"cuda:{gpu}")
```

## When it is wrong

Where CUDA was initialized before: then the variable has no effect, and the number is right.

## References

- CUDA C++ programming guide: environment variables
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::device_number_after_mask
