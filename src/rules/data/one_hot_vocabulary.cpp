#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::one_hot_vocabulary {

using namespace python;

namespace {

constexpr i64 kManyClasses = 5000; // a row of float32 then takes 20 KB

bool is_many(const Site &site, const Expr *expr) {
  const std::optional<model::ConstantValue> value = expr != nullptr ? setting_of(site, expr) : std::nullopt;
  return value.has_value() && value->as_integer().value_or(0) >= kManyClasses;
}

// The value that a name holds, if that is one expression.
const Expr *behind(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const Expr *assigned = name != nullptr ? last_assigned(site, *name) : nullptr;
  if (assigned != nullptr || expr == nullptr || expr->kind == NodeKind::Call) {
    return assigned != nullptr ? assigned : expr;
  }
  const std::vector<model::Argument::Given> written = model::written_as(scope_of(site), expr);
  return written.size() == 1 ? written[0].expr : expr;
}

enum class Size : u8 { Unknown, Words, Many };

// How many entries does a vocabulary have: the 20,000 most frequent words, or all words of a text?
Size size_of_vocabulary(const Site &site, const Expr *expr, u32 depth) {
  constexpr u32 kMostDepth = 4;
  if (expr == nullptr || depth > kMostDepth) {
    return Size::Unknown;
  }
  const auto *words = as<Attribute>(expr);
  if (words != nullptr && words->attr.text() == "word_index") { // of a Keras Tokenizer
    return file_has_word(site, {"char_level"}) ? Size::Unknown : Size::Words;
  }
  const Expr *made = behind(site, expr);
  Size size = Size::Unknown;
  any_node(made, [&](const Node *node) {
    const auto *slice = as<Slice>(node);
    const auto *call = as<Call>(node);
    const bool is_cut = slice != nullptr && slice->lower == nullptr && is_many(site, slice->upper);
    const bool is_counted = call != nullptr && called_method(*call) == "most_common" && call->args.size() == 1 &&
                            is_many(site, call->args[0]);
    size = is_cut || is_counted ? Size::Many : size;
    return size == Size::Many;
  });
  // word_to_id = {word: i for i, word in enumerate(vocabulary)}
  const bool is_comprehension = made->kind == NodeKind::DictComp;
  if (size == Size::Unknown && is_comprehension) {
    const auto *table = static_cast<const ComprehensionExpr *>(made);
    const auto *head = as<Call>(table->generators[0]->iter);
    const Expr *over = head != nullptr && called_api(site, *head) == "enumerate" && !head->args.empty()
                           ? head->args[0]
                           : table->generators[0]->iter;
    return size_of_vocabulary(site, over, depth + 1);
  }
  return size;
}

// The number of classes: a large constant, or the length of a vocabulary.
Size size_of(const Site &site, const Expr *classes, u32 depth = 0) {
  if (classes == nullptr || depth > 4) {
    return Size::Unknown;
  }
  if (is_many(site, classes)) {
    return Size::Many;
  }
  const Expr *made = behind(site, classes);
  if (const auto *sum = as<BinOp>(made)) { // len(words) + 1
    return size_of(site, sum->left, depth + 1);
  }
  const auto *call = as<Call>(made);
  return call != nullptr && called_api(site, *call) == "len" && call->args.size() == 1
             ? size_of_vocabulary(site, call->args[0], depth + 1)
             : Size::Unknown;
}

// For a batch at a time, it is no more than what the loss computes anyway.
bool is_for_a_batch(const Site &site) {
  if (loop_around(site) != nullptr || is_traced(site) || context_of(site).repeated) {
    return true;
  }
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (definition == nullptr) {
    return false;
  }
  struct Yields {
    bool anything = false;
  };
  const auto find = [definition] {
    return Yields{any_node(definition->body, [](const Node *node) { return node->kind == NodeKind::Yield; })};
  };
  return site.function->passed || definition->name.text() == "__getitem__" ||
         site.memory.recall<Yields>(definition, find).anything;
}

void check(Site &site, const Call &call) {
  const bool is_one_hot = called_api(site, call) == "tensorflow.one_hot";
  const Expr *classes = argument(call, 1, is_one_hot ? "depth" : "num_classes");
  if (classes == nullptr || site.module->is_test || has_hidden_arguments(call) || is_for_a_batch(site)) {
    return;
  }
  // The sparse loss does not smooth labels, and soft targets have no class.
  const bool is_target = file_has_word(site, {"categorical_crossentropy", "CategoricalCrossentropy"}) &&
                         !file_has_word(site, {"label_smoothing"});
  const Size size = is_target ? size_of(site, classes) : Size::Unknown;
  if (size == Size::Unknown) {
    return;
  }
  Finding &finding = report(site, call,
                            fmt::format("one-hot targets take a row of `{}` numbers for every example of the data set",
                                        text_of(site, classes)),
                            "keep the integers, and use `sparse_categorical_crossentropy`");
  finding.tier = size == Size::Many ? finding.tier : Tier::Hint; // how many words there are nobody tells
}

} // namespace

extern constinit const Rule kOneHotVocabulary = {
    .info = {.code = "DP453",
             .name = "one-hot-vocabulary",
             .summary = "targets of a whole data set that are one-hot encoded over a large vocabulary",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Out of Memory",
             .stage = "Data Preparation",
             .frameworks = "Keras, TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`to_categorical` or `tf.one_hot` of a whole data set's targets with 5,000 classes or more, written as a number or as the length of a
vocabulary that is cut to so many words, in a file that trains with a categorical cross-entropy. Where the vocabulary has all words of a
text (`len(tokenizer.word_index) + 1`), it is a hint.

## Why it costs

Each target becomes a row of zeros with a single one. A million next-word targets over 20,000 words take 80 GB as float32, the integers 4 MB.
The sparse cross-entropy computes the same loss from the integers.

## Bad

```python
import numpy as np
from tensorflow import keras
from tensorflow.keras.utils import to_categorical

WORDS = 20000
ids = np.load("ids.npy")
targets = to_categorical(ids[1:], num_classes=WORDS)

model = keras.Sequential([keras.layers.Embedding(WORDS, 64), keras.layers.Dense(WORDS, activation="softmax")])
model.compile(loss="categorical_crossentropy", optimizer="adam")
model.fit(ids[:-1], targets, batch_size=256, epochs=10)
```

## Good

```python
import numpy as np
from tensorflow import keras

WORDS = 20000
ids = np.load("ids.npy")

model = keras.Sequential([keras.layers.Embedding(WORDS, 64), keras.layers.Dense(WORDS, activation="softmax")])
model.compile(loss="sparse_categorical_crossentropy", optimizer="adam")
model.fit(ids[:-1], ids[1:], batch_size=256, epochs=10)
```

## When it is wrong

Where the data set has only a few hundred examples.

## References

- Keras documentation, `SparseCategoricalCrossentropy`
)"},
    .calls = "tensorflow.keras.utils.to_categorical tensorflow.one_hot",
    .on_call = check};

} // namespace deepperf::rules::one_hot_vocabulary
