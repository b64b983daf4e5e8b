#include "model/spread.h"

#include "base/symbol_list.h"
#include "model/bind.h"
#include "model/context.h"
#include "model/facts.h"
#include "model/guards.h"
#include "model/loop_length.h"
#include "model/ranks.h"
#include "model/variance.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace deepperf::model {

using namespace python;

namespace {

// Who calls whom.
struct CallGraph {
  std::vector<std::vector<FunctionInfo *>> callers; // of each function, by its index
  std::vector<FunctionInfo *> order;                // all functions, callees before callers as far as that is possible
};

CallGraph call_graph_of(Project &project) {
  CallGraph graph;
  graph.callers.resize(project.functions.size());
  std::vector<std::vector<u32>> callees(project.functions.size());
  for (FunctionInfo &function : project.functions) {
    graph.order.push_back(&function);
    for (const CallSite &site : function.calls) {
      std::vector<FunctionInfo *> &known = graph.callers[site.callee->index];
      if (known.empty() || known.back() != &function) {
        known.push_back(&function);
        callees[function.index].push_back(site.callee->index);
      }
    }
  }
  const std::vector<u32> ranks = ranks_of(callees);
  std::ranges::stable_sort(graph.order, {}, [&ranks](const FunctionInfo *function) { return ranks[function->index]; });
  return graph;
}

// Calls `update` for each function, and again for those whose callees changed: it returns whether the function did.
template <class Update> void until_nothing_changes(Project &project, const CallGraph &graph, Update update) {
  std::vector<u8> waits(project.functions.size(), 1);
  for (bool is_left = true; is_left;) {
    is_left = false;
    for (FunctionInfo *function : graph.order) {
      if (std::exchange(waits[function->index], u8{0}) == 0) {
        continue;
      }
      project.work.spread_steps += 1 + function->calls.size();
      if (update(*function)) {
        for (const FunctionInfo *caller : graph.callers[function->index]) {
          waits[caller->index] = 1;
          is_left = true; // mostly further on in this very sweep; then the next one finds nothing
        }
      }
    }
  }
}

// ---- Attributes of self ---------------------------------------------------------------------------------------------

// What a method stores, itself or through methods of the same class.
void spread_stores(Project &project, const CallGraph &graph) {
  for (FunctionInfo &function : project.functions) {
    function.attribute_stores = function.own_stores;
    sort_unique(function.attribute_stores);
  }
  constexpr std::size_t kMostStores = 256; // through calls; of a method that stores more, nobody needs the rest
  until_nothing_changes(project, graph, [](FunctionInfo &function) {
    const std::size_t before = function.attribute_stores.size();
    for (const CallSite &site : function.calls) {
      if (site.callee != &function && function.type != nullptr && site.callee->type == function.type) {
        std::vector<Symbol> both;
        std::ranges::set_union(function.attribute_stores, site.callee->attribute_stores, std::back_inserter(both), {},
                               &Symbol::id, &Symbol::id);
        if (both.size() <= kMostStores) {
          function.attribute_stores = std::move(both);
        }
      }
    }
    return function.attribute_stores.size() != before;
  });
}

// ---- Sessions, graphs, training steps -------------------------------------------------------------------------------

// `with self.graph.as_default():`, here or in a method of the holder. That is another graph in each iteration only
// where the holder is another one; where it comes from outside, the callers know.
void enter_graph(FunctionInfo &function, Loop *around, const Expr *holder) {
  const Name *const root = root_name(holder);
  if (root == nullptr) {
    return;
  }
  for (Loop *loop = around; loop != nullptr; loop = loop->parent) {
    if (contains(loop->assigned, root->id)) {
      function.makes_graph = true;
      loop->makes_graph = true;
      return;
    }
  }
  const u32 index = function.place_of_param(root->id);
  if (index == FunctionInfo::kNoParam) {
    // A name of the function's own may stand for another graph in each call.
    function.makes_graph |= function.node != nullptr && function.slot_of(root->id) != FunctionInfo::kNoSlot;
    return;
  }
  const auto *attribute = as<Attribute>(holder);
  if (attribute != nullptr && index == 0 && contains(function.attribute_stores, attribute->attr)) {
    function.makes_graph = true; // self.graph = graph, a few lines before
    if (around != nullptr) {
      around->makes_graph = true;
    }
  } else if (index < 64) {
    function.graph_params |= u64{1} << index;
  }
}

void take_step(FunctionInfo &function, Loop *loop) {
  function.trains = true;
  if (loop != nullptr) {
    loop->steps = loop->trains = true;
  } else {
    function.steps = true;
  }
}

// The call runs a session, itself or through what it calls. `by_type`: for other callers than this one, perhaps.
void run_session(FunctionInfo &function, Loop *loop, bool by_type, const Expr *call) {
  if (!by_type) {
    function.runs_session = true;
    function.session_run = function.session_run == nullptr ? call : function.session_run;
  }
  if (loop != nullptr && !loop->runs_session) {
    loop->runs_session = true;
    loop->session_run = call;
  }
}

// Is a model that the iteration makes anew handed over? Then the step that is taken with it is the only one of that
// model, and the iterations are programs of their own that happen to be compared.
bool gives_new_model(const CallSite &site) {
  if (site.loop == nullptr) {
    return false;
  }
  const auto *over = as<For>(site.loop->node);
  return std::ranges::any_of(site.call->args, [&](const Expr *argument) {
    const auto *name = as<Name>(argument);
    return name != nullptr && contains(site.loop->assigned, name->id) && kind_of(name) == Kind::TorchModule &&
           (over == nullptr || root_name(over->target) == nullptr || root_name(over->target)->id != name->id);
  });
}

// What a call does through the function that it calls.
void take_over(FunctionInfo &function, const CallSite &site) {
  const FunctionInfo &callee = *site.callee;
  function.effects |= callee.effects || callee.traced || &callee == &function;
  if (callee.runs_session && !site.eager_test) {
    run_session(function, site.loop, site.by_type, site.call);
  }
  function.makes_variables |= callee.makes_variables;
  if (callee.steps && !gives_new_model(site)) {
    take_step(function, site.loop);
  } else if (callee.trains || callee.steps) {
    function.trains = true;
    if (site.loop != nullptr) {
      site.loop->trains = true;
    }
  }
  if (callee.makes_graph) {
    function.makes_graph = true;
    if (site.loop != nullptr) {
      site.loop->makes_graph = true;
    }
  }
  if (callee.new_graph) {
    function.new_graph = true;
    if (site.loop != nullptr) {
      site.loop->new_graph = true;
    }
  }
  const auto *method = as<Attribute>(site.call->func);
  for (u32 i = 0; i < 64 && i < callee.params.size() && (callee.graph_params >> i) != 0; ++i) {
    const bool enters = (callee.graph_params >> i & 1U) != 0;
    const Expr *const holder = !enters                                     ? nullptr
                               : i == 0 && site.bound && method != nullptr ? method->value
                                                                           : passed_argument(site, i);
    if (holder != nullptr) {
      enter_graph(function, site.loop, holder);
    }
  }
}

// What happens in a loop happens in the one around it too.
void hand_to_parents(const FunctionInfo &function) {
  for (auto at = function.loops.rbegin(); at != function.loops.rend(); ++at) {
    const Loop &loop = **at;
    Loop *const parent = loop.parent;
    if (parent == nullptr) {
      continue;
    }
    if (loop.runs_session && !parent->runs_session) {
      parent->runs_session = true;
      parent->session_run = loop.session_run;
    }
    parent->makes_graph |= loop.makes_graph;
    parent->new_graph |= loop.new_graph;
    parent->trains |= loop.trains;
  }
}

void spread_events(Project &project, const CallGraph &graph) {
  for (FunctionInfo &function : project.functions) {
    function.effects = function.own_effects;
    function.makes_variables = function.own_variables;
  }
  const auto state_of = [](const FunctionInfo &function) {
    return std::tuple(function.effects, function.makes_variables, function.makes_graph, function.new_graph,
                      function.graph_params, function.runs_session, function.steps, function.trains);
  };
  until_nothing_changes(project, graph, [&](FunctionInfo &function) {
    const auto before = state_of(function);
    for (const Event &event : function.events) {
      switch (event.kind) {
      case Event::Kind::Call:
        take_over(function, function.calls[event.site]);
        break;
      case Event::Kind::Step:
        take_step(function, event.loop);
        break;
      case Event::Kind::SessionRun:
        run_session(function, event.loop, event.by_type, event.node);
        break;
      case Event::Kind::GraphMade:
        function.makes_graph = true;
        if (event.loop != nullptr) {
          event.loop->makes_graph = true;
        }
        break;
      case Event::Kind::NewGraph:
        function.new_graph = true;
        if (event.loop != nullptr) {
          event.loop->new_graph = true;
        }
        break;
      case Event::Kind::GraphEntered:
        enter_graph(function, event.loop, event.node);
        break;
      }
    }
    return state_of(function) != before;
  });
  // Where it is said which call runs the session: the first one, whatever the order above was.
  for (FunctionInfo &function : project.functions) {
    function.session_run = nullptr;
    for (Loop *loop : function.loops) {
      loop->runs_session = false;
      loop->session_run = nullptr;
    }
    for (const Event &event : function.events) {
      if (event.kind == Event::Kind::SessionRun) {
        run_session(function, event.loop, event.by_type, event.node);
      } else if (event.kind == Event::Kind::Call) {
        const CallSite &site = function.calls[event.site];
        if (site.callee->runs_session && !site.eager_test) {
          run_session(function, site.loop, site.by_type, site.call);
        }
      }
    }
    hand_to_parents(function);
    for (Loop *loop : function.loops) {
      const auto *statement = as<For>(loop->node);
      // A tensor's static shape says how often a part of the graph is repeated; but who runs a session goes through an
      // array.
      if (loop->few_iterations && statement != nullptr && loop->runs_session && goes_along_axis(statement->iter)) {
        loop->few_iterations = false;
      }
    }
  }
}

// ---- Tracing --------------------------------------------------------------------------------------------------------

void apply_marks(Project &project) {
  for (FunctionInfo &function : project.functions) {
    for (const FunctionMark &mark : function.marks) {
      FunctionInfo &marked = *mark.function;
      marked.traced |= mark.traced;
      marked.tracers |= mark.tracer;
      marked.passed |= mark.passed;
      marked.in_parallel |= mark.in_parallel;
      marked.compiled_at = marked.compiled_at == nullptr ? mark.compiled_at : marked.compiled_at.id();
    }
  }
}

// What is inside a traced function, or handed on by one, is traced; and what is called by nothing but traced code runs
// when that is traced.
void spread_tracing(Project &project) {
  std::vector<std::vector<FunctionInfo *>> inside(project.functions.size());
  std::vector<u32> untraced_callers(project.functions.size());
  std::vector<FunctionInfo *> queue;
  for (FunctionInfo &function : project.functions) {
    if (function.parent != nullptr && function.parent->node != nullptr) {
      inside[function.parent->index].push_back(&function);
    }
    for (const CallSite &site : function.calls) {
      untraced_callers[site.callee->index] += site.callee != &function ? 1 : 0;
    }
    if (function.traced) {
      queue.push_back(&function);
    }
  }
  const auto trace = [&queue](FunctionInfo *function, const FunctionInfo &by) {
    function->tracers |= by.tracers;
    if (!function->traced) {
      function->traced = true;
      queue.push_back(function);
    }
  };
  while (!queue.empty()) {
    const FunctionInfo &function = *queue.back();
    queue.pop_back();
    if (function.node != nullptr) {
      for (FunctionInfo *inner : inside[function.index]) {
        trace(inner, function);
      }
      for (const FunctionMark &mark : function.marks) {
        if (mark.passed) {
          trace(mark.function, function);
        }
      }
    }
    for (const CallSite &site : function.calls) {
      if (site.callee != &function && --untraced_callers[site.callee->index] == 0) {
        trace(site.callee, function);
      }
    }
  }
  // Who was traced before it was known by whom tells it to the others now, whatever the order was.
  const auto add_finding = [&queue](FunctionInfo *function, const FunctionInfo &by) {
    if ((function->tracers | by.tracers) != function->tracers) {
      function->tracers |= by.tracers;
      queue.push_back(function);
    }
  };
  for (FunctionInfo &function : project.functions) {
    if (function.tracers != 0) {
      queue.push_back(&function);
    }
  }
  while (!queue.empty()) {
    const FunctionInfo &function = *queue.back();
    queue.pop_back();
    for (FunctionInfo *inner : inside[function.index]) {
      add_finding(inner, function);
    }
    for (const FunctionMark &mark : function.marks) {
      if (mark.passed && function.node != nullptr) {
        add_finding(mark.function, function);
      }
    }
    for (const CallSite &site : function.calls) {
      if (site.callee != &function && untraced_callers[site.callee->index] == 0) {
        add_finding(site.callee, function);
      }
    }
  }
}

// ---- no_grad, loops, parallel ---------------------------------------------------------------------------------------

// What is called only by code under torch.no_grad() is under it too.
void spread_no_grad(Project &project) {
  struct Count {
    u32 all = 0;
    u32 with_grad = 0;
  };
  std::vector<Count> callers(project.functions.size());
  std::vector<FunctionInfo *> queue;
  for (FunctionInfo &function : project.functions) {
    function.no_grad = function.decorated_no_grad;
    for (const CallSite &site : function.calls) {
      ++callers[site.callee->index].all;
      callers[site.callee->index].with_grad += site.no_grad || site.callee == &function ? 0 : 1;
    }
  }
  for (FunctionInfo &function : project.functions) {
    if (is_evaluation_of_framework(function) ||
        (callers[function.index].all != 0 && callers[function.index].with_grad == 0 && !function.no_grad)) {
      queue.push_back(&function);
    }
  }
  while (!queue.empty()) {
    FunctionInfo *function = queue.back();
    queue.pop_back();
    if (function->no_grad) {
      continue;
    }
    function->no_grad = true;
    for (const CallSite &site : function->calls) {
      if (!site.no_grad && site.callee != function && --callers[site.callee->index].with_grad == 0) {
        queue.push_back(site.callee);
      }
    }
  }
  // What such a function calls runs without gradients, too.
  const auto mark = [&queue](FunctionInfo *callee) {
    if (!callee->sometimes_no_grad) {
      callee->sometimes_no_grad = true;
      queue.push_back(callee);
    }
  };
  for (const FunctionInfo &function : project.functions) {
    for (const CallSite &site : function.calls) {
      if (site.no_grad || function.no_grad) {
        mark(site.callee);
      }
    }
  }
  while (!queue.empty()) {
    const FunctionInfo *const function = queue.back();
    queue.pop_back();
    for (const CallSite &site : function->calls) {
      mark(site.callee);
    }
  }
}

// Which functions run because of others: what a function calls, and what is defined in it and called by nobody that we
// see, as a lambda that it hands on.
class RunsWith {
public:
  RunsWith(const Project &project, const CallGraph &graph) : project_(project), inside_(project.functions.size()) {
    for (const FunctionInfo &function : project.functions) {
      const bool is_called = !graph.callers[function.index].empty();
      const bool is_inner = function.parent != nullptr && function.parent->node != nullptr;
      if (!is_called && is_inner && !function.in_parallel) {
        inside_[function.parent->index].push_back(&function);
      } else if (!is_called) {
        first_.push_back(&function);
      }
    }
  }

  // Functions that run because of nothing that we see.
  [[nodiscard]] const std::vector<const FunctionInfo *> &first() const { return first_; }

  // By index, whether a function is one of these or runs because of one.
  [[nodiscard]] std::vector<u8> all_of(std::vector<const FunctionInfo *> queue) const {
    std::vector<u8> reached(project_.functions.size());
    for (const FunctionInfo *function : queue) {
      reached[function->index] = 1;
    }
    const auto reach = [&](const FunctionInfo *function) {
      if (reached[function->index] == 0) {
        reached[function->index] = 1;
        queue.push_back(function);
      }
    };
    while (!queue.empty()) {
      const FunctionInfo *const function = queue.back();
      queue.pop_back();
      for (const CallSite &site : function->calls) {
        reach(site.callee);
      }
      for (const FunctionInfo *inner : inside_[function->index]) {
        reach(inner);
      }
    }
    return reached;
  }

private:
  const Project &project_;
  std::vector<std::vector<const FunctionInfo *>> inside_; // of each function
  std::vector<const FunctionInfo *> first_;
};

// What runs because of such functions runs with them, unless it runs because of others, too.
void spread_parallel(Project &project, const CallGraph &graph) {
  std::vector<const FunctionInfo *> marked;
  for (const FunctionInfo &function : project.functions) {
    if (function.in_parallel) {
      marked.push_back(&function);
    }
  }
  if (marked.empty()) {
    return;
  }
  const RunsWith runs_with(project, graph);
  std::vector<const FunctionInfo *> others = runs_with.first();
  std::erase_if(others, [](const FunctionInfo *function) { return function->in_parallel; });
  const std::vector<u8> parallel = runs_with.all_of(std::move(marked));
  const std::vector<u8> sequential = runs_with.all_of(std::move(others));
  for (FunctionInfo &function : project.functions) {
    function.in_parallel = parallel[function.index] != 0 && sequential[function.index] == 0;
  }
}

// What is called in a loop runs many times, and so does what that calls.
void spread_loops(Project &project) {
  std::vector<FunctionInfo *> queue;
  const auto reach = [&queue](FunctionInfo *function) {
    if (!function->in_loop) {
      function->in_loop = true;
      queue.push_back(function);
    }
  };
  for (FunctionInfo &function : project.functions) {
    for (const CallSite &site : function.calls) {
      for (const Loop *loop = site.loop; loop != nullptr; loop = loop->parent) {
        if (!loop->few_iterations && !site.once) {
          reach(site.callee);
          break;
        }
      }
    }
  }
  while (!queue.empty()) {
    const FunctionInfo *function = queue.back();
    queue.pop_back();
    for (const CallSite &site : function->calls) {
      if (!site.once) {
        reach(site.callee);
      }
    }
  }
}

// ---- Guards ---------------------------------------------------------------------------------------------------------

// What stands under a guard that holds only the first time is done once.
void apply_guard(FunctionInfo &function, const Guard &guard) {
  Loop written;
  find_changes(guard.statements, written);
  for (std::size_t i = guard.first_call; i < guard.last_call; ++i) {
    const std::vector<Symbol> &stores = function.calls[i].callee->attribute_stores;
    written.attributes.insert(written.attributes.end(), stores.begin(), stores.end());
  }
  std::ranges::sort(written.attributes, {}, &Symbol::id);
  if (!runs_first_time_only({guard.test, guard.negated, guard.loop, &function, &written, guard.statements})) {
    return;
  }
  for (std::size_t i = guard.first_op; i < guard.last_op; ++i) {
    function.ops[i].once |= function.ops[i].loop == guard.loop;
    function.ops[i].behind_guard = true;
  }
  for (std::size_t i = guard.first_call; i < guard.last_call; ++i) {
    function.calls[i].once |= function.calls[i].loop == guard.loop;
    function.calls[i].behind_guard = true;
  }
  const auto first = std::ranges::lower_bound(function.loops, guard.statements.front()->start, {},
                                              [](const Loop *loop) { return loop->node->start; });
  for (auto at = first; at != function.loops.end() && (*at)->node->start < guard.statements.back()->end; ++at) {
    (*at)->once |= (*at)->parent == guard.loop;
  }
}

} // namespace

void spread_facts(Project &project) {
  const CallGraph graph = call_graph_of(project);
  spread_stores(project, graph);
  for (FunctionInfo &function : project.functions) {
    for (const Guard &guard : function.guards) {
      if (!guard.statements.empty()) {
        apply_guard(function, guard);
      }
    }
  }
  apply_marks(project);
  spread_events(project, graph);
  spread_tracing(project);
  spread_no_grad(project);
  spread_loops(project);
  spread_parallel(project, graph);
  for (FunctionInfo &function : project.functions) {
    for (const CallSite &site : function.calls) {
      site.callee->called_by.push_back(&site);
    }
  }
}

} // namespace deepperf::model
