// Edits real projects at random and compares, after every edit, what a Workspace says with what a check from the
// beginning says: both must be the same bytes.
//
//   random_edits [--edits N] [--seed N] [--files N] [--seconds N] [--jobs N] [--statements N] FOLDER…
//
// Of each folder, a run of at most --files Python files is copied to two places. In one of them a Workspace is told of
// edits, as open texts and as changes on disk; in the other one the files on disk always are what the Workspace should
// see. Everything follows from the seed, so that a failure can be had again; --seconds ends the work early.
// --statements is how many percent of the edits change single statements only, so that the Workspace goes on with what
// it has; it prints how often these changed what is said of files that were not edited.
#include "check/check.h"
#include "check/described.h"
#include "check/statement_edits.h"
#include "check/workspace.h"
#include "project/temp_tree.h"
#include "project/walk.h"
#include "report/json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace deepperf::check {

namespace {

namespace fs = std::filesystem;

class Random {
public:
  explicit Random(u64 seed) : state_(seed * 0x9E3779B97F4A7C15 + 1) {}
  u64 next() { // splitmix64
    u64 z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : next() % limit; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class List> const auto &of(const List &list) { return list[below(list.size())]; }

private:
  u64 state_;
};

std::string read(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path &path, std::string_view text) {
  if (path.has_parent_path()) {
    fs::create_directories(path.parent_path());
  }
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

// ---- Edits of a text ------------------------------------------------------------------------------------------------

using Lines = std::vector<std::string>;

Lines split(const std::string &text) {
  Lines lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    lines.push_back(text.substr(start, end - start));
    start = end;
  }
  return lines;
}

std::string join(const Lines &lines) {
  std::string text;
  for (const std::string &line : lines) {
    text += line;
  }
  return text;
}

std::size_t indentation(const std::string &line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

// A statement with what is below it: lines from `start` to before what is returned.
std::size_t end_of_block(const Lines &lines, std::size_t start) {
  const std::size_t own = indentation(lines[start]);
  std::size_t end = start + 1;
  while (end < lines.size() && (indentation(lines[end]) > own || lines[end] == "\n")) {
    ++end;
  }
  return end;
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// A name that stands somewhere in the text.
std::string some_word(const std::string &text, Random &random) {
  std::size_t at = random.below(text.size());
  for (int tries = 0; tries < 200 && at < text.size(); ++tries, at = random.below(text.size())) {
    if (is_word(text[at]) && !(text[at] >= '0' && text[at] <= '9')) {
      std::size_t start = at;
      while (start > 0 && is_word(text[start - 1])) {
        --start;
      }
      std::size_t end = at;
      while (end < text.size() && is_word(text[end])) {
        ++end;
      }
      return text.substr(start, end - start);
    }
  }
  return "x";
}

void replace_word(std::string &text, const std::string &from, const std::string &to, bool everywhere) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    const bool is_whole =
        (at == 0 || !is_word(text[at - 1])) && (at + from.size() == text.size() || !is_word(text[at + from.size()]));
    if (is_whole) {
      text.replace(at, from.size(), to);
      if (!everywhere) {
        return;
      }
    }
  }
}

constexpr std::array<std::string_view, 22> kGarbage = {"(",
                                                       ")",
                                                       "'''",
                                                       "\"\"\"",
                                                       "\t",
                                                       "\x80\xff",
                                                       "\r",
                                                       "def ",
                                                       ":",
                                                       "\\\n",
                                                       "é",
                                                       "lambda",
                                                       "async ",
                                                       "0x",
                                                       "{",
                                                       "print 'x'\n",
                                                       "import torch\n",
                                                       "yield ",
                                                       "\xEF\xBB\xBF",
                                                       "f'{",
                                                       "\0;",
                                                       "  "};
constexpr std::array<std::string_view, 9> kComments = {"# a comment\n",
                                                       "\n",
                                                       "    # another\n",
                                                       "# noqa\n",
                                                       "# deepperf: ignore-file\n",
                                                       "\n\n\n",
                                                       "# coding: latin-1\n",
                                                       "# deepperf: ignore[DP101]\n",
                                                       "\f\n"};
constexpr std::array<std::string_view, 9> kImports = {
    "import torch\n",       "import tensorflow as tf\n",      "from torch import *\n", "import jax.numpy as jnp\n",
    "import numpy as np\n", "from tensorflow import keras\n", "from . import *\n",     "from .. import x\n",
    "import unittest\n"};

// An edit that changes nothing but places, or comments.
void edit_trivia(std::string &text, Random &random) {
  Lines lines = split(text);
  const std::size_t at = random.below(lines.size() + 1);
  switch (random.below(5)) {
  case 0:
  case 1:
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), std::string(random.of(kComments)));
    break;
  case 2: // behind a line
    if (at < lines.size() && lines[at].ends_with('\n')) {
      lines[at].insert(lines[at].size() - 1, random.one_in(2) ? "  # noqa" : "  # why");
    }
    break;
  case 3: // a line of nothing, or a comment, goes
    for (std::size_t i = at; i < lines.size(); ++i) {
      const std::size_t first = indentation(lines[i]);
      if (first + 1 >= lines[i].size() || lines[i][first] == '#') {
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
    }
    break;
  default:
    if (at < lines.size()) {
      const std::size_t space = lines[at].find(' ', indentation(lines[at]));
      if (space != std::string::npos) {
        lines[at].insert(space, random.one_in(3) ? " \\\n" : " ");
      }
    }
  }
  text = join(lines);
}

void edit_lines(std::string &text, Random &random) {
  Lines lines = split(text);
  if (lines.empty()) {
    text = random.of(kImports);
    return;
  }
  const auto iterator = [&](std::size_t at) { return lines.begin() + static_cast<std::ptrdiff_t>(at); };
  const std::size_t at = random.below(lines.size());
  const std::size_t other = random.below(lines.size());
  switch (random.below(8)) {
  case 0: // lines go
    lines.erase(iterator(at), iterator(std::min(at + 1 + random.below(4), lines.size())));
    break;
  case 1: // a statement goes
    lines.erase(iterator(at), iterator(end_of_block(lines, at)));
    break;
  case 2: { // a statement comes twice
    const Lines block(iterator(at), iterator(end_of_block(lines, at)));
    lines.insert(iterator(end_of_block(lines, at)), block.begin(), block.end());
    break;
  }
  case 3: // lines change places
    std::swap(lines[at], lines[other]);
    break;
  case 4: { // a statement moves
    const std::size_t end = end_of_block(lines, at);
    const Lines block(iterator(at), iterator(end));
    lines.erase(iterator(at), iterator(end));
    lines.insert(iterator(std::min(other, lines.size())), block.begin(), block.end());
    break;
  }
  case 5: // indentation
    lines[at] =
        random.one_in(2) ? "    " + lines[at] : lines[at].substr(std::min<std::size_t>(indentation(lines[at]), 4));
    break;
  case 6: { // an import goes
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string &line = lines[(at + i) % lines.size()];
      if (line.starts_with("import ") || line.starts_with("from ")) {
        lines.erase(iterator((at + i) % lines.size()));
        break;
      }
    }
    break;
  }
  default: // or comes
    lines.insert(iterator(random.one_in(3) ? at : 0), std::string(random.of(kImports)));
  }
  text = join(lines);
}

void edit_text(std::string &text, Random &random) {
  switch (random.below(12)) {
  case 0:
  case 1:
  case 2:
    return edit_trivia(text, random);
  case 3: { // a name becomes another one
    const std::string from = some_word(text, random);
    const std::string to = random.one_in(2) ? some_word(text, random) : from + "_2";
    return replace_word(text, from, to, random.one_in(2));
  }
  case 4:
    text.insert(random.below(text.size() + 1), random.of(kGarbage));
    return;
  case 5: // somebody types
    text.insert(random.below(text.size() + 1), 1, static_cast<char>(' ' + static_cast<char>(random.below(95))));
    return;
  case 6:
    if (random.one_in(3)) {
      text.resize(random.below(text.size() + 1));
    } else if (!text.empty()) {
      text.erase(random.below(text.size()), 1 + random.below(3));
    }
    return;
  default:
    return edit_lines(text, random);
  }
}

// ---- A project in two places ----------------------------------------------------------------------------------------

struct Arguments {
  u64 edits = 200;
  u64 seed = 1;
  std::size_t files = 40;
  double seconds = 1e9;
  u32 jobs = 1;
  u64 statements = 40;
  std::vector<std::string> folders;
};

struct Counts {
  u64 edits = 0;
  u64 findings = 0;
  u64 linted = 0;
  u64 parsed = 0;
  u64 recalled = 0;  // groups
  u64 elsewhere = 0; // edits that changed what is said of files that were not edited
};

class Project {
public:
  Project(const std::string &folder, const Arguments &arguments, u64 seed)
      : random_(seed), jobs_(arguments.jobs), statements_(arguments.statements), start_(fs::current_path()) {
    std::vector<std::string> found;
    project::walk(
        {folder}, {}, [&](std::string path) { found.push_back(std::move(path)); },
        [](const std::string &, const std::string &) {});
    std::ranges::sort(found);
    const std::size_t count = std::min(arguments.files, found.size());
    const std::size_t first = random_.below(found.size() - count + 1);
    for (std::size_t i = first; i < first + count; ++i) {
      const std::string name = fs::relative(found[i], folder).string();
      std::string text = read(found[i]);
      write(fs::path(work_.path(name)), text);
      write(fs::path(truth_.path(name)), text);
      original_[name] = text;
      on_disk_[name] = text;
      seen_[name] = std::move(text);
    }
    for (const project::TempTree *tree : {&work_, &truth_}) {
      tree->folder(".git");
      tree->file(".gitignore", "ignored/\n");
    }
    WorkspaceOptions more;
    const std::array<u64, 3> budgets = {u64{1} << 30, u64{1} << 30, u64{100} << 10};
    more.most_tree_bytes = random_.of(budgets);
    workspace_.emplace(options(), more);
  }

  // False: there is a difference, and it was told.
  bool run(u64 edits, const std::function<bool()> &is_over, Counts &counts) {
    for (u64 step = 0; step <= edits && !is_over(); ++step) {
      history_.clear();
      edited_.clear();
      for (std::size_t i = 0; step > 0 && i < 1 + random_.below(2) * random_.below(3); ++i) {
        edit();
      }
      if (!compare(step, counts)) {
        return false;
      }
      ++counts.edits;
    }
    return true;
  }

private:
  [[nodiscard]] Options options() const {
    Options result;
    result.paths = {"."};
    result.jobs = jobs_;
    return result;
  }

  static std::string reported(const Result &result) {
    std::string text;
    report::write_json(result, {}, text);
    return text + described(result);
  }

  bool compare(u64 step, Counts &counts) {
    fs::current_path(truth_.root());
    Progress progress;
    std::string expected;
    {
      const Result result = run_fresh(progress);
      expected = reported(result);
      counts.findings += result.findings.size();
      counts.elsewhere += is_different_elsewhere(result) ? 1 : 0;
    }
    fs::current_path(work_.root());
    std::string got;
    {
      const Result result = workspace_->check(progress);
      got = reported(result);
    }
    fs::current_path(start_);
    counts.linted += workspace_->work().files_linted;
    counts.parsed += workspace_->work().files_parsed;
    counts.recalled += workspace_->work().groups_recalled;
    if (got == expected) {
      return true;
    }
    fmt::print("step {}: a Workspace and a new check differ\n", step);
    for (const std::string &line : history_) {
      fmt::print("  {}\n", line);
    }
    const Lines left = split(expected);
    const Lines right = split(got);
    std::size_t shown = 0;
    for (std::size_t i = 0; i < std::max(left.size(), right.size()) && shown < 12; ++i) {
      const std::string a = i < left.size() ? left[i] : "\n";
      const std::string b = i < right.size() ? right[i] : "\n";
      if (a != b) {
        fmt::print("- {}+ {}", a, b);
        ++shown;
      }
    }
    return false;
  }

  // Than after the last step, in files that were not edited.
  bool is_different_elsewhere(const Result &result) {
    std::map<std::string, std::string> now;
    for (const rules::Finding &finding : result.findings) {
      now[result.files[finding.file.value].path] +=
          fmt::format("{} {} {}\n", finding.span.start, finding.rule->code, finding.message);
    }
    const auto differs = [&](const auto &one, const auto &others) {
      const auto other = others.find(one.first);
      return !edited_.contains(one.first) && (other == others.end() || other->second != one.second);
    };
    const bool found =
        !edited_.empty() && (std::ranges::any_of(now, [&](const auto &one) { return differs(one, before_); }) ||
                             std::ranges::any_of(before_, [&](const auto &one) { return differs(one, now); }));
    before_ = std::move(now);
    return found;
  }

  Result run_fresh(Progress &progress) const { return check::run(options(), progress); }

  const std::string &some_file() {
    auto place = seen_.begin();
    std::advance(place, static_cast<std::ptrdiff_t>(random_.below(seen_.size())));
    return place->first;
  }

  // The Workspace should see this text now.
  void set_text(const std::string &name, std::string text) {
    edited_.insert(name);
    edited_.insert("./" + name);
    write(fs::path(truth_.path(name)), text);
    const bool is_ignored = name.starts_with("ignored/");
    if (is_ignored || open_.contains(name) || random_.one_in(2)) {
      history_.push_back(fmt::format("open {}", name));
      if (is_ignored) { // git is told that it is there, in a way that the walk believes
        write(fs::path(truth_.path(".gitignore")), "");
      }
      if (random_.one_in(2)) {
        workspace_->open(name, text);
      } else {
        workspace_->change(name, text);
      }
      open_.insert(name);
    } else {
      history_.push_back(fmt::format("write {}", name));
      write(fs::path(work_.path(name)), text);
      on_disk_[name] = text;
      report(name);
    }
    seen_[name] = std::move(text);
  }

  void report(const std::string &name) {
    if (random_.one_in(3)) {
      workspace_->refresh();
    } else {
      workspace_->touched({&name, 1});
    }
  }

  void close(const std::string &opened) {
    const std::string name = opened; // which may go with what is closed
    history_.push_back(fmt::format("close {}", name));
    open_.erase(name);
    workspace_->close(name);
    const auto disk = on_disk_.find(name);
    if (disk == on_disk_.end()) {
      fs::remove(truth_.path(name));
      seen_.erase(name);
    } else {
      write(fs::path(truth_.path(name)), disk->second);
      seen_[name] = disk->second;
    }
  }

  void remove(const std::string &name) {
    history_.push_back(fmt::format("remove {}", name));
    if (open_.contains(name)) {
      close(name);
    }
    if (on_disk_.erase(name) != 0) {
      fs::remove(work_.path(name));
      report(name);
    }
    fs::remove(truth_.path(name));
    seen_.erase(name);
  }

  // A new name for a module beside others.
  std::string new_name() {
    const std::string other = some_file();
    const std::string folder = other.substr(0, other.rfind('/') + 1);
    constexpr std::array<std::string_view, 6> kNames = {"fresh", "__init__", "test_it", "utils", "model", "data"};
    std::string name = folder + std::string(random_.of(kNames)) + ".py";
    switch (random_.below(6)) {
    case 0:
      return "ignored/" + name;
    case 1:
      return folder + "sub/" + std::string(random_.of(kNames)) + ".py";
    default:
      return name;
    }
  }

  void edit_requirements() {
    constexpr std::array<std::string_view, 6> kTexts = {
        "torch==1.4\n", "tensorflow==1.15\nnumpy==1.19\n",       "numpy>=1.24\n",
        "torch>=2.1\n", "tensorflow>=2.9\ntransformers==4.30\n", ""};
    const std::string other = some_file();
    const std::string name = (random_.one_in(2) ? "" : other.substr(0, other.rfind('/') + 1)) + "requirements.txt";
    history_.push_back(fmt::format("requirements {}", name));
    const std::string_view text = random_.of(kTexts);
    write(fs::path(truth_.path(name)), text);
    write(fs::path(work_.path(name)), text);
    report(name);
  }

  // A definition of one file goes to another one.
  void move_definition() {
    const std::string from = some_file();
    const std::string to = some_file();
    Lines lines = split(seen_[from]);
    for (std::size_t tries = 0; from != to && !lines.empty() && tries < 20; ++tries) {
      const std::size_t at = random_.below(lines.size());
      if (lines[at].starts_with("def ") || lines[at].starts_with("class ")) {
        const std::size_t end = end_of_block(lines, at);
        const Lines block(lines.begin() + static_cast<std::ptrdiff_t>(at),
                          lines.begin() + static_cast<std::ptrdiff_t>(end));
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at), lines.begin() + static_cast<std::ptrdiff_t>(end));
        const std::string text = seen_[to] + join(block);
        const std::string stem = fs::path(to).stem().string();
        set_text(from, fmt::format("from {} import *\n", stem) + join(lines));
        set_text(to, text);
        return;
      }
    }
  }

  void edit() {
    if (seen_.empty()) {
      set_text("fresh.py", "import torch\n");
      return;
    }
    const std::string name = some_file();
    if (random_.below(100) < statements_) {
      std::string text = seen_[last_.empty() || !seen_.contains(last_) || random_.one_in(4) ? last_ = name : last_];
      for (std::size_t i = 0; i < 1 + random_.below(3); ++i) {
        edit_statement(text, random_);
      }
      return set_text(last_, std::move(text));
    }
    switch (random_.below(20)) {
    case 0:
      return remove(name);
    case 1:
      return set_text(new_name(), seen_[some_file()]);
    case 2: { // another name for a module
      const std::string text = seen_[name];
      remove(name);
      return set_text(new_name(), text);
    }
    case 3:
      return edit_requirements();
    case 4:
    case 5:
      return move_definition();
    case 6:
    case 7:
      if (const auto text = original_.find(name); text != original_.end()) {
        set_text(name, text->second);
      }
      return;
    case 8:
    case 9:
      if (!open_.empty()) {
        close(*std::next(open_.begin(), static_cast<std::ptrdiff_t>(random_.below(open_.size()))));
      }
      return;
    case 10: { // an import of another file
      const std::string stem = fs::path(some_file()).stem().string();
      return set_text(name,
                      (random_.one_in(2) ? "from " + stem + " import *\n" : "import " + stem + "\n") + seen_[name]);
    }
    case 11: // opened, and nothing done
      return set_text(name, seen_[name]);
    default: {
      std::string text = seen_[name];
      for (std::size_t i = 0; i < 1 + random_.below(2); ++i) {
        edit_text(text, random_);
      }
      return set_text(name, std::move(text));
    }
    }
  }

  Random random_;
  u32 jobs_;
  u64 statements_; // percent of the edits
  fs::path start_;
  project::TempTree work_;
  project::TempTree truth_;
  std::map<std::string, std::string> original_;
  std::map<std::string, std::string> on_disk_; // where the Workspace is
  std::map<std::string, std::string> seen_;    // what it should see
  std::set<std::string> open_;
  std::optional<Workspace> workspace_;
  std::vector<std::string> history_;          // of this step
  std::set<std::string> edited_;              // in this step
  std::string last_;                          // the file whose statements were edited
  std::map<std::string, std::string> before_; // what was said of each file
};

bool read_number(std::string_view text, u64 &number) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  return end.ec == std::errc{} && end.ptr == text.data() + text.size();
}

bool read_arguments(int count, char **texts, Arguments &arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string_view text = texts[i];
    if (!text.starts_with("--")) {
      arguments.folders.emplace_back(fs::absolute(text).string());
      continue;
    }
    u64 number = 0;
    if (i + 1 == count || !read_number(texts[++i], number)) {
      return false;
    }
    if (text == "--edits") {
      arguments.edits = number;
    } else if (text == "--seed") {
      arguments.seed = number;
    } else if (text == "--files") {
      arguments.files = number;
    } else if (text == "--seconds") {
      arguments.seconds = static_cast<double>(number);
    } else if (text == "--statements") {
      arguments.statements = number;
    } else if (text == "--jobs") {
      arguments.jobs = static_cast<u32>(number);
    } else {
      return false;
    }
  }
  return !arguments.folders.empty();
}

int run_all(const Arguments &arguments) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto is_over = [&] { return std::chrono::duration<double>(Clock::now() - start).count() > arguments.seconds; };
  constexpr u64 kEditsPerProject = 50;
  Counts counts;
  for (u64 round = 0; counts.edits < arguments.edits && !is_over(); ++round) {
    const std::string &folder = arguments.folders[round % arguments.folders.size()];
    const u64 seed = arguments.seed * 1'000'003 + round;
    Project project(folder, arguments, seed);
    if (!project.run(std::min(kEditsPerProject, arguments.edits - counts.edits), is_over, counts)) {
      fmt::print("in {}, --seed {}, round {}\n", folder, arguments.seed, round);
      return 1;
    }
  }
  fmt::print(
      "{} edits, {} findings, {} files judged again, {} files parsed again, {} groups recalled, {} changed what is "
      "said of other files\n",
      counts.edits, counts.findings, counts.linted, counts.parsed, counts.recalled, counts.elsewhere);
  return 0;
}

} // namespace

} // namespace deepperf::check

int main(int count, char **texts) {
  deepperf::check::Arguments arguments;
  if (!deepperf::check::read_arguments(count, texts, arguments)) {
    std::fputs(
        "usage: random_edits [--edits N] [--seed N] [--files N] [--seconds N] [--jobs N] [--statements N] FOLDER...\n",
        stderr);
    return 2;
  }
  return deepperf::check::run_all(arguments);
}
