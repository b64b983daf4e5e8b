#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::compiled_never_called {

using namespace python;

namespace {

// How a scope uses a name from a place on, functions inside included.
struct Uses {
  const Call *generates = nullptr; // name.generate(…)
  const Node *saved = nullptr;     // name.save_pretrained(…), name.state_dict()
  bool is_other = false;           // it is called, handed on, returned or something else that may run it
};

class Finder {
public:
  Finder(Symbol name, u32 from, Uses &uses) : name_(name), from_(from), uses_(uses) {}

  void walk(const Node *node) {
    if (const auto *call = as<Call>(node)) {
      const auto *receiver = as<Name>(receiver_of(*call));
      if (receiver != nullptr && receiver->id == name_ && receiver->start >= from_) {
        method(*call);
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
      const auto *object = as<Name>(attribute->value);
      if (object != nullptr && object->id == name_) {
        uses_.is_other |= attribute->attr.text() == "forward";
        return;
      }
    }
    if (const auto *name = as<Name>(node)) {
      uses_.is_other |= name->id == name_ && name->start >= from_;
      return;
    }
    for_each_child(node, [&](const Node *child) { walk(child); });
  }

private:
  void method(const Call &call) {
    const std::string_view method = called_method(call);
    if (method == "generate") {
      uses_.generates = uses_.generates != nullptr ? uses_.generates : &call;
    } else if (method == "save_pretrained" || method == "state_dict") {
      uses_.saved = uses_.saved != nullptr ? uses_.saved : &call;
    } else if (method != "eval" && method != "train" && method != "half" && method != "print_trainable_parameters") {
      uses_.is_other = true;
    }
  }

  Symbol name_;
  u32 from_;
  Uses &uses_;
};

// Was it given to a Trainer before? That one keeps what it was given.
const Call *trainer_before(const Site &site, const Block &body, Symbol name, u32 before) {
  const Call *found = nullptr;
  any_node(body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr || call->start > before ||
        (model::kind_of(call) != Kind::Trainer && !called_api(site, *call).ends_with("Trainer"))) {
      return false;
    }
    const auto is_it = [name](const Expr *given) {
      const auto *plain = as<Name>(given);
      return plain != nullptr && plain->id == name;
    };
    const Keyword *const model = keyword_argument(*call, "model");
    found = (model != nullptr && is_it(model->value)) || (!call->args.empty() && is_it(call->args[0])) ? call : found;
    return false;
  });
  return found;
}

void check(Site &site, const Call &call) {
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  const auto *target =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  const auto *given = call.args.empty() ? nullptr : as<Name>(call.args[0]);
  if (target == nullptr || given == nullptr || site.function == nullptr || site.module->is_test) {
    return;
  }
  const FunctionDef *definition = site.function->definition();
  const Block body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  Uses uses;
  Finder finder(target->id, assignment->end, uses);
  for (const Stmt *statement : body) {
    finder.walk(statement);
  }
  if (uses.is_other) {
    return;
  }
  const Call *const trainer = trainer_before(site, body, given->id, call.start);
  if (trainer != nullptr && uses.generates == nullptr) {
    Finding &finding = report(
        site, call,
        fmt::format("the compiled model is never run: the Trainer keeps the `{}` it was given before",
                    given->id.text()),
        "compile the model before it is given to the Trainer, or pass `torch_compile=True` in the `TrainingArguments`");
    add_note(finding, site, *trainer, "the Trainer gets the model here");
  } else if (uses.generates != nullptr) {
    Finding &finding =
        report(site, call,
               "the compiled model is never run: `generate()` is a method of the original model and calls that one",
               fmt::format("compile in place: `{}.forward = torch.compile({}.forward)`", target->id.text(),
                           target->id.text()));
    add_note(finding, site, *uses.generates, "the only use of the compiled model");
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
