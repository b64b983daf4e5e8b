#include "base/name_table.h"
#include "rules/assignments.h"
#include "rules/options.h"
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

// Layers of torch.nn that multiply nothing.
bool is_plain_layer(std::string_view layer) {
  static const NameTable kPlain({"ReLU",      "Tanh",      "Sigmoid",           "ELU",         "GELU",
                                 "LeakyReLU", "SiLU",      "Softmax",           "Softplus",    "LogSoftmax",
                                 "Dropout",   "LayerNorm", "BatchNorm1d",       "Flatten",     "Identity",
                                 "MaxPool2d", "AvgPool2d", "AdaptiveAvgPool2d", "BatchNorm2d", "Dropout2d"});
  return kPlain.has(intern(layer));
}

// Layers that multiply little matrices, and those that multiply nothing.
bool is_small_layer(const Site &site, std::string_view layer, const Call &made, u32 depth) {
  if (layer == "Sequential") {
    return !made.args.empty() &&
           std::ranges::all_of(made.args, [&](const Expr *part) { return is_small_argument(site, part, depth); });
  }
  if (layer == "Conv2d" || layer == "Conv1d") {
    const Site there = site_of(site, made);
    const auto channels = setting_of(there, argument_of(there, made, 1, "out_channels"), model::ConstantValue{});
    constexpr i64 kSmallChannels = 32;
    return channels.has_value() && channels->as_integer().value_or(kSmallWidth) <= kSmallChannels;
  }
  if (layer != "Linear") {
    return is_plain_layer(layer);
  }
  const Site there = site_of(site, made);
  const auto inputs = integer_of(there, argument(made, 0, "in_features"));
  const auto outputs = integer_of(there, argument(made, 1, "out_features"));
  constexpr i64 kFewOutputs = 16;   // of a classifier's last layer, whatever it gets
  constexpr i64 kMostInputs = 4096; // of one that gives as many outputs as the data has classes
  if ((outputs.has_value() && *outputs <= kFewOutputs) || (!outputs.has_value() && inputs.value_or(0) <= kMostInputs)) {
    return true;
  }
  // Sizes of inputs and outputs that only the data knows are mostly smaller than those in between, which are written.
  return inputs.value_or(0) <= kSmallWidth && outputs.value_or(0) <= kSmallWidth;
}

// Is there a product of matrices in the class?
bool multiplies_matrices(const ClassDef &type) {
  static const NameTable kProducts({"matmul", "mm", "bmm", "addmm", "baddbmm", "einsum", "linear", "conv1d", "conv2d",
                                    "conv3d", "conv_transpose2d", "scaled_dot_product_attention", "dot", "tensordot"});
  return any_node_inside(&type, [](const Node *node) {
    if (const auto *product = as<BinOp>(node)) {
      return product->op() == Operator::MatMult;
    }
    const auto *call = as<Call>(node);
    return call != nullptr && kProducts.has(intern(called_name(*call)));
  });
}

bool is_small(const Site &site, const model::Value &model, u32 depth) {
  using Tag = model::Value::Tag;
  if (depth > kMostDepth || model.open) {
    return false;
  }
  if (model.alternatives != nullptr) { // one of several, as in a function that trains whatever it is given
    bool are_small = true;
    for_each_alternative(model, [&](const model::Value &one) { are_small &= is_small(site, one, depth + 1); });
    return are_small;
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

// Does the class call what it keeps under the name?
bool calls_attribute(const ClassDef &type, u32 name) {
  return any_node_inside(&type, [name](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *attribute = call != nullptr ? as<Attribute>(call->func) : nullptr;
    return attribute != nullptr && attribute->attr.id == name;
  });
}

// May the model multiply matrices, which is what fewer bits make faster? Weights that are rendered, sampled or added do
// not; what nobody knows may.
bool may_multiply(const model::Value &model, u32 depth) {
  using Tag = model::Value::Tag;
  if (depth > kMostDepth || model.open || model.is_unknown() || model.is_kind(Kind::HfModel)) {
    return true;
  }
  if (model.alternatives != nullptr) {
    bool may = false;
    for_each_alternative(model, [&](const model::Value &one) { may |= may_multiply(one, depth + 1); });
    return may;
  }
  if (model.is_kind(Kind::TorchModule)) { // of a library: a few layers are known to have no products
    constexpr std::string_view kLayers = "torch.nn.";
    static const NameTable kOthers({"Parameter", "Embedding", "Upsample"});
    const std::string_view name = model.name() ? model.name().text() : std::string_view{};
    const std::string_view layer = name.starts_with(kLayers) ? name.substr(kLayers.size()) : std::string_view{};
    return layer.empty() || (!is_plain_layer(layer) && !kOthers.has(intern(layer)));
  }
  if (!model.is(Tag::Object)) {
    return false;
  }
  return std::ranges::any_of(model.type->mro, [&](const model::ClassInfo *at) {
    const bool has_other_base = std::ranges::any_of(at->bases, [](const model::Value &base) {
      return !base.is(Tag::Class) && !(base.is(Tag::Api) && base.name().text() == "torch.nn.Module");
    });
    return has_other_base || multiplies_matrices(*at->node) ||
           std::ranges::any_of(at->attributes, [&](const auto &attribute) {
             const model::Value &value = attribute.second.value;
             return value.is_unknown() ? calls_attribute(*at->node, attribute.first) : may_multiply(value, depth + 1);
           });
  });
}

// `DistributedDataParallel(model, device_ids=[rank])`
bool is_on_given_gpu(const Site &site, const Expr *model) {
  const auto *name = as<Name>(model);
  const auto *made = as<Call>(name != nullptr ? last_assigned(site, *name) : nullptr);
  const Keyword *const devices = made != nullptr ? keyword_argument(*made, "device_ids") : nullptr;
  return devices != nullptr && !is_none(devices->value) &&
         called_api(site, *made) == "torch.nn.parallel.DistributedDataParallel";
}

// `model = Net().to("cpu")`, or `x.to("cpu")` in the loop: somebody wrote where it is to run.
bool is_meant_for_cpu(const Site &site, const Call &forward, const For &loop) {
  const auto moves_to_cpu = [&site](const Node *node) {
    const auto *move = as<Call>(node);
    return move != nullptr && called_method(*move) == "to" && move->args.size() == 1 &&
           string_of(site, move->args[0]) == "cpu";
  };
  const auto *name = as<Name>(forward.func);
  const Expr *const made = name != nullptr ? assigned_before(site, name->id, loop.start) : nullptr;
  return moves_to_cpu(made) || std::ranges::any_of(loop.body, [&](const Stmt *statement) {
           const auto *assignment = as<Assign>(statement);
           const auto *parts = assignment != nullptr ? as<Tuple>(assignment->value) : nullptr;
           return assignment != nullptr && assignment->start < forward.start &&
                  (moves_to_cpu(assignment->value) ||
                   (parts != nullptr && std::ranges::any_of(parts->elts, moves_to_cpu)));
         });
}

void check(Site &site, const Node &node) {
  const auto *known = site.project.loop_at(&node);
  if (!site.module->torch || known == nullptr || !known->steps || known->few_iterations) {
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
      const bool runs_given =
          model::has_grad(call) && std::ranges::any_of(call->args, [&](const Expr *arg) {
            return model::kind_of(arg) == Kind::TorchModule && (model::is_moved(arg) || is_on_given_gpu(site, arg));
          });
      forward = (is_model && model::is_moved(call->func)) || runs_given ? call : nullptr;
      model = is_model ? callee : model::Value{};
    }
    return forward != nullptr;
  });
  if (forward == nullptr || mentions_precision(site) || !is_first(site, *known) ||
      is_meant_for_cpu(site, *forward, loop)) {
    return;
  }
  Finding &finding = report(site, *forward, "this model trains on the GPU in float32 only, without mixed precision",
                            "try `torch.autocast(\"cuda\", dtype=torch.bfloat16)`, or float16 with a `GradScaler`");
  // A small model or small pictures: the GPU waits for Python in any precision. A notebook shows how something works.
  if (is_small(site, model, 0) || !may_multiply(model, 0) || site.module->parsed->source.is_notebook ||
      file_has_word(site, {"MNIST", "CIFAR"})) {
    finding.tier = Tier::Hint;
  }
}

// ---- Trainers, which have a setting for it --------------------------------------------------------------------------

// A model whose weights are loaded in float32, as far as can be seen.
bool is_loaded_in_float32(const Site &site, const model::Value &model) {
  const bool is_loaded = model.is_kind(Kind::HfModel) && model.maker() != nullptr && model.alternatives == nullptr &&
                         model.name() && model.name().text().starts_with("transformers.") &&
                         model.name().text().ends_with(".from_pretrained");
  return is_loaded && are_absent(site_of(site, *model.maker()), *model.maker(),
                                 {"torch_dtype", "dtype", "quantization_config", "load_in_8bit", "load_in_4bit"});
}

// Trainer(args=TrainingArguments(…)) of Transformers, which uses a GPU if there is one.
void check_trainer(Site &site, const Call &call) {
  const model::Argument model = argument_of(site, call, 0, "model");
  const model::Argument settings = argument_of(site, call, 1, "args");
  if (site.module->is_test || model.unknown || model.given.size() != 1 || settings.unknown ||
      settings.given.size() != 1 ||
      !is_loaded_in_float32(site, model::value_of(model.given[0].scope, model.given[0].expr))) {
    return;
  }
  const auto written = model::written_as(settings.given[0].scope, settings.given[0].expr);
  const auto *made = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
  const std::string_view api = made != nullptr ? called_api(site, *made) : std::string_view{};
  if (api != "transformers.TrainingArguments" && api != "transformers.Seq2SeqTrainingArguments") {
    return;
  }
  Site there = site_of(site, *made);
  if (!are_absent(there, *made,
                  {"fp16", "bf16", "tf32", "deepspeed", "fsdp", "use_cpu", "no_cuda", "use_mps_device", "max_steps"}) ||
      file_has_word_in_any_case(there, {"mixed_precision", "set_float32_matmul_precision", "allow_tf32", "\"cpu\""})) {
    return;
  }
  Finding &finding = report(there, *made, "this Trainer trains in float32 only, without mixed precision",
                            "pass `bf16=True`, or `fp16=True` for GPUs before Ampere");
  finding.notes.push_back({site.module->file, call.span(), "the Trainer is created here"});
}

// Trainer(accelerator="gpu") of Lightning
void check_lightning(Site &site, const Call &call) {
  const Option precision = option_of(site, call, "precision");
  const auto accelerator = option_of(site, call, "accelerator").as_string();
  const auto text = precision.as_string();
  const bool is_float32 =
      precision.is_absent || precision.as_integer() == 32 || text == "32" || text == "32-true" || text == "32-full";
  if (site.module->is_test || !is_float32 || (accelerator != "gpu" && accelerator != "cuda") ||
      !are_absent(site, call, {"plugins", "fast_dev_run"}) ||
      file_has_word_in_any_case(site, {"set_float32_matmul_precision", "allow_tf32", "autocast", "float64"})) {
    return;
  }
  Finding &finding =
      report_option(site, call, precision, "this Trainer trains in float32 only, without mixed precision",
                    "pass `precision=\"bf16-mixed\"`, or `\"16-mixed\"` for GPUs before Ampere");
  if (precision.is_absent) {
    finding.tier = Tier::Hint; // the model may be small
  }
}

void check_call(Site &site, const Call &call) {
  if (called_api(site, call).starts_with("transformers.")) {
    check_trainer(site, call);
  } else {
    check_lightning(site, call);
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
mixed precision. It is a hint for models of a few small linear layers, in notebooks, and in files
that train on MNIST or CIFAR. Also a `Trainer` of Transformers whose arguments
ask for neither `fp16` nor `bf16`, for a model that is loaded in float32, and a `Trainer` of Lightning for a GPU with
`precision=32`; without `precision` that one is a hint.

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
                                      .calls =
                                          "transformers.Trainer transformers.Seq2SeqTrainer pytorch_lightning.Trainer",
                                      .on_call = check_call,
                                      .nodes = {NodeKind::For},
                                      .on_node = check};

} // namespace deepperf::rules::no_amp
