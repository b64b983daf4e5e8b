#include "rules/key_origins.h"

#include "rules/origins.h"
#include "rules/step_number.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::Loop;

namespace {

bool has_unknown_element(const Origin &origin) {
  return std::ranges::any_of(origin.path,
                             [](const OriginPart &part) { return !part.key && part.index == OriginPart::kAnyElement; });
}

class KeySearch {
public:
  KeySearch(const Site &site, const Loop &loop) : site_(site), loop_(loop) {}

  bool is_same = true;
  bool is_kept = false;              // in a field, attribute or entry
  const Call *made = nullptr;        // before the loop
  std::vector<const Call *> derived; // splits and the like that run in every step

  bool search(const model::FunctionInfo &function, const Expr *expr) {
    const bool complete = visit_origins(site_, function, expr, [this](const Origin &origin) { return visit(origin); },
                                        {.thorough = true});
    return complete && is_same;
  }

private:
  Onward fail() {
    is_same = false;
    return Onward::Stop;
  }

  Onward visit(const Origin &origin) {
    if (!is_same) {
      return Onward::Stop;
    }
    const Expr *expr = origin.expr;
    is_kept |= expr->kind == NodeKind::Attribute || (!origin.path.empty() && origin.path.front().key);
    if (expr->kind == NodeKind::Name || expr->kind == NodeKind::Attribute) {
      return Onward::Through;
    }
    const auto *call = as<Call>(expr);
    const std::string_view api =
        call != nullptr ? called_api(site_of_origin(site_, *origin.function), *call) : std::string_view{};
    if (!api.starts_with("jax.random.") || has_unknown_element(origin)) {
      return fail();
    }
    if (!runs_inside(loop_, *origin.function, *call)) {
      made = call;
      return Onward::Stop;
    }
    const bool is_folded = api == "jax.random.fold_in";
    const Expr *data = argument(*call, 1, "data");
    const bool is_constant_data = data != nullptr && is_constant(data, ConstantKind::Int);
    if (api == "jax.random.split" || (is_folded && is_constant_data)) {
      // The same key gives the same ones.
      derived.push_back(call);
      if (const Expr *key = argument(*call, 0, "key")) {
        origin.next.push_back(key);
        return Onward::Next;
      }
    }
    return fail();
  }

  const Site &site_;
  const Loop &loop_;
};

} // namespace

const Loop *loop_with_same_key(const Site &site, const Expr *keys, const Call **made) {
  const std::vector<const Loop *> loops = loops_coming_to(site);
  const auto steps = std::ranges::find_if(loops, [](const Loop *loop) { return loop->steps; });
  if (steps == loops.end()) {
    return nullptr;
  }
  KeySearch search(site, **steps);
  if (!search.search(*site.function, keys) || search.made == nullptr || !search.is_kept) {
    return nullptr;
  }
  // `key, subkey = split(key)` in every step: what it leaves for the next step is another key.
  for (const Call *derived : search.derived) {
    const model::FunctionInfo *at = site.project.caller_of(derived);
    const Expr *key = argument(*derived, 0, "key");
    KeySearch again(site, **steps);
    if (at == nullptr || !again.search(*at, key) || std::ranges::find(again.derived, derived) != again.derived.end()) {
      return nullptr;
    }
  }
  *made = search.made;
  return *steps;
}

} // namespace deepperf::rules
