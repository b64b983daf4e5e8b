#include "base/symbol_list.h"
#include "rules/per_item.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::generate_per_prompt {

using namespace python;

namespace {

bool has_batch_in_name(std::string_view name) {
  return name.find("batch") != std::string_view::npos || name.find("chunk") != std::string_view::npos;
}

// Encodes a single text, as far as the call tells: no list of several, no slice. `is_given_one`: the texts that the
// function gets are one, whatever they are called.
bool encodes_one_text(const Site &site, const Call &call, bool is_given_one = false) {
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
  return (is_given_one && text->kind == NodeKind::Name) || !has_batch_in_name(text_of(site, text));
}

// Does the loop wait for somebody, or need the last answer for the next prompt?
bool is_dialogue(const Site &site, const model::Loop &loop) {
  return any_node(static_cast<const For *>(loop.node)->body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    // A list that the loop makes longer, such as the history of a conversation, in a prompt.
    const bool reads_history = encodes_one_text(site, *call) && any_node(call->args[0], [&](const Node *part) {
                                 const auto *name = as<Name>(part);
                                 return name != nullptr && contains(loop.mutated, name->id) &&
                                        !mentions(static_cast<const For *>(loop.node)->target, name->id);
                               });
    return reads_history || called_api(site, *call) == "input";
  });
}

// A loop that comes to one prompt after the other.
const For *loop_over_prompts(const Site &site, const model::Loop *loop) {
  while (loop != nullptr && (loop->few_iterations || loop->iterations == model::Iterations::Few)) {
    loop = loop->parent;
  }
  const auto *statement = loop != nullptr ? as<For>(loop->node) : nullptr;
  if (statement == nullptr || loop->steps || goes_over_data(site, *loop) || is_dialogue(site, *loop)) {
    return nullptr;
  }
  const auto *range = as<Call>(iterated_by(site, *loop));
  const bool goes_over_batches = (range != nullptr && range->args.size() == 3) ||
                                 has_batch_in_name(text_of(site, statement->iter)) ||
                                 has_batch_in_name(text_of(site, statement->target));
  return goes_over_batches ? nullptr : statement;
}

// Is it one text by what it is, or is only the first answer taken: `tokenizer.decode(output[0])`?
bool is_surely_one(const Site &site, const Call &encoding, const Block &body) {
  const Expr *const text = encoding.args[0];
  const auto *list = as<List>(text);
  if (text->kind == NodeKind::JoinedStr || model::kind_of(text) == Kind::Str ||
      (list != nullptr && list->elts.size() == 1)) {
    return true;
  }
  return any_node(body, [&site](const Node *node) {
    const auto *decoding = as<Call>(node);
    if (decoding == nullptr || called_method(*decoding) != "decode" || decoding->args.empty()) {
      return false;
    }
    return any_node(decoding->args[0], [&site](const Node *part) {
      const auto *element = as<Subscript>(part);
      const auto *axes = element != nullptr ? as<Tuple>(element->slice) : nullptr;
      const Expr *const first = axes != nullptr && !axes->elts.empty() ? axes->elts[0]
                                : element != nullptr                   ? element->slice
                                                                       : nullptr;
      return first != nullptr && integer_of(site, first) == 0;
    });
  });
}

// The call that encodes one text for it, before or in its arguments: in the loop around it, or in its function.
const Call *encoding_for(const Site &site, const Call &call) {
  const model::Loop *const loop = loop_around(site);
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Call *encoding = nullptr;
  const auto look = [&](const Node *node) {
    const auto *inner = as<Call>(node);
    if (encoding == nullptr && inner != nullptr && inner->start < call.end && encodes_one_text(site, *inner)) {
      encoding = inner;
    }
    return encoding != nullptr;
  };
  if (loop != nullptr) {
    any_node(loop->node, look);
  } else if (definition != nullptr) {
    any_node(definition->body, look);
  }
  return encoding;
}

// In a comprehension over prompts, or in a function that runs for each of them.
void check_item(Site &site, const Call &call) {
  const Call *const encoding = encoding_for(site, call);
  const auto item = encoding != nullptr ? item_behind(site, encoding->args[0]) : std::nullopt;
  if (!item.has_value()) {
    return;
  }
  Finding &finding = report(
      site, call, fmt::format("`{}` generates for one prompt at a time, in batches of one", text_of(site, call.func)),
      "tokenize several prompts at once with `padding=True` and `padding_side=\"left\"`, and generate for all of them");
  add_note(finding, site, *encoding, "one prompt is tokenized here");
  finding.notes.push_back({item->module->file, item->place, "for each item that this iterates over"});
  if (!item->is_sure) {
    finding.tier = Tier::Hint;
  }
}

// The same prompt again and again, for several samples.
bool check_samples(Site &site, const Call &call) {
  const model::Loop *const loop = loop_around(site);
  const auto *sampling = keyword_argument(call, "do_sample");
  if (loop == nullptr || loop->few_iterations || loop->iterations == model::Iterations::Few || loop->steps ||
      sampling == nullptr || bool_of(site, sampling->value) != true || call.keywords.size() + call.args.size() < 2) {
    return false;
  }
  const auto changes = [loop](const Node *node) {
    const auto *name = as<Name>(node);
    return name != nullptr && (contains(loop->assigned, name->id) || contains(loop->mutated, name->id));
  };
  const bool is_same =
      std::ranges::none_of(call.args, [&](const Expr *given) { return any_node(given, changes); }) &&
      std::ranges::none_of(call.keywords, [&](const Keyword *given) { return any_node(given->value, changes); });
  if (!is_same || !runs_every_iteration(site, *loop)) {
    return false;
  }
  Finding &finding =
      report(site, call, "each iteration generates one more sample of the same prompt, in a batch of one",
             "generate all of them in one call: `num_return_sequences=n`");
  add_note(finding, site, *loop->node, "in each iteration of this loop");
  return true;
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || check_samples(site, call)) {
    return;
  }
  const For *statement = loop_over_prompts(site, loop_around(site));
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  Block body = statement != nullptr ? statement->body : Block{};
  const model::CallSite *caller = nullptr;
  bool is_given_one = false; // self.run([prompt])
  if (statement == nullptr && loop_around(site) == nullptr && definition != nullptr && site.function->in_loop) {
    // In a function that answers one prompt, and that a loop calls.
    for (const model::CallSite *one : site.function->called_by) {
      const For *const outer = loop_over_prompts(site_of(site, *one->call), one->loop);
      const auto *list = !one->call->args.empty() ? as<List>(one->call->args[0]) : nullptr;
      const bool is_one = list != nullptr && list->elts.size() == 1 && list->elts[0]->kind != NodeKind::Starred;
      if (outer != nullptr && !one->call->args.empty() && one->call->args[0]->kind != NodeKind::ListComp &&
          (is_one || model::kind_of(one->call->args[0]) != Kind::List)) {
        statement = outer;
        caller = one;
        body = definition->body;
        is_given_one = is_one;
      }
    }
  }
  if (statement == nullptr) {
    check_item(site, call);
    return;
  }
  const Call *encoding = nullptr;
  any_node(body, [&](const Node *node) {
    const auto *inner = as<Call>(node);
    if (encoding == nullptr && inner != nullptr && inner->start < call.end &&
        encodes_one_text(site, *inner, is_given_one)) {
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
  const model::Module &module = caller != nullptr ? *caller->caller->module : *site.module;
  finding.notes.push_back(
      {module.file, Span{statement->start, statement->iter->end}, "in each iteration of this loop"});
  if (!is_given_one && !is_surely_one(site, *encoding, body)) {
    finding.tier = Tier::Hint;
  }
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
             .tier = Tier::On,
             .documentation = R"(## What it finds

`model.generate(…)` of a Hugging Face model in a loop or comprehension that tokenizes one prompt in each iteration, in a function that runs
for each prompt, and in a loop that samples from the same prompt repeatedly.

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
tokenizer.pad_token = tokenizer.eos_token
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
