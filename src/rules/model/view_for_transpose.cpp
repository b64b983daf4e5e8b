#include "rules/assignments.h"
#include "rules/shape_problems.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>
#include <vector>

namespace deepperf::rules::view_for_transpose {

using namespace python;

namespace {

// `x` of x.size() and x.shape; null if it is something else.
const Name *owner_of_shape(const Expr *expr) {
  if (const auto *call = as<Call>(expr)) {
    return called_method(*call) == "size" && call->args.empty() ? as<Name>(receiver_of(*call)) : nullptr;
  }
  const auto *attribute = as<Attribute>(expr);
  return attribute != nullptr && attribute->attr.text() == "shape" ? as<Name>(attribute->value) : nullptr;
}

// Where a function unpacks the sizes of a name, and where the name becomes something else, in the order of its code.
struct Unpackings {
  struct Change {
    u32 end = 0;
    const Tuple *names = nullptr; // null: another tensor from here on
  };
  std::unordered_map<u32, std::vector<Change>> of; // by name
};

Unpackings find_unpackings(const Block &body) {
  Unpackings found;
  any_node(body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    if (assignment == nullptr || assignment->targets.size() != 1) {
      return false;
    }
    if (const auto *target = as<Name>(assignment->targets[0])) {
      found.of[target->id.id].push_back({assignment->end, nullptr});
    } else if (const auto *names = as<Tuple>(assignment->targets[0])) {
      const Name *const owner = owner_of_shape(assignment->value);
      any_node(names, [&](const Node *part) {
        const auto *other = as<Name>(part);
        if (other != nullptr && (owner == nullptr || other->id != owner->id)) {
          found.of[other->id.id].push_back({assignment->end, nullptr});
        }
        return false;
      });
      if (owner != nullptr) {
        found.of[owner->id.id].push_back({assignment->end, names});
      }
    }
    return false;
  });
  return found;
}

// The dimension of `x` whose size the expression is: x.size(1), x.shape[1], or `t` after `b, t, d = x.shape`.
class Sizes {
public:
  Sizes(const Site &site, const Name &x) : site_(site), x_(x) {
    const Unpackings &all =
        site.memory.recall<Unpackings>(&body_around(site), [&site] { return find_unpackings(body_around(site)); });
    if (const auto known = all.of.find(x.id.id); known != all.of.end()) {
      const auto after = std::ranges::upper_bound(known->second, x.start, {}, &Unpackings::Change::end);
      unpacked_ = after != known->second.begin() ? (after - 1)->names : nullptr;
    }
  }

  [[nodiscard]] std::optional<i64> dimension(const Expr *expr) const {
    if (const auto *call = as<Call>(expr)) {
      const auto *owner =
          called_method(*call) == "size" && call->args.size() == 1 ? as<Name>(receiver_of(*call)) : nullptr;
      return owner != nullptr && owner->id == x_.id ? integer_of(site_, call->args[0]) : std::nullopt;
    }
    if (const auto *element = as<Subscript>(expr)) {
      return is_shape(element->value) ? integer_of(site_, element->slice) : std::nullopt;
    }
    const auto *name = as<Name>(expr);
    for (u32 i = 0; name != nullptr && unpacked_ != nullptr && i < unpacked_->elts.size(); ++i) {
      const auto *bound = as<Name>(unpacked_->elts[i]);
      if (bound != nullptr && bound->id == name->id && name->id.text() != "_") {
        return i;
      }
    }
    return std::nullopt;
  }

  // How many dimensions it has, where the code tells.
  [[nodiscard]] std::optional<i64> rank() const {
    const bool is_known = unpacked_ != nullptr && std::ranges::all_of(unpacked_->elts, [](const Expr *name) {
                            return name->kind == NodeKind::Name;
                          });
    return is_known ? std::optional(static_cast<i64>(unpacked_->elts.size())) : std::nullopt;
  }

private:
  [[nodiscard]] bool is_shape(const Expr *expr) const {
    const Name *const owner = owner_of_shape(expr);
    return owner != nullptr && owner->id == x_.id;
  }

  const Site &site_;
  const Name &x_;
  const Tuple *unpacked_ = nullptr;
};

// The dimensions of `x` that one argument is the product of: `h * d`, `x.size(1) * x.size(2)`. Nothing if it is
// something else.
bool add_factors(const Sizes &sizes, const Expr *expr, std::vector<i64> &into) {
  if (const auto *product = as<BinOp>(expr); product != nullptr && product->op() == Operator::Mult) {
    return add_factors(sizes, product->left, into) && add_factors(sizes, product->right, into);
  }
  const std::optional<i64> dimension = sizes.dimension(expr);
  if (dimension.has_value()) {
    into.push_back(*dimension);
  }
  return dimension.has_value();
}

// What a new shape is made of: for each of its sizes the dimensions of the tensor that it is the product of.
struct NewShape {
  std::vector<std::vector<i64>> sizes;
  std::optional<std::size_t> rest; // the place of `-1`, which stands for what is left
};

std::optional<NewShape> new_shape(const Site &site, const Sizes &sizes, const std::vector<const Expr *> &args) {
  NewShape found;
  for (const Expr *arg : args) {
    if (integer_of(site, arg) == -1) {
      if (found.rest.has_value()) {
        return std::nullopt;
      }
      found.rest = found.sizes.size();
      found.sizes.emplace_back();
      continue;
    }
    std::vector<i64> factors;
    if (!add_factors(sizes, arg, factors)) {
      return std::nullopt;
    }
    std::ranges::sort(factors);
    found.sizes.push_back(std::move(factors));
  }
  return found;
}

// The dimensions in the order in which the new shape has them, if it has each of the first ones once.
std::optional<std::vector<i64>> order_of(NewShape &shape, std::optional<i64> rank) {
  std::vector<i64> named;
  for (const std::vector<i64> &factors : shape.sizes) {
    named.insert(named.end(), factors.begin(), factors.end());
  }
  std::ranges::sort(named);
  if (named.empty() || named.front() < 0 || std::ranges::adjacent_find(named) != named.end()) {
    return std::nullopt;
  }
  // Without the names of all of them, what `-1` stands for comes through the named ones, if these have no gap.
  const bool is_prefix = named.back() + 1 == static_cast<i64>(named.size());
  const i64 count = rank.value_or(named.back() + 1);
  if (shape.rest.has_value() && (rank.has_value() || (is_prefix && *shape.rest + 1 == shape.sizes.size()))) {
    for (i64 dimension = 0; dimension < count; ++dimension) {
      if (!std::ranges::binary_search(named, dimension)) {
        shape.sizes[*shape.rest].push_back(dimension);
      }
    }
  } else if (!is_prefix || shape.rest.has_value() || static_cast<i64>(named.size()) != count) {
    return std::nullopt;
  }
  std::vector<i64> order;
  for (const std::vector<i64> &factors : shape.sizes) {
    order.insert(order.end(), factors.begin(), factors.end());
  }
  return order;
}

// `torch.reshape(x, …)` and `x.contiguous().view(…)` are about x as well.
const Name *reshaped(const Site &site, const Call &call) {
  const bool is_function = called_api(site, call) == "torch.reshape";
  const Expr *subject = is_function ? argument(call, 0, "input") : receiver_of(call);
  const auto *contiguous = as<Call>(subject);
  if (contiguous != nullptr && (called_method(*contiguous) == "contiguous" || called_method(*contiguous) == "clone")) {
    subject = receiver_of(*contiguous);
  }
  return as<Name>(subject);
}

std::vector<const Expr *> sizes_of(const Site &site, const Call &call) {
  const bool is_function = called_api(site, call) == "torch.reshape";
  std::vector<const Expr *> args(call.args.begin() + (is_function && !call.args.empty() ? 1 : 0), call.args.end());
  if (args.size() == 1) {
    const auto *tuple = as<Tuple>(args[0]);
    const auto *list = as<List>(args[0]);
    if (tuple != nullptr) {
      args.assign(tuple->elts.begin(), tuple->elts.end());
    } else if (list != nullptr) {
      args.assign(list->elts.begin(), list->elts.end());
    }
  }
  return args;
}

// `x = x.reshape(b, m, n)`, then a part of it, `x[:, 1:]`, and that in another shape again: the numbers are shifted
// against each other on purpose, as in relative attention.
bool is_shift(const Site &site, const Call &call) {
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *bound =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  if (bound == nullptr) {
    return false;
  }
  const auto is_part = [](const Expr *expr, Symbol name) {
    const auto *part = as<Subscript>(expr);
    const auto *of = part != nullptr ? as<Name>(part->value) : nullptr;
    return of != nullptr && of->id == name && any_node(part->slice, [](const Node *node) {
             const auto *slice = as<Slice>(node);
             return slice != nullptr && (slice->lower != nullptr || slice->upper != nullptr);
           });
  };
  Symbol cut; // the name of the part
  return any_node(body_around(site), [&](const Node *node) {
    const auto *later = as<Assign>(node);
    if (later != nullptr && later->start >= call.end && later->targets.size() == 1 &&
        is_part(later->value, bound->id)) {
      const auto *name = as<Name>(later->targets[0]);
      cut = name != nullptr ? name->id : cut;
    }
    const auto *again = as<Call>(node);
    if (again == nullptr || again->start < call.end) {
      return false;
    }
    const std::string_view name = called_name(*again);
    if (name != "reshape" && name != "view" && name != "view_as") {
      return false;
    }
    const bool is_function = called_api(site, *again) == "torch.reshape";
    const Expr *subject = is_function ? argument(*again, 0, "input") : receiver_of(*again);
    const auto *contiguous = as<Call>(subject);
    subject = contiguous != nullptr && called_method(*contiguous) == "contiguous" ? receiver_of(*contiguous) : subject;
    const auto *plain = as<Name>(subject);
    return subject != nullptr && (is_part(subject, bound->id) || (cut && plain != nullptr && plain->id == cut));
  });
}

void check(Site &site, const Call &call) {
  const Name *const x = reshaped(site, call);
  if (x == nullptr || !call.keywords.empty() || site.module->is_test || site.function->definition() == nullptr) {
    return;
  }
  const std::vector<const Expr *> args = sizes_of(site, call);
  const Sizes sizes(site, *x);
  std::optional<NewShape> shape = args.size() >= 2 ? new_shape(site, sizes, args) : std::nullopt;
  if (!shape.has_value()) {
    return;
  }
  const std::optional<std::vector<i64>> order = order_of(*shape, sizes.rank());
  const bool is_plain = std::ranges::all_of(shape->sizes, [](const auto &factors) { return factors.size() <= 1; });
  if (!order.has_value() || order->size() < 2 || std::ranges::is_sorted(*order) || is_shift(site, call)) {
    return;
  }
  // A dimension that only `-1` names may have size 1: then it may stand anywhere.
  std::vector<i64> named;
  for (std::size_t i = 0; i < shape->sizes.size(); ++i) {
    if (i != shape->rest) {
      named.insert(named.end(), shape->sizes[i].begin(), shape->sizes[i].end());
    }
  }
  std::string dims;
  for (const i64 dimension : *order) {
    dims += fmt::format("{}{}", dims.empty() ? "" : ", ", dimension);
  }
  std::string sizes_text;
  for (const Expr *arg : args) {
    sizes_text += fmt::format("{}{}", sizes_text.empty() ? "" : ", ", text_of(site, arg));
  }
  // What `-1` stands for is not known: permute() would have to name it.
  const bool has_more = shape->rest.has_value() && shape->sizes[*shape->rest].empty();
  const std::string name(x->id.text());
  const std::string permuted = order->size() == 2 && has_more ? fmt::format("{}.transpose(0, 1)", name)
                               : has_more                     ? fmt::format("{}.permute({}, …)", name, dims)
                                                              : fmt::format("{}.permute({})", name, dims);
  Finding &finding = report(site, call,
                            fmt::format("`{}` does not transpose: it reads the same numbers in another shape, which "
                                        "mixes the samples or steps of `{}`",
                                        called_name(call), name),
                            is_plain ? fmt::format("use `{}`", permuted)
                                     : fmt::format("transpose first: `{}.reshape({})`", permuted, sizes_text));
  if (std::ranges::is_sorted(named)) {
    finding.tier = Tier::Hint;
  }
}

// The same where shapes tell: of the result of other functions, with numbers.
void check_shapes(Site &site) { report_shape_problems(site, shapes::Fault::MixedDimensions); }

} // namespace

extern constinit const Rule kViewForTranspose = {.info = {.code = "DP268",
                                                          .name = "view-for-transpose",
                                                          .summary = "`view` or `reshape` used to swap dimensions",
                                                          .root_cause = "Training: Wrong Model Definition",
                                                          .symptoms = "Wrong Result",
                                                          .stage = "Training",
                                                          .frameworks = "PyTorch",
                                                          .severity = Severity::Error,
                                                          .tier = Tier::On,
                                                          .documentation = R"(## What it finds

`x.view(b, d, t)` or `x.reshape(x.size(1), x.size(0), -1)` where the sizes are those of `x` in another order; also products of them, as in
`x.reshape(b, n, h * d)` of a tensor of heads (`b, h, n, d = x.shape`).

## Why it is wrong

`view` and `reshape` keep the order of the numbers and only divide them differently. The shape is as intended, but each row holds pieces of several samples or time
steps. Nothing fails, and the model learns badly.

## Bad

```python
import torch


def to_channels_first(x: torch.Tensor):
    b, t, d = x.shape
    return x.reshape(b, d, t)
```

## Good

```python
import torch


def to_channels_first(x: torch.Tensor):
    return x.permute(0, 2, 1)
```

## When it is wrong

Where one of the dimensions has size 1.

## References

- PyTorch documentation of `torch.Tensor.view` and `torch.permute`
)"},
                                                 .calls = "*.view *.reshape torch.reshape",
                                                 .on_call = check,
                                                 .on_shapes = check_shapes};

} // namespace deepperf::rules::view_for_transpose
