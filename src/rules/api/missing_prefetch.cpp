#include "model/consumers.h"
#include "model/few_elements.h"
#include "model/mapper.h"
#include "model/pipeline.h"
#include "rules/api_history.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <memory>

namespace deepperf::rules::missing_prefetch {

using namespace python;

namespace {

// A source whose reading goes on ahead by itself: those that make batches, and tfds, end in a prefetch of their own.
bool reads_ahead(const ApiInfo &info, std::string_view name) {
  return info.has(kBatched) || name.starts_with("tensorflow_datasets.") || name == "as_dataset";
}

// Is the work that the consumer has to wait for worth a thread of its own?
bool is_work(const model::Project &project, const model::Stage &stage) {
  const ApiInfo &info = *stage.info;
  if (info.has(kMaps)) {
    return !model::examine_mapper(project, stage.mapper).cheap;
  }
  if (info.has(kBatches)) { // so many rows are copied one by one
    constexpr i64 kManyRows = 4096;
    Findings none;
    Memory memory;
    const Site there{
        .project = project, .findings = none, .memory = memory, .module = stage.module, .function = stage.function};
    return integer_of(there, argument(*stage.call, 0, "batch_size")).value_or(0) >= kManyRows;
  }
  return info.has(kSource) && info.has(kPython); // from_generator
}

// Neither runs Python code nor reads a variable: either may read what the training step writes.
bool cannot_notice(const model::Project &project, const model::Stage &stage) {
  if (stage.info->has(kPython)) {
    return false;
  }
  const bool has_function = stage.info->has(kMaps | kInterleaves) || stage.mapper.is(model::Value::Tag::Function);
  if (!has_function) {
    return true;
  }
  const model::MapperFacts mapper = model::examine_mapper(project, stage.mapper);
  return mapper.known && !mapper.locked && !mapper.stateful && !mapper.shares && mapper.python == nullptr;
}

// Made once for a project, when it is first asked for.
struct KnownConsumers {
  std::shared_ptr<model::Consumers> of;
};

// `dataset` is used up here by what could compute meanwhile: a training loop, a model's fit, a graph.
void check_use(Site &site, const Expr *dataset, const Node &user, std::string_view what) {
  const auto found = dataset != nullptr ? site.project.stage_at.find(dataset) : site.project.stage_at.end();
  if (found == site.project.stage_at.end()) {
    return;
  }
  const model::Stage &last = site.project.stages[found->second];
  if (last.call == nullptr || last.info == nullptr || last.info->has(kSource)) {
    return; // branches meet, or nothing is done to the data
  }
  const auto &consumers = site.memory.recall<KnownConsumers>(
      &site.project, [&] { return KnownConsumers{std::make_shared<model::Consumers>(site.project)}; });
  if (model::has_few_elements(site.project, last) || consumers.of->of(last) != model::Consumption::All) {
    return;
  }
  bool prefetched = false;
  bool work = false;
  bool is_closed = true; // nothing in it can notice that it runs ahead of its consumer
  model::walk_back(site.project, found->second, [&](const model::Stage &stage) {
    if (stage.info == nullptr) {
      is_closed = false;
      return true;
    }
    is_closed = is_closed && cannot_notice(site.project, stage);
    prefetched |= stage.info->has(kMaps) && stage.info->has(kBatches); // map_and_batch has threads of its own
    if (stage.info->has(kPrefetches) || stage.info->has(kSource)) {
      prefetched |= stage.info->has(kPrefetches) || reads_ahead(*stage.info, stage.method.text());
      work |= is_work(site.project, stage);
      return false;
    }
    if (stage.info->has(kTakes) && !stage.call->args.empty() &&
        (stage.call->args[0]->kind == NodeKind::Constant || model::takes_few(stage) ||
         integer_of(site, stage.call->args[0]).has_value())) {
      prefetched = true; // a look at a few elements
    }
    work |= is_work(site.project, stage);
    return !prefetched && !stage.info->has(kCaches); // what is before a cache is done once
  });
  if (prefetched || !work) {
    return;
  }
  const std::string autotune = autotune_at(last.function, *last.module, last.call->start);
  Finding &finding =
      report(site.findings, *site.rule, *last.module, last.span(), "this pipeline does not end in `prefetch()`",
             fmt::format("add `.prefetch({})` as the last stage", autotune.empty() ? "tf.data.AUTOTUNE" : autotune));
  finding.message += fmt::format(", so {} waits while each batch is prepared", what);
  // TensorFlow 2.12 and later add the prefetch themselves.
  const auto *used_by = as<Call>(&user);
  const std::string_view method = used_by != nullptr ? called_method(*used_by) : std::string_view{};
  const bool is_short = method == "evaluate" || method == "predict"; // next to training
  const bool adds_it_itself = status_in(site, "tensorflow", "2.12") == Status::Gone;
  finding.tier = adds_it_itself || is_short || site.module->is_test ? Tier::Hint : finding.tier;
  add_note(finding, site, user, "its elements are consumed here");
  if (!autotune.empty() && !last.call->parenthesized) {
    set_fix(finding, is_closed, {insert_after(*last.call, ".prefetch(" + autotune + ")")});
  }
}

// `estimator.train(input_fn)`: the Estimator reads what the function returns.
void check_input_fn(Site &site, const Call &call) {
  const Expr *given = argument(call, 0, "input_fn");
  const model::Value value = given != nullptr ? value_of(site, given) : model::Value{};
  const model::FunctionInfo *function = value.is(model::Value::Tag::Function) ? value.function : nullptr;
  const FunctionDef *definition = function != nullptr ? function->definition() : nullptr;
  if (definition == nullptr) {
    return;
  }
  any_node(definition->body, [&](const Node *node) {
    const auto *result = as<Return>(node);
    if (result != nullptr && result->value != nullptr) {
      check_use(site, result->value, call, "the model");
    }
    return false;
  });
}

void check_call(Site &site, const Call &call) {
  const std::string_view method = called_method(call);
  if (method == "train") {
    check_input_fn(site, call);
    return;
  }
  if (method.starts_with("make_")) {
    check_use(site, receiver_of(call), call, "the consumer");
    return;
  }
  check_use(site, argument(call, 0, "x"), call, "the model");
}

void check_loop(Site &site, const Node &node) {
  const auto &loop = static_cast<const For &>(node);
  const auto *known = site.project.loop_at(&node);
  if (known == nullptr || !known->steps) {
    return;
  }
  const Expr *iterated = loop.iter;
  const auto *call = as<Call>(iterated);
  if (call != nullptr && !call->args.empty() && called_method(*call).empty()) {
    iterated = call->args[0]; // enumerate(dataset), tqdm(dataset)
  }
  check_use(site, iterated, *loop.iter, "the training step");
}

} // namespace

extern constinit const Rule kMissingPrefetch = {
    .info = {.code = "DP103",
             .name = "missing-prefetch",
             .summary = "a `tf.data` pipeline that does not prepare the next batch while the current one is used",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::Safe,
             .posts = "48068013_1 50927298_1",
             .documentation = R"(## What it finds

A `tf.data` pipeline that does real work (it maps a function that is not trivial, or runs a Python generator) and is
consumed by a training loop, by `fit`, `evaluate` or `predict`, by an Estimator's `train`, or by a TensorFlow 1 iterator, without a `prefetch()`
after its last expensive stage.

## Why it costs

Without `prefetch()` the pipeline and the model alternate: while the GPU trains, no batch is prepared, and while a batch
is prepared, the GPU waits. A step takes the sum of both times instead of the longer one.

## Bad

```python
import tensorflow.compat.v1 as tf

def parse(path):
    return tf.image.decode_jpeg(tf.io.read_file(path))

dataset = tf.data.Dataset.list_files("*.jpg").map(parse, num_parallel_calls=8).batch(32)
images = dataset.make_one_shot_iterator().get_next()
```

## Good

```python
import tensorflow.compat.v1 as tf

def parse(path):
    return tf.image.decode_jpeg(tf.io.read_file(path))

dataset = tf.data.Dataset.list_files("*.jpg").map(parse, num_parallel_calls=8).batch(32).prefetch(1)
images = dataset.make_one_shot_iterator().get_next()
```

## When it is wrong

TensorFlow 2.12 and later add a `prefetch()` to a pipeline that does not end in one
(`options.experimental_optimization.inject_prefetch`). Where the project requires such a version, and for
`evaluate` and `predict`, it is a hint. The rule is silent for a pipeline that is returned or passed on, since the receiver may prefetch, and
for one that ends in a small `take`.

## References

- TensorFlow guide, "Better performance with the tf.data API": prefetching
- `tf.data.experimental.OptimizationOptions`: `inject_prefetch`
- DLPerf, posts 48068013 and 50927298
)"},
    .calls =
        "*.fit *.evaluate *.predict Estimator.train Dataset.make_one_shot_iterator Dataset.make_initializable_iterator "
        "tensorflow.data.make_one_shot_iterator tensorflow.data.make_initializable_iterator",
    .on_call = check_call,
    .nodes = {NodeKind::For},
    .on_node = check_loop};

} // namespace deepperf::rules::missing_prefetch
