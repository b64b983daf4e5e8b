#include "base/known_names.h"
#include "model/classes.h"
#include "model/modes.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace deepperf::rules::frozen_statistics_drift {

using namespace python;

namespace {

// A part of a model that is not trained: it runs under torch.no_grad(), or the constructor freezes it.
struct FixedPart {
  std::vector<const model::ClassInfo *> owners;   // the model's own class, then those of the parts on the way
  std::vector<Symbol> path;                       // `trunk`, `body` of self.trunk.body
  const Node *place = nullptr;                    // where it is only read, or frozen; null if there is none
  const model::Module *module = nullptr;          // where that stands
  const model::FunctionInfo *frozen_in = nullptr; // that puts it into evaluation mode once, and freezes it

  [[nodiscard]] std::string text() const {
    std::string joined;
    for (const std::string_view name : names()) {
      joined += fmt::format("{}{}", joined.empty() ? "" : ".", name);
    }
    return joined;
  }
  [[nodiscard]] std::vector<std::string_view> names() const {
    std::vector<std::string_view> found;
    for (const Symbol one : path) {
      found.push_back(one.text());
    }
    return found;
  }
};

bool is_no_grad(const Expr *expr) { return model::kind_of(expr) == Kind::NoGrad; }

// `self.backbone` of `with torch.no_grad(): features = self.backbone(x)` in forward, or of a forward that is decorated.
bool find_in_forward(const model::ClassInfo &type, const model::FunctionInfo &forward, FixedPart &found) {
  const FunctionDef *const definition = forward.definition();
  if (definition == nullptr || definition->params.empty()) {
    return false;
  }
  const Symbol self = definition->params[0]->name;
  const auto find_part = [&](const Node *part) {
    const auto *call = as<Call>(part);
    const auto *callee = call != nullptr ? as<Attribute>(call->func) : nullptr;
    const auto *owner = callee != nullptr ? as<Name>(callee->value) : nullptr;
    if (owner != nullptr && owner->id == self && model::find_method_of(type, callee->attr) == nullptr) {
      found.path.push_back(callee->attr);
      found.place = call;
      found.module = forward.module;
    }
    return found.place != nullptr;
  };
  if (std::ranges::any_of(definition->decorators, is_no_grad)) {
    return any_node(definition->body, find_part);
  }
  return any_node(definition->body, [&](const Node *node) {
    const auto *block = as<With>(node);
    const bool is_fixed = block != nullptr && std::ranges::any_of(block->items, [](const WithItem &item) {
                            return is_no_grad(item.context_expr);
                          });
    return is_fixed && any_node(block->body, find_part);
  });
}

// `self.encoder` of `self.encoder.eval()`, or `self` itself; empty if it is neither.
std::string_view own_part(const model::FunctionInfo &function, const Expr *expr) {
  const auto *part = as<Attribute>(expr);
  const auto *self = as<Name>(part != nullptr ? part->value : expr);
  const bool is_own = self != nullptr && !function.params.empty() && self->id == function.params[0]->name;
  return !is_own ? std::string_view{} : part != nullptr ? part->attr.text() : self->id.text();
}

// Does the function freeze the part, as `self.requires_grad_(False)` or in a loop over its parameters, and put it into
// evaluation mode? Returns the call that does the latter.
const Call *freezes(const Site &site, const model::FunctionInfo &function, std::string_view part) {
  const FunctionDef *const definition = function.definition();
  const Call *mode = nullptr;
  bool is_frozen = false;
  if (definition == nullptr || function.params.empty()) {
    return nullptr;
  }
  any_node(definition->body, [&](const Node *node) {
    if (const auto *call = as<Call>(node)) {
      const std::string_view method = called_method(*call);
      const Expr *receiver = receiver_of(*call);
      const auto *inner = as<Call>(receiver); // net.eval().requires_grad_(False)
      receiver = inner != nullptr ? receiver_of(*inner) : receiver;
      const bool is_it = receiver != nullptr && own_part(function, receiver) == part;
      mode = is_it && method == "eval" ? call : mode;
      is_frozen = is_frozen ||
                  (is_it && method == "requires_grad_" && !call->args.empty() && bool_of(site, call->args[0]) == false);
    }
    const auto *loop = as<For>(node);
    const auto *parameters = loop != nullptr ? as<Call>(loop->iter) : nullptr;
    if (parameters != nullptr && called_method(*parameters) == "parameters" &&
        own_part(function, receiver_of(*parameters)) == part) {
      is_frozen =
          is_frozen || any_node(loop->body, [&](const Node *inside) {
            const auto *store = as<Assign>(inside);
            const auto *target = store != nullptr ? as<Attribute>(store->targets[0]) : nullptr;
            return target != nullptr && target->attr.text() == "requires_grad" && bool_of(site, store->value) == false;
          });
    }
    return false;
  });
  return is_frozen ? mode : nullptr;
}

// The constructor of the class freezes the object, or a part of it, and puts it into evaluation mode, once and for all.
bool find_frozen(const Site &site, const model::ClassInfo &type, FixedPart &found) {
  const model::FunctionInfo *const constructor = model::find_method_of(type, intern("__init__"));
  if (constructor == nullptr || constructor->node == nullptr || constructor->params.empty()) {
    return false;
  }
  std::vector<const model::FunctionInfo *> functions = reached_functions(*constructor, *constructor->node);
  functions.insert(functions.begin(), constructor);
  const auto look_for = [&](std::string_view part) {
    for (const model::FunctionInfo *function : functions) {
      const bool is_own =
          std::ranges::any_of(type.mro, [function](const model::ClassInfo *at) { return at == function->type; });
      const Call *const mode = is_own ? freezes(site, *function, part) : nullptr;
      if (mode != nullptr) {
        found.place = mode;
        found.module = function->module;
        found.frozen_in = function;
        return true;
      }
    }
    return false;
  };
  if (!found.path.empty() && model::find_method_of(type, intern("train")) == nullptr &&
      look_for(constructor->params[0]->name.text())) {
    found.owners.pop_back(); // it is the part itself
    return true;
  }
  for (const model::ClassInfo *at : type.mro) {
    for (const auto &[name, cell] : at->attributes) {
      if (cell.value.is_kind(Kind::TorchModule) || cell.value.is(model::Value::Tag::Object)) {
        if (look_for(Symbol{name}.text())) {
          found.path.push_back(Symbol{name});
          return true;
        }
      }
    }
  }
  return false;
}

// The same in parts of the model, at any depth: `self.trunk` whose own forward runs `self.body` so.
bool find_fixed_part(const Site &site, const model::ClassInfo &type, FixedPart &found, u32 depth = 0) {
  constexpr u32 kMostDepth = 4;
  found.owners.push_back(&type);
  const model::FunctionInfo *const forward = model::find_method_of(type, known::sym_forward);
  if ((forward != nullptr && find_in_forward(type, *forward, found)) || find_frozen(site, type, found)) {
    return true;
  }
  std::vector<std::pair<Symbol, const model::ClassInfo *>> parts; // sorted, so that the answer is always the same
  for (const model::ClassInfo *at : type.mro) {
    for (const auto &[name, cell] : at->attributes) {
      const model::Value &value = cell.value;
      if (value.is(model::Value::Tag::Object) && value.alternatives == nullptr && !value.open &&
          value.type->kind == Kind::TorchModule) {
        parts.emplace_back(Symbol{name}, value.type);
      }
    }
  }
  std::ranges::sort(parts, {}, [](const auto &part) { return part.first.text(); });
  for (const auto &[name, inner] : parts) {
    if (depth >= kMostDepth || std::ranges::find(found.owners, inner) != found.owners.end()) {
      continue;
    }
    found.path.push_back(name);
    if (find_fixed_part(site, *inner, found, depth + 1)) {
      return true;
    }
    found.path.pop_back();
  }
  found.owners.pop_back();
  return false;
}

// Networks of torchvision with batch normalization.
bool makes_batch_norm(std::string_view api) {
  static constexpr std::string_view kNetworks[] = {"resnet",       "resnext", "wide_resnet", "densenet", "mobilenet",
                                                   "efficientnet", "regnet",  "shufflenet",  "mnasnet",  "inception"};
  constexpr std::string_view kPackage = "torchvision.models.";
  return api.starts_with(kPackage) && std::ranges::any_of(kNetworks, [&](std::string_view name) {
           return api.substr(kPackage.size()).starts_with(name);
         });
}

// Does the part have running statistics? Where the part is chosen by name, what the file makes decides.
bool has_statistics(const Site &site, const model::ClassInfo &type, Symbol part) {
  model::Value value = model::Value::bottom();
  for (const model::ClassInfo *at : type.mro) {
    if (at->attributes.contains(part.id)) {
      value = at->attributes.find(part.id)->second.value;
      break;
    }
  }
  const model::Modes known = value.known() ? model::statistics_of(site.project, value) : model::Modes::Unknown;
  if (known != model::Modes::Unknown) {
    return known == model::Modes::Differ;
  }
  const bool is_guess = value.is_kind(Kind::TorchModule) && !value.name();
  const bool is_wrapped = value.is(model::Value::Tag::Object) && value.type->kind == Kind::TorchModule;
  if (is_wrapped && value.type->module != nullptr) {
    // `net = resnet50()`, of whose parts it is built
    return any_node_inside(static_cast<const Node *>(value.type->node), [&](const Node *node) {
      const auto *call = as<Call>(node);
      const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value();
      return callee.is(model::Value::Tag::Api) && makes_batch_norm(callee.name().text());
    });
  }
  if (value.known() && !value.open && !is_guess) {
    return false;
  }
  struct MadeNetworks {
    u32 with = 0;
    u32 without = 0;
  };
  const MadeNetworks &made = site.memory.recall<MadeNetworks>(type.module, [&] {
    MadeNetworks found;
    for (const Stmt *statement : type.module->parsed->tree.body) {
      any_node_inside(static_cast<const Node *>(statement), [&](const Node *node) {
        const auto *call = as<Call>(node);
        const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value();
        if (callee.is(model::Value::Tag::Api) && model::kind_of(call) == Kind::TorchModule &&
            !callee.name().text().starts_with("torch.nn.")) {
          ++(makes_batch_norm(callee.name().text()) ? found.with : found.without);
        }
        return false;
      });
    }
    return found;
  });
  return made.with > 0 && made.without == 0;
}

// Does code of the project put the part, or its normalization, into evaluation mode?
bool is_kept_in_evaluation(const Site &site, const FixedPart &part) {
  const bool is_overridden = std::ranges::any_of(part.owners, [](const model::ClassInfo *owner) {
    return model::find_method_of(*owner, intern("train")) != nullptr;
  });
  const bool is_set = std::ranges::any_of(part.names(), [&](std::string_view name) {
    const std::string call = fmt::format("{}.eval(", name);
    const std::string other = fmt::format("{}.train(", name);
    if (part.frozen_in == nullptr) {
      return project_has_word(site, {call, other});
    }
    return std::ranges::any_of(site.project.functions, [&](const model::FunctionInfo &function) {
      return &function != part.frozen_in && has_word(text_of(function), {call, other});
    });
  });
  if (is_overridden || is_set || project_has_word(site, {"freeze_bn", "FrozenBatchNorm", "track_running_stats"})) {
    return true;
  }
  return std::ranges::any_of(site.project.functions, [](const model::FunctionInfo &function) {
    const std::string_view text = text_of(function);
    return has_word(text, {"BatchNorm", "_bn", "norm"}) && has_word(text, {".eval()"}) &&
           has_word(text, {"modules()", "isinstance"});
  });
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || !site.module->torch || receiver_of(call) == nullptr || !call.keywords.empty() ||
      (!call.args.empty() && bool_of(site, call.args[0]) != true)) {
    return;
  }
  const model::Value model = value_of(site, receiver_of(call));
  if (!model.is(model::Value::Tag::Object) || model.alternatives != nullptr || model.type->kind != Kind::TorchModule) {
    return;
  }
  FixedPart part;
  if (!find_fixed_part(site, *model.type, part) || !has_statistics(site, *part.owners.back(), part.path.back()) ||
      is_kept_in_evaluation(site, part)) {
    return;
  }
  const std::string_view owner = text_of(site, receiver_of(call));
  Finding &finding =
      report(site, call,
             fmt::format(
                 "`train()` also reaches the fixed `{}.{}`: its batch normalization uses the statistics of each batch, "
                 "and its running statistics drift",
                 owner, part.text()),
             fmt::format("call `{}.{}.eval()` after it, or override `train()` in `{}`", owner, part.text(),
                         part.owners.back()->name.text()));
  finding.notes.push_back({part.module->file, part.place->span(),
                           part.frozen_in != nullptr ? "it is put into evaluation mode here, once"
                                                     : "it is only read here, under `torch.no_grad()`"});
}

} // namespace

extern constinit const Rule kFrozenStatisticsDrift = {
    .info = {.code = "DP966",
             .name = "frozen-statistics-drift",
             .summary = "a fixed backbone whose batch normalization `model.train()` puts into training mode",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Low Accuracy",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`model.train()` of a model whose forward pass runs a part with batch normalization under `torch.no_grad()`, or whose constructor freezes such
a part and puts it into evaluation mode, where nothing switches that part back to evaluation mode later.

## Why it is wrong

Neither `requires_grad = False` nor `torch.no_grad()` affects the mode of a module. In training mode batch normalization normalizes with the statistics of
the batch, so that the features of a sample depend on the other samples, and its running statistics move to the new data: the backbone that is evaluated and saved is
not the one that was loaded.

## Bad

```python
import torch
from torch import nn
from torchvision import models


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = models.resnet18(weights="IMAGENET1K_V1")
        self.head = nn.Linear(1000, 10)

    def forward(self, x):
        with torch.no_grad():
            features = self.backbone(x)
        return self.head(features)


def train(loader):
    model = Probe()
    optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
```

## Good

```python
import torch
from torch import nn
from torchvision import models


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = models.resnet18(weights="IMAGENET1K_V1")
        self.head = nn.Linear(1000, 10)

    def forward(self, x):
        with torch.no_grad():
            features = self.backbone(x)
        return self.head(features)


def train(loader):
    model = Probe()
    optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
    model.train()
    model.backbone.eval()
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
```

## When it is wrong

Where the running statistics are meant to adapt to the new data.

## References

- PyTorch: `torch.nn.BatchNorm2d`; Autograd mechanics, evaluation mode
)"},
    .calls = "*.train",
    .on_call = check};

} // namespace deepperf::rules::frozen_statistics_drift
