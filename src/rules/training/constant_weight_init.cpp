#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace deepperf::rules::constant_weight_init {

using namespace python;

namespace {

// Layers whose units have to start out different from each other.
bool needs_variety(std::string_view api) {
  for (const std::string_view name :
       {"torch.nn.Linear", "torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Conv3d", "torch.nn.ConvTranspose1d",
        "torch.nn.ConvTranspose2d", "torch.nn.ConvTranspose3d", "torch.nn.Bilinear"}) {
    if (api == name) {
      return true;
    }
  }
  return false;
}

// What is set, without `.data`.
const Expr *without_data(const Expr *expr) {
  const auto *attribute = as<Attribute>(expr);
  return attribute != nullptr && attribute->attr.text() == "data" ? attribute->value : expr;
}

// The layer whose weight the expression is; null if it is something else.
const Expr *layer_of_weight(const Expr *expr) {
  const auto *attribute = as<Attribute>(without_data(expr));
  return attribute != nullptr && attribute->attr.text() == "weight" ? attribute->value : nullptr;
}

// Is the place in the branch of `if isinstance(layer, nn.Linear):` with nothing but such layers in it?
bool is_any_such_layer(const Site &site, const Expr *layer, u32 place) {
  bool is_any = false;
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    if (site.ancestors[i]->kind == NodeKind::FunctionDef) {
      break;
    }
    const auto *branch = as<If>(site.ancestors[i]);
    if (branch == nullptr || branch->body.empty() || place < branch->body[0]->start ||
        place > branch->body.back()->end) {
      continue;
    }
    if (is_any) {
      return false; // only such layers of some parts
    }
    const auto *test = as<Call>(branch->test);
    const auto *function = test != nullptr ? as<Name>(test->func) : nullptr;
    if (function == nullptr || function->id.text() != "isinstance" || test->args.size() != 2 ||
        text_of(site, test->args[0]) != text_of(site, layer)) {
      return false; // under some other condition as well
    }
    const auto is_such = [&site](const Expr *type) {
      const model::Value value = value_of(site, type);
      return value.is(model::Value::Tag::Api) && needs_variety(value.name().text());
    };
    const auto *types = as<Tuple>(test->args[1]);
    is_any = types != nullptr ? std::ranges::all_of(types->elts, is_such) : is_such(test->args[1]);
    if (!is_any) {
      return false;
    }
  }
  return is_any;
}

// The layers that a file makes, by their kind: whether all of them have one unit.
struct MadeLayers : std::unordered_map<std::string_view, bool> {};

// Do all layers of the kinds that the test around the place names have one unit, as those that only stretch a
// spectrogram?
bool have_one_unit(const Site &site, const Expr *layer) {
  std::vector<std::string_view> kinds;
  for (const Node *node : site.ancestors) {
    const auto *branch = as<If>(node);
    const auto *test = branch != nullptr ? as<Call>(branch->test) : nullptr;
    if (test != nullptr && test->args.size() == 2 && text_of(site, test->args[0]) == text_of(site, layer)) {
      const auto *types = as<Tuple>(test->args[1]);
      const auto add = [&](const Expr *type) {
        const model::Value value = value_of(site, type);
        if (value.is(model::Value::Tag::Api)) {
          kinds.push_back(value.name().text());
        }
      };
      types != nullptr ? static_cast<void>(std::ranges::for_each(types->elts, add)) : add(test->args[1]);
    }
  }
  const MadeLayers &layers = site.memory.recall<MadeLayers>(site.module, [&] {
    MadeLayers found;
    for (const Stmt *statement : site.module->parsed->tree.body) {
      any_node_inside(static_cast<const Node *>(statement), [&](const Node *node) {
        const auto *call = as<Call>(node);
        const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
        if (api.starts_with("torch.nn.")) {
          bool &has_one_unit = found.try_emplace(api, true).first->second;
          const Expr *const units = argument(*call, 1, api.ends_with("Linear") ? "out_features" : "out_channels");
          has_one_unit = has_one_unit && units != nullptr && integer_of(site_of(site, *call), units) == 1;
        }
        return false;
      });
    }
    return found;
  });
  bool is_made = false;
  for (const std::string_view kind : kinds) {
    const auto known = layers.find(kind);
    if (known != layers.end() && !known->second) {
      return false;
    }
    is_made |= known != layers.end();
  }
  return is_made;
}

std::optional<double> constant_of(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (api == "torch.nn.init.zeros_") {
    return 0;
  }
  if (api == "torch.nn.init.ones_") {
    return 1;
  }
  if (api == "torch.nn.init.constant_" || api == "torch.nn.init.constant") {
    return number_of(site, argument(call, 1, "val"));
  }
  if (called_method(call) == "zero_") {
    return 0;
  }
  return called_method(call) == "fill_" ? number_of(site, argument(call, 0, "value")) : std::nullopt;
}

void check(Site &site, const Call &call) {
  const bool is_function = called_api(site, call).starts_with("torch.nn.init.");
  const Expr *target = is_function ? argument(call, 0, "tensor") : receiver_of(call);
  const Expr *layer = target != nullptr ? layer_of_weight(target) : nullptr;
  if (layer == nullptr) {
    return;
  }
  const std::optional<double> constant = constant_of(site, call);
  if (!constant.has_value()) {
    return;
  }
  const bool is_any = layer->kind == NodeKind::Name && is_any_such_layer(site, layer, call.start);
  if (is_any && have_one_unit(site, layer)) {
    return; // one unit has no twins
  }
  if (!is_any) {
    // Zero makes a branch start out as nothing, and gates open: both are usual, and only at single layers.
    const model::Value value = value_of(site, layer);
    const std::string_view text = text_of(site, layer);
    if (*constant == 0 || !value.is(model::Value::Tag::Instance) || value.maker() == nullptr || !value.name() ||
        !needs_variety(value.name().text()) || value.kind != Kind::TorchModule ||
        has_word(text, {"gate", "scale", "alpha", "mask", "avg", "blur", "kernel", "filter", "pool", "sum"})) {
      return;
    }
    const Expr *units =
        argument(*value.maker(), 1, value.name().text().ends_with("Linear") ? "out_features" : "out_channels");
    if (units != nullptr && integer_of(site_of(site, *value.maker()), units) == 1) {
      return; // one unit has no twins
    }
  }
  if (function_has_word(site, {"requires_grad", "torch.eye", "dirac"}) || site.module->is_test) {
    return; // fixed filters
  }
  report(site, call,
         fmt::format("all weights of the layer start as {}, so its units get the same gradients and stay identical",
                     *constant),
         "start from random weights: `nn.init.kaiming_normal_`, `nn.init.xavier_uniform_`, or the layer's default");
}

} // namespace

extern constinit const Rule kConstantWeightInit = {
    .info = {.code = "DP810",
             .name = "constant-weight-init",
             .summary = "weights of a linear or convolutional layer that all start with the same value",
             .root_cause = "Training: Wrong Model Definition",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`nn.init.constant_(layer.weight, c)`, `ones_`, `zeros_`, `layer.weight.data.fill_(c)` on the weights of linear and convolutional layers: on
one layer with a value other than 0, or on every such layer of a model (`if isinstance(m, nn.Linear)`) with any value.

## Why it is wrong

Units that start identical get the same gradients and stay identical: a layer of a thousand units computes no more than one. With zeros
everywhere only the last bias learns.

## Bad

```python
import torch.nn as nn


def init(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 0.1)
```

## Good

```python
import torch.nn as nn


def init(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight)
        nn.init.zeros_(m.bias)
```

## When it is wrong

Fixed filters, such as a moving average, are constant on purpose; where the code mentions `requires_grad` the rule is silent. Zeros in one
layer (the last of a residual branch, a gate, an adapter) are common and not reported.

## References

- Goodfellow, Bengio, Courville: Deep Learning, section 8.4, on breaking symmetry between units
- NeuraLint: constant weight initialization
)"},
    .calls = "torch.nn.init.constant_ torch.nn.init.constant torch.nn.init.zeros_ torch.nn.init.ones_ *.fill_ *.zero_",
    .on_call = check};

} // namespace deepperf::rules::constant_weight_init
