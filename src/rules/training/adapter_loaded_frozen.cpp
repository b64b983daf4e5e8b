#include "base/name_table.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules::adapter_loaded_frozen {

using namespace python;
using model::Value;

namespace {

// Whoever trains a model in the project: a Trainer, or an optimizer of parameters.
struct Training {
  const Call *call = nullptr;
  const Expr *model = nullptr; // or its parameters
};

struct Trainings {
  std::vector<Training> all;
};

bool is_trainer_class(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *at) {
    return std::ranges::any_of(at->bases, [](const Value &base) {
      return base.is(Value::Tag::Api) && base.name().text().ends_with("Trainer");
    });
  });
}

Trainings find_trainings(const model::Project &project) {
  Trainings found;
  const auto look = [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const Value callee = project.callee_of(call);
    const bool is_trainer = (callee.is(Value::Tag::Api) && callee.name().text().ends_with("Trainer")) ||
                            (callee.is(Value::Tag::Class) && is_trainer_class(*callee.type));
    const Expr *const given = is_trainer ? argument(*call, 0, "model")
                              : model::kind_of(call) == Kind::TorchOptimizer && callee.is(Value::Tag::Api)
                                  ? argument(*call, 0, "params")
                                  : nullptr;
    if (given != nullptr) {
      found.all.push_back({call, given});
    }
    return false;
  };
  for (const model::Module &module : project.modules) {
    for (const Stmt *statement : module.torch && !module.is_test ? module.parsed->tree.body : Block{}) {
      any_node_inside(static_cast<const Node *>(statement), look);
    }
  }
  return found;
}

// What hands on a model or its parameters as they are.
bool hands_on(const Site &there, const Call &call) {
  static const NameTable kSame({"parameters", "named_parameters", "to", "cuda", "train", "prepare", "prepare_model",
                                "bfloat16", "half", "float"});
  const auto *method = as<Attribute>(call.func);
  const std::string_view api = called_api(there, call);
  return (method != nullptr && kSame.has(method->attr)) || api == "filter" || api == "torch.compile" ||
         api.ends_with("DataParallel");
}

// Does the model of a Trainer or optimizer come from that call?
bool trains(const Site &site, const Training &training, const Call &loaded) {
  const model::FunctionInfo *const function = site.project.caller_of(training.call);
  bool found = false;
  if (function != nullptr) {
    visit_origins(site, *function, training.model, [&](const Origin &origin) {
      const auto *call = as<Call>(origin.expr);
      found |= call == &loaded;
      return call == nullptr || hands_on(site_of_origin(site, *origin.function), *call) ? Onward::Through
                                                                                        : Onward::Stop;
    });
  }
  return found;
}

bool sets_gradients(const Site &site) {
  return file_has_word(site, {"requires_grad", "is_trainable", "\"lora_", "'lora_", "set_adapter", "add_adapter",
                              "load_adapter", "merge_and_unload", "enable_adapter"});
}

void check(Site &site, const Call &call) {
  if (site.function == nullptr || site.module->is_test || has_hidden_arguments(call) || call.args.size() > 3 ||
      sets_gradients(site)) {
    return;
  }
  const Trainings &trainings =
      site.memory.recall<Trainings>(&site.project, [&] { return find_trainings(site.project); });
  const auto found =
      std::ranges::find_if(trainings.all, [&](const Training &training) { return trains(site, training, call); });
  if (found == trainings.all.end()) {
    return;
  }
  const Site trained = site_of(site, *found->call);
  if (sets_gradients(trained)) {
    return;
  }
  Finding &finding =
      report(site, call, "the adapter is loaded frozen, so training changes nothing", "pass `is_trainable=True`");
  add_note(finding, trained, *found->call, "the model is trained here");
}

} // namespace

extern constinit const Rule kAdapterLoadedFrozen = {
    .info = {.code = "DP930",
             .name = "adapter-loaded-frozen",
             .summary = "an adapter that is loaded for inference and then trained",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`PeftModel.from_pretrained(base, path)` without `is_trainable=True`, in a program that trains the model: it is given to a `Trainer`, or an
optimizer gets its parameters, perhaps in another function or file.

## Why it is wrong

PEFT loads adapters for inference and freezes them. The base model is frozen too, so nothing requires a gradient: `backward()` fails, or the
optimizer updates nothing.

## Bad

```python
from peft import PeftModel
from transformers import AutoModelForCausalLM, Trainer


def resume(arguments, data):
    base = AutoModelForCausalLM.from_pretrained("gpt2")
    model = PeftModel.from_pretrained(base, "adapter")
    Trainer(model=model, args=arguments, train_dataset=data).train()
```

## Good

```python
from peft import PeftModel
from transformers import AutoModelForCausalLM, Trainer


def resume(arguments, data):
    base = AutoModelForCausalLM.from_pretrained("gpt2")
    model = PeftModel.from_pretrained(base, "adapter", is_trainable=True)
    Trainer(model=model, args=arguments, train_dataset=data).train()
```

## When it is wrong

Where other code sets `requires_grad` of the adapter; files that mention `requires_grad` or `lora_` are not reported.

## References

- PEFT: `PeftModel.from_pretrained`, the parameter `is_trainable`
)"},
    .calls = "peft.PeftModel.from_pretrained peft.PeftModelForCausalLM.from_pretrained",
    .on_call = check};

} // namespace deepperf::rules::adapter_loaded_frozen
