#include "rules/per_step.h"

#include "base/name_table.h"
#include "model/definitions.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;

namespace {

bool is_module_method(const FunctionInfo &function, std::string_view name) {
  if (function.type == nullptr || !function.name || function.name.text() != name) {
    return false;
  }
  for (Kind kind = function.type->kind; kind != Kind::Unknown; kind = parent_of(kind)) {
    if (kind == Kind::TorchModule) {
      return true;
    }
  }
  return false;
}

// Do calls of the function lead back to one for which `holds`? At most so many calls up.
template <class Predicate>
bool is_reached_from(const model::Project &project, const FunctionInfo &function, u32 depth, const Predicate &holds) {
  constexpr u32 kMostDepth = 4;
  constexpr std::size_t kMostCallers = 16;
  if (holds(function)) {
    return true;
  }
  const std::vector<const model::CallSite *> &callers = function.called_by;
  for (std::size_t i = 0; i < callers.size() && i < kMostCallers && depth < kMostDepth; ++i) {
    const bool is_itself = callers[i]->caller == &function;
    if (!is_itself && !callers[i]->once && is_reached_from(project, *callers[i]->caller, depth + 1, holds)) {
      return true;
    }
  }
  return false;
}

} // namespace

bool in_forward_pass(const Site &site) {
  const auto is_forward = [](const FunctionInfo &function) { return is_module_method(function, "forward"); };
  for (const FunctionInfo *function = site.function; function != nullptr; function = function->parent) {
    if (function->name && function->name.text() == "__init__" && is_module_method(*function, "__init__")) {
      return false; // a layer that a forward pass makes is another mistake
    }
    if (function->node != nullptr && is_reached_from(site.project, *function, 0, is_forward)) {
      return true;
    }
  }
  return false;
}

bool in_step(const Site &site) {
  if (in_training_step(site)) {
    return true;
  }
  const auto is_step = [](const FunctionInfo &function) {
    static const NameTable kSteps({"training_step", "validation_step", "test_step", "predict_step"});
    return function.name && kSteps.has(function.name) && is_module_method(function, function.name.text());
  };
  for (const FunctionInfo *function = site.function; function != nullptr; function = function->parent) {
    if (function->node != nullptr && is_reached_from(site.project, *function, 0, is_step)) {
      return true;
    }
  }
  return false;
}

bool runs_in_every_step(const Site &site) {
  const model::Loop *loop = loop_around(site);
  return loop != nullptr ? loop->steps && !loop->tiny && runs_every_turn(site, *loop)
                         : context_of(site).in_training_step && enclosing(site, NodeKind::If) == nullptr;
}

bool is_request_handler(const model::Project &project, const FunctionInfo &function) {
  static const NameTable kRoutes({"route", "get", "post", "put", "api_route", "websocket"});
  const FunctionDef *definition = function.definition();
  if (definition == nullptr || function.parent == nullptr) {
    return false;
  }
  return std::ranges::any_of(definition->decorators, [&](const Expr *decorator) {
    const auto *call = as<Call>(decorator);
    const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
    if (method == nullptr || !kRoutes.has(method->attr)) {
      return false;
    }
    const auto made = model::written_as(model::scope_of(project, *function.parent), method->value);
    return !made.empty() && std::ranges::all_of(made, [&project](const model::Argument::Given &given) {
      const auto *maker = as<Call>(given.expr);
      const model::Value callee = maker != nullptr ? project.callee_of(maker) : model::Value{};
      const std::string_view api = callee.is(model::Value::Tag::Api) ? callee.name().text() : std::string_view{};
      return api.starts_with("flask.") || api.starts_with("fastapi.") || api.starts_with("sanic.") ||
             api.starts_with("quart.") || api.starts_with("starlette.");
    });
  });
}

namespace {

bool serves_requests(const model::Project &project, const FunctionInfo *function, u32 depth);

// `await asyncio.to_thread(answer, question)`: a handler has another thread run the function.
bool is_run_in_thread(const model::Project &project, const FunctionInfo &function, u32 depth) {
  static const NameTable kRunning({"to_thread", "run_in_executor", "run_in_threadpool", "run_sync"});
  const auto hands_over = [&function](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
    const auto *name = call != nullptr ? as<Name>(call->func) : nullptr;
    const Symbol called = method != nullptr ? method->attr : name != nullptr ? name->id : Symbol{};
    return called && kRunning.has(called) && std::ranges::any_of(call->args, [&function](const Expr *given) {
             const auto *plain = as<Name>(given);
             const auto *attribute = as<Attribute>(given);
             return (plain != nullptr && plain->id == function.name) ||
                    (attribute != nullptr && attribute->attr == function.name);
           });
  };
  return std::ranges::any_of(project.functions, [&](const FunctionInfo &other) {
    const FunctionDef *const definition = other.module == function.module ? other.definition() : nullptr;
    return definition != nullptr && definition->is_async && any_node(definition->body, hands_over) &&
           serves_requests(project, &other, depth + 1);
  });
}

bool serves_requests(const model::Project &project, const FunctionInfo *function, u32 depth) {
  constexpr u32 kMostDepth = 3;
  for (const FunctionInfo *one = function; one != nullptr; one = one->parent) {
    if (is_request_handler(project, *one)) {
      return true;
    }
  }
  if (function != nullptr && function->definition() != nullptr && function->called_by.empty() && function->passed &&
      depth < kMostDepth) {
    return is_run_in_thread(project, *function, depth);
  }
  // A helper that nobody but handlers calls.
  return function != nullptr && function->definition() != nullptr && depth < kMostDepth &&
         !function->called_by.empty() && std::ranges::all_of(function->called_by, [&](const model::CallSite *caller) {
           return serves_requests(project, caller->caller, depth + 1);
         });
}

} // namespace

bool runs_per_request(const model::Project &project, const FunctionInfo &function) {
  return serves_requests(project, &function, 0);
}

bool in_request_handler(const Site &site) { return serves_requests(site.project, site.function, 0); }

} // namespace deepperf::rules
