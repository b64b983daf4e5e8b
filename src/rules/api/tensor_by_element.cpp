#include "model/bind.h"
#include "model/context.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::tensor_by_element {

using namespace python;

namespace {

bool is_tensor(const Expr *expr) {
  const Kind kind = expr != nullptr ? model::kind_of(expr) : Kind::Unknown;
  return kind == Kind::TorchTensor || kind == Kind::JaxArray || kind == Kind::Tensor;
}

// The API or method that made the tensor, as far as one call did; empty if not known.
std::string_view maker_of(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  const model::Value value = call != nullptr ? site.project.callee_of(call) : value_of(site, expr);
  const bool is_known = call != nullptr || value.is(model::Value::Tag::Instance);
  return is_known && value.name() ? value.name().text() : std::string_view{};
}

// torch.linspace(0, rate, depth) has an element for each layer, and stays on the host.
bool is_written_down(const Site &site, const Expr *expr) {
  const ApiInfo *info = find_api(intern(maker_of(site, expr)));
  return info != nullptr && info->has(kConstant);
}

// Right here, or wherever the name is bound.
bool is_on_host(const Site &site, const Expr *tensor) {
  return model::is_on_cpu(tensor) || value_of(site, tensor).device == model::kOnCpu;
}

// What each read costs. Of a tensor that stays on the host that is little, and nothing waits.
std::string cost_of(const Site &site, const Expr *tensor) {
  return is_on_host(site, tensor)
             ? "the tensor is read element by element, and each read first creates a tensor of one element"
             : "the tensor is read element by element, and each read waits for the device";
}

// Computed here from what a model returned: `best = model(x).argmax(dim=1)`
bool comes_from_model(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 4;
  return expr != nullptr && depth < kMostDepth && any_node(expr, [&](const Node *node) {
           if (const auto *call = as<Call>(node)) {
             const Kind kind = model::kind_of(call->func);
             return model::has_grad(call) || kind == Kind::TorchModule || kind == Kind::HfModel;
           }
           const auto *name = as<Name>(node);
           return name != nullptr && comes_from_model(site, last_assigned(site, *name), depth + 1);
         });
}

// Is there a reason to think that the tensor is on a device and read again and again? It is known to be there or comes
// from a model, the function deals with devices, or the place belongs to a step, a forward pass or inference.
// Elsewhere, as where data is prepared or drawn, tensors mostly are on the host, and nothing waits.
bool is_read_back(const Site &site, const Expr *tensor) {
  const PlaceContext context = context_of(site);
  return value_of(site, tensor).on_gpu() || model::has_grad(tensor) || comes_from_model(site, tensor) ||
         context.in_training_step || context.in_evaluation_step || in_step(site) || in_forward_pass(site) ||
         under_no_grad(site) ||
         (site.function != nullptr && site.function->node != nullptr &&
          function_has_word(site, {"device=", ".device", ".cuda(", "cuda\"", "cuda'"}));
}

Tier tier_of(const Site &site, const Expr *tensor, Tier otherwise) {
  return is_on_host(site, tensor) || context_of(site).per_sample || !is_read_back(site, tensor) ? Tier::Hint
                                                                                                : otherwise;
}

// Once in a script, outside of all loops, it does not matter.
bool runs_once(const Site &site) {
  if (site.module->tensorflow && !site.module->torch && !site.module->jax) {
    const PlaceContext context = context_of(site); // reading a few detections of one picture is usual there
    return !context.repeated && !context.in_training_step && !context.in_evaluation_step;
  }
  return (site.function == nullptr || site.function->node == nullptr) && loop_around(site) == nullptr;
}

// item(), int(x), float(x): one number leaves the device. `x` in `*of`.
bool reads_number(const Site &site, const Node *node, const Expr **of) {
  const auto *call = as<Call>(node);
  if (call == nullptr) {
    return false;
  }
  if (called_method(*call) == "item" && call->args.empty()) {
    *of = receiver_of(*call);
    return true;
  }
  const std::string_view api = called_api(site, *call);
  if ((api == "int" || api == "float" || api == "bool") && call->args.size() == 1) {
    *of = call->args[0];
    return true;
  }
  return false;
}

// Under `if isinstance(losses, (tuple, list))`: it is a handful of tensors.
bool is_sequence_here(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  for (std::size_t i = site.ancestors.size(); i-- > 0 && name != nullptr;) {
    const auto *branch = as<If>(site.ancestors[i]);
    const auto *test = branch != nullptr ? as<Call>(branch->test) : nullptr;
    const auto *asked = test != nullptr && test->args.size() == 2 ? as<Name>(test->args[0]) : nullptr;
    if (asked != nullptr && asked->id == name->id && called_api(site, *test) == "isinstance" &&
        std::ranges::any_of(branch->body, [&](const Stmt *one) { return contains(one, expr); }) &&
        any_node(static_cast<const Node *>(test->args[1]), [](const Node *part) {
          const auto *type = as<Name>(part);
          return type != nullptr && (type->id.text() == "tuple" || type->id.text() == "list");
        })) {
      return true;
    }
  }
  return false;
}

// `for x in t: … x.item()`, and the same as a comprehension.
void check_elements(Site &site, const Node &place, const Expr *target, const Expr *iterated, const Node *body_of) {
  const auto *name = as<Name>(target);
  if (name == nullptr || !is_tensor(iterated) || is_written_down(site, iterated) || runs_once(site) ||
      is_sequence_here(site, iterated)) {
    return;
  }
  const Node *read = nullptr;
  any_node(body_of, [&](const Node *node) {
    const Expr *of = nullptr;
    if (read == nullptr && reads_number(site, node, &of)) {
      const auto *element = as<Name>(of);
      read = element != nullptr && element->id == name->id ? node : nullptr;
    }
    return read != nullptr;
  });
  if (read != nullptr) {
    Finding &finding = report(site, place, cost_of(site, iterated),
                              "copy it once: `tensor.tolist()` returns a list of Python numbers");
    finding.tier = tier_of(site, iterated, finding.tier);
    add_note(finding, site, *read, "each element is read here");
  }
}

// `for p, q in zip(a, b): if p == q:` needs each comparison as a bool of Python.
void check_comparisons(Site &site, const For &loop) {
  const auto *call = as<Call>(loop.iter);
  const auto *targets = as<Tuple>(loop.target);
  const auto *known = site.project.loop_at(&loop);
  if (call == nullptr || targets == nullptr || called_api(site, *call) != "zip" || known == nullptr ||
      known->few_iterations || targets->elts.size() != call->args.size() ||
      std::ranges::none_of(call->args, is_tensor) || is_traced(site)) {
    return;
  }
  // What is compared with the elements of a tensor is one, too; or it is read from the host, where nothing waits.
  const bool are_all_tensors = std::ranges::all_of(call->args, is_tensor);
  if (!are_all_tensors && !site.module->tensorflow) {
    return;
  }
  const auto is_element = [&](const Expr *expr) {
    const auto *name = as<Name>(expr);
    return name != nullptr && std::ranges::any_of(targets->elts, [&](const Expr *target) {
             const auto *element = as<Name>(target);
             return element != nullptr && element->id == name->id;
           });
  };
  const Node *read = nullptr;
  any_node(loop.body, [&](const Node *node) {
    const auto *choice = as<If>(node);
    const auto *negated = choice != nullptr ? as<UnaryOp>(choice->test) : nullptr;
    const auto *test = as<Compare>(negated != nullptr ? negated->operand : choice != nullptr ? choice->test : nullptr);
    read = test != nullptr && test->rest.size() == 1 && is_element(test->left) && is_element(test->rest[0].right)
               ? test
               : read;
    return read != nullptr;
  });
  if (read != nullptr) {
    Finding &finding =
        report(site, *read, "the tensors are compared element by element, and each comparison waits for the device",
               "compare the whole tensors: `(a == b).sum().item()` counts equal elements");
    add_note(finding, site, loop, "in each iteration of this loop");
    finding.tier = are_all_tensors ? tier_of(site, call->args[0], finding.tier) : Tier::Hint;
  }
}

// `for i in range(len(t)): … t[i].item()`
void check_indices(Site &site, const For &loop) {
  const auto *range = as<Call>(loop.iter);
  const auto *index = as<Name>(loop.target);
  if (range == nullptr || index == nullptr || called_api(site, *range) != "range") {
    return;
  }
  const auto *known = site.project.loop_at(&loop);
  if (known == nullptr || known->few_iterations || known->iterations == model::Iterations::Few ||
      (site.module->tensorflow && runs_once(site))) {
    return;
  }
  const Node *read = nullptr;
  const Expr *tensor = nullptr;
  any_node(loop.body, [&](const Node *node) {
    const Expr *of = nullptr;
    if (read == nullptr && reads_number(site, node, &of)) {
      const auto *element = as<Subscript>(of);
      const auto *at = element != nullptr ? as<Name>(element->slice) : nullptr;
      const auto *owner = at != nullptr && at->id == index->id && is_tensor(element->value)
                              ? model::root_name(element->value)
                              : nullptr;
      // What the loop makes itself is not there before it.
      read =
          owner != nullptr && !std::ranges::any_of(known->assigned, [owner](Symbol name) { return name == owner->id; })
              ? node
              : nullptr;
      tensor = read != nullptr ? element->value : nullptr;
    }
    return read != nullptr;
  });
  if (read != nullptr) {
    Finding &finding = report(site, *read, cost_of(site, tensor),
                              "copy it once before the loop: `tensor.tolist()` returns a list of Python numbers");
    finding.tier = tier_of(site, tensor, finding.tier);
    add_note(finding, site, loop, "in each iteration of this loop");
  }
}

// The array in `range(a.shape[1])` or `range(len(a[0]))`; null if it is something else.
const Name *counted_array(const Site &site, const For &loop) {
  const auto *range = as<Call>(loop.iter);
  if (range == nullptr || called_api(site, *range) != "range" || range->args.size() != 1) {
    return nullptr;
  }
  const Expr *of = range->args[0];
  if (const auto *length = as<Call>(of);
      length != nullptr && called_api(site, *length) == "len" && length->args.size() == 1) {
    const auto *row = as<Subscript>(length->args[0]);
    return as<Name>(row != nullptr ? row->value : length->args[0]);
  }
  const auto *element = as<Subscript>(of);
  const auto *shape = element != nullptr ? as<Attribute>(element->value) : nullptr;
  return shape != nullptr && shape->attr.text() == "shape" ? as<Name>(shape->value) : nullptr;
}

// Is it `a[i, j]` or `a[i][j]`, just so?
bool is_element_at(const Node *node, Symbol array, Symbol row, Symbol column) {
  const auto *element = as<Subscript>(node);
  if (element == nullptr) {
    return false;
  }
  const auto is_name = [](const Node *part, Symbol name) {
    const auto *plain = as<Name>(part);
    return plain != nullptr && plain->id == name;
  };
  if (const auto *both = as<Tuple>(element->slice)) {
    return both->elts.size() == 2 && is_name(element->value, array) && is_name(both->elts[0], row) &&
           is_name(both->elts[1], column);
  }
  const auto *outer = as<Subscript>(element->value);
  return outer != nullptr && is_name(outer->value, array) && is_name(outer->slice, row) &&
         is_name(element->slice, column);
}

// `for i in range(a.shape[0]): for j in range(a.shape[1]): if a[i, j] < best: …`: all elements of an array are looked
// at, and nothing is stored by both indices (which elementwise-loop reports).
void check_search(Site &site, const For &outer) {
  const Name *array = counted_array(site, outer);
  const auto *row = as<Name>(outer.target);
  const For *inner = nullptr;
  for (const Stmt *statement : outer.body) {
    inner = inner == nullptr ? as<For>(statement) : inner;
  }
  const auto *column = inner != nullptr ? as<Name>(inner->target) : nullptr;
  const Name *same = inner != nullptr ? counted_array(site, *inner) : nullptr;
  if (array == nullptr || row == nullptr || column == nullptr || same == nullptr || same->id != array->id ||
      model::kind_of(array) != Kind::NumpyArray) {
    return;
  }
  const Node *read = nullptr;
  bool is_other = false;
  any_node(inner->body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *element = as<Subscript>(node);
    is_other |= call != nullptr && called_method(*call) != "append";
    is_other |= node->kind == NodeKind::For || node->kind == NodeKind::While || node->kind == NodeKind::Break;
    if (element != nullptr && mentions(element, column->id)) {
      const bool is_own = is_element_at(element, array->id, row->id, column->id) ||
                          (as<Subscript>(element->value) == nullptr && as<Tuple>(element->slice) == nullptr);
      is_other |= element->context != Context::Load || !is_own;
    }
    if (const auto *choice = as<If>(node); choice != nullptr && read == nullptr) {
      any_node(static_cast<const Node *>(choice->test), [&](const Node *part) {
        read = is_element_at(part, array->id, row->id, column->id) ? part : read;
        return read != nullptr;
      });
    }
    return false;
  });
  if (read == nullptr || is_other) {
    return;
  }
  Finding &finding =
      report(site, *read, fmt::format("Python inspects the elements of `{}` one by one", array->id.text()),
             "use a mask and a reduction: `np.where(a != 0, a, np.inf).argmin(axis=1)`, `np.count_nonzero`");
  add_note(finding, site, outer, "in these loops");
  finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 3);
}

void check_node(Site &site, const Node &node) {
  if (site.module->is_test) {
    return;
  }
  if (const auto *loop = as<For>(&node)) {
    if (as<Call>(loop->iter) == nullptr) {
      check_elements(site, *loop->iter, loop->target, loop->iter, loop);
    }
    check_indices(site, *loop);
    check_comparisons(site, *loop);
    check_search(site, *loop);
    return;
  }
  const auto &comprehension = static_cast<const ComprehensionExpr &>(node);
  if (comprehension.generators.size() == 1) {
    const Comprehension &generator = *comprehension.generators[0];
    check_elements(site, node, generator.target, generator.iter, comprehension.elt);
  }
}

// list.extend(t) makes a tensor of each element.
void check_call(Site &site, const Call &call) {
  if (call.args.size() != 1 || site.module->is_test || model::kind_of(call.args[0]) != Kind::TorchTensor) {
    return;
  }
  // Rows may be wanted one by one; single numbers are not.
  const std::string_view maker = maker_of(site, call.args[0]);
  if (maker.ends_with("argmax") || maker.ends_with("argmin")) {
    report(site, call, "`extend()` with a tensor creates a tensor for every element",
           "append the tensor and call `torch.cat` at the end, or extend with `tensor.tolist()`");
  }
}

} // namespace

extern constinit const Rule kTensorByElement = {
    .info = {.code = "DP155",
             .name = "tensor-by-element",
             .summary = "a tensor that Python reads or unpacks element by element",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Evaluation",
             .frameworks = "PyTorch, JAX",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

Loops and comprehensions over a tensor that call `item()`, `int()` or `float()` on each element, loops over indices that
do it with `t[i]`, loops over two tensors that compare their elements in an `if`, and `list.extend(tensor)`. Also nested loops over both dimensions of a
NumPy array that test each element, as to find the smallest one. It is a hint where nothing tells that the tensor is on a device: outside of
steps, forward passes and code under `torch.no_grad()`, unless a model computed it or the function deals with devices, and where samples are
prepared.

## Why it costs

Each element becomes a tensor object, and each `item()` waits for the device and copies one number. `tolist()` copies
all of them at once.

## Bad

```python
import torch


@torch.no_grad()
def labels(model: torch.nn.Module, images):
    best = torch.argmax(model(images), dim=1)
    return [x.item() for x in best]
```

## Good

```python
import torch


@torch.no_grad()
def labels(model: torch.nn.Module, images):
    best = torch.argmax(model(images), dim=1)
    return best.tolist()
```

## When it is wrong

For tensors of a few elements.

## References

- `torch.Tensor.tolist`
)"},
    .calls = "*.extend",
    .on_call = check_call,
    .nodes = {NodeKind::For, NodeKind::ListComp, NodeKind::SetComp, NodeKind::GeneratorExp},
    .on_node = check_node};

} // namespace deepperf::rules::tensor_by_element
