#include "model/graph_flow.h"
#include "python/children.h"
#include "rules/assignments.h"
#include "rules/lightning.h"
#include "rules/optimizer_module.h"
#include "rules/reach.h"
#include "rules/run_only.h"
#include "rules/thin.h"
#include "rules/trained_modules.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::rules::untrained_model_tracked {

using namespace python;

namespace {

// What is done with names in a function, or in a module's own code with the functions inside.
struct NameUses {
  std::unordered_map<u32, bool> only_run; // false: it may be trained, or given to somebody who does
  std::unordered_map<u32, bool> in_eval;  // its eval() is called
  bool makes_optimizer = false;           // so that it is seen what is trained

  [[nodiscard]] bool is_only_run(Symbol name) const {
    const auto known = only_run.find(name.id);
    return known != only_run.end() && known->second;
  }
};

void note_use(const Site &site, NameUses &uses, const Name &name, const Node *parent) {
  const auto *call = as<Call>(parent);
  const auto *member = as<Attribute>(parent);
  const bool is_stored = name.context != Context::Load;
  const bool is_fine = is_stored || (call != nullptr && call->func == &name) ||
                       (call != nullptr && call->func != &name && is_run_by_callee(site, *call, name)) ||
                       (member != nullptr && member->value == &name && keeps_weights(member->attr.text()));
  const auto [at, is_new] = uses.only_run.try_emplace(name.id.id, is_fine);
  at->second = at->second && is_fine;
  if (member != nullptr && member->value == &name && member->attr.text() == "eval") {
    uses.in_eval[name.id.id] = true;
  }
}

// `load(…).to(device).eval()`
bool is_switched(const Expr *value) {
  const auto *call = as<Call>(value);
  while (call != nullptr && receiver_of(*call) != nullptr) {
    if (called_method(*call) == "eval" && call->args.empty()) {
      return true;
    }
    call = as<Call>(receiver_of(*call));
  }
  return false;
}

NameUses find_uses(const Site &site) {
  NameUses uses;
  const auto visit = [&](const auto &self, const Node *node, const Node *parent) -> void {
    if (const auto *assign = as<Assign>(node); assign != nullptr && assign->targets.size() == 1) {
      const auto *target = as<Name>(assign->targets[0]);
      if (target != nullptr && is_switched(assign->value)) {
        uses.in_eval[target->id.id] = true;
      }
    }
    if (const auto *name = as<Name>(node)) {
      note_use(site, uses, *name, parent);
    } else if (const auto *made = as<Call>(node)) {
      uses.makes_optimizer = uses.makes_optimizer || model::kind_of(made) == Kind::TorchOptimizer;
    }
    for_each_child(node, [&](const Node *child) { self(self, child, node); });
  };
  if (site.function->node != nullptr) {
    visit(visit, site.function->node, nullptr);
  } else {
    for (const Stmt *statement : site.module->parsed->tree.body) {
      visit(visit, statement, nullptr);
    }
  }
  return uses;
}

// Is it data of the batch: a name that a loop around the place binds, moved, cast or picked from?
bool is_batch_data(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr std::string_view kSame[] = {"to",      "cuda",      "long", "float",  "half",
                                        "squeeze", "unsqueeze", "view", "flatten"};
  if (const auto *call = as<Call>(expr)) {
    const Expr *object = receiver_of(*call);
    return object != nullptr && std::ranges::find(kSame, called_method(*call)) != std::end(kSame) &&
           is_batch_data(site, object, depth);
  }
  if (const auto *element = as<Subscript>(expr)) {
    return is_batch_data(site, element->value, depth);
  }
  if (const auto *attribute = as<Attribute>(expr)) {
    return is_batch_data(site, attribute->value, depth);
  }
  const auto *name = as<Name>(expr);
  if (name == nullptr || model::has_grad(name)) {
    return false;
  }
  if (const Expr *assigned = depth < 4 ? last_assigned(site, *name) : nullptr) {
    const auto *mapped = as<DictComp>(assigned); // {k: v.to(device) for k, v in batch.items()}
    return mapped != nullptr || is_batch_data(site, assigned, depth + 1);
  }
  for (const model::Loop *loop = loop_around(site); loop != nullptr; loop = loop->parent) {
    const auto *statement = as<For>(loop->node);
    if (statement != nullptr && mentions(statement->target, name->id)) {
      return true;
    }
  }
  return false;
}

bool takes_batch_data(const Site &site, const Call &call) {
  return (!call.args.empty() || !call.keywords.empty()) &&
         std::ranges::all_of(call.args,
                             [&](const Expr *argument) {
                               return argument->kind == NodeKind::Constant || is_batch_data(site, argument);
                             }) &&
         std::ranges::all_of(call.keywords, [&](const Keyword *keyword) {
           return keyword->value->kind == NodeKind::Constant || is_batch_data(site, keyword->value);
         });
}

const FunctionDef *method_of(const model::ClassInfo &type, std::string_view name) {
  const auto found = std::ranges::find_if(type.node->body, [name](const Stmt *statement) {
    const auto *method = as<FunctionDef>(statement);
    return method != nullptr && method->name.text() == name;
  });
  return found != type.node->body.end() ? static_cast<const FunctionDef *>(*found) : nullptr;
}

// A pretrained part of a LightningModule whose optimizer gets the parameters of other parts alone.
void check_lightning(Site &site, const Call &call, const Attribute *part) {
  const auto *self = part != nullptr ? as<Name>(part->value) : nullptr;
  if (self == nullptr || site.function == nullptr || site.function->type == nullptr || site.module->is_test ||
      !leads_from_training_step(site) || under_no_grad(site) || !is_plain_lightning_module(*site.function->type)) {
    return;
  }
  const model::Value model = value_of(site, part);
  const bool is_loaded = model.is(model::Value::Tag::Instance) && model.maker() != nullptr && model.name() &&
                         model.name().text().ends_with(".from_pretrained");
  const FunctionDef *const optimizers = method_of(*site.function->type, "configure_optimizers");
  if (!is_loaded || optimizers == nullptr) {
    return;
  }
  const std::string_view type = text_of(site, site.function->type->node);
  const std::string_view optimized = text_of(site, optimizers);
  const auto is_tracked = [](const Expr *given) { return model::has_grad(given); };
  if (has_word(optimized, {"self.parameters()", "self.named_parameters()", "filter(", "getattr", "for "}) ||
      !has_word(optimized, {".parameters()"}) || has_word(optimized, {text_of(site, part)}) ||
      has_word(type, {"requires_grad", "freeze", "no_grad", "get_peft_model"}) ||
      std::ranges::any_of(call.args, is_tracked) ||
      std::ranges::any_of(call.keywords, [&](const Keyword *given) { return is_tracked(given->value); })) {
    return;
  }
  Finding &finding = report(
      site, call,
      fmt::format("the gradients of `{}` are computed in every step, and no optimizer uses them", text_of(site, part)),
      "run it under `torch.no_grad()`, or freeze it with `requires_grad_(False)`");
  finding.notes.push_back({site.module->file, optimizers->name_span, "only other parts are trained"});
}

// ---- self.target = copy.deepcopy(self.model) ------------------------------------------------------------------------

// How a class makes and uses the models that it keeps.
struct KeptModels {
  struct Stores {
    u32 count = 0;
    const Call *copied = nullptr; // copy.deepcopy(…) of the last one
  };
  std::unordered_map<u32, Stores> stores;   // by attribute
  std::vector<std::string_view> optimizers; // the calls that make them
  bool is_trained = false;                  // all of it, or frozen, so that it has no gradients
};

KeptModels find_kept_models(const Site &site, const ClassDef &type) {
  KeptModels found;
  const auto visit = [&](const auto &self, const Node *node) -> void {
    if (const auto *assign = as<Assign>(node)) {
      if (const auto *target = as<Attribute>(assign->targets[0])) {
        const Call *call = as<Call>(run_by(assign->value));
        while (call != nullptr && receiver_of(*call) != nullptr && called_api(site, *call).empty()) {
          call = as<Call>(receiver_of(*call)); // deepcopy(…).to(device)
        }
        KeptModels::Stores &stores = found.stores[target->attr.id];
        stores.copied = call != nullptr && called_api(site, *call) == "copy.deepcopy" ? call : nullptr;
        ++stores.count;
      }
    } else if (const auto *call = as<Call>(node); call != nullptr && model::kind_of(call) == Kind::TorchOptimizer) {
      found.optimizers.push_back(text_of(site, node));
      found.is_trained = found.is_trained || found.optimizers.back().find("self.parameters(") != std::string_view::npos;
    }
    for_each_child(node, [&](const Node *child) { self(self, child); });
  };
  visit(visit, &type);
  found.is_trained = found.is_trained || found.optimizers.empty() ||
                     text_of(site, &type).find("requires_grad") != std::string_view::npos;
  return found;
}

// The copy that the class keeps in the attribute, made once and never trained; null if it is something else.
const Call *untrained_copy(const Site &site, const ClassDef &type, Symbol attribute) {
  const KeptModels &kept = site.memory.recall<KeptModels>(&type, [&] { return find_kept_models(site, type); });
  const auto stores = kept.stores.find(attribute.id);
  if (kept.is_trained || stores == kept.stores.end() || stores->second.count != 1) {
    return nullptr;
  }
  const std::string member = fmt::format(".{}.", attribute.text());
  const bool is_trained = std::ranges::any_of(
      kept.optimizers, [&](std::string_view text) { return text.find(member) != std::string_view::npos; });
  return is_trained ? nullptr : stores->second.copied;
}

// A target network that the step of its owner runs with gradients.
void check_copy(Site &site, const Call &call, const Attribute &model) {
  const auto *self = as<Name>(model.value);
  if (self == nullptr || site.function->type == nullptr || site.function->params.empty() ||
      site.function->params[0]->name != self->id || !site.function->steps || call.args.empty() ||
      call.keywords.size() != 0) {
    return;
  }
  // What is computed from it may need the gradients of its inputs.
  const auto is_given = [&](const Expr *given) {
    const auto *name = as<Name>(given);
    return name != nullptr && !model::has_grad(name) && site.function->has_param(name->id);
  };
  if (!std::ranges::all_of(call.args, is_given)) {
    return;
  }
  const Call *const copy = untrained_copy(site, *site.function->type->node, model.attr);
  if (copy == nullptr) {
    return;
  }
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const Node *const around = site.ancestors[i];
    const bool is_statement = around->kind >= NodeKind::FunctionDef;
    const auto *method = as<Call>(around);
    if ((method != nullptr && called_method(*method) == "detach") ||
        (is_statement && text_of(site, around).find("detach") != std::string_view::npos)) {
      return; // only the forward pass is recorded
    }
    if (is_statement) {
      break;
    }
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` is not trained, but every step records its autograd graph and computes its gradients",
                         text_of(site, &model)),
             "run it under `torch.no_grad()`");
  finding.notes.push_back(
      {site_of(site, *copy).module->file, copy->span(), "it is a copy whose parameters no optimizer receives"});
}

// ---- parts.vae.encode(images), where only parts.unet is trained -----------------------------------------------------

// The attributes that a project reads, `self.vae`, `parts.vae`: is nothing but running done to what they hold?
struct MemberUses : std::unordered_map<u32, bool> {};

void note_members(const Node *node, const Node *parent, MemberUses &uses) {
  const auto *member = as<Attribute>(node);
  if (member != nullptr && member->context == Context::Load) {
    const auto *call = as<Call>(parent);
    const auto *part = as<Attribute>(parent);
    const bool is_fine = (call != nullptr && call->func == member) ||
                         (part != nullptr && part->value == member && keeps_weights(part->attr.text()));
    bool &is_only_run = uses.try_emplace(member->attr.id, true).first->second;
    is_only_run = is_only_run && is_fine;
  }
  for_each_child(node, [&](const Node *child) { note_members(child, node, uses); });
}

bool is_only_run_anywhere(const Site &site, Symbol name) {
  const MemberUses &uses = site.memory.recall<MemberUses>(&site.project, [&site] {
    MemberUses found;
    for (const model::Module &module : site.project.modules) {
      for (const Stmt *statement : module.parsed->tree.body) {
        note_members(statement, nullptr, found);
      }
    }
    return found;
  });
  const auto found = uses.find(name.id);
  return found != uses.end() && found->second;
}

// A pretrained model that an object of the program holds next to the one that is trained.
void check_member(Site &site, const Call &call, const Attribute &model) {
  const model::Value value = value_of(site, &model);
  const bool is_loaded = value.is(model::Value::Tag::Instance) && value.alternatives == nullptr &&
                         value.maker() != nullptr && value.name() && value.name().text().ends_with("from_pretrained") &&
                         (value.kind == Kind::HfModel || value.kind == Kind::TorchModule);
  if (!is_loaded || !context_of(site).in_training_step || under_no_grad(site)) {
    return;
  }
  const model::Value owner = value_of(site, model.value);
  const bool is_plain = owner.is(model::Value::Tag::Object) && owner.type->kind == Kind::Unknown;
  const auto is_data = [](const Expr *given) { return !model::has_grad(given); };
  if (!is_plain || !std::ranges::all_of(call.args, is_data) ||
      !std::ranges::all_of(call.keywords, [&](const Keyword *given) { return is_data(given->value); }) ||
      !project_has_word(site, {"optim"}) || function_has_word(site, {".detach()"}) ||
      project_has_word(site, {"freeze", "get_peft_model", "setattr(", "vars(", "__dict__"}) ||
      !is_only_run_anywhere(site, model.attr)) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` is not trained, but every step records its autograd graph and computes its gradients",
                         text_of(site, &model)),
             "run it under `torch.no_grad()`, or freeze it with `requires_grad_(False)`");
  finding.notes.push_back({site_of(site, *value.maker()).module->file, value.maker()->span(),
                           "no optimizer receives the parameters of this model"});
}

// `log_probs(reference, ids)`: a function that only runs the model it is given.
void check_passed(Site &site, const Call &call) {
  const model::Loop *const loop = loop_around(site);
  const model::FunctionInfo *const function = loop != nullptr && loop->steps ? called_function(site, call) : nullptr;
  if (function == nullptr || function->no_grad || function->decorated_no_grad || under_no_grad(site)) {
    return;
  }
  for (const Expr *given : call.args) {
    const auto *name = as<Name>(given);
    if (name == nullptr || model::kind_of(name) != Kind::HfModel) {
      continue;
    }
    const model::Value model = value_of(site, name);
    const bool is_loaded = model.is(model::Value::Tag::Instance) && model.alternatives == nullptr &&
                           model.maker() != nullptr && model.name() && model.name().text().ends_with("from_pretrained");
    // A name of the module is used in all of its functions.
    Site owner = site;
    if (site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot) {
      owner.function = site.module->body;
    }
    if (!is_loaded || site.project.caller_of(model.maker()) != owner.function || !is_run_by_callee(site, call, *name)) {
      continue;
    }
    const NameUses &uses = site.memory.recall<NameUses>(owner.function, [&owner] { return find_uses(owner); });
    const auto is_tracked = [name](const Expr *other) { return other != name && model::has_grad(other); };
    if (!uses.makes_optimizer || !uses.is_only_run(name->id) || std::ranges::any_of(call.args, is_tracked)) {
      continue;
    }
    Finding &finding = report(
        site, call,
        fmt::format("`{}` is not trained here, but every step records its autograd graph and computes its gradients",
                    name->id.text()),
        "run it under `torch.no_grad()`");
    finding.notes.push_back(
        {site.module->file, model.maker()->span(), "no optimizer receives the parameters of this model"});
    return;
  }
}

// The same of a model that the object keeps: `self.log_probs(self.reference, batch)`. It is a copy of the model that is
// trained, or it is loaded and in evaluation mode.
void check_passed_member(Site &site, const Call &call) {
  const model::FunctionInfo *const function = called_function(site, call);
  if (function == nullptr || function->no_grad || function->decorated_no_grad || site.function->type == nullptr) {
    return;
  }
  for (const Expr *given : call.args) {
    const auto *member = as<Attribute>(given);
    const auto *self = member != nullptr ? as<Name>(member->value) : nullptr;
    if (self == nullptr || site.function->params.empty() || site.function->params[0]->name != self->id) {
      continue;
    }
    const Call *const copy = untrained_copy(site, *site.function->type->node, member->attr);
    const auto is_tracked = [given](const Expr *other) { return other != given && model::has_grad(other); };
    if (copy == nullptr || !is_run_by_callee(site, call, *given) || std::ranges::any_of(call.args, is_tracked) ||
        !context_of(site).in_training_step || context_of(site).no_grad != PlaceContext::NoGrad::Never ||
        function_has_word(site, {".detach()", "lerp", "update("})) {
      continue;
    }
    Finding &finding =
        report(site, call,
               fmt::format("`{}` is not trained, but every step records its autograd graph and computes its gradients",
                           text_of(site, given)),
               "run it under `torch.no_grad()`");
    finding.notes.push_back(
        {site_of(site, *copy).module->file, copy->span(), "it is a copy whose parameters no optimizer receives"});
    return;
  }
}

// ---- A model that is made in one place and run in another: a teacher in a closure, in a helper, as an attribute -----

// Is what is passed data, and no result of a model whose weights the gradients are for?
bool is_data_without_graph(const Site &site, const Expr *given, u32 depth) {
  constexpr u32 kMostDepth = 3;
  if (given->kind == NodeKind::Constant || is_batch_data(site, given)) {
    return true;
  }
  if (model::has_grad(given) || depth == kMostDepth) {
    return false;
  }
  const auto *name = as<Name>(given);
  if (const auto *part = as<Subscript>(given)) { // batch["pixel_values"]
    return model::kind_of(given) == Kind::TorchTensor || is_data_without_graph(site, part->value, depth);
  }
  if (const auto *part = as<Attribute>(given)) { // batch.pixel_values
    return model::kind_of(given) == Kind::TorchTensor || is_data_without_graph(site, part->value, depth);
  }
  if (const auto *moved = as<Call>(given); moved != nullptr && called_method(*moved) == "to") {
    return is_data_without_graph(site, receiver_of(*moved), depth);
  }
  if (name == nullptr || !site.function->has_param(name->id) || last_assigned(site, *name) != nullptr) {
    return model::kind_of(given) == Kind::TorchTensor;
  }
  return std::ranges::all_of(passed_for(*site.function, name->id), [&](const Passed &passed) {
    return passed.value != nullptr &&
           is_data_without_graph(site_of_node(site_of(site, *passed.site->call), *passed.site->call), passed.value,
                                 depth + 1);
  });
}

bool takes_no_graph(const Site &site, const Call &call) {
  const auto is_data = [&site](const Expr *given) { return is_data_without_graph(site, given, 0); };
  return std::ranges::all_of(call.args, is_data) &&
         std::ranges::all_of(call.keywords, [&](const Keyword *given) { return is_data(given->value); });
}

// Does the function cut the graph off, or take numbers from it alone?
bool is_cut(const Site &site, const Call &call) {
  const auto &origins = model::graph_flow_of(site.project, *site.function).origins;
  const auto origin = std::ranges::find(origins, static_cast<const Node *>(&call), &model::GraphFlow::Origin::place);
  constexpr u16 kCut = model::GraphFlow::kDetached | model::GraphFlow::kNeedsNoGraph;
  constexpr u16 kOnward = model::GraphFlow::kWalked | model::GraphFlow::kReturned | model::GraphFlow::kStored;
  return origin != origins.end() && ((origin->uses & kCut) != 0 || (origin->uses & kOnward) == 0);
}

// Do calls with gradients lead from a loop that trains to the function, whatever else calls it for an evaluation?
bool is_called_with_gradients(const model::FunctionInfo &function, u32 depth = 0) {
  constexpr u32 kDeepest = 3;
  constexpr std::size_t kMostCallers = 8;
  std::size_t tried = 0;
  for (const model::CallSite *caller : function.called_by) {
    if (caller->no_grad || caller->caller->no_grad || ++tried > kMostCallers) {
      continue;
    }
    for (const model::Loop *loop = caller->loop; loop != nullptr; loop = loop->parent) {
      if (loop->trains) {
        return true;
      }
    }
    if (depth < kDeepest && is_called_with_gradients(*caller->caller, depth + 1)) {
      return true;
    }
  }
  return false;
}

// Methods that run a model, or a part of it.
bool is_forward_pass(std::string_view method) {
  return method == "encode" || method == "get_image_features" || method == "get_text_features";
}

// The model that a call runs: itself, or `vae` of `vae.encode(images)`; null if it is something else.
const Expr *model_run_by(const Site &site, const Call &call) {
  const auto *method = as<Attribute>(call.func);
  if (method == nullptr || !is_forward_pass(method->attr.text())) {
    return model::has_grad(&call) ? call.func : nullptr;
  }
  const model::Value module = value_of(site, method->value);
  const bool is_loaded = (module.is_kind(Kind::TorchModule) || module.is_kind(Kind::HfModel)) && module.name() &&
                         module.name().text().ends_with("from_pretrained");
  // What the encoding is cut off by is not followed.
  return is_loaded && !function_has_word(site, {".detach()"}) ? method->value : nullptr;
}

void check_elsewhere(Site &site, const Call &call) {
  const Expr *const model = model_run_by(site, call);
  const bool is_held = model != nullptr && (model->kind == NodeKind::Name || model->kind == NodeKind::Attribute);
  if (!is_held || (call.args.empty() && call.keywords.empty()) || !takes_no_graph(site, call)) {
    return;
  }
  const PlaceContext context = context_of(site);
  const model::Value module = value_of(site, model);
  const bool is_tracked =
      context.no_grad == PlaceContext::NoGrad::Never ||
      (context.no_grad == PlaceContext::NoGrad::Sometimes && is_called_with_gradients(*site.function));
  if (!context.in_training_step || !is_tracked || is_cut(site, call)) {
    return;
  }
  const TrainedModules &trained = trained_modules(site);
  if (!trained.is_left_alone(site, module) || !trained.is_ready(module)) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` is not trained, but every step records its autograd graph and computes its gradients",
                         text_of(site, model)),
             "run it under `torch.no_grad()`");
  if (const Call *maker = maker_of_module(module)) {
    finding.notes.push_back(
        {site_of(site, *maker).module->file, maker->span(), "no optimizer receives the parameters of this model"});
  }
}

// Does what the place computes go on to a backward pass: in the same step, or in what the function returns?
bool is_part_of_loss(const Site &site) {
  const model::Loop *const loop = loop_around(site);
  const FunctionDef *const definition = site.function->definition();
  const auto returns_graph = [](const Node *node) {
    const auto *result = as<Return>(node);
    const auto *parts = result != nullptr ? as<Tuple>(result->value) : nullptr;
    return parts != nullptr ? std::ranges::any_of(parts->elts, [](const Expr *part) { return model::has_grad(part); })
                            : result != nullptr && result->value != nullptr && model::has_grad(result->value);
  };
  return (loop != nullptr && loop->steps) || site.function->steps ||
         (definition != nullptr && any_node(definition->body, returns_graph));
}

// `log_probs(reference, batch)` and `self.log_probs(batch, model=self.reference)`: a function that only runs the model
// that it is given, wherever that one was made.
void check_handed_over(Site &site, const Call &call) {
  const model::FunctionInfo *const function = called_function(site, call);
  if (function == nullptr || function->no_grad || function->decorated_no_grad || !model::has_grad(&call) ||
      function_has_word(site, {".detach()"})) {
    return;
  }
  const PlaceContext context = context_of(site);
  if (!context.in_training_step || context.no_grad != PlaceContext::NoGrad::Never) {
    return;
  }
  std::vector<const Expr *> given(call.args.begin(), call.args.end());
  std::ranges::transform(call.keywords, std::back_inserter(given), &Keyword::value);
  for (const Expr *model : given) {
    const Kind kind = model::kind_of(model);
    if ((model->kind != NodeKind::Name && model->kind != NodeKind::Attribute) ||
        (kind != Kind::HfModel && kind != Kind::TorchModule) || !is_run_by_callee(site, call, *model)) {
      continue;
    }
    const model::Value module = value_of(site, model);
    const TrainedModules &trained = trained_modules(site);
    const Call *const maker = maker_of_module(module);
    const auto is_tracked = [model](const Expr *other) { return other != model && model::has_grad(other); };
    if (maker == nullptr || !trained.is_left_alone(site, module) || !trained.is_ready(module) ||
        std::ranges::any_of(given, is_tracked) || !is_part_of_loss(site)) {
      continue;
    }
    Finding &finding =
        report(site, call,
               fmt::format("`{}` is not trained, but every step records its autograd graph and computes its gradients",
                           text_of(site, model)),
               "run it under `torch.no_grad()`, or freeze it with `requires_grad_(False)`");
    finding.notes.push_back(
        {site_of(site, *maker).module->file, maker->span(), "no optimizer receives the parameters of this model"});
    return;
  }
}

void check_node(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  const std::size_t before = site.findings.size();
  if (site.function != nullptr && site.module->torch && !site.module->is_test && !call.args.empty() &&
      file_has_word(site, {"from_pretrained"})) {
    check_passed(site, call);
  }
  const auto *model = as<Attribute>(call.func);
  if (site.function != nullptr && site.module->torch && !site.module->is_test && !call.args.empty() &&
      file_has_word(site, {"deepcopy"}) && !under_no_grad(site)) {
    check_passed_member(site, call);
  }
  if (model != nullptr && site.function != nullptr && site.function->steps && site.module->torch &&
      !site.module->is_test && !under_no_grad(site)) {
    check_copy(site, call, *model);
  }
  if (site.findings.size() == before && site.function != nullptr && site.module->torch && !site.module->is_test &&
      (!call.args.empty() || !call.keywords.empty())) {
    check_handed_over(site, call);
  }
}

void check_here(Site &site, const Call &call);

void check(Site &site, const Call &call) {
  const std::size_t before = site.findings.size();
  check_here(site, call);
  if (site.findings.size() == before && site.function != nullptr && !site.module->is_test && !under_no_grad(site)) {
    check_elsewhere(site, call);
  }
}

void check_here(Site &site, const Call &call) {
  const auto *method = as<Attribute>(call.func);
  const bool is_encoder = method != nullptr && is_forward_pass(method->attr.text());
  const auto *member = as<Attribute>(is_encoder ? method->value : call.func);
  check_lightning(site, call, member);
  if (member != nullptr && site.function != nullptr && !site.module->is_test &&
      (is_encoder || model::kind_of(call.func) == Kind::HfModel)) {
    check_member(site, call, *member);
  }
  const auto *name = as<Name>(method != nullptr ? method->value : call.func);
  if (name == nullptr || site.function == nullptr || site.module->is_test || under_no_grad(site) ||
      (method != nullptr && !is_encoder)) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  const model::Value model = value_of(site, name);
  const bool is_made =
      (model.is_kind(Kind::HfModel) || model.is_kind(Kind::TorchModule)) && model.maker() != nullptr && model.name();
  if (loop == nullptr || !loop->steps || !is_made || !takes_batch_data(site, call)) {
    return;
  }
  const NameUses &uses = site.memory.recall<NameUses>(site.function, [&site] { return find_uses(site); });
  // One that is not loaded here is set up elsewhere, and its eval() tells that it is not to be trained.
  const bool is_loaded =
      (model.name().text().ends_with("from_pretrained") || model.name().text().starts_with("torchvision.models.")) &&
      site.project.caller_of(model.maker()) == site.function;
  if (!uses.makes_optimizer || !uses.is_only_run(name->id) || (!is_loaded && !uses.in_eval.contains(name->id.id))) {
    return;
  }
  Finding &finding = report(
      site, call,
      fmt::format("`{}` is not trained here, but every step records its autograd graph and computes its gradients",
                  name->id.text()),
      "run it under `torch.no_grad()`");
  finding.notes.push_back(
      {site.module->file, model.maker()->span(), "no optimizer receives the parameters of this model"});
}

} // namespace

extern constinit const Rule kUntrainedModelTracked = {
    .info = {.code = "DP159",
             .name = "untrained-model-tracked",
             .summary = "a pretrained model that the training step only runs, with gradients enabled",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Out of Memory, Abnormal GPU Memory Usage, Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A model that was loaded with `from_pretrained` and that a training loop only runs, on the data of the batch. Nothing
reads its parameters, freezes it or passes it on, so no optimizer can train it. The call is not under `torch.no_grad()`.

The same for a model of torchvision, and for an attribute that is a `copy.deepcopy` of another model, such as the target
network of Q-learning, that no optimizer of its class receives; and for a pretrained model that is an attribute of a plain
object, next to the one that is trained. Also a model that is put into evaluation mode in one function and run in the training
step by another one, as a teacher often is.

## Why it costs

Its weights require gradients by default. Every step keeps the activations of all its layers, runs the backward pass
through them, and adds to gradients that are never used or zeroed.

## Bad

```python
import torch
from diffusers import AutoencoderKL, UNet2DModel


def train(loader):
    vae = AutoencoderKL.from_pretrained("stabilityai/sd-vae-ft-mse")
    unet = UNet2DModel.from_pretrained("google/ddpm-cat-256")
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-5)
    for images, steps in loader:
        latents = vae.encode(images).latent_dist.sample()
        optimizer.zero_grad()
        unet(latents, steps).sample.mean().backward()
        optimizer.step()
```

## Good

```python
import torch
from diffusers import AutoencoderKL, UNet2DModel


def train(loader):
    vae = AutoencoderKL.from_pretrained("stabilityai/sd-vae-ft-mse")
    unet = UNet2DModel.from_pretrained("google/ddpm-cat-256")
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-5)
    for images, steps in loader:
        with torch.no_grad():
            latents = vae.encode(images).latent_dist.sample()
        optimizer.zero_grad()
        unet(latents, steps).sample.mean().backward()
        optimizer.step()
```

## When it is wrong

Where the gradient with respect to the batch itself is needed.

## References

- PyTorch: locally disabling gradient computation
)"},
    .calls = "TorchModule.__call__ HfModel.__call__ *.encode HfModel.get_image_features HfModel.get_text_features",
    .on_call = check,
    .nodes = {NodeKind::Call},
    .on_node = check_node};

} // namespace deepperf::rules::untrained_model_tracked
