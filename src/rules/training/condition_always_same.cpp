#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace deepperf::rules::condition_always_same {

using namespace python;

namespace {

constexpr u32 kMostParts = 24; // of one condition, and of one chain of branches

// ---- What gives the same value when it is computed twice
// --------------------------------------------------------------

bool is_pure(const Expr *expr, u32 depth = 0) {
  if (depth > 8) {
    return false;
  }
  const auto pure = [depth](const Expr *part) { return part == nullptr || is_pure(part, depth + 1); };
  const auto all_pure = [&](const Array<Expr *> &parts) { return std::ranges::all_of(parts, pure); };
  switch (expr->kind) {
  case NodeKind::Name:
  case NodeKind::Constant:
    return true;
  case NodeKind::Attribute:
    return pure(static_cast<const Attribute *>(expr)->value);
  case NodeKind::Subscript:
    return pure(static_cast<const Subscript *>(expr)->value) && pure(static_cast<const Subscript *>(expr)->slice);
  case NodeKind::UnaryOp:
    return pure(static_cast<const UnaryOp *>(expr)->operand);
  case NodeKind::BinOp:
    return pure(static_cast<const BinOp *>(expr)->left) && pure(static_cast<const BinOp *>(expr)->right);
  case NodeKind::BoolOp:
    return all_pure(static_cast<const BoolOp *>(expr)->values);
  case NodeKind::Tuple:
    return all_pure(static_cast<const Tuple *>(expr)->elts);
  case NodeKind::List:
    return all_pure(static_cast<const List *>(expr)->elts);
  case NodeKind::Compare: {
    const auto *compare = static_cast<const Compare *>(expr);
    return pure(compare->left) &&
           std::ranges::all_of(compare->rest, [&](const CompareItem &item) { return pure(item.right); });
  }
  case NodeKind::Call: {
    const auto *call = static_cast<const Call *>(expr);
    const std::string_view name = called_name(*call);
    const Expr *receiver = receiver_of(*call);
    const bool is_known = receiver == nullptr ? name == "len" || name == "type" || name == "str" || name == "int" ||
                                                    name == "isinstance" || name == "issubclass" || name == "callable"
                                              : name == "lower" || name == "upper" || name == "strip" ||
                                                    name == "dim" || name == "ndimension" || name == "size" ||
                                                    name == "startswith" || name == "endswith";
    return is_known && call->keywords.empty() && pure(receiver) && all_pure(call->args);
  }
  default:
    return false;
  }
}

// ---- One comparison with a literal
// ------------------------------------------------------------------------------------

struct Test {
  const Expr *subject = nullptr;
  CompareOperator op = CompareOperator::Eq;
  model::ConstantValue literal;
};

std::optional<model::ConstantValue> literal_of(const Site &site, const Expr *expr) {
  const auto *sign = as<UnaryOp>(expr);
  const Expr *plain = sign != nullptr && sign->op() == UnaryOperator::USub ? sign->operand : expr;
  if (plain->kind != NodeKind::Constant) {
    return std::nullopt; // a name may be meant to change
  }
  auto value = setting_of(site, expr);
  const bool is_text_or_number = value.has_value() && value->type != model::ConstantValue::Type::Bool;
  return is_text_or_number ? value : std::nullopt;
}

CompareOperator turned(CompareOperator op) {
  switch (op) {
  case CompareOperator::Lt:
    return CompareOperator::Gt;
  case CompareOperator::LtE:
    return CompareOperator::GtE;
  case CompareOperator::Gt:
    return CompareOperator::Lt;
  case CompareOperator::GtE:
    return CompareOperator::LtE;
  default:
    return op;
  }
}

std::optional<Test> test_of(const Site &site, const Expr *expr) {
  const auto *compare = as<Compare>(expr);
  if (compare == nullptr || compare->rest.size() != 1) {
    return std::nullopt;
  }
  CompareOperator op = compare->rest[0].op;
  const Expr *subject = compare->left;
  auto literal = literal_of(site, compare->rest[0].right);
  if (!literal.has_value()) {
    literal = literal_of(site, compare->left);
    subject = compare->rest[0].right;
    op = turned(op);
  }
  if (!literal.has_value() || op == CompareOperator::In || op == CompareOperator::NotIn ||
      subject->kind == NodeKind::Constant || !is_pure(subject)) {
    return std::nullopt;
  }
  if (op == CompareOperator::Is || op == CompareOperator::IsNot) {
    if (!literal->is_none()) {
      return std::nullopt; // identity of numbers and texts is another question
    }
    op = op == CompareOperator::Is ? CompareOperator::Eq : CompareOperator::NotEq;
  }
  return Test{.subject = subject, .op = op, .literal = std::move(*literal)};
}

// Can nothing be equal to both?
bool differ(const model::ConstantValue &left, const model::ConstantValue &right) {
  const auto one = left.as_number();
  const auto other = right.as_number();
  return one.has_value() && other.has_value() ? *one != *other : !left.same_as(right);
}

// `x > 5 and x < 3`, or turned around for `or`: the first bounds from below, the second from above.
bool never_both(const Test &low, const Test &high) {
  const auto from = low.literal.as_number();
  const auto to = high.literal.as_number();
  const bool is_low = low.op == CompareOperator::Gt || low.op == CompareOperator::GtE;
  const bool is_high = high.op == CompareOperator::Lt || high.op == CompareOperator::LtE;
  return is_low && is_high && from.has_value() && to.has_value() && *from > *to;
}

bool always_one(const Test &low, const Test &high) { // `x > 3 or x < 5`
  const auto from = low.literal.as_number();
  const auto to = high.literal.as_number();
  const bool is_low = low.op == CompareOperator::Gt || low.op == CompareOperator::GtE;
  const bool is_high = high.op == CompareOperator::Lt || high.op == CompareOperator::LtE;
  return is_low && is_high && from.has_value() && to.has_value() && *from < *to;
}

// Do the two comparisons give the same result together, whatever the value is?
bool is_settled(const Test &left, const Test &right, BoolOperator op) {
  const bool is_and = op == BoolOperator::And;
  const CompareOperator equality = is_and ? CompareOperator::Eq : CompareOperator::NotEq;
  if (left.op == equality && right.op == equality) {
    return differ(left.literal, right.literal);
  }
  return is_and ? never_both(left, right) || never_both(right, left)
                : always_one(left, right) || always_one(right, left);
}

// ---- Comparisons joined by `and` and `or`
// -----------------------------------------------------------------------------

void report_pair(Site &site, const Node &place, const Expr *left, const Expr *right, const Test &test, bool is_and,
                 bool is_elementwise) {
  const bool is_equality = test.op == CompareOperator::Eq || test.op == CompareOperator::NotEq;
  const std::string_view subject = text_of(site, test.subject);
  const auto written = [&](const Expr *part) {
    return fmt::format(fmt::runtime(is_elementwise ? "({})" : "{}"), text_of(site, part));
  };
  report(site, place,
         is_and ? fmt::format("this condition is never true: {}",
                              is_equality ? fmt::format("`{}` cannot equal both values", subject)
                                          : fmt::format("no `{}` is in both ranges", subject))
                : fmt::format("this condition is always true: {}",
                              is_equality ? fmt::format("`{}` differs from at least one of the two values", subject)
                                          : fmt::format("every `{}` is in one of the two ranges", subject)),
         fmt::format("join the comparisons with `{0}`: `{1} {0} {2}`, or correct one of them",
                     is_elementwise ? (is_and ? "|" : "&") : (is_and ? "or" : "and"), written(left), written(right)));
}

bool check_pairs(Site &site, const Node &place, const std::vector<const Expr *> &parts, BoolOperator op,
                 bool is_elementwise) {
  std::vector<std::pair<const Expr *, Test>> tests;
  for (const Expr *part : parts) {
    if (auto test = test_of(site, part); test.has_value() && tests.size() < kMostParts) {
      tests.emplace_back(part, std::move(*test));
    }
  }
  for (std::size_t i = 0; i < tests.size(); ++i) {
    for (std::size_t j = i + 1; j < tests.size(); ++j) {
      if (is_settled(tests[i].second, tests[j].second, op) &&
          text_of(site, tests[i].second.subject) == text_of(site, tests[j].second.subject)) {
        report_pair(site, place, tests[i].first, tests[j].first, tests[i].second, op == BoolOperator::And,
                    is_elementwise);
        return true;
      }
    }
  }
  return false;
}

// Is the expression used for its truth alone: a test of `if`, `while`, `assert`, or a part of one?
bool is_tested(const Site &site, const Expr *expr) {
  const Node *below = expr;
  for (std::size_t i = site.ancestors.size(); i-- > 0; below = site.ancestors[i]) {
    const Node *around = site.ancestors[i];
    switch (around->kind) {
    case NodeKind::If:
      return static_cast<const If *>(around)->test == below;
    case NodeKind::While:
      return static_cast<const While *>(around)->test == below;
    case NodeKind::Assert:
      return static_cast<const Assert *>(around)->test == below;
    case NodeKind::IfExp:
      return static_cast<const IfExp *>(around)->test == below;
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::GeneratorExp:
    case NodeKind::DictComp: {
      const auto *made = static_cast<const ComprehensionExpr *>(around);
      return std::ranges::any_of(made->generators, [&](const Comprehension *part) {
        return std::ranges::find(part->ifs, below) != part->ifs.end();
      });
    }
    case NodeKind::BoolOp:
      break;
    case NodeKind::UnaryOp:
      if (static_cast<const UnaryOp *>(around)->op() != UnaryOperator::Not) {
        return false;
      }
      break;
    default:
      return false;
    }
  }
  return false;
}

bool is_text(const Expr *expr) {
  const auto *text = as_string(expr);
  return text != nullptr && text->end - text->start > 2; // more than the quotes
}

// `x == "a" or "b"`, `"a" and "b" in x`: a text alone is true.
bool check_bare_text(Site &site, const BoolOp &both) {
  if (!is_tested(site, &both)) {
    return false;
  }
  const Compare *comparison = nullptr;
  const Expr *bare = nullptr;
  for (const Expr *part : both.values) {
    const auto *compare = as<Compare>(part);
    const bool is_about_text =
        compare != nullptr && compare->rest.size() == 1 &&
        (is_text(compare->left) || is_text(compare->rest[0].right) || compare->rest[0].right->kind == NodeKind::Tuple ||
         compare->rest[0].right->kind == NodeKind::List);
    comparison = is_about_text ? compare : comparison;
    bare = is_text(part) ? part : bare;
  }
  if (bare == nullptr || comparison == nullptr) {
    return false;
  }
  const bool is_or = both.op() == BoolOperator::Or;
  const bool is_membership =
      comparison->rest[0].op == CompareOperator::In || comparison->rest[0].op == CompareOperator::NotIn;
  const std::string_view written =
      is_membership ? text_of(site, comparison->rest[0].right)
                    : text_of(site, is_text(comparison->left) ? comparison->rest[0].right : comparison->left);
  const std::string_view op = comparison->rest[0].op == CompareOperator::In      ? "in"
                              : comparison->rest[0].op == CompareOperator::NotIn ? "not in"
                              : comparison->rest[0].op == CompareOperator::NotEq ? "!="
                                                                                 : "==";
  report(site, *bare,
         is_or ? "a string that is not empty is true, so this condition always is"
               : "a string that is not empty is true, so this part of the condition tests nothing",
         is_membership && is_text(comparison->left)
             ? fmt::format("compare it as well: `{} {} {}`", text_of(site, bare), op, written)
             : fmt::format("compare it as well: `{} {} {}`", written, op, text_of(site, bare)));
  return true;
}

void check_bool(Site &site, const BoolOp &both) {
  std::vector<const Expr *> parts(both.values.begin(), both.values.end());
  if (!check_pairs(site, both, parts, both.op(), false)) {
    check_bare_text(site, both);
  }
}

// `(x != 0) | (x != 255)` of arrays, for each element.
void check_elements(Site &site, const BinOp &both) {
  const bool is_and = both.op() == Operator::BitAnd;
  if (!is_and && both.op() != Operator::BitOr) {
    return;
  }
  std::vector<const Expr *> parts = {both.right};
  const Expr *left = both.left;
  for (const auto *inner = as<BinOp>(left); inner != nullptr && inner->op() == both.op() && parts.size() < kMostParts;
       inner = as<BinOp>(left)) {
    parts.push_back(inner->right);
    left = inner->left;
  }
  parts.push_back(left);
  std::ranges::reverse(parts);
  // The outer one of a chain has seen the inner ones already.
  const auto *around = site.ancestors.empty() ? nullptr : as<BinOp>(site.ancestors.back());
  if (around != nullptr && around->op() == both.op() && around->left == &both) {
    return;
  }
  check_pairs(site, both, parts, is_and ? BoolOperator::And : BoolOperator::Or, true);
}

// `x == ("a" or "b")`: that is "a" alone.
void check_operand(Site &site, const Compare &compare) {
  if (compare.rest.size() != 1) {
    return;
  }
  const auto *both = as<BoolOp>(compare.rest[0].right);
  const CompareOperator op = compare.rest[0].op;
  if (both == nullptr || op == CompareOperator::Is || op == CompareOperator::IsNot ||
      !std::ranges::all_of(both->values, [](const Expr *part) { return is_text(part); })) {
    return;
  }
  const bool is_or = both->op() == BoolOperator::Or;
  const std::string_view kept = text_of(site, is_or ? both->values[0] : both->values[both->values.size() - 1]);
  std::string listed;
  for (const Expr *part : both->values) {
    listed += (listed.empty() ? "" : ", ") + std::string(text_of(site, part));
  }
  const bool is_equal = op == CompareOperator::Eq || op == CompareOperator::In;
  report(site, compare,
         fmt::format("`({})` is just `{}`, so the other values are never compared", text_of(site, both), kept),
         fmt::format("test for membership: `{} {} ({})`", text_of(site, compare.left), is_equal ? "in" : "not in",
                     listed));
}

// ---- Chains of branches
// -----------------------------------------------------------------------------------------------

bool is_elif_of(const Node *around, const If &branch) {
  const auto *outer = as<If>(around);
  return outer != nullptr && outer->orelse.size() == 1 && outer->orelse[0] == &branch;
}

// `if mode == "a": … elif mode == "a": …`: the second never runs.
void check_chain(Site &site, const If &first) {
  if (first.orelse.size() != 1 || (!site.ancestors.empty() && is_elif_of(site.ancestors.back(), first))) {
    return;
  }
  const auto body_of = [&](const If &branch) {
    if (branch.body.size() == 0) {
      return std::string_view{};
    }
    return site.module->parsed->source.text().substr(branch.body[0]->start,
                                                     branch.body[branch.body.size() - 1]->end - branch.body[0]->start);
  };
  std::unordered_map<std::string_view, const If *> seen;
  u32 count = 0;
  for (const If *branch = &first; branch != nullptr && count < 256; ++count) {
    if (is_pure(branch->test)) {
      const auto [before, is_new] = seen.emplace(text_of(site, branch->test), branch);
      if (!is_new) {
        Finding &finding = report(site, *branch->test,
                                  fmt::format("this branch never runs: an earlier branch has the same test, `{}`",
                                              text_of(site, branch->test)),
                                  "correct the test, or remove the branch");
        add_note(finding, site, *before->second->test, "here is the first");
        if (body_of(*branch) == body_of(*before->second)) {
          finding.tier = Tier::Hint; // nothing is lost
        }
      }
    }
    branch = branch->orelse.size() == 1 ? as<If>(branch->orelse[0]) : nullptr;
  }
}

void check(Site &site, const Node &node) {
  if (site.module->is_test) {
    return;
  }
  if (const auto *both = as<BoolOp>(&node)) {
    check_bool(site, *both);
  } else if (const auto *compare = as<Compare>(&node)) {
    check_operand(site, *compare);
  } else if (const auto *operation = as<BinOp>(&node)) {
    check_elements(site, *operation);
  } else if (const auto *branch = as<If>(&node)) {
    check_chain(site, *branch);
  }
}

} // namespace

extern constinit const Rule kConditionAlwaysSame = {
    .info = {.code = "DP995",
             .name = "condition-always-same",
             .summary = "a condition that has the same result for every value, or a branch that never runs",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`mode != "train" or mode != "test"`, which is always true, and `mode == "train" and mode == "test"`, which never is; the same of numbers, ranges and
elements of arrays, as in `(labels != 0) | (labels != 255)`. Also `mode == "train" or "test"` and `"conv" and "weight" in name`, where a
string alone is true, `mode == ("train" or "test")`, which compares with the first only, and an `elif` whose test has been made before.

## Why it is wrong

The program runs without an error, but ignores the setting: it trains in the wrong mode, freezes the wrong parameters, masks nothing, or uses another
optimizer than the one that was asked for.

## Bad

```python
import torch


def trainable(model: torch.nn.Module):
    for name, parameter in model.named_parameters():
        if "head" or "norm" in name:
            parameter.requires_grad = True
```

## Good

```python
import torch


def trainable(model: torch.nn.Module):
    for name, parameter in model.named_parameters():
        if "head" in name or "norm" in name:
            parameter.requires_grad = True
```

## When it is wrong

Where the value changes while the condition is evaluated.

## References

- Python documentation: Boolean operations
)"},
    .nodes = {NodeKind::BoolOp, NodeKind::Compare, NodeKind::BinOp, NodeKind::If},
    .on_node = check};

} // namespace deepperf::rules::condition_always_same
