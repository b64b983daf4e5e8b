#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::module_called {

using namespace python;

namespace {

// Modules whose name is also that of a function or class in them, or reads like one.
constexpr std::string_view kModules =
    "torch.utils.checkpoint torch.utils.data torch.utils.tensorboard torch.nn torch.nn.functional torch.nn.init "
    "torch.nn.parallel torch.nn.utils torch.nn.utils.rnn torch.optim torch.optim.lr_scheduler torch.optim.adam "
    "torch.optim.adamw torch.optim.sgd torch.cuda.amp torch.amp torch.distributed torch.random torch.profiler "
    "torchvision.transforms torchvision.models torchvision.datasets torchvision.utils torchvision.models.resnet "
    "torchvision.models.vgg jax.numpy jax.nn jax.lax jax.random jax.tree_util jax.sharding flax.linen flax.core optax "
    "tensorflow.keras.layers tensorflow.keras.optimizers tensorflow.keras.losses tensorflow.keras.metrics "
    "tensorflow.keras.models tensorflow.keras.callbacks tensorflow.data tensorflow.summary tqdm copy glob time random "
    "datetime pprint json pickle math numpy.random numpy.linalg einops wandb";

// A test or handler for the error, or a name that may also be something else, keeps it silent.
bool is_expected(const Site &site) {
  return site.module->is_test ||
         std::ranges::any_of(site.ancestors, [](const Node *node) { return node->kind == NodeKind::Try; });
}

void check(Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  if (!callee.is(model::Value::Tag::Api) || callee.alternatives != nullptr || callee.open || is_expected(site)) {
    return;
  }
  const std::string_view module = callee.name().text();
  const std::string_view last = module.substr(module.rfind('.') + 1);
  static constexpr std::string_view kWithNamesake[] = {"checkpoint", "tqdm",   "copy",   "glob",
                                                       "time",       "pprint", "random", "datetime"};
  const bool has_namesake = std::ranges::find(kWithNamesake, last) != std::end(kWithNamesake);
  report(site, call, fmt::format("`{}` is a module, so calling it raises a TypeError", text_of(site, call.func)),
         has_namesake ? fmt::format("call the function in it: `{}.{}(…)`", text_of(site, call.func), last)
                      : "call the function or class in it that you mean");
}

} // namespace

extern constinit const Rule kModuleCalled = {.info = {.code = "DP993",
                                                      .name = "module-called",
                                                      .summary = "a module that is called like a function",
                                                      .root_cause = "Training: Wrong Model Definition",
                                                      .symptoms = "Program Crash",
                                                      .stage = "Training",
                                                      .frameworks = "PyTorch, TensorFlow, Keras, JAX",
                                                      .severity = Severity::Error,
                                                      .tier = Tier::On,
                                                      .documentation = R"(## What it finds

A call of a module of the framework or of the standard library: `torch.utils.checkpoint(block, x)`, `tqdm(loader)` after
`import tqdm`.

## Why it is wrong

A module is not callable, so the line raises a TypeError. Often it stands in a branch that runs late, such as a fallback
for missing memory.

## Bad

```python
import torch
from torch.utils import checkpoint


def forward(block: torch.nn.Module, x):
    return checkpoint(block, x, use_reentrant=False)
```

## Good

```python
import torch
from torch.utils.checkpoint import checkpoint


def forward(block: torch.nn.Module, x):
    return checkpoint(block, x, use_reentrant=False)
```

## When it is wrong

Where the program replaces the module in `sys.modules` by an object that can be called.

## References

- Python reference: calls
)"},
                                             .calls = kModules,
                                             .on_call = check};

} // namespace deepperf::rules::module_called
