#include "project/walk.h"

#include "base/open_path.h"
#include "base/types.h"
#include "project/gitignore.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace deepperf::project {
namespace {

// ---- What is wanted by name -----------------------------------------------------------------------------------------

bool is_version_control_folder(std::string_view name) { return name == ".git" || name == ".hg" || name == ".svn"; }

// Folders that hold other people's code, copies or output. (A folder with pyvenv.cfg is left out too, see visit().)
bool is_foreign_folder(std::string_view name) {
  constexpr std::array<std::string_view, 14> kNames = {
      "venv", ".venv", "build", "dist",        "node_modules",  "__pycache__",        "site-packages",
      ".tox", ".nox",  ".eggs", ".mypy_cache", ".pytest_cache", ".ipynb_checkpoints", ".ruff_cache"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// ---- Files and folders ----------------------------------------------------------------------------------------------

class FileDescriptor {
public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  FileDescriptor(const FileDescriptor &) = delete;
  FileDescriptor &operator=(const FileDescriptor &) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  [[nodiscard]] bool ok() const { return fd_ >= 0; }
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

private:
  int fd_;
};

struct CloseDirectory {
  void operator()(DIR *directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

// No descriptors are kept for the folders above, so that depth is not limited by how many may be open.
FileDescriptor open_folder(const std::string &path, bool follow_symlink) {
  return FileDescriptor(open_path(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follow_symlink ? 0 : O_NOFOLLOW)));
}

// A device and an inode: the same for the same file, whatever it is called.
struct FileId {
  u64 device = 0;
  u64 inode = 0;
  friend bool operator==(FileId, FileId) = default;
};
struct FileIdHash {
  std::size_t operator()(FileId id) const { return id.inode * 0x9E3779B97F4A7C15U ^ id.device; }
};

FileId id_of(const struct stat &info) { return {info.st_dev, info.st_ino}; }

std::string error_text(int error) { return std::generic_category().message(error); }

// Nobody writes more by hand; what is larger counts as if it were not there.
constexpr std::size_t kLargestIgnoreFile = std::size_t{1} << 20;

std::string read_small_file(int folder, const char *name) {
  return read_regular(folder, name, kLargestIgnoreFile).value_or(std::string());
}

// ---- Ignore rules, nested as the folders are ------------------------------------------------------------------------

// The rules of one folder, and those of the folders above it. Folders without ignore files make no level.
struct RuleLevel {
  const RuleLevel *parent = nullptr;
  IgnoreRules rules;
  std::size_t base = 0; // how much of a rule path lies above the folder that the rules stand in
};
using RuleLevels = std::deque<RuleLevel>; // all of a walk: they stay where they are until its end

// A rule path is a path from the top of the repository (or from where the walk starts, outside of one).
bool is_ignored(const RuleLevel *level, std::string_view rule_path, bool is_directory) {
  for (; level != nullptr; level = level->parent) {
    const Verdict verdict = lint(level->rules, rule_path.substr(level->base), is_directory);
    if (verdict != Verdict::None) {
      return verdict == Verdict::Ignore;
    }
  }
  return false;
}

// The user's global ignore file is left out on purpose: the result should not depend on whose machine it is.
const RuleLevel *add_level(RuleLevels &levels, int folder, const RuleLevel *parent, std::size_t base,
                           bool is_repository) {
  IgnoreRules rules;
  if (is_repository) {
    add_rules(read_small_file(folder, ".git/info/exclude"), rules);
  }
  add_rules(read_small_file(folder, ".gitignore"), rules);
  add_rules(read_small_file(folder, ".ignore"), rules);
  if (rules.patterns.empty()) {
    return parent;
  }
  return &levels.emplace_back(RuleLevel{parent, std::move(rules), base});
}

// What the folders above a starting point say of what is in it.
struct Surroundings {
  const RuleLevel *level = nullptr;
  std::string rule_prefix; // the starting point's own rule path, with a slash after it; empty at the top
};

// Without links in it; empty if there is no such file.
std::string real_path(const std::string &path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real == nullptr ? std::string() : real.get();
}

Surroundings surroundings_of(const std::string &start, RuleLevels &levels) {
  const std::string path = real_path(start);
  if (path.empty()) {
    return {};
  }
  auto is_repository = [](const std::string &folder) { return ::access((folder + "/.git").c_str(), F_OK) == 0; };
  std::string top = path == "/" ? "" : path;
  while (!is_repository(top)) {
    if (top.empty()) {
      return {};
    }
    top.resize(top.rfind('/'));
  }
  if (top.size() >= path.size()) {
    return {}; // it is the repository itself
  }

  Surroundings result;
  const std::string_view inside = std::string_view(path).substr(top.size() + 1);
  result.rule_prefix = std::string(inside) + '/';
  for (std::size_t base = 0; base < result.rule_prefix.size(); base = result.rule_prefix.find('/', base) + 1) {
    const FileDescriptor folder = open_folder(top + '/' + result.rule_prefix.substr(0, base), true);
    if (folder.ok()) {
      result.level = add_level(levels, folder.get(), result.level, base, base == 0);
    }
    const std::string_view child = inside.substr(0, inside.find('/', base));
    if (is_ignored(result.level, child, true)) {
      return {}; // the user asks for something ignored: then the rules that ignore it do not count
    }
  }
  return result;
}

// ---- The walk -------------------------------------------------------------------------------------------------------

struct PendingFolder {
  std::string path;      // as reported, with a slash after it; empty for the current folder
  std::size_t start = 0; // how much of it is the starting point
  const RuleLevel *level = nullptr;
  bool named = false; // by the user
};

// Something that may be the same as a file seen elsewhere: named by the user, or a symbolic link.
struct AliasedFile {
  std::string path;
  FileId id;
};

class Walker {
public:
  Walker(const WalkOptions &options, const std::function<void(std::string)> &on_file,
         const std::function<void(std::string, std::string)> &on_error)
      : options_(options), on_file_(on_file), on_error_(on_error) {}

  void run(const std::vector<std::string> &paths) {
    paths_ = paths;
    for (const std::string &path : paths) {
      start_at(path);
    }
    report_aliased();
  }

private:
  void start_at(const std::string &path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) {
      on_error_(path, error_text(errno));
      return;
    }
    if (!S_ISDIR(info.st_mode)) {
      aliased_.push_back({path, id_of(info)});
      return;
    }
    Surroundings around = options_.respect_ignore ? surroundings_of(path, levels_) : Surroundings{};
    PendingFolder folder{.path = path, .start = 0, .level = around.level, .named = true};
    if (path == "." || path == "./") {
      folder.path.clear();
    } else if (!path.ends_with('/')) {
      folder.path += '/';
    }
    folder.start = folder.path.size();
    start_name_ = options_.exclude != nullptr ? absolute_name(path) : "";
    rule_prefix_ = std::move(around.rule_prefix);
    pending_.push_back(std::move(folder));
    while (!pending_.empty()) {
      const PendingFolder next = std::move(pending_.back());
      pending_.pop_back();
      visit(next);
    }
  }

  struct Entry {
    std::string name;
    u64 inode = 0;
    unsigned char type = DT_UNKNOWN;
  };

  static std::string name_of(const PendingFolder &folder) {
    if (folder.path.empty()) {
      return ".";
    }
    return folder.path == "/" ? folder.path : folder.path.substr(0, folder.path.size() - 1);
  }

  void visit(const PendingFolder &folder) {
    const std::string shown = name_of(folder);
    FileDescriptor fd = open_folder(shown, folder.named);
    struct stat info {};
    if (!fd.ok() || ::fstat(fd.get(), &info) != 0) {
      on_error_(shown, error_text(errno));
      return;
    }
    if (seen_folders_.contains(id_of(info))) {
      return;
    }
    const Directory directory(::fdopendir(fd.get()));
    if (directory == nullptr) {
      on_error_(shown, error_text(errno));
      return;
    }
    fd.release(); // the directory closes it
    if (options_.on_folder) {
      options_.on_folder(folder.path);
    }
    const int folder_fd = ::dirfd(directory.get());

    // The folder is read to its end first: its ignore files count for entries that come before them.
    entries_.clear();
    bool has_rules = false;
    bool is_repository = false;
    bool is_environment = false;
    while (true) {
      errno = 0;
      const dirent *entry = ::readdir(directory.get()); // NOLINT(concurrency-mt-unsafe): the stream is ours
      if (entry == nullptr) {
        if (errno != 0) {
          on_error_(shown, error_text(errno));
        }
        break;
      }
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") {
        continue;
      }
      has_rules = has_rules || name == ".gitignore" || name == ".ignore";
      is_repository = is_repository || name == ".git";
      is_environment = is_environment || name == "pyvenv.cfg";
      // Most entries of most folders are neither folders nor Python; they cost no more than this test.
      if (entry->d_type == DT_DIR || is_python_name(name) || entry->d_type == DT_UNKNOWN) {
        entries_.push_back({std::string(name), entry->d_ino, entry->d_type});
      }
    }
    if (options_.respect_ignore && is_environment && !folder.named) {
      return;
    }
    seen_folders_.insert(id_of(info));

    std::string rule_path = rule_prefix_ + folder.path.substr(folder.start);
    const std::size_t base = rule_path.size();
    const RuleLevel *level = folder.level;
    if (options_.respect_ignore && (has_rules || is_repository)) {
      // A repository inside another one is a world of its own.
      level = add_level(levels_, folder_fd, is_repository ? nullptr : level, base, is_repository);
    }
    for (const Entry &entry : entries_) {
      rule_path.resize(base);
      rule_path += entry.name;
      take(folder, folder_fd, info.st_dev, entry, rule_path, level);
    }
  }

  [[nodiscard]] bool is_usually_skipped(std::string_view name) const {
    return (options_.exclude == nullptr || !options_.exclude->replace_usual) && is_foreign_folder(name);
  }

  // By the patterns of the options. Those that name the starting point, or a folder above it, do not count: the user
  // asks for it.
  [[nodiscard]] bool is_excluded(const PendingFolder &folder, const std::string &name, bool is_directory) const {
    if (options_.exclude == nullptr) {
      return false;
    }
    const std::string path = (start_name_ == "/" ? "" : start_name_) + '/' + folder.path.substr(folder.start) + name;
    const std::string_view inside = below(options_.exclude->folder, path);
    return !inside.empty() && lint(options_.exclude->rules, inside, is_directory) == Verdict::Ignore;
  }

  void take(const PendingFolder &folder, int folder_fd, u64 device, const Entry &entry, const std::string &rule_path,
            const RuleLevel *level) {
    const bool wanted = is_python_name(entry.name);
    bool is_directory = entry.type == DT_DIR;
    bool is_file = entry.type == DT_REG;
    bool is_link = entry.type == DT_LNK;
    if (entry.type == DT_UNKNOWN) { // some file systems do not tell
      struct stat info {};
      if (::fstatat(folder_fd, entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return;
      }
      is_directory = S_ISDIR(info.st_mode);
      is_file = S_ISREG(info.st_mode);
      is_link = S_ISLNK(info.st_mode);
    }
    if (is_directory) {
      const bool skipped =
          is_version_control_folder(entry.name) ||
          (options_.respect_ignore && (is_usually_skipped(entry.name) || is_ignored(level, rule_path, true) ||
                                       is_excluded(folder, entry.name, true)));
      if (!skipped) {
        pending_.push_back(
            {.path = folder.path + entry.name + '/', .start = folder.start, .level = level, .named = false});
      }
      return;
    }
    if (!wanted || (!is_file && !is_link) ||
        (options_.respect_ignore && (is_ignored(level, rule_path, false) || is_excluded(folder, entry.name, false)))) {
      return;
    }
    std::string path = folder.path + entry.name;
    if (is_file) {
      seen_files_.push_back({device, entry.inode});
      on_file_(std::move(path));
      return;
    }
    // Links to folders are not followed: that is what makes loops. Links to nowhere are nobody's problem here. And a
    // repository must not make us read, show or fix what is not in it.
    struct stat info {};
    if (::fstatat(folder_fd, entry.name.c_str(), &info, 0) == 0 && S_ISREG(info.st_mode) && stays_inside(path)) {
      aliased_.push_back({std::move(path), id_of(info)});
    }
  }

  // Does the link lead to a file below one of the folders that the user named?
  bool stays_inside(const std::string &link) {
    if (roots_.empty()) {
      for (const std::string &path : paths_) {
        roots_.push_back(real_path(path));
      }
    }
    const std::string target = real_path(link);
    return !target.empty() && std::ranges::any_of(roots_, [&](const std::string &root) {
      return !root.empty() && (root == "/" || (target.starts_with(root) && target[root.size()] == '/'));
    });
  }

  // Comes last, when all plain files are known: a set of them is only made if something may be among them.
  void report_aliased() {
    if (aliased_.empty()) {
      return;
    }
    std::unordered_set<FileId, FileIdHash> seen(seen_files_.begin(), seen_files_.end());
    for (AliasedFile &file : aliased_) {
      if (seen.insert(file.id).second) {
        on_file_(std::move(file.path));
      }
    }
  }

  const WalkOptions &options_;
  const std::function<void(std::string)> &on_file_;
  const std::function<void(std::string, std::string)> &on_error_;

  std::span<const std::string> paths_; // where the walk starts
  std::vector<std::string> roots_;     // the same without links in them; worked out when they are needed
  RuleLevels levels_;
  std::string rule_prefix_; // of the starting point that is being walked
  std::string start_name_;  // the same, as an absolute name; empty if there are no exclusions
  std::vector<PendingFolder> pending_;
  std::vector<Entry> entries_; // of the folder that is being visited
  std::unordered_set<FileId, FileIdHash> seen_folders_;
  std::vector<FileId> seen_files_;
  std::vector<AliasedFile> aliased_;
};

} // namespace

bool is_python_name(std::string_view name) {
  return name.ends_with(".py") || name.ends_with(".ipynb") || name.ends_with(".pyw");
}

void walk(const std::vector<std::string> &paths, const WalkOptions &options,
          const std::function<void(std::string path)> &on_file,
          const std::function<void(std::string path, std::string message)> &on_error) {
  Walker(options, on_file, on_error).run(paths);
}

} // namespace deepperf::project
