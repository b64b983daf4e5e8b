#include "model/bind.h"
#include "rules/assignments.h"
#include "rules/made_on_host.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::init_overwrites_pretrained {

using namespace python;

namespace {

constexpr u32 kMostDepth = 3;

// Code that initializes all layers of an object.
struct Initialization {
  const Expr *object = nullptr; // null if it is something else
  bool conv = false;            // also convolutions
  bool linear = false;          // also linear layers
};

// Does the code fill weights at random: nn.init.normal_(m.weight), m.weight.data.normal_()?
bool fills_weights(const Site &site, const Node *body) {
  return any_node_inside(body, [&site](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    static constexpr std::string_view kRandom[] = {"normal", "uniform", "xavier", "kaiming", "orthogonal", "trunc"};
    const std::string_view name = called_name(*call);
    const bool is_random =
        std::ranges::any_of(kRandom, [name](std::string_view word) { return name.starts_with(word); });
    const bool is_function = called_api(site, *call).starts_with("torch.nn.init.") && !call->args.empty();
    const Expr *const filled = is_function ? call->args[0] : receiver_of(*call);
    return is_random && filled != nullptr && has_word(text_of(site, filled), {".weight"});
  });
}

// By the types of layers that the code asks for; all, if it asks for none.
Initialization initialized_by(const Expr *object, std::string_view text) {
  const bool asks = has_word(text, {"isinstance", "classname", "class_name", "__class__", "type("});
  return {.object = object, .conv = !asks || has_word(text, {"Conv"}), .linear = !asks || has_word(text, {"Linear"})};
}

Initialization initialization_in(const Site &site, const Stmt *statement, u32 depth = 0);

// `initialize(model)` and `self.init_weights()`: functions of the project that do so with what they are given.
Initialization initialization_by_call(const Site &site, const Call &call, u32 depth) {
  const model::FunctionInfo *const function = called_function(site, call);
  const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
  if (definition == nullptr || function == site.function || depth >= kMostDepth || has_hidden_arguments(call)) {
    return {};
  }
  const Site inside = site_inside(site, *function);
  for (const Stmt *part : definition->body) {
    Initialization found = initialization_in(inside, part, depth + 1);
    const auto *name = found.object != nullptr ? as<Name>(found.object) : nullptr;
    if (name == nullptr) {
      continue;
    }
    const bool is_bound = function->type != nullptr && !function->is_static && receiver_of(call) != nullptr;
    for (u32 i = 0; i < function->params.size(); ++i) {
      if (function->params[i]->name == name->id) {
        found.object = is_bound && i == 0 ? receiver_of(call) : argument(call, i - (is_bound ? 1 : 0), name->id.text());
        return found.object != nullptr && found.object->kind == NodeKind::Name ? found : Initialization{};
      }
    }
  }
  return {};
}

Initialization initialization_in(const Site &site, const Stmt *statement, u32 depth) {
  if (const auto *loop = as<For>(statement)) { // for m in self.modules(): …
    const auto *call = as<Call>(loop->iter);
    const bool is_all =
        call != nullptr && (called_method(*call) == "modules" || called_method(*call) == "named_modules");
    const auto *object = is_all ? as<Name>(receiver_of(*call)) : nullptr;
    const bool fills = object != nullptr &&
                       std::ranges::any_of(loop->body, [&site](const Stmt *part) { return fills_weights(site, part); });
    return fills ? initialized_by(object, text_of(site, loop)) : Initialization{};
  }
  const auto *plain = as<ExprStmt>(statement);
  const auto *call = plain != nullptr ? as<Call>(plain->value) : nullptr;
  if (call == nullptr) {
    return {};
  }
  if (called_method(*call) != "apply" || call->args.size() != 1) {
    return initialization_by_call(site, *call, depth);
  }
  const model::Value given = value_of(site, call->args[0]);
  const model::FunctionInfo *const function =
      given.is(model::Value::Tag::Function) || given.is(model::Value::Tag::Method) ? given.function : nullptr;
  const bool fills = function != nullptr && function->definition() != nullptr &&
                     as<Name>(receiver_of(*call)) != nullptr &&
                     fills_weights(site_inside(site, *function), function->definition());
  return fills ? initialized_by(receiver_of(*call), text_of(*function)) : Initialization{};
}

// A call that gives a model with trained weights, of which the initialization changes some.
bool is_pretrained(const Site &site, const Call &call, const Initialization &by) {
  const std::string_view api = called_api(site, call);
  if (called_method(call) == "from_pretrained") {
    return by.linear && model::kind_of(&call) == Kind::HfModel;
  }
  const bool is_vision = api.starts_with("torchvision.models.");
  const bool is_transformer = has_word(text_of(site, &call), {"vit", "swin", "deit", "beit"});
  if ((!is_vision && api != "timm.create_model" && api != "torch.hub.load") ||
      (is_transformer ? !by.linear : !by.conv)) {
    return false;
  }
  if (const Keyword *weights = keyword_argument(call, "weights")) {
    return is_vision && (weights->value->kind == NodeKind::Attribute || string_of(site, weights->value).has_value());
  }
  if (const Keyword *pretrained = keyword_argument(call, "pretrained")) {
    return bool_of(site, pretrained->value) == true;
  }
  return is_vision && !call.args.empty() && bool_of(site, call.args[0]) == true;
}

// The call that loads what an expression holds, also under names and through functions; null if nothing does.
const Call *loaded_in(const Site &site, const Expr *expr, const Initialization &by, u32 depth = 0) {
  const Call *found = nullptr;
  any_node_inside(static_cast<const Node *>(expr), [&](const Node *node) {
    if (const auto *call = as<Call>(node)) {
      const model::FunctionInfo *const function = called_function(site, *call);
      const bool is_function = function != nullptr && function->definition() != nullptr && function->type == nullptr;
      const Expr *const returned = is_function && depth < kMostDepth ? returned_at_end(site, *call) : nullptr;
      if (is_pretrained(site, *call, by)) {
        found = call;
      } else if (returned != nullptr) {
        found = loaded_in(site_inside(site, *function), returned, by, depth + 1);
      }
    } else if (const auto *name = as<Name>(node); name != nullptr && depth < kMostDepth) {
      const Expr *const value = assigned_before(site, name->id, name->start);
      found = value != nullptr && value != expr ? loaded_in(site, value, by, depth + 1) : nullptr;
    }
    return found != nullptr;
  });
  return found;
}

// What a statement loads into the object, or into a part of it.
const Call *loaded_by(const Site &site, const Stmt *statement, const Initialization &by) {
  const Symbol object = static_cast<const Name *>(by.object)->id;
  if (const auto *assign = as<Assign>(statement)) {
    const Expr *const target = assign->targets.size() == 1 ? assign->targets[0] : nullptr;
    const Name *const root = target != nullptr ? model::root_name(target) : nullptr;
    return root != nullptr && root->id == object ? loaded_in(site, assign->value, by) : nullptr;
  }
  const auto *plain = as<ExprStmt>(statement);
  const auto *call = plain != nullptr ? as<Call>(plain->value) : nullptr;
  const Name *const root =
      call != nullptr && called_method(*call) == "load_state_dict" ? model::root_name(receiver_of(*call)) : nullptr;
  return root != nullptr && root->id == object ? call : nullptr;
}

// The statements of a function or module that run in any case, in their order.
void check_body(Site &site, const Block &body) {
  for (u32 i = 0; i < body.size(); ++i) {
    const bool may_be = body[i]->kind == NodeKind::ExprStmt || body[i]->kind == NodeKind::For;
    const Initialization by = may_be ? initialization_in(site, body[i]) : Initialization{};
    if (by.object == nullptr || by.object->kind != NodeKind::Name) {
      continue;
    }
    const Call *loaded = nullptr;
    for (u32 before = 0; before < i && loaded == nullptr; ++before) {
      loaded = loaded_by(site, body[before], by);
    }
    if (loaded == nullptr) {
      continue;
    }
    const Node *const place =
        body[i]->kind == NodeKind::For ? static_cast<const Node *>(static_cast<const For *>(body[i])->iter) : body[i];
    Finding &finding = report(
        site, *place,
        fmt::format("this initializes all layers of `{}` again, also those whose trained weights are loaded before",
                    text_of(site, by.object)),
        "initialize the new layers alone, or load the weights afterwards");
    const model::FunctionInfo *const there = site.project.caller_of(loaded);
    finding.notes.push_back({there != nullptr ? there->module->file : site.module->file, loaded->span(),
                             "the trained weights are loaded here"});
  }
}

void check(Site &site, const Node &node) {
  const auto &definition = static_cast<const FunctionDef &>(node);
  if (!site.module->torch || site.module->is_test) {
    return;
  }
  const model::FunctionInfo *const function = site.project.function_at(&node);
  if (function == nullptr) {
    return;
  }
  Site inside = site_inside(site, *function);
  inside.trace = site.trace;
  check_body(inside, definition.body);
}

void check_module(Site &site) {
  if (!site.module->torch || site.module->is_test) {
    return;
  }
  check_body(site, site.module->parsed->tree.body);
}

} // namespace

extern constinit const Rule kInitOverwritesPretrained = {
    .info = {.code = "DP965",
             .name = "init-overwrites-pretrained",
             .summary = "a model that is initialized at random after trained weights were loaded into it",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Low Accuracy, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`model.apply(init_weights)`, or a loop over `model.modules()`, that fills all weights with random numbers after a pretrained model became a part of it or
`load_state_dict()` was called.

## Why it is wrong

The trained weights are lost. The model trains from random weights, and nothing shows it but a worse result.

## Bad

```python
import torch.nn as nn
from torchvision import models


def init_weights(module):
    if isinstance(module, nn.Conv2d):
        nn.init.kaiming_normal_(module.weight)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = models.resnet18(weights="IMAGENET1K_V1")
        self.head = nn.Conv2d(512, 2, 1)
        self.apply(init_weights)
```

## Good

```python
import torch.nn as nn
from torchvision import models


def init_weights(module):
    if isinstance(module, nn.Conv2d):
        nn.init.kaiming_normal_(module.weight)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = models.resnet18(weights="IMAGENET1K_V1")
        self.head = nn.Conv2d(512, 2, 1)
        self.head.apply(init_weights)
```

## When it is wrong

Where the function skips trained layers in a way that the rule does not see.

## References

- PyTorch: `torch.nn.Module.apply`
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check,
    .on_module = check_module};

} // namespace deepperf::rules::init_overwrites_pretrained
