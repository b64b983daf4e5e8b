#include "base/symbol_list.h"
#include "model/bind.h"
#include "model/variance.h"
#include "rules/per_step.h"
#include "rules/repetition.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules::same_text_encoded {

using namespace python;

namespace {

// `tokenizer` of `tokenizer.encode`, `self` of `self.tokenizer`.
Symbol root_of(const Expr *expr) {
  while (const auto *attribute = as<Attribute>(expr)) {
    expr = attribute->value;
  }
  const auto *name = as<Name>(expr);
  return name != nullptr ? name->id : Symbol{};
}

// The parts that decide about the text: `[prompt] * n` has the same text, whatever n is.
const Expr *text_in(const Expr *argument) {
  const auto *product = as<BinOp>(argument);
  if (product != nullptr && product->op() == Operator::Mult) {
    return product->left->kind == NodeKind::List ? product->left : product->right;
  }
  return argument;
}

// Is it the same in every call of the function: literals, globals and attributes that nobody changes after __init__?
bool is_constant_text(const Site &site, const Expr *argument) {
  std::vector<Symbol> bound; // by comprehensions inside
  any_node(text_in(argument), [&bound](const Node *node) {
    const auto *name = as<Name>(node);
    if (name != nullptr && name->context == Context::Store) {
      bound.push_back(name->id);
    }
    return false;
  });
  return !any_node(text_in(argument), [&](const Node *node) {
    if (const auto *name = as<Name>(node)) {
      const bool is_local = site.function->slot_of(name->id) != model::FunctionInfo::kNoSlot &&
                            std::ranges::find(bound, name->id) == bound.end();
      return is_local && !model::is_own_object(*site.function, name);
    }
    if (const auto *attribute = as<Attribute>(node)) {
      return std::ranges::find(site.function->attribute_stores, attribute->attr) !=
             site.function->attribute_stores.end();
    }
    // What a function gives is not known; a method of a text gives the same for the same.
    const auto *call = as<Call>(node);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    return (call != nullptr && method != "format" && method != "join") || node->kind == NodeKind::Subscript;
  });
}

// Made of what the function is given and of what lies outside of it. What it builds itself, it may build from anything:
// only texts that it puts together without a call are followed, `prompts = [f"a photo of a {c}" for c in
// self.classes]`.
bool is_given(const Site &site, const Repetition &repetition, const Expr *text, u32 depth = 0) {
  constexpr u32 kMostDepth = 3;
  const auto &params = site.function->params;
  std::vector<Symbol> bound; // by comprehensions inside
  any_node(text, [&bound](const Node *node) {
    const auto *name = as<Name>(node);
    if (name != nullptr && name->context == Context::Store) {
      bound.push_back(name->id);
    }
    return false;
  });
  return !any_node(text, [&](const Node *node) {
    const auto *name = as<Name>(node);
    if (const auto *call = as<Call>(node)) {
      const std::string_view method = called_method(*call);
      return depth == 0 || (method != "format" && method != "join");
    }
    if (name == nullptr || site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot ||
        std::ranges::find(bound, name->id) != bound.end()) {
      return false;
    }
    const bool is_param = std::ranges::any_of(params, [name](const Param *param) { return param->name == name->id; });
    if (!is_param) {
      const Expr *const built = depth < kMostDepth ? last_assigned(site, *name) : nullptr;
      const bool is_put_together = built != nullptr && built->kind != NodeKind::List; // which may grow
      return !is_put_together || !is_given(site, repetition, built, depth + 1);
    }
    const Expr *const passed = passed_in_loop(site, repetition, name);
    return last_assigned(site, *name) != nullptr || (passed != nullptr && is_none(passed));
  });
}

// A tokenizer takes microseconds for a word or two.
bool is_short_for_tokenizer(const Site &site, const Call &call) {
  const Expr *const owner = receiver_of(call) != nullptr ? receiver_of(call) : call.func;
  constexpr std::size_t kShort = 100;
  const auto text = call.args.empty() ? std::nullopt : string_of(site, call.args[0]);
  const bool is_encoder = model::kind_of(owner) != Kind::HfTokenizer;
  return text.has_value() && text->size() < kShort && !is_encoder;
}

// In the forward pass of a module, or in a function that a loop calls with the same text each time.
void check_function(Site &site, const Call &call) {
  const model::FunctionInfo *const function = site.function;
  const bool has_text = !call.args.empty() || keyword_argument(call, "text") != nullptr;
  if (function == nullptr || function->definition() == nullptr || !has_text || site.module->is_test ||
      enclosing(site, NodeKind::If) != nullptr || loop_around(site) != nullptr) {
    return;
  }
  if (in_forward_pass(site)) {
    if (!call.args.empty() && is_constant_text(site, call.args[0])) {
      Finding &finding = report(site, call, "the same text is encoded again in every forward pass",
                                "encode it once, in `__init__`, and keep the result as a buffer");
      finding.tier = is_short_for_tokenizer(site, call) ? Tier::Hint : finding.tier;
    }
    return;
  }
  // A loop calls it with the same text each time.
  const Repetition repetition = repetition_of(site);
  const Expr *const text = text_in(!call.args.empty() ? call.args[0] : keyword_argument(call, "text")->value);
  const Expr *const object = receiver_of(call) != nullptr ? receiver_of(call) : call.func;
  if (!repetition.through_calls() || repetition.loop->iterations == model::Iterations::Few ||
      !is_given(site, repetition, text) || !stays_same(site, repetition, text) ||
      !stays_same(site, repetition, object)) {
    return;
  }
  const model::CallSite &caller = *repetition.calls.back();
  Finding &finding =
      report(site.findings, *site.rule, *caller.caller->module, caller.call->span(),
             "the same text is encoded again in every iteration", "encode it once before the loop and keep the result");
  finding.notes.push_back({site.module->file, call.span(), "it is encoded here"});
  finding.tier = is_short_for_tokenizer(site, call) ? Tier::Hint : finding.tier;
}

void check(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr) {
    check_function(site, call);
  }
  // A processor takes its texts by name: processor(text=labels, …)
  const bool has_text = !call.args.empty() || keyword_argument(call, "text") != nullptr;
  if (loop == nullptr || !has_text || has_hidden_arguments(call) || loop->iterations == model::Iterations::Few ||
      !runs_every_iteration(site, *loop)) {
    return;
  }
  const auto varies = [&](const Expr *expr) { return model::varies(site.project, *loop, expr); };
  const Symbol encoder = root_of(call.func);
  if (contains(loop->assigned, encoder) || std::ranges::any_of(call.args, varies) ||
      std::ranges::any_of(call.keywords, [&](const Keyword *keyword) { return varies(keyword->value); })) {
    return;
  }
  Finding &finding = report(site, call, "the same text is encoded again in every iteration",
                            "encode it once before the loop and keep the result");
  add_note(finding, site, *loop->node, "this loop changes none of the arguments");
  finding.tier = is_short_for_tokenizer(site, call) ? Tier::Hint : finding.tier;
}

} // namespace

extern constinit const Rule kSameTextEncoded = {
    .info = {.code = "DP412",
             .name = "same-text-encoded",
             .summary = "a tokenizer or sentence encoder that gets the same text in every iteration",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Slow Execution Time, Abnormal CPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A call of a Hugging Face tokenizer, or `encode` of a SentenceTransformer, in a loop that changes none of its arguments.

## Why it costs

The result is the same each time. A tokenizer repeats its work on the CPU, a sentence encoder runs a whole model.

## Bad

```python
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")


def train(batches, step):
    for batch in batches:
        prompt = tokenizer("Summarize:", return_tensors="pt")
        step(batch, prompt)
```

## Good

```python
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")


def train(batches, step):
    prompt = tokenizer("Summarize:", return_tensors="pt")
    for batch in batches:
        step(batch, prompt)
```

## When it is wrong

Where the result is changed in place afterwards; then keep a copy.

## References

- Python wiki: loops, performance tips
)"},
    .calls = "HfTokenizer.__call__ HfTokenizer.encode HfTokenizer.encode_plus HfTokenizer.tokenize HfEncoder.encode "
             "HfProcessor.__call__",
    .on_call = check};

} // namespace deepperf::rules::same_text_encoded
