#include "base/symbol_list.h"
#include "model/bind.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::weights_kept_by_reference {

using namespace python;

namespace {

// The `model.state_dict()` that is kept as it is: by itself, as a shallow copy, or as an entry of a dictionary; null
// if it is something else.
const Call *state_kept_in(const Expr *value) {
  if (const auto *entries = as<Dict>(value)) {
    for (const DictItem &item : entries->items) {
      if (item.value != nullptr && item.key != nullptr) {
        if (const Call *state = state_kept_in(item.value)) {
          return state;
        }
      }
    }
    return nullptr;
  }
  const auto *call = as<Call>(value);
  if (call == nullptr) {
    return nullptr;
  }
  if (called_method(*call) == "copy" && call->args.empty()) {
    return state_kept_in(receiver_of(*call));
  }
  if (called_name(*call) == "dict" && call->args.size() == 1) {
    return state_kept_in(call->args[0]);
  }
  return called_method(*call) == "state_dict" && call->args.empty() ? call : nullptr;
}

bool is_model(const Site &site, const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  if (kind == Kind::TorchModule || kind == Kind::HfModel) {
    return true;
  }
  const std::string_view text = text_of(site, expr);
  return kind == Kind::Unknown && (text.ends_with("model") || text.ends_with("net") || text.ends_with("network"));
}

// Does the loop bind what the model is written as, so that each iteration has another one?
bool binds_model(const model::Loop &loop, const Expr *model) {
  while (model->kind == NodeKind::Attribute) {
    const auto *attribute = static_cast<const Attribute *>(model);
    if (contains(loop.attributes, attribute->attr)) {
      return true;
    }
    model = attribute->value;
  }
  const auto *name = as<Name>(model);
  return name == nullptr || contains(loop.assigned, name->id);
}

// The outermost loop around the place that trains the model on after the weights were kept; null if there is none.
const model::Loop *training_loop(const Site &site, const Expr *model) {
  const model::Loop *found = nullptr;
  for (const model::Loop *loop = loop_around(site); loop != nullptr; loop = loop->parent) {
    if (loop->trains && !loop->few_iterations && !binds_model(*loop, model)) {
      found = loop;
    }
  }
  return found;
}

bool is_left_at_end(const Block &block) {
  return !block.empty() && (block.back()->kind == NodeKind::Break || block.back()->kind == NodeKind::Return);
}

// Is the loop left right after the weights were kept?
bool is_left(const Site &site, const model::Loop &loop) {
  for (std::size_t i = site.ancestors.size(); i-- > 0 && site.ancestors[i] != loop.node;) {
    const auto *branch = as<If>(site.ancestors[i]);
    if (branch != nullptr && (is_left_at_end(branch->body) || is_left_at_end(branch->orelse))) {
      return true;
    }
  }
  return false;
}

// How the name, or the attribute of self, is used in the function.
struct KeptUse {
  const Node *restored = nullptr; // load_state_dict(x), torch.save(x, …), return x
  bool is_copied = false;         // something else is put there, or it is changed: nobody knows
};

bool is_kept(const Node *node, const Expr *target) {
  if (const auto *name = as<Name>(target)) {
    const auto *other = as<Name>(node);
    return other != nullptr && other->id == name->id;
  }
  const auto *attribute = static_cast<const Attribute *>(target);
  const auto *other = as<Attribute>(node);
  return other != nullptr && other->attr == attribute->attr && other->value->kind == NodeKind::Name &&
         attribute->value->kind == NodeKind::Name &&
         static_cast<const Name *>(other->value)->id == static_cast<const Name *>(attribute->value)->id;
}

// `x` or `x["model"]`
bool holds_kept(const Expr *expr, const Expr *target) {
  const auto *element = as<Subscript>(expr);
  return is_kept(element != nullptr ? element->value : expr, target);
}

void look(const Site &site, const Node *node, const Expr *target, u32 from, KeptUse &use) {
  if (const auto *assignment = as<Assign>(node)) {
    for (const Expr *one : assignment->targets) {
      if (is_kept(one, target) && state_kept_in(assignment->value) == nullptr && !is_none(assignment->value) &&
          assignment->value->kind != NodeKind::Dict) {
        use.is_copied = true;
      }
    }
  }
  const auto *call = as<Call>(node);
  const auto *result = as<Return>(node);
  if (node->start >= from && use.restored == nullptr) {
    if (call != nullptr && !call->args.empty() && holds_kept(call->args[0], target) &&
        (called_method(*call) == "load_state_dict" || called_api(site, *call) == "torch.save")) {
      use.restored = node;
    }
    if (result != nullptr && result->value != nullptr && is_kept(result->value, target)) {
      use.restored = node;
    }
  }
  if (node->kind == NodeKind::ClassDef) {
    return;
  }
  for_each_child(node, [&](const Node *child) { look(site, child, target, from, use); });
}

void report_kept(Site &site, const Assign &assignment, const Call &state, const Node &restored, const Node &loop,
                 bool is_sure) {
  const std::string_view target = text_of(site, assignment.targets[0]);
  Finding &finding =
      report(site, state, fmt::format("`{}` refers to the live weights, so further training changes it", target),
             fmt::format("copy them: `copy.deepcopy({})`", text_of(site, &state)));
  add_note(finding, site, loop, "this loop keeps training the model");
  add_note(finding, site, restored, "this uses the last weights, not the best ones");
  if (!is_sure) {
    finding.tier = Tier::Hint;
  }
}

// `self.best = model.state_dict()` under a test in a method that a loop calls, as in a class that stops early, where
// somebody loads or saves that attribute.
void check_method(Site &site, const Assign &assignment, const Call &state) {
  const auto *target = as<Attribute>(assignment.targets[0]);
  if (target == nullptr || !model::is_own_object(*site.function, target->value) || !site.function->in_loop ||
      enclosing(site, NodeKind::If) == nullptr || !project_has_word(site, {"load_state_dict(", "torch.save("})) {
    return;
  }
  const std::string read = fmt::format(".{})", target->attr.text());
  if (!project_has_word(site, {read})) {
    return;
  }
  const auto trains = [](const model::CallSite *caller) {
    for (const model::Loop *loop = caller->loop; loop != nullptr; loop = loop->parent) {
      if (loop->trains) {
        return true;
      }
    }
    return false;
  };
  if (std::ranges::none_of(site.function->called_by, trains)) {
    return;
  }
  report(site, state,
         fmt::format("`{}` refers to the live weights, so further training changes it", text_of(site, target)),
         fmt::format("copy them: `copy.deepcopy({})`", text_of(site, &state)));
}

// `best = model.state_dict()` in some iterations of a training loop, and used after it.
void check(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const Call *state = assignment.targets.size() == 1 ? state_kept_in(assignment.value) : nullptr;
  if (state == nullptr || site.function == nullptr || !is_model(site, receiver_of(*state))) {
    return;
  }
  const Expr *target = assignment.targets[0];
  if (target->kind != NodeKind::Name && target->kind != NodeKind::Attribute) {
    return;
  }
  if (loop_around(site) == nullptr) {
    return check_method(site, assignment, *state);
  }
  const model::Loop *loop = training_loop(site, receiver_of(*state));
  if (loop == nullptr || runs_every_iteration(site, *loop) || is_left(site, *loop)) {
    return; // kept in every iteration, it is what the last one leaves
  }
  const FunctionDef *definition = site.function->definition();
  KeptUse use;
  if (definition != nullptr) {
    look(site, definition, target, loop->node->end, use);
  } else {
    for (const Stmt *statement : site.module->parsed->tree.body) {
      look(site, statement, target, loop->node->end, use);
    }
  }
  if (use.restored != nullptr && !use.is_copied) {
    report_kept(site, assignment, *state, *use.restored, *loop->node,
                model::kind_of(receiver_of(*state)) != Kind::Unknown);
  }
}

} // namespace

extern constinit const Rule kWeightsKeptByReference = {
    .info = {.code = "DP871",
             .name = "weights-kept-by-reference",
             .summary = "the best weights kept as `state_dict()` without a copy while training continues",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`best = model.state_dict()` in some iterations of a loop that trains the model, where `best` is loaded, saved or returned after the loop. A
shallow copy (`.copy()`, `dict(…)`) and an entry of a dictionary count too, and so does an attribute of an early-stopping class.

## Why it is wrong

`state_dict()` does not copy: its tensors are the weights, and the optimizer changes them in place. After the loop `best` holds the last
weights, not those of the best epoch.

## Bad

```python
import torch


def train(loader, test, epochs):
    model = torch.nn.Linear(8, 2)
    optimizer = torch.optim.Adam(model.parameters())
    best, best_weights = 0.0, None
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        accuracy = test(model)
        if accuracy > best:
            best = accuracy
            best_weights = model.state_dict()
    model.load_state_dict(best_weights)
    return model
```

## Good

```python
import copy

import torch


def train(loader, test, epochs):
    model = torch.nn.Linear(8, 2)
    optimizer = torch.optim.Adam(model.parameters())
    best, best_weights = 0.0, None
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        accuracy = test(model)
        if accuracy > best:
            best = accuracy
            best_weights = copy.deepcopy(model.state_dict())
    model.load_state_dict(best_weights)
    return model
```

## When it is wrong

Where nothing trains the model between the place that keeps the weights and the place that uses them.

## References

- PyTorch tutorials: saving and loading models
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::weights_kept_by_reference
