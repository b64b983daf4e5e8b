#include "base/function_ref.h"
#include "rules/assignments.h"
#include "rules/copies.h"
#include "rules/per_step.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::wrong_dimension {

using namespace python;

namespace {

struct Reduced {
  const Expr *value = nullptr;
  const Expr *dim = nullptr;
};

// `x.argmax(0)`, `torch.argmax(x, dim=0)`
Reduced reduced_by(const Site &site, const Call &call) {
  if (called_api(site, call).starts_with("torch.")) {
    return {argument(call, 0, "input"), argument(call, 1, "dim")};
  }
  return {receiver_of(call), argument(call, 0, "dim")};
}

// Are they the logits that a model gives for the batches of a loader?
bool is_batch_of_logits(const Site &site, const Expr *expr) {
  const Expr *result = written_value(site, expr);
  if (const auto *entry = as<Subscript>(result); entry != nullptr && as_string(entry->slice) != nullptr) {
    result = entry->value; // model(x)["logits"]
  }
  const auto *forward = as<Call>(result);
  if (forward == nullptr || forward->args.empty()) {
    return false;
  }
  const model::Value callee = site.project.callee_of(forward);
  const bool is_model = callee.is_kind(Kind::TorchModule) ||
                        (callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule);
  if (!is_model || model::output_of(expr) != Output::Scores) {
    return false;
  }
  const model::Loop *const around = loop_around(site);
  for (const model::Loop *loop = around != nullptr ? around : step_loop_of(site); loop != nullptr;
       loop = loop->parent) {
    if (!goes_over_data(site, *loop)) {
      continue;
    }
    const Expr *const iterated = iterated_by(site, *loop);
    const model::Value loader = iterated != nullptr
                                    ? model::value_of(model::scope_of(site.project, *loop->function), iterated)
                                    : model::Value{};
    if (!loader.is_kind(Kind::TorchDataLoader) || loader.maker() == nullptr) {
      return iterated == nullptr || model::kind_of(iterated) != Kind::TorchDataLoader; // a wrapper of one
    }
    const Site there = site_of(site, *loader.maker());
    const auto size =
        setting_of(there, argument_of(there, *loader.maker(), 1, "batch_size"), model::ConstantValue::of(i64{1}));
    return !size.has_value() || (!size->is_none() && size->as_integer() != 1);
  }
  return false;
}

// The product of queries with transposed keys: which of its dimensions, from the end, the keys are in and how many it
// has, as far as the transposition tells.
std::optional<i64> last_dimension(const Site &site, const Expr *expr) {
  expr = written_value(site, expr);
  for (u32 i = 0; i < 6; ++i) { // scaling and masking
    if (const auto *scaled = as<BinOp>(expr);
        scaled != nullptr &&
        (scaled->op() == Operator::Div || scaled->op() == Operator::Mult || scaled->op() == Operator::Add)) {
      expr = written_value(site, scaled->left);
      continue;
    }
    const auto *masked = as<Call>(expr);
    if (masked != nullptr && called_method(*masked) == "masked_fill") {
      expr = written_value(site, receiver_of(*masked));
      continue;
    }
    break;
  }
  const Expr *keys = nullptr;
  if (const auto *product = as<BinOp>(expr); product != nullptr && product->op() == Operator::MatMult) {
    keys = product->right;
  } else if (const auto *call = as<Call>(expr)) {
    const std::string_view api = called_api(site, *call);
    if ((api == "torch.matmul" || api == "torch.bmm") && call->args.size() >= 2) {
      keys = call->args[1];
    } else if ((called_method(*call) == "matmul" || called_method(*call) == "bmm") && call->args.size() == 1) {
      keys = call->args[0];
    }
  }
  const auto *transposed = keys != nullptr ? as<Call>(written_value(site, keys)) : nullptr;
  if (transposed == nullptr || called_method(*transposed) != "transpose" || transposed->args.size() != 2) {
    return std::nullopt;
  }
  const i64 first = integer_of(site, transposed->args[0]).value_or(0);
  const i64 second = integer_of(site, transposed->args[1]).value_or(0);
  const i64 low = std::min(first, second);
  const i64 high = std::max(first, second);
  return low == 1 && high == 2     ? std::optional<i64>(2)
         : low == 2 && high == 3   ? std::optional<i64>(3)
         : low == -2 && high == -1 ? std::optional<i64>(-1)
                                   : std::nullopt;
}

// `torch.bmm(values, weights)`: the rows of the weights are multiplied with the values, so that those have to add up.
bool is_right_factor(const Node *node, FunctionRef<bool(const Expr *)> is_weights) {
  if (const auto *product = as<BinOp>(node)) {
    return product->op() == Operator::MatMult && is_weights(product->right);
  }
  const auto *call = as<Call>(node);
  const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
  return (name == "bmm" || name == "matmul") && !call->args.empty() && is_weights(call->args[call->args.size() - 1]);
}

bool is_multiplied_from_right(const Site &site, const Call &softmax) {
  if (site.ancestors.empty()) {
    return false;
  }
  const Node *const around = site.ancestors.back();
  if (is_right_factor(around, [&softmax](const Expr *expr) { return expr == &softmax; })) {
    return true;
  }
  const auto *assignment = as<Assign>(around);
  const auto *target =
      assignment != nullptr && assignment->targets.size() == 1 && assignment->value == original_of(site, &softmax)
          ? as<Name>(assignment->targets[0])
          : nullptr;
  return target != nullptr && any_node(body_around(site), [&](const Node *node) {
           return is_right_factor(node, [target](const Expr *expr) {
             const auto *name = as<Name>(expr);
             return name != nullptr && name->id == target->id;
           });
         });
}

void check_attention(Site &site, const Call &call, const Reduced &reduced, i64 dim) {
  const std::optional<i64> last = last_dimension(site, reduced.value);
  if (!last.has_value() || dim == -1 || dim == *last || (*last == -1 && dim > 1) ||
      is_multiplied_from_right(site, call)) {
    return;
  }
  Finding &finding = report(
      site, call,
      fmt::format("the softmax over dimension {} does not normalize over the keys, so the weights of a query do not "
                  "add up to 1",
                  dim),
      "use `dim=-1`");
  if (*last == -1 && dim == 1) {
    finding.tier = Tier::Hint; // the last one of a matrix
  }
}

void check(Site &site, const Call &call) {
  const Reduced reduced = reduced_by(site, call);
  if (reduced.value == nullptr || reduced.dim == nullptr || site.module->is_test) {
    return;
  }
  const std::optional<i64> dim = integer_of(site, reduced.dim);
  if (!dim.has_value()) {
    return;
  }
  const std::string_view name = called_name(call);
  if (name == "softmax") {
    check_attention(site, call, reduced, *dim);
  }
  if (*dim == 0 && is_batch_of_logits(site, reduced.value)) {
    report(
        site, call,
        name == "argmax"
            ? "`argmax` over dimension 0 compares the samples of the batch, not the classes"
            : fmt::format("`{}` over dimension 0 normalizes over the samples of the batch, not over the classes", name),
        "use `dim=-1`, the dimension of the classes");
  }
}

// nn.Sequential(…, nn.Linear(…), nn.Softmax(dim=0))
void check_layer(Site &site, const Call &call) {
  const Expr *dim = argument(call, 0, "dim");
  const auto *sequence = site.ancestors.empty() ? nullptr : as<Call>(site.ancestors.back());
  if (dim == nullptr || integer_of(site, dim) != 0 || sequence == nullptr ||
      called_api(site, *sequence) != "torch.nn.Sequential") {
    return;
  }
  report(site, call, "a softmax over dimension 0 normalizes over the samples of the batch, not over the classes",
         "use `dim=-1`, the dimension of the classes");
}

} // namespace

extern constinit const Rule kWrongDimension = {
    .info = {.code = "DP267",
             .name = "wrong-dimension",
             .summary = "a softmax or argmax over the batch instead of the classes or keys",
             .root_cause = "Training: Wrong Model Definition",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`softmax(dim=0)` or `argmax(0)` of the logits that a model returns for a batch, and a softmax of attention scores over a dimension other than that of the keys.

## Why it is wrong

Dimension 0 is the batch. Probabilities that add up to 1 over the samples depend on what else is in the batch, and `argmax(0)` returns the index of a sample for each class.
Attention weights must add up to 1 over the keys, which are in the last dimension of the scores.

## Bad

```python
import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def predict(dataset):
    model = torch.nn.Linear(128, 10).eval()
    for x, y in DataLoader(dataset, batch_size=64, num_workers=4):
        yield torch.softmax(model(x), dim=0)
```

## Good

```python
import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def predict(dataset):
    model = torch.nn.Linear(128, 10).eval()
    for x, y in DataLoader(dataset, batch_size=64, num_workers=4):
        yield torch.softmax(model(x), dim=-1)
```

## When it is wrong

Where scores are compared across samples on purpose.
)"},
    .calls = "torch.softmax torch.nn.functional.softmax TorchTensor.softmax torch.log_softmax "
             "torch.nn.functional.log_softmax "
             "TorchTensor.log_softmax torch.argmax TorchTensor.argmax torch.nn.Softmax torch.nn.LogSoftmax",
    .on_call = [](Site &site, const Call &call) {
      const std::string_view api = called_api(site, call);
      if (api == "torch.nn.Softmax" || api == "torch.nn.LogSoftmax") {
        check_layer(site, call);
      } else {
        check(site, call);
      }
    }};

} // namespace deepperf::rules::wrong_dimension
