#include "rules/encoding.h"
#include "rules/made_on_host.h"
#include "rules/options.h"
#include "rules/reach.h"
#include "rules/tree.h"

namespace deepperf::rules::special_tokens_twice {

using namespace python;

namespace {

// The call that makes texts of a conversation, which the expression is, also in a list or under names.
const Call *template_behind(const Site &site, const Expr *expr, u32 depth = 0) {
  const Call *found = nullptr;
  any_node(expr, [&](const Node *node) {
    if (const auto *call = as<Call>(node)) {
      const Keyword *const tokenizes = keyword_argument(*call, "tokenize");
      if (called_method(*call) == "apply_chat_template" && tokenizes != nullptr &&
          bool_of(site, tokenizes->value) == false) {
        found = call;
      } else if (const model::FunctionInfo *const function = depth < 3 ? called_function(site, *call) : nullptr) {
        // A method that renders the conversation.
        const Expr *const result = returned_at_end(site, *call);
        found = result != nullptr ? template_behind(site_inside(site, *function), result, depth + 1) : nullptr;
      }
    } else if (const auto *name = as<Name>(node); name != nullptr && depth < 3 && name->context == Context::Load) {
      const Expr *const value = assigned_to(site, *name);
      found = value != nullptr && value->end <= name->start ? template_behind(site, value, depth + 1) : found;
    }
    return found != nullptr;
  });
  return found;
}

// Does the tokenizer of the checkpoint put a token at the beginning? Not known for most.
std::optional<bool> begins_with_token(const Site &site, const Call &call) {
  const model::Value tokenizer = value_of(site, call.func);
  const Call *const maker = tokenizer.is_kind(Kind::HfTokenizer) ? tokenizer.maker() : nullptr;
  const auto name =
      maker != nullptr && !maker->args.empty() ? setting_of(site_of(site, *maker), maker->args[0]) : std::nullopt;
  const auto checkpoint = name.has_value() ? name->as_string() : std::nullopt;
  if (!checkpoint.has_value()) {
    return std::nullopt;
  }
  if (has_word_in_any_case(*checkpoint, {"qwen", "phi-", "smollm", "opt-"})) {
    return false;
  }
  return has_word_in_any_case(*checkpoint, {"llama", "mistral", "mixtral", "gemma"}) ? std::optional(true)
                                                                                     : std::nullopt;
}

void check(Site &site, const Call &call) {
  const Expr *const texts = argument(call, 0, "text");
  if (texts == nullptr || site.module->is_test || site.function == nullptr ||
      !are_absent(site, call, {"add_special_tokens"})) {
    return;
  }
  const Call *const made = template_behind(site, texts);
  if (made == nullptr) {
    return;
  }
  const std::optional<bool> adds_token = begins_with_token(site, call);
  if (adds_token == false) {
    return;
  }
  Finding &finding =
      report(site, call, "the chat template has added the special tokens, and the tokenizer adds them again",
             "pass `add_special_tokens=False`, or let `apply_chat_template` tokenize");
  finding.notes.push_back({site_of(site, *made).module->file, made->span(), "the template is applied here"});
  if (adds_token == true) {
    return;
  }
  // Not all tokenizers add a token at the beginning.
  if (!file_has_word(site, {"from_pretrained("}) ||
      !file_has_word_in_any_case(site, {"llama", "mistral", "mixtral", "gemma"}) ||
      file_has_word_in_any_case(site, {"qwen", "phi-"})) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kSpecialTokensTwice = {
    .info = {.code = "DP195",
             .name = "special-tokens-twice",
             .summary = "a conversation whose special tokens are added twice",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Wrong Result",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

The text of `apply_chat_template(…, tokenize=False)` that the tokenizer encodes without `add_special_tokens=False`. It is a hint unless the
file names a model whose tokenizer puts a token at the beginning.

## Why it costs

The template already contains the beginning-of-text and role tokens. The tokenizer adds its own: the prompt starts with two of them, which the
model has never seen in training, so answers get worse.

## Bad

```python
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("meta-llama/Llama-3.1-8B-Instruct")


def encode(chat):
    text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    return tokenizer(text, return_tensors="pt")
```

## Good

```python
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("meta-llama/Llama-3.1-8B-Instruct")


def encode(chat):
    text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    return tokenizer(text, return_tensors="pt", add_special_tokens=False)
```

## When it is wrong

For tokenizers that add no tokens.

## References

- Transformers: chat templates, "apply_chat_template with tokenize=False"
)"},
    .calls = "HfTokenizer.__call__ HfTokenizer.encode",
    .on_call = check};

} // namespace deepperf::rules::special_tokens_twice
