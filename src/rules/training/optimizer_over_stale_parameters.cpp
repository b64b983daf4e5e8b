#include "base/symbol_list.h"
#include "rules/new_layer.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include "model/bind.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::rules::optimizer_over_stale_parameters {

using namespace python;

namespace {

// `model` of `Adam(model.parameters())`; null if the parameters come from elsewhere.
const Expr *model_of(const Call &optimizer) {
  const auto *call = !optimizer.args.empty() ? as<Call>(optimizer.args[0]) : nullptr;
  return call != nullptr && called_method(*call) == "parameters" ? receiver_of(*call) : nullptr;
}

// Is the model, a name or an attribute of one, the same in each iteration of the loop, as far as the place tells?
bool is_model_kept(const Site &site, const Expr *model, const model::Loop &loop) {
  const Expr *root = model;
  while (const auto *attribute = as<Attribute>(root)) {
    if (std::ranges::find(loop.attributes, attribute->attr) != loop.attributes.end() ||
        std::ranges::find(site.function->attribute_stores, attribute->attr) != site.function->attribute_stores.end()) {
      return false;
    }
    root = attribute->value;
  }
  const auto *name = as<Name>(root);
  if (name == nullptr) {
    return false;
  }
  if (loop.function == site.function) {
    return std::ranges::find(loop.assigned, name->id) == loop.assigned.end();
  }
  const bool is_passed =
      std::ranges::find(site.function->params, name->id, &Param::name) != site.function->params.end();
  return is_passed || site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot;
}

// How often a name is read in a function, and for what.
struct Uses {
  u32 all = 0;
  u32 known = 0; // step() and zero_grad()
  u32 steps = 0;
};
struct UsesOfNames : std::unordered_map<u32, Uses> {};

const UsesOfNames &uses_of_names(const Site &site, const FunctionDef &definition) {
  return site.memory.recall<UsesOfNames>(&definition, [&definition] {
    UsesOfNames found;
    any_node(definition.body, [&](const Node *node) {
      const auto *used = as<Name>(node);
      if (used != nullptr && used->context == Context::Load) {
        ++found[used->id.id].all;
      }
      const auto *one = as<Call>(node);
      if (const auto *receiver = one != nullptr ? as<Name>(receiver_of(*one)) : nullptr) {
        Uses &uses = found[receiver->id.id];
        uses.known += called_method(*one) == "step" || called_method(*one) == "zero_grad" ? 1 : 0;
        uses.steps += called_method(*one) == "step" ? 1 : 0;
      }
      return false;
    });
    return found;
  });
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
  const auto &counts = uses_of_names(site, *definition);
  const auto found = counts.find(name->id.id);
  const Uses uses = found != counts.end() ? found->second : Uses{};
  const bool in_loop = std::ranges::any_of(site.function->loops, [](const model::Loop *loop) { return loop->trains; });
  if (uses.steps != 1 || uses.all != uses.known || in_loop ||
      definition->name.text().find("inner") != std::string_view::npos) {
    return false;
  }
  Finding &finding = report(
      site, call, "the optimizer is created in every step, so momentum and other averages always start from zero",
      "create the optimizer once, in `__init__`, and keep it in `self`");
  const bool has_state = called_api(site, call) != "torch.optim.SGD" || keyword_argument(call, "momentum") != nullptr;
  finding.tier = has_state ? Tier::On : Tier::Hint;
  return true;
}

// A function that is one training step and that loops call in several places, or under a test.
void check_step(Site &site, const Call &call) {
  const model::FunctionInfo *function = site.function;
  const auto *model = as<Name>(model_of(call));
  if (loop_around(site) != nullptr || function == nullptr || function->definition() == nullptr || model == nullptr ||
      !function->steps || !function->in_loop || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const bool is_passed = function->has_param(model->id);
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
  if (loop == nullptr || !loop->steps || loop->few_iterations || caller.conditional || caller.by_type ||
      !goes_over_data(site_of(site, *caller.call), *loop)) {
    return;
  }
  // The model must not be new in each iteration: an attribute of the object, or a parameter that the loop leaves alone.
  const auto changes = [loop](const Node *node) {
    const auto *name = as<Name>(node);
    return name != nullptr && contains(loop->assigned, name->id);
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
  if (check_method(site, call) || site.function == nullptr ||
      site.function->name.text().find("inner") != std::string_view::npos) {
    return;
  }
  check_maker(site, call);
  const Expr *const model = model_of(call);
  const model::Loop *const loop = step_loop_of(site);
  if (loop == nullptr) {
    check_step(site, call);
    return;
  }
  if (model == nullptr || !is_model_kept(site, model, *loop)) {
    return;
  }
  Finding &finding = report(
      site, call, "the optimizer is created in every step, so momentum and other averages always start from zero",
      loop->function == site.function ? "create the optimizer once, before the loop"
                                      : "create the optimizer once, outside the step, and pass it in");
  finding.notes.push_back(
      {loop->function->module->file, loop->node->span(), "each iteration of this loop is a training step"});
  if (!goes_over_data(site, *loop)) {
    finding.tier = Tier::Hint;
  }
}

// The receivers of `model.parameters()` and the like that stand in an expression.
void add_receivers(const Node *node, std::vector<const Expr *> &found) {
  any_node_inside(node, [&found](const Node *part) {
    const auto *call = as<Call>(part);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    if (method == "parameters" || method == "named_parameters") {
      found.push_back(receiver_of(*call));
    }
    return false;
  });
}

// What a function takes parameters of, if that is one thing.
struct OnlyReceivers {
  std::vector<const Expr *> all;
};

// The models, or parts of one, whose parameters the optimizer gets: as they are, some of them, or in groups. Names are
// followed to what was assigned to them last.
std::vector<const Expr *> trained_models(const Site &site, const Expr *parameters) {
  std::vector<const Expr *> found;
  add_receivers(parameters, found);
  if (!found.empty()) {
    return found;
  }
  const model::FunctionInfo *const function = site.function;
  const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
  bool is_local = false;
  any_node(parameters, [&](const Node *node) {
    const auto *name = as<Name>(node);
    const Expr *value = name != nullptr ? last_assigned(site, *name) : nullptr;
    if (value != nullptr) {
      add_receivers(value, found);
    }
    is_local = is_local || (name != nullptr && definition != nullptr &&
                            function->slot_of(name->id) != model::FunctionInfo::kNoSlot &&
                            std::ranges::find(function->params, name->id, &Param::name) == function->params.end());
    return false;
  });
  if (!found.empty() || !is_local) {
    return found;
  }
  // Lists that a loop over the parameters has filled.
  return site.memory
      .recall<OnlyReceivers>(definition,
                             [&] {
                               OnlyReceivers only;
                               add_receivers(definition, only.all);
                               const bool is_one = std::ranges::all_of(only.all, [&](const Expr *one) {
                                 return text_of(site, one) == text_of(site, only.all[0]);
                               });
                               only.all.resize(is_one ? std::min<std::size_t>(only.all.size(), 1) : 0);
                               return only;
                             })
      .all;
}

constexpr u32 kMostDepth = 2; // functions that call functions

// The call of a statement, without `.to(device)` and the like after it.
const Call *call_of(const Stmt *statement) {
  const auto *assignment = as<Assign>(statement);
  const auto *plain = as<ExprStmt>(statement);
  const auto *result = as<Return>(statement);
  const auto *call = as<Call>(assignment != nullptr ? assignment->value
                              : plain != nullptr    ? plain->value
                              : result != nullptr   ? result->value
                                                    : nullptr);
  while (call != nullptr && receiver_of(*call) != nullptr && as<Call>(receiver_of(*call)) != nullptr &&
         (called_method(*call) == "to" || called_method(*call) == "cuda" || called_method(*call) == "train")) {
    call = as<Call>(receiver_of(*call));
  }
  return call;
}

// `model = get_peft_model(model, …)`, `model = FSDP(model)` and `model.resize_token_embeddings(…)`, here or in a
// function that gets the model: the parameters that are trained from then on are new ones.
bool replaces_parameters(const Site &site, const Stmt *statement, std::string_view model, u32 depth = 0) {
  const Call *const call = call_of(statement);
  if (call == nullptr) {
    return false;
  }
  if (called_method(*call) == "resize_token_embeddings" || called_method(*call) == "add_adapter") {
    return text_of(site, receiver_of(*call)) == model;
  }
  const std::string_view api = called_api(site, *call);
  if (api == "peft.get_peft_model" || api == "torch.distributed.fsdp.FullyShardedDataParallel") {
    const Expr *const wrapped = argument(*call, 0, api == "peft.get_peft_model" ? "model" : "module");
    return wrapped != nullptr && text_of(site, wrapped) == model;
  }
  const model::FunctionInfo *const function = called_function(site, *call);
  const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
  if (definition == nullptr || depth == kMostDepth || has_hidden_arguments(*call) || function == site.function ||
      site.project.callee_of(call).is(model::Value::Tag::Class)) {
    return false;
  }
  const auto by = std::ranges::find(function->called_by, call, &model::CallSite::call);
  const u32 bound = by != function->called_by.end() && (*by)->bound ? 1 : 0;
  Site inside = site_of(site, *call);
  inside.function = function;
  inside.module = function->module;
  inside.type = function->type;
  inside.ancestors = {definition};
  for (u32 i = bound; i < function->params.size(); ++i) {
    const std::string_view name = function->params[i]->name.text();
    const Expr *const given = argument(*call, i - bound, name);
    if (given == nullptr || text_of(site, given) != model) {
      continue;
    }
    return std::ranges::any_of(definition->body, [&](const Stmt *part) { // not under a test
      return replaces_parameters(inside, part, name, depth + 1);
    });
  }
  return false;
}

// Does the statement, or what it calls, tell the optimizer of new parameters, or make another one, also as the given
// call does?
bool is_given(const Site &site, const Stmt *statement, const Call &call) {
  const model::FunctionInfo *const function = called_function(site, call);
  const auto gives = [&](const Node *node) {
    const auto *made = as<Call>(node);
    return made != nullptr &&
           (called_method(*made) == "add_param_group" || model::kind_of(made) == Kind::TorchOptimizer ||
            (function != nullptr && called_function(site, *made) == function));
  };
  return any_node(static_cast<const Node *>(statement), gives) ||
         (site.function != nullptr &&
          std::ranges::any_of(reached_functions(*site.function, *statement), [&](const model::FunctionInfo *reached) {
            return reached->definition() != nullptr && any_node(reached->definition()->body, gives);
          }));
}

// The statements after the call that makes the optimizer, in the function that the site stands in.
void check_after(Site &site, const Call &call, std::string_view model, bool is_certain) {
  const Block &body = site.function != nullptr && site.function->definition() != nullptr
                          ? site.function->definition()->body
                          : site.module->parsed->tree.body;
  if (any_statement_after(body, call.start, [&](const Stmt *next) { return is_given(site, next, call); })) {
    return;
  }
  any_statement_after(body, call.start, [&](const Stmt *next) {
    if (replaces_parameters(site, next, model)) {
      Finding &finding =
          report(site, *next, "the model gets new parameters here, after the optimizer was created from the old ones",
                 "change the model first, then create the optimizer");
      add_note(finding, site, call, "the optimizer is created here, from the parameters that exist at this point");
      return true;
    }
    for (const NewLayer &layer : new_layers(site, *next)) {
      if (!is_inside(layer.target, model)) {
        continue;
      }
      const bool is_own = layer.function == nullptr;
      Finding &finding =
          report(site, *next,
                 is_own ? "this layer is added after the optimizer was created, so it is never trained"
                        : "the model gets a new layer here, after the optimizer was created from the old ones",
                 "change the model first, then create the optimizer");
      add_note(finding, site, call, "the optimizer is created here, from the parameters that exist at this point");
      if (!is_own) {
        finding.notes.push_back({layer.function->module->file, layer.place->span(), "the new layer is created here"});
      } else if (!is_certain && !layer.is_certain) {
        finding.tier = Tier::Hint;
      }
      return true;
    }
    return false;
  });
}

// The names that a function returns, alone or among others.
struct ReturnedNames : std::unordered_set<u32> {};

const ReturnedNames &returned_names(const Site &site, const FunctionDef &definition) {
  return site.memory.recall<ReturnedNames>(&definition, [&definition] {
    ReturnedNames found;
    const auto add = [&found](const Expr *one) {
      if (const auto *name = as<Name>(one)) {
        found.insert(name->id.id);
      }
    };
    any_node(definition.body, [&](const Node *node) {
      const auto *result = as<Return>(node);
      const Expr *const value = result != nullptr ? result->value : nullptr;
      if (const auto *tuple = value != nullptr ? as<Tuple>(value) : nullptr) {
        std::ranges::for_each(tuple->elts, add);
      } else if (value != nullptr) {
        add(value);
      }
      return false;
    });
    return found;
  });
}

// Does the function return the optimizer that the call at the site makes, alone or among others?
bool returns_it(const Site &site) {
  if (site.ancestors.empty()) {
    return false;
  }
  if (as<Return>(site.ancestors.back()) != nullptr) {
    return true;
  }
  const auto *assignment = as<Assign>(site.ancestors.back());
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  return name != nullptr && returned_names(site, *site.function->definition()).contains(name->id.id);
}

// `optimizer = make_optimizer(model)`: the callers of a function that makes it for the model that it is given.
void check_callers(const Site &site, const Expr &model) {
  const auto *root = model::root_name(&model);
  const bool is_plain = root == &model || model.kind == NodeKind::Attribute;
  if (site.function == nullptr || site.function->definition() == nullptr || root == nullptr || !is_plain ||
      !returns_it(site)) {
    return;
  }
  const model::FunctionInfo &function = *site.function;
  for (const model::CallSite *by : function.called_by) {
    std::string seen;
    for (u32 i = 0; i < function.params.size(); ++i) {
      if (function.params[i]->name != root->id || has_hidden_arguments(*by->call)) {
        continue;
      }
      const Expr *given =
          by->bound && i == 0 ? receiver_of(*by->call) : argument(*by->call, i - (by->bound ? 1 : 0), root->id.text());
      if (given != nullptr && (given->kind == NodeKind::Name || given->kind == NodeKind::Attribute)) {
        seen = std::string(text_of(site_of(site, *by->call), given)) +
               std::string(text_of(site, &model).substr(root->id.text().size()));
      }
    }
    if (!seen.empty()) {
      Site there = site_of(site, *by->call);
      check_after(there, *by->call, seen, true);
    }
  }
}

// The constructor that the function is, or that calls it for the same object; null if it is neither.
const model::FunctionInfo *constructor_around(const Site &site) {
  constexpr std::string_view kName = "__init__";
  const model::FunctionInfo *const function = site.function;
  if (function == nullptr || function->definition() == nullptr || function->type == nullptr ||
      function->params.empty()) {
    return nullptr;
  }
  if (function->name.text() == kName) {
    return function;
  }
  for (const model::CallSite *by : function->called_by) {
    const model::FunctionInfo *const caller = by->caller;
    const auto *receiver = as<Name>(receiver_of(*by->call));
    if (by->bound && caller->name.text() == kName && caller->definition() != nullptr && !caller->params.empty() &&
        receiver != nullptr && receiver->id == caller->params[0]->name) {
      return caller;
    }
  }
  return nullptr;
}

// The parameter that a constructor keeps in the attribute: `self.model = model`; an empty name if it keeps another
// value.
Symbol parameter_kept_as(const model::FunctionInfo &constructor, std::string_view attribute) {
  for (const Stmt *statement : constructor.definition()->body) {
    const auto *store = as<Assign>(statement);
    const auto *target = store != nullptr && store->targets.size() == 1 ? as<Attribute>(store->targets[0]) : nullptr;
    const auto *owner = target != nullptr ? as<Name>(target->value) : nullptr;
    if (owner != nullptr && owner->id == constructor.params[0]->name && target->attr.text() == attribute) {
      const auto *value = as<Name>(store->value);
      return value != nullptr && constructor.has_param(value->id) ? value->id : Symbol{};
    }
  }
  return {};
}

// `trainer = Trainer(model)`, whose constructor makes the optimizer of its own model or of the one that it is given:
// what the code around then does with `trainer.model`, with `model`, or by `trainer.replace_head()`.
void check_objects(const Site &site, const Expr &model) {
  const model::FunctionInfo *const constructor = constructor_around(site);
  const auto *root = model::root_name(&model);
  const bool is_plain = root == &model || model.kind == NodeKind::Attribute;
  if (constructor == nullptr || root == nullptr || !is_plain || site.ancestors.empty()) {
    return;
  }
  const std::string path(text_of(site, &model).substr(root->id.text().size())); // `.model`, or empty
  const bool is_own = root->id == site.function->params[0]->name;
  if (!is_own && constructor != site.function) {
    return;
  }
  const std::string_view attribute = std::string_view(path).substr(0, path.find('.', 1)); // `.model` of `.model.head`
  const Symbol kept = !is_own                ? root->id
                      : attribute.size() > 1 ? parameter_kept_as(*constructor, attribute.substr(1))
                                             : Symbol{};
  const std::string rest = is_own && !attribute.empty() ? path.substr(attribute.size()) : path;
  for (const model::CallSite *by : constructor->called_by) {
    if (!site.project.callee_of(by->call).is(model::Value::Tag::Class) || has_hidden_arguments(*by->call)) {
      continue;
    }
    Site there = site_at(site, *by->caller, *by->call);
    const auto *store = !there.ancestors.empty() ? as<Assign>(there.ancestors.back()) : nullptr;
    if (is_own && store != nullptr && store->targets.size() == 1 && store->value == by->call) {
      check_after(there, *by->call, std::string(text_of(there, store->targets[0])) + path, true);
    }
    for (u32 i = 1; kept && i < constructor->params.size(); ++i) {
      const Expr *const given =
          constructor->params[i]->name == kept ? argument(*by->call, i - 1, kept.text()) : nullptr;
      if (given != nullptr && (given->kind == NodeKind::Name || given->kind == NodeKind::Attribute)) {
        check_after(there, *by->call, std::string(text_of(there, given)) + rest, true);
      }
    }
  }
}

void check(Site &site, const Call &call) {
  check_loop(site, call);
  const Expr *parameters = argument(call, 0, "params");
  if (parameters == nullptr) {
    return;
  }
  std::vector<std::string_view> seen;
  for (const Expr *model : trained_models(site, parameters)) {
    const std::string_view text = text_of(site, model);
    if (std::ranges::find(seen, text) != seen.end()) {
      continue;
    }
    seen.push_back(text);
    if (!site.ancestors.empty() && as<Assign>(site.ancestors.back()) != nullptr) {
      check_after(site, call, text, model::kind_of(model) == Kind::TorchModule);
    }
    check_callers(site, *model);
    check_objects(site, *model);
  }
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
