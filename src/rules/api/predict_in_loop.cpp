#include "base/symbol_list.h"
#include "model/bind.h"
#include "model/variance.h"
#include "python/children.h"
#include "rules/origins.h"
#include "rules/processes.h"
#include "rules/reach.h"
#include "rules/repetition.h"
#include "rules/site.h"
#include "rules/thin.h"
#include "rules/tree.h"

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
  return root == nullptr || contains(loop.assigned, root->id) ||
         (attribute != nullptr && contains(loop.attributes, attribute->attr));
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

// `for state, action, … in random.sample(memory, n)`: a batch that is at hand as a whole.
bool goes_over_sample(const Site &site, const model::Loop &loop) {
  const Expr *over = iterated_by(site, loop);
  bool is_sample = false;
  bool is_other = over == nullptr || site.function == nullptr;
  if (!is_other) {
    visit_origins(site, *site.function, over, [&](const Origin &origin) {
      if (origin.parameter_of != nullptr) {
        return Onward::Through;
      }
      const auto *call = as<Call>(origin.expr);
      const std::string_view api =
          call != nullptr ? called_api(site_of_origin(site, *origin.function), *call) : std::string_view{};
      const bool is_meant = (api == "random.sample" || api == "random.choices") && origin.path.empty();
      (is_meant ? is_sample : is_other) = true;
      return Onward::Stop;
    });
  }
  return is_sample && !is_other;
}

// `for state, action, reward, following, done in batch:` with a prediction and a training for each: the same of a batch
// that was drawn elsewhere.
bool goes_over_transitions(const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  const auto *parts = statement != nullptr ? as<Tuple>(statement->target) : nullptr;
  return parts != nullptr && parts->elts.size() >= 4 && calls_method(loop.node, "predict") &&
         (calls_method(loop.node, "fit") || calls_method(loop.node, "train_on_batch"));
}

// Something that the loop's own variables give, and nothing that the loop has computed before.
bool is_element(const model::Loop &loop, const Expr *input) {
  const Expr *const target = element_target(loop);
  const Name *root = model::root_name(input);
  return target != nullptr && root != nullptr && mentions(target, root->id);
}

constexpr std::string_view kSizes[] = {"target_size",   ".resize(",       "resize(",
                                       "pad_sequences", "reshape(1, -1)", "load_img("};

// The size that all inputs are given: without one, they may differ in shape, and then one call cannot take them all.
bool has_common_shape(const Site &site, const model::Loop &loop) {
  const Expr *over = iterated_by(site, loop);
  if (over != nullptr && model::kind_of(over) == Kind::NumpyArray) {
    return true; // its rows
  }
  return node_has_word(site, *loop.node, kSizes) || reaches_word(site, *loop.node, kSizes);
}

// Does anything in the loop come from outside while it runs, as with a camera, an environment or a user?
bool is_interactive(const Site &site, const model::Loop &loop) {
  static constexpr std::string_view kWords[] = {".step(",  "VideoCapture", ".read()", "input(",
                                                "waitKey", "accept(",      "sleep(",  "socket"};
  return loop.node->kind == NodeKind::While || node_has_word(site, *loop.node, kWords);
}

// Is what it predicts needed for the next input: a sequence that grows, a state that moves on?
bool feeds_back(const Site &site, const model::Loop &loop, const Expr *input) {
  const Name *root = model::root_name(input);
  static constexpr std::string_view kWords[] = {"append(", "roll(", "concatenate", "hstack"};
  const auto *statement = as<For>(loop.node);
  const auto *range = statement != nullptr ? as<Call>(statement->iter) : nullptr;
  const bool counts = range != nullptr && called_api(site, *range) == "range";
  return counts && (root == nullptr || node_has_word(site, *loop.node, kWords)) && !is_row_of_array(site, loop, input);
}

void check_sample(Site &site, const Call &call, const model::Loop &loop) {
  const std::string_view method = called_method(call);
  Finding &finding = report(
      site, call, fmt::format("`{}()` runs once for each element, although the whole batch is available", method),
      "stack the states of the batch, predict them in one call, and train on all of them with one `train_on_batch`");
  finding.severity = Severity::Advice;
  add_note(finding, site, *loop.node, "in every iteration of this loop");
  finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 5);
}

// Each loop over a sample is reported once, however often it predicts.
struct ReportedLoop {
  mutable bool is_reported = false;
};

// A function that prepares and predicts one example, and that a loop calls with each of its elements.
void check_function_of_one(Site &site, const Call &call, const Expr *input) {
  const std::string_view method = called_method(call);
  if (method != "predict" || site.module->is_test) {
    return;
  }
  const Repetition repetition = repetition_of(site);
  if (repetition.through_calls() && !is_batch_of_one(site, input)) {
    const Expr *const passed = passed_in_loop(site, repetition, input);
    if (passed == nullptr || !is_batch_of_one(site_of(site, *repetition.calls.back()->call), passed)) {
      return;
    }
  } else if (!is_batch_of_one(site, input)) {
    return;
  }
  if (!repetition.through_calls() || !stays_same(site, repetition, receiver_of(call)) ||
      stays_same(site, repetition, input)) {
    return;
  }
  const Site caller = site_of(site, *repetition.calls.back()->call);
  const model::Loop &loop = *repetition.loop;
  if (loop.steps || calls_method(loop.node, "fit") || calls_method(loop.node, "compile")) {
    return;
  }
  Finding &finding = report(
      site, call, "`predict()` sets up a data pipeline and callbacks for a single example, in every call",
      fmt::format("predict all inputs in one call, or call `{}(…, training=False)` where inputs arrive one by one",
                  text_of(site, receiver_of(call))));
  add_note(finding, site, repetition);
  const Expr *const given =
      repetition.calls.back()->call->args.empty() ? nullptr : repetition.calls.back()->call->args[0];
  const bool has_size = has_common_shape(caller, loop) || node_has_word(site, *site.function->node, kSizes);
  if (given == nullptr || !is_element(loop, given) || !has_size || is_interactive(caller, loop)) {
    finding.tier = Tier::Hint;
  }
}

// ---- One state after the other, from an environment -----------------------------------------------------------------

// `state, reward, done, info = env.step(action)` of the loop itself, not of loops inside it.
bool acts_on_environment(const Node *node) {
  if (const auto *assignment = as<Assign>(node)) {
    const auto *parts = assignment->targets.size() == 1 ? as<Tuple>(assignment->targets[0]) : nullptr;
    const auto *call = as<Call>(run_by(assignment->value));
    return parts != nullptr && (parts->elts.size() == 4 || parts->elts.size() == 5) && call != nullptr &&
           called_method(*call) == "step" && !call->args.empty();
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) {
    const bool is_other = child->kind == NodeKind::For || child->kind == NodeKind::While ||
                          child->kind == NodeKind::FunctionDef || child->kind == NodeKind::Lambda;
    found = found || (!is_other && acts_on_environment(child));
  });
  return found;
}

// Does the place run in every iteration, or in all but those that chance chooses (`if random.random() < epsilon`)?
bool runs_but_for_chance(const Site &site, const model::Loop *loop) {
  for (auto node = site.ancestors.rbegin(); node != site.ancestors.rend(); ++node) {
    const NodeKind kind = (*node)->kind;
    if ((loop != nullptr && *node == loop->node) || kind == NodeKind::FunctionDef || kind == NodeKind::Lambda) {
      break;
    }
    const auto *branch = as<If>(*node);
    const auto *choice = as<IfExp>(*node);
    const Expr *const test = branch != nullptr ? branch->test : choice != nullptr ? choice->test : nullptr;
    const bool is_chance = test != nullptr && any_node(static_cast<const Node *>(test), [](const Node *part) {
                             const auto *call = as<Call>(part);
                             const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
                             return name == "random" || name == "rand" || name == "uniform" || name == "random_sample";
                           });
    if ((test != nullptr && !is_chance) || kind == NodeKind::ExceptHandler) {
      return false;
    }
  }
  return true;
}

// The loop that acts on an environment once for each time that the place predicts a single state; null if there is
// none. `through` is the call in that loop, if the place is in a function that it calls.
const model::Loop *environment_loop(const Site &site, const Expr *input, const model::CallSite **through) {
  if (const model::Loop *const loop = loop_around(site)) {
    return acts_on_environment(loop->node) && is_batch_of_one(site, input) && runs_but_for_chance(site, loop) ? loop
                                                                                                              : nullptr;
  }
  if (site.function == nullptr || site.function->definition() == nullptr || !runs_but_for_chance(site, nullptr)) {
    return nullptr;
  }
  for (const model::CallSite *caller : site.function->called_by) {
    if (caller->loop == nullptr || caller->once || caller->behind_guard || caller->caller->module->is_test ||
        !acts_on_environment(caller->loop->node)) {
      continue;
    }
    const Site there = site_at(site, *caller);
    const auto *name = as<Name>(input);
    const auto &params = site.function->params;
    const auto param =
        std::ranges::find_if(params, [name](const Param *one) { return name != nullptr && one->name == name->id; });
    const Expr *const passed =
        param != params.end() ? model::passed_argument(*caller, static_cast<u32>(param - params.begin())) : nullptr;
    if (runs_but_for_chance(there, caller->loop) &&
        (is_batch_of_one(site, input) || (passed != nullptr && is_batch_of_one(there, passed)))) {
      *through = caller;
      return caller->loop;
    }
  }
  return nullptr;
}

bool check_environment(Site &site, const Call &call, const Expr *input) {
  if (called_method(call) != "predict" || site.module->is_test) {
    return false;
  }
  const model::CallSite *through = nullptr;
  const model::Loop *const loop = environment_loop(site, input, &through);
  if (loop == nullptr || (through == nullptr && binds(*loop, receiver_of(call)))) {
    return false;
  }
  Finding &finding =
      report(site, call,
             "`predict()` sets up a data pipeline and callbacks for a single state, in every step of the environment",
             fmt::format("call the model itself: `{}(…, training=False)`", text_of(site, receiver_of(call))));
  if (through != nullptr) {
    finding.notes.push_back(
        {through->caller->module->file, through->call->span(), "called here, in every step of the environment"});
  } else {
    add_note(finding, site, *loop->node, "the loop");
    finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 5);
  }
  return true;
}

void check(Site &site, const Call &call) {
  const Expr *input = argument(call, 0, "x");
  const model::Loop *loop = loop_around(site);
  if (input != nullptr && !is_traced(site) && !has_hidden_arguments(call) && check_environment(site, call, input)) {
    return;
  }
  if (input != nullptr && loop == nullptr && !is_traced(site) && !has_hidden_arguments(call)) {
    check_function_of_one(site, call, input);
    return;
  }
  if (input == nullptr || loop == nullptr || loop->few_iterations || is_traced(site) || has_hidden_arguments(call)) {
    return;
  }
  if ((goes_over_sample(site, *loop) || goes_over_transitions(*loop)) && !binds(*loop, receiver_of(call)) &&
      is_element(*loop, input)) {
    const ReportedLoop &known = site.memory.recall<ReportedLoop>(loop, [] { return ReportedLoop{}; });
    if (!known.is_reported) {
      known.is_reported = true;
      check_sample(site, call, *loop);
    }
    return;
  }
  if (called_method(call).starts_with("fit") || called_method(call) == "train_on_batch") {
    return;
  }
  // The loop is over models, folds or epochs where it makes or trains the model in each iteration.
  if (binds(*loop, receiver_of(call)) || !model::varies(site.project, *loop, input) ||
      calls_method(loop->node, "fit") || calls_method(loop->node, "compile") || !runs_every_iteration(site, *loop)) {
    return;
  }
  if (const Kind kind = model::kind_of(input); kind == Kind::Dataset) {
    return; // a whole dataset in each iteration
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
  const bool could_be_one_call = one && has_common_shape(site, *loop) && !is_interactive(site, *loop) &&
                                 !feeds_back(site, *loop, input) && !site.module->is_test;
  finding.severity = Severity::Advice;
  if (!is_row_of_array(site, *loop, input) && !could_be_one_call) {
    finding.tier = Tier::Hint;
  }
  add_note(finding, site, *loop->node, "in every iteration of this loop");
  finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 5);
}

// Each predict() of an Estimator builds the graph, opens a session and restores the checkpoint.
void check_estimator(Site &site, const Call &call) {
  const model::Loop *loop = loop_around(site);
  const Expr *input = argument(call, 0, "input_fn");
  if (loop == nullptr || loop->few_iterations || input == nullptr ||
      keyword_argument(call, "checkpoint_path") != nullptr || binds(*loop, receiver_of(call)) ||
      calls_method(loop->node, "train") || !runs_every_iteration(site, *loop)) {
    return;
  }
  Finding &finding = report(
      site, call, "`predict()` of an Estimator builds the graph and restores the checkpoint again in every iteration",
      "make one `input_fn` for all inputs and iterate over the results of one `predict()`, or export a SavedModel");
  // Checkpoints, folds and the like are few.
  const auto *statement = as<For>(loop->node);
  const bool is_per_item = statement != nullptr && any_node_inside(input, [&](const Node *node) {
                             const auto *name = as<Name>(node);
                             return name != nullptr && mentions(statement->target, name->id);
                           });
  const bool varies = is_per_item || model::varies(site.project, *loop, input);
  finding.tier = statement != nullptr && varies && !site.module->is_test ? finding.tier : Tier::Hint;
  add_note(finding, site, *loop->node, "in every iteration of this loop");
  finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 5);
}

void check_call(Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  if (callee.is(model::Value::Tag::ApiMethod) && callee.receiver().is_kind(Kind::Estimator)) {
    check_estimator(site, call);
  } else {
    check(site, call);
  }
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
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .posts = "55409283_1 55409283_2 61516819 66441843",
             .documentation = R"(## What it finds

`model.predict(x)` or `model.evaluate(x)` of a Keras model in a loop, with another input in each iteration. Also `predict` and `fit` for
each element of `random.sample(memory, n)`, which already is a batch, and `predict` of an Estimator, which builds its graph and restores its
checkpoint in every call.

It is a finding where the inputs are rows of an array, or are all resized to one size, so that one call could take them, and where a loop
asks for the action in a single state before each `env.step(action)`, also through a method such as `agent.act(state)`; else a hint.

## Why it costs

`predict` is designed for whole datasets. Each call wraps its input into a data pipeline, creates an iterator, runs
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
    .calls = "KerasModel.predict KerasModel.evaluate KerasModel.fit KerasModel.train_on_batch "
             "Estimator.predict",
    .on_call = check_call};

} // namespace deepperf::rules::predict_in_loop
