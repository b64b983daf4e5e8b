#include "rules/dataset_item.h"

#include "model/classes.h"
#include "model/variance.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

bool in_dataset_item(const Site &site) {
  const model::FunctionInfo *function = site.function;
  if (function == nullptr || function->type == nullptr || !function->name || function->name.text() != "__getitem__") {
    return false;
  }
  const model::ClassInfo &type = *function->type;
  if (type.kind == Kind::TorchDataset) {
    return true;
  }
  // A class that one hands to a DataLoader need not derive from Dataset: two methods are enough.
  return type.kind == Kind::Unknown && site.module->torch && type.name &&
         type.name.text().find("Dataset") != std::string_view::npos &&
         model::find_member(type, intern("__len__")) != nullptr;
}

bool is_same_for_all_items(const Site &site, const Expr &expr) {
  const model::Dependencies depends = model::dependencies_of(site.project, *site.function, &expr);
  return !depends.varies && (depends.params & ~u64{1}) == 0; // parameter 0 is self
}

bool is_call_same_for_all_items(const Site &site, const Call &call) {
  const auto is_same = [&site](const Expr *expr) { return is_same_for_all_items(site, *expr); };
  const Expr *const receiver = receiver_of(call);
  const bool is_path = receiver != nullptr && model::kind_of(receiver) == Kind::Path;
  return !has_hidden_arguments(call) && (!is_path || is_same(receiver)) && std::ranges::all_of(call.args, is_same) &&
         std::ranges::all_of(call.keywords, [&](const Keyword *keyword) { return is_same(keyword->value); });
}

} // namespace deepperf::rules
