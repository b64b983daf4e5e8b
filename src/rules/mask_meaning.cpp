#include "rules/mask_meaning.h"

#include "base/name_table.h"
#include "model/bind.h"
#include "model/definitions.h"
#include "model/variance.h"
#include "python/literals.h"
#include "rules/encoding.h"
#include "rules/reach.h"
#include "rules/traced.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_map>

namespace deepperf::rules {

using namespace python;

namespace {

constexpr u32 kMostMaskSteps = 8;

MaskMeaning opposite(MaskMeaning one) {
  return one == MaskMeaning::Present  ? MaskMeaning::Hidden
         : one == MaskMeaning::Hidden ? MaskMeaning::Present
                                      : MaskMeaning::Unknown;
}

MaskMeaning find(const Site &site, const Expr *mask, u32 depth);

bool has_range(const Site &site, const Expr *expr, u32 depth = 0) {
  return any_node(expr, [&](const Node *node) {
    if (const auto *call = as<Call>(node)) {
      return called_api(site, *call) == "torch.arange";
    }
    const auto *name = as<Name>(node);
    const Expr *value = name != nullptr && depth < 3 ? assigned_to(site, *name) : nullptr;
    return value != nullptr && has_range(site, value, depth + 1);
  });
}

// The token that fills up: `pad_id`, `self.tokenizer.pad_token_id`, `PAD`, 0.
bool is_padding_token(const Site &site, const Expr *expr) {
  return has_word_in_any_case(text_of(site, expr), {"pad"}) || integer_of(site, expr) == 0;
}

MaskMeaning of_comparison(const Site &site, const Expr *left, CompareOperator op, const Expr *right, u32 depth) {
  const bool is_equal = op == CompareOperator::Eq;
  const bool is_other = op == CompareOperator::NotEq;
  const MaskMeaning inner = find(site, left, depth + 1);
  if (inner != MaskMeaning::Unknown) { // mask == 0, mask > 0
    const auto number = integer_of(site, right);
    const auto flag = bool_of(site, right);
    const bool is_zero = number == 0 || flag == false;
    if (!is_zero && number != 1 && flag != true) {
      return MaskMeaning::Unknown;
    }
    const bool is_same = (is_zero && (is_other || op == CompareOperator::Gt)) || (!is_zero && is_equal);
    const bool is_turned = (is_zero && is_equal) || (!is_zero && (is_other || op == CompareOperator::Lt));
    return is_same ? inner : is_turned ? opposite(inner) : MaskMeaning::Unknown;
  }
  // arange(n)[None] < lengths[:, None]
  const bool is_less = op == CompareOperator::Lt;
  if (is_less || op == CompareOperator::GtE) {
    if (has_range(site, left) && !has_range(site, right)) {
      return is_less ? MaskMeaning::Present : MaskMeaning::Hidden;
    }
  }
  if (op == CompareOperator::Gt || op == CompareOperator::LtE) {
    if (has_range(site, right) && !has_range(site, left)) {
      return op == CompareOperator::Gt ? MaskMeaning::Present : MaskMeaning::Hidden;
    }
  }
  // Ids are compared with the padding token; other tensors may hold anything.
  const std::string_view text = text_of(site, left);
  const bool is_ids = has_word_in_any_case(text, {"ids", "token", "seq", "src", "tgt", "item", "x", "input", "text"});
  if ((is_equal || is_other) && is_padding_token(site, right) &&
      (is_ids || has_word_in_any_case(text_of(site, right), {"pad"}))) {
    return is_equal ? MaskMeaning::Hidden : MaskMeaning::Present;
  }
  return op == CompareOperator::Gt && integer_of(site, right) == 0 && has_word_in_any_case(text, {"ids", "token"})
             ? MaskMeaning::Present
             : MaskMeaning::Unknown;
}

// triu(ones(n, n), diagonal=1) hides the future, tril(ones(n, n)) leaves the past. Of numbers, which are added, nothing
// is said.
MaskMeaning of_triangle(const Site &site, const Call &call, bool is_upper) {
  const auto *ones = !call.args.empty() ? as<Call>(call.args[0]) : as<Call>(receiver_of(call));
  if (ones == nullptr || called_api(site, *ones) != "torch.ones") {
    return MaskMeaning::Unknown;
  }
  const Expr *diagonal = argument(call, called_api(site, call).starts_with("torch.") ? 1 : 0, "diagonal");
  if (!is_upper) {
    return diagonal == nullptr || integer_of(site, diagonal) == 0 ? MaskMeaning::Present : MaskMeaning::Unknown;
  }
  return diagonal != nullptr && integer_of(site, diagonal) == 1 ? MaskMeaning::Hidden : MaskMeaning::Unknown;
}

MaskMeaning of_call(const Site &site, const Call &call, u32 depth) {
  static const NameTable kSame({"bool", "to",      "cuda",  "unsqueeze", "squeeze",           "expand",  "expand_as",
                                "view", "reshape", "type",  "repeat",    "contiguous",        "detach",  "clone",
                                "long", "int",     "float", "byte",      "repeat_interleave", "flatten", "transpose",
                                "t",    "half",    "get"});
  const std::string_view method = called_method(call);
  const std::string_view api = called_api(site, call);
  const Expr *receiver = receiver_of(call);
  const bool is_function = api.starts_with("torch.");
  const Expr *subject = is_function ? argument(call, 0, "input") : receiver;
  if (subject == nullptr && called_function(site, call) == nullptr) {
    return MaskMeaning::Unknown;
  }
  if (method == "logical_not") {
    return opposite(find(site, subject, depth + 1));
  }
  const bool is_ne = method == "ne" || method == "not_equal";
  if (is_ne || method == "eq" || method == "gt" || method == "lt" || method == "ge") {
    const Expr *other = argument(call, is_function ? 1 : 0, "other");
    const CompareOperator op = is_ne            ? CompareOperator::NotEq
                               : method == "eq" ? CompareOperator::Eq
                               : method == "gt" ? CompareOperator::Gt
                               : method == "lt" ? CompareOperator::Lt
                                                : CompareOperator::GtE;
    return other != nullptr ? of_comparison(site, subject, op, other, depth) : MaskMeaning::Unknown;
  }
  if (method == "triu" || method == "tril") {
    return of_triangle(site, call, method == "triu");
  }
  // A function of the project that makes one.
  if (const model::FunctionInfo *const function = called_function(site, call); function != nullptr) {
    const FunctionDef *const definition = function->definition();
    const auto *result =
        definition != nullptr && !definition->body.empty() ? as<Return>(definition->body.back()) : nullptr;
    Site there = site;
    there.function = function;
    there.module = function->module;
    there.type = function->type;
    there.ancestors.clear();
    // A method may be another one in a class that derives from this one.
    const bool is_only = function->type == nullptr || function->type->subclasses.empty();
    return result != nullptr && result->value != nullptr && is_only ? find(there, result->value, depth + 2)
                                                                    : MaskMeaning::Unknown;
  }
  const auto *attribute = as<Attribute>(call.func);
  return attribute != nullptr && !is_function && kSame.has(attribute->attr) ? find(site, subject, depth + 1)
                                                                            : MaskMeaning::Unknown;
}

MaskMeaning of_uses(const Site &site, Symbol name, u32 depth);

// What a function of the project that gets the mask as it is does with it: `self.pool(x, mask)`.
MaskMeaning used_by_callee(const Site &site, const Call &call, Symbol name, u32 depth) {
  const auto is_mask = [name](const Expr *expr) {
    const auto *plain = as<Name>(expr);
    return plain != nullptr && plain->id == name;
  };
  const bool is_given =
      std::ranges::any_of(call.args, is_mask) ||
      std::ranges::any_of(call.keywords, [&](const Keyword *keyword) { return is_mask(keyword->value); });
  const model::FunctionInfo *const callee =
      is_given && depth + 3 < kMostMaskSteps ? function_run_by(site, call) : nullptr;
  if (callee == nullptr || callee == site.function || callee->definition() == nullptr) {
    return MaskMeaning::Unknown;
  }
  const auto known =
      std::ranges::find_if(callee->called_by, [&](const model::CallSite *one) { return one->call == &call; });
  for (u32 i = 0; known != callee->called_by.end() && i < callee->params.size(); ++i) {
    if (is_mask(model::passed_argument(**known, i))) {
      Site there = site;
      there.function = callee;
      there.module = callee->module;
      there.type = callee->type;
      there.ancestors.clear();
      return of_uses(there, callee->params[i]->name, depth + 3);
    }
  }
  return MaskMeaning::Unknown;
}

// What a function does with a parameter tells: it is multiplied and its sum divides (a mean over what is there), or
// what it marks is filled with -inf.
MaskMeaning of_uses(const Site &site, Symbol name, u32 depth) {
  const FunctionDef *const definition = site.function->definition();
  MaskMeaning found = MaskMeaning::Unknown;
  bool is_summed = false;
  bool is_factor = false;
  const auto is_cast = [&](const Expr *expr, const auto &self) -> bool {
    if (const auto *plain = as<Name>(expr)) {
      const Expr *value = plain->id != name && depth < kMostMaskSteps ? assigned_to(site, *plain) : nullptr;
      return plain->id == name || (value != nullptr && value->end < plain->start && self(value, self));
    }
    if (const auto *part = as<Subscript>(expr)) {
      return self(part->value, self);
    }
    const auto *call = as<Call>(expr);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    return (method == "unsqueeze" || method == "to" || method == "float" || method == "expand" || method == "type_as" ||
            method == "expand_as") &&
           self(receiver_of(*call), self);
  };
  bool is_passed_on = false; // to a function that does so
  any_node(definition->body, [&](const Node *node) {
    if (const auto *product = as<BinOp>(node); product != nullptr && product->op() == Operator::Mult) {
      is_factor = is_factor || is_cast(product->left, is_cast) || is_cast(product->right, is_cast);
    }
    const auto *call = as<Call>(node);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    if (method == "sum" && receiver_of(*call) != nullptr && receiver_of(*call)->kind != NodeKind::BinOp) {
      is_summed = is_summed || is_cast(receiver_of(*call), is_cast);
    }
    is_passed_on =
        is_passed_on || (call != nullptr && used_by_callee(site, *call, name, depth) == MaskMeaning::Present);
    return false;
  });
  found = (is_summed && is_factor) || is_passed_on ? MaskMeaning::Present : found;
  return found;
}

// What the modules of a list are called with: `for layer in self.layers: x = layer(x, mask)`, where `self.layers` holds
// objects of the class.
std::vector<std::pair<const Expr *, const model::FunctionInfo *>> given_in_loops(const Site &site, u32 index) {
  std::vector<std::pair<const Expr *, const model::FunctionInfo *>> found;
  const Symbol type = site.function->type->name;
  const auto &stores = model::definitions_of(site.project).attribute_stores;
  for (const model::FunctionInfo &other : site.project.functions) {
    if (other.module != site.module) {
      continue;
    }
    for (const model::Loop *loop : other.loops) {
      const auto *statement = as<For>(loop->node);
      const auto *list = statement != nullptr ? as<Attribute>(statement->iter) : nullptr;
      const auto *layer = statement != nullptr ? as<Name>(statement->target) : nullptr;
      const auto stored = list != nullptr ? stores.find(list->attr.id) : stores.end();
      const auto holds = [&](const model::AttributeStore &store) {
        return store.value != nullptr && any_node_inside(store.value, [&](const Node *node) {
                 const auto *made = as<Call>(node);
                 return made != nullptr && called_name(*made) == type.text();
               });
      };
      if (layer == nullptr || stored == stores.end() || !std::ranges::any_of(stored->second, holds)) {
        continue;
      }
      any_node(statement->body, [&](const Node *node) {
        const auto *call = as<Call>(node);
        const auto *callee = call != nullptr ? as<Name>(call->func) : nullptr;
        if (callee != nullptr && callee->id == layer->id && index > 0) {
          const Expr *given = argument(*call, index - 1, site.function->params[index]->name.text());
          found.emplace_back(given, &other);
        }
        return false;
      });
    }
  }
  return found;
}

MaskMeaning of_parameter(const Site &site, u32 index, u32 depth) {
  MaskMeaning found = MaskMeaning::Unknown;
  constexpr std::size_t kMostCallers = 8;
  const auto &callers = site.function->called_by;
  for (std::size_t i = 0; i < callers.size() && i < kMostCallers; ++i) {
    const Expr *given = model::passed_argument(*callers[i], index);
    Site there = site_of(site, *callers[i]->call);
    there.ancestors.clear();
    const MaskMeaning one = given != nullptr ? find(there, given, depth + 2) : MaskMeaning::Unknown;
    if (one == MaskMeaning::Unknown || (found != MaskMeaning::Unknown && found != one)) {
      return MaskMeaning::Unknown;
    }
    found = one;
  }
  if (callers.empty() && site.function->type != nullptr) {
    for (const auto &[given, function] : given_in_loops(site, index)) {
      Site there = site;
      there.function = function;
      there.type = function->type;
      there.ancestors.clear();
      found = given != nullptr ? find(there, given, depth + 2) : found;
    }
  }
  return found;
}

// Is it what a model of Hugging Face gets as its mask, which is 1 for real tokens?
bool is_given_to_model(const Site &site, Symbol name) {
  const FunctionDef *const definition = site.function->definition();
  return definition != nullptr && any_node(definition->body, [name](const Node *node) {
           const auto *call = as<Call>(node);
           const Keyword *given = call != nullptr && model::kind_of(call->func) == Kind::HfModel
                                      ? keyword_argument(*call, "attention_mask")
                                      : nullptr;
           const auto *plain = given != nullptr ? as<Name>(given->value) : nullptr;
           return plain != nullptr && plain->id == name;
         });
}

// The values that the project writes down under each key of a dictionary: `{"mask": ids.ne(0)}`, `dict(mask=…)`.
struct Entries {
  struct Entry {
    const model::FunctionInfo *function = nullptr;
    const Expr *value = nullptr;
  };
  std::unordered_map<std::string, std::vector<Entry>> of;
};

Entries find_entries(const Site &site) {
  Entries found;
  for (const model::FunctionInfo &function : site.project.functions) {
    const FunctionDef *const definition = function.definition();
    if (definition == nullptr || !function.module->torch || function.module->is_test) {
      continue;
    }
    any_node(definition->body, [&](const Node *node) {
      if (const auto *dict = as<Dict>(node)) {
        for (const DictItem &item : dict->items) {
          if (const StringConstant *key = as_string(item.key)) {
            found.of[string_value(function.module->parsed->source, *key)].push_back({&function, item.value});
          }
        }
      } else if (const auto *call = as<Call>(node); call != nullptr && called_name(*call) == "dict") {
        for (const Keyword *keyword : call->keywords) {
          if (keyword->name) {
            found.of[std::string(keyword->name.text())].push_back({&function, keyword->value});
          }
        }
      }
      return false;
    });
  }
  return found;
}

// What a batch has under a key, by what is written under it anywhere: all of that has to be the same.
MaskMeaning of_entry(const Site &site, const std::string &key, u32 depth) {
  const Entries &all = site.memory.recall<Entries>(&site.project, [&] { return find_entries(site); });
  const auto known = all.of.find(key);
  MaskMeaning found = MaskMeaning::Unknown;
  constexpr std::size_t kMostEntries = 8;
  if (known == all.of.end() || known->second.size() > kMostEntries) {
    return found;
  }
  for (const Entries::Entry &entry : known->second) {
    Site there = site;
    there.function = entry.function;
    there.module = entry.function->module;
    there.type = entry.function->type;
    there.ancestors.clear();
    const MaskMeaning one = find(there, entry.value, depth + 1);
    if (one == MaskMeaning::Unknown || (found != MaskMeaning::Unknown && one != found)) {
      return MaskMeaning::Unknown;
    }
    found = one;
  }
  return found;
}

// What a field of an object was given: `batch.mask` after `Batch(ids, ids != PAD)`.
MaskMeaning of_field(const Site &site, const Attribute &attribute, u32 depth) {
  MaskMeaning found = MaskMeaning::Unknown;
  for (const model::Argument::Given &given : model::written_as(scope_of(site), &attribute)) {
    Site there = site;
    there.function = given.scope.function;
    there.module = given.scope.module;
    there.type = given.scope.function != nullptr ? given.scope.function->type : nullptr;
    there.ancestors.clear();
    const MaskMeaning one = find(there, given.expr, depth + 1);
    if (one == MaskMeaning::Unknown || (found != MaskMeaning::Unknown && one != found)) {
      return MaskMeaning::Unknown;
    }
    found = one;
  }
  return found;
}

MaskMeaning find(const Site &site, const Expr *mask, u32 depth) {
  if (depth > kMostMaskSteps || site.function == nullptr) {
    return MaskMeaning::Unknown;
  }
  if (const auto *negation = as<UnaryOp>(mask)) {
    return negation->op() == UnaryOperator::Invert ? opposite(find(site, negation->operand, depth + 1))
                                                   : MaskMeaning::Unknown;
  }
  if (const auto *operation = as<BinOp>(mask)) { // 1 - mask
    return operation->op() == Operator::Sub && number_of(site, operation->left) == 1.0
               ? opposite(find(site, operation->right, depth + 1))
               : MaskMeaning::Unknown;
  }
  if (const auto *compare = as<Compare>(mask)) {
    return compare->rest.size() == 1
               ? of_comparison(site, compare->left, compare->rest[0].op, compare->rest[0].right, depth)
               : MaskMeaning::Unknown;
  }
  if (const auto *call = as<Call>(mask)) {
    return of_call(site, *call, depth);
  }
  if (const auto *part = as<Subscript>(mask)) {
    const std::optional<std::string> key = string_of(site, part->slice);
    return key == "attention_mask" ? MaskMeaning::Present
           : key.has_value()       ? of_entry(site, *key, depth)
                                   : find(site, part->value, depth + 1);
  }
  if (const auto *attribute = as<Attribute>(mask)) {
    // The attribute of a batch is what a tokenizer gives. One's own is whatever the class stores there.
    const bool is_own = model::is_own_object(*site.function, attribute->value);
    return attribute->attr.text() == "attention_mask" && !is_own ? MaskMeaning::Present
                                                                 : of_field(site, *attribute, depth);
  }
  const auto *name = as<Name>(mask);
  if (name == nullptr) {
    return MaskMeaning::Unknown;
  }
  const auto &params = site.function->params;
  const auto param = std::ranges::find_if(params, [name](const Param *one) { return one->name == name->id; });
  if (const Expr *value = assigned_to(site, *name); value != nullptr && value->end < name->start) {
    return find(site, value, depth + 1);
  }
  if (param == params.end()) {
    return MaskMeaning::Unknown;
  }
  if (is_given_to_model(site, name->id)) {
    return MaskMeaning::Present;
  }
  const MaskMeaning used =
      site.function->definition() != nullptr ? of_uses(site, name->id, depth) : MaskMeaning::Unknown;
  return used != MaskMeaning::Unknown ? used : of_parameter(site, static_cast<u32>(param - params.begin()), depth);
}

} // namespace

MaskMeaning meaning_of(const Site &site, const Expr *mask) { return find(site, mask, 0); }

} // namespace deepperf::rules
