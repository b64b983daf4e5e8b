#include "rules/keras.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::replica_loss_averaged {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

constexpr u32 kMostDepth = 4; // of calls between the step and the mean

// What is known of a loss: it is a mean over the batch of one replica, or something that rules that out.
struct Mean {
  const Call *call = nullptr;
  const FunctionInfo *where = nullptr;
  bool is_divided = false; // by the number of replicas, the global batch size or whatever
};

class MeanSearch {
public:
  explicit MeanSearch(const Site &site) : site_(site) {}

  void look(const FunctionInfo &function, const Expr *expr, u32 depth) {
    if (expr == nullptr || depth > kMostDepth * 3) {
      return;
    }
    if (const auto *operation = as<BinOp>(expr)) {
      found.is_divided |= operation->op() == Operator::Div;
      look(function, operation->left, depth + 1);
      look(function, operation->right, depth + 1);
    } else if (const auto *unary = as<UnaryOp>(expr)) {
      look(function, unary->operand, depth + 1);
    } else if (const auto *name = as<Name>(expr)) {
      look_at_name(function, name->id, depth);
    } else if (const auto *call = as<Call>(expr)) {
      look_at_call(function, *call, depth);
    }
  }

  Mean found;

private:
  void look_at_name(const FunctionInfo &function, Symbol name, u32 depth) {
    const FunctionDef *definition = function.definition();
    if (definition == nullptr || function.slot_of(name) == FunctionInfo::kNoSlot ||
        std::ranges::find(seen_, name) != seen_.end()) {
      return;
    }
    seen_.push_back(name);
    any_node(definition->body, [&](const Node *node) {
      if (const auto *assignment = as<Assign>(node)) {
        const auto *target = assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
        if (target != nullptr && target->id == name) {
          look(function, assignment->value, depth + 1);
        }
      } else if (const auto *change = as<AugAssign>(node)) {
        const auto *target = as<Name>(change->target);
        if (target != nullptr && target->id == name) {
          found.is_divided |= change->op() == Operator::Div || change->op() == Operator::Mult;
          look(function, change->value, depth + 1);
        }
      }
      return false;
    });
    seen_.pop_back();
  }

  void look_at_call(const FunctionInfo &function, const Call &call, u32 depth) {
    const Value callee = site_.project.callee_of(&call);
    if (callee.is(Value::Tag::Api)) {
      const std::string_view api = callee.name().text();
      const bool is_mean = api == "tensorflow.reduce_mean" || api == "tensorflow.math.reduce_mean" ||
                           api == "tensorflow.keras.backend.mean" || api == "tensorflow.keras.ops.mean";
      if (is_mean && argument(call, 1, "axis") == nullptr) {
        found.call = &call;
        found.where = &function;
      }
      found.is_divided |=
          api.ends_with("divide") || api.ends_with("compute_average_loss") || api.ends_with("div_no_nan");
    } else if ((callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method)) && calls_ < kMostDepth) {
      const FunctionDef *definition = callee.function->definition();
      ++calls_;
      if (definition != nullptr) {
        any_node(definition->body, [&](const Node *node) {
          if (const auto *result = as<Return>(node)) {
            look(*callee.function, result->value, depth + 1);
          }
          return false;
        });
      }
      --calls_;
    } else if (callee.is_kind(Kind::KerasLoss) && callee.maker() != nullptr) {
      // Its default reduction is the mean over the batch of the replica.
      const model::Argument given = argument_of(site_of(site_, *callee.maker()), *callee.maker(), ~0U, "reduction");
      if (given.is_absent()) {
        found.call = &call;
        found.where = &function;
      }
    }
  }

  const Site &site_;
  std::vector<Symbol> seen_;
  u32 calls_ = 0;
};

// What all devices run, and what the gradients are taken of there.
void check(Site &site, const Call &call) {
  const Value step = call.args.empty() ? Value{} : value_of(site, call.args[0]);
  if (!step.is(Value::Tag::Function) && !step.is(Value::Tag::Method)) {
    return;
  }
  const Value strategy = value_of(site, receiver_of(call));
  const bool has_one_device =
      strategy.is(Value::Tag::Instance) && strategy.name() && strategy.name().text().ends_with("OneDeviceStrategy");
  const FunctionDef *definition = step.function->definition();
  if (definition == nullptr || step.function->module->is_test || has_one_device) {
    return;
  }
  const Call *gradient = nullptr;
  bool applies = false;
  bool is_manual = false; // they reduce the gradients themselves
  any_node(definition->body, [&](const Node *node) {
    const auto *one = as<Call>(node);
    const std::string_view method = one != nullptr ? called_method(*one) : std::string_view{};
    if (method == "gradient" && one->args.size() >= 2) {
      gradient = one;
    } else if (method == "apply_gradients") {
      applies = true;
      is_manual |= keyword_argument(*one, "experimental_aggregate_gradients") != nullptr ||
                   keyword_argument(*one, "skip_gradients_aggregation") != nullptr;
    } else if (method == "all_reduce") {
      is_manual = true;
    }
    return false;
  });
  if (gradient == nullptr || !applies || is_manual) {
    return;
  }
  MeanSearch search(site);
  search.look(*step.function, gradient->args[0], 0);
  if (search.found.call == nullptr || search.found.is_divided) {
    return;
  }
  Finding &finding = report(site.findings, *site.rule, *search.found.where->module, search.found.call->span(),
                            "each replica averages over its own part of the batch and the gradients of all replicas "
                            "are summed, so they grow with the number of devices",
                            "sum the loss of the examples and divide by the global batch size: "
                            "`tf.nn.compute_average_loss(loss, global_batch_size=…)`");
  finding.notes.push_back({step.function->module->file, gradient->span(), "the gradients of this loss are summed"});
  finding.notes.push_back({site.module->file, call.span(), "every replica runs the step"});
}

} // namespace

extern constinit const Rule kReplicaLossAveraged = {
    .info = {.code = "DP861",
             .name = "replica-loss-averaged",
             .summary = "a loss that each replica averages, though the gradients of all replicas are summed",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A step that `strategy.run` executes on all replicas, whose loss is `tf.reduce_mean(…)` or a Keras loss with its default reduction, and whose
gradients go to `apply_gradients`, without a division by the number of replicas or the global batch size.

## Why it is wrong

Every replica sees a part of the batch and divides by the size of that part. `apply_gradients` then adds the gradients of all replicas, so
with eight devices they are eight times as large as on one. The learning rate is effectively multiplied by the number of devices.

## Bad

```python
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()


def train_step(model, optimizer: tf.keras.optimizers.Optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


@tf.function
def distributed_step(model, optimizer, x, y):
    return strategy.run(train_step, args=(model, optimizer, x, y))
```

## Good

```python
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
GLOBAL_BATCH = 256


def train_step(model, optimizer: tf.keras.optimizers.Optimizer, x, y):
    with tf.GradientTape() as tape:
        errors = tf.reduce_mean(tf.square(model(x, training=True) - y), axis=-1)
        loss = tf.nn.compute_average_loss(errors, global_batch_size=GLOBAL_BATCH)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


@tf.function
def distributed_step(model, optimizer, x, y):
    return strategy.run(train_step, args=(model, optimizer, x, y))
```

## When it is wrong

Where the learning rate was chosen for the sum. Steps that reduce their gradients themselves are not reported.

## References

- TensorFlow tutorial "Custom training with tf.distribute.Strategy": define the loss function
)"},
    .calls = "DistributeStrategy.run DistributeStrategy.experimental_run_v2",
    .on_call = check};

} // namespace deepperf::rules::replica_loss_averaged
