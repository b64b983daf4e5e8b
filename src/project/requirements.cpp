#include "project/requirements.h"

#include "base/hash.h"
#include "base/open_path.h"
#include "project/requirement_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <mutex>
#include <set>
#include <span>
#include <utility>

namespace deepperf::project {

namespace {

namespace fs = std::filesystem;

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

std::string_view skip_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\"'"), text.size()));
  return text;
}

// Packages that we want to know about, and the names that they also go by.
constexpr auto kPackages = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"torch", "torch"},
    {"pytorch", "torch"},
    {"torchvision", "torchvision"},
    {"torchaudio", "torchaudio"},
    {"torchtext", "torchtext"},
    {"tensorflow", "tensorflow"},
    {"tensorflow-gpu", "tensorflow"},
    {"tensorflow_gpu", "tensorflow"},
    {"tensorflow-cpu", "tensorflow"},
    {"tf-nightly", "tensorflow"},
    {"keras", "keras"},
    {"numpy", "numpy"},
    {"jax", "jax"},
    {"transformers", "transformers"},
    {"datasets", "datasets"},
    {"pandas", "pandas"},
    {"scipy", "scipy"},
    {"librosa", "librosa"},
    {"scikit-learn", "scikit-learn"},
    {"scikit_learn", "scikit-learn"},
    {"sklearn", "scikit-learn"},
    {"pytorch-lightning", "pytorch-lightning"},
    {"pytorch_lightning", "pytorch-lightning"},
    {"lightning", "pytorch-lightning"}, // the same, under its newer name
    {"flax", "flax"},
    {"optax", "optax"},
    {"peft", "peft"},
    {"accelerate", "accelerate"},
    {"python", "python"},
    {"python_requires", "python"},
    {"requires-python", "python"},
    {"pillow", "pillow"},
    {"networkx", "networkx"},
    {"scikit-image", "scikit-image"},
    {"scikit_image", "scikit-image"},
    {"matplotlib", "matplotlib"},
    {"seaborn", "seaborn"},
    {"torchmetrics", "torchmetrics"},
    {"torch-geometric", "torch-geometric"},
    {"torch_geometric", "torch-geometric"},
    {"pyg", "torch-geometric"}, // conda
    {"openai", "openai"},
    {"gym", "gym"},
    {"gymnasium", "gymnasium"},
    {"gensim", "gensim"},
    {"timm", "timm"},
    {"mmcv", "mmcv"},
    {"mmcv-full", "mmcv"},
    {"trl", "trl"},
    {"diffusers", "diffusers"},
    {"huggingface-hub", "huggingface-hub"},
    {"huggingface_hub", "huggingface-hub"},
    {"gradio", "gradio"},
    {"streamlit", "streamlit"},
    {"pydantic", "pydantic"},
    {"langchain", "langchain"},
    {"albumentations", "albumentations"},
    {"xgboost", "xgboost"},
    {"lightgbm", "lightgbm"},
    {"h5py", "h5py"},
    {"spacy", "spacy"},
    {"nltk", "nltk"},
    {"imageio", "imageio"},
    {"ray", "ray"},
    {"setuptools", "setuptools"},
});

std::string_view package_named(std::string_view name) {
  const auto found = std::ranges::find(kPackages, name, &std::pair<std::string_view, std::string_view>::first);
  return found != kPackages.end() ? found->second : std::string_view{};
}

void raise(std::optional<Version> &bound, const Version &version) {
  bound = bound.has_value() ? std::max(*bound, version) : version;
}

void lower(std::optional<Version> &bound, const Version &version) {
  bound = bound.has_value() ? std::min(*bound, version) : version;
}

Version next_patch(Version version) {
  ++version.patch;
  return version;
}

// Reads `>=1.8,<2`, `==1.7.1`, `~=1.9`, `=1.7` (conda), ` = "^1.10"` (Poetry); gives what is after it.
void read_range(std::string_view text, VersionRange &range) {
  for (;;) {
    text = skip_blanks(text);
    std::size_t length = std::min(text.find_first_not_of("=<>~!^"), text.size());
    std::string_view op = text.substr(0, length);
    text = skip_blanks(text.substr(length));
    if (op == "=" && !text.empty() &&
        (text.front() == '^' || text.front() == '~' || text.front() == '>' || text.front() == '<' ||
         text.front() == '=')) {
      length = std::min(text.find_first_not_of("=<>~!^"), text.size());
      op = text.substr(0, length);
      text = skip_blanks(text.substr(length));
    }
    const std::optional<Version> version = parse_version(text);
    if (op.empty() || !version.has_value()) {
      return;
    }
    if (op == "==" || op == "=" || op == "===") {
      raise(range.at_least, *version);
      const bool whole = text.find('*') < text.find_first_of(", \n;\"'") || op == "=";
      Version after = next_patch(*version);
      if (whole) {
        after = {version->major, version->minor + 1, 0};
      }
      lower(range.below, after);
    } else if (op == ">=" || op == "~=" || op == "^" || op == "~") {
      raise(range.at_least, *version);
      if (op == "^" && version->major > 0) {
        lower(range.below, {version->major + 1, 0, 0});
      }
    } else if (op == ">") {
      raise(range.at_least, next_patch(*version));
    } else if (op == "<") {
      lower(range.below, *version);
    } else if (op == "<=") {
      lower(range.below, next_patch(*version));
    }
    const std::size_t comma = text.find(',');
    const std::size_t end = text.find_first_of("\n;\"'#");
    if (comma == std::string_view::npos || comma > end) {
      return;
    }
    text.remove_prefix(comma + 1);
  }
}

// ` = {version = "^2.8", extras = ["gpu"]}` (Poetry, pixi): what stands for the version.
std::string_view version_in_table(std::string_view text) {
  const std::size_t brace = text.find_first_not_of(" =");
  if (brace == std::string_view::npos || text[brace] != '{') {
    return text;
  }
  const std::size_t version = text.find("version", brace);
  return version != std::string_view::npos ? text.substr(version + std::string_view("version").size())
                                           : std::string_view{};
}

// `:2.10.0-gpu` after `tensorflow/tensorflow`: the version that an image has. Nothing for `:latest`, and for images
// that count years, as NVIDIA's do.
std::string range_of_tag(std::string_view text) {
  if (!text.starts_with(':')) {
    return {};
  }
  text.remove_prefix(1);
  const std::string_view version = text.substr(0, std::min(text.find_first_not_of("0123456789."), text.size()));
  const std::optional<Version> parsed = parse_version(version);
  constexpr u32 kFirstYear = 17;
  if (!parsed.has_value() || parsed->major >= kFirstYear || version.find('.') == std::string_view::npos) {
    return {};
  }
  return "==" + std::string(version) + (std::ranges::count(version, '.') < 2 ? ".*" : "");
}

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

// The project that a folder is, if it is one of the packages: `setup(name="transformers", version="4.4.2")`.
struct OwnPackage {
  std::string name; // empty if it is none
  VersionRange range;
};

// What comes after `key =` in a line of the text, without quotes; of TOML and INI files only in the given sections.
std::string_view setting_named(std::string_view text, std::string_view key,
                               std::span<const std::string_view> sections) {
  bool counts = sections.empty();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!sections.empty() && line.starts_with('[')) {
      counts = std::ranges::any_of(sections, [line](std::string_view section) { return line.starts_with(section); });
    }
    // `setup(name="x", version="1.0")` may stand in one line
    std::size_t at = counts ? line.find(key) : std::string_view::npos;
    if (!sections.empty() && at != 0) {
      continue;
    }
    while (at != std::string_view::npos && at > 0 && is_name_byte(line[at - 1])) {
      at = line.find(key, at + 1);
    }
    if (at == std::string_view::npos) {
      continue;
    }
    std::string_view rest = line.substr(at + key.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (!rest.starts_with('=')) {
      continue;
    }
    rest.remove_prefix(1);
    rest = skip_blanks(rest);
    return rest.substr(0, std::min(rest.find_first_of("\"', \t)\r#"), rest.size()));
  }
  return {};
}

OwnPackage own_package(std::string_view text, std::string_view file) {
  static constexpr std::array<std::string_view, 2> kToml = {"[project]", "[tool.poetry]"};
  static constexpr std::array<std::string_view, 1> kIni = {"[metadata]"};
  std::span<const std::string_view> sections;
  if (file == "pyproject.toml") {
    sections = kToml;
  } else if (file == "setup.cfg") {
    sections = kIni;
  } else if (file != "setup.py") {
    return {};
  }
  const std::string_view name = package_named(setting_named(text, "name", sections));
  const auto version = parse_version(setting_named(text, "version", sections));
  if (name.empty() || !version.has_value()) {
    return {};
  }
  return {std::string(name), {version, next_patch(*version), std::string(file)}};
}

// Some call a module so that sets up something else; its imports are no requirements.
bool packages_something(std::string_view setup) {
  return setup.find("setuptools") != std::string_view::npos || setup.find("distutils") != std::string_view::npos ||
         setup.starts_with("setup(") || setup.find("\nsetup(") != std::string_view::npos;
}

bool is_open(const VersionRange &range) { return !range.at_least.has_value() && !range.below.has_value(); }

// Does the file say how the folder is installed?
bool packages_folder(std::string_view text, std::string_view file) {
  return file == "setup.py" || (file == "setup.cfg" && text.find("[metadata]") != std::string_view::npos) ||
         (file == "pyproject.toml" &&
          (text.find("[project]") != std::string_view::npos || text.find("[tool.poetry]") != std::string_view::npos));
}

// What the lines of a requirements.txt begin with, as modules are called: `colossalai` of `colossalai >= 0.1.12`.
void add_names(std::string_view text, std::set<std::string> &names) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto is_end = [](char c) { return !is_name_byte(c); };
    std::string name(line.begin(), std::ranges::find_if(line, is_end));
    std::ranges::replace(name, '-', '_');
    if (!name.empty() && name.find('.') == std::string::npos) {
      names.insert(std::move(name));
    }
  }
}

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

  bool brings(const std::string &folder, std::string_view package) {
    const std::scoped_lock lock(mutex_);
    const auto [place, is_new] = brought_.try_emplace({folder, std::string(package)});
    if (is_new) {
      place->second = find_package(folder, place->first.second);
    }
    return place->second;
  }

  std::optional<std::string> find_packaging(std::string folder, const std::string &module) {
    const std::scoped_lock lock(mutex_);
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

  std::vector<AskedFolder> asked() {
    const std::scoped_lock lock(mutex_);
    std::vector<AskedFolder> result;
    for (const auto &[folder, answer] : answers_) {
      result.push_back({folder, fingerprint_of(*answer)});
    }
    return result;
  }

  void forget() {
    const std::scoped_lock lock(mutex_);
    forget_answers();
    folders_.clear();
    brought_.clear();
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

  bool knows_module(const fs::path &path, const std::string &module) {
    const auto [place, is_new] = modules_.try_emplace({path.string(), module});
    if (is_new) {
      place->second = has_module(path, module);
    }
    return place->second;
  }

  // Of each package what the nearest folder that limits its versions says. Counts from the folder that is asked about,
  // so that the answer does not depend on who asked before.
  const Requirements &find_nearest(const std::string &folder) {
    std::error_code error;
    fs::path path = fs::absolute(folder + "x", error).lexically_normal().parent_path();
    const Requirements *only = &nothing_; // while one folder says everything, nothing is copied
    Requirements *joined = nullptr;
    std::set<std::string> names;
    constexpr u32 kHighest = 12;
    for (u32 height = 0; !error && height <= kHighest; ++height) {
      const Folder &found = read_folder(path);
      const bool is_required = found.is_package && std::ranges::any_of(names, [&path](const std::string &name) {
                                 return has_module(path, name);
                               });
      names.insert(found.names.begin(), found.names.end());
      if (only->empty()) {
        only = &found.requirements;
      } else if (!found.requirements.empty()) {
        if (joined == nullptr) {
          joined = &(joined_[folder] = *only);
        }
        if (is_required) {
          add_all(*joined, found.requirements);
        }
        for (const auto &[package, range] : found.requirements) {
          if (!range.at_least.has_value() && !range.below.has_value()) {
            continue;
          }
          VersionRange &nearer = (*joined)[package];
          if (!nearer.at_least.has_value() && !nearer.below.has_value()) {
            nearer = range;
          }
        }
      }
      if (found.is_root || !path.has_relative_path()) {
        break;
      }
      path = path.parent_path();
    }
    return joined != nullptr ? *joined : *only;
  }

  bool find_package(const std::string &folder, const std::string &package) {
    std::error_code error;
    fs::path path = fs::absolute(folder + "x", error).lexically_normal().parent_path();
    constexpr u32 kHighest = 12;
    for (u32 height = 0; !error && height <= kHighest; ++height) {
      if (fs::is_regular_file(path / package / "__init__.py", error) ||
          fs::is_regular_file(path / (package + ".py"), error)) {
        return true;
      }
      error.clear();
      if (read_folder(path).is_root || !path.has_relative_path()) {
        break;
      }
      path = path.parent_path();
    }
    return false;
  }

  // Packages that the folder or one around it is: whoever imports them there gets that code.
  Requirements find_own(const std::string &folder) {
    std::error_code error;
    fs::path path = fs::absolute(folder + "x", error).lexically_normal().parent_path();
    Requirements found;
    constexpr u32 kHighest = 12;
    for (u32 height = 0; !error && height <= kHighest; ++height) {
      const Folder &read = read_folder(path);
      for (const OwnPackage &own : read.own) {
        found.try_emplace(own.name, own.range);
      }
      if (read.is_root || !path.has_relative_path()) {
        break;
      }
      path = path.parent_path();
    }
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
  std::map<std::string, std::string> open_texts_;               // by absolute path
  Requirements targets_;
  Requirements nothing_;
};

Cache &cache() {
  static Cache the_cache;
  return the_cache;
}

} // namespace

std::optional<Version> parse_version(std::string_view text) {
  std::array<u32, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts.at(i));
    if (error != std::errc{}) {
      if (i == 0) {
        return std::nullopt;
      }
      break;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with('.')) {
      break;
    }
    text.remove_prefix(1);
  }
  if (parts[0] > 1000) { // a date
    return std::nullopt;
  }
  return Version{parts[0], parts[1], parts[2]};
}

std::optional<VersionRange> parse_range(std::string_view text) {
  constexpr std::array<std::string_view, 8> kOperators = {"==", "===", ">=", "<=", "!=", "~=", ">", "<"};
  VersionRange range;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::string_view part = text.substr(at, comma - at);
    at = comma + 1;
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    part.remove_suffix(part.size() - (part.find_last_not_of(' ') + 1));
    const std::size_t length = std::min(part.find_first_not_of("=<>~!"), part.size());
    const std::string_view version = part.substr(std::min(part.find_first_not_of(' ', length), part.size()));
    if (std::ranges::find(kOperators, part.substr(0, length)) == kOperators.end() || !parse_version(version) ||
        version.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz.+*") != std::string_view::npos) {
      return std::nullopt;
    }
    read_range(part, range);
  }
  const bool is_empty = range.at_least && range.below && *range.at_least >= *range.below;
  return is_empty ? std::nullopt : std::optional(range);
}

std::vector<std::string> known_packages() {
  std::vector<std::string> packages;
  for (const auto &[name, package] : kPackages) {
    if (name == package) {
      packages.emplace_back(package);
    }
  }
  return packages;
}

void add_requirements(std::string_view text, Requirements &requirements, std::string_view name_of_file) {
  std::size_t at = 0;
  std::size_t counted = 0; // up to here lines were counted
  std::ptrdiff_t line = 1;
  while (at < text.size()) {
    // A name that begins a line or stands in quotes or after `- `; comments are skipped.
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (!is_name_byte(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_name_byte(text[end])) {
      ++end;
    }
    const char before = at == 0 ? '\n' : text[at - 1];
    std::string name(text.substr(at, end - at));
    std::ranges::transform(name, name.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    at = end;
    const std::string_view package = package_named(name);
    if (package.empty() || (before != '\n' && before != '"' && before != '\'' && before != ' ' && before != '\t' &&
                            before != '/' && before != ':')) {
      continue;
    }
    std::string_view rest = text.substr(end, std::min<std::size_t>(200, text.size() - end));
    rest = rest.substr(0, rest.find('\n'));
    if (rest.starts_with('[')) { // extras
      rest.remove_prefix(std::min(rest.find(']') + 1, rest.size()));
    }
    rest = version_in_table(rest);
    std::string image; // what a tag of an image says
    if (before == '/' || rest.starts_with(':')) {
      image = range_of_tag(rest);
      rest = image;
      if (rest.empty()) {
        continue;
      }
    }
    VersionRange &range = requirements[std::string(package)];
    const std::optional<Version> before_it = range.at_least;
    read_range(rest, range);
    if (range.at_least != before_it) {
      line += std::ranges::count(text.substr(counted, end - counted), '\n');
      counted = end;
      range.where = std::string(name_of_file) + ':' + std::to_string(line);
    }
  }
}

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

u64 requirements_fingerprint(const std::string &folder) { return fingerprint_of(cache().find(folder)); }

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
