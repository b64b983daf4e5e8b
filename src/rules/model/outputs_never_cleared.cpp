#include "model/code_text.h"
#include "model/definitions.h"
#include "rules/lightning.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::outputs_never_cleared {

using namespace python;

namespace {

bool is_step(std::string_view name) {
  return name == "training_step" || name == "validation_step" || name == "test_step" || name == "predict_step";
}

// `x` of `self.x` and of `self.x["key"]`; none if it is something else.
Symbol own_attribute(const Expr *expr, Symbol self) {
  if (const auto *entry = as<Subscript>(expr)) {
    expr = entry->value;
  }
  const auto *attribute = as<Attribute>(expr);
  const auto *object = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  return object != nullptr && object->id == self ? attribute->attr : Symbol{};
}

// Does the method empty the list, or replace it?
bool empties(const FunctionDef &method, Symbol list) {
  const Symbol self = method.params.empty() ? Symbol{} : method.params[0]->name;
  return any_node_inside(&method, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && (called_method(*call) == "clear" || called_method(*call) == "pop")) {
      return own_attribute(receiver_of(*call), self) == list;
    }
    if (const auto *removed = as<Delete>(node)) {
      return any_node(removed, [&](const Node *part) {
        return part->kind == NodeKind::Attribute && own_attribute(static_cast<const Expr *>(part), self) == list;
      });
    }
    return node->kind == NodeKind::Attribute && node->context != Context::Load &&
           own_attribute(static_cast<const Expr *>(node), self) == list;
  });
}

void add_derived(const model::ClassInfo &type, std::vector<const model::ClassInfo *> &family) {
  for (const model::ClassInfo *below : type.subclasses) {
    if (std::ranges::find(family, below) == family.end()) {
      family.push_back(below);
      add_derived(*below, family);
    }
  }
}

// ---- In an object that the module holds

bool is_constructor(const model::FunctionInfo *function) {
  return function != nullptr && function->name && function->name.text() == "__init__";
}

// `[]` or `list()`, and only in constructors: nothing empties it by replacing it.
bool is_made_once(const Site &site, Symbol attribute) {
  const auto &stores = model::definitions_of(site.project).attribute_stores;
  const auto found = stores.find(attribute.id);
  return found != stores.end() && std::ranges::all_of(found->second, [](const model::AttributeStore &store) {
           const auto *list = as<List>(store.value);
           const auto *call = as<Call>(store.value);
           const bool is_empty = (list != nullptr && list->elts.empty()) ||
                                 (call != nullptr && called_name(*call) == "list" && call->args.empty());
           return is_empty && is_constructor(store.function);
         });
}

// An object that lives as long as the LightningModule that has it: made by constructors alone.
bool lives_on(const Site &site, const model::ClassInfo &type) {
  const auto &constructions = model::definitions_of(site.project).constructions;
  const auto known = constructions.find(&type);
  return known != constructions.end() && std::ranges::all_of(known->second, [](const model::CallPlace &place) {
           return is_constructor(place.function) && place.function->type != nullptr &&
                  is_lightning_module(*place.function->type);
         });
}

bool is_emptied(const Site &site, Symbol attribute) {
  const std::string name(attribute.text());
  const std::string ways[] = {name + ".clear(",   name + ".pop(", name + "[:]",
                              "del self." + name, "setattr(",     name + ".popleft("};
  std::vector<std::string_view> words(std::begin(ways), std::end(ways));
  return std::ranges::any_of(site.project.modules, [&words](const model::Module &module) {
    return module.parsed != nullptr && has_word(model::code_of(module), words);
  });
}

// The step of a LightningModule that leads to the place, and what it is called.
const model::FunctionInfo *step_behind(const model::FunctionInfo *function, u32 depth = 0) {
  constexpr u32 kMostDepth = 3;
  const std::string_view name = function->name ? function->name.text() : std::string_view{};
  if ((name == "validation_step" || name == "training_step") && function->type != nullptr &&
      is_lightning_module(*function->type)) {
    return function;
  }
  constexpr std::size_t kMostCallers = 16;
  if (function->called_by.size() > kMostCallers) {
    return nullptr;
  }
  for (const model::CallSite *caller : function->called_by) {
    if (depth < kMostDepth && caller->caller != function && !caller->conditional) {
      if (const model::FunctionInfo *const found = step_behind(caller->caller, depth + 1); found != nullptr) {
        return found;
      }
    }
  }
  return nullptr;
}

// The method at the end of an epoch that reads what was collected, at any depth of calls.
const model::FunctionInfo *read_at_end(const model::ClassInfo &module, Symbol attribute) {
  const std::string read = fmt::format(".{}", attribute.text());
  const std::string_view words[] = {read};
  for (const std::string_view name : {"on_validation_epoch_end", "on_train_epoch_end"}) {
    for (const model::ClassInfo *at : module.mro) {
      const auto member = at->members.find(intern(name).id);
      const model::FunctionInfo *const end =
          member != at->members.end() && member->second.is(model::Value::Tag::Function) ? member->second.function
                                                                                        : nullptr;
      if (end == nullptr || end->node == nullptr) {
        continue;
      }
      const auto reached = reached_functions(*end, *end->node);
      if (has_word(text_of(*end), words) || std::ranges::any_of(reached, [&](const model::FunctionInfo *one) {
            return has_word(text_of(*one), words);
          })) {
        return end;
      }
    }
  }
  return nullptr;
}

// The same in a method that a step calls, of the module or of an object that it holds.
void check_elsewhere(Site &site, const Call &call) {
  const auto *list = as<Attribute>(receiver_of(call));
  const auto *self = list != nullptr ? as<Name>(list->value) : nullptr;
  const model::FunctionInfo *const function = site.function;
  if (self == nullptr || function == nullptr || function->type == nullptr || function->params.empty() ||
      function->params[0]->name != self->id || site.module->is_test || !project_has_word(site, {"LightningModule"})) {
    return;
  }
  const model::FunctionInfo *const step = step_behind(function);
  if (step == nullptr || !is_made_once(site, list->attr) || is_emptied(site, list->attr) ||
      (!is_lightning_module(*function->type) && !lives_on(site, *function->type))) {
    return;
  }
  const model::FunctionInfo *const end = read_at_end(*step->type, list->attr);
  if (end == nullptr) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` is never emptied, so each epoch's result includes all earlier epochs, and memory grows",
                         text_of(site, list)),
             fmt::format("call `{}.clear()` at the end of the epoch", text_of(site, list)));
  finding.notes.push_back(
      {end->module->file, end->definition()->name_span, "Lightning calls this at the end of every epoch"});
}

// `self.outputs.append(…)` in validation_step, and nothing that empties it
void check(Site &site, const Call &call) {
  const model::FunctionInfo *function = site.function;
  if (function != nullptr && function->type != nullptr && !is_lightning_module(*function->type)) {
    check_elsewhere(site, call);
    return;
  }
  if (function == nullptr || function->type == nullptr || function->params.empty() || call.args.size() != 1 ||
      (!is_step(function->name.text()) && !leads_from_training_step(site)) || site.module->is_test ||
      !is_lightning_module(*function->type)) {
    return;
  }
  const Symbol list = own_attribute(receiver_of(call), function->params[0]->name);
  const Expr *kept = call.args[0];
  const bool is_tensor =
      model::kind_of(kept) == Kind::TorchTensor || kept->kind == NodeKind::Dict || kept->kind == NodeKind::Tuple;
  if (!list || !is_tensor) {
    return;
  }
  const Node *read = nullptr;
  const model::ClassInfo *reader = nullptr;
  std::vector<const model::ClassInfo *> family(function->type->mro.begin(), function->type->mro.end());
  add_derived(*function->type, family);
  for (const model::ClassInfo *type : family) {
    for (const Stmt *statement : type->node->body) {
      const auto *method = as<FunctionDef>(statement);
      if (method == nullptr || method->params.empty()) {
        continue;
      }
      if (method->name.text() != "__init__" && empties(*method, list)) {
        return;
      }
      const std::string_view name = method->name.text();
      if ((name.ends_with("_epoch_end") || name.ends_with("_end"))) {
        any_node(method->body, [&](const Node *node) {
          if (node->kind == NodeKind::Attribute &&
              own_attribute(static_cast<const Expr *>(node), method->params[0]->name) == list) {
            read = node;
            reader = type;
          }
          return read != nullptr;
        });
      }
    }
  }
  if (read == nullptr) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("`self.{}` is never emptied, so it keeps the outputs of all epochs, and the metric mixes them",
                         list.text()),
             fmt::format("call `self.{}.clear()` at the end of the epoch", list.text()));
  finding.notes.push_back({reader->module->file, read->span(), "it is read here, at the end of each epoch"});
}

} // namespace

extern constinit const Rule kOutputsNeverCleared = {
    .info = {.code = "DP279",
             .name = "outputs-never-cleared",
             .summary = "a list of a LightningModule that every step appends to and no epoch empties",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Memory Leak, Out of Memory, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`self.outputs.append(…)` in a step of a LightningModule, where a hook at the end of the epoch reads the list and nothing empties it. The
list may also belong to an object that the module holds.

## Why it is wrong

Lightning 2 no longer passes the outputs to the hook, so modules keep them in a list. Unless the list is emptied, it holds the predictions of all epochs on the GPU, and each
epoch's metric is computed over all of them.

## Bad

```python
import lightning as L
import torch


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 2)
        self.outputs = []

    def validation_step(self, batch, batch_idx):
        self.outputs.append(self.layer(batch[0]).argmax(1))

    def on_validation_epoch_end(self):
        self.log("positive", torch.cat(self.outputs).float().mean())
```

## Good

```python
import lightning as L
import torch


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 2)
        self.outputs = []

    def validation_step(self, batch, batch_idx):
        self.outputs.append(self.layer(batch[0]).argmax(1))

    def on_validation_epoch_end(self):
        self.log("positive", torch.cat(self.outputs).float().mean())
        self.outputs.clear()
```

## When it is wrong

Where the outputs of all epochs are intended.

## References

- Lightning documentation: migration from 1.x, epoch-end hooks
)"},
    .calls = "*.append",
    .on_call = check};

} // namespace deepperf::rules::outputs_never_cleared
