#include "base/known_names.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::dropout_ignores_training {

using namespace python;
using model::FunctionInfo;

namespace {

bool is_dropout(std::string_view api) {
  return api == "tensorflow.nn.dropout" || api == "tensorflow.keras.backend.dropout" ||
         api == "tensorflow.keras.random.dropout" || api == "tensorflow.nn.experimental.stateless_dropout";
}

// A number that the layer was made with: `self.rate`, `1.0 - self.rate`, a constant, also under a local name.
bool is_setting(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 4;
  if (expr == nullptr || depth > kMostDepth) {
    return false;
  }
  if (const auto *operation = as<BinOp>(expr)) {
    return is_setting(site, operation->left, depth + 1) && is_setting(site, operation->right, depth + 1);
  }
  if (const auto *attribute = as<Attribute>(expr)) {
    const auto *object = as<Name>(attribute->value);
    return object != nullptr && object->id.text() == "self";
  }
  if (number_of(site, expr).has_value()) {
    return true;
  }
  const auto *name = as<Name>(expr);
  const Expr *made = name != nullptr ? last_assigned(site, *name) : nullptr;
  return made != nullptr && is_setting(site, made, depth + 1);
}

// The name that a mask's numbers are given, if they are.
Symbol name_of_draw(const Site &site) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    if (const auto *assignment = as<Assign>(site.ancestors[i])) {
      const auto *name = assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
      return name != nullptr ? name->id : Symbol{};
    }
  }
  return {};
}

// Does the expression compare or round what was drawn with a setting: `floor(keep + drawn)`, `drawn < self.rate`?
bool is_threshold(const Site &site, const Node *node, const Call &draw, Symbol drawn) {
  const auto is_drawn = [&](const Expr *expr) {
    const auto *name = as<Name>(expr);
    return expr == &draw || (name != nullptr && drawn && name->id == drawn);
  };
  if (const auto *compare = as<Compare>(node)) {
    return compare->rest.size() == 1 && ((is_drawn(compare->left) && is_setting(site, compare->rest[0].right)) ||
                                         (is_drawn(compare->rest[0].right) && is_setting(site, compare->left)));
  }
  const auto *call = as<Call>(node);
  const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
  if (!api.ends_with(".floor") || call->args.empty()) {
    return false;
  }
  const auto *name = as<Name>(call->args[0]);
  const auto *sum = as<BinOp>(name != nullptr ? last_assigned(site, *name) : call->args[0]);
  const auto *plain = name != nullptr && drawn && name->id == drawn ? name : nullptr;
  return plain != nullptr || (sum != nullptr && ((is_drawn(sum->left) && is_setting(site, sum->right)) ||
                                                 (is_drawn(sum->right) && is_setting(site, sum->left))));
}

// A rate that the inputs decide, as one of them multiplies it: the caller switches the dropout off.
bool comes_with_inputs(const Site &site, const Expr *rate, u32 depth = 0) {
  constexpr u32 kMostDepth = 4;
  return depth < kMostDepth && any_node(rate, [&](const Node *part) {
           const auto *name = as<Name>(part);
           if (name == nullptr || name->id.text() == "self") {
             return false;
           }
           const Expr *const made = last_assigned(site, *name);
           return site.function->has_param(name->id) ||
                  (made != nullptr && made->end < rate->start && comes_with_inputs(site, made, depth + 1));
         });
}

// Does the layer drop something by what was drawn?
bool makes_mask(const Site &site, const Call &call, std::string_view api) {
  if (is_dropout(api)) {
    const Expr *rate = argument(call, 1, "rate");
    return rate == nullptr || (number_of(site, rate) != 0.0 && !comes_with_inputs(site, rate));
  }
  if (api.ends_with("binomial") || api.ends_with("bernoulli")) {
    const Keyword *given = keyword_argument(call, "p");
    return given != nullptr && is_setting(site, given->value);
  }
  // `if uniform(()) > 0.5:` chooses what to do.
  if (std::ranges::any_of(site.ancestors, [](const Node *node) { return node->kind == NodeKind::If; })) {
    return false;
  }
  const Symbol drawn = name_of_draw(site);
  return any_node(site.function->definition()->body,
                  [&](const Node *node) { return is_threshold(site, node, call, drawn); });
}

bool is_keras_class(const model::ClassInfo *type) {
  return type != nullptr && (type->kind == Kind::KerasLayer || type->kind == Kind::KerasModel);
}

void check(Site &site, const Call &call) {
  const FunctionInfo *function = site.function;
  const FunctionDef *definition = function != nullptr ? function->definition() : nullptr;
  if (definition == nullptr || !is_keras_class(function->type) || function->name.text() != "call" ||
      site.module->is_test) {
    return;
  }
  // Whoever asks for the mode, whatever its name is there.
  static constexpr std::string_view kWords[] = {"train", "learning_phase", "deterministic", "inference"};
  const bool has_flag = std::ranges::any_of(
      definition->params, [](const Param *param) { return param->param_kind() == ParamKind::KwArgs; });
  if (has_flag || node_has_word(site, *definition, kWords) || enclosing(site, NodeKind::If) != nullptr ||
      !makes_mask(site, call, called_api(site, call))) {
    return;
  }
  report(site, call,
         fmt::format("`{}` drops values in every call, also in evaluation and inference, because `call` has no "
                     "`training` argument",
                     function->type->name.text()),
         "write `def call(self, inputs, training=False):` and return the inputs unchanged unless `training`");
}

} // namespace

extern constinit const Rule kDropoutIgnoresTraining = {
    .info = {.code = "DP859",
             .name = "dropout-ignores-training",
             .summary = "a Keras layer with its own dropout that has no `training` argument",
             .root_cause = "Training: Wrong Mode",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`call` of a Keras layer or model that drops values at random, with `tf.nn.dropout` or a mask of its own (`floor(keep + uniform)`,
`uniform < self.rate`), and neither takes `training` nor reads the learning phase.

## Why it is wrong

Dropout and stochastic depth belong to training. Without the flag, the layer also drops values in `evaluate` and `predict`: results are
random, and worse than the model is.

## Bad

```python
import tensorflow as tf


class DropPath(tf.keras.layers.Layer):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def call(self, x):
        keep = 1.0 - self.rate
        mask = tf.random.uniform([tf.shape(x)[0], 1, 1])
        return x * tf.floor(keep + mask) / keep
```

## Good

```python
import tensorflow as tf


class DropPath(tf.keras.layers.Layer):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def call(self, x, training=False):
        if not training:
            return x
        keep = 1.0 - self.rate
        mask = tf.random.uniform([tf.shape(x)[0], 1, 1])
        return x * tf.floor(keep + mask) / keep
```

## When it is wrong

Where the randomness is intended in inference too, as in Monte Carlo dropout. Layers that sample from a distribution, as in a variational
autoencoder, are not reported.

## References

- Keras guide "Making new layers and models via subclassing": privileged `training` argument
)"},
    .calls = "tensorflow.nn.dropout tensorflow.keras.backend.dropout tensorflow.keras.random.dropout "
             "tensorflow.nn.experimental.stateless_dropout tensorflow.random.uniform tensorflow.random_uniform "
             "tensorflow.keras.random.uniform tensorflow.keras.backend.random_uniform "
             "tensorflow.keras.backend.random_binomial tensorflow.keras.backend.random_bernoulli "
             "tensorflow.keras.random.binomial tensorflow.random.stateless_uniform",
    .on_call = check};

} // namespace deepperf::rules::dropout_ignores_training
