#include "base/symbol_list.h"
#include "rules/assignments.h"
#include "rules/lightning.h"
#include "rules/reach.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include "python/children.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace deepperf::rules::missing_zero_grad {

using namespace python;

namespace {

constexpr std::string_view kClearing[] = {
    "zero_grad",       ".grad = ",   ".grad=",      "grad.data =",    "grad.data=", "grad.zero_",
    "grad.data.zero_", "clear_grad", "grad = None", "autograd.grad(", "set_grad",   "reset_grad"};

// The same in Lightning, where `autograd.grad` is for penalties and `backward()` for the steps.
constexpr std::string_view kClearingByHand[] = {"zero_grad", ".grad = ", ".grad=", "grad.zero_", "grad = None"};

constexpr std::string_view kBackward[] = {".backward(", "manual_backward("};

// Is the optimizer handed to something that we do not see into? It may clear the gradients.
struct HandedAway {
  std::unordered_set<std::string_view> texts; // arguments of calls, as they are written
};

void find_handed_away(const Site &site, const Node *node, HandedAway &handed) {
  const auto *call = as<Call>(node);
  if (call != nullptr && called_function(site, *call) == nullptr && called_method(*call) != "step" &&
      called_method(*call) != "unscale_" && called_method(*call) != "toggle_optimizer" &&
      called_method(*call) != "untoggle_optimizer") {
    for (const Expr *arg : call->args) {
      handed.texts.insert(text_of(site, arg));
    }
    for (const Keyword *keyword : call->keywords) {
      handed.texts.insert(text_of(site, keyword->value));
    }
  }
  for_each_child(node, [&](const Node *child) { find_handed_away(site, child, handed); });
}

bool is_handed_away(const Site &site, const Node *place, std::string_view optimizer) {
  return site.memory
      .recall<HandedAway>(place,
                          [&] {
                            HandedAway handed;
                            find_handed_away(site, place, handed);
                            return handed;
                          })
      .texts.contains(optimizer);
}

// Does anything that calls the function clear the gradients?
bool callers_clear(const Site &site, const model::FunctionInfo &function) {
  return std::ranges::any_of(function.called_by, [&](const model::CallSite *call) {
    Site there = site_of(site, *call->call);
    there.module = call->caller->module;
    return file_has_word(there, kClearing);
  });
}

// What `self.optimizers()` of a LightningModule gives, one or several of them.
bool is_given_by_lightning(const Site &site, const Expr *optimizer) {
  const auto *name = as<Name>(optimizer);
  if (name == nullptr || !leads_from_training_step(site)) {
    return false;
  }
  struct Given {
    std::unordered_set<u32> names;
  };
  const auto find = [&site] {
    Given given;
    any_node(site.function->definition()->body, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      const auto *call = assignment != nullptr ? as<Call>(run_by(assignment->value)) : nullptr;
      const auto *element = assignment != nullptr ? as<Subscript>(assignment->value) : nullptr;
      call = element != nullptr ? as<Call>(element->value) : call;
      if (call != nullptr && called_method(*call) == "optimizers") {
        any_node_inside(assignment->targets[0], [&](const Node *part) {
          if (const auto *one = as<Name>(part)) {
            given.names.insert(one->id.id);
          }
          return false;
        });
      }
      return false;
    });
    return given;
  };
  return site.memory.recall<Given>(site.function->definition(), find).names.contains(name->id.id);
}

bool is_named_optimizer(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  const std::string_view name = dot == std::string_view::npos ? text : text.substr(dot + 1);
  return name.starts_with("optimizer") || name.ends_with("optimizer") || name == "optim";
}

std::string_view indent_of(std::string_view text, u32 place) {
  u32 start = place;
  while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t')) {
    --start;
  }
  return start == 0 || text[start - 1] == '\n' ? text.substr(start, place - start) : std::string_view("?");
}

// What a function clears with zero_grad().
struct Cleared {
  std::vector<const Call *> calls; // in the order of the code
  std::unordered_set<std::string_view> texts;
  bool are_stepped = false; // all of them, by step()
};

Cleared find_cleared(const Site &site) {
  Cleared found;
  std::unordered_set<std::string_view> stepped;
  any_node(body_around(site), [&](const Node *node) {
    const auto *one = as<Call>(node);
    const std::string_view method = one != nullptr ? called_method(*one) : std::string_view{};
    if (method == "step" && one->args.empty()) {
      stepped.insert(text_of(site, receiver_of(*one)));
    } else if (method == "zero_grad") {
      found.texts.insert(text_of(site, receiver_of(*one)));
      found.calls.push_back(one);
    }
    return false;
  });
  std::ranges::stable_sort(found.calls, {}, [](const Call *one) { return one->start; });
  found.are_stepped = std::ranges::all_of(found.texts, [&](std::string_view other) { return stepped.contains(other); });
  return found;
}

// Does the step use gradients that were computed right before, or, of what is an optimizer for certain and no
// scheduler, before other steps and clipping?
bool follows_backward(const Site &site, const Stmt &statement, bool is_certain) {
  const Node *const parent = site.ancestors.size() >= 2 ? site.ancestors[site.ancestors.size() - 2] : nullptr;
  const Stmt *before = statement_before(site.module->parsed->tree, parent, &statement);
  for (; before != nullptr; before = statement_before(site.module->parsed->tree, parent, before)) {
    if (before->kind == NodeKind::Pass) {
      continue;
    }
    const auto *plain = as<ExprStmt>(before);
    const auto *call = plain != nullptr ? as<Call>(plain->value) : nullptr;
    if (call == nullptr) {
      return false;
    }
    if (called_method(*call) == "backward") {
      return true;
    }
    const bool is_step = called_method(*call) == "step" && call->args.empty();
    const bool is_clipping = called_api(site, *call).starts_with("torch.nn.utils.clip_grad_");
    if (!is_certain || (!is_step && !is_clipping)) {
      return false;
    }
  }
  return false;
}

// `self.optimizers["critic"]`: one of a table, by a key that is written down.
bool is_entry(const Expr *optimizer) {
  const auto *entry = as<Subscript>(optimizer);
  return entry != nullptr && entry->slice->kind == NodeKind::Constant &&
         (entry->value->kind == NodeKind::Name || entry->value->kind == NodeKind::Attribute);
}

// What the project clears with zero_grad(), by what made the optimizers.
struct ClearedMakers {
  std::unordered_set<const Call *> makers;
  bool has_others = false; // models, or what is not known: they may have the parameters of any optimizer
};

// The optimizer whose method is called, as the engine knows it at this place.
model::Value owner_of(const Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  return callee.is(model::Value::Tag::ApiMethod) && callee.items != nullptr ? callee.receiver() : model::Value();
}

bool is_cleared_somewhere(const Site &site, const Call &maker) {
  const ClearedMakers &all = site.memory.recall<ClearedMakers>(&site.project, [&] {
    ClearedMakers found;
    for (const model::FunctionInfo &function : site.project.functions) {
      const FunctionDef *const definition = function.definition();
      if (definition == nullptr || !has_word(text_of(function), {"zero_grad"})) {
        continue;
      }
      any_node(definition->body, [&](const Node *node) {
        const auto *call = as<Call>(node);
        if (call == nullptr || called_method(*call) != "zero_grad") {
          return false;
        }
        const model::Value cleared = owner_of(site, *call);
        if (cleared.is_kind(Kind::TorchOptimizer) && cleared.maker() != nullptr && cleared.alternatives == nullptr) {
          found.makers.insert(cleared.maker());
        } else {
          found.has_others = true;
        }
        return false;
      });
    }
    return found;
  });
  return all.has_others || all.makers.contains(&maker);
}

// Of several optimizers in a function, one whose gradients nobody clears, while another one is cleared in its place.
void check_other(Site &site, const Call &call) {
  const Expr *const optimizer = receiver_of(call);
  const auto *statement = !site.ancestors.empty() ? as<ExprStmt>(site.ancestors.back()) : nullptr;
  if (statement == nullptr || !call.args.empty() || !call.keywords.empty() || optimizer == nullptr ||
      (optimizer->kind != NodeKind::Name && optimizer->kind != NodeKind::Attribute && !is_entry(optimizer)) ||
      !site.module->torch ||
      (model::kind_of(optimizer) != Kind::Unknown && model::kind_of(optimizer) != Kind::TorchOptimizer) ||
      site.module->is_test) {
    return;
  }
  if (!follows_backward(site, *statement, model::kind_of(optimizer) == Kind::TorchOptimizer)) {
    return;
  }
  const std::string_view written = text_of(site, optimizer);
  const Cleared &all = site.memory.recall<Cleared>(&body_around(site), [&site] { return find_cleared(site); });
  const auto after = std::ranges::lower_bound(all.calls, call.start, {}, [](const Call *one) { return one->start; });
  const model::Value value = owner_of(site, call);
  const bool is_known =
      value.is_kind(Kind::TorchOptimizer) && value.maker() != nullptr && value.alternatives == nullptr;
  // In a function that runs again and again it does not matter which of them is cleared first.
  const bool is_before = after != all.calls.begin();
  const bool is_implied_by_facts = optimizer->kind == NodeKind::Subscript || !is_before;
  if (all.calls.empty() || !all.are_stepped || all.texts.contains(written) || (!is_before && !site.function->in_loop) ||
      (is_implied_by_facts && (!is_known || is_cleared_somewhere(site, *value.maker())))) {
    return;
  }
  const Call *const cleared = is_before ? *(after - 1) : *after; // the last zero_grad() before it, or the next one
  const std::string elsewhere = fmt::format("{}.zero_grad", written.substr(written.rfind('.') + 1));
  if (project_has_word(site, {elsewhere, ".grad = None", "autograd.grad("})) {
    return;
  }
  Finding &finding = report(
      site, call,
      fmt::format("nothing clears the gradients that `{}` uses, so each step adds to those of all previous steps",
                  written),
      fmt::format("call `{}.zero_grad()` before `backward()`", written));
  add_note(finding, site, *cleared, "this clears the gradients of another optimizer");
}

void check(Site &site, const Call &call) {
  check_other(site, call);
  const Kind kind = model::kind_of(receiver_of(call));
  const bool is_scaled = kind == Kind::GradScaler;
  const Expr *optimizer = is_scaled ? argument(call, 0, "optimizer") : receiver_of(call);
  if (optimizer == nullptr || (optimizer->kind != NodeKind::Name && optimizer->kind != NodeKind::Attribute)) {
    return;
  }
  // A parameter that nobody tells us of is one if it is called so and stepped without arguments.
  const bool is_named = kind == Kind::Unknown && site.module->torch && call.args.empty() && call.keywords.empty() &&
                        is_named_optimizer(text_of(site, optimizer));
  const bool is_lightning =
      !is_scaled && site.function->definition() != nullptr && is_given_by_lightning(site, optimizer);
  if (!is_scaled && kind != Kind::TorchOptimizer && !is_named && !is_lightning) {
    return;
  }
  const model::FunctionInfo &function = *site.function;
  const std::string_view source = site.module->parsed->source.text();
  const Words clearing = is_lightning ? Words(kClearingByHand) : Words(kClearing);
  if (function_has_word(site, clearing) || (site.type != nullptr && node_has_word(site, *site.type->node, clearing))) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  const Node *place = loop != nullptr ? loop->node : function.node;
  if (place == nullptr || !node_has_word(site, *place, kBackward)) {
    return;
  }
  const bool is_called_again = function.in_loop || is_lightning;
  if (loop == nullptr && (!is_called_again || file_has_word(site, clearing) || callers_clear(site, function))) {
    return;
  }
  if (const auto *name = as<Name>(optimizer);
      loop != nullptr && name != nullptr && contains(loop->assigned, name->id)) {
    return; // a new one in each iteration
  }
  const std::string_view written = text_of(site, optimizer);
  if (reaches_word(site, *place, clearing) || is_handed_away(site, place, written)) {
    return;
  }
  Finding &finding =
      report(site, call, "nothing clears the gradients, so each step adds to the gradients of all previous steps",
             fmt::format("call `{}.zero_grad()` in each step, before `backward()`", written));
  const auto *statement = !site.ancestors.empty() ? as<ExprStmt>(site.ancestors.back()) : nullptr;
  if (statement == nullptr || statement->value != &call) {
    return;
  }
  const std::string_view indent = indent_of(source, statement->start);
  const u32 line_end = static_cast<u32>(std::min(source.find('\n', statement->end), source.size()));
  const std::string_view rest = source.substr(statement->end, line_end - statement->end);
  const std::size_t more = rest.find_first_not_of(" \t\r");
  if (indent != "?" && (more == std::string_view::npos || rest[more] == '#')) {
    set_fix(finding, false, {Edit{line_end, line_end, fmt::format("\n{}{}.zero_grad()", indent, written)}});
  }
}

} // namespace

extern constinit const Rule kMissingZeroGrad = {
    .info = {.code = "DP805",
             .name = "missing-zero-grad",
             .summary = "a training loop with `backward()` and `step()` but no `zero_grad()`",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

A loop, or a function called from one, that calls `loss.backward()` and `optimizer.step()`, while neither it nor anything that it calls
clears the gradients. The same in the `training_step` of a LightningModule that optimizes by hand.

## Why it is wrong

`backward()` adds to `.grad`. Without `zero_grad()` each step follows the sum of the gradients of all previous steps: the model diverges or
does not converge, without any error.

## Bad

```python
import torch


def train(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
```

## Good

```python
import torch


def train(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
```

## When it is wrong

Where the gradients are cleared in a place that the rule does not see: a hook, or a custom optimizer that does it in `step()`.

## References

- PyTorch tutorial: optimizing model parameters
- dslinter: gradients-not-cleared-before-backward-propagation
)"},
    .calls = "*.step",
    .on_call = check};

} // namespace deepperf::rules::missing_zero_grad
