#include "rules/saved_states.h"

#include "model/code_text.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

// The parameter whose elements or entries a loop or comprehension of the function gives the name, one after the other;
// nothing if it is none.
std::optional<u32> handed_collection(const model::FunctionInfo &function, Symbol name) {
  const Expr *collection = nullptr;
  const auto look = [&](const Expr *target, const Expr *iter) {
    const auto *call = as<Call>(iter);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    const auto *pair = as<Tuple>(target);
    const auto *element =
        as<Name>(pair != nullptr && method == "items" && pair->elts.size() == 2 ? pair->elts[1] : target);
    if (element != nullptr && element->id == name) {
      collection = method == "items" || method == "values" ? receiver_of(*call) : iter;
    }
  };
  any_node(function.definition()->body, [&](const Node *node) {
    if (const auto *loop = as<For>(node)) {
      look(loop->target, loop->iter);
    } else if (node->kind == NodeKind::ListComp || node->kind == NodeKind::DictComp ||
               node->kind == NodeKind::GeneratorExp || node->kind == NodeKind::SetComp) {
      for (const Comprehension *clause : static_cast<const ComprehensionExpr *>(node)->generators) {
        look(clause->target, clause->iter);
      }
    }
    return false;
  });
  const auto *given = as<Name>(collection);
  for (u32 i = 0; given != nullptr && i < function.params.size(); ++i) {
    if (function.params[i]->name == given->id) {
      return i;
    }
  }
  return std::nullopt;
}

// The elements of a list, tuple or dictionary that is written down.
bool add_elements(const Expr *written, const StateOwner &by, std::vector<StateOwner> &into) {
  const auto add = [&](const Expr *element) { into.push_back({element, by.function, by.reader, by.handed_by}); };
  if (const auto *tuple = as<Tuple>(written)) {
    std::ranges::for_each(tuple->elts, add);
  } else if (const auto *list = as<List>(written)) {
    std::ranges::for_each(list->elts, add);
  } else if (const auto *dict = as<Dict>(written)) {
    std::ranges::for_each(dict->items, [&](const DictItem &item) { add(item.value); });
  } else if (const auto *made = as<Call>(written);
             made != nullptr && called_name(*made) == "dict" && made->args.empty()) {
    std::ranges::for_each(made->keywords, [&](const Keyword *keyword) { add(keyword->value); });
  } else {
    return false;
  }
  return true;
}

// What all callers hand over in the parameter; false if some of it is not seen.
bool add_handed(const Site &site, const model::FunctionInfo &function, u32 index, std::vector<StateOwner> &into) {
  const Param &param = *function.params[index];
  const auto is_named = [&](Symbol name) {
    return std::ranges::any_of(function.params, [&](const Param *other) { return other->name == name; });
  };
  for (const model::CallSite *caller : function.called_by) {
    const StateOwner by{nullptr, caller->caller, &function, caller->call};
    const u32 shift = caller->bound ? 1 : 0;
    if (has_hidden_arguments(*caller->call)) {
      return false;
    }
    if (param.param_kind() == ParamKind::KwArgs) {
      for (const Keyword *keyword : caller->call->keywords) {
        if (!is_named(keyword->name)) {
          into.push_back({keyword->value, by.function, by.reader, by.handed_by});
        }
      }
    } else if (param.param_kind() == ParamKind::VarArgs) {
      for (u32 i = index - shift; i < caller->call->args.size(); ++i) {
        into.push_back({caller->call->args[i], by.function, by.reader, by.handed_by});
      }
    } else {
      const Expr *given = argument(*caller->call, index - shift, param.name.text());
      const auto written = given != nullptr ? model::written_as(scope_of(site_of(site, *caller->call)), given)
                                            : std::vector<model::Argument::Given>{};
      if (written.size() != 1 || !add_elements(written[0].expr, by, into)) {
        return false;
      }
    }
  }
  return !function.called_by.empty();
}

void add_owner(const Site &site, const model::FunctionInfo &function, const Expr *owner, bool is_restored,
               SavedStates &into) {
  std::vector<StateOwner> &list = is_restored ? into.restored : into.saved;
  const auto *name = as<Name>(owner);
  const std::optional<u32> handed =
      name != nullptr && function.definition() != nullptr ? handed_collection(function, name->id) : std::nullopt;
  if (!handed.has_value()) {
    list.push_back({owner, &function, &function, nullptr});
    into.restores_unknown |= is_restored && model::kind_of(owner) == Kind::Unknown;
  } else if (!add_handed(site, function, *handed, list)) {
    into.restores_unknown |= is_restored;
  }
}

SavedStates find_states(const Site &site) {
  SavedStates found;
  std::vector<bool> has_state; // by module: few files name one, and a search of the text is far cheaper than a walk
  for (const model::Module &module : site.project.modules) {
    has_state.push_back(has_word(model::code_of(module), {"state_dict"}));
  }
  for (const model::FunctionInfo &function : site.project.functions) {
    if (function.module == nullptr || !has_state[function.module->index]) {
      continue;
    }
    const auto look = [&](const Node *node) {
      const auto *call = as<Call>(node);
      const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
      if (method == "state_dict" || method == "load_state_dict") {
        add_owner(site, function, receiver_of(*call), method == "load_state_dict", found);
      }
      return false;
    };
    if (const FunctionDef *const definition = function.definition()) {
      any_node(definition->body, look);
    } else if (function.node == nullptr && function.module != nullptr) {
      any_node(function.module->parsed->tree.body, look);
    }
  }
  return found;
}

} // namespace

const SavedStates &saved_states(const Site &site) {
  return site.memory.recall<SavedStates>(&site.project, [&] { return find_states(site); });
}

} // namespace deepperf::rules
