#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::iterrows_in_data_path {

using namespace python;

namespace {

// A few rows of a table: `frame.head()`, `frame[:5]`, `frame.sample(3)`, counts per group.
bool is_short(const Site &site, const Expr *frame, u32 steps = 0) {
  constexpr u32 kMostSteps = 4;
  if (frame == nullptr || steps > kMostSteps) {
    return false;
  }
  if (const auto *name = as<Name>(frame)) {
    return is_short(site, last_assigned(site, *name), steps + 1);
  }
  if (const auto *subscript = as<Subscript>(frame)) {
    const auto *slice = as<Slice>(subscript->slice);
    constexpr i64 kFew = 100;
    return slice != nullptr && slice->upper != nullptr && integer_of(site, slice->upper).value_or(kFew + 1) <= kFew;
  }
  const auto *call = as<Call>(frame);
  if (call == nullptr) {
    return false;
  }
  const std::string_view method = called_method(*call);
  return method == "head" || method == "tail" || method == "nlargest" || method == "nsmallest" ||
         method == "describe" || method == "value_counts" || method == "agg" ||
         (method == "sample" && argument(*call, 0, "n") != nullptr) ||
         ((method == "reset_index" || method == "sort_values" || method == "iterrows") &&
          is_short(site, receiver_of(*call), steps + 1));
}

// `features.append([row["a"], row["b"]])` and nothing else, with lists that become tensors or arrays.
bool only_collects(const Site &site) {
  const auto *loop = as<For>(site.ancestors.empty() ? nullptr : site.ancestors.back());
  const auto *targets = loop != nullptr ? as<Tuple>(loop->target) : nullptr;
  const auto *row = targets != nullptr && targets->elts.size() == 2 ? as<Name>(targets->elts[1]) : nullptr;
  if (row == nullptr) {
    return false;
  }
  const auto is_cell = [&](const Expr *expr) {
    const auto *cell = as<Subscript>(expr);
    const auto *base = cell != nullptr ? as<Name>(cell->value) : nullptr;
    return base != nullptr && base->id == row->id && cell->slice->kind == NodeKind::Constant;
  };
  std::vector<Symbol> lists;
  for (const Stmt *statement : loop->body) {
    if (statement->kind == NodeKind::Pass) {
      continue;
    }
    const auto *expression = as<ExprStmt>(statement);
    const auto *append = expression != nullptr ? as<Call>(expression->value) : nullptr;
    const auto *list = append != nullptr ? as<Name>(receiver_of(*append)) : nullptr;
    if (list == nullptr || called_method(*append) != "append" || append->args.size() != 1) {
      return false;
    }
    const auto *cells = as<List>(append->args[0]);
    if (cells != nullptr ? !std::ranges::all_of(cells->elts, is_cell) : !is_cell(append->args[0])) {
      return false;
    }
    lists.push_back(list->id);
  }
  const auto collects = [&](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *first = call != nullptr && !call->args.empty() ? as<Name>(call->args[0]) : nullptr;
    if (first == nullptr || std::ranges::find(lists, first->id) == lists.end()) {
      return false;
    }
    const std::string_view api = called_api(site, *call);
    return api == "torch.tensor" || api == "torch.FloatTensor" || api == "numpy.array" || api == "torch.as_tensor" ||
           api == "tensorflow.constant";
  };
  const Node *code = site.function != nullptr ? site.function->node : nullptr;
  return code != nullptr ? any_node_inside(code, collects) : any_node(site.module->parsed->tree.body, collects);
}

void check(Site &site, const Call &call) {
  if (is_short(site, receiver_of(call))) {
    return;
  }
  const bool is_apply = called_method(call) == "apply";
  if (is_apply) {
    const Keyword *axis = keyword_argument(call, "axis");
    if (axis == nullptr || integer_of(site, axis->value).value_or(0) != 1 || call.args.empty() ||
        model::kind_of(receiver_of(call)) != Kind::PandasFrame) {
      return;
    }
  } else if (!call.args.empty() || !call.keywords.empty()) {
    return; // of something else
  }
  Finding &finding = report(
      site, call,
      is_apply ? "`apply(axis=1)` calls a Python function for each row and builds a `Series` for each call"
               : "`iterrows()` builds a `Series` for each row",
      is_apply ? "operate on whole columns"
               : "operate on whole columns (`to_numpy()`), or loop over `zip()` of the columns or `itertuples()`");
  const bool is_dataset = site.type != nullptr && site.type->kind == Kind::TorchDataset && !site.module->is_test &&
                          site.function != nullptr && site.function->name.text() == "__init__";
  if (is_apply || (!only_collects(site) && !is_dataset)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kIterrowsInDataPath = {
    .info = {.code = "DP144",
             .name = "iterrows-in-data-path",
             .summary = "`iterrows()` or `apply(axis=1)` between a table and tensors",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Slow Initialization Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`DataFrame.iterrows()`, and `DataFrame.apply(…, axis=1)`, in a module that uses a deep-learning framework.

## Why it costs

For each row, pandas builds a `Series`: it finds a dtype for all columns, converts the values and builds an index.
Operations on whole columns do this once.

## Bad

```python
import pandas as pd
import torch

table = pd.read_csv("ratings.csv")
pairs = torch.tensor([[row.user, row.item] for _, row in table.iterrows()])
```

## Good

```python
import pandas as pd
import torch

table = pd.read_csv("ratings.csv")
pairs = torch.from_numpy(table[["user", "item"]].to_numpy())
```

## When it is wrong

For a table of a few hundred rows that is read once it does not matter. Work that cannot be expressed with columns, such
as reading a file for each row, hides the cost.

## References

- pandas: enhancing performance; `DataFrame.iterrows`
- dslinter: unnecessary iteration
)"},
    .calls = "*.iterrows PandasFrame.apply",
    .on_call = check};

} // namespace deepperf::rules::iterrows_in_data_path
