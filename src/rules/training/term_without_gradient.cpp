#include "base/name_table.h"
#include "base/steps.h"
#include "rules/assignments.h"
#include "rules/loss_flow.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace deepperf::rules::term_without_gradient {

using namespace python;

namespace {

constexpr u32 kMostDepth = 12;
constexpr u32 kMostFollowed = 256; // sums of sums have very many ways

// Whether a value may hang on the autograd graph, whether it surely does, and where it was cut off if it does not. What
// nobody knows may have a gradient, so that nothing is said of it; it was not cut off from one, either.
struct Flow {
  bool may_have_gradient = false;
  bool has_gradient = false;
  const Node *cut = nullptr;

  void join(const Flow &other) {
    may_have_gradient = may_have_gradient || other.may_have_gradient;
    has_gradient = has_gradient || other.has_gradient;
    cut = cut != nullptr ? cut : other.cut;
  }
};

// What is known of the value of an expression that is followed no further.
Flow open_end(const Expr &expr) { return {.may_have_gradient = true, .has_gradient = model::has_grad(&expr)}; }

// Steps without a derivative: their result has no gradient, whatever they are given.
bool is_hard(Symbol method) {
  static const NameTable kMethods({"argmax", "argmin", "argsort", "round", "sign", "floor", "ceil", "long", "int",
                                   "bool", "gt", "lt", "ge", "le", "eq", "ne", "item", "tolist"});
  return kMethods.has(method);
}

bool is_hard_function(std::string_view api) {
  return api == "torch.argmax" || api == "torch.argmin" || api == "torch.round" || api == "torch.sign" ||
         api == "torch.floor" || api == "torch.gt" || api == "torch.lt" || api == "torch.ge" || api == "torch.eq" ||
         api == "float" || api == "int" || api == "numpy.array";
}

// What a function gives a name, in the order of its code.
struct Given {
  const Expr *value = nullptr; // null: something that is not followed
  u32 end = 0;
  bool is_added = false;
  bool in_branch = false;
};

struct AllGiven {
  std::unordered_map<u32, std::vector<Given>> of; // by name
};

void find_given(const Node *node, bool in_branch, AllGiven &found) {
  if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Lambda) {
    return;
  }
  if (const auto *assignment = as<Assign>(node)) {
    for (const Expr *target : assignment->targets) {
      if (const auto *bound = as<Name>(target)) {
        found.of[bound->id.id].push_back({assignment->value, node->end, false, in_branch});
        continue;
      }
      any_node(target, [&](const Node *part) {
        const auto *other = as<Name>(part);
        if (other != nullptr && other->context == Context::Store) {
          found.of[other->id.id].push_back({nullptr, node->end, false, in_branch});
        }
        return false;
      });
    }
    return;
  }
  if (const auto *sum = as<AugAssign>(node)) {
    if (const auto *bound = as<Name>(sum->target)) {
      found.of[bound->id.id].push_back({sum->value, node->end, true, in_branch});
    }
    return;
  }
  const bool branches = node->kind == NodeKind::If || node->kind == NodeKind::Try || node->kind == NodeKind::Match;
  for_each_child(node, [&](const Node *child) { find_given(child, in_branch || branches, found); });
}

// What the function around the place gives the name before an offset.
std::span<const Given> given_before(const Site &site, Symbol name, u32 offset) {
  const AllGiven &all = site.memory.recall<AllGiven>(&body_around(site), [&site] {
    AllGiven found;
    for (const Stmt *statement : body_around(site)) {
      find_given(statement, false, found);
    }
    return found;
  });
  const auto known = all.of.find(name.id);
  if (known == all.of.end()) {
    return {};
  }
  const auto end = std::ranges::upper_bound(known->second, offset, {}, &Given::end);
  return {known->second.begin(), end};
}

// Names that stand for each parameter of a model: of `for p in model.parameters()`, also in a comprehension.
struct EachParameter {
  std::unordered_set<u32> names;
};

EachParameter find_each_parameter(const Block &body) {
  EachParameter found;
  any_node(body, [&](const Node *node) {
    const Expr *target = nullptr;
    const Expr *iter = nullptr;
    if (const auto *loop = as<For>(node)) {
      target = loop->target;
      iter = loop->iter;
    } else if (node->kind == NodeKind::GeneratorExp || node->kind == NodeKind::ListComp) {
      const auto *list = static_cast<const ComprehensionExpr *>(node);
      target = list->generators[0]->target;
      iter = list->generators[0]->iter;
    }
    const auto *call = as<Call>(iter);
    if (call != nullptr && (called_method(*call) == "parameters" || called_method(*call) == "named_parameters")) {
      any_node(target, [&](const Node *part) {
        if (const auto *bound = as<Name>(part)) {
          found.names.insert(bound->id.id);
        }
        return false;
      });
    }
    return false;
  });
  return found;
}

class Walk {
public:
  explicit Walk(const Site &site) : site_(site) {}

  Flow of(const Expr *expr, u32 depth) {
    Flow flow;
    take_steps();
    if (depth > kMostDepth || ++followed_ > kMostFollowed) {
      return open_end(*expr);
    }
    switch (expr->kind) {
    case NodeKind::Constant:
    case NodeKind::JoinedStr:
    case NodeKind::Lambda:
      return flow;
    case NodeKind::Name:
      return of_name(static_cast<const Name &>(*expr), depth);
    case NodeKind::Attribute:
      return of_attribute(static_cast<const Attribute &>(*expr), depth);
    case NodeKind::Call:
      return of_call(static_cast<const Call &>(*expr), depth);
    case NodeKind::Compare: {
      const auto &test = static_cast<const Compare &>(*expr);
      flow = of(test.left, depth + 1);
      for (const CompareItem &item : test.rest) {
        flow.join(of(item.right, depth + 1));
      }
      return cut_at(flow, expr);
    }
    case NodeKind::GeneratorExp:
    case NodeKind::ListComp:
      return of(static_cast<const ComprehensionExpr *>(expr)->elt, depth + 1);
    case NodeKind::BinOp:
    case NodeKind::UnaryOp:
    case NodeKind::IfExp:
    case NodeKind::Subscript:
    case NodeKind::Tuple:
    case NodeKind::List:
    case NodeKind::Slice:
      for_each_child(static_cast<const Node *>(expr), [&](const Node *child) {
        if (child->kind < NodeKind::FunctionDef) {
          const auto *part = static_cast<const Expr *>(child);
          if (part->context == Context::Load) {
            flow.join(of(part, depth + 1));
          }
        }
      });
      return flow;
    default:
      return open_end(*expr);
    }
  }

private:
  static Flow cut_at(Flow flow, const Node *place) { return {.cut = flow.has_gradient ? place : flow.cut}; }

  [[nodiscard]] bool is_each_parameter(Symbol name) const {
    return site_.memory
        .recall<EachParameter>(&body_around(site_), [&] { return find_each_parameter(body_around(site_)); })
        .names.contains(name.id);
  }

  Flow of_name(const Name &name, u32 depth) {
    const std::span<const Given> given = given_before(site_, name.id, name.start);
    std::size_t from = given.size();
    while (from > 0) {
      --from;
      if (!given[from].is_added && !given[from].in_branch) {
        break;
      }
    }
    const bool is_whole = !given.empty() && !given[from].is_added && !given[from].in_branch;
    Flow flow;
    if (!is_whole) { // a parameter, or what a loop binds
      flow.has_gradient = model::has_grad(&name) || is_each_parameter(name.id);
      flow.may_have_gradient = flow.has_gradient;
    }
    for (std::size_t i = from; i < given.size() && !flow.has_gradient; ++i) {
      if (given[i].value == nullptr) {
        flow.has_gradient = flow.has_gradient || model::has_grad(&name);
        flow.may_have_gradient = flow.may_have_gradient || flow.has_gradient;
      } else {
        flow.join(of(given[i].value, depth + 1));
      }
    }
    return flow;
  }

  Flow of_attribute(const Attribute &attribute, u32 depth) {
    const std::string_view name = attribute.attr.text();
    if (name == "data") {
      return cut_at(of(attribute.value, depth + 1), &attribute);
    }
    if (name == "shape" || name == "device" || name == "dtype" || name == "ndim") {
      return {};
    }
    if (name == "T" || name == "mT" || name == "values") {
      return of(attribute.value, depth + 1);
    }
    return setting_of(site_, &attribute).has_value() ? Flow{} : open_end(attribute);
  }

  Flow of_arguments(const Call &call, u32 depth) {
    Flow flow;
    for (const Expr *part : call.args) {
      flow.join(of(part, depth + 1));
    }
    for (const Keyword *part : call.keywords) {
      flow.join(of(part->value, depth + 1));
    }
    return flow;
  }

  Flow of_call(const Call &call, u32 depth) {
    const std::string_view api = called_api(site_, call);
    const auto *method = as<Attribute>(call.func);
    const model::Value callee = site_.project.callee_of(&call);
    const bool is_tensor_method =
        method != nullptr && callee.is(model::Value::Tag::ApiMethod) && callee.kind == Kind::TorchTensor;
    if (api == "torch.tensor" || api == "torch.as_tensor" || api == "torch.autograd.Variable") {
      return {.may_have_gradient = true}; // another rule reports a copy without a graph
    }
    if (is_hard_function(api)) {
      return cut_at(of_arguments(call, depth), &call);
    }
    if (method != nullptr && (is_tensor_method || model::kind_of(method->value) == Kind::TorchTensor || api.empty())) {
      const std::string_view name = method->attr.text();
      if (name == "size" || name == "numel" || name == "dim") {
        return {};
      }
      if (name == "detach") {
        return {.may_have_gradient = true}; // meant so
      }
      if (is_hard(method->attr)) {
        return cut_at(of(method->value, depth + 1), &call);
      }
    }
    if (is_tensor_method) {
      Flow flow = of(method->value, depth + 1);
      flow.join(of_arguments(call, depth));
      return flow;
    }
    if (api.starts_with("torch.") || api == "sum" || api == "abs" || api == "max" || api == "min" || api == "len" ||
        callee.is_kind(Kind::TorchLoss)) {
      return api == "len" ? Flow{} : of_arguments(call, depth);
    }
    // A method of a value whose kind is not known, such as a parameter: sums, means and views keep what they are given.
    static const NameTable kKeep({"sum", "mean", "view", "flatten", "reshape", "float", "squeeze", "unsqueeze", "to",
                                  "abs", "pow", "clamp", "sqrt", "exp", "log", "contiguous", "permute", "transpose"});
    if (method != nullptr && callee.is_unknown() && kKeep.has(method->attr)) {
      Flow flow = of(method->value, depth + 1);
      flow.join(of_arguments(call, depth));
      return flow;
    }
    return open_end(call);
  }

  const Site &site_;
  u32 followed_ = 0;
};

bool is_number(const Expr *expr) { return expr->kind == NodeKind::Constant; }

// Reports terms of a sum that hang on no graph, but were computed from what does.
void check_terms(Site &site, const Expr *expr, u32 depth) {
  constexpr u32 kMostTerms = 6;
  if (depth > kMostTerms) {
    return;
  }
  if (const auto *sum = as<BinOp>(expr); sum != nullptr && (sum->op() == Operator::Add || sum->op() == Operator::Sub)) {
    check_terms(site, sum->left, depth + 1);
    check_terms(site, sum->right, depth + 1);
    return;
  }
  if (const auto *product = as<BinOp>(expr); product != nullptr && product->op() == Operator::Mult) {
    if (is_number(product->left) || is_number(product->right)) {
      check_terms(site, is_number(product->left) ? product->right : product->left, depth + 1);
      return;
    }
  }
  if (const auto *call = as<Call>(expr)) {
    const Expr *receiver = receiver_of(*call);
    if (receiver != nullptr && (called_method(*call) == "mean" || called_method(*call) == "sum") &&
        receiver->kind == NodeKind::BinOp) {
      check_terms(site, receiver, depth + 1);
      return;
    }
  }
  if (const auto *name = as<Name>(expr)) {
    const Expr *value = assigned_before(site, name->id, name->start);
    if (value != nullptr && value->kind == NodeKind::BinOp && !any_node(value, [&](const Node *node) {
          const auto *other = as<Name>(node);
          return other != nullptr && other->id == name->id;
        })) {
      check_terms(site, value, depth + 1);
      return;
    }
  }
  const Flow flow = Walk(site).of(expr, 0);
  if (flow.may_have_gradient || flow.cut == nullptr) {
    return;
  }
  const std::string_view text = text_of(site, flow.cut);
  constexpr std::size_t kLongest = 60;
  Finding &finding = report(
      site, *flow.cut,
      text.size() <= kLongest ? fmt::format("`{}` has no gradient, so this part of the loss trains nothing", text)
                              : std::string("this step has no gradient, so this part of the loss trains nothing"),
      "compute the loss from the probabilities or logits themselves, and keep hard decisions for metrics");
  if (!contains(expr, flow.cut)) {
    add_note(finding, site, *expr, "this part of the loss is computed from it");
  }
}

void check_backward(Site &site, const Call &call) {
  if (!site.module->is_test && receiver_of(call) != nullptr) {
    check_terms(site, receiver_of(call), 0);
  }
}

bool returns_tuple(const model::FunctionInfo &function) {
  return any_node(function.definition()->body, [](const Node *node) {
    const auto *result = as<Return>(node);
    return result != nullptr && result->value != nullptr && result->value->kind == NodeKind::Tuple;
  });
}

// A function whose result is a loss, or a term of one
void check_return(Site &site, const Node &node) {
  const auto &result = static_cast<const Return &>(node);
  if (result.value == nullptr || site.module->is_test || site.function->definition() == nullptr ||
      result.value->kind == NodeKind::Constant || site.function->called_by.empty() ||
      !project_has_word(site, {"backward("})) {
    return;
  }
  constexpr std::size_t kMostCallers = 8;
  const std::size_t count = std::min(site.function->called_by.size(), kMostCallers);
  const auto check_part = [&](const Expr *part, std::optional<u32> element) {
    const auto is_trained = [&](const model::CallSite *caller) {
      // `loss, _ = model(x, labels)` takes the tuple that another branch returns, and not this.
      const Site there = site_at(site, *caller->caller, *caller->call);
      const auto *taken = as<Assign>(there.ancestors.empty() ? nullptr : there.ancestors.back());
      if (!element.has_value() && taken != nullptr && taken->targets[0]->kind == NodeKind::Tuple &&
          returns_tuple(*site.function)) {
        return false;
      }
      return backward_of(site.memory, site.project, *caller->caller, caller->call, Way::Addend, element) != nullptr;
    };
    // Whether the result becomes a loss takes long to find out, and few results have such a part.
    const std::size_t before = site.findings.size();
    check_terms(site, part, 0);
    if (site.findings.size() != before &&
        std::none_of(site.function->called_by.begin(),
                     site.function->called_by.begin() + static_cast<std::ptrdiff_t>(count), is_trained)) {
      site.findings.erase(site.findings.begin() + static_cast<std::ptrdiff_t>(before), site.findings.end());
    }
  };
  const auto *tuple = as<Tuple>(result.value);
  if (tuple == nullptr) {
    check_part(result.value, {});
    return;
  }
  constexpr u32 kMostElements = 8;
  for (u32 i = 0; i < tuple->elts.size() && i < kMostElements; ++i) {
    check_part(tuple->elts[i], i);
  }
}

} // namespace

extern constinit const Rule kTermWithoutGradient = {
    .info = {.code = "DP923",
             .name = "term-without-gradient",
             .summary = "a part of the loss that is computed from hard decisions or plain numbers",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loss, or a term of one, that is computed only from thresholded or rounded predictions, from `argmax`, or from `item()` and `.data`.

## Why it is wrong

Comparisons, `round` and `argmax` have no derivative, and numbers have no graph. `backward()` fails, or, if other terms have a gradient, this one silently
trains nothing: a Dice term on `probs > 0.5` changes the printed loss and no weight.

## Bad

```python
import torch


def dice_loss(logits: torch.Tensor, target: torch.Tensor):
    pred = (logits.sigmoid() > 0.5).float()
    return 1 - 2 * (pred * target).sum() / (pred.sum() + target.sum())


def train_step(model: torch.nn.Module, x, y, optimizer: torch.optim.Optimizer):
    logits = model(x)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, y) + dice_loss(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good

```python
import torch


def dice_loss(logits: torch.Tensor, target: torch.Tensor):
    pred = logits.sigmoid()
    return 1 - 2 * (pred * target).sum() / (pred.sum() + target.sum())


def train_step(model: torch.nn.Module, x, y, optimizer: torch.optim.Optimizer):
    logits = model(x)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, y) + dice_loss(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it is wrong

Where the term is added only so that it shows in the printed loss.
)"},
    .calls = "TorchTensor.backward",
    .on_call = check_backward,
    .nodes = {NodeKind::Return},
    .on_node = check_return};

} // namespace deepperf::rules::term_without_gradient
