#include "rules/fate.h"

#include "python/children.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

// Is the expression the name itself, `name.to(device)`, or a tuple with one of these?
bool gives_name(const Expr *expr, Symbol name) {
  if (const auto *plain = as<Name>(expr)) {
    return plain->id == name;
  }
  if (const auto *parts = as<Tuple>(expr)) {
    return std::ranges::any_of(parts->elts, [name](const Expr *part) { return gives_name(part, name); });
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view method = called_method(*call);
    return (method == "to" || method == "cuda" || method == "eval" || method == "half") &&
           gives_name(receiver_of(*call), name);
  }
  return false;
}

// Of what has the name in the function.
Fate fate_of(const model::FunctionInfo &function, Symbol name) {
  bool kept = std::ranges::find(function.globals, name) != function.globals.end();
  bool returned = false;
  const auto mentions = [name](const auto &inner, const Node *part) -> bool {
    if (const auto *plain = as<Name>(part)) {
      return plain->id == name;
    }
    if (part->kind == NodeKind::Call) {
      return false; // what is computed with it, not it
    }
    bool found = false;
    for_each_child(part, [&](const Node *child) { found = found || inner(inner, child); });
    return found;
  };
  const auto visit = [&](const auto &self, const Node *node) -> void {
    if (const auto *result = as<Return>(node); result != nullptr && result->value != nullptr) {
      returned = returned || gives_name(result->value, name) || mentions(mentions, result->value);
    } else if (const auto *stored = as<Assign>(node)) {
      const auto *target = as<Name>(stored->targets[0]);
      const bool is_itself = target != nullptr && target->id == name; // model = model.to(device)
      kept = kept || (!is_itself && (gives_name(stored->value, name) || mentions(mentions, stored->value)));
    } else if (node->kind == NodeKind::Yield) {
      kept = true;
    }
    for_each_child(node, [&](const Node *child) { self(self, child); });
  };
  visit(visit, function.node);
  return kept ? Fate::Kept : returned ? Fate::Returned : Fate::Dropped;
}

} // namespace

const Stmt *taken_by(const std::vector<const Node *> &ancestors, const Call &call) {
  const Node *below = &call;
  for (std::size_t at = ancestors.size(); at > 0; --at) {
    const Node *node = ancestors[at - 1];
    if (node->kind == NodeKind::Assign || node->kind == NodeKind::Return) {
      return static_cast<const Stmt *>(node);
    }
    const auto *method = as<Attribute>(node);
    const auto *outer = as<Call>(node);
    if ((method == nullptr || method->value != below) && (outer == nullptr || outer->func != below)) {
      return nullptr;
    }
    below = node;
  }
  return nullptr;
}

Fate fate_of_taken(const model::FunctionInfo &function, const Stmt *taken) {
  if (taken == nullptr) {
    return Fate::Kept;
  }
  const auto *assignment = as<Assign>(taken);
  if (assignment == nullptr) {
    return Fate::Returned;
  }
  if (assignment->targets.size() != 1) {
    return Fate::Kept;
  }
  if (const auto *name = as<Name>(assignment->targets[0])) {
    return fate_of(function, name->id);
  }
  const auto *names = as<Tuple>(assignment->targets[0]); // tokenizer, model = load()
  if (names == nullptr) {
    return Fate::Kept;
  }
  Fate worst = Fate::Dropped;
  for (const Expr *part : names->elts) {
    const auto *name = as<Name>(part);
    worst = std::max(worst, name != nullptr ? fate_of(function, name->id) : Fate::Kept);
  }
  return worst;
}

namespace {

// `pipe.scheduler = …` of what the function has made is gone with it.
bool keeps_something(const model::FunctionInfo &function, const Node *node) {
  if (node->kind == NodeKind::Global) {
    return true;
  }
  if (const auto *assignment = as<Assign>(node)) {
    const Expr *target = assignment->targets[0];
    const bool is_part = target->kind == NodeKind::Attribute || target->kind == NodeKind::Subscript;
    while (target->kind == NodeKind::Attribute || target->kind == NodeKind::Subscript) {
      target = target->kind == NodeKind::Attribute ? static_cast<const Attribute *>(target)->value
                                                   : static_cast<const Subscript *>(target)->value;
    }
    const auto *name = as<Name>(target);
    const bool is_own =
        name != nullptr && function.slot_of(name->id) != model::FunctionInfo::kNoSlot && !function.has_param(name->id);
    if (is_part && !is_own) {
      return true;
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || keeps_something(function, child); });
  return found;
}

} // namespace

bool is_cached(const model::FunctionInfo &function) {
  const FunctionDef *definition = function.definition();
  return definition != nullptr && std::ranges::any_of(definition->decorators, [&](const Expr *decorator) {
           const std::string_view text = function.module->parsed->source.part(decorator->start, decorator->end);
           return text.find("cache") != std::string_view::npos;
         });
}

bool keeps_something(const Site &site, const model::FunctionInfo &function) {
  struct Keeps {
    bool something = false;
  };
  return site.memory.recall<Keeps>(&function, [&] { return Keeps{keeps_something(function, function.node)}; })
      .something;
}

bool find_ancestors(const Node *node, const Call &call, std::vector<const Node *> &ancestors) {
  if (node == &call) {
    return true;
  }
  ancestors.push_back(node);
  bool found = false;
  for_each_child(node, [&](const Node *child) {
    if (!found && child->start <= call.start && call.end <= child->end) {
      found = find_ancestors(child, call, ancestors);
    }
  });
  if (!found) {
    ancestors.pop_back();
  }
  return found;
}

} // namespace deepperf::rules
