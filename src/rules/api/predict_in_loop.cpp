#include "model/bind.h"
#include "model/variance.h"
#include "python/children.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::predict_in_loop {

using namespace python;

namespace {

bool calls_method(const Node *node, std::string_view method) {
  if (const auto *call = as<Call>(node); call != nullptr && called_method(*call) == method) {
    return true;
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || calls_method(child, method); });
  return found;
}

bool binds(const model::Loop &loop, const Expr *expr) {
  const Name *root = model::root_name(expr);
  const auto *attribute = as<Attribute>(expr);
  return root == nullptr || std::ranges::find(loop.assigned, root->id) != loop.assigned.end() ||
         (attribute != nullptr && std::ranges::find(loop.attributes, attribute->attr) != loop.attributes.end());
}

// `x[i:i + 1]`, `x[i][None]` of an array that the loop does not change: all of them could go into one call.
bool is_row_of_array(const Site &site, const model::Loop &loop, const Expr *input) {
  const auto *statement = as<For>(loop.node);
  const auto *index = statement != nullptr ? as<Name>(statement->target) : nullptr;
  const auto *row = as<Subscript>(input);
  if (row != nullptr && row->value->kind == NodeKind::Subscript) {
    row = as<Subscript>(row->value);
  }
  const auto *slice = row != nullptr ? as<Slice>(row->slice) : nullptr;
  const Expr *lower = slice != nullptr ? slice->lower : row != nullptr ? row->slice : nullptr;
  const auto *start = as<Name>(lower);
  if (index == nullptr || start == nullptr || start->id != index->id ||
      model::kind_of(row->value) != Kind::NumpyArray || model::varies(site.project, loop, row->value)) {
    return false;
  }
  const auto *upper = slice != nullptr ? as<BinOp>(slice->upper) : nullptr;
  return slice == nullptr ||
         (upper != nullptr && upper->op() == Operator::Add && is_constant(upper->right, ConstantKind::Int));
}

void check(Site &site, const Call &call) {
  const Expr *input = argument(call, 0, "x");
  const model::Loop *loop = loop_around(site);
  if (input == nullptr || loop == nullptr || loop->tiny || is_traced(site) || has_hidden_arguments(call)) {
    return;
  }
  // The loop is over models, folds or epochs where it makes or trains the model in each turn.
  if (binds(*loop, receiver_of(call)) || !model::varies(site.project, *loop, input) ||
      calls_method(loop->node, "fit") || calls_method(loop->node, "compile") || !runs_every_turn(site, *loop)) {
    return;
  }
  if (const Kind kind = model::kind_of(input); kind == Kind::Dataset) {
    return; // a whole dataset in each turn
  }
  const std::string_view method = called_method(call);
  const bool one = is_batch_of_one(site, input);
  const std::string_view model = text_of(site, receiver_of(call));
  Finding &finding =
      report(site, call,
             fmt::format("`{}()` sets up a data pipeline and callbacks in every iteration{}", method,
                         one ? ", for a single example" : ""),
             method == "evaluate"
                 ? std::string("evaluate all of the data in one call")
                 : fmt::format(
                       "predict all inputs in one call, or call `{}(…, training=False)` where inputs arrive one by one",
                       model));
  if (!is_row_of_array(site, *loop, input)) {
    finding.tier = Tier::Hint;
  }
  add_note(finding, site, *loop->node, "in every iteration of this loop");
  finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 5);
}

} // namespace

extern constinit const Rule kPredictInLoop = {
    .info = {.code = "DP109",
             .name = "predict-in-loop",
             .summary = "Keras `predict` or `evaluate` called on small inputs in a loop",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time, Memory Leak",
             .stage = "Prediction",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::None,
             .posts = "55409283_1 55409283_2 61516819 66441843",
             .documentation = R"(## What it finds

`model.predict(x)` or `model.evaluate(x)` of a Keras model in a loop, with another input in each iteration.

## Why it costs

`predict` is made for whole datasets. Each call wraps its input into a data pipeline, creates an iterator, runs
callbacks and collects results in lists, which can take far longer than a small model itself. In some versions each call
also leaves objects that are collected late, so memory grows.

## Bad

```python
import numpy as np
from tensorflow import keras

model = keras.models.load_model("model.h5")

def classify(images):
    labels = []
    for image in images:
        labels.append(np.argmax(model.predict(np.expand_dims(image, 0))))
    return labels
```

## Good

```python
import numpy as np
from tensorflow import keras

model = keras.models.load_model("model.h5")

def classify(images):
    return np.argmax(model.predict(np.stack(images), batch_size=64), axis=1)
```

## When it is wrong

A loop over batches loses less: where the loop's own element is passed unchanged, it is a hint, since that may be a
batch. The overhead does not matter for large inputs. Where inputs arrive one by one (a game, a camera, a decoder that
needs its last output), call the model itself, `model(x, training=False)`, perhaps in a `tf.function`.

## References

- Keras documentation, `Model.predict`: for small inputs and inside loops call the model directly
- DLPerf, posts 55409283, 61516819, 66441843
)"},
    .calls = "KerasModel.predict KerasModel.evaluate",
    .on_call = check};

} // namespace deepperf::rules::predict_in_loop
