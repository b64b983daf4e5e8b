#include "model/project.h"

#include "model/imports.h"
#include "model/infer.h"
#include "python/children.h"

#include <algorithm>
#include <array>

namespace deepperf::model {

using namespace python;

namespace {

std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t slash = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, slash - start);
    if (!part.empty() && part != ".") {
      parts.emplace_back(part);
    }
    start = slash + 1;
  }
  if (!parts.empty()) {
    std::string &last = parts.back();
    last = last.substr(0, last.rfind('.'));
    if (last == "__init__") {
      parts.pop_back();
    }
  }
  return parts;
}

bool is_test_path(const std::vector<std::string> &parts) {
  if (parts.empty()) {
    return false;
  }
  const std::string &name = parts.back();
  return name.starts_with("test_") || name.ends_with("_test") || name == "conftest" ||
         std::ranges::any_of(parts, [](const std::string &part) { return part == "tests" || part == "testing"; });
}

// Does the file mention a framework at all? By its bytes: most files of most projects need no more than this.
bool mentions_framework(std::string_view text) {
  static constexpr std::array<std::string_view, 4> kNames = {"tensorflow", "keras", "torch", "jax"};
  return std::ranges::any_of(kNames,
                             [text](std::string_view name) { return text.find(name) != std::string_view::npos; });
}

void note_imports(const Block &body, Module &module) {
  const auto note = [&module](std::string_view dotted) {
    const std::string_view top = dotted.substr(0, dotted.find('.'));
    if (top == "tensorflow" || top == "keras" || top == "tensorflow_datasets" || top == "tf_keras") {
      module.tensorflow = module.relevant = true;
    } else if (top == "torch" || top == "jax" || top == "flax" || top == "torchvision") {
      module.relevant = true;
    }
  };
  const auto visit = [&](const auto &self, const Node *node) -> void {
    if (const auto *import = as<Import>(node)) {
      for (const Alias *alias : import->names) {
        note(alias->name.text());
      }
    } else if (const auto *from = as<ImportFrom>(node)) {
      if (from->level == 0 && from->module) {
        note(from->module.text());
      }
    } else if (node->kind >= NodeKind::FunctionDef || node->kind == NodeKind::ExceptHandler) {
      for_each_child(node, [&](const Node *child) {
        if (child->kind >= NodeKind::FunctionDef) {
          self(self, child);
        }
      });
    }
  };
  for (const Stmt *statement : body) {
    visit(visit, statement);
  }
}

// What a relevant module imports from the project is relevant too: datasets and models come from there.
void spread_relevance(Project &project, const ModuleIndex &index) {
  std::vector<Module *> queue;
  for (Module &module : project.modules) {
    if (module.relevant) {
      queue.push_back(&module);
    }
  }
  while (!queue.empty()) {
    Module &module = *queue.back();
    queue.pop_back();
    const auto reach = [&](const Module *found) {
      if (found != nullptr && !found->relevant) {
        auto &mutable_module = const_cast<Module &>(*found);
        mutable_module.relevant = true;
        queue.push_back(&mutable_module);
      }
    };
    for (const Stmt *statement : module.parsed->tree.body) {
      if (const auto *import = as<Import>(statement)) {
        for (const Alias *alias : import->names) {
          reach(index.find(module, alias->name.text(), 0));
        }
      } else if (const auto *from = as<ImportFrom>(statement)) {
        const std::string dotted(from->module ? from->module.text() : std::string_view{});
        reach(index.find(module, dotted, from->level));
        for (const Alias *alias : from->names) {
          const std::string inner =
              dotted.empty() ? std::string(alias->name.text()) : dotted + "." + std::string(alias->name.text());
          reach(index.find(module, inner, from->level));
        }
      }
    }
  }
}

} // namespace

std::unique_ptr<Project> analyse(const std::deque<const ParsedFile *> &files) {
  auto project = std::make_unique<Project>();
  u32 index = 0;
  for (const ParsedFile *file : files) {
    Module &module = project->modules.emplace_back();
    module.file = {index++};
    module.parsed = file;
    module.parts = path_parts(file->path);
    module.is_test = is_test_path(module.parts);
    if (mentions_framework(file->source.text())) {
      note_imports(file->tree.body, module);
    }
  }
  const ModuleIndex modules(project->modules);
  spread_relevance(*project, modules);
  Inference(*project, modules).run();
  return project;
}

} // namespace deepperf::model
