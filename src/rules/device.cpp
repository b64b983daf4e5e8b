#include "rules/device.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

bool is_surely_gpu(const Site &site, const Call &move) {
  if (called_method(move) == "cuda") {
    return true;
  }
  const Expr *target = argument(move, 0, "device");
  const std::vector<model::Argument::Given> written = model::written_as(scope_of(site), target);
  return !written.empty() && std::ranges::all_of(written, [](const model::Argument::Given &given) {
    const std::string_view text = given.scope.module->parsed->source.part(given.expr->start, given.expr->end);
    return text.find("cuda") != std::string_view::npos;
  });
}

} // namespace deepperf::rules
