// What does a mapped function do: which functions and statements does it run, and what does that amount to?
#include "model/mapper.h"

#include "base/known_names.h"
#include "model/classes.h"
#include "model/mapper_examination.h"
#include "model/overrides.h"
#include "python/call.h"
#include "python/children.h"

#include <utility>

namespace deepperf::model {

using namespace python;

namespace {

constexpr u32 kFewOperations = 16; // cheap ones
constexpr u32 kFewLookups = 3;     // of strings, or splits of them
constexpr u32 kFewFunctions = 2;   // sqrt, exp and the like

bool passes_literal(const Call &call) {
  return std::ranges::any_of(call.args, [](const Expr *arg) { return arg->kind == NodeKind::Constant; }) ||
         std::ranges::any_of(call.keywords,
                             [](const Keyword *keyword) { return keyword->value->kind == NodeKind::Constant; });
}

void add_names(const Node *target, std::vector<Symbol> &names) {
  if (const auto *name = as<Name>(target)) {
    names.push_back(name->id);
  }
  for_each_child(target, [&names](const Node *child) { add_names(child, names); });
}

// Does the function mention none of its parameters?
bool ignores_parameters(const Value &mapper) {
  if (!mapper.is(Value::Tag::Function) || mapper.function->params.empty()) {
    return false;
  }
  const Array<Param *> params = mapper.function->params;
  const auto mentions = [&params](const auto &self, const Node *node) -> bool {
    if (const auto *name = as<Name>(node)) {
      return std::ranges::any_of(params, [name](const Param *param) { return param->name == name->id; });
    }
    bool found = false;
    for_each_child(node, [&](const Node *child) { found = found || self(self, child); });
    return found;
  };
  if (const FunctionDef *definition = mapper.function->definition()) {
    return std::ranges::none_of(definition->body, [&](const Stmt *statement) { return mentions(mentions, statement); });
  }
  const Lambda *lambda = mapper.function->lambda();
  return lambda != nullptr && !mentions(mentions, lambda->body);
}

} // namespace

void MapperExamination::examine(const Value &function, bool is_partial) {
  switch (function.tag) {
  case Value::Tag::Api:
    return note_api(nullptr, find_api(function.name()), function.name().text());
  case Value::Tag::Function:
  case Value::Tag::Method:
    return examine_function(*function.function, is_partial ? Arguments{} : Arguments{.callee = function.function});
  case Value::Tag::Partial:
    return examine(function.receiver(), true);
  case Value::Tag::Class:
    return examine_construction(*function.type);
  case Value::Tag::Object:
    if (const FunctionInfo *call = find_method_of(*function.type, known::sym_call_method)) {
      return examine_body(*call);
    }
    [[fallthrough]];
  default:
    give_up();
    facts.opaque = true;
  }
}

// An object that holds things: a named tuple, most likely.
void MapperExamination::examine_construction(const ClassInfo &type) {
  facts.vectorisable = false;
  if (const FunctionInfo *init = find_method_of(type, known::sym_init)) {
    examine_body(*init);
  }
}

// A method that the class leaves open is what derived classes make of it.
void MapperExamination::examine_function(const FunctionInfo &function, const Arguments &arguments) {
  constexpr std::size_t kMostOverrides = 10;
  const Arguments outer = std::exchange(arguments_, arguments);
  if (function.type == nullptr || !is_abstract(function)) {
    examine_body(function);
  } else if (const std::vector<FunctionInfo *> overrides = overrides_of(function, kMostOverrides); !overrides.empty()) {
    arguments_ = {};
    const Counts before = counts();
    Counts most = before;
    for (const FunctionInfo *override : overrides) { // one of them runs
      set_counts(before);
      examine_body(*override);
      most = most.with(counts());
    }
    set_counts(most);
  } else {
    give_up();
    facts.opaque = true;
  }
  arguments_ = outer;
}

MapperExamination::Counts MapperExamination::counts() const { return {facts.operations, lookups_, functions_}; }

void MapperExamination::set_counts(const Counts &counts) {
  facts.operations = counts.operations;
  lookups_ = counts.lookups;
  functions_ = counts.functions;
}

void MapperExamination::examine_body(const FunctionInfo &function) {
  constexpr std::size_t kMostFunctions = 100;
  // With other literals it may do something else.
  const bool is_new = seen_.insert(&function).second;
  const bool is_other = arguments_.callee == &function && arguments_.call != nullptr &&
                        passes_literal(*arguments_.call) && seen_calls_.insert(arguments_.call).second;
  if (!is_new && !is_other) {
    return;
  }
  if (seen_.size() + seen_calls_.size() > kMostFunctions) {
    return give_up(); // what is not looked at may do anything
  }
  const FunctionInfo *const outer = std::exchange(function_, &function);
  const Node *const outer_counted = std::exchange(counted_, nullptr);
  if (const FunctionDef *definition = function.definition()) {
    for (const Stmt *statement : definition->body) {
      facts.vectorisable &= outside_.empty() || only_helps(statement, outside_);
      visit(statement);
    }
  } else if (const Lambda *lambda = function.lambda()) {
    reject_list_of_columns(lambda);
    visit(lambda->body);
  } else {
    give_up();
  }
  function_ = outer;
  counted_ = outer_counted;
}

// What a name or lambda that is passed on is.
Value MapperExamination::value_of(const Expr *expr) const {
  if (FunctionInfo *const found = project_.function_at(expr)) {
    return Value::of(found);
  }
  const auto *name = as<Name>(expr);
  const Value *const found = name != nullptr && function_ != nullptr ? all_values_of(*function_, name->id) : nullptr;
  return found != nullptr ? *found : Value{};
}

void MapperExamination::examine_called(const Call *call, const FunctionInfo &callee, bool is_method) {
  const bool bound = is_method && !callee.is_static;
  std::vector<Symbol> outside = given_from_outside(call, callee, bound);
  // Once it has been looked at with other arguments, that tells nothing of these.
  facts.vectorisable &= !has_hidden_arguments(*call) && (outside.empty() || !seen_.contains(&callee));
  outside_.swap(outside);
  examine_function(callee, {&callee, call, &function_->module->parsed->source, bound});
  outside_.swap(outside);
}

void MapperExamination::visit(const Node *node) {
  switch (node->kind) {
  case NodeKind::Call:
    return visit_call(static_cast<const Call *>(node));
  case NodeKind::Raise: // not what it usually does
  case NodeKind::FunctionDef:
  case NodeKind::Lambda:
    facts.vectorisable = false;
    return;
  case NodeKind::For:
  case NodeKind::While: {
    facts.vectorisable = false;
    const u32 before = lookups_;
    const std::size_t outer_names = loop_names_.size();
    if (const auto *loop = as<For>(node)) {
      add_names(loop->target, loop_names_);
    }
    for_each_child(node, [this](const Node *child) { visit(child); });
    loop_names_.resize(outer_names);
    lookups_ += lookups_ > before ? kFewLookups : 0; // one in each iteration
    return;
  }
  case NodeKind::If: {
    const auto *branch = static_cast<const If *>(node);
    if (const std::optional<bool> settled = settled_by_arguments(branch->test)) {
      for (const Stmt *statement : *settled ? branch->body : branch->orelse) {
        visit(statement);
      }
      return;
    }
    require_choice_outside(branch->test);
    break;
  }
  case NodeKind::IfExp: {
    const auto *choice = static_cast<const IfExp *>(node);
    if (const std::optional<bool> settled = settled_by_arguments(choice->test)) {
      return visit(*settled ? choice->body : choice->orelse);
    }
    require_choice_outside(choice->test);
    break;
  }
  case NodeKind::Try:
  case NodeKind::Match:
    facts.vectorisable = false;
    break;
  case NodeKind::Subscript:
    note_subscript(*static_cast<const Subscript *>(node));
    break;
  case NodeKind::ListComp:
  case NodeKind::List: // becomes one tensor, stacked
    facts.vectorisable = false;
    break;
  case NodeKind::Return:
  case NodeKind::Tuple:
  case NodeKind::Dict:
    reject_list_of_columns(node);
    break;
  case NodeKind::AugAssign:
    facts.operations += facts.operations == 0 ? 1 : 0;
    require_one_part(node);
    break;
  case NodeKind::BinOp:
    require_one_part(node);
    facts.vectorisable &= static_cast<const BinOp *>(node)->op() != Operator::MatMult;
    ++arithmetic_;
    if (arithmetic_ == 1 && facts.operations == 0) {
      facts.operations = 1;
    }
    break;
  case NodeKind::Attribute: {
    const std::string_view name = static_cast<const Attribute *>(node)->attr.text();
    // Of a sparse tensor the values of all examples are one row.
    facts.vectorisable &= name != "shape" && name != "ndim" && name != "values" && name != "indices";
    break;
  }
  default:
    break;
  }
  for_each_child(node, [this](const Node *child) { visit(child); });
}

// `if training:` of `map(lambda x: prepare(x, training=False))`
std::optional<bool> MapperExamination::settled_by_arguments(const Expr *test) const {
  return arguments_.callee != nullptr && arguments_.callee == function_ ? result_of(arguments_, test) : std::nullopt;
}

void MapperExamination::finish() {
  // Written for one record after all: it makes a batch of one, parses single ones too, or decodes an image.
  facts.parses_batch = facts.parses_batch && !makes_batch_of_one_ && !facts.parses_single && !takes_one_;
  const bool many = facts.operations > kFewOperations || lookups_ > kFewLookups || functions_ > kFewFunctions;
  facts.works |= many || facts.heavy || facts.opaque;
  facts.splits_memory &= facts.known && facts.operations == 0 && !makes_other_dataset_;
  facts.cheap = facts.cheap && facts.known && !many;
  facts.vectorisable = facts.vectorisable && facts.known && facts.operations > 0;
}

MapperFacts examine_mapper(const Project &project, const Value &mapper) {
  MapperExamination examination(project);
  examination.examine(mapper);
  examination.finish();
  examination.facts.ignores_element = ignores_parameters(mapper);
  examination.facts.is_model = is_learning_model(mapper);
  return examination.facts;
}

} // namespace deepperf::model
