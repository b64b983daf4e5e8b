#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::legacy_tensor_constructor {

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
  Finding &finding = report(site, call,
                            fmt::format("`{}` is a legacy constructor: given numbers instead of data, it allocates an "
                                        "uninitialized tensor of that size",
                                        text_of(site, call.func)),
                            fmt::format("use `torch.tensor(…, dtype={})`", dtype));
  const std::string tensor = spelling_of(site, "torch.tensor");
  const std::string type = spelling_of(site, dtype);
  if (tensor.empty() || type.empty()) {
    return;
  }
  // Not safe: the old constructor ignores set_default_device(), torch.Tensor has the default type, and of an array of
  // the right type the old constructor takes the memory itself.
  if (const std::optional<Edit> edit = add_argument(site, call, "dtype=" + type)) {
    set_fix(finding, false, {replace(*call.func, tensor), *edit});
  }
}

} // namespace

extern constinit const Rule kLegacyTensorConstructor = {
    .info = {.code = "DP145",
             .name = "legacy-tensor-constructor",
             .summary = "`torch.Tensor(data)` or `torch.FloatTensor(data)` instead of `torch.tensor(data)`",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`torch.Tensor(…)`, `torch.FloatTensor(…)`, `torch.LongTensor(…)` and the like, called with a list, a tuple or a NumPy
array. Calls with numbers, which allocate a tensor of that size, are not reported.

## Why it costs

The legacy constructors guess what is meant: `torch.Tensor(3)` holds three uninitialized numbers, `torch.Tensor([3])`
holds one number. `torch.FloatTensor` and its siblings cannot create a tensor on another device, so it is built on the
CPU and copied. `torch.Tensor` converts integers to floats. PyTorch's documentation advises against them.

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

It is a matter of style where everything is on the CPU and the dtypes are the intended ones. For a NumPy array of the
same dtype, the legacy constructor shares the array's memory, as `torch.from_numpy` does, and the dtype of
`torch.Tensor` can be set globally. In these cases the fix needs `--unsafe-fixes`.

## References

- `torch.Tensor`: class reference, on constructors
- Trail of Bits' Semgrep rule for `torch.Tensor`
)"},
    .calls = "torch.Tensor torch.FloatTensor torch.DoubleTensor torch.HalfTensor torch.LongTensor torch.IntTensor "
             "torch.ByteTensor "
             "torch.BoolTensor",
    .on_call = check};

} // namespace deepperf::rules::legacy_tensor_constructor
