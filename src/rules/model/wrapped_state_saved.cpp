#include "model/variance.h"
#include "rules/reach.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <unordered_map>

namespace deepperf::rules::wrapped_state_saved {

using namespace python;

namespace {

// The prefix that the wrapper puts before the names of all weights; empty if it is none.
std::string_view prefix_of(const model::Value &model) {
  if (!model.is_kind(Kind::TorchModule) || model.maker() == nullptr || model.alternatives != nullptr || model.open ||
      !model.name()) {
    return {};
  }
  const std::string_view maker = model.name().text();
  if (maker.ends_with(".DataParallel") || maker.ends_with(".DistributedDataParallel")) {
    return "module.";
  }
  return maker == "torch.compile" ? "_orig_mod." : std::string_view{};
}

// What the receiver of a method is where it stands.
model::Value receiver_value(const Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  return callee.is(model::Value::Tag::ApiMethod) ? callee.receiver() : model::Value{};
}

// `model.state_dict()`, also as an entry of a dictionary, and under a name.
const Call *state_in(const Site &site, const Expr *value) {
  if (const auto *name = as<Name>(value)) {
    value = last_assigned(site, *name);
  }
  if (const auto *entries = as<Dict>(value)) {
    for (const DictItem &item : entries->items) {
      if (const Call *state = item.value != nullptr ? state_in(site, item.value) : nullptr) {
        return state;
      }
    }
    return nullptr;
  }
  const auto *call = as<Call>(value);
  return call != nullptr && called_method(*call) == "state_dict" && call->args.empty() ? call : nullptr;
}

// The name of a file that is written in the path; empty if there is none.
std::string file_in(const Site &site, const Expr *path) {
  if (const std::optional<std::string> whole = string_of(site, path)) {
    return *whole;
  }
  std::string found;
  any_node(static_cast<const Node *>(path), [&](const Node *node) {
    const StringConstant *text = as_string(node);
    if (text != nullptr && found.empty()) {
      const std::string value = string_of(site, text).value_or("");
      const std::size_t dot = value.rfind('.');
      found = dot != std::string::npos && dot > 0 && value.size() - dot <= 6 ? value : std::string{};
    }
    return !found.empty();
  });
  return found;
}

// A function that loads a file and gives it to a plain model.
struct PlainLoad {
  const model::Module *module = nullptr;
  const Call *load = nullptr;
  const model::ClassInfo *type = nullptr; // of the model, if it is one of the project
  bool is_strict = true;                  // false: keys that do not fit are ignored
};

struct PlainLoads {
  std::unordered_map<std::string, PlainLoad> all;                   // by the file
  std::unordered_map<const model::ClassInfo *, PlainLoad> of_class; // by the class of the model

  [[nodiscard]] const PlainLoad *first_of(const std::string &file) const {
    const auto found = all.find(file);
    return found != all.end() ? &found->second : nullptr;
  }
};

bool knows_of_prefixes(const Site &site) {
  return project_has_word(
      site, {"\"module.\"", "'module.'", "_orig_mod", "consume_prefix", "[7:]", "\"module\"", "'module'"});
}

void find_loads(const Site &site, const model::FunctionInfo &function, PlainLoads &loads) {
  const FunctionDef *definition = function.definition();
  if (definition == nullptr && function.node != nullptr) {
    return;
  }
  const Block &body = definition != nullptr ? definition->body : function.module->parsed->tree.body;
  Site there{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  there.module = function.module;
  there.function = &function;
  const Call *file = nullptr;
  const Call *plain = nullptr;
  bool is_strict = true;
  any_node(body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    if (called_api(there, *call) == "torch.load" && !call->args.empty()) {
      file = call;
    } else if (const Expr *const strict = argument(*call, 1, "strict");
               called_method(*call) == "load_state_dict" && !call->args.empty() && !has_hidden_arguments(*call) &&
               (strict == nullptr || bool_of(there, strict).has_value())) {
      const Expr *receiver = receiver_of(*call);
      const Kind kind = model::kind_of(receiver);
      const bool is_model =
          kind == Kind::TorchModule || (kind == Kind::Unknown && !has_word(text_of(function), {"Parallel"}));
      const model::Value value = value_of(there, receiver);
      bool is_wrapped = false;
      model::for_each_alternative(value, [&](const model::Value &one) { is_wrapped |= !prefix_of(one).empty(); });
      if (is_model && !is_wrapped && prefix_of(receiver_value(there, *call)).empty()) {
        plain = call;
        is_strict = strict == nullptr || bool_of(there, strict) == true;
      }
    }
    return false;
  });
  if (file != nullptr && plain != nullptr) {
    const model::Value model = value_of(there, receiver_of(*plain));
    const model::ClassInfo *const type = model.is(model::Value::Tag::Object) ? model.type : nullptr;
    const PlainLoad load{function.module, plain, type, is_strict};
    loads.all.try_emplace(file_in(there, file->args[0]), load);
    if (type != nullptr) {
      loads.of_class.try_emplace(type, load);
    }
  }
}

const PlainLoads &plain_loads(const Site &site) {
  return site.memory.recall<PlainLoads>(&site.project, [&] {
    PlainLoads loads;
    for (const model::FunctionInfo &function : site.project.functions) {
      if (function.module != nullptr && function.module->torch &&
          has_word(function.module->parsed->source.text(), {"load_state_dict"})) {
        find_loads(site, function, loads);
      }
    }
    return loads;
  });
}

// The class of the project that a wrapper holds: `DDP(Net().cuda(), …)`.
const model::ClassInfo *wrapped_class(const Site &site, const model::Value &wrapper) {
  const Expr *inner = wrapper.maker() != nullptr && !wrapper.maker()->args.empty() ? wrapper.maker()->args[0] : nullptr;
  const Site there = wrapper.maker() != nullptr ? site_of(site, *wrapper.maker()) : site;
  for (u32 steps = 0; inner != nullptr && steps < 4; ++steps) {
    const auto *call = as<Call>(inner);
    const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
    if (callee.is(model::Value::Tag::Class)) {
      return callee.type;
    }
    const model::Value value = call == nullptr ? value_of(there, inner) : model::Value{};
    if (value.is(model::Value::Tag::Object)) {
      return value.type;
    }
    const bool is_converted =
        call != nullptr && called_method(*call) == "convert_sync_batchnorm" && !call->args.empty();
    inner = is_converted ? call->args[0] : call != nullptr ? receiver_of(*call) : nullptr; // Net().cuda()
  }
  return nullptr;
}

// The class of a model that Accelerate has prepared, in the function or where it is called; null if it is none.
const model::ClassInfo *prepared_class(const Site &site, const Expr *model, u32 depth) {
  const model::Value value = value_of(site, model);
  const auto *name = as<Name>(model);
  const FunctionDef *const definition = site.function->definition();
  if (!value.is(model::Value::Tag::Object) || name == nullptr || definition == nullptr || depth == 3) {
    return nullptr;
  }
  bool is_prepared = false;
  any_node(definition->body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *call = assignment != nullptr ? as<Call>(run_by(assignment->value)) : nullptr;
    if (call != nullptr && mentions(assignment->targets[0], name->id)) {
      is_prepared = called_method(*call) == "prepare" && model::kind_of(receiver_of(*call)) == Kind::Accelerator;
    }
    return false;
  });
  if (is_prepared) {
    return value.type;
  }
  const auto &params = site.function->params;
  const auto param = std::ranges::find_if(params, [name](const Param *one) { return one->name == name->id; });
  const bool is_passed = param != params.end() && !site.function->called_by.empty() &&
                         std::ranges::all_of(site.function->called_by, [&](const model::CallSite *caller) {
                           const Expr *const given =
                               model::passed_argument(*caller, static_cast<u32>(param - params.begin()));
                           const Site there = site_of(site, *caller->call);
                           return given != nullptr && there.function != nullptr && caller->caller != site.function &&
                                  prepared_class(there, given, depth + 1) != nullptr;
                         });
  return is_passed ? value.type : nullptr;
}

void check(Site &site, const Call &call) {
  const Call *state = call.args.size() >= 2 ? state_in(site, call.args[0]) : nullptr;
  if (state == nullptr || site.module->is_test || site.function == nullptr) {
    return;
  }
  model::Value wrapper = receiver_value(site, *state);
  std::string_view prefix = prefix_of(wrapper);
  if (prefix.empty()) {
    wrapper = value_of(site, receiver_of(*state));
    prefix = prefix_of(wrapper);
  }
  const model::ClassInfo *const prepared =
      prefix.empty() && project_has_word(site, {"ccelerat"}) ? prepared_class(site, receiver_of(*state), 0) : nullptr;
  if ((prefix.empty() && prepared == nullptr) || knows_of_prefixes(site)) {
    return;
  }
  const PlainLoads &loads = plain_loads(site);
  const std::string file = prepared == nullptr ? file_in(site, call.args[1]) : std::string{};
  const PlainLoad *load = !file.empty() ? loads.first_of(file) : nullptr;
  if (load == nullptr && file.empty()) {
    const auto known = loads.of_class.find(prepared != nullptr ? prepared : wrapped_class(site, wrapper));
    load = known != loads.of_class.end() && known->first != nullptr ? &known->second : nullptr;
  }
  if (load == nullptr) {
    return;
  }
  const std::string_view model = text_of(site, receiver_of(*state));
  Finding &finding = report(
      site, *state,
      fmt::format("the keys of this state dict start with `{}`{}, so {} a model that is not wrapped",
                  prepared != nullptr ? "module." : prefix, prepared != nullptr ? " with several processes" : "",
                  load->is_strict ? "it does not load into" : "`strict=False` loads none of them into"),
      prepared != nullptr ? fmt::format("save `accelerator.unwrap_model({}).state_dict()`", model)
                          : fmt::format("save `{}.{}.state_dict()`", model, prefix.substr(0, prefix.size() - 1)));
  finding.notes.push_back({load->module->file, load->load->span(),
                           file.empty() ? "such weights are loaded into a plain model here"
                                        : "the same file is loaded into a plain model here"});
}

} // namespace

extern constinit const Rule kWrappedStateSaved = {
    .info = {.code = "DP876",
             .name = "wrapped-state-saved",
             .summary =
                 "weights of a wrapped model that are saved with the wrapper's prefix and loaded into a plain model",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.save(model.state_dict(), …)` where the model is wrapped by `DataParallel`, `DistributedDataParallel` or `torch.compile`, in a program
that loads the same file, or weights of the same class, into a model that is not wrapped and never removes the prefix. The same for a
model that Accelerate has prepared.

## Why it is wrong

The wrapper is a module that holds the model as `module`, or as `_orig_mod` after `torch.compile`, so all keys of its state dict start with
that prefix. `load_state_dict` of the plain model fails with missing and unexpected keys. With `strict=False` it ignores them all, and
the model keeps the weights that it started with.

## Bad

```python
import torch
from torch import nn


def train(step):
    model = nn.DataParallel(nn.Linear(8, 2))
    step(model)
    torch.save(model.state_dict(), "model.pth")


def predict(x):
    model = nn.Linear(8, 2)
    model.load_state_dict(torch.load("model.pth", weights_only=True))
    return model.eval()
```

## Good

```python
import torch
from torch import nn


def train(step):
    model = nn.Linear(8, 2)
    step(model)
    torch.save(model.state_dict(), "model.pth")


def predict(x):
    model = nn.Linear(8, 2)
    model.load_state_dict(torch.load("model.pth", weights_only=True))
    return model.eval()
```

## When it is wrong

Where another program removes the prefix before the file is loaded.

## References

- PyTorch tutorials: saving and loading models, `DataParallel`
)"},
    .calls = "torch.save Accelerator.save",
    .on_call = check};

} // namespace deepperf::rules::wrapped_state_saved
