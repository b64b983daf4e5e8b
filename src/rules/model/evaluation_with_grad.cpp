#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <cctype>

namespace deepperf::rules {

using namespace python;

namespace {

// Over the batches of a loader, perhaps through enumerate() or a progress bar.
bool runs_over_loader(const Expr *iter) {
  return any_node(iter, [](const Node *node) {
    if (const auto *name = as<Name>(node)) {
      return model::kind_of(name) == Kind::TorchDataLoader || has_word_in_any_case(name->id.text(), {"loader"});
    }
    const auto *attribute = as<Attribute>(node);
    return attribute != nullptr && (model::kind_of(attribute) == Kind::TorchDataLoader ||
                                    has_word_in_any_case(attribute->attr.text(), {"loader"}));
  });
}

bool is_model(const model::Value &callee) {
  return callee.is_kind(Kind::TorchModule) ||
         (callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule);
}

// The first call of a model in the loop whose result hangs on a graph.
const Call *first_forward(const Site &site, const Block &body) {
  const Call *found = nullptr;
  any_node(body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && model::has_grad(call) && is_model(site.project.callee_of(call))) {
      found = call;
    }
    return found != nullptr;
  });
  return found;
}

// Does the loop want gradients after all: for an attack, a saliency map, Hessians?
bool uses_gradients(const Site &site, const Block &body) {
  return any_node(body, [&site](const Node *node) {
    if (const auto *attribute = as<Attribute>(node)) {
      const std::string_view name = attribute->attr.text();
      return name == "grad" || name == "requires_grad" || name == "requires_grad_" || name == "retain_grad" ||
             name == "backward" || name == "register_hook" || name == "autograd" || name == "step" ||
             name == "zero_grad";
    }
    if (const auto *call = as<Call>(node)) {
      const model::FunctionInfo *called = called_function(site, *call);
      return keyword_argument(*call, "requires_grad") != nullptr || (called != nullptr && called->trains) ||
             called_api(site, *call) == "torch.autograd.grad";
    }
    return false;
  });
}

// eval() of the model before the loop, and no train() in between; null if there is none.
const Call *switched_to_eval(const Site &site, const Block &body, std::string_view receiver, u32 before) {
  constexpr std::ptrdiff_t kFurthest = 200; // statements back
  const auto end = std::ranges::lower_bound(body, before, {}, [](const Stmt *statement) { return statement->start; });
  const auto begin = end - std::min<std::ptrdiff_t>(kFurthest, end - body.begin());
  const Block near{begin, static_cast<u32>(end - begin)};
  const Call *last = nullptr;
  any_node(near, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && call->start < before && receiver_of(*call) != nullptr &&
        text_of(site, receiver_of(*call)) == receiver) {
      const std::string_view method = called_method(*call);
      const bool is_off = method == "train" && call->args.size() == 1 && bool_of(site, call->args[0]) == false;
      if ((method == "eval" && call->args.empty()) || is_off) {
        last = call;
      } else if (method == "train") {
        last = nullptr;
      }
    }
    return false;
  });
  return last;
}

// Somebody around the loop may switch gradients off in a way that we do not see.
bool may_be_off(const Site &site) {
  for (const Node *node : site.ancestors) {
    if (const auto *with = as<With>(node)) {
      for (const WithItem &item : with->items) {
        const Kind kind = model::kind_of(item.context_expr);
        const std::string_view text = text_of(site, item.context_expr);
        if (kind == Kind::Unknown && text.find("tqdm") == std::string_view::npos && !text.starts_with("open") &&
            text.find("autocast") == std::string_view::npos && text.find("pbar") == std::string_view::npos) {
          return true;
        }
      }
    } else if (const auto *function = as<FunctionDef>(node)) {
      for (const Expr *decorator : function->decorators) {
        const std::string_view text = text_of(site, decorator);
        if (has_word_in_any_case(text, {"grad", "infer", "eval"})) {
          return true;
        }
      }
    }
  }
  return file_has_word(site, {"set_grad_enabled", "volatile"});
}

void check(Site &site, const Node &node) {
  const auto &statement = static_cast<const For &>(node);
  if (!site.module->torch || !runs_over_loader(statement.iter)) {
    return;
  }
  const auto *known = site.project.loop_at(&node);
  if (known == nullptr || known->trains) {
    return;
  }
  const Call *forward = first_forward(site, statement.body);
  if (forward == nullptr || under_no_grad(site) || uses_gradients(site, statement.body) || may_be_off(site)) {
    return;
  }
  const FunctionDef *definition = site.function->definition();
  const Block scope = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const Call *eval = switched_to_eval(site, scope, text_of(site, forward->func), statement.start);
  if (eval == nullptr || (definition != nullptr && site.function->ever_no_grad)) {
    return;
  }
  Finding &finding =
      report(site, *forward, "the model is only evaluated here, but keeps everything for a backward pass",
             "run the loop under torch.no_grad() or torch.inference_mode()");
  add_note(finding, site, *eval, "switched to evaluation here");
  const std::string no_grad = spelling_of(site, "torch.no_grad");
  if (definition == nullptr || site.function->trains || no_grad.empty()) {
    return;
  }
  const std::string_view text = site.module->parsed->source.text();
  const std::size_t line = text.rfind('\n', definition->start) + 1;
  const std::string_view indent = text.substr(line, definition->start - line);
  if (indent.find_first_not_of(" \t") == std::string_view::npos) {
    set_fix(finding, false, {Edit{definition->start, definition->start, "@" + no_grad + "()\n" + std::string(indent)}});
  }
}

} // namespace

extern constinit const Rule kEvaluationWithGrad = {
    .info = {.code = "DP232",
             .name = "evaluation-with-grad",
             .summary = "an evaluation loop that records a graph nobody walks",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Out of Memory, Abnormal GPU Memory Usage, Slow Execution Time",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

A loop over a loader that runs a model after `model.eval()`, without `backward()`, and not under `torch.no_grad()`,
`torch.inference_mode()` or a caller that is.

## Why it costs

`eval()` changes how dropout and batch normalisation behave; it does not switch gradients off. Each forward pass still records
every operation and keeps the activations that a backward pass would need, as long as something refers to the output. That is
often several times the memory of the pass itself, and if outputs or losses are collected it adds up over all batches.

## Bad

```python
import torch

def evaluate(model, loader, criterion):
    model.eval()
    total = 0
    for x, y in loader:
        total += criterion(model(x), y).item()
    return total / len(loader)
```

## Good

```python
import torch

@torch.no_grad()
def evaluate(model, loader, criterion):
    model.eval()
    total = 0
    for x, y in loader:
        total += criterion(model(x), y).item()
    return total / len(loader)
```

## When it is wrong

Where the caller, outside of what is checked, switches gradients off; where all parameters were frozen before; where the gradient with
respect to the input is wanted, as in attacks (the rule looks for that). The edit is only made with `--unsafe-fixes`.

## References

- PyTorch documentation: locally disabling gradient computation, evaluation mode
- PyTorch performance tuning guide: disable gradient calculation for validation or inference
)"},
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules
