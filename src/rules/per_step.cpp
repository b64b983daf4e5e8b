#include "rules/per_step.h"

#include "base/known_names.h"
#include "base/name_table.h"
#include "model/context.h"
#include "model/guards.h"
#include "rules/collators.h"
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
  return loop != nullptr ? loop->steps && !loop->few_iterations && runs_every_iteration(site, *loop)
                         : context_of(site).in_training_step && enclosing(site, NodeKind::If) == nullptr;
}

namespace {

bool stands_in(const Block &block, const Node *place) {
  return std::ranges::any_of(block, [&](const Stmt *one) { return one == place || contains(one, place); });
}

// Behind `if step % 100 == 0`, or after `if step % 100: return`, in its own function.
bool is_behind_count(const Site &site) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const Node *const node = site.ancestors[i];
    if (const auto *branch = as<If>(node)) {
      const std::optional<bool> seldom = model::holds_seldom(branch->test);
      if (seldom.has_value() && stands_in(*seldom ? branch->body : branch->orelse, site.node)) {
        return true;
      }
    }
    const auto *loop = as<For>(node);
    const auto *definition = as<FunctionDef>(node);
    if (loop != nullptr || definition != nullptr) {
      const Block &body = loop != nullptr ? loop->body : definition->body;
      const bool is_skipped = std::ranges::any_of(body, [&](const Stmt *statement) {
        const auto *guard = as<If>(statement);
        return guard != nullptr && guard->end <= site.node->start && model::skips_steps(*guard);
      });
      if (is_skipped || definition != nullptr) {
        return is_skipped;
      }
    }
  }
  return false;
}

// The same, or all calls of its function stand behind such a count.
bool is_behind_count(const Site &site, u32 depth) {
  constexpr u32 kMostDepth = 3;
  constexpr std::size_t kMostCallers = 8;
  if (is_behind_count(site)) {
    return true;
  }
  const auto &callers = site.function->called_by;
  return depth < kMostDepth && !callers.empty() && callers.size() <= kMostCallers &&
         std::ranges::all_of(callers, [&](const model::CallSite *caller) {
           return caller->caller != site.function &&
                  is_behind_count(site_at(site, *caller->caller, *caller->call), depth + 1);
         });
}

} // namespace

bool in_some_steps_only(const Site &site) {
  // In a forward pass a remainder is one of lengths.
  return site.function != nullptr && !in_forward_pass(site) && is_behind_count(site, 0);
}

bool only_builds(const FunctionInfo &function, Built built, u32 depth) {
  constexpr u32 kMostDepth = 4;
  constexpr std::size_t kMostCallers = 16;
  if (function.name == known::sym_init) {
    return function.type != nullptr && (built == Built::Anything || function.type->kind == Kind::TorchModule);
  }
  return depth < kMostDepth && !function.called_by.empty() && function.called_by.size() <= kMostCallers &&
         std::ranges::all_of(function.called_by, [&](const model::CallSite *caller) {
           return only_builds(*caller->caller, built, depth + 1);
         });
}

namespace {

// In a function that makes batches of items for a loader, or in one that such a function calls.
bool collates(const Site &site) {
  return site.function != nullptr &&
         (is_collator(site, site.function) ||
          std::ranges::any_of(site.function->called_by, [&site](const model::CallSite *caller) {
            return caller->caller->node != nullptr && is_collator(site, caller->caller);
          }));
}

} // namespace

bool runs_repeatedly(const Site &site) {
  const PlaceContext context = context_of(site);
  const bool is_step = context.in_training_step || context.in_evaluation_step || context.per_sample;
  if (!is_step && site.function != nullptr && only_builds(*site.function, Built::Anything)) {
    return false;
  }
  return is_step || context.repeated || in_step(site) || in_forward_pass(site) || collates(site);
}

bool is_set_up(const Site &site) {
  return site.function != nullptr && only_builds(*site.function, Built::Anything) && !runs_repeatedly(site);
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
  const auto step = [](const model::Loop *loop) { return loop->steps && !loop->few_iterations ? loop : nullptr; };
  if (const model::Loop *loop = loop_around(site)) {
    return runs_every_iteration(site, *loop) ? step(loop) : nullptr;
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
