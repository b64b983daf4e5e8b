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

// `if x not in seen: seen.append(x)`, with a list that grows while it is searched.
void check(Site &site, const Node &node) {
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
  if (loop == nullptr || loop->turns != model::Turns::Many || !holds(loop->mutated, list->id) ||
      holds(loop->assigned, list->id) || !starts_as_list(site, *list)) {
    return;
  }
  Finding &finding =
      report(site, compare,
             fmt::format("`{}` is a list that grows in this loop, and each `in` searches all of it", list->id.text()),
             "keep a `set` next to the list, or use a `dict`, and test that instead");
  add_note(finding, site, *loop->node, "the list grows in this loop");
}

} // namespace

extern constinit const Rule kMembershipInList = {
    .info = {.code = "DP156",
             .name = "membership-in-list",
             .summary = "an `in` test on a list that grows in the same loop",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal CPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow, JAX",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`x in names` or `x not in names`, where `names` is a list that the enclosing loop appends to.

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
    .nodes = {NodeKind::Compare},
    .on_node = check};

} // namespace deepperf::rules::membership_in_list
