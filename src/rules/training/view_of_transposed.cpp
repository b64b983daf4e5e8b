#include "rules/api_history.h"
#include "rules/optimizer_module.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::view_of_transposed {

using namespace python;

namespace {

// Operations on single elements: the result is laid out in memory as the operand is.
bool keeps_layout(std::string_view method) {
  constexpr std::string_view kMethods[] = {"eq",   "ne",     "gt",   "ge",    "lt",    "le",  "float",
                                           "long", "int",    "bool", "abs",   "neg",   "exp", "to",
                                           "half", "double", "byte", "clone", "detach"};
  return std::ranges::find(kMethods, method) != std::end(kMethods);
}

// The transposition that the tensor's layout comes from; null if it is none, or not known.
const Expr *transposed_by(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 8;
  if (expr == nullptr || depth > kMostDepth) {
    return nullptr;
  }
  if (const auto *name = as<Name>(expr)) {
    const Expr *const value = last_assigned(site, *name);
    return value != expr ? transposed_by(site, value, depth + 1) : nullptr;
  }
  if (const auto *compare = as<Compare>(expr)) {
    return transposed_by(site, compare->left, depth + 1);
  }
  if (const auto *attribute = as<Attribute>(expr)) {
    return attribute->attr.text() == "T" && model::kind_of(attribute->value) == Kind::TorchTensor ? expr : nullptr;
  }
  const auto *call = as<Call>(expr);
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  if (method == "t" && call->args.empty() && model::kind_of(call) == Kind::TorchTensor) {
    return expr;
  }
  return keeps_layout(method) ? transposed_by(site, receiver_of(*call), depth + 1) : nullptr;
}

bool has_larger_than_one(const Site &site, const Expr *values) {
  const auto *tuple = as<Tuple>(values);
  const auto *list = as<List>(values);
  const Array<Expr *> all = tuple != nullptr ? tuple->elts : list != nullptr ? list->elts : Array<Expr *>{};
  return std::ranges::any_of(all, [&](const Expr *one) { return integer_of(site, one).value_or(0) > 1; });
}

// May `k` of `x[:k]` be more than one, as far as the program itself says: in a loop over `(1, 5)`, which is written
// there, the default of a parameter, or what a caller passes for it?
bool takes_several(const Site &site, const Expr *count) {
  if (const auto number = integer_of(site, count)) {
    return *number > 1;
  }
  const auto *name = as<Name>(count);
  const model::Loop *loop = loop_around(site);
  for (; name != nullptr && loop != nullptr; loop = loop->parent) {
    const auto *statement = as<For>(loop->node);
    const auto *comprehension = statement == nullptr ? as<ListComp>(loop->node) : nullptr;
    const Expr *const target = statement != nullptr ? statement->target
                               : comprehension != nullptr && comprehension->generators.size() == 1
                                   ? comprehension->generators[0]->target
                                   : nullptr;
    if (target == nullptr || !mentions(target, name->id)) {
      continue;
    }
    const Expr *const over = iterated_by(site, *loop);
    const auto *parameter = as<Name>(over);
    if (parameter == nullptr || last_assigned(site, *parameter) != nullptr || site.function == nullptr) {
      return over != nullptr && has_larger_than_one(site, over);
    }
    const bool by_default = std::ranges::any_of(site.function->params, [&](const Param *one) {
      return one->name == parameter->id && one->default_value != nullptr &&
             has_larger_than_one(site, one->default_value);
    });
    return by_default || std::ranges::any_of(passed_for(*site.function, parameter->id), [&](const Passed &passed) {
             return passed.value != nullptr &&
                    has_larger_than_one(site_at(site, *passed.site->caller, *passed.site->call), passed.value);
           });
  }
  return false;
}

// correct = pred.t().eq(target); correct[:k].view(-1)
void check(Site &site, const Call &call) {
  const auto *rows = as<Subscript>(receiver_of(call));
  const auto *slice = rows != nullptr ? as<Slice>(rows->slice) : nullptr;
  if (slice == nullptr || slice->lower != nullptr || slice->upper == nullptr || slice->step != nullptr ||
      call.args.size() != 1 || !call.keywords.empty() || integer_of(site, call.args[0]) != -1 ||
      site.function == nullptr || site.module->is_test) {
    return;
  }
  const Expr *const transposed = transposed_by(site, rows->value);
  if (transposed == nullptr || !takes_several(site, slice->upper) || status_in(site, "torch", "1.7") == Status::Fine) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` is not contiguous, so `view(-1)` of several of its rows fails with a RuntimeError",
                         text_of(site, rows->value)),
             "use `reshape(-1)`, which copies where it has to");
  add_note(finding, site, *transposed, "its memory is laid out as it was before this transposition");
  const auto *method = as<Attribute>(call.func);
  set_fix(finding, false, {Edit{method->end - 4, method->end, "reshape"}});
}

} // namespace

extern constinit const Rule kViewOfTransposed = {
    .info = {.code = "DP991",
             .name = "view-of-transposed",
             .summary = "`view(-1)` of rows of a transposed tensor, which fails since PyTorch 1.7",
             .root_cause = "Library: Mismatched Library Version",
             .symptoms = "Program Crash",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`correct[:k].view(-1)`, where `correct` was computed element by element from a transposed tensor (`pred.t().eq(…)`) and `k` is more than one for some caller. It is
part of a function for the top-5 accuracy that many projects have copied.

## Why it is wrong

`t()` only swaps the strides, and since PyTorch 1.7 the result of a comparison has the same strides as its operand. Several rows of such a tensor are not contiguous in memory, so
`view(-1)` raises a RuntimeError. With `k = 1` it works, which is why it may go unnoticed.

## Bad

```python
import torch


def accuracy(output: torch.Tensor, target: torch.Tensor, topk=(1, 5)):
    pred = output.topk(max(topk), 1)[1].t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].view(-1).float().sum(0) for k in topk]
```

## Good

```python
import torch


def accuracy(output: torch.Tensor, target: torch.Tensor, topk=(1, 5)):
    pred = output.topk(max(topk), 1)[1].t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].reshape(-1).float().sum(0) for k in topk]
```

## When it is wrong

With PyTorch before 1.7. The rule is silent where the project requires such a version.

## References

- PyTorch documentation of `torch.Tensor.view` and of strides
)"},
    .calls = "*.view",
    .on_call = check};

} // namespace deepperf::rules::view_of_transposed
