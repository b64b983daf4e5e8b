#include "rules/origin_bindings.h"

#include "rules/tree.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;

namespace {

struct OriginBindings {
  std::vector<OriginBinding> statements;     // by name, then by place
  std::vector<OriginBinding> comprehensions; // likewise, of names that nobody outside of them sees
  std::unordered_map<const Expr *, std::vector<const OriginBinding *>> of_value;
  std::vector<Span> loops; // the outermost ones, by place
};

class BindingSearch {
public:
  void block(const Block &statements, Span region) {
    for (const Stmt *statement : statements) {
      visit(*statement, region);
    }
  }

  std::vector<OriginBinding> found;

private:
  static Span span_of(const Block &statements) {
    return statements.empty() ? Span{} : Span{statements.front()->start, statements.back()->end};
  }

  void bind(const Expr *target, const Expr *value, std::vector<OriginPart> path, const Node &statement, u32 end,
            Span region) {
    if (const auto *name = as<Name>(target)) {
      found.push_back({name->id, value, std::move(path), statement.start, end, region});
      return;
    }
    const auto *tuple = as<Tuple>(target);
    const auto *list = as<List>(target);
    const Array<Expr *> elements = tuple != nullptr ? tuple->elts : list != nullptr ? list->elts : Array<Expr *>{};
    bool behind_star = false;
    for (u32 i = 0; i < elements.size(); ++i) {
      const auto *star = as<Starred>(elements[i]);
      behind_star |= star != nullptr;
      std::vector<OriginPart> inner = path;
      if (star == nullptr || !path.empty()) {
        inner.push_back({.key = {}, .index = behind_star ? OriginPart::kAnyElement : static_cast<i32>(i)});
      }
      bind(star != nullptr ? star->value : elements[i], value, std::move(inner), statement, end, region);
    }
  }

  // `for a, b in zip(xs, ys)` binds an element of each.
  void bind_elements(const Expr *target, const Expr *iterated, const Node &loop, u32 end, Span body) {
    const auto *call = as<Call>(iterated);
    const auto *pair = as<Tuple>(target);
    const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
    if (name == "zip" && pair != nullptr && pair->elts.size() == call->args.size()) {
      for (u32 i = 0; i < pair->elts.size(); ++i) {
        bind(pair->elts[i], call->args[i], {OriginPart{}}, loop, end, body);
      }
      return;
    }
    if (name == "enumerate" && pair != nullptr && pair->elts.size() == 2 && !call->args.empty()) {
      bind(pair->elts[1], call->args[0], {OriginPart{}}, loop, end, body);
      bind(pair->elts[0], iterated, {OriginPart{}}, loop, end, body);
      return;
    }
    bind(target, iterated, {OriginPart{}}, loop, end, body);
  }

  // `for x in xs` of comprehensions in the statement's own expressions.
  void visit_expressions(const Node &node) {
    for_each_child(&node, [this](const Node *child) {
      if (child->kind >= NodeKind::FunctionDef) {
        return;
      }
      if (child->kind == NodeKind::ListComp || child->kind == NodeKind::SetComp || child->kind == NodeKind::DictComp ||
          child->kind == NodeKind::GeneratorExp) {
        const auto &comprehension = static_cast<const ComprehensionExpr &>(*child);
        for (const Comprehension *generator : comprehension.generators) {
          const std::size_t first = found.size();
          bind_elements(generator->target, generator->iter, comprehension, comprehension.start, comprehension.span());
          for (std::size_t i = first; i < found.size(); ++i) {
            found[i].in_region_only = true;
          }
        }
      }
      visit_expressions(*child);
    });
  }

  void visit(const Stmt &statement, Span region) {
    visit_expressions(statement);
    switch (statement.kind) {
    case NodeKind::Assign: {
      const auto &assignment = static_cast<const Assign &>(statement);
      for (const Expr *target : assignment.targets) {
        bind(target, assignment.value, {}, statement, statement.end, region);
      }
      return;
    }
    case NodeKind::AnnAssign: {
      const auto &annotated = static_cast<const AnnAssign &>(statement);
      if (annotated.value != nullptr) {
        bind(annotated.target, annotated.value, {}, statement, statement.end, region);
      }
      return;
    }
    case NodeKind::AugAssign: {
      // What it held before counts as well: never settled.
      const auto &change = static_cast<const AugAssign &>(statement);
      bind(change.target, change.value, {}, statement, statement.end, Span{statement.start, statement.end});
      return;
    }
    case NodeKind::For: {
      const auto &loop = static_cast<const For &>(statement);
      bind_elements(loop.target, loop.iter, loop, loop.iter->end, span_of(loop.body));
      block(loop.body, span_of(loop.body));
      return block(loop.orelse, span_of(loop.orelse));
    }
    case NodeKind::While: {
      const auto &loop = static_cast<const While &>(statement);
      block(loop.body, span_of(loop.body));
      return block(loop.orelse, span_of(loop.orelse));
    }
    case NodeKind::If: {
      const auto &branch = static_cast<const If &>(statement);
      block(branch.body, span_of(branch.body));
      return block(branch.orelse, span_of(branch.orelse));
    }
    case NodeKind::With: {
      const auto &with = static_cast<const With &>(statement);
      for (const WithItem &item : with.items) {
        if (item.optional_vars != nullptr) {
          bind(item.optional_vars, item.context_expr, {}, statement, item.context_expr->end, region);
        }
      }
      return block(with.body, region);
    }
    case NodeKind::Try: {
      const auto &attempt = static_cast<const Try &>(statement);
      block(attempt.body, span_of(attempt.body));
      for (const ExceptHandler *handler : attempt.handlers) {
        block(handler->body, span_of(handler->body));
      }
      block(attempt.orelse, span_of(attempt.orelse));
      return block(attempt.finalbody, region);
    }
    case NodeKind::Match:
      for (const MatchCase &one : static_cast<const Match &>(statement).cases) {
        block(one.body, span_of(one.body));
      }
      return;
    default:
      return;
    }
  }
};

} // namespace

namespace {

// The outermost For and While loops.
std::vector<Span> outer_loops(const FunctionInfo &function) {
  std::vector<Span> loops;
  for (const model::Loop *loop : function.loops) {
    if (loop->node->kind == NodeKind::For || loop->node->kind == NodeKind::While) {
      loops.push_back({loop->node->start, loop->node->end});
    }
  }
  std::ranges::sort(loops, {}, [](const Span &one) { return std::pair(one.start, ~one.end); });
  u32 end = 0;
  std::erase_if(loops, [&end](const Span &one) { return one.start < std::exchange(end, std::max(end, one.end)); });
  return loops;
}

const OriginBindings &bindings_of(const Site &site, const FunctionInfo &function) {
  return site.memory.recall<OriginBindings>(&function, [&] {
    BindingSearch search;
    const FunctionDef *definition = function.definition();
    if (definition != nullptr) {
      search.block(definition->body, {});
    } else if (function.node == nullptr) {
      search.block(function.module->parsed->tree.body, {});
    }
    std::ranges::stable_sort(search.found, {},
                             [](const OriginBinding &one) { return std::pair(one.name.id, one.start); });
    OriginBindings bindings;
    for (OriginBinding &one : search.found) {
      (one.in_region_only ? bindings.comprehensions : bindings.statements).push_back(std::move(one));
    }
    for (const std::vector<OriginBinding> *all : {&bindings.statements, &bindings.comprehensions}) {
      for (const OriginBinding &one : *all) {
        bindings.of_value[one.value].push_back(&one);
      }
    }
    bindings.loops = outer_loops(function);
    return bindings;
  });
}

// Those of the name that begin at the offset or before it.
std::span<const OriginBinding> begun_before(const std::vector<OriginBinding> &all, Symbol name, u32 offset) {
  const auto key = [](const OriginBinding &one) { return std::pair(one.name.id, one.start); };
  const auto first = std::ranges::lower_bound(all, std::pair(name.id, 0U), {}, key);
  return {first, std::ranges::upper_bound(first, all.end(), std::pair(name.id, offset), {}, key)};
}

// Where the outermost loop around the offset ends; the offset itself if there is none.
u32 end_of_loop_around(const std::vector<Span> &loops, u32 offset) {
  const auto after = std::ranges::upper_bound(loops, offset, {}, &Span::start);
  return after != loops.begin() && offset < std::prev(after)->end ? std::prev(after)->end : offset;
}

} // namespace

std::vector<const OriginBinding *> bindings_of_value(const Site &site, const FunctionInfo &function,
                                                     const Expr *value) {
  const OriginBindings &all = bindings_of(site, function);
  const auto found = all.of_value.find(value);
  return found != all.of_value.end() ? found->second : std::vector<const OriginBinding *>{};
}

std::vector<const OriginBinding *> bindings_before(const Site &site, const FunctionInfo &function, Symbol name,
                                                   u32 offset, bool &is_settled, bool is_carried) {
  const OriginBindings &all = bindings_of(site, function);
  std::vector<const OriginBinding *> seen;
  is_settled = false;
  const std::span<const OriginBinding> comprehensions = begun_before(all.comprehensions, name, offset);
  for (std::size_t i = 0; i < std::min(comprehensions.size(), kMostBindings) && !is_settled; ++i) {
    const OriginBinding &one = comprehensions[comprehensions.size() - 1 - i];
    is_settled = one.region.start <= offset && offset < one.region.end;
    if (is_settled) {
      seen.push_back(&one);
    }
  }
  const u32 end = is_carried && offset != ~0U ? end_of_loop_around(all.loops, offset) : offset;
  const std::span<const OriginBinding> statements = begun_before(all.statements, name, end);
  for (auto at = statements.end(); at != statements.begin() && !is_settled && seen.size() <= kMostBindings;) {
    --at;
    take_steps();
    if (at->end > offset) { // the iteration before may have left it
      if (is_carried && at->end <= end && end != offset) {
        seen.push_back(&*at);
      }
      continue;
    }
    seen.push_back(&*at);
    const bool is_whole = at->region.start == at->region.end;
    is_settled = is_whole || (offset != ~0U && at->region.start <= offset && offset < at->region.end);
  }
  return seen;
}

} // namespace deepperf::rules
