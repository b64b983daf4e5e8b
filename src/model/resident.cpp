#include "model/resident.h"

#include "model/forget_facts.h"
#include "model/solver.h"
#include "model/spread.h"

#include <utility>

namespace deepperf::model {

namespace {

bool is_same_kind_of_module(const Module &a, const Module &b) {
  return a.is_test == b.is_test && a.tensorflow == b.tensorflow && a.near_tensorflow == b.near_tensorflow &&
         a.torch == b.torch && a.jax == b.jax && a.is_linted == b.is_linted && a.parts == b.parts &&
         a.is_package == b.is_package;
}

// As the function was declared.
void forget_results_of(FunctionInfo &function, Arena &values) {
  for (Cell &cell : function.inputs) {
    cell = {};
  }
  function.returns = Value::bottom();
  function.all_values = values.fill(function.names.size(), Value::bottom());
  function.outer_stores = {};
  function.defaults = values.fill(function.params.size(), Value{});
  function.contributions.clear();
  function.is_property = function.is_static = function.is_class_method = false;
  function.decorated_no_grad = function.has_ops = false;
  // Facts of its own code are written again; those that follow from all functions grow.
  function.effects = function.traced = function.passed = false;
  function.tracers = 0;
  function.compiled_at = nullptr;
  function.makes_variables = function.makes_graph = function.new_graph = function.runs_session = false;
  function.graph_params = 0;
  function.steps = function.trains = function.no_grad = function.sometimes_no_grad = false;
  function.in_parallel = function.in_loop = false;
  function.context = 0;
  function.session_run = nullptr;
  function.attribute_stores.clear();
  function.called_by.clear();
  function.reached.forget();
  function.changes.forget();
  function.graph_flow.forget();
  function.api_names.forget();
  function.rebound.forget();
  function.calls_by_place.forget();
  function.params_by_name.forget();
}

void forget_results_of(ClassInfo &type) {
  type.bases.clear();
  type.parents.clear();
  type.mro = {&type};
  type.subclasses.clear();
  type.kind = Kind::Unknown;
  type.members = {};
  type.attributes = {};
  type.loads = {};
}

void forget_results_of(Loop &loop) {
  loop.mutated = loop.maybe_mutated;
  loop.few_iterations = loop.once = false;
  loop.iterations = Iterations::Many;
  loop.makes_graph = loop.new_graph = loop.runs_session = false;
  loop.steps = loop.trains = loop.evaluates = false;
  loop.session_run = nullptr;
  loop.effects.forget();
}

} // namespace

Resident::Resident(const std::vector<ParsedFile *> &files, u32 workers) : project_(std::make_unique<Project>()) {
  add_modules(files, *project_);
  index_ = std::make_unique<ModuleIndex>(project_->modules);
  declare(*project_, *index_, declared_);
  declared_values_ = std::exchange(project_->values, {});
  for (const Module &module : project_->modules) {
    memory_.note_changed(module);
  }
  for (FunctionInfo &function : project_->functions) {
    function.all_values = project_->values.fill(function.names.size(), Value::bottom());
    function.defaults = project_->values.fill(function.params.size(), Value{});
  }
  analyse(workers);
  memory_.end();
}

bool Resident::update(const std::vector<ParsedFile *> &files, const std::vector<bool> &is_changed, u32 workers) {
  if (files.size() != project_->modules.size() || memory_.is_large()) {
    return false;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Module now = make_module(*files[i]);
    if (project_->modules[i].file != files[i]->index || !is_same_kind_of_module(project_->modules[i], now)) {
      return false;
    }
  }
  forget_results();
  for (std::size_t i = 0; i < files.size(); ++i) {
    Module &module = project_->modules[i];
    module.parsed = files[i];
    if (!is_changed[i]) {
      forget_values(files[i]->tree);
    }
  }
  std::swap(project_->values, declared_values_);
  const bool fits = declare_again(*project_, *index_, is_changed, declared_);
  for (std::size_t i = 0; i < files.size() && fits; ++i) {
    if (is_changed[i]) {
      memory_.note_changed(project_->modules[i]);
    }
  }
  std::swap(project_->values, declared_values_);
  if (fits) {
    analyse(workers);
  }
  return fits;
}

// The tables as after declaring.
void Resident::forget_results() {
  Project &project = *project_;
  project.work = {};
  project.values = {};
  project.arenas.clear();
  for (FunctionInfo &function : project.functions) {
    forget_results_of(function, project.values);
  }
  for (ClassInfo &type : project.classes) {
    forget_results_of(type);
  }
  for (Loop &loop : project.loops) {
    forget_results_of(loop);
  }
  for (Module &module : project.modules) {
    module.code.forget();
    module.text_groups.forget();
    module.v1 = module.v2 = false;
  }
  project.stages.assign(1, {});
  project.stage_of_call = {};
  project.followers.clear();
  project.callees.assign(project.callees.size(), {});
  project.loads = {};
  project.argument_values = {};
  project.added_layers = {};
  project.stage_at = {};
  project.compiled_models = {};
  project.moved_batches = {};
  project.definitions.forget();
}

void Resident::analyse(u32 workers) {
  solve(*project_, *index_, workers, &memory_);
  finish_facts(*project_);
}

} // namespace deepperf::model
