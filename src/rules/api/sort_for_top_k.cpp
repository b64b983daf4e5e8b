#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::sort_for_top_k {

using namespace python;

namespace {

constexpr i64 kMost = 1000;

// `x[:k]`, `x[:, :k]`, `x[..., :k]` with a small k that is known.
bool takes_first(const Site &site, const Subscript &subscript) {
  const Expr *last = subscript.slice;
  if (const auto *tuple = as<Tuple>(last)) {
    last = tuple->elts.empty() ? nullptr : tuple->elts[tuple->elts.size() - 1];
  }
  const auto *slice = as<Slice>(last);
  if (slice == nullptr || slice->upper == nullptr || slice->step != nullptr) {
    return false;
  }
  const std::optional<i64> count = integer_of(site, slice->upper);
  return count && *count > 0 && *count <= kMost;
}

// Is the name only ever read to take its first elements?
bool is_only_sliced(const Site &site, const Name &name) {
  int sliced = 0;
  int read = 0;
  const auto look = [&](const Node *node) {
    const auto *subscript = as<Subscript>(node);
    if (subscript != nullptr && subscript->context == Context::Load) {
      const auto *base = as<Name>(subscript->value);
      sliced += base != nullptr && base->id == name.id && takes_first(site, *subscript) ? 1 : 0;
    }
    const auto *use = as<Name>(node);
    read += use != nullptr && use->id == name.id && use->context == Context::Load ? 1 : 0;
    return false;
  };
  const Node *code = site.function != nullptr ? site.function->node : nullptr;
  if (code != nullptr) {
    any_node_inside(code, look);
  } else {
    any_node(site.module->parsed->tree.body, look);
  }
  return read > 0 ? read == sliced : name.id.text().starts_with("_");
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || site.ancestors.empty()) {
    return;
  }
  // `sort(x, descending=True)[1][:, :k]`, `.indices[:k]`, `argsort(x)[:k]`
  const Node *below = &call;
  bool is_sliced = false;
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const auto *subscript = as<Subscript>(site.ancestors[i]);
    const auto *field = as<Attribute>(site.ancestors[i]);
    if (subscript != nullptr && subscript->value == below) {
      if (takes_first(site, *subscript)) {
        is_sliced = true;
        break;
      }
      if (subscript->slice->kind != NodeKind::Constant) {
        return;
      }
    } else if (field == nullptr || field->value != below ||
               (field->attr.text() != "values" && field->attr.text() != "indices")) {
      break;
    }
    below = site.ancestors[i];
  }
  if (!is_sliced) {
    const auto *assignment = as<Assign>(site.ancestors.back());
    if (assignment == nullptr || assignment->value != below || assignment->targets.size() != 1) {
      return;
    }
    const auto *both = as<Tuple>(assignment->targets[0]);
    const auto *one = as<Name>(assignment->targets[0]);
    if (both != nullptr && both->elts.size() == 2) {
      for (const Expr *target : both->elts) {
        const auto *name = as<Name>(target);
        if (name == nullptr || !is_only_sliced(site, *name)) {
          return;
        }
      }
    } else if (one == nullptr || called_name(call) != "argsort" || !is_only_sliced(site, *one)) {
      return;
    }
  }
  report(site, call, "all elements are sorted, and only the first few are used",
         "use `torch.topk(x, k)`, with `largest=False` for the smallest");
}

} // namespace

extern constinit const Rule kSortForTopK = {
    .info = {.code = "DP165",
             .name = "sort-for-top-k",
             .summary = "a tensor that is sorted to take its first few elements",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.sort` or `torch.argsort` whose result is only read as `[:k]` or `[:, :k]`, with a k that is known and not above 1,000.

## Why it costs

Sorting n elements takes n log n comparisons and writes n values and n indices. `torch.topk` looks for the k best only.

## Bad

```python
import torch


def best(scores):
    order = torch.argsort(scores, dim=1, descending=True)
    return order[:, :10]
```

## Good

```python
import torch


def best(scores):
    return torch.topk(scores, 10, dim=1).indices
```

## When it is wrong

If k is nearly the number of elements, sorting is as fast. Equal elements may come in another order.

## References

- `torch.topk`
)"},
    .calls = "torch.sort torch.argsort TorchTensor.sort TorchTensor.argsort",
    .on_call = check};

} // namespace deepperf::rules::sort_for_top_k
