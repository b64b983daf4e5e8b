#include "model/mapper.h"

#include "python/children.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace deepperf::model {

using namespace python;

namespace {

constexpr u32 kFewOperations = 8;

class Examination {
public:
  explicit Examination(const Project &project) : project_(project) {}

  MapperFacts facts{.known = true, .cheap = true, .vectorisable = true};

  void examine(const Value &function) {
    switch (function.tag) {
    case Value::Tag::Api:
      return note_api(nullptr, find_api(function.name()), function.name().text());
    case Value::Tag::Function:
    case Value::Tag::Method:
      return examine_body(*function.function);
    case Value::Tag::Partial:
      return examine(function.receiver());
    default:
      give_up();
    }
  }

private:
  void give_up() { facts.known = facts.cheap = facts.vectorisable = false; }

  void examine_body(const FunctionInfo &function) {
    if (!seen_.insert(&function).second || seen_.size() > 50) {
      return;
    }
    const FunctionInfo *const outer = std::exchange(function_, &function);
    if (const FunctionDef *definition = function.definition()) {
      for (const Stmt *statement : definition->body) {
        visit(statement);
      }
    } else if (const Lambda *lambda = function.lambda()) {
      visit(lambda->body);
    } else {
      give_up();
    }
    function_ = outer;
  }

  // How many different names of the function's own an expression mentions: parts of the example, most likely.
  void count_locals(const Node *node, std::unordered_set<u32> &names) const {
    if (const auto *name = as<Name>(node)) {
      if (function_ != nullptr && function_->slot_of(name->id) != FunctionInfo::kNoSlot) {
        names.insert(name->id.id);
      }
      return;
    }
    for_each_child(node, [&](const Node *child) { count_locals(child, names); });
  }

  // Two parts of an example may differ in rank, and then a batch of them does not line up.
  void require_one_part(const Node *operation) {
    std::unordered_set<u32> names;
    count_locals(operation, names);
    facts.vectorisable &= names.size() <= 1;
  }

  void note_api(const Call *call, const ApiInfo *info, std::string_view name) {
    if (info == nullptr) {
      return give_up();
    }
    if (info->has(kOp) && info->has(kRandom)) { // Python's own random numbers are drawn once, when it is traced
      facts.random = facts.random == nullptr ? call : facts.random;
    }
    if (info->has(kPython)) {
      facts.python = facts.python == nullptr ? call : facts.python;
    }
    facts.ragged |= name.find(".unique") != std::string_view::npos || name.find("ragged") != std::string_view::npos ||
                    name.find("sparse") != std::string_view::npos || name.ends_with(".boolean_mask") ||
                    name.ends_with(".where") || name.find("non_max_suppression") != std::string_view::npos;
    facts.heavy |= info->has(kIo | kDecode | kPython) || name.starts_with("tensorflow.image.resize");
    facts.parses_single |= name.ends_with("parse_single_example");
    facts.parses_batch |= name.ends_with(".parse_example");
    facts.cheap &= info->returns != Kind::Dataset; // reading files, or a pipeline of its own
    if (!info->has(kOp | kPython | kIo | kDecode)) {
      facts.vectorisable &= info->has(kSpec | kNoLoop | kCheap) && !info->has(kShapeDependent | kPerExample);
      return;
    }
    ++facts.operations;
    facts.cheap &= info->has(kCheap) && !info->has(kIo | kDecode | kPython | kRandom);
    facts.vectorisable &= info->has(kBatchable) && !info->has(kPerExample | kRandom | kShapeDependent | kIo | kPython);
  }

  // RandomFlip and the other layers that augment, also in a Sequential of them.
  [[nodiscard]] bool is_random_layer(std::string_view api, const Call &made) const {
    if (api.starts_with("tensorflow.keras.layers.Random")) {
      return true;
    }
    const auto *layers = api.ends_with(".Sequential") && !made.args.empty() ? as<List>(made.args[0]) : nullptr;
    return layers != nullptr && std::ranges::any_of(layers->elts, [this](const Expr *layer) {
             const auto *call = as<Call>(layer);
             const Value callee = call != nullptr ? project_.callee_of(call) : Value{};
             return callee.is(Value::Tag::Api) && callee.name().text().starts_with("tensorflow.keras.layers.Random");
           });
  }

  void visit_call(const Call *call) {
    const Value callee = project_.callee_of(call);
    switch (callee.tag) {
    case Value::Tag::Api:
      note_api(call, find_api(callee.name()), callee.name().text());
      if (callee.name().text().ends_with(".where") && call->args.size() < 3) {
        facts.vectorisable = false; // gives indices
      }
      require_one_part(call);
      break;
    case Value::Tag::ApiMethod:
      note_api(call, find_method(callee.receiver().kind, callee.name()), callee.name().text());
      break;
    case Value::Tag::Function:
    case Value::Tag::Method:
    case Value::Tag::Partial:
      examine(callee);
      break;
    default:
      if (callee.is(Value::Tag::Instance) && callee.call != nullptr && callee.kind != Kind::Dataset &&
          is_random_layer(callee.name() ? callee.name().text() : std::string_view{}, *callee.call)) {
        facts.random = facts.random == nullptr ? call : facts.random;
      }
      if (const auto *method = as<Attribute>(call->func);
          method != nullptr && (method->attr.text() == "items" || method->attr.text() == "set_shape")) {
        facts.vectorisable &= method->attr.text() == "items";
        break;
      }
      give_up();
    }
    for (const Expr *arg : call->args) {
      visit(arg);
    }
    for (const Keyword *keyword : call->keywords) {
      facts.vectorisable &= !keyword->name || keyword->name.text() != "axis"; // counts dimensions
      visit(keyword->value);
    }
  }

  void visit(const Node *node) {
    switch (node->kind) {
    case NodeKind::Call:
      return visit_call(static_cast<const Call *>(node));
    case NodeKind::FunctionDef:
    case NodeKind::Lambda:
      facts.vectorisable = false;
      return;
    case NodeKind::If:
    case NodeKind::IfExp:
    case NodeKind::For:
    case NodeKind::While:
    case NodeKind::Try:
    case NodeKind::Match:
      facts.vectorisable = false;
      break;
    case NodeKind::Subscript: {
      // x["image"] picks a feature; x[0] may pick a part of the example.
      const auto *subscript = static_cast<const Subscript *>(node);
      facts.vectorisable &= as_string(subscript->slice) != nullptr;
      facts.picks_fields |= as_string(subscript->slice) != nullptr;
      break;
    }
    case NodeKind::List: // becomes one tensor, stacked
      facts.vectorisable = false;
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
      facts.vectorisable &= name != "shape" && name != "ndim";
      break;
    }
    default:
      break;
    }
    for_each_child(node, [this](const Node *child) { visit(child); });
  }

  const Project &project_;
  const FunctionInfo *function_ = nullptr;
  std::unordered_set<const FunctionInfo *> seen_;
  u32 arithmetic_ = 0;
};

} // namespace

MapperFacts examine_mapper(const Project &project, const Value &mapper) {
  Examination examination(project);
  examination.examine(mapper);
  MapperFacts facts = examination.facts;
  facts.cheap = facts.cheap && facts.known && facts.operations <= kFewOperations;
  facts.vectorisable = facts.vectorisable && facts.known && facts.operations > 0;
  return facts;
}

} // namespace deepperf::model
