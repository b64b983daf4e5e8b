// Sizes of dimensions: integers, or polynomials over symbols whose least value is known (a batch, a picture's height, a
// constructor's parameter), with floor divisions as symbols of their own. Equal sizes have equal handles, because forms
// are normalised and kept once. There is no solver: what a difference's coefficients do not tell is not known.
#pragma once

#include "base/types.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace deepperf::shapes {

struct Dim {
  static constexpr u32 kUnknown = ~0U;

  i64 value = 0;       // of a constant
  u32 form = kUnknown; // 0: a constant; else a place in Terms

  static Dim of(i64 value) { return {value, 0}; }
  [[nodiscard]] bool is_known() const { return form != kUnknown; }
  [[nodiscard]] bool is_constant() const { return form == 0; }
  [[nodiscard]] bool is(i64 number) const { return form == 0 && value == number; }
  friend bool operator==(const Dim &, const Dim &) = default;
};

// What is certain of a difference, whatever the symbols are.
enum class Sign : u8 { Unknown, Zero, Positive, Negative, NotZero };

class Terms {
public:
  Terms();

  // A new symbol. `least` is the smallest value that it may have.
  Dim symbol(std::string_view name, i64 least = 1);

  Dim add(Dim a, Dim b);
  Dim subtract(Dim a, Dim b);
  Dim multiply(Dim a, Dim b);
  Dim floor_divide(Dim a, Dim b);
  Dim modulo(Dim a, Dim b);
  Dim larger(Dim a, Dim b);
  Dim smaller(Dim a, Dim b);
  // a / b where that leaves no remainder for any value of the symbols; nothing if that is not certain.
  std::optional<Dim> divide_exactly(Dim a, Dim b);

  // Of a - b.
  [[nodiscard]] Sign compare(Dim a, Dim b);
  [[nodiscard]] bool differ(Dim a, Dim b);          // for all values of the symbols
  [[nodiscard]] bool is_less(Dim a, Dim b);         // the same
  [[nodiscard]] bool is_at_least(Dim a, i64 value); // the same
  // The greatest number that divides it whatever the symbols are; 0 of what is not known or 0.
  [[nodiscard]] i64 content(Dim a) const;

  // Its value where all symbols of that name have this one; nothing if there are others.
  [[nodiscard]] std::optional<i64> evaluate(Dim dim, std::string_view name, i64 value) const;

  [[nodiscard]] std::string text(Dim dim) const; // "4*N + 1", "?"

  // From now on, what is made of symbols that were there before is noticed: its place in an order depends on who made
  // it.
  void begin_root() { first_atom_ = static_cast<u32>(atoms_.size()); }
  [[nodiscard]] bool is_shared() const { return is_shared_; }
  [[nodiscard]] std::size_t forms() const { return forms_.size(); }

private:
  struct Atom {
    std::string name; // of a symbol
    i64 least = 1;
    Dim numerator; // of a quotient
    Dim denominator;
    bool is_quotient = false;
  };
  using Monomial = std::vector<u32>; // atoms, sorted
  struct Form {
    i64 constant = 0;
    std::vector<std::pair<u32, i64>> terms; // a monomial and its factor, sorted by monomial
    friend auto operator<=>(const Form &, const Form &) = default;
  };

  Dim keep(Form form);
  [[nodiscard]] Form form_of(Dim dim) const;
  u32 keep_monomial(Monomial monomial);
  std::optional<Form> sum(const Form &a, const Form &b, i64 factor) const;
  Dim quotient(Dim a, Dim b);
  // The least value that a form can have, times `scale`; nothing if there is none that the coefficients tell.
  [[nodiscard]] std::optional<double> least(const Form &form, bool negated) const;
  [[nodiscard]] i64 least_of(const Monomial &monomial) const;
  [[nodiscard]] std::string text_of(u32 atom) const;
  [[nodiscard]] bool is_older(Dim dim) const; // than the root

  std::vector<Atom> atoms_;
  std::vector<Monomial> monomials_;
  std::vector<Form> forms_;
  std::map<Monomial, u32> monomial_index_;
  std::map<Form, u32> form_index_;
  std::map<std::tuple<i64, u32, i64, u32>, u32> quotient_index_;
  u32 first_atom_ = 0; // of the root
  bool is_shared_ = false;
};

} // namespace deepperf::shapes
