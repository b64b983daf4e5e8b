#include "model/context.h"
#include "model/definitions.h"
#include "model/modes.h"
#include "rules/origins.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::rules::load_without_mode {

using namespace python;

namespace {

// Where each name is called for the last time in a text; places in a comment count, too.
struct CalledNames {
  std::unordered_map<std::string_view, std::size_t> last;
};

CalledNames called_names(std::string_view text) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<u8>(c)) != 0 || c == '_' || (c & 0x80) != 0; };
  CalledNames found;
  for (std::size_t at = text.find('('); at != std::string_view::npos; at = text.find('(', at + 1)) {
    std::size_t start = at;
    while (start > 0 && is_word(text[start - 1])) {
      --start;
    }
    const char before = start > 0 ? text[start - 1] : ' ';
    if (start != at && (before == ' ' || before == '(' || before == '=' || before == '[' || before == ',')) {
      found.last[text.substr(start, at - start)] = start;
    }
  }
  return found;
}

void check(Site &site, const Call &call) {
  const auto *name = as<Name>(receiver_of(call));
  if (name == nullptr || in_method(site, Kind::TorchModule, "forward")) {
    return;
  }
  const model::Value callee = site.project.callee_of(&call);
  if (callee.is(model::Value::Tag::ApiMethod) &&
      model::modes_of(site.project, callee.receiver()) == model::Modes::Same) {
    return;
  }
  const std::string_view source = site.module->parsed->source.text();
  // Whatever trains sets the mode somewhere, or goes on from a checkpoint.
  if (file_has_word(site, {".eval(", ".train(", ".backward(", "optimizer", "Trainer", "training", "finetune"}) ||
      site.module->is_test) {
    return;
  }
  const Node *const node = site.function->node;
  const CalledNames &called =
      site.memory.recall<CalledNames>(node != nullptr ? static_cast<const void *>(node) : site.module,
                                      [&] { return called_names(node != nullptr ? text_of(*site.function) : source); });
  const std::size_t from = node != nullptr ? call.end - node->start : call.end;
  const auto use = called.last.find(name->id.text());
  if (use == called.last.end() || use->second < from) {
    return;
  }
  Finding &finding = report(
      site, call, fmt::format("`{}` is loaded and used for inference, but `eval()` is never called", name->id.text()),
      fmt::format("call `{}.eval()` after loading; until then dropout and batch normalization behave as in training",
                  name->id.text()));
  finding.tier = Tier::Hint;
}

// ---- Evaluated without eval() ---------------------------------------------------------------------------------------

// Does the node switch the mode of a model, or leave that to a framework: a Trainer that is not of this project?
bool switches_mode(const model::Project &project, const Node *node) {
  if (const auto *attribute = as<Attribute>(node)) {
    return attribute->attr.text() == "training" && attribute->context == Context::Store;
  }
  const auto *call = as<Call>(node);
  if (call == nullptr) {
    return false;
  }
  const std::string_view method = called_method(*call);
  const model::Value called = project.callee_of(call);
  const bool is_of_project = called.is(model::Value::Tag::Function) || called.is(model::Value::Tag::Method);
  if (method == "eval" || (method == "freeze" && !is_of_project) || // LightningModule.freeze() calls eval()
      (method == "train" && !is_of_project && (!call->args.empty() || !call->keywords.empty()))) {
    return true;
  }
  const std::string_view name = method.empty() ? called_name(*call) : method;
  if (has_word(name, {"eval_mode", "set_eval", "set_mode", "to_eval", "eval_only"})) {
    return true;
  }
  return name.ends_with("Trainer") && !called.is(model::Value::Tag::Class) && !is_of_project;
}

// Is it derived from a class of a framework, or of nobody knows whom, that sets the mode?
bool has_foreign_trainer(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *at) {
    return std::ranges::any_of(at->bases, [](const model::Value &base) {
      return !base.is(model::Value::Tag::Class) &&
             !(base.is(model::Value::Tag::Api) && (base.name().text() == "torch.nn.Module" ||
                                                   base.name().text() == "object" || base.name().text() == "abc.ABC"));
    });
  });
}

bool find_mode(const model::Project &project, const model::FunctionInfo &function) {
  const auto switches = [&project](const Node *node) { return switches_mode(project, node); };
  return function.node != nullptr ? any_node_inside(function.node, switches)
                                  : any_node(function.module->parsed->tree.body, switches);
}

bool sets_mode(const Site &site, const model::FunctionInfo &function) {
  struct SetsMode {
    bool itself = false;
  };
  return site.memory.recall<SetsMode>(&function, [&] { return SetsMode{find_mode(site.project, function)}; }).itself;
}

// Does something that the function calls set it, or something that this calls?
bool is_set_by_calls(const Site &site, const model::FunctionInfo &function) {
  struct SetsBelow {
    bool once = false;
  };
  struct SetsFurtherBelow {
    bool twice = false;
  };
  const auto below = [&site](const model::FunctionInfo &caller) {
    return site.memory
        .recall<SetsBelow>(&caller,
                           [&] {
                             return SetsBelow{std::ranges::any_of(caller.calls, [&](const model::CallSite &call) {
                               return sets_mode(site, *call.callee);
                             })};
                           })
        .once;
  };
  const auto find = [&] {
    return SetsFurtherBelow{below(function) || std::ranges::any_of(function.calls, [&](const model::CallSite &call) {
                              return below(*call.callee);
                            })};
  };
  return site.memory.recall<SetsFurtherBelow>(&function, find).twice;
}

// Does code that leads to the function set it: the function, its callers, what they call, or the class around it?
bool is_mode_set(const Site &site) {
  if (site.type != nullptr) {
    struct ClassSetsMode {
      bool itself = false;
    };
    const auto find = [&] {
      return ClassSetsMode{has_foreign_trainer(*site.type) || any_node_inside(site.type->node, [&](const Node *node) {
                             return switches_mode(site.project, node);
                           })};
    };
    if (site.memory.recall<ClassSetsMode>(site.type, find).itself) {
      return true;
    }
  }
  std::vector<const model::FunctionInfo *> above = {site.function};
  std::unordered_set<const model::FunctionInfo *> known = {site.function};
  constexpr std::size_t kMost = 60;
  for (std::size_t i = 0; i < above.size() && above.size() < kMost; ++i) {
    for (const model::FunctionInfo *at = above[i]; at != nullptr; at = at->parent) {
      if (sets_mode(site, *at)) {
        return true;
      }
    }
    if (is_set_by_calls(site, *above[i])) {
      return true;
    }
    for (const model::CallSite *caller : above[i]->called_by) {
      if (known.insert(caller->caller).second) {
        above.push_back(caller->caller);
      }
    }
  }
  return above.size() >= kMost;
}

// What code calls `train()` of, as it is written there.
struct SwitchedToTraining {
  std::unordered_set<std::string_view> models;
};

SwitchedToTraining find_switched(const Site &site, const model::FunctionInfo *function, const ClassDef *type) {
  SwitchedToTraining found;
  const auto look = [&](const Node *node) {
    const auto *const call = as<Call>(node);
    if (call != nullptr && call->args.empty() && call->keywords.empty() && called_method(*call) == "train") {
      found.models.insert(text_of(site, receiver_of(*call)));
    }
    return false;
  };
  if (type != nullptr) {
    any_node_inside(type, look);
  } else if (function->node != nullptr) {
    any_node_inside(function->node, look);
  } else {
    any_node(function->module->parsed->tree.body, look);
  }
  return found;
}

bool function_switches(const Site &site, std::string_view model) {
  return site.memory
      .recall<SwitchedToTraining>(site.function, [&] { return find_switched(site, site.function, nullptr); })
      .models.contains(model);
}

bool class_switches(const Site &site, std::string_view model) {
  return site.type != nullptr &&
         site.memory
             .recall<SwitchedToTraining>(site.type, [&] { return find_switched(site, nullptr, site.type->node); })
             .models.contains(model);
}

// A function that answers requests, or a method of an object that this program makes, where no code at all switches
// modes: whoever calls it, through whatever attribute of an application, finds the model as it was made.
bool is_of_object_in_use(const Site &site) {
  if (site.function == nullptr || project_has_word(site, {".eval(", ".train(", ".training"})) {
    return false;
  }
  if (site.type == nullptr) {
    return runs_per_request(site.project, *site.function); // a server runs what answers its requests
  }
  const auto &constructions = model::definitions_of(site.project).constructions;
  const auto made = constructions.find(site.type);
  return made != constructions.end() && std::ranges::any_of(made->second, [](const model::CallPlace &place) {
           return place.function != nullptr && !place.function->module->is_test;
         });
}

// Does the program train, or, where the file itself loads weights, the file? Models are often trained by one script and
// asked by another one.
bool trains_nearby(const Site &site) {
  const auto words = {std::string_view(".backward("), std::string_view("optimizer"), std::string_view("training_step")};
  return file_has_word(site, {"load_state_dict("}) ? file_has_word(site, words) : project_has_word(site, words);
}

// A model of Hugging Face, or of a class of the project that `from_pretrained()` of a base class made.
bool is_of_transformers(const Site &site, const model::Value &model) {
  if (!model.is(model::Value::Tag::Object)) {
    return model.is_kind(Kind::HfModel);
  }
  static const Symbol kLoader = intern("from_pretrained");
  const std::string loads = fmt::format("{}.from_pretrained(", model.type->name.text());
  return model::find_method_of(*model.type, kLoader) == nullptr && project_has_word(site, {loads});
}

// A forward pass of a model whose modes differ, for each batch of an evaluation or under no_grad in a loop.
// `Net.load_from_checkpoint(path)`, wherever the model was put: there is no other way that it was made.
bool is_loaded_from_checkpoint(const Site &site, const Expr *model) {
  bool found = false;
  bool other = false;
  const bool complete = site.function != nullptr && project_has_word(site, {"load_from_checkpoint("}) &&
                        visit_origins(site, *site.function, model, [&](const Origin &origin) {
                          const auto *call = as<Call>(origin.expr);
                          if (call == nullptr) {
                            other |= origin.parameter_of == nullptr;
                            return Onward::Through;
                          }
                          const std::string_view method = called_method(*call);
                          if (method == "to" || method == "cuda" || method == "half" || method == "requires_grad_") {
                            origin.next = {receiver_of(*call)};
                            return Onward::Next;
                          }
                          (method == "load_from_checkpoint" ? found : other) = true;
                          return Onward::Stop;
                        });
  return complete && found && !other;
}

// A function that training and evaluation share: a call of it in an evaluation, which goes over data without gradients.
const model::CallSite *evaluation_among_callers(const Site &site) {
  for (const model::CallSite *caller : site.function->called_by) {
    const bool is_training = caller->caller->trains || caller->caller->steps;
    bool is_over_data = false;
    for (const model::Loop *loop = caller->loop; loop != nullptr; loop = loop->parent) {
      is_over_data = is_over_data || model::goes_over_data(site.project, *loop);
    }
    if (!is_training && is_over_data && (caller->no_grad || caller->caller->no_grad) &&
        !caller->caller->module->is_test) {
      return caller;
    }
  }
  return nullptr;
}

// The same for the forward pass in such a function. Nothing anywhere switches modes, so it is not meant.
void check_shared(Site &site, const Call &call) {
  const model::CallSite *const evaluation = evaluation_among_callers(site);
  if (evaluation == nullptr || model::modes_of(site.project, site.project.callee_of(&call)) != model::Modes::Differ ||
      is_mode_set(site)) {
    return;
  }
  Finding &finding = report(
      site, call, fmt::format("`{}` is evaluated in training mode: nothing calls `eval()`", text_of(site, call.func)),
      fmt::format("call `{}.eval()` before the evaluation, and `train()` before training continues",
                  text_of(site, call.func)));
  finding.notes.push_back({evaluation->caller->module->file, evaluation->call->span(), "the evaluation calls it here"});
}

void check_forward(Site &site, const Call &call) {
  if (!site.module->torch || site.module->is_test || in_method(site, Kind::TorchModule, "forward")) {
    return;
  }
  PlaceContext context = context_of(site);
  const model::Loop *const loop = long_loop_around(site);
  if (context.in_training_step ? loop != nullptr
                               : !context.in_evaluation_step && context.no_grad != PlaceContext::NoGrad::Always) {
    return;
  }
  const model::Value callee = site.project.callee_of(&call);
  const std::string_view model = text_of(site, call.func);
  // Who switches a model to training mode has one for which the mode matters.
  const bool is_switched = function_switches(site, model) || class_switches(site, model);
  // `model.train()` before predictions, in code that trains nothing, is meant: dropout at test time.
  if (site.function != nullptr && !site.function->trains && function_switches(site, model)) {
    return;
  }
  // Hugging Face's models are loaded in evaluation mode. Those that are made from a configuration are not.
  const bool is_new = callee.is_kind(Kind::HfModel) && callee.maker() != nullptr && callee.name() &&
                      callee.name().text().ends_with(".from_config");
  if ((is_of_transformers(site, callee) && !is_switched && !is_new) || (loop != nullptr && loop->trains)) {
    return;
  }
  // What Lightning loads is in training mode, whatever the program trains elsewhere.
  const bool is_loaded = callee.is(model::Value::Tag::Object) && is_loaded_from_checkpoint(site, call.func);
  if (!context.run_by_script && context.no_grad == PlaceContext::NoGrad::Always) {
    context.run_by_script = is_of_object_in_use(site);
  }
  // Outside of loops: a script that loads a model and asks it, and has nothing to do with training.
  if (loop == nullptr && !context.in_evaluation_step && !is_loaded && !context.in_training_step &&
      (!context.run_by_script || context.no_grad != PlaceContext::NoGrad::Always ||
       !project_has_word(site, {"load_state_dict(", "torch.load("}) || trains_nearby(site))) {
    return;
  }
  if (context.in_training_step) {
    return check_shared(site, call);
  }
  // Who trains and then evaluates has the model in training mode, and so has who switched it there.
  const bool is_trained = std::ranges::any_of(site.function->called_by,
                                              [](const model::CallSite *caller) { return caller->caller->trains; });
  const model::Modes modes = model::modes_of(site.project, callee);
  if (modes == model::Modes::Same ||
      (modes == model::Modes::Unknown &&
       (!is_switched || !is_trained || context.no_grad != PlaceContext::NoGrad::Always))) {
    return;
  }
  // EMA and teacher copies, and what is measured in training mode on purpose, are made by other code: ask it first.
  if (is_mode_set(site)) {
    return;
  }
  const bool is_known = context.no_grad == PlaceContext::NoGrad::Always &&
                        (modes == model::Modes::Differ
                             ? context.run_by_script || is_trained || is_loaded || function_switches(site, model)
                             : is_trained);
  Finding &finding = report(
      site, call, fmt::format("`{}` is evaluated in training mode: nothing calls `eval()`", text_of(site, call.func)),
      loop != nullptr || context.in_evaluation_step
          ? fmt::format("call `{}.eval()` before the loop, and `train()` before training continues",
                        text_of(site, call.func))
          : fmt::format("call `{}.eval()` once it is loaded", text_of(site, call.func)));
  finding.tier = is_known ? Tier::On : Tier::Hint;
}

// A trace keeps what the model does in the mode that it is in.
void check_trace(Site &site, const Call &call) {
  const Expr *const given = argument(call, 0, "func");
  if (given == nullptr || site.module->is_test ||
      model::modes_of(site.project, value_of(site, given)) != model::Modes::Differ || is_mode_set(site)) {
    return;
  }
  report(site, call,
         fmt::format("`{}` is traced in training mode, so the trace keeps its dropout and batch statistics",
                     text_of(site, given)),
         fmt::format("call `{}.eval()` first", text_of(site, given)));
}

void check_call(Site &site, const Call &call) {
  if (const std::string_view api = called_api(site, call); api == "torch.jit.trace" || api == "torch.export.export") {
    check_trace(site, call);
    return;
  }
  if (called_method(call) == "load_state_dict") {
    check(site, call);
  } else {
    check_forward(site, call);
  }
}

} // namespace

extern constinit const Rule kLoadWithoutMode = {
    .info = {.code = "DP813",
             .name = "load-without-mode",
             .summary = "a model that is loaded or evaluated without `eval()`",
             .root_cause = "Training: Wrong Mode",
             .symptoms = "Wrong Result",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`model.load_state_dict(…)` followed by a call of the model in the same function, in a file that trains nothing and never calls `eval()`.
Also a loop that evaluates a model with dropout or batch normalization, where neither its file nor the file of a caller calls `eval()`,
a LightningModule from `load_from_checkpoint()` that is called for a prediction without it,
and a `torch.jit.trace` of such a model.

## Why it is wrong

Modules are created in training mode. Dropout then removes random features from each prediction, and batch normalization uses the statistics
of the batch instead of the learned ones: results are worse, and depend on the other samples of the batch.

## Bad

```python
import torch


def predict(model, x):
    model.load_state_dict(torch.load("weights.pt", weights_only=True))
    return model(x)
```

## Good

```python
import torch


def predict(model, x):
    model.load_state_dict(torch.load("weights.pt", weights_only=True))
    model.eval()
    return model(x)
```

## When it is wrong

For models without dropout and batch normalization, and where the model sets its mode itself.

## References

- PyTorch tutorial: saving and loading models
- SonarPython: S6982
)"},
    .calls = "*.load_state_dict TorchModule.__call__ torch.jit.trace torch.export.export",
    .on_call = check_call};

} // namespace deepperf::rules::load_without_mode
