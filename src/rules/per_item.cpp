#include "rules/per_item.h"

#include "base/name_table.h"
#include "model/variance.h"
#include "rules/encoding.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_map>

namespace deepperf::rules {

using namespace python;
using model::Value;

namespace {

constexpr u32 kMostCallsToItem = 3; // from the place up to the loop
constexpr std::size_t kMostCallersOfItem = 8;

bool has_batch_in_text(std::string_view text) {
  return text.find("batch") != std::string_view::npos || text.find("chunk") != std::string_view::npos ||
         text.find("group") != std::string_view::npos || text.find("Batch") != std::string_view::npos;
}

// ---- Functions that are run for each element ------------------------------------------------------------------------

// By the function that apply() or the like is given, in one file.
struct Applied {
  std::unordered_map<const model::FunctionInfo *, const Call *> calls;
  std::unordered_map<const model::FunctionInfo *, const Call *> repeated; // also for each batch, or on each access
};

// The function that a call hands to something that runs it again and again; null if it hands over none.
const Expr *repeated_argument(const Call &call) {
  static const NameTable kRepeating({"map", "filter", "with_transform", "set_transform", "submit", "starmap"});
  const auto *method = as<Attribute>(call.func);
  const Kind owner = method != nullptr ? model::kind_of(method->value) : Kind::Unknown;
  if (method != nullptr && kRepeating.has(method->attr) && !call.args.empty() && owner != Kind::Dataset) {
    return call.args[0];
  }
  const Keyword *given = keyword_argument(call, "collate_fn");
  given = given != nullptr ? given : keyword_argument(call, "data_collator");
  return given != nullptr ? given->value : nullptr;
}

bool applies_to_each(const Call &call) {
  static const NameTable kApplying({"apply", "map", "progress_apply", "progress_map", "applymap", "parallel_apply",
                                    "imap", "imap_unordered", "thread_map", "process_map"});
  const auto *method = as<Attribute>(call.func);
  const auto *name = as<Name>(call.func);
  const Symbol called = method != nullptr ? method->attr : name != nullptr ? name->id : Symbol{};
  if (!called || !kApplying.has(called) || call.args.empty()) {
    return false;
  }
  const Kind owner = method != nullptr ? model::kind_of(method->value) : Kind::Unknown;
  if (owner == Kind::TorchModule || owner == Kind::Dataset || owner == Kind::HfModel) {
    return false; // model.apply(init_weights)
  }
  return keyword_argument(call, "batched") == nullptr;
}

const model::FunctionInfo *given_function(const Site &site, const Expr *given) {
  if (given->kind == NodeKind::Lambda) {
    return site.project.function_at(given);
  }
  const auto *partial = as<Call>(given);
  if (partial != nullptr) {
    return called_api(site, *partial) == "functools.partial" && !partial->args.empty()
               ? given_function(site, partial->args[0])
               : nullptr;
  }
  const Value value = value_of(site, given);
  return value.is(Value::Tag::Function) || value.is(Value::Tag::Method) ? value.function : nullptr;
}

void find_applied(const Site &site, const Node *node, Applied &applied) {
  if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda) {
    if (const model::FunctionInfo *const inner = site.project.function_at(node); inner != nullptr) {
      Site there = site;
      there.function = inner;
      there.type = inner->type;
      for_each_child(node, [&](const Node *child) { find_applied(there, child, applied); });
      return;
    }
  }
  const auto *call = as<Call>(node);
  if (call != nullptr && applies_to_each(*call)) {
    const model::FunctionInfo *const function = given_function(site, call->args[0]);
    if (function != nullptr) {
      applied.calls.emplace(function, call);
    }
  }
  if (const Expr *const repeated = call != nullptr ? repeated_argument(*call) : nullptr; repeated != nullptr) {
    if (const model::FunctionInfo *const function = given_function(site, repeated); function != nullptr) {
      applied.repeated.emplace(function, call);
    }
  }
  for_each_child(node, [&](const Node *child) { find_applied(site, child, applied); });
}

// ---- Loops over items -----------------------------------------------------------------------------------------------

// What a loop binds for each item, and what it goes over.
struct Head {
  const Expr *target = nullptr;
  const Expr *iter = nullptr;
};

Head head_of(const model::Loop &loop) {
  if (const auto *statement = as<For>(loop.node)) {
    return {statement->target, statement->iter};
  }
  if (loop.node->kind == NodeKind::ListComp || loop.node->kind == NodeKind::DictComp ||
      loop.node->kind == NodeKind::GeneratorExp || loop.node->kind == NodeKind::SetComp) {
    const Comprehension &first = *static_cast<const ComprehensionExpr *>(loop.node)->generators[0];
    return {first.target, first.iter};
  }
  return {};
}

// Batches and not items: a loader, range(0, n, 32), batched(texts, 8).
bool goes_over_batches(const Site &site, const model::Loop &loop, const Head &head) {
  const Expr *const over = iterated_by(site, loop);
  const auto *call = as<Call>(over != nullptr ? over : head.iter);
  if (over != nullptr && model::kind_of(over) == Kind::HfDataset) {
    return has_batch_in_text(text_of(site, head.target));
  }
  return goes_over_data(site, loop) || (call != nullptr && called_name(*call) == "range" && call->args.size() == 3) ||
         has_batch_in_text(text_of(site, head.iter)) || has_batch_in_text(text_of(site, head.target)) ||
         (over != nullptr && model::kind_of(over) == Kind::TorchDataLoader);
}

bool binds(const Expr *target, Symbol name) { return mentions(target, name); }

// ---- Following an expression back to the item -----------------------------------------------------------------------

// Several of them, as it is written.
bool is_collection(const Expr *expr) {
  const auto *list = as<List>(expr);
  const auto *part = as<Subscript>(expr);
  return (list != nullptr && list->elts.size() != 1) || expr->kind == NodeKind::ListComp ||
         (part != nullptr && part->slice->kind == NodeKind::Slice && model::kind_of(part->value) == Kind::List) ||
         model::kind_of(expr) == Kind::List || model::kind_of(expr) == Kind::PandasFrame;
}

// An entry or attribute in the plural is a collection itself.
bool is_singular(const Site &site, const Expr *expr) {
  if (const auto *element = as<Subscript>(expr)) {
    const auto key = string_of(site, element->slice);
    return !key.has_value() || !key->ends_with("s");
  }
  const auto *attribute = as<Attribute>(expr);
  return attribute == nullptr || !attribute->attr.text().ends_with("s");
}

struct Follower {
  const Site &site;

  std::optional<PerItem> in(const Site &at, const model::Loop *loop, const Expr *expr, u32 names, u32 calls) const {
    if (is_collection(expr)) {
      return std::nullopt;
    }
    std::optional<PerItem> found;
    any_node(expr, [&](const Node *node) {
      const auto *name = as<Name>(node);
      if (name != nullptr && !found.has_value()) {
        found = of_name(at, loop, *name, names, calls);
      }
      return found.has_value();
    });
    if (found.has_value()) {
      found->is_sure = found->is_sure && is_singular(at, expr);
    }
    return found;
  }

  std::optional<PerItem> of_name(const Site &at, const model::Loop *loop, const Name &name, u32 names,
                                 u32 calls) const {
    for (const model::Loop *one = loop; one != nullptr; one = one->parent) {
      const Head head = head_of(*one);
      if (head.target == nullptr || !binds(head.target, name.id)) {
        continue;
      }
      if (one->few_iterations || one->iterations == model::Iterations::Few || one->steps ||
          goes_over_batches(at, *one, head)) {
        return std::nullopt;
      }
      return PerItem{at.module, Span{one->node->start, std::max(head.iter->end, one->node->start)}, true};
    }
    const auto &params = at.function->params;
    const auto param = std::ranges::find_if(params, [&](const Param *one) { return one->name == name.id; });
    if (param == params.end()) {
      const Expr *value = names < 4 ? assigned_to(at, name) : nullptr;
      return value != nullptr && value->end <= name.start ? in(at, loop, value, names + 1, calls) : std::nullopt;
    }
    if (has_batch_in_text(name.id.text())) {
      return std::nullopt;
    }
    const u32 index = static_cast<u32>(param - params.begin());
    if (const Call *by = applied_by(at, *at.function)) {
      const u32 first = at.function->type != nullptr && !at.function->is_static ? 1 : 0;
      return index == first ? std::optional(PerItem{at.module, by->span(), true}) : std::nullopt;
    }
    const auto &callers = at.function->called_by;
    for (std::size_t i = 0; i < callers.size() && i < kMostCallersOfItem && calls < kMostCallsToItem; ++i) {
      const Expr *given = model::passed_argument(*callers[i], index);
      Site there = site_of(at, *callers[i]->call);
      if (given != nullptr && there.function != nullptr && callers[i]->caller != at.function) {
        if (auto found = in(there, callers[i]->loop, given, 0, calls + 1)) {
          return found;
        }
      }
    }
    return std::nullopt;
  }
};

} // namespace

namespace {

const Applied &applied_in(const Site &site, const model::FunctionInfo &function) {
  Site there{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  there.module = function.module;
  there.function = function.module->body;
  return site.memory.recall<Applied>(function.module, [&there] {
    Applied found;
    for (const Stmt *statement : there.module->parsed->tree.body) {
      find_applied(there, statement, found);
    }
    return found;
  });
}

} // namespace

const Call *applied_by(const Site &site, const model::FunctionInfo &function) {
  const Applied &applied = applied_in(site, function);
  const auto at = applied.calls.find(&function);
  return at != applied.calls.end() ? at->second : nullptr;
}

const Call *repeated_by(const Site &site, const model::FunctionInfo &function) {
  const Applied &applied = applied_in(site, function);
  const auto at = applied.repeated.find(&function);
  return at != applied.repeated.end() ? at->second : applied_by(site, function);
}

std::optional<PerItem> item_behind(const Site &site, const Expr *expr) {
  if (site.function == nullptr) {
    return std::nullopt;
  }
  return Follower{site}.in(site, loop_around(site), expr, 0, 0);
}

} // namespace deepperf::rules
