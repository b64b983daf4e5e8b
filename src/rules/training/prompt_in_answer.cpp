#include "model/code_text.h"
#include "python/literals.h"
#include "rules/encoding.h"
#include "rules/origins.h"
#include "rules/reach.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace deepperf::rules::prompt_in_answer {

using namespace python;

namespace {

// Generated text with its prompt, as a test reads it.
struct Echo {
  const Call *generate = nullptr;
  const Call *decode = nullptr;
  const model::FunctionInfo *generated_in = nullptr;
  const model::FunctionInfo *decoded_in = nullptr;
  bool is_cut = false; // something else becomes of it on the way
};

bool is_decoding(std::string_view method) { return method == "decode" || method == "batch_decode"; }

// A causal model gives back the prompt and what follows it, unless it gets embeddings.
bool echoes_prompt(const Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  const model::Value model = callee.is(model::Value::Tag::ApiMethod) ? callee.receiver() : model::Value{};
  return called_method(call) == "generate" && model.is_kind(Kind::HfModel) && model.maker() != nullptr &&
         model.name() && makes_causal_model(model.name().text()) &&
         keyword_argument(call, "inputs_embeds") == nullptr && keyword_argument(call, "streamer") == nullptr;
}

// Where the text comes from, as long as nothing but its case and the blanks around it are changed.
Echo echo_of(const Site &site, const Expr *text) {
  Echo found;
  const bool complete = visit_origins(site, *site.function, text, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    const auto *call = as<Call>(origin.expr);
    if (call == nullptr) {
      found.is_cut = true;
      return Onward::Stop;
    }
    const Site there = site_of_origin(site, *origin.function);
    if (echoes_prompt(there, *call)) {
      found.generate = call;
      found.generated_in = origin.function;
      return Onward::Stop;
    }
    constexpr std::string_view kSame[] = {"upper",    "lower", "strip", "lstrip", "rstrip",
                                          "casefold", "to",    "cpu",   "tolist"};
    const std::string_view method = called_method(*call);
    if (is_decoding(method) && !call->args.empty() && value_of(there, receiver_of(*call)).is_kind(Kind::HfTokenizer)) {
      found.decode = call;
      found.decoded_in = origin.function;
      origin.next.push_back(call->args[0]);
      return Onward::Next;
    }
    if (std::ranges::find(kSame, method) != std::end(kSame) && receiver_of(*call) != nullptr) {
      origin.next.push_back(receiver_of(*call));
      return Onward::Next;
    }
    found.is_cut = true;
    return Onward::Stop;
  });
  found.is_cut |= !complete;
  return found;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// Does a longer text of the file, such as the prompt's template, have the word in it? The test itself is none.
bool stands_in_prompt(const Site &site, const std::string &word) {
  struct LowerCase {
    std::string code;
  };
  const std::string &code =
      site.memory
          .recall<LowerCase>(site.module, [&site] { return LowerCase{in_lower_case(model::code_of(*site.module))}; })
          .code;
  const std::string lower = in_lower_case(word);
  const auto is_part = [](char c) { return c == ' ' || c == '.' || c == ',' || c == ':' || c == '/' || c == '('; };
  for (std::size_t at = code.find(lower); at != std::string::npos; at = code.find(lower, at + 1)) {
    const std::size_t end = at + lower.size();
    const bool goes_on =
        at > 1 && is_part(code[at - 1]) && end < code.size() && (is_part(code[end]) || code[end] == '"');
    const std::size_t quote = at > 0 ? code.find_last_of("\"'\n", at - 1) : std::string::npos;
    if (goes_on && quote != std::string::npos && code[quote] != '\n' && at - quote > 2) {
      return true;
    }
  }
  return false;
}

void add_finding(Site &site, const Expr *text, const Node &place, const std::string &consequence) {
  const Echo echo = echo_of(site, text);
  if (echo.generate == nullptr || echo.decode == nullptr || echo.is_cut) {
    return;
  }
  Finding &finding = report(site, place, fmt::format("this text begins with the prompt, {}", consequence),
                            "decode only what the model has added: `output[:, inputs[\"input_ids\"].shape[1]:]`");
  finding.notes.push_back(
      {echo.decoded_in->module->file, echo.decode->span(), "the prompt is decoded together with the answer here"});
  finding.notes.push_back({echo.generated_in->module->file, echo.generate->span(), "the model generates here"});
}

bool is_possible(const Site &site) {
  return site.function != nullptr && !site.module->is_test && project_has_word(site, {".generate("}) &&
         project_has_word(site, {"decode("});
}

// `"YES" in answer`, `answer == "A"`
void check_node(Site &site, const Node &node) {
  const auto &compare = static_cast<const Compare &>(node);
  if (compare.rest.size() != 1 || !is_possible(site)) {
    return;
  }
  const CompareOperator op = compare.rest[0].op;
  const Expr *const left = compare.left;
  const Expr *const right = compare.rest[0].right;
  if (op == CompareOperator::In || op == CompareOperator::NotIn) {
    const StringConstant *const word = as_string(left);
    const std::string wanted = word != nullptr ? string_value(site.module->parsed->source, *word) : std::string{};
    if (wanted.size() > 1 && stands_in_prompt(site, wanted)) {
      add_finding(site, right, node, fmt::format("which contains `{}` as well", wanted));
    }
  } else if (op == CompareOperator::Eq || op == CompareOperator::NotEq) {
    const Expr *const text = as_string(right) != nullptr ? left : as_string(left) != nullptr ? right : nullptr;
    if (text != nullptr) {
      add_finding(site, text, node, "so it is never equal to the answer");
    }
  }
}

// `answer.startswith("yes")`, `int(answer)`, `json.loads(answer)`
void check_call(Site &site, const Call &call) {
  const bool is_start = called_method(call) == "startswith";
  if (call.args.empty() || !is_possible(site)) {
    return;
  }
  if (is_start && as_string(call.args[0]) != nullptr) {
    add_finding(site, receiver_of(call), call, "so it never starts with the answer");
  } else if (!is_start && call.args.size() == 1) {
    add_finding(site, call.args[0], call, "so it cannot be parsed");
  }
}

} // namespace

extern constinit const Rule kPromptInAnswer = {
    .info = {.code = "DP992",
             .name = "prompt-in-answer",
             .summary = "generated text that is tested together with its prompt",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

What `generate()` of a decoder-only model returns, decoded as a whole and then tested or parsed: `"YES" in answer` where the prompt has that
word, `answer == "A"`, `answer.startswith("yes")`, `int(answer)`, `json.loads(answer)`. The way from the model to the test is followed
through functions and loops; where the text is cut, split or searched before, the rule is silent.

## Why it is wrong

A decoder-only model returns the tokens of the prompt followed by the new ones. A word that the prompt contains is found in every text,
and a comparison with the answer alone is never true.

## Bad

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-7B-Instruct")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B-Instruct", device_map="auto", dtype="auto")


def agrees(claim):
    inputs = tokenizer(f"Is this true? Reply with YES or NO only. {claim}", return_tensors="pt").to(model.device)
    output = model.generate(**inputs, max_new_tokens=4)
    return "YES" in tokenizer.decode(output[0])
```

## Good

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-7B-Instruct")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B-Instruct", device_map="auto", dtype="auto")


def agrees(claim):
    inputs = tokenizer(f"Is this true? Reply with YES or NO only. {claim}", return_tensors="pt").to(model.device)
    output = model.generate(**inputs, max_new_tokens=4)
    return "YES" in tokenizer.decode(output[0, inputs["input_ids"].shape[1]:])
```

## When it is wrong

Where the word in the test cannot be part of any prompt.

## References

- Transformers: text generation, `generate()`
)"},
    .calls = "*.startswith int float json.loads",
    .on_call = check_call,
    .nodes = {NodeKind::Compare},
    .on_node = check_node};

} // namespace deepperf::rules::prompt_in_answer
