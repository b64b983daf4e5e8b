#include "model/bind.h"
#include "model/variance.h"
#include "rules/per_step.h"
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

// In the forward pass of a module, or in a function that a loop calls with the same text each time.
void check_function(Site &site, const Call &call) {
  const model::FunctionInfo *const function = site.function;
  if (function == nullptr || function->definition() == nullptr || call.args.empty() || site.module->is_test ||
      enclosing(site, NodeKind::If) != nullptr || loop_around(site) != nullptr) {
    return;
  }
  if (in_forward_pass(site)) {
    if (is_constant_text(site, call.args[0])) {
      report(site, call, "the same text is encoded again in every forward pass",
             "encode it once, in `__init__`, and keep the result as a buffer");
    }
    return;
  }
  // Its text is one of its parameters, and the loop passes the same for it.
  const Expr *const text = text_in(call.args[0]);
  const auto *list = as<List>(text);
  const auto *name = as<Name>(list != nullptr && list->elts.size() == 1 ? list->elts[0] : text);
  const auto &params = function->params;
  const auto param = name == nullptr
                         ? params.end()
                         : std::ranges::find_if(params, [name](const Param *one) { return one->name == name->id; });
  if (param == params.end()) {
    return;
  }
  for (const model::CallSite *caller : function->called_by) {
    const model::Loop *loop = caller->loop;
    while (loop != nullptr && (loop->tiny || loop->turns == model::Turns::Few)) {
      loop = loop->parent;
    }
    const u32 place = static_cast<u32>(param - params.begin()) - (caller->bound ? 1 : 0);
    const Expr *const given = argument(*caller->call, place, name->id.text());
    if (loop == nullptr || given == nullptr || caller->conditional || !loop->trains ||
        model::varies(site.project, *loop, given)) {
      continue;
    }
    Finding &finding = report(site.findings, *site.rule, *caller->caller->module, caller->call->span(),
                              "the same text is encoded again in every iteration",
                              "encode it once before the loop and keep the result");
    finding.notes.push_back({site.module->file, call.span(), "it is encoded here"});
    return;
  }
}

void check(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr) {
    check_function(site, call);
  }
  // A processor takes its texts by name: processor(text=labels, …)
  const bool has_text = !call.args.empty() || keyword_argument(call, "text") != nullptr;
  if (loop == nullptr || !has_text || has_hidden_arguments(call) || loop->turns == model::Turns::Few ||
      !runs_every_turn(site, *loop)) {
    return;
  }
  const auto varies = [&](const Expr *expr) { return model::varies(site.project, *loop, expr); };
  const Symbol encoder = root_of(call.func);
  if (std::ranges::find(loop->assigned, encoder) != loop->assigned.end() || std::ranges::any_of(call.args, varies) ||
      std::ranges::any_of(call.keywords, [&](const Keyword *keyword) { return varies(keyword->value); })) {
    return;
  }
  Finding &finding = report(site, call, "the same text is encoded again in every iteration",
                            "encode it once before the loop and keep the result");
  add_note(finding, site, *loop->node, "this loop changes none of the arguments");
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
