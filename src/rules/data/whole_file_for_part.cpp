#include "rules/dataset_item.h"
#include "rules/fate.h"
#include "rules/names_from.h"
#include "rules/optimizer_module.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace deepperf::rules::whole_file_for_part {

using namespace python;

namespace {

// Calls that read only what is asked for.
bool reads_lazily(const Call &call) {
  for (const std::string_view option : {"mmap_mode", "mmap", "frame_offset", "num_frames", "start", "stop", "frames",
                                        "offset", "duration", "nrows", "skiprows", "columns", "filters", "usecols"}) {
    if (keyword_argument(call, option) != nullptr) {
      return true;
    }
  }
  return false;
}

// The name that a statement gives to what the call returns: `series = load(path)`, `wave, rate = load(path)`; empty if
// it does something else with it.
Symbol name_of_result(const Site &site, const Call &call) {
  const auto *assignment = as<Assign>(taken_by(site.ancestors, call));
  if (assignment == nullptr || assignment->targets.size() != 1) {
    return {};
  }
  const auto *tuple = as<Tuple>(assignment->targets[0]);
  const auto *name = as<Name>(tuple != nullptr && !tuple->elts.empty() ? tuple->elts[0] : assignment->targets[0]);
  return name != nullptr ? name->id : Symbol{};
}

bool mentions_random(const Site &site, const Node *node) {
  return has_word(text_of(site, node), {"random", "rand", "choice", "sample", "uniform"});
}

// How a function uses what it has loaded.
struct PartUse {
  u32 all = 0;
  u32 parts = 0;               // of them, one part that belongs to the item
  const Node *first = nullptr; // of these
};

PartUse uses_of(const FunctionDef &function, Symbol loaded, const NamesFrom &items) {
  PartUse use;
  const auto visit = [&](const auto &self, const Node *node) -> void {
    if (const auto *name = as<Name>(node); name != nullptr && name->id == loaded && name->context == Context::Load) {
      ++use.all;
    }
    const auto *part = as<Subscript>(node);
    const auto *whole = part != nullptr ? as<Name>(part->value) : nullptr;
    if (whole != nullptr && whole->id == loaded && part->context == Context::Load && items.mentioned_in(part->slice)) {
      ++use.parts;
      use.first = use.first != nullptr ? use.first : part;
    }
    for_each_child(node, [&](const Node *child) { self(self, child); });
  };
  for (const Stmt *statement : function.body) {
    visit(visit, statement);
  }
  return use;
}

// How often a function reads a name, and how often it takes a part of it.
struct NameUses {
  struct Count {
    u32 all = 0;
    u32 parts = 0;
  };
  std::unordered_map<u32, Count> of_name;
  u32 only_in_parts = 0; // names
};

const NameUses &names_used_in(const Site &site, const FunctionDef &function) {
  return site.memory.recall<NameUses>(&function, [&] {
    NameUses uses;
    any_node(function.body, [&](const Node *node) {
      if (const auto *name = as<Name>(node); name != nullptr && name->context == Context::Load) {
        ++uses.of_name[name->id.id].all;
      }
      const auto *part = as<Subscript>(node);
      const auto *whole = part != nullptr && part->context == Context::Load ? as<Name>(part->value) : nullptr;
      if (whole != nullptr) {
        ++uses.of_name[whole->id.id].parts;
      }
      return false;
    });
    uses.only_in_parts = static_cast<u32>(
        std::ranges::count_if(uses.of_name, [](const auto &one) { return one.second.all == one.second.parts; }));
    return uses;
  });
}

// May all uses of the name take a part of it? A function with very many such names is not looked at name by name.
bool may_be_used_in_parts(const Site &site, const FunctionDef &function, Symbol loaded) {
  constexpr u32 kMostNames = 32;
  const NameUses &uses = names_used_in(site, function);
  const auto found = uses.of_name.find(loaded.id);
  return found != uses.of_name.end() && found->second.all == found->second.parts && uses.only_in_parts <= kMostNames;
}

// Does the function, which runs for each item, take a part that belongs to the item out of what the call gives?
const Node *part_of_item(const Site &site, const Call &call) {
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Symbol loaded = definition != nullptr ? name_of_result(site, call) : Symbol{};
  if (!loaded || !runs_per_item(site) || enclosing(site, NodeKind::If) != nullptr || is_cached(*site.function) ||
      keeps_something(site, *site.function) || !may_be_used_in_parts(site, *definition, loaded)) {
    return nullptr;
  }
  std::vector<Symbol> params;
  for (u32 i = site.function->type != nullptr && !site.function->is_static ? 1 : 0; i < site.function->params.size();
       ++i) {
    params.push_back(site.function->params[i]->name);
  }
  // A place that is drawn, or that depends on how long the data is, is a crop of one item's own file.
  const NamesFrom items(*definition, params, [&](const Expr *value) {
    return mentions(value, loaded) || contains(value, &call) || mentions_random(site, value);
  });
  const PartUse use = uses_of(*definition, loaded, items);
  return use.parts > 0 && use.parts == use.all && items.mentioned_in(&call) ? use.first : nullptr;
}

void add_finding(Site &site, const Site &there, const Call &call, const Call &load, const Node &part) {
  Finding &finding =
      report(site.findings, *site.rule, *there.module, call.span(),
             fmt::format("`{}` reads a whole file for every item, to take one part of it", text_of(there, call.func)),
             "map the file into memory (`numpy.load(path, mmap_mode=\"r\")`, `torch.load(path, mmap=True)`), read only "
             "that part, or keep the last files that were read");
  finding.notes.push_back({there.module->file, part.span(), "the item is only this part"});
  if (&load != &call) {
    finding.notes.push_back({site.module->file, load.span(), "the file is read here"});
  }
  if (there.module->is_test) {
    finding.tier = Tier::Hint;
  }
}

// Does the function return what the call reads, and nothing else?
bool returns_what_it_reads(const Site &site, const Call &call) {
  return site.function != nullptr && site.function->definition() != nullptr &&
         site.function->definition()->decorators.empty() && loop_around(site) == nullptr &&
         enclosing(site, NodeKind::If) == nullptr && !keeps_something(site, *site.function) &&
         fate_of_taken(site, *site.function, taken_by(site.ancestors, call)) == Fate::Returned;
}

// The name under which a function has what the call reads: `series = load(path)`, `with load(path) as archive`.
Symbol name_of_read(const Site &site, const Call &call) {
  if (const Symbol name = name_of_result(site, call)) {
    return name;
  }
  const auto *with = !site.ancestors.empty() ? as<With>(site.ancestors.back()) : nullptr;
  for (u32 i = 0; with != nullptr && i < with->items.size(); ++i) {
    const auto *name = with->items[i].context_expr == &call ? as<Name>(with->items[i].optional_vars) : nullptr;
    if (name != nullptr) {
      return name->id;
    }
  }
  return {};
}

// Does the function return something that it computes from what the call reads, and from nothing else that it is given
// but the path?
bool returns_what_it_computes(const Site &site, const Call &call) {
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Symbol read = definition != nullptr ? name_of_read(site, call) : Symbol{};
  const bool is_plain = definition != nullptr && (definition->decorators.empty() || site.function->is_static);
  const auto *const result =
      definition != nullptr && !definition->body.empty() ? as<Return>(definition->body.back()) : nullptr;
  if (!read || !is_plain || result == nullptr || result->value == nullptr || loop_around(site) != nullptr ||
      enclosing(site, NodeKind::If) != nullptr || is_cached(*site.function) || keeps_something(site, *site.function)) {
    return false;
  }
  const std::size_t own = site.function->type != nullptr && !site.function->is_static ? 1 : 0;
  return site.function->params.size() == own + 1 && NamesFrom(*definition, read).mentioned_in(result->value);
}

void check(Site &site, const Call &call) {
  if (reads_lazily(call) || site.function == nullptr) {
    return;
  }
  if (const Node *const part = part_of_item(site, call)) {
    add_finding(site, site, call, call, *part);
    return;
  }
  if (!returns_what_it_reads(site, call) && !returns_what_it_computes(site, call)) {
    return;
  }
  for (const model::CallSite *caller : site.function->called_by) { // read_array(path)
    const Site there = site_of_node(site_of(site, *caller->call), *caller->call);
    if (const Node *const part = there.function != nullptr ? part_of_item(there, *caller->call) : nullptr) {
      add_finding(site, there, *caller->call, call, *part);
      return;
    }
  }
}

} // namespace

extern constinit const Rule kWholeFileForPart = {
    .info = {.code = "DP480",
             .name = "whole-file-for-part",
             .summary = "a dataset that reads a whole file for every item, to take one window or row of it",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A dataset whose files hold many items each: `__getitem__`, or what it calls, finds the file and the place of an item, reads the file with
`numpy.load`, `torch.load`, `pandas.read_csv` or the like, and takes one row or window at that place. Nothing else of the file is used.

## Why it costs

Every item reads and converts the whole file, which may be a thousand times what is needed. With shuffling, no two items in a row come from the same
file, so that the next item reads another one.

## Bad

```python
import numpy as np
import torch
from torch.utils.data import Dataset


class Windows(Dataset):
    def __init__(self, paths, per_file, length):
        self.paths, self.per_file, self.length = paths, per_file, length

    def __len__(self):
        return len(self.paths) * self.per_file

    def __getitem__(self, index):
        file, start = divmod(index, self.per_file)
        series = np.load(self.paths[file])
        return torch.from_numpy(np.array(series[start : start + self.length]))
```

## Good

```python
import numpy as np
import torch
from torch.utils.data import Dataset


class Windows(Dataset):
    def __init__(self, paths, per_file, length):
        self.paths, self.per_file, self.length = paths, per_file, length

    def __len__(self):
        return len(self.paths) * self.per_file

    def __getitem__(self, index):
        file, start = divmod(index, self.per_file)
        series = np.load(self.paths[file], mmap_mode="r")
        return torch.from_numpy(np.array(series[start : start + self.length]))
```

## When it is wrong

Where files are so small that reading them costs nothing. A random crop of a file that is one item is not reported.

## References

- `numpy.load`: `mmap_mode`; `torch.load`: `mmap`
)"},
    .calls = "numpy.load torch.load pandas.read_csv pandas.read_parquet pandas.read_pickle numpy.loadtxt "
             "numpy.genfromtxt scipy.io.loadmat soundfile.read torchaudio.load librosa.load pickle.load",
    .on_call = check};

} // namespace deepperf::rules::whole_file_for_part
