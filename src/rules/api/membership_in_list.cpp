#include "model/bind.h"
#include "rules/dataset_item.h"
#include "rules/origins.h"
#include "rules/site.h"
#include "rules/thin.h"
#include "rules/tree.h"
#include "rules/vector_functions.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::rules::membership_in_list {

using namespace python;
using vectors::is_array;

namespace {

bool holds(const std::vector<Symbol> &names, Symbol name) {
  return std::ranges::any_of(names, [name](Symbol one) { return one == name; });
}

bool starts_as_list(const Site &site, const Name &name) {
  const Expr *value = last_assigned(site, name);
  const auto *call = as<Call>(value);
  return value != nullptr && (value->kind == NodeKind::List || value->kind == NodeKind::ListComp ||
                              (call != nullptr && called_api(site, *call) == "list"));
}

// A list with as many elements as something random or a file has.
bool is_long_list(const Site &site, const Name &name) {
  const auto *call = as<Call>(last_assigned(site, name));
  if (call == nullptr) {
    return false;
  }
  const std::string_view api = called_api(site, *call);
  return api == "random.sample" || called_method(*call) == "tolist" || called_method(*call) == "readlines";
}

// A list with one element for each sample, row or line: the numbers of a tensor, or what a loop over data has
// collected.
bool holds_data(const Site &site, const Name &name) {
  bool holds_data = false;
  visit_origins(site, *site.function, &name, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    holds_data |= method == "tolist" || method == "readlines" ||
                  (origin.expr != nullptr && is_array(model::kind_of(origin.expr)));
    return origin.parameter_of != nullptr ? Onward::Through : Onward::Stop;
  });
  return holds_data;
}

// `[i for i in range(n) if i not in held_out]`, with a list that stays as it is.
void check_comprehension(Site &site, const Node &node) {
  const auto &comprehension = static_cast<const ComprehensionExpr &>(node);
  if (comprehension.generators.size() != 1 || site.module->is_test) {
    return;
  }
  const auto *range = as<Call>(comprehension.generators[0]->iter);
  const auto *loop = site.project.loop_at(&node);
  if (range == nullptr || called_api(site, *range) != "range" || loop == nullptr || loop->few_iterations ||
      loop->iterations == model::Iterations::Few) {
    return;
  }
  for (const Expr *condition : comprehension.generators[0]->ifs) {
    const auto *compare = as<Compare>(condition);
    if (compare == nullptr || compare->rest.size() != 1 ||
        (compare->rest[0].op != CompareOperator::In && compare->rest[0].op != CompareOperator::NotIn)) {
      continue;
    }
    const auto *list = as<Name>(compare->rest[0].right);
    if (list != nullptr && is_long_list(site, *list)) {
      report(site, *condition, fmt::format("`{}` is a list, so each `in` searches all of it", list->id.text()),
             "convert it to a `set` before the loop");
    }
  }
}

// The lines of a file: `for line in open(path)`, `for line in file`, `for line in file.readlines()`.
bool goes_over_lines(const Site &site, const model::Loop &loop) {
  const Expr *over = iterated_by(site, loop);
  const auto *call = as<Call>(over);
  return over != nullptr &&
         (model::kind_of(over) == Kind::File ||
          (call != nullptr && (called_api(site, *call) == "open" || called_method(*call) == "readlines")));
}

// What a class does with an attribute of its objects.
struct ListAttribute {
  bool is_list = false;    // it starts as a list, and is nothing else
  bool is_copied = false;  // list(…) or sorted(…) of something, as long as that is
  bool shrinks = false;    // by remove(), pop(), del or a selection of its own elements: how long it is stays open
  bool grows = false;      // by append() in a loop that is not short
  bool grows_much = false; // by append() in a loop inside another one
  const Call *append = nullptr;
};

struct ListAttributes {
  std::unordered_map<u32, ListAttribute> by_name;
  std::unordered_set<u32> others; // that are something else at times
};

bool reads_attribute(const Expr &expr, Symbol name) {
  return any_node(&expr, [name](const Node *node) {
    const auto *attribute = as<Attribute>(node);
    return attribute != nullptr && attribute->attr == name;
  });
}

void look_at_method(const Site &site, const model::FunctionInfo &function, ListAttributes &found) {
  any_node(function.definition()->body, [&](const Node *node) {
    if (const auto *assignment = as<Assign>(node)) {
      const auto *call = as<Call>(run_by(assignment->value));
      const bool is_list =
          assignment->value->kind == NodeKind::List || assignment->value->kind == NodeKind::ListComp ||
          (call != nullptr && (called_api(site, *call) == "list" || called_api(site, *call) == "sorted"));
      for (const Expr *target : assignment->targets) {
        if (const auto *attribute = as<Attribute>(target)) {
          ListAttribute &known = found.by_name[attribute->attr.id];
          known.is_list |= is_list;
          known.shrinks |=
              assignment->value->kind == NodeKind::ListComp && reads_attribute(*assignment->value, attribute->attr);
          known.is_copied |= is_list && call != nullptr && call->args.size() == 1;
          if (!is_list) {
            found.others.insert(attribute->attr.id);
          }
        }
      }
    }
    if (const auto *removal = as<Delete>(node)) {
      for (const Expr *target : removal->targets) {
        const auto *part = as<Subscript>(target);
        if (const auto *attribute = part != nullptr ? as<Attribute>(part->value) : nullptr) {
          found.by_name[attribute->attr.id].shrinks = true;
        }
      }
    }
    const auto *call = as<Call>(node);
    const auto *owner = call != nullptr ? as<Attribute>(receiver_of(*call)) : nullptr;
    const std::string_view method = owner != nullptr ? called_method(*call) : std::string_view{};
    if (method == "remove" || method == "pop" || method == "clear") {
      found.by_name[owner->attr.id].shrinks = true;
    }
    const auto *list = method == "append" ? owner : nullptr;
    if (list != nullptr) {
      ListAttribute &known = found.by_name[list->attr.id];
      known.append = call;
      u32 around = function.in_loop ? 1 : 0;
      for (const model::Loop *loop : function.loops) {
        const bool counts = contains(loop->node, call) && !loop->few_iterations;
        around += counts ? 1 : 0;
        known.grows |= counts && loop->iterations != model::Iterations::Few;
      }
      known.grows |= function.in_loop;
      known.grows_much |= known.grows && around >= 2;
    }
    return false;
  });
}

// Of the class around the place.
ListAttribute list_attribute(const Site &site, Symbol name) {
  const ListAttributes &all = site.memory.recall<ListAttributes>(site.type, [&site] {
    ListAttributes found;
    for (const Stmt *statement : site.type->node->body) {
      const model::FunctionInfo *const function =
          statement->kind == NodeKind::FunctionDef ? site.project.function_at(statement) : nullptr;
      if (function != nullptr && function->definition() != nullptr) {
        look_at_method(site, *function, found);
      }
    }
    return found;
  });
  const auto known = all.by_name.find(name.id);
  return known != all.by_name.end() && !all.others.contains(name.id) ? known->second : ListAttribute{};
}

// `for image in prompt["images"]` in a loop over prompts, `for weight in layer.weights`: the few parts of one thing.
bool goes_over_part(const model::Loop &loop) {
  const auto *inner = as<For>(loop.node);
  if (inner == nullptr || loop.parent == nullptr) {
    return false;
  }
  const auto *sum = as<BinOp>(inner->iter); // prompt["images"] + prompt["audios"]
  const Expr *const over = sum != nullptr ? sum->left : inner->iter;
  const auto *part = as<Subscript>(over);
  const auto *attribute = as<Attribute>(over);
  const bool is_part = attribute != nullptr || (part != nullptr && part->slice->kind == NodeKind::Constant);
  const auto *whole = is_part ? as<Name>(attribute != nullptr ? attribute->value : part->value) : nullptr;
  return whole != nullptr && holds(loop.parent->assigned, whole->id);
}

// `for name, weight in model.named_parameters()`: as many as a model has parts, and lists of their names are short.
bool goes_over_parts_of_model(const Site &site, const model::Loop &loop) {
  const auto *call = as<Call>(iterated_by(site, loop));
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  return method == "named_parameters" || method == "parameters" || method == "named_modules" || method == "modules" ||
         method == "named_children" || method == "children" || method == "named_buffers" || method == "buffers";
}

// A list that an object keeps: a vocabulary that is searched for every word.
void check_attribute(Site &site, const Attribute &list, const Node &place, const Node *words) {
  const model::Loop *const loop = loop_around(site);
  bool is_repeated = site.function->in_loop;
  for (const model::Loop *outer = loop; outer != nullptr; outer = outer->parent) {
    is_repeated |= !outer->few_iterations && outer->iterations != model::Iterations::Few;
  }
  if (site.type == nullptr || site.module->is_test || !is_repeated || words == nullptr ||
      words->kind == NodeKind::Constant || !model::is_own_object(*site.function, list.value)) {
    return;
  }
  const ListAttribute found = list_attribute(site, list.attr);
  if (found.is_list && found.is_copied && loop != nullptr && in_dataset_item(site)) {
    report(site, place,
           fmt::format("`{}` is a list, and it is searched for every element of every sample", text_of(site, &list)),
           "build a `dict` from each element to its index once, in `__init__`");
    return;
  }
  if (!found.is_list || !found.grows || found.shrinks) {
    return;
  }
  Finding &finding = report(site, place,
                            fmt::format("`{}` is a list that grows with the data, and every look-up searches all of it",
                                        text_of(site, &list)),
                            "keep a `dict` from each element to its index, or a `set`, next to the list");
  add_note(finding, site, *found.append, "it grows here");
  // How long it becomes is not known; what a handler of errors collects is the exception.
  const bool is_part = loop != nullptr && (goes_over_part(*loop) || goes_over_parts_of_model(site, *loop));
  if (!found.grows_much || is_part || enclosing(site, NodeKind::ExceptHandler) != nullptr) {
    finding.tier = Tier::Hint;
  }
}

// `labels.count(label)` in a loop over `labels`: all of the list is searched for each of its elements.
bool check_own_elements(Site &site, const Call &call) {
  const auto *list = as<Name>(receiver_of(call));
  const auto *element = call.args.size() == 1 ? as<Name>(call.args[0]) : nullptr;
  const model::Loop *const loop = loop_around(site);
  if (list == nullptr || element == nullptr || loop == nullptr || site.function == nullptr || loop->few_iterations ||
      loop->iterations == model::Iterations::Few || !holds(loop->assigned, element->id) ||
      holds(loop->mutated, list->id) || site.module->is_test) {
    return false;
  }
  const Expr *over = iterated_by(site, *loop);
  const auto *enumerated = as<Call>(over);
  if (enumerated != nullptr && called_api(site, *enumerated) == "enumerate" && !enumerated->args.empty()) {
    over = enumerated->args[0];
  }
  const auto *own = as<Name>(over);
  if (own == nullptr || own->id != list->id || !holds_data(site, *list)) { // others may be short
    return false;
  }
  const bool counts = called_method(call) == "count";
  Finding &finding = report(
      site, call, fmt::format("all of `{}` is searched for each of its own elements", list->id.text()),
      counts ? fmt::format("count all of them once, with `collections.Counter({})`, before the loop", list->id.text())
             : std::string("number the elements with `enumerate()`, or keep a `dict` from each element to its "
                           "index"));
  add_note(finding, site, *loop->node, "the loop goes over the same list");
  return true;
}

// The name of the object that `g.edges(data=True)`, `list(g.nodes())` or `[n for n in g.nodes()]` goes over.
const Name *object_gone_over(const Expr *expr) {
  if (const auto *all = as<ListComp>(expr)) {
    return object_gone_over(all->generators[0]->iter);
  }
  if (const auto *call = as<Call>(expr)) {
    const Expr *const receiver = receiver_of(*call);
    return receiver != nullptr ? model::root_name(receiver)
                               : object_gone_over(call->args.empty() ? nullptr : call->args[0]);
  }
  return expr != nullptr ? model::root_name(expr) : nullptr;
}

// The nodes and the edges of one graph: as many look-ups as there are edges, each through all nodes.
bool are_of_one_object(const Site &site, const model::Loop &loop, const Expr *list) {
  const Name *const over = object_gone_over(iterated_by(site, loop));
  const Name *const of = object_gone_over(list);
  return over != nullptr && of != nullptr && over->id == of->id;
}

// `ids = [node for node in graph.nodes()]`, and `ids.index(node)` for both ends of every edge.
void check_local_index(Site &site, const Call &call, const Name &list) {
  const model::Loop *const loop = long_loop_around(site);
  if (loop == nullptr || loop->iterations == model::Iterations::Few || holds(loop->mutated, list.id) ||
      holds(loop->assigned, list.id) || site.module->is_test) {
    return;
  }
  const Expr *const value = last_assigned(site, list);
  const auto *comprehension = as<ListComp>(value);
  const auto *copied = as<Call>(value);
  const bool is_all = comprehension != nullptr && comprehension->generators.size() == 1 &&
                      comprehension->generators[0]->ifs.empty() && site.project.loop_at(value) != nullptr &&
                      !site.project.loop_at(value)->few_iterations &&
                      site.project.loop_at(value)->iterations != model::Iterations::Few;
  const bool is_copy = copied != nullptr && copied->args.size() == 1 &&
                       (called_api(site, *copied) == "list" || called_api(site, *copied) == "sorted" ||
                        called_method(*copied) == "tolist");
  if ((!is_all && !is_copy) || contains(loop->node, value)) {
    return;
  }
  Finding &finding = report(
      site, call, fmt::format("`{}` is a list, and every iteration searches it from its start", list.id.text()),
      fmt::format("build a `dict` from each element to its index before the loop: `{{x: i for i, x in enumerate({})}}`",
                  list.id.text()));
  add_note(finding, site, *loop->node, "in every iteration of this loop");
  // A list of unknown length may be short.
  if (!context_of(site).per_sample && !are_of_one_object(site, *loop, value)) {
    finding.tier = Tier::Hint;
  }
}

// words.index(word), labels.count(label)
void check_index(Site &site, const Call &call) {
  if (check_own_elements(site, call) || called_method(call) != "index") {
    return;
  }
  if (const auto *name = as<Name>(receiver_of(call)); name != nullptr && call.args.size() == 1) {
    return check_local_index(site, call, *name);
  }
  const auto *list = as<Attribute>(receiver_of(call));
  if (list != nullptr && call.args.size() == 1) {
    check_attribute(site, *list, call, call.args[0]);
  }
}

// The words of one of many texts: `for word in text.split()` in a loop over texts.
bool goes_over_words(const Site &site, const model::Loop &loop) {
  const auto *call = as<Call>(iterated_by(site, loop));
  return call != nullptr && (called_method(*call) == "split" || called_method(*call) == "tokenize");
}

// `seen.append(x)`, `seen += [x]` in the loop: a list of which it only removes elements is none that grows.
bool grows_in(const model::Loop &loop, Symbol list) {
  return any_node(loop.node, [list](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *owner = call != nullptr ? as<Name>(receiver_of(*call)) : nullptr;
    const auto *sum = as<AugAssign>(node);
    const auto *target = sum != nullptr ? as<Name>(sum->target) : nullptr;
    if (target != nullptr && target->id == list) {
      return true;
    }
    const std::string_view method = owner != nullptr && owner->id == list ? called_method(*call) : std::string_view{};
    return method == "append" || method == "extend" || method == "insert";
  });
}

// `if x not in seen: seen.append(x)`, with a list that grows while it is searched.
void check(Site &site, const Node &node) {
  if (node.kind != NodeKind::Compare) {
    check_comprehension(site, node);
    return;
  }
  const auto &compare = static_cast<const Compare &>(node);
  if (compare.rest.size() != 1 ||
      (compare.rest[0].op != CompareOperator::In && compare.rest[0].op != CompareOperator::NotIn)) {
    return;
  }
  if (const auto *attribute = as<Attribute>(compare.rest[0].right)) {
    check_attribute(site, *attribute, compare, compare.left);
    return;
  }
  const auto *list = as<Name>(compare.rest[0].right);
  if (list == nullptr) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr || !holds(loop->mutated, list->id) || holds(loop->assigned, list->id) ||
      !starts_as_list(site, *list) || !grows_in(*loop, list->id)) {
    return;
  }
  bool is_long = false;
  bool reads_file = false;
  bool is_of_data = context_of(site).per_sample;
  for (const model::Loop *one = loop; one != nullptr; one = one->parent) {
    is_long |= one->iterations == model::Iterations::Many || (one->parent != nullptr && !one->parent->few_iterations);
    reads_file |= goes_over_lines(site, *one);
    is_long |= one->iterations == model::Iterations::Many;
    is_of_data |= one->iterations == model::Iterations::Many || goes_over_data(site, *one);
    reads_file |= goes_over_lines(site, *one) || (one->parent != nullptr && goes_over_words(site, *one));
  }
  if (!is_long && !reads_file) {
    return;
  }
  Finding &finding =
      report(site, compare,
             fmt::format("`{}` is a list that grows in this loop, so each `in` searches all of it", list->id.text()),
             "keep a `set` next to the list, or use a `dict`, and test that instead");
  add_note(finding, site, *loop->node, "the list grows in this loop");
  // How long it becomes is not known, unless another loop over data goes on with it: nodes of a graph, names of
  // arguments and files of a folder are few.
  const bool is_nested = loop->parent != nullptr && !loop->parent->few_iterations &&
                         loop->parent->iterations != model::Iterations::Few &&
                         !holds(loop->parent->assigned, list->id) && !goes_over_part(*loop);
  if (!reads_file && !(is_nested && is_of_data && context_of(site).per_sample) && !goes_over_data(site, *loop)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kMembershipInList = {
    .info = {.code = "DP156",
             .name = "membership-in-list",
             .summary = "an `in` test on a long list, in every iteration of a loop",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal CPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow, JAX",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`[i for i in range(n) if i not in held_out]`, where `held_out` is a list of random indices, of the numbers of an array or of
the lines of a file. Also `x in names` or `x not in names`, where `names` is a list
that the enclosing loop appends to: a finding where the loop goes over data, the lines of files or the words of texts, as when a vocabulary is built, else a hint.
Also `labels.count(label)` and `labels.index(label)` in a loop over `labels` itself, where the list holds the numbers of a tensor or the lines of a file.

## Why it costs

`in` searches a list from its beginning. For n elements the loop needs about n² / 2 comparisons; a set or dict needs one
lookup per test.

## Bad

```python
import torch


def vocabulary(tokens, count):
    words = []
    for i in range(count):
        if tokens[i] not in words:
            words.append(tokens[i])
    return words
```

## Good

```python
import torch


def vocabulary(tokens, count):
    words = {}
    for i in range(count):
        words[tokens[i]] = None
    return list(words)
```

## When it is wrong

For lists that stay short, and for elements that cannot be hashed.

## References

- Python wiki: time complexity
)"},
    .calls = "*.index *.count",
    .on_call = check_index,
    .nodes = {NodeKind::Compare, NodeKind::ListComp},
    .on_node = check};

} // namespace deepperf::rules::membership_in_list
