#include "check/restore.h"

#include "base/workers.h"
#include "check/filter.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <set>
#include <unordered_set>

namespace deepperf::check {

namespace {

constexpr u32 kNowhere = std::numeric_limits<u32>::max();

u32 number_of(const Cache &cache, const KnownFile &file) { return static_cast<u32>(&file - cache.known.files.data()); }

// Where the files of the cache are among those that were found.
std::vector<u32> places_of(const Cache &cache, const LoadedFiles &loaded) {
  std::vector<u32> places(cache.known.files.size(), kNowhere);
  for (u32 i = 0; i < loaded.files.size(); ++i) {
    if (const KnownFile *const known = loaded.files[i]->known) {
      places[number_of(cache, *known)] = i;
    }
  }
  return places;
}

std::string folder_with(std::string_view path) { return std::string(path.substr(0, path.rfind('/') + 1)); }

// Folders whose requirements are not what they were.
std::set<std::string> changed_folders(const Cache &cache) {
  std::set<std::string> folders;
  for (const project::AskedFolder &asked : cache.known.folders) {
    if (project::requirements_fingerprint(asked) != asked.fingerprint) {
      folders.insert(asked.folder);
    }
  }
  return folders;
}

// Groups that were found, next to those that the cache has.
class GroupMatcher {
public:
  GroupMatcher(const Cache &cache, LoadedFiles &loaded)
      : cache_(cache), loaded_(loaded), changed_(changed_folders(cache)),
        group_of_(cache.known.files.size(), kNowhere) {
    for (u32 i = 0; i < cache.known.groups.size(); ++i) {
      group_of_[cache.known.groups[i].members[0]] = i;
    }
  }

  // The known group of the same files with the same contents and requirements; null if there is none.
  [[nodiscard]] const KnownGroup *find(const model::Group &group) const {
    const u32 first = number_of(*group[0]);
    if (first == kNowhere || group_of_[first] == kNowhere) {
      return nullptr;
    }
    const KnownGroup &known = cache_.known.groups[group_of_[first]];
    const bool is_same = std::ranges::equal(group, known.members, {},
                                            [this](const model::ParsedFile *file) { return number_of(*file); });
    return is_same && !depends_on_changed(known) ? &known : nullptr;
  }

  [[nodiscard]] bool depends_on_changed(const KnownGroup &group) const {
    return !changed_.empty() && std::ranges::any_of(group.members, [this](u32 member) {
      return changed_.contains(folder_with(cache_.known.files[member].path));
    });
  }
  [[nodiscard]] bool has_changed_folders() const { return !changed_.empty(); }

private:
  [[nodiscard]] u32 number_of(const model::ParsedFile &file) const {
    const KnownFile *const known = loaded_.files[file.index.value]->known;
    return known != nullptr ? check::number_of(cache_, *known) : kNowhere;
  }

  const Cache &cache_;
  LoadedFiles &loaded_;
  std::set<std::string> changed_;
  std::vector<u32> group_of_; // by first member
};

// Groups depend on the files alone, so the known ones are all there are.
void take_groups_of_same_tree(const Cache &cache, LoadedFiles &loaded, Groups &groups) {
  const GroupMatcher matcher(cache, loaded);
  const std::vector<u32> places = places_of(cache, loaded);
  for (const KnownGroup &known : cache.known.groups) {
    if (!matcher.depends_on_changed(known)) {
      groups.known.push_back(&known);
      continue;
    }
    model::Group &group = groups.to_lint.emplace_back();
    for (const u32 member : known.members) {
      group.push_back(&loaded.files[places[member]]->parsed);
    }
  }
  groups.is_same_tree = true;
  groups.is_same_cache =
      !matcher.has_changed_folders() && std::ranges::all_of(loaded.files, [](const std::unique_ptr<LoadedFile> &file) {
        return !file->known->is_recent && file->known->version.stamp == file->version->stamp;
      });
}

bool is_same_tree(const Cache &cache, const LoadedFiles &loaded) {
  return cache.known.has_all_groups && loaded.files.size() == cache.known.files.size() &&
         std::ranges::all_of(loaded.files,
                             [](const std::unique_ptr<LoadedFile> &file) { return file->known != nullptr; });
}

std::string imports_to_keep(const LoadedFiles &loaded) {
  std::vector<const model::ParsedFile *> files;
  for (const std::unique_ptr<LoadedFile> &file : loaded.files) {
    if (file->version) {
      files.push_back(&file->parsed);
    }
  }
  return encode_imports(files);
}

bool restore_text(LoadedFile &file, const LoadedFiles &loaded, Worker &worker) {
  std::vector<python::SourceError> errors;
  if (!python::load_file_into(file.parsed.path, worker.source, errors) ||
      worker.source.version->hash != file.version->hash || worker.source.text().size() != file.known->text_size) {
    return false;
  }
  keep_text(file, loaded, worker);
  return true;
}

} // namespace

bool restore_imports(const Cache &cache, LoadedFiles &loaded) {
  std::vector<model::ParsedFile *> files;
  for (const u32 place : places_of(cache, loaded)) {
    files.push_back(place == kNowhere ? nullptr : &loaded.files[place]->parsed);
  }
  return cache.known.files.empty() || decode_imports(cache.known.imports, files);
}

std::optional<Groups> find_groups(const Options &options, const Cache *cache, LoadedFiles &loaded) {
  Groups groups;
  if (cache != nullptr && is_same_tree(*cache, loaded)) {
    take_groups_of_same_tree(*cache, loaded, groups);
    return groups;
  }
  if (cache != nullptr) {
    if (!restore_imports(*cache, loaded)) {
      return std::nullopt;
    }
    groups.imports = imports_to_keep(loaded);
  }
  std::vector<model::ParsedFile *> files;
  for (const std::unique_ptr<LoadedFile> &file : loaded.files) {
    files.push_back(&file->parsed);
  }
  groups.to_lint = model::group_files(files, options.with_tests);
  if (cache != nullptr && !cache->known.groups.empty()) {
    const GroupMatcher matcher(*cache, loaded);
    std::erase_if(groups.to_lint, [&](const model::Group &group) {
      const KnownGroup *const known = matcher.find(group);
      if (known != nullptr) {
        groups.known.push_back(known);
      }
      return known != nullptr;
    });
  }
  return groups;
}

bool restore_findings(const Options &options, const Cache &cache, const Groups &groups, LoadedFiles &loaded,
                      std::vector<LintedGroup> &linted) {
  const std::vector<u32> places = places_of(cache, loaded);
  std::unordered_set<u32> pointed_at;
  const auto place = [&](FileIndex file) {
    pointed_at.insert(places[file.value]);
    return FileIndex{places[file.value]};
  };
  for (const KnownGroup *group : groups.known) {
    LintedGroup &restored = linted.emplace_back();
    for (const u32 member : group->members) {
      restored.members.push_back(places[member]);
    }
    std::ranges::sort(restored.members);
    for (const rules::Finding &known : group->findings) {
      if (options.filter != nullptr && !is_wanted(known, *options.filter, restored.hidden)) {
        continue;
      }
      rules::Finding &finding = restored.findings.emplace_back(known);
      finding.file = place(finding.file);
      for (rules::Note &note : finding.notes) {
        note.file = place(note.file);
      }
    }
  }
  const std::vector<u32> files(pointed_at.begin(), pointed_at.end());
  std::atomic<bool> is_good = true;
  std::atomic<std::size_t> next{0};
  const auto workers = static_cast<u32>(std::min(loaded.workers.size(), files.size()));
  run_workers(workers, [&](u32 index) {
    for (std::size_t i = next++; i < files.size() && is_good; i = next++) {
      LoadedFile &file = *loaded.files[files[i]];
      file.parsed.tree.comments = file.known->comments;
      if (!restore_text(file, loaded, loaded.workers[index])) {
        is_good = false;
      }
    }
  });
  return is_good;
}

} // namespace deepperf::check
