#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::shuffled_apart {

using namespace python;

namespace {

// `np.random.shuffle(x)` as a statement of its own: the call, if it shuffles a name in place.
const Call *shuffle_of(const Site &site, const Stmt *statement) {
  const auto *plain = as<ExprStmt>(statement);
  const auto *call = plain != nullptr ? as<Call>(plain->value) : nullptr;
  if (call == nullptr || call->args.size() != 1 || !call->keywords.empty() || call->args[0]->kind != NodeKind::Name) {
    return nullptr;
  }
  const model::Value callee = site.project.callee_of(call);
  const bool is_function = callee.is(model::Value::Tag::Api) &&
                           (callee.name().text() == "numpy.random.shuffle" || callee.name().text() == "random.shuffle");
  const bool is_method =
      callee.is(model::Value::Tag::ApiMethod) && callee.kind == Kind::RandomState && callee.name().text() == "shuffle";
  return is_function || is_method ? call : nullptr;
}

Symbol shuffled(const Call &call) { return static_cast<const Name *>(call.args[0])->id; }

bool is_name(const Expr *expr, Symbol name) {
  const auto *plain = as<Name>(expr);
  return plain != nullptr && plain->id == name;
}

// Are both given to what pairs them, element by element: zip(x, y), model.fit(x, y), TensorDataset(x, y),
// from_tensor_slices((x, y))?
const Node *pairing(const Site &site, const Block &scope, Symbol left, Symbol right) {
  const Node *found = nullptr;
  for (const Stmt *statement : scope) {
    any_node(statement, [&](const Node *node) {
      const auto *call = as<Call>(node);
      if (call == nullptr || call->args.empty()) {
        return false;
      }
      const std::string_view api = called_api(site, *call);
      const std::string_view method = called_method(*call);
      const bool pairs = api == "zip" || api.ends_with(".TensorDataset") || api.ends_with(".train_test_split") ||
                         method == "fit" || method == "train_on_batch" || method == "from_tensor_slices";
      const auto *tuple = call->args.size() == 1 ? as<Tuple>(call->args[0]) : nullptr;
      const Array<Expr *> &given = tuple != nullptr ? tuple->elts : call->args;
      const auto has = [&](Symbol name) {
        return std::ranges::any_of(given, [name](const Expr *arg) { return is_name(arg, name); });
      };
      if (pairs && has(left) && has(right)) {
        found = call;
      }
      return found != nullptr;
    });
  }
  return found;
}

// The list that a comprehension in the value goes through: `folds` of np.concatenate([f[0] for f in folds]).
Symbol source_of(const Expr *value) {
  Symbol found;
  if (value != nullptr) {
    any_node(value, [&](const Node *node) {
      const auto *comprehension = as<ListComp>(node);
      const auto *name =
          comprehension != nullptr && comprehension->generators.size() == 1 && comprehension->generators[0]->ifs.empty()
              ? as<Name>(comprehension->generators[0]->iter)
              : nullptr;
      found = name != nullptr ? name->id : found;
      return name != nullptr;
    });
  }
  return found;
}

// Made of the same elements, one of their parts each.
bool come_from_one(const Site &site, const Call &left, const Call &right) {
  const Symbol first = source_of(last_assigned(site, static_cast<const Name &>(*left.args[0])));
  return first && first == source_of(last_assigned(site, static_cast<const Name &>(*right.args[0])));
}

// Sets a generator back, or makes one.
bool seeds(const Node *node) {
  const auto *call = as<Call>(node);
  const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
  return name.find("seed") != std::string_view::npos || name == "set_state" || name == "setstate" ||
         name == "RandomState" || name == "default_rng";
}

// The shuffle a few statements before this one in the same block, if nothing in between sets the generator back.
const Call *shuffle_before(const Site &site, const Stmt &statement) {
  constexpr u32 kMostStatements = 6;
  const Node *parent = site.ancestors.empty() ? nullptr : site.ancestors.back();
  const Stmt *at = &statement;
  for (u32 i = 0; i < kMostStatements; ++i) {
    at = statement_before(site.module->parsed->tree, parent, at);
    if (at == nullptr || any_node(at, seeds)) {
      return nullptr;
    }
    if (const Call *shuffle = shuffle_of(site, at)) {
      return shuffle;
    }
  }
  return nullptr;
}

void check(Site &site, const Node &node) {
  const auto &statement = static_cast<const ExprStmt &>(node);
  const Call *second = shuffle_of(site, &statement);
  if (second == nullptr || site.function == nullptr) {
    return;
  }
  const Call *first = shuffle_before(site, statement);
  if (first == nullptr || shuffled(*first) == shuffled(*second) ||
      text_of(site, first->func) != text_of(site, second->func)) {
    return;
  }
  const FunctionDef *definition = site.function->definition();
  const Block &scope = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const Node *paired = pairing(site, scope, shuffled(*first), shuffled(*second));
  if (paired == nullptr && !come_from_one(site, *first, *second)) {
    return;
  }
  Finding &finding = report(site, *second,
                            fmt::format("`{}` and `{}` are shuffled independently, so their elements no longer match",
                                        shuffled(*first).text(), shuffled(*second).text()),
                            "draw one order, `order = np.random.permutation(len(x))`, and index both with it");
  add_note(finding, site, *first, "shuffled in a different order here");
  if (paired != nullptr) {
    add_note(finding, site, *paired, "used as pairs here");
  }
}

} // namespace

extern constinit const Rule kShuffledApart = {.info = {.code = "DP857",
                                                       .name = "shuffled-apart",
                                                       .summary = "inputs and labels that are shuffled independently",
                                                       .root_cause = "Training: Wrong Data",
                                                       .symptoms = "Wrong Result",
                                                       .stage = "Data Preparation",
                                                       .frameworks = "NumPy",
                                                       .severity = Severity::Advice,
                                                       .tier = Tier::On,
                                                       .documentation = R"(## What it finds

Two calls of `np.random.shuffle` (or `random.shuffle`, or a generator's) in quick succession, for two arrays that belong together: the same
function passes both to `zip`, `fit`, `TensorDataset`, `from_tensor_slices` or `train_test_split`, or built them from parts of the same
elements.

## Why it is wrong

Each call draws its own order. Afterwards the labels no longer match the inputs, and the model learns noise.

## Bad

```python
import numpy as np
from tensorflow import keras


def train(model: keras.Model, x, y):
    np.random.shuffle(x)
    np.random.shuffle(y)
    model.fit(x, y)
```

## Good

```python
import numpy as np
from tensorflow import keras


def train(model: keras.Model, x, y):
    order = np.random.permutation(len(x))
    model.fit(x[order], y[order])
```

## When it is wrong

Where random pairs are intended, as in a permutation test. If the generator is seeded again between the calls, both orders are the same, and
the rule is silent.

## References

- NumPy documentation of `numpy.random.shuffle`
)"},
                                              .nodes = {NodeKind::ExprStmt},
                                              .on_node = check};

} // namespace deepperf::rules::shuffled_apart
