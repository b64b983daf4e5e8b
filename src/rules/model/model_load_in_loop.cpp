#include "base/known_names.h"
#include "base/name_table.h"
#include "model/classes.h"
#include "model/definitions.h"
#include "model/variance.h"
#include "python/children.h"
#include "rules/dependencies.h"
#include "rules/encoding.h"
#include "rules/fate.h"
#include "rules/per_item.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/repetition.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace deepperf::rules::model_load_in_loop {

using namespace python;
using model::FunctionInfo;

namespace {

// `for attempt in range(3): try: model = load(); break`: it is asked for again after something failed.
bool is_retry(const Try &attempt) {
  return any_node(attempt.body,
                  [](const Node *node) { return node->kind == NodeKind::Break || node->kind == NodeKind::Return; }) ||
         any_node(attempt.orelse, [](const Node *node) { return node->kind == NodeKind::Break; });
}

// `model(prompt).images[0].save(path)` writes what the model gave, and not the model.
bool is_output(const Site &site, const Expr *saved, u32 depth = 0) {
  constexpr u32 kMostDepth = 6;
  if (depth == kMostDepth) {
    return false;
  }
  if (const auto *call = as<Call>(saved)) {
    return called_function(site, *call) == nullptr && called_api(site, *call).empty()
               ? model::kind_of(call->func) == Kind::HfPipeline ||
                     (receiver_of(*call) != nullptr && is_output(site, receiver_of(*call), depth + 1))
               : called_api(site, *call).starts_with("PIL.");
  }
  if (const auto *attribute = as<Attribute>(saved)) {
    return is_output(site, attribute->value, depth + 1);
  }
  if (const auto *element = as<Subscript>(saved)) {
    return is_output(site, element->value, depth + 1);
  }
  const auto *name = as<Name>(saved);
  const Expr *const value = name != nullptr ? assigned_to(site, *name) : nullptr;
  return value != nullptr && is_output(site, value, depth + 1);
}

// The file changes between the turns, or it is asked for again after something failed.
bool find_writing(const Site &site, const Node *node) {
  if (const auto *call = as<Call>(node)) {
    const std::string_view method = called_method(*call);
    if ((method == "save" && !is_output(site, receiver_of(*call))) || method.starts_with("save_") || method == "fit" ||
        method == "train") {
      return true;
    }
  }
  if (const auto *attempt = as<Try>(node); attempt != nullptr && is_retry(*attempt)) {
    return true;
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || find_writing(site, child); });
  return found;
}
bool writes_models(const Site &site, const Node *node) {
  struct Writes {
    bool models = false;
  };
  return site.memory.recall<Writes>(node, [&] { return Writes{find_writing(site, node)}; }).models;
}

// A name that a loop inside `loop` takes from the same collection each time: the same files again and again.
bool is_from_same_collection(const Site &site, const model::Loop &loop, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const model::Loop *inner = loop_around(site);
  const auto *statement = inner != nullptr && inner != &loop && inner->parent == &loop ? as<For>(inner->node) : nullptr;
  const auto *target = statement != nullptr ? as<Name>(statement->target) : nullptr;
  return name != nullptr && target != nullptr && target->id == name->id &&
         !model::varies(site.project, loop, statement->iter);
}

// How a loop or function uses its names.
struct AskedNames {
  struct OfName {
    u32 uses = 0;
    u32 asks = 0; // of them, for predictions
  };
  std::unordered_map<u32, OfName> of;
};

void find_asked(const Node *node, AskedNames &found) {
  const auto *use = as<Name>(node);
  if (use != nullptr && use->context == Context::Load) {
    ++found.of[use->id.id].uses;
  }
  const auto *method = as<Attribute>(node);
  const auto *owner = method != nullptr ? as<Name>(method->value) : nullptr;
  if (owner != nullptr && (method->attr.text() == "predict" || method->attr.text() == "evaluate")) {
    ++found.of[owner->id.id].asks;
  }
  for_each_child(node, [&](const Node *child) { find_asked(child, found); });
}

// A Keras model that is only asked for predictions.
bool is_only_asked(const Site &site, const Node &within, const Stmt *taken) {
  const auto *assignment = as<Assign>(taken);
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  if (name == nullptr) {
    return false;
  }
  const AskedNames &names = site.memory.recall<AskedNames>(&within, [&within] {
    AskedNames found;
    find_asked(&within, found);
    return found;
  });
  const auto known = names.of.find(name->id.id);
  return known != names.of.end() && known->second.uses > 0 && known->second.uses == known->second.asks;
}

bool stays_same(const Site &site, const Call &call, const model::Loop &loop) {
  const Expr *receiver = receiver_of(call);
  if ((receiver == nullptr || !model::varies(site.project, loop, receiver)) && call.args.size() == 1 &&
      call.keywords.empty() && is_from_same_collection(site, loop, call.args[0])) {
    return true;
  }
  return (receiver == nullptr || !model::varies(site.project, loop, receiver)) &&
         std::ranges::none_of(call.args, [&](const Expr *arg) { return model::varies(site.project, loop, arg); }) &&
         std::ranges::none_of(
             call.keywords, [&](const Keyword *keyword) { return model::varies(site.project, loop, keyword->value); });
}

// Does it read flask.request, which is another one each time?
bool reads_request(const Site &site, const Node *expr) {
  bool found = false;
  if (const auto *name = as<Name>(expr)) {
    const model::Value value = value_of(site, name);
    found = value.is(model::Value::Tag::Api) && value.name().text().ends_with(".request");
  }
  for_each_child(expr, [&](const Node *child) { found = found || reads_request(site, child); });
  return found;
}

// Attributes that nothing but the constructor stores to: the same in every call of an object's methods.
bool are_fixed(const FunctionInfo &function, const std::vector<Symbol> &attributes) {
  const model::ClassInfo *const type = function.type;
  const FunctionInfo *const init = type != nullptr ? model::find_method_of(*type, known::sym_init) : nullptr;
  return attributes.empty() ||
         (init != nullptr && std::ranges::all_of(attributes, [&](Symbol name) {
            const auto found = type->attributes.find(name.id);
            return found != type->attributes.end() &&
                   std::ranges::all_of(found->second.entries, [init](const model::Cell::Entry &entry) {
                     return entry.contributor == init->index;
                   });
          }));
}

// Parameters that callers pass, without the object itself.
u64 passed_params(const FunctionInfo &function, const model::Dependencies &on) {
  return function.type != nullptr && !function.is_static ? on.params & ~u64{1} : on.params;
}

// Where the weights go and how they are stored, and not which ones they are.
bool is_placement(const Keyword &given) {
  static const NameTable kPlacement({"device", "device_map", "torch_dtype", "dtype", "map_location",
                                     "quantization_config", "token", "use_auth_token", "cache_dir", "low_cpu_mem_usage",
                                     "attn_implementation", "local_files_only", "trust_remote_code"});
  return given.name && kPlacement.has(given.name);
}

// Nothing that callers pass decides what is loaded, and nothing of the object that ever changes.
bool is_same_in_each_call(const Site &site, const Call &call) {
  const auto fixed = [&site](const Expr *expr) {
    if (reads_request(site, expr)) {
      return false;
    }
    const model::Dependencies on = dependencies_of(site, *site.function, expr);
    const bool is_of_object = on.attributes.empty() ? on.params == 0 : passed_params(*site.function, on) == 0;
    return is_of_object && are_fixed(*site.function, on.attributes) && !on.varies;
  };
  const Expr *receiver = receiver_of(call);
  return (receiver == nullptr || fixed(receiver)) && std::ranges::all_of(call.args, fixed) &&
         std::ranges::all_of(call.keywords,
                             [&](const Keyword *keyword) { return is_placement(*keyword) || fixed(keyword->value); });
}

// The same where callers pass what is loaded, and a loop around one of them passes the same in every iteration.
bool is_same_in_all_iterations(const Site &site, const Call &call) {
  const Repetition repetition = repetition_of(site);
  return repetition.through_calls() && !writes_models(site, repetition.loop->node) &&
         call_stays_same(site, repetition, call);
}

// A call of a function that returns what it loads, from a function that runs again and again and drops it; null if
// there is none, or if one of the callers keeps it.
const model::CallSite *dropped_by_caller(const Site &site, const model::FunctionInfo &loads) {
  const model::CallSite *found = nullptr;
  for (const model::CallSite *caller : loads.called_by) {
    if (caller->once || caller->behind_guard || caller->caller->node == nullptr || is_cached(*caller->caller) ||
        writes_models(site, caller->caller->node)) {
      return nullptr;
    }
    std::vector<const Node *> ancestors;
    if (!find_ancestors(caller->caller->node, *caller->call, ancestors) ||
        fate_of_taken(site, *caller->caller, taken_by(ancestors, *caller->call)) != Fate::Dropped) {
      return nullptr;
    }
    if (caller->caller->in_loop) {
      found = caller;
    }
  }
  return found;
}

// A function that returns what it loads, or keeps it to itself, and that a request handler calls each time.
const model::CallSite *called_by_handler(const Site &site, const model::FunctionInfo &function, u32 depth = 0) {
  constexpr u32 kMostDepth = 3;
  for (const model::CallSite *caller : function.called_by) {
    if (caller->once || caller->behind_guard || caller->caller == &function) {
      continue;
    }
    if (is_request_handler(site.project, *caller->caller)) {
      return caller;
    }
    const Node *const between = caller->caller->node;
    if (depth + 1 < kMostDepth && between != nullptr && caller->caller->name.text() != "__init__" &&
        !is_cached(*caller->caller) && !keeps_something(site, *caller->caller) &&
        called_by_handler(site, *caller->caller, depth + 1) != nullptr) {
      return caller;
    }
  }
  return nullptr;
}

// The same where what it loads depends on parameters alone, and the caller passes the same for them each time.
bool is_same_for_caller(const Site &site, const Call &call, const model::CallSite &caller) {
  u64 params = 0;
  const auto depends = [&](const Expr *expr) {
    const model::Dependencies on = dependencies_of(site, *site.function, expr);
    params |= on.params;
    return on.varies || !on.attributes.empty();
  };
  if (std::ranges::any_of(call.args, depends) || std::ranges::any_of(call.keywords, [&](const Keyword *keyword) {
        return !is_placement(*keyword) && depends(keyword->value);
      })) {
    return false;
  }
  for (u32 i = 0; i < site.function->params.size() && i < 64; ++i) {
    if ((params >> i & 1) == 0) {
      continue;
    }
    const Expr *const passed = model::passed_argument(caller, i);
    const model::Dependencies on =
        passed != nullptr ? dependencies_of(site, *caller.caller, passed) : model::Dependencies{};
    const Site there = site_of(site, *caller.call);
    const u64 others = on.attributes.empty() ? on.params : passed_params(*caller.caller, on);
    if (others != 0 || on.varies || !are_fixed(*caller.caller, on.attributes) ||
        (passed != nullptr && reads_request(there, passed))) {
      return false;
    }
  }
  return true;
}

// An entry of a dictionary that is written down and never changed: `CHECKPOINTS[task]`, `CHECKPOINTS[task]["path"]`,
// `CHECKPOINTS.get(task)`; also under a name.
bool is_entry_of_table(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 4;
  if (depth == kMostDepth) {
    return false;
  }
  if (const auto *name = as<Name>(expr)) {
    const Expr *const value = assigned_to(site, *name);
    return value != nullptr && is_entry_of_table(site, value, depth + 1);
  }
  if (const auto *field = as<Attribute>(expr)) {
    return is_entry_of_table(site, field->value, depth + 1);
  }
  const auto *entry = as<Subscript>(expr);
  const auto *call = as<Call>(expr);
  const Expr *const table = entry != nullptr                                   ? entry->value
                            : call != nullptr && called_method(*call) == "get" ? receiver_of(*call)
                                                                               : nullptr;
  if (table == nullptr) {
    return false;
  }
  if (const auto *outer = as<Subscript>(table)) {
    return is_entry_of_table(site, outer, depth + 1);
  }
  const std::vector<model::Argument::Given> written = model::written_as(scope_of(site), table);
  const auto *entries = written.size() == 1 ? as<Dict>(written[0].expr) : nullptr;
  const bool is_shared = entries != nullptr && (written[0].scope.function == nullptr ||
                                                written[0].scope.function->node == nullptr); // of a module
  return is_shared && !entries->items.empty() && std::ranges::all_of(entries->items, [](const DictItem &item) {
           return item.key != nullptr && item.value->kind != NodeKind::Name && item.value->kind != NodeKind::Lambda;
         });
}

// A request chooses one of a few checkpoints, which is read again each time.
bool is_chosen_from_table(const Site &site, const Call &call, const model::CallSite *caller) {
  const Site around = caller != nullptr ? site_of(site, *caller->call) : site;
  // One at a time is in memory, as all of them do not fit.
  constexpr std::string_view kSwapping[] = {"empty_cache", ".collect()", "unload", "evict"};
  const bool is_swapped = reaches_word(site, *site.function->node, Words(kSwapping)) ||
                          reaches_word(around, *around.function->node, Words(kSwapping));
  const Expr *const first = call.args.empty() ? nullptr : call.args[0];
  if (first == nullptr || is_swapped || (caller != nullptr && keeps_something(site, *caller->caller)) ||
      std::ranges::any_of(call.args, [](const Expr *arg) { return arg->kind == NodeKind::Starred; })) {
    return false;
  }
  if (is_entry_of_table(site, first)) {
    return true;
  }
  // The caller looks it up, and passes what it found.
  const auto *name = as<Name>(first);
  for (u32 i = 0; caller != nullptr && name != nullptr && i < site.function->params.size(); ++i) {
    if (site.function->params[i]->name == name->id) {
      const Expr *const passed = model::passed_argument(*caller, i);
      return passed != nullptr && is_entry_of_table(around, passed);
    }
  }
  return false;
}

// What a server loads again for every request.
bool check_request(Site &site, const Call &call) {
  if (site.function == nullptr || site.function->definition() == nullptr) {
    return false;
  }
  const bool is_handler = is_request_handler(site.project, *site.function);
  const model::CallSite *caller = is_handler ? nullptr : called_by_handler(site, *site.function);
  const bool is_constructor = is_handler && site.function->name.text() == "__init__"; // of what each request makes
  const model::CallSite *way = nullptr;
  const bool replaces = site.function->name.text() != "__init__" && runs_in_every_request(site, &way);
  caller = caller == nullptr ? way : caller;
  if ((!is_handler && caller == nullptr) || is_cached(*site.function) ||
      (!is_constructor && !replaces && keeps_something(site, *site.function))) {
    return false;
  }
  const bool is_same =
      is_same_in_each_call(site, call) || (caller != nullptr && is_same_for_caller(site, call, *caller));
  if (!is_same && !is_chosen_from_table(site, call, caller)) {
    return false;
  }
  Finding &finding =
      is_same
          ? report(site, call, fmt::format("`{}` loads the same files for every request", text_of(site, call.func)),
                   "load it once, when the server starts, and use it here")
          : report(site, call,
                   fmt::format("`{}` loads one of a few checkpoints again for every request", text_of(site, call.func)),
                   "load them once, when the server starts, into a dictionary, and look them up here");
  if (caller != nullptr) {
    finding.notes.push_back({caller->caller->module->file, caller->call->span(), "called for every request here"});
  }
  return true;
}

// An object that loads a model when it is made, and that each request makes again: `Service("checkpoint")(texts)`.
bool check_object(Site &site, const Call &call) {
  if (site.function == nullptr || !site.function->name || site.function->name.text() != "__init__") {
    return false;
  }
  for (const model::CallSite *caller : site.function->called_by) {
    const FunctionInfo &by = *caller->caller;
    if (caller->once || caller->behind_guard || by.node == nullptr || !runs_per_request(site.project, by) ||
        keeps_something(site, by) || is_cached(by)) {
      continue;
    }
    const auto fixed = [&](const Expr *expr) {
      const model::Dependencies on = dependencies_of(site, by, expr);
      return on.params == 0 && on.attributes.empty() && !on.varies;
    };
    std::vector<const Node *> ancestors;
    const bool is_known = find_ancestors(by.node, *caller->call, ancestors);
    const bool is_behind_test =
        std::ranges::any_of(ancestors, [](const Node *node) { return node->kind == NodeKind::If; });
    if (!is_known || is_behind_test || !std::ranges::all_of(caller->call->args, fixed) ||
        !std::ranges::all_of(caller->call->keywords, [&](const Keyword *given) { return fixed(given->value); })) {
      continue;
    }
    Finding &finding = report(site.findings, *site.rule, *by.module, caller->call->span(),
                              "every request creates this object again, which loads a model",
                              "create it once, when the server starts, and use it here");
    finding.notes.push_back({site.module->file, call.span(), "the model is loaded here"});
    return true;
  }
  return false;
}

// Streamlit runs the whole script again whenever somebody clicks or types.
bool check_rerun(Site &site, const Call &call) {
  if (site.module->is_test || !file_has_word(site, {"import streamlit"}) ||
      file_has_word(site, {"cache", "session_state", "singleton", "memo"}) ||
      !file_has_word(site, {".text_input(", ".text_area(", ".button(", ".file_uploader(", ".chat_input(", ".selectbox(",
                            ".slider(", ".camera_input(", ".form_submit_button("})) {
    return false;
  }
  report(site, call,
         fmt::format("Streamlit runs this script again at every interaction, and `{}` loads the same files each time",
                     text_of(site, call.func)),
         "load it in a function decorated with `@st.cache_resource`");
  return true;
}

// models.resnet50(weights="DEFAULT") in a server: the pretrained weights are read for every request.
void check_pretrained(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  const std::string_view api = call.fact != 0 ? called_api(site, call) : std::string_view{};
  if ((!api.starts_with("torchvision.models.") && api != "timm.create_model" && api != "lpips.LPIPS") ||
      model::kind_of(&call) != Kind::TorchModule || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  check_request(site, call);
}

void check(Site &site, const Call &call) {
  if (check_object(site, call) || check_rerun(site, call)) {
    return;
  }
  if (!call.args.empty() && enclosing(site, NodeKind::If) == nullptr && check_request(site, call)) {
    return;
  }
  if (site.function == nullptr || (call.args.empty() && call.keywords.empty()) || has_hidden_arguments(call) ||
      enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  const model::CallSite *caller = nullptr;
  const Call *const applied = loop == nullptr ? repeated_by(site, *site.function) : nullptr;
  if (loop != nullptr) {
    if (!runs_every_iteration(site, *loop) || !stays_same(site, call, *loop) || writes_models(site, loop->node)) {
      return;
    }
  } else if ((!site.function->in_loop && applied == nullptr) || site.function->definition() == nullptr ||
             site.function->name.text() == "__init__" || !site.function->definition()->decorators.empty() ||
             writes_models(site, site.function->node) ||
             (!is_same_in_each_call(site, call) && !is_same_in_all_iterations(site, call))) {
    return;
  } else {
    const Fate fate = fate_of_taken(site, *site.function, taken_by(site.ancestors, call));
    caller = fate == Fate::Returned ? dropped_by_caller(site, *site.function) : nullptr;
    if (fate == Fate::Kept || (fate == Fate::Returned && caller == nullptr)) {
      return;
    }
  }
  Finding &finding = report(
      site, call,
      loop != nullptr
          ? fmt::format("`{}` loads the same files in every iteration", text_of(site, call.func))
          : fmt::format("`{}` loads the same files in every call of this function, which {}", text_of(site, call.func),
                        applied != nullptr ? "is run for every element or batch" : "is called from a loop"),
      "load it once, outside the loop, and pass it in");
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "the loop");
  }
  if (applied != nullptr) {
    finding.notes.push_back({site.module->file, applied->span(), "this runs the function repeatedly"});
  }
  if (caller != nullptr) {
    finding.notes.push_back({caller->caller->module->file, caller->call->span(),
                             "called here for each item, and discarded at the end of the call"});
  }
  // The weights that each iteration, or each of several models, starts from may be meant; but a pipeline, tokenizer or
  // processor is not trained, nor is a model that is only asked.
  const Kind kind = model::kind_of(&call);
  const std::string_view loaded = called_api(site, call);
  const bool is_asked =
      kind == Kind::KerasModel &&
      is_only_asked(site, loop != nullptr ? *loop->node : *site.function->node, taken_by(site.ancestors, call));
  const bool is_trained = kind != Kind::HfPipeline && kind != Kind::HfTokenizer && !is_asked &&
                          loaded.find("Processor") == std::string_view::npos &&
                          loaded.find("FeatureExtractor") == std::string_view::npos;
  // What neither the loop nor what it calls trains or changes is only asked.
  constexpr std::string_view kChanging[] = {"backward(", "Trainer",        "optim",    ".train(",  "load_state_dict",
                                            ".fit(",     "get_peft_model", "quantize", "prune",    "adapter",
                                            "register_", "requires_grad",  "half()",   "setattr(", ".step("};
  const bool is_changed = kind != Kind::HfModel || !loaded.ends_with(".from_pretrained") ||
                          reaches_word(site, loop != nullptr ? *loop->node : *site.function->node, Words(kChanging));
  if ((is_trained && is_changed) ||
      function_has_word(site, {"lora", "adapter", "textual_inversion", " del ", "gc.collect", "empty_cache"})) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kModelLoadInLoop = {
    .info = {.code = "DP205",
             .name = "model-load-in-loop",
             .summary = "the same model is loaded repeatedly",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Memory Leak, Increasing Time Over Time",
             .stage = "Prediction",
             .frameworks = "TensorFlow, Keras, PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .posts = "63033923 57928619",
             .documentation = R"(## What it finds

`load_model`, `hub.load`, `hub.KerasLayer`, `saved_model.load`, `torch.load`, `torch.hub.load`, `torch.jit.load`, `transformers.pipeline`,
`onnxruntime.InferenceSession` or `from_pretrained` in a loop, or in a function that is called from one, with arguments that stay the same.

Reported by default: models, tokenizers, pipelines and sessions that a Flask or FastAPI route, a dependency of one, a Celery task, a Lambda
function or a Gradio callback loads for every request, directly or through helpers; what a Streamlit script loads without caching it; and
pipelines, tokenizers, processors and pretrained models that are only used for inference, in a loop or in a function that `map` or `apply` calls.
Everything else that a loop loads again is a hint.

## Why it costs

The model is read from disk, its layers are created, and its weights are copied to the device before it can be used once. In TensorFlow 1
the graphs of the previous models also stay in memory.

## Bad

```python
from tensorflow import keras

for image in images:
    model = keras.models.load_model("classifier.h5")
    print(model(image, training=False))
```

## Good

```python
from tensorflow import keras

model = keras.models.load_model("classifier.h5")
for image in images:
    print(model(image, training=False))
```

## When it is wrong

Where the file changes between iterations: loops that also save or train are not reported. Weights that each iteration starts from
(`load_state_dict(torch.load(…))`) are a hint: keep them in memory instead.

## References

- DLPerf, root cause "Confusion with Computation Graph"; Stack Overflow 63033923 and 57928619, from the study
)"},
    .calls = "tensorflow.keras.models.load_model tensorflow.keras.saving.load_model tensorflow_hub.load "
             "tensorflow_hub.KerasLayer tensorflow_hub.Module tensorflow.saved_model.load torch.load torch.hub.load "
             "torch.jit.load *.from_pretrained transformers.pipeline onnxruntime.InferenceSession "
             "sentence_transformers.SentenceTransformer whisper.load_model spacy.load",
    .on_call = check,
    .nodes = {NodeKind::Call},
    .on_node = check_pretrained};

} // namespace deepperf::rules::model_load_in_loop
