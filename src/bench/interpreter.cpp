#include "bench/interpreter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace deepperf::bench {

namespace {

// Writes the version of Python and, on the second line, that of the module which the argument names. If that is there
// and cannot be imported, the second line is empty, and the third says why.
constexpr const char *kQuestion = R"(import os, sys
out = os.fdopen(3, "w")
out.write("%d.%d.%d\n" % sys.version_info[:3])
out.flush()
if sys.argv[1]:
    try:
        module = __import__(sys.argv[1])
    except ModuleNotFoundError as failure:
        if failure.name != sys.argv[1]:
            out.write("\n" + str(failure).split("\n")[0] + "\n")
    except BaseException as failure:
        lines = str(failure).strip().split("\n")
        out.write("\n" + type(failure).__name__ + (": " + lines[0] if lines[0] else "") + "\n")
    else:
        out.write(str(getattr(module, "__version__", "unknown")) + "\n")
out.flush()
os._exit(0)
)";

std::string on_path(const std::string &name) {
  const char *const folders = std::getenv("PATH"); // NOLINT(concurrency-mt-unsafe): nobody sets it
  std::string_view rest = folders == nullptr ? std::string_view() : std::string_view(folders);
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string candidate = fmt::format("{}/{}", rest.substr(0, colon), name);
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    if (::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return {};
}

} // namespace

Interpreters::Interpreters(const std::string &python, const Limits &limits, Interrupts &interrupts)
    : limits_(limits.of_imports()), interrupts_(interrupts) {
  if (!python.empty()) {
    const std::string found = python.find('/') == std::string::npos ? on_path(python) : python;
    known_.push_back({.path = found.empty() ? python : std::filesystem::absolute(found).string()});
    return;
  }
  for (const std::string &path : {on_path("python3"), std::string("/usr/bin/python3")}) {
    const bool is_new = std::ranges::none_of(known_, [&](const Known &known) { return known.path == path; });
    if (!path.empty() && is_new && ::access(path.c_str(), X_OK) == 0) {
      known_.push_back({.path = path});
    }
  }
}

void Interpreters::ask(Known &known, const std::string &library) {
  if (known.versions.contains(library) || !known.problem.empty()) {
    return;
  }
  const Finished finished = run_process({{known.path, "-c", kQuestion, library}, "", {}}, limits_, interrupts_);
  std::string &version = known.versions[library];
  if (finished.end == Finished::End::NotStarted) {
    known.problem = fmt::format("cannot run {}: {}", known.path, std::generic_category().message(finished.code));
    return;
  }
  const std::size_t line = finished.report.find('\n');
  if (line == std::string::npos) {
    known.problem = fmt::format("{} is not a working Python interpreter", known.path);
    return;
  }
  known.version = finished.report.substr(0, line);
  version = finished.report.substr(line + 1);
  const std::size_t second = std::min(version.find('\n'), version.size());
  std::string failure = version.substr(std::min(second + 1, version.size()));
  version.resize(second);
  if (finished.end == Finished::End::TimedOut) {
    failure = fmt::format("the import did not finish within {} s", limits_.seconds);
  } else if (finished.end == Finished::End::Killed) {
    failure = fmt::format("the import crashed: {}", ::strsignal(finished.code)); // NOLINT(concurrency-mt-unsafe)
  } else {
    failure.resize(std::min(failure.find('\n'), failure.size()));
  }
  if (failure == "MemoryError") {
    constexpr double kGigabyte = 1 << 30;
    failure = fmt::format("it needs more than {:.3g} GB of memory", static_cast<double>(limits_.memory) / kGigabyte);
  }
  if (version.empty() && !failure.empty()) {
    known.failures[library] = std::move(failure);
  }
}

std::string Interpreters::lack_of(const Known &known, const std::vector<std::string> &missing) {
  std::vector<std::string> absent;
  std::vector<std::string> parts;
  for (const std::string &library : missing) {
    if (const auto failure = known.failures.find(library); failure != known.failures.end()) {
      parts.push_back(fmt::format("{} cannot import {}: {}", known.path, library, failure->second));
    } else {
      absent.push_back(library);
    }
  }
  if (!absent.empty()) {
    parts.insert(parts.begin(), fmt::format("{} has no {}", known.path, fmt::join(absent, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

Interpreter Interpreters::with(const std::vector<std::string> &libraries) {
  Interpreter none;
  none.problem = known_.empty() ? "there is no python3 on PATH" : "";
  std::vector<std::string> lacks;
  for (Known &known : known_) {
    ask(known, "");
    std::vector<std::string> missing;
    Interpreter interpreter{known.path, "", {}, {}};
    for (const std::string &library : libraries) {
      ask(known, library);
      const auto found = known.versions.find(library);
      if (found == known.versions.end() || found->second.empty()) {
        missing.push_back(library);
      } else {
        interpreter.versions[library] = found->second;
      }
    }
    interpreter.version = known.version;
    if (known.problem.empty() && missing.empty()) {
      return interpreter;
    }
    lacks.push_back(!known.problem.empty() ? known.problem : lack_of(known, missing));
  }
  if (none.problem.empty()) {
    none.problem = fmt::format("{}", fmt::join(lacks, "; "));
  }
  return none;
}

} // namespace deepperf::bench
