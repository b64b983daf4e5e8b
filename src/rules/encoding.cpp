#include "rules/encoding.h"

#include "model/definitions.h"
#include "model/variance.h"
#include "rules/made_on_host.h"
#include "rules/tree.h"
#include "rules/value_source.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

const Expr *assigned_to(const Site &site, const Name &name) {
  const Expr *const last = last_assigned(site, name);
  if (last != nullptr || site.function == nullptr) {
    return last;
  }
  const auto &all = model::definitions_of(site.project).bindings;
  const auto known = all.find(site.function);
  if (known == all.end()) {
    return nullptr;
  }
  const auto id_of = [](const model::Binding &binding) { return binding.name.id; };
  const auto first = std::ranges::lower_bound(known->second, name.id.id, {}, id_of);
  const auto end = std::ranges::upper_bound(known->second, name.id.id, {}, id_of);
  return end - first == 1 ? first->value : nullptr;
}

namespace {

// As an argument, or in the options that `**` hands over. What users can choose otherwise is not known.
Encoding::Padding padding_of(const Site &site, const Call &call) {
  const auto certain = [&site](const model::Argument &argument) {
    const auto value = setting_of(site, argument, model::ConstantValue::none());
    return value.has_value() && !value->overridable ? value : std::nullopt;
  };
  const model::Argument old = argument_of(site, call, ~0U, "pad_to_max_length");
  if (!old.given.empty()) {
    const auto flag = certain(old);
    return flag.has_value() && flag->as_bool() == true ? Encoding::Padding::Full : Encoding::Padding::Unknown;
  }
  const model::Argument padding = argument_of(site, call, ~0U, "padding");
  if (padding.is_absent()) {
    return Encoding::Padding::None;
  }
  const auto value = certain(padding);
  if (!value.has_value() || value->is_none()) {
    return Encoding::Padding::Unknown;
  }
  if (const auto flag = value->as_bool()) {
    return *flag ? Encoding::Padding::Longest : Encoding::Padding::None;
  }
  const auto text = value->as_string();
  return text == "max_length"   ? Encoding::Padding::Full
         : text == "longest"    ? Encoding::Padding::Longest
         : text == "do_not_pad" ? Encoding::Padding::None
                                : Encoding::Padding::Unknown;
}

bool is_several(const Site &site, const Expr *texts, u32 depth);

// A parameter that is annotated as a list, or that callers pass several texts for.
bool is_passed_several(const Site &site, const Name &name, u32 depth) {
  constexpr std::size_t kMostCallers = 4;
  if (site.function == nullptr) {
    return false;
  }
  const auto &params = site.function->params;
  const auto param = std::ranges::find_if(params, [&name](const Param *one) { return one->name == name.id; });
  if (param == params.end()) {
    return false;
  }
  if ((*param)->annotation != nullptr) {
    const auto *list = as<Subscript>((*param)->annotation);
    const model::Value meant = list != nullptr ? value_of(site, list->value) : model::Value{};
    const std::string_view api = meant.is(model::Value::Tag::Api)
                                     ? meant.name().text()
                                     : (list != nullptr ? text_of(site, list->value) : std::string_view{});
    const std::string_view container = api.substr(api.rfind('.') + 1);
    return list != nullptr && text_of(site, list->slice) == "str" &&
           (container == "list" || container == "List" || container == "Sequence" || container == "Iterable");
  }
  const auto &callers = site.function->called_by;
  return depth < 2 && !callers.empty() && callers.size() <= kMostCallers &&
         std::ranges::any_of(callers, [&](const model::CallSite *caller) {
           const Expr *const given = model::passed_argument(*caller, static_cast<u32>(param - params.begin()));
           return given != nullptr && caller->caller != site.function &&
                  is_several(site_of(site, *caller->call), given, depth + 1);
         });
}

bool is_several(const Site &site, const Expr *texts, u32 depth) {
  if (const auto *list = as<List>(texts)) {
    return list->elts.size() > 1;
  }
  if (const auto *part = as<Subscript>(texts)) {
    return part->slice->kind == NodeKind::Slice;
  }
  if (texts->kind == NodeKind::ListComp) {
    return true;
  }
  if (const auto *call = as<Call>(texts)) {
    return called_name(*call) == "list" || called_name(*call) == "tolist";
  }
  if (const auto *name = as<Name>(texts)) {
    const Expr *assigned = depth < 3 ? assigned_to(site, *name) : nullptr;
    return assigned != nullptr ? is_several(site, assigned, depth + 1) : is_passed_several(site, *name, depth);
  }
  return false;
}

bool is_one_text(const Site &site, const Expr *texts, u32 depth) {
  if (const auto *list = as<List>(texts)) {
    return list->elts.size() == 1;
  }
  if (texts->kind == NodeKind::JoinedStr || model::kind_of(texts) == Kind::Str || string_of(site, texts).has_value()) {
    return true;
  }
  if (const auto *name = as<Name>(texts)) {
    const Expr *assigned = depth < 3 ? assigned_to(site, *name) : nullptr;
    return assigned != nullptr && is_one_text(site, assigned, depth + 1);
  }
  return false;
}

} // namespace

std::optional<Encoding> encoding_of(const Site &site, const Call &call) {
  Encoding result{.call = &call};
  const std::string_view method = called_method(call);
  if (model::kind_of(call.func) == Kind::HfTokenizer) {
    result.tokenizer = call.func;
  } else if (receiver_of(call) != nullptr && model::kind_of(receiver_of(call)) == Kind::HfTokenizer &&
             (method == "batch_encode_plus" || method == "encode" || method == "encode_plus" || method == "pad")) {
    result.tokenizer = receiver_of(call);
  } else {
    return std::nullopt;
  }
  result.padding = padding_of(site, call);
  if (method == "pad") { // of texts that are ids already
    const bool is_default = argument_of(site, call, ~0U, "padding").is_absent();
    result.padding = is_default && call.args.size() < 2 ? Encoding::Padding::Longest : result.padding;
    result.texts = Encoding::Texts::Several;
    return result;
  }
  const Expr *texts = argument(call, 0, "text");
  const Keyword *const target = keyword_argument(call, "text_target");
  texts = texts == nullptr && target != nullptr ? target->value : texts;
  if (method == "batch_encode_plus") {
    texts = argument(call, 0, "batch_text_or_text_pairs");
    result.texts = Encoding::Texts::Several;
  } else if (method == "encode" || method == "encode_plus") {
    result.texts = Encoding::Texts::One;
  } else if (texts != nullptr) {
    result.texts = is_one_text(site, texts, 0)  ? Encoding::Texts::One
                   : is_several(site, texts, 0) ? Encoding::Texts::Several
                                                : Encoding::Texts::Unknown;
  }
  return result;
}

namespace {

std::optional<Encoding> follow(const Site &site, const Node *node, u32 depth) {
  std::optional<Encoding> found;
  any_node(node, [&](const Node *part) {
    if (const auto *call = as<Call>(part)) {
      found = encoding_of(site, *call);
    } else if (const auto *name = as<Name>(part); name != nullptr && depth < 4) {
      const Expr *assigned = assigned_to(site, *name);
      // What is computed by somebody else is no longer an encoding.
      const auto *made = as<Call>(assigned);
      const std::string_view method = made != nullptr ? called_method(*made) : std::string_view{};
      const bool is_kept = made == nullptr || method == "to" || method == "cuda" || method == "squeeze" ||
                           method == "clone" || method == "items" || encoding_of(site, *made).has_value();
      if (assigned != nullptr && assigned->end <= name->start && is_kept) {
        found = follow(site, assigned, depth + 1);
      }
    }
    return found.has_value();
  });
  return found;
}

} // namespace

std::optional<Encoding> encoding_behind(const Site &site, const Expr *expr) { return follow(site, expr, 0); }

std::optional<Encoding> encoding_behind(const Site &site, const Call &call) {
  if (!call.args.empty()) {
    if (auto found = follow(site, call.args[0], 0)) {
      return found;
    }
  }
  for (const Keyword *keyword : call.keywords) {
    const bool is_input = !keyword->name || keyword->name.text() == "input_ids" || keyword->name.text() == "inputs";
    if (auto found = is_input ? follow(site, keyword->value, 0) : std::nullopt) {
      return found;
    }
  }
  return std::nullopt;
}

namespace {

// A value after `.to(device)` and `.items()`.
const Expr *without_moves(const Expr *expr) {
  for (const auto *call = as<Call>(expr); call != nullptr && receiver_of(*call) != nullptr; call = as<Call>(expr)) {
    const std::string_view method = called_method(*call);
    if (method != "to" && method != "cuda" && method != "items") {
      break;
    }
    expr = receiver_of(*call);
  }
  return expr;
}

// The tokenizer's call through what a function of the project returns.
std::optional<EncodedBy> encoded_in(const Site &site, const Expr *given, u32 depth) {
  constexpr u32 kMostDepth = 3;
  given = without_moves(given);
  if (const auto *entry = as<Subscript>(given); entry != nullptr && string_of(site, entry->slice).has_value()) {
    given = without_moves(entry->value); // batch["input_ids"]
  } else if (const auto *attribute = as<Attribute>(given);
             attribute != nullptr && attribute->attr.text() == "input_ids") {
    given = without_moves(attribute->value);
  }
  if (const auto *name = as<Name>(given)) {
    const Expr *const value = assigned_to(site, *name);
    given = value != nullptr ? without_moves(value) : nullptr;
  }
  const auto *helper = as<Call>(given);
  const model::FunctionInfo *const function = helper != nullptr ? called_function(site, *helper) : nullptr;
  const Expr *const result = function != nullptr ? returned_at_end(site, *helper) : nullptr;
  if (result == nullptr || depth == kMostDepth) {
    return std::nullopt;
  }
  const Site inside = site_inside(site, *function);
  const auto encoding = encoding_behind(inside, result);
  return encoding.has_value() ? std::optional(EncodedBy{*encoding, function}) : encoded_in(inside, result, depth + 1);
}

} // namespace

std::optional<EncodedBy> encoded_by_helper(const Site &site, const Call &call) {
  const Expr *given = !call.args.empty() ? call.args[0] : nullptr;
  for (const Keyword *keyword : call.keywords) {
    const bool is_input = !keyword->name || keyword->name.text() == "input_ids" || keyword->name.text() == "inputs";
    given = is_input ? keyword->value : given;
  }
  return given != nullptr ? encoded_in(site, given, 0) : std::nullopt;
}

std::optional<EncodedBy> encoded_by_callers(const Site &site, const Expr *expr) {
  const auto ids = value_source_of(site, expr);
  const auto *element = ids.has_value() && !ids->is_part ? as<Subscript>(ids->expr) : nullptr;
  const auto *attribute = ids.has_value() && !ids->is_part ? as<Attribute>(ids->expr) : nullptr;
  const Expr *const batch = element != nullptr ? element->value : attribute != nullptr ? attribute->value : nullptr;
  const auto encoded = batch != nullptr ? value_source_of(ids->site, batch) : std::nullopt;
  const auto *call = encoded.has_value() && !encoded->is_part ? as<Call>(encoded->expr) : nullptr;
  const auto encoding = call != nullptr ? encoding_of(encoded->site, *call) : std::nullopt;
  return encoding.has_value() && encoded->site.function != nullptr
             ? std::optional(EncodedBy{*encoding, encoded->site.function})
             : std::nullopt;
}

std::optional<EncodedBy> encoded_anywhere(const Site &site, const Call &call, const Expr *expr) {
  if (const auto here = encoding_behind(site, expr)) {
    return EncodedBy{*here, site.function};
  }
  if (const auto helper = encoded_by_helper(site, call)) {
    return helper;
  }
  return encoded_by_callers(site, expr);
}

bool makes_causal_model(std::string_view api) {
  return api.find("ForCausalLM") != std::string_view::npos || api.find("GPT2LMHeadModel") != std::string_view::npos ||
         api.find("OpenAIGPTLMHeadModel") != std::string_view::npos;
}

} // namespace deepperf::rules
