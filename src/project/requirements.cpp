#include "project/requirements.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <vector>

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
std::string_view package_named(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kPackages = {{
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
  }};
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

// Reads `>=1.8,<2`, `==1.7.1`, `~=1.9`, `=1.7` (conda), ` = "^1.10"` (Poetry); gives what is behind it.
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

std::string read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  constexpr std::size_t kLargest = std::size_t{1} << 20; // no such file is longer
  std::string text(std::istreambuf_iterator<char>(file), {});
  return text.size() <= kLargest ? text : std::string{};
}

struct Folder {
  Requirements requirements;
  const Folder *nearest = nullptr; // itself, or one above that says something
};

class Cache {
public:
  const Requirements &find(const std::string &file) {
    const std::scoped_lock lock(mutex_);
    std::error_code error;
    const fs::path path = fs::absolute(file, error);
    return error ? nothing_ : folder(path.parent_path(), 0).nearest->requirements;
  }

private:
  const Folder &folder(const fs::path &path, u32 depth) {
    std::unique_ptr<Folder> &entry = folders_[path.string()];
    if (entry != nullptr) {
      return *entry;
    }
    entry = std::make_unique<Folder>();
    Folder &made = *entry;
    made.nearest = &made;
    std::error_code error;
    for (const std::string_view name :
         {"requirements.txt", "setup.py", "setup.cfg", "pyproject.toml", "environment.yml", "environment.yaml",
          "Pipfile", "requirements/requirements.txt", "docs/requirements.txt"}) {
      if (fs::is_regular_file(path / name, error)) {
        add_requirements(read_file(path / name), made.requirements);
      }
    }
    constexpr u32 kHighest = 12;
    if (made.requirements.empty() && depth < kHighest && path.has_relative_path() &&
        !fs::exists(path / ".git", error)) {
      made.nearest = folder(path.parent_path(), depth + 1).nearest;
    }
    return made;
  }

  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Folder>> folders_;
  Requirements nothing_;
};

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

void add_requirements(std::string_view text, Requirements &requirements) {
  std::size_t at = 0;
  while (at < text.size()) {
    // A name that begins a line or stands in quotes or behind `- `; comments are skipped.
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
    if (package.empty() || (before != '\n' && before != '"' && before != '\'' && before != ' ' && before != '\t')) {
      continue;
    }
    std::string_view rest = text.substr(end, std::min<std::size_t>(200, text.size() - end));
    if (rest.starts_with('[')) { // extras
      rest.remove_prefix(std::min(rest.find(']') + 1, rest.size()));
    }
    rest = rest.substr(0, rest.find('\n'));
    read_range(rest, requirements[std::string(package)]);
  }
}

const Requirements &requirements_of(const std::string &file) {
  static Cache cache;
  return cache.find(file);
}

} // namespace deepperf::project
