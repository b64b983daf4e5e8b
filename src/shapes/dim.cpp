#include "shapes/dim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace deepperf::shapes {

namespace {

constexpr std::size_t kMostTerms = 12;
constexpr std::size_t kMostFactors = 8;
constexpr std::size_t kMostForms = 200'000;

i64 floor_of(i64 a, i64 b) { return a / b - ((a % b != 0 && (a % b < 0) != (b < 0)) ? 1 : 0); }

} // namespace

Terms::Terms() : monomials_(1), forms_(1) {} // place 0 stands for a constant

Dim Terms::symbol(std::string_view name, i64 least) {
  Atom &atom = atoms_.emplace_back();
  atom.name = name;
  atom.least = least;
  Form form;
  form.terms.emplace_back(keep_monomial({static_cast<u32>(atoms_.size()) - 1}), 1);
  return keep(std::move(form));
}

u32 Terms::keep_monomial(Monomial monomial) {
  const auto [place, is_new] = monomial_index_.try_emplace(monomial, static_cast<u32>(monomials_.size()));
  if (is_new) {
    is_shared_ = is_shared_ || (!monomial.empty() && monomial.back() < first_atom_);
    monomials_.push_back(std::move(monomial));
  }
  return place->second;
}

Dim Terms::keep(Form form) {
  if (form.terms.empty()) {
    return Dim::of(form.constant);
  }
  if (form.terms.size() > kMostTerms || forms_.size() > kMostForms) {
    return {};
  }
  const auto [place, is_new] = form_index_.try_emplace(form, static_cast<u32>(forms_.size()));
  if (is_new) {
    forms_.push_back(std::move(form));
  }
  return {0, place->second};
}

Terms::Form Terms::form_of(Dim dim) const {
  if (dim.is_constant()) {
    Form form;
    form.constant = dim.value;
    return form;
  }
  return forms_[dim.form];
}

std::optional<Terms::Form> Terms::sum(const Form &a, const Form &b, i64 factor) const {
  Form result;
  i64 scaled = 0;
  if (__builtin_mul_overflow(b.constant, factor, &scaled) ||
      __builtin_add_overflow(a.constant, scaled, &result.constant)) {
    return {};
  }
  auto left = a.terms.begin();
  auto right = b.terms.begin();
  while (left != a.terms.end() || right != b.terms.end()) {
    if (right == b.terms.end() || (left != a.terms.end() && left->first < right->first)) {
      result.terms.push_back(*left++);
      continue;
    }
    i64 coefficient = 0;
    if (__builtin_mul_overflow(right->second, factor, &coefficient)) {
      return {};
    }
    if (left != a.terms.end() && left->first == right->first) {
      if (__builtin_add_overflow(left->second, coefficient, &coefficient)) {
        return {};
      }
      ++left;
    }
    if (coefficient != 0) {
      result.terms.emplace_back(right->first, coefficient);
    }
    ++right;
  }
  return result;
}

Dim Terms::add(Dim a, Dim b) {
  if (!a.is_known() || !b.is_known()) {
    return {};
  }
  const auto result = sum(form_of(a), form_of(b), 1);
  return result ? keep(*result) : Dim{};
}

Dim Terms::subtract(Dim a, Dim b) {
  if (!a.is_known() || !b.is_known()) {
    return {};
  }
  const auto result = sum(form_of(a), form_of(b), -1);
  return result ? keep(*result) : Dim{};
}

Dim Terms::multiply(Dim a, Dim b) {
  if (a.is(0) || b.is(0)) {
    return Dim::of(0);
  }
  if (!a.is_known() || !b.is_known()) {
    return {};
  }
  if (a.is_constant() && b.is_constant()) {
    i64 product = 0;
    return __builtin_mul_overflow(a.value, b.value, &product) ? Dim{} : Dim::of(product);
  }
  const Form left = form_of(a);
  const Form right = form_of(b);
  if ((left.terms.size() + 1) * (right.terms.size() + 1) > 64) {
    return {};
  }
  std::map<u32, i64> terms; // 0: the constant
  const auto add_product = [&](u32 x, i64 cx, u32 y, i64 cy) {
    Monomial monomial = monomials_[x];
    monomial.insert(monomial.end(), monomials_[y].begin(), monomials_[y].end());
    std::ranges::sort(monomial);
    i64 product = 0;
    if (monomial.size() > kMostFactors || __builtin_mul_overflow(cx, cy, &product)) {
      return false;
    }
    i64 &into = terms[monomial.empty() ? 0 : keep_monomial(std::move(monomial))];
    return !__builtin_add_overflow(into, product, &into);
  };
  const auto with_constant = [](const Form &form) {
    std::vector<std::pair<u32, i64>> all = form.terms;
    if (form.constant != 0) {
      all.emplace_back(0, form.constant);
    }
    return all;
  };
  for (const auto &[x, cx] : with_constant(left)) {
    for (const auto &[y, cy] : with_constant(right)) {
      if (!add_product(x, cx, y, cy)) {
        return {};
      }
    }
  }
  Form result;
  for (const auto &[monomial, coefficient] : terms) {
    if (monomial == 0) {
      result.constant = coefficient;
    } else if (coefficient != 0) {
      result.terms.emplace_back(monomial, coefficient);
    }
  }
  return keep(std::move(result));
}

std::optional<Dim> Terms::divide_exactly(Dim a, Dim b) {
  if (!a.is_known() || !b.is_known() || b.is(0)) {
    return {};
  }
  if (a.is(0)) {
    return Dim::of(0);
  }
  if (a == b) {
    return Dim::of(1);
  }
  const Form dividend = form_of(a);
  const Form divisor = form_of(b);
  if (divisor.terms.size() + (divisor.constant != 0 ? 1 : 0) != 1) {
    // A sum: only a multiple of it can be told.
    if (dividend.terms.size() != divisor.terms.size() || dividend.terms.empty()) {
      return {};
    }
    const i64 by = divisor.terms[0].second;
    const i64 factor = dividend.terms[0].second / by;
    const auto rest = sum(dividend, divisor, -factor);
    return factor != 0 && rest && rest->terms.empty() && rest->constant == 0 ? std::optional(Dim::of(factor))
                                                                             : std::nullopt;
  }
  const Monomial by = divisor.terms.empty() ? Monomial{} : monomials_[divisor.terms[0].first];
  const i64 factor = divisor.terms.empty() ? divisor.constant : divisor.terms[0].second;
  Form result;
  if (dividend.constant != 0) {
    if (!by.empty() || dividend.constant % factor != 0) {
      return {};
    }
    result.constant = dividend.constant / factor;
  }
  for (const auto &[monomial, coefficient] : dividend.terms) {
    Monomial left;
    const Monomial &all = monomials_[monomial];
    if (coefficient % factor != 0 || !std::ranges::includes(all, by)) {
      return {};
    }
    std::ranges::set_difference(all, by, std::back_inserter(left));
    if (left.empty()) {
      result.constant += coefficient / factor;
    } else {
      result.terms.emplace_back(keep_monomial(std::move(left)), coefficient / factor);
    }
  }
  std::ranges::sort(result.terms);
  return keep(std::move(result));
}

bool Terms::is_older(Dim dim) const {
  return first_atom_ != 0 &&
         (dim.is_constant() || std::ranges::all_of(forms_[dim.form].terms, [this](const auto &term) {
            return monomials_[term.first].back() < first_atom_;
          }));
}

Dim Terms::quotient(Dim a, Dim b) {
  const auto key = std::tuple(a.value, a.form, b.value, b.form);
  const auto [place, is_new] = quotient_index_.try_emplace(key, static_cast<u32>(atoms_.size()));
  if (is_new) {
    is_shared_ = is_shared_ || (is_older(a) && is_older(b));
    Atom &atom = atoms_.emplace_back();
    atom.is_quotient = true;
    atom.numerator = a;
    atom.denominator = b;
    atom.least = 0;
  }
  Form form;
  form.terms.emplace_back(keep_monomial({place->second}), 1);
  return keep(std::move(form));
}

Dim Terms::floor_divide(Dim a, Dim b) {
  if (!a.is_known() || !b.is_known() || b.is(0)) {
    return {};
  }
  if (a.is_constant() && b.is_constant()) {
    return Dim::of(floor_of(a.value, b.value));
  }
  if (const auto exact = divide_exactly(a, b)) {
    return *exact;
  }
  if (b.is_constant() && b.value > 0) {
    // What is divided without a remainder comes out.
    const Form all = form_of(a);
    Form whole;
    Form rest;
    for (const auto &[monomial, coefficient] : all.terms) {
      (coefficient % b.value == 0 ? whole : rest)
          .terms.emplace_back(monomial, coefficient % b.value == 0 ? coefficient / b.value : coefficient);
    }
    whole.constant = floor_of(all.constant, b.value);
    rest.constant = all.constant - whole.constant * b.value;
    if (rest.terms.empty()) {
      return keep(std::move(whole));
    }
    // (x // m) // n is x // (m * n).
    if (rest.terms.size() == 1 && rest.terms[0].second == 1 && rest.constant == 0) {
      const Monomial &only = monomials_[rest.terms[0].first];
      if (only.size() == 1 && atoms_[only[0]].is_quotient && atoms_[only[0]].denominator.is_constant()) {
        const Dim numerator = atoms_[only[0]].numerator;
        const Dim by = Dim::of(atoms_[only[0]].denominator.value * b.value);
        return add(keep(std::move(whole)), quotient(numerator, by));
      }
    }
    const Dim least = keep(std::move(rest));
    if (compare(least, Dim::of(0)) == Sign::Negative) {
      return {};
    }
    return add(keep(std::move(whole)), quotient(least, b));
  }
  return is_at_least(a, 0) && is_at_least(b, 1) ? quotient(a, b) : Dim{};
}

Dim Terms::modulo(Dim a, Dim b) { return subtract(a, multiply(b, floor_divide(a, b))); }

Dim Terms::larger(Dim a, Dim b) {
  switch (compare(a, b)) {
  case Sign::Zero:
  case Sign::Positive:
    return a;
  case Sign::Negative:
    return b;
  default:
    return {};
  }
}

Dim Terms::smaller(Dim a, Dim b) {
  switch (compare(a, b)) {
  case Sign::Zero:
  case Sign::Negative:
    return a;
  case Sign::Positive:
    return b;
  default:
    return {};
  }
}

i64 Terms::least_of(const Monomial &monomial) const {
  i64 result = 1;
  for (const u32 atom : monomial) {
    if (__builtin_mul_overflow(result, std::max<i64>(atoms_[atom].least, 0), &result)) {
      return 1;
    }
  }
  return result;
}

std::optional<double> Terms::least(const Form &form, bool negated) const {
  // Quotients by a constant are replaced by their bounds: x/n - (n-1)/n <= x//n <= x/n.
  std::map<u32, double> terms;
  const double sign = negated ? -1 : 1;
  double constant = sign * static_cast<double>(form.constant);
  for (const auto &[monomial, coefficient] : form.terms) {
    const double factor = sign * static_cast<double>(coefficient);
    const Monomial &atoms = monomials_[monomial];
    if (atoms.size() == 1 && atoms_[atoms[0]].is_quotient && atoms_[atoms[0]].denominator.is_constant()) {
      const Atom &atom = atoms_[atoms[0]];
      const auto by = static_cast<double>(atom.denominator.value);
      const Form inner = form_of(atom.numerator);
      if (factor < 0) {
        constant += factor * static_cast<double>(inner.constant) / by;
        for (const auto &[other, many] : inner.terms) {
          terms[other] += factor * static_cast<double>(many) / by;
        }
        continue;
      }
    }
    terms[monomial] += factor;
  }
  for (const auto &[monomial, factor] : terms) {
    if (std::abs(factor) < 1e-9) {
      continue;
    }
    const Monomial &atoms = monomials_[monomial];
    if (factor < 0 || std::ranges::any_of(atoms, [this](u32 atom) { return atoms_[atom].least < 0; })) {
      return {};
    }
    constant += factor * static_cast<double>(least_of(atoms));
  }
  return constant;
}

i64 Terms::content(Dim a) const {
  if (!a.is_known()) {
    return 0;
  }
  if (a.is_constant()) {
    return std::abs(a.value);
  }
  const Form &form = forms_[a.form];
  i64 common = form.constant;
  for (const auto &term : form.terms) {
    common = std::gcd(common, term.second);
  }
  return common;
}

Sign Terms::compare(Dim a, Dim b) {
  if (!a.is_known() || !b.is_known()) {
    return Sign::Unknown;
  }
  if (a == b) {
    return Sign::Zero;
  }
  const auto difference = sum(form_of(a), form_of(b), -1);
  if (!difference) {
    return Sign::Unknown;
  }
  if (difference->terms.empty()) {
    return difference->constant == 0 ? Sign::Zero : difference->constant > 0 ? Sign::Positive : Sign::Negative;
  }
  if (const auto bound = least(*difference, false); bound && *bound > 1e-9) {
    return Sign::Positive;
  }
  if (const auto bound = least(*difference, true); bound && *bound > 1e-9) {
    return Sign::Negative;
  }
  i64 common = 0;
  for (const auto &term : difference->terms) {
    common = std::gcd(common, term.second);
  }
  return difference->constant % common != 0 ? Sign::NotZero : Sign::Unknown;
}

bool Terms::differ(Dim a, Dim b) {
  const Sign sign = compare(a, b);
  return sign == Sign::Positive || sign == Sign::Negative || sign == Sign::NotZero;
}

bool Terms::is_less(Dim a, Dim b) { return compare(a, b) == Sign::Negative; }

bool Terms::is_at_least(Dim a, i64 value) {
  if (!a.is_known()) {
    return false;
  }
  if (a.is_constant()) {
    return a.value >= value;
  }
  const auto bound = least(forms_[a.form], false);
  return bound && *bound + 1e-9 >= static_cast<double>(value);
}

std::optional<i64> Terms::evaluate(Dim dim, std::string_view name, i64 value) const {
  if (!dim.is_known()) {
    return {};
  }
  if (dim.is_constant()) {
    return dim.value;
  }
  const Form &form = forms_[dim.form];
  i64 total = form.constant;
  for (const auto &[monomial, coefficient] : form.terms) {
    i64 product = coefficient;
    for (const u32 at : monomials_[monomial]) {
      const Atom &atom = atoms_[at];
      i64 factor = value;
      if (atom.is_quotient) {
        const auto numerator = evaluate(atom.numerator, name, value);
        const auto denominator = evaluate(atom.denominator, name, value);
        if (!numerator || !denominator || *denominator == 0) {
          return {};
        }
        factor = floor_of(*numerator, *denominator);
      } else if (atom.name != name) {
        return {};
      }
      if (__builtin_mul_overflow(product, factor, &product)) {
        return {};
      }
    }
    if (__builtin_add_overflow(total, product, &total)) {
      return {};
    }
  }
  return total;
}

std::string Terms::text_of(u32 atom) const {
  const Atom &about = atoms_[atom];
  if (!about.is_quotient) {
    return about.name;
  }
  const auto wrapped = [this](Dim dim) {
    std::string inner = text(dim);
    return inner.find(' ') != std::string::npos || inner.find('*') != std::string::npos ? "(" + inner + ")" : inner;
  };
  return wrapped(about.numerator) + "//" + wrapped(about.denominator);
}

std::string Terms::text(Dim dim) const {
  if (!dim.is_known()) {
    return "?";
  }
  if (dim.is_constant()) {
    return std::to_string(dim.value);
  }
  const Form &form = forms_[dim.form];
  std::string out;
  const auto add_sign = [&out](bool is_negative) {
    if (out.empty()) {
      out += is_negative ? "-" : "";
    } else {
      out += is_negative ? " - " : " + ";
    }
  };
  for (const auto &[monomial, coefficient] : form.terms) {
    add_sign(coefficient < 0);
    const Monomial &atoms = monomials_[monomial];
    std::string product;
    if (coefficient != 1 && coefficient != -1) {
      product = std::to_string(std::abs(coefficient));
    }
    for (const u32 atom : atoms) {
      std::string factor = text_of(atom);
      if (atoms_[atom].is_quotient && (atoms.size() > 1 || !product.empty())) {
        factor = "(" + factor + ")";
      }
      product += product.empty() ? factor : "*" + factor;
    }
    out += product;
  }
  if (form.constant != 0) {
    add_sign(form.constant < 0);
    out += std::to_string(std::abs(form.constant));
  }
  return out;
}

} // namespace deepperf::shapes
