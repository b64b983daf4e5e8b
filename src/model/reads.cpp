#include "model/reads.h"

#include "model/project.h"

#include <algorithm>
#include <deque>

namespace deepperf::model {

namespace {

const Project &project_now() { return *static_cast<const Project *>(reads_now->project); }

} // namespace

void add_read(const Module *module) {
  if (module->index != reads_now->home) {
    reads_now->set.add(module->index);
  }
}

void add_read(const FunctionInfo *function) { add_read(function->module); }

void add_read(const ClassInfo *type) { add_read(type->module); }

void add_read(const CallSite *site) { add_read(site->caller->module); }

void add_read(const python::Call *call) {
  if (call->fact == 0) { // nobody knows where it stands
    return note_read_everything();
  }
  add_read(project_now().caller_of(call)->module);
}

void add_read(const python::Expr *compiled_at) {
  if (const auto *call = python::as<python::Call>(compiled_at)) {
    add_read(call);
  }
}

void add_read(const python::Node *session_run) {
  const auto *call = python::as<python::Call>(session_run);
  return call != nullptr ? add_read(call) : note_read_everything();
}

void add_read_file(u32 file) {
  const std::deque<Module> &modules = project_now().modules;
  const auto found = std::ranges::find(modules, file, [](const Module &module) { return module.file.value; });
  return found != modules.end() ? add_read(&*found) : note_read_everything();
}

void add_read_name(u32 name) { reads_now->set.add(static_cast<u32>(project_now().modules.size()) + name % kNameUnits); }

} // namespace deepperf::model
