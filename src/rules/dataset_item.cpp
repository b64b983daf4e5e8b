#include "rules/dataset_item.h"

#include "model/classes.h"
#include "model/variance.h"
#include "rules/dependencies.h"

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

bool is_keras_sequence(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *one) {
    return std::ranges::any_of(one->bases, [](const model::Value &base) {
      return base.is(model::Value::Tag::Api) && (base.name().text() == "tensorflow.keras.utils.Sequence" ||
                                                 base.name().text() == "tensorflow.keras.utils.PyDataset");
    });
  });
}

bool in_item_or_batch(const Site &site) {
  const model::FunctionInfo *function = site.function;
  return in_dataset_item(site) || (function != nullptr && function->type != nullptr && function->name &&
                                   function->name.text() == "__getitem__" && is_keras_sequence(*function->type));
}

namespace {

bool only_items_call(const Site &site, const model::FunctionInfo &function, u32 depth) {
  constexpr u32 kMostCalls = 3;
  const auto is_constructor = [&](const model::CallSite *caller) {
    return caller->caller->name && caller->caller->name.text() == "__init__" && caller->caller->type == function.type;
  };
  return depth < kMostCalls && !std::ranges::all_of(function.called_by, is_constructor) &&
         std::ranges::all_of(function.called_by, [&](const model::CallSite *caller) {
           Site there = site;
           there.function = caller->caller;
           there.module = caller->caller->module;
           return is_constructor(caller) ||
                  (!caller->behind_guard && !caller->once &&
                   (in_item_or_batch(there) || only_items_call(site, *caller->caller, depth + 1)));
         });
}

} // namespace

bool runs_per_item(const Site &site) {
  return in_item_or_batch(site) ||
         (site.function != nullptr && site.function->definition() != nullptr &&
          site.function->definition()->decorators.empty() && site.function->name.text() != "__init__" &&
          only_items_call(site, *site.function, 0));
}

namespace {

// The same of what all calls pass for a parameter: read_vocab(self.path)
bool is_same_for_all_calls(const Site &site, u32 place, u32 depth);

bool is_same_here(const Site &site, const Expr &expr, u32 depth) {
  const model::Dependencies depends = dependencies_of(site, *site.function, &expr);
  const bool is_method = site.function->type != nullptr && !site.function->is_static;
  const u64 params = depends.params & ~u64{is_method ? 1U : 0U}; // parameter 0 is self
  if (depends.varies || (params != 0 && in_item_or_batch(site))) {
    return false;
  }
  for (u32 i = 0; i < site.function->params.size() && i < 64; ++i) {
    if ((params >> i & 1) != 0 && !is_same_for_all_calls(site, i, depth)) {
      return false;
    }
  }
  return true;
}

bool is_same_for_all_calls(const Site &site, u32 place, u32 depth) {
  constexpr u32 kMostCalls = 3;
  const model::FunctionInfo &function = *site.function;
  if (depth >= kMostCalls || function.called_by.empty()) {
    return false;
  }
  return std::ranges::all_of(function.called_by, [&](const model::CallSite *caller) {
    if (has_hidden_arguments(*caller->call)) {
      return false;
    }
    const Expr *given = nullptr;
    const u32 position = place - (caller->bound ? 1 : 0);
    if (position < caller->call->args.size()) {
      given = caller->call->args[position];
    }
    if (const Keyword *keyword = keyword_argument(*caller->call, function.params[place]->name.text())) {
      given = keyword->value;
    }
    return given == nullptr ? function.params[place]->default_value != nullptr
                            : is_same_here(site_of(site, *caller->call), *given, depth + 1);
  });
}

} // namespace

bool is_same_for_all_items(const Site &site, const Expr &expr) { return is_same_here(site, expr, 0); }

bool is_first_argument_same_for_all_items(const Site &site, const Call &call) {
  return !has_hidden_arguments(call) && !call.args.empty() && is_same_here(site, *call.args[0], 0);
}

bool is_call_same_for_all_items(const Site &site, const Call &call) {
  const auto is_same = [&site](const Expr *expr) { return is_same_for_all_items(site, *expr); };
  const Expr *const receiver = receiver_of(call);
  const bool is_path = receiver != nullptr && model::kind_of(receiver) == Kind::Path;
  return !has_hidden_arguments(call) && (!is_path || is_same(receiver)) && std::ranges::all_of(call.args, is_same) &&
         std::ranges::all_of(call.keywords, [&](const Keyword *keyword) { return is_same(keyword->value); });
}

} // namespace deepperf::rules
