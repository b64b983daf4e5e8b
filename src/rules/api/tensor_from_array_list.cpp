#include "model/lattice.h"
#include "python/children.h"
#include "rules/optimizer_module.h"
#include "rules/per_step.h"
#include "rules/processes.h"
#include "rules/reach.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

namespace deepperf::rules::tensor_from_array_list {

using namespace python;
using model::Value;

namespace {

// Calls that give an array, and never just a number.
bool makes_array(std::string_view name) {
  static constexpr std::array<std::string_view, 38> kNames = {"numpy.array",
                                                              "numpy.asarray",
                                                              "numpy.ascontiguousarray",
                                                              "numpy.zeros",
                                                              "numpy.ones",
                                                              "numpy.full",
                                                              "numpy.empty",
                                                              "numpy.zeros_like",
                                                              "numpy.ones_like",
                                                              "numpy.full_like",
                                                              "numpy.empty_like",
                                                              "numpy.arange",
                                                              "numpy.linspace",
                                                              "numpy.load",
                                                              "numpy.loadtxt",
                                                              "numpy.frombuffer",
                                                              "numpy.fromstring",
                                                              "numpy.stack",
                                                              "numpy.concatenate",
                                                              "numpy.vstack",
                                                              "numpy.hstack",
                                                              "numpy.expand_dims",
                                                              "numpy.transpose",
                                                              "numpy.reshape",
                                                              "numpy.pad",
                                                              "numpy.tile",
                                                              "numpy.eye",
                                                              "numpy.identity",
                                                              "numpy.flip",
                                                              "numpy.fliplr",
                                                              "numpy.moveaxis",
                                                              "cv2.imread",
                                                              "cv2.resize",
                                                              "cv2.cvtColor",
                                                              "reshape",
                                                              "flatten",
                                                              "transpose",
                                                              "numpy"};
  return std::ranges::find(kNames, name) != kNames.end();
}

bool is_array(const Site &site, const Expr *expr) {
  if (model::kind_of(expr) != Kind::NumpyArray) {
    return false;
  }
  if (const auto *call = as<Call>(expr)) {
    const Value callee = site.project.callee_of(call);
    return (callee.is(Value::Tag::Api) || callee.is(Value::Tag::ApiMethod)) && makes_array(callee.name().text());
  }
  const Value value = value_of(site, expr);
  return value.is_kind(Kind::NumpyArray) && value.name() && makes_array(value.name().text());
}

bool is_tensor(const Site &, const Expr *expr) { return model::kind_of(expr) == Kind::TorchTensor; }

// What the lists of a function are filled with.
struct Filling {
  u32 arrays = 0;
  u32 tensors = 0;
  u32 all = 0;
};

struct Fillings {
  std::unordered_map<u32, Filling> of; // by the name
};

struct FillingFinder {
  const Site &site;
  std::unordered_map<u32, Filling> &found;

  void note(Symbol name, const Expr *element) const {
    Filling &filling = found[name.id];
    ++filling.all;
    if (element != nullptr) {
      filling.arrays += is_array(site, element) ? 1 : 0;
      filling.tensors += is_tensor(site, element) ? 1 : 0;
    }
  }

  void look(const Node *node) {
    if (const auto *assignment = as<Assign>(node)) {
      for (const Expr *target : assignment->targets) {
        const auto *list = as<List>(assignment->value);
        if (const auto *plain = as<Name>(target); plain != nullptr && (list == nullptr || !list->elts.empty())) {
          const auto *comprehension = as<ListComp>(assignment->value);
          note(plain->id, comprehension != nullptr ? comprehension->elt : nullptr);
        }
      }
    } else if (const auto *call = as<Call>(node)) {
      const auto *owner = as<Name>(receiver_of(*call));
      if (owner != nullptr) {
        const std::string_view method = called_method(*call);
        if (method == "append" && call->args.size() == 1) {
          note(owner->id, call->args[0]);
        } else if (method == "extend" || method == "insert") {
          note(owner->id, nullptr);
        }
      }
    }
    for_each_child(node, [this](const Node *child) { look(child); });
  }
};

// Of the function around the place, with functions inside; of a module's own code, the whole file. What a caller gives
// is not known, even if the function binds the same name later.
Filling filling_of(const Site &site, const Name &of_name) {
  const Symbol name = of_name.id;
  const Node *const node = site.function->node;
  if (site.function->has_param(name) && last_assigned(site, of_name) == nullptr) {
    return {};
  }
  const Fillings &fillings =
      site.memory.recall<Fillings>(node != nullptr ? static_cast<const void *>(node) : site.module, [&] {
        Fillings found;
        FillingFinder finder{site, found.of};
        if (node != nullptr) {
          finder.look(node);
        } else {
          for (const Stmt *statement : site.module->parsed->tree.body) {
            finder.look(statement);
          }
        }
        return found;
      });
  const auto known = fillings.of.find(name.id);
  return known != fillings.of.end() ? known->second : Filling{};
}

// A list that never holds anything but arrays, as far as everybody says who fills it.
bool holds_arrays(const Value &list, bool may_be_annotated) {
  if (!list.is(Value::Tag::Tuple) || !list.uniform || list.number != 1 || list.open) {
    return false;
  }
  const Value &element = list.items[0];
  bool has_other = element.none;
  bool is_array = !element.open && element.known();
  bool is_annotated = false; // without a name it is what an annotation says
  model::for_each_alternative(element, [&](const Value &one) {
    has_other |= !one.is_kind(Kind::NumpyArray);
    is_array &= !one.many && one.name() && makes_array(one.name().text());
    is_annotated |= may_be_annotated && !one.many && !one.name();
  });
  return !has_other && (is_array || is_annotated);
}

bool is_list_of_arrays(const Site &site, const Expr *expr) {
  if (const auto *comprehension = as<ListComp>(expr)) {
    return is_array(site, comprehension->elt);
  }
  if (const auto *list = as<List>(expr)) {
    return !list->elts.empty() &&
           std::ranges::all_of(list->elts, [&](const Expr *item) { return is_array(site, item); });
  }
  const auto *name = as<Name>(expr);
  // What this function fills the list with tells more than an annotation: `[np.argmax(row) + 2 for row in rows]` are
  // numbers.
  const bool is_filled_here = name != nullptr && site.function != nullptr && filling_of(site, *name).all > 0;
  if (holds_arrays(value_of(site, expr), !is_filled_here)) {
    return true;
  }
  if (name == nullptr || model::kind_of(expr) != Kind::Unknown || site.function == nullptr ||
      site.function->node == nullptr || site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot) {
    return false;
  }
  const Value known = value_of(site, name); // xs, ys = zip(*batch)
  if (model::is_uniform(known) && !known.open && known.number == 1 && known.items[0].is_kind(Kind::NumpyArray) &&
      known.items[0].alternatives == nullptr) {
    return known.items[0].name() && makes_array(known.items[0].name().text());
  }
  const Filling filling = filling_of(site, *name);
  return filling.arrays > 0 && filling.arrays == filling.all;
}

// A list that only ever got tensors.
bool is_list_of_tensors(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  if (name == nullptr || model::kind_of(expr) != Kind::Unknown || site.function == nullptr ||
      site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot) {
    return false;
  }
  const Filling filling = filling_of(site, *name);
  return filling.tensors > 0 && filling.tensors == filling.all;
}

// `states, actions, rewards = zip(*samples)`: of what an environment gave, the first are what it showed, which are
// arrays unless it is a toy.
bool is_tuple_of_observations(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  if (name == nullptr || site.function == nullptr || site.function->definition() == nullptr ||
      !file_has_word(site, {"import gym", "from gym"})) {
    return false;
  }
  return any_node(site.function->definition()->body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *targets =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Tuple>(assignment->targets[0]) : nullptr;
    const auto *zipped = targets != nullptr ? as<Call>(run_by(assignment->value)) : nullptr;
    const auto *first = targets != nullptr && targets->elts.size() >= 4 ? as<Name>(targets->elts[0]) : nullptr;
    return zipped != nullptr && first != nullptr && first->id == name->id && called_api(site, *zipped) == "zip" &&
           zipped->args.size() == 1 && zipped->args[0]->kind == NodeKind::Starred;
  });
}

bool is_named_tuple(const Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  return called_name(call) == "namedtuple" ||
         (callee.is(Value::Tag::Api) && callee.name().text() == "collections.namedtuple");
}

// The fields of a named tuple, `namedtuple("Step", "state action")` or a class with annotations, by what makes one.
std::vector<std::string> fields_of_tuple(const Site &site, const Expr *maker) {
  std::vector<std::string> fields;
  const Value made = value_of(site, maker);
  if (made.is(Value::Tag::Class)) {
    for (const Stmt *statement : made.type->node->body) {
      const auto *field = as<AnnAssign>(statement);
      const auto *name = field != nullptr ? as<Name>(field->target) : nullptr;
      if (name != nullptr) {
        fields.emplace_back(name->id.text());
      }
    }
    return fields;
  }
  for (const model::Argument::Given &given : model::written_as(scope_of(site), maker)) {
    const auto *call = as<Call>(given.expr);
    const Expr *const listed =
        call != nullptr && is_named_tuple(site, *call) ? argument(*call, 1, "field_names") : nullptr;
    const auto *list = as<List>(listed);
    const auto *tuple = as<Tuple>(listed);
    for (const Expr *one : list != nullptr ? list->elts : tuple != nullptr ? tuple->elts : Array<Expr *>{}) {
      const auto text = model::constant_of(given.scope, one);
      fields.push_back(text.has_value() ? text->text : std::string());
    }
    const auto text = listed != nullptr ? model::constant_of(given.scope, listed) : std::nullopt;
    std::string word;
    for (const char letter : text.has_value() ? text->text + " " : std::string()) {
      if (letter != ' ' && letter != ',') {
        word += letter;
      } else if (!word.empty()) {
        fields.push_back(std::exchange(word, {}));
      }
    }
  }
  return fields;
}

// `batch.state` of `batch = Step(*zip(*samples))`, where a step has four fields or more: what was seen, and what was
// seen next.
bool is_field_of_observations(const Site &site, const Expr *expr) {
  const auto *field = as<Attribute>(expr);
  const auto *batch = field != nullptr ? as<Name>(field->value) : nullptr;
  const auto *made = batch != nullptr ? as<Call>(last_assigned(site, *batch)) : nullptr;
  const auto *all = made != nullptr && made->args.size() == 1 ? as<Starred>(made->args[0]) : nullptr;
  const auto *zipped = all != nullptr ? as<Call>(all->value) : nullptr;
  if (zipped == nullptr || called_api(site, *zipped) != "zip" || zipped->args.size() != 1 ||
      zipped->args[0]->kind != NodeKind::Starred || !project_has_word(site, {"import gym", "from gym"})) {
    return false;
  }
  const std::vector<std::string> fields = fields_of_tuple(site, made->func);
  const std::string_view name = field->attr.text();
  return fields.size() >= 4 && (name == fields[0] || name == "next_" + fields[0]);
}

// The same, also where it is passed to the function around the place.
bool are_observations(const Site &site, const Expr *expr) {
  if (is_tuple_of_observations(site, expr) || is_field_of_observations(site, expr)) {
    return true;
  }
  const auto *name = as<Name>(expr);
  if (name == nullptr || site.function == nullptr || last_assigned(site, *name) != nullptr) {
    return false;
  }
  return std::ranges::any_of(passed_for(*site.function, name->id), [&](const Passed &passed) {
    return passed.value != nullptr && is_field_of_observations(site_at(site, *passed.site), passed.value);
  });
}

// `arrays` of `list(arrays)`: the same elements.
const Expr *without_list(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const auto *call = as<Call>(name != nullptr ? last_assigned(site, *name) : expr);
  const bool is_copy = call != nullptr && call->args.size() == 1 && call->keywords.empty() &&
                       (called_api(site, *call) == "list" || called_api(site, *call) == "tuple");
  return is_copy && call->args[0]->kind != NodeKind::Starred ? call->args[0] : expr;
}

void check(Site &site, const Call &call) {
  if (call.args.size() != 1 || call.args[0]->kind == NodeKind::Starred) {
    return;
  }
  const Expr *const elements = without_list(site, call.args[0]);
  if (are_observations(site, elements)) {
    Finding &finding =
        report(site, call, "a tuple of observations is converted element by element if they are arrays",
               "join them first with `np.array(…)` or `np.stack(…)`, and create the tensor from the result");
    finding.severity = Severity::Advice;
    return;
  }
  if (is_list_of_tensors(site, elements)) {
    Finding &finding = report(site, call, "a list of tensors is converted one number at a time",
                              "join them with `torch.stack(…)` or `torch.cat(…)`");
    finding.severity = Severity::Advice;
    // A few numbers, once: as when a layer works out the size of what it gets.
    finding.tier = runs_repeatedly(site) ? finding.tier : Tier::Hint;
    return;
  }
  if (!is_list_of_arrays(site, elements)) {
    return;
  }
  Finding &finding =
      report(site, call, "a list of arrays is converted element by element, through Python numbers",
             "join the arrays first with `np.array(…)` or `np.stack(…)`, and create the tensor from the result");
  const std::string array = spelling_of(site, "numpy.array");
  if (!array.empty()) {
    set_fix(finding, false, {insert_before(*call.args[0], array + "("), insert_after(*call.args[0], ")")});
  }
}

} // namespace

extern constinit const Rule kTensorFromArrayList = {
    .info = {.code = "DP137",
             .name = "tensor-from-array-list",
             .summary = "a tensor created from a list of NumPy arrays or of tensors",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`torch.tensor`, `torch.as_tensor`, `torch.Tensor`, `torch.FloatTensor` and its siblings, called with a list of NumPy
arrays, or with a list of tensors, which is advice. Observations that `zip(*samples)` collects in a program that uses gym,
as names or as fields of a named tuple, are advice. A list of tensors that is converted once is a hint.

## Why it costs

PyTorch converts a list element by element: each number becomes a Python object, is inspected and is stored. An array is
copied as a whole. PyTorch itself warns that this is extremely slow.

## Bad

```python
import numpy as np
import torch

frames = torch.tensor([np.load(f"{i}.npy") for i in range(100)])
```

## Good

```python
import numpy as np
import torch

frames = torch.tensor(np.stack([np.load(f"{i}.npy") for i in range(100)]))
```

## When it is wrong

For a few small arrays the difference is negligible. `np.array` gives an empty list another dtype, and joins arrays of
different dtypes by NumPy's rules; the fix therefore needs `--unsafe-fixes`.

## References

- The warning of `torch.tensor` about lists of `numpy.ndarray`
)"},
    .calls = "torch.tensor torch.as_tensor torch.Tensor torch.FloatTensor torch.DoubleTensor torch.HalfTensor "
             "torch.LongTensor "
             "torch.IntTensor torch.ByteTensor torch.BoolTensor torch.cuda.FloatTensor torch.cuda.LongTensor",
    .on_call = check};

} // namespace deepperf::rules::tensor_from_array_list
