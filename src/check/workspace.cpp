#include "check/workspace.h"

#include "check/check_all.h"
#include "check/filter.h"
#include "check/restore.h"
#include "model/imports.h"
#include "project/requirement_files.h"
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

constexpr u32 kNoFile = std::numeric_limits<u32>::max();

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

// Its stamp proves that what is on disk is what was read.
bool is_untouched(const LoadedFile &file) {
  return file.version && !is_too_recent(file.version->stamp, file.read_at) &&
         find_stamp(file.parsed.path) == file.version->stamp;
}

bool is_regular_file(const std::string &path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string folder_of(std::string_view path) { return std::string(path.substr(0, path.rfind('/') + 1)); }

void renumber(const std::vector<u32> &numbers, LintedGroup &group) {
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
  requirements_changed_ = requirements_changed_ || project::is_requirements_name(path);
}

void Workspace::change(const std::string &path, std::string text) { open(path, std::move(text)); }

void Workspace::close(const std::string &path) {
  if (open_texts_.erase(path) != 0) {
    to_read_.erase(path);
    walk_ = true; // whether there is such a file is for the walk to say
    requirements_changed_ = requirements_changed_ || project::is_requirements_name(path);
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

std::vector<std::string> Workspace::files_with(std::string_view path) const {
  const LoadedFile *const file = state_ != nullptr ? find(path) : nullptr;
  std::vector<std::string> paths;
  if (file == nullptr) {
    return paths;
  }
  for (const LintedGroup &group : state_->groups) {
    if (std::ranges::binary_search(group.members, file->parsed.index.value)) {
      for (const u32 member : group.members) {
        paths.push_back(state_->loaded.files[member]->parsed.path);
      }
      break;
    }
  }
  return paths;
}

void Workspace::look_at_touched() {
  for (const std::string &path : touched_) {
    requirements_changed_ = requirements_changed_ || project::is_requirements_name(path);
    const LoadedFile *const file = find(path);
    if (open_texts_.contains(path)) {
      requirements_changed_ = true; // there may be a module of that name only now
      continue;                     // its text is what we were told
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

// Walks. What it returns are folders that cannot be read.
Files Workspace::find_gone_and_new(std::vector<bool> &is_gone, std::set<std::string> &to_read) {
  Files folders;
  std::unordered_set<std::string> seen;
  project::walk(
      options_.paths, {.respect_ignore = options_.respect_ignore, .exclude = options_.exclude},
      [&](std::string path) { seen.insert(std::move(path)); },
      [&](std::string path, std::string message) {
        folders.push_back(unreadable_folder(std::move(path), std::move(message)));
      });
  for (const auto &[path, text] : open_texts_) {
    seen.insert(path);
  }
  const Files &files = state_->loaded.files;
  for (u32 i = 0; i < files.size(); ++i) {
    const LoadedFile &file = *files[i];
    const auto place = seen.find(file.parsed.path);
    is_gone[i] = file.is_folder || place == seen.end();
    if (is_gone[i]) {
      continue;
    }
    seen.erase(place);
    if (open_texts_.contains(file.parsed.path) ? !file.is_open : file.is_open || !is_untouched(file)) {
      to_read.insert(file.parsed.path);
    }
  }
  to_read.insert(seen.begin(), seen.end());
  return folders;
}

// Afterwards files, their numbers, and the members of groups are those of now. Groups with files that are gone are gone
// too.
Workspace::Changes Workspace::update_files() {
  Changes changes;
  Files &files = state_->loaded.files;
  std::vector<bool> is_gone(files.size(), false);
  std::set<std::string> to_read = std::exchange(to_read_, {});
  Files added;
  work_.walked = walk_;
  if (std::exchange(walk_, false)) {
    added = find_gone_and_new(is_gone, to_read);
    state_->loaded.unreadable_folders = added.size();
  }
  const std::vector<std::string> paths(to_read.begin(), to_read.end());
  work_.files_read = paths.size();
  Files changed = load_files(options_, paths, state_->loaded);
  std::vector<u32> places; // of the changed ones, among the files as they were
  std::erase_if(changed, [&](std::unique_ptr<LoadedFile> &fresh) {
    LoadedFile *const known = find(fresh->parsed.path);
    if (known == nullptr) {
      added.push_back(std::move(fresh));
      return true;
    }
    if (has_same_contents(*known, *fresh)) {
      move_unchanged(*fresh, *known);
      return true;
    }
    places.push_back(known->parsed.index.value);
    return false;
  });
  remember(is_gone, places);
  std::vector<bool> is_changed(files.size(), false);
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::unique_ptr<LoadedFile> &file = files[places[i]];
    changes.has_other_groups = changes.has_other_groups || !has_same_imports(*file, *changed[i]);
    changed[i]->parsed.index = file->parsed.index;
    file = std::move(changed[i]);
    is_changed[places[i]] = true;
  }
  if (added.empty() && std::ranges::count(is_gone, true) == 0) {
    changes.is_changed = std::move(is_changed);
    return changes;
  }
  changes.has_other_groups = true;
  change_file_list(is_gone, std::move(added), is_changed);
  changes.is_changed = std::move(is_changed);
  return changes;
}

// Groups that have one of these files may come back as they are now.
void Workspace::remember(const std::vector<bool> &is_gone, const std::vector<u32> &changed) {
  std::vector<bool> goes = is_gone;
  for (const u32 place : changed) {
    goes[place] = true;
  }
  for (LintedGroup &group : state_->groups) {
    if (std::ranges::any_of(group.members, [&](u32 member) { return goes[member]; })) {
      remembered_.add(group, state_->loaded);
    }
  }
}

// Takes files out and puts new ones in, and gives all of them their numbers.
void Workspace::change_file_list(const std::vector<bool> &is_gone, std::vector<std::unique_ptr<LoadedFile>> added,
                                 std::vector<bool> &is_changed) {
  Files &files = state_->loaded.files;
  residents_.forget(); // files get other numbers
  for (u32 i = 0; i < is_gone.size(); ++i) {
    if (is_gone[i]) {
      files[i] = nullptr;
    }
  }
  std::erase(files, nullptr);
  for (std::unique_ptr<LoadedFile> &file : added) {
    file->parsed.index = {kNoFile};
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, {},
                    [](const std::unique_ptr<LoadedFile> &file) -> const std::string & { return file->parsed.path; });
  std::vector<u32> numbers(is_gone.size(), kNoFile);
  const std::vector<bool> was_changed = std::exchange(is_changed, std::vector<bool>(files.size(), true));
  for (u32 i = 0; i < files.size(); ++i) {
    FileIndex &index = files[i]->parsed.index;
    if (index.value != kNoFile) {
      numbers[index.value] = i;
      is_changed[i] = was_changed[index.value];
    }
    index = {i};
  }
  std::vector<LintedGroup> groups;
  std::vector<u64> ages;
  for (std::size_t i = 0; i < state_->groups.size(); ++i) {
    LintedGroup &group = state_->groups[i];
    if (std::ranges::none_of(group.members, [&](u32 member) { return numbers[member] == kNoFile; })) {
      renumber(numbers, group);
      groups.push_back(std::move(group));
      ages.push_back(group_ages_[i]);
    }
  }
  state_->groups = std::move(groups);
  group_ages_ = std::move(ages);
}

void Workspace::find_changed_requirements(Changes &changes) {
  if (!std::exchange(requirements_changed_, false)) {
    return;
  }
  project::forget_requirements();
  for (auto &[folder, asked] : asked_for_) {
    const u64 now = project::requirements_fingerprint(asked);
    if (now != asked.fingerprint) {
      changes.changed_folders.insert(folder);
      asked.fingerprint = now;
      remembered_.forget();
      residents_.forget_lintings();
    }
  }
}

// Groups of which nothing has changed stay in the state, and no others.
std::vector<model::Group> Workspace::find_groups_to_lint(const Changes &changes) {
  const Files &files = state_->loaded.files;
  const auto has_changed = [&](const LintedGroup &group) {
    return std::ranges::any_of(group.members, [&](u32 member) {
      return changes.is_changed[member] || (!changes.changed_folders.empty() &&
                                            changes.changed_folders.contains(folder_of(files[member]->parsed.path)));
    });
  };
  std::vector<bool> is_kept(state_->groups.size(), false);
  std::vector<model::Group> to_lint;
  work_.grouped = changes.has_other_groups;
  if (!changes.has_other_groups) {
    for (std::size_t i = 0; i < state_->groups.size(); ++i) {
      is_kept[i] = !has_changed(state_->groups[i]);
      if (!is_kept[i]) {
        model::Group &group = to_lint.emplace_back();
        for (const u32 member : state_->groups[i].members) {
          group.push_back(&files[member]->parsed);
        }
      }
    }
    std::ranges::stable_sort(to_lint, std::ranges::greater{}, model::bytes_in);
  } else {
    std::vector<model::ParsedFile *> all;
    for (const std::unique_ptr<LoadedFile> &file : files) {
      use_scanned_imports(*file);
      all.push_back(&file->parsed);
    }
    std::vector<u32> group_of(files.size(), kNoFile); // by first member
    for (u32 i = 0; i < state_->groups.size(); ++i) {
      group_of[state_->groups[i].members[0]] = i;
    }
    to_lint = model::group_files(all, options_.with_tests);
    std::erase_if(to_lint, [&](const model::Group &group) {
      const u32 old = group_of[group[0]->index.value];
      if (old == kNoFile || has_changed(state_->groups[old]) ||
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
  return to_lint;
}

// Takes out what needs no analysis. What is told of files that have changed still wants their trees: syntax errors, and
// comments that silence findings.
void Workspace::recall(std::vector<model::Group> &groups) {
  std::vector<LoadedFile *> to_parse;
  std::erase_if(groups, [&](const model::Group &group) {
    LintedGroup recalled;
    if (!remembered_.recall(group, state_->loaded, recalled)) {
      return false;
    }
    for (const u32 member : recalled.members) {
      // Its text may have been dropped while nothing pointed into it.
      if (LoadedFile &file = *state_->loaded.files[member]; file.waits || !file.parsed.has_text) {
        to_parse.push_back(&file);
      }
    }
    state_->groups.push_back(std::move(recalled));
    ++work_.groups_recalled;
    return true;
  });
  work_.files_parsed += to_parse.size();
  parse_files(to_parse, state_->loaded);
}

void Workspace::lint(const std::vector<model::Group> &groups, Progress &progress) {
  work_.groups_linted = groups.size();
  for (const model::Group &group : groups) {
    work_.files_linted += group.size();
    work_.files_parsed +=
        static_cast<u64>(std::ranges::count_if(group, [](const model::ParsedFile *file) { return !file->has_tree; }));
  }
  state_->loaded.residents = &residents_;
  lint_files(options_, progress, state_->loaded, groups, state_->groups, work_.timings);
}

// What was not judged for the longest time goes first.
void Workspace::keep_within_budget() {
  const Files &files = state_->loaded.files;
  const auto bytes_of = [&](u32 file) { return files[file]->parsed.has_tree ? files[file]->memory.bytes_used() : 0; };
  std::vector<bool> is_needed(files.size(), false); // its text
  std::vector<bool> is_grouped(files.size(), false);
  u64 total = 0;
  for (const LintedGroup &group : state_->groups) {
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
      residents_.forget(index);
      drop_tree(file, !is_needed[index] && !file.is_open && !is_reported(file.parsed));
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

Result Workspace::add_finding() {
  Result result;
  for (const LintedGroup &group : state_->groups) {
    std::ranges::copy(group.failures, std::back_inserter(result.errors));
    result.hidden += group.hidden;
    std::ranges::copy_if(group.findings, std::back_inserter(result.findings), [&](const rules::Finding &finding) {
      return filter_ == nullptr || is_wanted(finding, *filter_, result.hidden);
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
  std::vector<model::Group> groups = find_groups_to_lint(changes);
  recall(groups);
  lap(work_.group_time);
  lint(groups, progress);
  group_ages_.resize(state_->groups.size(), number_);
  lap(work_.lint_time);
  Result result = add_finding();
  lap(work_.report_time);
  return result;
}

Result Workspace::check(Progress &progress) {
  const auto start = std::chrono::steady_clock::now();
  work_ = {};
  ++number_;
  project::set_open_requirements(open_texts_);
  Result result = state_ == nullptr ? check_first(progress) : check_again(progress);
  group_ages_.resize(state_->groups.size(), number_);
  for (project::AskedFolder &asked : project::asked_folders()) {
    std::string folder = asked.folder;
    asked_for_.insert_or_assign(std::move(folder), std::move(asked));
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
