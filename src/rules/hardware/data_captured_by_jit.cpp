#include "rules/origins.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::data_captured_by_jit {

using namespace python;

namespace {

// What reads a whole data set.
bool reads_data(std::string_view api, const Call &call) {
  return api == "numpy.load" || api == "jax.numpy.load" || api == "numpy.loadtxt" || api == "numpy.genfromtxt" ||
         api == "numpy.fromfile" || called_name(call) == "load_data";
}

// The call that reads the data which the name holds, if it holds nothing else.
const Call *data_behind(const Site &site, const model::FunctionInfo &function, const Expr *name) {
  const Call *data = nullptr;
  bool is_other = false;
  const bool complete = visit_origins(site, function, name, [&](const Origin &origin) {
    if (origin.expr->kind == NodeKind::BinOp) {
      const auto *operation = static_cast<const BinOp *>(origin.expr);
      origin.next.push_back(operation->left); // images / 255.0
      return Onward::Next;
    }
    const auto *call = as<Call>(origin.expr);
    const std::string_view api =
        call != nullptr ? called_api(site_of_origin(site, *origin.function), *call) : std::string_view{};
    if (call != nullptr && reads_data(api, *call)) {
      data = call;
      return Onward::Stop;
    }
    const std::string_view last = api.substr(api.rfind('.') + 1);
    const std::string_view method = call != nullptr && api.empty() ? called_method(*call) : std::string_view{};
    if ((last == "asarray" || last == "array" || last == "device_put") && !call->args.empty()) {
      origin.next.push_back(call->args[0]);
      return Onward::Next;
    }
    if (method == "astype" || method == "reshape") {
      origin.next.push_back(receiver_of(*call));
      return Onward::Next;
    }
    is_other = true;
    return Onward::Stop;
  });
  return complete && !is_other ? data : nullptr;
}

void check(Site &site, const Node &node) {
  const model::FunctionInfo *function = site.module->jax ? site.project.function_at(&node) : nullptr;
  if (function == nullptr || function->compiled_at == nullptr || (function->tracers & model::kByJaxJit) == 0 ||
      site.module->is_test) {
    return;
  }
  bool is_reported = false;
  any_node_inside(&node, [&](const Node *part) {
    const auto *element = as<Subscript>(part);
    const auto *name = element != nullptr && element->context == Context::Load ? as<Name>(element->value) : nullptr;
    if (name == nullptr || is_reported || function->slot_of(name->id) != model::FunctionInfo::kNoSlot) {
      return is_reported;
    }
    const bool is_chosen = any_node(element->slice, [&](const Node *index) {
      const auto *one = as<Name>(index);
      return one != nullptr && function->slot_of(one->id) != model::FunctionInfo::kNoSlot;
    });
    const Call *data = is_chosen ? data_behind(site, *function, name) : nullptr;
    if (data == nullptr) {
      return false;
    }
    is_reported = true;
    Site there = site;
    Finding &finding = report(
        there, *name, fmt::format("the whole of `{}` becomes a constant of the compiled function", name->id.text()),
        fmt::format("pass it as an argument: `{}` then stays on the device, and is not part of the program",
                    name->id.text()));
    if (const model::FunctionInfo *at = site.project.caller_of(data)) {
      finding.notes.push_back({at->module->file, data->span(), "the data is read here"});
    }
    return true;
  });
}

} // namespace

extern constinit const Rule kDataCapturedByJit = {
    .info = {.code = "DP561",
             .name = "data-captured-by-jit",
             .summary = "a data set that a function under `jax.jit` reads as a global or closure variable",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Initialization Time, Out of Memory",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A function under `jax.jit` that reads elements of an array that is not one of its arguments, and which was read from a file as a whole.

## Why it costs

What a compiled function closes over is a constant of its program. The compiler receives all of the data, tries to simplify what is computed from it,
and keeps one more copy in memory for each version of the function.

## Bad

```python
import jax
import jax.numpy as jnp
import numpy as np

images = jnp.asarray(np.load("images.npy"))


@jax.jit
def mean_of(rows):
    return jnp.mean(images[rows], axis=0)
```

## Good

```python
import jax
import jax.numpy as jnp
import numpy as np

images = jnp.asarray(np.load("images.npy"))


@jax.jit
def mean_of(images, rows):
    return jnp.mean(images[rows], axis=0)
```

## When it is wrong

Where the array is small.

## References

- JAX FAQ: large constants that are captured during tracing
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::data_captured_by_jit
