#include "check/check.h"

#include "check/judge_files.h"

#include <algorithm>
#include <chrono>

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

} // namespace

Result run(const Options &options, Progress &progress) {
  const auto start = std::chrono::steady_clock::now();
  auto loaded = std::make_shared<LoadedFiles>();
  find_files(options, progress, *loaded);
  Result result;
  result.file_count = loaded->files.size() - loaded->unreadable_folders;
  judge_files(options, progress, *loaded, result);
  for (u32 i = 0; i < loaded->files.size(); ++i) {
    note_errors({i}, loaded->files[i], result);
  }
  std::ranges::stable_sort(result.errors, {}, [](const FileError &error) { return error.file.value; });
  result.storage = loaded;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

} // namespace deepperf::check
