#include "base/reads.h"
#include "rules/dataset_item.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace deepperf::rules::padding_to_max_length {

using namespace python;

namespace {

// The place that asks for it: an argument, or an entry of the options that `**` hands over.
struct FullLength {
  const Node *place = nullptr; // null if none does
  FileIndex file;
};

FullLength asks_for_full_length(const Site &site, const Call &call) {
  const auto place_of = [&](const model::Argument &argument, std::string_view name) {
    const Keyword *const written = keyword_argument(call, name);
    return written != nullptr ? FullLength{written, site.module->file}
                              : FullLength{argument.given[0].expr, argument.given[0].scope.module->file};
  };
  const model::Argument padding = argument_of(site, call, ~0U, "padding");
  if (!padding.given.empty()) {
    // A default of the program's own settings counts where another part of it pads each batch anyway.
    const auto setting = setting_of(site, padding, model::ConstantValue::none());
    const bool is_full = setting.has_value() && setting->as_string() == "max_length";
    return is_full &&
                   (!setting->overridable || file_has_word(site, {"DataCollatorWithPadding", "DataCollatorForSeq2Seq"}))
               ? place_of(padding, "padding")
               : FullLength{};
  }
  const model::Argument old = argument_of(site, call, ~0U, "pad_to_max_length");
  const auto setting = old.given.empty() ? std::nullopt : setting_of(site, old, model::ConstantValue::none());
  const bool is_full = setting.has_value() && !setting->overridable && setting->as_bool() == true;
  return is_full ? place_of(old, "pad_to_max_length") : FullLength{};
}

// The word by itself: `output` has its letters, too.
bool file_names_tpu(const Site &site) {
  struct NamesTpu {
    bool value = false;
  };
  return site.memory
      .recall<NamesTpu>(
          site.module,
          [&site] {
            const std::string_view text = site.module->parsed->source.text();
            const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
            for (const std::string_view word : {"tpu", "TPU"}) {
              for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
                const std::size_t end = at + word.size();
                const bool is_plural = end < text.size() && (text[end] == 's' || text[end] == 'S');
                const bool ends = is_plural || end == text.size() || !is_letter(text[end]);
                if (ends && (at == 0 || !is_letter(text[at - 1]))) {
                  return NamesTpu{true};
                }
              }
            }
            return NamesTpu{};
          })
      .value;
}

// Shapes that must not change: compilers, exported models, and text encoders that were trained on one length only.
bool wants_one_length(const Site &site, const Call &call) {
  constexpr i64 kUsual = 128;
  constexpr i64 kShort = 77; // what CLIP takes
  const Keyword *length = keyword_argument(call, "max_length");
  // A language model that is trained takes texts of any length.
  if (length != nullptr && text_of(site, length->value).find("model_max_length") != std::string_view::npos &&
      !file_has_word(site, {"ForCausalLM"})) {
    return true;
  }
  const auto number = setting_of(site, argument_of(site, call, ~0U, "max_length"), model::ConstantValue::of(kUsual));
  if (number.has_value() && !number->overridable && number->as_integer().value_or(kUsual) <= kShort) {
    return true;
  }
  return file_has_word_in_any_case(site, {"_xla", "xla_", "onnx", "torch.compile", "torch_compile", "jit.trace", "flax",
                                          "tensorrt", "clip-", "open_clip"}) ||
         file_has_word(site, {"CLIP"}) || file_names_tpu(site);
}

bool wants_fixed_shapes(const Site &site) {
  return file_has_word_in_any_case(site, {"_xla", "xla_", "onnx", "torch.compile", "jit.trace"}) ||
         file_names_tpu(site);
}

// Do modules that import this one split a model into stages that send tensors to each other? Their shapes are agreed on
// once, so that all batches must have the same.
bool feeds_pipeline(const Site &site) {
  struct FeedsPipeline {
    bool value = false;
  };
  const auto has_stages = [](const model::Module &module) {
    const std::string_view text = module.parsed->source.text();
    return std::ranges::any_of(
        std::to_array<std::string_view>({"execute_pipeline", "PipelineModule", "PipelineStage", "PipelineSchedule"}),
        [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
  };
  const auto find = [&] {
    note_read_everything();
    return FeedsPipeline{
        has_stages(*site.module) || std::ranges::any_of(site.project.modules, [&](const model::Module &module) {
          return std::ranges::any_of(module.import_targets,
                                     [&](const auto &target) { return target.second == site.module; }) &&
                 has_stages(module);
        })};
  };
  return site.memory.recall<FeedsPipeline>(site.module, find).value;
}

// Functions of the file that prepare the examples of a dataset: given to map(), set_transform() or as `collate_fn`.
struct Preparing {
  std::vector<const model::FunctionInfo *> functions;
};

bool prepares_examples(const Site &site) {
  const auto &found = site.memory.recall<Preparing>(site.module, [&site] {
    Preparing all;
    const auto add = [&](const Call &call, const Expr *given) {
      const model::FunctionInfo *const lambda = site.project.function_at(given);
      const model::Value value = lambda != nullptr ? model::Value{} : value_of(site_of(site, call), given);
      const bool is_known = value.is(model::Value::Tag::Function) || value.is(model::Value::Tag::Method);
      if (lambda != nullptr || is_known) {
        all.functions.push_back(lambda != nullptr ? lambda : value.function);
      } else if (value.is(model::Value::Tag::Object)) { // PadCollate(…), which is called
        const auto called = value.type->members.find(intern("__call__").id);
        if (called != value.type->members.end() && called->second.is(model::Value::Tag::Function)) {
          all.functions.push_back(called->second.function);
        }
      }
    };
    const auto look = [&](const Node *node) {
      const auto *call = as<Call>(node);
      if (call == nullptr) {
        return false;
      }
      const std::string_view method = called_method(*call);
      const bool maps = method == "map" || method == "set_transform" || method == "with_transform";
      const model::Value callee = maps ? site.project.callee_of(call) : model::Value{};
      if (callee.is(model::Value::Tag::ApiMethod) && callee.receiver().kind == Kind::HfDataset && !call->args.empty()) {
        add(*call, call->args[0]);
      }
      for (const std::string_view name : {"collate_fn", "data_collator"}) {
        if (const Keyword *keyword = keyword_argument(*call, name)) {
          add(*call, keyword->value);
        }
      }
      return false;
    };
    for (const Stmt *statement : site.module->parsed->tree.body) {
      any_node_inside(statement, look);
    }
    return all;
  });
  return std::ranges::find(found.functions, site.function) != found.functions.end();
}

// `preprocess(sources, tokenizer)`, which nothing but datasets call.
bool feeds_datasets(const model::FunctionInfo &function) {
  return !function.called_by.empty() && std::ranges::all_of(function.called_by, [](const model::CallSite *caller) {
    const model::ClassInfo *const type = caller->caller->type;
    return type != nullptr && type->kind == Kind::TorchDataset;
  });
}

// Does a loop of the function go over the rows of the tensor in this name? `for row, text in zip(out, texts)`
bool is_row_of(const FunctionDef &definition, Symbol row, Symbol tensor) {
  return any_node(definition.body, [&](const Node *node) {
    const auto *loop = as<For>(node);
    if (loop == nullptr) {
      return false;
    }
    const auto *over = as<Name>(loop->iter);
    const auto *target = as<Name>(loop->target);
    if (over != nullptr && target != nullptr) {
      return over->id == tensor && target->id == row;
    }
    const auto *zipped = as<Call>(loop->iter);
    const auto *targets = as<Tuple>(loop->target);
    const std::string_view function = zipped != nullptr ? called_name(*zipped) : std::string_view{};
    const u32 first = function == "enumerate" ? 1 : 0;
    if (targets == nullptr || (function != "zip" && function != "enumerate")) {
      return false;
    }
    for (u32 i = 0; i < zipped->args.size() && i + first < targets->elts.size(); ++i) {
      const auto *part = as<Name>(targets->elts[i + first]);
      over = as<Name>(zipped->args[i]);
      if (part != nullptr && over != nullptr && part->id == row && over->id == tensor) {
        return true;
      }
    }
    return false;
  });
}

// Of a store into one row of the tensor, which part of the row it fills: `out[i, :n]`, `out[i][:n]`, `row[:n]`.
const Slice *filled_part(const FunctionDef &definition, const Subscript &place, Symbol tensor) {
  const auto *axes = as<Tuple>(place.slice);
  const bool is_row_first = axes != nullptr && axes->elts.size() >= 2 && axes->elts[0]->kind == NodeKind::Name;
  if (const auto *target = as<Name>(place.value)) {
    if (target->id == tensor) {
      return is_row_first ? as<Slice>(axes->elts[1]) : nullptr;
    }
    const Expr *const first = axes != nullptr && !axes->elts.empty() ? axes->elts[0] : place.slice;
    const auto *part = as<Slice>(first);
    return part != nullptr && is_row_of(definition, target->id, tensor) ? part : nullptr;
  }
  const auto *row = as<Subscript>(place.value);
  const auto *target = row != nullptr && row->slice->kind == NodeKind::Name ? as<Name>(row->value) : nullptr;
  return target != nullptr && target->id == tensor ? as<Slice>(place.slice) : nullptr;
}

// `out = torch.zeros(len(texts), 512)`, whose rows are filled up to the length of each text: what is after is padding.
void check_filled(Site &site, const Call &call) {
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (name == nullptr || definition == nullptr || call.args.empty() || site.module->is_test) {
    return;
  }
  const auto *tuple = as<Tuple>(call.args[0]);
  const auto *list = as<List>(call.args[0]);
  const Array<Expr *> sizes = tuple != nullptr ? tuple->elts : list != nullptr ? list->elts : call.args;
  constexpr i64 kShort = 64;
  const auto length = sizes.size() >= 2 ? setting_of(site, sizes[1]) : std::nullopt;
  if (!length.has_value() || length->as_integer().value_or(0) < kShort) {
    return;
  }
  // A setting is the longest length of all batches where a batch is put together.
  if (length->overridable && (!prepares_examples(site) || wants_fixed_shapes(site))) {
    return;
  }
  const Node *filled = nullptr;
  any_node(definition->body, [&](const Node *node) {
    const auto *store = as<Assign>(node);
    const auto *place = store != nullptr && store->targets.size() == 1 ? as<Subscript>(store->targets[0]) : nullptr;
    const Slice *const part = place != nullptr ? filled_part(*definition, *place, name->id) : nullptr;
    if (part != nullptr && part->lower == nullptr && part->upper != nullptr &&
        !integer_of(site, part->upper).has_value()) {
      filled = place;
    }
    return filled != nullptr;
  });
  if (filled == nullptr || feeds_pipeline(site)) {
    return;
  }
  Finding &finding =
      report(site, call, "every batch is padded to the maximum possible length, and the model computes on the padding",
             "pad each batch to its own longest sequence, as `torch.nn.utils.rnn.pad_sequence` does");
  add_note(finding, site, *filled, "a row is filled up to the length of its sequence");
}

struct FirstPadding {
  const Node *place = nullptr;
};

// `ids + [0] * (self.max_length - len(ids))` in the __getitem__ of a Dataset: every sample gets the longest length
// there is.
void check_list(Site &site, const Node &node) {
  const auto &product = static_cast<const BinOp &>(node);
  if (product.op() != Operator::Mult || !in_dataset_item(site) || site.module->is_test) {
    return;
  }
  const auto *list = as<List>(product.left);
  const auto *name = as<Name>(product.right);
  const Expr *const count = name != nullptr ? last_assigned(site, *name) : product.right;
  const Expr *longest = count;
  while (const auto *difference = as<BinOp>(longest)) {
    longest = difference->op() == Operator::Sub ? difference->left : nullptr;
  }
  const auto is_length = [](const Node *part) {
    const auto *call = as<Call>(part);
    return call != nullptr && called_name(*call) == "len";
  };
  if (list == nullptr || list->elts.size() != 1 || longest == nullptr || longest == count || is_length(longest) ||
      !any_node(count, is_length)) {
    return;
  }
  // One finding for all parts of a sample.
  const FirstPadding &first = site.memory.recall<FirstPadding>(site.function, [&node] { return FirstPadding{&node}; });
  if (first.place != &node || wants_fixed_shapes(site) || feeds_pipeline(site)) {
    return;
  }
  constexpr i64 kShort = 64;
  const auto length = setting_of(site, longest);
  const i64 known = length.has_value() ? length->as_integer().value_or(0) : 0;
  if (known != 0 && known < kShort) {
    return;
  }
  Finding &finding =
      report(site, node, "every sample is padded to the maximum possible length, and the model computes on the padding",
             "return the sequences as they are, and pad each batch to its longest one in `collate_fn`, as "
             "`torch.nn.utils.rnn.pad_sequence` does");
  if (known == 0) {
    finding.tier = Tier::Hint;
  }
}

void check(Site &site, const Call &call) {
  if (called_api(site, call).starts_with("torch.")) {
    check_filled(site, call);
    return;
  }
  const FullLength full = asks_for_full_length(site, call);
  const bool is_tensorflow = site.module->tensorflow && !site.module->torch; // which wants one shape
  if (full.place == nullptr || site.function == nullptr || site.function->node == nullptr || is_tensorflow) {
    return;
  }
  // In code that prepares the examples of a dataset, not around a single text.
  const bool is_for_dataset = feeds_datasets(*site.function);
  if ((!in_dataset_item(site) && !site.function->passed && !is_for_dataset && !prepares_examples(site)) ||
      wants_one_length(site, call) || feeds_pipeline(site)) {
    return;
  }
  const bool is_elsewhere = !contains(&call, full.place);
  Finding &finding = report(
      site, is_elsewhere ? call : *full.place,
      "every text is padded to `max_length`, and the model computes on the padding",
      "tokenize without padding, and pass `DataCollatorWithPadding(tokenizer)` as `collate_fn` to pad each batch to "
      "its longest text");
  if (is_elsewhere) {
    finding.notes.push_back({full.file, full.place->span(), "the option is set here"});
  }
  if (!in_dataset_item(site) && !is_for_dataset && !prepares_examples(site)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kPaddingToMaxLength = {
    .info = {.code = "DP150",
             .name = "padding-to-max-length",
             .summary = "texts that are padded to a fixed length instead of the longest text of their batch",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`padding="max_length"` or `pad_to_max_length=True` in the `__getitem__` of a dataset, or in a function that is mapped
over one.

## Why it costs

Attention and all other layers compute on padding as they do on text. The shorter the texts are compared with
`max_length`, the more of each step's work and memory is wasted. A collator that pads each batch to its longest text
gives the same results.

## Bad

```python
from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
reviews = load_dataset("imdb", split="train")


def encode(batch):
    return tokenizer(batch["text"], padding="max_length", max_length=512, truncation=True)


tokens = reviews.map(encode, batched=True)
```

## Good

```python
from datasets import load_dataset
from transformers import AutoTokenizer, DataCollatorWithPadding

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
reviews = load_dataset("imdb", split="train")


def encode(batch):
    return tokenizer(batch["text"], max_length=512, truncation=True)


tokens = reviews.map(encode, batched=True)
collate = DataCollatorWithPadding(tokenizer)
```

## When it is wrong

Where shapes must stay the same: TPUs, `torch.compile` without dynamic shapes, exported models, and text encoders that
were trained on one length only, such as CLIP's. The rule is silent where the file mentions one of these. It is also silent where
the file, or one that imports it, trains a model in pipeline stages, which exchange tensors of one shape.

## References

- Transformers: padding and truncation; `DataCollatorWithPadding`
)"},
    .calls = "HfTokenizer.__call__ HfTokenizer.encode HfTokenizer.encode_plus HfTokenizer.batch_encode_plus "
             "torch.zeros torch.full torch.ones",
    .on_call = check,
    .nodes = {NodeKind::BinOp},
    .on_node = check_list};

} // namespace deepperf::rules::padding_to_max_length
