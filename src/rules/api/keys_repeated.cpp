#include "rules/api_history.h"
#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::keys_repeated {

using namespace python;

namespace {

bool repeats(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  if (called_name(*call) == "repeat_interleave") {
    return true;
  }
  // A function of the project that expands and reshapes: repeat_kv(k, groups).
  const model::FunctionInfo *const function = called_function(site, *call);
  const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
  const auto *result =
      definition != nullptr && !definition->body.empty() ? as<Return>(definition->body.back()) : nullptr;
  if (result == nullptr || result->value == nullptr) {
    return false;
  }
  bool expands = false;
  bool reshapes = false;
  any_node(definition->body, [&](const Node *node) {
    const auto *part = as<Call>(node);
    const std::string_view method = part != nullptr ? called_method(*part) : std::string_view{};
    expands |= method == "expand" || method == "repeat_interleave";
    reshapes |= method == "reshape" || method == "flatten" || method == "repeat_interleave";
    return false;
  });
  return expands && reshapes && function->params.size() <= 2;
}

// Where the argument is repeated, as an expression or before under its name; null if it is not.
const Expr *repeated(const Site &site, const Call &attention, const Expr *given) {
  if (repeats(site, given)) {
    return given;
  }
  const auto *name = as<Name>(given);
  const FunctionDef *const definition = site.function->definition();
  const Expr *last = nullptr;
  if (name == nullptr || definition == nullptr) {
    return nullptr;
  }
  any_node(definition->body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    if (assignment == nullptr || assignment->end > attention.start || assignment->targets.size() != 1) {
      return false;
    }
    const auto *target = as<Name>(assignment->targets[0]);
    const auto *targets = as<Tuple>(assignment->targets[0]);
    const auto *values = as<Tuple>(assignment->value);
    if (target != nullptr && target->id == name->id) {
      last = repeats(site, assignment->value) ? assignment->value : nullptr;
    } else if (targets != nullptr && values != nullptr && targets->elts.size() == values->elts.size()) {
      for (u32 i = 0; i < targets->elts.size(); ++i) {
        const auto *one = as<Name>(targets->elts[i]);
        if (one != nullptr && one->id == name->id) {
          last = repeats(site, values->elts[i]) ? values->elts[i] : nullptr;
        }
      }
    }
    return false;
  });
  return last;
}

void check(Site &site, const Call &call) {
  if (call.args.size() < 3 || keyword_argument(call, "enable_gqa") != nullptr || has_hidden_arguments(call) ||
      site.function == nullptr || site.module->is_test || is_version_guarded(site)) {
    return;
  }
  const Expr *const keys = repeated(site, call, call.args[1]);
  const Expr *const values = keys != nullptr ? repeated(site, call, call.args[2]) : nullptr;
  if (values == nullptr) {
    return;
  }
  Finding &finding = report(site, call, "keys and values are copied for each group of queries before the attention",
                            "pass the keys and values as they are, with `enable_gqa=True` (PyTorch 2.5 or newer)");
  add_note(finding, site, *keys, "the keys are repeated here");
  add_note(finding, site, *values, "the values are repeated here");
  // The project's PyTorch does not have it, or a mask leaves only the kernel that repeats them itself.
  const Expr *const mask = argument(call, 3, "attn_mask");
  if (status_in(site, "torch", "2.5") == Status::Fine || (mask != nullptr && !is_none(mask))) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kKeysRepeated = {
    .info = {.code = "DP182",
             .name = "keys-repeated",
             .summary = "keys and values that are copied for grouped-query attention",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, High Memory Consumption",
             .stage = "Build Model",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`F.scaled_dot_product_attention` whose keys and values are repeated for the heads of the queries, with `repeat_interleave` or with `expand` and `reshape`.

## Why it costs

Grouped-query attention has fewer heads for keys and values than for queries, in order to save memory. Repeating them writes them out once for each head of the queries, in every
layer and for every token. Since PyTorch 2.5 the kernels can read the same keys for several heads.

## Bad

```python
import torch.nn.functional as F


def attend(q, k, v, groups):
    k = k.repeat_interleave(groups, dim=1)
    v = v.repeat_interleave(groups, dim=1)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)
```

## Good

```python
import torch.nn.functional as F


def attend(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
```

## When it is wrong

Where the program must run with PyTorch 2.4 or older, or with a backend that does not support `enable_gqa`.

## References

- PyTorch documentation: torch.nn.functional.scaled_dot_product_attention
)"},
    .calls = "torch.nn.functional.scaled_dot_product_attention",
    .on_call = check};

} // namespace deepperf::rules::keys_repeated
