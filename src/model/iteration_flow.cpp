#include "model/iteration_flow.h"

#include "base/symbol_list.h"
#include "python/children.h"

#include <utility>

namespace deepperf::model {

using namespace python;

namespace {

template <typename Visit> void for_each_name(const Node *node, const Visit &visit) {
  if (const auto *name = as<Name>(node)) {
    visit(*name);
    return;
  }
  for_each_child(node, [&](const Node *child) { for_each_name(child, visit); });
}

Span span_of(const Block &block) { return block.empty() ? Span{} : Span{block.front()->start, block.back()->end}; }

// More is not followed: who asks for every expression of a long loop must not search all of it each time.
constexpr std::size_t kMostBindings = 32;

// Functions run later, if at all.
bool opens_scope(const Node *node) {
  return node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Lambda;
}

} // namespace

IterationFlow::IterationFlow(const Loop &loop) : loop_(loop) {
  const auto add_items = [this](const Expr *target) {
    for_each_name(target, [this](const Name &name) { items_.insert(name.id.id); });
  };
  if (const auto *statement = as<For>(loop.node)) {
    add_items(statement->target);
    collect(statement->body, span_of(statement->body));
  } else if (const auto *repeated = as<While>(loop.node)) {
    collect(repeated->body, span_of(repeated->body));
  } else {
    for (const Comprehension *part : static_cast<const ComprehensionExpr *>(loop.node)->generators) {
      add_items(part->target);
    }
  }
}

void IterationFlow::bind(const Node *target, const Expr *value, u32 end, Span region, bool plain, bool replaces) {
  const bool is_name = target->kind == NodeKind::Name;
  if (is_name || target->kind == NodeKind::Tuple || target->kind == NodeKind::List ||
      target->kind == NodeKind::Starred) {
    for_each_name(target, [&](const Name &name) {
      bindings_[name.id.id].push_back({value, end, region, repeated_, plain && is_name, replaces});
    });
  }
}

std::unordered_set<u32> IterationFlow::collect(const Block &block, Span region) {
  std::unordered_set<u32> sure;
  for (const Stmt *statement : block) {
    collect(statement, region, sure);
  }
  return sure;
}

void IterationFlow::collect(const Stmt *statement, Span region, std::unordered_set<u32> &sure) {
  const auto add = [&](const Node *target, const Expr *value, bool plain) {
    bind(target, value, statement->end, region, plain, true);
    if (const auto *name = as<Name>(target)) {
      sure.insert(name->id.id);
    } else if (target->kind == NodeKind::Tuple) {
      for_each_name(target, [&](const Name &part) { sure.insert(part.id.id); });
    }
  };
  if (const auto *assign = as<Assign>(statement)) {
    for (const Expr *target : assign->targets) {
      add(target, assign->value, true);
    }
  } else if (const auto *annotated = as<AnnAssign>(statement); annotated != nullptr && annotated->value != nullptr) {
    add(annotated->target, annotated->value, true);
  } else if (const auto *changed = as<AugAssign>(statement)) {
    bind(changed->target, changed->value, statement->end, region, false, false);
  } else if (const auto *with = as<With>(statement)) {
    for (const WithItem &item : with->items) {
      if (item.optional_vars != nullptr) {
        bind(item.optional_vars, item.context_expr, item.optional_vars->end, region, false, true);
      }
    }
    sure.merge(collect(with->body, region));
  } else if (const auto *choice = as<If>(statement)) {
    const auto first = collect(choice->body, span_of(choice->body));
    const auto second = collect(choice->orelse, span_of(choice->orelse));
    for (const u32 name : first) {
      if (second.contains(name)) {
        bindings_[name].push_back({nullptr, statement->end, region, repeated_, false, true});
        sure.insert(name);
      }
    }
  } else if (const auto *inner = as<For>(statement)) {
    const Span around = std::exchange(repeated_, repeated_.end == 0 ? statement->span() : repeated_);
    const Span body = span_of(inner->body);
    bind(inner->target, inner->iter, inner->iter->end, body, false, true);
    collect(inner->body, body);
    collect(inner->orelse, span_of(inner->orelse));
    repeated_ = around;
  } else if (const auto *repeated = as<While>(statement)) {
    const Span around = std::exchange(repeated_, repeated_.end == 0 ? statement->span() : repeated_);
    collect(repeated->body, span_of(repeated->body));
    collect(repeated->orelse, span_of(repeated->orelse));
    repeated_ = around;
  } else if (const auto *attempt = as<Try>(statement)) {
    collect(attempt->body, span_of(attempt->body));
    for (const ExceptHandler *handler : attempt->handlers) {
      collect(handler->body, span_of(handler->body));
    }
    collect(attempt->orelse, span_of(attempt->orelse));
    sure.merge(collect(attempt->finalbody, region));
  }
}

// The last binding that every way to the name passes.
const IterationFlow::Binding *IterationFlow::before(const Name &name) const {
  const auto known = bindings_.find(name.id.id);
  const Binding *found = nullptr;
  if (known != bindings_.end() && known->second.size() <= kMostBindings) {
    for (const Binding &one : known->second) {
      const bool is_passed = one.end <= name.start && one.region.start <= name.start && name.end <= one.region.end;
      found = one.replaces && is_passed && (found == nullptr || found->end <= one.end) ? &one : found;
    }
  }
  return found;
}

const Expr *IterationFlow::bound_to(const Name &name) const {
  const Binding *const binding = before(name);
  return binding != nullptr && binding->plain ? binding->value : nullptr;
}

const Expr *IterationFlow::taken_from(const Name &name) const {
  const Binding *const binding = before(name);
  return binding != nullptr ? binding->value : nullptr;
}

// NOLINTNEXTLINE(misc-no-recursion): each binding is followed once
void IterationFlow::follow(const Expr *expr, Origin &origin, std::unordered_set<const Expr *> &seen) const {
  const auto visit = [&](const auto &self, const Node *node) -> void {
    if (opens_scope(node)) {
      origin.earlier = true; // it may read whatever is there when it runs
      return;
    }
    if (const auto *attribute = as<Attribute>(node);
        attribute != nullptr && contains(loop_.attributes, attribute->attr)) {
      origin.earlier = true;
    }
    const auto *name = as<Name>(node);
    if (name == nullptr) {
      for_each_child(node, [&](const Node *child) { self(self, child); });
      return;
    }
    const bool is_item = items_.contains(name->id.id);
    const auto known = bindings_.find(name->id.id);
    if (known == bindings_.end()) {
      origin.item |= is_item;
      origin.earlier |= !is_item && (contains(loop_.assigned, name->id) || contains(loop_.mutated, name->id));
      return;
    }
    // An item that was not bound again is that of this iteration; another name may hold what an earlier one left.
    const bool is_bound = before(*name) != nullptr;
    origin.item |= is_item && !is_bound;
    origin.earlier |= (!is_item && !is_bound) || known->second.size() > kMostBindings || seen.size() > kMostBindings;
    for (const Binding &one : known->second) {
      const bool may_reach =
          one.end <= name->start || (one.repeated.start <= name->start && name->end <= one.repeated.end);
      if (!origin.earlier && one.value != nullptr && may_reach && seen.insert(one.value).second) {
        follow(one.value, origin, seen);
      }
    }
  };
  visit(visit, expr);
}

IterationFlow::Origin IterationFlow::of(const Expr *expr) const {
  Origin origin;
  std::unordered_set<const Expr *> seen;
  follow(expr, origin, seen);
  return origin;
}

} // namespace deepperf::model
