#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::generate_per_prompt {

using namespace python;

namespace {

bool has_batch_in_name(std::string_view name) {
  return name.find("batch") != std::string_view::npos || name.find("chunk") != std::string_view::npos;
}

// Encodes a single text, as far as the call tells: no list of several, no slice.
bool encodes_one_text(const Site &site, const Call &call) {
  const std::string_view method = called_method(call);
  const Kind kind = receiver_of(call) != nullptr ? model::kind_of(receiver_of(call)) : Kind::Unknown;
  const Kind called = model::kind_of(call.func);
  const bool is_encoder = called == Kind::HfTokenizer || called == Kind::HfProcessor ||
                          ((kind == Kind::HfTokenizer || kind == Kind::HfProcessor) &&
                           (method == "encode" || method == "encode_plus" || method == "apply_chat_template"));
  if (!is_encoder || call.args.empty()) {
    return false;
  }
  const Expr *text = call.args[0];
  const auto *list = as<List>(text);
  const auto *part = as<Subscript>(text);
  if ((list != nullptr && list->elts.size() != 1) || text->kind == NodeKind::ListComp ||
      (part != nullptr && part->slice->kind == NodeKind::Slice) || model::kind_of(text) == Kind::List) {
    return false;
  }
  return !has_batch_in_name(text_of(site, text));
}

// Does the loop wait for somebody, or need the last answer for the next prompt?
bool is_dialogue(const Site &site, const For &loop) {
  return any_node(loop.body, [&site](const Node *node) {
    const auto *call = as<Call>(node);
    return call != nullptr && called_api(site, *call) == "input";
  });
}

void check(Site &site, const Call &call) {
  const model::Loop *loop = loop_around(site);
  while (loop != nullptr && (loop->tiny || loop->turns == model::Turns::Few)) {
    loop = loop->parent;
  }
  const auto *statement = loop != nullptr ? as<For>(loop->node) : nullptr;
  if (statement == nullptr || loop->steps || goes_over_data(site, *loop) || is_dialogue(site, *statement)) {
    return;
  }
  const auto *range = as<Call>(iterated_by(site, *loop));
  if ((range != nullptr && range->args.size() == 3) || has_batch_in_name(text_of(site, statement->iter)) ||
      has_batch_in_name(text_of(site, statement->target))) {
    return;
  }
  const Call *encoding = nullptr;
  any_node(statement->body, [&](const Node *node) {
    const auto *inner = as<Call>(node);
    if (encoding == nullptr && inner != nullptr && inner->start < call.end && encodes_one_text(site, *inner)) {
      encoding = inner;
    }
    return encoding != nullptr;
  });
  if (encoding == nullptr) {
    return;
  }
  Finding &finding = report(
      site, call, fmt::format("`{}` generates for one prompt at a time, in batches of one", text_of(site, call.func)),
      "tokenize several prompts at once with `padding=True` and `padding_side=\"left\"`, and generate for all of them");
  add_note(finding, site, *encoding, "one prompt is tokenized here");
  add_note(finding, site, *statement, "in each iteration of this loop");
}

} // namespace

extern constinit const Rule kGeneratePerPrompt = {
    .info = {.code = "DP152",
             .name = "generate-per-prompt",
             .summary = "`model.generate()` called for one prompt at a time",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`model.generate(…)` of a Hugging Face model in a loop that tokenizes one prompt in each iteration.

## Why it costs

Generating a token reads all weights of the model, for one prompt as for a whole batch. With a single prompt the device
mostly waits for memory; a batch shares that traffic among its prompts.

## Bad

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")


def answer(prompts):
    answers = []
    for prompt in prompts:
        inputs = tokenizer(prompt, return_tensors="pt")
        answers.append(model.generate(**inputs, max_new_tokens=50))
    return answers
```

## Good

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2", padding_side="left")
model = AutoModelForCausalLM.from_pretrained("gpt2")


def answer(prompts):
    inputs = tokenizer(prompts, return_tensors="pt", padding=True)
    return model.generate(**inputs, max_new_tokens=50)
```

## When it is wrong

Where the next prompt depends on the last answer, or where there are only a few prompts. Prompts of very different
lengths waste work on padding: sort them by length, or use a serving engine with continuous batching.

## References

- Transformers: text generation, batched generation and padding
)"},
    .calls = "HfModel.generate",
    .on_call = check};

} // namespace deepperf::rules::generate_per_prompt
