#include "check/check.h"

#include "base/arena.h"
#include "base/workers.h"
#include "check/parse_files.h"
#include "model/imports.h"
#include "model/project.h"
#include "rules/registry.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <unordered_set>

namespace deepperf::check {

namespace {

FileError error_at(rules::FileIndex file, const python::Source &source, python::Span span, FileError::Level level,
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
  error.line_text = source.line_text(span.start);
  return error;
}

void note_errors(rules::FileIndex index, LoadedFile &file, Result &result) {
  CheckedFile checked;
  checked.path = file.parsed.path;
  if (!file.load_errors.empty()) {
    for (python::SourceError &problem : file.load_errors) {
      FileError error;
      error.file = index;
      error.level = FileError::Level::Unreadable;
      error.line = problem.line;
      error.column = problem.column;
      error.end_column = problem.column + 1;
      error.message = std::move(problem.message);
      result.errors.push_back(std::move(error));
    }
  } else {
    python::Tree &tree = file.parsed.tree;
    checked.source = &file.parsed.source;
    checked.comments = &tree.comments;
    checked.suppressed_errors = tree.suppressed_errors;
    if (tree.is_python2) {
      result.errors.push_back(error_at(index, file.parsed.source, tree.python2_evidence, FileError::Level::Note,
                                       "this file is Python 2; it is checked as such"));
    }
    for (const python::SyntaxError &error : tree.errors) {
      result.errors.push_back(
          error_at(index, file.parsed.source, error.span, FileError::Level::SyntaxError, error.message));
    }
    result.byte_count += file.parsed.size;
  }
  result.files.push_back(std::move(checked));
}

// Files that the findings, or the notes on them, point into.
std::unordered_set<u32> files_told_of(const rules::Findings &findings) {
  std::unordered_set<u32> files;
  for (const rules::Finding &finding : findings) {
    files.insert(finding.file.value);
    for (const rules::Note &note : finding.notes) {
      files.insert(note.file.value);
    }
  }
  return files;
}

// Phases 3 to 6: each group of files that belong together is analysed by one worker.
void judge_files(LoadedFiles &loaded, const Options &options, Result &result) {
  std::vector<model::ParsedFile *> parsed;
  for (LoadedFile &file : loaded.files) {
    parsed.push_back(&file.parsed);
  }
  const std::vector<model::Group> groups = model::group_files(parsed, options.with_tests);
  const u32 jobs = std::min<u32>(options.jobs == 0 ? available_cores() : options.jobs,
                                 std::max<u32>(1, static_cast<u32>(groups.size())));
  std::vector<rules::Findings> findings(groups.size());
  std::vector<rules::Timings> timings(jobs);
  std::atomic<std::size_t> next{0};
  run_workers(jobs, [&](u32 index) {
    rules::Timings *const time = options.timings ? &timings[index] : nullptr;
    Arena arena; // for the trees that were not kept
    LocalSymbols &symbols = loaded.symbols[index];
    for (std::size_t i = next++; i < groups.size(); i = next++) {
      std::vector<model::ParsedFile *> read_again;
      for (model::ParsedFile *file : groups[i]) {
        if (!file->has_text) {
          read_again.push_back(file);
        }
        if (!file->has_tree) {
          restore(*file, arena, symbols);
        }
      }
      std::unique_ptr<model::Project> project;
      {
        const rules::Stopwatch watch(time != nullptr ? &time->analyse : nullptr);
        project = model::analyse(groups[i]);
      }
      findings[i] = rules::judge(*project, time);
      const std::unordered_set<u32> told = files_told_of(findings[i]);
      for (model::ParsedFile *file : read_again) {
        if (!told.contains(file->index.value)) {
          forget(*file);
        }
      }
      project.reset();
      arena.reset();
    }
  });
  result.timings.parse = loaded.parse_time;
  for (const rules::Timings &some : timings) {
    result.timings.add(some);
  }
  for (rules::Findings &some : findings) {
    std::ranges::move(some, std::back_inserter(result.findings));
  }
  rules::sort_findings(result.findings);
}

} // namespace

Result run(const Options &options, Progress &progress) {
  const auto start = std::chrono::steady_clock::now();
  auto loaded = std::make_shared<LoadedFiles>();
  parse_files(options, progress, *loaded);
  Result result;
  result.file_count = loaded->files.size() - loaded->unreadable_folders;
  for (u32 i = 0; i < loaded->files.size(); ++i) {
    note_errors({i}, loaded->files[i], result);
  }
  judge_files(*loaded, options, result);
  result.storage = loaded;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

} // namespace deepperf::check
