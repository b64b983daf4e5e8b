#include "base/known_names.h"
#include "base/name_table.h"
#include "model/classes.h"
#include "model/context.h"
#include "rules/callables.h"
#include "rules/encoding.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/repetition.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace deepperf::rules::unused_columns_removed {

using namespace python;
using model::Value;

namespace {

// Columns of raw data that no model takes as they are.
bool is_raw_column(std::string_view key) {
  constexpr std::string_view kRaw[] = {
      "image",      "img",     "images", "text",      "texts",     "sentence", "audio",      "path",     "file",
      "question",   "caption", "prompt", "answer",    "words",     "tokens",   "tags",       "ner_tags", "file_name",
      "image_path", "video",   "title",  "sentence1", "sentence2", "premise",  "hypothesis", "context"};
  return std::ranges::find(kRaw, key) != std::end(kRaw);
}

// The raw column that a function reads: `batch["image"]`; empty if there is none.
struct RawColumn {
  std::string key;
  const Expr *place = nullptr;
};

RawColumn raw_column_of(const Site &site, const model::FunctionInfo &function) {
  Site inside{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  inside.function = &function;
  inside.module = function.module;
  RawColumn found;
  any_node_inside(function.node, [&](const Node *node) {
    const auto *element = as<Subscript>(node);
    if (element == nullptr || element->context != Context::Load || element->slice->kind != NodeKind::Constant) {
      return false;
    }
    const auto key = string_of(inside, element->slice);
    if (key.has_value() && is_raw_column(*key)) {
      found = {*key, element};
    }
    return found.place != nullptr;
  });
  return found;
}

const model::FunctionInfo *function_of(const Site &site, const Expr *expr) { return callable_of(scope_of(site), expr); }

// The function that a dataset is transformed by when rows are read: with_transform(…), or set_transform(…) of the same
// expression in the function.
const model::FunctionInfo *transform_of(const Site &site, const Expr *dataset) {
  const auto *split = as<Subscript>(dataset); // ds["train"] of a DatasetDict
  const Value value = value_of(site, split != nullptr ? split->value : dataset);
  if (value.is_kind(Kind::HfDataset) && value.maker() != nullptr && called_method(*value.maker()) == "with_transform") {
    const Expr *transform = argument(*value.maker(), 0, "transform");
    return transform != nullptr ? function_of(site_of(site, *value.maker()), transform) : nullptr;
  }
  const std::string_view text = text_of(site, dataset);
  const model::FunctionInfo *found = nullptr;
  const auto visit = [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && called_method(*call) == "set_transform" && text_of(site, receiver_of(*call)) == text &&
        model::kind_of(receiver_of(*call)) != Kind::TorchDataset) {
      const Expr *transform = argument(*call, 0, "transform");
      found = transform != nullptr ? function_of(site, transform) : nullptr;
    }
    return false;
  };
  if (site.function->node != nullptr) {
    any_node(site.function->definition() != nullptr ? site.function->definition()->body : Block{}, visit);
  } else {
    any_node(site.module->parsed->tree.body, visit);
  }
  return found;
}

// Are unused columns removed, for all that the arguments tell? Null if not, or not known.
const Call *removing_arguments(const Site &site, const Expr *expr) {
  const Call *made = nullptr;
  bool is_other = false;
  visit_origins(site, *site.function, expr, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    const auto *call = as<Call>(origin.expr);
    const std::string_view api =
        call != nullptr ? called_api(site_of_origin(site, *origin.function), *call) : std::string_view{};
    const bool is_made = api == "transformers.TrainingArguments" || api == "transformers.Seq2SeqTrainingArguments";
    is_other |= !is_made || (made != nullptr && made != call);
    made = is_made ? call : made;
    return Onward::Stop;
  });
  // Set, or perhaps in settings that are not known.
  return made != nullptr && !is_other &&
                 argument_of(site_of(site, *made), *made, ~0U, "remove_unused_columns").is_absent()
             ? made
             : nullptr;
}

void check(Site &site, const Call &call) {
  const Expr *model = argument(call, 0, "model");
  const Expr *settings = argument(call, 1, "args");
  const Expr *collator = argument(call, 2, "data_collator");
  const Expr *dataset = argument(call, 3, "train_dataset");
  if (site.function == nullptr || model == nullptr || settings == nullptr || dataset == nullptr ||
      has_hidden_arguments(call) || !value_of(site, model).is_kind(Kind::HfModel) ||
      file_has_word(site, {"remove_unused_columns", "LayoutLMv2"})) {
    return;
  }
  const model::FunctionInfo *reader = transform_of(site, dataset);
  const bool is_transform = reader != nullptr;
  if (!is_transform && collator != nullptr && value_of(site, dataset).is_kind(Kind::HfDataset)) {
    const Value value = value_of(site, dataset);
    // What a map made of it is not followed.
    const std::string_view maker = value.maker() != nullptr && value.name() ? value.name().text() : std::string_view{};
    const bool is_raw = maker == "datasets.load_dataset" || maker == "datasets.load_from_disk" || maker == "select" ||
                        maker == "train_test_split" || maker == "shuffle";
    reader = is_raw ? function_of(site, collator) : nullptr;
  }
  const Call *arguments = reader != nullptr ? removing_arguments(site, settings) : nullptr;
  const RawColumn column = arguments != nullptr ? raw_column_of(site, *reader) : RawColumn{};
  if (column.place == nullptr) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("the Trainer removes the column `{}`, which the {} reads: KeyError at the first batch",
                         column.key, is_transform ? "transform" : "collator"),
             "pass `remove_unused_columns=False` to `TrainingArguments`");
  finding.notes.push_back({reader->module->file, column.place->span(), "the column is read here"});
  const Site made = site_of(site, *arguments);
  finding.notes.push_back(
      {made.module->file, arguments->span(), "removes what the model's `forward()` does not accept"});
}

// ---- Columns of the program's own -----------------------------------------------------------------------------------

// Parameters of the `forward()` of models of Transformers, and the labels that the Trainer keeps.
bool is_taken_by_models(std::string_view key) {
  static const NameTable kTaken({"input_ids",
                                 "attention_mask",
                                 "token_type_ids",
                                 "position_ids",
                                 "head_mask",
                                 "inputs_embeds",
                                 "labels",
                                 "label",
                                 "label_ids",
                                 "past_key_values",
                                 "cache_position",
                                 "use_cache",
                                 "output_attentions",
                                 "output_hidden_states",
                                 "return_dict",
                                 "logits_to_keep",
                                 "num_logits_to_keep",
                                 "decoder_input_ids",
                                 "decoder_attention_mask",
                                 "decoder_head_mask",
                                 "decoder_inputs_embeds",
                                 "decoder_position_ids",
                                 "cross_attn_head_mask",
                                 "encoder_outputs",
                                 "encoder_hidden_states",
                                 "encoder_attention_mask",
                                 "start_positions",
                                 "end_positions",
                                 "is_impossible",
                                 "cls_index",
                                 "p_mask",
                                 "pixel_values",
                                 "pixel_mask",
                                 "bool_masked_pos",
                                 "mask_labels",
                                 "class_labels",
                                 "interpolate_pos_encoding",
                                 "input_features",
                                 "input_values",
                                 "mask_time_indices",
                                 "sampled_negative_indices",
                                 "bbox",
                                 "image",
                                 "image_sizes",
                                 "image_grid_thw",
                                 "visual_embeds",
                                 "next_sentence_label",
                                 "sentence_order_label",
                                 "mc_token_ids",
                                 "mc_labels",
                                 "langs",
                                 "lengths",
                                 "global_attention_mask",
                                 "entity_ids",
                                 "entity_attention_mask",
                                 "entity_position_ids",
                                 "entity_start_positions",
                                 "entity_end_positions",
                                 "entity_spans",
                                 "mems",
                                 "perm_mask",
                                 "target_mapping",
                                 "input_mask",
                                 "table_mask",
                                 "return_loss",
                                 "numeric_values",
                                 "numeric_values_scale",
                                 "aggregation_labels",
                                 "float_answer"});
  return kTaken.has(intern(key));
}

// Does the model's `forward()` certainly have no parameter for the column?
bool is_refused(const Site &site, const Expr *model, std::string_view key) {
  if (is_taken_by_models(key)) {
    return false;
  }
  const Value value = value_of(site, model);
  if (value.is(Value::Tag::Object) && value.alternatives == nullptr && value.type->kind == Kind::TorchModule) {
    const model::FunctionInfo *const forward = model::find_method_of(*value.type, known::sym_forward);
    return forward != nullptr && forward->definition() != nullptr && !forward->has_param(intern(key));
  }
  if (!value.is_kind(Kind::HfModel) || value.maker() == nullptr || !value.name() ||
      keyword_argument(*value.maker(), "trust_remote_code") != nullptr) {
    return false;
  }
  // Models of several modalities have more parameters than are listed here.
  static constexpr std::string_view kHeads[] = {"ForSequenceClassification",
                                                "ForTokenClassification",
                                                "ForCausalLM",
                                                "ForSeq2SeqLM",
                                                "ForQuestionAnswering",
                                                "ForMaskedLM",
                                                "ForMultipleChoice",
                                                "ForImageClassification"};
  return std::ranges::any_of(kHeads, [&value](std::string_view head) {
    return value.name().text().ends_with(std::string(head) + ".from_pretrained");
  });
}

// An entry that code takes out of a row or a batch under that name: `row["weight"]`, `row.pop("weight", 1.0)`.
struct EntryRead {
  std::string key;
  const Expr *place = nullptr;
  bool has_default = false;
};

EntryRead entry_read(const Site &inside, const Node *node, Symbol from) {
  const auto *element = as<Subscript>(node);
  const auto *call = as<Call>(node);
  const bool takes =
      call != nullptr && !call->args.empty() && (called_method(*call) == "pop" || called_method(*call) == "get");
  const Expr *const object = element != nullptr ? element->value : takes ? receiver_of(*call) : nullptr;
  const auto *name = as<Name>(object);
  if (name == nullptr || name->id != from || (element != nullptr && element->context != Context::Load)) {
    return {};
  }
  const auto key = string_of(inside, element != nullptr ? element->slice : call->args[0]);
  const bool has_default = takes && (call->args.size() > 1 || called_method(*call) == "get");
  return key.has_value() ? EntryRead{*key, static_cast<const Expr *>(node), has_default} : EntryRead{};
}

// What a collator reads of each row and the model does not take.
EntryRead refused_by_collator(const Site &site, const model::FunctionInfo &collator, const Expr *model) {
  const u32 first = collator.type != nullptr && !collator.is_static ? 1 : 0;
  const FunctionDef *const definition = collator.definition();
  if (definition == nullptr || collator.params.size() <= first || !collator.params[first]->name) {
    return {};
  }
  const Symbol rows = collator.params[first]->name;
  const Site inside = site_of_origin(site, collator);
  EntryRead found;
  for (const model::Loop *loop : collator.loops) {
    const auto *over = as<Name>(model::iterated_by(site.project, *loop));
    const auto *row = as<Name>(element_target(*loop));
    if (over == nullptr || row == nullptr || over->id != rows) {
      continue;
    }
    any_node_inside(loop->node, [&](const Node *node) {
      EntryRead read = entry_read(inside, node, row->id);
      if (read.place != nullptr && is_refused(site, model, read.key)) {
        found = std::move(read);
      }
      return found.place != nullptr;
    });
    if (found.place != nullptr) {
      return found;
    }
  }
  return found;
}

// What `compute_loss` of the Trainer's class reads of the batch, and neither the model takes nor the collator makes.
EntryRead refused_by_loss(const Site &site, const model::FunctionInfo &loss, const Expr *model) {
  constexpr u32 kInputs = 2;
  const FunctionDef *const definition = loss.definition();
  if (definition == nullptr || loss.params.size() <= kInputs || !loss.params[kInputs]->name) {
    return {};
  }
  const Site inside = site_of_origin(site, loss);
  const Symbol inputs = loss.params[kInputs]->name;
  EntryRead found;
  bool is_stored = false; // inputs["weight"] = …
  any_node(definition->body, [&](const Node *node) {
    const auto *stored = as<Subscript>(node);
    const auto *base = stored != nullptr ? as<Name>(stored->value) : nullptr;
    is_stored |= base != nullptr && base->id == inputs && stored->context == Context::Store;
    EntryRead read = entry_read(inside, node, inputs);
    if (found.place == nullptr && read.place != nullptr && is_refused(site, model, read.key)) {
      found = std::move(read);
    }
    return false;
  });
  return is_stored ? EntryRead{} : found;
}

// Does the class of the Trainer, if it is one of the project, leave the columns to the Trainer?
bool leaves_columns(const model::ClassInfo *type) {
  return type == nullptr || std::ranges::none_of(type->mro, [](const model::ClassInfo *at) {
           return std::ranges::any_of(at->members, [](const auto &member) {
             const std::string_view name = Symbol{member.first}.text();
             return name == "_remove_unused_columns" || name == "_set_signature_columns_if_needed" ||
                    name == "get_train_dataloader" || name == "_get_collator_with_removed_columns" ||
                    name == "_prepare_inputs";
           });
         });
}

// `DataCollatorWithPadding(tokenizer)`, wherever it is made.
bool is_made_by_library(const Site &site, const Expr *collator) {
  bool found = false;
  bool is_other = false;
  visit_origins(site, *site.function, collator, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    const auto *call = as<Call>(origin.expr);
    const bool is_library =
        call != nullptr && called_api(site_of_origin(site, *origin.function), *call).starts_with("transformers.");
    (is_library ? found : is_other) = true;
    return Onward::Stop;
  });
  return found && !is_other;
}

void check_own(Site &site, const Call &call, const model::ClassInfo *type) {
  // A constructor of its own may have other positions.
  const bool has_constructor = type != nullptr && model::find_method_of(*type, known::sym_init) != nullptr;
  const auto given = [&](u32 position, std::string_view name) {
    return argument(call, has_constructor ? ~0U : position, name);
  };
  const Expr *model = given(0, "model");
  const Expr *settings = given(1, "args");
  const Expr *collator = given(2, "data_collator");
  if (model == nullptr || settings == nullptr || has_hidden_arguments(call) || !leaves_columns(type) ||
      project_has_word(site, {"remove_unused_columns", "_signature_columns", "label_names"})) {
    return;
  }
  const Call *const arguments = removing_arguments(site, settings);
  if (arguments == nullptr) {
    return;
  }
  const model::FunctionInfo *const collating = collator != nullptr ? function_of(site, collator) : nullptr;
  const model::FunctionInfo *reader = collating;
  EntryRead read = collating != nullptr ? refused_by_collator(site, *collating, model) : EntryRead{};
  const model::FunctionInfo *const loss =
      type != nullptr ? model::find_method_of(*type, intern("compute_loss")) : nullptr;
  const bool is_of_library = collator == nullptr || is_made_by_library(site, collator);
  if (read.place == nullptr && loss != nullptr && is_of_library) {
    read = refused_by_loss(site, *loss, model);
    reader = loss;
  }
  if (read.place == nullptr) {
    return;
  }
  Site there = site_of_origin(site, *reader);
  Finding &finding =
      report(there, *read.place,
             fmt::format("the Trainer removes the column `{}` before this reads it, because the model's `forward()` "
                         "does not accept it, so {}",
                         read.key, read.has_default ? "this is always the default" : "the first batch raises KeyError"),
             "pass `remove_unused_columns=False` to `TrainingArguments`");
  finding.notes.push_back({site.module->file, call.func->span(), "this Trainer"});
  const Site set = site_of(site, *arguments);
  finding.notes.push_back({set.module->file, arguments->span(), "`remove_unused_columns` is on by default"});
}

void check_call(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (site.function == nullptr || site.module->is_test || !site.module->torch || call.keywords.empty()) {
    return;
  }
  const Value callee = site.project.callee_of(&call);
  const bool is_own = callee.is(Value::Tag::Class) && callee.type->kind == Kind::Trainer &&
                      std::ranges::any_of(callee.type->mro, [](const model::ClassInfo *at) {
                        return std::ranges::any_of(at->bases, [](const Value &base) {
                          return base.is(Value::Tag::Api) && (base.name().text() == "transformers.Trainer" ||
                                                              base.name().text() == "transformers.Seq2SeqTrainer");
                        });
                      });
  const bool is_plain = callee.is(Value::Tag::Api) && (callee.name().text() == "transformers.Trainer" ||
                                                       callee.name().text() == "transformers.Seq2SeqTrainer");
  if (!is_own && !is_plain) {
    return;
  }
  const std::size_t before = site.findings.size();
  if (is_plain) {
    check(site, call);
  }
  if (site.findings.size() == before) {
    check_own(site, call, is_own ? callee.type.get() : nullptr);
  }
}

} // namespace

extern constinit const Rule kUnusedColumnsRemoved = {
    .info = {.code = "DP843",
             .name = "unused-columns-removed",
             .summary = "a transform or collator that reads a column that the Trainer has removed",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A Transformers `Trainer` whose training data has a `with_transform` or `set_transform` function, or a collator, that reads a raw column such
as `"image"` or `"text"`, with `TrainingArguments` that do not set `remove_unused_columns=False`. Also a collator, or a `compute_loss`
behind a collator of Transformers, that reads a column of the program's own, such as the weight of a sample, for which the model's `forward`
has no parameter.

## Why it is wrong

The Trainer removes all columns for which the model's `forward` has no parameter. The function that computes `pixel_values` from `image`
runs afterwards, when a batch is read, and fails with a `KeyError` or "list index out of range". Code that has a default for a missing
column, as `row.pop("weight", 1.0)`, uses that for every sample.

## Bad

```python
from datasets import load_dataset
from transformers import Trainer, TrainingArguments, ViTForImageClassification

from images import to_tensor


def prepare(batch):
    return {"pixel_values": [to_tensor(x) for x in batch["image"]], "labels": batch["label"]}


data = load_dataset("food101", split="train").with_transform(prepare)
model = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224")
args = TrainingArguments(output_dir="out", num_train_epochs=3, bf16=True)
trainer = Trainer(model=model, args=args, train_dataset=data)
```

## Good

```python
from datasets import load_dataset
from transformers import Trainer, TrainingArguments, ViTForImageClassification

from images import to_tensor


def prepare(batch):
    return {"pixel_values": [to_tensor(x) for x in batch["image"]], "labels": batch["label"]}


data = load_dataset("food101", split="train").with_transform(prepare)
model = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224")
args = TrainingArguments(output_dir="out", num_train_epochs=3, remove_unused_columns=False, bf16=True)
trainer = Trainer(model=model, args=args, train_dataset=data)
```

## When it is wrong

For a model whose `forward` has a parameter of that name.

## References

- Transformers: TrainingArguments, remove_unused_columns
)"},
    .nodes = {NodeKind::Call},
    .on_node = check_call};

} // namespace deepperf::rules::unused_columns_removed
