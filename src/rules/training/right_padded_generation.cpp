#include "rules/callables.h"
#include "rules/encoding.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

namespace deepperf::rules::right_padded_generation {

using namespace python;

namespace {

// Their tokenizers pad on the left if nothing is said: those of the first two generations of Llama and what uses them.
// Llama 3 has a plain fast tokenizer, which pads on the right.
bool pads_left_by_itself(std::string_view checkpoint) {
  if (has_word_in_any_case(checkpoint, {"meta-llama/meta-llama-3", "meta-llama/llama-3"})) {
    return false;
  }
  return has_word_in_any_case(checkpoint,
                              {"llama", "vicuna", "mistral", "mixtral", "bloom", "glm", "baichuan", "alpaca", "gemma",
                               "falcon3", "phi-3", "internlm", "zephyr", "tulu", "orca", "yi-"});
}

// `from_pretrained(name, padding_side="right")`, and nothing in the project says "left".
bool pads_right(const Site &site, const Call &made) {
  const Site there = site_of(site, made);
  const auto side = setting_of(there, argument_of(there, made, ~0U, "padding_side"), model::ConstantValue::none());
  return side.has_value() && !side->overridable && side->as_string() == "right" &&
         !project_has_word(site, {"\"left\"", "'left'"});
}

// Does the function decode a batch, and not only its first text?
bool decodes_several(const Site &site) {
  struct Decodes {
    bool several = false;
  };
  if (site.function->node == nullptr) {
    return false;
  }
  return site.memory
      .recall<Decodes>(site.function,
                       [&site] {
                         bool one = false;
                         bool any = false;
                         any_node_inside(site.function->node, [&](const Node *node) {
                           const auto *element = as<Subscript>(node);
                           const auto *call = as<Call>(element != nullptr ? element->value : node);
                           if (call != nullptr && called_method(*call) == "batch_decode") {
                             (element != nullptr ? one : any) = true;
                           }
                           return false;
                         });
                         return Decodes{any && !one};
                       })
      .several;
}

// The calls of a tokenizer that pad several texts, in a function that a loader or a `map` runs for each batch.
struct PaddedBatches {
  std::vector<std::pair<const model::FunctionInfo *, Encoding>> encodings;
};

void find_padded(const Site &site, const Node *node, PaddedBatches &found) {
  if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda) {
    if (const model::FunctionInfo *const inner = site.project.function_at(node); inner != nullptr) {
      Site there = site;
      there.function = inner;
      there.type = inner->type;
      there.ancestors = {node};
      for_each_child(node, [&](const Node *child) { find_padded(there, child, found); });
      return;
    }
  }
  const auto *call = as<Call>(node);
  const auto encoding = call != nullptr ? encoding_of(site, *call) : std::nullopt;
  const bool is_padded = encoding.has_value() && (encoding->padding == Encoding::Padding::Longest ||
                                                  encoding->padding == Encoding::Padding::Full);
  if (is_padded && encoding->texts == Encoding::Texts::Several) {
    found.encodings.emplace_back(site.function, *encoding);
  }
  for_each_child(node, [&](const Node *child) { find_padded(site, child, found); });
}

// What the loader of the loop around a call of generate() encodes: the only batches of texts that the file pads.
std::optional<Encoding> encoding_of_loader(const Site &site, Site &encoded_at) {
  const model::Loop *const loop = loop_around(site);
  if (loop == nullptr || !goes_over_data(site, *loop)) {
    return std::nullopt;
  }
  const PaddedBatches &padded = site.memory.recall<PaddedBatches>(site.module, [&site] {
    PaddedBatches found;
    Site there = site;
    there.function = site.module->body;
    there.type = nullptr;
    there.ancestors.clear();
    for (const Stmt *statement : site.module->parsed->tree.body) {
      find_padded(there, statement, found);
    }
    return found;
  });
  if (padded.encodings.size() != 1 || padded.encodings[0].first == site.function) {
    return std::nullopt;
  }
  encoded_at.function = padded.encodings[0].first;
  encoded_at.type = encoded_at.function->type;
  return padded.encodings[0].second;
}

// The batch that a call of generate() gets, followed back through functions and attributes: to the tokenizer, or to a
// loader whose collator calls it.
std::optional<EncodedBy> encoding_followed(const Site &site, const Call &call) {
  const Expr *given = argument(call, 0, "input_ids");
  for (const Keyword *keyword : call.keywords) {
    given = given == nullptr && !keyword->name ? keyword->value : given;
  }
  if (given == nullptr) {
    return std::nullopt;
  }
  std::optional<EncodedBy> found;
  const model::FunctionInfo *collator = nullptr;
  std::vector<OriginPart> part;
  u32 count = 0;
  const auto visit = [&](const Origin &origin) {
    const auto *made = as<Call>(origin.expr);
    if (made == nullptr) {
      return Onward::Through;
    }
    const Site there = site_of_origin(site, *origin.function);
    if (const auto encoding = encoding_of(there, *made)) {
      found = EncodedBy{*encoding, origin.function};
      ++count;
      return Onward::Stop;
    }
    const Expr *const collate =
        model::kind_of(made) == Kind::TorchDataLoader ? argument(*made, 6, "collate_fn") : nullptr;
    const Expr *const size = collate != nullptr ? argument(*made, 1, "batch_size") : nullptr;
    const bool is_single = size == nullptr || integer_of(there, size) == 1; // one text is not padded
    if (collate != nullptr && !origin.path.empty() && !is_single) {
      collator = callable_of(scope_of(there), collate);
      part.assign(origin.path.begin() + 1, origin.path.end());
    }
    const std::string_view method = called_method(*made);
    return method == "to" || method == "cuda" || method == "items" || method == "prepare" ||
                   called_name(*made) == "tqdm"
               ? Onward::Through
               : Onward::Stop;
  };
  visit_origins(site, *site.function, given, visit);
  if (!found.has_value() && collator != nullptr) {
    visit_result_origins(site, *collator, part, visit);
  }
  return count == 1 && found->function != nullptr ? found : std::nullopt;
}

void check(Site &site, const Call &call) {
  const model::Value model = value_of(site, receiver_of(call));
  if (site.function == nullptr || site.module->is_test || model.maker() == nullptr || !model.name() ||
      !makes_causal_model(model.name().text())) {
    return;
  }
  Site encoded_at = site;
  auto encoding = encoding_behind(site, call);
  if (const auto helper = encoding.has_value() ? std::nullopt : encoded_by_helper(site, call)) {
    encoding = helper->encoding;
    encoded_at.module = helper->function->module;
    encoded_at.function = helper->function;
    encoded_at.type = helper->function->type;
    encoded_at.ancestors = {helper->function->definition()};
  }
  if (!encoding.has_value()) {
    encoding = encoding_of_loader(site, encoded_at);
  }
  if (const auto followed = encoding.has_value() ? std::nullopt : encoding_followed(site, call)) {
    encoding = followed->encoding;
    encoded_at.module = followed->function->module;
    encoded_at.function = followed->function;
    encoded_at.type = followed->function->type;
    encoded_at.ancestors = {followed->function->node};
  }
  if (!encoding.has_value() || encoding->texts == Encoding::Texts::One ||
      (encoding->padding != Encoding::Padding::Longest && encoding->padding != Encoding::Padding::Full)) {
    return;
  }
  if (encoding->texts == Encoding::Texts::Unknown && encoding->padding == Encoding::Padding::Longest &&
      !decodes_several(site)) {
    return; // perhaps a single text, which is not padded
  }
  const model::Value tokenizer = value_of(encoded_at, encoding->tokenizer);
  const bool is_made = tokenizer.maker() != nullptr && tokenizer.name() &&
                       (tokenizer.name().text() == "transformers.AutoTokenizer.from_pretrained" ||
                        tokenizer.name().text().starts_with("transformers.GPT") ||
                        tokenizer.name().text().starts_with("transformers.OPT") ||
                        tokenizer.name().text().starts_with("transformers.PreTrainedTokenizerFast"));
  const bool is_hidden =
      is_made && argument_of(site_of(site, *tokenizer.maker()), *tokenizer.maker(), ~0U, "padding_side").unknown;
  if (!is_made || is_hidden || (project_has_word(site, {"padding_side"}) && !pads_right(site, *tokenizer.maker()))) {
    return;
  }
  const Site made = site_of(site, *tokenizer.maker());
  const Expr *checkpoint = tokenizer.maker()->args.empty() ? nullptr : tokenizer.maker()->args[0];
  const auto name = checkpoint != nullptr ? setting_of(made, checkpoint) : std::nullopt;
  const bool is_right = pads_right(site, *tokenizer.maker());
  if (!is_right && name.has_value() && name->as_string().has_value() && pads_left_by_itself(*name->as_string())) {
    return;
  }
  Finding &finding =
      report(encoded_at, *encoding->call,
             "the shorter prompts of this batch are padded on the right, so the model continues after padding",
             "load the tokenizer with `padding_side=\"left\"`");
  finding.notes.push_back(
      {made.module->file, tokenizer.maker()->span(),
       is_right ? "the tokenizer pads on the right" : "the tokenizer pads on the right by default"});
  finding.notes.push_back({site.module->file, call.span(), "the model generates here"});
}

} // namespace

extern constinit const Rule kRightPaddedGeneration = {
    .info = {.code = "DP839",
             .name = "right-padded-generation",
             .summary = "a decoder-only model that generates from prompts padded on the right",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`generate()` of a decoder-only model (`AutoModelForCausalLM`, `GPT2LMHeadModel`) for a batch of several prompts that were tokenized with padding, where nothing sets `padding_side`.

## Why it is wrong

Such a model continues the end of each row. With padding on the right, the default of most tokenizers, that is padding for all prompts
except the longest, and the answers get worse. Transformers prints a warning.

## Bad

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenizer.pad_token = tokenizer.eos_token
model = AutoModelForCausalLM.from_pretrained("gpt2")


def answer(questions, size=16):
    for i in range(0, len(questions), size):
        batch = tokenizer(questions[i : i + size], padding=True, return_tensors="pt")
        yield from tokenizer.batch_decode(model.generate(**batch))
```

## Good

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2", padding_side="left")
tokenizer.pad_token = tokenizer.eos_token
model = AutoModelForCausalLM.from_pretrained("gpt2")


def answer(questions, size=16):
    for i in range(0, len(questions), size):
        batch = tokenizer(questions[i : i + size], padding=True, return_tensors="pt")
        yield from tokenizer.batch_decode(model.generate(**batch))
```

## When it is wrong

Where the checkpoint's own configuration makes its tokenizer pad on the left.

## References

- Transformers: text generation, common pitfalls ("wrong padding side")
)"},
    .calls = "HfModel.generate",
    .on_call = check};

} // namespace deepperf::rules::right_padded_generation
