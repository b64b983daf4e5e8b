#include "base/known_names.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::file_shared_by_workers {

using namespace python;

namespace {

// `self.file = h5py.File(path)` in the constructor of a Dataset
void check(Site &site, const Call &call) {
  const model::FunctionInfo *function = site.function;
  if (function == nullptr || function->type == nullptr || function->type->kind != Kind::TorchDataset ||
      function->name != known::sym_init || inside_with(site, Kind::File)) {
    return;
  }
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  const auto *target =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Attribute>(assignment->targets[0]) : nullptr;
  if (target == nullptr || assignment->value != &call) {
    return;
  }
  report(site, call,
         fmt::format("the workers of a `DataLoader` would share the file that `{}` opens, which is not safe",
                     text_of(site, call.func)),
         "open it at the first `__getitem__`, so that each worker has its own");
}

} // namespace

extern constinit const Rule kFileSharedByWorkers = {
    .info = {.code = "DP417",
             .name = "file-shared-by-workers",
             .summary = "an HDF5 or LMDB file that a dataset opens before its workers start",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Program Crash, Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`h5py.File` or `lmdb.open` whose result the `__init__` of a dataset keeps in an attribute.

## Why it is wrong

Worker processes are forked while the file is open, so all of them share one file position and one cache. HDF5 then
returns wrong data or raises errors. Where workers are spawned, the open file cannot be pickled. Setting `num_workers=0`
avoids the error, but then the GPU waits for the data.

## Bad

```python
import h5py
from torch.utils.data import Dataset


class Samples(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path, "r")

    def __len__(self):
        return len(self.file["x"])

    def __getitem__(self, index):
        return self.file["x"][index]
```

## Good

```python
import h5py
from torch.utils.data import Dataset


class Samples(Dataset):
    def __init__(self, path, length):
        self.path = path
        self.length = length
        self.file = None

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return self.file["x"][index]
```

## When it is wrong

Where the loader has no workers, and will never have any.

## References

- h5py documentation: parallel and forked processes
)"},
    .calls = "h5py.File lmdb.open",
    .on_call = check};

} // namespace deepperf::rules::file_shared_by_workers
