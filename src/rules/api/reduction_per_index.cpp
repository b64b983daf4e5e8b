#include "rules/site.h"

namespace deepperf::rules::reduction_per_index {

using namespace python;

namespace {

bool is_array(const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  return kind == Kind::TorchTensor || kind == Kind::NumpyArray || kind == Kind::Tensor;
}

// `x` of `x.item()`, `int(x)`, `float(x)`.
const Expr *without_cast(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return expr;
  }
  if (called_method(*call) == "item" && call->args.empty()) {
    return receiver_of(*call);
  }
  const std::string_view api = called_api(site, *call);
  return (api == "int" || api == "float") && call->args.size() == 1 ? call->args[0] : expr;
}

// What is summed by `x.sum()`, `torch.sum(x)`, `np.sum(x)`; null if it is something else.
const Expr *summed(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call == nullptr || !call->keywords.empty()) {
    return nullptr;
  }
  const std::string_view api = called_api(site, *call);
  if (api == "torch.sum" || api == "numpy.sum" || api == "tensorflow.reduce_sum" || api == "numpy.count_nonzero") {
    return call->args.size() == 1 ? call->args[0] : nullptr;
  }
  return called_method(*call) == "sum" && call->args.empty() ? receiver_of(*call) : nullptr;
}

bool is_name(const Expr *expr, Symbol name) {
  const auto *found = as<Name>(expr);
  return found != nullptr && found->id == name;
}

void check(Site &site, const Node &node) {
  const auto &comprehension = static_cast<const ComprehensionExpr &>(node);
  const auto *loop = site.project.loop_at(&node);
  if (comprehension.generators.size() != 1 || comprehension.elt == nullptr || site.module->is_test || loop == nullptr ||
      loop->few_iterations || loop->iterations == model::Iterations::Few) {
    return;
  }
  const Comprehension &generator = *comprehension.generators[0];
  const auto *range = as<Call>(generator.iter);
  const auto *index = as<Name>(generator.target);
  if (range == nullptr || index == nullptr || !generator.ifs.empty() || called_api(site, *range) != "range" ||
      range->args.empty()) {
    return;
  }
  const std::optional<i64> count = integer_of(site, range->args[range->args.size() == 1 ? 0 : 1]);
  if (count && *count <= 32) {
    return;
  }
  const Expr *of = summed(site, without_cast(site, comprehension.elt));
  if (of == nullptr) {
    return;
  }
  if (const auto *compare = as<Compare>(of);
      compare != nullptr && compare->rest.size() == 1 && compare->rest[0].op == CompareOperator::Eq) {
    const Expr *left = compare->left;
    const Expr *right = compare->rest[0].right;
    if ((is_name(right, index->id) && is_array(left)) || (is_name(left, index->id) && is_array(right))) {
      Finding &finding = report(site, node, "the whole tensor is compared once for every value that is counted",
                                "count all values in one pass: `torch.bincount(x, minlength=n)` or `np.bincount`");
      const PlaceContext context = context_of(site);
      if (!count && !context.repeated && !context.in_training_step) {
        finding.tier = Tier::Hint; // perhaps a few values, once
      }
    }
    return;
  }
  const auto *part = as<Subscript>(of);
  const auto *slice = part != nullptr ? as<Slice>(part->slice) : nullptr;
  if (slice == nullptr || slice->step != nullptr || !is_array(part->value)) {
    return;
  }
  const bool to_end = slice->upper == nullptr && slice->lower != nullptr && mentions(slice->lower, index->id);
  const bool from_start = slice->lower == nullptr && slice->upper != nullptr && mentions(slice->upper, index->id);
  if (to_end || from_start) {
    report(site, node, "each sum starts again from the beginning, so the work grows with the square of the length",
           to_end ? "use a cumulative sum from the end: `x.flip(0).cumsum(0).flip(0)`"
                  : "use a cumulative sum: `x.cumsum(0)`");
  }
}

} // namespace

extern constinit const Rule kReductionPerIndex = {
    .info = {.code = "DP167",
             .name = "reduction-per-index",
             .summary = "a whole tensor that is summed again for every index or value",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow, NumPy",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`[(labels == c).sum() for c in range(n)]`, which counts one value at a time, and `[x[t:].sum() for t in range(n)]`, which
computes partial sums one by one.

## Why it costs

Each of the n results reads the whole tensor. `bincount` and `cumsum` read it once for all results.

## Bad

```python
import torch


def counts(labels: torch.Tensor):
    return torch.tensor([(labels == c).sum() for c in range(1000)])
```

## Good

```python
import torch


def counts(labels: torch.Tensor):
    return torch.bincount(labels, minlength=1000)
```

## When it is wrong

For a few values the difference is negligible. `bincount` needs integers that are not negative.

## References

- `torch.bincount`, `torch.cumsum`
)"},
    .nodes = {NodeKind::ListComp, NodeKind::GeneratorExp},
    .on_node = check};

} // namespace deepperf::rules::reduction_per_index
