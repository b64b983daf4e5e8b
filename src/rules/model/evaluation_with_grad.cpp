#include "base/name_table.h"
#include "model/bind.h"
#include "model/code_text.h"
#include "model/context.h"
#include "model/graph_flow.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/step_order.h"
#include "rules/tree.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace deepperf::rules::evaluation_with_grad {

using namespace python;

namespace {

constexpr std::string_view kMessage = "this forward pass records an autograd graph that is never used";
constexpr std::string_view kLoopAdvice = "run the loop under `torch.no_grad()` or `torch.inference_mode()`";

// Over the batches of a loader, perhaps through enumerate() or a progress bar.
bool runs_over_loader(const Expr *iter) {
  return any_node(iter, [](const Node *node) {
    if (const auto *name = as<Name>(node)) {
      return model::kind_of(name) == Kind::TorchDataLoader || has_word_in_any_case(name->id.text(), {"loader"});
    }
    const auto *attribute = as<Attribute>(node);
    return attribute != nullptr && (model::kind_of(attribute) == Kind::TorchDataLoader ||
                                    has_word_in_any_case(attribute->attr.text(), {"loader"}));
  });
}

bool is_model(const model::Value &callee) {
  return callee.is_kind(Kind::TorchModule) ||
         (callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule);
}

// The first call of a model in the loop whose result hangs on a graph.
const Call *first_forward(const Site &site, const Block &body) {
  const Call *found = nullptr;
  any_node(body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && model::has_grad(call) && is_model(site.project.callee_of(call))) {
      found = call;
    }
    return found != nullptr;
  });
  return found;
}

// The first call of a method of the same class that returns what its model gives; `*forward` is the model's call in it.
const Call *first_helper(const Site &site, const Node &loop, const Call **forward) {
  for (const model::CallSite *caller : model::calls_inside(*site.function, loop)) {
    const model::FunctionInfo &function = *caller->callee;
    if (caller->no_grad || function.no_grad || function.sometimes_no_grad || function.type == nullptr ||
        function.type != site.type || function.definition() == nullptr ||
        !model::graph_flow_of(site.project, function).returns_graph) {
      continue;
    }
    if (const Call *const found = first_forward(site, function.definition()->body)) {
      *forward = found;
      return caller->call;
    }
  }
  return nullptr;
}

// Does the loop want gradients after all: for an attack, a saliency map, Hessians?
bool uses_gradients(const Site &site, const Block &body) {
  return any_node(body, [&site](const Node *node) {
    if (const auto *attribute = as<Attribute>(node)) {
      const std::string_view name = attribute->attr.text();
      return name == "grad" || name == "requires_grad" || name == "requires_grad_" || name == "retain_grad" ||
             name == "backward" || name == "register_hook" || name == "autograd" || name == "step" ||
             name == "zero_grad";
    }
    if (const auto *call = as<Call>(node)) {
      const model::FunctionInfo *called = called_function(site, *call);
      return keyword_argument(*call, "requires_grad") != nullptr || (called != nullptr && called->trains) ||
             called_api(site, *call) == "torch.autograd.grad";
    }
    return false;
  });
}

// eval() of the model before the loop, and no train() in between; null if there is none.
struct Switches {
  struct Switch {
    u32 start = 0;
    const Call *eval = nullptr; // null: back to training
  };
  std::unordered_map<std::string_view, std::vector<Switch>> of; // by the text of the model, in the order of the code
};

// All in a block, which many loops in it ask for.
Switches switches_in(const Site &site, const Block &body) {
  Switches found;
  any_node(body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && receiver_of(*call) != nullptr) {
      const std::string_view method = called_method(*call);
      const bool is_off = method == "train" && call->args.size() == 1 && bool_of(site, call->args[0]) == false;
      if ((method == "eval" && call->args.empty()) || method == "train") {
        const bool is_eval = method == "eval" || is_off;
        found.of[text_of(site, receiver_of(*call))].push_back({call->start, is_eval ? call : nullptr});
      }
    }
    return false;
  });
  for (auto &[model, switches] : found.of) {
    std::ranges::stable_sort(switches, {}, &Switches::Switch::start);
  }
  return found;
}

const Call *switched_to_eval(const Site &site, const Block &body, std::string_view receiver, u32 before) {
  constexpr std::ptrdiff_t kFurthest = 200; // statements back
  const auto end = std::ranges::lower_bound(body, before, {}, [](const Stmt *statement) { return statement->start; });
  if (end == body.begin()) {
    return nullptr;
  }
  const u32 first = (*(end - std::min<std::ptrdiff_t>(kFurthest, end - body.begin())))->start;
  const Switches &switches = site.memory.recall<Switches>(*body.begin(), [&] { return switches_in(site, body); });
  const auto known = switches.of.find(receiver);
  if (known == switches.of.end()) {
    return nullptr;
  }
  const auto after = std::ranges::lower_bound(known->second, before, {}, &Switches::Switch::start);
  return after != known->second.begin() && (after - 1)->start >= first ? (after - 1)->eval : nullptr;
}

// What a class, or a file, does to the modes of models, by how these are written.
struct ModeSwitches {
  struct Modes {
    const Call *eval = nullptr; // the last
    bool trains = false;
  };
  std::unordered_map<std::string_view, Modes> of;
};

// Of the class; null: of the file.
ModeSwitches mode_switches(const Site &site, const Node *type) {
  ModeSwitches found;
  const auto look = [&](const Node *node) {
    const auto *call = as<Call>(node);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    if ((method == "eval" || method == "train") && receiver_of(*call) != nullptr) {
      ModeSwitches::Modes &modes = found.of[text_of(site, receiver_of(*call))];
      modes.eval = method == "eval" ? call : modes.eval;
      modes.trains |= method == "train";
    }
    return false;
  };
  if (type != nullptr) {
    any_node_inside(type, look);
  } else {
    for (const Stmt *statement : site.module->parsed->tree.body) {
      any_node_inside(statement, look);
    }
  }
  return found;
}

// The same where the model is not the function's own: a global that the script switches, or an attribute that another
// method of the class does. Nobody may switch it back.
const Call *switched_elsewhere(const Site &site, const Expr &model) {
  const auto *name = as<Name>(&model);
  const auto *attribute = as<Attribute>(&model);
  const bool is_global = name != nullptr && site.function->node != nullptr &&
                         site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot;
  const bool is_own =
      attribute != nullptr && site.type != nullptr && model::is_own_object(*site.function, attribute->value);
  if (!is_global && !is_own) {
    return nullptr;
  }
  const void *const about = is_own ? static_cast<const void *>(site.type->node) : site.module;
  const ModeSwitches &switches =
      site.memory.recall<ModeSwitches>(about, [&] { return mode_switches(site, is_own ? site.type->node : nullptr); });
  const auto known = switches.of.find(text_of(site, &model));
  return known != switches.of.end() && !known->second.trains ? known->second.eval : nullptr;
}

// Somebody around the loop may switch gradients off in a way that we do not see.
bool may_be_off(const Site &site) {
  for (const Node *node : site.ancestors) {
    if (const auto *with = as<With>(node)) {
      for (const WithItem &item : with->items) {
        const Kind kind = model::kind_of(item.context_expr);
        const std::string_view text = text_of(site, item.context_expr);
        if (kind == Kind::Unknown && text.find("tqdm") == std::string_view::npos && !text.starts_with("open") &&
            text.find("autocast") == std::string_view::npos && text.find("pbar") == std::string_view::npos) {
          return true;
        }
      }
    } else if (const auto *function = as<FunctionDef>(node)) {
      for (const Expr *decorator : function->decorators) {
        const std::string_view text = text_of(site, decorator);
        if (has_word_in_any_case(text, {"grad", "infer", "eval"})) {
          return true;
        }
      }
    }
  }
  return file_has_word(site, {"set_grad_enabled", "volatile"});
}

// Does another part of the function need gradients?
bool walks_graph(const FunctionDef &definition) {
  return any_node(definition.body, [](const Node *node) {
    const auto *call = as<Call>(node);
    return call != nullptr && (called_name(*call) == "backward" || called_name(*call) == "grad");
  });
}

// The decorator that switches gradients off for the whole function.
void offer_decorator(Finding &finding, const Site &site, const FunctionDef *definition) {
  const std::string no_grad = spelling_of(site, "torch.no_grad");
  if (definition == nullptr || site.function->trains || no_grad.empty() || walks_graph(*definition)) {
    return;
  }
  const std::string_view text = site.module->parsed->source.text();
  const std::size_t line = text.rfind('\n', definition->start) + 1;
  const std::string_view indent = text.substr(line, definition->start - line);
  if (indent.find_first_not_of(" \t") == std::string_view::npos) {
    set_fix(finding, false, {Edit{definition->start, definition->start, "@" + no_grad + "()\n" + std::string(indent)}});
  }
}

// The findings in a file, by the place that they point to: a function, its loops and those around these find the same.
struct ReportedPlaces {
  mutable std::unordered_map<const Node *, std::size_t> of; // places in the list of findings
};

const ReportedPlaces &reported_places(const Site &site) {
  return site.memory.recall<ReportedPlaces>(site.module, [] { return ReportedPlaces{}; });
}

// What was already said about the place, by a loop around the one that asks; null if nothing was.
Finding *reported_at(const Site &site, const Node &place) {
  const auto known = reported_places(site).of.find(&place);
  return known != reported_places(site).of.end() ? &site.findings[known->second] : nullptr;
}

// A loop over a loader after eval(): whatever becomes of the outputs, nobody means to train here.
void check_loop(Site &site, const For &statement) {
  if (!site.module->torch) {
    return;
  }
  const auto *known = site.project.loop_at(&statement);
  if (known == nullptr || known->trains) {
    return;
  }
  const Call *forward = first_forward(site, statement.body);
  const Call *inner = forward; // where the model itself is called
  if (forward == nullptr) {
    forward = first_helper(site, statement, &inner);
  }
  // Other loops go over batches if the model gets a part of something that is chosen by the loop's variable.
  const bool is_loader = runs_over_loader(statement.iter);
  const auto *target = as<Name>(statement.target);
  const bool is_batches =
      is_loader || (forward != nullptr && target != nullptr && !known->few_iterations &&
                    known->iterations != model::Iterations::Few && !mentions(forward->func, target->id) &&
                    std::ranges::any_of(forward->args, [&](const Expr *given) {
                      return given->kind == NodeKind::Subscript && mentions(given, target->id);
                    }));
  if (!is_batches) {
    return;
  }
  if (forward == nullptr || under_no_grad(site) || uses_gradients(site, statement.body) || may_be_off(site)) {
    return;
  }
  const FunctionDef *definition = site.function->definition();
  const Block scope = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const Call *eval = switched_to_eval(site, scope, text_of(site, inner->func), statement.start);
  if (eval == nullptr && is_loader) {
    eval = switched_elsewhere(site, *inner->func);
  }
  if (eval == nullptr || (definition != nullptr && site.function->sometimes_no_grad)) {
    return;
  }
  Finding *known_finding = reported_at(site, *forward);
  Finding &finding = known_finding != nullptr ? *known_finding
                                              : report(site, *forward, std::string(kMessage), std::string(kLoopAdvice));
  if (known_finding == nullptr) {
    reported_places(site).of[forward] = site.findings.size() - 1;
  }
  finding.tier = site.module->is_test ? Tier::Hint : Tier::On;
  add_note(finding, site, *eval, "switched to evaluation mode here");
  offer_decorator(finding, site, definition);
}

// ---- Functions that train or evaluate, as they are told
// --------------------------------------------------------------

// `optimizer` of `if optimizer is not None:`, or `train` of `if train:`, and the branch that is for training.
struct Asked {
  const Name *name = nullptr; // null if the test is another one
  bool is_body = true;
};

Asked asks_for_training(const Expr *test) {
  if (const auto *negated = as<UnaryOp>(test); negated != nullptr && negated->op() == UnaryOperator::Not) {
    const Asked asked = asks_for_training(negated->operand);
    return {asked.name, !asked.is_body};
  }
  if (const auto *compare = as<Compare>(test)) {
    const bool is_asked = compare->rest.size() == 1 && is_none(compare->rest[0].right) &&
                          (compare->rest[0].op == CompareOperator::IsNot || compare->rest[0].op == CompareOperator::Is);
    return {is_asked ? as<Name>(compare->left) : nullptr, is_asked && compare->rest[0].op == CompareOperator::IsNot};
  }
  return {as<Name>(test), true};
}

// The parameter without which the function takes no training step; null if it always does.
const Param *training_parameter(const Site &site, const model::FunctionInfo &function) {
  Site there = site;
  there.function = &function;
  there.module = function.module;
  const Param *found = nullptr;
  for (const StepEvent &event : step_events(there)) {
    using What = StepEvent::What;
    if (event.what != What::Backward && event.what != What::ScaledBackward && event.what != What::Step &&
        event.what != What::ScalerStep && event.what != What::Helper) {
      continue;
    }
    const Asked asking = event.test != nullptr ? asks_for_training(event.test->test) : Asked{};
    const Name *const asked = asking.name;
    const Block branch = asked == nullptr ? Block{} : asking.is_body ? event.test->body : event.test->orelse;
    const bool is_inside =
        !branch.empty() && branch.front()->start <= event.call->start && event.call->end <= branch.back()->end;
    const auto param =
        is_inside ? std::ranges::find_if(function.params, [asked](const Param *one) { return one->name == asked->id; })
                  : function.params.end();
    if (param == function.params.end() || (found != nullptr && found != *param)) {
      return nullptr;
    }
    found = *param;
  }
  // What the function sets itself says nothing about what it was told.
  const bool is_set = found != nullptr && any_node(function.definition()->body, [found](const Node *node) {
                        const auto *name = as<Name>(node);
                        return name != nullptr && name->id == found->name && name->context == Context::Store;
                      });
  return is_set ? nullptr : found;
}

// `run_epoch(model, valid_loader)` of a function that trains only if it is given an optimizer.
void check_call(Site &site, const model::CallSite &caller) {
  const Call &call = *caller.call;
  const model::FunctionInfo *const function = caller.callee;
  if (function == nullptr || !function->trains || function->definition() == nullptr || !site.module->torch ||
      site.module->is_test || has_hidden_arguments(call) || caller.no_grad || caller.caller->no_grad ||
      caller.caller->sometimes_no_grad || file_has_word(site, {"set_grad_enabled", "volatile"}) ||
      has_word(text_of(*function), {"no_grad", "set_grad_enabled", "inference_mode", "enable_grad", "autograd.grad"})) {
    return;
  }
  const Param *const param = training_parameter(site, *function);
  if (param == nullptr) {
    return;
  }
  const auto at = std::ranges::find(function->params, param);
  const u32 bound = caller.bound ? 1 : 0;
  const auto position = static_cast<u32>(at - function->params.begin());
  if (position < bound) {
    return;
  }
  const Expr *given = argument(call, position - bound, param->name.text());
  given = given == nullptr ? param->default_value : given;
  if (given == nullptr || !(is_none(given) || bool_of(site, given) == false)) {
    return;
  }
  const Call *const forward = first_forward(site, function->definition()->body);
  if (forward == nullptr) {
    return;
  }
  Finding &finding = report(site, call, "this evaluation records autograd graphs that are never used",
                            "call it under `torch.no_grad()` or `torch.inference_mode()`");
  finding.notes.push_back({function->module->file, forward->span(), "the forward pass"});
}

// ---- Graphs that nobody walks ---------------------------------------------------------------------------------------

using Flow = model::GraphFlow;

// Are the model's weights frozen somewhere in the file? Then there is no graph. Also where that is done by a helper
// that is given the model.
bool may_be_frozen(const model::FunctionInfo &function) {
  const std::string_view text = model::code_of(*function.module);
  return has_word(text, {".requires_grad = False", ".requires_grad=False", "requires_grad_(False", "freeze",
                         "set_requires_grad", "toggle_grad", "volatile"});
}

// Is the use of the result such that nobody can ask for a gradient later?
bool is_dead_end(const Flow::Origin &origin) {
  constexpr u16 kElse = Flow::kWalked | Flow::kEscapes | Flow::kReturned | Flow::kNeedsNoGraph | Flow::kStored;
  return (origin.uses & kElse) == 0 && (origin.uses & Flow::kNumbers) != 0;
}

// The result of a pretrained model that a loop collects, in a program that trains nothing: whoever gets it can have no
// use for its graph.
bool is_only_collected(const Site &site, const Flow::Origin &origin) {
  constexpr u16 kElse = Flow::kWalked | Flow::kEscapes | Flow::kNeedsNoGraph | Flow::kSummed | Flow::kUnsure;
  const auto *call = as<Call>(origin.place);
  return origin.what == Flow::What::Forward && origin.loop != nullptr && !origin.loop->few_iterations &&
         (origin.uses & kElse) == 0 && (origin.uses & Flow::kReturned) != 0 && call != nullptr &&
         model::kind_of(call->func) == Kind::HfModel && project_has_word(site, {".eval()"}) &&
         !project_has_word(site, {"backward", "optim", "Trainer", "trainer", "autograd", "requires_grad", ".fit(",
                                  "gradient", "captum", "enable_grad", "set_grad"});
}

bool is_repeated(const model::FunctionInfo &function, const model::Loop *loop) {
  for (; loop != nullptr; loop = loop->parent) {
    if (!loop->few_iterations) {
      return true;
    }
  }
  return function.in_loop;
}

// A helper that goes over data itself: if it needs no graph, that is to be said there.
bool has_loop_inside(const Site &site, const Flow::Origin &origin) {
  const auto *call = origin.what == Flow::What::Helper ? as<Call>(origin.place) : nullptr;
  const model::FunctionInfo *called = call != nullptr ? called_function(site, *call) : nullptr;
  return called != nullptr &&
         std::ranges::any_of(called->loops, [](const model::Loop *loop) { return loop->evaluates; });
}

const char *name_of_end(u16 uses) {
  return (uses & Flow::kDetached) != 0 ? "its result is detached" : "only numbers are taken from its result";
}

// Nobody runs a function under no_grad that trains, nor what such a function calls.
bool runs_with_gradients(const model::FunctionInfo &function) {
  return function.trains || std::ranges::any_of(function.called_by, [](const model::CallSite *caller) {
           return caller->caller->trains && !caller->no_grad;
         });
}

// The function itself has switched the model to evaluation mode, so nobody else is to say what this forward pass is
// for.
bool is_meant_as_inference(const Site &site, const model::FunctionInfo &function, const Flow::Origin &origin) {
  const auto *call = as<Call>(origin.place);
  const FunctionDef *definition = function.definition();
  const Block body = definition != nullptr ? definition->body : function.module->parsed->tree.body;
  const Expr *const callee = call != nullptr ? call->func : nullptr;
  return callee != nullptr && switched_to_eval(site, body, text_of(site, callee), call->start) != nullptr;
}

// Does the script train its model, or load weights that somebody else trained? Else it only tries out how a layer
// works.
bool has_trained_weights(const Site &site) {
  struct TrainedWeights {
    bool value = false;
  };
  const auto work_out = [&site] {
    static const NameTable kLoaders({"load_state_dict", "from_pretrained", "load_from_checkpoint", "load_model"});
    const auto loads = [](const Node *node) {
      const auto *call = as<Call>(node);
      return call != nullptr && !called_method(*call).empty() && kLoaders.has(intern(called_method(*call)));
    };
    // What a function of the file loads counts where the model goes to a GPU, whose memory the graph takes.
    const bool is_on_gpu = file_has_word(site, {"cuda", ".to(device"});
    return TrainedWeights{site.module->body->trains ||
                          std::ranges::any_of(site.module->parsed->tree.body, [&](const Stmt *statement) {
                            return is_on_gpu ? any_node_inside(statement, loads) : any_node(statement, loads);
                          })};
  };
  return site.memory.recall<TrainedWeights>(site.module, work_out).value;
}

// What is only named like a model, in a file that runs models with a library that records no graphs.
bool may_be_another_runtime(const Site &site, const Call *call) {
  const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
  return callee.is_kind(Kind::TorchModule) && callee.maker() == nullptr && !callee.name() &&
         file_has_word(site, {"onnxruntime", "openvino", "tensorrt", "ctranslate2", "llama_cpp", "vllm"});
}

// `torch.no_grad().__enter__()`: off for the rest of the program.
bool enters_no_grad(const model::FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  const Block body = definition != nullptr ? definition->body : function.module->parsed->tree.body;
  return any_node(body, [](const Node *node) {
    const auto *call = as<Call>(node);
    return call != nullptr && called_method(*call) == "__enter__" && model::kind_of(receiver_of(*call)) == Kind::NoGrad;
  });
}

// Do modules of the project differentiate in their forward pass, as for forces? Without gradients they fail.
bool differentiates_inside(const Site &site) {
  struct GradientsInside {
    bool value = false;
  };
  const auto work_out = [&site] {
    return GradientsInside{std::ranges::any_of(site.project.functions, [](const model::FunctionInfo &function) {
      return function.type != nullptr && function.type->kind == Kind::TorchModule && !function.module->is_test &&
             function.definition() != nullptr && has_word(text_of(function), {"autograd.grad(", " grad("});
    })};
  };
  return site.memory.recall<GradientsInside>(&site.project, work_out).value;
}

// A model that is loaded as a whole may be such a module.
bool may_differentiate(const Site &site, const Call *call) {
  const auto *name = call != nullptr ? as<Name>(call->func) : nullptr;
  const auto *made = name != nullptr ? as<Call>(last_assigned(site, *name)) : nullptr;
  const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
  const Call *const maker = callee.maker() != nullptr ? callee.maker() : made;
  return maker != nullptr && called_api(site, *maker) == "torch.load" && differentiates_inside(site);
}

// A function that asks whether its model is in training mode, and runs it under no_grad() if it is not.
bool asks_own_mode(const Site &site, const Call &call) {
  const model::FunctionInfo *const helper = called_function(site, call);
  const FunctionDef *const definition = helper != nullptr ? helper->definition() : nullptr;
  if (definition == nullptr || !model::graph_flow_of(site.project, *helper).has_no_grad) {
    return false;
  }
  return any_node(definition->body, [](const Node *node) {
    const auto *branch = as<If>(node);
    const auto *negated = branch != nullptr ? as<UnaryOp>(branch->test) : nullptr;
    const auto *mode = as<Attribute>(negated != nullptr  ? negated->operand
                                     : branch != nullptr ? branch->test
                                                         : nullptr);
    return mode != nullptr && mode->attr.text() == "training";
  });
}

void check_function(Site &site, const model::FunctionInfo &function) {
  if (!site.module->torch || function.no_grad || function.sometimes_no_grad ||
      (function.context & model::kGradMaybeOff) != 0 ||
      (has_word(text_of(function), {"__enter__"}) && enters_no_grad(function))) {
    return;
  }
  for (const model::FunctionInfo *outer = &function; outer != nullptr; outer = outer->parent) {
    if (outer->no_grad || outer->sometimes_no_grad) {
      return;
    }
    if (const FunctionDef *definition = outer->definition()) {
      for (const Expr *decorator : definition->decorators) {
        if (has_word_in_any_case(text_of(site, decorator), {"grad", "infer", "eval"})) {
          return;
        }
      }
    }
  }
  for (const model::CallSite &caller : function.calls) {
    check_call(site, caller);
  }
  // What a forward pass does with its parts, its caller has to say.
  const bool is_module = function.type != nullptr && function.type->kind == Kind::TorchModule;
  if (is_module && function.name.text() == "forward") {
    return;
  }
  const Flow &flow = model::graph_flow_of(site.project, function);
  const model::Loop *reported_loop = nullptr;
  std::size_t reported = 0; // after the finding for that loop
  for (const Flow::Origin &origin : flow.origins) {
    const auto *called = as<Call>(origin.place);
    if (called != nullptr && model::kind_of(called->func) == Kind::TorchMetric) {
      continue; // torchmetrics records no graph that is not asked for
    }
    if (origin.what == Flow::What::Helper && called != nullptr && asks_own_mode(site, *called)) {
      continue;
    }
    const bool is_collected = is_only_collected(site, origin);
    if (origin.what == Flow::What::Kept || (!is_dead_end(origin) && !is_collected)) {
      continue;
    }
    const bool is_assumed = origin.what == Flow::What::Assumed;
    if (is_assumed && (origin.uses & Flow::kDetached) == 0) {
      continue;
    }
    const bool is_handler = runs_per_request(site.project, function);
    const bool is_loop = is_handler || is_repeated(function, origin.loop);
    const bool is_run = is_handler || (function.context & model::kRunByScript) != 0 || runs_with_gradients(function);
    const bool is_meant = (function.context & model::kRunsOnce) == 0 && is_meant_as_inference(site, function, origin);
    // Once, in a script: the graph costs memory all the same. A function that is called there may do without the model.
    const bool is_model = origin.what == Flow::What::Forward || (origin.uses & Flow::kDetached) != 0;
    const bool is_single =
        !is_loop && is_model && (function.context & model::kRunByScript) != 0 && has_trained_weights(site);
    // One pass in a cell, to see what comes out. The graph is gone with the next run of the cell.
    const bool is_look = !is_loop && function.node == nullptr && site.module->parsed->source.is_notebook &&
                         (called == nullptr || model::kind_of(called->func) != Kind::HfModel);
    const bool is_unsure = !is_collected && (is_assumed || is_look || is_module || has_loop_inside(site, origin) ||
                                             (!is_meant && !is_single && (!is_loop || !is_run)) ||
                                             (origin.uses & Flow::kUnsure) != 0 || may_be_frozen(function) ||
                                             may_be_another_runtime(site, called) || may_differentiate(site, called));
    if (reported != 0 && origin.loop == reported_loop) {
      Finding &before = site.findings[reported - 1];
      if (before.tier == Tier::Hint && !is_unsure && !site.module->is_test) { // what is sure is reported first
        add_note(before, site, *origin.place, name_of_end(origin.uses));
        before.span = origin.place->span();
        reported_places(site).of[origin.place] = reported - 1;
        before.tier = Tier::On;
      } else {
        add_note(before, site, *origin.place, "and here");
      }
      continue;
    }
    Finding &made = report(site, *origin.place, std::string(kMessage),
                           is_loop && !is_handler ? std::string(kLoopAdvice)
                                                  : "run it under `torch.no_grad()` or `torch.inference_mode()`");
    if (is_unsure) {
      made.tier = Tier::Hint;
    } else if (!is_loop) {
      made.severity = Severity::Advice; // once, it costs memory and little time
    }
    add_note(made, site, *origin.place,
             is_collected ? "its result is collected, and nothing in this program trains" : name_of_end(origin.uses));
    reported = site.findings.size();
    reported_loop = origin.loop;
    reported_places(site).of[origin.place] = reported - 1;
    if (flow.origins.size() == 1) {
      offer_decorator(made, site, function.definition());
    }
  }
}

void check(Site &site, const Node &node) {
  if (const auto *loop = as<For>(&node)) {
    check_loop(site, *loop);
  } else if (const model::FunctionInfo *function = site.project.function_at(&node)) {
    check_function(site, *function);
  }
}

void check_module(Site &site) {
  if (site.module->body != nullptr) {
    check_function(site, *site.module->body);
  }
}

} // namespace

extern constinit const Rule kEvaluationWithGrad = {
    .info = {.code = "DP232",
             .name = "evaluation-with-grad",
             .summary = "a forward pass that records an autograd graph that is never used",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Out of Memory, Abnormal GPU Memory Usage, Slow Execution Time",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

A forward pass with gradients of which only numbers are used: `item()`, `argmax()`, comparisons, `detach()`, `.data`, `print()`, plots and
files, followed through names, tuples, lists, operations and functions of the project. Also a loop over a loader that runs a model after
`model.eval()` and never calls `backward()`. The rule is silent under `torch.no_grad()` or `torch.inference_mode()`, under a caller that
uses one of them, and where the result leaves the code that is checked.

It is a hint for a single pass in a notebook's cell, if no call of the function is known, since its caller may disable gradients (unless the function itself calls `model.eval()`, trains, or is called by one that does), if the function runs only once, and if the weights
may be frozen.

## Why it costs

`eval()` changes how dropout and batch normalization behave; it does not disable gradients. Each forward pass still records every operation
and keeps the activations that a backward pass would need for as long as something refers to the output. If outputs or losses are collected,
the memory adds up over all batches.

## Bad

```python
import torch

def evaluate(model, loader, criterion):
    model.eval()
    total = 0
    for x, y in loader:
        total += criterion(model(x), y).item()
    return total / len(loader)
```

## Good

```python
import torch

@torch.no_grad()
def evaluate(model, loader, criterion):
    model.eval()
    total = 0
    for x, y in loader:
        total += criterion(model(x), y).item()
    return total / len(loader)
```

## When it is wrong

Where a caller outside the checked code disables gradients; where all parameters were frozen before; and where the gradient with respect to
the input is needed, as in adversarial attacks, which the rule tries to recognize. The fix needs `--unsafe-fixes`.

## References

- PyTorch documentation: locally disabling gradient computation, evaluation mode
- PyTorch performance tuning guide: disable gradient calculation for validation or inference
)"},
    .nodes = {NodeKind::For, NodeKind::FunctionDef},
    .on_node = check,
    .on_module = check_module};

} // namespace deepperf::rules::evaluation_with_grad
