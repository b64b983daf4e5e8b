#include "check/check_all.h"

#include "check/keep.h"
#include "check/restore.h"
#include "project/requirements.h"
#include "rules/registry.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace deepperf::check {

namespace {

FileError error_at(FileIndex file, const python::Source &source, python::Span span, FileError::Level level,
                   std::string message) {
  const python::Position start = source.position(span.start);
  const python::Position end = source.position(std::max(span.end, span.start));
  FileError error;
  error.file = file;
  error.level = level;
  error.line = start.line;
  error.column = start.column;
  error.end_column = end.line == start.line && end.cell == start.cell ? end.column : start.column + 1;
  error.cell = start.cell;
  error.message = std::move(message);
  // For a code frame only: of a line that is as long as a file there is nothing to see.
  constexpr std::size_t kLongest = 4096;
  const std::string_view line = source.line_text(span.start);
  const auto before = static_cast<std::size_t>(source.text().data() + span.start - line.data());
  error.line_text = before < kLongest ? line.substr(0, kLongest) : std::string_view();
  return error;
}

// A cache that somebody has tampered with can point into a file that could not be read.
void drop_findings_without_text(Result &result) {
  const auto has_text = [&result](FileIndex file) { return result.files[file.value].source != nullptr; };
  std::erase_if(result.findings, [&](const rules::Finding &finding) {
    return !has_text(finding.file) ||
           !std::ranges::all_of(finding.notes, [&](const rules::Note &note) { return has_text(note.file); });
  });
}

void note_errors(FileIndex index, const LoadedFile &file, Result &result) {
  CheckedFile checked;
  checked.path = file.parsed.path;
  checked.serial = file.serial;
  if (file.known != nullptr) {
    for (FileError error : file.known->errors) {
      error.file = index;
      result.errors.push_back(std::move(error));
    }
    checked.suppressed_errors = file.known->suppressed_errors;
    if (!file.known->is_unreadable) {
      checked.source = &file.parsed.source;
      checked.comments = &file.parsed.tree.comments;
      result.byte_count += file.parsed.size;
    }
  } else if (!file.load_errors.empty()) {
    for (const python::SourceError &problem : file.load_errors) {
      FileError error;
      error.file = index;
      error.level = FileError::Level::Unreadable;
      error.line = problem.line;
      error.column = problem.column;
      error.end_column = problem.column + 1;
      error.message = problem.message;
      result.errors.push_back(std::move(error));
    }
  } else {
    const python::Tree &tree = file.parsed.tree;
    checked.source = &file.parsed.source;
    checked.comments = &tree.comments;
    checked.suppressed_errors = tree.suppressed_errors;
    if (tree.is_python2) {
      result.errors.push_back(error_at(index, file.parsed.source, tree.python2_evidence, FileError::Level::Note,
                                       "this file is Python 2, and is checked as Python 2"));
    }
    for (const python::SyntaxError &error : tree.errors) {
      result.errors.push_back(
          error_at(index, file.parsed.source, error.span, FileError::Level::SyntaxError, error.message));
    }
    for (FileError error : file.unknown_rules) {
      error.file = index;
      result.errors.push_back(std::move(error));
    }
    result.byte_count += file.parsed.size;
  }
  result.files.push_back(std::move(checked));
}

// Nothing if what the cache knows turns out to be no good.
std::optional<Result> try_check(const Options &options, Progress &progress, CheckState &state) {
  LoadedFiles &loaded = state.loaded;
  const Cache *const cache = state.cache.get();
  find_files(options, progress, cache, loaded);
  Result result;
  const std::optional<Groups> groups = find_groups(options, cache, loaded);
  if (!groups || (cache != nullptr && !restore_findings(options, *cache, *groups, loaded, state.groups))) {
    return std::nullopt;
  }
  lint_files(options, progress, loaded, groups->to_lint, state.groups, result.timings);
  for (LintedGroup &group : state.groups) {
    std::ranges::copy(group.failures, std::back_inserter(result.errors));
    result.hidden += group.hidden;
    if (loaded.stay) {
      std::ranges::copy(group.findings, std::back_inserter(result.findings));
    } else {
      std::ranges::move(group.findings, std::back_inserter(result.findings));
    }
  }
  rules::sort_findings(result.findings);
  const std::size_t failures = result.errors.size();
  note_files(loaded, result);
  if (cache != nullptr) {
    keep_results(options, *cache, loaded, *groups, result, failures);
  }
  finish_result(result);
  return result;
}

void forget_files(LoadedFiles &loaded) {
  loaded.files.clear();
  loaded.workers.clear();
  loaded.unreadable_folders = 0;
}

} // namespace

void note_files(const LoadedFiles &loaded, Result &result) {
  result.file_count = loaded.files.size() - loaded.unreadable_folders;
  result.files.reserve(loaded.files.size());
  for (u32 i = 0; i < loaded.files.size(); ++i) {
    note_errors({i}, *loaded.files[i], result);
  }
}

void finish_result(Result &result) {
  drop_findings_without_text(result);
  std::ranges::stable_sort(result.errors, {}, [](const FileError &error) { return error.file.value; });
  const auto is_unknown_rule = [](const FileError &error) { return error.level == FileError::Level::UnknownRule; };
  std::ranges::copy_if(result.errors, std::back_inserter(result.unknown_rules), is_unknown_rule);
  std::erase_if(result.errors, is_unknown_rule);
}

Result check_all(const Options &options, Progress &progress, CheckState &state) {
  project::forget_requirements(); // they may have changed since the last check of this process
  state.cache = open_cache(options);
  std::optional<Result> result = try_check(options, progress, state);
  if (!result) {
    progress.found = 0;
    progress.done = 0;
    forget_known(*state.cache);
    forget_files(state.loaded);
    state.groups.clear();
    result = try_check(options, progress, state);
  }
  return std::move(*result);
}

} // namespace deepperf::check
