#include "rules/value_source.h"
#include "rules/thin.h"

#include "base/name_table.h"
#include "rules/assignments.h"
#include "rules/made_on_host.h"
#include "rules/optimizer_module.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

constexpr u32 kMostDepth = 12;
constexpr std::size_t kMostCallers = 4;

// Methods that give the same numbers in the same order along the sequence.
bool is_view(const Call &call) {
  static const NameTable kViews({"view",    "reshape",   "flatten", "float",  "contiguous", "to",     "cuda",
                                 "cpu",     "long",      "clone",   "detach", "double",     "half",   "bfloat16",
                                 "squeeze", "unsqueeze", "item",    "int",    "view_as",    "type_as"});
  const auto *method = as<Attribute>(call.func);
  return method != nullptr && kViews.has(method->attr);
}

bool takes_slice(const Subscript &part) {
  const auto *axes = as<Tuple>(part.slice);
  return part.slice->kind == NodeKind::Slice ||
         (axes != nullptr &&
          std::ranges::any_of(axes->elts, [](const Expr *axis) { return axis->kind == NodeKind::Slice; }));
}

// `logits, labels = self.predict(batch)`: which element of which call the name is, by the last such assignment.
struct Unpacked {
  const Call *call = nullptr;
  u32 place = 0;
};

Unpacked unpacked_before(const Site &site, const Name &name) {
  Unpacked found;
  u32 end = 0;
  any_node(body_around(site), [&](const Node *node) {
    const auto *assign = as<Assign>(node);
    const auto *names = assign != nullptr && assign->targets.size() == 1 ? as<Tuple>(assign->targets[0]) : nullptr;
    const auto *call = names != nullptr ? as<Call>(run_by(assign->value)) : nullptr;
    for (u32 i = 0; call != nullptr && i < names->elts.size(); ++i) {
      const auto *bound = as<Name>(names->elts[i]);
      if (bound != nullptr && bound->id == name.id && assign->end <= name.start && assign->end > end) {
        end = assign->end;
        found = {call, i};
      }
    }
    return false;
  });
  return found;
}

class Search {
public:
  std::vector<ValueSource> found;
  bool unknown = false;

  void follow(const Site &site, const Expr *expr, bool is_part, u32 depth) {
    if (expr == nullptr || depth > kMostDepth || found.size() > kMostCallers) {
      unknown = true;
      return;
    }
    if (const auto *part = as<Subscript>(expr); part != nullptr && takes_slice(*part)) {
      follow(site, part->value, true, depth + 1);
      return;
    }
    if (const auto *call = as<Call>(expr)) {
      follow_call(site, *call, is_part, depth);
      return;
    }
    if (const auto *name = as<Name>(expr)) {
      follow_name(site, *name, is_part, depth);
      return;
    }
    found.push_back({site, expr, is_part});
  }

private:
  void follow_call(const Site &site, const Call &call, bool is_part, u32 depth) {
    if (is_view(call) && receiver_of(call) != nullptr) {
      follow(site, receiver_of(call), is_part, depth + 1);
      return;
    }
    const model::FunctionInfo *const function = called_function(site, call);
    const Expr *const returned = function != nullptr ? returned_at_end(site, call) : nullptr;
    if (returned != nullptr && returned->kind != NodeKind::Tuple) {
      follow(site_inside(site, *function), returned, is_part, depth + 1);
      return;
    }
    found.push_back({site, &call, is_part});
  }

  void follow_name(const Site &site, const Name &name, bool is_part, u32 depth) {
    if (const Expr *assigned = assigned_before(site, name.id, name.start)) {
      follow(site, assigned, is_part, depth + 1);
      return;
    }
    if (const Unpacked unpacked = unpacked_before(site, name); unpacked.call != nullptr) {
      const model::FunctionInfo *const function = called_function(site, *unpacked.call);
      const auto *parts = as<Tuple>(function != nullptr ? returned_at_end(site, *unpacked.call) : nullptr);
      if (parts != nullptr && unpacked.place < parts->elts.size()) {
        follow(site_inside(site, *function), parts->elts[unpacked.place], is_part, depth + 1);
      } else {
        unknown = true;
      }
      return;
    }
    const auto passed = site.function != nullptr ? passed_for(*site.function, name.id) : std::vector<Passed>{};
    if (passed.empty()) { // a parameter of a function that a framework calls, or a name of another scope
      found.push_back({site, &name, is_part});
      return;
    }
    for (const Passed &one : passed) {
      if (one.value == nullptr || passed.size() > kMostCallers || one.site->caller == site.function) {
        unknown = true;
        return;
      }
      follow(site_of(site, *one.site->call), one.value, is_part, depth + 1);
    }
  }
};

} // namespace

std::vector<ValueSource> value_sources_of(const Site &site, const Expr *expr) {
  Search search;
  search.follow(site, expr, false, 0);
  return search.unknown ? std::vector<ValueSource>{} : std::move(search.found);
}

std::optional<ValueSource> value_source_of(const Site &site, const Expr *expr) {
  auto found = value_sources_of(site, expr);
  return found.size() == 1 ? std::optional(std::move(found[0])) : std::nullopt;
}

} // namespace deepperf::rules
