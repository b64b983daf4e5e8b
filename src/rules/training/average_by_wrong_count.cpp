#include "rules/assignments.h"
#include "rules/loss_call.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::average_by_wrong_count {

using namespace python;

namespace {

enum class Added : u8 { Unknown, Mean, Total }; // in each iteration: a mean over the batch, or a sum over its samples
enum class Count : u8 { Unknown, Batches, Samples };

constexpr u32 kMostDepth = 6;

bool is_number(const Expr *expr) {
  const auto *constant = as<Constant>(expr);
  return constant != nullptr &&
         (constant->constant_kind() == ConstantKind::Int || constant->constant_kind() == ConstantKind::Float);
}

// The value without what only changes how it is stored: `x` of `x.detach().item()`, `float(x)`, `x.data`.
const Expr *bare(const Site &site, const Expr *expr) {
  for (u32 i = 0; i < kMostDepth; ++i) {
    if (const auto *attribute = as<Attribute>(expr); attribute != nullptr && attribute->attr.text() == "data") {
      expr = attribute->value;
      continue;
    }
    const auto *call = as<Call>(expr);
    if (call == nullptr) {
      return expr;
    }
    const std::string_view method = called_method(*call);
    const std::string_view api = called_api(site, *call);
    if (method == "item" || method == "detach" || method == "cpu" || method == "to" || method == "float" ||
        method == "double" || method == "numpy" || method == "cuda") {
      expr = receiver_of(*call);
    } else if ((api == "float" || api == "int") && call->args.size() == 1) {
      expr = call->args[0];
    } else {
      return expr;
    }
  }
  return expr;
}

// len(x), x.size(0), x.shape[0] of something that is no loader or data set: how many samples the batch has
bool is_batch_size(const Site &site, const Expr *expr) {
  expr = written_value(site, expr);
  if (const auto *call = as<Call>(expr)) {
    if (called_api(site, *call) == "len" && call->args.size() == 1) {
      const Kind kind = model::kind_of(call->args[0]);
      const auto *attribute = as<Attribute>(call->args[0]);
      return kind != Kind::TorchDataLoader && kind != Kind::TorchDataset &&
             (attribute == nullptr || attribute->attr.text() != "dataset");
    }
    return called_method(*call) == "size" && call->args.size() == 1 && integer_of(site, call->args[0]) == 0;
  }
  const auto *element = as<Subscript>(expr);
  const auto *shape = element != nullptr ? as<Attribute>(element->value) : nullptr;
  return shape != nullptr && shape->attr.text() == "shape" && integer_of(site, element->slice) == 0;
}

bool has_mean_reduction(const Site &site, const Call &call, u32 position) {
  const auto reduction =
      setting_of(site, argument_of(site, call, position, "reduction"), model::ConstantValue::of(std::string("mean")));
  return reduction.has_value() && reduction->as_string() == "mean" && !has_hidden_arguments(call) &&
         keyword_argument(call, "size_average") == nullptr && keyword_argument(call, "reduce") == nullptr;
}

// Is it the mean over the batch: what a loss gives by default, `x.mean()`, or a sum of such?
bool is_mean(const Site &site, const Expr *expr, u32 depth) {
  if (depth > kMostDepth) {
    return false;
  }
  expr = bare(site, expr);
  if (const auto *name = as<Name>(expr)) {
    const Expr *value = assigned_before(site, name->id, name->start);
    return value != nullptr && is_mean(site, value, depth + 1);
  }
  if (const auto *sum = as<BinOp>(expr)) {
    if (sum->op() == Operator::Add) {
      return is_mean(site, sum->left, depth + 1) && is_mean(site, sum->right, depth + 1);
    }
    const bool scales = sum->op() == Operator::Mult && (is_number(sum->left) || is_number(sum->right));
    return scales && is_mean(site, is_number(sum->left) ? sum->right : sum->left, depth + 1);
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  if (is_loss_function(called_api(site, *call))) {
    return has_mean_reduction(site, *call, ~0U);
  }
  if (called_method(*call) == "mean" && call->args.empty() && call->keywords.empty()) {
    return model::kind_of(receiver_of(*call)) == Kind::TorchTensor;
  }
  const model::Value callee = value_of(site, call->func);
  if (!callee.is_kind(Kind::TorchLoss) || callee.maker() == nullptr || callee.alternatives != nullptr || callee.many) {
    return false;
  }
  return has_mean_reduction(site_of(site, *callee.maker()), *callee.maker(), ~0U);
}

// `(prediction == y)`, also as `prediction.eq(y)`
bool is_comparison(const Site &site, const Expr *expr) {
  expr = written_value(site, bare(site, expr));
  const auto *call = as<Call>(expr);
  return expr->kind == NodeKind::Compare || (call != nullptr && called_method(*call) == "eq") ||
         (call != nullptr && called_api(site, *call) == "torch.eq");
}

Added added_of(const Site &site, const Expr *expr) {
  const Expr *value = written_value(site, bare(site, expr));
  value = bare(site, value);
  if (const auto *product = as<BinOp>(value); product != nullptr && product->op() == Operator::Mult) {
    if ((is_batch_size(site, product->left) && is_mean(site, product->right, 0)) ||
        (is_batch_size(site, product->right) && is_mean(site, product->left, 0))) {
      return Added::Total;
    }
  }
  if (const auto *call = as<Call>(value)) {
    const std::string_view api = called_api(site, *call);
    if (api == "torch.sum" && call->args.size() == 1 && is_comparison(site, call->args[0])) {
      return Added::Total;
    }
    if (called_method(*call) == "sum" && call->args.empty() && call->keywords.empty() &&
        is_comparison(site, receiver_of(*call))) {
      return Added::Total;
    }
  }
  return is_mean(site, expr, 0) ? Added::Mean : Added::Unknown;
}

// What a loop over batches adds to a name.
struct Sum {
  const For *loop = nullptr;
  const Expr *added = nullptr;
  std::string_view place = {}; // as it is written
};

struct Sums {
  std::vector<Sum> all; // of a function, in the order of its code
};

// A name, an attribute, or an entry of a dictionary: what a total may be kept in
bool is_place(const Expr *expr) {
  const auto *entry = as<Subscript>(expr);
  return expr->kind == NodeKind::Name || expr->kind == NodeKind::Attribute ||
         (entry != nullptr && entry->slice->kind == NodeKind::Constant);
}

void find_sums(const Site &site, const Node *node, const For *loop, std::vector<Sum> &found) {
  if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Lambda) {
    return;
  }
  if (const auto *inner = as<For>(node)) {
    loop = inner;
  }
  if (const auto *sum = as<AugAssign>(node)) {
    if (sum->op() == Operator::Add && is_place(sum->target)) {
      found.push_back({loop, sum->value, text_of(site, sum->target)});
    }
    return;
  }
  if (const auto *assignment = as<Assign>(node); assignment != nullptr && assignment->targets.size() == 1) {
    const auto *sum = as<BinOp>(assignment->value);
    if (sum != nullptr && sum->op() == Operator::Add && is_place(assignment->targets[0]) &&
        text_of(site, assignment->targets[0]) == text_of(site, sum->left)) {
      found.push_back({loop, sum->right, text_of(site, sum->left)});
    }
    return;
  }
  if (const auto *call = as<Call>(node);
      call != nullptr && called_method(*call) == "append" && call->args.size() == 1 && is_place(receiver_of(*call))) {
    found.push_back({loop, call->args[0], text_of(site, receiver_of(*call))}); // of which sum() is taken later
    return;
  }
  for_each_child(node, [&](const Node *child) { find_sums(site, child, loop, found); });
}

// The one statement that adds to the place before an offset, in a loop that ends before it.
Sum sum_before(const Site &site, std::string_view place, u32 offset) {
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  const void *about = definition != nullptr ? static_cast<const void *>(definition) : site.module;
  const Sums &sums = site.memory.recall<Sums>(about, [&site] {
    Sums found;
    for (const Stmt *statement : body_around(site)) {
      find_sums(site, statement, nullptr, found.all);
    }
    return found;
  });
  Sum last;
  u32 count = 0;
  for (const Sum &sum : sums.all) {
    if (sum.loop == nullptr || sum.loop->end > offset || sum.place != place) {
      continue;
    }
    count = sum.loop == last.loop ? count + 1 : 1;
    last = sum;
  }
  return count == 1 ? last : Sum{};
}

// `total` of `100 * total.item()`, `hits` of `sum(hits)`
const Expr *summed_place(const Site &site, const Expr *expr) {
  expr = bare(site, expr);
  if (const auto *product = as<BinOp>(expr); product != nullptr && product->op() == Operator::Mult) {
    return is_number(product->left)    ? summed_place(site, product->right)
           : is_number(product->right) ? summed_place(site, product->left)
                                       : nullptr;
  }
  const auto *call = as<Call>(expr);
  if (call != nullptr && call->args.size() == 1 && called_api(site, *call) == "sum") {
    expr = call->args[0];
  }
  return is_place(expr) ? expr : nullptr;
}

struct Divisor {
  Count count = Count::Unknown;
  const Expr *data = nullptr; // the loader or data set whose length it is
};

Divisor divisor_of(const Site &site, const Expr *expr, const For &loop) {
  expr = bare(site, expr);
  const auto *call = as<Call>(expr);
  if (call != nullptr && called_api(site, *call) == "max" && call->args.size() == 2) {
    return divisor_of(site, is_number(call->args[0]) ? call->args[1] : call->args[0], loop);
  }
  if (is_place(expr)) {
    const Sum counted = sum_before(site, text_of(site, expr), expr->start);
    if (counted.loop == &loop) {
      return {is_number(counted.added)             ? Count::Batches
              : is_batch_size(site, counted.added) ? Count::Samples
                                                   : Count::Unknown,
              nullptr};
    }
    expr = written_value(site, expr);
    call = as<Call>(expr);
  }
  if (call == nullptr || called_api(site, *call) != "len" || call->args.size() != 1) {
    return {};
  }
  const Expr *of = call->args[0];
  if (const auto *attribute = as<Attribute>(of); attribute != nullptr && attribute->attr.text() == "dataset") {
    return {Count::Samples, attribute->value};
  }
  const Kind kind = model::kind_of(of);
  return kind == Kind::TorchDataLoader ? Divisor{Count::Batches, of}
         : kind == Kind::TorchDataset  ? Divisor{Count::Samples, nullptr}
                                       : Divisor{};
}

bool has_one_sample(const Site &site, const Expr *loader) {
  const model::Value value = value_of(site, loader);
  if (!value.is_kind(Kind::TorchDataLoader) || value.maker() == nullptr) {
    return false;
  }
  const auto size = setting_of(site_of(site, *value.maker()),
                               argument_of(site_of(site, *value.maker()), *value.maker(), 1, "batch_size"),
                               model::ConstantValue::of(i64{1}));
  return size.has_value() && (size->is_none() || size->as_integer() == 1);
}

// `for i in range(n): x, y = data[i]`: what an iteration takes may be one sample.
bool goes_over_numbers(const Site &site, const model::Loop &loop) {
  const auto *range = as<Call>(iterated_by(site, loop));
  return range != nullptr && called_api(site, *range) == "range";
}

// Two loaders that were made by different calls
bool are_different(const Site &site, const Expr *left, const Expr *right) {
  const model::Value first = value_of(site, left);
  const model::Value second = value_of(site, right);
  const auto is_one = [](const model::Value &value) {
    return value.is_kind(Kind::TorchDataLoader) && value.maker() != nullptr && value.alternatives == nullptr &&
           !value.many && !value.open;
  };
  return is_one(first) && is_one(second) && first.maker() != second.maker();
}

void check_quotient(Site &site, const Node &place, const Expr *dividend, const Expr *divisor) {
  const Expr *total = summed_place(site, dividend);
  const Sum sum =
      total != nullptr && !site.module->is_test ? sum_before(site, text_of(site, total), place.start) : Sum{};
  const model::Loop *loop = sum.loop != nullptr ? site.project.loop_at(sum.loop) : nullptr;
  const Expr *iterated = loop != nullptr ? iterated_by(site, *loop) : nullptr;
  if (iterated == nullptr) {
    return;
  }
  if (model::kind_of(iterated) != Kind::TorchDataLoader) {
    iterated = written_value(site, iterated); // a progress bar
    const auto *bar = as<Call>(iterated);
    iterated =
        bar != nullptr && !bar->args.empty() && model::kind_of(bar) != Kind::TorchDataLoader ? bar->args[0] : iterated;
  }
  const Divisor by = divisor_of(site, divisor, *sum.loop);
  if (by.count == Count::Unknown) {
    return;
  }
  const std::string_view name = text_of(site, total);
  if (by.data != nullptr && text_of(site, by.data) != text_of(site, iterated)) {
    if (are_different(site, by.data, iterated)) {
      Finding &finding = report(site, place,
                                fmt::format("`{}` is a sum over `{}` but is divided by the length of `{}`", name,
                                            text_of(site, iterated), text_of(site, by.data)),
                                fmt::format("divide by the length of `{}`", text_of(site, iterated)));
      add_note(finding, site, *sum.loop, "the sum is computed here");
    }
    return;
  }
  const Added added = added_of(site, sum.added);
  if (added == Added::Mean && by.count == Count::Samples && !has_one_sample(site, iterated)) {
    Finding &finding = report(
        site, place,
        fmt::format("`{}` is a sum of means over batches but is divided by the number of samples, so the result is too "
                    "small by the batch size",
                    name),
        "divide by the number of batches, or add `loss.item() * x.size(0)` for each batch");
    add_note(finding, site, *sum.added, "this is a mean over the batch");
  } else if (added == Added::Total && by.count == Count::Batches && !has_one_sample(site, iterated) &&
             !goes_over_numbers(site, *loop)) {
    Finding &finding =
        report(site, place, fmt::format("`{}` is a sum over samples but is divided by the number of batches", name),
               by.data != nullptr ? fmt::format("divide by `len({}.dataset)`", text_of(site, by.data))
                                  : "divide by the number of samples");
    add_note(finding, site, *sum.added, "this is a sum over the samples of the batch");
  }
}

void check(Site &site, const Node &node) {
  if (const auto *quotient = as<BinOp>(&node)) {
    if (quotient->op() == Operator::Div) {
      check_quotient(site, node, quotient->left, quotient->right);
    }
  } else if (const auto *update = as<AugAssign>(&node); update != nullptr && update->op() == Operator::Div) {
    check_quotient(site, node, update->target, update->value);
  }
}

} // namespace

extern constinit const Rule kAverageByWrongCount = {
    .info = {.code = "DP918",
             .name = "average-by-wrong-count",
             .summary = "a sum over batches that is divided by the number of samples, or the other way around",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A value that a loop over a `DataLoader` sums up and that is then divided by a count that does not fit: batch means divided by the number of
samples, sums over samples divided by the number of batches, or a sum over one loader divided by the length of another one.

## Why it is wrong

A loss is by default the mean over its batch. The sum of these means divided by `len(loader.dataset)` is too small by the batch size, and an
accuracy divided by `len(loader)` is too large. The reported number changes with the batch size, and cannot be compared with others.

## Bad

```python
import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def validate(model: torch.nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    total = 0.0
    for x, y in loader:
        total += torch.nn.functional.cross_entropy(model(x), y)
    return total / len(loader.dataset)
```

## Good

```python
import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def validate(model: torch.nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    total = 0.0
    for x, y in loader:
        total += torch.nn.functional.cross_entropy(model(x), y) * x.size(0)
    return total / len(loader.dataset)
```

## When it is wrong

Where the batch size is 1.
)"},
    .nodes = {NodeKind::BinOp, NodeKind::AugAssign},
    .on_node = check};

} // namespace deepperf::rules::average_by_wrong_count
