#include "rules/assignments.h"
#include "rules/encoding.h"
#include "rules/loss_call.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/step_order.h"
#include "rules/thin.h"
#include "rules/traced.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::accumulation_not_averaged {

using namespace python;

namespace {

bool is_step(const Call &call) {
  const Expr *receiver = receiver_of(call);
  const Kind kind = receiver != nullptr ? model::kind_of(receiver) : Kind::Unknown;
  return called_method(call) == "step" && (kind == Kind::TorchOptimizer || kind == Kind::GradScaler);
}

// Is anything in the loop divided, so that it may be the loss? Doubt means silence.
bool is_division(const Node *node) {
  const auto *operation = as<BinOp>(node);
  const auto *augmented = as<AugAssign>(node);
  const auto *call = as<Call>(node);
  return (operation != nullptr && operation->op() == Operator::Div) ||
         (augmented != nullptr && (augmented->op() == Operator::Div || augmented->op() == Operator::Mult)) ||
         (call != nullptr && (called_name(*call) == "div" || called_name(*call) == "div_"));
}

bool divides(const Node *loop) { return any_node(loop, is_division); }

// The innermost `if` between the loop and the place; null if the place runs in every iteration.
const If *test_around(const Site &site, const model::Loop &loop) {
  for (std::size_t i = site.ancestors.size(); i-- > 0 && site.ancestors[i] != loop.node;) {
    if (const auto *branch = as<If>(site.ancestors[i])) {
      return branch;
    }
  }
  return nullptr;
}

// Is it the result of a loss of PyTorch that averages over the batch? `reduction` in the loop was looked at before.
bool is_mean(const Site &site, const Expr *loss, u32 depth = 0) {
  const auto *name = as<Name>(loss);
  const Expr *const value = name == nullptr ? loss
                            : depth == 0    ? last_assigned(site, *name)
                                            : assigned_before(site, name->id, name->start);
  if (value == nullptr && name != nullptr) { // a parameter is what the caller passes for it
    const std::optional<Traced> given = step_back(traced_from(site, name));
    constexpr u32 kMostCallers = 3;
    return given.has_value() && given->function != site.function && depth < kMostCallers &&
           is_mean(given->site(), given->expr, depth + 1);
  }
  if (const auto *sum = as<BinOp>(value)) { // loss + 0.4 * auxiliary
    constexpr u32 kMostTerms = 5;
    const auto is_number = [](const Expr *part) { // also a setting: `aux_weight * auxiliary`
      return part->kind == NodeKind::Constant || ((part->kind == NodeKind::Name || part->kind == NodeKind::Attribute ||
                                                   part->kind == NodeKind::Subscript) &&
                                                  model::kind_of(part) != Kind::TorchTensor);
    };
    if (depth >= kMostTerms) {
      return false;
    }
    if (sum->op() == Operator::Add) {
      return is_mean(site, sum->left, depth + 1) && is_mean(site, sum->right, depth + 1);
    }
    return sum->op() == Operator::Mult && ((is_number(sum->left) && is_mean(site, sum->right, depth + 1)) ||
                                           (is_number(sum->right) && is_mean(site, sum->left, depth + 1)));
  }
  const auto *call = as<Call>(value);
  if (call == nullptr) {
    const auto *attribute = as<Attribute>(value); // model(…).loss
    return attribute != nullptr && model::kind_of(attribute->value) == Kind::HfOutput &&
           attribute->attr.text() == "loss";
  }
  // A function of the project that returns one.
  const model::FunctionInfo *const function = called_function(site, *call);
  const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
  if (definition != nullptr && depth < 3) {
    Site there = site_of(site, *call);
    there.function = function;
    there.module = function->module;
    there.ancestors = {definition};
    u32 means = 0;
    const bool has_other = any_node(definition->body, [&](const Node *node) {
      const auto *result = as<Return>(node);
      const bool is_one = result != nullptr && result->value != nullptr && is_mean(there, result->value, depth + 1);
      means += is_one ? 1 : 0;
      return result != nullptr && !is_one;
    });
    return means != 0 && !has_other;
  }
  std::string_view api;
  if (const Call *maker = maker_of_callee(site, *call, &api)) {
    return api.starts_with("torch.nn.") && api.ends_with("Loss") && maker->keywords.empty();
  }
  return is_loss_function(called_api(site, *call));
}

void add_finding(Site &site, const Site &there, const Call &backward, const Expr &modulus, const Site &tested,
                 const If &test) {
  Finding &finding =
      report(site.findings, *site.rule, *there.module, backward.span(),
             "gradients are accumulated over several batches, but the loss is not divided by their number",
             std::string("divide it before `backward()`: `(loss / ") + std::string(text_of(tested, &modulus)) +
                 ").backward()`");
  finding.notes.push_back({tested.module->file, test.test->span(), "the optimizer steps only here"});
  if (!is_mean(there, receiver_of(backward))) {
    finding.tier = Tier::Hint; // a sum over the batch is meant to be summed
  }
}

// The optimizer steps in a function that the loop calls, under a test of its own.
void check_helpers(Site &site, const Call &call) {
  using What = StepEvent::What;
  const TrainingStep &step = step_around(site, call);
  const model::Loop *const loop = loop_of(site.project, step);
  const PlacedEvent *backward = nullptr;
  const PlacedEvent *update = nullptr;
  for (const PlacedEvent &one : step.events) {
    const bool is_backward = one.event.what == What::Backward || one.event.what == What::ScaledBackward;
    const bool is_update = one.event.what == What::Step || one.event.what == What::ScalerStep;
    if ((is_backward && (backward != nullptr || one.event.test != nullptr)) || (is_update && update != nullptr)) {
      return;
    }
    backward = is_backward ? &one : backward;
    update = is_update ? &one : update;
  }
  if (loop == nullptr || loop->few_iterations || backward == nullptr || update == nullptr ||
      update->event.call != &call || update->event.test == nullptr || backward->event.what != What::Backward) {
    return;
  }
  const Expr *const modulus = counted_by(*update->event.test, *update->tested_in);
  Site tested = site;
  tested.function = update->tested_in;
  tested.module = update->tested_in->module;
  if (modulus == nullptr || integer_of(tested, modulus) == 1 ||
      model::kind_of(receiver_of(*backward->event.call)) != Kind::TorchTensor) {
    return;
  }
  constexpr std::string_view kHandled[] = {"accumulation_steps=", "no_sync", "reduction"};
  const auto is_silent = [&kHandled](const model::FunctionInfo &one) {
    return one.definition() != nullptr &&
           (any_node(one.definition()->body, is_division) || has_word(text_of(one), Words(kHandled)));
  };
  Site there = site;
  there.function = backward->function;
  there.module = backward->function->module;
  there.ancestors = {backward->event.statement};
  if (backward->function->node != nullptr) {
    there.ancestors.insert(there.ancestors.begin(), backward->function->node);
  }
  if (backward->event.loop != nullptr) {
    there.ancestors.insert(there.ancestors.end() - 1, backward->event.loop);
  }
  const std::string_view text = loop->function->module->parsed->source.part(loop->node->start, loop->node->end);
  if (divides(loop->node) || has_word(text, Words(kHandled)) ||
      (backward->function != loop->function && is_silent(*backward->function)) ||
      std::ranges::any_of(reached_functions(*loop->function, *loop->node),
                          [&](const model::FunctionInfo *one) { return is_silent(*one); })) {
    return;
  }
  add_finding(site, there, *backward->event.call, *modulus, tested, *update->event.test);
}

// ---- for _ in range(accumulation): …backward(); optimizer.step() ----------------------------------------------------

// Is the loss divided or scaled, where it is computed or where backward() is called? Also in a function that gives it.
bool is_scaled(const Site &site, const Block &body, const Expr *loss, u32 depth) {
  const auto scales = [](const Node *node) {
    const auto *operation = as<BinOp>(node);
    return is_division(node) || (operation != nullptr && operation->op() == Operator::Mult);
  };
  if (any_node(loss, scales)) {
    return true;
  }
  const auto *name = as<Name>(loss);
  constexpr u32 kMostDepth = 3;
  if (depth == kMostDepth) {
    return true;
  }
  return any_node(body, [&](const Node *node) {
    const auto *change = as<AugAssign>(node);
    const auto *changed = change != nullptr ? as<Name>(change->target) : nullptr;
    if (changed != nullptr && name != nullptr && changed->id == name->id) {
      return true;
    }
    const auto *assignment = as<Assign>(node);
    if (assignment == nullptr || name == nullptr || !mentions(assignment->targets[0], name->id)) {
      return false;
    }
    if (any_node(assignment->value, scales)) {
      return true;
    }
    const auto *call = as<Call>(run_by(assignment->value));
    const model::FunctionInfo *const function = call != nullptr ? called_function(site, *call) : nullptr;
    return function != nullptr && function->definition() != nullptr &&
           any_node(function->definition()->body, is_division);
  });
}

// How a loop goes over the parts of a batch, or over the batches of one step; null if it is something else.
const Expr *parts_of(const Site &site, const For &loop) {
  const auto *call = as<Call>(loop.iter);
  while (call != nullptr && !call->args.empty() && (called_name(*call) == "enumerate" || called_name(*call) == "zip")) {
    call = as<Call>(call->args[0]);
  }
  if (call == nullptr) {
    return nullptr;
  }
  const std::string_view name = called_name(*call);
  if (name == "range") {
    return call->args.size() == 1 ? call->args[0] : nullptr;
  }
  const bool is_cut = name == "chunk" || name == "split" || name == "tensor_split";
  return is_cut && !call->args.empty() &&
                 (receiver_of(*call) != nullptr || called_api(site, *call).starts_with("torch."))
             ? call->args.back()
             : nullptr;
}

// The loop right before the optimizer's step that calls backward() for several batches.
void check_inner(Site &site, const Call &call) {
  const Node *const statement = site.ancestors.empty() ? nullptr : site.ancestors.back();
  if (statement == nullptr || statement->kind != NodeKind::ExprStmt || site.function == nullptr ||
      site.module->is_test) {
    return;
  }
  const Node *const parent = site.ancestors.size() >= 2 ? site.ancestors[site.ancestors.size() - 2] : nullptr;
  const For *loop = nullptr;
  u32 furthest = 20; // statements back: such a loop stands close to the step
  for (const Node *before = statement_before(site.module->parsed->tree, parent, statement);
       before != nullptr && loop == nullptr && furthest-- > 0;
       before = statement_before(site.module->parsed->tree, parent, before)) {
    loop = as<For>(before);
    const bool is_simple = before->kind == NodeKind::ExprStmt || before->kind == NodeKind::Assign;
    if (loop == nullptr && !is_simple) {
      return;
    }
  }
  const Expr *const count = loop != nullptr ? parts_of(site, *loop) : nullptr;
  // Losses of several tasks, examples or time steps are summed on purpose.
  if (count == nullptr || integer_of(site, count) == 1 ||
      !has_word_in_any_case(text_of(site, loop->iter), {"accum", "micro", "chunk", "split"})) {
    return;
  }
  const Call *backward = nullptr;
  bool has_other = false;
  any_node(loop->body, [&](const Node *node) {
    const auto *one = as<Call>(node);
    const std::string_view method = one != nullptr ? called_method(*one) : std::string_view{};
    if (method == "backward") {
      has_other |= backward != nullptr;
      backward = one;
    }
    has_other |= method == "step" || method == "zero_grad" || node->kind == NodeKind::For;
    return has_other;
  });
  if (backward == nullptr || has_other || !backward->args.empty() || receiver_of(*backward) == nullptr ||
      is_scaled(site, loop->body, receiver_of(*backward), 0) ||
      has_word(text_of(site, loop), {"accumulation_steps=", "no_sync", "reduction", "retain_graph", "accelerator."})) {
    return;
  }
  Site there = site_of(site, *backward);
  there.ancestors = site.ancestors;
  there.ancestors.pop_back();
  there.ancestors.push_back(loop);
  any_node(loop->body, [&](const Node *node) {
    const auto *run = as<ExprStmt>(node);
    if (run != nullptr && run->value == backward) {
      there.ancestors.push_back(run);
    }
    return false;
  });
  Finding &finding = report(
      site, *backward, "gradients are accumulated over several batches, but the loss is not divided by their number",
      std::string("divide it before `backward()`: `(loss / ") + std::string(text_of(site, count)) + ").backward()`");
  finding.notes.push_back({site.module->file, call.span(), "the optimizer steps once for all of them"});
  const auto *name = as<Name>(receiver_of(*backward));
  const auto *output = as<Attribute>(name != nullptr ? assigned_to(there, *name) : receiver_of(*backward));
  const bool is_model_loss = output != nullptr && output->attr.text() == "loss"; // of a model that averages itself
  if (!is_model_loss && !is_mean(there, receiver_of(*backward))) {
    finding.tier = Tier::Hint;
  }
}

void check(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  if (!is_step(call)) {
    return;
  }
  check_inner(site, call);
  if (loop == nullptr) {
    check_helpers(site, call);
    return;
  }
  const If *test = test_around(site, *loop);
  const Expr *modulus = test != nullptr ? counted_by(*test, *site.function) : nullptr;
  if (modulus == nullptr || integer_of(site, modulus) == 1) {
    return;
  }
  // backward() in every iteration of the same loop, of a loss that nobody divides.
  const Call *backward = nullptr;
  any_node(loop->node, [&](const Node *node) {
    const auto *other = as<Call>(node);
    if (backward == nullptr && other != nullptr && called_method(*other) == "backward" &&
        model::kind_of(receiver_of(*other)) == Kind::TorchTensor && !contains(test, other)) {
      backward = other;
    }
    return backward != nullptr;
  });
  // With two optimizers, the one that steps in every iteration uses these gradients.
  const bool steps_always = any_node(loop->node, [&](const Node *node) {
    const auto *other = as<Call>(node);
    return other != nullptr && called_method(*other) == "step" && !contains(test, other);
  });
  if (backward == nullptr || steps_always || divides(loop->node) ||
      has_word(text_of(site, loop->node), {"accumulation_steps=", "no_sync", "reduction"})) {
    return;
  }
  add_finding(site, site, *backward, *modulus, site, *test);
}

} // namespace

extern constinit const Rule kAccumulationNotAveraged = {
    .info = {.code = "DP830",
             .name = "accumulation-not-averaged",
             .summary = "gradient accumulation that sums the gradients of several batches instead of averaging them",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop that calls `backward()` in every iteration and the optimizer's `step()` only in every n-th (`if step % n == 0`), or a loop over n
batches or parts of one with the optimizer's `step()` after it, where the loss is not divided.

## Why it is wrong

`backward()` adds to the gradients. The sum over n batches is n times as large as the gradient of one batch of the combined size, as if the
learning rate were n times larger.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, loss_function):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        loss = loss_function(model(x), y)
        loss.backward()
        if (i + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, loss_function):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        loss = loss_function(model(x), y) / 8
        loss.backward()
        if (i + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## When it is wrong

Where the learning rate was chosen for the sum, or the loss is meant to be a sum. Adam and similar optimizers are nearly independent of the
gradient's scale, but gradient clipping is not.

## References

- PyTorch: automatic mixed precision examples, gradient accumulation
)"},
    .calls = "TorchOptimizer.step GradScaler.step",
    .on_call = check};

} // namespace deepperf::rules::accumulation_not_averaged
