// How long a check::Workspace takes to check again after an edit. See bench/workspace.
#include "check/workspace.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace deepperf;

struct EditKind {
  const char *name = "";
  std::string (*edit)(const std::string &text, u64 number) = nullptr;
};

// Where a line begins, about at a part of the text that depends on the number, outside of brackets and strings as far
// as that can be told: before a line that begins with a definition, or the end.
std::size_t before_definition(const std::string &text, u64 number) {
  const std::size_t start = text.empty() ? 0 : number * 7919 % text.size();
  const std::size_t found = text.find("\ndef ", start);
  return found == std::string::npos ? text.size() : found + 1;
}

std::string add_comment(const std::string &text, u64 number) {
  return std::string(text).insert(before_definition(text, number), fmt::format("# edit {}\n", number));
}

std::string add_function(const std::string &text, u64 number) {
  return std::string(text).insert(before_definition(text, number),
                                  fmt::format("def edited_{}(x):\n    return x + {}\n\n\n", number, number));
}

std::string add_import(const std::string &text, u64 number) {
  return std::string(text).insert(before_definition(text, number), fmt::format("import edited_{}\n", number));
}

// In the body of some function: before a `return`.
std::string add_line(const std::string &text, u64 number) {
  const std::size_t start = text.empty() ? 0 : number * 7919 % text.size();
  std::size_t found = text.find(" return ", start);
  found = found == std::string::npos ? text.find(" return ") : found;
  const std::size_t line = found == std::string::npos ? std::string::npos : text.rfind('\n', found) + 1;
  if (line == std::string::npos || text.find_first_not_of(' ', line) != found + 1) {
    return add_comment(text, number);
  }
  return std::string(text).insert(line, std::string(found + 1 - line, ' ') + fmt::format("edited = {}\n", number));
}

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

double at(const std::vector<double> &sorted, double part) {
  return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(part * static_cast<double>(sorted.size())))];
}

double milliseconds(u64 nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

void measure(const EditKind &kind, u64 edits, const std::vector<std::string> &paths, check::Workspace &workspace) {
  std::vector<double> times;
  std::mt19937_64 random(1); // the same files in every run
  check::WorkspaceWork sum;
  for (u64 i = 0; i < edits; ++i) {
    const std::string &path = paths[random() % paths.size()];
    const std::string text = read(path);
    check::Progress progress;
    workspace.open(path, text);
    workspace.check(progress);
    workspace.change(path, kind.edit(text, i));
    times.push_back(workspace.check(progress).seconds * 1e3);
    const check::WorkspaceWork &work = workspace.work();
    sum.files_linted += work.files_linted;
    sum.files_parsed += work.files_parsed;
    sum.read_time += work.read_time;
    sum.group_time += work.group_time;
    sum.lint_time += work.lint_time;
    sum.report_time += work.report_time;
    sum.timings.add(work.timings);
    workspace.close(path);
    workspace.check(progress);
  }
  std::ranges::sort(times);
  const auto per_edit = [&](u64 all) { return static_cast<double>(all) / static_cast<double>(edits); };
  const auto mean = [&](u64 time) { return milliseconds(time) / static_cast<double>(edits); };
  fmt::print("{:<10}{:>9.2f}{:>9.2f}{:>10.1f}{:>8.1f}{:>9.2f}{:>9.2f}{:>9.2f}{:>9.2f}{:>10.2f}{:>9.2f}{:>9.2f}\n",
             kind.name, at(times, 0.5), at(times, 0.95), per_edit(sum.files_linted), per_edit(sum.files_parsed),
             mean(sum.read_time), mean(sum.group_time), mean(sum.lint_time), mean(sum.report_time),
             mean(sum.timings.parse), mean(sum.timings.analyse), mean(sum.timings.lint));
  std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments) {
  u64 edits = 20;
  u32 jobs = 0;
  bool timings = false;
  std::string folder;
  std::string only; // this file is edited
  std::string kind; // of edit; empty: all of them
  for (int i = 1; i < count; ++i) {
    const std::string text = arguments[i];
    if (text == "--timings") {
      timings = true;
    } else if (text == "--edits" && i + 1 < count) {
      edits = std::stoull(arguments[++i]);
    } else if (text == "--jobs" && i + 1 < count) {
      jobs = static_cast<u32>(std::stoul(arguments[++i]));
    } else if (text == "--file" && i + 1 < count) {
      only = arguments[++i];
    } else if (text == "--kind" && i + 1 < count) {
      kind = arguments[++i];
    } else {
      folder = text;
    }
  }
  if (folder.empty() || edits == 0) {
    std::fputs("usage: workspace_bench DIR [--edits N] [--jobs N] [--file NAME] [--kind NAME] [--timings]\n", stderr);
    return 2;
  }
  check::Options options;
  options.paths = {folder};
  options.jobs = jobs;
  options.timings = timings;
  check::Workspace workspace(options);
  check::Progress progress;
  std::vector<std::string> paths;
  {
    const check::Result result = workspace.check(progress);
    for (const check::CheckedFile &file : result.files) {
      if (file.source != nullptr && file.path.ends_with(".py") && file.path.ends_with(only)) {
        paths.push_back(file.path);
      }
    }
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    fmt::print("{} files, {:.1f} MB of text; first check {:.0f} ms; {:.0f} MB of trees stay, {} MB memory at most\n",
               result.file_count, static_cast<double>(result.byte_count) / 1e6, result.seconds * 1e3,
               static_cast<double>(workspace.work().tree_bytes) / 1e6, usage.ru_maxrss / 1024);
  }
  if (paths.empty()) {
    return 0;
  }
  workspace.refresh();
  const double refreshed = workspace.check(progress).seconds * 1e3;
  const double nothing = workspace.check(progress).seconds * 1e3;
  fmt::print("nothing changed: {:.2f} ms, with a look at the disk {:.2f} ms\n\n", nothing, refreshed);
  fmt::print("in ms     {:>9}{:>9}{:>10}{:>8}{:>9}{:>9}{:>9}{:>9}{:>10}{:>9}{:>9}\n", "p50", "p95", "linted", "parsed",
             "read", "group", "lint", "report", "(parse)", "(infer)", "(rules)");
  for (const EditKind &one : {EditKind{"comment", add_comment}, EditKind{"line", add_line},
                              EditKind{"function", add_function}, EditKind{"import", add_import}}) {
    if (kind.empty() || kind == one.name) {
      measure(one, edits, paths, workspace);
    }
  }
  return 0;
}
