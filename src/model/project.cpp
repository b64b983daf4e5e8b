#include "model/project.h"

#include "model/imports.h"
#include "model/infer.h"

#include <algorithm>

namespace deepperf::model {

bool is_test_path(std::string_view path) {
  const std::vector<std::string> parts = path_parts(path);
  if (parts.empty()) {
    return false;
  }
  const std::string &name = parts.back();
  return name.starts_with("test_") || name.starts_with("tests_") || name.ends_with("_test") ||
         name.ends_with("_tests") || name.find("test_util") != std::string::npos || name == "conftest" ||
         std::ranges::any_of(
             parts, [](const std::string &part) { return part == "tests" || part == "test" || part == "testing"; });
}

std::unique_ptr<Project> analyse(const std::vector<ParsedFile *> &files) {
  auto project = std::make_unique<Project>();
  for (const ParsedFile *file : files) {
    Module &module = project->modules.emplace_back();
    module.file = file->index;
    module.parsed = file;
    module.parts = path_parts(file->path);
    module.is_test = file->is_test;
    module.tensorflow = (file->frameworks & kTensorFlow) != 0;
    module.torch = (file->frameworks & kTorch) != 0;
    module.jax = (file->frameworks & kJax) != 0;
  }
  const ModuleIndex modules(project->modules);
  Inference(*project, modules).run();
  return project;
}

} // namespace deepperf::model
