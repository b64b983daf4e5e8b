#include "rules/dataset_item.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::frame_filtered_per_item {

using namespace python;

namespace {

// `frame` of `frame["id"]` and `frame.id`.
const Expr *column_owner(const Expr *column) {
  if (const auto *subscript = as<Subscript>(column)) {
    return subscript->value;
  }
  const auto *attribute = as<Attribute>(column);
  return attribute != nullptr ? attribute->value : nullptr;
}

// `frame[frame["id"] == key]` and `frame.loc[frame.id == key]`.
void check(Site &site, const Node &node) {
  const auto &filter = static_cast<const Subscript &>(node);
  const Expr *frame = filter.value;
  if (const auto *loc = as<Attribute>(frame); loc != nullptr && loc->attr.text() == "loc") {
    frame = loc->value;
  }
  const Expr *mask = filter.slice;
  if (const auto *pair = as<Tuple>(mask); pair != nullptr && !pair->elts.empty()) {
    mask = pair->elts[0]; // .loc[mask, column]
  }
  const auto *compare = as<Compare>(mask);
  const auto *owner = as<Attribute>(frame); // self.frame: kept by the dataset
  if (compare == nullptr || owner == nullptr || owner->value->kind != NodeKind::Name || compare->rest.size() != 1 ||
      compare->rest[0].op != CompareOperator::Eq || !in_dataset_item(site)) {
    return;
  }
  const Expr *column = column_owner(compare->left);
  if (column == nullptr || text_of(site, column) != text_of(site, frame)) {
    return;
  }
  report(
      site, filter, fmt::format("every sample scans all rows of `{}` to find its own", text_of(site, frame)),
      fmt::format("group the rows once in `__init__` with `dict(list({}.groupby(…)))`, or set an index and use `.loc`",
                  text_of(site, frame)));
}

} // namespace

extern constinit const Rule kFrameFilteredPerItem = {
    .info = {.code = "DP118",
             .name = "frame-filtered-per-item",
             .summary = "a table that is scanned from start to end for each sample",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, pandas",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`self.frame[self.frame["id"] == key]`, with or without `.loc`, in the `__getitem__` of a dataset.

## Why it costs

For each sample, the comparison visits all rows and allocates a mask as long as the table. An epoch takes time
proportional to the number of samples times the number of rows.

## Bad

```python
import pandas as pd
import torch


class Stays(torch.utils.data.Dataset):
    def __init__(self, path):
        self.rows = pd.read_csv(path)
        self.ids = self.rows["id"].unique()

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        rows = self.rows[self.rows["id"] == self.ids[i]]
        return torch.from_numpy(rows["x"].to_numpy())
```

## Good

```python
import pandas as pd
import torch


class Stays(torch.utils.data.Dataset):
    def __init__(self, path):
        rows = pd.read_csv(path)
        self.groups = [torch.from_numpy(group["x"].to_numpy()) for _, group in rows.groupby("id")]

    def __len__(self):
        return len(self.groups)

    def __getitem__(self, i):
        return self.groups[i]
```

## When it is wrong

For a table of a few hundred rows the scan is cheap.

## References

- pandas user guide, "Group by: split-apply-combine"
)"},
    .nodes = {NodeKind::Subscript},
    .on_node = check};

} // namespace deepperf::rules::frame_filtered_per_item
