#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <vector>

namespace deepperf::rules::frozen_head {

using namespace python;

namespace {

// `x` of `for p in x.parameters(): p.requires_grad = False`, where nothing decides which of them; null if it is
// something else.
const Expr *frozen_by_loop(const Site &site, const For &loop) {
  const auto *call = as<Call>(loop.iter);
  const auto *target = as<Name>(loop.target);
  if (call == nullptr || called_method(*call) != "parameters" || !call->args.empty() || target == nullptr ||
      loop.body.size() != 1) {
    return nullptr;
  }
  if (const auto *assignment = as<Assign>(loop.body[0])) {
    const auto *attribute = as<Attribute>(assignment->targets[0]);
    const auto *name = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
    const bool freezes = name != nullptr && name->id == target->id && attribute->attr.text() == "requires_grad" &&
                         is_constant(assignment->value, ConstantKind::False);
    return freezes ? receiver_of(*call) : nullptr;
  }
  const auto *statement = as<ExprStmt>(loop.body[0]);
  const auto *method = statement != nullptr ? as<Call>(statement->value) : nullptr;
  const bool freezes = method != nullptr && called_method(*method) == "requires_grad_" && method->args.size() == 1 &&
                       bool_of(site, method->args[0]) == false;
  return freezes ? receiver_of(*call) : nullptr;
}

// New layers that a function puts into models, `model.fc = nn.Linear(…)`, `model.classifier[6] = …`, in the order of
// its code, and the last place where something becomes trainable, or gets other weights.
struct NewLayers {
  std::unordered_map<std::string_view, std::vector<const Assign *>> of; // by how the model is written
  u32 last_thaw = 0;
  bool is_thawed = false;
};

bool thaws(const Site &site, const Node *node) {
  if (const auto *call = as<Call>(node); call != nullptr && called_method(*call) == "requires_grad_") {
    return call->args.empty() || bool_of(site, call->args[0]) != false;
  }
  const auto *assignment = as<Assign>(node);
  const auto *attribute = assignment != nullptr ? as<Attribute>(assignment->targets[0]) : nullptr;
  return attribute != nullptr && attribute->attr.text() == "requires_grad" &&
         !is_constant(assignment->value, ConstantKind::False);
}

NewLayers find_new_layers(const Site &site) {
  NewLayers found;
  any_node(body_around(site), [&](const Node *node) {
    if (thaws(site, node)) {
      found.is_thawed = true;
      found.last_thaw = std::max(found.last_thaw, node->start);
    }
    const auto *assignment = as<Assign>(node);
    if (assignment == nullptr || assignment->targets.size() != 1 ||
        model::kind_of(assignment->value) != Kind::TorchModule || assignment->value->kind != NodeKind::Call) {
      return false;
    }
    const Expr *target = assignment->targets[0];
    while (target->kind == NodeKind::Subscript || target->kind == NodeKind::Attribute) {
      target = target->kind == NodeKind::Subscript ? static_cast<const Subscript *>(target)->value
                                                   : static_cast<const Attribute *>(target)->value;
      found.of[text_of(site, target)].push_back(assignment);
    }
    return false;
  });
  return found;
}

const NewLayers &new_layers(const Site &site) {
  return site.memory.recall<NewLayers>(&body_around(site), [&site] { return find_new_layers(site); });
}

// The new layer that the code before puts into the model.
const Assign *layer_before(const Site &site, const Expr *model, u32 place) {
  const NewLayers &layers = new_layers(site);
  const auto known = layers.of.find(text_of(site, model));
  if (known == layers.of.end()) {
    return nullptr;
  }
  const auto after = std::ranges::upper_bound(known->second, place, {}, [](const Assign *one) { return one->end; });
  return after != known->second.begin() ? *(after - 1) : nullptr;
}

bool has_layer_after(const Site &site, const Expr *model, u32 place) {
  const NewLayers &layers = new_layers(site);
  const auto known = layers.of.find(text_of(site, model));
  return known != layers.of.end() && known->second.back()->start >= place;
}

// Is something of the model made trainable again after the place, or does the function put other weights there?
bool is_thawed(const Site &site, u32 place) {
  const NewLayers &layers = new_layers(site);
  return layers.is_thawed && layers.last_thaw >= place;
}

// nn.Sequential(), nn.Identity(): nothing in it could be trained.
bool has_no_weights(const Site &site, const Assign &layer) {
  const auto &made = static_cast<const Call &>(*layer.value);
  const std::string_view api = called_api(site, made);
  return (api == "torch.nn.Sequential" && made.args.empty() && made.keywords.empty()) || api == "torch.nn.Identity" ||
         api == "torch.nn.Flatten" || api == "torch.nn.ReLU" || api == "torch.nn.Softmax" ||
         api == "torch.nn.Sigmoid" || api == "torch.nn.Dropout" || api == "torch.nn.AdaptiveAvgPool2d";
}

void check_frozen(Site &site, const Node &place, const Expr *model) {
  const Assign *layer = layer_before(site, model, place.start);
  if (layer != nullptr && has_no_weights(site, *layer)) {
    return;
  }
  // In a constructor, what is frozen may be a part that gets its layer there.
  if (layer == nullptr || site.module->is_test || has_layer_after(site, model, place.end) ||
      is_thawed(site, place.end)) {
    return;
  }
  const auto *name = as<Name>(model);
  const bool is_own = name != nullptr && name->id.text() == "self";
  const std::string_view text = text_of(site, layer->targets[0]);
  if (is_own) {
    return;
  }
  // Weights that are loaded afterwards, for inference, or thawed by another function
  if (file_has_word(site, {"requires_grad = True", "requires_grad=True", "requires_grad_(True", "requires_grad_()",
                           "load_state_dict", "unfreeze", "setattr("}) ||
      !project_has_word(site, {".backward(", "Trainer"})) {
    return;
  }
  Finding &finding =
      report(site, place, fmt::format("this also freezes `{}`, the new layer that should be trained", text),
             fmt::format("freeze `{}` first and add the new layer afterwards", text_of(site, model)));
  add_note(finding, site, *layer, "the new layer is created here");
}

// `freeze(model)`, a function of the project that freezes all of what it is given
void check_helper(Site &site, const Call &call) {
  const model::FunctionInfo *function = called_function(site, call);
  const FunctionDef *definition = function != nullptr ? function->definition() : nullptr;
  if (definition == nullptr || call.args.empty() || definition->params.empty() || receiver_of(call) != nullptr) {
    return;
  }
  struct Freezes {
    bool first = false; // all of its first parameter
  };
  const bool freezes =
      site.memory
          .recall<Freezes>(definition,
                           [&] {
                             return Freezes{std::ranges::any_of(definition->body, [&](const Stmt *one) {
                               const auto *loop = as<For>(one);
                               const auto *model = as<Name>(loop != nullptr ? frozen_by_loop(site, *loop) : nullptr);
                               return model != nullptr && model->id == definition->params[0]->name;
                             })};
                           })
          .first;
  if (freezes) {
    check_frozen(site, call, call.args[0]);
  }
}

void check_loop(Site &site, const Node &node) {
  if (const auto *call = as<Call>(&node)) {
    if (call->fact != 0) {
      check_helper(site, *call);
    }
    return;
  }
  const auto &loop = static_cast<const For &>(node);
  if (const Expr *model = frozen_by_loop(site, loop)) {
    check_frozen(site, node, model);
  }
}

void check_call(Site &site, const Call &call) {
  if (call.args.size() == 1 && bool_of(site, call.args[0]) == false &&
      model::kind_of(receiver_of(call)) == Kind::TorchModule) {
    check_frozen(site, call, receiver_of(call));
  }
}

} // namespace

extern constinit const Rule kFrozenHead = {
    .info = {.code = "DP925",
             .name = "frozen-head",
             .summary = "a new layer that is frozen together with the model it was added to",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop that sets `requires_grad = False` for all parameters of a model, or `model.requires_grad_(False)`, after a new layer was added to the model, and
nothing that makes the layer trainable again.

## Why it is wrong

The new layer has random weights and is the one that should learn. Frozen with the rest, `backward()` fails because nothing requires a gradient, or the
model never learns anything.

## Bad

```python
import torch
from torchvision import models


def train(loader, classes: int):
    model = models.resnet18(weights="DEFAULT")
    model.fc = torch.nn.Linear(512, classes)
    for p in model.parameters():
        p.requires_grad = False
    optimizer = torch.optim.SGD(model.fc.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
```

## Good

```python
import torch
from torchvision import models


def train(loader, classes: int):
    model = models.resnet18(weights="DEFAULT")
    for p in model.parameters():
        p.requires_grad = False
    model.fc = torch.nn.Linear(512, classes)
    optimizer = torch.optim.SGD(model.fc.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
```

## When it is wrong

Where a caller makes the layer trainable, or the model is only used for inference.
)"},
    .calls = "TorchModule.requires_grad_",
    .on_call = check_call,
    .nodes = {NodeKind::For, NodeKind::Call},
    .on_node = check_loop};

} // namespace deepperf::rules::frozen_head
