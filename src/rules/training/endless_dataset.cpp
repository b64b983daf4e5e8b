#include "model/pipeline.h"
#include "rules/site.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::endless_dataset {

using namespace python;

namespace {

bool is_endless_repeat(const model::Stage &stage) {
  if (!stage.info->has(kRepeats) || stage.info->has(kShuffles) || has_hidden_arguments(*stage.call)) {
    return false;
  }
  const Expr *count = argument(*stage.call, 0, "count");
  const auto *negative = as<UnaryOp>(count);
  return count == nullptr || is_none(count) ||
         (negative != nullptr && negative->op() == UnaryOperator::USub &&
          negative->operand->kind == NodeKind::Constant);
}

// The repeat() that makes a Dataset endless, on the only way to it; null if it ends, or if that is not known.
const model::Stage *endless_by(const Site &site, const Expr *expr) {
  const auto known = site.project.stage_at.find(expr);
  u32 at = known != site.project.stage_at.end() ? known->second : model::stage_of(site.project, value_of(site, expr));
  constexpr u32 kMostStages = 60;
  for (u32 i = 0; at != 0 && i < kMostStages; ++i) {
    const model::Stage &stage = site.project.stages[at];
    if (stage.call == nullptr || stage.info == nullptr || stage.other != 0 || stage.info->has(kTakes) ||
        stage.info->has(kSource)) {
      return nullptr;
    }
    const std::string_view method = stage.method.text();
    if (method.ends_with("take") || method.ends_with("take_while") || method.ends_with("apply")) {
      return nullptr;
    }
    if (is_endless_repeat(stage)) {
      return &stage;
    }
    at = stage.previous;
  }
  return nullptr;
}

void add_finding(Site &site, const Node &place, const model::Stage &repeat, std::string message, std::string advice) {
  Finding &finding = report(site, place, std::move(message), std::move(advice));
  finding.notes.push_back({repeat.module->file, repeat.span(), "the dataset repeats endlessly from here"});
}

void check_call(Site &site, const Call &call) {
  if (has_hidden_arguments(call) || site.module->is_test) {
    return;
  }
  const std::string_view method = called_method(call);
  const bool is_fit = method == "fit";
  const Expr *data = argument(call, 0, "x");
  const Keyword *steps = keyword_argument(call, is_fit ? "steps_per_epoch" : "steps");
  const model::Stage *repeat =
      data != nullptr && (steps == nullptr || is_none(steps->value)) ? endless_by(site, data) : nullptr;
  if (repeat != nullptr) {
    add_finding(site, *data, *repeat,
                fmt::format("`{}()` reads an endless dataset without `{}`, so {}", method,
                            is_fit ? "steps_per_epoch" : "steps",
                            is_fit ? "the first epoch never ends" : "it never returns"),
                is_fit ? "omit `repeat()`, as `fit()` starts again in every epoch, or pass `steps_per_epoch`"
                       : "omit `repeat()`, or pass `steps`");
    return;
  }
  const Keyword *validation = is_fit ? keyword_argument(call, "validation_data") : nullptr;
  steps = keyword_argument(call, "validation_steps");
  repeat = validation != nullptr && (steps == nullptr || is_none(steps->value)) ? endless_by(site, validation->value)
                                                                                : nullptr;
  if (repeat != nullptr) {
    add_finding(
        site, *validation->value, *repeat,
        "the validation data is endless and `validation_steps` is not given, so the first validation never ends",
        "omit `repeat()` for validation, or pass `validation_steps`");
  }
}

// Does the loop end in another way than by its data?
bool may_leave(const For &loop) {
  return any_node(loop.body, [](const Node *node) {
    const auto *call = as<Call>(node);
    const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
    return node->kind == NodeKind::Break || node->kind == NodeKind::Return || node->kind == NodeKind::Raise ||
           node->kind == NodeKind::Yield || node->kind == NodeKind::Try || node->kind == NodeKind::Await ||
           name == "exit" || name == "_exit";
  });
}

// Is there code that waits for the end of the loop?
bool is_followed(const Site &site, const For &loop) {
  if (loop_around(site) != nullptr) {
    return true;
  }
  const Node *parent = site.ancestors.empty() ? nullptr : site.ancestors.back();
  const auto *definition = as<FunctionDef>(parent);
  const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const bool is_top = definition != nullptr || parent == nullptr;
  return is_top && !body.empty() && body[body.size() - 1] != &loop;
}

void check_loop(Site &site, const Node &node) {
  const auto &loop = static_cast<const For &>(node);
  const Expr *over = loop.iter;
  if (const auto *call = as<Call>(over); call != nullptr && !call->args.empty()) {
    const std::string_view api = called_api(site, *call);
    over = api == "enumerate" || api == "iter" || api.starts_with("tqdm") ? call->args[0] : over;
  }
  if (!site.module->tensorflow || site.module->is_test || site.module->v1 || may_leave(loop) ||
      !is_followed(site, loop)) {
    return;
  }
  if (const model::Stage *repeat = endless_by(site, over)) {
    add_finding(site, *loop.iter, *repeat, "this loop reads an endless dataset, so the code after it is never reached",
                "omit `repeat()`, or limit the dataset with `take(steps)`");
  }
}

} // namespace

extern constinit const Rule kEndlessDataset = {
    .info = {.code = "DP945",
             .name = "endless-dataset",
             .summary = "an endless `tf.data` pipeline that is read to its end",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Slow Execution Time",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`fit()`, `evaluate()` or `predict()` on a `tf.data` pipeline that ends in `repeat()` without a count, without the number of steps; the same for
`validation_data`; and a `for` loop over such a pipeline that nothing leaves.

## Why it is wrong

An endless dataset has no last batch. The first epoch continues until the program is killed: no validation, no checkpoint, no learning rate
schedule. Keras repeats the data in every epoch by itself.

## Bad

```python
import tensorflow as tf

def train(model: tf.keras.Model, x, y):
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(10_000).repeat().batch(32).prefetch(1)
    model.fit(data, epochs=10)
```

## Good

```python
import tensorflow as tf

def train(model: tf.keras.Model, x, y):
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(10_000).batch(32).prefetch(1)
    model.fit(data, epochs=10)
```

## When it is wrong

Where the program is meant to train until it is stopped.

## References

- Keras documentation of `Model.fit`: `steps_per_epoch`
)"},
    .calls = "KerasModel.fit KerasModel.evaluate KerasModel.predict",
    .on_call = check_call,
    .nodes = {NodeKind::For},
    .on_node = check_loop};

} // namespace deepperf::rules::endless_dataset
