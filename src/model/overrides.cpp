#include "model/overrides.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

// Looks through the classes below one for methods of a name.
struct Overrides {
  Symbol name;
  std::size_t most = 0;
  std::vector<FunctionInfo *> found; // one more than is of use at most
  u32 open = 0;                      // that leave it open again
  u32 looked = 0;                    // at so many classes
  static constexpr u32 kMostClasses = 50;

  void look_below(const ClassInfo &type) {
    for (const ClassInfo *derived : type.subclasses) {
      if (found.size() > most || ++looked > kMostClasses) {
        return;
      }
      const auto member = derived->members.find(name.id);
      const bool has_own = member != derived->members.end() && member->second.is(Value::Tag::Function);
      if (has_own && !is_abstract(*member->second.function)) {
        found.push_back(member->second.function);
      } else {
        open += has_own ? 1 : 0;
        look_below(*derived);
      }
    }
  }
};

} // namespace

bool is_abstract(const FunctionInfo &function) {
  const FunctionDef *definition = function.definition();
  return definition != nullptr && std::ranges::all_of(definition->body, [](const Stmt *statement) {
           const auto *expression = as<ExprStmt>(statement);
           return statement->kind == NodeKind::Raise || statement->kind == NodeKind::Pass ||
                  (expression != nullptr && expression->value->kind == NodeKind::Constant); // also its documentation
         });
}

std::vector<FunctionInfo *> overrides_of(const FunctionInfo &method, std::size_t most) {
  Overrides overrides{.name = method.name, .most = most, .found = {}};
  if (method.type != nullptr) {
    overrides.look_below(*method.type);
  }
  if (overrides.found.size() + overrides.open > most || overrides.looked > Overrides::kMostClasses) {
    overrides.found.clear();
  }
  return std::move(overrides.found);
}

} // namespace deepperf::model
