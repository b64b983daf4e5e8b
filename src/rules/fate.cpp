#include "rules/fate.h"

#include "python/children.h"

#include <algorithm>
#include <unordered_set>

namespace deepperf::rules {

using namespace python;

namespace {

using Names = std::unordered_set<u32>;

// The names that the expression is: the name itself, `name.to(device)`, or a tuple with these.
void add_given(const Expr *expr, Names &into) {
  if (const auto *plain = as<Name>(expr)) {
    into.insert(plain->id.id);
  } else if (const auto *parts = as<Tuple>(expr)) {
    std::ranges::for_each(parts->elts, [&into](const Expr *part) { add_given(part, into); });
  } else if (const auto *call = as<Call>(expr)) {
    const std::string_view method = called_method(*call);
    if (method == "to" || method == "cuda" || method == "eval" || method == "half") {
      add_given(receiver_of(*call), into);
    }
  }
}

// Names in the expression, but not what is computed with them.
void add_mentioned(const Node *node, Names &into) {
  if (const auto *plain = as<Name>(node)) {
    into.insert(plain->id.id);
  } else if (node->kind != NodeKind::Call) {
    for_each_child(node, [&into](const Node *child) { add_mentioned(child, into); });
  }
}

// What becomes of the names of a function.
struct Fates {
  Names kept;
  Names returned;
  bool keeps_all = false;
};

void add_fates(const Node *node, Fates &into) {
  if (const auto *result = as<Return>(node); result != nullptr && result->value != nullptr) {
    add_given(result->value, into.returned);
    add_mentioned(result->value, into.returned);
  } else if (const auto *stored = as<Assign>(node)) {
    Names names;
    add_given(stored->value, names);
    add_mentioned(stored->value, names);
    if (const auto *target = as<Name>(stored->targets[0])) {
      names.erase(target->id.id); // model = model.to(device)
    }
    into.kept.merge(names);
  } else if (node->kind == NodeKind::Yield) {
    into.keeps_all = true;
  }
  for_each_child(node, [&into](const Node *child) { add_fates(child, into); });
}

// Of what has the name in the function.
Fate fate_of(const Site &site, const model::FunctionInfo &function, Symbol name) {
  const Fates &fates = site.memory.recall<Fates>(&function, [&] {
    Fates found;
    std::ranges::for_each(function.globals, [&found](Symbol global) { found.kept.insert(global.id); });
    add_fates(function.node, found);
    return found;
  });
  const bool is_kept = fates.keeps_all || fates.kept.contains(name.id);
  return is_kept ? Fate::Kept : fates.returned.contains(name.id) ? Fate::Returned : Fate::Dropped;
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

Fate fate_of_taken(const Site &site, const model::FunctionInfo &function, const Stmt *taken) {
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
    return fate_of(site, function, name->id);
  }
  const auto *names = as<Tuple>(assignment->targets[0]); // tokenizer, model = load()
  if (names == nullptr) {
    return Fate::Kept;
  }
  Fate worst = Fate::Dropped;
  for (const Expr *part : names->elts) {
    const auto *name = as<Name>(part);
    worst = std::max(worst, name != nullptr ? fate_of(site, function, name->id) : Fate::Kept);
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
