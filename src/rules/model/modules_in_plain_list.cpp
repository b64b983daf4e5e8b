#include "model/context.h"
#include "rules/encoding.h"
#include "rules/made_on_host.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::modules_in_plain_list {

using namespace python;

namespace {

// Of torchmetrics: a module without weights, whose state has to be on the model's device.
bool is_metric(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
  const ApiInfo *info = callee.is(model::Value::Tag::Api) ? find_api(callee.name()) : nullptr;
  return info != nullptr && info->returns == Kind::TorchMetric;
}

bool is_parameter(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
  return api == "torch.nn.Parameter" || api == "torch.nn.parameter.Parameter";
}

bool is_new_layer(const Site &site, const Expr *expr);

// Does the function return a new layer each time? One that only raises is made for others to override.
bool makes_layers(const Site &site, const model::FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  if (definition == nullptr) {
    return false;
  }
  bool returns_layer = false;
  bool returns_other = false;
  any_node(definition->body, [&](const Node *node) {
    const auto *result = as<Return>(node);
    if (result != nullptr) {
      const bool is_layer = result->value != nullptr && result->value->kind == NodeKind::Call &&
                            site.project.callee_of(static_cast<const Call *>(result->value)).function != &function &&
                            is_new_layer(site, result->value);
      (is_layer ? returns_layer : returns_other) = true;
    }
    return returns_other;
  });
  const bool is_abstract = !returns_layer && !returns_other &&
                           any_node(definition->body, [](const Node *node) { return node->kind == NodeKind::Raise; });
  return !returns_other && (returns_layer || is_abstract);
}

// A layer with weights, a parameter or a metric that is made in place.
bool is_new_layer(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const model::Value callee = site.project.callee_of(call);
  if (callee.is(model::Value::Tag::Class)) {
    return callee.type->kind == Kind::TorchModule;
  }
  if (callee.is(model::Value::Tag::Method) || callee.is(model::Value::Tag::Function)) {
    return model::kind_of(call) == Kind::TorchModule && makes_layers(site, *callee.function);
  }
  if (!callee.is(model::Value::Tag::Api)) {
    return false;
  }
  const ApiInfo *info = find_api(callee.name());
  if ((info != nullptr && info->returns == Kind::TorchMetric) || is_parameter(site, expr)) {
    return true;
  }
  if (info == nullptr || info->returns != Kind::TorchModule) {
    return false;
  }
  return info->has(kWeights) ||
         (callee.name().text() == "torch.nn.Sequential" &&
          std::ranges::any_of(call->args, [&site](const Expr *part) { return is_new_layer(site, part); }));
}

// What a list, dictionary or comprehension holds, if that is new layers.
bool holds_new_layers(const Site &site, const Expr *expr) {
  switch (expr->kind) {
  case NodeKind::List: { // one alone is how people keep a model out of parameters()
    const auto *list = static_cast<const List *>(expr);
    return list->elts.size() > 1 &&
           std::ranges::all_of(list->elts, [&site](const Expr *item) { return is_new_layer(site, item); });
  }
  case NodeKind::Dict: {
    const auto *dictionary = static_cast<const Dict *>(expr);
    return !dictionary->items.empty() &&
           (dictionary->items.size() > 1 || is_metric(site, dictionary->items[0].value)) &&
           std::ranges::all_of(dictionary->items, [&site](const DictItem &item) {
             return item.key != nullptr && is_new_layer(site, item.value);
           });
  }
  case NodeKind::ListComp:
    return is_new_layer(site, static_cast<const ListComp *>(expr)->elt);
  case NodeKind::DictComp:
    return is_new_layer(site, static_cast<const DictComp *>(expr)->value);
  default:
    return false;
  }
}

struct Uses {
  const Expr *layer = nullptr; // that is put into it later
  u32 filled = 0;              // appended to or stored into
  u32 mentions = 0;            // in all, reading
  bool registers = false;      // something registers modules by hand
};

// What a function puts into a list or dictionary that it has under a name, and whether it does anything else with it
// than return it or store it to an attribute once.
Uses uses_of_name(const Site &site, const FunctionDef &function, Symbol name, const Node *handed_over) {
  const auto is_it = [name](const Node *node) {
    const auto *plain = as<Name>(node);
    return plain != nullptr && plain->id == name;
  };
  Uses uses;
  any_node_inside(&function, [&](const Node *node) {
    if (node->context == Context::Load && is_it(node) && node != handed_over) {
      ++uses.mentions;
    }
    if (const auto *call = as<Call>(node)) {
      const std::string_view method = called_method(*call);
      uses.registers |= method == "add_module" || method == "register_module" || called_name(*call) == "setattr";
      if ((method == "append" || method == "insert") && is_it(receiver_of(*call)) && !call->args.empty()) {
        ++uses.filled;
        uses.layer = is_new_layer(site, call->args.back()) ? call->args.back() : uses.layer;
      }
    } else if (const auto *assignment = as<Assign>(node)) {
      const auto *element = as<Subscript>(assignment->targets[0]);
      if (element != nullptr && is_it(element->value)) {
        ++uses.filled;
        uses.layer = is_new_layer(site, assignment->value) ? assignment->value : uses.layer;
      }
    }
    return false;
  });
  return uses;
}

bool is_empty(const Expr *expr) {
  const auto *list = as<List>(expr);
  const auto *dictionary = as<Dict>(expr);
  return (list != nullptr && list->elts.empty()) || (dictionary != nullptr && dictionary->items.empty());
}

// The list, dictionary or comprehension of new layers behind an expression: itself, what a name of the function was
// set to, or what a function of the project returns.
struct Container {
  const Expr *written = nullptr; // null if there is none
  const Expr *layer = nullptr;   // that is put into it later, if it begins empty
  const model::Module *module = nullptr;
};

Container container_behind(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 3;
  if (holds_new_layers(site, expr)) {
    return {.written = expr, .module = site.module};
  }
  if (depth == kMostDepth) {
    return {};
  }
  if (const auto *name = as<Name>(expr)) {
    const FunctionDef *const function = site.function != nullptr ? site.function->definition() : nullptr;
    const Expr *const assigned = function != nullptr ? assigned_to(site, *name) : nullptr;
    if (assigned == nullptr || assigned->end > name->start) {
      return {};
    }
    const Uses uses = uses_of_name(site, *function, name->id, name);
    if (uses.registers || uses.mentions != uses.filled) {
      return {}; // it does something else with them: mostly to register them
    }
    if (is_empty(assigned)) {
      return uses.layer != nullptr ? Container{assigned, uses.layer, site.module} : Container{};
    }
    return uses.filled == 0 ? container_behind(site, assigned, depth + 1) : Container{};
  }
  const auto *call = as<Call>(expr);
  const model::FunctionInfo *const function = call != nullptr ? called_function(site, *call) : nullptr;
  const Expr *const returned = function != nullptr ? returned_at_end(site, *call) : nullptr;
  return returned != nullptr ? container_behind(site_inside(site, *function), returned, depth + 1) : Container{};
}

// Of what holds_new_layers holds for: are they metrics?
bool holds_metrics(const Site &site, const Expr *expr) {
  return any_node(expr, [&site](const Node *part) {
    return part->kind == NodeKind::Call && is_metric(site, static_cast<const Expr *>(part));
  });
}

// `self.name`, where self is the method's first parameter.
bool is_own(const Node *node, Symbol self, Symbol name) {
  const auto *attribute = as<Attribute>(node);
  const auto *object = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  return object != nullptr && object->id == self && attribute->attr == name;
}

Uses uses_of(const Site &site, const FunctionDef &function, Symbol name) {
  const Symbol self = function.params.empty() ? Symbol{} : function.params[0]->name;
  Uses uses;
  any_node_inside(&function, [&](const Node *node) {
    if (node->context == Context::Load && is_own(node, self, name)) {
      ++uses.mentions;
    }
    if (const auto *call = as<Call>(node)) {
      const std::string_view method = called_method(*call);
      const auto *plain = as<Name>(call->func);
      uses.registers |= method == "add_module" || method == "register_module" || method == "__setattr__" ||
                        method == "register_parameter" || (plain != nullptr && plain->id.text() == "setattr");
      if ((method == "append" || method == "insert") && is_own(receiver_of(*call), self, name) && !call->args.empty()) {
        ++uses.filled;
        uses.layer = is_new_layer(site, call->args.back()) ? call->args.back() : uses.layer;
      }
    } else if (const auto *assignment = as<Assign>(node)) {
      const auto *element = as<Subscript>(assignment->targets[0]);
      if (element != nullptr && is_own(element->value, self, name)) {
        ++uses.filled;
        uses.layer = is_new_layer(site, assignment->value) ? assignment->value : uses.layer;
      }
    }
    return false;
  });
  return uses;
}

// `self.inputs = [given]` in another method: what __init__ put there only held the place.
bool stores_another(const FunctionDef &method, Symbol name) {
  const Symbol self = method.params.empty() ? Symbol{} : method.params[0]->name;
  return self && any_node(method.body, [&](const Node *node) {
           return node->context == Context::Store && is_own(node, self, name);
         });
}

// Does the class move its metrics itself, or feed them from the CPU? What its methods do with tensors is not followed:
// any move in a method that uses them counts.
bool moves_metrics(const ClassDef &type, Symbol name) {
  return std::ranges::any_of(type.body, [&](const Stmt *statement) {
    const auto *method = as<FunctionDef>(statement);
    const Symbol self = method == nullptr || method->params.empty() ? Symbol{} : method->params[0]->name;
    return self && any_node_inside(method, [&](const Node *node) { return is_own(node, self, name); }) &&
           any_node_inside(method, [&](const Node *node) {
             const auto *call = as<Call>(node);
             const std::string_view moved = call != nullptr ? called_method(*call) : std::string_view{};
             return moved == "to" || moved == "cpu" || moved == "cuda";
           });
  });
}

const FunctionDef *method_named(const ClassDef &type, std::string_view name) {
  for (const Stmt *statement : type.body) {
    if (const auto *method = as<FunctionDef>(statement); method != nullptr && method->name.text() == name) {
      return method;
    }
  }
  return nullptr;
}

void lint(Site &site, const ClassDef &type, const FunctionDef &init, const Assign &assignment, Symbol name) {
  const bool filled_later = is_empty(assignment.value);
  Site inside = site;
  inside.function = site.project.function_at(&init);
  inside.ancestors = {&init};
  const Container container =
      filled_later || inside.function == nullptr ? Container{} : container_behind(inside, assignment.value);
  if (!filled_later && container.written == nullptr) {
    return;
  }
  const Expr *const written = filled_later ? assignment.value : container.written;
  const Uses here = uses_of(site, init, name);
  // Read in __init__ for something else: mostly to register what it holds.
  if (here.registers || here.mentions != here.filled || (filled_later && here.layer == nullptr)) {
    return;
  }
  bool used = false;
  for (const Stmt *statement : type.body) {
    const auto *method = as<FunctionDef>(statement);
    if (method == nullptr || method == &init) {
      continue;
    }
    const Uses there = uses_of(site, *method, name);
    if (there.registers || stores_another(*method, name)) {
      return;
    }
    used = used || there.mentions > 0;
  }
  if (!used) {
    return;
  }
  const Expr *const layer = here.layer != nullptr ? here.layer : container.layer;
  const bool is_dictionary = written->kind == NodeKind::Dict || written->kind == NodeKind::DictComp;
  const bool is_parameters = any_node(layer != nullptr ? layer : written, [&site](const Node *part) {
    return part->kind == NodeKind::Call && is_parameter(site, static_cast<const Expr *>(part));
  });
  const std::string_view api = is_parameters   ? (is_dictionary ? "torch.nn.ParameterDict" : "torch.nn.ParameterList")
                               : is_dictionary ? "torch.nn.ModuleDict"
                                               : "torch.nn.ModuleList";
  const std::string_view wrapper = api.substr(api.rfind('.') + 1);
  const std::string_view what = is_dictionary ? "dictionary" : "list";
  const bool is_metrics = holds_metrics(site, layer != nullptr ? layer : written);
  if (is_metrics && (moves_metrics(type, name) || file_has_word(site, {".cpu()", ".to(self.device", ".to(device"}))) {
    return;
  }
  Finding &finding =
      report(site, assignment,
             is_metrics      ? fmt::format("the metrics in this {} are not registered with the module: they "
                                                "stay on the CPU when it moves to a GPU, and then fail",
                                           what)
             : is_parameters ? fmt::format("the parameters in this {} are not part of the model: they are not "
                                           "trained, moved or saved",
                                           what)
                             : fmt::format("the layers in this {} are not part of the model: they are not "
                                           "trained, moved, saved or switched to eval mode",
                                           what),
             fmt::format("use `nn.{}`", wrapper));
  // A server that never trains may load each layer where it is needed.
  if (site.function != nullptr && (site.function->context & model::kGradMaybeOff) != 0) {
    finding.tier = Tier::Hint;
  }
  if (here.layer != nullptr) {
    add_note(finding, site, *here.layer, "this layer goes into it");
  } else if (written != assignment.value) {
    finding.notes.push_back({container.module->file, written->span(), fmt::format("this is a plain {}", what)});
  }
  const std::string spelling = spelling_of(site, api);
  if (spelling.empty() || (is_dictionary && !filled_later)) {
    return;
  }
  if (filled_later) {
    set_fix(finding, false, {replace(*assignment.value, spelling + "()")});
  } else {
    set_fix(finding, false, {insert_before(*assignment.value, spelling + "("), insert_after(*assignment.value, ")")});
  }
}

void check(Site &site, const Node &node) {
  const auto &type = static_cast<const ClassDef &>(node);
  const auto *known = site.project.class_at(&node);
  if (known == nullptr || known->kind != Kind::TorchModule) {
    return;
  }
  const FunctionDef *init = method_named(type, "__init__");
  if (init == nullptr || init->params.empty() || method_named(type, "parameters") != nullptr) {
    return;
  }
  const Symbol self = init->params[0]->name;
  any_node(init->body, [&](const Node *statement) {
    if (const auto *assignment = as<Assign>(statement); assignment != nullptr && assignment->targets.size() == 1) {
      const auto *target = as<Attribute>(assignment->targets[0]);
      if (target != nullptr && is_own(target, self, target->attr)) {
        lint(site, type, *init, *assignment, target->attr);
      }
    }
    return false;
  });
}

} // namespace

extern constinit const Rule kModulesInPlainList = {
    .info = {.code = "DP237",
             .name = "modules-in-plain-list",
             .summary = "layers in a Python list or dictionary, which the model does not register",
             .root_cause = "Model: Inefficient Model Structure",
             .symptoms = "Not Using GPU, Slow Execution Time",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

An attribute of an `nn.Module` or LightningModule that is a plain list or dictionary of layers, or of torchmetrics metrics, and that its
methods use.

## Why it is wrong

A module registers the modules that are assigned to its attributes, but not those inside lists and dictionaries. Such layers are not in
`parameters()`, so the optimizer does not train them; `to(device)` and `cuda()` leave them on the CPU; checkpoints do not contain them; and
`train()` and `eval()` do not reach them. Metrics have no weights, but their state stays on the CPU, and an update with GPU tensors fails.
`nn.ModuleList` and `nn.ModuleDict` are used the same way and are registered.

## Bad

```python
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = [nn.Linear(64, 64) for _ in range(depth)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
```

## Good

```python
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(64, 64) for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
```

## When it is wrong

Where layers are kept out on purpose, for instance a frozen teacher that should not be in checkpoints. A list of one element, the usual
idiom for that, is not reported, and neither is a list that `__init__` reads again to register its contents. The fix adds parameters to the
model, so it needs `--unsafe-fixes`.

## References

- PyTorch documentation: nn.ModuleList, nn.ModuleDict
)"},
    .nodes = {NodeKind::ClassDef},
    .on_node = check};

} // namespace deepperf::rules::modules_in_plain_list
