#include "check/find_files.h"

#include "base/hash.h"
#include "base/symbol.h"
#include "base/workers.h"
#include "check/cache.h"
#include "check/suppression.h"
#include "model/import_scan.h"
#include "project/walk.h"
#include "python/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <new>
#include <unordered_set>

namespace deepperf::check {

u64 LoadedFile::next_serial() {
  static std::atomic<u64> last{0};
  return ++last;
}

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

// Closes a queue, whatever happens before.
struct QueueEnd {
  explicit QueueEnd(FileQueue *closed) : queue(closed) {}
  QueueEnd(const QueueEnd &) = delete;
  QueueEnd &operator=(const QueueEnd &) = delete;
  ~QueueEnd() {
    if (queue != nullptr) {
      queue->close();
    }
  }
  FileQueue *queue;
};

// The path from where the user's own folders begin: after the folder that was named on the command line.
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

// Texts that wait in memory, all together; what is more is read again when its turn comes. Trees are never kept.
constexpr u64 kMostWaiting = u64{128} << 20;

// Notes what is in the file that the worker has read.
void look_into(LoadedFile &file, const Options &options, const LoadedFiles &loaded, Worker &worker,
               std::atomic<u64> &waiting) {
  if (!file.load_errors.empty()) {
    return;
  }
  model::ParsedFile &parsed = file.parsed;
  parsed.size = worker.source.text().size();
  parsed.is_test = model::is_test_path(below_given(parsed.path, options.paths));
  const auto may_wait = [&] {
    parsed.is_test |= model::is_test_file(parsed);
    return parsed.frameworks != 0 && (options.with_tests || !parsed.is_test);
  };
  const bool scanned = model::scan_imports(worker.source, worker.symbols, parsed);
  file.waits = scanned && may_wait();
  if (!file.waits) {
    parsed.tree = python::parse(worker.source, worker.scratch, scanned ? worker.known_names : worker.symbols);
    note_unknown_rules(file, worker.source);
    if (!scanned) {
      model::find_imports(parsed);
      file.waits = may_wait();
    }
    parsed.tree.body = {};
    worker.scratch.reset();
  }
  if (loaded.stay) {
    file.scanned_imports = parsed.imports;
    file.scanned_frameworks = parsed.frameworks;
  }
  // What was not read from a file cannot be read again.
  file.text_stays = is_reported(parsed) || options.stdin_text.has_value() || file.is_open ||
                    (file.waits && waiting.fetch_add(parsed.size) + parsed.size <= kMostWaiting);
  if (file.text_stays) {
    keep_text(file, loaded, worker);
  }
}

void take_known(const KnownFile &known, LoadedFile &file) {
  file.known = &known;
  file.parsed.size = known.text_size;
  file.parsed.is_test = known.is_test;
}

// Takes what is known if the file has not been touched since.
bool take_untouched(const Cache &cache, LoadedFile &file) {
  const KnownFile *const known = find_known(cache, file.parsed.path);
  if (known == nullptr || known->is_recent || find_stamp(file.parsed.path) != known->version.stamp) {
    return false;
  }
  file.version = known->version;
  file.hash = known->version.hash;
  file.read_at = cache.known.started;
  take_known(*known, file);
  return true;
}

// The same if it was touched, but the worker has read what it had read before.
bool take_unchanged(const Cache &cache, LoadedFile &file) {
  const KnownFile *const known = find_known(cache, file.parsed.path);
  if (known == nullptr || !file.version || known->version.hash != file.version->hash) {
    return false;
  }
  file.load_errors.clear(); // they are known as well
  take_known(*known, file);
  return true;
}

void load_unguarded(LoadedFile &file, const Options &options, const Cache *cache, const LoadedFiles &loaded,
                    Worker &worker, std::atomic<u64> &waiting) {
  file.is_open = loaded.open_texts != nullptr && loaded.open_texts->contains(file.parsed.path);
  if (cache != nullptr && !file.is_open && take_untouched(*cache, file)) {
    return;
  }
  read_text(file, loaded, worker);
  file.version = worker.source.version;
  if (cache == nullptr || !take_unchanged(*cache, file)) {
    look_into(file, options, loaded, worker, waiting);
  }
}

// A mistake of ours costs this file, and nothing else.
void load(LoadedFile &file, const Options &options, const Cache *cache, const LoadedFiles &loaded, Worker &worker,
          std::atomic<u64> &waiting) {
  try {
    load_unguarded(file, options, cache, loaded, worker, waiting);
  } catch (const std::exception &error) {
    note_failure(file, error.what());
    worker.scratch.reset();
  }
}

} // namespace

std::string failure_message(std::string_view where, std::string_view what) {
  return what == std::bad_alloc().what() ? fmt::format("out of memory: {} was not checked", where)
                                         : fmt::format("deepperf failed on {} ({}); please report that", where, what);
}

void note_failure(LoadedFile &file, std::string_view what) {
  file.load_errors = {{.message = failure_message("this file", what)}};
  file.parsed.tree = {};
  file.parsed.source = {};
  file.parsed.has_text = file.parsed.has_tree = file.waits = false;
  file.parsed.frameworks = 0;
  file.parsed.imports.clear();
  file.known = nullptr;
  file.is_unstable = true;
}

void note_unknown_rules(LoadedFile &file, const python::Source &source) {
  file.unknown_rules.clear();
  for (const UnknownRule &unknown : find_unknown_rules(source, file.parsed.tree.comments)) {
    const python::Position position = source.position(unknown.span.start);
    FileError &error = file.unknown_rules.emplace_back();
    error.level = FileError::Level::UnknownRule;
    error.line = position.line;
    error.column = position.column;
    error.end_column = position.column + static_cast<u32>(unknown.word.size());
    error.cell = position.cell;
    error.message = unknown.word;
  }
}

void note_reading(LoadedFile &file, const python::Source &source) {
  if (!file.version || !source.version || source.version->hash != file.version->hash) {
    file.known = nullptr;
    file.is_unstable = true;
  }
}

std::unique_ptr<LoadedFile> unreadable_folder(std::string path, std::string message) {
  auto file = std::make_unique<LoadedFile>();
  file->parsed.path = std::move(path);
  file->load_errors.push_back({std::move(message), 0, 0});
  file->is_folder = true;
  return file;
}

bool read_text(LoadedFile &file, const LoadedFiles &loaded, Worker &worker) {
  if (file.is_open) {
    const std::string &text = loaded.open_texts->find(file.parsed.path)->second;
    python::LoadResult result = python::load_bytes(file.parsed.path, text);
    worker.source = std::move(result.source);
    file.load_errors = std::move(result.errors);
    file.hash = hash_bytes(text);
    return file.load_errors.empty();
  }
  file.read_at = clock_now();
  const bool is_loaded = python::load_file_into(file.parsed.path, worker.source, file.load_errors);
  file.hash = worker.source.version ? worker.source.version->hash : 0;
  return is_loaded;
}

void keep_text(LoadedFile &file, const LoadedFiles &loaded, Worker &worker) {
  file.parsed.source = worker.source.kept_in(loaded.stay ? file.memory : worker.kept);
  file.parsed.has_text = true;
}

bool is_reported(const model::ParsedFile &file) { return !file.tree.errors.empty() || file.tree.is_python2; }

void find_files(const Options &options, Progress &progress, const Cache *cache, LoadedFiles &result) {
  const u32 jobs = options.jobs == 0 ? available_cores() : options.jobs;
  FileQueue queue;
  std::atomic<u64> waiting{0}; // bytes
  std::vector<std::vector<std::unique_ptr<LoadedFile>>> found(jobs);
  result.workers.resize(jobs);
  const auto walk = [&] {
    std::unordered_set<std::string_view> unseen; // texts without a file
    if (result.open_texts != nullptr) {
      for (const auto &[path, text] : *result.open_texts) {
        unseen.insert(path);
      }
    }
    const auto add = [&](std::string path) {
      ++progress.found;
      queue.push(std::move(path));
    };
    project::walk(
        options.paths, {.respect_ignore = options.respect_ignore, .exclude = options.exclude},
        [&](std::string path) {
          unseen.erase(path);
          add(std::move(path));
        },
        [&](std::string path, std::string message) {
          ++result.unreadable_folders;
          found[0].push_back(unreadable_folder(std::move(path), std::move(message)));
        });
    for (const std::string_view path : unseen) {
      add(std::string(path));
    }
    queue.close();
  };
  // The first worker walks, then helps; the others look into what it has found so far. Should it fail, they must not
  // wait for more.
  run_workers(jobs, [&](u32 index) {
    const QueueEnd end(index == 0 ? &queue : nullptr);
    Worker &worker = result.workers[index];
    u64 *const time = options.timings ? &worker.parse_time : nullptr;
    if (index == 0) {
      if (options.stdin_text.has_value()) {
        ++progress.found;
        LoadedFile &file = *found[0].emplace_back(std::make_unique<LoadedFile>());
        python::LoadResult loaded = python::load_bytes(options.stdin_name, *options.stdin_text);
        file.parsed.path = options.stdin_name;
        worker.source = std::move(loaded.source);
        file.load_errors = std::move(loaded.errors);
        look_into(file, options, result, worker, waiting);
      }
      walk();
    }
    std::string path;
    while (queue.pop(path)) {
      const rules::Stopwatch watch(time);
      LoadedFile &file = *found[index].emplace_back(std::make_unique<LoadedFile>());
      file.parsed.path = path;
      load(file, options, cache, result, worker, waiting);
      progress.done += file.waits ? 0 : 1;
    }
  });
  for (std::vector<std::unique_ptr<LoadedFile>> &files : found) {
    std::ranges::move(files, std::back_inserter(result.files));
  }
  std::ranges::sort(result.files, {},
                    [](const std::unique_ptr<LoadedFile> &file) -> const std::string & { return file->parsed.path; });
  for (u32 i = 0; i < result.files.size(); ++i) {
    result.files[i]->parsed.index = {i};
  }
}

std::vector<std::unique_ptr<LoadedFile>> load_files(const Options &options, const std::vector<std::string> &paths,
                                                    LoadedFiles &loaded) {
  std::vector<std::unique_ptr<LoadedFile>> files(paths.size());
  std::atomic<u64> waiting{0};
  std::atomic<std::size_t> next{0};
  const auto workers = static_cast<u32>(std::min(loaded.workers.size(), paths.size()));
  run_workers(workers, [&](u32 index) {
    for (std::size_t i = next++; i < paths.size(); i = next++) {
      files[i] = std::make_unique<LoadedFile>();
      files[i]->parsed.path = paths[i];
      load(*files[i], options, nullptr, loaded, loaded.workers[index], waiting);
    }
  });
  return files;
}

} // namespace deepperf::check
