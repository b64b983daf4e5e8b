#include "model/hooks.h"

#include "model/context.h"
#include "python/children.h"
#include "python/literals.h"

#include <unordered_map>

namespace deepperf::model {

using namespace python;

namespace {

using Hooks = std::unordered_map<u32, std::vector<FunctionInfo *>>; // by the symbol of their name

bool is_like_hook(std::string_view name) {
  return name.starts_with("on_") || name.starts_with("before_") || name.starts_with("after_");
}

// What a call that runs in every step calls by its name.
class CalledByName {
public:
  CalledByName(const Project &project, Hooks &hooks, std::vector<FunctionInfo *> &found)
      : project_(project), hooks_(hooks), found_(found) {}

  void look_at(const Module &module, const Block &block) {
    source_ = &module.parsed->source;
    for (const Stmt *statement : block) {
      visit(statement);
    }
  }

private:
  void take(Symbol name) {
    if (const auto hook = hooks_.find(name.id); hook != hooks_.end()) {
      found_.insert(found_.end(), hook->second.begin(), hook->second.end());
      hooks_.erase(hook);
    }
  }

  void visit(const Node *node) {
    switch (node->kind) {
    case NodeKind::FunctionDef:
    case NodeKind::ClassDef:
    case NodeKind::Lambda:
    case NodeKind::If: // not in every step
    case NodeKind::IfExp:
    case NodeKind::ExceptHandler:
      return;
    case NodeKind::For:
    case NodeKind::While: {
      const Loop *const loop = project_.loop_at(node);
      if (loop == nullptr || loop->steps || loop->evaluates) {
        return; // steps of its own
      }
      break;
    }
    case NodeKind::Call:
      see(static_cast<const Call &>(*node));
      break;
    default:
      break;
    }
    for_each_child(node, [this](const Node *child) { visit(child); });
  }

  void see(const Call &call) {
    const auto *method = as<Attribute>(call.func);
    if (method != nullptr && project_.callee_of(&call).is_unknown()) {
      take(method->attr);
    }
    // fire("on_batch_end", …), getattr(callback, "on_batch_end")(…)
    for (u32 i = 0; i < call.args.size() && i < 2; ++i) {
      const StringConstant *const text = as_string(call.args[i]);
      const std::string name = text != nullptr ? string_value(*source_, *text) : std::string{};
      if (is_like_hook(name)) {
        take(intern(name));
      }
    }
  }

  const Project &project_;
  Hooks &hooks_;
  std::vector<FunctionInfo *> &found_;
  const Source *source_ = nullptr;
};

} // namespace

std::vector<FunctionInfo *> hooks_of_steps(Project &project, const std::vector<u32> &callers) {
  Hooks hooks;
  std::vector<FunctionInfo *> found;
  for (FunctionInfo &function : project.functions) {
    const bool is_method = function.type != nullptr && function.name;
    if (is_method && is_like_hook(function.name.text()) && callers[function.index] == 0 &&
        (function.context & kPerTrainingStep) == 0) {
      hooks[function.name.id].push_back(&function);
    }
  }
  CalledByName called(project, hooks, found);
  for (const Loop &loop : project.loops) {
    const auto *repeats = as<For>(loop.node);
    const auto *goes_on = as<While>(loop.node);
    if (hooks.empty()) {
      return found;
    }
    if (loop.steps && loop.function != nullptr && (repeats != nullptr || goes_on != nullptr)) {
      called.look_at(*loop.function->module, repeats != nullptr ? repeats->body : goes_on->body);
    }
  }
  for (const FunctionInfo &function : project.functions) {
    const FunctionDef *const definition = function.definition();
    if (!hooks.empty() && definition != nullptr && (function.context & kPerTrainingStep) != 0) {
      called.look_at(*function.module, definition->body);
    }
  }
  return found;
}

} // namespace deepperf::model
