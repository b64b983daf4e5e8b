#include "rules/per_step.h"

#include "base/known_names.h"
#include "model/classes.h"
#include "rules/fate.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace deepperf::rules::module_in_forward {

using namespace python;

namespace {

// The local name that the module is given; it is used at once if that is empty and `called` is true.
struct Use {
  bool called = false;
  Symbol name;
};

Use use_of(const Site &site, const Call &call) {
  const Node *below = &call;
  std::size_t at = site.ancestors.size();
  // nn.Linear(…).to(device): the module is the receiver of a method that returns it.
  while (at >= 2) {
    const auto *method = as<Attribute>(site.ancestors[at - 1]);
    const auto *moved = as<Call>(site.ancestors[at - 2]);
    if (method == nullptr || moved == nullptr || moved->func != method ||
        (method->attr.text() != "to" && method->attr.text() != "cuda" && method->attr.text() != "eval")) {
      break;
    }
    below = moved;
    at -= 2;
  }
  const Node *parent = at > 0 ? site.ancestors[at - 1] : nullptr;
  if (const auto *outer = as<Call>(parent)) {
    return {outer->func == below, {}};
  }
  if (const auto *assignment = as<Assign>(parent); assignment != nullptr && assignment->targets.size() == 1) {
    const auto *name = as<Name>(assignment->targets[0]);
    return {false, name != nullptr ? name->id : Symbol{}};
  }
  return {};
}

// How often a function reads a name, and what for.
struct Reads {
  u32 all = 0;
  u32 calls = 0;    // called or moved
  u32 measured = 0; // update() and compute(), which are all that is done to a metric
  u32 weights = 0;  // its weights are set
};

struct ReadNames {
  std::unordered_map<u32, Reads> of;
};

ReadNames read_names(const FunctionDef &function) {
  ReadNames found;
  const auto read = [](const Node *node) {
    const auto *name = as<Name>(node);
    return name != nullptr && name->context == Context::Load ? name : nullptr;
  };
  any_node(function.body, [&](const Node *node) {
    if (const Name *name = read(node)) {
      ++found.of[name->id.id].all;
    } else if (const auto *call = as<Call>(node)) {
      if (const Name *called = read(call->func)) {
        ++found.of[called->id.id].calls;
      }
    } else if (const auto *attribute = as<Attribute>(node)) {
      const std::string_view member = attribute->attr.text();
      if (const Name *owner = read(attribute->value)) {
        Reads &reads = found.of[owner->id.id];
        reads.calls += member == "to" || member == "cuda" ? 1 : 0;
        reads.measured += member == "update" || member == "compute" ? 1 : 0;
        reads.weights +=
            member == "weight" || member == "bias" || member == "requires_grad_" || member == "parameters" ? 1 : 0;
      }
    }
    return false;
  });
  return found;
}

Reads reads_of(const Site &site, Symbol name) {
  const FunctionDef &function = *site.function->definition();
  const ReadNames &names = site.memory.recall<ReadNames>(&function, [&] { return read_names(function); });
  const auto known = names.of.find(name.id);
  return known != names.of.end() ? known->second : Reads{};
}

// Is more done to the module than calling and moving it: its weights set, its mode, or handed to somebody?
bool is_set_up(const Site &site, Symbol name, bool is_metric = false) {
  const Reads reads = reads_of(site, name);
  return reads.all != reads.calls + (is_metric ? reads.measured : 0);
}

// Is all that is done to it apart from calling it to set its weights?
bool is_only_initialized(const Site &site, Symbol name) {
  const Reads reads = reads_of(site, name);
  return reads.all == reads.calls + reads.weights;
}

bool is_false(const Site &site, const Call &call, std::string_view keyword) {
  const Keyword *given = keyword_argument(call, keyword);
  return given != nullptr && bool_of(site, given->value) == false;
}

// In a function that is part of every forward pass or training step. Where the loop of a step makes a model that it
// hands on, `is_set_up` sees that.
std::string_view repeated_in(const Site &site) {
  if (site.function == nullptr || site.function->node == nullptr ||
      (site.function->definition() != nullptr && site.function->name.text() == "__init__")) {
    return {};
  }
  if (in_forward_pass(site)) {
    return "forward pass";
  }
  const model::Loop *loop = loop_around(site);
  return (loop != nullptr && loop->steps && !loop->few_iterations) || (loop == nullptr && in_step(site))
             ? "training step"
             : std::string_view{};
}

// Is it used here and nowhere else?
bool is_used_here(const Site &site, const Call &call) {
  const Use use = use_of(site, call);
  return use.called || (use.name && site.function->definition() != nullptr && !is_set_up(site, use.name));
}

// Does the class of the project make layers with weights, or parameters?
bool has_weights(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *at) {
    return std::ranges::any_of(at->attributes, [](const auto &attribute) {
      const model::Value &value = attribute.second.value;
      const ApiInfo *info = value.is(model::Value::Tag::Instance) && value.name() ? find_api(value.name()) : nullptr;
      return info != nullptr && (info->has(kWeights) || value.name().text() == "torch.nn.Parameter");
    });
  });
}

// Does its constructor read weights that somebody has trained: a model of torchvision, from_pretrained(), torch.load()?
bool loads_weights(const Site &site, const model::ClassInfo &type) {
  struct Loads {
    bool holds = false;
  };
  const model::FunctionInfo *const init = model::find_method_of(type, known::sym_init);
  if (init == nullptr || init->definition() == nullptr) {
    return false;
  }
  return site.memory
      .recall<Loads>(init,
                     [&] {
                       return Loads{any_node(init->definition()->body, [&](const Node *node) {
                         const auto *call = as<Call>(node);
                         const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
                         return api.starts_with("torchvision.models.") || api.ends_with(".from_pretrained") ||
                                api == "torch.load" || api == "torch.hub.load" || api == "timm.create_model";
                       })};
                     })
      .holds;
}

// What calling a function of the project makes and returns.
enum class Makes : u8 {
  Nothing, // that is known to be a new module each time
  Weights, // a module with new weights
  Loaded,  // a module whose weights come from a file
};

bool is_loading(std::string_view api) {
  return api.ends_with(".from_pretrained") || api == "torch.hub.load" || api == "timm.create_model" ||
         api == "lpips.LPIPS" || api == "torch.jit.load";
}

bool is_module(const model::Value &value) {
  return value.is_kind(Kind::TorchModule) || value.is_kind(Kind::HfModel) ||
         (value.is(model::Value::Tag::Object) && value.type->kind == Kind::TorchModule);
}

Makes made_by(const Site &site, const model::FunctionInfo &factory, u32 depth = 0) {
  struct Made {
    Makes what = Makes::Nothing;
  };
  constexpr u32 kMostDepth = 2;
  const FunctionDef *const definition = factory.definition();
  if (definition == nullptr || !is_module(factory.returns) || is_cached(factory) || keeps_something(site, factory)) {
    return Makes::Nothing;
  }
  const auto find = [&] {
    Made made;
    any_node(definition->body, [&](const Node *node) {
      const auto *call = as<Call>(node);
      const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
      Makes what = Makes::Nothing;
      if (callee.is(model::Value::Tag::Api)) {
        const std::string_view api = callee.name().text();
        const ApiInfo *const info = find_api(callee.name());
        const bool has_weights =
            api.starts_with("torchvision.models.") &&
            (keyword_argument(*call, "weights") != nullptr || keyword_argument(*call, "pretrained") != nullptr);
        what = is_loading(api) || has_weights           ? Makes::Loaded
               : info != nullptr && info->has(kWeights) ? Makes::Weights
                                                        : Makes::Nothing;
      } else if (callee.is(model::Value::Tag::Class) && callee.type->kind == Kind::TorchModule) {
        what = loads_weights(site, *callee.type) ? Makes::Loaded
               : has_weights(*callee.type)       ? Makes::Weights
                                                 : Makes::Nothing;
      } else if ((callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method)) &&
                 depth < kMostDepth) {
        what = made_by(site, *callee.function, depth + 1);
      }
      made.what = std::max(made.what, what);
      return false;
    });
    return made;
  };
  return depth == 0 ? site.memory.recall<Made>(&factory, find).what : find().what;
}

// `net = load_features(26).to(x.device)`: a function of the project makes the module that is used here and then gone.
void check_factory(Site &site, const Call &call, const model::FunctionInfo &factory) {
  const std::string_view where = is_module(factory.returns) ? repeated_in(site) : std::string_view{};
  if (where.empty() || enclosing(site, NodeKind::If) != nullptr || site.module->is_test) {
    return;
  }
  const Makes made = made_by(site, factory);
  // In a loop each iteration may train what it has made; in a forward pass nobody does.
  const bool is_dropped = made == Makes::Loaded && where == "forward pass" && site.function->definition() != nullptr &&
                          fate_of_taken(site, *site.function, taken_by(site.ancestors, call)) == Fate::Dropped;
  if (made == Makes::Nothing || (!is_dropped && !is_used_here(site, call))) {
    return;
  }
  Finding &finding = report(
      site, call,
      made == Makes::Loaded
          ? fmt::format("`{}` creates a model and loads its weights again in every {}", factory.name.text(), where)
          : fmt::format("`{}` creates a module in every {}, so its weights are never trained or saved",
                        factory.name.text(), where),
      "create it once, in `__init__` or before the loop, and call it here");
  finding.notes.push_back({factory.module->file, factory.definition()->name_span, "it is created here"});
}

// A loss or metric of a library that is made for each batch.
void check_helper(Site &site, const Call &call, Kind kind) {
  const model::Loop *const loop = loop_around(site);
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  std::string_view where = repeated_in(site);
  if (where.empty() && loop != nullptr && !loop->few_iterations &&
      (loop->steps || (kind == Kind::TorchMetric && loop->evaluates)) && (definition == nullptr || loop->evaluates) &&
      runs_every_iteration(site, *loop)) {
    where = loop->steps ? "training step" : "batch";
  }
  const Use use = use_of(site, call);
  // A helper that makes one for each step.
  const bool is_returned =
      loop == nullptr && !site.ancestors.empty() &&
      std::ranges::any_of(site.ancestors, [](const Node *node) { return node->kind == NodeKind::Return; });
  if (where.empty() ||
      (!use.called && !is_returned &&
       (!use.name || (definition != nullptr && is_set_up(site, use.name, kind == Kind::TorchMetric))))) {
    return;
  }
  std::string_view name = called_api(site, call);
  name.remove_prefix(name.rfind('.') + 1);
  Finding &finding = report(site, call, fmt::format("`{}` is created again in every {}", name, where),
                            "create it once, before the loop or in `__init__`");
  finding.severity = Severity::Advice;
  // A loss without tensors of its own costs next to nothing to make: a matter of style.
  const bool is_empty = kind == Kind::TorchLoss && keyword_argument(call, "weight") == nullptr &&
                        keyword_argument(call, "pos_weight") == nullptr && !has_hidden_arguments(call);
  if (where == "forward pass" || site.module->is_test || is_empty) {
    finding.tier = Tier::Hint;
  }
}

// A module class of the project.
void check_own(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (call.fact == 0) {
    return;
  }
  const model::Value callee = site.project.callee_of(&call);
  if (callee.is(model::Value::Tag::Api)) {
    const ApiInfo *info = find_api(callee.name());
    if (info != nullptr && (info->returns == Kind::TorchLoss || info->returns == Kind::TorchMetric)) {
      check_helper(site, call, info->returns);
    }
    return;
  }
  if (callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method)) {
    return check_factory(site, call, *callee.function);
  }
  if (!callee.is(model::Value::Tag::Class) || callee.type->kind != Kind::TorchModule) {
    return;
  }
  const bool is_loaded = loads_weights(site, *callee.type);
  if (!is_loaded && !has_weights(*callee.type)) {
    return;
  }
  const std::string_view where = repeated_in(site);
  if (where.empty() || !is_used_here(site, call)) {
    return;
  }
  if (is_loaded) {
    report(site, call,
           fmt::format("`{}` is created and loads its weights again in every {}", callee.type->name.text(), where),
           "create it once, in `__init__` or before the loop, and call it here");
    return;
  }
  report(site, call,
         fmt::format("`{}` is created in every {}, so its weights are never trained or saved", callee.type->name.text(),
                     where),
         "create it once, in `__init__` or before the loop, and call it here");
}

// `nn.Sequential(MelSpectrogram(…), AmplitudeToDB()).to(device)`, which is used here and nowhere else.
bool is_part_used_here(const Site &site) {
  const auto *outer = site.ancestors.empty() ? nullptr : as<Call>(site.ancestors.back());
  if (outer == nullptr || called_api(site, *outer) != "torch.nn.Sequential" || site.ancestors.size() < 2) {
    return false;
  }
  Site around = site;
  around.ancestors.pop_back();
  return is_used_here(around, *outer);
}

void check(Site &site, const Call &call) {
  const std::string_view where = repeated_in(site);
  if (where.empty()) {
    return;
  }
  std::string_view name = called_api(site, call);
  const bool is_table = name.starts_with("torchaudio.transforms.") || name.starts_with("nnAudio.");
  name.remove_prefix(name.rfind('.') + 1);
  if (is_table) {
    if (is_used_here(site, call) || is_part_used_here(site)) {
      report(site, call, fmt::format("`{}` computes its window and filter bank again in every {}", name, where),
             "create it once, in `__init__`, and call it here");
    }
    return;
  }
  if (!is_used_here(site, call)) {
    const Use use = use_of(site, call);
    if (use.name && where == "forward pass" && site.function->definition() != nullptr &&
        is_only_initialized(site, use.name)) {
      report(site, call, fmt::format("`{}` is created and initialized again in every {}", name, where),
             "create it once, in `__init__`, and call it here");
    }
    return;
  }
  const ApiInfo *info = find_api(intern(called_api(site, call)));
  if (name.find("Dropout") != std::string_view::npos) {
    const Expr *rate = argument(call, 0, "p");
    if (under_no_grad(site) || (rate != nullptr && number_of(site, rate) == 0.0)) {
      return;
    }
    report(site, call, fmt::format("`{}` is created in every {}, so `eval()` never disables it", name, where),
           "create it in `__init__`, or use `torch.nn.functional.dropout(…, training=self.training)`");
    return;
  }
  const bool is_trainable = info != nullptr && info->has(kWeights) && !is_false(site, call, "affine") &&
                            !is_false(site, call, "elementwise_affine");
  if (is_trainable || name.starts_with("BatchNorm")) {
    report(site, call,
           fmt::format("`{}` is created in every {}, so its weights are never trained or saved", name, where),
           "create it in `__init__` and call it here");
    return;
  }
  Finding &finding = report(site, call, fmt::format("`{}` is created again in every {}", name, where),
                            "create it once, or use the function in `torch.nn.functional`");
  finding.tier = Tier::Hint;
}

} // namespace

extern constinit const Rule kModuleInForward = {
    .info = {.code = "DP236",
             .name = "module-in-forward",
             .summary = "a layer that is created in every forward pass",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`nn.Linear(…)`, `nn.Dropout(…)` and other layers, and modules of the project with weights, that are created inside `forward`, in a function
that `forward` calls, or in a training step, and used there. Layers without weights, such as `nn.Softmax`, are hints; transforms of torchaudio, which
compute a window and a filter bank when they are created, are not. Losses and
torchmetrics' metrics that a training step, or each batch of an evaluation, creates again are advice: they are cheap, but a metric of one batch does not see the others. A loss without weights of its own is a hint.

## Why it costs

The weights are allocated on the CPU and initialized at random in every call. The optimizer never sees them, no checkpoint contains them,
and the layer stays a random function. A `Dropout` that is created there is always in training mode, even after `model.eval()`. A layer
without weights costs only the time to create a module.

## Bad

```python
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        return nn.Linear(self.size, self.size)(x)
```

## Good

```python
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.out = nn.Linear(size, size)

    def forward(self, x):
        return self.out(x)
```

## When it is wrong

A random projection that is meant to be new each time. A layer that is kept in an attribute, or whose weights are set before it is used, is
not reported.

## References

- PyTorch documentation: nn.Module, nn.Dropout
)"},
    .calls = "torchaudio.transforms.MelSpectrogram torchaudio.transforms.MFCC torchaudio.transforms.Spectrogram "
             "torchaudio.transforms.Resample torchaudio.transforms.LFCC torchaudio.transforms.MelScale "
             "torchaudio.transforms.InverseMelScale torchaudio.transforms.GriffinLim "
             "torch.nn.Linear torch.nn.Bilinear torch.nn.LazyLinear torch.nn.Conv1d torch.nn.Conv2d torch.nn.Conv3d "
             "torch.nn.ConvTranspose1d torch.nn.ConvTranspose2d torch.nn.ConvTranspose3d torch.nn.BatchNorm1d "
             "torch.nn.BatchNorm2d torch.nn.BatchNorm3d torch.nn.LayerNorm torch.nn.GroupNorm torch.nn.RMSNorm "
             "torch.nn.InstanceNorm1d torch.nn.InstanceNorm2d torch.nn.InstanceNorm3d torch.nn.Embedding "
             "torch.nn.EmbeddingBag torch.nn.LSTM torch.nn.GRU torch.nn.RNN torch.nn.LSTMCell torch.nn.GRUCell "
             "torch.nn.RNNCell torch.nn.MultiheadAttention torch.nn.PReLU torch.nn.TransformerEncoderLayer "
             "torch.nn.TransformerDecoderLayer torch.nn.Dropout torch.nn.Dropout1d torch.nn.Dropout2d "
             "torch.nn.Dropout3d torch.nn.AlphaDropout torch.nn.ReLU torch.nn.LeakyReLU torch.nn.GELU torch.nn.SiLU "
             "torch.nn.ELU torch.nn.Sigmoid torch.nn.Tanh torch.nn.Softmax torch.nn.LogSoftmax torch.nn.MaxPool1d "
             "torch.nn.MaxPool2d torch.nn.AvgPool1d torch.nn.AvgPool2d torch.nn.AdaptiveAvgPool1d "
             "torch.nn.AdaptiveAvgPool2d torch.nn.AdaptiveMaxPool2d torch.nn.Upsample torch.nn.Flatten "
             "torch.nn.ZeroPad2d torch.nn.ReflectionPad2d "
             "torch.nn.CosineSimilarity",
    .on_call = check,
    .nodes = {NodeKind::Call},
    .on_node = check_own};

} // namespace deepperf::rules::module_in_forward
