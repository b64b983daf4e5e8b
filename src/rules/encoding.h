// Questions about texts that are encoded by a tokenizer and given to a model of Hugging Face.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// What a name was set to last before the place, or the only thing that its function ever sets it to; null if not known.
const python::Expr *assigned_to(const Site &site, const python::Name &name);

// How a tokenizer was called.
struct Encoding {
  const python::Call *call = nullptr;
  const python::Expr *tokenizer = nullptr; // `tok` of `tok(…)` and of `tok.batch_encode_plus(…)`
  enum class Padding : u8 { None, Longest, Full, Unknown } padding = Padding::None;
  enum class Texts : u8 { One, Several, Unknown } texts = Texts::Unknown;
};

// What a call of a tokenizer does; nothing if it is no such call.
std::optional<Encoding> encoding_of(const Site &site, const python::Call &call);

// The tokenizer call that the arguments of a model's call come from: `model(**tok(…))`, or through names of the same
// function: `enc = tok(…).to(device)`, `ids = enc["input_ids"]`.
std::optional<Encoding> encoding_behind(const Site &site, const python::Call &call);

// The same for one expression.
std::optional<Encoding> encoding_behind(const Site &site, const python::Expr *expr);

// The same through functions of the project that return what they encoded: `batch = self.encode(texts)`.
struct EncodedBy {
  Encoding encoding;
  const model::FunctionInfo *function = nullptr; // that calls the tokenizer
};
std::optional<EncodedBy> encoded_by_helper(const Site &site, const python::Call &call);

// The same through parameters: `batch["input_ids"]` of a batch that callers encode.
std::optional<EncodedBy> encoded_by_callers(const Site &site, const python::Expr *expr);

// Any of these: in the function itself, in a helper that it calls, or by its callers.
std::optional<EncodedBy> encoded_anywhere(const Site &site, const python::Call &call, const python::Expr *expr);

// A decoder-only language model, by the API that made it: AutoModelForCausalLM, GPT2LMHeadModel, …
bool makes_causal_model(std::string_view api);

} // namespace deepperf::rules
