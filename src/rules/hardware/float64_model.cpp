#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::float64_model {

using namespace python;

namespace {

bool is_float64(std::string_view api) { return api == "torch.float64" || api == "torch.double"; }

// Is it float64 wherever it comes from: written there, a field of the settings, or the dtype that a setting names?
bool is_float64(const Site &site, const Expr *dtype) {
  if (dtype == nullptr) {
    return false;
  }
  const model::Value value = value_of(site, dtype);
  if (value.is(model::Value::Tag::Api)) {
    return is_float64(value.name().text());
  }
  const std::vector<model::Argument::Given> all = model::written_as(scope_of(site), dtype);
  return !all.empty() && std::ranges::all_of(all, [&](const model::Argument::Given &given) {
    const auto *call = as<Call>(given.expr); // getattr(torch, "float64")
    if (call != nullptr && called_name(*call) == "getattr" && call->args.size() == 2) {
      const auto named = model::constant_of(given.scope, call->args[1]);
      return named.has_value() && (named->as_string() == "float64" || named->as_string() == "double");
    }
    const model::Value one = given.expr != nullptr ? model::value_of(given.scope, given.expr) : model::Value{};
    return one.is(model::Value::Tag::Api) && is_float64(one.name().text());
  });
}

// The dtype that `to(…)`, `type(…)` or `set_default_dtype(…)` gets; null if none of its arguments is float64.
const Expr *dtype_given(const Site &site, const Call &call) {
  const Keyword *const named = keyword_argument(call, "dtype");
  if (named != nullptr) {
    return is_float64(site, named->value) ? named->value : nullptr;
  }
  const auto found = std::ranges::find_if(call.args, [&](const Expr *arg) { return is_float64(site, arg); });
  return found != call.args.end() ? *found : nullptr;
}

// `before = torch.get_default_dtype(); torch.set_default_dtype(torch.float64); …; torch.set_default_dtype(before)`:
// some constants are computed exactly, and the model is not touched.
bool is_set_back(const Site &site, const Call &call) {
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  return definition != nullptr && called_api(site, call) == "torch.set_default_dtype" &&
         any_node(definition->body, [&](const Node *node) {
           const auto *later = as<Call>(node);
           return later != nullptr && later->start > call.end &&
                  called_api(site, *later) == "torch.set_default_dtype" && dtype_given(site, *later) == nullptr;
         });
}

// `if args.double:` in a script: the user wants it.
bool is_asked_for(const Site &site) {
  return site.module->body == site.function && std::ranges::any_of(site.ancestors, [&site](const Node *node) {
           const auto *guard = as<If>(node);
           return guard != nullptr && text_of(site, guard->test).find("__name__") == std::string_view::npos;
         });
}

// Without a GPU it is the arrays of NumPy that people convert the model for.
void check(Site &site, const Call &call) {
  const bool is_double = called_method(call) == "double";
  if (site.module->is_test || (is_double ? !call.args.empty() : dtype_given(site, call) == nullptr) ||
      is_set_back(site, call)) {
    return;
  }
  const bool on_gpu = file_has_word(site, {"cuda", "to(device"});
  if (!on_gpu && !(is_double && file_has_word(site, {"from_numpy"}))) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` makes the model compute in float64, {}", text_of(site, is_double ? call.func : &call),
                         on_gpu ? "which most GPUs process much more slowly than float32"
                                : "which takes twice the time and memory of float32"),
             "keep the model in float32, and convert the data: `torch.from_numpy(x).float()`");
  // Only `double()` for arrays of NumPy is likely to be by accident. Who writes the type may need it: a Gaussian
  // process.
  if (is_asked_for(site) || !is_double || !file_has_word(site, {"from_numpy", "numpy"})) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kFloat64Model = {.info = {.code = "DP517",
                                                      .name = "float64-model",
                                                      .summary = "a model that computes in float64",
                                                      .root_cause = "Hardware: Improper Configuration",
                                                      .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
                                                      .stage = "Model Building",
                                                      .frameworks = "PyTorch",
                                                      .severity = Severity::Advice,
                                                      .tier = Tier::On,
                                                      .documentation = R"(## What it finds

`double()` of a model, in a file that uses a GPU, or one that creates tensors from NumPy arrays; `to(torch.float64)` of a model and
`torch.set_default_dtype(torch.float64)` in a file that uses a GPU, also where a setting of the program names the dtype. It is a hint
under a condition of a script, where the dtype is written out, and in a file without NumPy: then float64 is probably meant.

## Why it costs

NumPy creates float64 arrays, and `model.double()` silences the resulting dtype error. NVIDIA documents a float64
throughput of 1/32 or 1/64 of float32 for most of its consumer GPUs, and 1/2 for data-center GPUs such as the A100.
Everything also takes twice the memory.

## Bad

```python
import torch
from torch import nn

model = nn.Linear(3, 3).double().cuda()
```

## Good

```python
import torch
from torch import nn

model = nn.Linear(3, 3).cuda()
```

## When it is wrong

Where the precision is needed, as in some physics.

## References

- NVIDIA CUDA programming guide: throughput of native arithmetic instructions
)"},
                                             .calls = "TorchModule.double TorchModule.to TorchModule.type "
                                                      "torch.set_default_dtype",
                                             .on_call = check};

} // namespace deepperf::rules::float64_model
