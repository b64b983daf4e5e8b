#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::padding_in_mean {

using namespace python;
using model::FunctionInfo;

namespace {

// The labels of a loss that has a value for each of them; null if it is none.
const Expr *labels_of(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (api.ends_with("nn.sparse_softmax_cross_entropy_with_logits")) {
    return argument(call, 0, "labels");
  }
  if (api == "tensorflow.keras.losses.sparse_categorical_crossentropy" ||
      api == "tensorflow.keras.metrics.sparse_categorical_crossentropy") {
    return argument(call, 0, "y_true");
  }
  return api.ends_with("softmax_cross_entropy_with_integer_labels") ? argument(call, 1, "labels") : nullptr;
}

// The loss for each position that is averaged, with nothing between the two.
struct Averaged {
  const FunctionInfo *function = nullptr;
  const Expr *labels = nullptr;
  const Call *loss = nullptr;
};

Averaged averaged_by(const Site &site, const Expr *expr) {
  Averaged found;
  u32 others = 0;
  visit_origins(site, *site.function, expr, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    const Expr *labels =
        call != nullptr && origin.path.empty() ? labels_of(site_of_origin(site, *origin.function), *call) : nullptr;
    if (labels == nullptr) {
      ++others;
    } else {
      found = {origin.function, labels, call};
    }
    return Onward::Stop;
  });
  return others == 0 ? found : Averaged{};
}

// Where the labels were padded to the longest of their batch.
struct Padded {
  const model::Module *module = nullptr;
  const Call *call = nullptr;
  bool has_positions = false; // the labels are seen to have a position for each token
};

Padded padding_of(const Site &site, const Averaged &averaged) {
  Padded found;
  bool has_positions = false;
  visit_origins(site, *averaged.function, averaged.labels, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    if (const auto *part = as<Subscript>(origin.expr)) {
      const auto *index = as<Tuple>(part->slice);
      has_positions |= index != nullptr && index->elts.size() == 2 && index->elts[0]->kind == NodeKind::Slice &&
                       index->elts[1]->kind == NodeKind::Slice;
      return Onward::Through;
    }
    const auto *call = as<Call>(origin.expr);
    if (call == nullptr) {
      return Onward::Stop;
    }
    const Site there = site_of_origin(site, *origin.function);
    if (called_method(*call) == "padded_batch" && model::kind_of(call) == Kind::Dataset) {
      const bool is_default = argument(*call, 2, "padding_values") == nullptr && !has_hidden_arguments(*call);
      found = is_default ? Padded{there.module, call} : found;
      return Onward::Stop;
    }
    const std::string_view api = called_api(there, *call);
    return model::kind_of(call) == Kind::Dataset || api == "tensorflow.cast" || api == "tensorflow.reshape" ||
                   called_method(*call) == "experimental_distribute_dataset"
               ? Onward::Through
               : Onward::Stop;
  });
  found.has_positions = has_positions;
  return found;
}

void check(Site &site, const Call &call) {
  if (call.args.empty() || site.module->is_test || site.function == nullptr ||
      !project_has_word(site, {"padded_batch"})) {
    return;
  }
  const Averaged averaged = averaged_by(site, call.args[0]);
  const Padded padded = averaged.loss != nullptr ? padding_of(site, averaged) : Padded{};
  if (padded.call == nullptr || !padded.has_positions) {
    return;
  }
  Finding &finding = report(site, call,
                            "this mean counts the loss of padding, so short sequences weigh less and padding dominates "
                            "the objective",
                            "average over the tokens only: `tf.reduce_sum(loss * mask) / tf.reduce_sum(mask)` with "
                            "`mask = tf.cast(labels != 0, loss.dtype)`");
  finding.notes.push_back({padded.module->file, padded.call->span(), "the labels are padded here"});
  finding.notes.push_back({averaged.function->module->file, averaged.loss->span(), "the loss of each position"});
}

} // namespace

extern constinit const Rule kPaddingInMean = {
    .info = {.code = "DP983",
             .name = "padding-in-mean",
             .summary = "a mean over the loss of all positions of padded sequences",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A mean of the cross entropy of each position, where the labels are sequences that `padded_batch()` padded with zeros, and nothing masks the
padding. The labels are followed from the loss through arguments, slices and loops back to the dataset.

## Why it is wrong

Padding counts like a word. In a batch of sequences of different length most positions may be padding, which is easy to predict: the loss
looks low, and the gradient of the words becomes small.

## Bad

```python
import tensorflow as tf


def batches(pairs):
    return pairs.padded_batch(64).prefetch(tf.data.AUTOTUNE)


def loss_of(model, tokens):
    logits = model(tokens[:, :-1], training=True)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tokens[:, 1:], logits=logits)
    return tf.reduce_mean(losses)


def evaluate(model, pairs: tf.data.Dataset):
    total = tf.constant(0.0)
    for tokens in batches(pairs):
        total += loss_of(model, tokens)
    return total
```

## Good

```python
import tensorflow as tf


def batches(pairs):
    return pairs.padded_batch(64).prefetch(tf.data.AUTOTUNE)


def loss_of(model, tokens):
    logits = model(tokens[:, :-1], training=True)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tokens[:, 1:], logits=logits)
    mask = tf.cast(tf.not_equal(tokens[:, 1:], 0), losses.dtype)
    return tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)


def evaluate(model, pairs: tf.data.Dataset):
    total = tf.constant(0.0)
    for tokens in batches(pairs):
        total += loss_of(model, tokens)
    return total
```

## When it is wrong

Where all sequences have the same length.

## References

- TensorFlow tutorial "Neural machine translation with attention": the masked loss
)"},
    .calls = "tensorflow.reduce_mean tensorflow.math.reduce_mean jax.numpy.mean",
    .on_call = check};

} // namespace deepperf::rules::padding_in_mean
