#include "model/bind.h"
#include "rules/site.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

namespace deepperf::rules::gradients_misapplied {

using namespace python;

namespace {

bool is_variables(const Expr *expr) {
  const auto *attribute = as<Attribute>(expr);
  if (const auto *sum = as<BinOp>(expr)) {
    return is_variables(sum->left) && is_variables(sum->right);
  }
  return attribute != nullptr &&
         (attribute->attr.text() == "trainable_variables" || attribute->attr.text() == "trainable_weights" ||
          attribute->attr.text() == "variables" || attribute->attr.text() == "weights");
}

const Expr *resolved(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const Expr *made = name != nullptr ? last_assigned(site, *name) : nullptr;
  return made != nullptr ? made : expr;
}

// `tape.gradient(loss, variables)`, also under a name; null if it is something else.
const Call *gradient_call(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(resolved(site, expr));
  return call != nullptr && called_method(*call) == "gradient" && call->args.size() >= 2 ? call : nullptr;
}

// `model.trainable_variables` with whose variables they are; empty if that is not written down.
std::string owner_of(const Site &site, const Expr *variables) {
  if (const auto *sum = as<BinOp>(variables)) {
    const std::string left = owner_of(site, sum->left);
    const std::string right = owner_of(site, sum->right);
    return left.empty() || right.empty() ? std::string() : left + "+" + right;
  }
  const auto *attribute = as<Attribute>(variables);
  if (attribute == nullptr || !is_variables(variables)) {
    return {};
  }
  return std::string(text_of(site, resolved(site, attribute->value)));
}

void check(Site &site, const Call &call) {
  const Expr *given = argument(call, 0, "grads_and_vars");
  if (given == nullptr || !site.module->tensorflow || site.module->is_test) {
    return;
  }
  if (gradient_call(site, given) != nullptr) {
    const Call *taken = gradient_call(site, given);
    Finding &finding = report(
        site, *given, "`apply_gradients()` expects pairs of a gradient and a variable, but receives only gradients",
        fmt::format("pass `zip({}, {})`", text_of(site, given), text_of(site, taken->args[1])));
    add_note(finding, site, *taken, "a list of gradients");
    return;
  }
  const auto *zip = as<Call>(resolved(site, given));
  if (zip == nullptr || called_api(site, *zip) != "zip" || zip->args.size() != 2) {
    return;
  }
  const Call *second = gradient_call(site, zip->args[1]);
  if (second != nullptr && is_variables(resolved(site, zip->args[0]))) {
    report(site, *zip,
           "`apply_gradients()` expects pairs of a gradient and a variable, but receives them in reverse order",
           fmt::format("pass `zip({}, {})`", text_of(site, zip->args[1]), text_of(site, zip->args[0])));
    return;
  }
  const Call *first = gradient_call(site, zip->args[0]);
  if (first == nullptr) {
    return;
  }
  const Expr *sources = resolved(site, first->args[1]);
  const Expr *variables = resolved(site, zip->args[1]);
  const std::string from = owner_of(site, sources);
  const std::string to = owner_of(site, variables);
  if (from.empty() || to.empty() || from == to) {
    return;
  }
  Finding &finding = report(site, *zip->args[1],
                            fmt::format("the gradients are of `{}`, and are applied to `{}`", text_of(site, sources),
                                        text_of(site, variables)),
                            "pass the same list of variables to `gradient()` and to `zip()`");
  add_note(finding, site, *first, "the gradients");
}

} // namespace

extern constinit const Rule kGradientsMisapplied = {
    .info = {.code = "DP948",
             .name = "gradients-misapplied",
             .summary = "`apply_gradients` with mismatched pairs: reversed, not paired, or with other variables",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`apply_gradients()` of gradients that are not paired with variables, of pairs in the reverse order, and of gradients that were taken of other
variables, or in another order, than those that they are paired with.

## Why it is wrong

`tape.gradient()` returns the gradients in the order of the variables that it was given. Paired with other variables of other shapes, the
update fails; with variables of the same shapes it silently changes the wrong weights.

## Bad

```python
import tensorflow as tf

def step(encoder, decoder, optimizer, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((decoder(encoder(x, training=True), training=True) - x) ** 2)
    gradients = tape.gradient(loss, encoder.trainable_variables + decoder.trainable_variables)
    optimizer.apply_gradients(zip(gradients, decoder.trainable_variables + encoder.trainable_variables))
```

## Good

```python
import tensorflow as tf

def step(encoder, decoder, optimizer, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((decoder(encoder(x, training=True), training=True) - x) ** 2)
    variables = encoder.trainable_variables + decoder.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
```

## When it is wrong

Where the gradients of one model are meant for a copy of it.

## References

- TensorFlow documentation of `tf.keras.optimizers.Optimizer.apply_gradients`
)"},
    .calls = "*.apply_gradients",
    .on_call = check};

} // namespace deepperf::rules::gradients_misapplied
