#include "project/requirement_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

namespace deepperf::project {

namespace {

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

} // namespace

void lower(std::optional<Version> &bound, const Version &version) {
  bound = bound.has_value() ? std::min(*bound, version) : version;
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

bool packages_something(std::string_view setup) {
  return setup.find("setuptools") != std::string_view::npos || setup.find("distutils") != std::string_view::npos ||
         setup.starts_with("setup(") || setup.find("\nsetup(") != std::string_view::npos;
}

// Does the file say how the folder is installed?
bool packages_folder(std::string_view text, std::string_view file) {
  return file == "setup.py" || (file == "setup.cfg" && text.find("[metadata]") != std::string_view::npos) ||
         (file == "pyproject.toml" &&
          (text.find("[project]") != std::string_view::npos || text.find("[tool.poetry]") != std::string_view::npos));
}

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

} // namespace deepperf::project
