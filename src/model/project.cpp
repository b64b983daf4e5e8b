#include "model/project.h"

#include "model/context.h"
#include "model/declare.h"
#include "model/imports.h"
#include "model/pipeline.h"
#include "model/solver.h"
#include "model/spread.h"

#include <algorithm>
#include <numeric>

namespace deepperf::model {

bool is_test_path(std::string_view path) {
  bool found = false;
  std::string_view name; // of the last part, without its ending
  for_each_path_part(path, [&](std::string_view part) {
    found |= name == "tests" || name == "test" || name == "testing"; // a folder
    name = part;
  });
  return found || name == "tests" || name.starts_with("test_") || name.starts_with("tests_") ||
         name.ends_with("_test") || name.ends_with("_tests") || name.find("test_util") != std::string_view::npos ||
         name == "conftest";
}

bool is_test_file(const ParsedFile &file) {
  return file.path.ends_with("/test.py") && std::ranges::any_of(file.imports, [](const ImportRef &import) {
           const std::string_view module = import.module ? import.module.text() : std::string_view{};
           return module.starts_with("unittest") || module.starts_with("pytest") ||
                  module.starts_with("absl.testing") || module.starts_with("nose");
         });
}

u32 FunctionInfo::place_of_param(Symbol symbol) const {
  constexpr u32 kFew = 16;
  if (!symbol) {
    return kNoParam;
  }
  if (params.size() <= kFew) {
    const auto found = std::ranges::find(params, symbol, &python::Param::name);
    return found != params.end() ? static_cast<u32>(found - params.begin()) : kNoParam;
  }
  const auto name_of = [this](u32 place) { return params[place]->name.id; };
  const std::vector<u32> *sorted = params_by_name.get_local();
  if (sorted == nullptr) {
    auto all = std::make_unique<std::vector<u32>>(params.size());
    std::iota(all->begin(), all->end(), 0U);
    std::ranges::stable_sort(*all, {}, name_of);
    sorted = &params_by_name.set(std::move(all));
  }
  const auto found = std::ranges::lower_bound(*sorted, symbol.id, {}, name_of);
  return found != sorted->end() && name_of(*found) == symbol.id ? *found : kNoParam;
}

const Value *all_values_of(const FunctionInfo &function, Symbol name) {
  const FunctionInfo *scope = &function;
  u32 slot = scope->slot_of(name);
  while (slot == FunctionInfo::kNoSlot && scope->parent != nullptr) {
    scope = scope->parent;
    slot = scope->slot_of(name);
  }
  return slot != FunctionInfo::kNoSlot ? &scope->all_values[slot] : nullptr;
}

u32 *loop_fact(const python::Node *node) {
  switch (node->kind) {
  case python::NodeKind::For:
    return &static_cast<const python::For *>(node)->fact;
  case python::NodeKind::While:
    return &static_cast<const python::While *>(node)->fact;
  case python::NodeKind::ListComp:
  case python::NodeKind::SetComp:
  case python::NodeKind::DictComp:
  case python::NodeKind::GeneratorExp:
    return &static_cast<const python::ComprehensionExpr *>(node)->fact;
  default:
    return nullptr;
  }
}

FunctionInfo *Project::function_at(const python::Node *node) const {
  const auto *const definition = python::as<python::FunctionDef>(node);
  const auto *const lambda = python::as<python::Lambda>(node);
  const u32 place = definition != nullptr ? definition->fact : lambda != nullptr ? lambda->fact : 0;
  return place != 0 ? const_cast<FunctionInfo *>(&functions[place - 1]) : nullptr;
}

const ClassInfo *Project::class_at(const python::Node *node) const {
  const auto *definition = python::as<python::ClassDef>(node);
  return definition != nullptr && definition->fact != 0 ? &classes[definition->fact - 1] : nullptr;
}

const Loop *Project::loop_at(const python::Node *node) const {
  const u32 *const place = node != nullptr ? loop_fact(node) : nullptr;
  return place != nullptr && *place != 0 ? &loops[*place - 1] : nullptr;
}

std::span<const CallSite *const> calls_inside(const FunctionInfo &function, const python::Node &node) {
  const auto place_of = [](const CallSite *site) { return site->call->start; };
  const std::vector<const CallSite *> *calls = function.calls_by_place.get_local();
  if (calls == nullptr) {
    auto made = std::make_unique<std::vector<const CallSite *>>();
    for (const CallSite &site : function.calls) {
      made->push_back(&site);
    }
    std::ranges::stable_sort(*made, {}, place_of);
    calls = &function.calls_by_place.set(std::move(made));
  }
  const auto first = std::ranges::lower_bound(*calls, node.start, {}, place_of);
  return {first, std::ranges::lower_bound(first, calls->end(), node.end, {}, place_of)};
}

namespace {

// Puts facts of functions where rules look for them.
void collect_facts(Project &project) {
  for (const FunctionInfo &function : project.functions) {
    for (const auto &[expr, value] : function.arguments) {
      project.argument_values[expr] = value;
    }
    for (const AddedLayer &layer : function.layers) {
      project.added_layers[layer.model].push_back(layer);
    }
    for (const auto &[model, call] : function.compiled) {
      const auto [known, is_new] = project.compiled_models.try_emplace(model, call);
      known->second = is_new || known->second == call ? call : nullptr;
    }
    for (const auto &[loader, call] : function.moved) {
      project.moved_batches.emplace(loader, MovedBatch{function.module, &function, call});
    }
    for (const auto &[type, attribute] : function.loads) {
      (type != nullptr ? type->loads : project.loads).insert(attribute);
    }
  }
}

} // namespace

void add_modules(const std::vector<ParsedFile *> &files, Project &project) {
  for (const ParsedFile *file : files) {
    Module &module = project.modules.emplace_back(make_module(*file));
    module.file = file->index;
    module.index = static_cast<u32>(project.modules.size()) - 1;
  }
}

void finish_facts(Project &project) {
  spread_facts(project);
  find_contexts(project);
  collect_facts(project);
  build_stages(project);
}

std::unique_ptr<Project> analyse(const std::vector<ParsedFile *> &files, u32 workers) {
  auto project = std::make_unique<Project>();
  add_modules(files, *project);
  const ModuleIndex modules(project->modules);
  declare(*project, modules);
  solve(*project, modules, workers);
  finish_facts(*project);
  return project;
}

} // namespace deepperf::model
