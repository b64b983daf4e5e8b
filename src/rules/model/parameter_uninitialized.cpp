#include "base/steps.h"
#include "model/bind.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace deepperf::rules::parameter_uninitialized {

using namespace python;

namespace {

// torch.empty(…), torch.Tensor(n, m): memory as it happens to be
bool is_uninitialized(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call == nullptr || call->args.empty()) {
    return false;
  }
  const std::string_view api = called_api(site, *call);
  if (api == "torch.empty") { // of no elements there is nothing to fill: torch.empty(0)
    return std::ranges::none_of(call->args, [&](const Expr *size) { return integer_of(site, size) == 0; });
  }
  if (api != "torch.Tensor" && api != "torch.FloatTensor") {
    return false;
  }
  // Sizes, not data
  return std::ranges::all_of(call->args,
                             [&](const Expr *argument) {
                               return argument->kind != NodeKind::List && argument->kind != NodeKind::Tuple &&
                                      argument->kind != NodeKind::Starred && argument->kind != NodeKind::ListComp &&
                                      model::kind_of(argument) != Kind::NumpyArray &&
                                      model::kind_of(argument) != Kind::TorchTensor &&
                                      model::kind_of(argument) != Kind::List;
                             }) &&
         (call->args.size() > 1 || integer_of(site, call->args[0]).has_value());
}

// Attributes that may be filled somewhere: they are arguments of a call, or the receiver of one, or `.data` is read.
struct Filled {
  std::unordered_set<u32> attributes;
  bool loads_states = false; // anywhere: `model.load_state_dict(…)`
  bool trains = false;       // `loss.backward()`, `trainer.fit(…)`

  // A program that trains nothing has its weights from a file.
  [[nodiscard]] bool is_loaded() const { return loads_states && !trains; }

  void add_all(const Node *part) {
    any_node(part, [this](const Node *node) {
      if (const auto *read = as<Attribute>(node)) {
        attributes.insert(read->attr.id);
      }
      return false;
    });
  }

  void add(const Expr *expr) {
    if (const auto *read = as<Attribute>(expr)) {
      attributes.insert(read->attr.id);
    }
  }
};

void find_filled(const Node *node, Filled &filled) {
  if (const auto *call = as<Call>(node)) {
    const std::string_view name = called_name(*call);
    filled.loads_states |= name == "load_state_dict";
    filled.trains |= name == "backward" || name == "fit" || name == "step";
    const bool fills = name.ends_with("_") || name.find("init") != std::string_view::npos || name == "fill" ||
                       name == "copy" || name.find("reset") != std::string_view::npos;
    for (const Expr *one : fills ? call->args : Array<Expr *>{}) {
      filled.add_all(one);
    }
    if (fills && receiver_of(*call) != nullptr) {
      filled.add_all(receiver_of(*call));
    }
  }
  if (const auto *around = as<Attribute>(node); around != nullptr && around->attr.text() == "data") {
    filled.add(around->value);
  }
  if (const auto *assignment = as<Assign>(node)) {
    for (const Expr *target : assignment->targets) {
      if (const auto *element = as<Subscript>(target)) {
        filled.add(element->value);
      }
    }
    const Expr *const value = assignment->value; // weights = [self.a, self.b]: what goes over the list may fill them
    if (value->kind == NodeKind::List || value->kind == NodeKind::Tuple) {
      filled.add_all(value);
    }
  }
  if (const auto *loop = as<For>(node)) { // for w in (self.a, self.b): …
    filled.add_all(loop->iter);
  }
}

const Filled &filled_in_project(const Site &site) {
  return site.memory.recall<Filled>(&site.project, [&site] {
    const SharedWork shared;
    Filled found;
    for (const model::Module &module : site.project.modules) {
      for (const Stmt *statement : module.parsed->tree.body) {
        any_node_inside(statement, [&found](const Node *node) {
          find_filled(node, found);
          return false;
        });
      }
    }
    return found;
  });
}

void check(Site &site, const Call &call) {
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *target =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Attribute>(assignment->targets[0]) : nullptr;
  if (target == nullptr || site.type == nullptr || call.args.empty() || site.module->is_test ||
      !model::is_own_object(*site.function, target->value) || !is_uninitialized(site, call.args[0])) {
    return;
  }
  // Whatever goes over all weights may fill this one, and so may a class above or below.
  if (site.type->mro.size() > 1 || !site.type->subclasses.empty() ||
      node_has_word(site, *site.type->node,
                    std::initializer_list<std::string_view>{"parameters()", "modules()", ".apply(", "__dict__",
                                                            "getattr", "register_parameter", "from_pretrained"}) ||
      project_has_word(site,
                       {"init_weights", "initialize_weights", "_init_weights", "init.xavier_uniform_(p)", "_(p)",
                        "_(p,", "_(param", ".weight.data", "weights_init", "load_checkpoint", "from_pretrained"})) {
    return;
  }
  const Filled &filled = filled_in_project(site);
  if (filled.attributes.contains(target->attr.id) || filled.is_loaded()) {
    return;
  }
  report(site, call,
         fmt::format("`{}` is never initialized: it holds whatever was in memory, often huge numbers or NaN",
                     text_of(site, target)),
         fmt::format("initialize it: `nn.init.xavier_uniform_({})`", text_of(site, target)));
}

} // namespace

extern constinit const Rule kParameterUninitialized = {
    .info = {.code = "DP271",
             .name = "parameter-uninitialized",
             .summary = "a parameter in uninitialized memory that nothing fills",
             .root_cause = "Training: Wrong Initialization",
             .symptoms = "Not a Number, Wrong Result",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`nn.Parameter(torch.empty(…))` or `nn.Parameter(torch.Tensor(n, m))` of a module, and no code that initializes it.

## Why it is wrong

`torch.empty` and `torch.Tensor(n, m)` allocate memory and do not write to it. The parameter starts with what was there before: zeros on one day, NaN on another.

## Bad

```python
import torch


class Scale(torch.nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(size, size))

    def forward(self, x):
        return x @ self.weight
```

## Good

```python
import torch


class Scale(torch.nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(size, size))
        torch.nn.init.xavier_uniform_(self.weight)

    def forward(self, x):
        return x @ self.weight
```

## When it is wrong

Where weights are always loaded from a file afterwards. A project that loads weights and trains nothing is not reported.
)"},
    .calls = "torch.nn.Parameter torch.nn.parameter.Parameter",
    .on_call = check};

} // namespace deepperf::rules::parameter_uninitialized
