#include "base/name_table.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_map>

namespace deepperf::rules::no_amp {

using namespace python;

namespace {

// A word of any way to train in lower precision, or of a library that does it by a setting.
bool mentions_precision(const Site &site) {
  return file_has_word_in_any_case(site,
                                   {"autocast", "amp.", "half(", "bfloat16", "float16", "fp16", "bf16", "precision",
                                    "accelerat", "deepspeed", "lightning", "fabric", "float64", "double("});
}

// The first loop of each module whose iterations are training steps.
struct FirstSteps {
  std::unordered_map<const model::Module *, u32> places;
};

// Has the file such a loop before this one?
bool is_first(const Site &site, const model::Loop &loop) {
  const auto &first = site.memory.recall<FirstSteps>(&site.project, [&] {
    FirstSteps steps;
    for (const model::Loop &other : site.project.loops) {
      if (other.steps) {
        const auto [known, is_new] = steps.places.try_emplace(other.function->module, other.node->start);
        known->second = std::min(known->second, other.node->start);
      }
    }
    return steps;
  });
  return first.places.at(site.module) >= loop.node->start;
}

// ---- Is the model so small that precision does not matter? ----------------------------------------------------------

constexpr u32 kMostDepth = 6; // of modules inside modules
constexpr i64 kSmallWidth = 512;

bool is_small(const Site &site, const model::Value &model, u32 depth);

// A layer that is written as an argument: of nn.Sequential, or in a list.
bool is_small_argument(const Site &site, const Expr *written, u32 depth) {
  const auto *made = as<Call>(written);
  if (made == nullptr) {
    return false;
  }
  const model::Value callee = site.project.callee_of(made);
  if (callee.is(model::Value::Tag::Class)) {
    return is_small(site, model::Value::of(callee.type, model::Value::Tag::Object), depth + 1);
  }
  return callee.is(model::Value::Tag::Api) &&
         is_small(site, model::Value::made_by(Kind::TorchModule, made, callee.name()), depth + 1);
}

// Layers that multiply little matrices, and those that multiply nothing.
bool is_small_layer(const Site &site, std::string_view layer, const Call &made, u32 depth) {
  if (layer == "Sequential") {
    return !made.args.empty() &&
           std::ranges::all_of(made.args, [&](const Expr *part) { return is_small_argument(site, part, depth); });
  }
  if (layer != "Linear") {
    static const NameTable kPlain({"ReLU", "Tanh", "Sigmoid", "ELU", "GELU", "LeakyReLU", "SiLU", "Softmax", "Softplus",
                                   "LogSoftmax", "Dropout", "LayerNorm", "BatchNorm1d", "Flatten", "Identity"});
    return kPlain.has(intern(layer));
  }
  const Site there = site_of(site, made);
  const auto inputs = integer_of(there, argument(made, 0, "in_features"));
  const auto outputs = integer_of(there, argument(made, 1, "out_features"));
  return (inputs.has_value() || outputs.has_value()) && inputs.value_or(0) <= kSmallWidth &&
         outputs.value_or(0) <= kSmallWidth;
}

bool is_small(const Site &site, const model::Value &model, u32 depth) {
  using Tag = model::Value::Tag;
  if (depth > kMostDepth || model.open || model.alternatives != nullptr) {
    return false;
  }
  if (model.is_kind(Kind::TorchModule)) {
    constexpr std::string_view kLayers = "torch.nn.";
    return model.maker() != nullptr && model.name() && model.name().text().starts_with(kLayers) &&
           is_small_layer(site, model.name().text().substr(kLayers.size()), *model.maker(), depth);
  }
  if (!model.is(Tag::Object) || model.type->kind != Kind::TorchModule) {
    return false;
  }
  u32 layers = 0;
  for (const model::ClassInfo *at : model.type->mro) {
    for (const auto &[name, cell] : at->attributes) {
      const bool is_layer = cell.value.is_kind(Kind::TorchModule) || cell.value.is(Tag::Object);
      const bool is_harmless = cell.value.is(Tag::Literal) || cell.value.is(Tag::None);
      if ((is_layer && !is_small(site, cell.value, depth + 1)) ||
          (!is_layer && !is_harmless && !cell.value.is_unknown())) {
        return false;
      }
      layers += is_layer ? 1 : 0;
    }
  }
  return layers > 0;
}

void check(Site &site, const Node &node) {
  const auto *known = site.project.loop_at(&node);
  if (!site.module->torch || known == nullptr || !known->steps || known->tiny) {
    return;
  }
  const auto &loop = static_cast<const For &>(node);
  const Call *forward = nullptr;
  model::Value model;
  any_node(loop.body, [&](const Node *part) {
    const auto *call = as<Call>(part);
    if (call != nullptr) {
      const model::Value callee = site.project.callee_of(call);
      const bool is_model = callee.is_kind(Kind::TorchModule) ||
                            (callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule);
      // `diffusion.losses(model, x)` runs the model that it is given.
      const bool runs_given = model::has_grad(call) && std::ranges::any_of(call->args, [](const Expr *arg) {
                                return model::kind_of(arg) == Kind::TorchModule && model::is_moved(arg);
                              });
      forward = (is_model && model::is_moved(call->func)) || runs_given ? call : nullptr;
      model = is_model ? callee : model::Value{};
    }
    return forward != nullptr;
  });
  if (forward == nullptr || mentions_precision(site) || !is_first(site, *known)) {
    return;
  }
  Finding &finding = report(site, *forward, "this model trains on the GPU in float32 only, without mixed precision",
                            "try `torch.autocast(\"cuda\", dtype=torch.bfloat16)`, or float16 with a `GradScaler`");
  if (is_small(site, model, 0)) {
    finding.tier = Tier::Hint; // the GPU waits for Python in any precision
  }
}

} // namespace

extern constinit const Rule kNoAmp = {.info = {.code = "DP513",
                                               .name = "no-amp",
                                               .summary = "training on a GPU without mixed precision",
                                               .root_cause = "Hardware: Improper Configuration",
                                               .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
                                               .stage = "Training",
                                               .frameworks = "PyTorch",
                                               .severity = Severity::Advice,
                                               .tier = Tier::On,
                                               .fix = FixKind::None,
                                               .documentation = R"(## What it finds

The first training loop of a file that runs a model which was moved to a device, where nothing in the file mentions
mixed precision. It is a hint for models of a few small linear layers.

## Why it costs

Tensor cores multiply float16 and bfloat16 faster than float32, and activations take half the memory. PyTorch's tuning
guide mentions a speedup of up to 3x on Volta and newer GPUs.

## Bad

```python
import torch
from torch import nn

model = nn.Linear(4096, 4096).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(loader, criterion):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
```

## Good

```python
import torch
from torch import nn

model = nn.Linear(4096, 4096).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(loader, criterion):
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
```

## When it is wrong

For small models, old GPUs, and losses that need full precision. That is why it is advice: measure both.

## References

- PyTorch performance tuning guide: use mixed precision
)"},
                                      .nodes = {NodeKind::For},
                                      .on_node = check};

} // namespace deepperf::rules::no_amp
