#include "rules/assignments.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <vector>

namespace deepperf::rules::compiled_never_called {

using namespace python;

namespace {

// How a scope uses a name, functions inside included.
struct Uses {
  struct OfName {
    std::vector<const Call *> generates; // name.generate(…), in the order of the code
    bool is_other = false;
    u32 last_other = 0; // where it is last called, handed on, returned or something else that may run it
  };
  std::unordered_map<u32, OfName> of;

  void walk(const Node *node) {
    if (const auto *call = as<Call>(node)) {
      if (const auto *receiver = as<Name>(receiver_of(*call))) {
        method(*call, *receiver);
        for_each_child(call, [&](const Node *child) {
          if (child != call->func) {
            walk(child);
          }
        });
        return;
      }
    }
    // A setting: model.config.use_cache = False
    if (const auto *attribute = as<Attribute>(node)) {
      if (const auto *object = as<Name>(attribute->value)) {
        if (attribute->attr.text() == "forward") {
          add_other(object->id, kAnywhere);
        }
        return;
      }
    }
    if (const auto *name = as<Name>(node)) {
      add_other(name->id, name->start);
      return;
    }
    for_each_child(node, [&](const Node *child) { walk(child); });
  }

  [[nodiscard]] const OfName *find(Symbol name) const {
    const auto known = of.find(name.id);
    return known != of.end() ? &known->second : nullptr;
  }

private:
  static constexpr u32 kAnywhere = ~u32{0};

  void add_other(Symbol name, u32 place) {
    OfName &uses = of[name.id];
    uses.is_other = true;
    uses.last_other = std::max(uses.last_other, place);
  }

  void method(const Call &call, const Name &receiver) {
    const std::string_view method = called_method(call);
    if (method == "generate") {
      of[receiver.id.id].generates.push_back(&call);
    } else if (method != "save_pretrained" && method != "state_dict" && method != "eval" && method != "train" &&
               method != "half" && method != "print_trainable_parameters") {
      add_other(receiver.id, method == "forward" ? kAnywhere : receiver.start);
    }
  }
};

// Trainers that a function makes, by the names of the models that they are given, in the order of the code.
struct Trainers {
  std::unordered_map<u32, std::vector<const Call *>> of;
};

Trainers find_trainers(const Site &site) {
  Trainers found;
  any_node(body_around(site), [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr || (model::kind_of(call) != Kind::Trainer && !called_api(site, *call).ends_with("Trainer"))) {
      return false;
    }
    const Keyword *const model = keyword_argument(*call, "model");
    const auto *by_keyword = model != nullptr ? as<Name>(model->value) : nullptr;
    const auto *first = !call->args.empty() ? as<Name>(call->args[0]) : nullptr;
    for (const Name *given : {by_keyword, first}) {
      if (given != nullptr) {
        found.of[given->id.id].push_back(call);
      }
    }
    return false;
  });
  for (auto &[name, calls] : found.of) {
    std::ranges::stable_sort(calls, {}, [](const Call *call) { return call->start; });
  }
  return found;
}

// Was it given to a Trainer before? That one keeps what it was given.
const Call *trainer_before(const Site &site, Symbol name, u32 before) {
  const Trainers &trainers = site.memory.recall<Trainers>(&body_around(site), [&site] { return find_trainers(site); });
  const auto known = trainers.of.find(name.id);
  if (known == trainers.of.end()) {
    return nullptr;
  }
  const auto after = std::ranges::upper_bound(known->second, before, {}, [](const Call *call) { return call->start; });
  return after != known->second.begin() ? *(after - 1) : nullptr;
}

void check(Site &site, const Call &call) {
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  const auto *target =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  const auto *given = call.args.empty() ? nullptr : as<Name>(call.args[0]);
  if (target == nullptr || given == nullptr || site.function == nullptr || site.module->is_test) {
    return;
  }
  const Uses &all = site.memory.recall<Uses>(&body_around(site), [&site] {
    Uses found;
    for (const Stmt *statement : body_around(site)) {
      found.walk(statement);
    }
    return found;
  });
  const Uses::OfName *const uses = all.find(target->id);
  if (uses != nullptr && uses->is_other && uses->last_other >= assignment->end) {
    return;
  }
  const Call *generates = nullptr; // the first from here on
  if (uses != nullptr) {
    const auto next = std::ranges::lower_bound(uses->generates, assignment->end, {},
                                               [](const Call *one) { return receiver_of(*one)->start; });
    generates = next != uses->generates.end() ? *next : nullptr;
  }
  const Call *const trainer = trainer_before(site, given->id, call.start);
  if (trainer != nullptr && generates == nullptr) {
    Finding &finding = report(
        site, call,
        fmt::format("the compiled model is never run: the Trainer keeps the `{}` that it received earlier",
                    given->id.text()),
        "compile the model before passing it to the Trainer, or set `torch_compile=True` in the `TrainingArguments`");
    add_note(finding, site, *trainer, "the Trainer receives the model here");
  } else if (generates != nullptr) {
    Finding &finding =
        report(site, call,
               "the compiled model is never run: `generate()` is a method of the original model and calls that one",
               fmt::format("compile in place: `{}.forward = torch.compile({}.forward)`", target->id.text(),
                           target->id.text()));
    add_note(finding, site, *generates, "the only use of the compiled model");
  }
}

} // namespace

extern constinit const Rule kCompiledNeverCalled = {
    .info = {.code = "DP264",
             .name = "compiled-never-called",
             .summary = "a model that `torch.compile` wraps and nothing calls",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`model = torch.compile(model)` where the result is used only for `model.generate(…)`, or where a Trainer already has the
original model.

## Why it costs

`torch.compile` returns a wrapper, and only calling the wrapper runs compiled code. `generate` is looked up in the
original model and calls the original `forward`; a Trainer that was created before keeps the original model. The program
runs as if nothing was compiled.

## Bad

```python
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def answer(name, text):
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16).cuda()
    model = torch.compile(model)
    ids = tokenizer(text, return_tensors="pt").to("cuda")
    with torch.inference_mode():
        return model.generate(**ids, max_new_tokens=64)
```

## Good

```python
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def answer(name, text):
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16).cuda()
    model.forward = torch.compile(model.forward)
    ids = tokenizer(text, return_tensors="pt").to("cuda")
    with torch.inference_mode():
        return model.generate(**ids, max_new_tokens=64)
```

## When it is wrong

Where the wrapper is called by code that finds it in another way.

## References

- PyTorch: torch.compile, OptimizedModule
- Transformers: optimizing inference with torch.compile
)"},
    .calls = "torch.compile",
    .on_call = check};

} // namespace deepperf::rules::compiled_never_called
