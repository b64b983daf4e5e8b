#include "rules/assignments.h"
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

private:
  [[nodiscard]] bool is_shape(const Expr *expr) const {
    const Name *const owner = owner_of_shape(expr);
    return owner != nullptr && owner->id == x_.id;
  }

  const Site &site_;
  const Name &x_;
  const Tuple *unpacked_ = nullptr;
};

void check(Site &site, const Call &call) {
  const auto *x = as<Name>(receiver_of(call));
  if (x == nullptr || call.args.size() < 2 || !call.keywords.empty() || site.module->is_test ||
      site.function->definition() == nullptr) {
    return;
  }
  const Sizes sizes(site, *x);
  std::vector<i64> order;
  for (u32 i = 0; i < call.args.size(); ++i) {
    const std::optional<i64> dimension = sizes.dimension(call.args[i]);
    if (!dimension.has_value()) {
      // `-1` at the end stands for what is left
      if (i + 1 == call.args.size() && i >= 2 && integer_of(site, call.args[i]) == -1) {
        break;
      }
      return;
    }
    order.push_back(*dimension);
  }
  if (order.size() < 2) {
    return;
  }
  // All of the first dimensions, each once, in another order
  std::vector<i64> sorted = order;
  std::ranges::sort(sorted);
  bool is_other = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (sorted[i] != static_cast<i64>(i)) {
      return;
    }
    is_other = is_other || order[i] != static_cast<i64>(i);
  }
  if (!is_other) {
    return;
  }
  std::string dims;
  for (const i64 dimension : order) {
    dims += fmt::format("{}{}", dims.empty() ? "" : ", ", dimension);
  }
  report(site, call,
         fmt::format(
             "`{}` does not exchange dimensions: it reads the same numbers in another shape, which mixes the samples "
             "or steps of `{}`",
             called_method(call), x->id.text()),
         order.size() == call.args.size() ? fmt::format("use `{}.permute({})`", x->id.text(), dims)
                                          : fmt::format("use `{}.transpose({}, {})`", x->id.text(), 0, 1));
}

} // namespace

extern constinit const Rule kViewForTranspose = {.info = {.code = "DP268",
                                                          .name = "view-for-transpose",
                                                          .summary = "`view` or `reshape` used to exchange dimensions",
                                                          .root_cause = "Training: Wrong Model Definition",
                                                          .symptoms = "Wrong Result",
                                                          .stage = "Training",
                                                          .frameworks = "PyTorch",
                                                          .severity = Severity::Error,
                                                          .tier = Tier::On,
                                                          .documentation = R"(## What it finds

`x.view(b, d, t)` or `x.reshape(x.size(1), x.size(0), -1)` where the sizes are those of `x` in another order.

## Why it is wrong

`view` and `reshape` keep the order of the numbers and only cut them in another way. The shape is the wanted one, but each row holds pieces of several samples or time
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
                                                 .calls = "*.view *.reshape",
                                                 .on_call = check};

} // namespace deepperf::rules::view_for_transpose
