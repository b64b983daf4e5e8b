#include "rules/half_precision.h"

#include "base/known_names.h"
#include "model/classes.h"
#include "rules/reach.h"
#include "rules/statements.h"
#include "rules/tree.h"

#include <unordered_map>

namespace deepperf::rules {

using namespace python;

namespace {

// The functions that run under float16 autocast somewhere in the project, each with one such call.
struct UnderAutocast {
  std::unordered_map<const model::FunctionInfo *, const Call *> functions;
};

// The call of autocast among the items of a `with`; null if there is none, or it asks for another type.
const Call *autocast_of(const Site &there, const With &with) {
  for (const WithItem &item : with.items) {
    const auto *call = as<Call>(item.context_expr);
    if (call == nullptr) {
      continue;
    }
    const std::string_view api = called_api(there, *call);
    if ((api == "torch.autocast" || api == "torch.amp.autocast" || api == "torch.cuda.amp.autocast") &&
        !has_hidden_arguments(*call) && is_float16_autocast(there, *call)) {
      return call;
    }
  }
  return nullptr;
}

const UnderAutocast &under_autocast(const Site &site) {
  return site.memory.recall<UnderAutocast>(&site.project, [&site] {
    UnderAutocast found;
    for (const model::FunctionInfo &function : site.project.functions) {
      const FunctionDef *const definition = function.definition();
      if (!function.module->torch || (definition == nullptr && function.node != nullptr)) {
        continue;
      }
      Site there = site;
      there.function = &function;
      there.module = function.module;
      there.type = function.type;
      there.ancestors.clear();
      any_statement(
          definition != nullptr ? definition->body : function.module->parsed->tree.body, [&](const Stmt *node) {
            const auto *with = as<With>(node);
            const Call *const call = with != nullptr ? autocast_of(there, *with) : nullptr;
            if (call != nullptr) {
              std::vector<const model::FunctionInfo *> open = reached_functions(function, *with);
              while (!open.empty()) {
                const model::FunctionInfo *const reached = open.back();
                open.pop_back();
                if (!found.functions.emplace(reached, call).second || reached->name != known::sym_forward ||
                    reached->type == nullptr) {
                  continue;
                }
                // The modules that its constructor makes run inside of it, also where nn.Sequential calls them.
                const model::FunctionInfo *const init = model::find_method_of(*reached->type, known::sym_init);
                if (init == nullptr || init->definition() == nullptr) {
                  continue;
                }
                any_node(init->definition()->body, [&](const Node *part) {
                  const auto *made = as<Call>(part);
                  const model::Value callee = made != nullptr ? site.project.callee_of(made) : model::Value{};
                  if (callee.is(model::Value::Tag::Class) && callee.type->kind == Kind::TorchModule) {
                    if (const auto *inner = model::find_method_of(*callee.type, known::sym_forward)) {
                      open.push_back(inner);
                    }
                  }
                  return false;
                });
              }
            }
            return false;
          });
    }
    return found;
  });
}

} // namespace

bool is_float16_autocast(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  const bool is_cuda = api == "torch.cuda.amp.autocast";
  const Expr *dtype = argument(call, 1, "dtype");
  const Expr *enabled = argument(call, is_cuda ? 0 : 2, "enabled");
  if (enabled != nullptr && bool_of(site, enabled) == false) {
    return false;
  }
  if (dtype != nullptr) {
    const model::Value value = value_of(site, dtype);
    return value.is(model::Value::Tag::Api) &&
           (value.name().text() == "torch.float16" || value.name().text() == "torch.half");
  }
  const Expr *device = is_cuda ? nullptr : argument(call, 0, "device_type");
  return is_cuda || (device != nullptr && string_of(site, device) == "cuda");
}

const Call *float16_autocast_around(const Site &site) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    if (const auto *with = as<With>(site.ancestors[i])) {
      if (const Call *const call = autocast_of(site, *with)) {
        return call;
      }
    }
  }
  const auto &functions = under_autocast(site).functions;
  const auto known = functions.find(site.function);
  return known != functions.end() ? known->second : nullptr;
}

} // namespace deepperf::rules
