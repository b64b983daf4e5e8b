#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::layer_shared_in_list {

using namespace python;

namespace {

// Has the layer that the call makes weights?
bool makes_weights(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const model::Value callee = site.project.callee_of(call);
  if (callee.is(model::Value::Tag::Class)) {
    return callee.type->kind == Kind::TorchModule;
  }
  const ApiInfo *const info = callee.is(model::Value::Tag::Api) ? find_api(callee.name()) : nullptr;
  if (info == nullptr || info->returns != Kind::TorchModule) {
    return false;
  }
  if (callee.name().text() == "torch.nn.Sequential") {
    for (const Expr *part : call->args) {
      if (makes_weights(site, part)) {
        return true;
      }
    }
    return false;
  }
  return info->has(kWeights) || callee.name().text().starts_with("torch.nn.Transformer");
}

// The one object that every element of the list is; null if there may be several.
const Expr *shared_layer(const Site &site, const Expr *expr) {
  if (const auto *product = as<BinOp>(expr)) { // [layer] * n
    const auto *list = as<List>(product->left);
    return product->op() == Operator::Mult && list != nullptr && list->elts.size() == 1 &&
                   integer_of(site, product->right) != 1
               ? list->elts[0]
               : nullptr;
  }
  if (expr->kind != NodeKind::ListComp && expr->kind != NodeKind::GeneratorExp) {
    return nullptr;
  }
  const auto *all = static_cast<const ComprehensionExpr *>(expr); // [layer for _ in range(n)]
  const auto *name = as<Name>(all->elt);
  if (name == nullptr || all->generators.size() != 1) {
    return nullptr;
  }
  return mentions(all->generators[0]->target, name->id) ? nullptr : all->elt;
}

// What nn.ModuleList and nn.Sequential are given.
void check(Site &site, const Call &call) {
  if (call.args.size() != 1) {
    return;
  }
  const auto *starred = as<Starred>(call.args[0]);
  const Expr *const list = starred != nullptr ? starred->value : call.args[0];
  const Expr *const layer = shared_layer(site, list);
  if (layer == nullptr) {
    return;
  }
  const auto *name = as<Name>(layer);
  const Expr *const made = name != nullptr ? last_assigned(site, *name) : layer;
  // Names, where people say what they mean.
  if (made == nullptr || !makes_weights(site, made) || function_has_word(site, {"share", "tied", "recur"})) {
    return;
  }
  Finding &finding =
      report(site, *list, "every element of this list is the same layer, so all of them share one set of weights",
             fmt::format("create a new one for each: `[{} for _ in range(n)]`",
                         name != nullptr ? "make_layer()" : text_of(site, layer)));
  if (name != nullptr) {
    finding.advice = "create a new layer in each iteration, or copy it: `copy.deepcopy(layer)`";
    add_note(finding, site, *made, "the layer is created here, once");
  }
}

} // namespace

extern constinit const Rule kLayerSharedInList = {
    .info = {.code = "DP226",
             .name = "layer-shared-in-list",
             .summary = "a list of layers that holds the same layer several times",
             .root_cause = "Model: Inefficient Model Structure",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`nn.ModuleList([layer] * n)`, `nn.Sequential(*[nn.Linear(d, d)] * n)` and `nn.ModuleList([layer for _ in range(n)])`, where the layer has
weights and is created once.

## Why it is wrong

Multiplying a list repeats references, not objects. The model has one layer that is applied n times: it has a fraction of the intended
parameters, and their gradients are summed.

## Bad

```python
from torch import nn


class Net(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Linear(d, d)] * n)

    def forward(self, x):
        return self.layers(x)
```

## Good

```python
from torch import nn


class Net(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Linear(d, d) for _ in range(n)])

    def forward(self, x):
        return self.layers(x)
```

## When it is wrong

Where the layers share their weights on purpose, as in ALBERT. Functions that speak of sharing are not reported.

## References

- Python FAQ: "How do I create a multidimensional list?", which explains that `*` copies references
)"},
    .calls = "torch.nn.ModuleList torch.nn.Sequential",
    .on_call = check};

} // namespace deepperf::rules::layer_shared_in_list
