#include "model/exclusion.h"
#include "model/variance.h"
#include "python/children.h"
#include "python/literals.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::rules {

using namespace python;

extern const Rule kGraphOpInLoop;

namespace {

using model::FunctionInfo;
using model::Loop;
using model::OpFact;
using model::Project;

// What gives something else, or leaves something behind, each time.
constexpr u64 kStateful = kRandom | kVariable | kGraphState | kIo | kPython;

// Traced by a framework, or part of something that is.
bool runs_once(const FunctionInfo &function) {
  if (function.traced) {
    return true;
  }
  for (const FunctionInfo *outer = function.parent; outer != nullptr; outer = outer->parent) {
    if (outer->traced) {
      return true;
    }
  }
  return false;
}

// Methods that make an operation where the graph is run by a session; eagerly they only read or update.
bool needs_session(const OpFact &op) {
  const std::string_view name = op.api.text();
  return name == "update_state" || name == "value" || name == "read_value" || name == "call" || name == "sample" ||
         name == "log_prob" || name == "entropy";
}

// Of TensorFlow: by its name, or a method of one of its kinds.
bool is_tensorflow(const OpFact &op) {
  const std::string_view name = op.api.text();
  if (name.starts_with("tensorflow.keras.ops.")) { // which may be those of another backend
    return false;
  }
  return name.starts_with("tensorflow.") || name == "operator" || name.starts_with("assign") || name == "minimize" ||
         name == "apply_gradients" || name == "compute_gradients" || name == "get_next" || needs_session(op);
}

std::string describe_loop(const Loop &loop) {
  switch (loop.node->kind) {
  case NodeKind::While:
    return "while loop";
  case NodeKind::For:
    return "for loop";
  default:
    return "comprehension";
  }
}

std::string op_name(const OpFact &op) {
  std::string name(op.api.text());
  if (name == "operator") {
    return "this operator on a tensor";
  }
  if (name == "call") {
    return "calling a layer or model";
  }
  if (name.starts_with("tensorflow.")) {
    name = "tf." + name.substr(std::string_view("tensorflow.").size());
  }
  return name;
}

// The header of a loop: what stands before its body.
Span header_of(const Source &source, const Loop &loop) {
  const std::string_view text = source.text();
  const std::size_t line_end = text.find_first_of("\r\n", loop.node->start);
  return {loop.node->start, std::min(loop.node->end, static_cast<u32>(std::min(line_end, text.size())))};
}

class Judge {
public:
  Judge(const Project &project, Findings &findings) : project_(project), findings_(findings) {}

  void run() {
    for (const FunctionInfo &function : project_.functions) {
      if (function.module == nullptr || !function.module->tensorflow || runs_once(function)) {
        continue;
      }
      judge_own_ops(function);
    }
    find_what_leads_to_ops();
    for (const FunctionInfo &function : project_.functions) {
      if (function.module == nullptr || !leads_to_ops_[function.index] || runs_once(function)) {
        continue;
      }
      for (const model::CallSite &site : function.calls) {
        if (leads_to_ops_[site.callee->index]) {
          judge_call(function, site);
        }
      }
    }
    report_causes_once();
  }

private:
  // Functions with an operation of TensorFlow, and what calls those: nothing else is worth a summary.
  void find_what_leads_to_ops() {
    std::vector<const FunctionInfo *> queue;
    leads_to_ops_.resize(project_.functions.size());
    for (const FunctionInfo &function : project_.functions) {
      if (function.module->tensorflow && std::ranges::any_of(function.ops, is_tensorflow)) {
        queue.push_back(&function);
        leads_to_ops_[function.index] = true;
      }
    }
    if (queue.empty()) {
      return;
    }
    while (!queue.empty()) {
      const FunctionInfo *const callee = queue.back();
      queue.pop_back();
      for (const model::CallSite *site : callee->called_by) {
        const FunctionInfo *const caller = site->caller;
        if (!leads_to_ops_[caller->index]) {
          leads_to_ops_[caller->index] = true;
          queue.push_back(caller);
        }
      }
    }
  }

  static bool counts(const Loop &loop) { return !loop.tiny && !loop.makes_graph; }

  void judge_own_ops(const FunctionInfo &function) {
    const Expr *reported = nullptr;
    for (const OpFact &op : function.ops) {
      if (op.once || op.in_tape || op.initial_value || op.loop == nullptr || !is_tensorflow(op)) {
        continue;
      }
      if (reported != nullptr && (contains(reported, op.call) || same_line(function, reported, op.call))) {
        continue; // part of what has been reported
      }
      for (const Loop *loop = op.loop; loop != nullptr; loop = loop->parent) {
        if (loop->makes_graph) {
          break; // a graph of its own in each turn: nothing outside matters
        }
        if (counts(*loop)) {
          const bool grows =
              loop->runs_session && !op.api.text().ends_with("get_variable") && !runs_elsewhere_only(op.call, *loop);
          if (grows || is_invariant(op, *loop)) {
            report(function, op.call, op, *loop, grows, nullptr);
            reported = op.call;
            break;
          }
        }
        if (counts(*loop) && op.api.text() == "minimize" && !function.module->may_be_eager()) {
          report_training_per_item(function, op, *loop);
          reported = op.call;
          break;
        }
        if (loop->once) {
          break;
        }
      }
    }
  }

  // `if eager: build(x) else: session.run(y)`: the branch of the node does not change in the loop, and no session runs
  // but in the other one.
  bool runs_elsewhere_only(const Node *node, const Loop &loop) {
    const Branches &branches = branches_of(loop);
    const auto behind = std::ranges::upper_bound(branches.all, node->start, {},
                                                 [](const Branch &branch) { return branch.statement->start; });
    const If *outermost = nullptr;
    // The innermost that could be around it, and from there outwards.
    for (std::ptrdiff_t at = behind - branches.all.begin() - 1; at >= 0; at = branches.all[at].parent) {
      const If *const branch = branches.all[at].statement;
      if (contains(branch, node) && !contains(branch->test, node) && !model::varies(project_, loop, branch->test)) {
        outermost = branch;
      }
    }
    if (outermost == nullptr) {
      return false;
    }
    const bool in_body = node->start < outermost->orelse.front()->start;
    const Block &other = in_body ? outermost->orelse : outermost->body;
    const auto [known, is_new] = session_elsewhere_.try_emplace({&loop, other.begin()}, false);
    if (is_new) {
      known->second = runs_session(loop.node, &other);
    }
    return !known->second;
  }

  // An `if` with an `else`, and the place of the one around it; -1 if there is none.
  struct Branch {
    const If *statement = nullptr;
    std::ptrdiff_t parent = -1;
  };
  struct Branches {
    std::vector<Branch> all; // in the order of their places
  };

  const Branches &branches_of(const Loop &loop) {
    const auto [known, is_new] = branches_.try_emplace(&loop);
    if (is_new) {
      const auto find = [&all = known->second.all](const auto &self, const Node *at, std::ptrdiff_t parent) -> void {
        for_each_child(at, [&](const Node *child) {
          const auto *branch = as<If>(child);
          std::ptrdiff_t inner = parent;
          if (branch != nullptr && !branch->orelse.empty()) {
            inner = static_cast<std::ptrdiff_t>(all.size());
            all.push_back({branch, parent});
          }
          self(self, child, inner);
        });
      };
      find(find, loop.node, -1);
    }
    return known->second;
  }

  // Does a session run in the code, somewhere else than in the block?
  bool runs_session(const Node *code, const Block *without) const {
    if (const auto *call = as<Call>(code)) {
      const model::Value callee = project_.callee_of(call);
      const bool is_function = callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method);
      const ApiInfo *const info = callee.is(model::Value::Tag::ApiMethod)
                                      ? find_method(callee.receiver().kind, callee.name())
                                  : callee.is(model::Value::Tag::Api) ? find_api(callee.name())
                                                                      : nullptr;
      const auto *method = as<Attribute>(call->func);
      if ((is_function && callee.function->runs_session) || (info != nullptr && info->has(kSessionRun)) ||
          (!callee.known() && method != nullptr && (method->attr.text() == "run" || method->attr.text() == "eval"))) {
        return true;
      }
      if (callee.is(model::Value::Tag::Class) || callee.is(model::Value::Tag::Object)) {
        return true; // who knows what its methods do
      }
    }
    bool found = false;
    for_each_child(code, [&](const Node *child) {
      const bool skipped = child->start >= without->front()->start && child->end <= without->back()->end;
      found = found || (!skipped && runs_session(child, without));
    });
    return found;
  }

  // A train op for each element of a loop: right for several models, never for several examples.
  void report_training_per_item(const FunctionInfo &function, const OpFact &op, const Loop &loop) {
    Finding finding;
    finding.rule = &kGraphOpInLoop.info;
    finding.file = function.module->file;
    finding.span = op.call->span();
    finding.tier = Tier::Hint;
    finding.message = "minimize adds another train op, with gradients of its own, in every turn of a loop";
    finding.advice = "if the loop goes through data, make one train op before it and feed the data to it";
    finding.notes.push_back({function.module->file, header_of(function.module->parsed->source, loop),
                             fmt::format("the {} is here", describe_loop(loop))});
    causes_.push_back({std::move(finding), &op, nullptr});
  }

  static bool same_line(const FunctionInfo &function, const Node *a, const Node *b) {
    const std::string_view text = function.module->parsed->source.text();
    const u32 from = std::min(a->start, b->start);
    return text.substr(from, std::max(a->start, b->start) - from).find('\n') == std::string_view::npos;
  }

  bool is_invariant(const OpFact &op, const Loop &loop) {
    if (needs_session(op) || op.api.text().ends_with("TensorArray") || is_broken(loop) ||
        (op.traits & kStateful) != 0 || starts_accumulation(op, loop) || model::varies(project_, loop, op.call)) {
      return false;
    }
    return !stands_in_scope_of_turn(op, loop, false); // on another device in each turn
  }

  // With a syntax error around it nobody knows what the loop changes.
  static bool is_broken(const Loop &loop) {
    const Node *const around = loop.function->node != nullptr ? loop.function->node : loop.node;
    return std::ranges::any_of(loop.function->module->parsed->tree.errors, [around](const SyntaxError &error) {
      return around->start <= error.span.start && error.span.start <= around->end;
    });
  }

  // In a scope that is another one in each turn. One that only gives names changes nothing but them.
  bool stands_in_scope_of_turn(const OpFact &op, const Loop &loop, bool names) const {
    for (const model::OpScope *scope = op.scope; scope != nullptr; scope = scope->outer) {
      if (gives_names(scope->context) == names && contains(loop.node, scope->context) &&
          depends_on(scope->context, loop)) {
        return true;
      }
    }
    return false;
  }

  static bool gives_names(const Expr *scope) {
    const auto *call = as<Call>(scope);
    const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
    return method != nullptr && (method->attr.text() == "name_scope" || method->attr.text() == "variable_scope");
  }

  // Only what is passed counts: that the scope itself does something is nothing new.
  bool depends_on(const Expr *scope, const Loop &loop) const {
    const auto *call = as<Call>(scope);
    const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
    return call == nullptr || (method != nullptr && model::varies(project_, loop, method->value)) ||
           std::ranges::any_of(call->args, [&](const Expr *arg) { return model::varies(project_, loop, arg); }) ||
           std::ranges::any_of(call->keywords,
                               [&](const Keyword *keyword) { return model::varies(project_, loop, keyword->value); });
  }

  // `total = tf.zeros(…)`, which an inner loop then adds to: each turn needs its own.
  bool starts_accumulation(const OpFact &op, const Loop &loop) {
    if (!op.target || (op.traits & kConstant) == 0) {
      return false;
    }
    const Stores &stores = stores_of(loop);
    const auto known = stores.names.find(op.target.id);
    u32 bindings = known != stores.names.end() ? known->second : 0;
    const auto own = std::ranges::upper_bound(stores.going_on, op.call->start, {}, &Assign::start);
    if (own != stores.going_on.begin() && contains(*(own - 1), op.call)) {
      std::unordered_map<u32, u32> names;
      for (const Expr *target : (*(own - 1))->targets) {
        count_stores(target, names);
      }
      bindings += names[op.target.id];
    }
    return bindings > 1;
  }

  // How often a loop binds each name. `x = tf.range(n); x = tf.random_shuffle(x)` goes on from it once, which any other
  // name would do for: such assignments of calls, in the loop's own block, do not count and are listed.
  struct Stores {
    std::unordered_map<u32, u32> names;
    std::vector<const Assign *> going_on;
  };

  const Stores &stores_of(const Loop &loop) {
    const auto [known, is_new] = stores_.try_emplace(&loop);
    if (is_new) {
      Stores &stores = known->second;
      for_each_child(loop.node, [&stores](const Node *child) {
        const auto *assignment = as<Assign>(child);
        const bool goes_on = assignment != nullptr && assignment->value->kind == NodeKind::Call;
        if (goes_on) {
          stores.going_on.push_back(assignment);
        }
        count_stores(goes_on ? assignment->value : child, stores.names);
      });
    }
    return known->second;
  }

  static void count_stores(const Node *node, std::unordered_map<u32, u32> &names) {
    if (const auto *name = as<Name>(node); name != nullptr && name->context == Context::Store) {
      ++names[name->id.id];
    }
    for_each_child(node, [&names](const Node *child) { count_stores(child, names); });
  }

  // A call in a loop that leads to operations. In a loop that runs a session any of them is one too many; otherwise the
  // call must give the same in every turn as a whole: an operation that repeats deep inside one that does not is no
  // use.
  void judge_call(const FunctionInfo &caller, const model::CallSite &site) {
    if (site.loop == nullptr || site.once || site.by_type || site.in_tape || site.callee->traced ||
        site.callee->makes_graph || site.callee == &caller ||
        reported_.contains(site.call)) { // of several that it may call, one is enough
      return;
    }
    const std::vector<model::ReachedOp> &reached = model::reached_by(project_, *site.callee);
    const auto first = std::ranges::find_if(reached, [&site](const model::ReachedOp &op) {
      return is_tensorflow(*op.op) && op.function->module->tensorflow && !op.function->traced && !is_excluded(site, op);
    });
    if (first == reached.end()) {
      return;
    }
    for (const Loop *loop = site.loop; loop != nullptr; loop = loop->parent) {
      if (loop->makes_graph) {
        return;
      }
      if (counts(*loop) && loop->runs_session && caller.module->near_tensorflow &&
          !runs_elsewhere_only(site.call, *loop)) {
        return report(caller, site.call, *first->op, *loop, true, &*first, keeps_object(site, *loop));
      }
      const bool whole =
          counts(*loop) && !is_broken(*loop) && !site.callee->makes_variables && !site.callee->runs_session &&
          !site.callee->effects && site.callee->name.text() != "__init__" &&
          std::ranges::all_of(reached, [&](const model::ReachedOp &op) { return stays_same(site, op, *loop); }) &&
          arguments_stay_same(site, *loop);
      if (whole) {
        // The call as a whole is as light as its heaviest operation.
        const auto heavy = std::ranges::find_if(reached, [](const model::ReachedOp &op) { return !is_light(*op.op); });
        const model::ReachedOp &shown = heavy != reached.end() && is_tensorflow(*heavy->op) ? *heavy : *first;
        return report(caller, site.call, *shown.op, *loop, false, &shown);
      }
      if (loop->once) {
        return;
      }
    }
  }

  // By what this call passes, or one on the way to the operation.
  static bool is_excluded(const model::CallSite &site, const model::ReachedOp &reached) {
    const model::CallSite *from = &site;
    for (const model::ReachedOp *op = &reached; op != nullptr; op = op->next) {
      const bool is_last = op->through == nullptr;
      if (model::excludes(*from, is_last ? op->op->call : op->through->call)) {
        return true;
      }
      if (is_last) {
        break;
      }
      from = op->through;
    }
    return false;
  }

  bool arguments_stay_same(const model::CallSite &site, const Loop &loop) const {
    return std::ranges::none_of(site.call->args, [&](const Expr *arg) { return model::varies(project_, loop, arg); }) &&
           std::ranges::none_of(site.call->keywords,
                                [&](const Keyword *keyword) { return model::varies(project_, loop, keyword->value); });
  }

  bool stays_same(const model::CallSite &site, const model::ReachedOp &reached, const Loop &loop) {
    if (reached.varies || needs_session(*reached.op) || (reached.op->traits & kStateful) != 0) {
      return false;
    }
    for (const Symbol attribute : reached.attributes) {
      if (std::ranges::binary_search(loop.attributes, attribute.id, {}, &Symbol::id)) {
        return false;
      }
    }
    if (!reached.attributes.empty()) {
      const std::unordered_set<u32> &stored = stored_by_callees(*loop.function);
      if (std::ranges::any_of(reached.attributes,
                              [&stored](Symbol attribute) { return stored.contains(attribute.id); })) {
        return false;
      }
    }
    // What holds the attributes must itself stay the same.
    if (const auto *method = as<Attribute>(site.call->func);
        method != nullptr && site.bound && model::varies(project_, loop, method->value)) {
      return false;
    }
    for (const Expr *arg : site.call->args) {
      if (arg->kind == NodeKind::Starred) {
        return false;
      }
    }
    for (u32 i = 0; i < 64 && i < site.callee->params.size(); ++i) {
      if ((reached.params >> i & 1U) == 0) {
        continue;
      }
      const Expr *passed = model::passed_argument(site, i);
      if (passed != nullptr && model::varies(project_, loop, passed)) {
        return false;
      }
    }
    return true;
  }

  // Attributes that the functions which a function calls store to.
  const std::unordered_set<u32> &stored_by_callees(const FunctionInfo &function) {
    const auto [known, is_new] = stored_by_callees_.try_emplace(&function);
    if (is_new) {
      for (const model::CallSite &call : function.calls) {
        for (const Symbol attribute : call.callee->attribute_stores) {
          known->second.insert(attribute.id);
        }
      }
    }
    return known->second;
  }

  // The calls between the one that is reported and the operation, and the operation itself.
  static std::vector<Note> chain_of(const model::ReachedOp &reached) {
    std::vector<Note> notes;
    for (const model::ReachedOp *op = &reached; op->through != nullptr && notes.size() < 8; op = op->next) {
      const std::string_view name = op->through->callee->name ? op->through->callee->name.text() : "a function";
      notes.push_back(
          {op->through->caller->module->file, op->through->call->span(), fmt::format("which calls {}", name)});
    }
    notes.push_back({reached.function->module->file, reached.op->call->span(),
                     fmt::format("which makes {}", op_name(*reached.op))});
    return notes;
  }

  // An operation that costs next to nothing: it looks at shapes, or computes element by element.
  static bool is_light(const OpFact &op) { return (op.traits & kCheap) != 0 && (op.traits & kCopies) == 0; }

  static bool is_formula(const OpFact &op) {
    const ApiInfo *const info = find_api(op.api);
    return info != nullptr && is_arithmetic(*info, op.api.text());
  }

  // True, but too little to be sure that it matters.
  bool is_minor(const OpFact &op, const Loop &loop) {
    const bool is_comprehension = loop.node->kind != NodeKind::For && loop.node->kind != NodeKind::While;
    const std::string_view name = op.api.text();
    // What only fills a place with a start value, or costs nothing.
    const bool fills = name == "tensorflow.zeros" || name == "tensorflow.ones" || name == "tensorflow.fill" ||
                       name == "tensorflow.zeros_like" || name == "tensorflow.ones_like";
    return ((op.traits & kConstant) != 0 &&
            (is_comprehension || name == "tensorflow.constant" || name == "tensorflow.convert_to_tensor")) ||
           (fills && (op.stored || op.target)) || loop.turns == model::Turns::Few ||
           ((loop.turns == model::Turns::Collection || goes_by_epochs(loop)) &&
            (is_light(op) || (!is_comprehension && is_formula(op)))) ||
           op.discarded || is_free(op) || draws(loop);
  }

  // `for name, value in data.items(): …; variables[name] = variable`: each entry needs one of its own, and keeps it.
  bool keeps_variable_of_entry(const OpFact &op, const Loop &loop) {
    const auto *statement = as<For>(loop.node);
    if (statement == nullptr || (op.traits & kVariable) == 0 || loop.turns == model::Turns::Many) {
      return false;
    }
    const auto [known, is_new] = keeping_variables_.try_emplace(&loop, false);
    if (is_new) {
      known->second = std::ranges::any_of(loop.function->ops, [&](const OpFact &other) {
        return other.loop == &loop && (other.traits & kVariable) != 0 &&
               (other.stored || (other.target && is_kept(statement->body, other.target)));
      });
    }
    return known->second;
  }

  // container[key] = name
  static bool is_kept(const Block &body, Symbol name) {
    const auto keeps = [name](const auto &self, const Node *node) -> bool {
      if (const auto *assignment = as<Assign>(node)) {
        const auto *value = as<Name>(assignment->value);
        return value != nullptr && value->id == name && assignment->targets[0]->kind == NodeKind::Subscript;
      }
      bool found = false;
      for_each_child(node, [&](const Node *child) { found = found || self(self, child); });
      return found;
    };
    return std::ranges::any_of(body, [&](const Stmt *statement) { return keeps(keeps, statement); });
  }

  // `for variable in variables: session.run(variable.assign(…))`, which is not repeated itself: each is set once, most
  // likely where a model is loaded.
  static bool sets_each_variable(const OpFact &op, const Loop &loop) {
    const auto *call = as<Call>(op.call);
    const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
    if (method == nullptr || method->attr.text() != "assign" || loop.function->in_loop) {
      return false;
    }
    const bool is_function = op.api.text().find('.') != std::string_view::npos; // tf.assign(variable, …)
    const Expr *const variable = !is_function ? method->value : call->args.empty() ? nullptr : call->args[0];
    bool is_of_turn = false;
    for (const Loop *around = &loop; around != nullptr; around = around->parent) {
      if (around->turns == model::Turns::Many) {
        return false;
      }
      is_of_turn |= variable != nullptr && mentions_any(variable, around->assigned);
    }
    return is_of_turn;
  }

  // `for variable in tf.global_variables(): …`, which is not repeated itself: a few dozen turns, once.
  static bool goes_over_variables(const Loop &loop) {
    const auto *statement = as<For>(loop.node);
    if (statement == nullptr || loop.parent != nullptr || loop.function->in_loop) {
      return false;
    }
    const auto lists_variables = [](const auto &self, const Node *node) -> bool {
      const auto *call = as<Call>(node);
      bool found = call != nullptr && called_name(*call).ends_with("variables");
      for_each_child(node, [&](const Node *child) { found = found || self(self, child); });
      return found;
    };
    return lists_variables(lists_variables, statement->iter);
  }

  static bool mentions_any(const Node *node, const std::vector<Symbol> &names) {
    const auto *name = as<Name>(node);
    bool found = name != nullptr && std::ranges::binary_search(names, name->id.id, {}, &Symbol::id);
    for_each_child(node, [&](const Node *child) { found = found || mentions_any(child, names); });
    return found;
  }

  // A turn is a whole pass through the data, next to which a cast is nothing.
  static bool goes_by_epochs(const Loop &loop) {
    const auto *statement = as<For>(loop.node);
    const auto *name = statement != nullptr ? as<Name>(statement->target) : nullptr;
    return name != nullptr && name->id.text().find("epoch") != std::string_view::npos;
  }

  // Gives the same numbers another shape, of something that is there already: nothing is computed.
  static bool is_free(const OpFact &op) {
    const std::string_view name = op.api.text();
    const auto *call = as<Call>(op.call);
    return call != nullptr &&
           (name == "tensorflow.rank" || name == "tensorflow.reshape" || name == "tensorflow.identity" ||
            name == "tensorflow.squeeze" || name == "tensorflow.expand_dims") &&
           std::ranges::none_of(call->args, has_call);
  }

  static bool has_call(const Node *node) {
    bool found = node->kind == NodeKind::Call;
    for_each_child(node, [&found](const Node *child) { found = found || has_call(child); });
    return found;
  }

  // A loop that draws waits for that, and for somebody to look at it.
  bool draws(const Loop &loop) {
    const auto [known, is_new] = drawing_.try_emplace(&loop, false);
    if (is_new) {
      known->second = draws(loop.node);
    }
    return known->second;
  }

  static bool draws(const Node *node) {
    const auto *call = as<Call>(node);
    const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
    const auto *object = method != nullptr ? as<Name>(method->value) : nullptr;
    bool found = object != nullptr && object->id.text() == "plt";
    for_each_child(node, [&found](const Node *child) { found = found || draws(child); });
    return found;
  }

  // `worker = Worker(i); workers.append(worker)`, or a thread gets it: as many objects as are needed, each with a part
  // of the graph.
  static bool keeps_object(const model::CallSite &site, const Loop &loop) {
    if (site.callee->name.text() != "__init__") {
      return false;
    }
    if (loop.node->kind == NodeKind::ListComp) {
      return static_cast<const ListComp *>(loop.node)->elt == site.call;
    }
    if (loop.node->kind == NodeKind::DictComp) {
      return static_cast<const DictComp *>(loop.node)->value == site.call;
    }
    const auto *statement = as<For>(loop.node);
    return statement != nullptr && !counts_to_many(loop, *statement) && ObjectUse(site.call).is_kept(statement);
  }

  // for i in range(100000)
  static bool counts_to_many(const Loop &loop, const For &statement) {
    constexpr i64 kMany = 64;
    const auto *range = as<Call>(statement.iter);
    const Expr *const last = range != nullptr && called_name(*range) == "range" && !range->args.empty()
                                 ? range->args[range->args.size() == 1 ? 0 : 1]
                                 : nullptr;
    return is_constant(last, ConstantKind::Int) &&
           int_value(loop.function->module->parsed->source.part(last->start, last->end)).value_or(0) > kMany;
  }

  // What a loop does with an object that it makes.
  class ObjectUse {
  public:
    explicit ObjectUse(const Call *made) : made_(made) {}

    bool is_kept(const Node *loop) {
      look(loop);
      return kept_ && bindings_ <= 1 && looked_ <= kMostNodes;
    }

  private:
    static constexpr u32 kMostNodes = 2000; // what is longer builds more than a few objects

    [[nodiscard]] bool is_object(const Expr *expr) const {
      const auto *plain = as<Name>(expr);
      return expr == made_ || (plain != nullptr && name_ && plain->id == name_);
    }

    void look(const Node *node) {
      if (++looked_ > kMostNodes) {
        return;
      }
      if (const auto *assignment = as<Assign>(node)) {
        const auto *target = as<Name>(assignment->targets[0]);
        name_ = assignment->value == made_ && target != nullptr ? target->id : name_;
        kept_ |= assignment->targets[0]->kind == NodeKind::Subscript && is_object(assignment->value);
        bindings_ += target != nullptr && name_ && target->id == name_ ? 1 : 0;
      } else if (const auto *call = as<Call>(node)) {
        const Keyword *const target = keyword_argument(*call, "target"); // Thread(target=worker.work)
        const auto *run = target != nullptr ? as<Attribute>(target->value) : nullptr;
        kept_ |= (called_method(*call) == "append" &&
                  std::ranges::any_of(call->args, [this](const Expr *arg) { return is_object(arg); })) ||
                 (run != nullptr && is_object(run->value));
      }
      for_each_child(node, [this](const Node *child) { look(child); });
    }

    const Call *made_;
    Symbol name_; // that it is put under
    u32 bindings_ = 0;
    u32 looked_ = 0;
    bool kept_ = false;
  };

  void report(const FunctionInfo &function, const Expr *place, const OpFact &op, const Loop &loop, bool grows,
              const model::ReachedOp *reached, bool object_is_kept = false) {
    const Source &loop_source = loop.function->module->parsed->source;
    Finding finding;
    finding.rule = &kGraphOpInLoop.info;
    finding.file = function.module->file;
    finding.span = place->span();
    const std::string name = op_name(op);
    const bool is_test = function.module->is_test || loop.function->module->is_test || function.is_test;
    if (is_test || object_is_kept ||
        (grows ? loop.turns == model::Turns::Few || keeps_variable_of_entry(op, loop) || goes_over_variables(loop) ||
                     (place == op.call && sets_each_variable(op, loop))
               : is_minor(op, loop) || stands_in_scope_of_turn(op, loop, true))) {
      finding.tier = Tier::Hint;
    }
    const std::vector<Note> chain = reached != nullptr ? chain_of(*reached) : std::vector<Note>{};
    finding.notes.push_back({loop.function->module->file, header_of(loop_source, loop),
                             fmt::format("the {} is here", describe_loop(loop))});
    finding.notes.insert(finding.notes.end(), chain.begin(), chain.end());
    if (grows) {
      finding.message = place == op.call
                            ? fmt::format("{} adds to the graph in every turn of a loop that runs a session", name)
                            : fmt::format("this call makes {}, so the graph grows in every turn of a loop that runs a "
                                          "session",
                                          name);
      finding.advice = "make the operation once, before the loop, and only run it inside; feed what changes through a "
                       "placeholder";
      if (loop.session_run != nullptr) {
        finding.notes.push_back({loop.function->module->file, loop.session_run->span(), "the session runs here"});
      }
    } else {
      finding.message =
          place == op.call
              ? fmt::format("{} is made again in every turn of a loop, but nothing it depends on changes", name)
              : "this call makes the same operations again in every turn of a loop: nothing they depend on changes";
      finding.advice = "move it before the loop";
    }
    if (finding.tier == Tier::On) {
      reported_.insert(place);
    }
    causes_.push_back({std::move(finding), &op, reached});
  }

  // What has been said of an operation, or of a call on the way to it, is not said again for the loops further out.
  void report_causes_once() {
    for (Cause &cause : causes_) {
      bool said = cause.reached != nullptr && reported_.contains(cause.op->call);
      for (const model::ReachedOp *at = cause.reached; at != nullptr && !said; at = at->next) {
        said = at->through != nullptr && reported_.contains(at->through->call);
      }
      if (!said) {
        findings_.push_back(std::move(cause.finding));
      }
    }
  }

  struct Cause {
    Finding finding;
    const OpFact *op = nullptr;
    const model::ReachedOp *reached = nullptr; // null: the operation stands in the loop itself
  };

  const Project &project_;
  std::vector<bool> leads_to_ops_; // by a function's index
  Findings &findings_;
  std::vector<Cause> causes_;
  std::unordered_set<const Node *> reported_;
  // What has been found out of loops and functions so far.
  std::unordered_map<const Loop *, bool> drawing_;
  std::unordered_map<const Loop *, bool> keeping_variables_;
  std::unordered_map<const Loop *, Branches> branches_;
  std::unordered_map<const Loop *, Stores> stores_;
  std::unordered_map<const FunctionInfo *, std::unordered_set<u32>> stored_by_callees_;
  std::map<std::pair<const Loop *, Stmt *const *>, bool> session_elsewhere_; // by the loop and the branch left out
};

void check(const Project &project, Findings &findings) { Judge(project, findings).run(); }

} // namespace

extern constinit const Rule kGraphOpInLoop = {
    .info = {.code = "DP201",
             .name = "graph-op-in-loop",
             .summary = "a TensorFlow operation made again in every turn of a loop",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Increasing Time Over Time, Memory Leak",
             .stage = "Model Building",
             .frameworks = "TensorFlow",
             .tier = Tier::On,
             .documentation = R"(## What it finds

A TensorFlow operation inside a loop, also through calls, that

- depends on nothing that changes in the loop, so that one before the loop would do; or
- stands in a loop that runs a session, where every turn adds it to the graph anew.

## Why it costs

In graph mode each call adds a node. A loop that adds nodes between two `Session.run` makes the graph larger with every
turn: each run takes longer than the one before, and memory grows until there is none left. Executed eagerly, the same
result is computed again and again.

## Bad

```python
import tensorflow as tf

with tf.Session() as sess:
    for step in range(1000):
        sess.run(tf.reduce_mean(losses))
```

## Good

```python
import tensorflow as tf

mean = tf.reduce_mean(losses)
with tf.Session() as sess:
    for step in range(1000):
        sess.run(mean)
```

## When it is wrong

Loops that build layers, each with operations that depend on the loop, are fine, and so is code that is traced once
(inside `tf.function`, a Keras layer's `call`, a mapped function). Loops over a literal, or over `range(10)` and below, are
left alone, and so are loops that make or enter another `tf.Graph` in every turn, and what runs only the first time (`if i == 0`,
`if key not in cache`), or not at all (`if 0:`, behind `sys.exit()`, a branch that the arguments of the call exclude). A graph that is entered again, `with self.graph.as_default():`, is the same one and grows. What a call in the
loop may change, a variable of eager code above all, counts as changing.

Only hints are

- an operation that costs next to nothing (a shape, a cast, a power) where a loop goes through a collection whose length the code does not tell, or
  runs once per epoch;
- anything in a loop over what a model has few of (heads, levels, losses), and all in functions `test_…`;
- a variable for each entry of a dictionary that is kept there, objects that make a part of the graph each and are put into a list, and what is done once for
  each variable of a model, as where it is loaded.

## References

- DLPerf, root cause "Confusion with Computation Graph"; DeepPerf's first checker
- TensorFlow documentation, `tf.Graph.finalize`: how to notice a graph that grows
)"},
    .on_project = check};

} // namespace deepperf::rules
