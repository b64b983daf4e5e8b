#include "rules/timed.h"

#include "python/children.h"
#include "rules/tree.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules {

using namespace python;

namespace {

constexpr u32 kDepth = 3; // functions that call each other

// Here, or in a function that is called here.
bool reads_clock(const Site &site, const Node *node, u32 depth = kDepth) {
  return any_node(node, [&site, depth](const Node *part) {
    const auto *call = as<Call>(part);
    if (call == nullptr || is_clock(site, call)) {
      return call != nullptr;
    }
    const model::FunctionInfo *function = depth != 0 ? called_function(site, *call) : nullptr;
    return function != nullptr && function->definition() != nullptr &&
           std::ranges::any_of(function->definition()->body, [&site, depth](const Stmt *statement) {
             return reads_clock(site, statement, depth - 1);
           });
  });
}

// time.time(), or now() of `def now(): torch.cuda.synchronize(); return time.time()`
bool gives_clock(const Site &site, const Expr *expr, u32 depth = kDepth) {
  const auto *call = as<Call>(expr);
  const model::FunctionInfo *function = call != nullptr && depth != 0 ? called_function(site, *call) : nullptr;
  return is_clock(site, expr) || (function != nullptr && function->definition() != nullptr &&
                                  any_node(function->definition()->body, [&site, depth](const Node *node) {
                                    const auto *result = as<Return>(node);
                                    return result != nullptr && gives_clock(site, result->value, depth - 1);
                                  }));
}

constexpr std::ptrdiff_t kNear = 2; // statements that do something

using Statements = std::vector<const Stmt *>;

Statements::const_iterator find_in(const Statements &block, const Node &node) {
  return std::ranges::find(block, &node, [](const Stmt *one) { return static_cast<const Node *>(one); });
}

// `start` of `start = time.time()` right before the statement; none if the clock is not read there.
const Name *started_before(const Site &site, const Statements &block, const Node &node) {
  const auto at = find_in(block, node);
  for (auto one = at - std::min(kNear, at - block.begin()); at != block.end() && one != at; ++one) {
    const auto *assignment = as<Assign>(*one);
    if (assignment != nullptr && gives_clock(site, assignment->value)) {
      return as<Name>(assignment->targets[0]);
    }
  }
  return nullptr;
}

// Is the clock read in one of the statements right after this one?
bool ends_behind(const Site &site, const Statements &block, const Node &node) {
  const auto at = find_in(block, node);
  return at != block.end() && std::any_of(at + 1, at + 1 + std::min(kNear, block.end() - at - 1),
                                          [&site](const Stmt *statement) { return reads_clock(site, statement); });
}

// Do they say how long it took since `start`?
bool uses_behind(const Statements &block, const Node &node, const Name &start) {
  const auto at = find_in(block, node);
  return at != block.end() && std::any_of(at + 1, at + 1 + std::min(kNear + 1, block.end() - at - 1),
                                          [&start](const Stmt *statement) { return mentions(statement, start.id); });
}

} // namespace

bool is_clock(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
  return api == "time.time" || api == "time.perf_counter" || api == "time.monotonic" || api == "timeit.default_timer" ||
         api == "time.process_time" || api == "time.perf_counter_ns" || api == "time.time_ns";
}

bool is_timed(const Site &site, const Node &loop) {
  struct IsTimed {
    bool value = false;
  };
  // The clock may be started inside of a `with` or of another loop, and read again after that.
  const auto find = [&] {
    const Node *node = &loop;
    const Name *start = nullptr;
    for (auto at = std::ranges::find(site.ancestors, node);; --at) {
      const bool is_outermost = at == site.ancestors.begin();
      Statements block;
      const auto take = [&block](const Node *child) {
        if (child->kind >= NodeKind::FunctionDef && child->kind != NodeKind::Pass) {
          block.push_back(static_cast<const Stmt *>(child));
        }
      };
      if (is_outermost) {
        std::ranges::for_each(site.module->parsed->tree.body, take);
      } else {
        for_each_child(*(at - 1), take);
      }
      const Name *const started = started_before(site, block, *node);
      if (ends_behind(site, block, *node) &&
          (started != nullptr || (start != nullptr && uses_behind(block, *node, *start)))) {
        return IsTimed{true};
      }
      start = start != nullptr ? start : started;
      if (is_outermost) {
        return IsTimed{false};
      }
      node = *(at - 1);
      if (node->kind != NodeKind::With && (start == nullptr || node->kind != NodeKind::For)) {
        return IsTimed{false};
      }
    }
  };
  return site.memory.recall<IsTimed>(&loop, find).value;
}

bool is_timed_in(const Site &site, const Node &loop, const Node &place) {
  bool before = false;
  bool after = false;
  any_node(&loop, [&](const Node *node) {
    if (node->kind == NodeKind::Call && is_clock(site, static_cast<const Expr *>(node))) {
      before |= node->end <= place.start;
      after |= node->start >= place.end;
    }
    return before && after;
  });
  return before && after;
}

} // namespace deepperf::rules
