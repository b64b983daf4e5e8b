#include "model/graph_flow.h"
#include "python/children.h"
#include "rules/reach.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::rules::module_without_optimizer {

using namespace python;

namespace {

// How a class or function uses a module that it holds: an attribute of self, or a name.
struct HeldModule {
  const Expr *made = nullptr; // what is assigned to it
  u32 stores = 0;
  std::vector<const Call *> calls;
  bool evaluates = false; // eval() is called on it
  bool trains = false;    // train() is
  bool is_taken = false;  // its parameters are, or it is handed away: nobody knows
};

struct HeldModules {
  std::unordered_map<u32, HeldModule> all; // by the name or attribute
  std::vector<u32> order;
};

// Methods that neither train it nor hand it to anybody.
bool is_harmless(std::string_view method) {
  return method == "to" || method == "cuda" || method == "cpu" || method == "zero_grad" || method == "state_dict" ||
         method == "forward" || method == "float";
}

class HeldFinder {
public:
  // Without `self`, names are meant.
  HeldFinder(const model::Project &project, HeldModules &found, Symbol self)
      : project_(project), found_(found), self_(self) {}

  void walk(const Node *node) {
    if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda) {
      const model::FunctionInfo *outer = inner_;
      inner_ = project_.function_at(node);
      for_each_child(node, [this](const Node *child) { walk(child); });
      inner_ = outer;
      return;
    }
    if (const auto *assignment = as<Assign>(node); assignment != nullptr) {
      walk(assignment->value);
      for (const Expr *target : assignment->targets) {
        walk_target(target, assignment->value);
      }
      return;
    }
    if (const auto *call = as<Call>(node)) {
      walk_call(*call);
      return;
    }
    if (const Symbol name = held(node)) {
      module(name).is_taken = true;
      return;
    }
    for_each_child(node, [this](const Node *child) { walk(child); });
  }

private:
  Symbol held(const Node *node) const {
    if (!self_) {
      const auto *name = as<Name>(node);
      return name != nullptr && !is_own(name->id) ? name->id : Symbol{};
    }
    const auto *attribute = as<Attribute>(node);
    const auto *object = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
    return object != nullptr && object->id == self_ ? attribute->attr : Symbol{};
  }

  // Is it a name of a function inside, and another thing?
  bool is_own(Symbol name) const { return inner_ != nullptr && inner_->slot_of(name) != model::FunctionInfo::kNoSlot; }

  HeldModule &module(Symbol name) {
    const auto [place, is_new] = found_.all.try_emplace(name.id);
    if (is_new) {
      found_.order.push_back(name.id);
    }
    return place->second;
  }

  void walk_target(const Expr *target, const Expr *value) {
    if (const Symbol name = held(target)) {
      HeldModule &one = module(name);
      ++one.stores;
      one.made = value;
      return;
    }
    walk(target);
  }

  void walk_arguments(const Call &call) {
    for (const Expr *arg : call.args) {
      walk(arg);
    }
    for (const Keyword *keyword : call.keywords) {
      walk(keyword->value);
    }
  }

  void walk_call(const Call &call) {
    const Expr *receiver = receiver_of(call);
    if (const Symbol name = held(call.func)) {
      module(name).calls.push_back(&call);
    } else if (const Symbol object = receiver != nullptr ? held(receiver) : Symbol{}) {
      if (called_method(call) == "forward") {
        module(object).calls.push_back(&call);
      } else if (called_method(call) == "eval") {
        module(object).evaluates = true;
      } else if (called_method(call) == "train") {
        module(object).trains = true;
      } else if (!is_harmless(called_method(call))) {
        module(object).is_taken = true;
      }
    } else {
      walk(call.func);
    }
    walk_arguments(call);
  }

  const model::Project &project_;
  HeldModules &found_;
  Symbol self_;
  const model::FunctionInfo *inner_ = nullptr; // the function inside that is walked
};

const HeldModules &held_by_class(const Site &site, const model::ClassInfo &type) {
  return site.memory.recall<HeldModules>(type.node, [&] {
    HeldModules found;
    for (const Stmt *statement : type.node->body) {
      const auto *method = as<FunctionDef>(statement);
      if (method != nullptr && !method->params.empty()) {
        HeldFinder finder(site.project, found, method->params[0]->name);
        for (const Stmt *part : method->body) {
          finder.walk(part);
        }
      }
    }
    return found;
  });
}

const HeldModules &held_by_function(const Site &site) {
  const FunctionDef *definition = site.function->definition();
  const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const void *about = definition != nullptr ? static_cast<const void *>(definition) : site.module;
  return site.memory.recall<HeldModules>(about, [&] {
    HeldModules found;
    HeldFinder finder(site.project, found, {});
    for (const Stmt *statement : body) {
      finder.walk(statement);
    }
    return found;
  });
}

// Without `.to(device)` and the like after it.
const Call *maker_of(const Expr *value) {
  const auto *call = as<Call>(value);
  while (call != nullptr && receiver_of(*call) != nullptr &&
         (called_method(*call) == "to" || called_method(*call) == "cuda")) {
    call = as<Call>(receiver_of(*call));
  }
  return call;
}

// Does a class, or one that it derives from, load weights or freeze them?
bool may_load_weights(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *one) {
    const std::string_view source = one->module->parsed->source.text();
    return has_word(source.substr(one->node->start, one->node->end - one->node->start),
                    {"pretrained", "weights=", "load", "requires_grad", "models."});
  });
}

// A module with weights that starts from random ones: a layer of PyTorch, or a class of the project.
bool is_fresh_module(const Site &site, const Expr *made) {
  const Call *call = made != nullptr ? maker_of(made) : nullptr;
  if (call == nullptr) {
    return false;
  }
  const model::Value callee = site.project.callee_of(call);
  if (callee.is(model::Value::Tag::Class)) {
    return callee.type->kind == Kind::TorchModule && !may_load_weights(*callee.type);
  }
  if (!callee.is(model::Value::Tag::Api)) {
    return false;
  }
  const ApiInfo *info = find_api(callee.name());
  return info != nullptr && info->returns == Kind::TorchModule && info->has(kWeights);
}

// Does a backward() walk what the call gives, and the function step an optimizer?
bool is_trained_through(const Site &site, const Call &call) {
  const model::FunctionInfo *function = site.project.caller_of(&call);
  if (function == nullptr || !function->trains || function->no_grad) {
    return false;
  }
  struct TrainedCalls {
    std::unordered_set<const Node *> places;
  };
  const TrainedCalls &trained = site.memory.recall<TrainedCalls>(function, [&] {
    TrainedCalls found;
    for (const model::GraphFlow::Origin &origin : model::graph_flow_of(site.project, *function).origins) {
      // A part that is detached elsewhere, as for a log, is walked all the same.
      if ((origin.uses & model::GraphFlow::kWalked) != 0 && (origin.uses & model::GraphFlow::kNeedsNoGraph) == 0) {
        found.places.insert(origin.place);
      }
    }
    return found;
  });
  return trained.places.contains(&call);
}

// The module whose parameters the optimizer gets: `x` of `Adam(x.parameters())`; null if there are others.
const Expr *only_module(const Site &site, const Call &optimizer) {
  if (const model::FunctionInfo *helper = called_function(site, optimizer)) { // make_optimizer(model, lr)
    const Expr *found = nullptr;
    for (const Expr *given : optimizer.args) {
      const bool is_module = model::kind_of(given) == Kind::TorchModule;
      if (given->kind == NodeKind::Starred || (is_module && found != nullptr) ||
          (!is_module && (given->kind == NodeKind::List || given->kind == NodeKind::Tuple))) {
        return nullptr;
      }
      found = is_module ? given : found;
    }
    const bool takes_others = std::ranges::any_of(
        optimizer.keywords, [](const Keyword *keyword) { return model::kind_of(keyword->value) == Kind::TorchModule; });
    return helper->definition() != nullptr && helper->type == nullptr && !takes_others ? found : nullptr;
  }
  const Expr *given = argument(optimizer, 0, "params");
  const auto *name = as<Name>(given);
  const auto *call = as<Call>(name != nullptr ? last_assigned(site, *name) : given);
  return call != nullptr && called_method(*call) == "parameters" ? receiver_of(*call) : nullptr;
}

bool is_frozen(std::string_view name) {
  for (const std::string_view word : {"target", "teacher", "frozen", "ema", "pretrained", "ref", "old", "fixed"}) {
    if (name.find(word) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

// The first module that a loss depends on and that no optimizer gets.
struct Forgotten {
  const HeldModule *module = nullptr;
  Symbol name;
  const Call *trained = nullptr; // where the loss depends on it
};

Forgotten forgotten_one(const Site &site, const HeldModules &held) {
  for (const u32 id : held.order) {
    const HeldModule &module = held.all.at(id);
    const Symbol name{id};
    if (module.is_taken || module.stores != 1 || module.calls.empty() || is_frozen(name.text()) ||
        (module.evaluates && !module.trains) || !is_fresh_module(site, module.made)) {
      continue;
    }
    const auto trained =
        std::ranges::find_if(module.calls, [&](const Call *call) { return is_trained_through(site, *call); });
    if (trained != module.calls.end()) {
      return {&module, name, *trained};
    }
  }
  return {};
}

void check(Site &site, const Call &optimizer) {
  const Expr *given = only_module(site, optimizer);
  if (given == nullptr || site.module->is_test || site.function == nullptr) {
    return;
  }
  const auto *attribute = as<Attribute>(given);
  const bool is_held_by_self =
      attribute != nullptr && attribute->value->kind == NodeKind::Name && site.function->type != nullptr;
  // A module's own parameters include those of all that it holds, and whoever makes the optimizer may take these.
  if (is_held_by_self && site.function->type->kind != Kind::Unknown) {
    return;
  }
  if (!is_held_by_self && given->kind != NodeKind::Name) {
    return;
  }
  const HeldModules &held = is_held_by_self ? held_by_class(site, *site.function->type) : held_by_function(site);
  const Forgotten &forgotten = site.memory.recall<Forgotten>(&held, [&] { return forgotten_one(site, held); });
  if (const HeldModule *const module = forgotten.module) {
    const Symbol name = forgotten.name;
    const Call *const trained = forgotten.trained;
    const std::string written = (is_held_by_self ? "self." : "") + std::string(name.text());
    Finding &finding = report(
        site, optimizer, fmt::format("no optimizer receives the parameters of `{}`, so it is never trained", written),
        fmt::format("pass both: `[*{}.parameters(), *{}.parameters()]`", text_of(site, given), written));
    add_note(finding, site, *module->made, fmt::format("`{}` starts with random weights", written));
    const Site there = site_of(site, *trained);
    finding.notes.push_back({there.module->file, trained->span(), "the loss depends on it here"});
  }
}

} // namespace

extern constinit const Rule kModuleWithoutOptimizer = {
    .info = {.code = "DP875",
             .name = "module-without-optimizer",
             .summary = "a module that the loss depends on but whose parameters no optimizer receives",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A class or function that creates two modules with random weights, uses both for the loss on which `backward()` is called, and gives an
optimizer the parameters of only one. If anything else takes the other module's parameters, or it is passed to other code, the rule is
silent.

## Why it is wrong

Gradients are computed for both modules, but the optimizer changes only the parameters that it was given. The other module keeps its random
weights, and the first one has to work with its random outputs.

## Bad

```python
import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self):
        self.encoder = nn.Linear(64, 16)
        self.decoder = nn.Linear(16, 64)
        self.optimizer = torch.optim.Adam(self.decoder.parameters())

    def step(self, x):
        loss = F.mse_loss(self.decoder(self.encoder(x)), x)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
```

## Good

```python
import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self):
        self.encoder = nn.Linear(64, 16)
        self.decoder = nn.Linear(16, 64)
        self.optimizer = torch.optim.Adam([*self.encoder.parameters(), *self.decoder.parameters()])

    def step(self, x):
        loss = F.mse_loss(self.decoder(self.encoder(x)), x)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
```

## When it is wrong

Where a module is meant to keep its random weights, as in reservoir computing or random network distillation.

## References

- PyTorch documentation of `torch.optim`: constructing it
)"},
    .calls =
        "torch.optim.Adam torch.optim.AdamW torch.optim.NAdam torch.optim.RAdam torch.optim.Adamax torch.optim.RMSprop "
        "torch.optim.Adagrad torch.optim.Adadelta torch.optim.SGD",
    .on_call = check,
    .nodes = {NodeKind::Call},
    .on_node = [](Site &site, const Node &node) {
      const auto &call = static_cast<const Call &>(node);
      if (model::kind_of(&call) == Kind::TorchOptimizer && called_function(site, call) != nullptr) {
        check(site, call);
      }
    }};

} // namespace deepperf::rules::module_without_optimizer
