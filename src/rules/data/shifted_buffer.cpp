#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::shifted_buffer {

using namespace python;

namespace {

constexpr i64 kLarge = 256;

// `x[1:]`, `x[:-1]`, `x[:, 1:]` of that name.
bool is_shifted(const Expr *part, Symbol name) {
  const auto *subscript = as<Subscript>(part);
  const auto *base = subscript != nullptr ? as<Name>(subscript->value) : nullptr;
  if (base == nullptr || base->id != name) {
    return false;
  }
  if (subscript->slice->kind == NodeKind::Slice) {
    return true;
  }
  const auto *tuple = as<Tuple>(subscript->slice);
  return tuple != nullptr && !tuple->elts.empty() && tuple->elts[tuple->elts.size() - 1]->kind == NodeKind::Slice;
}

// The longest axis that the buffer was made with, if it is known.
i64 known_length(const Site &site, const Name &name) {
  const model::Value value = value_of(site, &name);
  std::vector<const Call *> makers;
  if (value.is(model::Value::Tag::Instance) && value.maker() != nullptr) {
    makers.push_back(value.maker());
  }
  if (const Expr *first = last_assigned(site, name)) {
    if (const auto *call = as<Call>(first)) {
      makers.push_back(call);
    }
  }
  i64 longest = 0;
  for (const Call *maker : makers) {
    for (const Expr *argument : maker->args) {
      const auto look = [&](const Expr *size) {
        const std::optional<i64> length = integer_of(site, size);
        longest = length ? std::max(longest, *length) : longest;
      };
      look(argument);
      if (const auto *shape = as<Tuple>(argument)) {
        for (const Expr *size : shape->elts) {
          look(size);
        }
      }
    }
  }
  return longest;
}

void check(Site &site, const Call &call) {
  const model::Loop *loop = loop_around(site);
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  if (loop == nullptr || loop->few_iterations || loop->iterations == model::Iterations::Few || assignment == nullptr ||
      call.args.empty() || assignment->targets.size() != 1 || site.module->is_test) {
    return;
  }
  const auto *target = as<Name>(assignment->targets[0]);
  const Array<Expr *> parts = call.args[0]->kind == NodeKind::List    ? static_cast<const List *>(call.args[0])->elts
                              : call.args[0]->kind == NodeKind::Tuple ? static_cast<const Tuple *>(call.args[0])->elts
                                                                      : Array<Expr *>{};
  const bool appends = called_api(site, call) == "numpy.append";
  const bool shifts =
      target != nullptr &&
      (appends ? is_shifted(call.args[0], target->id)
               : parts.size() == 2 && (is_shifted(parts[0], target->id) || is_shifted(parts[1], target->id)));
  if (!shifts) {
    return;
  }
  Finding &finding =
      report(site, call, fmt::format("every iteration copies all of `{}` to move it by one place", target->id.text()),
             "write into a ring: `buffer[t % len(buffer)] = x`, and read it in order where needed");
  add_note(finding, site, *loop->node, "in every iteration of this loop");
  if (known_length(site, *target) < kLarge) {
    finding.tier = Tier::Hint; // a stack of four frames is copied in no time
  }
}

} // namespace

extern constinit const Rule kShiftedBuffer = {
    .info = {.code = "DP424",
             .name = "shifted-buffer",
             .summary = "a buffer that is copied in every iteration to drop its oldest element",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, NumPy",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`buffer = torch.cat([buffer[1:], x])` in a loop, and the same with `np.concatenate` and `np.append`, where the buffer was
created with at least 256 elements along an axis. Smaller ones, and those of unknown size, are hints.

## Why it costs

Each iteration allocates a new buffer and copies everything that stays, to store one element.

## Bad

```python
import torch


def run(stream):
    buffer = torch.zeros(4000, 32)
    for x in stream:
        buffer = torch.cat([buffer[1:], x.unsqueeze(0)])
    return buffer
```

## Good

```python
import torch


def run(stream):
    buffer = torch.zeros(4000, 32)
    for t, x in enumerate(stream):
        buffer[t % len(buffer)] = x
    return buffer
```

## When it is wrong

Where every iteration reads the whole buffer in order, copying it costs little more than reading it.

## References

- `torch.cat`: the result is a copy
)"},
    .calls =
        "torch.cat torch.concat numpy.concatenate numpy.append numpy.hstack numpy.vstack torch.vstack torch.hstack",
    .on_call = check};

} // namespace deepperf::rules::shifted_buffer
