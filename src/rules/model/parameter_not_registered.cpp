#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::parameter_not_registered {

using namespace python;

namespace {

// Why an attribute that should be trained is no parameter of its module.
enum class Reason : u8 {
  None,
  Computed, // nn.Parameter(…).cuda(): the result of an operation on a parameter
  Plain,    // torch.ones(d, requires_grad=True): a tensor
};

bool makes_parameter(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
  return api == "torch.nn.Parameter" || api == "torch.nn.parameter.Parameter";
}

// A parameter that is to be trained.
bool makes_trained_parameter(const Site &site, const Expr *expr) {
  if (!makes_parameter(site, expr)) {
    return false;
  }
  const Expr *const wanted = argument(*static_cast<const Call *>(expr), 1, "requires_grad");
  return wanted == nullptr || bool_of(site, wanted) != false;
}

// `.to(torch.float32)` of a parameter of just that type: the parameter itself.
bool keeps_type(const Site &site, const Call &to, const Call &parameter) {
  const auto *data = parameter.args.empty() ? nullptr : as<Call>(parameter.args[0]);
  const Keyword *const made = data != nullptr ? keyword_argument(*data, "dtype") : nullptr;
  const model::Value type = made != nullptr ? value_of(site, made->value) : model::Value{};
  const model::Value wanted = to.args.size() == 1 && to.keywords.empty() ? value_of(site, to.args[0]) : model::Value{};
  return type.is(model::Value::Tag::Api) && wanted.is(model::Value::Tag::Api) && type.name() == wanted.name();
}

Reason reason_of(const Site &site, const Expr *value) {
  if (const auto *operation = as<BinOp>(value)) { // 0.02 * nn.Parameter(…)
    return makes_trained_parameter(site, operation->left) || makes_trained_parameter(site, operation->right)
               ? Reason::Computed
               : Reason::None;
  }
  const auto *call = as<Call>(value);
  if (call == nullptr) {
    return Reason::None;
  }
  const std::string_view api = called_api(site, *call);
  if (api.starts_with("torch.") && model::kind_of(call) == Kind::TorchTensor) {
    if (makes_parameter(site, call)) {
      return Reason::None;
    }
    const Keyword *const wanted = keyword_argument(*call, "requires_grad");
    return wanted != nullptr && bool_of(site, wanted->value) == true ? Reason::Plain : Reason::None;
  }
  // Methods that give another tensor: on a CPU model to() may give the parameter itself, on a GPU it never does.
  const Expr *const receiver = receiver_of(*call);
  const auto *inner = as<Call>(receiver);
  while (inner != nullptr && called_method(*inner) == "float") { // of a float32 parameter: the parameter itself
    inner = as<Call>(receiver_of(*inner));
  }
  const std::string_view method = called_method(*call);
  if (inner == nullptr || method == "requires_grad_" || method == "data" || method == "detach") {
    return Reason::None;
  }
  if (makes_parameter(site, inner)) {
    if (!makes_trained_parameter(site, inner)) {
      return Reason::None;
    }
    const bool gives_itself = method.ends_with("_") || method == "contiguous" || method == "float" ||
                              method == "type" || (method == "to" && keeps_type(site, *call, *inner));
    return gives_itself ? Reason::None : Reason::Computed;
  }
  return reason_of(site, receiver) == Reason::Computed ? Reason::Computed : Reason::None;
}

bool reads(const Node *node, Symbol name) {
  return any_node_inside(node, [name](const Node *part) {
    const auto *attribute = as<Attribute>(part);
    return attribute != nullptr && attribute->attr == name && attribute->context == Context::Load;
  });
}

// Is the attribute of the class read outside of it: given to an optimizer by name, for instance?
bool is_read_elsewhere(const Site &site, const Node &type, Symbol name) {
  for (const model::Module &module : site.project.modules) {
    for (const Stmt *statement : module.parsed->tree.body) {
      if (statement != &type && reads(statement, name)) {
        return true;
      }
    }
  }
  return false;
}

// `torch.optim.LBFGS([self.temperature])` in a method: then it is trained, whether it is registered or not.
bool is_given_to_optimizer(const ClassDef &type, Symbol name) {
  return any_node_inside(&type, [name](const Node *part) {
    const auto *call = as<Call>(part);
    return call != nullptr && model::kind_of(call) == Kind::TorchOptimizer && reads(call, name);
  });
}

void check(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *target = assignment.targets.size() == 1 ? as<Attribute>(assignment.targets[0]) : nullptr;
  const auto *object = target != nullptr ? as<Name>(target->value) : nullptr;
  const FunctionDef *const method = site.function != nullptr ? site.function->definition() : nullptr;
  if (object == nullptr || method == nullptr || site.function->type == nullptr ||
      site.function->type->kind != Kind::TorchModule || method->name.text() != "__init__" || method->params.empty() ||
      method->params[0]->name != object->id || site.module->is_test) {
    return;
  }
  const Reason reason = reason_of(site, assignment.value);
  if (reason == Reason::None) {
    return;
  }
  const ClassDef &type = *site.function->type->node;
  if (any_node_inside(&type,
                      [](const Node *part) {
                        const auto *call = as<Call>(part);
                        const std::string_view name = call != nullptr ? called_method(*call) : std::string_view{};
                        return name == "register_parameter" || name == "register_buffer";
                      }) ||
      is_given_to_optimizer(type, target->attr) ||
      (reason == Reason::Plain && is_read_elsewhere(site, type, target->attr))) {
    return;
  }
  const std::string_view name = target->attr.text();
  report(site, assignment,
         reason == Reason::Computed
             ? fmt::format("`self.{}` is the result of an operation on a parameter, not a parameter: the module does "
                           "not register it, so it is not trained",
                           name)
             : fmt::format("`self.{}` requires gradients but is a plain tensor: it is not in `parameters()`, so it is "
                           "not trained, moved or saved",
                           name),
         reason == Reason::Computed ? fmt::format("apply the operation to the data instead, `self.{} = "
                                                  "nn.Parameter(data.cuda())`, or move the whole module",
                                                  name)
                                    : fmt::format("wrap it: `self.{} = nn.Parameter(…)`", name));
}

} // namespace

extern constinit const Rule kParameterNotRegistered = {
    .info = {.code = "DP227",
             .name = "parameter-not-registered",
             .summary = "a tensor of a module that should be trained but is not one of its parameters",
             .root_cause = "Model: Inefficient Model Structure",
             .symptoms = "Wrong Result, Not Using GPU",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`self.x = nn.Parameter(…).cuda()`, `self.x = nn.Parameter(…) * 0.02` and `self.x = torch.ones(n, requires_grad=True)` in the `__init__` of a
module.

## Why it is wrong

A module registers attributes that are `nn.Parameter` objects. `cuda()`, `to()` and arithmetic return a plain tensor that depends on the
parameter, and `requires_grad=True` does not turn a tensor into a parameter. Such an attribute is not in `parameters()`: the optimizer does not train
it, checkpoints do not contain it, and `model.to(device)` leaves it where it is.

## Bad

```python
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gain = torch.ones(d, requires_grad=True)

    def forward(self, x):
        return x * self.gain
```

## Good

```python
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * self.gain
```

## When it is wrong

Where the program gives the tensor to an optimizer itself. Tensors that other code reads by that name are not reported.

## References

- PyTorch documentation of `torch.nn.parameter.Parameter`
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::parameter_not_registered
