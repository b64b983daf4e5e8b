#include "rules/dataset_item.h"
#include "rules/optimizer_module.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::file_opened_per_item {

using namespace python;

namespace {

// Is it under `if self.file is None:`, so that it happens once per worker?
bool is_guarded(const Site &site) {
  return enclosing(site, NodeKind::If) != nullptr || enclosing(site, NodeKind::BoolOp) != nullptr;
}

// `with open(path) as file:` that reads all of the file, and not from a place that belongs to the item.
bool reads_all(const Site &site, const Call &call) {
  const auto *with = as<With>(site.ancestors.empty() ? nullptr : site.ancestors.back());
  const auto *name = with != nullptr && with->items.size() == 1 && with->items[0].context_expr == &call
                         ? as<Name>(with->items[0].optional_vars)
                         : nullptr;
  if (name == nullptr) {
    return false;
  }
  bool reads = false;
  const auto is_whole_file = [&](const Expr *iterated) { // for line in file, enumerate(file), csv.reader(file)
    for (const auto *wrapped = as<Call>(iterated); wrapped != nullptr && !wrapped->args.empty();
         wrapped = as<Call>(iterated)) {
      iterated = wrapped->args[0];
    }
    const auto *file = as<Name>(iterated);
    return file != nullptr && file->id == name->id;
  };
  const bool seeks = any_node(with->body, [&](const Node *node) {
    const auto *lines = as<For>(node);
    const bool is_comprehension =
        node->kind == NodeKind::DictComp || node->kind == NodeKind::ListComp || node->kind == NodeKind::SetComp;
    const auto *made = is_comprehension ? static_cast<const ComprehensionExpr *>(node) : nullptr;
    reads = reads || (lines != nullptr && is_whole_file(lines->iter)) ||
            (made != nullptr && is_whole_file(made->generators[0]->iter));
    const auto *use = as<Call>(node);
    if (use == nullptr) {
      return false;
    }
    const auto *receiver = as<Name>(receiver_of(*use));
    const std::string_view method = called_method(*use);
    const bool is_file = receiver != nullptr && receiver->id == name->id;
    const bool is_loaded = !use->args.empty() && use->args[0]->kind == NodeKind::Name &&
                           static_cast<const Name *>(use->args[0])->id == name->id;
    reads = reads || (is_file && use->args.empty() && (method == "readlines" || method == "read")) ||
            (is_loaded && (method == "load" || called_name(*use) == "list"));
    return is_file && method == "seek";
  });
  return reads && !seeks;
}

// `(self.root / "captions.json").read_text()`
void check_path(Site &site, const Call &call) {
  const Expr *const path = receiver_of(call);
  if (path == nullptr || !call.args.empty() || !runs_per_item(site) || is_guarded(site) ||
      !is_same_for_all_items(site, *path)) {
    return;
  }
  report(site, call, fmt::format("`{}` reads the same file again for every item", text_of(site, call.func)),
         "read it once in `__init__` and keep the result in `self`");
}

// `json.load(open(path))`: the file is read as a whole.
bool is_loaded_at_once(const Site &site, const Call &call) {
  const auto *outer = !site.ancestors.empty() ? as<Call>(site.ancestors.back()) : nullptr;
  const auto *method = !site.ancestors.empty() ? as<Attribute>(site.ancestors.back()) : nullptr; // open(path).read()
  return (outer != nullptr && outer->func != &call && called_name(*outer) == "load") ||
         (method != nullptr && (method->attr.text() == "read" || method->attr.text() == "readlines"));
}

// Does it only open the file, to read a part of it? For a whole batch of a Keras Sequence that costs little.
bool opens_lazily(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  return api == "h5py.File" || api == "numpy.memmap" || api == "zipfile.ZipFile" || api == "tarfile.open" ||
         api == "lmdb.open" || api == "sqlite3.connect" || api == "zarr.open" || api == "netCDF4.Dataset" ||
         api == "tables.open_file" || (api == "numpy.load" && keyword_argument(call, "mmap_mode") != nullptr);
}

// A function that opens a file, and that the __getitem__ of a dataset calls with the same arguments for every item;
// others may call it as well.
void check_helper(Site &site, const Call &call) {
  if (site.function == nullptr || site.function->definition() == nullptr || loop_around(site) != nullptr ||
      is_guarded(site) || site.module->is_test) {
    return;
  }
  for (const model::CallSite *caller : site.function->called_by) {
    const Site there = site_of_node(site_of(site, *caller->call), *caller->call);
    if (caller->behind_guard || caller->conditional || !in_dataset_item(there) || is_guarded(there) ||
        there.module->is_test || !is_call_same_for_all_items(there, *caller->call)) {
      continue;
    }
    Finding &finding =
        report(site.findings, *site.rule, *there.module, caller->call->span(),
               fmt::format("`{}` reads the same file again for every item", text_of(there, caller->call->func)),
               "read it once in `__init__` and keep the result in `self`");
    finding.notes.push_back({site.module->file, call.span(), "the file is opened here"});
    return;
  }
}

void check(Site &site, const Call &call) {
  if (const std::string_view method = called_method(call); method == "read_text" || method == "read_bytes") {
    check_path(site, call);
    return;
  }
  if (called_api(site, call) == "open" && !reads_all(site, call) && !is_loaded_at_once(site, call)) {
    return;
  }
  if (!runs_per_item(site)) {
    check_helper(site, call);
    return;
  }
  const bool is_open = called_api(site, call) == "open";
  const bool gives_batches =
      site.function != nullptr && site.function->type != nullptr && is_keras_sequence(*site.function->type);
  if (call.args.empty() || is_guarded(site) || (gives_batches && opens_lazily(site, call)) ||
      !(is_open ? is_first_argument_same_for_all_items(site, call) : is_call_same_for_all_items(site, call))) {
    return;
  }
  report(site, call,
         fmt::format("`{}` opens the same file again for every {}", text_of(site, call.func),
                     gives_batches ? "batch" : "item"),
         "open it once in `__init__`, or at the first item of each worker (`if self.file is None: …`)");
}

} // namespace

extern constinit const Rule kFileOpenedPerItem = {
    .info = {.code = "DP406",
             .name = "file-opened-per-item",
             .summary = "a dataset that opens or reads the same file again for every item",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

In the `__getitem__` of a dataset or of a Keras `Sequence`, a call that opens or reads a file whose name does not depend on the item:
`h5py.File(self.path)`, `pandas.read_csv(self.table)`, `numpy.load(self.array)`. Also a function that does so, and that is called with
the same arguments for every item.

## Why it costs

A `DataLoader` calls `__getitem__` once per example. Every call opens the file again, and functions such as `read_csv`
read all of it to return a single row. The workers cannot keep up and the GPU waits.

## Bad

```python
import h5py
from torch.utils.data import Dataset


class Frames(Dataset):
    def __init__(self, path):
        self.path = path

    def __len__(self):
        return 1000

    def __getitem__(self, index):
        with h5py.File(self.path, "r") as file:
            return file["frames"][index]
```

## Good

```python
import h5py
from torch.utils.data import Dataset


class Frames(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None

    def __len__(self):
        return 1000

    def __getitem__(self, index):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return self.file["frames"][index]
```

## When it is wrong

An open HDF5 file cannot be passed to worker processes, so it must not be opened in `__init__` when there are workers;
open it at a worker's first item, as above. Where the number of open files is limited, opening the file for each item
may be on purpose.

## References

- h5py documentation: thread safety and multiprocessing
- DLPerf, root cause "Inefficient Data Preprocessing"
)"},
    .calls =
        "open *.read_text *.read_bytes h5py.File pandas.read_csv pandas.read_parquet pandas.read_pickle "
        "pandas.read_json pandas.read_excel "
        "pandas.read_hdf "
        "numpy.load numpy.loadtxt numpy.genfromtxt numpy.memmap zipfile.ZipFile tarfile.open lmdb.open sqlite3.connect "
        "zarr.open netCDF4.Dataset scipy.io.loadmat tables.open_file pyarrow.parquet.read_table",
    .on_call = check};

} // namespace deepperf::rules::file_opened_per_item
