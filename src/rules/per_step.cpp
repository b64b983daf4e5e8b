#include "rules/per_step.h"

#include "base/name_table.h"
#include "rules/tree.h"

#include <algorithm>
#include <limits>

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

// Of a class of torch.autograd.Function, whose passes are those of whoever applies it.
bool is_autograd_pass(const FunctionInfo &function) {
  return function.type != nullptr && function.name &&
         (function.name.text() == "forward" || function.name.text() == "backward") &&
         std::ranges::any_of(function.type->mro, [](const model::ClassInfo *at) {
           return std::ranges::any_of(at->bases, [](const model::Value &base) {
             return base.is(model::Value::Tag::Api) && base.name().text() == "torch.autograd.Function";
           });
         });
}

// Do calls of the function lead back to one for which `holds`? At most so many calls up.
template <class Predicate>
bool is_reached_from(const model::Project &project, const FunctionInfo &function, u32 depth, const Predicate &holds) {
  constexpr u32 kMostDepth = 4;
  constexpr std::size_t kMostCallers = 16;
  if (holds(function)) {
    return true;
  }
  const auto &callers = function.called_by;
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
  const auto is_forward = [](const FunctionInfo &function) {
    return is_module_method(function, "forward") || is_autograd_pass(function);
  };
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

namespace {

// Where the first `return` of a function ends; a very large number if it has none.
struct FirstReturn {
  u32 end = std::numeric_limits<u32>::max();
};

FirstReturn find_return(const FunctionDef &definition) {
  FirstReturn first;
  any_node(definition.body, [&first](const Node *node) {
    if (node->kind == NodeKind::Return) {
      first.end = node->end;
    }
    return node->kind == NodeKind::Return; // the source's order is that of the search
  });
  return first;
}

// May the function return before it comes to the place?
bool may_return_before(const Site &site) {
  const FunctionDef *const definition = site.function->definition();
  return definition != nullptr && site.node != nullptr &&
         site.memory.recall<FirstReturn>(definition, [&] { return find_return(*definition); }).end < site.node->start;
}

} // namespace

const model::Loop *step_loop_of(const Site &site) {
  const auto step = [](const model::Loop *loop) { return loop->steps && !loop->tiny ? loop : nullptr; };
  if (const model::Loop *loop = loop_around(site)) {
    return runs_every_turn(site, *loop) ? step(loop) : nullptr;
  }
  if (site.function == nullptr || enclosing(site, NodeKind::If) != nullptr ||
      enclosing(site, NodeKind::ExceptHandler) != nullptr || may_return_before(site)) {
    return nullptr;
  }
  constexpr u32 kMostCalls = 4;
  const FunctionInfo *function = site.function;
  for (u32 depth = 0; depth < kMostCalls && function->called_by.size() == 1; ++depth) {
    const model::CallSite &call = *function->called_by[0];
    if (call.once || call.conditional || call.behind_guard) {
      return nullptr;
    }
    if (call.loop != nullptr) {
      return step(call.loop);
    }
    function = call.caller;
  }
  return nullptr;
}

} // namespace deepperf::rules
