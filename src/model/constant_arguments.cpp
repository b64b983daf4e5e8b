// What does a call pass for a parameter?
#include "model/constant_evaluator.h"
#include "python/call.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

// What tokenizers and processors give.
bool is_input_of_model(std::string_view keyword) {
  return keyword.ends_with("ids") || keyword.ends_with("mask") || keyword.ends_with("values") ||
         keyword.ends_with("features") || keyword.ends_with("embeds") || keyword == "labels" || keyword == "length" ||
         keyword == "inputs";
}

} // namespace

// Is it what a tokenizer or processor of Hugging Face returned, perhaps moved to a device?
bool ConstantEvaluator::is_encoding(const Scope &at, const Expr *expr, u32 depth) {
  Sources made;
  written(at, expr, false, depth + 1, made);
  return !made.unknown && !made.given.empty() && std::ranges::all_of(made.given, [&](const Given &one) {
    const auto *call = as<Call>(one.expr);
    while (call != nullptr && (called_method(*call) == "to" || called_method(*call) == "cuda")) {
      const Expr *const receiver = receiver_of(*call);
      const auto *inner = as<Call>(receiver);
      if (inner == nullptr) {
        return depth < kMostDepth && is_encoding(one.scope, receiver, depth + 1);
      }
      call = inner;
    }
    const Value callee = call != nullptr ? project_.callee_of(call) : Value{};
    const Value owner = callee.is(Value::Tag::ApiMethod) ? callee.receiver() : callee;
    return owner.is_kind(Kind::HfTokenizer) || owner.is_kind(Kind::HfProcessor);
  });
}

Argument ConstantEvaluator::argument(const Scope &at, const Call &call, u32 position, std::string_view keyword,
                                     u32 depth) {
  Argument result;
  if (depth > kMostDepth || ++steps_ > kMostSteps) {
    result.unknown = true;
    return result;
  }
  const auto starred = std::ranges::find_if(call.args, [](const Expr *arg) { return arg->kind == NodeKind::Starred; });
  if (position < static_cast<u32>(starred - call.args.begin())) {
    result.given.push_back({at, call.args[position]});
    return result;
  }
  if (const Keyword *written = keyword_argument(call, keyword)) {
    result.given.push_back({at, written->value});
    return result;
  }
  result.unknown = starred != call.args.end() && position != ~0U;
  for (const Keyword *hidden : call.keywords) {
    if (!hidden->name) {
      // `model.generate(**inputs, **options)`: what a tokenizer gives has no options in it.
      if (!is_input_of_model(keyword) && is_encoding(at, hidden->value, depth + 1)) {
        continue;
      }
      DictView view;
      dict(at, hidden->value, false, depth + 1, view);
      take(view, keyword, depth, result);
    }
  }
  if (result.given.empty() && !result.unknown) {
    add_partial(at, call, position, keyword, depth, result);
  }
  result.may_be_absent |= result.given.empty();
  return result;
}

// `make = functools.partial(DataLoader, num_workers=4)`, then `make(data)`.
void ConstantEvaluator::add_partial(const Scope &at, const Call &call, u32 position, std::string_view keyword,
                                    u32 depth, Argument &into) {
  if (!project_.callee_of(&call).is(Value::Tag::Partial)) {
    return;
  }
  Sources made;
  written(at, call.func, false, depth + 1, made);
  into.unknown |= made.unknown || made.given.size() != 1;
  for (const Given &one : made.given) {
    const auto *partial = as<Call>(one.expr);
    if (partial == nullptr || api_of(*partial) != "functools.partial") {
      into.unknown = true;
      continue;
    }
    const Argument passed = argument(one.scope, *partial, position == ~0U ? ~0U : position + 1, keyword, depth + 1);
    into.unknown |= passed.unknown;
    into.given.insert(into.given.end(), passed.given.begin(), passed.given.end());
  }
}

} // namespace deepperf::model
