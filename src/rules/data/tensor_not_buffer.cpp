#include "python/children.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

namespace deepperf::rules::tensor_not_buffer {

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

// How a class uses `self.x`.
struct Use {
  u32 stores = 0;
  const Call *move = nullptr;     // self.x.to(…), in forward or what it may call
  const Node *read = nullptr;     // the first time there
  const Node *averaged = nullptr; // where something new is mixed into it: self.x.lerp_(…), self.x = 0.9 * self.x + …
  u32 averages = 0;               // stores that do so
};
using Uses = std::unordered_map<u32, Use>; // by attribute

// The x of `self.x`; none if it is something else.
Symbol attribute_of_self(const Node *node, Symbol self) {
  const auto *access = as<Attribute>(node);
  const auto *object = access != nullptr ? as<Name>(access->value) : nullptr;
  return object != nullptr && object->id == self ? access->attr : Symbol{};
}

// The x of `self.x.to(…)`.
Symbol moved_attribute(const Call &call, Symbol self) {
  const std::string_view method = called_method(call);
  return method == "to" || method == "cuda" || method == "type_as" ? attribute_of_self(receiver_of(call), self)
                                                                   : Symbol{};
}

// The x of `self.y = self.x.cuda()`.
Symbol kept_copy(const Assign &assignment, Symbol self) {
  const auto *call = as<Call>(assignment.value);
  return assignment.targets.size() == 1 && call != nullptr && attribute_of_self(assignment.targets[0], self)
             ? moved_attribute(*call, self)
             : Symbol{};
}

// Is a part of the expression `self.x * momentum`?
bool keeps_a_part(const Expr *expr, Symbol self, Symbol attribute) {
  return any_node(expr, [&](const Node *node) {
    const auto *product = as<BinOp>(node);
    return product != nullptr && product->op() == Operator::Mult &&
           (attribute_of_self(product->left, self) == attribute ||
            attribute_of_self(product->right, self) == attribute);
  });
}

// A moving average: `self.x.lerp_(new, 0.1)`, `self.x.mul_(0.9).add_(0.1 * new)`, `self.x = 0.9 * self.x + 0.1 * new`.
void note_average(const Node *node, Symbol self, Uses &uses) {
  if (const auto *call = as<Call>(node)) {
    const std::string_view method = called_method(*call);
    const Symbol attribute =
        method == "lerp_" || method == "mul_" ? attribute_of_self(receiver_of(*call), self) : Symbol{};
    if (attribute) {
      uses[attribute.id].averaged = call;
    }
    return;
  }
  const auto *assignment = as<Assign>(node);
  const auto *sum = assignment != nullptr ? as<BinOp>(assignment->value) : nullptr;
  const Symbol attribute = sum != nullptr && sum->op() == Operator::Add && assignment->targets.size() == 1
                               ? attribute_of_self(assignment->targets[0], self)
                               : Symbol{};
  if (attribute && keeps_a_part(sum, self, attribute)) {
    uses[attribute.id].averaged = assignment;
    ++uses[attribute.id].averages;
  }
}

void find_uses(const Node *node, Symbol self, bool may_run_often, Uses &uses) {
  if (may_run_often) {
    note_average(node, self, uses);
  }
  if (const Symbol attribute = attribute_of_self(node, self)) {
    Use &use = uses[attribute.id];
    use.stores += node->context == Context::Load ? 0 : 1;
    if (may_run_often && use.read == nullptr) {
      use.read = node;
    }
    return;
  }
  if (const auto *assignment = as<Assign>(node)) {
    if (const Symbol copied = kept_copy(*assignment, self)) {
      ++uses[copied.id].stores; // copied once, and the copy is used from then on
      find_uses(assignment->targets[0], self, may_run_often, uses);
      const auto *call = static_cast<const Call *>(assignment->value);
      for_each_child(call, [&](const Node *child) {
        if (child != call->func) {
          find_uses(child, self, may_run_often, uses);
        }
      });
      return;
    }
  }
  if (const auto *call = as<Call>(node); call != nullptr && may_run_often) {
    if (const Symbol moved = moved_attribute(*call, self)) {
      Use &use = uses[moved.id];
      use.move = use.move == nullptr ? call : use.move;
    }
  }
  for_each_child(node, [&](const Node *child) { find_uses(child, self, may_run_often, uses); });
}

bool is_random(std::string_view api) {
  return api == "torch.randn" || api == "torch.rand" || api == "torch.normal" || api == "torch.randperm" ||
         api == "torch.randint" || api == "torch.bernoulli";
}

// Is it made of random numbers, so that another one takes its place where the module is created again?
bool has_random_numbers(const Site &site, const Node *value) {
  return any_node(value, [&](const Node *node) {
    const auto *call = as<Call>(node);
    return call != nullptr && is_random(called_api(site, *call));
  });
}

// Is it made from sizes and numbers, on the CPU?
bool makes_constant(const Site &site, const Expr *value) {
  if (const auto *scaled = as<BinOp>(value)) { // torch.randn(2, n) * 10
    const auto is_number = [](const Expr *part) {
      return model::kind_of(part) != Kind::TorchTensor &&
             !any_node(part, [](const Node *node) { return node->kind == NodeKind::Call; });
    };
    const bool is_left = is_number(scaled->right);
    const bool is_right = is_number(scaled->left);
    return (is_left && makes_constant(site, scaled->left)) || (is_right && makes_constant(site, scaled->right));
  }
  const auto *call = as<Call>(value);
  if (call == nullptr) {
    return false;
  }
  const std::string_view api = called_api(site, *call);
  const bool is_maker = is_random(api) || api == "torch.tensor" || api == "torch.zeros" || api == "torch.ones" ||
                        api == "torch.arange" || api == "torch.linspace" || api == "torch.eye" || api == "torch.full" ||
                        api == "torch.FloatTensor" || api == "torch.from_numpy" || api == "torch.Tensor";
  if (is_maker) {
    return keyword_argument(*call, "device") == nullptr && !has_hidden_arguments(*call) &&
           keyword_argument(*call, "requires_grad") == nullptr;
  }
  if (called_function(site, *call) != nullptr) {
    return model::kind_of(call) == Kind::TorchTensor && model::is_on_cpu(call) && !model::has_grad(call);
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
  std::optional<Uses> uses; // found when the first one is asked for
  for (const Stmt *statement : init->body) {
    const auto *assignment = as<Assign>(statement);
    const auto *target =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Attribute>(assignment->targets[0]) : nullptr;
    const Symbol self = init->params[0]->name;
    if (target == nullptr || !attribute_of_self(target, self) || !makes_constant(site, assignment->value)) {
      continue;
    }
    if (!uses.has_value()) {
      uses.emplace();
      for (const Stmt *part : type.body) {
        const auto *method = as<FunctionDef>(part);
        if (method != nullptr && !method->params.empty()) {
          find_uses(method, method->params[0]->name, method != init, *uses);
        }
      }
    }
    const Use use = (*uses)[target->attr.id];
    if (use.averaged != nullptr && use.stores == 1 + use.averages && use.read != nullptr &&
        !has_random_numbers(site, assignment->value) && method_named(type, "get_extra_state") == nullptr &&
        method_named(type, "state_dict") == nullptr) {
      const std::string_view name = target->attr.text();
      Finding &finding =
          report(site, *assignment,
                 fmt::format("`self.{}` is a running average that is not in the `state_dict`: a loaded model starts it "
                             "again, and it does not move to the device with the module",
                             name),
                 fmt::format("register it: `self.register_buffer(\"{}\", …)`", name));
      add_note(finding, site, *use.averaged, "it is updated here");
      continue;
    }
    if (use.stores != 1 || use.read == nullptr) {
      continue; // moved or changed somewhere else, or not used
    }
    const std::string name(target->attr.text());
    if (has_random_numbers(site, assignment->value)) {
      Finding &finding = report(
          site, *assignment,
          fmt::format("`self.{}` is random but not in the `state_dict`, so a loaded model has different values", name),
          fmt::format("register it: `self.register_buffer(\"{}\", …)`; it is then saved and moves with the module",
                      name));
      add_note(finding, site, *use.read, "it is used here");
      continue;
    }
    Finding &finding =
        report(site, *assignment,
               use.move != nullptr
                   ? fmt::format("`self.{}` stays on the CPU, so every forward pass copies it to the device", name)
                   : fmt::format("`self.{}` stays on the CPU when the module moves to a device", name),
               fmt::format(
                   "register it: `self.register_buffer(\"{}\", …)`; it then moves with the module and is saved with it",
                   name));
    if (use.move != nullptr) {
      add_note(finding, site, *use.move, "it is copied here in every call");
    } else {
      finding.tier = Tier::Hint;
      add_note(finding, site, *use.read, "it is used here");
    }
    const Expr *value = assignment->value;
    if (!value->parenthesized) { // its span would begin inside
      set_fix(finding, false,
              {Edit{assignment->start, value->start, fmt::format("{}.register_buffer(\"{}\", ", self.text(), name)},
               Edit{assignment->end, assignment->end, ", persistent=False)"}});
    }
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
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

A module that keeps a constant tensor as `self.mean = torch.tensor(…)` and moves it to the device in `forward`. A module
that uses such a tensor in `forward` without moving it is a hint. A tensor of random numbers, such as the frequencies of Fourier features, is
reported in any case: it is not part of the `state_dict`, so that a model that is loaded computes with other numbers. So is a running average.

## Why it costs

`module.to(device)` moves parameters and buffers, not plain attributes. Each `self.mean.to(x.device)` is then a copy
over the bus, which the CPU waits for, in every call. Without it the first call on a GPU fails.

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

Where the module never leaves the CPU. The fix registers a buffer that is not saved (`persistent=False`), so old
checkpoints still load; a `.to` that is left in `forward` does no harm.

## References

- PyTorch documentation, `Module.register_buffer`
)"},
    .nodes = {NodeKind::ClassDef},
    .on_node = check};

} // namespace deepperf::rules::tensor_not_buffer
