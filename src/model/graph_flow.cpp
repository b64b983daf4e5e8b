// Where a function records autograd graphs, and what it does with them in total.
#include "model/graph_flow.h"

#include "base/steps.h"
#include "model/call_order.h"
#include "model/graph_flow_walker.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <unordered_map>

namespace deepperf::model {

using namespace python;

namespace {

constexpr u32 kMostOrigins = 64;
constexpr u32 kMostNames = 1000;
constexpr u32 kMostCallDepth = 40; // of calls that are followed

} // namespace

void GraphFlowWalker::run() {
  const u32 params = std::min<u32>(function_.params.size(), kMostOrigins / 2);
  flow_.params.assign(function_.params.size(), u16{0});
  const bool is_method = function_.type != nullptr && !function_.is_static;
  for (u32 i = is_method ? 1 : 0; i < params; ++i) {
    const u32 slot = function_.slot_of(function_.params[i]->name);
    if (slot != FunctionInfo::kNoSlot) {
      environment_[slot] = u64{1} << i;
    }
  }
  first_ = params;
  if (const FunctionDef *definition = function_.definition()) {
    walk(definition->body);
  } else if (const Lambda *lambda = function_.lambda()) {
    give(eval(lambda->body));
  } else {
    walk(function_.module->parsed->tree.body);
  }
  for (u32 i = params; i < function_.params.size(); ++i) {
    flow_.params[i] = Flow::kEscapes;
  }
  // What was walked before is gone when the caller gets it.
  for (const Flow::Origin &origin : flow_.origins) {
    if ((origin.uses & Flow::kReturned) != 0 && (origin.uses & Flow::kWalked) == 0) {
      flow_.returns_graph |= origin.what == Flow::What::Forward || origin.what == Flow::What::Helper;
      flow_.returns_assumed |= origin.what == Flow::What::Assumed;
    }
  }
}

void GraphFlowWalker::use(u64 bits, u16 how) {
  for (; bits != 0; bits &= bits - 1) {
    const auto at = static_cast<u32>(std::countr_zero(bits));
    u16 &uses = at < first_ ? flow_.params[at] : flow_.origins[at - first_].uses;
    uses = static_cast<u16>(uses | how);
  }
}

void GraphFlowWalker::give(u64 bits) { use(bits, Flow::kReturned); }

// `return loss, count`: which of the elements hang on a graph is known, as long as every return has as many.
void GraphFlowWalker::give_result(const Expr *value) {
  const auto *tuple = as<Tuple>(value);
  const u32 count = tuple != nullptr ? tuple->elts.size() : 0;
  const bool is_listed = count > 0 && count <= 64 && std::ranges::none_of(tuple->elts, [](const Expr *part) {
                           return part->kind == NodeKind::Starred;
                         });
  flow_.part_count = is_listed && (!has_returned_ || flow_.part_count == count) ? count : 0;
  has_returned_ = true;
  if (!is_listed) {
    return give(eval(value));
  }
  for (u32 i = 0; i < count; ++i) {
    const u64 bits = eval(tuple->elts[i]);
    flow_.parts |= bits != 0 ? u64{1} << i : 0;
    give(bits);
  }
}

// The bit of an origin: the same each time that the walk comes there. 0 if there are too many.
u64 GraphFlowWalker::origin(const Node *place, Flow::What what, bool is_discarded) {
  for (u32 i = 0; i < flow_.origins.size(); ++i) {
    if (flow_.origins[i].place == place && flow_.origins[i].what == what) {
      return u64{1} << (first_ + i);
    }
  }
  if (first_ + flow_.origins.size() >= kMostOrigins) {
    return 0;
  }
  Flow::Origin &made = flow_.origins.emplace_back();
  made.what = what;
  made.place = place;
  made.is_discarded = is_discarded;
  made.loop = loop_;
  return u64{1} << (first_ + flow_.origins.size() - 1);
}

u64 GraphFlowWalker::keep(const Node *place, const Expr *kept, const Expr *value, u64 bits) {
  const u64 bit = loop_ != nullptr || function_.in_loop ? origin(place, Flow::What::Kept, false) : 0;
  if (bit != 0) {
    Flow::Origin &made = flow_.origins[static_cast<u32>(std::countr_zero(bit)) - first_];
    made.kept = kept;
    made.value = value;
    for (; bits != 0; bits &= bits - 1) {
      const auto at = static_cast<u32>(std::countr_zero(bits));
      const Flow::What what = at >= first_ ? flow_.origins[at - first_].what : Flow::What::Assumed;
      made.of_forward |= what == Flow::What::Forward || what == Flow::What::Helper;
    }
  }
  return bit;
}

// The result of an operation on tensors.
u64 GraphFlowWalker::computed(u64 bits) {
  if (grad_ != Grad::Off) {
    return bits;
  }
  use(bits, Flow::kNumbers);
  return 0;
}

namespace {

// What is known so far of the functions that this thread is working on.
thread_local std::unordered_map<const FunctionInfo *, std::unique_ptr<GraphFlow>> unfinished;

// Of a function that is too large to follow, or in the middle of a circle of calls.
std::unique_ptr<GraphFlow> everything_escapes(const FunctionInfo &function) {
  auto flow = std::make_unique<GraphFlow>();
  flow->params.assign(function.params.size(), u16{GraphFlow::kEscapes});
  return flow;
}

// Functions that call each other: in the order of their index, where for those after everything escapes.
void follow(const Project &project, std::span<const FunctionInfo *const> circle) {
  static thread_local u32 depth = 0; // of models whose forward() no call site tells of
  struct Work {                      // ends also by an exception
    std::span<const FunctionInfo *const> functions;
    explicit Work(std::span<const FunctionInfo *const> circle) : functions(circle) { ++depth; }
    Work(const Work &) = delete;
    Work &operator=(const Work &) = delete;
    ~Work() {
      --depth;
      for (const FunctionInfo *function : functions) {
        unfinished.erase(function);
      }
    }
  };
  const Work work(circle);
  for (const FunctionInfo *member : circle) {
    unfinished[member] = everything_escapes(*member);
  }
  for (const FunctionInfo *member : circle) {
    if (member->names.size() <= kMostNames && depth <= kMostCallDepth) {
      auto flow = std::make_unique<GraphFlow>();
      GraphFlowWalker(project, *member, *flow).run();
      unfinished[member] = std::move(flow);
    }
  }
  for (const FunctionInfo *member : circle) {
    member->graph_flow.set(std::move(unfinished[member]));
  }
}

} // namespace

u32 place_of_keyword(const FunctionInfo &callee, Symbol keyword) {
  const u32 place = callee.place_of_param(keyword);
  if (place != FunctionInfo::kNoParam || !keyword || callee.params.empty()) {
    return place;
  }
  const u32 last = callee.params.size() - 1; // where **others stands
  return callee.params[last]->param_kind() == ParamKind::KwArgs ? last : FunctionInfo::kNoParam;
}

const GraphFlow &graph_flow_of(const Project &project, const FunctionInfo &function) {
  if (const GraphFlow *const known = function.graph_flow.get()) {
    return *known;
  }
  if (const auto found = unfinished.find(&function); found != unfinished.end()) {
    return *found->second;
  }
  const SharedWork shared;
  in_call_order(
      function,
      [](const FunctionInfo &callee) { return callee.graph_flow.get() != nullptr || unfinished.contains(&callee); },
      [](const CallSite &) { return true; },
      [&](std::span<const FunctionInfo *const> circle) {
        const ReadScope reads;
        follow(project, circle);
      });
  return *function.graph_flow.get();
}

} // namespace deepperf::model
