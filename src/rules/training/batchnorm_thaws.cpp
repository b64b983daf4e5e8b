#include "base/name_table.h"
#include "model/definitions.h"
#include "rules/keras.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::batchnorm_thaws {

using namespace python;
using model::Value;

namespace {

// Pretrained models of Keras that contain batch normalization; VGG and ConvNeXt do not.
bool has_batchnorm(std::string_view api) {
  constexpr std::string_view kPackage = "tensorflow.keras.applications.";
  if (!api.starts_with(kPackage)) {
    return false;
  }
  const std::string_view name = api.substr(api.rfind('.') + 1);
  return name.starts_with("ResNet") || name.starts_with("EfficientNet") || name.starts_with("MobileNet") ||
         name.starts_with("DenseNet") || name.starts_with("Inception") || name.starts_with("Xception") ||
         name.starts_with("NASNet") || name.starts_with("RegNet");
}

// Where its `trainable` is set, and to what.
struct Switch {
  const model::AttributeStore *store = nullptr;
  bool on = false;
};

// The model whose layers a loop goes over: `base` of `for layer in base.layers[-20:]`.
const Expr *model_of_layers(const model::FunctionInfo &function, const Expr *object) {
  const auto *name = as<Name>(object);
  if (name == nullptr) {
    return nullptr;
  }
  for (const model::Loop *loop : function.loops) {
    const auto *statement = as<For>(loop->node);
    const auto *target = statement != nullptr ? as<Name>(statement->target) : nullptr;
    if (target == nullptr || target->id != name->id) {
      continue;
    }
    const auto *part = as<Subscript>(statement->iter);
    const auto *layers = as<Attribute>(part != nullptr ? part->value : statement->iter);
    if (layers != nullptr && layers->attr.text() == "layers") {
      return layers->value;
    }
  }
  return nullptr;
}

std::vector<Switch> switches_of(const Site &site, const Call *base) {
  std::vector<Switch> found;
  const auto &stores = model::definitions_of(site.project).attribute_stores;
  const auto trainable = stores.find(intern("trainable").id);
  if (trainable == stores.end()) {
    return found;
  }
  for (const model::AttributeStore &store : trainable->second) {
    const model::Scope scope = model::scope_of(site.project, *store.function);
    const Expr *const looped = model_of_layers(*store.function, store.object);
    const Value value = model::value_of(scope, looped != nullptr ? looped : store.object);
    const auto *constant = as<Constant>(store.value);
    if (value.is_kind(Kind::KerasModel) && value.maker() == base && constant != nullptr) {
      found.push_back({&store, constant->constant_kind() == ConstantKind::True});
    }
  }
  return found;
}

// Does the loop that sets it treat batch normalization by itself?
bool spares_batchnorm(const Switch &one) {
  const model::FunctionInfo &function = *one.store->function;
  return std::ranges::any_of(function.loops, [&](const model::Loop *loop) {
    return contains(loop->node, one.store->object) &&
           has_word(function.module->parsed->source.part(loop->node->start, loop->node->end),
                    {"BatchNorm", "batch_norm", "_bn"});
  });
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (call.fact == 0 || !site.module->tensorflow || call.args.empty()) {
    return;
  }
  const Value callee = site.project.callee_of(&call);
  if (!callee.is_kind(Kind::KerasModel) || callee.maker() == nullptr || !callee.name() ||
      !has_batchnorm(callee.name().text()) || keyword_argument(call, "training") != nullptr || call.args.size() > 1 ||
      has_hidden_arguments(call) || site.module->is_test) {
    return;
  }
  const Expr *weights = argument(*callee.maker(), 1, "weights");
  if (weights != nullptr && is_none(weights)) {
    return; // nothing to forget
  }
  const std::vector<Switch> switches = switches_of(site, callee.maker());
  const bool is_frozen = std::ranges::any_of(switches, [](const Switch &one) { return !one.on; });
  const auto thawed = std::ranges::find_if(switches, &Switch::on);
  if (!is_frozen || thawed == switches.end() || std::ranges::any_of(switches, spares_batchnorm)) {
    return;
  }
  Finding &finding = report(site, call,
                            "once the base model is trainable again, its batch normalization uses the statistics of "
                            "each batch and overwrites the pretrained averages",
                            fmt::format("call it with `training=False`: `{}({}, training=False)`",
                                        text_of(site, call.func), text_of(site, call.args[0])));
  finding.notes.push_back(
      {thawed->store->function->module->file, thawed->store->object->span(), "it becomes trainable here"});
}

} // namespace

extern constinit const Rule kBatchnormThaws = {
    .info = {.code = "DP860",
             .name = "batchnorm-thaws",
             .summary =
                 "a pretrained Keras model that is unfrozen without keeping its batch normalization in inference mode",
             .root_cause = "Training: Wrong Mode",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A pretrained model of `keras.applications` with batch normalization that is first frozen, called without `training=False`, and made
trainable again for fine-tuning.

## Why it is wrong

While `trainable` is false, batch normalization uses its moving averages. As soon as the base model is trainable, it uses the mean and
variance of each batch and updates the averages. With the small batches of fine-tuning this destroys what the model had learned: the loss
jumps when the second stage begins. With `training=False` in the call, the layers stay in inference mode while their weights are tuned.

## Bad

```python
from tensorflow import keras

base = keras.applications.ResNet50(include_top=False, pooling="avg")
base.trainable = False
inputs = keras.Input((224, 224, 3))
model = keras.Model(inputs, keras.layers.Dense(5)(base(inputs)))
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(train, epochs=3)
base.trainable = True
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(train, epochs=10)
```

## Good

```python
from tensorflow import keras

base = keras.applications.ResNet50(include_top=False, pooling="avg")
base.trainable = False
inputs = keras.Input((224, 224, 3))
model = keras.Model(inputs, keras.layers.Dense(5)(base(inputs, training=False)))
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(train, epochs=3)
base.trainable = True
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(train, epochs=10)
```

## When it is wrong

With large batches of data that differ much from ImageNet, new statistics may be better.

## References

- Keras guide "Transfer learning and fine-tuning"
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::batchnorm_thaws
