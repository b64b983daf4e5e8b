#include "rules/name_places.h"
#include "rules/tree.h"

namespace deepperf::rules::attention_weights_discarded {

using namespace python;

namespace {

// Is a name that an unpacking binds read nowhere? That it is `_` says the same, if nothing reads `_`.
bool is_never_read(const Site &site, const Expr *target) {
  const auto *name = as<Name>(target);
  return name != nullptr && site.function != nullptr && site.function->node != nullptr &&
         site.function->slot_of(name->id) != model::FunctionInfo::kNoSlot &&
         places_of_name(site, *site.function, name->id).empty();
}

// Does only the output reach anybody: `attention(q, k, v)[0]`, `output, _ = attention(q, k, v)`?
bool takes_only_output(const Site &site, const Call &call) {
  const Node *const parent = site.ancestors.empty() ? nullptr : site.ancestors.back();
  if (const auto *part = as<Subscript>(parent)) {
    return part->value == &call && integer_of(site, part->slice) == 0;
  }
  const auto *assignment = as<Assign>(parent);
  if (assignment == nullptr || assignment->targets.size() != 1 || assignment->value != &call) {
    return false;
  }
  const auto *pair = as<Tuple>(assignment->targets[0]);
  return pair != nullptr && pair->elts.size() == 2 && is_never_read(site, pair->elts[1]);
}

void check(Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  constexpr u32 kPlace = 4; // query, key, value, key_padding_mask, need_weights
  if (!callee.is(model::Value::Tag::Instance) || !callee.name() || callee.alternatives != nullptr ||
      callee.name().text() != "torch.nn.MultiheadAttention" || has_hidden_arguments(call) ||
      argument(call, kPlace, "need_weights") != nullptr || argument(call, 2, "value") == nullptr ||
      site.module->is_test || !takes_only_output(site, call)) {
    return;
  }
  Finding &finding =
      report(site, call, "the attention weights are computed and averaged over all heads, and nothing reads them",
             "pass `need_weights=False`, which lets PyTorch 2 use fused attention");
  if (const std::optional<Edit> edit = add_argument(site, call, "need_weights=False")) {
    set_fix(finding, false, {*edit}); // the same values but for rounding
  }
}

} // namespace

extern constinit const Rule kAttentionWeightsDiscarded = {
    .info = {.code = "DP179",
             .name = "attention-weights-discarded",
             .summary = "`nn.MultiheadAttention` that computes attention weights which nothing reads",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

A call of `nn.MultiheadAttention` without `need_weights=False` whose second result is not used.

## Why it costs

By default the module returns the attention weights next to its output. For that it has to compute and keep the whole matrix of scores, whose size is the square of
the sequence's length, and to average it over the heads. Without them it calls `scaled_dot_product_attention`, which since PyTorch 2.0
selects a fused kernel that never stores that matrix.

## Bad

```python
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.attention = nn.MultiheadAttention(size, 8, batch_first=True)

    def forward(self, x):
        y = self.norm(x)
        return x + self.attention(y, y, y)[0]
```

## Good

```python
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.attention = nn.MultiheadAttention(size, 8, batch_first=True)

    def forward(self, x):
        y = self.norm(x)
        return x + self.attention(y, y, y, need_weights=False)[0]
```

## When it is wrong

Where a forward hook reads the weights. For a few dozen tokens the difference is small.

## References

- PyTorch documentation of `torch.nn.MultiheadAttention`: `need_weights`
)"},
    .calls = "TorchModule.__call__",
    .on_call = check};

} // namespace deepperf::rules::attention_weights_discarded
