#include "rules/timed.h"

#include "python/children.h"
#include "rules/tree.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules {

using namespace python;

namespace {

bool reads_clock(const Site &site, const Node *node) {
  return any_node(node, [&site](const Node *part) {
    return part->kind == NodeKind::Call && is_clock(site, static_cast<const Expr *>(part));
  });
}

// Is the clock read in the statements next to this one?
bool is_between_clocks(const Site &site, const std::vector<const Stmt *> &block, const Node &node) {
  constexpr std::ptrdiff_t kNear = 2;
  const auto at = std::ranges::find(block, &node, [](const Stmt *one) { return static_cast<const Node *>(one); });
  if (at == block.end()) {
    return false;
  }
  const auto reads = [&site](const Stmt *statement) {
    const auto *assignment = as<Assign>(statement);
    return assignment != nullptr && is_clock(site, assignment->value);
  };
  return std::any_of(at - std::min(kNear, at - block.begin()), at, reads) &&
         std::any_of(at + 1, at + 1 + std::min(kNear, block.end() - at - 1),
                     [&site](const Stmt *statement) { return reads_clock(site, statement); });
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
  const auto find = [&] {
    const Node *node = &loop;
    const auto around = std::ranges::find(site.ancestors, node);
    for (auto at = around;; --at) {
      std::vector<const Stmt *> block;
      const auto take = [&block](const Node *child) {
        if (child->kind >= NodeKind::FunctionDef) {
          block.push_back(static_cast<const Stmt *>(child));
        }
      };
      if (at == site.ancestors.begin()) {
        block.assign(site.module->parsed->tree.body.begin(), site.module->parsed->tree.body.end());
      } else {
        for_each_child(*(at - 1), take);
      }
      if (is_between_clocks(site, block, *node)) {
        return IsTimed{true};
      }
      if (at == site.ancestors.begin() || (*(at - 1))->kind != NodeKind::With) {
        return IsTimed{false};
      }
      node = *(at - 1);
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
