#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::membership_in_list {

using namespace python;

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

// `[i for i in range(n) if i not in held_out]`, with a list that stays as it is.
void check_comprehension(Site &site, const Node &node) {
  const auto &comprehension = static_cast<const ComprehensionExpr &>(node);
  if (comprehension.generators.size() != 1 || site.module->is_test) {
    return;
  }
  const auto *range = as<Call>(comprehension.generators[0]->iter);
  const auto *loop = site.project.loop_at(&node);
  if (range == nullptr || called_api(site, *range) != "range" || loop == nullptr || loop->tiny ||
      loop->turns == model::Turns::Few) {
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
      report(site, *condition, fmt::format("`{}` is a list, and each `in` searches all of it", list->id.text()),
             "make it a `set` before the loop");
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
  const auto *list = as<Name>(compare.rest[0].right);
  if (list == nullptr) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr || !holds(loop->mutated, list->id) || holds(loop->assigned, list->id) ||
      !starts_as_list(site, *list)) {
    return;
  }
  bool is_long = false;
  bool reads_file = false;
  for (const model::Loop *one = loop; one != nullptr; one = one->parent) {
    is_long |= one->turns == model::Turns::Many;
    reads_file |= goes_over_lines(site, *one);
  }
  if (!is_long && !reads_file) {
    return;
  }
  Finding &finding =
      report(site, compare,
             fmt::format("`{}` is a list that grows in this loop, and each `in` searches all of it", list->id.text()),
             "keep a `set` next to the list, or use a `dict`, and test that instead");
  add_note(finding, site, *loop->node, "the list grows in this loop");
  // How long it becomes is known only for the words of texts.
  finding.tier = reads_file && !site.module->is_test ? finding.tier : Tier::Hint;
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
that the enclosing loop appends to: a finding where the loop goes over the lines of files, as when a vocabulary is built, else a hint.

## Why it costs

`in` searches a list from its beginning. For n elements the loop makes about n² / 2 comparisons; a set or dict needs one
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
    .nodes = {NodeKind::Compare, NodeKind::ListComp},
    .on_node = check};

} // namespace deepperf::rules::membership_in_list
