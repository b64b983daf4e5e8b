#include "check/project_around.h"

#include "check/find_files.h"
#include "check/lint_files.h"
#include "model/imports.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace deepperf::check {

namespace {

namespace fs = std::filesystem;

// The folder that a file's project begins at: the nearest one around it that git knows, or that is no package; its own
// folder if it imports nothing of it.
std::vector<std::string> folders_around(const model::ParsedFile &file) {
  std::error_code error;
  const fs::path own = fs::absolute(file.path, error).parent_path();
  bool needs_more = false;
  for (const model::ImportRef &import : file.imports) {
    const std::string_view dotted = import.module ? import.module.text() : std::string_view{};
    const std::string top(dotted.substr(0, dotted.find('.')));
    if (import.level > 0) {
      needs_more = true;
    } else if (!top.empty()) {
      fs::path at = own;
      for (int i = 0; i < 4 && at.has_relative_path(); ++i, at = at.parent_path()) {
        needs_more = needs_more || fs::exists(at / (top + ".py"), error) || fs::exists(at / top / "__init__.py", error);
      }
    }
  }
  if (!needs_more) {
    return {};
  }
  fs::path at = own;
  for (; at.has_relative_path(); at = at.parent_path()) {
    if (fs::exists(at / ".git", error)) {
      return {fs::proximate(at, error).string()};
    }
  }
  at = own;
  while (at.has_relative_path() && fs::exists(at / "__init__.py", error)) {
    at = at.parent_path();
  }
  return {fs::proximate(at, error).string()};
}

// Only once: by another name it would be a file of another project.
bool is_within(const std::string &path, const std::string &folder) {
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(path, error);
  const fs::path outer = fs::weakly_canonical(folder, error);
  return std::ranges::mismatch(outer, inner).in1 == outer.end();
}

} // namespace

bool is_same_file(const std::string &a, const std::string &b) {
  std::error_code error;
  return a == b || fs::equivalent(a, b, error);
}

std::string with_project_around(const std::string &path, const std::vector<std::string> &around,
                                const std::function<void(const model::Project &, const model::Module &)> &use) {
  Options options;
  options.paths = around;
  if (std::ranges::none_of(around, [&](const std::string &folder) { return is_within(path, folder); })) {
    options.paths.push_back(path);
  }
  options.jobs = 1;
  Progress progress;
  LoadedFiles loaded;
  find_files(options, progress, nullptr, loaded);
  const auto wanted = std::ranges::find_if(loaded.files, [&](const std::unique_ptr<LoadedFile> &file) {
    return file->load_errors.empty() && is_same_file(file->parsed.path, path);
  });
  if (wanted == loaded.files.end()) {
    return fmt::format("{} cannot be read", path);
  }
  model::ParsedFile &file = (*wanted)->parsed;
  if (around.empty()) {
    if (const std::vector<std::string> more = folders_around(file); !more.empty()) {
      return with_project_around(path, more, use);
    }
  }
  std::vector<model::ParsedFile *> files;
  for (const std::unique_ptr<LoadedFile> &one : loaded.files) {
    files.push_back(&one->parsed);
  }
  // Those that belong together because of it, once by what a quick look finds, and once by their trees.
  const auto belonging = [&file](const model::Group &among) {
    for (const model::Group &group : model::group_files(among, true)) {
      if (std::ranges::find(group, &file) != group.end()) {
        return model::with_imports(group, among);
      }
    }
    return model::Group{};
  };
  const model::Group group = belonging(files);
  for (model::ParsedFile *one : group) {
    parse_file(*loaded.files[one->index.value], loaded, loaded.workers[0].trees, loaded.workers[0]);
  }
  if (const model::Group part = belonging(group); !part.empty()) {
    const std::unique_ptr<model::Project> project = model::analyse(part);
    const auto module = std::ranges::find(project->modules, &file, &model::Module::parsed);
    use(*project, *module);
    return {};
  }
  return fmt::format("{}: neither this file nor a file that it imports uses a framework, so it has no shapes", path);
}

} // namespace deepperf::check
