#include "model/classes.h"
#include "rules/encoding.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::labels_shifted_twice {

using namespace python;

namespace {

// The plain expression through names, and after methods that keep what it holds: `y.to(device)`.
const Expr *plain(const Site &site, const Expr *expr, u32 depth = 0) {
  if (const auto *call = as<Call>(expr)) {
    const std::string_view method = called_method(*call);
    constexpr std::string_view kSame[] = {"to", "cuda", "long", "clone", "contiguous", "squeeze", "detach"};
    const bool is_same = std::ranges::find(kSame, method) != std::end(kSame);
    const std::string_view api = is_same ? std::string_view{} : called_api(site, *call);
    if (is_same && receiver_of(*call) != nullptr) {
      return plain(site, receiver_of(*call), depth);
    }
    if ((api == "torch.tensor" || api == "torch.from_numpy" || api == "torch.as_tensor" || api == "torch.LongTensor") &&
        !call->args.empty()) {
      return plain(site, call->args[0], depth);
    }
  }
  const auto *name = as<Name>(expr);
  const Expr *assigned = name != nullptr && depth < 4 ? assigned_to(site, *name) : nullptr;
  return assigned != nullptr && assigned->end <= name->start ? plain(site, assigned, depth + 1) : expr;
}

// The slice of the last axis: `1:` of `ids[1:]`, `ids[:, 1:]` and `ids[..., 1:]`.
const Slice *last_slice(const Subscript &part) {
  const auto *axes = as<Tuple>(part.slice);
  return as<Slice>(axes != nullptr && !axes->elts.empty() ? axes->elts[axes->elts.size() - 1] : part.slice);
}

std::string without_spaces(std::string_view text) {
  std::string result(text);
  std::erase(result, ' ');
  return result;
}

// Is `labels` the part of the same sequence that begins one later than `inputs`?
bool is_shifted(const Site &site, const Expr *inputs, const Expr *labels) {
  const auto *from = as<Subscript>(plain(site, inputs));
  const auto *to = as<Subscript>(plain(site, labels));
  if (from == nullptr || to == nullptr || text_of(site, from->value) != text_of(site, to->value)) {
    return false;
  }
  const Slice *first = last_slice(*from);
  const Slice *second = last_slice(*to);
  if (first == nullptr || second == nullptr || second->lower == nullptr) {
    return false;
  }
  if (first->lower == nullptr || integer_of(site, first->lower) == 0) {
    return integer_of(site, second->lower) == 1 && first->upper != nullptr;
  }
  const auto *sum = as<BinOp>(second->lower);
  if (sum == nullptr || sum->op() != Operator::Add) {
    return false;
  }
  const std::string start = without_spaces(text_of(site, first->lower));
  const std::string next = without_spaces(text_of(site, second->lower));
  return next == start + "+1" || next == "1+" + start;
}

// ---- Batches of a loader --------------------------------------------------------------------------------------------

// Which element of the loop's target a name is.
std::optional<u32> place_in_target(const For &loop, Symbol name) {
  const Expr *target = loop.target;
  if (const auto *numbered = as<Tuple>(target); numbered != nullptr && numbered->elts.size() == 2) {
    if (numbered->elts[1]->kind == NodeKind::Tuple) { // for i, (x, y) in enumerate(loader)
      target = numbered->elts[1];
    }
  }
  const auto *parts = as<Tuple>(target);
  for (u32 i = 0; parts != nullptr && i < parts->elts.size(); ++i) {
    const auto *part = as<Name>(parts->elts[i]);
    if (part != nullptr && part->id == name) {
      return i;
    }
  }
  return std::nullopt;
}

const Name *name_of(const Expr *expr) {
  while (const auto *call = as<Call>(expr)) {
    expr = called_method(*call) == "to" || called_method(*call) == "cuda" ? receiver_of(*call) : nullptr;
    if (expr == nullptr) {
      return nullptr;
    }
  }
  return as<Name>(expr);
}

// The __getitem__ of the dataset that the loop's batches come from.
const model::FunctionInfo *item_of(const Site &site, const model::Loop &loop) {
  const Expr *iterated = iterated_by(site, loop);
  const model::Value loader = iterated != nullptr ? value_of(site, iterated) : model::Value{};
  if (!loader.is_kind(Kind::TorchDataLoader) || loader.maker() == nullptr || loader.maker()->args.empty()) {
    return nullptr;
  }
  const model::Value dataset = value_of(site_of(site, *loader.maker()), loader.maker()->args[0]);
  return dataset.is(model::Value::Tag::Object) ? model::find_method_of(*dataset.type, intern("__getitem__")) : nullptr;
}

bool is_shifted_by_dataset(const Site &site, const Expr *inputs, const Expr *labels, const Return **where) {
  const Name *from = name_of(inputs);
  const Name *to = name_of(labels);
  const model::Loop *loop = loop_around(site);
  const auto *statement = loop != nullptr ? as<For>(loop->node) : nullptr;
  if (from == nullptr || to == nullptr || statement == nullptr) {
    return false;
  }
  const auto first = place_in_target(*statement, from->id);
  const auto second = place_in_target(*statement, to->id);
  const model::FunctionInfo *item = first.has_value() && second.has_value() ? item_of(site, *loop) : nullptr;
  if (item == nullptr || item->definition() == nullptr) {
    return false;
  }
  Site inside{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  inside.function = item;
  inside.module = item->module;
  inside.type = item->type;
  return any_node(item->definition()->body, [&](const Node *node) {
    const auto *result = as<Return>(node);
    const auto *parts = result != nullptr ? as<Tuple>(result->value) : nullptr;
    if (parts == nullptr || *first >= parts->elts.size() || *second >= parts->elts.size() ||
        !is_shifted(inside, parts->elts[*first], parts->elts[*second])) {
      return false;
    }
    *where = result;
    return true;
  });
}

constexpr std::string_view kMessage =
    "the labels are shifted here and again by the model, which learns to predict the token after next";
constexpr std::string_view kAdvice = "pass the same tokens as `input_ids` and `labels`; the model shifts them itself";

void check_call(Site &site, const Call &call) {
  const Keyword *labels = keyword_argument(call, "labels");
  const Expr *inputs = argument(call, 0, "input_ids");
  std::string_view api;
  if (labels == nullptr || inputs == nullptr || site.function == nullptr ||
      maker_of_callee(site, call, &api) == nullptr || !makes_causal_model(api)) {
    return;
  }
  const Return *where = nullptr;
  if (is_shifted(site, inputs, labels->value)) {
    report(site, *labels, std::string(kMessage), std::string(kAdvice));
  } else if (is_shifted_by_dataset(site, inputs, labels->value, &where)) {
    Finding &finding = report(site, *labels, std::string(kMessage), std::string(kAdvice));
    if (const model::FunctionInfo *item = item_of(site, *loop_around(site))) {
      finding.notes.push_back({item->module->file, where->span(), "the dataset shifts them"});
    }
  }
}

// {"input_ids": ids[:-1], "labels": ids[1:]}: what the model is, only the project as a whole can tell.
void check_dictionary(Site &site, const Node &node) {
  const Expr *inputs = nullptr;
  const Expr *labels = nullptr;
  for (const DictItem &item : static_cast<const Dict &>(node).items) {
    if (item.key == nullptr || item.key->kind != NodeKind::Constant) {
      continue;
    }
    const auto key = string_of(site, item.key);
    inputs = key == "input_ids" ? item.value : inputs;
    labels = key == "labels" ? item.value : labels;
  }
  if (inputs == nullptr || labels == nullptr || site.function == nullptr || !is_shifted(site, inputs, labels) ||
      !project_has_word(site, {"ForCausalLM", "GPT2LMHeadModel"}) ||
      project_has_word(site, {"cross_entropy", "CrossEntropyLoss"})) {
    return;
  }
  Finding &finding = report(site, *labels, std::string(kMessage), std::string(kAdvice));
  finding.tier = Tier::Hint;
}

} // namespace

extern constinit const Rule kLabelsShiftedTwice = {
    .info = {.code = "DP842",
             .name = "labels-shifted-twice",
             .summary = "labels of a causal language model that are shifted before the model shifts them",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A causal language model of Hugging Face (`AutoModelForCausalLM`, `GPT2LMHeadModel`) that is called with `labels` that start one token later
than its `input_ids`: `ids[:, :-1]` and `ids[:, 1:]`, in the same function or in the Dataset that the batch comes from. `{"input_ids":
ids[:-1], "labels": ids[1:]}` is a hint.

## Why it is wrong

These models shift the labels themselves: the output at position i is compared with label i + 1. With labels that are already shifted, the
model is trained to predict the token after next. The loss still falls, but the generated text is nonsense.

## Bad

```python
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2")


def loss_of(ids):
    return model(input_ids=ids[:, :-1], labels=ids[:, 1:]).loss
```

## Good

```python
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2")


def loss_of(ids):
    return model(input_ids=ids, labels=ids).loss
```

## When it is wrong

For models from the Hub with custom code that does not shift.

## References

- Transformers: GPT2LMHeadModel.forward ("the labels are shifted inside the model")
)"},
    .calls = "HfModel.__call__",
    .on_call = check_call,
    .nodes = {NodeKind::Dict},
    .on_node = check_dictionary};

} // namespace deepperf::rules::labels_shifted_twice
