#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules {

using namespace python;

namespace {

// The dtype that a constructor stands for; `torch.Tensor` is the default type, nearly always float32.
std::string_view dtype_of(std::string_view api) {
  if (api == "torch.Tensor" || api == "torch.FloatTensor") {
    return "torch.float32";
  }
  if (api == "torch.DoubleTensor") {
    return "torch.float64";
  }
  if (api == "torch.LongTensor") {
    return "torch.int64";
  }
  if (api == "torch.IntTensor") {
    return "torch.int32";
  }
  if (api == "torch.ByteTensor") {
    return "torch.uint8";
  }
  return api == "torch.BoolTensor" ? "torch.bool" : "torch.float16";
}

// Values, not a size: a list, or an array. `torch.Tensor((2, 3))` holds two values, though few know it.
bool is_data(const Expr *expr) {
  return expr->kind == NodeKind::List || expr->kind == NodeKind::ListComp || expr->kind == NodeKind::Tuple ||
         model::kind_of(expr) == Kind::NumpyArray || model::kind_of(expr) == Kind::List;
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || call.args.size() != 1 || !call.keywords.empty() || !is_data(call.args[0])) {
    return;
  }
  const std::string_view api = called_api(site, call);
  const std::string_view dtype = dtype_of(api);
  Finding &finding =
      report(site, call,
             fmt::format("`{}` is PyTorch's old constructor: the same name makes a tensor of a size if given numbers",
                         text_of(site, call.func)),
             fmt::format("write torch.tensor(…, dtype={})", dtype));
  const std::string tensor = spelling_of(site, "torch.tensor");
  const std::string type = spelling_of(site, dtype);
  if (tensor.empty() || type.empty()) {
    return;
  }
  // A list is copied either way; of an array of the right type the old constructor takes the memory itself.
  const bool safe =
      api != "torch.Tensor" && (call.args[0]->kind == NodeKind::List || call.args[0]->kind == NodeKind::ListComp);
  if (const std::optional<Edit> edit = add_argument(site, call, "dtype=" + type)) {
    set_fix(finding, safe, {replace(*call.func, tensor), *edit});
  }
}

} // namespace

extern constinit const Rule kLegacyTensorConstructor = {
    .info = {.code = "DP145",
             .name = "legacy-tensor-constructor",
             .summary = "torch.Tensor(data) or torch.FloatTensor(data), where torch.tensor is meant",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .fix = FixKind::Safe,
             .documentation = R"(## What it finds

`torch.Tensor(…)`, `torch.FloatTensor(…)`, `torch.LongTensor(…)` and the like, given a list, a tuple or a NumPy array. What is given
numbers makes a tensor of that size, and is not reported.

## Why it costs

The old constructors guess: `torch.Tensor(3)` is three numbers of whatever was in memory, `torch.Tensor([3])` is one
number. They take no `device`, so that the tensor is made on the CPU and copied, and `torch.Tensor` turns integers into floats,
twice as large as need be for labels and masks. PyTorch's documentation advises against them.

## Bad

```python
import torch

weights = torch.FloatTensor([0.1, 0.9])
```

## Good

```python
import torch

weights = torch.tensor([0.1, 0.9], dtype=torch.float32)
```

## When it is wrong

It is a matter of taste where all is on the CPU and the types are as meant. Of a NumPy array of the same type the old constructor
uses the memory itself, as `torch.from_numpy` does; there, and for `torch.Tensor`, whose type can be set for
the whole program, the edit is only made with `--unsafe-fixes`.

## References

- torch.Tensor: class reference, on constructors
- trailofbits' semgrep rule for `torch.Tensor`
)"},
    .calls = "torch.Tensor torch.FloatTensor torch.DoubleTensor torch.HalfTensor torch.LongTensor torch.IntTensor "
             "torch.ByteTensor "
             "torch.BoolTensor",
    .on_call = check};

} // namespace deepperf::rules
