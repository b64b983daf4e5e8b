#include "check/parse_files.h"

#include "base/symbol.h"
#include "base/workers.h"
#include "project/walk.h"
#include "python/parser.h"

#include <algorithm>
#include <condition_variable>
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

LoadedFile unreadable(std::string path, std::string message) {
  LoadedFile file;
  file.parsed.path = std::move(path);
  file.load_errors.push_back({std::move(message), 0, 0});
  return file;
}

// What one worker parses with. Only the trees and texts of files that import a framework are kept; the others come to
// stand in the same memory, one after the other.
struct Worker {
  Arena &arena;
  LocalSymbols &symbols;
  python::Source source; // the one that is being read
  std::size_t most_kept = 0;

  [[nodiscard]] bool has_room() const { return arena.bytes_used() <= most_kept; }
};

// Of many repositories not everything is kept at once: what comes behind this much is parsed again when its turn comes.
constexpr std::size_t kMostKept = std::size_t{512} << 20;

// The path from where the user's own folders begin: behind the folder that was named on the command line.
std::string_view below_given(std::string_view path, const std::vector<std::string> &given) {
  std::size_t longest = 0;
  for (const std::string &root : given) {
    if (path.starts_with(root) && path.size() > root.size()) {
      longest = std::max(longest, root.size());
    } else if (path == root) { // a file that was named itself
      longest = std::max(longest, path.rfind('/') + 1);
    }
  }
  return path.substr(longest);
}

// Parses what the worker has read.
void parse_loaded(LoadedFile &file, const Options &options, Worker &worker) {
  if (!file.load_errors.empty()) {
    return;
  }
  model::ParsedFile &parsed = file.parsed;
  const Arena::Mark mark = worker.arena.mark();
  parsed.tree = python::parse(worker.source, worker.arena, worker.symbols);
  parsed.size = worker.source.text().size();
  model::find_imports(parsed);
  parsed.is_test = model::is_test_path(below_given(parsed.path, options.paths));
  parsed.has_tree = parsed.frameworks != 0 && (options.with_tests || !parsed.is_test) && worker.has_room();
  if (!parsed.has_tree) {
    parsed.tree.body = {};
    worker.arena.rewind(mark);
  }
  // What is wrong in a file is told with its line; what was not read from a file cannot be read again.
  const bool is_told = !parsed.tree.errors.empty() || parsed.tree.is_python2;
  if (parsed.has_tree || is_told || options.stdin_text.has_value()) {
    parsed.source = worker.source.kept_in(worker.arena);
    parsed.has_text = true;
  }
}

} // namespace

void forget(model::ParsedFile &file) {
  file.source = {};
  file.has_text = false;
}

void restore(model::ParsedFile &file, Arena &arena, LocalSymbols &symbols) {
  if (!file.has_text) {
    python::LoadResult loaded = python::load_file(file.path);
    // Gone in the meantime: then there is nothing in it.
    file.source = loaded.ok() ? std::move(loaded.source) : python::load_bytes(file.path, {}).source;
    file.has_text = true;
  }
  file.tree.body = python::parse(file.source, arena, symbols).body;
}

void parse_files(const Options &options, Progress &progress, LoadedFiles &result) {
  const u32 jobs = options.jobs == 0 ? available_cores() : options.jobs;
  FileQueue queue;
  std::vector<std::deque<LoadedFile>> found(jobs);
  result.arenas.resize(jobs);
  result.symbols.resize(jobs);
  // The first worker walks, then helps; the others parse what it has found so far.
  std::vector<u64> times(jobs);
  run_workers(jobs, [&](u32 index) {
    u64 *const time = options.timings ? &times[index] : nullptr;
    Worker worker{result.arenas[index], result.symbols[index], {}, kMostKept / jobs};
    if (index == 0) {
      if (options.stdin_text.has_value()) {
        LoadedFile &file = found[0].emplace_back();
        python::LoadResult loaded = python::load_bytes(options.stdin_name, *options.stdin_text);
        file.parsed.path = options.stdin_name;
        worker.source = std::move(loaded.source);
        file.load_errors = std::move(loaded.errors);
        parse_loaded(file, options, worker);
      }
      project::walk(
          options.paths, {.respect_ignore = options.respect_ignore},
          [&](std::string path) {
            ++progress.found;
            queue.push(std::move(path));
          },
          [&](std::string path, std::string message) {
            ++result.unreadable_folders;
            found[0].push_back(unreadable(std::move(path), std::move(message)));
          });
      queue.close();
    }
    std::string path;
    while (queue.pop(path)) {
      const rules::Stopwatch watch(time);
      LoadedFile &file = found[index].emplace_back();
      file.parsed.path = path;
      python::load_file_into(path, worker.source, file.load_errors);
      parse_loaded(file, options, worker);
      ++progress.done;
    }
  });
  for (const u64 time : times) {
    result.parse_time += time;
  }
  for (std::deque<LoadedFile> &files : found) {
    std::ranges::move(files, std::back_inserter(result.files));
  }
  std::ranges::sort(result.files, {}, [](const LoadedFile &file) -> const std::string & { return file.parsed.path; });
  for (u32 i = 0; i < result.files.size(); ++i) {
    result.files[i].parsed.index = {i};
  }
}

} // namespace deepperf::check
