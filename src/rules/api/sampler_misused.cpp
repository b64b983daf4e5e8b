#include "rules/assignments.h"
#include "rules/made_on_host.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::sampler_misused {

using namespace python;

namespace {

constexpr u32 kMostDepth = 8;

// Follows the weights of a sampler back to something that has one entry for each class.
class Search {
public:
  // Does the expression have one element for each class?
  bool is_per_class(const Site &site, const Expr *expr, u32 depth = 0) {
    if (depth > kMostDepth) {
      return false;
    }
    switch (expr->kind) {
    case NodeKind::Name:
      return is_name_per_class(site, *static_cast<const Name *>(expr), depth);
    case NodeKind::Call:
      return is_call_per_class(site, *static_cast<const Call *>(expr), depth);
    case NodeKind::BinOp: { // 1.0 / counts
      const auto *operation = static_cast<const BinOp *>(expr);
      const bool is_scaled = operation->op() == Operator::Div || operation->op() == Operator::Mult ||
                             operation->op() == Operator::Add || operation->op() == Operator::Pow;
      return is_scaled &&
             (is_per_class(site, operation->left, depth + 1) || is_per_class(site, operation->right, depth + 1));
    }
    case NodeKind::Attribute: // of a pandas Series
      return static_cast<const Attribute *>(expr)->attr.text() == "values" &&
             is_per_class(site, static_cast<const Attribute *>(expr)->value, depth + 1);
    case NodeKind::ListComp:
    case NodeKind::GeneratorExp: {
      const auto *items = static_cast<const ComprehensionExpr *>(expr);
      return items->generators.size() == 1 && is_classes(site, items->generators[0]->iter, depth + 1);
    }
    case NodeKind::Subscript: { // np.unique(labels, return_counts=True)[1]
      const auto *element = static_cast<const Subscript *>(expr);
      const auto *call = as<Call>(element->value);
      return call != nullptr && is_unique(site, *call);
    }
    default:
      return false;
    }
  }

private:
  static bool is_unique(const Site &site, const Call &call) {
    const std::string_view api = called_api(site, call);
    return api == "numpy.unique" || api == "torch.unique" || (called_method(call) == "unique" && call.args.empty());
  }

  static bool is_counter(const Site &site, const Call &call) {
    const std::string_view api = called_api(site, call);
    return api == "collections.Counter" || api == "numpy.bincount" || api == "torch.bincount" ||
           api == "sklearn.utils.class_weight.compute_class_weight" || called_method(call) == "value_counts" ||
           called_method(call) == "bincount";
  }

  // What a loop goes over, once for each class.
  bool is_classes(const Site &site, const Expr *expr, u32 depth) {
    const Expr *const value = written_value(site, expr);
    if (const auto *call = as<Call>(value)) {
      const auto *function = as<Name>(call->func);
      const std::string_view name = function != nullptr ? function->id.text() : std::string_view{};
      if (name == "set" || is_unique(site, *call)) {
        return true;
      }
      if ((name == "sorted" || name == "list" || name == "enumerate") && !call->args.empty()) {
        return depth < kMostDepth && is_classes(site, call->args[0], depth + 1);
      }
      const std::string_view method = called_method(*call);
      if (method == "values" || method == "items" || method == "keys") {
        return is_per_class(site, receiver_of(*call), depth + 1);
      }
    }
    return is_per_class(site, expr, depth + 1);
  }

  bool is_call_per_class(const Site &site, const Call &call, u32 depth) {
    if (is_counter(site, call)) {
      return true;
    }
    static constexpr std::string_view kCopies[] = {
        "torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.DoubleTensor", "torch.FloatTensor",
        "torch.Tensor", "numpy.array",     "numpy.asarray",    "torch.sqrt",         "numpy.sqrt",
        "torch.log",    "numpy.log",       "torch.reciprocal", "numpy.reciprocal"};
    static constexpr std::string_view kMethods[] = {"float",  "double",     "numpy",   "tolist",     "to",
                                                    "sqrt",   "pow",        "clamp",   "reciprocal", "cpu",
                                                    "astype", "sort_index", "to_numpy"};
    const auto *function = as<Name>(call.func);
    const bool is_list = function != nullptr && (function->id.text() == "list" || function->id.text() == "dict");
    if ((is_list || std::ranges::find(kCopies, called_api(site, call)) != std::end(kCopies)) && !call.args.empty()) {
      return is_list ? is_classes(site, call.args[0], depth + 1) : is_per_class(site, call.args[0], depth + 1);
    }
    if (receiver_of(call) != nullptr && std::ranges::find(kMethods, called_method(call)) != std::end(kMethods)) {
      return is_per_class(site, receiver_of(call), depth + 1);
    }
    if (called_method(call) == "values" && call.args.empty()) {
      return is_per_class(site, receiver_of(call), depth + 1);
    }
    const model::FunctionInfo *const made_by = called_function(site, call);
    const Expr *const returned = made_by != nullptr && made_by->definition() != nullptr && made_by != site.function
                                     ? returned_at_end(site, call)
                                     : nullptr;
    return returned != nullptr && is_per_class(site_inside(site, *made_by), returned, depth + 1);
  }

  bool is_name_per_class(const Site &site, const Name &name, u32 depth) {
    const Expr *const value = assigned_before(site, name.id, name.start);
    if (value == nullptr) {
      return is_unpacked(site, name) || is_given(site, name, depth);
    }
    const auto *list = as<List>(value);
    if (list == nullptr || !list->elts.empty()) {
      return is_per_class(site, value, depth + 1);
    }
    // weights = [], which a loop fills
    return any_node(body_around(site), [&](const Node *node) {
      const auto *loop = as<For>(node);
      return loop != nullptr && loop->end <= name.start && is_classes(site, loop->iter, depth + 1) &&
             std::ranges::any_of(loop->body, [&](const Stmt *statement) {
               const auto *plain = as<ExprStmt>(statement);
               const auto *call = plain != nullptr ? as<Call>(plain->value) : nullptr;
               const auto *target =
                   call != nullptr && called_method(*call) == "append" ? as<Name>(receiver_of(*call)) : nullptr;
               return target != nullptr && target->id == name.id;
             });
    });
  }

  // classes, counts = np.unique(labels, return_counts=True)
  static bool is_unpacked(const Site &site, const Name &name) {
    return any_node(body_around(site), [&](const Node *node) {
      const auto *assign = as<Assign>(node);
      const auto *targets = assign != nullptr && assign->targets.size() == 1 ? as<Tuple>(assign->targets[0]) : nullptr;
      const auto *call = targets != nullptr ? as<Call>(run_by(assign->value)) : nullptr;
      return call != nullptr && assign->end <= name.start && is_unique(site, *call) &&
             keyword_argument(*call, "return_inverse") == nullptr && mentions(targets, name.id);
    });
  }

  // A parameter: what all callers pass.
  bool is_given(const Site &site, const Name &name, u32 depth) {
    if (site.function == nullptr || site.function->called_by.empty() || site.function->definition() == nullptr) {
      return false;
    }
    const auto &params = site.function->params;
    const auto *const at = std::ranges::find(params, name.id, &Param::name);
    if (at == params.end()) {
      return false;
    }
    const u32 place = static_cast<u32>(at - params.begin());
    return std::ranges::all_of(site.function->called_by, [&](const model::CallSite *by) {
      const Expr *const given = argument(*by->call, place - (by->bound ? 1 : 0), name.id.text());
      return given != nullptr && by->caller != site.function &&
             is_per_class(site_of(site, *by->call), given, depth + 1);
    });
  }
};

void check(Site &site, const Call &call) {
  const Expr *weights = argument(call, 0, "weights");
  if (weights == nullptr || has_hidden_arguments(call)) {
    return;
  }
  const Expr *const samples = argument(call, 1, "num_samples");
  const auto *written = as<List>(written_value(site, weights));
  const auto *length = samples != nullptr ? as<Call>(written_value(site, samples)) : nullptr;
  constexpr u32 kMostClasses = 20;
  const bool is_short = written != nullptr && !written->elts.empty() && written->elts.size() <= kMostClasses &&
                        length != nullptr && called_name(*length) == "len" &&
                        std::ranges::all_of(written->elts, [](const Expr *one) {
                          return one->kind == NodeKind::Constant || one->kind == NodeKind::BinOp;
                        });
  if (!is_short && !Search().is_per_class(site, weights)) {
    return;
  }
  report(
      site, call,
      "these are the weights of the classes, but `WeightedRandomSampler` takes one weight for each sample, so only the "
      "first few samples are ever drawn",
      fmt::format("look up the weight of each sample's label: `{}[labels]`", text_of(site, weights)));
}

} // namespace

extern constinit const Rule kSamplerMisused = {
    .info = {.code = "DP171",
             .name = "sampler-misused",
             .summary = "a `WeightedRandomSampler` with weights of classes",
             .root_cause = "API: Wrong API Usage",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `WeightedRandomSampler` that receives one weight for each class, such as `1 / bincount(labels)`, also from a function or a parameter, or as a short list of
numbers.

## Why it is wrong

The sampler draws sample indices with these weights. With ten weights it draws only the samples 0 to 9, repeatedly, and the model never sees the
others.

## Bad

```python
import torch
from torch.utils.data import WeightedRandomSampler


def make_sampler(labels: torch.Tensor):
    weights = 1.0 / torch.bincount(labels)
    return WeightedRandomSampler(weights, len(labels))
```

## Good

```python
import torch
from torch.utils.data import WeightedRandomSampler


def make_sampler(labels: torch.Tensor):
    weights = 1.0 / torch.bincount(labels)
    return WeightedRandomSampler(weights[labels], len(labels))
```

## When it is wrong

Where the data set has one sample for each class.

## References

- PyTorch documentation of `torch.utils.data.WeightedRandomSampler`
)"},
    .calls = "torch.utils.data.WeightedRandomSampler torch.utils.data.sampler.WeightedRandomSampler",
    .on_call = check};

} // namespace deepperf::rules::sampler_misused
