#include "base/name_table.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::tokens_without_embeddings {

using namespace python;
using model::Value;

namespace {

// The call that loads a model with the file's tokenizer; null if the file has none, as where only data is prepared.
const Call *model_of(const Site &site) {
  struct Loaded {
    const Call *call = nullptr;
  };
  return site.memory
      .recall<Loaded>(site.module,
                      [&site] {
                        Loaded loaded;
                        for (const Stmt *statement : site.module->parsed->tree.body) {
                          any_node_inside(static_cast<const Node *>(statement), [&](const Node *node) {
                            const auto *call = as<Call>(node);
                            if (call != nullptr && loaded.call == nullptr && model::kind_of(call) == Kind::HfModel &&
                                called_method(*call) == "from_pretrained") {
                              loaded.call = call;
                            }
                            return false;
                          });
                        }
                        return loaded;
                      })
      .call;
}

// Are these tokens that the vocabulary may well have, or copies of ones that it has: `{"pad_token":
// tokenizer.eos_token}`?
bool may_exist(const Site &site, const Expr *tokens) {
  if (tokens->kind == NodeKind::Name || tokens->kind == NodeKind::Attribute) {
    const auto written = model::written_as(scope_of(site), tokens);
    return written.size() != 1 || written[0].expr == tokens || may_exist(site, written[0].expr);
  }
  const auto *dict = as<Dict>(tokens);
  if (dict == nullptr) {
    return tokens->kind != NodeKind::List && tokens->kind != NodeKind::Constant && tokens->kind != NodeKind::Tuple;
  }
  static const NameTable kUsual({"[PAD]", "<pad>", "[SEP]", "[CLS]", "</s>", "<s>", "<unk>", "[UNK]", "[MASK]",
                                 "<mask>", "<|endoftext|>", "<|pad|>"});
  return std::ranges::all_of(dict->items, [&](const DictItem &item) {
    const auto token = item.value != nullptr && item.key != nullptr ? string_of(site, item.value) : std::nullopt;
    return item.value->kind == NodeKind::Attribute || (token.has_value() && kUsual.has(intern(*token)));
  });
}

// The vocabulary of GPT-2 has no padding token.
bool has_no_padding(const Site &site) { return file_has_word_in_any_case(site, {"\"gpt2", "'gpt2", "distilgpt2"}); }

// `embedding.weight.data = torch.cat([embedding.weight.data, new])`: the rows are added by hand.
bool grows_by_hand(const Site &site) {
  struct GrowsByHand {
    bool value = false;
  };
  const auto find = [&site] {
    GrowsByHand found;
    for (const Stmt *statement : site.module->parsed->tree.body) {
      found.value |= any_node_inside(static_cast<const Node *>(statement), [&site](const Node *node) {
        const auto *assignment = as<Assign>(node);
        const auto *target =
            assignment != nullptr && assignment->targets.size() == 1 ? as<Attribute>(assignment->targets[0]) : nullptr;
        return target != nullptr && has_word_in_any_case(text_of(site, target), {"embed", "wte"});
      });
    }
    return found;
  };
  return site.memory.recall<GrowsByHand>(site.module, find).value;
}

// Are the tokenizer and the model loaded from the same checkpoint, by its name or the same setting?
bool is_of_same_checkpoint(const Site &site, const Call &call, const Call &loaded) {
  const Value tokenizer = receiver_of(call) != nullptr ? value_of(site, receiver_of(call)) : Value{};
  const Call *const maker = tokenizer.maker();
  if (maker == nullptr || maker->args.empty() || loaded.args.empty()) {
    return false;
  }
  const Site there = site_of(site, *maker);
  const Site model = site_of(site, loaded);
  const auto name = setting_of(there, maker->args[0]);
  const auto other = setting_of(model, loaded.args[0]);
  if (name.has_value() && other.has_value()) {
    return name->same_as(*other);
  }
  return maker->args[0]->kind == NodeKind::Attribute && there.module == model.module &&
         text_of(there, maker->args[0]) == text_of(model, loaded.args[0]);
}

void check(Site &site, const Call &call) {
  const bool is_special = called_method(call) == "add_special_tokens";
  const Expr *tokens = argument(call, 0, is_special ? "special_tokens_dict" : "new_tokens");
  if (tokens == nullptr || site.module->is_test ||
      project_has_word(site, {"resize_token_embeddings", "resize_embed"})) {
    return;
  }
  const auto *dict = as<Dict>(tokens);
  const bool copies = dict != nullptr && std::ranges::all_of(dict->items, [](const DictItem &item) {
                        return item.value != nullptr && item.value->kind == NodeKind::Attribute;
                      });
  const Call *const loaded = model_of(site);
  if (loaded == nullptr || copies || grows_by_hand(site)) {
    return;
  }
  Finding &finding = report(site, call, "the model has no embeddings for the tokens that are added here",
                            "call `model.resize_token_embeddings(len(tokenizer))` after adding them");
  add_note(finding, site, *loaded, "the model is loaded here, with the embeddings of its own vocabulary");
  // Some checkpoints have spare embeddings, and what another function loads may be another model.
  const bool is_apart = site.project.caller_of(loaded) != site.function && !is_of_same_checkpoint(site, call, *loaded);
  if ((may_exist(site, tokens) && !has_no_padding(site)) || is_apart ||
      file_has_word_in_any_case(site, {"qwen", "phi-", "t5-", "pythia", "neox", "def convert", "convert_checkpoint"})) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kTokensWithoutEmbeddings = {
    .info = {.code = "DP904",
             .name = "tokens-without-embeddings",
             .summary = "tokens added to a tokenizer, and a model whose embeddings are not resized",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`tokenizer.add_tokens(…)` or `tokenizer.add_special_tokens(…)` in a file that loads a model, in a project that never calls
`resize_token_embeddings`. It is a hint where the vocabulary may already have the tokens.

## Why it is wrong

New tokens get ids beyond the end of the embedding matrix. The first text that contains one ends in an index error, which on a GPU is a
device-side assertion.

## Bad

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenizer.add_special_tokens({"additional_special_tokens": ["<user>", "<bot>"]})
model = AutoModelForCausalLM.from_pretrained("gpt2")
```

## Good

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenizer.add_special_tokens({"additional_special_tokens": ["<user>", "<bot>"]})
model = AutoModelForCausalLM.from_pretrained("gpt2")
model.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64)
```

## When it is wrong

Where the checkpoint has more embeddings than its tokenizer has tokens, as some have.

## References

- Transformers: adding tokens, `resize_token_embeddings`
)"},
    .calls = "HfTokenizer.add_tokens HfTokenizer.add_special_tokens",
    .on_call = check};

} // namespace deepperf::rules::tokens_without_embeddings
