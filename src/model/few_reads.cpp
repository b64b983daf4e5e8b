// How many elements of a dataset does code read: how often does it run, and when does it stop?
#include "model/dataset_uses.h"
#include "model/few_elements.h"
#include "model/variance.h"
#include "python/call.h"
#include "python/literals.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

bool ends_at_once(const Block &body) {
  return !body.empty() && (body.back()->kind == NodeKind::Break || body.back()->kind == NodeKind::Return);
}

// A loop that draws each element, or does nothing but print it, is there for somebody to look at.
bool only_shows(const Block &body) {
  const auto calls = [](const Stmt *statement, std::initializer_list<std::string_view> names) {
    const auto *expression = as<ExprStmt>(statement);
    const auto *call = expression != nullptr ? as<Call>(expression->value) : nullptr;
    return call != nullptr && std::ranges::find(names, called_name(*call)) != names.end();
  };
  return std::ranges::any_of(body,
                             [&](const Stmt *each) {
                               return calls(each, {"show", "imshow", "display"});
                             }) ||
         std::ranges::all_of(body, [&](const Stmt *each) { return calls(each, {"print"}); });
}

} // namespace

// The loop ends after a few elements, or shows them to somebody.
bool Consumers::Uses::reads_few(const For &loop) const {
  return ends_at_once(loop.body) || only_shows(loop.body) || leaves_by_count(loop);
}

bool Consumers::Uses::is_few(const Call *take) const {
  const std::optional<i64> number = take->args.empty() ? std::nullopt : number_at(take->args[0]);
  return number.has_value() && *number >= 0 && *number <= kFewElements;
}

// A number that is written down: here, or for a parameter at the call that led here, or as its default.
std::optional<i64> Consumers::Uses::number_at(const Expr *expr) const {
  if (const auto *name = as<Name>(expr); name != nullptr && owner.trace_.entered != nullptr) {
    return number_passed(*owner.trace_.entered, *name);
  }
  return literal_in(source, expr);
}

std::optional<i64> Consumers::Uses::literal_in(const Source &text, const Expr *expr) {
  const auto *number = as<Constant>(expr);
  return number != nullptr && number->constant_kind() == ConstantKind::Int
             ? int_value(text.part(number->start, number->end))
             : std::nullopt;
}

std::optional<i64> Consumers::Uses::number_passed(const CallSite &site, const Name &name) const {
  const Array<Param *> params = site.callee->params;
  for (u32 i = 0; i < params.size(); ++i) {
    if (params[i]->name != name.id) {
      continue;
    }
    if (const Expr *const passed = passed_argument(site, i)) {
      return literal_in(*owner.trace_.from, passed);
    }
    return params[i]->default_value != nullptr ? literal_in(source, params[i]->default_value) : std::nullopt;
  }
  return std::nullopt;
}

// `if i == 3: break` of a loop that counts, or `n -= 1; if n == 0: break`.
bool Consumers::Uses::leaves_by_count(const For &loop) const {
  return !is_in_loop(&loop) && std::ranges::any_of(loop.body, [&](const Stmt *statement) {
    const auto *branch = as<If>(statement);
    const auto *test = branch != nullptr && ends_at_once(branch->body) ? as<Compare>(branch->test) : nullptr;
    const auto *counter = test != nullptr && test->rest.size() == 1 ? as<Name>(test->left) : nullptr;
    if (counter == nullptr) {
      return false;
    }
    const CompareOperator op = test->rest[0].op;
    const std::optional<i64> limit = number_at(test->rest[0].right);
    const bool up = op == CompareOperator::Eq || op == CompareOperator::Gt || op == CompareOperator::GtE;
    if (up && limit.has_value() && *limit <= kFewElements && counts(loop, *counter, Operator::Add)) {
      return true;
    }
    const bool down = op == CompareOperator::Eq || op == CompareOperator::LtE;
    const std::optional<i64> start = down && limit == 0 ? number_at(counter) : std::nullopt;
    return start.has_value() && *start <= kFewElements && counts(loop, *counter, Operator::Sub);
  });
}

// Does each iteration count the name up or down: itself, or as enumerate does?
bool Consumers::Uses::counts(const For &loop, const Name &name, Operator direction) const {
  const auto *pair = as<Tuple>(loop.target);
  const auto *index = pair != nullptr && !pair->elts.empty() ? as<Name>(pair->elts[0]) : nullptr;
  const auto *call = as<Call>(loop.iter);
  if (index != nullptr && index->id == name.id && call != nullptr && called_name(*call) == "enumerate") {
    return direction == Operator::Add;
  }
  return std::ranges::any_of(loop.body, [&](const Stmt *statement) {
    const auto *step = as<AugAssign>(statement);
    const auto *target = step != nullptr ? as<Name>(step->target) : nullptr;
    return target != nullptr && target->id == name.id && step->op() == direction;
  });
}

// fit(dataset, steps_per_epoch=1): a try.
bool Consumers::Uses::trains_few_steps(const Call &call, const Node *argument) const {
  const std::string_view name = called_name(call);
  if (name != "fit" && name != "evaluate" && name != "predict") {
    return false;
  }
  bool is_input = !call.args.empty() && call.args[0] == argument;
  std::optional<i64> steps;
  std::optional<i64> epochs = 1;
  for (const Keyword *keyword : call.keywords) {
    const std::string_view given = keyword->name ? keyword->name.text() : std::string_view{};
    is_input |= given == "x" && keyword->value == argument;
    if (given == "steps_per_epoch" || given == "steps") {
      steps = literal_in(source, keyword->value);
    } else if (given == "epochs" || given.empty()) {
      epochs = given.empty() ? std::nullopt : literal_in(source, keyword->value);
    }
  }
  return is_input && !is_in_loop(&call) && steps.has_value() && epochs.has_value() && *steps <= kFewTimes &&
         *epochs <= kFewTimes && *steps * *epochs <= kFewTimes;
}

// Outside of loops, or in `for i in range(20)`.
bool Consumers::Uses::runs_few_times(const Node *node) const {
  i64 times = 1;
  for (const Node *at = parent_of(node); at != nullptr && at->kind != NodeKind::FunctionDef; at = parent_of(at)) {
    const auto *loop = as<For>(at);
    const auto *range = loop != nullptr ? as<Call>(loop->iter) : nullptr;
    const bool counts = range != nullptr && called_name(*range) == "range" && range->args.size() == 1;
    const std::optional<i64> iterations = counts ? literal_in(source, range->args[0]) : std::nullopt;
    if (at->kind == NodeKind::While || (loop != nullptr && !iterations.has_value())) {
      return false;
    }
    times = std::min(times * std::clamp<i64>(iterations.value_or(1), 0, kFewElements + 1), kFewElements + 1);
  }
  return times <= kFewElements;
}

bool Consumers::Uses::is_in_loop(const Node *node) const {
  for (const Node *at = parent_of(node); at != nullptr && at->kind != NodeKind::FunctionDef; at = parent_of(at)) {
    if (at->kind == NodeKind::For || at->kind == NodeKind::While) {
      return true;
    }
  }
  return false;
}

// In a loop, or in a function that takes the iterator from outside.
bool Consumers::Uses::may_run_again(const Node *node, const Expr *iterator) const {
  for (const Node *at = node; at != nullptr; at = parent_of(at)) {
    if (at->kind == NodeKind::FunctionDef || at->kind == NodeKind::Lambda) {
      return !binds_in(at, iterator);
    }
    const auto *loop = as<While>(at);
    if ((loop != nullptr && !only_shows(loop->body)) || at->kind == NodeKind::For ||
        (at->kind >= NodeKind::ListComp && at->kind <= NodeKind::GeneratorExp)) {
      return true;
    }
  }
  return false;
}

// `step % 1000 == 0`, `not step % interval`, `tf.equal(step % 1000, 0)`
bool Consumers::Uses::holds_rarely(const Expr *test) const {
  const Expr *asked = nullptr;
  if (const auto *compare = as<Compare>(test)) {
    asked = compare->rest.size() == 1 && compare->rest[0].op == CompareOperator::Eq ? compare->left : nullptr;
  } else if (const auto *negation = as<UnaryOp>(test)) {
    asked = negation->op() == UnaryOperator::Not ? negation->operand : nullptr;
  } else if (const auto *several = as<BoolOp>(test)) {
    return several->op() == BoolOperator::And &&
           std::ranges::any_of(several->values, [this](const Expr *part) { return holds_rarely(part); });
  } else if (const auto *call = as<Call>(test)) {
    asked = called_name(*call) == "equal" && !call->args.empty() ? call->args[0] : nullptr;
  }
  const auto *rest = as<BinOp>(asked);
  if (rest == nullptr || rest->op() != Operator::Mod || as_string(rest->left) != nullptr) {
    return false;
  }
  constexpr i64 kRarely = 10;
  return rest->right->kind != NodeKind::Constant || literal_in(source, rest->right).value_or(0) >= kRarely;
}

// Under such a test, in the loop around it.
bool Consumers::Uses::runs_rarely(const Node *node) const {
  for (const Node *at = parent_of(node); at != nullptr; node = at, at = parent_of(at)) {
    if (at->kind == NodeKind::FunctionDef || at->kind == NodeKind::For || at->kind == NodeKind::While) {
      return false;
    }
    const auto *branch = as<If>(at);
    if (branch != nullptr && std::ranges::find(branch->body, node) != branch->body.end() &&
        holds_rarely(branch->test)) {
      return true;
    }
  }
  return false;
}

} // namespace deepperf::model
