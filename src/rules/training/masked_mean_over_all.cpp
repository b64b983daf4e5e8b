#include "rules/origins.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::masked_mean_over_all {

using namespace python;
using model::Value;

namespace {

// A loss that has a value for each position.
bool is_loss_per_position(const Site &there, const Call &call) {
  const std::string_view api = called_api(there, call);
  if (api.find("softmax_cross_entropy") != std::string_view::npos ||
      api.ends_with("losses.sparse_categorical_crossentropy") || api.ends_with("losses.categorical_crossentropy")) {
    return true;
  }
  const Value callee = there.project.callee_of(&call);
  const Keyword *reduction = callee.maker() != nullptr && callee.is_kind(Kind::KerasLoss)
                                 ? keyword_argument(*callee.maker(), "reduction")
                                 : nullptr;
  const auto *named = reduction != nullptr ? as<Attribute>(reduction->value) : nullptr;
  return reduction != nullptr && ((named != nullptr && named->attr.text() == "NONE") ||
                                  string_of(there, reduction->value) == std::optional<std::string>("none"));
}

// `tf.not_equal(labels, 0)`, `labels != PAD`, `tf.sequence_mask(lengths)`
bool is_mask(const Site &there, const Expr *expr) {
  if (const auto *compare = as<Compare>(expr)) {
    return compare->rest.size() == 1 && compare->rest[0].op == CompareOperator::NotEq &&
           integer_of(there, compare->rest[0].right).has_value();
  }
  const auto *call = as<Call>(expr);
  const std::string_view api = call != nullptr ? called_api(there, *call) : std::string_view{};
  const std::string_view last = api.substr(api.rfind('.') + 1);
  return last == "sequence_mask" || (last == "logical_not" && !call->args.empty()) ||
         (last == "not_equal" && call->args.size() == 2 && integer_of(there, call->args[1]).has_value());
}

struct Parts {
  const Expr *mask = nullptr;
  const model::FunctionInfo *function = nullptr;
  const Call *loss = nullptr;
  bool is_product = false;
  bool is_other = false;
};

// `loss * mask`, also under names and as `loss *= mask`.
Parts parts_of(const Site &site, const Expr *expr) {
  Parts parts;
  const bool complete = visit_origins(site, *site.function, expr, [&](const Origin &origin) {
    const Site there = site_of_origin(site, *origin.function);
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    if (is_mask(there, origin.expr)) {
      parts.mask = origin.expr;
      parts.function = origin.function;
      return Onward::Stop;
    }
    if (const auto *product = as<BinOp>(origin.expr)) {
      parts.is_product |= product->op() == Operator::Mult;
      parts.is_other |= product->op() != Operator::Mult;
      return Onward::Through;
    }
    const auto *call = as<Call>(origin.expr);
    const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
    if (call != nullptr && is_loss_per_position(there, *call)) {
      parts.loss = call;
      return Onward::Stop;
    }
    if (call != nullptr && (name == "cast" || name == "astype" || name == "float32" || name == "multiply")) {
      parts.is_product |= name == "multiply";
      const Expr *given = name == "astype" ? receiver_of(*call) : call->args.empty() ? nullptr : call->args[0];
      if (given != nullptr) {
        origin.next.push_back(given);
        if (name == "multiply" && call->args.size() > 1) {
          origin.next.push_back(call->args[1]);
        }
        return Onward::Next;
      }
    }
    parts.is_other = true;
    return Onward::Stop;
  });
  parts.is_other |= !complete;
  return parts;
}

void check(Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  const Expr *averaged = api.empty() ? receiver_of(call) : argument(call, 0, "input_tensor");
  averaged = averaged == nullptr && !api.empty() ? argument(call, 0, "a") : averaged;
  if (averaged == nullptr || site.function == nullptr || site.module->is_test) {
    return;
  }
  const Parts parts = parts_of(site, averaged);
  if (parts.mask == nullptr || parts.loss == nullptr || parts.is_other) {
    return;
  }
  Finding &finding =
      report(site, call,
             "this mean also counts the positions that the mask set to zero, so the loss depends on how much padding a "
             "batch has",
             site.module->jax ? "divide by the number of real positions: `jnp.sum(loss * mask) / jnp.sum(mask)`"
                              : "divide by the number of real positions: `tf.reduce_sum(loss * mask) / "
                                "tf.reduce_sum(mask)`");
  finding.notes.push_back({parts.function->module->file, parts.mask->span(), "the mask"});
}

} // namespace

extern constinit const Rule kMaskedMeanOverAll = {
    .info = {.code = "DP977",
             .name = "masked-mean-over-all",
             .summary = "a masked loss that is averaged over padding as well",
             .root_cause = "Training: Wrong Loss",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow, JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`tf.reduce_mean(loss * mask)` or `jnp.mean(loss * mask)` of a loss for each position and a mask of the padding (`labels != 0`).

## Why it is wrong

The product is zero at the padding, but the mean divides by all positions. A batch of short texts gets a smaller loss and smaller gradients than
one of long texts, and losses of runs with other lengths cannot be compared.

## Bad

```python
import tensorflow as tf

cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")


def loss_function(labels, logits):
    mask = tf.cast(tf.not_equal(labels, 0), tf.float32)
    return tf.reduce_mean(cross_entropy(labels, logits) * mask)
```

## Good

```python
import tensorflow as tf

cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")


def loss_function(labels, logits):
    mask = tf.cast(tf.not_equal(labels, 0), tf.float32)
    return tf.reduce_sum(cross_entropy(labels, logits) * mask) / tf.reduce_sum(mask)
```

## When it is wrong

Where all batches have the same amount of padding.

## References

- TensorFlow tutorial "Neural machine translation with a Transformer and Keras": the masked loss
)"},
    .calls = "tensorflow.reduce_mean tensorflow.math.reduce_mean jax.numpy.mean JaxArray.mean",
    .on_call = check};

} // namespace deepperf::rules::masked_mean_over_all
