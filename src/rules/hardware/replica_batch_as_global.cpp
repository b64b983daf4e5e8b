#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace deepperf::rules::replica_batch_as_global {

using namespace python;

namespace {

// The program's own word for the batch of one device: `batch_per_replica`, `PER_GPU_BATCH`.
bool says_per_replica(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const bool is_batch = lower.find("batch") != std::string::npos;
  return is_batch &&
         std::ranges::any_of(std::initializer_list<std::string_view>{"per_replica", "per_gpu", "per_device", "per_core",
                                                                     "per_worker", "perreplica"},
                             [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

std::string_view name_of(const Origin &origin) {
  if (!origin.path.empty() && origin.path.front().key) {
    return origin.path.front().key.text();
  }
  const auto *name = as<Name>(origin.expr);
  const auto *attribute = as<Attribute>(origin.expr);
  return name != nullptr ? name->id.text() : attribute != nullptr ? attribute->attr.text() : std::string_view{};
}

// The name under which the size of the batch of one replica reaches the place as it is; empty if there is none.
std::string_view replica_size(const Site &site, const Expr *size) {
  std::string_view found;
  visit_origins(site, *site.function, size,
                [&](const Origin &origin) {
                  const std::string_view name = name_of(origin);
                  found = found.empty() && says_per_replica(name) ? name : found;
                  const bool is_name = origin.expr->kind == NodeKind::Name || origin.expr->kind == NodeKind::Attribute;
                  return is_name ? Onward::Through : Onward::Stop;
                },
                {.thorough = true});
  return found;
}

// A strategy divides what it gets among its replicas, unless a function makes the data of each one.
bool divides_batches(const Site &site) {
  return project_has_word(site, {"MirroredStrategy(", "TPUStrategy(", "MultiWorkerMirroredStrategy("}) &&
         !project_has_word(site, {"datasets_from_function", "get_per_replica_batch_size", "make_input_fn_iterator"});
}

void check(Site &site, const Call &call) {
  const bool is_fit = called_method(call) == "fit";
  const Expr *size = argument(call, is_fit ? 64 : 0, "batch_size");
  if (size == nullptr || site.function == nullptr || site.module->is_test || !site.module->tensorflow ||
      receiver_of(call) == nullptr || (is_fit && keyword_argument(call, "batch_size") == nullptr) ||
      !divides_batches(site)) {
    return;
  }
  const bool is_meant = model::kind_of(receiver_of(call)) == (is_fit ? Kind::KerasModel : Kind::Dataset);
  const std::string_view name = is_meant ? replica_size(site, size) : std::string_view{};
  if (name.empty()) {
    return;
  }
  report(site, *size,
         fmt::format("`{}` is used as the global batch size here: the strategy divides every batch among its replicas, "
                     "so each gets only a part of it",
                     name),
         fmt::format("use `{} * strategy.num_replicas_in_sync`", text_of(site, size)));
}

} // namespace

extern constinit const Rule kReplicaBatchAsGlobal = {
    .info = {.code = "DP526",
             .name = "replica-batch-as-global",
             .summary = "the batch size of one replica that a `tf.distribute` strategy divides among all replicas",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`dataset.batch(n)` or `fit(batch_size=n)` in a program with a `MirroredStrategy` or `TPUStrategy`, where the program itself calls the number
the batch size per replica, GPU or device, and nothing multiplies it by the number of replicas on the way.

## Why it costs

Keras and `experimental_distribute_dataset` take the batch of a dataset as the global batch and divide it: with eight GPUs each one gets an
eighth of the batch that it was meant to have, and is idle for most of the step. A learning rate that was chosen for the global batch is too
large as well.

## Bad

```python
import tensorflow as tf

BATCH_PER_REPLICA = 64
strategy = tf.distribute.MirroredStrategy()
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH_PER_REPLICA)
```

## Good

```python
import tensorflow as tf

BATCH_PER_REPLICA = 64
strategy = tf.distribute.MirroredStrategy()
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH_PER_REPLICA * strategy.num_replicas_in_sync)
```

## When it is wrong

Where the name means something else. Datasets that `distribute_datasets_from_function` creates for each replica are not reported.

## References

- TensorFlow guide "Distributed training": global batch size
)"},
    .calls = "*.batch *.padded_batch *.fit",
    .on_call = check};

} // namespace deepperf::rules::replica_batch_as_global
