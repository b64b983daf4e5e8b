#include "model/context.h"
#include "python/children.h"
#include "rules/assignments.h"
#include "rules/per_step.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules::structured_product {

using namespace python;

namespace {

std::string_view api_of(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return {};
  }
  const model::Value callee = site.project.callee_of(call);
  const bool is_method = callee.is(model::Value::Tag::ApiMethod) &&
                         (callee.receiver().kind == Kind::TorchTensor || callee.receiver().kind == Kind::NumpyArray);
  return callee.is(model::Value::Tag::Api) ? callee.name().text()
         : is_method                       ? called_method(*call)
                                           : std::string_view{};
}

// Without casts around it, and under the name that it was assigned to right before.
const Expr *origin_of(const Site &site, const Expr *expr) {
  for (int steps = 0; steps < 4; ++steps) {
    if (const auto *name = as<Name>(expr)) {
      const Expr *assigned = last_assigned(site, *name);
      if (assigned == nullptr) {
        return expr;
      }
      expr = assigned;
      continue;
    }
    const auto *call = as<Call>(expr);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    if (method != "float" && method != "double" && method != "to" && method != "half" && method != "cuda" &&
        method != "type" && method != "cpu") {
      return expr;
    }
    expr = receiver_of(*call);
  }
  return expr;
}

bool is_product(const Site &site, const Expr *expr) {
  const auto *operation = as<BinOp>(expr);
  if (operation != nullptr) {
    return operation->op() == Operator::MatMult;
  }
  const std::string_view api = api_of(site, expr);
  return api == "torch.matmul" || api == "torch.mm" || api == "numpy.dot" || api == "numpy.matmul" || api == "mm" ||
         api == "matmul" || api == "tensorflow.matmul" || api == "tensorflow.linalg.matmul";
}

// Is it a matrix of a known size that is worth a word? Inverses of 3 by 3 cameras are everywhere.
bool is_large(const Site &site, const Expr *matrix) {
  const Expr *made = origin_of(site, matrix);
  bool found = false;
  const auto visit = [&](const auto &self, const Node *node) -> void {
    if (const auto *call = as<Call>(node); call != nullptr && !call->args.empty()) {
      const std::string_view api = called_api(site, *call);
      if (api == "torch.eye" || api == "numpy.eye" || api == "tensorflow.eye" || api == "numpy.identity") {
        const std::optional<i64> size = integer_of(site, call->args[0]);
        found = found || (size && *size >= 64);
      }
    }
    for_each_child(node, [&](const Node *child) { self(self, child); });
  };
  visit(visit, made);
  return found;
}

// Weights that are folded, cut down or drawn while a model is made or exported: nothing that runs for each batch or
// sample is known to come here.
bool is_set_up_once(const Site &site) { return site.function != nullptr && !runs_repeatedly(site); }

// `d @ (a @ d)`: said once for the whole.
bool is_inside_such(const Site &site) {
  const auto is_diagonal = [&](const Expr *expr) { return api_of(site, origin_of(site, expr)) == "torch.diag"; };
  return std::ranges::any_of(site.ancestors, [&](const Node *node) {
    const auto *operation = as<BinOp>(node);
    const auto *call = as<Call>(node);
    return (operation != nullptr && operation->op() == Operator::MatMult &&
            (is_diagonal(operation->left) || is_diagonal(operation->right))) ||
           (call != nullptr && is_product(site, call) && std::ranges::any_of(call->args, is_diagonal));
  });
}

// diag(tensor([1, 1, -1])): a reflection, of which nothing is large.
bool is_of_few_numbers(const Site &site, const Expr *diagonal) {
  constexpr std::size_t kFew = 8;
  diagonal = written_value(site, diagonal);
  const auto *made = as<Call>(diagonal);
  const Expr *const numbers = made != nullptr && !made->args.empty() ? made->args[0] : diagonal;
  const auto *list = as<List>(numbers);
  return list != nullptr && list->elts.size() <= kFew;
}

// `fused.weight.copy_(torch.mm(diag, weight))`: layers are folded into one, once for a model.
bool is_stored_in_weights(const Site &site) {
  return std::ranges::any_of(site.ancestors, [](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *target =
        call != nullptr && called_method(*call) == "copy_" ? as<Attribute>(receiver_of(*call)) : nullptr;
    return target != nullptr;
  });
}

void check_operand(Site &site, const Node &place, const Expr *operand, bool is_left) {
  const Expr *made = origin_of(site, operand);
  const std::string_view api = api_of(site, made);
  const auto *call = as<Call>(made);
  if (api == "torch.nn.functional.one_hot" || api == "tensorflow.one_hot" || api == "jax.nn.one_hot") {
    if (is_left) {
      Finding &finding = report(site, place, "a product with one-hot vectors multiplies by zero almost everywhere",
                                "select the rows: `F.embedding(indices, weight)`, `weight[indices]` or `tf.gather`");
      add_note(finding, site, *made, "the one-hot vectors are created here");
      if (api == "tensorflow.one_hot") {
        finding.tier = Tier::Hint; // TPUs multiply faster than they gather
      }
    }
  } else if ((api == "torch.diag" || api == "numpy.diag" || api == "tensorflow.linalg.diag" ||
              api == "tensorflow.compat.v1.diag" || api == "torch.diag_embed") &&
             call != nullptr && call->args.size() == 1 && call->keywords.empty()) {
    if (is_of_few_numbers(site, call->args[0])) {
      return;
    }
    Finding &finding = report(site, place, "a product with a diagonal matrix multiplies by zero almost everywhere",
                              is_left ? "scale the rows by broadcasting: `v.unsqueeze(-1) * x`"
                                      : "scale the columns by broadcasting: `x * v`");
    add_note(finding, site, *made, "the diagonal matrix is created here");
    if (!api.starts_with("torch.") || is_set_up_once(site) || is_inside_such(site) || is_stored_in_weights(site)) {
      finding.tier = Tier::Hint; // mostly of a few numbers, or once, or reported around it
    }
  } else if ((api == "torch.inverse" || api == "torch.linalg.inv" || api == "numpy.linalg.inv" ||
              api == "tensorflow.linalg.inv" || api == "inverse") &&
             is_left && call != nullptr) {
    const Expr *matrix = api == "inverse" ? receiver_of(*call) : call->args.empty() ? nullptr : call->args[0];
    if (matrix == nullptr) {
      return;
    }
    Finding &finding = report(site, place, "the inverse of a matrix is computed only to multiply by it",
                              "solve the linear system: `torch.linalg.solve(a, b)` is faster and more accurate");
    add_note(finding, site, *made, "the inverse is computed here");
    if (made != operand || !is_large(site, matrix)) {
      finding.tier = Tier::Hint; // the inverse may be used again, or be of a small matrix
    }
  }
}

void check_product(Site &site, const Node &node) {
  const auto &operation = static_cast<const BinOp &>(node);
  if (operation.op() == Operator::MatMult && !site.module->is_test) {
    check_operand(site, node, operation.left, true);
    check_operand(site, node, operation.right, false);
  }
}

void check_call(Site &site, const Call &call) {
  if (site.module->is_test) {
    return;
  }
  const Expr *whole = &call;
  if (is_product(site, whole)) {
    const Expr *receiver = site.project.callee_of(&call).is(model::Value::Tag::ApiMethod) ? receiver_of(call) : nullptr;
    const Expr *left = receiver != nullptr ? receiver : !call.args.empty() ? call.args[0] : nullptr;
    const Expr *right = receiver != nullptr && call.args.size() == 1  ? call.args[0]
                        : receiver == nullptr && call.args.size() > 1 ? call.args[1]
                                                                      : nullptr;
    if (left != nullptr && right != nullptr && call.keywords.empty()) {
      check_operand(site, call, left, true);
      check_operand(site, call, right, false);
    }
    return;
  }
  // diagonal(a @ b)
  const std::string_view api = api_of(site, whole);
  const bool is_method = api == "diagonal" || api == "diag" || api == "trace";
  const Expr *matrix = is_method ? receiver_of(call) : !call.args.empty() ? call.args[0] : nullptr;
  if (matrix == nullptr || !is_product(site, matrix)) {
    return;
  }
  Finding &finding = report(site, call, "the whole matrix product is computed, and only its diagonal is used",
                            "compute the diagonal alone: `(a * b).sum(dim=-1)` for `diagonal(a @ b.T)`");
  if (api.ends_with("trace")) {
    finding.tier = Tier::Hint; // mostly of small matrices, such as rotations
  }
}

} // namespace

extern constinit const Rule kStructuredProduct = {
    .info = {.code = "DP163",
             .name = "structured-product",
             .summary =
                 "a matrix product with a diagonal, one-hot or inverse matrix, or of which only the diagonal is used",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Out of Memory",
             .stage = "Model Building",
             .frameworks = "PyTorch, TensorFlow, NumPy",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.diag(v) @ x`, `F.one_hot(i, n).float() @ weight`, `torch.diagonal(a @ b.T)`, and `torch.inverse(a) @ b` of a matrix
that is known to be large, with `@`, `matmul`, `mm` or `dot`, also where the factor has a name. The inverse of a matrix of
unknown size, a trace, `np.diag`, `tf.linalg.diag` and `tf.one_hot` are hints, and so is a diagonal matrix where nothing is known to run more than once.

## Why it costs

A product of two n by n matrices takes n³ multiplications. Scaling rows takes n², selecting rows takes none, and a
diagonal takes n². The matrix itself takes memory for n² numbers that are nearly all zero. Solving a system takes a
third of the work of an inverse and a product, and loses less precision.

## Bad

```python
import torch


def normalize(adjacency, degree):
    scale = torch.diag(degree.rsqrt())
    return scale @ adjacency
```

## Good

```python
import torch


def normalize(adjacency, degree):
    return degree.rsqrt().unsqueeze(1) * adjacency
```

## When it is wrong

For small matrices it makes no difference. It is only a hint in functions that set something up once, such as folding a
batch normalization into a convolution.

## References

- `torch.linalg.solve`, `torch.nn.functional.embedding`, PyTorch notes on broadcasting
)"},
    .calls = "torch.matmul torch.mm numpy.dot numpy.matmul tensorflow.matmul tensorflow.linalg.matmul TorchTensor.mm "
             "TorchTensor.matmul torch.diagonal torch.diag torch.trace numpy.diag numpy.diagonal numpy.trace "
             "TorchTensor.diagonal TorchTensor.diag TorchTensor.trace NumpyArray.diagonal NumpyArray.trace",
    .on_call = check_call,
    .nodes = {NodeKind::BinOp},
    .on_node = check_product};

} // namespace deepperf::rules::structured_product
