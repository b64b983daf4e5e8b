#include "rules/batch_source.h"
#include "rules/loss_call.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::one_hot_target {

using namespace python;

namespace {

// Where the target is made: in the function around the loss, or where the batches of the loader are made.
struct Made {
  Site site;
  const Call *call = nullptr;
};

// The call that made the value, also under a name: `y` of `y = to_categorical(y)`.
const Call *made_by(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  return as<Call>(name != nullptr ? last_assigned(site, *name) : expr);
}

// `batch["target"].to(device)`: the same numbers elsewhere, and no conversion to others.
const Expr *without_moves(const Site &site, const Expr *expr) {
  for (const auto *call = as<Call>(expr); call != nullptr; call = as<Call>(expr)) {
    const std::string_view method = called_method(*call);
    const bool is_dtype = !call->args.empty() && value_of(site, call->args[0]).is(model::Value::Tag::Api);
    const bool is_move =
        (method == "to" && call->args.size() == 1 && !is_dtype && keyword_argument(*call, "dtype") == nullptr) ||
        method == "cuda" || method == "long" || method == "squeeze";
    if (!is_move || receiver_of(*call) == nullptr) {
      return expr;
    }
    expr = receiver_of(*call);
  }
  return expr;
}

Made target_of_batch(const Site &site, const Expr *target) {
  const Expr *moved = without_moves(site, target);
  if (const auto *name = as<Name>(moved)) { // y = y.to(device)
    const Expr *const assigned = last_assigned(site, *name);
    moved = assigned != nullptr ? without_moves(site, assigned) : moved;
  }
  const std::optional<BatchSource> batch = batch_source_of(site, moved);
  return batch.has_value() ? Made{batch->site, made_by(batch->site, without_moves(batch->site, batch->expr))}
                           : Made{site, nullptr};
}

// Optax: the loss with `integer_labels` in its name takes classes.
void check_optax(Site &site, const Call &call) {
  const Expr *target = argument(call, 1, "labels");
  const Call *made = target != nullptr ? made_by(site, target) : nullptr;
  if (made == nullptr || called_api(site, *made) != "jax.nn.one_hot" || site.module->is_test) {
    return;
  }
  Finding &finding =
      report(site, *target, "this loss expects the class index of each sample, but receives one-hot rows",
             fmt::format("pass the classes, `{}`, or use `optax.softmax_cross_entropy`",
                         made->args.empty() ? std::string_view("labels") : text_of(site, made->args[0])));
  if (made != target) {
    add_note(finding, site, *made, "they are created here");
  }
}

// PyTorch: nll_loss takes classes alone, and cross_entropy takes probabilities only as floating-point numbers.
void check_torch(Site &site, const Call &call) {
  if (called_api(site, call).ends_with("softmax_cross_entropy_with_integer_labels")) {
    check_optax(site, call);
    return;
  }
  const LossCall loss = loss_call(site, call);
  const Expr *target = argument(call, 1, "target");
  if ((loss.loss != Loss::CrossEntropy && loss.loss != Loss::Nll) || target == nullptr) {
    return;
  }
  const Call *const made_here = made_by(site, target);
  const bool is_here = made_here != nullptr && called_api(site, *made_here) == "torch.nn.functional.one_hot";
  const Made batch = is_here ? Made{site, made_here} : target_of_batch(site, target);
  const Call *const made = batch.call;
  if (made == nullptr || called_api(batch.site, *made) != "torch.nn.functional.one_hot") {
    return;
  }
  const Expr *classes = argument(*made, 0, "tensor");
  Finding &finding = report(
      site, *target,
      fmt::format("`{}` expects the class index of each sample here, but receives one-hot rows of integers", loss.name),
      fmt::format("pass the classes themselves{}",
                  classes != nullptr ? fmt::format(": `{}`", text_of(batch.site, classes)) : ""));
  if (made != target) {
    finding.notes.push_back({batch.site.module->file, made->span(), "they are created here"});
  }
}

} // namespace

extern constinit const Rule kOneHotTarget = {
    .info = {.code = "DP881",
             .name = "one-hot-target",
             .summary = "one-hot targets for a loss that expects class indices",
             .root_cause = "Training: Wrong Loss",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`F.nll_loss` or `F.cross_entropy` (or their modules) with a target of `F.one_hot`, and `optax.softmax_cross_entropy_with_integer_labels` with labels of `jax.nn.one_hot`.

## Why it is wrong

`nll_loss` takes the index of each sample's class. `cross_entropy` takes indices or probabilities, and probabilities have to be floating-point numbers: the integers of `one_hot`
are treated as indices of a wrong shape. Both raise an error.

## Bad

```python
import torch.nn.functional as F


def loss_of(logits, y):
    return F.cross_entropy(logits, F.one_hot(y, 10))
```

## Good

```python
import torch.nn.functional as F


def loss_of(logits, y):
    return F.cross_entropy(logits, y)
```

## When it is wrong

Never: PyTorch rejects such targets.

## References

- PyTorch: `CrossEntropyLoss`, `NLLLoss`
)"},
    .calls = kLossCalls,
    .on_call = check_torch};

} // namespace deepperf::rules::one_hot_target
