#include "rules/step_number.h"

#include "model/definitions.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_set>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;
using model::Loop;

namespace {

using Loops = std::vector<const Loop *>;

constexpr std::size_t kMostStores = 64; // to attributes of one name, of whatever objects

// Names that a loop counts with: `step += 1`.
struct CountedNames {
  std::unordered_set<u32> names;
};

const CountedNames &counted_in(const Site &there, const Loop &loop) {
  return there.memory.recall<CountedNames>(&loop, [&] {
    CountedNames found;
    any_node(loop.node, [&](const Node *node) {
      const auto *change = as<AugAssign>(node);
      const auto *name = change != nullptr ? as<Name>(change->target) : nullptr;
      if (name != nullptr && number_of(there, change->value)) {
        found.names.insert(name->id.id);
      }
      return false;
    });
    return found;
  });
}

class NumberSearch {
public:
  NumberSearch(const Site &site, const Loops &loops) : site_(site), loops_(loops) {}

  const Loop *loop = nullptr; // in whose iterations it is another one
  bool is_number = true;

  Onward visit(const Origin &origin) {
    if (!is_number) {
      return Onward::Stop;
    }
    const Expr *expr = origin.expr;
    switch (expr->kind) {
    case NodeKind::Constant:
      return number(is_constant(expr, ConstantKind::Int) || is_constant(expr, ConstantKind::Float));
    case NodeKind::BinOp:
    case NodeKind::UnaryOp:
    case NodeKind::BoolOp:
      return Onward::Through;
    case NodeKind::Call:
      return call(origin, *static_cast<const Call *>(expr));
    case NodeKind::Name:
      return name(origin, *static_cast<const Name *>(expr));
    case NodeKind::Attribute:
      return attribute(origin, *static_cast<const Attribute *>(expr));
    default:
      return number(false);
    }
  }

private:
  Onward number(bool holds) {
    is_number &= holds;
    return Onward::Stop;
  }

  Onward call(const Origin &origin, const Call &call) {
    const std::string_view api = called_api(site_of_origin(site_, *origin.function), call);
    if (api == "range" || api == "enumerate" || api == "itertools.count" || api == "xrange") {
      // An element of it: what the loop counts with.
      for (const Loop *one : loops_) {
        const auto *statement = as<For>(one->node);
        if (statement != nullptr && contains_call(statement->iter, call)) {
          loop = one;
        }
      }
      return number(origin.path.size() == 1);
    }
    if (api == "float" || api == "int") {
      // A number whatever it is given; what it is given may count.
      NumberSearch inner(site_, loops_);
      for (const Expr *given : call.args) {
        visit_origins(site_, *origin.function, given, [&](const Origin &one) { return inner.visit(one); },
                      {.thorough = true});
      }
      loop = loop == nullptr && inner.is_number ? inner.loop : loop;
      return Onward::Stop;
    }
    if (api == "len") {
      return Onward::Stop;
    }
    const bool is_arithmetic =
        api.starts_with("math.") || api == "min" || api == "max" || api == "round" || api == "abs" || api == "pow";
    return is_arithmetic && !call.args.empty() ? Onward::Through : number(false);
  }

  static bool contains_call(const Expr *iterated, const Call &call) {
    return iterated->start <= call.start && call.end <= iterated->end;
  }

  // `step += 1` in one of the loops
  Onward name(const Origin &origin, const Name &name) {
    const FunctionInfo *owner = origin.function;
    const Site there = site_of_origin(site_, *owner);
    bool counts = false;
    for (const Loop *one : loops_) {
      if (one->function == owner && counted_in(there, *one).names.contains(name.id.id)) {
        counts = true;
        loop = one;
      }
    }
    if (counts) {
      return Onward::Through;
    }
    const std::optional<model::ConstantValue> known = setting_of(there, &name);
    return known.has_value() ? number(known->as_number().has_value()) : Onward::Through;
  }

  // `self.step += 1` in one of the loops, or in what they call
  Onward attribute(const Origin &origin, const Attribute &attribute) {
    const Site there = site_of_origin(site_, *origin.function);
    const model::Definitions &definitions = model::definitions_of(site_.project);
    const auto stores = definitions.attribute_stores.find(attribute.attr.id);
    const model::Value object = value_of(there, attribute.value);
    if (stores != definitions.attribute_stores.end() && stores->second.size() > kMostStores) {
      return number(false);
    }
    bool counts = false;
    for (u32 i = 0; stores != definitions.attribute_stores.end() && i < stores->second.size(); ++i) {
      const model::AttributeStore &store = stores->second[i];
      if (store.increment == nullptr || store.function == nullptr || !object.is(model::Value::Tag::Object) ||
          !number_of(site_of_origin(site_, *store.function), store.increment).has_value()) {
        continue;
      }
      for (const Loop *one : loops_) {
        if (runs_inside(*one, *store.function, *store.object)) {
          counts = true;
          loop = one;
        }
      }
    }
    if (counts) {
      return Onward::Through;
    }
    if (const model::Value value = value_of(there, &attribute); value.is(model::Value::Tag::Api)) { // math.pi
      return number(value.name().text().starts_with("math."));
    }
    const std::optional<model::ConstantValue> known = setting_of(there, &attribute);
    return known.has_value() ? number(known->as_number().has_value()) : Onward::Through;
  }

  const Site &site_;
  const Loops &loops_;
};

// The loops around calls of a function that every turn comes to, at a few levels of calls; none if there are too many.
struct LoopsOfCallers {
  Loops loops;
};

class CallerLoops {
public:
  Loops found;

  bool add(const FunctionInfo &function, u32 depth) {
    constexpr u32 kMostCallLevels = 3;
    constexpr u32 kMostCalls = 200;
    for (const model::CallSite *caller : function.called_by) {
      take_steps();
      if (++looks_ > kMostCalls) {
        return false;
      }
      if (caller->once || caller->behind_guard || caller->conditional || caller->caller->module->is_test) {
        continue;
      }
      for (const Loop *loop = caller->loop; loop != nullptr; loop = loop->parent) {
        if (!loop->few_iterations && loop->iterations != model::Iterations::Few &&
            std::ranges::find(found, loop) == found.end()) {
          found.push_back(loop);
        }
      }
      if (depth < kMostCallLevels && caller->caller != &function && !add(*caller->caller, depth + 1)) {
        return false;
      }
    }
    return true;
  }

private:
  u32 looks_ = 0;
};

const Loops &loops_of_callers(const Site &site, const FunctionInfo &function) {
  return site.memory
      .recall<LoopsOfCallers>(&function,
                              [&] {
                                CallerLoops search;
                                return search.add(function, 0) ? LoopsOfCallers{std::move(search.found)}
                                                               : LoopsOfCallers{};
                              })
      .loops;
}

} // namespace

const Loop *counting_loop_of(const Site &site, const FunctionInfo &function, const Expr *expr,
                             std::vector<OriginPart> path, const Loops &loops) {
  if (loops.empty()) {
    return nullptr;
  }
  NumberSearch search(site, loops);
  const bool complete = visit_origins(site, function, expr, [&](const Origin &origin) { return search.visit(origin); },
                                      {.path = std::move(path), .thorough = true});
  return complete && search.is_number ? search.loop : nullptr;
}

bool runs_inside(const Loop &loop, const FunctionInfo &function, const Node &node) {
  if (loop.function == &function) {
    return loop.node->start <= node.start && node.end <= loop.node->end;
  }
  const std::vector<const FunctionInfo *> reached = reached_functions(*loop.function, *loop.node);
  for (const FunctionInfo *at = &function; at != nullptr && at->node != nullptr; at = at->parent) {
    if (std::ranges::find(reached, at) != reached.end()) {
      return true;
    }
    if (at->parent == loop.function) { // a function that the loop's body defines
      return loop.node->start <= at->node->start && at->node->end <= loop.node->end;
    }
  }
  return false;
}

Loops loops_coming_to(const Site &site) {
  Loops loops;
  for (const Loop *loop = loop_around(site); loop != nullptr; loop = loop->parent) {
    if (!loop->few_iterations && runs_every_iteration(site, *loop)) {
      loops.push_back(loop);
    }
  }
  if (site.function != nullptr && enclosing(site, NodeKind::If) == nullptr) {
    for (const Loop *loop : loops_of_callers(site, *site.function)) {
      if (std::ranges::find(loops, loop) == loops.end()) {
        loops.push_back(loop);
      }
    }
  }
  return loops;
}

} // namespace deepperf::rules
