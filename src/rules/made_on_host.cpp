#include "rules/made_on_host.h"

#include "base/name_table.h"
#include "rules/origins.h"
#include "rules/tree.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace deepperf::rules {

using namespace python;
using model::Value;

// Functions that fill a tensor by themselves and take device=. Those that are given the values (torch.tensor,
// torch.from_numpy) have to copy them from the CPU in any case.
bool takes_device(std::string_view api) {
  static const NameTable kFactories({"torch.zeros", "torch.ones", "torch.full", "torch.empty", "torch.arange",
                                     "torch.linspace", "torch.logspace", "torch.eye", "torch.rand", "torch.randn",
                                     "torch.randint", "torch.randperm"});
  return !api.empty() && kFactories.has(intern(api));
}

bool has_choices(const Call &made) {
  // torch.randn(*x.shape): sizes, and nothing else.
  const auto is_hidden = [](const Expr *arg) {
    const auto *starred = as<Starred>(arg);
    const Expr *sizes = starred != nullptr ? starred->value : nullptr;
    if (const auto *part = as<Subscript>(sizes); part != nullptr && part->slice->kind == NodeKind::Slice) {
      sizes = part->value;
    }
    const auto *shape = as<Attribute>(sizes);
    const auto *size = as<Call>(sizes);
    const bool are_sizes = (shape != nullptr && shape->attr.text() == "shape") ||
                           (size != nullptr && called_method(*size) == "size" && size->args.empty());
    return starred != nullptr && !are_sizes;
  };
  return std::ranges::any_of(made.args, is_hidden) ||
         std::ranges::any_of(made.keywords, [](const Keyword *keyword) { return !keyword->name; }) ||
         keyword_argument(made, "device") != nullptr || keyword_argument(made, "pin_memory") != nullptr ||
         keyword_argument(made, "out") != nullptr ||
         keyword_argument(made, "generator") != nullptr; // which is made for a device itself
}

// A number of Python, whichever: a size, a literal, what math computes.
bool is_plain_number(const Site &site, const Expr *expr, u32 depth) {
  constexpr u32 kMostDepth = 6;
  if (depth > kMostDepth) {
    return false;
  }
  const auto is_number = [&](const Expr *part) { return is_plain_number(site, part, depth + 1); };
  switch (expr->kind) {
  case NodeKind::BinOp:
    return is_number(static_cast<const BinOp *>(expr)->left) && is_number(static_cast<const BinOp *>(expr)->right);
  case NodeKind::UnaryOp:
    return is_number(static_cast<const UnaryOp *>(expr)->operand);
  case NodeKind::Subscript: { // x.shape[0]
    const auto *shape = as<Attribute>(static_cast<const Subscript *>(expr)->value);
    return shape != nullptr && shape->attr.text() == "shape";
  }
  case NodeKind::Call: {
    const auto &call = *static_cast<const Call *>(expr);
    const std::string_view api = called_api(site, call);
    return api.starts_with("math.") || api == "len" || api == "int" || api == "float" ||
           (called_method(call) == "size" && call.args.size() == 1) || model::kind_of(expr) == Kind::Number;
  }
  default:
    return model::kind_of(expr) == Kind::Number || number_of(site, expr).has_value() ||
           value_of(site, expr).is(Value::Tag::Literal) ||
           (expr->kind == NodeKind::Name && last_assigned(site, *static_cast<const Name *>(expr)) != nullptr &&
            is_number(last_assigned(site, *static_cast<const Name *>(expr))));
  }
}

namespace {

// Of a function: names that it changes in place, and what it makes tensors of that size of, as it is written.
struct InPlace {
  std::unordered_set<u32> names;
};
struct SizesAskedFor {
  std::unordered_set<std::string_view> texts;
};

bool is_changed(const Site &site, const FunctionDef &definition, Symbol name) {
  const auto find = [&definition] {
    InPlace found;
    any_node(definition.body, [&found](const Node *node) {
      const auto *element = as<Subscript>(node);
      const auto *call = as<Call>(node);
      const Expr *changed = element != nullptr && element->context != Context::Load  ? element->value
                            : call != nullptr && called_method(*call).ends_with("_") ? receiver_of(*call)
                                                                                     : nullptr;
      if (const auto *of = as<Name>(changed)) {
        found.names.insert(of->id.id);
      }
      return false;
    });
    return found;
  };
  return site.memory.recall<InPlace>(&definition, find).names.contains(name.id);
}

bool is_size(const Site &site, const FunctionDef &definition, std::string_view text) {
  const auto find = [&] {
    SizesAskedFor found;
    any_node(definition.body, [&](const Node *node) {
      const auto *call = as<Call>(node);
      if (call != nullptr && takes_device(called_api(site, *call))) {
        for (const Expr *size : call->args) {
          found.texts.insert(text_of(site, size));
        }
      }
      return false;
    });
    return found;
  };
  return site.memory.recall<SizesAskedFor>(&definition, find).texts.contains(text);
}

// What an expression is computed from.
struct Source {
  bool is_own = false;        // nothing but sizes and numbers
  const Call *made = nullptr; // the first call that fills a tensor
};

class HostSearch {
public:
  Source of(const Site &site, const Expr *expr, u32 depth) {
    constexpr u32 kMostDepth = 16;
    constexpr u32 kMostParts = 200;
    if (expr == nullptr || depth > kMostDepth || ++parts_ > kMostParts) {
      return {};
    }
    switch (expr->kind) {
    case NodeKind::Constant:
      return {.is_own = true};
    case NodeKind::Call:
      return of_call(site, *static_cast<const Call *>(expr), depth);
    case NodeKind::Name:
      return of_name(site, *static_cast<const Name *>(expr), depth);
    case NodeKind::Attribute: // math.inf, torch.float32, x.dtype
      return {.is_own = value_of(site, expr).is(Value::Tag::Api) || is_plain_number(site, expr) ||
                        static_cast<const Attribute *>(expr)->attr.text() == "dtype" || is_number_here(site, *expr)};
    case NodeKind::BinOp:
    case NodeKind::UnaryOp:
    case NodeKind::Compare:
    case NodeKind::Tuple:
    case NodeKind::List:
    case NodeKind::Slice:
    case NodeKind::Subscript:
      return of_parts(site, *expr, depth);
    default:
      return {.is_own = is_plain_number(site, expr)};
    }
  }

private:
  static void add(Source &all, const Source &part) {
    all.is_own = all.is_own && part.is_own;
    all.made = all.made == nullptr ? part.made : all.made;
  }

  Source of_parts(const Site &site, const Expr &expr, u32 depth) {
    if (expr.kind == NodeKind::Subscript && is_plain_number(site, &expr)) {
      return {.is_own = true}; // x.shape[0]
    }
    Source all{.is_own = true};
    for_each_child(&expr, [&](const Node *child) {
      if (all.is_own) {
        add(all, of(site, static_cast<const Expr *>(child), depth + 1));
      }
    });
    return all;
  }

  // An attribute that is a number by default (`self.base`, an argument of the constructor), or is used as a size in the
  // same function: `torch.arange(self.half) / self.half`.
  static bool is_number_here(const Site &site, const Expr &attribute) {
    const auto setting = setting_of(site, &attribute);
    if (setting.has_value() && setting->as_number().has_value()) {
      return true;
    }
    const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
    return definition != nullptr && is_size(site, *definition, text_of(site, &attribute));
  }

  // A name that one statement binds, and that nothing changes in place.
  Source of_name(const Site &site, const Name &name, u32 depth) {
    if (is_plain_number(site, &name)) {
      return {.is_own = true};
    }
    const Expr *const value = last_assigned(site, name);
    const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
    if (definition == nullptr || is_changed(site, *definition, name.id)) {
      return {};
    }
    return value != nullptr ? of(site, value, depth + 1) : of_unpacked(site, name, depth);
  }

  // `cos, sin = self.table(n)`, or a name that goes over what such a function returns.
  Source of_unpacked(const Site &site, const Name &name, u32 depth) {
    Source all{.is_own = true};
    const bool is_followed = visit_origins(site, *site.function, &name, [&](const Origin &origin) {
      const Site there = site_of_origin(site, *origin.function);
      const auto *elements = as<Tuple>(origin.expr);
      if (elements != nullptr && origin.path.size() == 1) { // any of them
        for (const Expr *element : elements->elts) {
          add(all, of(there, element, depth + 1));
        }
      } else {
        const bool is_part = origin.path.empty() && origin.parameter_of == nullptr && origin.expr != &name;
        add(all, is_part ? of(there, origin.expr, depth + 1) : Source{});
      }
      return Onward::Stop;
    });
    return is_followed && all.made != nullptr ? all : Source{};
  }

  Source of_call(const Site &site, const Call &call, u32 depth) {
    const std::string_view api = called_api(site, call);
    if (takes_device(api)) {
      return has_choices(call) ? Source{} : Source{.is_own = true, .made = &call};
    }
    if (is_plain_number(site, &call)) {
      return {.is_own = true};
    }
    const bool is_tensor = model::kind_of(&call) == Kind::TorchTensor && !has_choices(call);
    const Expr *const receiver = receiver_of(call);
    const bool is_method = is_tensor && api.empty() && receiver != nullptr && called_function(site, call) == nullptr;
    static const NameTable kMoves({"to", "cuda", "type_as", "new_zeros", "new_ones", "new_full", "cpu"});
    if ((is_method && !kMoves.has(intern(called_method(call)))) || (is_tensor && api.starts_with("torch."))) {
      Source all = is_method ? of(site, receiver, depth + 1) : Source{.is_own = true};
      const auto take = [&](const Expr *given) {
        const bool is_list = given->kind == NodeKind::ListComp; // of numbers, which torch.tensor() takes
        add(all, is_list ? Source{.is_own = api == "torch.tensor"} : of(site, given, depth + 1));
      };
      std::ranges::for_each(call.args, take);
      std::ranges::for_each(call.keywords, [&](const Keyword *keyword) { take(keyword->value); });
      return all;
    }
    return of_function(site, call, depth);
  }

  // What a function of the project returns, where what it is given is of that kind, too.
  Source of_function(const Site &site, const Call &call, u32 depth) {
    const Expr *const returned = returned_at_end(site, call);
    const model::FunctionInfo *const function = called_function(site, call);
    if (returned == nullptr || !function->definition()->decorators.empty()) {
      return {};
    }
    return of(site_inside(site, *function), returned, depth + 1);
  }

  u32 parts_ = 0;
};

} // namespace

const Expr *returned_at_end(const Site &site, const Call &call) {
  const model::FunctionInfo *const function = called_function(site, call);
  const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
  const auto *const result =
      definition != nullptr && !definition->body.empty() ? as<Return>(definition->body.back()) : nullptr;
  return result != nullptr ? result->value : nullptr;
}

Site site_inside(const Site &site, const model::FunctionInfo &function) {
  Site there{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  there.module = function.module;
  there.function = &function;
  there.type = function.type;
  there.ancestors = {function.definition()};
  return there;
}

const Call *computed_on_host(const Site &site, const Expr *expr) {
  const Source source = HostSearch().of(site, expr, 0);
  return source.is_own ? source.made : nullptr;
}

} // namespace deepperf::rules
