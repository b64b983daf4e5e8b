#include "python/children.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::clip_past_accelerator {

using namespace python;

namespace {

// A call of accelerator.backward() in the function; null if there is none.
struct BackwardCall {
  const Call *call = nullptr;
};

const Call *accelerated_backward(const Site &site) {
  const void *about = site.function;
  return site.memory
      .recall<BackwardCall>(about,
                            [&site] {
                              BackwardCall found;
                              const auto visit = [&](const auto &self, const Node *node) -> void {
                                const auto *call = as<Call>(node);
                                if (call != nullptr && called_method(*call) == "backward" &&
                                    model::kind_of(receiver_of(*call)) == Kind::Accelerator) {
                                  found.call = call;
                                }
                                for_each_child(node, [&](const Node *child) { self(self, child); });
                              };
                              if (site.function->node != nullptr) {
                                visit(visit, site.function->node);
                              } else {
                                for (const Stmt *statement : site.module->parsed->tree.body) {
                                  visit(visit, statement);
                                }
                              }
                              return found;
                            })
      .call;
}

// The norm over the shards of one process is not that of the whole gradient.
bool check_shards(Site &site, const Call &call) {
  const auto *parameters = !call.args.empty() ? as<Call>(call.args[0]) : nullptr;
  const Expr *const model =
      parameters != nullptr && called_method(*parameters) == "parameters" ? receiver_of(*parameters) : nullptr;
  const model::Value value = model != nullptr ? value_of(site, model) : model::Value{};
  if (site.module->is_test || !value.is(model::Value::Tag::Instance) || !value.name() ||
      value.name().text() != "torch.distributed.fsdp.FullyShardedDataParallel" ||
      called_name(call) != "clip_grad_norm_") {
    return false;
  }
  report(site, call, "each process clips by the norm of its own shards, which is not the norm of the gradient",
         fmt::format("use `{}.clip_grad_norm_(…)`, which reduces the norm over all processes", text_of(site, model)));
  return true;
}

void check(Site &site, const Call &call) {
  if (check_shards(site, call)) {
    return;
  }
  const Call *backward = site.function != nullptr ? accelerated_backward(site) : nullptr;
  if (backward == nullptr || site.module->is_test || file_has_word(site, {"unscale_gradients", "unscale_("})) {
    return;
  }
  const model::Value accelerator = value_of(site, receiver_of(*backward));
  if (accelerator.maker() == nullptr || !accelerator.name().text().starts_with("accelerate.")) {
    return;
  }
  const Site made = site_of(site, *accelerator.maker());
  const Keyword *precision = keyword_argument(*accelerator.maker(), "mixed_precision");
  const auto setting = precision != nullptr ? setting_of(made, precision->value) : std::nullopt;
  const auto chosen = setting.has_value() && !setting->overridable ? setting->as_string() : std::nullopt;
  if (chosen == "bf16" || chosen == "no") {
    return;
  }
  const bool is_half = chosen == "fp16";
  Finding &finding = report(
      site, call,
      is_half ? "the gradients are still multiplied by the fp16 loss scale here, so almost all of them are clipped"
              : "with mixed precision the gradients may still be multiplied by the loss scale here",
      fmt::format("use `{}.{}`, which unscales them first", text_of(site, receiver_of(*backward)), called_name(call)));
  if (!is_half) {
    finding.tier = Tier::Hint; // `accelerate launch` may choose fp16
  }
  finding.notes.push_back({made.module->file, accelerator.maker()->span(),
                           is_half ? "fp16 is enabled here" : "the precision is chosen elsewhere"});
}

} // namespace

extern constinit const Rule kClipPastAccelerator = {
    .info = {.code = "DP838",
             .name = "clip-past-accelerator",
             .summary = "gradients that Accelerate has scaled or FSDP has sharded, clipped by PyTorch's own function",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.nn.utils.clip_grad_norm_` or `clip_grad_value_` in a function that calls `accelerator.backward(…)`. It is a hint where the code does
not set the precision, since `accelerate launch` may set it.

## Why it is wrong

With fp16, Accelerate multiplies the loss, and therefore the gradients, by a scale that starts at 65536. They are divided by it when the
optimizer steps, or by `accelerator.clip_grad_norm_`. PyTorch's function sees the scaled gradients and clips almost all of them. With FSDP
and DeepSpeed it sees only the gradients of its own process.

## Bad

```python
import torch
from accelerate import Accelerator


def train(model, optimizer, loader):
    accelerator = Accelerator(mixed_precision="fp16")
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        optimizer.zero_grad()
        accelerator.backward(model(batch).mean())
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
```

## Good

```python
import torch
from accelerate import Accelerator


def train(model, optimizer, loader):
    accelerator = Accelerator(mixed_precision="fp16")
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        optimizer.zero_grad()
        accelerator.backward(model(batch).mean())
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
```

## When it is wrong

In full precision and with bf16, in one process, nothing is scaled.

## References

- Accelerate: Accelerator.clip_grad_norm_
)"},
    .calls = "torch.nn.utils.clip_grad_norm_ torch.nn.utils.clip_grad_value_ torch.nn.utils.clip_grad_norm",
    .on_call = check};

} // namespace deepperf::rules::clip_past_accelerator
