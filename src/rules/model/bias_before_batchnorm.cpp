#include "rules/reach.h"
#include "rules/site.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace deepperf::rules::bias_before_batchnorm {

using namespace python;

namespace {

constexpr std::string_view kKeras = "tensorflow.keras.layers.";

// A layer whose bias is added to every channel alike.
bool is_affine(std::string_view api) {
  for (const std::string_view name :
       {"torch.nn.Linear", "torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Conv3d", "torch.nn.ConvTranspose1d",
        "torch.nn.ConvTranspose2d", "torch.nn.ConvTranspose3d"}) {
    if (api == name) {
      return true;
    }
  }
  if (api.starts_with(kKeras)) {
    api.remove_prefix(kKeras.size());
    for (const std::string_view name : {"Dense", "Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose", "Conv3DTranspose",
                                        "DepthwiseConv2D", "SeparableConv1D", "SeparableConv2D"}) {
      if (api == name) {
        return true;
      }
    }
  }
  return false;
}

bool is_batch_norm(std::string_view api) {
  return api.starts_with("torch.nn.BatchNorm") || api == "torch.nn.SyncBatchNorm" ||
         api == "tensorflow.keras.layers.BatchNormalization";
}

// Does the layer add a bias that the normalisation right after it takes away again?
bool is_lost(const Site &site, const Call &layer, std::string_view api, const Call &norm) {
  if (has_hidden_arguments(layer)) {
    return false;
  }
  if (api.starts_with(kKeras)) {
    const Keyword *bias = keyword_argument(layer, "use_bias");
    const Keyword *activation = keyword_argument(layer, "activation");
    // By position, activation is somewhere after the first three.
    const Keyword *axis = keyword_argument(norm, "axis");
    return (bias == nullptr || bool_of(site, bias->value) == true) && layer.args.size() <= 3 && axis == nullptr &&
           !(api.ends_with("Dense") && layer.args.size() > 1) && norm.args.empty() &&
           keyword_argument(layer, "bias_constraint") == nullptr &&
           (activation == nullptr || is_none(activation->value) || string_of(site, activation->value) == "linear");
  }
  const Expr *bias = argument(layer, api == "torch.nn.Linear" ? 2 : 7, "bias");
  if (bias != nullptr && bool_of(site, bias) != true) {
    return false;
  }
  // What is normalised is what the layer makes, and not another dimension.
  const Expr *made = argument(layer, 1, api == "torch.nn.Linear" ? "out_features" : "out_channels");
  const Expr *normalised = argument(norm, 0, "num_features");
  return made != nullptr && normalised != nullptr && text_of(site, made) == text_of(site, normalised);
}

void add_finding(Site &site, const Call &layer, std::string_view api, const Call &norm) {
  const bool keras = api.starts_with(kKeras);
  const std::string_view name = api.substr(api.rfind('.') + 1);
  const std::string_view option = keras ? "use_bias=False" : "bias=False";
  Finding &finding = report(
      site, layer,
      fmt::format("the bias of this `{}` has no effect: the batch normalization after it subtracts it again", name),
      fmt::format("pass `{}`", option));
  add_note(finding, site, norm, "normalized here");
  // Weights that were trained with a bias would no longer fit.
  if (file_has_word(site, {"pretrained"})) {
    finding.tier = Tier::Hint;
  }
  // Code that sets biases itself (`m.bias.data.fill_(0)`) would fail once there is none.
  if (file_has_word(site, {".bias."})) {
    return;
  }
  const Keyword *given = keyword_argument(layer, keras ? "use_bias" : "bias");
  if (given != nullptr) {
    set_fix(finding, false, {replace(*given->value, "False")});
  } else if (layer.args.size() < (name == "Linear" ? 3U : 8U)) {
    if (const std::optional<Edit> edit = add_argument(site, layer, option)) {
      set_fix(finding, false, {*edit});
    }
  }
}

void lint_pair(Site &site, const Expr *layer, const Call &norm) {
  const auto *made = as<Call>(layer);
  if (made == nullptr) {
    return;
  }
  const std::string_view api = called_api(site, *made);
  if (is_affine(api) && is_lost(site, *made, api, norm) &&
      api.starts_with("torch.") == called_api(site, norm).starts_with("torch.")) {
    add_finding(site, *made, api, norm);
  }
}

// The element before another one.
const Expr *before_in(const Array<Expr *> &elements, const Expr *element) {
  const auto found = std::ranges::lower_bound(elements, element->start, {}, &Expr::start);
  return found != elements.begin() && found != elements.end() && *found == element ? *(found - 1) : nullptr;
}

// `layer` of `x = layer(x)` and of `model.add(layer)`, where it is made in place.
const Expr *applied_layer(const Stmt *statement, const Expr *&receiver) {
  const auto *assignment = as<Assign>(statement);
  const auto *expression = as<ExprStmt>(statement);
  const auto *call = as<Call>(assignment != nullptr   ? assignment->value
                              : expression != nullptr ? expression->value
                                                      : nullptr);
  if (call == nullptr || call->args.size() != 1) {
    return nullptr;
  }
  if (assignment != nullptr) {
    receiver = assignment->targets[0];
    return call->func;
  }
  receiver = receiver_of(*call);
  return called_method(*call) == "add" ? call->args[0] : nullptr;
}

// A normalisation that is made right after a layer: in a list or Sequential, or in the statement after it.
void check_made(Site &site, const Call &norm) {
  if (site.ancestors.empty()) {
    return;
  }
  const Node *parent = site.ancestors.back();
  const std::size_t depth = site.ancestors.size();
  if (const auto *list = as<List>(parent)) {
    return lint_pair(site, before_in(list->elts, &norm), norm);
  }
  if (const auto *sequential = as<Call>(parent); sequential != nullptr && sequential->func != &norm) {
    if (called_api(site, *sequential) == "torch.nn.Sequential") {
      return lint_pair(site, before_in(sequential->args, &norm), norm);
    }
    if (called_method(*sequential) != "add") {
      return;
    }
  }
  if (!called_api(site, norm).starts_with(kKeras)) {
    return;
  }
  // Keras: BatchNormalization()(Conv2D(…)(x)), x = Conv2D(…)(x) and x = BatchNormalization()(x), two calls of add.
  const auto *applied = as<Call>(parent);
  const auto *statement = depth >= 2 ? site.ancestors[depth - 2] : nullptr;
  if (applied == nullptr || applied->args.size() != 1 || statement == nullptr) {
    return;
  }
  if (applied->func == &norm) {
    if (const auto *inner = as<Call>(applied->args[0]); inner != nullptr && inner->args.size() == 1) {
      return lint_pair(site, inner->func, norm);
    }
  }
  const Stmt *before =
      statement_before(site.module->parsed->tree, depth >= 3 ? site.ancestors[depth - 3] : nullptr, statement);
  const Expr *target = nullptr;
  const Expr *layer = before != nullptr ? applied_layer(before, target) : nullptr;
  if (layer == nullptr || target == nullptr) {
    return;
  }
  if (applied->func == &norm) {
    const auto *assignment = as<Assign>(statement);
    // The name is overwritten, so that nobody else sees what was not normalised.
    if (assignment == nullptr || text_of(site, target) != text_of(site, applied->args[0]) ||
        text_of(site, target) != text_of(site, assignment->targets[0])) {
      return;
    }
  } else if (before->kind != NodeKind::ExprStmt || text_of(site, target) != text_of(site, receiver_of(*applied))) {
    return;
  }
  lint_pair(site, layer, norm);
}

// How often a class mentions attributes, by name.
struct Mentions {
  std::unordered_map<u32, u32> count;
};

u32 mentions(const Site &site, const ClassDef &type, Symbol name) {
  const auto &mentioned = site.memory.recall<Mentions>(&type, [&] {
    Mentions found;
    any_node_inside(&type, [&](const Node *node) {
      if (const auto *attribute = as<Attribute>(node); attribute != nullptr && attribute->context == Context::Load) {
        ++found.count[attribute->attr.id];
      }
      return false;
    });
    return found;
  });
  const auto known = mentioned.count.find(name.id);
  return known != mentioned.count.end() ? known->second : 0;
}

// `self.norm(self.conv(x))`, or `x = self.conv(x)` and `x = self.norm(x)` after it.
void check_applied(Site &site, const ClassDef &type, const Call &applied, const Stmt *statement, const Stmt *before) {
  std::string_view norm_api;
  const Call *norm = maker_of_callee(site, applied, &norm_api);
  if (norm == nullptr || applied.args.size() != 1 || !is_batch_norm(norm_api)) {
    return;
  }
  const auto *inner = as<Call>(applied.args[0]);
  if (inner == nullptr) {
    const auto *input = as<Name>(applied.args[0]);
    const auto *assignment = as<Assign>(before);
    const auto *overwritten = as<Assign>(statement);
    const auto *target = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
    const auto *last = overwritten != nullptr ? as<Name>(overwritten->targets[0]) : nullptr;
    if (input == nullptr || target == nullptr || last == nullptr || target->id != input->id || last->id != input->id ||
        assignment->targets.size() != 1) {
      return;
    }
    inner = as<Call>(run_by(assignment->value));
  }
  std::string_view api;
  const Call *layer = inner != nullptr ? maker_of_callee(site, *inner, &api) : nullptr;
  const auto *attribute = inner != nullptr ? as<Attribute>(inner->func) : nullptr;
  if (layer == nullptr || attribute == nullptr || !is_affine(api) || layer->start < type.start ||
      layer->end > type.end || norm->start < type.start || norm->end > type.end || layer->start > type.end) {
    return;
  }
  if (is_lost(site, *layer, api, *norm) && mentions(site, type, attribute->attr) == 1) {
    add_finding(site, *layer, api, *norm);
  }
}

void check_forward(Site &site, const Node &node) {
  const auto &function = static_cast<const FunctionDef &>(node);
  const auto *type = site.type != nullptr ? site.type->node : nullptr;
  if (type == nullptr || function.name.text() != "forward" || site.type->kind != Kind::TorchModule) {
    return;
  }
  const auto look = [&](const auto &self, const Node *parent) -> void {
    for_each_child(parent, [&](const Node *child) {
      if (child->kind == NodeKind::Assign || child->kind == NodeKind::Return) {
        const auto *statement = static_cast<const Stmt *>(child);
        const Stmt *before = statement_before(site.module->parsed->tree, parent, statement);
        any_node(child, [&](const Node *inner) {
          if (const auto *call = as<Call>(inner)) {
            const auto *assignment = as<Assign>(statement);
            check_applied(site, *type, *call, statement,
                          assignment != nullptr && assignment->value == call ? before : nullptr);
          }
          return false;
        });
      } else if (child->kind != NodeKind::FunctionDef && child->kind != NodeKind::ClassDef) {
        self(self, child);
      }
    });
  };
  look(look, &node);
}

} // namespace

extern constinit const Rule kBiasBeforeBatchnorm = {
    .info = {.code = "DP238",
             .name = "bias-before-batchnorm",
             .summary = "the bias of a convolution or linear layer that batch normalization cancels",
             .root_cause = "Model: Inefficient Model Structure",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Model Building",
             .frameworks = "PyTorch, TensorFlow, Keras",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

A convolution or linear layer with a bias that is directly followed by batch normalization: in a list or `Sequential`, in `forward`, or in
one of Keras' ways to stack layers.

## Why it costs

Batch normalization subtracts the mean of each channel, and with it the bias. Whatever value the bias has, the result is the same. The
addition, its gradient (a sum over the whole output), the parameters and their optimizer state are wasted.

## Bad

```python
from torch import nn

block = nn.Sequential(
    nn.Conv2d(64, 64, 3, padding=1),
    nn.BatchNorm2d(64),
    nn.ReLU(),
)
```

## Good

```python
from torch import nn

block = nn.Sequential(
    nn.Conv2d(64, 64, 3, padding=1, bias=False),
    nn.BatchNorm2d(64),
    nn.ReLU(),
)
```

## When it is wrong

Weights that were trained with the bias no longer load, so the fix needs `--unsafe-fixes`, and code that initializes `layer.bias` must
change too. The rule is a hint.

## References

- PyTorch performance tuning guide: disable bias for convolutions directly followed by a batch norm
)"},
    .calls = "torch.nn.BatchNorm1d torch.nn.BatchNorm2d torch.nn.BatchNorm3d torch.nn.SyncBatchNorm "
             "tensorflow.keras.layers.BatchNormalization",
    .on_call = check_made,
    .nodes = {NodeKind::FunctionDef},
    .on_node = check_forward};

} // namespace deepperf::rules::bias_before_batchnorm
