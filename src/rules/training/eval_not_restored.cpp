#include "base/symbol_list.h"
#include "model/modes.h"
#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include "python/children.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::eval_not_restored {

using namespace python;

namespace {

// Models that are only there to be asked.
bool is_frozen(std::string_view name) {
  return has_word(name, {"teacher", "ema",     "target", "frozen",  "inception", "vgg",        "lpips", "clip",
                         "vae",     "encoder", "ref",    "feature", "extractor", "pretrained", "old",   "avg",
                         "swa",     "copy",    "best",   "test",    "fid",       "arcface"});
}

// A module of Flax NNX, which has the same two modes.
bool is_nnx_module(const model::Value &value) {
  return value.is(model::Value::Tag::Object) && std::ranges::any_of(value.type->mro, [](const model::ClassInfo *type) {
           return std::ranges::any_of(type->bases, [](const model::Value &base) {
             return base.is(model::Value::Tag::Api) && base.name().text() == "flax.nnx.Module";
           });
         });
}

bool is_model(const model::Project &project, const model::FunctionInfo &function, const Expr *expr) {
  return model::kind_of(expr) == Kind::TorchModule || model::kind_of(expr) == Kind::HfModel ||
         (function.module->jax && is_nnx_module(model::value_of(model::scope_of(project, function), expr)));
}

// The first model.eval() in the node on something that outlives the iteration; null if there is none.
const Call *find_eval(const model::Project &project, std::string_view source, const model::FunctionInfo &function,
                      const model::Loop *loop, const Node *node) {
  const Call *found = nullptr;
  if (const auto *call = as<Call>(node); call != nullptr && call->args.empty() && called_method(*call) == "eval") {
    const Expr *receiver = receiver_of(*call);
    const std::string_view written = source.substr(receiver->start, receiver->end - receiver->start);
    const auto *name = as<Name>(receiver);
    const bool is_own =
        name != nullptr && function.slot_of(name->id) != model::FunctionInfo::kNoSlot && !function.has_param(name->id);
    const bool is_new = name != nullptr && (loop != nullptr ? contains(loop->assigned, name->id) : is_own);
    const bool is_plain = name != nullptr || receiver->kind == NodeKind::Attribute;
    if (is_plain && !is_new && is_model(project, function, receiver) && !is_frozen(written)) {
      return call;
    }
  }
  for_each_child(node, [&](const Node *child) {
    if (found == nullptr) {
      found = find_eval(project, source, function, loop, child);
    }
  });
  return found;
}

// Is a model handed to something that we do not see into? It may call train().
bool hands_model_away(const Site &site, const Node *node) {
  if (const auto *call = as<Call>(node)) {
    const model::Value callee = site.project.callee_of(call);
    if (!callee.known()) {
      for (const Expr *arg : call->args) {
        if (is_model(site.project, *site.function, arg)) {
          return true;
        }
      }
      for (const Keyword *keyword : call->keywords) {
        if (is_model(site.project, *site.function, keyword->value)) {
          return true;
        }
      }
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || hands_model_away(site, child); });
  return found;
}

// Does the loop train before it comes to the call? If not, it trains in evaluation mode on purpose. True of what stands
// outside of the loop.
bool trains_before(const Site &site, const Node &loop, const Call &eval) {
  if (eval.start < loop.start || eval.end > loop.end) {
    return true;
  }
  if (has_word(site.module->parsed->source.text().substr(loop.start, eval.start - loop.start), {".backward("})) {
    return true;
  }
  return std::ranges::any_of(site.function->calls, [&](const model::CallSite &call) {
    return call.callee->trains && call.call->start > loop.start && call.call->end < eval.start;
  });
}

// What is known of the model that eval() is called on.
model::Modes modes_at(const Site &site, const Call &eval) {
  const model::FunctionInfo *function = site.project.caller_of(&eval);
  const Expr *receiver = receiver_of(eval);
  if (function != nullptr && receiver != nullptr && function->module->jax &&
      is_nnx_module(model::value_of(model::scope_of(site.project, *function), receiver))) {
    return project_has_word(site, {"Dropout(", "BatchNorm("}) ? model::Modes::Differ : model::Modes::Same;
  }
  const model::Value callee = site.project.callee_of(&eval);
  return callee.is(model::Value::Tag::ApiMethod) ? model::modes_of(site.project, callee.receiver())
                                                 : model::Modes::Unknown;
}

// Is the loop left in its first iteration, or range(1)?
bool runs_once(const Site &site, const Node &node) {
  const auto *loop = as<For>(&node);
  const Block body = loop != nullptr ? loop->body : static_cast<const While &>(node).body;
  if (!body.empty() && (body.back()->kind == NodeKind::Break || body.back()->kind == NodeKind::Return)) {
    return true;
  }
  const auto *range = loop != nullptr ? as<Call>(loop->iter) : nullptr;
  return range != nullptr && range->args.size() == 1 && called_api(site, *range) == "range" &&
         integer_of(site, range->args[0]) == 1;
}

// Does the node put a model into training mode? `model.train()`, a helper that nobody sees into and whose name says so.
bool is_restoring(const model::Project &project, const Node *node) {
  if (const auto *attribute = as<Attribute>(node)) {
    return attribute->attr.text() == "training" && attribute->context == Context::Store;
  }
  const auto *call = as<Call>(node);
  if (call == nullptr) {
    return false;
  }
  const std::string_view name = called_name(*call);
  if (name != "train" && !has_word(name, {"train_mode", "set_train", "setup_train"}) && !name.ends_with("_train")) {
    return false;
  }
  // A function of the project is looked at by itself, unless it is how a module changes its mode.
  const model::Value callee = project.callee_of(call);
  const bool is_seen = callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method);
  return !is_seen || (callee.function->type != nullptr && callee.function->type->kind == Kind::TorchModule);
}

bool is_restored(const Site &site, const Node &loop, const std::vector<const model::FunctionInfo *> &reached) {
  const auto restores = [&site](const Node *node) { return is_restoring(site.project, node); };
  return any_node_inside(&loop, restores) || std::ranges::any_of(reached, [&](const model::FunctionInfo *function) {
           struct Restores {
             bool itself = false;
           };
           return function->node != nullptr &&
                  site.memory
                      .recall<Restores>(function, [&] { return Restores{any_node_inside(function->node, restores)}; })
                      .itself;
         });
}

// Is the model evaluated every so many steps of the loop, and the loop goes on after that? Not under another test, as
// that may hold for the last batch of an epoch only, and not where the loop is left at once.
bool is_evaluated_between_steps(const Site &site, const Node *node) {
  constexpr std::string_view kEval[] = {".eval()"};
  if (const auto *branch = as<If>(node)) {
    const auto evaluates = [&](const Stmt *statement) { return reaches_word(site, *statement, Words(kEval)); };
    const Block &block = std::ranges::any_of(branch->body, evaluates) ? branch->body : branch->orelse;
    if (std::ranges::none_of(block, evaluates)) {
      return false;
    }
    const bool is_left = block.back()->kind == NodeKind::Break || block.back()->kind == NodeKind::Return;
    const bool is_every_so_many = any_node(branch->test, [](const Node *part) {
      const auto *operation = as<BinOp>(part);
      return operation != nullptr && operation->op() == Operator::Mod;
    });
    return !is_left && is_every_so_many && !has_word(text_of(site, branch->test), {"len("});
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || is_evaluated_between_steps(site, child); });
  return found;
}

// A loop over the batches of an epoch that evaluates now and then, where only the next epoch calls train() again.
bool is_restored_too_late(const Site &site, const model::Loop &loop) {
  const model::Loop *outermost = &loop;
  while (outermost->parent != nullptr) {
    outermost = outermost->parent;
  }
  return loop.steps && is_restored(site, *outermost->node, reached_functions(*site.function, *outermost->node)) &&
         is_evaluated_between_steps(site, loop.node);
}

// Optimizers that a piece of code makes.
struct MadeOptimizers {
  bool any = false;
  bool of_models = false; // or of parameters that are not written down there
};

MadeOptimizers find_optimizers(const Site &site, const Block &body) {
  MadeOptimizers found;
  any_node(body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr || model::kind_of(call) != Kind::TorchOptimizer ||
        !called_api(site, *call).starts_with("torch.optim.")) {
      return false;
    }
    const auto *list = as<List>(argument(*call, 0, "params"));
    found.any = true;
    found.of_models |= list == nullptr || !std::ranges::all_of(list->elts, [](const Expr *one) {
                         return one->kind == NodeKind::Name || one->kind == NodeKind::Attribute;
                       });
    return false;
  });
  return found;
}

// Does the code of the loop make optimizers, and none of them for a whole model? `SGD([patch])` and `Adam([z])` change
// an input, and the model stays as it is, in evaluation mode.
bool trains_an_input(const Site &site, const std::vector<const model::FunctionInfo *> &reached) {
  MadeOptimizers all = find_optimizers(site, body_around(site));
  for (const model::FunctionInfo *function : reached) {
    if (function->definition() != nullptr) {
      const MadeOptimizers one = find_optimizers(site, function->definition()->body);
      all.any |= one.any;
      all.of_models |= one.of_models;
    }
  }
  return all.any && !all.of_models;
}

void check(Site &site, const Node &node) {
  const model::Loop *loop = site.project.loop_at(&node);
  // However few epochs there are: from the second one on, the mode is wrong.
  if (loop == nullptr || !loop->trains || runs_once(site, node)) {
    return;
  }
  const std::vector<const model::FunctionInfo *> reached = reached_functions(*site.function, node);
  bool evaluates = has_word(text_of(site, &node), {".eval()"});
  for (const model::FunctionInfo *function : reached) {
    const bool calls_eval = has_word(text_of(*function), {".eval()"});
    if (calls_eval && function->trains) {
      return; // it trains in that mode on purpose
    }
    evaluates |= calls_eval;
  }
  if (!evaluates || is_restored(site, node, reached) ||
      (loop->parent != nullptr && !is_restored_too_late(site, *loop))) {
    return;
  }
  const model::Module *module = site.module;
  const Call *eval = find_eval(site.project, module->parsed->source.text(), *site.function, loop, &node);
  for (std::size_t i = 0; i < reached.size() && eval == nullptr; ++i) {
    if (reached[i]->node != nullptr) {
      module = reached[i]->module;
      eval = find_eval(site.project, module->parsed->source.text(), *reached[i], nullptr, reached[i]->node);
    }
  }
  if (eval == nullptr || hands_model_away(site, &node) || trains_an_input(site, reached) ||
      (module == site.module && !trains_before(site, node, *eval))) {
    return;
  }
  const std::string_view text = module->parsed->source.text();
  const Expr *receiver = receiver_of(*eval);
  const std::string_view written = text.substr(receiver->start, receiver->end - receiver->start);
  Finding &finding =
      report(site, *eval,
             fmt::format("`{}` stays in evaluation mode: training continues, and nothing in this loop calls `train()`",
                         written),
             fmt::format("call `{}.train()` {}", written,
                         loop->steps ? "after the evaluation" : "at the start of each epoch"));
  const model::Modes modes = modes_at(site, *eval);
  if (modes == model::Modes::Same) {
    site.findings.pop_back();
    return;
  }
  // Who calls train() once, before the loop, has a model for which the mode matters.
  const std::string_view before = site.module->parsed->source.text().substr(
      site.function->node != nullptr ? site.function->node->start : 0,
      node.start - (site.function->node != nullptr ? site.function->node->start : 0));
  const bool is_switched = before.find(fmt::format("{}.train()", written)) != std::string_view::npos;
  finding.tier = (modes == model::Modes::Differ || is_switched) && !site.module->is_test ? Tier::On : Tier::Hint;
  finding.file = module->file;
  add_note(finding, site, node, "this loop trains the model");
}

// ---- Restored on some paths only -----------------------------------------------------------------------------------

// Does the node call train() on the model that is written so?
bool restores(const Site &site, const Node *node, std::string_view model) {
  return any_node(node, [&](const Node *inner) {
    const auto *call = as<Call>(inner);
    return call != nullptr && called_method(*call) == "train" && text_of(site, receiver_of(*call)) == model;
  });
}

bool restores(const Site &site, const Block &block, std::string_view model) {
  return std::ranges::any_of(block, [&](const Stmt *statement) { return restores(site, statement, model); });
}

// `model.eval()` in any case, and `model.train()` in one branch of a condition: whoever trains goes on in evaluation
// mode if the other one runs.
void check_branches(Site &site, const model::FunctionInfo &function) {
  const FunctionDef *definition = function.definition();
  if (definition == nullptr || function.trains) {
    return;
  }
  const Call *eval = nullptr;
  const If *branch = nullptr;
  for (const Stmt *statement : definition->body) {
    const auto *expression = as<ExprStmt>(statement);
    const auto *call = expression != nullptr ? as<Call>(expression->value) : nullptr;
    if (call != nullptr && call->args.empty() && called_method(*call) == "eval" &&
        model::kind_of(receiver_of(*call)) == Kind::TorchModule) {
      eval = call;
      branch = nullptr;
      continue;
    }
    if (eval == nullptr) {
      continue;
    }
    const std::string_view model = text_of(site, receiver_of(*eval));
    const auto *condition = as<If>(statement);
    if (condition == nullptr) {
      if (restores(site, statement, model)) {
        return;
      }
      continue;
    }
    const bool in_body = restores(site, condition->body, model);
    const bool in_else = restores(site, condition->orelse, model);
    if (in_body && in_else) {
      return;
    }
    branch = in_body || in_else ? condition : branch;
  }
  if (branch == nullptr || has_word(text_of(site, branch->test), {"train", "was_"})) {
    return;
  }
  const std::string_view model = text_of(site, receiver_of(*eval));
  Finding &finding = report(
      site, *eval, fmt::format("`{}` stays in evaluation mode unless the branch runs that calls `train()`", model),
      fmt::format("call `{}.train()` after the condition, or `eval()` inside the branch", model));
  const bool is_trained =
      std::ranges::any_of(function.called_by, [](const model::CallSite *caller) { return caller->caller->trains; });
  const model::Modes modes = modes_at(site, *eval);
  finding.tier = is_trained && modes != model::Modes::Same ? Tier::On : Tier::Hint;
  if (modes == model::Modes::Unknown) {
    finding.severity = Severity::Warning; // its layers are not in sight
  }
  add_note(finding, site, *branch->test, "training mode is restored only under this condition");
}

void check_any(Site &site, const Node &node) {
  if (const model::FunctionInfo *function = site.project.function_at(&node)) {
    check_branches(site, *function);
  } else {
    check(site, node);
  }
}

} // namespace

extern constinit const Rule kEvalNotRestored = {
    .info = {.code = "DP806",
             .name = "eval-not-restored",
             .summary = "`model.eval()` in a training loop that never calls `train()` again",
             .root_cause = "Training: Wrong Mode",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A loop that trains and that calls `model.eval()`, directly or through a function, while nothing in the loop calls `train()`. It is reported
if the model is known to have dropout or batch normalization, or `train()` is called once before the loop, silent if it is known to have neither, and a hint otherwise.

## Why it is wrong

After the first evaluation the model stays in evaluation mode: dropout is off, and batch normalization uses the statistics of the first
epoch and no longer updates them. Training continues without an error and ends with a worse model.

## Bad

```python
import torch


def train(model, optimizer, loader, test_loader, criterion):
    model.train()
    for epoch in range(100):
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            print(sum((model(x).argmax(1) == y).sum() for x, y in test_loader))
```

## Good

```python
import torch


def train(model, optimizer, loader, test_loader, criterion):
    for epoch in range(100):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            print(sum((model(x).argmax(1) == y).sum() for x, y in test_loader))
```

## When it is wrong

Where the model is trained in evaluation mode on purpose, as when fine-tuning with frozen batch statistics, or where another model is
trained.

## References

- PyTorch documentation of `torch.nn.Module.eval`
- CodeGuru detector library: PyTorch miss call eval
)"},
    .nodes = {NodeKind::For, NodeKind::While, NodeKind::FunctionDef},
    .on_node = check_any};

} // namespace deepperf::rules::eval_not_restored
