#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::device_as_text {

using namespace python;

namespace {

// An object of torch.device, and nothing else: people pass texts for devices as well.
bool is_surely_device(const Site &site, const Expr *expr) {
  if (const auto *attribute = as<Attribute>(expr); attribute != nullptr && attribute->attr.text() == "device") {
    return model::kind_of(attribute->value) == Kind::TorchTensor;
  }
  const model::Value value = value_of(site, expr);
  return value.is_kind(Kind::TorchDevice) && value.maker() != nullptr && value.name() &&
         value.name().text() == "torch.device" && !value.open && !value.none && value.alternatives == nullptr;
}

// Behind `isinstance(x, torch.Tensor)` or `type(x) == torch.Tensor`.
bool asks_for_tensor(const Site &site, const Expr *expr) {
  const std::string_view text = text_of(site, expr);
  return std::ranges::any_of(site.ancestors, [&](const Node *node) {
    const auto *branch = as<If>(node);
    if (branch == nullptr) {
      return false;
    }
    const std::string_view test = text_of(site, branch->test);
    return test.find("Tensor") != std::string_view::npos && test.find(text) != std::string_view::npos;
  });
}

// `torch.device("cuda")`, without a number.
bool is_any_gpu(const Site &site, const Expr *expr) {
  const auto *made = as<Call>(expr);
  return made != nullptr && made->args.size() == 1 && made->keywords.empty() &&
         called_api(site, *made) == "torch.device" && string_of(site, made->args[0]) == "cuda";
}

// `if x.device != …: x = x.to(…)`, which does nothing to a tensor that is there.
bool only_moves(const Site &site, const Compare &compare) {
  const If *branch = nullptr; // that the comparison decides
  for (const Node *node : site.ancestors) {
    const auto *one = as<If>(node);
    branch = one != nullptr && one->test->start <= compare.start && compare.end <= one->test->end ? one : branch;
  }
  if (branch == nullptr) {
    return false;
  }
  const bool is_empty = branch->body.size() == 1 && branch->body[0]->kind == NodeKind::Pass;
  const Block &block = is_empty ? branch->orelse : branch->body;
  const auto *assignment = block.size() == 1 ? as<Assign>(block[0]) : nullptr;
  const auto *move = assignment != nullptr ? as<Call>(assignment->value) : nullptr;
  return move != nullptr && (called_method(*move) == "to" || called_method(*move) == "cuda");
}

// `x.device != torch.device("cuda")`: a tensor is on "cuda:0", which is another device.
bool check_number(Site &site, const Compare &compare, const Expr *device, const Expr *other) {
  const auto *attribute = as<Attribute>(device);
  if (attribute == nullptr || attribute->attr.text() != "device" || !is_any_gpu(site, other) ||
      (model::kind_of(attribute->value) != Kind::TorchTensor && !asks_for_tensor(site, attribute->value))) {
    return false;
  }
  const bool is_equal = compare.rest[0].op == CompareOperator::Eq;
  const bool is_harmless = !is_equal && only_moves(site, compare);
  Finding &finding =
      report(site, compare,
             fmt::format("a tensor on the GPU is on `cuda:0`, which is not equal to `torch.device(\"cuda\")`, so this "
                         "comparison is always {}",
                         is_equal ? "False" : "True"),
             fmt::format("compare its type: `{}.type {} \"cuda\"`", text_of(site, device), is_equal ? "==" : "!="));
  if (is_harmless) {
    finding.tier = Tier::Hint;
  }
  return true;
}

void check(Site &site, const Node &node) {
  const auto &compare = static_cast<const Compare &>(node);
  if (compare.rest.size() != 1 || compare.rest[0].op > CompareOperator::NotEq) {
    return;
  }
  const Expr *left = compare.left;
  const Expr *right = compare.rest[0].right;
  if (check_number(site, compare, left, right) || check_number(site, compare, right, left)) {
    return;
  }
  const Expr *const text = as_string(right) != nullptr ? right : as_string(left) != nullptr ? left : nullptr;
  const Expr *const device = text == right ? left : right;
  if (text == nullptr || site.module->is_test || !is_surely_device(site, device)) {
    return;
  }
  const bool is_equal = compare.rest[0].op == CompareOperator::Eq;
  report(site, compare,
         fmt::format("a `torch.device` is never equal to a string, so this comparison is always {}",
                     is_equal ? "False" : "True"),
         fmt::format("compare its type: `{}.type {} {}`", text_of(site, device),
                     is_equal ? "==" : "!=", text_of(site, text)));
}

} // namespace

extern constinit const Rule kDeviceAsText = {.info = {.code = "DP890",
                                                      .name = "device-as-text",
                                                      .summary = "a `torch.device` that is compared with a string",
                                                      .root_cause = "Training: Wrong Training Step",
                                                      .symptoms = "Wrong Result",
                                                      .stage = "Training",
                                                      .frameworks = "PyTorch",
                                                      .severity = Severity::Error,
                                                      .tier = Tier::On,
                                                      .documentation = R"(## What it finds

`device == "cuda"` where `device` is a `torch.device`, as `tensor.device` and `model.device` are; and
`tensor.device == torch.device("cuda")`, as a tensor on the GPU is on `cuda:0`.

## Why it is wrong

The comparison is False without any error, so the branch for that device never runs.

## Bad

```python
import torch


def wait(x: torch.Tensor):
    if x.device == "cuda":
        torch.cuda.synchronize()
```

## Good

```python
import torch


def wait(x: torch.Tensor):
    if x.device.type == "cuda":
        torch.cuda.synchronize()
```

## When it is wrong

Where the value may also be a string, such as a command-line argument.

## References

- torch.device: type and index
)"},
                                             .nodes = {NodeKind::Compare},
                                             .on_node = check};

} // namespace deepperf::rules::device_as_text
