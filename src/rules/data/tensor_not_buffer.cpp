#include "python/children.h"
#include "rules/site.h"

#include <fmt/format.h>
namespace deepperf::rules {

using namespace python;

namespace {

const FunctionDef *method_named(const ClassDef &type, std::string_view name) {
  for (const Stmt *statement : type.body) {
    const auto *method = as<FunctionDef>(statement);
    if (method != nullptr && method->name.text() == name) {
      return method;
    }
  }
  return nullptr;
}

bool is_self_attribute(const Node *node, Symbol self, Symbol attribute) {
  const auto *access = as<Attribute>(node);
  const auto *object = access != nullptr ? as<Name>(access->value) : nullptr;
  return object != nullptr && object->id == self && access->attr == attribute;
}

// How a class uses `self.x`.
struct Use {
  u32 stores = 0;
  const Call *move = nullptr; // self.x.to(…), in forward or what it may call
  const Node *read = nullptr; // the first time there
};

bool is_move(const Call &call, Symbol self, Symbol attribute) {
  const std::string_view method = called_method(call);
  return (method == "to" || method == "cuda" || method == "type_as") &&
         is_self_attribute(receiver_of(call), self, attribute);
}

// self.y = self.x.cuda()
bool is_kept_copy(const Assign &assignment, Symbol self, Symbol attribute) {
  const auto *target = assignment.targets.size() == 1 ? as<Attribute>(assignment.targets[0]) : nullptr;
  const auto *call = as<Call>(assignment.value);
  return target != nullptr && call != nullptr && is_self_attribute(target, self, target->attr) &&
         is_move(*call, self, attribute);
}

void find_use(const Node *node, Symbol self, Symbol attribute, bool may_run_often, Use &use) {
  if (is_self_attribute(node, self, attribute)) {
    use.stores += node->context == Context::Load ? 0 : 1;
    if (may_run_often && use.read == nullptr) {
      use.read = node;
    }
    return;
  }
  if (const auto *assignment = as<Assign>(node); assignment != nullptr && is_kept_copy(*assignment, self, attribute)) {
    ++use.stores; // copied once, and the copy is used from then on
    return;
  }
  if (const auto *call = as<Call>(node); call != nullptr && may_run_often && use.move == nullptr) {
    use.move = is_move(*call, self, attribute) ? call : nullptr;
  }
  for_each_child(node, [&](const Node *child) { find_use(child, self, attribute, may_run_often, use); });
}

// Is it made from sizes and numbers, on the CPU?
bool makes_constant(const Site &site, const Expr *value) {
  const auto *call = as<Call>(value);
  if (call == nullptr) {
    return false;
  }
  const std::string_view api = called_api(site, *call);
  const bool is_maker = api == "torch.tensor" || api == "torch.zeros" || api == "torch.ones" || api == "torch.arange" ||
                        api == "torch.linspace" || api == "torch.eye" || api == "torch.full" ||
                        api == "torch.FloatTensor" || api == "torch.from_numpy" || api == "torch.Tensor";
  if (is_maker) {
    return keyword_argument(*call, "device") == nullptr && !has_hidden_arguments(*call) &&
           keyword_argument(*call, "requires_grad") == nullptr;
  }
  // A chain like torch.tensor(…).view(1, 3, 1, 1), but not one that moves it.
  const std::string_view method = called_method(*call);
  return (method == "view" || method == "reshape" || method == "float" || method == "unsqueeze" || method == "long") &&
         makes_constant(site, receiver_of(*call));
}

void check(Site &site, const Node &node) {
  const auto &type = static_cast<const ClassDef &>(node);
  const auto *known = site.project.class_at(&type);
  if (known == nullptr || known->kind != Kind::TorchModule) {
    return;
  }
  const FunctionDef *init = method_named(type, "__init__");
  const FunctionDef *forward = method_named(type, "forward");
  if (init == nullptr || forward == nullptr || init->params.empty() || forward->params.empty() ||
      method_named(type, "_apply") != nullptr || method_named(type, "to") != nullptr ||
      method_named(type, "cuda") != nullptr) {
    return;
  }
  for (const Stmt *statement : init->body) {
    const auto *assignment = as<Assign>(statement);
    const auto *target =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Attribute>(assignment->targets[0]) : nullptr;
    const Symbol self = init->params[0]->name;
    if (target == nullptr || !is_self_attribute(target, self, target->attr) ||
        !makes_constant(site, assignment->value)) {
      continue;
    }
    Use use;
    for (const Stmt *part : type.body) {
      const auto *method = as<FunctionDef>(part);
      if (method != nullptr && !method->params.empty()) {
        find_use(method, method->params[0]->name, target->attr, method != init, use);
      }
    }
    if (use.stores != 1 || use.read == nullptr) {
      continue; // moved or changed somewhere else, or not used
    }
    const std::string name(target->attr.text());
    Finding &finding = report(
        site, *assignment,
        use.move != nullptr ? fmt::format("self.{} stays on the CPU, so every forward copies it to the device", name)
                            : fmt::format("self.{} stays on the CPU when the module is moved to a device", name),
        fmt::format("register it: self.register_buffer(\"{}\", …); it then moves and is saved with the module", name));
    if (use.move != nullptr) {
      add_note(finding, site, *use.move, "copied here in every call");
    } else {
      finding.tier = Tier::Hint;
      add_note(finding, site, *use.read, "used here");
    }
    const Node *value = assignment->value;
    set_fix(finding, false,
            {Edit{assignment->start, value->start, fmt::format("{}.register_buffer(\"{}\", ", self.text(), name)},
             Edit{assignment->end, assignment->end, ", persistent=False)"}});
  }
}

} // namespace

extern constinit const Rule kTensorNotBuffer = {
    .info = {.code = "DP404",
             .name = "tensor-not-buffer",
             .summary = "a constant tensor of a module that is a plain attribute instead of a buffer",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

A module that keeps a constant tensor as `self.mean = torch.tensor(…)` and moves it to the device in `forward`. As a hint: one that
uses such a tensor in `forward` without moving it.

## Why it costs

`module.to(device)` moves parameters and buffers, not plain attributes. Each `self.mean.to(x.device)` is then a copy over the bus,
which the CPU waits for, in every single call. Without it the first call on a GPU fails.

## Bad

```python
import torch
from torch import nn


class Normalize(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.tensor([0.485, 0.456, 0.406])

    def forward(self, x):
        return x - self.mean.to(x.device)
```

## Good

```python
import torch
from torch import nn


class Normalize(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]))

    def forward(self, x):
        return x - self.mean
```

## When it is wrong

Where the module never leaves the CPU. The edit makes a buffer that is not saved (`persistent=False`), so that old checkpoints still
load; a `.to` that is then left in `forward` does no harm.

## References

- PyTorch documentation, `Module.register_buffer`
)"},
    .nodes = {NodeKind::ClassDef},
    .on_node = check};

} // namespace deepperf::rules
