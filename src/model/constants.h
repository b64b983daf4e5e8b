// The one place that knows which constant an expression is: a literal, arithmetic of them, a name or attribute that
// holds nothing else, a parameter that all callers pass the same for, an option of the command line by its default, an
// entry of a dictionary that is written down. Unknown stays unknown: what is not proved to be one constant is none.
#pragma once

#include "model/lookup.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::model {

struct ConstantValue {
  enum class Type : u8 { None, Bool, Integer, Float, String };
  Type type = Type::None;
  bool overridable = false; // a default of the command line, a configuration or a parameter: users can choose another
  i64 integer = 0;          // also of a Bool
  double number = 0;        // of a Float
  std::string text = {};    // of a String

  static ConstantValue none() { return {}; }
  static ConstantValue of(bool value) { return {.type = Type::Bool, .integer = value ? 1 : 0}; }
  static ConstantValue of(i64 value) { return {.type = Type::Integer, .integer = value}; }
  static ConstantValue of(double value) { return {.type = Type::Float, .number = value}; }
  static ConstantValue of(std::string value) { return {.type = Type::String, .text = std::move(value)}; }

  [[nodiscard]] bool is_none() const { return type == Type::None; }
  // Whether the Python value is true.
  [[nodiscard]] bool is_true() const {
    return type == Type::String ? !text.empty() : type == Type::Float ? number != 0 : integer != 0;
  }
  [[nodiscard]] std::optional<double> as_number() const {
    return type == Type::Float     ? std::optional(number)
           : type == Type::Integer ? std::optional(static_cast<double>(integer))
                                   : std::nullopt;
  }
  [[nodiscard]] std::optional<i64> as_integer() const {
    return type == Type::Integer ? std::optional(integer) : std::nullopt;
  }
  [[nodiscard]] std::optional<bool> as_bool() const {
    return type == Type::Bool ? std::optional(integer != 0) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::string> as_string() const {
    return type == Type::String ? std::optional(text) : std::nullopt;
  }
  // Whoever may override them.
  [[nodiscard]] bool same_as(const ConstantValue &other) const {
    return type == other.type && integer == other.integer && number == other.number && text == other.text;
  }
};

std::optional<ConstantValue> constant_of(const Scope &scope, const python::Expr *expr);

// Everything that an expression may be, by all that callers pass and all that is assigned: `shuffle=split == "train"`
// in a function that is called for both splits is true and false. Which of these belong together is not followed.
struct ConstantChoices {
  std::vector<ConstantValue> values; // each once
  bool unknown = false;              // perhaps something else

  [[nodiscard]] bool may_be_true() const;
};
ConstantChoices choices_of(const Scope &scope, const python::Expr *expr);

// What a call passes for a parameter: written as an argument, in `**kwargs` of a dictionary that is written down, or by
// functools.partial.
struct Argument {
  struct Given {
    Scope scope;
    const python::Expr *expr = nullptr;
    bool overridable = false;
  };
  std::vector<Given> given;   // all expressions that it may be
  bool may_be_absent = false; // perhaps it is not passed
  bool unknown = false;       // perhaps it is something else

  [[nodiscard]] bool is_absent() const { return given.empty() && !unknown; }
};

Argument argument_of(const Scope &scope, const python::Call &call, u32 position, std::string_view keyword);

// `otherwise`: what the callee takes where the argument is not passed.
std::optional<ConstantValue> constant_of(const Project &project, const Argument &argument,
                                         const ConstantValue &otherwise);

// The expressions that the value of an expression is written as, through names, attributes, parameters and entries of
// dictionaries; none if that is not known.
std::vector<Argument::Given> written_as(const Scope &scope, const python::Expr *expr);

} // namespace deepperf::model
