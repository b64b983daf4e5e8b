#include "rules/dataset_item.h"
#include "rules/sample_cost.h"

namespace deepperf::rules::table_row_per_item {

using namespace python;

namespace {

// `self.table.iloc[index]`
void check(Site &site, const Node &node) {
  const auto &subscript = static_cast<const Subscript &>(node);
  const auto *access = as<Attribute>(subscript.value);
  if (access == nullptr || subscript.context != Context::Load || !in_dataset_item(site)) {
    return;
  }
  const std::string_view name = access->attr.text();
  const bool is_row = name == "iloc" || name == "loc" || name == "iat" || name == "at";
  const auto *parts = as<Tuple>(subscript.slice);
  const Expr *const rows = parts != nullptr && !parts->elts.empty() ? parts->elts[0] : subscript.slice;
  if (!is_row || !site.module->torch || rows->kind == NodeKind::Compare || // which searches the table
      is_same_for_all_items(site, *subscript.slice)) {
    return;
  }
  Finding &finding = report(site, subscript, "every item builds pandas objects to read one row of a table",
                            "convert the columns once in `__init__` (`table[\"x\"].to_numpy()`), and index the arrays");
  // Next to reading, decoding or tokenizing, a tenth of a millisecond does not matter. An index that is computed may be
  // what selects many rows.
  if (preparation_by(site, *site.function).cost == SampleCost::Much || rows->kind != NodeKind::Name) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kTableRowPerItem = {
    .info = {.code = "DP415",
             .name = "table-row-per-item",
             .summary = "a dataset that reads its items from a pandas table row by row",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Slow Execution Time, Abnormal CPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`.iloc[…]`, `.loc[…]` and the like of a pandas table in the `__getitem__` of a dataset. It is a hint where the item also
reads, decodes or tokenizes something, which takes far longer, and where the index is not a plain name.

## Why it costs

Each access builds a `Series` and determines its dtype, which takes much longer than indexing an array. Where samples
are small, as in tables and texts, that can dominate the time of an epoch.

## Bad

```python
import torch
from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __getitem__(self, index):
        row = self.table.iloc[index]
        return torch.tensor(row["x"]), row["y"]
```

## Good

```python
import torch
from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, table):
        self.x = torch.tensor(table["x"].to_numpy())
        self.y = table["y"].tolist()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, index):
        return self.x[index], self.y[index]
```

## When it is wrong

Where each item then reads and decodes an image, the row access does not matter.

## References

- pandas user guide: enhancing performance
)"},
    .nodes = {NodeKind::Subscript},
    .on_node = check};

} // namespace deepperf::rules::table_row_per_item
