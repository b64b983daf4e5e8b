#include "check/check.h"

#include "base/arena.h"
#include "base/workers.h"
#include "project/walk.h"
#include "python/parser.h"
#include "python/source.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace deepperf::check {

namespace {

// Files on their way from the walk to the workers.
class FileQueue {
public:
  void push(std::string path) {
    {
      const std::scoped_lock lock(mutex_);
      paths_.push_back(std::move(path));
    }
    changed_.notify_one();
  }
  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }
  // Waits for a path; false when there are no more.
  bool pop(std::string &path) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !paths_.empty(); });
    if (paths_.empty()) {
      return false;
    }
    path = std::move(paths_.front());
    paths_.pop_front();
    return true;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> paths_;
  bool closed_ = false;
};

// What one worker keeps from file to file.
struct Worker {
  Arena arena;
  LocalSymbols symbols;
  python::Source source;
  std::vector<python::SourceError> load_errors;
  std::vector<FileProblems> files;
  u64 file_count = 0;
  u64 byte_count = 0;
};

Problem problem_at(const python::Source &source, python::Span span, Problem::Level level, std::string message) {
  const python::Position start = source.position(span.start);
  const python::Position end = source.position(std::max(span.end, span.start));
  Problem problem;
  problem.level = level;
  problem.line = start.line;
  problem.column = start.column;
  problem.end_column = end.line == start.line && end.cell == start.cell ? end.column : start.column + 1;
  problem.cell = start.cell;
  problem.message = std::move(message);
  problem.line_text = source.line_text(span.start);
  return problem;
}

void check_file(const std::string &path, Worker &worker) {
  ++worker.file_count;
  worker.load_errors.clear();
  FileProblems found;
  if (!python::load_file_into(path, worker.source, worker.load_errors)) {
    for (python::SourceError &error : worker.load_errors) {
      Problem problem;
      problem.level = Problem::Level::Unreadable;
      problem.line = error.line;
      problem.column = error.column;
      problem.end_column = error.column + 1;
      problem.message = std::move(error.message);
      found.problems.push_back(std::move(problem));
    }
  } else {
    worker.byte_count += worker.source.text().size();
    worker.arena.reset();
    python::Tree tree = python::parse(worker.source, worker.arena, worker.symbols);
    if (tree.is_python2) {
      found.problems.push_back(problem_at(worker.source, tree.python2_evidence, Problem::Level::Note,
                                          "this file is Python 2; it is checked as such"));
    }
    for (python::SyntaxError &error : tree.errors) {
      found.problems.push_back(
          problem_at(worker.source, error.span, Problem::Level::SyntaxError, std::move(error.message)));
    }
    found.suppressed = tree.suppressed_errors;
  }
  if (!found.problems.empty()) {
    found.path = path;
    worker.files.push_back(std::move(found));
  }
}

} // namespace

Result run(const Options &options, Progress &progress) {
  const u32 jobs = options.jobs == 0 ? available_cores() : options.jobs;
  FileQueue queue;
  std::vector<Worker> workers(jobs);
  Result result;
  std::vector<FileProblems> walk_errors;
  // The first worker walks, then helps; the others parse what it has found so far.
  run_workers(jobs, [&](u32 index) {
    if (index == 0) {
      project::WalkOptions walk_options;
      walk_options.respect_ignore = options.respect_ignore;
      project::walk(
          options.paths, walk_options,
          [&](std::string path) {
            ++progress.found;
            queue.push(std::move(path));
          },
          [&](std::string path, std::string message) {
            Problem problem;
            problem.level = Problem::Level::Unreadable;
            problem.message = std::move(message);
            walk_errors.push_back({std::move(path), {std::move(problem)}, 0});
          });
      queue.close();
    }
    std::string path;
    while (queue.pop(path)) {
      check_file(path, workers[index]);
      ++progress.done;
    }
  });
  for (Worker &worker : workers) {
    result.file_count += worker.file_count;
    result.byte_count += worker.byte_count;
    std::move(worker.files.begin(), worker.files.end(), std::back_inserter(result.files));
  }
  std::move(walk_errors.begin(), walk_errors.end(), std::back_inserter(result.files));
  std::sort(result.files.begin(), result.files.end(),
            [](const FileProblems &a, const FileProblems &b) { return a.path < b.path; });
  return result;
}

} // namespace deepperf::check
