#include "rules/processes.h"

#include "base/name_table.h"
#include "rules/encoding.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

constexpr u32 kMostNames = 4;

// `rank` of `args.rank`, and of `get_rank()`.
Symbol last_name(const Expr *expr) {
  if (const auto *call = as<Call>(expr)) {
    expr = call->func;
  }
  if (const auto *name = as<Name>(expr)) {
    return name->id;
  }
  const auto *attribute = as<Attribute>(expr);
  return attribute != nullptr ? attribute->attr : Symbol{};
}

// os.environ["RANK"], os.getenv("LOCAL_RANK")
bool reads_rank_variable(const Site &site, const Expr *expr) {
  return has_word(text_of(site, expr), {"\"RANK\"", "'RANK'", "\"LOCAL_RANK\"", "'LOCAL_RANK'", "\"SLURM_PROCID\""});
}

// The number of the process, by what it is set to, or by its name if that is not known.
bool is_rank(const Site &site, const Expr *expr, u32 depth) {
  static const NameTable kNames({"rank", "local_rank", "global_rank", "ddp_rank", "ddp_local_rank", "world_rank",
                                 "process_index", "local_process_index", "process_rank", "get_rank", "get_local_rank",
                                 "proc_id", "gpu_id", "gpu"});
  if (const auto *part = as<BinOp>(expr)) { // rank % gpus_per_node
    return part->op() == Operator::Mod && is_rank(site, part->left, depth);
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view api = called_api(site, *call);
    if (api == "torch.distributed.get_rank" || api == "torch.distributed.get_node_local_rank") {
      return true;
    }
    if (api == "int" && call->args.size() == 1) {
      return is_rank(site, call->args[0], depth) || reads_rank_variable(site, call->args[0]);
    }
  }
  if (const auto *name = as<Name>(expr); name != nullptr && depth < kMostNames) {
    if (const Expr *value = assigned_to(site, *name)) {
      return is_rank(site, value, depth + 1) || reads_rank_variable(site, value) ||
             (value->kind != NodeKind::Constant && kNames.has(name->id));
    }
  }
  const Symbol name = last_name(expr);
  return name && kNames.has(name);
}

Processes opposite(Processes one) {
  return one == Processes::First ? Processes::Others : one == Processes::Others ? Processes::First : Processes::Unknown;
}

Processes of_comparison(const Site &site, const Compare &compare) {
  if (compare.rest.size() != 1) {
    return Processes::Unknown;
  }
  const CompareOperator op = compare.rest[0].op;
  const Expr *right = compare.rest[0].right;
  if (!is_rank(site, compare.left, 0)) {
    const bool is_turned = is_rank(site, right, 0) && integer_of(site, compare.left) == 0;
    return !is_turned                     ? Processes::Unknown
           : op == CompareOperator::Eq    ? Processes::First
           : op == CompareOperator::NotEq ? Processes::Others
                                          : Processes::Unknown;
  }
  if (op == CompareOperator::In || op == CompareOperator::NotIn) { // local_rank in [-1, 0]
    const auto *list = as<List>(right);
    const auto *tuple = as<Tuple>(right);
    const Array<Expr *> parts = list != nullptr ? list->elts : tuple != nullptr ? tuple->elts : Array<Expr *>{};
    const bool is_first = !parts.empty() && std::ranges::all_of(parts, [&](const Expr *part) {
      const auto number = integer_of(site, part);
      return number.has_value() && *number <= 0;
    });
    return !is_first ? Processes::Unknown : op == CompareOperator::In ? Processes::First : Processes::Others;
  }
  const auto number = integer_of(site, right);
  if (!number.has_value()) {
    return Processes::Unknown;
  }
  if (*number == 0) {
    return op == CompareOperator::Eq || op == CompareOperator::LtE     ? Processes::First
           : op == CompareOperator::NotEq || op == CompareOperator::Gt ? Processes::Others
                                                                       : Processes::Unknown;
  }
  return *number == 1 && op == CompareOperator::Lt    ? Processes::First
         : *number == 1 && op == CompareOperator::GtE ? Processes::Others
                                                      : Processes::Unknown;
}

// Does it only ask whether the program is distributed at all?
bool asks_for_distribution(const Site &site, const Expr *expr) {
  return has_word(text_of(site, expr), {"is_initialized", "is_available", "world_size", "distributed", "-1"});
}

Processes of_test(const Site &site, const Expr *test, u32 depth) {
  static const NameTable kNames({"is_main_process", "is_local_main_process", "is_global_zero", "is_world_process_zero",
                                 "is_local_process_zero", "is_main", "is_master", "is_rank0", "is_rank_0",
                                 "is_rank_zero", "is_master_process", "master_process", "main_process"});
  if (const auto *compare = as<Compare>(test)) {
    return of_comparison(site, *compare);
  }
  if (const auto *negation = as<UnaryOp>(test)) {
    return negation->op() == UnaryOperator::Not ? opposite(of_test(site, negation->operand, depth))
                                                : Processes::Unknown;
  }
  if (const auto *both = as<BoolOp>(test)) {
    Processes found = Processes::Unknown;
    for (const Expr *part : both->values) {
      const Processes one = of_test(site, part, depth);
      if (one != Processes::Unknown) {
        found = one;
      } else if (both->op() == BoolOperator::Or && !asks_for_distribution(site, part)) {
        return Processes::Unknown;
      }
    }
    // `not distributed or rank == 0` is the first process; `rank != 0 or …` is not the others alone.
    return both->op() == BoolOperator::Or && found == Processes::Others ? Processes::Unknown : found;
  }
  if (const auto *name = as<Name>(test); name != nullptr && depth < kMostNames) {
    if (const Expr *value = assigned_to(site, *name)) {
      const Processes one = of_test(site, value, depth + 1);
      return one == Processes::Unknown && value->kind != NodeKind::Constant && kNames.has(name->id) ? Processes::First
                                                                                                    : one;
    }
  }
  if (const auto *call = as<Call>(test); call != nullptr && depth < kMostNames) {
    const model::FunctionInfo *const function = called_function(site, *call);
    const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
    if (definition != nullptr && !definition->body.empty()) {
      const auto *result = as<Return>(definition->body.back());
      Site there = site;
      there.function = function;
      there.module = function->module;
      there.type = function->type;
      there.ancestors.clear();
      const Processes one =
          result != nullptr && result->value != nullptr ? of_test(there, result->value, depth + 1) : Processes::Unknown;
      if (one != Processes::Unknown) {
        return one;
      }
    }
  }
  const Symbol name = last_name(test);
  return name && kNames.has(name) ? Processes::First : Processes::Unknown;
}

bool leaves(const Block &body) {
  if (body.empty()) {
    return false;
  }
  const Stmt *last = body.back();
  return last->kind == NodeKind::Return || last->kind == NodeKind::Continue || last->kind == NodeKind::Raise;
}

} // namespace

Processes processes_of(const Site &site, const Expr *test) { return of_test(site, test, 0); }

FirstProcessOnly first_process_only(const Site &site) {
  const Node *below = site.node;
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const Node *around = site.ancestors[i];
    if (const auto *branch = as<If>(around); branch != nullptr && below != branch->test) {
      const bool is_else = std::ranges::find(branch->orelse, below) != branch->orelse.end();
      const Processes passed = processes_of(site, branch->test);
      if (passed == (is_else ? Processes::Others : Processes::First)) {
        return {branch->test, branch};
      }
    }
    // `if rank != 0: return` before it
    const bool is_statement = below != nullptr && below->kind >= NodeKind::FunctionDef;
    for (const Stmt *before = is_statement ? statement_before(site.module->parsed->tree, around, below) : nullptr;
         before != nullptr; before = statement_before(site.module->parsed->tree, around, before)) {
      const auto *guard = as<If>(before);
      if (guard != nullptr && guard->orelse.empty() && leaves(guard->body) &&
          processes_of(site, guard->test) == Processes::Others) {
        return {guard->test, nullptr};
      }
    }
    if (around->kind == NodeKind::FunctionDef || around->kind == NodeKind::Lambda) {
      break;
    }
    below = around;
  }
  return {};
}

std::vector<const Node *> ancestors_of(const Site &site, const Node &node) {
  std::vector<const Node *> path;
  const Node *next = nullptr;
  const auto look = [&](const Node *child) {
    if (contains(child, &node) && child != &node) {
      next = child;
    }
  };
  for (const Stmt *statement : site.module->parsed->tree.body) {
    look(statement);
  }
  while (next != nullptr) {
    const Node *around = next;
    path.push_back(around);
    next = nullptr;
    for_each_child(around, look);
  }
  return path;
}

Site site_at(const Site &site, const model::CallSite &call) {
  Site there{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  there.function = call.caller;
  there.module = call.caller->module;
  there.type = call.caller->type;
  there.trace = site.trace;
  there.node = call.call;
  there.ancestors = ancestors_of(there, *call.call);
  return there;
}

} // namespace deepperf::rules
