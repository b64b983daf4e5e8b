#include "model/bind.h"
#include "model/code_text.h"
#include "rules/assignments.h"
#include "rules/loss_call.h"
#include "rules/optimizer_module.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/traced.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace deepperf::rules::target_with_gradient {

using namespace python;

namespace {

constexpr u32 kMostDepth = 12;

bool is_network(const model::Value &value) {
  return value.is_kind(Kind::TorchModule) ||
         (value.is(model::Value::Tag::Object) && value.type->kind == Kind::TorchModule);
}

// A forward pass of a network, and what is done with its result on the way.
struct ForwardPass {
  Traced place;           // empty expression if there is none
  bool has_best = false;  // the largest of its outputs is taken
  bool is_factor = false; // it is multiplied, as by a discount

  [[nodiscard]] bool is_found() const { return place.expr != nullptr; }
};

// The call of a network in an expression, through names and functions; none if something on the way cuts the graph.
void find_network(const Traced &at, ForwardPass &found, u32 depth = 0) {
  if (depth > kMostDepth || at.expr == nullptr) {
    return;
  }
  if (const auto *both = as<BinOp>(at.expr)) {
    ForwardPass side;
    find_network(at.at(both->left), side, depth + 1);
    if (!side.is_found()) {
      find_network(at.at(both->right), side, depth + 1);
    }
    if (side.is_found()) {
      found = side;
      found.is_factor = found.is_factor || both->op() == Operator::Mult;
    }
    return;
  }
  if (const auto *element = as<Subscript>(at.expr)) {
    return find_network(at.at(element->value), found, depth + 1);
  }
  if (const auto *attribute = as<Attribute>(at.expr)) {
    return attribute->attr.text() == "values" ? find_network(at.at(attribute->value), found, depth + 1) : void();
  }
  const auto *call = as<Call>(at.expr);
  if (call != nullptr && is_network(value_of(at.site(), call->func))) {
    if (model::has_grad(call)) {
      found.place = at;
    }
    return;
  }
  if (const std::optional<Traced> before = step_back(at)) {
    // What the function runs without gradients has none, whatever it returns.
    const bool is_cut = call != nullptr && !model::has_grad(call);
    return is_cut ? void() : find_network(*before, found, depth + 1);
  }
  if (call == nullptr) {
    return;
  }
  const std::string_view method = called_method(*call);
  const std::string_view api = called_api(at.site(), *call);
  if (method == "detach" || method == "item" || method == "numpy") {
    return;
  }
  const Expr *inner = api.starts_with("torch.") && !call->args.empty() ? call->args[0] : receiver_of(*call);
  if (inner != nullptr) {
    find_network(at.at(inner), found, depth + 1);
    found.has_best = found.has_best || method == "max" || method == "amax" || api == "torch.max" ||
                     api == "torch.amax" || api == "torch.min";
  }
}

// The network that is called, as the code that asks writes it: a parameter of a helper is what was passed for it. Names
// are not followed further, as two networks may be made by the same code.
std::string network_of(const ForwardPass &pass) {
  Traced network = pass.place.at(static_cast<const Call *>(pass.place.expr)->func);
  while (network.expr->kind == NodeKind::Name) {
    const std::optional<Traced> before = step_back(network);
    const bool is_name =
        before.has_value() && (before->expr->kind == NodeKind::Name || before->expr->kind == NodeKind::Attribute);
    if (!is_name || (network.entered.empty() && before->function != network.function)) {
      break;
    }
    network = *before;
  }
  return std::string(text_of(network.site(), network.expr));
}

// ---- A target by a copy of the network ------------------------------------------------------------------------------

// What a target is computed from: a reward and a discounted value, by networks that record a graph.
struct BootstrapTarget {
  bool is_sum = false;
  bool is_cut = false;
  const model::FunctionInfo *function = nullptr;
  const Call *network = nullptr; // the last one: what others compute may go into it
};

BootstrapTarget bootstrap_target(const Site &site, const Expr *expr) {
  BootstrapTarget found;
  visit_origins(site, *site.function, expr, [&](const Origin &origin) {
    const auto *member = as<Attribute>(origin.expr); // q.max(1).values
    if (origin.parameter_of != nullptr || origin.expr->kind == NodeKind::Subscript ||
        origin.expr->kind == NodeKind::UnaryOp || (member != nullptr && member->attr.text() == "values")) {
      return Onward::Through;
    }
    if (const auto *both = as<BinOp>(origin.expr)) {
      const auto is_product = [](const Expr *part) {
        const auto *product = as<BinOp>(part);
        return product != nullptr && product->op() == Operator::Mult;
      };
      found.is_sum |= both->op() == Operator::Add && (is_product(both->left) || is_product(both->right));
      return Onward::Through;
    }
    const auto *call = as<Call>(origin.expr);
    if (call == nullptr) {
      return Onward::Stop;
    }
    const Site there = site_of_origin(site, *origin.function);
    if (is_network(site.project.callee_of(call))) {
      found.is_cut |= !model::has_grad(call) && under_no_grad(site_of(site, *call)); // of a tuple nothing is noted
      if (!found.is_cut && (found.network == nullptr || call->start > found.network->start)) {
        found.function = origin.function;
        found.network = call;
      }
      return Onward::Stop;
    }
    const std::string_view method = called_method(*call);
    if (method == "detach" || method == "item" || method == "numpy") {
      found.is_cut = true;
      return Onward::Stop;
    }
    if (called_api(there, *call).starts_with("torch.")) {
      origin.next.assign(call->args.begin(), call->args.end());
    } else if (const Expr *const receiver = receiver_of(*call)) {
      origin.next = {receiver};
    }
    return Onward::Next;
  });
  return found;
}

// Is the network a copy that follows another one, and not frozen, so that backward() runs through it for nothing?
bool is_copy_that_records(const Site &site, const model::FunctionInfo &function, const Expr *network) {
  const Site there = site_of_origin(site, function);
  const std::string name(text_of(there, network));
  const Node *const around = function.type != nullptr ? static_cast<const Node *>(function.type->node) : nullptr;
  const std::string_view text =
      around != nullptr ? model::code_of(*function.module, around) : model::code_of(*function.module);
  if (has_word(text, {"requires_grad = False", "requires_grad=False", "freeze"}) ||
      text.find(name + ".requires_grad_(False)") != std::string_view::npos) {
    return false;
  }
  bool is_copy = text.find(name + ".load_state_dict(") != std::string_view::npos;
  bool is_other = false;
  visit_origins(there, function, network, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    if (call == nullptr) {
      return Onward::Stop;
    }
    const std::string_view method = called_method(*call);
    if ((method == "to" || method == "cuda" || method == "eval" || method == "train") &&
        receiver_of(*call) != nullptr) {
      origin.next = {receiver_of(*call)};
      return Onward::Next;
    }
    const bool is_this = called_api(site_of_origin(site, *origin.function), *call) == "copy.deepcopy";
    is_copy |= is_this;
    is_other |= method == "requires_grad_";
    return Onward::Stop;
  });
  return is_copy && !is_other;
}

// loss(q(s, a), r + gamma * q_target(s', a')): no wrong step, but a graph of the target that is walked for nothing.
void check_copied_target(Site &site, const Call &call) {
  const BootstrapTarget target = bootstrap_target(site, call.args[1]);
  if (!target.is_sum || target.is_cut || target.network == nullptr ||
      !is_copy_that_records(site, *target.function, target.network->func)) {
    return;
  }
  const Site there = site_of_origin(site, *target.function);
  Site place = there;
  Finding &finding =
      report(place, *target.network,
             fmt::format("`{}` computes the target with gradients: `backward()` of the loss runs through it, and "
                         "through everything it depends on",
                         text_of(there, target.network->func)),
             "compute the target under `with torch.no_grad():`, or in a function decorated with `@torch.no_grad()`");
  finding.severity = Severity::Warning;
  finding.notes.push_back({site.module->file, call.span(), "the loss uses it as the target here"});
}

// loss(q(s)…, r + gamma * q(s').max(1)…)
bool check_trained_target(Site &site, const Call &call) {
  const Traced target = traced_back(traced_from(site, call.args[1]));
  const auto *sum = as<BinOp>(target.expr);
  if (sum == nullptr || sum->op() != Operator::Add) {
    return false;
  }
  // One side is the reward, the other the value of the next state: its best action, or discounted.
  ForwardPass next;
  ForwardPass other;
  find_network(target.at(sum->right), next);
  find_network(target.at(sum->left), other);
  if (next.is_found() == other.is_found()) {
    return false;
  }
  next = next.is_found() ? next : other;
  ForwardPass current;
  find_network(traced_from(site, call.args[0]), current);
  if (!current.is_found() || (!next.has_best && !next.is_factor) || next.place.expr == current.place.expr) {
    return false;
  }
  const std::string network = network_of(next);
  if (network != network_of(current) ||
      text_of(next.place.site(), next.place.expr) == text_of(current.place.site(), current.place.expr)) {
    return false;
  }
  Finding &finding = report(
      site, *sum,
      fmt::format(
          "the target is computed by `{}` with gradients, so the loss also moves the target towards the prediction",
          network),
      "compute the target under `with torch.no_grad():`");
  finding.file = target.function->module->file;
  finding.notes.push_back(
      {next.place.function->module->file, next.place.expr->span(), "this forward pass belongs to the target"});
  if (target.function != site.function) {
    add_note(finding, site, call, "the loss uses it as the target here");
  }
  return true;
}

void check_target(Site &site, const Call &call) {
  const bool has_target = call.args.size() >= 2 && site.function != nullptr && !site.module->is_test;
  if (has_target && model::has_grad(call.args[1]) && !check_trained_target(site, call)) {
    check_copied_target(site, call);
  }
}

// What is appended to the lists of a class or of a function, by the name of the attribute or variable.
struct Appended {
  struct Element {
    const model::FunctionInfo *function = nullptr;
    const Expr *value = nullptr;
  };
  std::unordered_map<u32, std::vector<Element>> to;
};

void note_appended(const model::FunctionInfo &function, const Block &body, bool to_attributes, Appended &into) {
  any_node(body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && called_method(*call) == "append" && call->args.size() == 1) {
      const auto *attribute = as<Attribute>(receiver_of(*call));
      const auto *name = as<Name>(receiver_of(*call));
      if (to_attributes && attribute != nullptr && model::is_own_object(function, attribute->value)) {
        into.to[attribute->attr.id].push_back({&function, call->args[0]});
      } else if (!to_attributes && name != nullptr) {
        into.to[name->id.id].push_back({&function, call->args[0]});
      }
    }
    return false;
  });
}

// The elements of a list, by all that is appended to it: `rollout.log_probs` of an object, or a list of the function.
std::vector<Appended::Element> elements_of(const Site &site, const Expr *list) {
  const auto *attribute = as<Attribute>(list);
  const auto *name = as<Name>(list);
  const Appended *all = nullptr;
  if (attribute != nullptr) {
    const model::Value owner = value_of(site, attribute->value);
    const model::ClassInfo *const type = owner.is(model::Value::Tag::Object) ? owner.type : nullptr;
    if (type == nullptr) {
      return {};
    }
    all = &site.memory.recall<Appended>(type, [&] {
      Appended found;
      for (const Stmt *statement : type->node->body) {
        const model::FunctionInfo *const method =
            statement->kind == NodeKind::FunctionDef ? site.project.function_at(statement) : nullptr;
        if (method != nullptr && method->definition() != nullptr) {
          note_appended(*method, method->definition()->body, true, found);
        }
      }
      return found;
    });
  } else if (name != nullptr && site.function != nullptr) {
    const Block &body = body_around(site);
    all = &site.memory.recall<Appended>(&body, [&] {
      Appended found;
      note_appended(*site.function, body, false, found);
      return found;
    });
  }
  const auto known =
      all != nullptr ? all->to.find((attribute != nullptr ? attribute->attr : name->id).id) : Appended{}.to.end();
  return all != nullptr && known != all->to.end() ? known->second : std::vector<Appended::Element>{};
}

// Is it the logarithm of an action's probability, or a tensor of several of them that a list has collected?
bool is_log_probability(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostSteps = 5;
  const Expr *value = depth > kMostSteps ? nullptr : written_value(site, expr);
  if (const auto *negated = as<UnaryOp>(value)) {
    value = written_value(site, negated->operand);
  }
  if (const auto *name = as<Name>(value); name != nullptr && site.function != nullptr) { // a parameter
    const std::vector<Passed> all = passed_for(*site.function, name->id);
    return !all.empty() && std::ranges::all_of(all, [&](const Passed &passed) {
      return passed.value != nullptr &&
             is_log_probability(site_at(site, *passed.site->caller, *passed.site->call), passed.value, depth + 1);
    });
  }
  const auto *call = as<Call>(value);
  if (call == nullptr) {
    return false;
  }
  if (called_method(*call) == "log_prob") {
    return true;
  }
  const std::string_view api = called_api(site, *call);
  if ((api != "torch.stack" && api != "torch.cat") || call->args.empty()) {
    return false;
  }
  if (const auto *listed = as<ListComp>(call->args[0])) {
    return is_log_probability(site, listed->elt, depth + 1);
  }
  const std::vector<Appended::Element> elements = elements_of(site, call->args[0]);
  return !elements.empty() && std::ranges::all_of(elements, [&](const Appended::Element &one) {
    return is_log_probability(site_at(site, *one.function, *one.value), one.value, depth + 1);
  });
}

// `-(log_prob * advantage)`, where the advantage comes from the critic with its gradient
void check_advantage(Site &site, const BinOp &product) {
  if (product.op() != Operator::Mult || site.module->is_test || !site.module->torch) {
    return;
  }
  const auto has_gradient = [](const Expr *expr) { return model::has_grad(expr); };
  const Expr *advantage = has_gradient(product.right) && is_log_probability(site, product.left)   ? product.right
                          : has_gradient(product.left) && is_log_probability(site, product.right) ? product.left
                                                                                                  : nullptr;
  const auto *difference = advantage != nullptr ? as<BinOp>(written_value(site, advantage)) : nullptr;
  if (difference == nullptr || difference->op() != Operator::Sub || !model::has_grad(advantage)) {
    return;
  }
  Finding &finding =
      report(site, product,
             fmt::format("`{}` has a gradient, so the policy's loss also changes the critic that computes it",
                         text_of(site, advantage)),
             fmt::format("detach it: `{}.detach()`", text_of(site, advantage)));
  add_note(finding, site, *difference, "it is computed here");
}

// ---- JAX ----------------------------------------------------------------------------------------------------------

// Is the expression the parameters that jax.grad differentiates the loss for?
bool is_differentiated(const Site &site, const model::FunctionInfo &function, const Expr *expr) {
  bool found = false;
  visit_origins(site, function, expr, [&](const Origin &origin) {
    if (origin.parameter_of == nullptr) {
      return Onward::Stop;
    }
    const model::FunctionInfo &owner = *origin.parameter_of;
    const u32 first = owner.type != nullptr && !owner.is_static ? 1 : 0;
    const bool is_first = origin.parameter == first;
    const bool is_handed = std::ranges::any_of(handed_to(site, owner), [](const HandedTo &handed) {
      return handed.api.ends_with("grad") && keyword_argument(*handed.transform, "argnums") == nullptr;
    });
    found |= is_first && is_handed;
    return is_handed ? Onward::Stop : Onward::Through;
  });
  return found;
}

// What one side of a difference is computed from.
struct Side {
  const model::FunctionInfo *function = nullptr;
  const Call *network = nullptr; // applied with the differentiated parameters
  bool is_target = false;        // reward + discount * value
  bool is_cut = false;           // stop_gradient, or something that is not known
};

Side side_of(const Site &site, const model::FunctionInfo &function, const Expr *expr) {
  Side side;
  visit_origins(site, function, expr, [&](const Origin &origin) {
    const Site there = site_of_origin(site, *origin.function);
    if (const auto *both = as<BinOp>(origin.expr)) {
      const auto is_product = [](const Expr *part) {
        const auto *product = as<BinOp>(part);
        return product != nullptr && product->op() == Operator::Mult;
      };
      side.is_target |= both->op() == Operator::Add && (is_product(both->left) || is_product(both->right));
      return Onward::Through;
    }
    const auto *call = as<Call>(origin.expr);
    if (call == nullptr) {
      return origin.expr->kind == NodeKind::Subscript || origin.expr->kind == NodeKind::UnaryOp ? Onward::Through
                                                                                                : Onward::Stop;
    }
    const std::string_view api = called_api(there, *call);
    const std::string_view method = called_method(*call);
    if (api.ends_with("stop_gradient")) {
      side.is_cut = true;
      return Onward::Stop;
    }
    if ((method == "apply" || method == "apply_fn") && !call->args.empty()) {
      if (is_differentiated(site, *origin.function, call->args[0])) {
        side.network = call;
        side.function = origin.function;
      }
      return Onward::Stop;
    }
    return api.starts_with("jax.numpy.") || api.starts_with("jax.lax.") ||
                   (api.empty() && receiver_of(*call) != nullptr)
               ? Onward::Through
               : Onward::Stop;
  });
  return side;
}

void lint_difference(Site &site, const model::FunctionInfo &function, const Expr *left, const Expr *right) {
  Side target = side_of(site, function, left);
  Side value = side_of(site, function, right);
  if (!target.is_target) {
    std::swap(target, value);
  }
  if (!target.is_target || target.is_cut || target.network == nullptr || value.is_target || value.is_cut ||
      value.network == nullptr || target.network == value.network) {
    return;
  }
  const Site there = site_of_origin(site, *target.function);
  const Site other = site_of_origin(site, *value.function);
  if (text_of(there, target.network) == text_of(other, value.network)) {
    return;
  }
  Site place = there;
  Finding &finding = report(place, *target.network,
                            "the target is computed with the parameters that the loss is differentiated for, so the "
                            "loss also moves the target "
                            "towards the prediction",
                            "wrap the target in `jax.lax.stop_gradient(…)`");
  finding.notes.push_back({other.module->file, value.network->span(), "the prediction"});
}

// The difference behind `error` of `jnp.square(error)` and `error ** 2`
void check_squared(Site &site, const Expr *squared) {
  if (!site.module->jax || site.module->is_test || site.function == nullptr) {
    return;
  }
  const BinOp *difference = nullptr;
  const model::FunctionInfo *function = nullptr;
  u32 count = 0;
  visit_origins(site, *site.function, squared, [&](const Origin &origin) {
    const auto *both = as<BinOp>(origin.expr);
    if (both != nullptr && both->op() == Operator::Sub) {
      difference = both;
      function = origin.function;
    }
    ++count;
    return Onward::Stop;
  });
  if (difference != nullptr && count == 1) {
    lint_difference(site, *function, difference->left, difference->right);
  }
}

void check_call(Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (!api.starts_with("jax.") && !api.starts_with("optax.")) {
    check_target(site, call);
  } else if (api == "jax.numpy.square") {
    if (!call.args.empty()) {
      check_squared(site, call.args[0]);
    }
  } else if (call.args.size() >= 2 && site.module->jax && !site.module->is_test && site.function != nullptr) {
    lint_difference(site, *site.function, call.args[0], call.args[1]);
  }
}

void check_operation(Site &site, const Node &node) {
  const auto &operation = static_cast<const BinOp &>(node);
  if (operation.op() == Operator::Pow && integer_of(site, operation.right) == 2) {
    check_squared(site, operation.left);
  } else {
    check_advantage(site, operation);
  }
}

} // namespace

extern constinit const Rule kTargetWithGradient = {
    .info = {.code = "DP274",
             .name = "target-with-gradient",
             .summary = "a target or advantage of reinforcement learning that is not detached",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A temporal-difference target `r + gamma * q(next_state).max(1)`, or `r + gamma * v(next_state)`, that the trained network computes with gradients, and `log_prob * advantage` where the advantage still has the
critic's gradient. In JAX, a squared difference of a prediction and of such a target, where a function that `jax.grad` differentiates computes
both with the same parameters, without `jax.lax.stop_gradient`.

## Why it is wrong

The target is meant as a constant. With its gradient the loss is also reduced by moving the target towards the prediction, and learning becomes slow or unstable. The loss of
the policy must not train the critic.

## Bad

```python
import torch

q = torch.nn.Linear(4, 2)


def loss(state, action, reward, next_state, done):
    prediction = q(state).gather(1, action)
    target = reward + 0.99 * q(next_state).max(1, keepdim=True)[0] * (1 - done)
    return torch.nn.functional.mse_loss(prediction, target)


loss(torch.rand(8, 4), torch.zeros(8, 1).long(), torch.rand(8, 1), torch.rand(8, 4), torch.zeros(8, 1)).backward()
```

## Good

```python
import torch

q = torch.nn.Linear(4, 2)


def loss(state, action, reward, next_state, done):
    prediction = q(state).gather(1, action)
    with torch.no_grad():
        target = reward + 0.99 * q(next_state).max(1, keepdim=True)[0] * (1 - done)
    return torch.nn.functional.mse_loss(prediction, target)


loss(torch.rand(8, 4), torch.zeros(8, 1).long(), torch.rand(8, 1), torch.rand(8, 4), torch.zeros(8, 1)).backward()
```

## When it is wrong

For residual gradient methods, which differentiate the target on purpose.
)"},
    .calls = "TorchLoss.__call__ torch.nn.functional.mse_loss torch.nn.functional.smooth_l1_loss "
             "torch.nn.functional.huber_loss "
             "torch.nn.functional.l1_loss jax.numpy.square optax.l2_loss optax.squared_error optax.huber_loss",
    .on_call = check_call,
    .nodes = {NodeKind::BinOp},
    .on_node = check_operation};

} // namespace deepperf::rules::target_with_gradient
