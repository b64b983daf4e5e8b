#include "rules/assignments.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::broadcast_copy {

using namespace python;

namespace {

// `x.unsqueeze(k)`, `x[:, None]`: the axis that is inserted; nothing if it is something else.
std::optional<i64> inserted_axis(const Site &site, const Expr *expr) {
  if (const auto *call = as<Call>(expr)) {
    const bool is_function = called_api(site, *call) == "torch.unsqueeze";
    if (!is_function && called_method(*call) != "unsqueeze") {
      return std::nullopt;
    }
    const Expr *axis = argument(*call, is_function ? 1 : 0, "dim");
    return axis != nullptr ? integer_of(site, axis) : std::nullopt;
  }
  const auto *subscript = as<Subscript>(expr);
  if (subscript == nullptr) {
    return std::nullopt;
  }
  if (is_none(subscript->slice)) {
    return 0;
  }
  const auto *tuple = as<Tuple>(subscript->slice);
  for (u32 i = 0; tuple != nullptr && i < tuple->elts.size(); ++i) {
    if (is_none(tuple->elts[i])) {
      return static_cast<i64>(i);
    }
    const auto *slice = as<Slice>(tuple->elts[i]);
    if (slice == nullptr || slice->lower != nullptr || slice->upper != nullptr) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool is_tensor(const Expr *expr) { return model::kind_of(expr) == Kind::TorchTensor; }

// The difference of all pairs of rows, `a[:, None] - b[None]`, of which the axis `summed` is the last.
bool is_all_pairs(const Site &site, const Expr *expr, i64 summed) {
  const auto *difference = as<BinOp>(expr);
  if (difference == nullptr || difference->op() != Operator::Sub || !is_tensor(difference)) {
    return false;
  }
  const std::optional<i64> left = inserted_axis(site, difference->left);
  const std::optional<i64> right = inserted_axis(site, difference->right);
  // Of matrices, or of batches of them.
  if (!left || !right || *left < 0 || *right < 0 || (*left - *right != 1 && *right - *left != 1)) {
    return false;
  }
  const i64 last = std::max(*left, *right) + 1;
  return last <= 3 && (summed == -1 || summed == last);
}

// `x` of `x.pow(2)`, `x ** 2`, `torch.square(x)`, `x.abs()`.
const Expr *powered(const Site &site, const Expr *expr) {
  if (const auto *power = as<BinOp>(expr)) {
    return power->op() == Operator::Pow ? power->left : nullptr;
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return nullptr;
  }
  const std::string_view api = called_api(site, *call);
  if (api == "torch.square" || api == "torch.pow" || api == "torch.abs") {
    return !call->args.empty() ? call->args[0] : nullptr;
  }
  const std::string_view method = called_method(*call);
  return method == "pow" || method == "square" || method == "abs" ? receiver_of(*call) : nullptr;
}

// What a name stands for that is set and read once.
const Expr *behind_name(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const Expr *const value = name != nullptr ? assigned_before(site, name->id, name->start) : nullptr;
  if (value == nullptr) {
    return expr;
  }
  u32 reads = 0;
  any_node(body_around(site), [&](const Node *node) {
    const auto *use = as<Name>(node);
    reads += use != nullptr && use->id == name->id && use->context == Context::Load ? 1 : 0;
    return reads > 1;
  });
  return reads == 1 ? value : expr;
}

void check_distance(Site &site, const Call &call) {
  const bool is_function = called_api(site, call) == "torch.sum" || called_api(site, call) == "torch.norm" ||
                           called_api(site, call) == "torch.linalg.norm";
  const Expr *of = is_function ? (call.args.empty() ? nullptr : call.args[0]) : receiver_of(call);
  const bool is_norm = called_name(call) == "norm";
  const Expr *axis = keyword_argument(call, "dim") != nullptr                 ? keyword_argument(call, "dim")->value
                     : !is_norm && call.args.size() > (is_function ? 1U : 0U) ? call.args[is_function ? 1 : 0]
                                                                              : nullptr;
  const std::optional<i64> last = axis != nullptr ? integer_of(site, axis) : std::nullopt;
  if (of == nullptr || !last) {
    return;
  }
  of = behind_name(site, of);
  const Expr *pairs = is_norm ? of : powered(site, of);
  pairs = pairs != nullptr ? behind_name(site, pairs) : nullptr;
  if (pairs != nullptr && is_all_pairs(site, pairs, *last)) {
    report(site, call, "the differences of all pairs are stored, only to be reduced to distances",
           "use `torch.cdist(a, b)`, squared where needed, which never stores the differences");
  }
}

// `x.unsqueeze(1).repeat(1, n, 1)`: does it copy along axes of length one only?
bool repeats_one(const Site &site, const Call &call) {
  const Expr *receiver = receiver_of(call);
  const std::optional<i64> axis = receiver != nullptr ? inserted_axis(site, receiver) : std::nullopt;
  if (!axis || *axis < 0 || call.args.size() < 2 || !call.keywords.empty() || has_hidden_arguments(call)) {
    return false;
  }
  for (u32 i = 0; i < call.args.size(); ++i) {
    const std::optional<i64> times = integer_of(site, call.args[i]);
    if (static_cast<i64>(i) == *axis ? times && *times == 1 : !times || *times != 1) {
      return false;
    }
  }
  return true;
}

// With another tensor, which gives the result its shape.
bool is_arithmetic(const Node *node, const Node *operand) {
  const auto *operation = as<BinOp>(node);
  return operation != nullptr && operation->op() != Operator::MatMult &&
         is_tensor(operation->left == operand ? operation->right : operation->left);
}

void check_repeat(Site &site, const Call &call) {
  if (!repeats_one(site, call) || site.ancestors.empty()) {
    return;
  }
  const Node *parent = site.ancestors.back();
  bool is_combined = is_arithmetic(parent, &call);
  const auto *assignment = as<Assign>(parent);
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  if (name != nullptr && site.function != nullptr && site.function->node != nullptr) {
    int uses = 0;
    int combined = 0;
    any_node_inside(site.function->node, [&](const Node *node) {
      const auto is_it = [&](const Node *part) {
        const auto *use = as<Name>(part);
        return use != nullptr && use->id == name->id && use->context == Context::Load;
      };
      uses += is_it(node) ? 1 : 0;
      if (const auto *operation = as<BinOp>(node)) {
        combined += is_it(operation->left) && is_arithmetic(operation, operation->left) ? 1 : 0;
        combined += is_it(operation->right) && is_arithmetic(operation, operation->right) ? 1 : 0;
      }
      if (const auto *einsum = as<Call>(node); einsum != nullptr && called_api(site, *einsum) == "torch.einsum") {
        for (const Expr *operand : einsum->args) {
          combined += is_it(operand) ? 1 : 0;
        }
      }
      return false;
    });
    is_combined = uses > 0 && uses == combined;
  }
  if (is_combined) {
    report(site, call, "`repeat()` copies the tensor, although the operation would broadcast it",
           "leave the axis at length 1, or use `expand()`, which copies nothing");
  }
}

void check(Site &site, const Call &call) {
  if (site.module->is_test) {
    return;
  }
  if (called_name(call) == "repeat") {
    check_repeat(site, call);
  } else {
    check_distance(site, call);
  }
}

} // namespace

extern constinit const Rule kBroadcastCopy = {
    .info = {.code = "DP168",
             .name = "broadcast-copy",
             .summary = "a large tensor of repeated rows or of all pairs that does not need to be stored",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Out of Memory, Slow Execution Time",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`(a[:, None] - b[None]).pow(2).sum(-1)` and `torch.norm(a[:, None] - b[None], dim=-1)`, which are distances of all pairs;
and `x.unsqueeze(1).repeat(1, n, 1)` whose result only goes into arithmetic, which broadcasts by itself.

## Why it costs

The difference of n and m rows of d numbers has n·m·d elements, while the distances have n·m. `repeat` writes n copies of
the same numbers. Memory of that size is written once and read once, which is most of the time.

## Bad

```python
import torch


def distances(a: torch.Tensor, b: torch.Tensor):
    return (a.unsqueeze(1) - b.unsqueeze(0)).pow(2).sum(dim=-1)
```

## Good

```python
import torch


def distances(a: torch.Tensor, b: torch.Tensor):
    return torch.cdist(a, b).pow(2)
```

## When it is wrong

For many rows `torch.cdist` multiplies matrices, which is less precise for points that are very close to each other; pass
`compute_mode="donot_use_mm_for_euclid_dist"` there.

## References

- `torch.cdist`, `torch.Tensor.expand`, PyTorch notes on broadcasting
)"},
    .calls = "TorchTensor.sum torch.sum torch.norm torch.linalg.norm TorchTensor.norm TorchTensor.repeat",
    .on_call = check};

} // namespace deepperf::rules::broadcast_copy
