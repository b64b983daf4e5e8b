#include "rules/api_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace deepperf::rules::removed_api {

using namespace python;

namespace {

bool is_tensorflow(const ApiHistory &history) { return history.package == "tensorflow"; }

// Does the project give the place what it had before, or does another part of the program say so already?
bool is_silent(const Site &site, const ApiHistory &history, Status status) {
  const bool is_deprecated =
      !history.deprecated.empty() && status_in(site, history.package, history.deprecated) != Status::Fine;
  if ((status == Status::Fine && (!concerns_upgrade(status, history.package) || is_deprecated)) ||
      (!history.back.empty() && status_in(site, history.package, history.back) == Status::Gone)) {
    return true;
  }
  // A program that uses nothing newer runs with the version it was written for.
  return is_tensorflow(history) && status == Status::Unknown && !site.module->v2;
}

// `a`, `b` and `c`
std::string listed(const std::vector<const ApiHistory *> &all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += i == 0 ? "" : i + 1 == all.size() ? " and " : ", ";
    text += fmt::format("`{}`", all[i]->api);
  }
  return text;
}

std::string message_for(const Site &site, const std::vector<const ApiHistory *> &all) {
  const ApiHistory &history = *all.front();
  const bool is_guess = is_tensorflow(history) && status_in(site, history.package, history.removed) == Status::Unknown;
  return fmt::format("{} {} removed in {} {}{}{}", listed(all), all.size() == 1 ? "was" : "were",
                     history.package == "python" ? "Python" : history.package, history.removed,
                     required_version(site, history.package, history.removed),
                     is_guess ? ", and this file uses TensorFlow 2" : "");
}

// Null if the place is silent.
Finding *report_history(Site &site, const Node &place, const ApiHistory &history) {
  const std::string_view package = history.api.substr(0, history.api.find('.'));
  if (history.removed.empty() || is_version_guarded(site, history.api) ||
      project::brings_package(site.module->parsed->path, package)) {
    return nullptr;
  }
  const Status status = status_in(site, history.package, history.removed);
  if (is_silent(site, history, status)) {
    return nullptr;
  }
  Finding &finding = report(site, place, message_for(site, {&history}), fmt::format("use {}", history.instead));
  const bool is_old_code = site.module->v1 && !site.module->v2; // runs with libraries of its time
  if (status == Status::Unknown && (!history.back.empty() || is_old_code || is_tensorflow(history))) {
    finding.tier = Tier::Hint;
  }
  if (concerns_upgrade(status, history.package)) {
    report_for_upgrade(finding, site, history.package);
    return nullptr;
  }
  return &finding;
}

// `from numpy import infty` becomes `from numpy import inf as infty`, where the new name is in the same module.
void offer_new_name(Finding &finding, const Site &site, const ApiHistory &history, std::string_view module,
                    const Alias &alias) {
  const std::string_view renamed = history.renamed_to;
  if (renamed.size() > module.size() + 1 && renamed.starts_with(module) && renamed[module.size()] == '.' &&
      renamed.find('.', module.size() + 1) == std::string_view::npos) {
    const std::string_view bound = (alias.asname ? alias.asname : alias.name).text();
    set_fix(finding, does_the_same(site, history),
            {replace(alias, fmt::format("{} as {}", renamed.substr(module.size() + 1), bound))});
  }
}

// What one line imports of one library, and one version removed.
struct RemovedTogether {
  std::size_t finding = 0; // its place among the findings
  std::vector<const ApiHistory *> all;
};

// Takes the newest finding into an earlier one of the same line that says the same of another name.
void join_findings(Site &site, std::vector<RemovedTogether> &earlier, const ApiHistory &history) {
  Finding &newest = site.findings.back();
  for (RemovedTogether &one : earlier) {
    Finding &first = site.findings[one.finding];
    const ApiHistory &known = *one.all.front();
    const bool is_fixed_alike = first.fix.has_value() == newest.fix.has_value() &&
                                (!newest.fix.has_value() || first.fix->safe == newest.fix->safe);
    if (known.package != history.package || known.removed != history.removed || first.tier != newest.tier ||
        !is_fixed_alike) {
      continue;
    }
    const auto advice_for = [](const ApiHistory &removed) {
      return fmt::format("for `{}`, use {}", removed.api.substr(removed.api.rfind('.') + 1), removed.instead);
    };
    if (newest.advice != first.advice) {
      if (one.all.size() == 1) {
        first.advice = advice_for(known);
      }
      first.advice += "; " + advice_for(history);
    }
    if (newest.fix.has_value()) {
      std::ranges::copy(newest.fix->edits, std::back_inserter(first.fix->edits));
    }
    one.all.push_back(&history);
    first.message = message_for(site, one.all);
    site.findings.pop_back();
    return;
  }
  earlier.push_back({site.findings.size() - 1, {&history}});
}

// Modules of the project may have the names of libraries.
bool is_of_project(const Site &site, const Node &import) { return site.module->import_targets.contains(&import); }

void check_import(Site &site, const Node &node) {
  if (const auto *plain = as<Import>(&node)) {
    for (const Alias *alias : plain->names) {
      const ApiHistory *const history = history_of_import(alias->name.text(), {});
      if (history != nullptr && !is_of_project(site, *alias)) {
        report_history(site, *alias, *history);
      }
    }
    return;
  }
  const auto &from = static_cast<const ImportFrom &>(node);
  if (from.level != 0 || !from.module || is_of_project(site, from)) {
    return;
  }
  const std::string_view module = from.module.text();
  if (const ApiHistory *const whole = history_of_import(module, {})) {
    report_history(site, node, *whole);
    return;
  }
  std::vector<RemovedTogether> removed;
  for (const Alias *alias : from.names) {
    const ApiHistory *const history = history_of_import(module, alias->name.text());
    if (history == nullptr || is_of_project(site, *alias)) {
      continue;
    }
    if (Finding *const finding = report_history(site, *alias, *history)) {
      offer_new_name(*finding, site, *history, module, *alias);
      join_findings(site, removed, *history);
    }
  }
}

void check(Site &site, const Node &node) {
  if (node.kind == NodeKind::ImportFrom || node.kind == NodeKind::Import) {
    return check_import(site, node);
  }
  if (node.kind == NodeKind::Name && site.module->stars.empty()) {
    return; // its import says so
  }
  const ApiHistory *const history = history_of(site, node);
  Finding *const finding = history != nullptr ? report_history(site, node, *history) : nullptr;
  if (finding != nullptr && !history->renamed_to.empty()) {
    const bool is_builtin = history->renamed_to.find('.') == std::string_view::npos;
    const std::string spelled = is_builtin ? std::string(history->renamed_to) : spelling_of(site, history->renamed_to);
    if (!spelled.empty() && spelled != text_of(site, &node) && !(is_builtin && is_rebound(site, spelled))) {
      set_fix(*finding, does_the_same(site, *history), {replace(node, spelled)});
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

Names of NumPy, SciPy, scikit-learn, pandas, Pillow, PyTorch and its companions, Lightning, TensorFlow, Keras, JAX, Hugging
Face libraries, OpenAI, Gym, Python's own library and others that newer versions do not have, where the requirements
(`requirements.txt`, `setup.py`, `setup.cfg`, `pyproject.toml`, `environment.yml`, `Pipfile`, `pixi.toml`, `Dockerfile`)
do not keep the library below that version, be it directly or through the version of Python, PyTorch or TensorFlow. An
import is reported where the name is imported, and not again where it is used; names that one line imports and one version
removed are one finding. Names of TensorFlow 1 are reported where
the project requires TensorFlow 2; where no file says so, but the program uses what only TensorFlow 2 has, they are
hints. So is what may be there again: `np.bool` is missing only from NumPy 1.24 to 1.26, and setuptools brings its own
`distutils`.

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
