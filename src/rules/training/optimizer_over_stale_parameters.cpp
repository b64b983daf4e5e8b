#include "rules/reach.h"
#include "rules/tree.h"

#include "model/bind.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::optimizer_over_stale_parameters {

using namespace python;

namespace {

// `model` of `Adam(model.parameters())`; null if the parameters come from elsewhere.
const Name *model_of(const Call &optimizer) {
  const auto *call = !optimizer.args.empty() ? as<Call>(optimizer.args[0]) : nullptr;
  return call != nullptr && called_method(*call) == "parameters" ? as<Name>(receiver_of(*call)) : nullptr;
}

// A method that creates an optimizer for a model that the object keeps, takes one step with it and drops it.
bool check_method(Site &site, const Call &call) {
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  const auto *parameters = !call.args.empty() ? as<Call>(call.args[0]) : nullptr;
  const auto *model = parameters != nullptr && called_method(*parameters) == "parameters"
                          ? as<Attribute>(receiver_of(*parameters))
                          : nullptr;
  const auto *self = model != nullptr ? as<Name>(model->value) : nullptr;
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  if (definition == nullptr || self == nullptr || name == nullptr || site.function->type == nullptr ||
      definition->params.empty() || definition->params[0]->name != self->id || loop_around(site) != nullptr ||
      enclosing(site, NodeKind::If) != nullptr || site.module->is_test ||
      std::ranges::find(site.function->attribute_stores, model->attr) != site.function->attribute_stores.end()) {
    return false;
  }
  u32 steps = 0;
  u32 uses = 0;
  u32 known = 0;
  any_node(definition->body, [&](const Node *node) {
    const auto *used = as<Name>(node);
    uses += used != nullptr && used->id == name->id && used->context == Context::Load ? 1 : 0;
    const auto *one = as<Call>(node);
    const auto *receiver = one != nullptr ? as<Name>(receiver_of(*one)) : nullptr;
    if (receiver != nullptr && receiver->id == name->id) {
      known += called_method(*one) == "step" || called_method(*one) == "zero_grad" ? 1 : 0;
      steps += called_method(*one) == "step" ? 1 : 0;
    }
    return false;
  });
  const bool in_loop = std::ranges::any_of(site.function->loops, [](const model::Loop *loop) { return loop->trains; });
  if (steps != 1 || uses != known || in_loop || definition->name.text().find("inner") != std::string_view::npos) {
    return false;
  }
  Finding &finding = report(
      site, call, "the optimizer is created in every step, so momentum and other averages always start from zero",
      "create the optimizer once, in `__init__`, and keep it in `self`");
  const bool has_state = called_api(site, call) != "torch.optim.SGD" || keyword_argument(call, "momentum") != nullptr;
  finding.tier = has_state ? Tier::On : Tier::Hint;
  return true;
}

// A function that is one training step and that a loop calls.
void check_step(Site &site, const Call &call) {
  const model::FunctionInfo *function = site.function;
  const Name *model = model_of(call);
  if (loop_around(site) != nullptr || function == nullptr || function->definition() == nullptr || model == nullptr ||
      !function->steps || !function->in_loop || enclosing(site, NodeKind::If) != nullptr ||
      function->name.text().find("inner") != std::string_view::npos) {
    return;
  }
  const bool is_passed =
      std::ranges::any_of(function->params, [&](const Param *param) { return param->name == model->id; });
  const bool is_local = function->slot_of(model->id) != model::FunctionInfo::kNoSlot;
  if (is_local && !is_passed) {
    return; // the model is new as well
  }
  Finding &finding = report(
      site, call, "the optimizer is created in every step, so momentum and other averages always start from zero",
      "create the optimizer once, outside the step, and pass it in");
  finding.tier = Tier::Hint;
}

// `return torch.optim.Adam(…)` of a function that each iteration of a training loop calls for its optimizer.
void check_maker(Site &site, const Call &call) {
  const model::FunctionInfo *const function = site.function;
  if (function == nullptr || function->definition() == nullptr || loop_around(site) != nullptr || function->trains ||
      function->called_by.size() != 1 || site.ancestors.empty() || as<Return>(site.ancestors.back()) == nullptr) {
    return;
  }
  const model::CallSite &caller = *function->called_by[0];
  const model::Loop *const loop = caller.loop;
  if (loop == nullptr || !loop->steps || loop->tiny || caller.conditional || caller.by_type ||
      !goes_over_data(site_of(site, *caller.call), *loop)) {
    return;
  }
  // The model must not be new in each iteration: an attribute of the object, or a parameter that the loop leaves alone.
  const auto changes = [loop](const Node *node) {
    const auto *name = as<Name>(node);
    return name != nullptr && std::ranges::find(loop->assigned, name->id) != loop->assigned.end();
  };
  if (std::ranges::any_of(caller.call->args, [&](const Expr *given) { return any_node(given, changes); }) ||
      caller.caller->name.text().find("inner") != std::string_view::npos) {
    return;
  }
  Finding &finding = report(
      site, call, "the optimizer is created in every step, so momentum and other averages always start from zero",
      "create the optimizer once, before the loop");
  finding.notes.push_back({caller.caller->module->file, caller.call->span(), "each training step creates one here"});
}

void check_loop(Site &site, const Call &call) {
  if (check_method(site, call)) {
    return;
  }
  check_step(site, call);
  check_maker(site, call);
  const model::Loop *loop = loop_around(site);
  if (loop == nullptr || !loop->steps || loop->tiny || !runs_every_turn(site, *loop)) {
    return;
  }
  const Name *model = model_of(call);
  if (model == nullptr || std::ranges::find(loop->assigned, model->id) != loop->assigned.end() ||
      site.function->name.text().find("inner") != std::string_view::npos) {
    return;
  }
  Finding &finding = report(
      site, call, "the optimizer is created in every step, so momentum and other averages always start from zero",
      "create the optimizer once, before the loop");
  add_note(finding, site, *loop->node, "each iteration of this loop is a training step");
  if (!goes_over_data(site, *loop)) {
    finding.tier = Tier::Hint;
  }
}

// The model whose parameters the optimizer gets, also some of them: `[p for p in model.parameters() if …]`,
// `filter(…, model.parameters())`; null if they come from elsewhere.
const Expr *trained_model(const Expr *parameters) {
  if (const auto *call = as<Call>(parameters)) {
    const std::string_view name = called_name(*call);
    if (called_method(*call) == "parameters") {
      return receiver_of(*call);
    }
    const bool chooses = (name == "filter" && call->args.size() == 2) || (name == "list" && call->args.size() == 1);
    return chooses ? trained_model(call->args[call->args.size() - 1]) : nullptr;
  }
  const auto *chosen = parameters->kind == NodeKind::ListComp || parameters->kind == NodeKind::GeneratorExp
                           ? static_cast<const ComprehensionExpr *>(parameters)
                           : nullptr;
  return chosen != nullptr && chosen->generators.size() == 1 ? trained_model(chosen->generators[0]->iter) : nullptr;
}

// The call that makes a layer: without `.to(device)` and the like behind it.
const Call *maker_of_layer(const Expr *value) {
  const auto *call = as<Call>(value);
  while (call != nullptr && receiver_of(*call) != nullptr &&
         (called_method(*call) == "to" || called_method(*call) == "cuda")) {
    call = as<Call>(receiver_of(*call));
  }
  return call;
}

// Is the layer's attribute one of the model: `model.fc`, `model.head.out`?
bool is_inside(const Site &site, const Expr *layer, const Expr *model) {
  const std::string_view inner = text_of(site, layer);
  const std::string_view outer = text_of(site, model);
  return inner.size() > outer.size() + 1 && inner.starts_with(outer) && inner[outer.size()] == '.';
}

// `model = get_peft_model(model, …)`, `model = FSDP(model)` and `model.resize_token_embeddings(…)`: the parameters that
// are trained from then on are new ones.
bool replaces_parameters(const Site &site, const Stmt *statement, const Expr &model) {
  const auto *assignment = as<Assign>(statement);
  const auto *plain = as<ExprStmt>(statement);
  const auto *call = as<Call>(assignment != nullptr ? assignment->value : plain != nullptr ? plain->value : nullptr);
  if (call == nullptr) {
    return false;
  }
  if (called_method(*call) == "resize_token_embeddings" || called_method(*call) == "add_adapter") {
    return text_of(site, receiver_of(*call)) == text_of(site, &model);
  }
  const std::string_view api = called_api(site, *call);
  return (api == "peft.get_peft_model" || api == "torch.distributed.fsdp.FullyShardedDataParallel") &&
         !call->args.empty() && text_of(site, call->args[0]) == text_of(site, &model);
}

// Is it a layer with weights, as the code makes it?
bool makes_weights(const Site &site, const Call &made) {
  if (!called_api(site, made).starts_with("torch.nn.") || model::kind_of(&made) != Kind::TorchModule) {
    return false;
  }
  const ApiInfo *info = find_api(canonical_name(called_api(site, made)));
  return info != nullptr && (info->has(kWeights) || called_api(site, made) == "torch.nn.Sequential");
}

// `adapt(model)`, a function of the project that puts a new layer into what it is given: where it does; null if it does
// not.
const Node *layer_put_by(const Site &site, const Stmt *statement, const Expr &model) {
  const auto *assignment = as<Assign>(statement);
  const auto *plain = as<ExprStmt>(statement);
  const auto *call = as<Call>(assignment != nullptr ? assignment->value : plain != nullptr ? plain->value : nullptr);
  const model::FunctionInfo *function = call != nullptr ? called_function(site, *call) : nullptr;
  const FunctionDef *definition = function != nullptr ? function->definition() : nullptr;
  if (definition == nullptr) {
    return nullptr;
  }
  const Node *found = nullptr;
  for (u32 i = 0; i < call->args.size() && i < definition->params.size(); ++i) {
    if (text_of(site, call->args[i]) != text_of(site, &model) || called_method(*call).size() != 0) {
      continue;
    }
    const Symbol param = definition->params[i]->name;
    for (const Stmt *part : definition->body) { // not behind a test
      const auto *store = as<Assign>(part);
      const Expr *target = store != nullptr && store->targets.size() == 1 ? store->targets[0] : nullptr;
      const auto *element = as<Subscript>(target);
      const auto *layer = as<Attribute>(element != nullptr ? element->value : target);
      const Name *root = layer != nullptr ? model::root_name(layer) : nullptr;
      const Call *made = store != nullptr ? maker_of_layer(store->value) : nullptr;
      if (root != nullptr && root->id == param && made != nullptr && makes_weights(site, *made)) {
        found = part;
      }
    }
  }
  return found;
}

// The statements behind the one that makes the optimizer, in the same block.
void check_block(Site &site, const Call &call, const Expr &model, const Block &block, const Stmt *statement) {
  const auto at = std::find(block.begin(), block.end(), statement);
  if (at == block.end()) {
    return;
  }
  const bool is_told = std::any_of(at + 1, block.end(), [](const Stmt *later) {
    return any_node(static_cast<const Node *>(later), [](const Node *node) {
      const auto *made = as<Call>(node);
      return made != nullptr &&
             (called_method(*made) == "add_param_group" || model::kind_of(made) == Kind::TorchOptimizer);
    });
  });
  if (is_told) {
    return; // of the new ones, or made anew
  }
  for (auto next = at + 1; next != block.end(); ++next) {
    if (replaces_parameters(site, *next, model)) {
      Finding &finding =
          report(site, **next, "the model gets new parameters here, after the optimizer was created from the old ones",
                 "change the model first, then create the optimizer");
      add_note(finding, site, call, "the optimizer is created here, from the parameters that exist at this point");
      return;
    }
    if (const Node *layer = layer_put_by(site, *next, model)) {
      const auto *assigned = as<Assign>(*next);
      const Expr *value = assigned != nullptr ? assigned->value : static_cast<const ExprStmt *>(*next)->value;
      const model::FunctionInfo *function = called_function(site, *static_cast<const Call *>(value));
      Finding &finding =
          report(site, **next, "the model gets a new layer here, after the optimizer was created from the old ones",
                 "change the model first, then create the optimizer");
      add_note(finding, site, call, "the optimizer is created here, from the parameters that exist at this point");
      finding.notes.push_back({function->module->file, layer->span(), "the new layer is created here"});
      return;
    }
    const auto *assignment = as<Assign>(*next);
    if (assignment == nullptr || assignment->targets.size() != 1) {
      continue;
    }
    const Expr *target = assignment->targets[0];
    const auto *element = as<Subscript>(target); // model.classifier[6] = …
    const auto *layer = as<Attribute>(element != nullptr ? element->value : target);
    const Call *made = maker_of_layer(assignment->value);
    if (layer == nullptr || made == nullptr || !is_inside(site, layer, &model) ||
        !called_api(site, *made).starts_with("torch.nn.") || model::kind_of(made) != Kind::TorchModule) {
      continue;
    }
    const ApiInfo *info = find_api(canonical_name(called_api(site, *made)));
    const bool has_weights =
        info != nullptr && (info->has(kWeights) || called_api(site, *made) == "torch.nn.Sequential");
    if (!has_weights) {
      continue; // nothing to be trained
    }
    Finding &finding =
        report(site, **next, "this layer is added after the optimizer was created, so it is never trained",
               "change the model first, then create the optimizer");
    add_note(finding, site, call, "the optimizer is created here, from the parameters that exist at this point");
    if (model::kind_of(&model) != Kind::TorchModule) {
      finding.tier = Tier::Hint;
    }
    return;
  }
}

Block body_of(const Node *node) {
  switch (node->kind) {
  case NodeKind::FunctionDef:
    return static_cast<const FunctionDef *>(node)->body;
  case NodeKind::If:
    return static_cast<const If *>(node)->body;
  case NodeKind::With:
    return static_cast<const With *>(node)->body;
  case NodeKind::For:
    return static_cast<const For *>(node)->body;
  default:
    return {};
  }
}

void check(Site &site, const Call &call) {
  check_loop(site, call);
  const Expr *parameters = argument(call, 0, "params");
  if (const auto *name = as<Name>(parameters)) { // trainable = [p for p in model.parameters() if p.requires_grad]
    parameters = last_assigned(site, *name);
  }
  const Expr *model = parameters != nullptr ? trained_model(parameters) : nullptr;
  const auto *statement = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  if (model == nullptr || statement == nullptr) {
    return;
  }
  const Block block =
      site.ancestors.size() > 1 ? body_of(site.ancestors[site.ancestors.size() - 2]) : site.module->parsed->tree.body;
  check_block(site, call, *model, block, statement);
}

} // namespace

extern constinit const Rule kOptimizerOverStaleParameters = {
    .info = {.code = "DP814",
             .name = "optimizer-over-stale-parameters",
             .summary = "an optimizer that is created in every step, or before the model gets new layers",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence, Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

An optimizer over `model.parameters()` that is created inside a loop whose iterations are training steps, although the model stays the same;
and a model that gets a new layer with weights (`model.fc = nn.Linear(…)`) after its optimizer was created from all or some of its
parameters; also `get_peft_model(model, …)`, `FSDP(model)` and `model.resize_token_embeddings(…)` there.

## Why it is wrong

Adam's averages and SGD's momentum are stored in the optimizer. If it is created in every step they are always zero, which makes it a
different and usually worse optimizer. An optimizer holds the parameters that it was given: a layer that is added later is never trained,
while the layer it replaced still is.

## Bad

```python
import torch


def train(model, loader, criterion):
    for x, y in loader:
        optimizer = torch.optim.Adam(model.parameters())
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
```

## Good

```python
import torch


def train(model, loader, criterion):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
```

## When it is wrong

Where the averages are meant to be reset, as between tasks in meta-learning.

## References

- PyTorch documentation of `torch.optim`: constructing it
)"},
    .calls =
        "torch.optim.Adam torch.optim.AdamW torch.optim.NAdam torch.optim.RAdam torch.optim.Adamax torch.optim.RMSprop "
        "torch.optim.Adagrad torch.optim.Adadelta torch.optim.SGD",
    .on_call = check};

} // namespace deepperf::rules::optimizer_over_stale_parameters
