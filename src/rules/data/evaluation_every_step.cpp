#include "base/symbol_list.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::evaluation_every_step {

using namespace python;

namespace {

// A function of the project whose own loop goes over batches of data and trains nothing.
const model::Loop *evaluating_loop(const model::FunctionInfo &function) {
  const auto found = std::ranges::find_if(
      function.loops, [](const model::Loop *loop) { return loop->evaluates && loop->parent == nullptr; });
  return found != function.loops.end() && !function.trains ? *found : nullptr;
}

// A method of a Keras callback that runs after every batch.
bool is_batch_hook(const model::FunctionInfo &function) {
  const std::string_view name = function.name ? function.name.text() : std::string_view{};
  const bool is_hook = name == "on_train_batch_end" || name == "on_batch_end" || name == "on_train_batch_begin" ||
                       name == "on_batch_begin";
  return is_hook && function.type != nullptr &&
         std::ranges::any_of(function.type->mro, [](const model::ClassInfo *type) {
           return std::ranges::any_of(type->bases, [](const model::Value &base) {
             return base.is(model::Value::Tag::Api) && base.name().text() == "tensorflow.keras.callbacks.Callback";
           });
         });
}

// Does the call stand in an `if`, or after one that leaves the function?
bool runs_under_condition(const Block &body, const Call &call) {
  return any_node(body, [&](const Node *node) {
    const auto *branch = as<If>(node);
    return branch != nullptr &&
           (contains(branch, &call) || (branch->end < call.start && any_node(branch->body, [](const Node *part) {
                                          return part->kind == NodeKind::Return;
                                        })));
  });
}

// The hook itself, or one that calls the method in which the place stands whatever the batch: not `if batch % 100`.
const model::FunctionInfo *batch_hook_of(const model::FunctionInfo *function, u32 depth = 0) {
  constexpr u32 kMostCalls = 3;
  if (function == nullptr || is_batch_hook(*function)) {
    return function;
  }
  for (const model::CallSite *site : depth < kMostCalls ? function->called_by : decltype(function->called_by){}) {
    const FunctionDef *const caller = site->caller->definition();
    const bool is_conditional = caller == nullptr || site->conditional || site->once || site->behind_guard ||
                                site->caller->type == nullptr || runs_under_condition(caller->body, *site->call);
    if (const model::FunctionInfo *hook = is_conditional ? nullptr : batch_hook_of(site->caller, depth + 1)) {
      return hook;
    }
  }
  return nullptr;
}

// `self.model.predict(self.x_val)` in a callback.
void check_callback(Site &site, const Call &call) {
  const std::string_view method = called_method(call);
  const auto *model = as<Attribute>(receiver_of(call));
  if ((method != "predict" && method != "evaluate") || model == nullptr || model->attr.text() != "model" ||
      enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const model::FunctionInfo *const hook = batch_hook_of(site.function);
  const FunctionDef *const around = site.function != nullptr ? site.function->definition() : nullptr;
  if (hook == nullptr || around == nullptr || runs_under_condition(around->body, call)) {
    return;
  }
  Finding &finding = report(site, call, fmt::format("`{}` runs after every training step", text_of(site, call.func)),
                            "do it in `on_epoch_end`, or every few hundred batches: `if batch % 500 == 0:`");
  finding.notes.push_back({hook->module->file, hook->node->span(), "Keras calls this for every batch"});
  finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 3);
}

// `self.trainer.evaluate()` in a hook of every step, and `model.generate(**examples)` of the same examples in a
// training loop.
void check_hook(Site &site, const Call &call) {
  const std::string_view method = called_method(call);
  if (method == "evaluate" && site.function != nullptr && site.function->name &&
      site.function->name.text() == "on_step_end" && context_of(site).in_training_step &&
      enclosing(site, NodeKind::If) == nullptr) {
    report(site, call, fmt::format("`{}` runs after every training step", text_of(site, call.func)),
           "set `eval_strategy` and `eval_steps`, or do it in `on_epoch_end`");
    return;
  }
  const model::Loop *const loop = method == "generate" ? loop_around(site) : nullptr;
  if (loop == nullptr || !loop->steps || loop->few_iterations || !runs_every_iteration(site, *loop) ||
      model::kind_of(receiver_of(call)) != Kind::HfModel) {
    return;
  }
  const auto changes = [loop](const Node *part) {
    const auto *name = as<Name>(part);
    return name != nullptr && contains(loop->assigned, name->id);
  };
  const bool is_same =
      std::ranges::none_of(call.args, [&](const Expr *given) { return any_node(given, changes); }) &&
      std::ranges::none_of(call.keywords, [&](const Keyword *given) { return any_node(given->value, changes); });
  if (is_same && (!call.args.empty() || !call.keywords.empty())) {
    Finding &finding = report(site, call, "the model generates for the same examples after every training step",
                              "do it once per epoch, or every few hundred steps: `if step % 500 == 0:`");
    add_note(finding, site, *loop->node, "in every iteration of this loop");
  }
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (site.module->torch && !site.module->is_test) {
    check_hook(site, call);
  }
  if (site.module->tensorflow && !site.module->is_test) {
    check_callback(site, call);
  }
  const model::FunctionInfo *callee = called_function(site, call);
  if (callee == nullptr || callee == site.function || site.module->is_test) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  if (loop == nullptr || !loop->steps || !goes_over_data(site, *loop) || !runs_every_iteration(site, *loop)) {
    return;
  }
  const model::Loop *evaluation = evaluating_loop(*callee);
  if (evaluation == nullptr || !as<For>(evaluation->node)) {
    return;
  }
  // What it goes over must be a whole data set, not the batch of this step.
  const Site inside = {.project = site.project,
                       .findings = site.findings,
                       .memory = site.memory,
                       .rule = site.rule,
                       .module = callee->module,
                       .function = callee};
  if (!goes_over_data(inside, *evaluation)) {
    return;
  }
  Finding &finding = report(
      site, call, fmt::format("`{}` goes over a whole data set after every training step", text_of(site, call.func)),
      "evaluate once per epoch, or every few hundred steps: `if step % 500 == 0:`");
  add_note(finding, site, *loop->node, "in every iteration of this loop");
}

} // namespace

extern constinit const Rule kEvaluationEveryStep = {
    .info = {.code = "DP422",
             .name = "evaluation-every-step",
             .summary = "a whole data set that is evaluated after every training step",
             .root_cause = "Model: Improper Hyper Parameter",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A call in the loop over training batches, in every iteration, of a function that goes over a DataLoader and trains nothing. Also
`self.model.predict` or `evaluate` in a Keras callback's `on_train_batch_end`.

## Why it costs

Each training step costs one batch, and each evaluation costs all batches of the data set.

## Bad

```python
import torch
from torch.utils.data import DataLoader


def validate(model, loader: DataLoader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(1) == y).sum().item()
    model.train()
    return correct


def train(model: torch.nn.Module, optimizer, criterion, train_loader: DataLoader, val_loader: DataLoader):
    for x, y in train_loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        validate(model, val_loader)
```

## Good

```python
import torch
from torch.utils.data import DataLoader


def validate(model, loader: DataLoader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(1) == y).sum().item()
    model.train()
    return correct


def train(model: torch.nn.Module, optimizer, criterion, train_loader: DataLoader, val_loader: DataLoader):
    for x, y in train_loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    validate(model, val_loader)
```

## When it is wrong

Where a study needs the curve of every step.

## References

- PyTorch tutorial on the optimization loop
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::evaluation_every_step
