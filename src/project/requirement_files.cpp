#include "project/requirement_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace deepperf::project {

namespace fs = std::filesystem;

namespace {

// What everybody calls them, the more telling ones first.
constexpr auto kUsualNames = std::to_array<std::string_view>({"requirements.txt",
                                                              "setup.py",
                                                              "setup.cfg",
                                                              "pyproject.toml",
                                                              "environment.yml",
                                                              "environment.yaml",
                                                              "Pipfile",
                                                              "pixi.toml",
                                                              "requirements/requirements.txt",
                                                              "requirements/base.txt",
                                                              "requirements/main.txt",
                                                              "requirements/prod.txt",
                                                              "requirements.in",
                                                              "requirements-gpu.txt",
                                                              "requirements_gpu.txt",
                                                              "docs/requirements.txt",
                                                              "conda.yml",
                                                              "conda.yaml",
                                                              "conda/environment.yml",
                                                              "conda_env.yml",
                                                              "environment-gpu.yml",
                                                              "environment_gpu.yml",
                                                              "env.yml",
                                                              "env.yaml",
                                                              "Dockerfile",
                                                              "docker/Dockerfile",
                                                              "Dockerfile.gpu",
                                                              ".devcontainer/Dockerfile"});

constexpr auto kGlobs = std::to_array<std::string_view>(
    {"**/*requirement*.{txt,in}", "**/requirements/*.{txt,in}", "**/constraints*.txt", "**/*{conda,env}*.{yml,yaml}",
     "**/{setup.py,setup.cfg,pyproject.toml,Pipfile,pixi.toml}", "**/*Dockerfile*"});

// Folders that are made for such files. Others have folders of their own to speak for.
constexpr auto kFolders =
    std::to_array<std::string_view>({"requirements", "docs", "conda", "docker", ".devcontainer", "envs"});

// A folder with more entries holds data; only the usual names are looked for there.
constexpr std::size_t kMostEntries = 4096;

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool ends_in_one_of(std::string_view name, std::string_view one, std::string_view other) {
  return name.ends_with(one) || name.ends_with(other);
}

// `requirements_dev.txt`, `all-requirements.in`, `conda-extras.yaml`, `my_env.yml`, `Dockerfile.train`.
bool is_relative(std::string_view name) {
  if (ends_in_one_of(name, ".txt", ".in")) {
    return name.find("requirement") != std::string_view::npos || name.starts_with("constraints");
  }
  if (ends_in_one_of(name, ".yml", ".yaml")) {
    return name.find("conda") != std::string_view::npos || name.starts_with("env") ||
           name.find("_env") != std::string_view::npos || name.find("-env") != std::string_view::npos;
  }
  return name.starts_with("Dockerfile") || name.ends_with(".Dockerfile") || name.ends_with(".dockerfile");
}

// In `requirements/` every text is one.
bool can_be_secondary(std::string_view in_folder, std::string_view name) {
  return is_relative(name) || (in_folder == "requirements" && ends_in_one_of(name, ".txt", ".in"));
}

class Finder {
public:
  Finder(const std::string &folder, const std::map<std::string, std::string> &open) : folder_(folder), open_(open) {
    std::error_code error;
    absolute_ = fs::absolute(folder + "x", error).lexically_normal().parent_path().string() + '/';
  }

  std::vector<RequirementFile> find() {
    is_listed_ = list("");
    for (const std::string_view inner : kFolders) {
      if (!is_listed_ || has(inner)) {
        list(inner);
      }
    }
    add_open();
    std::ranges::sort(names_);
    names_.erase(std::ranges::unique(names_).begin(), names_.end());
    std::vector<RequirementFile> files;
    for (const std::string_view usual : kUsualNames) {
      if (has(usual) || (!is_listed_ && is_file(usual))) {
        files.push_back({std::string(usual)});
      }
    }
    for (const std::string &name : names_) {
      const std::size_t slash = name.rfind('/');
      const std::string_view inner =
          slash == std::string::npos ? std::string_view() : std::string_view(name).substr(0, slash);
      if (std::ranges::find(kUsualNames, name) == kUsualNames.end() && can_be_secondary(inner, name_of(name)) &&
          (is_open(name) || is_file(name))) {
        files.push_back({name, true});
      }
    }
    return files;
  }

private:
  bool has(std::string_view name) const { return std::ranges::find(names_, name) != names_.end(); }

  bool is_open(std::string_view name) const { return !open_.empty() && open_.contains(absolute_ + std::string(name)); }

  bool is_file(std::string_view name) const {
    std::error_code error;
    return fs::is_regular_file(folder_ + std::string(name), error);
  }

  // Takes the names that can matter; false if the folder holds too many to look at, or cannot be listed.
  bool list(std::string_view inner) {
    const std::string prefix = inner.empty() ? std::string() : std::string(inner) + '/';
    const std::string path = folder_ + prefix;
    std::error_code error;
    std::size_t count = 0;
    for (fs::directory_iterator at(path.empty() ? "." : path, error), end; !error && at != end; at.increment(error)) {
      if (++count > kMostEntries) {
        return false;
      }
      std::string name = at->path().filename().string();
      const bool is_usual =
          std::ranges::find(kUsualNames, prefix + name) != kUsualNames.end() && is_file(prefix + name);
      if (is_usual || can_be_secondary(inner, name) ||
          (inner.empty() && std::ranges::find(kFolders, name) != kFolders.end())) {
        names_.push_back(prefix + std::move(name));
      }
    }
    return !error;
  }

  void add_open() {
    for (auto at = open_.lower_bound(absolute_); at != open_.end() && at->first.starts_with(absolute_); ++at) {
      const std::string_view name = std::string_view(at->first).substr(absolute_.size());
      const std::string_view inner = name.substr(0, std::min(name.find('/'), name.size()));
      if (inner.size() == name.size() || (name.find('/', inner.size() + 1) == std::string_view::npos &&
                                          std::ranges::find(kFolders, inner) != kFolders.end())) {
        names_.emplace_back(name);
      }
    }
  }

  const std::string &folder_;
  const std::map<std::string, std::string> &open_;
  std::string absolute_; // the folder's, with a slash at its end
  bool is_listed_ = false;
  std::vector<std::string> names_; // what may be a file of requirements, or a folder of them
};

} // namespace

std::vector<RequirementFile> requirement_files_in(const std::string &folder,
                                                  const std::map<std::string, std::string> &open) {
  return Finder(folder, open).find();
}

bool is_requirements_name(std::string_view path) {
  const std::string_view name = name_of(path);
  const std::string_view before = path.substr(0, path.size() - name.size());
  return std::ranges::any_of(kUsualNames, [name](std::string_view usual) { return name_of(usual) == name; }) ||
         can_be_secondary(before.ends_with("requirements/") ? "requirements" : "", name);
}

std::span<const std::string_view> requirement_globs() { return kGlobs; }

} // namespace deepperf::project
