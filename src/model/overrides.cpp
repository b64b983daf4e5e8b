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
  u32 looked = 0;                    // at so many classes

  void look_below(const ClassInfo &type) {
    constexpr u32 kMostClasses = 50;
    for (const ClassInfo *derived : type.subclasses) {
      if (found.size() > most || ++looked > kMostClasses) {
        return;
      }
      const auto member = derived->members.find(name.id);
      if (member != derived->members.end() && member->second.is(Value::Tag::Function)) {
        found.push_back(member->second.function);
      } else {
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
  if (overrides.found.size() > most) {
    overrides.found.clear();
  }
  return std::move(overrides.found);
}

} // namespace deepperf::model
