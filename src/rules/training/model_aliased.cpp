#include "model/bind.h"
#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::model_aliased {

using namespace python;

namespace {

bool is_model(Kind kind) { return kind == Kind::TorchModule || kind == Kind::HfModel || kind == Kind::KerasModel; }

bool is_model(const Expr *expr) { return is_model(model::kind_of(expr)); }

bool is_model(const model::Value &value) {
  return value.is(model::Value::Tag::Object) ? is_model(value.type->kind)
                                             : value.is(model::Value::Tag::Instance) && is_model(value.kind);
}

// A list, tuple or dictionary of models.
bool holds_models(const Site &site, const Expr *expr) {
  const model::Value value = value_of(site, expr);
  if (value.is(model::Value::Tag::Instance)) {
    return value.container && is_model(value);
  }
  return value.is(model::Value::Tag::Tuple) && value.number > 0 && is_model(value.items[0]);
}

// What a copy that is not deep is made of: `list(nets)`, `nets[:]`, `nets.copy()`, `copy.copy(nets)`, `[*nets]`. The
// models in it stay the same.
const Expr *copied_from(const Site &site, const Expr *value) {
  if (const auto *call = as<Call>(value)) {
    const std::string_view api = called_api(site, *call);
    if ((api == "list" || api == "tuple" || api == "dict" || api == "copy.copy") && call->args.size() == 1) {
      return call->args[0];
    }
    return called_method(*call) == "copy" && call->args.empty() ? receiver_of(*call) : nullptr;
  }
  if (const auto *part = as<Subscript>(value)) {
    const auto *slice = as<Slice>(part->slice);
    return slice != nullptr && slice->lower == nullptr && slice->upper == nullptr ? part->value : nullptr;
  }
  const auto *list = as<List>(value);
  const auto *star = list != nullptr && list->elts.size() == 1 ? as<Starred>(list->elts[0]) : nullptr;
  return star != nullptr ? star->value : nullptr;
}

// `x.parameters()` and the like, also in list()
bool gives_weights_of(const Site &site, const Expr *expr, std::string_view text) {
  const auto *call = as<Call>(expr);
  if (call != nullptr && called_api(site, *call) == "list" && call->args.size() == 1) {
    call = as<Call>(call->args[0]);
  }
  if (call == nullptr || receiver_of(*call) == nullptr) {
    const auto *variables = as<Attribute>(expr); // of Keras
    const std::string_view attribute = variables != nullptr ? variables->attr.text() : std::string_view{};
    return (attribute == "variables" || attribute == "weights" || attribute == "trainable_variables" ||
            attribute == "trainable_weights") &&
           text_of(site, variables->value) == text;
  }
  const std::string_view method = called_method(*call);
  return (method == "parameters" || method == "named_parameters" || method == "buffers") &&
         text_of(site, receiver_of(*call)) == text;
}

// Is one written as what is updated from the other: `a.load_state_dict(b.state_dict())`, `zip(a.parameters(),
// b.parameters())`?
const Node *update_between(const Site &site, const Node *root, std::string_view copy, std::string_view original) {
  const Node *found = nullptr;
  any_node_inside(root, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr || found != nullptr) {
      return found != nullptr;
    }
    if ((called_method(*call) == "load_state_dict" || called_method(*call) == "set_weights") && !call->args.empty()) {
      const auto *state = as<Call>(call->args[0]);
      const std::string_view method = state != nullptr ? called_method(*state) : std::string_view{};
      if ((method == "state_dict" || method == "get_weights") && text_of(site, receiver_of(*call)) == copy &&
          text_of(site, receiver_of(*state)) == original) {
        found = node;
      }
    }
    if (called_api(site, *call) == "zip" && call->args.size() == 2) {
      const bool is_pair =
          (gives_weights_of(site, call->args[0], copy) && gives_weights_of(site, call->args[1], original)) ||
          (gives_weights_of(site, call->args[0], original) && gives_weights_of(site, call->args[1], copy));
      if (is_pair) {
        found = node;
      }
    }
    return false;
  });
  return found;
}

// The same for lists of models: `for net, target in zip(nets, targets):` updates each pair.
const Node *update_of_pairs(const Site &site, const Node *root, std::string_view copy, std::string_view original) {
  const Node *found = nullptr;
  any_node_inside(root, [&](const Node *node) {
    const auto *loop = as<For>(node);
    const auto *zip = loop != nullptr ? as<Call>(loop->iter) : nullptr;
    const auto *pair = loop != nullptr ? as<Tuple>(loop->target) : nullptr;
    if (found != nullptr || zip == nullptr || pair == nullptr || pair->elts.size() != 2 || zip->args.size() != 2 ||
        called_name(*zip) != "zip") {
      return found != nullptr;
    }
    const std::string_view first = text_of(site, zip->args[0]);
    const std::string_view second = text_of(site, zip->args[1]);
    const bool is_forward = first == original && second == copy;
    if (is_forward || (first == copy && second == original)) {
      const std::string_view one = text_of(site, pair->elts[is_forward ? 1 : 0]);
      const std::string_view other = text_of(site, pair->elts[is_forward ? 0 : 1]);
      found = update_between(site, loop, one, other);
    }
    return found != nullptr;
  });
  return found;
}

void add_finding(Site &site, const Assign &assignment, std::string_view copy, std::string_view original,
                 const Node &used, std::string consequence) {
  Finding &finding = report(
      site, assignment,
      fmt::format("`{}` is the same model as `{}`, not a copy of it, so {}", copy, original, consequence),
      model::kind_of(assignment.value) == Kind::KerasModel
          ? fmt::format("copy it: `{0} = keras.models.clone_model({1})`, then `{0}.set_weights({1}.get_weights())`",
                        copy, original)
          : fmt::format("copy it: `{} = copy.deepcopy({})`", copy, original));
  add_note(finding, site, used, "this expects two models");
}

// The name or attribute at the end of `net`, `self.net`
Symbol last_symbol(const Expr *expr) {
  const auto *attribute = as<Attribute>(expr);
  const auto *name = as<Name>(expr);
  return attribute != nullptr ? attribute->attr : name != nullptr ? name->id : Symbol{};
}

bool is_bound_by(const model::Loop &loop, const Expr *expr) {
  const std::vector<Symbol> &bound = expr->kind == NodeKind::Attribute ? loop.attributes : loop.assigned;
  return std::ranges::find(bound, last_symbol(expr)) != bound.end();
}

// Where the best model is used: a name after the loop, an attribute anywhere else in the class.
const Node *later_use(const Site &site, const Expr *target, const Node &loop) {
  const Node *used = nullptr;
  const auto look = [&](const Node *node) {
    if ((node->kind == NodeKind::Name || node->kind == NodeKind::Attribute) && node->context == Context::Load &&
        node->kind == target->kind && last_symbol(static_cast<const Expr *>(node)) == last_symbol(target) &&
        (target->kind == NodeKind::Attribute ? !contains(&loop, node) : node->start > loop.end)) {
      used = used == nullptr ? node : used;
    }
    return used != nullptr;
  };
  if (target->kind == NodeKind::Attribute && site.type != nullptr) {
    any_node_inside(site.type->node, look);
  } else {
    any_node(body_around(site), look);
  }
  return used;
}

// `best = model` in a branch of a loop that goes on training it
void check_best(Site &site, const Assign &assignment, const Expr *target, const Expr *value) {
  const model::Loop *outermost = nullptr;
  for (const model::Loop *loop = loop_around(site); loop != nullptr; loop = loop->parent) {
    if (loop->trains && !loop->few_iterations && !is_bound_by(*loop, value)) {
      outermost = loop;
    }
  }
  if (outermost == nullptr || runs_every_iteration(site, *outermost)) {
    return;
  }
  for (std::size_t i = site.ancestors.size(); i-- > 0 && site.ancestors[i] != outermost->node;) {
    const auto *branch = as<If>(site.ancestors[i]);
    if (branch != nullptr && !branch->body.empty() &&
        (branch->body.back()->kind == NodeKind::Break || branch->body.back()->kind == NodeKind::Return)) {
      return;
    }
  }
  const Node *used = later_use(site, target, *outermost->node);
  if (used == nullptr) {
    return;
  }
  const std::string_view copy = text_of(site, target);
  const std::string_view original = text_of(site, value);
  Finding &finding = report(
      site, assignment,
      fmt::format("`{}` is the same model as `{}`, not a copy of it, so further training changes it", copy, original),
      fmt::format("copy it: `{} = copy.deepcopy({})`", copy, original));
  add_note(finding, site, *outermost->node, "this loop keeps training the model");
  add_note(finding, site, *used, "this uses the last weights, not the best ones");
}

// `self.targets = list(self.critics)`: another list of the same models
void check_lists(Site &site, const Assign &assignment, const Expr *original) {
  const Expr *target = assignment.targets[0];
  const FunctionDef *definition = site.function->definition();
  const Node *root = target->kind == NodeKind::Attribute && site.type != nullptr ? site.type->node
                     : definition != nullptr                                     ? static_cast<const Node *>(definition)
                                                                                 : nullptr;
  const std::string_view copy = text_of(site, target);
  const std::string_view models = text_of(site, original);
  const Node *used = root != nullptr ? update_of_pairs(site, root, copy, models) : nullptr;
  if (used == nullptr ||
      node_has_word(site, *root, std::initializer_list<std::string_view>{"deepcopy", "clone_model"})) {
    return;
  }
  Finding &finding =
      report(site, assignment,
             fmt::format(
                 "`{}` holds the same models as `{}`, not copies of them, so updating one from the other has no effect",
                 copy, models),
             "copy each model: `copy.deepcopy`, or `keras.models.clone_model` and `set_weights`");
  add_note(finding, site, *used, "this expects two models");
}

// The parameter of the called function that is given the name; null if there is none.
const Param *param_given(const model::CallSite &call, Symbol name) {
  const auto is_name = [name](const Expr *expr) {
    const auto *given = as<Name>(expr);
    return given != nullptr && given->id == name;
  };
  const auto &params = call.callee->params;
  for (u32 i = 0; i < call.call->args.size(); ++i) {
    const u32 at = i + (call.bound ? 1 : 0);
    if (call.call->args[i]->kind == NodeKind::Starred) {
      return nullptr;
    }
    if (is_name(call.call->args[i])) {
      return at < params.size() ? params[at] : nullptr;
    }
  }
  for (const Keyword *keyword : call.call->keywords) {
    const auto param = std::ranges::find(params, keyword->name, &Param::name);
    if (is_name(keyword->value) && param != params.end()) {
      return *param;
    }
  }
  return nullptr;
}

// `ema = model`, and both go to a function that updates one from the other.
void check_handed(Site &site, const Assign &assignment, const Name &copy, const Name &original) {
  for (const model::CallSite &call : site.function->calls) {
    const FunctionDef *const definition = call.callee->definition();
    if (definition == nullptr || call.call->start < assignment.end) {
      continue;
    }
    const Param *const first = param_given(call, copy.id);
    const Param *const second = param_given(call, original.id);
    if (first == nullptr || second == nullptr || first == second) {
      continue;
    }
    Site there = site;
    there.function = call.callee;
    there.module = call.callee->module;
    there.ancestors.clear();
    const Node *const used = update_between(there, definition, first->name.text(), second->name.text());
    if (used == nullptr) {
      continue;
    }
    Finding &finding = report(
        site, assignment,
        fmt::format("`{}` is the same model as `{}`, not a copy of it, so updating one from the other has no effect",
                    copy.id.text(), original.id.text()),
        fmt::format("copy it: `{} = copy.deepcopy({})`", copy.id.text(), original.id.text()));
    finding.notes.push_back({there.module->file, used->span(), "this expects two models"});
    return;
  }
}

void check(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const Expr *target = assignment.targets[0];
  const Expr *value = assignment.value;
  const auto is_plain = [](const Expr *expr) {
    return expr->kind == NodeKind::Name || expr->kind == NodeKind::Attribute;
  };
  if (assignment.targets.size() != 1 || !is_plain(target) || site.module->is_test) {
    return;
  }
  const Expr *copied = copied_from(site, value);
  if (copied != nullptr ? is_plain(copied) && holds_models(site, copied)
                        : is_plain(value) && !is_model(value) && holds_models(site, value)) {
    check_lists(site, assignment, copied != nullptr ? copied : value);
    return;
  }
  if (!is_plain(value) || !is_model(value)) {
    return;
  }
  if (loop_around(site) != nullptr) {
    check_best(site, assignment, target, value);
    return;
  }
  const std::string_view copy = text_of(site, target);
  const std::string_view original = text_of(site, value);
  const auto *definition = site.function->definition();
  // A name means the same in its function only.
  const bool is_of_class =
      target->kind == NodeKind::Attribute && value->kind == NodeKind::Attribute && site.type != nullptr;
  const Node *root = is_of_class             ? site.type->node
                     : definition != nullptr ? static_cast<const Node *>(definition)
                                             : nullptr;
  const Node *used = nullptr;
  if (root != nullptr) {
    used = update_between(site, root, copy, original);
  } else {
    for (const Stmt *statement : site.module->parsed->tree.body) {
      used = used != nullptr ? used : update_between(site, statement, copy, original);
    }
  }
  // self.net = net; self.ema = net
  if (used == nullptr && root != nullptr && target->kind == NodeKind::Attribute) {
    any_node(body_around(site), [&](const Node *other) {
      const auto *twin = as<Assign>(other);
      if (twin != nullptr && twin != &assignment && twin->start < assignment.start && twin->targets.size() == 1 &&
          twin->targets[0]->kind == NodeKind::Attribute && text_of(site, twin->value) == original && used == nullptr) {
        const Node *const type = site.type != nullptr ? site.type->node : root; // attributes are known in all methods
        used = update_between(site, type, copy, text_of(site, twin->targets[0]));
        used = used != nullptr ? used : update_between(site, type, text_of(site, twin->targets[0]), copy);
      }
      return used != nullptr;
    });
  }
  const auto *name = as<Name>(target);
  const auto *from = as<Name>(value);
  if (used == nullptr && name != nullptr && from != nullptr && !function_has_word(site, {"deepcopy"})) {
    check_handed(site, assignment, *name, *from);
    return;
  }
  // Bound to a copy later, it is another one.
  if (used == nullptr ||
      node_has_word(site, root != nullptr ? *root : assignment, std::initializer_list<std::string_view>{"deepcopy"})) {
    return;
  }
  add_finding(site, assignment, copy, original, *used, "updating one from the other has no effect");
}

} // namespace

extern constinit const Rule kModelAliased = {
    .info = {.code = "DP921",
             .name = "model-aliased",
             .summary = "a second name for a model where a copy of it is meant",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`best_model = model` in some iterations of a training loop, used after the loop, and `target = model` or `ema = model` where later code updates
one from the other. Likewise a second list of the same models, `targets = list(critics)`, where a loop over both updates one from the other.

## Why it is wrong

An assignment copies nothing. The best model is then simply the last one, a target network follows every step, and a moving average is the model itself.

## Bad

```python
import torch


def train(model: torch.nn.Module, run_epoch, evaluate):
    best = float("inf")
    best_model = None
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(90):
        for x, y in run_epoch():
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        loss = evaluate(model)
        if loss < best:
            best = loss
            best_model = model
    return best_model
```

## Good

```python
import copy

import torch


def train(model: torch.nn.Module, run_epoch, evaluate):
    best = float("inf")
    best_model = None
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(90):
        for x, y in run_epoch():
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        loss = evaluate(model)
        if loss < best:
            best = loss
            best_model = copy.deepcopy(model)
    return best_model
```

## When it is wrong

Where the two are meant to be the same, and the update is harmless.
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::model_aliased
