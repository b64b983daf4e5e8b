#include "model/classes.h"
#include "model/variance.h"
#include "rules/dependencies.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::constant_in_forward {

using namespace python;

namespace {

// `x` of `self.x`; none if it is something else.
Symbol own_attribute(const Node *node, Symbol self) {
  const auto *attribute = as<Attribute>(node);
  const auto *object = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  return object != nullptr && object->id == self ? attribute->attr : Symbol{};
}

// Does the method change the attribute: store to it or to a part of it, or call a method that works in place?
bool changes(const FunctionDef &method, Symbol name) {
  if (method.params.empty()) {
    return false;
  }
  const Symbol self = method.params[0]->name;
  return any_node_inside(&method, [&](const Node *node) {
    if (node->context != Context::Load && own_attribute(node, self) == name) {
      return true;
    }
    const auto *part = as<Subscript>(node);
    if (part != nullptr && part->context != Context::Load && own_attribute(part->value, self) == name) {
      return true;
    }
    const auto *call = as<Call>(node);
    const std::string_view called = call != nullptr ? called_method(*call) : std::string_view{};
    return called.ends_with('_') && !called.ends_with("__") && own_attribute(receiver_of(*call), self) == name;
  });
}

// A number, or a buffer, that the constructor sets and nothing changes later.
bool is_constant(const model::ClassInfo &type, Symbol name) {
  bool is_known = false;
  for (const model::ClassInfo *at : type.mro) {
    for (const Stmt *statement : at->node->body) {
      const auto *method = as<FunctionDef>(statement);
      if (method == nullptr) {
        continue;
      }
      if (method->name.text() != "__init__" && changes(*method, name)) {
        return false;
      }
      is_known =
          is_known || any_node_inside(method, [&](const Node *node) {
            const auto *call = as<Call>(node);
            return call != nullptr && called_method(*call) == "register_buffer" && !call->args.empty() &&
                   as_string(call->args[0]) != nullptr &&
                   at->module->parsed->source.part(call->args[0]->start + 1, call->args[0]->end - 1) == name.text();
          });
    }
    const auto known = at->attributes.find(name.id);
    if (known == at->attributes.end()) {
      continue;
    }
    const model::Value &value = known->second.value;
    const bool is_trained =
        value.is_kind(Kind::TorchModule) || value.is(model::Value::Tag::Object) || value.alternatives != nullptr ||
        (value.is_kind(Kind::TorchTensor) && value.name() && value.has_gradient()) ||
        (value.name() && value.is(model::Value::Tag::Instance) && value.name().text() == "torch.nn.Parameter");
    if (is_trained) {
      return false;
    }
    is_known = true;
  }
  return is_known;
}

// Does the call give the same in every forward pass: made of numbers and constants of the module?
bool is_same_each_time(const Site &site, const Call &call) {
  const model::FunctionInfo &function = *site.function;
  const bool is_method = function.type != nullptr && !function.is_static;
  const auto is_same = [&](const Expr *expr) {
    const model::Dependencies on = dependencies_of(site, function, expr);
    return !on.varies && (on.params & ~u64{is_method ? 1U : 0U}) == 0 &&
           std::ranges::all_of(on.attributes, [&](Symbol name) {
             return function.type != nullptr && is_constant(*function.type, name);
           });
  };
  return !has_hidden_arguments(call) && std::ranges::all_of(call.args, is_same) &&
         std::ranges::all_of(call.keywords, [&](const Keyword *keyword) { return is_same(keyword->value); });
}

bool reads_own(const Site &site, const Call &call) {
  const Symbol self = site.function->params.empty() ? Symbol{} : site.function->params[0]->name;
  return self && any_node(&call, [self](const Node *node) { return static_cast<bool>(own_attribute(node, self)); });
}

// torch.linalg.svd(self.covariance)
void check(Site &site, const Call &call) {
  // An object that is no module is made anew for each batch, and gradients may flow into what it holds.
  if (site.function == nullptr || site.function->type == nullptr || site.function->type->kind != Kind::TorchModule ||
      call.args.empty() || site.module->is_test || enclosing(site, NodeKind::If) != nullptr || !in_forward_pass(site) ||
      !reads_own(site, call) || !is_same_each_time(site, call)) {
    return;
  }
  report(site, call, fmt::format("`{}` gives the same result in every forward pass", text_of(site, call.func)),
         "compute it once in `__init__`, and keep it with `self.register_buffer(…)`");
}

// Does the function only compute, as far as its code shows: calls of frameworks and of methods, and nothing stored?
// What the engine says of its effects is not enough, as a method of a parameter may be anything.
bool only_computes(const Site &site, const FunctionDef &definition) {
  return !any_node(definition.body, [&](const Node *node) {
    if (node->kind == NodeKind::Attribute && node->context != Context::Load) {
      return true;
    }
    if (node->kind == NodeKind::Global || node->kind == NodeKind::Nonlocal || node->kind == NodeKind::Yield ||
        node->kind == NodeKind::Await) {
      return true;
    }
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const std::string_view api = called_api(site, *call);
    const ApiInfo *info = api.empty() ? nullptr : find_api(canonical_name(api));
    if (info != nullptr) {
      return info->has(kRandom | kIo | kPython);
    }
    const bool is_framework = api.starts_with("torch.") || api.starts_with("numpy.") || api.starts_with("math.");
    return call->func->kind == NodeKind::Name && !is_framework && called_function(site, *call) == nullptr;
  });
}

// Does the function make a tensor of numbers alone, with some work: a table of sines, a mask, a grid?
bool makes_table(const Site &site, const model::FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  if (definition == nullptr || !definition->decorators.empty() ||
      (function.effects && !only_computes(site, *definition)) ||
      has_word(text_of(function), {"rand", "cache", "global "})) {
    return false;
  }
  u32 makes = 0;
  u32 works = 0;
  any_node(definition->body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
    const auto is = [api](std::initializer_list<std::string_view> names) {
      return (api.starts_with("torch.") || api.starts_with("numpy.")) &&
             std::ranges::find(names, api.substr(api.rfind('.') + 1)) != names.end();
    };
    makes += is({"arange", "linspace", "zeros", "ones", "eye", "full", "tensor", "array", "logspace"}) ? 1 : 0;
    works += is({"sin", "cos", "exp", "pow", "outer", "meshgrid", "triu", "tril", "stack", "cat", "einsum", "matmul",
                 "sparse_coo_tensor", "mm", "kron", "bincount"})
                 ? 1
                 : 0;
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    works += method == "scatter_add_" || method == "coalesce" || method == "matmul" || method == "mm" ? 1 : 0;
    return false;
  });
  return makes > 0 && works > 0;
}

// Reads the method nothing but constants of the object?
bool reads_constants(const model::FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  if (function.type == nullptr || function.is_static) {
    return true;
  }
  const Symbol self = definition->params.empty() ? Symbol{} : definition->params[0]->name;
  return !any_node(definition->body, [&](const Node *node) {
    const Symbol name = own_attribute(node, self);
    return name && (node->context != Context::Load || !is_constant(*function.type, name));
  });
}

// `self.table()`, `sinusoids(self.length, self.width)`
void check_helper(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (call.fact == 0 || site.function == nullptr || site.function->type == nullptr ||
      site.function->type->kind != Kind::TorchModule || site.module->is_test) {
    return;
  }
  const model::FunctionInfo *const function = called_function(site, call);
  if (function == nullptr || function->name.text() == "forward" || function == site.function ||
      !in_method(site, Kind::TorchModule, "forward") || enclosing(site, NodeKind::If) != nullptr ||
      !makes_table(site, *function) || !reads_constants(*function) || !is_same_each_time(site, call)) {
    return;
  }
  // What a function with unknown calls is given must be in plain sight: attributes of the module, and numbers.
  const Symbol self = site.function->params.empty() ? Symbol{} : site.function->params[0]->name;
  const auto is_plain = [&](const Expr *given) {
    return given->kind == NodeKind::Constant || static_cast<bool>(own_attribute(given, self));
  };
  if (function->effects && !(std::ranges::all_of(call.args, is_plain) && call.keywords.empty())) {
    return;
  }
  Finding &finding =
      report(site, call, fmt::format("`{}` computes the same table in every forward pass", text_of(site, call.func)),
             "compute it once in `__init__`, and keep it with `self.register_buffer(…)`");
  finding.notes.push_back(
      {function->module->file, function->definition()->name_span, "its result depends on constants alone"});
}

} // namespace

extern constinit const Rule kConstantInForward = {
    .info = {.code = "DP428",
             .name = "constant-in-forward",
             .summary = "a table or decomposition that every forward pass computes again from constants",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

In a forward pass: a decomposition or inverse of a buffer, or a helper that builds a table of sines, a mask or a grid, whose arguments are
numbers, and buffers and numbers of the module that only its constructor sets.

## Why it costs

The result is the same each time. Every forward pass launches its kernels again, waits for the decomposition, and often copies the result to
the device.

## Bad

```python
import torch
from torch import nn


class Whiten(nn.Module):
    def __init__(self, covariance):
        super().__init__()
        self.register_buffer("covariance", covariance)

    def forward(self, x):
        return x @ torch.linalg.inv(self.covariance)
```

## Good

```python
import torch
from torch import nn


class Whiten(nn.Module):
    def __init__(self, covariance):
        super().__init__()
        self.register_buffer("inverse", torch.linalg.inv(covariance))

    def forward(self, x):
        return x @ self.inverse
```

## When it is wrong

Where code outside of the class changes the buffer.

## References

- PyTorch documentation of `torch.nn.Module.register_buffer`
)"},
    .calls = "torch.linalg.svd torch.linalg.inv torch.linalg.pinv torch.linalg.eigh torch.linalg.eig torch.linalg.qr "
             "torch.linalg.cholesky torch.linalg.matrix_exp torch.svd torch.inverse torch.pinverse torch.matrix_exp "
             "torch.cholesky torch.linalg.eigvalsh torch.linalg.svdvals",
    .on_call = check,
    .nodes = {NodeKind::Call},
    .on_node = check_helper};

} // namespace deepperf::rules::constant_in_forward
