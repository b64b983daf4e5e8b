#include "model/bind.h"
#include "model/graph_flow.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::direct_forward_call {

using namespace python;

namespace {

// Does the file put hooks or wrappers on modules, which a direct call skips: DDP and FSDP, which average gradients;
// torch.compile(); weight and spectral norm, pruning and quantization; libraries that wrap the model; hooks? What other
// programs of a project wrap is another model.
bool adds_hooks(const Site &site) {
  return file_has_word(site,
                       {"register_forward", "register_full_backward", "register_backward", "DistributedDataParallel",
                        "DataParallel", "FullyShardedDataParallel", "fully_shard", "torch.compile(", "weight_norm(",
                        "spectral_norm(", "Accelerator(", "deepspeed", "Fabric("});
}

void check(Site &site, const Call &call) {
  const Expr *receiver = receiver_of(call);
  const Kind kind = model::kind_of(receiver);
  if (kind != Kind::TorchModule && kind != Kind::TorchLoss && kind != Kind::HfModel) {
    return;
  }
  if (const auto *inner = as<Call>(receiver)) {
    const auto *function = as<Name>(inner->func);
    if (function != nullptr && function->id.text() == "super") {
      return;
    }
  }
  const std::string_view inside = site.function->name ? site.function->name.text() : std::string_view{};
  if ((inside == "__call__" || inside == "_call_impl") && site.type != nullptr && site.type->kind != Kind::Unknown) {
    return; // what is called instead
  }
  // A class's own methods may want to skip the hooks that are made for callers from outside.
  const auto *name = as<Name>(receiver);
  const bool is_self = name != nullptr && name->id.text() == "self";
  Finding &finding = report(site, call, "calling `forward()` directly skips the module's hooks and wrappers",
                            text_of(site, receiver).find('\n') == std::string_view::npos
                                ? fmt::format("call the module: `{}(…)`", text_of(site, receiver))
                                : std::string("call the module itself, without `.forward`"));
  const model::Value callee = site.project.callee_of(&call);
  const bool is_guess = callee.is(model::Value::Tag::ApiMethod) && callee.receiver().is(model::Value::Tag::Instance) &&
                        callee.receiver().maker() == nullptr && !callee.receiver().name();
  // The layers of a module are its own business: who wants hooks puts them on the model.
  const auto *part = as<Attribute>(receiver);
  while (part != nullptr && part->value->kind == NodeKind::Attribute) { // self.head.projection
    part = static_cast<const Attribute *>(part->value);
  }
  const bool is_own_layer = part != nullptr && site.type != nullptr && site.type->kind != Kind::Unknown &&
                            model::is_own_object(*site.function, part->value);
  // What is only called like a model may be something else, and where nobody adds hooks or wrappers none are skipped.
  // A module without weights, which nobody wraps or hooks, or a try at the end of the file that defines the model.
  const model::Value module = value_of(site, receiver);
  const bool is_light = module.is(model::Value::Tag::Object) && !model::records_graph(site.project, module);
  const bool is_try = context_of(site).runs_once && enclosing(site, NodeKind::If) != nullptr;
  if (is_self || is_own_layer || is_guess || is_light || is_try || kind == Kind::TorchLoss || !adds_hooks(site)) {
    finding.tier = Tier::Hint;
  }
  const std::string_view text = site.module->parsed->source.text();
  const u32 dot = call.func->end - static_cast<u32>(std::string_view(".forward").size());
  if (text.substr(dot, call.func->end - dot) == ".forward") {
    set_fix(finding, false, {Edit{dot, call.func->end, ""}});
  }
}

} // namespace

extern constinit const Rule kDirectForwardCall = {.info = {.code = "DP808",
                                                           .name = "direct-forward-call",
                                                           .summary = "`model.forward(x)` instead of `model(x)`",
                                                           .root_cause = "Training: Wrong Training Step",
                                                           .symptoms = "Wrong Result",
                                                           .stage = "Training",
                                                           .frameworks = "PyTorch",
                                                           .severity = Severity::Advice,
                                                           .tier = Tier::On,
                                                           .fix = FixKind::Unsafe,
                                                           .documentation = R"(## What it finds

`model.forward(x)` on a PyTorch module. `super().forward(x)` is how a class extends another, and is not reported; `self.forward(x)` and
`self.layer.forward(x)` are hints. It is also a hint on a loss, and in a file that puts no hooks or wrappers on modules: there is
nothing that the call skips yet.

## Why it costs

`model(x)` runs the registered hooks and `forward`. Quantization, pruning, weight normalization, profilers, feature extraction and FSDP rely
on hooks: if `forward` is called directly, they silently do nothing.

## Bad

```python
import torch.nn as nn

model = nn.Linear(3, 4)
model.register_forward_hook(lambda module, args, output: print(output.shape))


def predict(x):
    return model.forward(x)
```

## Good

```python
import torch.nn as nn

model = nn.Linear(3, 4)
model.register_forward_hook(lambda module, args, output: print(output.shape))


def predict(x):
    return model(x)
```

## When it is wrong

Where hooks are skipped on purpose. The fix makes hooks run, so it needs `--unsafe-fixes`.

## References

- PyTorch documentation of `torch.nn.Module.forward`: one should call the Module instance afterwards instead of this
- dslinter: forward-pytorch
)"},
                                                  .calls = "*.forward",
                                                  .on_call = check};

} // namespace deepperf::rules::direct_forward_call
