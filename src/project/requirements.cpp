#include "project/requirements.h"

#include "base/function_ref.h"
#include "base/hash.h"
#include "base/open_path.h"
#include "project/requirement_files.h"
#include "project/requirement_text.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

namespace deepperf::project {

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path &path) {
  constexpr std::size_t kLargest = std::size_t{1} << 20; // no such file is longer
  return read_regular(path.string(), kLargest).value_or(std::string());
}

// What two files of a folder allow together; where they contradict each other, as those for several environments do,
// what either of them allows.
void join(VersionRange &range, const VersionRange &other) {
  const VersionRange before = range;
  if (other.at_least.has_value() && (!range.at_least.has_value() || *range.at_least < *other.at_least)) {
    range.at_least = other.at_least;
    range.where = other.where;
  }
  if (other.below.has_value()) {
    lower(range.below, *other.below);
  }
  if (!range.at_least.has_value() || !range.below.has_value() || *range.at_least < *range.below) {
    return;
  }
  range = before;
  if (!other.at_least.has_value() || (range.at_least.has_value() && *other.at_least < *range.at_least)) {
    range.at_least = other.at_least;
    range.where = other.where;
  }
  if (!other.below.has_value() || (range.below.has_value() && *range.below < *other.below)) {
    range.below = other.below;
  }
}

bool is_open(const VersionRange &range) { return !range.at_least.has_value() && !range.below.has_value(); }

bool has_module(const fs::path &folder, std::string_view module) {
  std::error_code error;
  return fs::is_regular_file(folder / module / "__init__.py", error) ||
         fs::is_regular_file(folder / "src" / module / "__init__.py", error);
}

struct Folder {
  Requirements requirements;
  std::set<std::string> names; // of all packages that its requirements.txt and the like ask for
  bool is_package = false;     // that pip can install
  std::vector<OwnPackage> own;
  bool is_root = false; // of a repository
};

u64 fingerprint_of(const Requirements &requirements) {
  std::string text;
  const auto add = [&text](const std::optional<Version> &version) {
    text += version ? std::to_string(version->major) + '.' + std::to_string(version->minor) + '.' +
                          std::to_string(version->patch)
                    : "-";
    text += ' ';
  };
  for (const auto &[package, range] : requirements) {
    text += package + ' ';
    add(range.at_least);
    add(range.below);
    text += range.where;
  }
  return hash_bytes(text);
}

class Cache {
public:
  const Requirements &find(const std::string &folder) {
    const std::scoped_lock lock(mutex_);
    return find_locked(folder);
  }

  bool brings(const std::string &folder, std::string_view package) {
    const std::scoped_lock lock(mutex_);
    return brings_locked(folder, std::string(package));
  }

  std::optional<std::string> find_packaging(const std::string &folder, const std::string &module) {
    const std::scoped_lock lock(mutex_);
    return find_packaging_locked(folder, module);
  }

  std::vector<AskedFolder> asked() {
    const std::scoped_lock lock(mutex_);
    std::map<std::string, AskedFolder> result;
    for (const auto &[folder, answer] : answers_) {
      result.try_emplace(folder);
    }
    for (const auto &[question, answer] : brought_) {
      result[question.first].packages.insert(question.second);
    }
    for (const auto &[question, answer] : packaging_) {
      result[question.first].modules.insert(question.second);
    }
    std::vector<AskedFolder> sorted;
    for (auto &[folder, asked] : result) {
      asked.folder = folder;
      asked.fingerprint = fingerprint_locked(asked);
      sorted.push_back(std::move(asked));
    }
    return sorted;
  }

  u64 fingerprint(const AskedFolder &asked) {
    const std::scoped_lock lock(mutex_);
    return fingerprint_locked(asked);
  }

  void forget() {
    const std::scoped_lock lock(mutex_);
    forget_answers();
    folders_.clear();
    brought_.clear();
    packaging_.clear();
    modules_.clear();
  }

  void set_open(std::map<std::string, std::string> texts) {
    const std::scoped_lock lock(mutex_);
    open_texts_ = std::move(texts);
  }

  void set_targets(Requirements targets) {
    const std::scoped_lock lock(mutex_);
    targets_ = std::move(targets);
    forget_answers();
  }

private:
  void forget_answers() {
    answers_.clear();
    aimed_.clear();
    own_.clear();
    joined_.clear();
  }

  const Requirements &find_locked(const std::string &folder) {
    const Requirements *&answer = answers_[folder];
    if (answer == nullptr) {
      answer = &find_nearest(folder);
      if (Requirements own = find_own(folder); !own.empty()) {
        own.insert(answer->begin(), answer->end()); // of other packages
        answer = &(own_[folder] = std::move(own));
      }
      if (!targets_.empty()) {
        Requirements &aimed = aimed_[folder] = targets_;
        aimed.insert(answer->begin(), answer->end()); // only packages that have no target
        answer = &aimed;
      }
    }
    return *answer;
  }

  bool brings_locked(const std::string &folder, const std::string &package) {
    const auto [place, is_new] = brought_.try_emplace({folder, package});
    if (is_new) {
      place->second = find_package(folder, package);
    }
    return place->second;
  }

  const std::optional<std::string> &find_packaging_locked(const std::string &folder, const std::string &module) {
    const auto [place, is_new] = packaging_.try_emplace({folder, module});
    if (is_new) {
      place->second = look_for_packaging(folder, module);
    }
    return place->second;
  }

  std::optional<std::string> look_for_packaging(std::string folder, const std::string &module) {
    constexpr u32 kHighest = 12;
    for (u32 height = 0; height <= kHighest; ++height) {
      std::error_code error;
      const fs::path path = fs::absolute(folder + "x", error).lexically_normal().parent_path();
      const Folder &found = read_folder(path);
      if (found.is_package && knows_module(path, module)) {
        return folder;
      }
      if (found.is_root || folder.size() <= 1 || folder == "./" || folder.ends_with("../")) {
        return std::nullopt;
      }
      folder.pop_back();
      folder.resize(folder.rfind('/') + 1);
    }
    return std::nullopt;
  }

  u64 fingerprint_locked(const AskedFolder &asked) {
    u64 print = fingerprint_of(find_locked(asked.folder));
    for (const std::string &package : asked.packages) {
      print = hash_bytes(package + (brings_locked(asked.folder, package) ? " yes" : " no"), print);
    }
    for (const std::string &module : asked.modules) {
      print = hash_bytes(module, print);
      if (const std::optional<std::string> folder = find_packaging_locked(asked.folder, module)) {
        print = hash_bytes(*folder, print + fingerprint_of(find_locked(*folder)));
      }
    }
    return print;
  }

  bool knows_module(const fs::path &path, const std::string &module) {
    const auto [place, is_new] = modules_.try_emplace({path.string(), module});
    if (is_new) {
      place->second = has_module(path, module);
    }
    return place->second;
  }

  // Visits the folder and those around it, up to the top of the repository, until `is_enough` says so; returns whether
  // it did. Begins with the folder that is asked about, so that no answer depends on who asked before.
  bool climb(const std::string &folder, FunctionRef<bool(const fs::path &, const Folder &)> is_enough) {
    std::error_code error;
    fs::path path = fs::absolute(folder + "x", error).lexically_normal().parent_path();
    constexpr u32 kHighest = 12;
    for (u32 height = 0; !error && height <= kHighest; ++height) {
      const Folder &read = read_folder(path);
      if (is_enough(path, read)) {
        return true;
      }
      if (read.is_root || !path.has_relative_path()) {
        break;
      }
      path = path.parent_path();
    }
    return false;
  }

  // Of each package what the nearest folder that limits its versions says.
  const Requirements &find_nearest(const std::string &folder) {
    const Requirements *only = &nothing_; // while one folder says everything, nothing is copied
    Requirements *joined = nullptr;
    std::set<std::string> names;
    climb(folder, [&](const fs::path &path, const Folder &found) {
      const bool is_required = found.is_package && std::ranges::any_of(names, [&](const std::string &name) {
                                 return knows_module(path, name);
                               });
      names.insert(found.names.begin(), found.names.end());
      if (only->empty()) {
        only = &found.requirements;
        return false;
      }
      if (found.requirements.empty()) {
        return false;
      }
      if (joined == nullptr) {
        joined = &(joined_[folder] = *only);
      }
      if (is_required) {
        add_all(*joined, found.requirements);
      }
      for (const auto &[package, range] : found.requirements) {
        if (is_open(range)) {
          continue;
        }
        if (VersionRange &nearer = (*joined)[package]; is_open(nearer)) {
          nearer = range;
        }
      }
      return false;
    });
    return joined != nullptr ? *joined : *only;
  }

  bool find_package(const std::string &folder, const std::string &package) {
    return climb(folder, [&](const fs::path &path, const Folder &) {
      std::error_code error;
      return fs::is_regular_file(path / package / "__init__.py", error) ||
             fs::is_regular_file(path / (package + ".py"), error);
    });
  }

  // Packages that the folder or one around it is: whoever imports them there gets that code.
  Requirements find_own(const std::string &folder) {
    Requirements found;
    climb(folder, [&](const fs::path &, const Folder &read) {
      for (const OwnPackage &own : read.own) {
        found.try_emplace(own.name, own.range);
      }
      return false;
    });
    return found;
  }

  const Folder &read_folder(const fs::path &path) {
    const auto [place, is_new] = folders_.try_emplace(path.string());
    Folder &folder = place->second;
    if (is_new) {
      std::error_code error;
      Requirements usual;
      for (const RequirementFile &file : requirement_files_in(path.string() + '/', open_texts_)) {
        Requirements of_file;
        const auto open = open_texts_.find((path / file.path).string());
        const std::string text = open != open_texts_.end() ? open->second : read_file(path / file.path);
        if (file.path == "setup.py" && !packages_something(text)) {
          continue;
        }
        add_requirements(text, of_file, file.path);
        folder.is_package |= packages_folder(text, file.path);
        if (file.path.ends_with(".txt") || file.path.ends_with(".in")) {
          add_names(text, folder.names);
        }
        if (OwnPackage own = own_package(text, file.path); !own.name.empty()) {
          folder.own.push_back(std::move(own));
        }
        // `pip install -r requirements.txt -c constraints.txt`: limits what the others only name.
        const bool is_constraints = file.path.starts_with("constraints");
        for (const auto &[package, range] : of_file) {
          if (!file.is_secondary) {
            usual.try_emplace(package);
          } else if (usual.contains(package) && !(is_constraints && is_open(folder.requirements[package]))) {
            continue;
          }
          join(folder.requirements[package], range);
        }
      }
      folder.is_root = fs::exists(path / ".git", error);
    }
    return folder;
  }

  std::mutex mutex_;
  std::map<std::string, Folder> folders_;
  std::map<std::string, const Requirements *> answers_;         // by what was asked for
  std::map<std::string, Requirements> aimed_;                   // the same, with the targets
  std::map<std::string, Requirements> own_;                     // the same, with packages that are written there
  std::map<std::string, Requirements> joined_;                  // the same, where several folders have a say
  std::map<std::pair<std::string, std::string>, bool> brought_; // by folder and package
  std::map<std::pair<std::string, std::string>, bool> modules_; // the same, of modules that a folder packages
  std::map<std::pair<std::string, std::string>, std::optional<std::string>> packaging_; // by folder and module
  std::map<std::string, std::string> open_texts_;                                       // by absolute path
  Requirements targets_;
  Requirements nothing_;
};

Cache &cache() {
  static Cache the_cache;
  return the_cache;
}

} // namespace

const Requirements &requirements_of(const std::string &file) {
  return cache().find(file.substr(0, file.rfind('/') + 1));
}

std::optional<std::string> folder_that_packages(const std::string &file, std::string_view module) {
  return cache().find_packaging(file.substr(0, file.rfind('/') + 1), std::string(module));
}

void add_all(Requirements &requirements, const Requirements &others) {
  for (const auto &[package, range] : others) {
    join(requirements[package], range);
  }
}

bool brings_package(const std::string &file, std::string_view package) {
  return cache().brings(file.substr(0, file.rfind('/') + 1), package);
}

std::vector<AskedFolder> asked_folders() { return cache().asked(); }

u64 requirements_fingerprint(const AskedFolder &asked) { return cache().fingerprint(asked); }

void forget_requirements() { cache().forget(); }

void set_open_requirements(const std::map<std::string, std::string, std::less<>> &texts) {
  std::map<std::string, std::string> open;
  for (const auto &[path, text] : texts) {
    if (is_requirements_name(path)) {
      std::error_code error;
      open[fs::absolute(path, error).lexically_normal().string()] = text;
    }
  }
  cache().set_open(std::move(open));
}

void set_target_versions(Requirements targets) { cache().set_targets(std::move(targets)); }

} // namespace deepperf::project
