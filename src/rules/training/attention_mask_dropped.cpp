#include "rules/assignments.h"
#include "rules/encoding.h"
#include "rules/made_on_host.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::attention_mask_dropped {

using namespace python;

namespace {

// Text encoders of diffusion models are trained without a mask.
bool is_diffusion(const Site &site) { return project_has_word(site, {"diffusers", "CLIPTextModel", "CLIPTokenizer"}); }

bool is_padded(const Encoding &encoding) {
  return encoding.padding == Encoding::Padding::Full ||
         (encoding.padding == Encoding::Padding::Longest && encoding.texts != Encoding::Texts::One);
}

// `enc["input_ids"]`, `enc.input_ids`: the ids alone, and not all that the tokenizer gives.
bool takes_ids_alone(const Site &site, const Expr *expr, u32 depth = 0) {
  if (const auto *name = as<Name>(expr)) {
    const Expr *assigned = depth < 3 ? assigned_to(site, *name) : nullptr;
    return assigned != nullptr && takes_ids_alone(site, assigned, depth + 1);
  }
  if (const auto *attribute = as<Attribute>(expr)) {
    return attribute->attr.text() == "input_ids";
  }
  if (const auto *element = as<Subscript>(expr)) {
    return string_of(site, element->slice) == "input_ids";
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view method = called_method(*call);
    return (method == "to" || method == "cuda" || method == "long" || method == "squeeze" || method == "clone") &&
           takes_ids_alone(site, receiver_of(*call), depth);
  }
  return false;
}

bool has_mask(const Call &call) {
  return call.args.size() > 1 || std::ranges::any_of(call.keywords, [](const Keyword *keyword) {
           return !keyword->name || keyword->name.text().find("mask") != std::string_view::npos ||
                  keyword->name.text() == "inputs_embeds";
         });
}

// A parameter of the function that is a mask, and that nothing in it reads; null if there is none.
const Param *unread_mask(const FunctionDef &definition, const Expr *ids) {
  const auto *name = as<Name>(ids);
  const bool is_given = name != nullptr && std::ranges::any_of(definition.params, [&](const Param *param) {
                          return param->name == name->id;
                        });
  if (!is_given) {
    return nullptr;
  }
  for (const Param *param : definition.params) {
    if (param->name.text().find("mask") != std::string_view::npos && param->default_value == nullptr &&
        param->param_kind() == ParamKind::Regular && std::ranges::none_of(definition.body, [&](const Stmt *statement) {
          return mentions(statement, param->name);
        })) {
      return param;
    }
  }
  return nullptr;
}

// `def forward(self, input_ids, attention_mask): return self.bert(input_ids)`
void check_forward(Site &site, const Call &call, const Expr *ids) {
  const FunctionDef *definition = site.function->definition();
  const Param *mask =
      definition != nullptr && in_method(site, Kind::TorchModule, "forward") ? unread_mask(*definition, ids) : nullptr;
  if (mask == nullptr || is_diffusion(site)) {
    return;
  }
  std::string_view maker;
  maker_of_callee(site, call, &maker);
  if (has_word(maker, {"DPR", "XLMModel", "XLMWith", "Flaubert"}) || makes_causal_model(maker)) {
    return;
  }
  Finding &finding = report(
      site, call,
      fmt::format("`{}` is passed to `forward` and never used, so the model attends to the padding", mask->name.text()),
      fmt::format("pass it on: `attention_mask={}`", mask->name.text()));
  add_note(finding, site, *mask, "this mask is not read");
  if (maker.empty()) {
    finding.tier = Tier::Hint;
  }
}

// Are all texts of this file padded before they come to a loader: in the items of a dataset, or in its collator?
bool are_items_padded(const Site &site, const Call **padded_by) {
  struct PaddedItems {
    const Call *padded = nullptr;
    bool has_others = false;
  };
  const auto find = [&] {
    PaddedItems found;
    const auto look_at_function = [&](const Node *definition) {
      const model::FunctionInfo *function =
          definition->kind == NodeKind::FunctionDef ? site.project.function_at(definition) : nullptr;
      if (function == nullptr) {
        return false;
      }
      const Site inside = site_of_origin(site, *function);
      any_node(function->definition()->body, [&](const Node *node) {
        const auto *call = as<Call>(node);
        const auto encoding = call != nullptr ? encoding_of(inside, *call) : std::nullopt;
        if (encoding.has_value()) {
          const bool is_full = encoding->padding == Encoding::Padding::Full;
          found.padded = is_full ? call : found.padded;
          found.has_others |= !is_full;
        }
        return false;
      });
      return false;
    };
    for (const Stmt *statement : site.module->parsed->tree.body) {
      any_node_inside(statement, look_at_function);
    }
    return found;
  };
  const PaddedItems &items = site.memory.recall<PaddedItems>(site.module, find);
  *padded_by = items.padded;
  return items.padded != nullptr && !items.has_others;
}

// `model(batch["input_ids"], labels=…)` of the batches of a loader, which the file pads.
void check_loaded(Site &site, const Call &call) {
  const model::Loop *loop = loop_around(site);
  const Call *padded_by = nullptr;
  if (called_method(call) == "generate" || loop == nullptr || !goes_over_data(site, *loop) || is_diffusion(site) ||
      !are_items_padded(site, &padded_by)) {
    return;
  }
  std::string_view maker;
  maker_of_callee(site, call, &maker);
  if (maker.empty() || has_word(maker, {"DPR", "XLMModel", "XLMWith", "Flaubert"}) || makes_causal_model(maker)) {
    return;
  }
  Finding &finding =
      report(site, call, "the model gets padded ids without `attention_mask`, so it attends to the padding",
             "pass the mask that the tokenizer returns: `attention_mask=batch[\"attention_mask\"]`");
  add_note(finding, site, *padded_by, "the texts are padded here");
}

// `model(**self.encode(texts))` of a function that returns `{"input_ids": …}` and no mask.
void check_returned(Site &site, const Call &call) {
  const auto *made = call.args.empty() && call.keywords.size() == 1 && !call.keywords[0]->name
                         ? as<Call>(written_value(site, call.keywords[0]->value))
                         : nullptr;
  const model::FunctionInfo *const function = made != nullptr ? called_function(site, *made) : nullptr;
  const auto *dict = as<Dict>(function != nullptr ? returned_at_end(site, *made) : nullptr);
  if (dict == nullptr || site.module->is_test || is_diffusion(site)) {
    return;
  }
  const Site inside = site_inside(site, *function);
  const Expr *ids = nullptr;
  for (const DictItem &item : dict->items) {
    const std::optional<std::string> key = item.key != nullptr ? string_of(inside, item.key) : std::nullopt;
    if (!key.has_value() || key->find("mask") != std::string::npos || *key == "inputs_embeds") {
      return;
    }
    ids = *key == "input_ids" ? item.value : ids;
  }
  const std::optional<Encoding> encoding =
      ids != nullptr && takes_ids_alone(inside, ids) ? encoding_behind(inside, ids) : std::nullopt;
  std::string_view maker;
  maker_of_callee(site, call, &maker);
  if (!encoding.has_value() || !is_padded(*encoding) || maker.empty() || makes_causal_model(maker) ||
      has_word(maker, {"DPR", "XLMModel", "XLMWith", "Flaubert"})) {
    return;
  }
  Finding &finding =
      report(site, call, "the model gets padded ids without `attention_mask`, so it attends to the padding",
             "also return the mask that the tokenizer gives, and pass it to the model");
  finding.notes.push_back({function->module->file, encoding->call->span(), "the texts are padded here"});
}

// Where a model is called with padded ids that the same function has made.
void check_model(Site &site, const Call &call) {
  const bool generates = called_method(call) == "generate";
  if (!generates) {
    check_returned(site, call);
  }
  const Expr *ids = argument(call, 0, generates && call.args.empty() ? "inputs" : "input_ids");
  ids = ids == nullptr ? argument(call, 0, "input_ids") : ids;
  if (ids == nullptr || has_mask(call) || site.module->is_test || site.function == nullptr) {
    return;
  }
  if (!takes_ids_alone(site, ids) || is_diffusion(site)) {
    check_forward(site, call, ids);
    return;
  }
  const auto encoded = encoded_anywhere(site, call, ids);
  if (!encoded.has_value()) {
    check_loaded(site, call);
    return;
  }
  if (!is_padded(encoded->encoding)) {
    return;
  }
  std::string_view maker;
  if (generates) {
    const model::Value owner = value_of(site, receiver_of(call));
    maker = owner.is(model::Value::Tag::Instance) && owner.name() ? owner.name().text() : maker;
  } else {
    maker_of_callee(site, call, &maker);
  }
  if (has_word(maker, {"DPR", "XLMModel", "XLMWith", "Flaubert"})) {
    return; // they work the mask out from the ids
  }
  const bool is_causal = makes_causal_model(maker);
  // A token never sees what stands to the right of it, where such models are padded by default.
  if (is_causal && !generates && !file_has_word(site, {"padding_side"})) {
    return;
  }
  Finding &finding =
      report(site, call, "the model gets padded ids without `attention_mask`, so it attends to the padding",
             "pass the mask that the tokenizer returns: `attention_mask=enc[\"attention_mask\"]`, or `**enc`");
  finding.notes.push_back(
      {encoded->function->module->file, encoded->encoding.call->span(), "the texts are padded here"});
  // generate() finds out what padding is, unless the same token also ends a text.
  const bool is_ambiguous = file_has_word(site, {"pad_token = tok.eos_token", "pad_token = tokenizer.eos_token",
                                                 "pad_token=tokenizer.eos_token", ".pad_token = ", "pad_token_id ="}) &&
                            file_has_word(site, {"eos_token"});
  if (maker.empty() || (generates && !(is_causal && is_ambiguous))) {
    finding.tier = Tier::Hint;
  }
}

// Is that what labels are made of?
bool is_for_labels(const Site &site, const Call &call) {
  if (keyword_argument(call, "text_target") != nullptr) {
    return true;
  }
  for (std::size_t i = site.ancestors.size(); i-- > 0 && site.ancestors[i]->kind != NodeKind::FunctionDef;) {
    const auto *assignment = as<Assign>(site.ancestors[i]);
    if (assignment != nullptr && has_word_in_any_case(text_of(site, assignment->targets[0]),
                                                      {"label", "target", "tgt", "decoder", "answer", "choice"})) {
      return true;
    }
  }
  return false;
}

// How a function uses the name of an encoding.
struct Uses {
  u32 ids = 0;
  u32 others = 0;
};

Uses uses_of(const Site &site, const Node *node, Symbol name) {
  Uses uses;
  const auto visit = [&](const auto &self, const Node *at) -> void {
    const auto *attribute = as<Attribute>(at);
    const auto *element = as<Subscript>(at);
    const auto *owner = as<Name>(attribute != nullptr ? attribute->value
                                 : element != nullptr ? element->value
                                                      : nullptr);
    if (owner != nullptr && owner->id == name) {
      const bool is_ids =
          attribute != nullptr ? attribute->attr.text() == "input_ids" : string_of(site, element->slice) == "input_ids";
      (is_ids ? uses.ids : uses.others) += 1;
      return;
    }
    const auto *plain = as<Name>(at);
    uses.others += plain != nullptr && plain->id == name && plain->context == Context::Load ? 1 : 0;
    for_each_child(at, [&](const Node *child) { self(self, child); });
  };
  visit(visit, node);
  return uses;
}

// Where a batch is padded, as in a collate_fn, and only the ids leave the function.
void check_batch(Site &site, const Call &call) {
  const auto encoding = encoding_of(site, call);
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (!encoding.has_value() || definition == nullptr || site.module->is_test || site.ancestors.empty() ||
      !is_padded(*encoding) || encoding->texts != Encoding::Texts::Several || is_for_labels(site, call) ||
      file_has_word_in_any_case(site, {"mask", "pad_token_id", "pad_id", "pad_idx", "!= 0", ".ne("}) ||
      !file_has_word(site, {"AutoModel", "BertModel", "ForSequenceClassification", "RobertaModel", "EsmModel",
                            "ForTokenClassification", "DebertaV2Model", "ElectraModel", "T5EncoderModel"}) ||
      file_has_word(site, {"ForCausalLM", "LMHeadModel", "(**"}) || is_diffusion(site)) {
    return;
  }
  const Node *around = site.ancestors.back();
  const auto *assignment = as<Assign>(around);
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  bool is_alone = false;
  if (name != nullptr) {
    const Uses uses = uses_of(site, definition, name->id);
    is_alone = uses.ids > 0 && uses.others == 0;
  } else if (around->kind == NodeKind::Attribute || around->kind == NodeKind::Subscript) {
    is_alone = takes_ids_alone(site, static_cast<const Expr *>(around));
  }
  const bool runs_model = any_node(definition->body, [](const Node *node) {
    const auto *inner = as<Call>(node);
    return inner != nullptr && model::kind_of(inner->func) == Kind::HfModel;
  });
  if (!is_alone || runs_model) {
    return;
  }
  report(site, call, "only the ids of this padded batch are kept, so the model attends to the padding",
         "also return `attention_mask`, and pass it to the model");
}

void check(Site &site, const Call &call) {
  if (model::kind_of(call.func) == Kind::HfModel || called_method(call) == "generate") {
    check_model(site, call);
  } else {
    check_batch(site, call);
  }
}

} // namespace

extern constinit const Rule kAttentionMaskDropped = {
    .info = {.code = "DP901",
             .name = "attention-mask-dropped",
             .summary = "a model that gets padded texts without their attention mask",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A Hugging Face model that is called with the `input_ids` of several padded texts alone, and functions that pad a batch and return only its
`input_ids`, in a file that never mentions a mask. Also a `forward` that receives a mask and never reads it, and batches of a loader
whose texts the same file pads. For `generate()` it is a hint unless the padding token also ends a text, because otherwise
the library works the mask out.

## Why it is wrong

Without a mask every token attends to the padding. The result for a text depends on the longest text of its batch, and is worse than
for the text alone.

## Bad

```python
import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased")


@torch.no_grad()
def embed(texts):
    enc = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    return model(enc["input_ids"]).last_hidden_state[:, 0]
```

## Good

```python
import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased")


@torch.no_grad()
def embed(texts):
    enc = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    return model(**enc).last_hidden_state[:, 0]
```

## When it is wrong

Where there is only one text, or where all texts have the same number of tokens.

## References

- Transformers: padding and truncation; attention mask in the glossary
)"},
    .calls = "HfModel.__call__ HfModel.generate HfTokenizer.__call__ HfTokenizer.batch_encode_plus HfTokenizer.pad",
    .on_call = check};

} // namespace deepperf::rules::attention_mask_dropped
