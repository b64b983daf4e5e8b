#include "rules/assignments.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::learning_rate_without_effect {

using namespace python;

namespace {

// `optimizer.lr = …`, `optimizer.defaults["lr"] = …`
void check_assignment(Site &site, const Node &place, const Expr *target) {
  const auto *element = as<Subscript>(target);
  const auto *attribute = as<Attribute>(element != nullptr ? element->value : target);
  if (attribute == nullptr || site.module->is_test || model::kind_of(attribute->value) != Kind::TorchOptimizer) {
    return;
  }
  const std::string_view name = attribute->attr.text();
  const bool is_attribute = element == nullptr && (name == "lr" || name == "learning_rate" || name == "weight_decay");
  const bool is_default = element != nullptr && name == "defaults";
  if (!is_attribute && !is_default) {
    return;
  }
  const model::Value optimizer = value_of(site, attribute->value);
  if (!optimizer.is_kind(Kind::TorchOptimizer) || optimizer.open) {
    return; // a class of the project may read it
  }
  const std::string_view owner = text_of(site, attribute->value);
  report(site, place,
         fmt::format("this changes nothing: the optimizer reads its settings from `{}.param_groups`", owner),
         fmt::format("write `for group in {}.param_groups: group[\"lr\"] = …`", owner));
}

// The expressions that a function gives: the body of a lambda, or what a function of the project returns.
std::vector<const Expr *> results_of(const Site &site, const Expr *function) {
  function = written_value(site, function);
  if (const auto *lambda = as<Lambda>(function)) {
    return {lambda->body};
  }
  const model::Value value = value_of(site, function);
  const FunctionDef *definition = value.is(model::Value::Tag::Function) ? value.function->definition() : nullptr;
  std::vector<const Expr *> found;
  if (definition != nullptr) {
    any_node(definition->body, [&](const Node *node) {
      const auto *result = as<Return>(node);
      if (result != nullptr && result->value != nullptr) {
        found.push_back(result->value);
      }
      return false;
    });
  }
  return found;
}

// LambdaLR(optimizer, lambda epoch: lr * 0.9 ** epoch): what it gives is multiplied with the first learning rate.
void check_factor(Site &site, const Call &call) {
  const Expr *given = argument(call, 1, "lr_lambda");
  const Expr *of = argument(call, 0, "optimizer");
  const model::Value optimizer = of != nullptr ? value_of(site, of) : model::Value();
  if (given == nullptr || site.module->is_test || !optimizer.is_kind(Kind::TorchOptimizer) ||
      optimizer.maker() == nullptr || optimizer.alternatives != nullptr || optimizer.many) {
    return;
  }
  const Site there = site_of(site, *optimizer.maker());
  const Expr *rate = argument(*optimizer.maker(), 1, "lr");
  if (rate == nullptr) {
    return;
  }
  const std::optional<double> number = number_of(there, rate);
  const bool is_name = rate->kind == NodeKind::Name || rate->kind == NodeKind::Attribute;
  if (!is_name && !number.has_value()) {
    return;
  }
  for (const Expr *result : results_of(site, given)) {
    // The factors of a product
    const auto *product = as<BinOp>(result);
    while (product != nullptr && product->op() == Operator::Mult && product->left->kind == NodeKind::BinOp) {
      product = as<BinOp>(product->left);
    }
    if (product == nullptr || product->op() != Operator::Mult) {
      continue;
    }
    for (const Expr *factor : {product->left, product->right}) {
      const bool is_rate =
          is_name ? text_of(site, factor) == text_of(there, rate)
                  : factor->kind == NodeKind::Constant && number_of(site, factor) == number && *number != 1;
      if (is_rate) {
        Finding &finding = report(
            site, *result, "`LambdaLR` multiplies this by the optimizer's learning rate, which is then applied twice",
            fmt::format("return only the factor, without `{}`", text_of(site, factor)));
        finding.notes.push_back({there.module->file, rate->span(), "the learning rate of the optimizer"});
        return;
      }
    }
  }
}

} // namespace

extern constinit const Rule kLearningRateWithoutEffect = {
    .info = {.code = "DP277",
             .name = "learning-rate-without-effect",
             .summary = "a learning rate that is set where the optimizer does not read it, or applied twice",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`optimizer.lr = 0.01` and `optimizer.defaults["lr"] = 0.01`, and a `LambdaLR` whose function returns a learning rate instead of a factor.

## Why it is wrong

PyTorch's optimizers read their settings from `param_groups`; they never read an attribute `lr`. `LambdaLR` multiplies the initial learning rate by what the function returns: for
0.1 and `0.1 * 0.95 ** epoch` the model trains with 0.01.

## Bad

```python
import torch


def build(model: torch.nn.Module):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.1 * 0.95**epoch)
    return optimizer, scheduler
```

## Good

```python
import torch


def build(model: torch.nn.Module):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.95**epoch)
    return optimizer, scheduler
```

## When it is wrong

Where code of the project reads `optimizer.lr`.

## References

- PyTorch documentation of `torch.optim.lr_scheduler.LambdaLR`
)"},
    .calls = "torch.optim.lr_scheduler.LambdaLR",
    .on_call = check_factor,
    .nodes = {NodeKind::Assign, NodeKind::AugAssign},
    .on_node = [](Site &site, const Node &node) {
      const auto *assignment = as<Assign>(&node);
      check_assignment(site, node,
                       assignment != nullptr ? assignment->targets[0] : static_cast<const AugAssign &>(node).target);
    }};

} // namespace deepperf::rules::learning_rate_without_effect
