#include "check/workspace.h"

#include "check/check_all.h"
#include "check/filter.h"
#include "check/restore.h"
#include "model/imports.h"
#include "project/requirements.h"
#include "project/walk.h"
#include "rules/registry.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace deepperf::check {

namespace {

constexpr u32 kNone = std::numeric_limits<u32>::max();

using Files = std::vector<std::unique_ptr<LoadedFile>>;

// There are bytes to compare, from wherever they came.
bool has_contents(const LoadedFile &file) { return file.is_open || file.version.has_value(); }

bool has_same_contents(const LoadedFile &a, const LoadedFile &b) {
  return has_contents(a) && has_contents(b) && a.hash == b.hash && !a.is_unstable && !b.is_unstable;
}

// Other files cannot tell one from the other when it comes to what belongs together.
bool has_same_imports(const LoadedFile &a, const LoadedFile &b) {
  const auto is_same = [](const model::ImportRef &one, const model::ImportRef &other) {
    return one.module == other.module && one.name == other.name && one.level == other.level;
  };
  return a.scanned_frameworks == b.scanned_frameworks && a.parsed.is_test == b.parsed.is_test &&
         std::ranges::equal(a.scanned_imports, b.scanned_imports, is_same);
}

void use_scanned_imports(LoadedFile &file) {
  file.parsed.imports = file.scanned_imports;
  file.parsed.frameworks = file.scanned_frameworks;
  file.parsed.near = 0;
  file.parsed.reaches_framework = false;
}

// Takes over what is new about a file whose contents are the same.
void move_unchanged(LoadedFile &from, LoadedFile &to) {
  to.version = from.version;
  to.read_at = from.read_at;
  to.is_open = from.is_open;
  if (from.is_open && !to.parsed.has_text && from.parsed.has_text) {
    to.memory = std::move(from.memory);
    to.parsed.source = std::move(from.parsed.source);
    to.parsed.has_text = true;
  }
  to.text_stays = to.text_stays || from.is_open;
}

bool is_regular_file(const std::string &path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool is_requirements_name(std::string_view path) {
  const auto name_of = [](std::string_view some) { return some.substr(some.rfind('/') + 1); };
  return std::ranges::any_of(project::requirements_files(),
                             [&](std::string_view file) { return name_of(file) == name_of(path); });
}

std::string folder_of(std::string_view path) { return std::string(path.substr(0, path.rfind('/') + 1)); }

void renumber(const std::vector<u32> &numbers, JudgedGroup &group) {
  for (u32 &member : group.members) {
    member = numbers[member];
  }
  for (rules::Finding &finding : group.findings) {
    finding.file.value = numbers[finding.file.value];
    for (rules::Note &note : finding.notes) {
      note.file.value = numbers[note.file.value];
    }
  }
  for (FileError &failure : group.failures) {
    failure.file.value = numbers[failure.file.value];
  }
}

void drop_tree(LoadedFile &file, bool and_text) {
  file.parsed.has_tree = false;
  file.parsed.tree.body = {};
  Arena memory;
  if (and_text) {
    file.parsed.source = {};
    file.parsed.has_text = file.text_stays = false;
  } else {
    file.parsed.source = file.parsed.source.kept_in(memory);
  }
  file.memory = std::move(memory);
}

} // namespace

// What is different from the check before.
struct Workspace::Changes {
  std::vector<bool> is_changed;          // by file: it is new or has other contents
  bool has_other_groups = false;         // files may belong together in other ways
  std::set<std::string> changed_folders; // with other requirements
};

Workspace::Workspace(Options options, const WorkspaceOptions &more)
    : options_(std::move(options)), more_(more), filter_(std::exchange(options_.filter, nullptr)) {}

Workspace::~Workspace() = default;

void Workspace::open(const std::string &path, std::string text) {
  const auto found = open_texts_.find(path);
  if (found != open_texts_.end() && found->second == text) {
    return;
  }
  open_texts_[path] = std::move(text);
  to_read_.insert(path);
}

void Workspace::change(const std::string &path, std::string text) { open(path, std::move(text)); }

void Workspace::close(const std::string &path) {
  if (open_texts_.erase(path) != 0) {
    to_read_.erase(path);
    walk_ = true; // whether there is such a file is for the walk to say
  }
}

void Workspace::touched(std::span<const std::string> paths) {
  touched_.insert(touched_.end(), paths.begin(), paths.end());
}

void Workspace::refresh() {
  walk_ = true;
  requirements_changed_ = true;
}

LoadedFile *Workspace::find(std::string_view path) const {
  const Files &files = state_->loaded.files;
  const auto path_of = [](const std::unique_ptr<LoadedFile> &file) -> std::string_view { return file->parsed.path; };
  const auto found = std::ranges::lower_bound(files, path, {}, path_of);
  return found != files.end() && (*found)->parsed.path == path && !(*found)->is_folder ? found->get() : nullptr;
}

void Workspace::look_at_touched() {
  for (const std::string &path : touched_) {
    requirements_changed_ = requirements_changed_ || is_requirements_name(path);
    const LoadedFile *const file = find(path);
    if (open_texts_.contains(path)) {
      continue; // its text is what we were told
    }
    if (file != nullptr && is_regular_file(path)) {
      to_read_.insert(path);
    } else {
      walk_ = true;
      requirements_changed_ = true; // a folder may have brought some
    }
  }
  touched_.clear();
}

// Walks, and takes out what is gone. What it returns are folders that cannot be read.
Files Workspace::find_removed_and_new(std::set<std::string> &to_read) {
  Files folders;
  std::unordered_set<std::string> seen;
  project::walk(
      options_.paths, {.respect_ignore = options_.respect_ignore},
      [&](std::string path) { seen.insert(std::move(path)); },
      [&](std::string path, std::string message) {
        folders.push_back(unreadable_folder(std::move(path), std::move(message)));
      });
  for (const auto &[path, text] : open_texts_) {
    seen.insert(path);
  }
  for (std::unique_ptr<LoadedFile> &file : state_->loaded.files) {
    const auto place = seen.find(file->parsed.path);
    if (file->is_folder || place == seen.end()) {
      file.reset();
      continue;
    }
    seen.erase(place);
    const bool is_open = open_texts_.contains(file->parsed.path);
    const bool is_untouched = is_open ? file->is_open
                                      : !file->is_open && file->version &&
                                            !is_too_recent(file->version->stamp, file->read_at) &&
                                            find_stamp(file->parsed.path) == file->version->stamp;
    if (!is_untouched) {
      to_read.insert(file->parsed.path);
    }
  }
  to_read.insert(seen.begin(), seen.end());
  return folders;
}

// Afterwards files, their numbers, and the members of groups are those of now. Groups with files that are gone are gone
// too.
Workspace::Changes Workspace::update_files() {
  Changes changes;
  LoadedFiles &loaded = state_->loaded;
  std::set<std::string> to_read = std::exchange(to_read_, {});
  Files added;
  work_.walked = walk_;
  if (std::exchange(walk_, false)) {
    added = find_removed_and_new(to_read);
    loaded.unreadable_folders = added.size();
  }
  const std::vector<std::string> paths(to_read.begin(), to_read.end());
  work_.files_read = paths.size();
  std::unordered_set<const LoadedFile *> changed;
  Files read = load_files(options_, paths, loaded);
  // Both are sorted by path.
  std::size_t at = 0;
  for (std::unique_ptr<LoadedFile> &fresh : read) {
    while (at < loaded.files.size() &&
           (loaded.files[at] == nullptr || loaded.files[at]->parsed.path < fresh->parsed.path)) {
      ++at;
    }
    const bool is_known = at < loaded.files.size() && loaded.files[at]->parsed.path == fresh->parsed.path;
    if (is_known && has_same_contents(*loaded.files[at], *fresh)) {
      move_unchanged(*fresh, *loaded.files[at]);
      continue;
    }
    changed.insert(fresh.get());
    if (is_known) {
      fresh->parsed.index = loaded.files[at]->parsed.index;
      changes.has_other_groups = changes.has_other_groups || !has_same_imports(*loaded.files[at], *fresh);
      loaded.files[at] = std::move(fresh);
    } else {
      fresh->parsed.index = {kNone};
      added.push_back(std::move(fresh));
    }
  }
  std::vector<u32> numbers(loaded.files.size(), kNone);
  const std::size_t removed = std::erase(loaded.files, nullptr);
  if (removed != 0 || !added.empty()) {
    changes.has_other_groups = true;
    for (std::unique_ptr<LoadedFile> &file : added) {
      file->parsed.index = {kNone};
      changed.insert(file.get());
      loaded.files.push_back(std::move(file));
    }
    std::ranges::sort(loaded.files, {},
                      [](const std::unique_ptr<LoadedFile> &file) -> const std::string & { return file->parsed.path; });
    for (u32 i = 0; i < loaded.files.size(); ++i) {
      FileIndex &index = loaded.files[i]->parsed.index;
      if (index.value != kNone) {
        numbers[index.value] = i;
      }
      index = {i};
    }
    std::vector<JudgedGroup> groups;
    std::vector<u64> ages;
    for (std::size_t i = 0; i < state_->groups.size(); ++i) {
      JudgedGroup &group = state_->groups[i];
      if (std::ranges::none_of(group.members, [&](u32 member) { return numbers[member] == kNone; })) {
        renumber(numbers, group);
        groups.push_back(std::move(group));
        ages.push_back(group_ages_[i]);
      }
    }
    state_->groups = std::move(groups);
    group_ages_ = std::move(ages);
  }
  changes.is_changed.resize(loaded.files.size());
  for (u32 i = 0; i < loaded.files.size(); ++i) {
    changes.is_changed[i] = changed.contains(loaded.files[i].get());
  }
  return changes;
}

void Workspace::find_changed_requirements(Changes &changes) {
  if (!std::exchange(requirements_changed_, false)) {
    return;
  }
  project::forget_requirements();
  for (auto &[folder, fingerprint] : asked_for_) {
    const u64 now = project::requirements_fingerprint(folder);
    if (now != fingerprint) {
      changes.changed_folders.insert(folder);
      fingerprint = now;
    }
  }
}

// Groups of which nothing has changed stay in the state, and no others.
std::vector<model::Group> Workspace::find_groups_to_judge(Changes &changes) {
  const Files &files = state_->loaded.files;
  const auto has_changed = [&](const JudgedGroup &group) {
    return std::ranges::any_of(group.members, [&](u32 member) {
      return changes.is_changed[member] || (!changes.changed_folders.empty() &&
                                            changes.changed_folders.contains(folder_of(files[member]->parsed.path)));
    });
  };
  std::vector<bool> is_kept(state_->groups.size(), false);
  std::vector<model::Group> to_judge;
  work_.grouped = changes.has_other_groups;
  if (!changes.has_other_groups) {
    for (std::size_t i = 0; i < state_->groups.size(); ++i) {
      is_kept[i] = !has_changed(state_->groups[i]);
      if (!is_kept[i]) {
        model::Group &group = to_judge.emplace_back();
        for (const u32 member : state_->groups[i].members) {
          group.push_back(&files[member]->parsed);
        }
      }
    }
    std::ranges::stable_sort(to_judge, std::ranges::greater{}, model::bytes_in);
  } else {
    std::vector<model::ParsedFile *> all;
    for (const std::unique_ptr<LoadedFile> &file : files) {
      use_scanned_imports(*file);
      all.push_back(&file->parsed);
    }
    std::vector<u32> group_of(files.size(), kNone); // by first member
    for (u32 i = 0; i < state_->groups.size(); ++i) {
      group_of[state_->groups[i].members[0]] = i;
    }
    to_judge = model::group_files(all, options_.with_tests);
    std::erase_if(to_judge, [&](const model::Group &group) {
      const u32 old = group_of[group[0]->index.value];
      if (old == kNone || has_changed(state_->groups[old]) ||
          !std::ranges::equal(group, state_->groups[old].members, {},
                              [](const model::ParsedFile *file) { return file->index.value; })) {
        return false;
      }
      is_kept[old] = true;
      return true;
    });
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < state_->groups.size(); ++i) {
    if (is_kept[i]) {
      std::swap(state_->groups[kept], state_->groups[i]);
      std::swap(group_ages_[kept], group_ages_[i]);
      ++kept;
    }
  }
  state_->groups.resize(kept);
  group_ages_.resize(kept);
  return to_judge;
}

void Workspace::judge(const std::vector<model::Group> &groups, Progress &progress) {
  work_.groups_judged = groups.size();
  for (const model::Group &group : groups) {
    work_.files_judged += group.size();
    work_.files_parsed +=
        static_cast<u64>(std::ranges::count_if(group, [](const model::ParsedFile *file) { return !file->has_tree; }));
  }
  judge_files(options_, progress, state_->loaded, groups, state_->groups, work_.timings);
}

// What was not judged for the longest time goes first.
void Workspace::keep_within_budget() {
  const Files &files = state_->loaded.files;
  const auto bytes_of = [&](u32 file) { return files[file]->parsed.has_tree ? files[file]->memory.bytes_used() : 0; };
  std::vector<bool> is_needed(files.size(), false); // its text
  std::vector<bool> is_grouped(files.size(), false);
  u64 total = 0;
  for (const JudgedGroup &group : state_->groups) {
    for (const u32 member : group.members) {
      is_grouped[member] = true;
      total += bytes_of(member);
    }
    for (const rules::Finding &finding : group.findings) {
      is_needed[finding.file.value] = true;
      for (const rules::Note &note : finding.notes) {
        is_needed[note.file.value] = true;
      }
    }
  }
  const auto drop = [&](u32 index) {
    LoadedFile &file = *files[index];
    if (file.parsed.has_tree) {
      drop_tree(file, !is_needed[index] && !file.is_open && !is_told(file.parsed));
    }
  };
  for (u32 i = 0; i < files.size(); ++i) {
    if (!is_grouped[i]) {
      drop(i);
    }
  }
  std::vector<std::size_t> by_age(state_->groups.size());
  std::iota(by_age.begin(), by_age.end(), std::size_t{0});
  std::ranges::stable_sort(by_age, {}, [this](std::size_t group) { return group_ages_[group]; });
  for (const std::size_t group : by_age) {
    for (const u32 member : state_->groups[group].members) {
      if (total <= more_.most_tree_bytes) {
        work_.tree_bytes = total;
        return;
      }
      total -= bytes_of(member);
      drop(member);
    }
  }
  work_.tree_bytes = total;
}

Result Workspace::tell() {
  Result result;
  for (const JudgedGroup &group : state_->groups) {
    std::ranges::copy(group.failures, std::back_inserter(result.errors));
    std::ranges::copy_if(group.findings, std::back_inserter(result.findings), [this](const rules::Finding &finding) {
      return filter_ == nullptr || is_wanted(finding, *filter_);
    });
  }
  rules::sort_findings(result.findings);
  note_files(state_->loaded, result);
  finish_result(result);
  return result;
}

Result Workspace::check_first(Progress &progress) {
  state_ = std::make_unique<CheckState>();
  state_->loaded.stay = true;
  state_->loaded.open_texts = &open_texts_;
  Result result = check_all(options_, progress, *state_);
  if (state_->cache != nullptr && !restore_imports(*state_->cache, state_->loaded)) {
    options_.cache = {};
    progress.found = progress.done = 0;
    return check_first(progress);
  }
  for (const std::unique_ptr<LoadedFile> &file : state_->loaded.files) {
    if (file->known != nullptr) {
      file->scanned_imports = file->parsed.imports;
      file->scanned_frameworks = file->parsed.frameworks;
    }
  }
  work_.walked = work_.grouped = true;
  work_.files_read = state_->loaded.files.size();
  to_read_.clear();
  touched_.clear();
  walk_ = requirements_changed_ = false;
  return result;
}

Result Workspace::check_again(Progress &progress) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point last = Clock::now();
  const auto lap = [&last](u64 &time) {
    const Clock::time_point now = Clock::now();
    time = static_cast<u64>(std::chrono::nanoseconds(now - std::exchange(last, now)).count());
  };
  look_at_touched();
  Changes changes = update_files();
  find_changed_requirements(changes);
  lap(work_.read_time);
  const std::vector<model::Group> groups = find_groups_to_judge(changes);
  lap(work_.group_time);
  judge(groups, progress);
  group_ages_.resize(state_->groups.size(), number_);
  lap(work_.judge_time);
  Result result = tell();
  lap(work_.tell_time);
  return result;
}

Result Workspace::check(Progress &progress) {
  const auto start = std::chrono::steady_clock::now();
  work_ = {};
  ++number_;
  Result result = state_ == nullptr ? check_first(progress) : check_again(progress);
  group_ages_.resize(state_->groups.size(), number_);
  for (const project::AskedFolder &asked : project::asked_folders()) {
    asked_for_[asked.folder] = asked.fingerprint;
  }
  for (const std::unique_ptr<LoadedFile> &file : state_->loaded.files) {
    if (file->is_unstable) {
      to_read_.insert(file->parsed.path);
    }
  }
  keep_within_budget();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

} // namespace deepperf::check
