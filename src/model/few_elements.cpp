#include "model/few_elements.h"

#include "model/variance.h"
#include "python/call.h"
#include "python/children.h"
#include "python/literals.h"

#include <algorithm>
#include <optional>

namespace deepperf::model {

using namespace python;

namespace {

// How many constants a literal holds, as if laid out flat; none if there is something else in it.
std::optional<u32> count_constants(const Expr *expr) {
  if (expr->kind == NodeKind::Constant) {
    return 1;
  }
  if (const auto *negative = as<UnaryOp>(expr)) {
    return count_constants(negative->operand);
  }
  if (expr->kind != NodeKind::List && expr->kind != NodeKind::Tuple && expr->kind != NodeKind::Dict) {
    return std::nullopt;
  }
  std::optional<u32> sum = 0;
  for_each_child(expr, [&sum](const Node *child) {
    const std::optional<u32> part = count_constants(static_cast<const Expr *>(child));
    sum = sum.has_value() && part.has_value() ? std::optional(*sum + *part) : std::nullopt;
  });
  return sum;
}

constexpr u32 kToy = 100;

// The number that a name or literal stands for, where it is written down.
std::optional<i64> number_of(const Stage &stage, const Expr *expr) {
  if (const auto *name = as<Name>(expr)) {
    const Value *const value = stage.function != nullptr ? all_values_of(*stage.function, name->id) : nullptr;
    const bool is_here =
        value != nullptr && value->is(Value::Tag::Literal) && value->number == stage.module->file.value + 1;
    expr = is_here ? value->expr : nullptr;
  }
  const auto *constant = as<Constant>(expr);
  if (constant == nullptr || constant->constant_kind() != ConstantKind::Int) {
    return std::nullopt;
  }
  return int_value(stage.module->parsed->source.part(constant->start, constant->end));
}

// What take(…) or repeat(…) is given.
std::optional<i64> count_given(const Stage &stage) {
  if (stage.call == nullptr) {
    return std::nullopt;
  }
  const Expr *const count = argument(*stage.call, 0, "count");
  return count != nullptr ? number_of(stage, count) : std::nullopt;
}

// What the name was last assigned in the block before a place; of what stands long before it nothing is known.
const Expr *assigned_in(const Block &block, Symbol name, u32 before) {
  constexpr u32 kMostStatements = 200;
  const auto behind = std::ranges::lower_bound(block, before, {}, &Stmt::start);
  for (u32 at = static_cast<u32>(behind - block.begin()), steps = 0; at > 0 && steps < kMostStatements; ++steps) {
    const auto *assignment = as<Assign>(block[--at]);
    const auto *target =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    if (target != nullptr && target->id == name && assignment->end <= before) {
      return assignment->value;
    }
  }
  return nullptr;
}

// What the name was last assigned in the function, or in the module, before the stage.
const Expr *assigned_before(const Stage &stage, const Name &name) {
  const FunctionDef *definition = stage.function != nullptr ? stage.function->definition() : nullptr;
  if (definition != nullptr && stage.function->slot_of(name.id) != FunctionInfo::kNoSlot) {
    return assigned_in(definition->body, name.id, stage.call->start);
  }
  return assigned_in(stage.module->parsed->tree.body, name.id, definition != nullptr ? ~0U : stage.call->start);
}

// range(10), also under a name.
bool is_short_range(const Stage &stage, const Expr *expr) {
  if (const auto *name = as<Name>(expr)) {
    expr = assigned_before(stage, *name);
  }
  const auto *call = expr != nullptr ? as<Call>(expr) : nullptr;
  if (call == nullptr || called_name(*call) != "range" || call->args.empty()) {
    return false;
  }
  const std::optional<i64> to = number_of(stage, call->args[call->args.size() == 1 ? 0 : 1]);
  return to.has_value() && *to >= 0 && *to <= kFewElements;
}

// np.random.choice(x, 20), random.sample(x, 20)
bool draws_few(const Stage &stage, const Call &call) {
  const std::string_view name = called_name(call);
  if (name != "choice" && name != "sample") {
    return false;
  }
  const Expr *size = call.args.size() > 1 ? call.args[1] : nullptr;
  for (const Keyword *keyword : call.keywords) {
    const std::string_view given = keyword->name ? keyword->name.text() : std::string_view{};
    size = given == "size" || given == "k" ? keyword->value : size;
  }
  const std::optional<i64> count = size != nullptr ? number_of(stage, size) : std::nullopt;
  return count.has_value() && *count >= 0 && *count <= kFewElements;
}

// A few values that are written down or picked out, perhaps as an array or under a name.
bool is_toy(const Stage &source, const Expr *expr, u32 depth = 0) {
  if (depth > 4) { // x = np.array(x)
    return false;
  }
  if (const auto *call = as<Call>(expr)) {
    const auto *function = as<Attribute>(call->func);
    const std::string_view name = function != nullptr ? function->attr.text() : std::string_view{};
    return draws_few(source, *call) ||
           ((name == "array" || name == "constant" || name == "asarray" || name == "convert_to_tensor") &&
            !call->args.empty() && is_toy(source, call->args[0], depth + 1));
  }
  if (const auto *part = as<Subscript>(expr)) { // x[:10], x[range(10)]
    const auto *slice = as<Slice>(part->slice);
    if (slice == nullptr) {
      return is_short_range(source, part->slice);
    }
    const std::optional<i64> to = slice->upper != nullptr ? number_of(source, slice->upper) : std::nullopt;
    return to.has_value() && *to >= 0 && *to <= kFewElements &&
           (slice->lower == nullptr || number_of(source, slice->lower).value_or(-1) >= 0);
  }
  if (const auto *name = as<Name>(expr)) {
    if (const Expr *assigned = assigned_before(source, *name);
        assigned != nullptr &&
        (assigned->kind == NodeKind::Tuple || assigned->kind == NodeKind::Subscript ||
         assigned->kind == NodeKind::Call) && // not `[]`, which is there to be filled
        is_toy(source, assigned, depth + 1)) {
      return true;
    }
    const Value *const value = source.function != nullptr ? all_values_of(*source.function, name->id) : nullptr;
    if (value == nullptr) {
      return false;
    }
    if (value->is(Value::Tag::Instance) && value->kind != Kind::Dataset && value->maker() != nullptr) {
      return is_toy(source, value->maker(), depth + 1);
    }
    return value->is(Value::Tag::Tuple) && !value->uniform &&
           std::all_of(value->items, value->items + value->number,
                       [](const Value &item) { return item.is(Value::Tag::Literal); });
  }
  const std::optional<u32> count = count_constants(expr);
  if (!count.has_value() && (expr->kind == NodeKind::Tuple || expr->kind == NodeKind::Dict)) {
    bool all = true; // (features, labels), each under a name
    for_each_child(
        expr, [&](const Node *child) { all = all && is_toy(source, static_cast<const Expr *>(child), depth + 1); });
    return all;
  }
  return count.has_value() && *count < kToy;
}

} // namespace

bool takes_few(const Stage &stage) {
  if (!stage.method || stage.method.text() != "take") {
    return false;
  }
  const i64 count = count_given(stage).value_or(-1);
  return count >= 0 && count <= kFewElements;
}

namespace {

// Of pipelines that are zipped the shortest counts.
bool zips_few(const Project &project, const Stage &zip, u32 depth);

bool gives_few(const Project &project, u32 at, u32 depth) {
  i64 times = 1; // that they are repeated
  for (u32 steps = 0; at != 0 && steps < 1000; ++steps) {
    const Stage &earlier = project.stages[at];
    if (earlier.info != nullptr && earlier.info->has(kFlatMaps | kInterleaves | kUnbatches)) {
      return false;
    }
    if (earlier.info != nullptr && earlier.info->has(kRepeats)) {
      const std::optional<i64> count = count_given(earlier);
      if (!count.has_value() || *count < 1 || *count > kFewElements) {
        return false;
      }
      times = std::min(times * *count, kFewElements + 1);
    }
    if (earlier.info != nullptr && earlier.method && earlier.method.text() == "take") {
      const std::optional<i64> count = count_given(earlier);
      if (count.has_value() && *count >= 0 && *count * times <= kFewElements) {
        return true;
      }
    }
    if (times > kFewElements) {
      return false;
    }
    if (earlier.previous == 0) {
      const std::string_view method = earlier.method ? earlier.method.text() : std::string_view{};
      if (method.ends_with("Dataset.from_tensors")) {
        return true;
      }
      if (times > kFewTimes) {
        return false;
      }
      if (earlier.call == nullptr || earlier.call->args.empty()) {
        return false;
      }
      if (earlier.info != nullptr && earlier.info->has(kZips)) {
        return zips_few(project, earlier, depth + 1);
      }
      const Expr *const first = earlier.call->args[0];
      if (method.ends_with("Dataset.range")) {
        const auto *constant = as<Constant>(first);
        const std::string_view text = earlier.module->parsed->source.part(first->start, first->end);
        return constant != nullptr && earlier.call->args.size() == 1 && text.size() <= 2;
      }
      return method.ends_with("from_tensor_slices") && is_toy(earlier, first);
    }
    at = earlier.previous;
  }
  return false;
}

bool zips_few(const Project &project, const Stage &zip, u32 depth) {
  constexpr u32 kMostDepth = 4;
  const auto is_few = [&](const Node *zipped) {
    const auto found = project.stage_at.find(static_cast<const Expr *>(zipped));
    return depth <= kMostDepth && found != project.stage_at.end() && gives_few(project, found->second, depth);
  };
  const Expr *const first = zip.call->args[0];
  if (first->kind != NodeKind::Tuple && first->kind != NodeKind::Dict) {
    return std::ranges::any_of(zip.call->args, is_few);
  }
  bool found = false;
  for_each_child(first, [&](const Node *child) { found = found || is_few(child); });
  return found;
}

} // namespace

bool has_few_elements(const Project &project, const Stage &stage) { return gives_few(project, stage.previous, 0); }

} // namespace deepperf::model
