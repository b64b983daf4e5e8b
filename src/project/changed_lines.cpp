#include "project/changed_lines.h"

#include "project/loose_objects.h"

#include <fmt/format.h>
#include <git2.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace deepperf::project {

namespace {

template <class T, void (*Free)(T *)> struct Handle {
  Handle() = default;
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  ~Handle() { Free(value); }
  T *value = nullptr;
};

std::string last_error() {
  const git_error *const error = git_error_last();
  return error != nullptr && error->message != nullptr ? error->message : "unknown error of libgit2";
}

struct LineRange {
  u32 first = 0;
  u32 last = 0;
};

struct Changes {
  std::unordered_map<std::string, std::vector<LineRange>> lines; // by path in the repository
  std::set<std::string> whole;                                   // files that are new, and submodules that differ
};

int note_file(const git_diff_delta *delta, float /*progress*/, void *payload) {
  auto &changes = *static_cast<Changes *>(payload);
  if (delta->status == GIT_DELTA_DELETED || delta->new_file.path == nullptr) {
    return 0;
  }
  // Of a binary file there are no hunks; to be on the safe side it has changed as a whole. So has a submodule.
  const bool is_whole = delta->status == GIT_DELTA_ADDED || delta->status == GIT_DELTA_UNTRACKED ||
                        delta->status == GIT_DELTA_TYPECHANGE || delta->status == GIT_DELTA_CONFLICTED ||
                        delta->new_file.mode == GIT_FILEMODE_COMMIT || (delta->flags & GIT_DIFF_FLAG_BINARY) != 0;
  if (is_whole) {
    std::string path = delta->new_file.path;
    if (path.ends_with('/')) {
      path.pop_back();
    }
    changes.whole.insert(std::move(path));
  } else {
    changes.lines.try_emplace(delta->new_file.path);
  }
  return 0;
}

int note_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *payload) {
  auto &changes = *static_cast<Changes *>(payload);
  const auto start = static_cast<u32>(std::max(hunk->new_start, 0));
  const auto count = static_cast<u32>(std::max(hunk->new_lines, 0));
  // Where lines were only deleted, `start` is the line before them.
  changes.lines[delta->new_file.path].push_back(count == 0 ? LineRange{start, start + 1}
                                                           : LineRange{start, start + count - 1});
  return 0;
}

std::optional<std::string> compare(git_repository *repository, git_tree *tree, Changes &changes) {
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.flags = GIT_DIFF_INCLUDE_UNTRACKED | GIT_DIFF_RECURSE_UNTRACKED_DIRS | GIT_DIFF_INCLUDE_TYPECHANGE;
  options.context_lines = 0;
  if (const std::optional<std::string> damaged = damaged_object_of_submodules(repository)) {
    return fmt::format("{} is damaged", *damaged);
  }
  Handle<git_diff, git_diff_free> diff;
  git_diff_find_options similar = GIT_DIFF_FIND_OPTIONS_INIT;
  similar.flags = GIT_DIFF_FIND_RENAMES | GIT_DIFF_FIND_FOR_UNTRACKED;
  if (git_diff_tree_to_workdir_with_index(&diff.value, repository, tree, &options) != 0 ||
      git_diff_find_similar(diff.value, &similar) != 0 ||
      git_diff_foreach(diff.value, note_file, nullptr, note_hunk, nullptr, &changes) != 0) {
    return last_error();
  }
  return std::nullopt;
}

std::string real_folder(const std::filesystem::path &folder) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(folder.empty() ? "." : folder, error);
  return error ? folder.string() : real.string();
}

} // namespace

struct ChangedLines::Repository {
  Handle<git_repository, git_repository_free> handle;
  Handle<git_tree, git_tree_free> tree;
  Handle<git_index, git_index_free> index;
  Changes changes;

  [[nodiscard]] bool is_tracked(const std::string &path) const {
    Handle<git_tree_entry, git_tree_entry_free> entry;
    return git_index_get_bypath(index.value, path.c_str(), 0) != nullptr ||
           git_tree_entry_bypath(&entry.value, tree.value, path.c_str()) == 0;
  }

  [[nodiscard]] bool touch(const std::string &path, u32 first, u32 last) const {
    if (const auto changed = changes.lines.find(path); changed != changes.lines.end()) {
      return std::ranges::any_of(changed->second,
                                 [&](const LineRange &range) { return range.first <= last && first <= range.last; });
    }
    if (changes.whole.contains(path)) {
      return true;
    }
    if (is_tracked(path)) {
      return false;
    }
    // What is in a submodule has changed if the submodule has; what git ignores has no past.
    for (std::size_t slash = path.rfind('/'); slash != path.npos && slash != 0; slash = path.rfind('/', slash - 1)) {
      const std::string folder = path.substr(0, slash);
      if (changes.whole.contains(folder)) {
        return true;
      }
      if (git_index_get_bypath(index.value, folder.c_str(), 0) != nullptr) {
        return false;
      }
    }
    return true;
  }
};

struct ChangedLines::State {
  std::map<std::string, Repository> repositories; // by working directory, which ends in a slash
  std::map<std::string, std::string> folders;     // of files that were asked for, as they really are
};

ChangedLines::ChangedLines() : state_(std::make_unique<State>()) { git_libgit2_init(); }
ChangedLines::ChangedLines(ChangedLines &&) noexcept = default;
ChangedLines &ChangedLines::operator=(ChangedLines &&) noexcept = default;
ChangedLines::~ChangedLines() {
  if (state_ != nullptr) {
    state_.reset();
    git_libgit2_shutdown();
  }
}

std::optional<std::string> ChangedLines::add_repository(const std::string &path, const std::string &revision) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return fmt::format("there is no {}", path);
  }
  const std::string start = real_folder(path);
  Handle<git_repository, git_repository_free> found;
  if (const int status = git_repository_open_ext(&found.value, start.c_str(), 0, nullptr); status != 0) {
    return status == GIT_ENOTFOUND ? fmt::format("{} is not in a git repository", path)
                                   : fmt::format("cannot open the git repository of {}: {}", path, last_error());
  }
  if (!refuse_damaged_objects(found.value)) {
    return fmt::format("cannot open the git repository of {}: {}", path, last_error());
  }
  const char *const workdir = git_repository_workdir(found.value);
  if (workdir == nullptr) {
    return fmt::format("the git repository of {} has no working directory", path);
  }
  std::string root = real_folder(workdir);
  root += root.ends_with('/') ? "" : "/";
  const auto [place, is_new] = state_->repositories.try_emplace(root);
  if (!is_new) {
    return std::nullopt;
  }
  Repository &repository = place->second;
  std::swap(repository.handle.value, found.value);
  git_repository *const handle = repository.handle.value;
  Handle<git_object, git_object_free> object;
  Handle<git_object, git_object_free> peeled;
  if (git_revparse_single(&object.value, handle, revision.c_str()) != 0) {
    return fmt::format("unknown git revision '{}': {}", revision, last_error());
  }
  if (git_object_peel(&peeled.value, object.value, GIT_OBJECT_TREE) != 0) {
    return fmt::format("git revision '{}' is neither a commit nor a tree", revision);
  }
  repository.tree.value = reinterpret_cast<git_tree *>(std::exchange(peeled.value, nullptr)); // as libgit2 wants it
  if (git_repository_index(&repository.index.value, handle) != 0) {
    return fmt::format("cannot read the index of the git repository of {}: {}", path, last_error());
  }
  if (const std::optional<std::string> failure = compare(handle, repository.tree.value, repository.changes)) {
    return fmt::format("cannot compare with git revision '{}': {}", revision, *failure);
  }
  return std::nullopt;
}

bool ChangedLines::touch(const std::string &path, u32 first, u32 last) {
  const std::filesystem::path file(path);
  const std::string parent = file.parent_path().string();
  const auto [folder, is_new] = state_->folders.try_emplace(parent);
  if (is_new) {
    folder->second = real_folder(parent);
    folder->second += folder->second.ends_with('/') ? "" : "/";
  }
  const std::string real = folder->second + file.filename().string();
  // The innermost repository is the last whose name is a beginning of the path.
  const Repository *holder = nullptr;
  std::size_t length = 0;
  for (const auto &[root, repository] : state_->repositories) {
    if (real.starts_with(root) && root.size() > length) {
      holder = &repository;
      length = root.size();
    }
  }
  return holder == nullptr || holder->touch(real.substr(length), first, last);
}

} // namespace deepperf::project
