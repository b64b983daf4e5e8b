#include "rules/batch_source.h"

#include "model/classes.h"
#include "rules/assignments.h"
#include "rules/callables.h"
#include "rules/optimizer_module.h"
#include "rules/statements.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

constexpr u32 kMostSourceDepth = 6;

// Which part of a batch: an entry by its name, or an element by its place; the whole batch if it is neither.
struct Part {
  std::string key;
  i64 index = -1;

  [[nodiscard]] bool is_whole() const { return key.empty() && index < 0; }
};

struct PartOfBatch {
  const Call *loader = nullptr; // the call that made the loader
  Part part;
};

// The part of each element of the loop that the name is bound to.
std::optional<Part> bound_part(const Expr *target, Symbol name) {
  const auto *bound = as<Name>(target);
  if (bound != nullptr) {
    return bound->id == name ? std::optional(Part{}) : std::nullopt;
  }
  const auto *tuple = as<Tuple>(target);
  for (u32 i = 0; tuple != nullptr && i < tuple->elts.size(); ++i) {
    const auto *element = as<Name>(tuple->elts[i]);
    if (element != nullptr && element->id == name) {
      return Part{.key = {}, .index = static_cast<i64>(i)};
    }
  }
  return std::nullopt;
}

class BatchSearch {
public:
  std::optional<PartOfBatch> follow(const Site &site, const Expr *expr, u32 depth) {
    if (expr == nullptr || site.function == nullptr || depth > kMostSourceDepth) {
      return std::nullopt;
    }
    if (const auto *element = as<Subscript>(expr)) {
      const std::optional<std::string> key = string_of(site, element->slice);
      const i64 index = key.has_value() ? -1 : integer_of(site, element->slice).value_or(-1);
      std::optional<PartOfBatch> whole = follow(site, element->value, depth + 1);
      if (!whole.has_value() || !whole->part.is_whole() || (!key.has_value() && index < 0)) {
        return std::nullopt;
      }
      whole->part = {key.value_or(""), index};
      return whole;
    }
    const auto *name = as<Name>(expr);
    return name != nullptr ? follow_name(site, *name, depth) : std::nullopt;
  }

private:
  std::optional<PartOfBatch> follow_name(const Site &site, const Name &name, u32 depth) {
    if (const Expr *assigned = assigned_before(site, name.id, name.start)) {
      return follow_moved(site, assigned, depth);
    }
    if (auto found = unpacked(site, name, depth)) {
      return found;
    }
    for (const model::Loop *loop : site.function->loops) {
      const auto *statement = as<For>(loop->node);
      const bool is_around = statement != nullptr && statement->start <= name.start && name.end <= statement->end;
      const Expr *target = is_around ? statement->target : nullptr;
      const auto *counted = target != nullptr ? as<Call>(statement->iter) : nullptr;
      const auto *pair = counted != nullptr && called_name(*counted) == "enumerate" ? as<Tuple>(target) : nullptr;
      target = pair != nullptr && pair->elts.size() == 2 ? pair->elts[1] : target;
      const std::optional<Part> part = target != nullptr ? bound_part(target, name.id) : std::nullopt;
      if (part.has_value()) {
        const Expr *const over = iterated_by(site, *loop);
        const model::Value loader = over != nullptr ? value_of(site, over) : model::Value{};
        const bool is_one = loader.is_kind(Kind::TorchDataLoader) && loader.maker() != nullptr &&
                            loader.alternatives == nullptr && !loader.many && !loader.open;
        return is_one ? std::optional(PartOfBatch{loader.maker(), *part}) : std::nullopt;
      }
    }
    return passed(site, name, depth);
  }

  // `x, y = batch`
  std::optional<PartOfBatch> unpacked(const Site &site, const Name &name, u32 depth) {
    const Assign *last = nullptr;
    any_statement(body_around(site), [&](const Stmt *statement) {
      const auto *assignment = as<Assign>(statement);
      const auto *targets =
          assignment != nullptr && assignment->targets.size() == 1 ? as<Tuple>(assignment->targets[0]) : nullptr;
      if (targets != nullptr && assignment->end <= name.start && bound_part(targets, name.id).has_value()) {
        last = assignment;
      }
      return false;
    });
    if (last == nullptr) {
      return std::nullopt;
    }
    std::optional<PartOfBatch> whole = follow(site, last->value, depth + 1);
    if (!whole.has_value() || !whole->part.is_whole()) {
      return std::nullopt;
    }
    whole->part = *bound_part(last->targets[0], name.id);
    return whole;
  }

  // `batch = batch.to(device)`, and `{k: v.to(device) for k, v in batch.items()}`: the same parts elsewhere.
  std::optional<PartOfBatch> follow_moved(const Site &site, const Expr *assigned, u32 depth) {
    if (const auto *call = as<Call>(assigned)) {
      const std::string_view method = called_method(*call);
      const bool is_dtype = std::ranges::any_of(
          call->args, [&](const Expr *given) { return value_of(site, given).is(model::Value::Tag::Api); });
      const bool is_move =
          (method == "to" && call->args.size() == 1 && !is_dtype && keyword_argument(*call, "dtype") == nullptr) ||
          method == "cuda" || method == "clone";
      return is_move ? follow(site, receiver_of(*call), depth + 1) : std::nullopt;
    }
    if (const auto *entries = as<DictComp>(assigned); entries != nullptr && entries->generators.size() == 1) {
      const auto *items = as<Call>(entries->generators[0]->iter);
      const auto *pair = as<Tuple>(entries->generators[0]->target);
      const auto *key = pair != nullptr && pair->elts.size() == 2 ? as<Name>(pair->elts[0]) : nullptr;
      const auto *kept = as<Name>(entries->elt);
      const bool is_same = items != nullptr && called_method(*items) == "items" && key != nullptr && kept != nullptr &&
                           key->id == kept->id && entries->generators[0]->ifs.empty();
      return is_same ? follow(site, receiver_of(*items), depth + 1) : std::nullopt;
    }
    return assigned->kind == NodeKind::Name || assigned->kind == NodeKind::Subscript ? follow(site, assigned, depth + 1)
                                                                                     : std::nullopt;
  }

  // What the only call passes.
  std::optional<PartOfBatch> passed(const Site &site, const Name &name, u32 depth) {
    const std::vector<Passed> all = passed_for(*site.function, name.id);
    if (all.size() != 1 || all[0].value == nullptr || all[0].site->caller == site.function) {
      return std::nullopt;
    }
    const Expr *value = all[0].value;
    const auto *moved = as<Call>(value);
    const Site there = site_of(site, *all[0].site->call);
    return moved != nullptr ? follow_moved(there, value, depth + 1) : follow(there, value, depth + 1);
  }
};

// The entry or element of what a function makes: of a display, or of a name that holds one and is filled.
const Expr *part_of(const Site &inside, const Expr *made, const Part &part, u32 depth) {
  if (made == nullptr || depth > kMostSourceDepth) {
    return nullptr;
  }
  if (part.is_whole()) {
    return made;
  }
  if (const auto *dict = as<Dict>(made); dict != nullptr && !part.key.empty()) {
    const Expr *found = nullptr;
    for (const DictItem &item : dict->items) {
      found = item.key != nullptr && string_of(inside, item.key) == part.key ? item.value : found;
    }
    return found;
  }
  if (const auto *tuple = as<Tuple>(made); tuple != nullptr && part.index >= 0) {
    return part.index < static_cast<i64>(tuple->elts.size()) ? tuple->elts[static_cast<u32>(part.index)] : nullptr;
  }
  if (const auto *call = as<Call>(made); call != nullptr && called_api(inside, *call) == "dict" && !part.key.empty()) {
    const Keyword *const given = keyword_argument(*call, part.key);
    return given != nullptr ? given->value : nullptr;
  }
  const auto *name = as<Name>(made);
  if (name == nullptr) {
    return nullptr;
  }
  // `encoded["labels"] = …`
  const Expr *stored = nullptr;
  any_statement(body_around(inside), [&](const Stmt *statement) {
    const auto *assignment = as<Assign>(statement);
    const auto *entry =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Subscript>(assignment->targets[0]) : nullptr;
    const auto *holder = entry != nullptr ? as<Name>(entry->value) : nullptr;
    if (holder != nullptr && holder->id == name->id && string_of(inside, entry->slice) == part.key) {
      stored = assignment->value;
    }
    return false;
  });
  return stored != nullptr ? stored : part_of(inside, assigned_before(inside, name->id, name->start), part, depth + 1);
}

} // namespace

std::optional<BatchSource> batch_source_of(const Site &site, const Expr *expr) {
  const std::optional<PartOfBatch> batch = BatchSearch().follow(site, expr, 0);
  if (!batch.has_value()) {
    return std::nullopt;
  }
  const Site there = site_of(site, *batch->loader);
  const model::Argument collate = argument_of(there, *batch->loader, ~0U, "collate_fn");
  const model::FunctionInfo *maker = nullptr;
  const bool is_sample = collate.is_absent();
  if (is_sample) {
    const Expr *const dataset = argument(*batch->loader, 0, "dataset");
    const model::Value data = dataset != nullptr ? value_of(there, dataset) : model::Value{};
    const bool is_known = data.is(model::Value::Tag::Object) && data.alternatives == nullptr;
    maker = is_known ? model::find_method_of(*data.type, intern("__getitem__")) : nullptr;
  } else if (collate.given.size() == 1 && !collate.unknown && !collate.may_be_absent) {
    maker = callable_of(collate.given[0].scope, collate.given[0].expr);
  }
  const Expr *const made = maker != nullptr ? only_result(*maker) : nullptr;
  if (made == nullptr) {
    return std::nullopt;
  }
  Site inside = site_at(site, *maker, *made);
  inside.node = nullptr;
  const Expr *const part = part_of(inside, made, batch->part, 0);
  return part != nullptr ? std::optional(BatchSource{inside, part, is_sample}) : std::nullopt;
}

} // namespace deepperf::rules
