#include "rules/site.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace deepperf::rules::shuffled_apart {

using namespace python;

namespace {

// What a statement shuffles, and how.
struct Shuffled {
  const Expr *what = nullptr; // a name, or an attribute
  const Node *place = nullptr;
  std::string_view by; // the function, as it is written
};

bool is_place(const Expr *expr) {
  return expr != nullptr && (expr->kind == NodeKind::Name || expr->kind == NodeKind::Attribute);
}

bool draws_order(const Site &site, const Call &call, std::string_view how) {
  const model::Value callee = site.project.callee_of(&call);
  const bool is_function =
      callee.is(model::Value::Tag::Api) && (callee.name().text() == "numpy.random." + std::string(how) ||
                                            callee.name().text() == "random." + std::string(how));
  return is_function ||
         (callee.is(model::Value::Tag::ApiMethod) && callee.kind == Kind::RandomState && callee.name().text() == how);
}

// `np.random.shuffle(x)` as a statement of its own, or `x = x[np.random.permutation(len(x))]`.
Shuffled shuffle_of(const Site &site, const Stmt *statement) {
  const auto *plain = as<ExprStmt>(statement);
  const auto *call = plain != nullptr ? as<Call>(plain->value) : nullptr;
  if (call != nullptr) {
    const bool shuffles = call->args.size() == 1 && call->keywords.empty() && is_place(call->args[0]) &&
                          draws_order(site, *call, "shuffle");
    return shuffles ? Shuffled{call->args[0], call, text_of(site, call->func)} : Shuffled{};
  }
  const auto *assignment = as<Assign>(statement);
  // Perhaps in a function of its own: `x = shuffled(x)`.
  const auto *taken = assignment != nullptr && assignment->targets.size() == 1
                          ? as<Subscript>(run_by(site, assignment->value))
                          : nullptr;
  const auto *order = taken != nullptr ? as<Call>(taken->slice) : nullptr;
  if (order == nullptr || !is_place(taken->value) || !draws_order(site, *order, "permutation")) {
    return {};
  }
  // `self.x = x[order]` as well: an array of that name.
  const auto *attribute = as<Attribute>(assignment->targets[0]);
  const std::string_view name = attribute != nullptr ? attribute->attr.text() : std::string_view{};
  const bool is_same = text_of(site, assignment->targets[0]) == text_of(site, taken->value) ||
                       (!name.empty() && name == text_of(site, taken->value));
  return is_same ? Shuffled{assignment->targets[0], assignment, text_of(site, order->func)} : Shuffled{};
}

Symbol name_of(const Expr *what) {
  const auto *name = as<Name>(what);
  return name != nullptr ? name->id : Symbol{};
}

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

// `return x, y`, and a caller that takes both and pairs them: x, y = shuffled(x, y); model.fit(x, y)
const model::CallSite *paired_by_caller(const Site &site, const FunctionDef &definition, Symbol left, Symbol right) {
  const auto *result = !definition.body.empty() ? as<Return>(definition.body[definition.body.size() - 1]) : nullptr;
  const auto *given = result != nullptr ? as<Tuple>(result->value) : nullptr;
  const auto index_of = [&](Symbol name) {
    for (u32 i = 0; given != nullptr && i < given->elts.size(); ++i) {
      if (is_name(given->elts[i], name)) {
        return static_cast<i32>(i);
      }
    }
    return -1;
  };
  const i32 first = index_of(left);
  const i32 second = index_of(right);
  for (const model::CallSite *caller : site.function->called_by) {
    const FunctionDef *around = caller->caller->definition();
    const Block &scope = around != nullptr ? around->body : caller->caller->module->parsed->tree.body;
    const Tuple *taken = nullptr;
    any_node(scope, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      if (assignment != nullptr && assignment->value == caller->call && assignment->targets.size() == 1) {
        taken = as<Tuple>(assignment->targets[0]);
      }
      return taken != nullptr;
    });
    if (first < 0 || second < 0 || taken == nullptr || taken->elts.size() != given->elts.size()) {
      continue;
    }
    const Symbol x = name_of(taken->elts[static_cast<u32>(first)]);
    const Symbol y = name_of(taken->elts[static_cast<u32>(second)]);
    if (x && y && pairing(site_of(site, *caller->call), scope, x, y) != nullptr) {
      return caller;
    }
  }
  return nullptr;
}

// `self.x[i]` and `self.y[i]` with the same index in a method of the class.
const Node *paired_in_class(const Site &site, const Expr *left, const Expr *right) {
  const auto *x = as<Attribute>(left);
  const auto *y = as<Attribute>(right);
  if (x == nullptr || y == nullptr || site.type == nullptr || text_of(site, x->value) != text_of(site, y->value)) {
    return nullptr;
  }
  std::vector<std::string_view> indices;
  const Node *found = nullptr;
  const auto of = [&](const Node *node, const Attribute &attribute) -> const Subscript * {
    const auto *element = as<Subscript>(node);
    const auto *array = element != nullptr ? as<Attribute>(element->value) : nullptr;
    return array != nullptr && array->attr == attribute.attr && element->context == Context::Load ? element : nullptr;
  };
  for (const Stmt *method : site.type->node->body) {
    if (method->kind != NodeKind::FunctionDef) {
      continue;
    }
    indices.clear();
    any_node_inside(static_cast<const Node *>(method), [&](const Node *node) {
      if (const Subscript *element = of(node, *x)) {
        indices.push_back(text_of(site, element->slice));
      }
      return false;
    });
    any_node_inside(static_cast<const Node *>(method), [&](const Node *node) {
      const Subscript *element = of(node, *y);
      if (element != nullptr && std::ranges::find(indices, text_of(site, element->slice)) != indices.end()) {
        found = element;
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
bool come_from_one(const Site &site, const Expr *left, const Expr *right) {
  const auto *x = as<Name>(left);
  const auto *y = as<Name>(right);
  const Symbol first = x != nullptr && y != nullptr ? source_of(last_assigned(site, *x)) : Symbol{};
  return first && first == source_of(last_assigned(site, *y));
}

// Elements that a condition chose, so that nothing says which of the one belongs to which of the other.
bool is_selection(const Site &site, const Expr *what) {
  const auto *name = as<Name>(what);
  const auto *made = name != nullptr ? as<ListComp>(last_assigned(site, *name)) : nullptr;
  return made != nullptr && made->generators.size() == 1 && !made->generators[0]->ifs.empty();
}

std::string_view condition_of(const Site &site, const Expr *what) {
  const auto *made = as<ListComp>(last_assigned(site, *as<Name>(what)));
  return text_of(site, made->generators[0]->ifs[0]);
}

// Sets a generator back, or makes one.
bool seeds(const Node *node) {
  const auto *call = as<Call>(node);
  const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
  return name.find("seed") != std::string_view::npos || name == "set_state" || name == "setstate" ||
         name == "RandomState" || name == "default_rng";
}

// The shuffle a few statements before this one in the same block, if nothing in between sets the generator back.
Shuffled shuffle_before(const Site &site, const Stmt &statement) {
  constexpr u32 kMostStatements = 6;
  const Node *parent = site.ancestors.empty() ? nullptr : site.ancestors.back();
  const Stmt *at = &statement;
  for (u32 i = 0; i < kMostStatements; ++i) {
    at = statement_before(site.module->parsed->tree, parent, at);
    if (at == nullptr || any_node(at, seeds)) {
      return {};
    }
    if (const Shuffled shuffle = shuffle_of(site, at); shuffle.what != nullptr) {
      return shuffle;
    }
  }
  return {};
}

void check(Site &site, const Node &node) {
  const auto &statement = static_cast<const Stmt &>(node);
  const Shuffled second = shuffle_of(site, &statement);
  if (second.what == nullptr || site.function == nullptr) {
    return;
  }
  const Shuffled first = shuffle_before(site, statement);
  if (first.what == nullptr || text_of(site, first.what) == text_of(site, second.what) || first.by != second.by) {
    return;
  }
  if (is_selection(site, first.what) && is_selection(site, second.what) &&
      condition_of(site, first.what) != condition_of(site, second.what)) {
    return;
  }
  const FunctionDef *definition = site.function->definition();
  const Block &scope = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const Symbol x = name_of(first.what);
  const Symbol y = name_of(second.what);
  const Node *paired = x && y ? pairing(site, scope, x, y) : paired_in_class(site, first.what, second.what);
  const model::CallSite *caller =
      paired == nullptr && x && y && definition != nullptr ? paired_by_caller(site, *definition, x, y) : nullptr;
  if (paired == nullptr && caller == nullptr && !come_from_one(site, first.what, second.what)) {
    return;
  }
  Finding &finding = report(site, *second.place,
                            fmt::format("`{}` and `{}` are shuffled independently, so their elements no longer match",
                                        text_of(site, first.what), text_of(site, second.what)),
                            "draw one order, `order = np.random.permutation(len(x))`, and index both with it");
  add_note(finding, site, *first.place, "shuffled in a different order here");
  if (paired != nullptr) {
    add_note(finding, site, *paired, "used as pairs here");
  } else if (caller != nullptr) {
    finding.notes.push_back({caller->caller->module->file, caller->call->span(), "used as pairs after this call"});
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
function, or a caller that receives both, passes them to `zip`, `fit`, `TensorDataset`, `from_tensor_slices` or `train_test_split`, a class
indexes both with the same index, or they were built from parts of the same elements. `x = x[np.random.permutation(len(x))]` counts too.

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
                                              .nodes = {NodeKind::ExprStmt, NodeKind::Assign},
                                              .on_node = check};

} // namespace deepperf::rules::shuffled_apart
