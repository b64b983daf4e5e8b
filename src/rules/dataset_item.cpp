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

namespace {

bool only_items_call(const Site &site, const model::FunctionInfo &function, u32 depth) {
  constexpr u32 kMostCalls = 3;
  return depth < kMostCalls && !function.called_by.empty() &&
         std::ranges::all_of(function.called_by, [&](const model::CallSite *caller) {
           Site there = site;
           there.function = caller->caller;
           there.module = caller->caller->module;
           return !caller->behind_guard && !caller->once &&
                  (in_dataset_item(there) || only_items_call(site, *caller->caller, depth + 1));
         });
}

} // namespace

bool runs_per_item(const Site &site) {
  return in_dataset_item(site) ||
         (site.function != nullptr && site.function->definition() != nullptr &&
          site.function->definition()->decorators.empty() && site.function->name.text() != "__init__" &&
          only_items_call(site, *site.function, 0));
}

bool is_same_for_all_items(const Site &site, const Expr &expr) {
  const model::Dependencies depends = model::dependencies_of(site.project, *site.function, &expr);
  const bool is_method = site.function->type != nullptr && !site.function->is_static;
  return !depends.varies && (depends.params & ~u64{is_method ? 1U : 0U}) == 0; // parameter 0 is self
}

bool is_call_same_for_all_items(const Site &site, const Call &call) {
  const auto is_same = [&site](const Expr *expr) { return is_same_for_all_items(site, *expr); };
  const Expr *const receiver = receiver_of(call);
  const bool is_path = receiver != nullptr && model::kind_of(receiver) == Kind::Path;
  return !has_hidden_arguments(call) && (!is_path || is_same(receiver)) && std::ranges::all_of(call.args, is_same) &&
         std::ranges::all_of(call.keywords, [&](const Keyword *keyword) { return is_same(keyword->value); });
}

} // namespace deepperf::rules
