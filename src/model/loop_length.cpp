// How long is a loop? What the code tells of it: literals, slices, and what things are called.
#include "model/loop_length.h"
#include "base/name_table.h"
#include "model/name_traits.h"
#include "model/transfer.h"

#include "python/call.h"
#include "python/children.h"
#include "python/literals.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

constexpr i64 kShortLoop = 10;

// Over the dimensions or axes of a tensor: there are never many.
bool counts_dimensions(const Node *node) {
  if (const auto *plain = as<Name>(node)) {
    return has_trait(plain->id, kCountsDimensions);
  }
  if (const auto *attribute = as<Attribute>(node);
      attribute != nullptr && has_trait(attribute->attr, kCountsDimensions)) {
    return true;
  }
  bool found = false;
  for_each_child(node, [&found](const Node *child) { found = found || counts_dimensions(child); });
  return found;
}

// `x.shape[0]`: how many elements there are along an axis, not how many axes.
bool measures_axis(const Node *node) {
  if (const auto *subscript = as<Subscript>(node);
      subscript != nullptr && subscript->slice->kind != NodeKind::Slice && counts_dimensions(subscript->value)) {
    return true;
  }
  bool found = false;
  for_each_child(node, [&found](const Node *child) { found = found || measures_axis(child); });
  return found;
}

// What enumerate(x, 1), sorted(x), zip(x, y) and the like go through.
Array<Expr *> gone_through(const Call *call) {
  static const NameTable kThrough({"enumerate", "reversed", "sorted", "list", "tuple", "set", "iter"});
  static const NameTable kProgress({"tqdm", "tqdm_notebook", "track", "progressbar"}); // also `tqdm.tqdm(x)`
  if (call->args.empty()) {
    return {};
  }
  const Array<Expr *> first{call->args.items, 1};
  const auto *function = as<Name>(call->func);
  if (function == nullptr) {
    const auto *method = as<Attribute>(call->func);
    return method != nullptr && kProgress.has(method->attr) ? first : Array<Expr *>{};
  }
  if (function->id.text() == "zip") {
    return call->args;
  }
  return kThrough.has(function->id) || kProgress.has(function->id) ? first : Array<Expr *>{};
}

bool lists_entries(std::string_view method) {
  return method == "items" || method == "keys" || method == "values" || method == "iteritems" ||
         method == "itervalues" || method == "iterkeys";
}

} // namespace

// Its value, without noting anything down.
Value Transfer::peek(const Expr *expr) {
  if (peeking_) {
    return {}; // a second look in a second look, and so on, would take for ever
  }
  peeking_ = true;
  const Value value = eval(expr);
  peeking_ = false;
  return value;
}

// A number that is written down, perhaps under a name of this module.
std::optional<i64> Transfer::literal_number(const Expr *expr) {
  if (const auto *unary = as<UnaryOp>(expr); unary != nullptr && unary->op() == UnaryOperator::USub) {
    const auto number = literal_number(unary->operand);
    return number.has_value() ? std::optional(-*number) : std::nullopt;
  }
  if (const auto *length = as<Call>(expr);
      length != nullptr && called_name(*length) == "len" && length->args.size() == 1) {
    const Value counted = peek(length->args[0]);
    return counted.is(Value::Tag::Tuple) && !counted.uniform ? std::optional<i64>(counted.number) : std::nullopt;
  }
  const Value value = expr->kind == NodeKind::Constant || expr->kind == NodeKind::Name ? peek(expr) : Value{};
  if (!value.is(Value::Tag::Literal) || value.number != module_->file.value + 1) {
    return std::nullopt;
  }
  const auto *constant = as<Constant>(value.literal());
  if (constant == nullptr || constant->constant_kind() != ConstantKind::Int) {
    return std::nullopt;
  }
  return int_value(module_->parsed->source.part(constant->start, constant->end));
}

// `n or 1` of a parameter that is None unless somebody says otherwise.
bool Transfer::is_one_by_default(const Expr *expr) {
  const auto *either = as<BoolOp>(expr);
  const auto *name = either != nullptr && either->op() == BoolOperator::Or ? as<Name>(either->values[0]) : nullptr;
  return name != nullptr && literal_number(either->values.back()).value_or(kShortLoop + 1) <= kShortLoop &&
         std::ranges::any_of(current_->params, [name](const Param *param) {
           const auto *value = param->default_value != nullptr ? as<Constant>(param->default_value) : nullptr;
           return param->name == name->id && value != nullptr && value->constant_kind() == ConstantKind::None;
         });
}

// A loop over a few elements that are written down, or over range(10) and below. Over the dimensions of a tensor, but
// not along one of them.
bool Transfer::has_few_iterations(const Expr *iter) {
  if (counts_dimensions(iter) && !measures_axis(iter)) {
    return true;
  }
  switch (iter->kind) {
  case NodeKind::Tuple:
  case NodeKind::List:
  case NodeKind::Dict:
  case NodeKind::Set: {
    bool is_open = false; // [*range(100000)]
    for_each_child(iter, [&is_open](const Node *child) { is_open |= child->kind == NodeKind::Starred; });
    return !is_open;
  }
  case NodeKind::Constant:
    return true;
  case NodeKind::IfExp: {
    const auto *conditional = static_cast<const IfExp *>(iter);
    return has_few_iterations(conditional->body) && has_few_iterations(conditional->orelse);
  }
  case NodeKind::Subscript: { // features[3:5]
    const auto *slice = as<Slice>(static_cast<const Subscript *>(iter)->slice);
    if (slice == nullptr) { // CONFIG["sizes"]
      const Value value = peek(iter);
      return value.is(Value::Tag::Tuple) && (value.few || (!value.uniform && value.number <= kShortLoop));
    }
    if (slice->upper == nullptr) {
      return slice->lower != nullptr && literal_number(slice->lower).value_or(0) < 0 &&
             *literal_number(slice->lower) >= -kShortLoop;
    }
    const i64 from = slice->lower != nullptr ? literal_number(slice->lower).value_or(0) : 0;
    const auto to = literal_number(slice->upper);
    return to.has_value() && *to - from <= kShortLoop && (*to >= 0) == (from >= 0);
  }
  case NodeKind::Name:
    // What is usually passed: `octaves=range(-2, 3)`.
    for (const Param *param : current_->params) {
      if (param->name == static_cast<const Name *>(iter)->id && param->default_value != nullptr &&
          param->default_value->kind != NodeKind::Name && param->default_value->kind != NodeKind::Constant) {
        return has_few_iterations(param->default_value);
      }
    }
    [[fallthrough]];
  case NodeKind::Attribute: {
    const Value value = peek(iter);
    return value.is(Value::Tag::Tuple) && (value.few || (!value.uniform && value.number <= kShortLoop));
  }
  case NodeKind::Call: {
    const auto *call = static_cast<const Call *>(iter);
    const std::string_view function = called_name(*call);
    if (const Array<Expr *> through = gone_through(call); !through.empty()) {
      return std::ranges::any_of(through, [this](const Expr *arg) { return has_few_iterations(arg); });
    }
    if (const auto *method = as<Attribute>(call->func)) {
      if (lists_entries(function) && call->args.empty()) {
        return has_few_iterations(method->value);
      }
      if (function == "take" && call->args.size() == 1) { // of a Dataset
        return literal_number(call->args[0]).value_or(kShortLoop + 1) <= kShortLoop;
      }
      const auto *module = as<Name>(method->value);
      if (module == nullptr || call->args.empty()) {
        return false;
      }
      if (function == "range" && module->id.text() == "tf") { // a loop that autograph turns into one of the graph
        return true;
      }
      if (function == "arange") {
        return call->args.size() < 3 && literal_number(call->args.back()).value_or(kShortLoop + 1) <= kShortLoop;
      }
      return function == "linspace" && call->args.size() == 3 &&
             literal_number(call->args[2]).value_or(kShortLoop + 1) <= kShortLoop;
    }
    if (call->args.empty()) {
      return false;
    }
    if (function != "range" && function != "xrange") {
      return false;
    }
    if (const auto *length = as<Call>(call->args[0]);
        length != nullptr && call->args.size() == 1 && called_name(*length) == "len" && length->args.size() == 1) {
      return has_few_iterations(length->args[0]);
    }
    if (is_one_by_default(call->args[0])) {
      return true;
    }
    const auto to = literal_number(call->args[call->args.size() == 1 ? 0 : 1]);
    const i64 from = call->args.size() > 1 ? literal_number(call->args[0]).value_or(0) : 0;
    return to.has_value() && *to - std::max<i64>(from, -kShortLoop) <= kShortLoop;
  }
  default:
    return false;
  }
}

bool goes_along_axis(const Expr *iter) { return measures_axis(iter); }

// What is gone through, and how many of that there usually are.
Iterations Transfer::iterations_of(const Expr *iter, const Value &iterated) {
  if (iterated.is_kind(Kind::Dataset) || iterated.is_kind(Kind::Iterator)) {
    return Iterations::Many;
  }
  switch (iter->kind) {
  case NodeKind::Name:
    return has_trait(static_cast<const Name *>(iter)->id, kNamesFew) ? Iterations::Few : Iterations::Collection;
  case NodeKind::Attribute:
    return has_trait(static_cast<const Attribute *>(iter)->attr, kNamesFew) ? Iterations::Few : Iterations::Collection;
  case NodeKind::Subscript:
    return iterations_of(static_cast<const Subscript *>(iter)->value, {});
  case NodeKind::Call: {
    const auto *call = static_cast<const Call *>(iter);
    const std::string_view function = called_name(*call);
    const auto *method = as<Attribute>(call->func);
    if (method != nullptr && lists_entries(function)) {
      return iterations_of(method->value, {});
    }
    if (method != nullptr && (function == "unstack" || function == "split")) {
      return Iterations::Few; // the graph has a node for each
    }
    if (const Array<Expr *> through = gone_through(call); !through.empty()) {
      Iterations iterations = Iterations::Many;
      for (const Expr *arg : through) {
        iterations = std::max(iterations, iterations_of(arg, peek(arg)));
      }
      return iterations;
    }
    if (method == nullptr && (function == "range" || function == "xrange") && !call->args.empty()) {
      const Expr *last = call->args[call->args.size() == 1 ? 0 : 1];
      if (const auto *sum = as<BinOp>(last); sum != nullptr && sum->right->kind == NodeKind::Constant) { // n + 1
        last = sum->left;
      }
      if (const auto *length = as<Call>(last);
          length != nullptr && called_name(*length) == "len" && length->args.size() == 1) {
        // Nobody divides a few things into batches: range(0, len(rows), size).
        return call->args.size() == 3 ? Iterations::Many : iterations_of(length->args[0], {});
      }
      Symbol name;
      if (const auto *plain = as<Name>(last)) {
        name = plain->id;
      } else if (const auto *attribute = as<Attribute>(last)) {
        name = attribute->attr;
      }
      return name && has_trait(name, kNamesFew) ? Iterations::Few : Iterations::Many;
    }
    return method != nullptr && has_trait(method->attr, kNamesFew) ? Iterations::Few : Iterations::Collection;
  }
  default:
    return Iterations::Collection;
  }
}

} // namespace deepperf::model
