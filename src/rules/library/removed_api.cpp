#include "rules/api_history.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::removed_api {

using namespace python;

namespace {

// A module that an import names, or that is around it; null if it is still there.
const ApiHistory *history_of_module(Symbol name) {
  const ApiHistory *const history = name ? find_history(canonical_name(name.text())) : nullptr;
  return history != nullptr && history->is_module && history->package != "tensorflow" ? history : nullptr;
}

const ApiHistory *history_of_import(const Node &node) {
  if (const auto *import = as<ImportFrom>(&node)) {
    if (import->level != 0 || !import->module) {
      return nullptr;
    }
    if (const ApiHistory *history = history_of_module(import->module)) {
      return history;
    }
    if (const ApiHistory *history = history_as_written(import->module.text(), {})) {
      return history;
    }
    for (const Alias *alias : import->names) {
      if (const ApiHistory *history = history_as_written(import->module.text(), alias->name.text())) {
        return history;
      }
    }
    return nullptr;
  }
  for (const Alias *alias : static_cast<const Import &>(node).names) {
    if (const ApiHistory *history = history_of_module(alias->name)) {
      return history;
    }
    if (const ApiHistory *history = history_as_written(alias->name.text(), {})) {
      return history;
    }
  }
  return nullptr;
}

// `from scipy.misc import imread` at the top of the file, which binds the name and is what fails first.
const ImportFrom *import_of(const Site &site, const Node &node) {
  const auto *name = as<Name>(&node);
  if (name == nullptr) {
    return nullptr;
  }
  for (const Stmt *statement : site.module->parsed->tree.body) {
    const auto *import = as<ImportFrom>(statement);
    if (import != nullptr && std::ranges::any_of(import->names, [name](const Alias *alias) {
          return (alias->asname ? alias->asname : alias->name) == name->id;
        })) {
      return import;
    }
  }
  return nullptr;
}

void check(Site &site, const Node &node) {
  const bool is_import = node.kind == NodeKind::ImportFrom || node.kind == NodeKind::Import;
  const ApiHistory *history = is_import ? history_of_import(node) : history_of(site, node);
  if (history == nullptr || history->removed.empty() || is_version_guarded(site, history->api)) {
    return;
  }
  const Status status = status_in(site, history->package, history->removed);
  const bool is_for_upgrade = concerns_upgrade(status, history->package);
  const bool is_deprecated =
      !history->deprecated.empty() && status_in(site, history->package, history->deprecated) != Status::Fine;
  if ((status == Status::Fine && (!is_for_upgrade || is_deprecated)) ||
      (!history->back.empty() && status_in(site, history->package, history->back) == Status::Gone)) {
    return;
  }
  const bool is_tensorflow = history->package == "tensorflow";
  if (is_tensorflow && status == Status::Unknown && !site.module->v2) {
    return; // a program that uses nothing newer runs with the version it was written for
  }
  Finding &finding = report(site, node,
                            fmt::format("`{}` was removed in {} {}{}", history->api, history->package, history->removed,
                                        required_version(site, history->package, history->removed)) +
                                (is_tensorflow && status == Status::Unknown ? ", and this file uses TensorFlow 2" : ""),
                            fmt::format("use {}", history->instead));
  const bool is_old_code = site.module->v1 && !site.module->v2; // runs with libraries of its time
  if ((!history->back.empty() || is_old_code || is_tensorflow) && status == Status::Unknown) {
    finding.tier = Tier::Hint;
  }
  if (const ImportFrom *const import = is_import ? nullptr : import_of(site, node)) {
    add_note(finding, site, *import, "this import fails already");
  }
  if (is_for_upgrade) {
    report_for_upgrade(finding, site, history->package);
    return;
  }
  if (!history->renamed_to.empty() && !is_import) {
    const bool is_builtin = history->renamed_to.find('.') == std::string_view::npos;
    const std::string spelled = is_builtin ? std::string(history->renamed_to) : spelling_of(site, history->renamed_to);
    if (!spelled.empty() && spelled != text_of(site, &node) && !(is_builtin && is_rebound(site, spelled))) {
      set_fix(finding, does_the_same(site, *history), {replace(node, spelled)});
    }
  }
}

} // namespace

extern constinit const Rule kRemovedApi = {.info = {.code = "DP301",
                                                    .name = "removed-api",
                                                    .summary = "a function or class that the library no longer has",
                                                    .root_cause = "Library: Mismatched Library Version",
                                                    .symptoms = "Program Crash",
                                                    .stage = "Environment Setting",
                                                    .frameworks = "PyTorch, TensorFlow, JAX",
                                                    .severity = Severity::Error,
                                                    .tier = Tier::On,
                                                    .fix = FixKind::Safe,
                                                    .documentation = R"(## What it finds

Names of NumPy, PyTorch, torchvision, TensorFlow, JAX and Hugging Face libraries that newer versions do not have, in a project whose
requirements (`requirements.txt`, `setup.py`, `setup.cfg`, `pyproject.toml`, `environment.yml`, `Pipfile`, `pixi.toml`, `Dockerfile`) do not keep the library below that
version. Names of TensorFlow 1 are reported where the project requires TensorFlow 2; where no file says so, but the
program uses what only TensorFlow 2 has, they are hints. `np.bool` is missing only from NumPy 1.24 to 1.26: NumPy 2.0 has it again, as an alias of `np.bool_`.

## Why it is wrong

The program fails with an `AttributeError` or `ImportError` when it gets there, perhaps hours into a run.

## Bad

```python
import numpy as np
import torch

x = torch.from_numpy(np.zeros(3, dtype=np.float))
```

## Good

```python
import numpy as np
import torch

x = torch.from_numpy(np.zeros(3, dtype=float))
```

## When it is wrong

Where the program only runs with an old version, although nothing in the project states it. State the version in
`requirements.txt`, and the rule is silent. It is also silent under a check of the version or `hasattr`, and in a `try`.

## References

- Release notes of NumPy 1.24 and 2.0, PyTorch 1.8, 1.13 and 2.0, JAX 0.4
- DLPerf, root cause "Mismatched Library Version"
)"},
                                           .listed_names = historic_names,
                                           .nodes = {NodeKind::ImportFrom, NodeKind::Import},
                                           .on_node = check};

} // namespace deepperf::rules::removed_api
