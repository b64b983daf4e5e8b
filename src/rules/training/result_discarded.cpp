#include "base/name_table.h"
#include "model/variance.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace deepperf::rules::result_discarded {

using namespace python;

namespace {

// Methods that give a new tensor, and leave the one that they are called on as it is.
bool gives_another(Symbol method) {
  static const NameTable kMethods(
      {"to",          "cuda",     "cpu",        "float",         "half",       "double",  "long",      "int",
       "bool",        "bfloat16", "type",       "view",          "reshape",    "permute", "transpose", "unsqueeze",
       "squeeze",     "flatten",  "expand",     "repeat",        "contiguous", "detach",  "clone",     "clamp",
       "masked_fill", "scatter",  "index_fill", "requires_grad", "softmax",    "sigmoid", "relu",      "abs",
       "exp",         "log",      "sqrt",       "pow",           "round",      "clip",    "mul",       "div",
       "add",         "sub",      "nan_to_num", "normal",        "type_as"});
  return kMethods.has(method);
}

// Is the name one of several that a loop over batches binds, as in `for x, y in loader`? A batch as a whole may be an
// object whose to() moves what it holds, as a BatchEncoding of Transformers or a graph of PyTorch Geometric is.
struct PartsOfBatches {
  std::unordered_set<u32> names;
};

PartsOfBatches parts_of_batches(const Site &site) {
  PartsOfBatches found;
  for (const model::Loop *loop : site.function->loops) {
    const auto *statement = as<For>(loop->node);
    const Expr *target = statement != nullptr ? statement->target : nullptr;
    const auto *over = statement != nullptr ? as<Call>(statement->iter) : nullptr;
    const auto *counted = as<Tuple>(target);
    if (over != nullptr && called_api(site, *over) == "enumerate" && counted != nullptr && counted->elts.size() == 2) {
      target = counted->elts[1];
    }
    if (const auto *parts = as<Tuple>(target)) {
      for (const Expr *part : parts->elts) {
        if (const auto *bound = as<Name>(part)) {
          found.names.insert(bound->id.id);
        }
      }
    }
  }
  return found;
}

bool is_part_of_batch(const Site &site, Symbol name) {
  return site.function != nullptr &&
         site.memory.recall<PartsOfBatches>(site.function, [&] { return parts_of_batches(site); })
             .names.contains(name.id);
}

// `model.merge_and_unload()` returns the base model with the merged weights; the object stays the adapter's.
bool check_merge(Site &site, const Call &call) {
  const auto *method = as<Attribute>(call.func);
  const auto *owner = method != nullptr ? as<Name>(method->value) : nullptr;
  if (owner == nullptr || method->attr.text() != "merge_and_unload" || model::kind_of(owner) != Kind::HfModel) {
    return false;
  }
  const std::string_view name = text_of(site, owner);
  report(
      site, call,
      fmt::format("`merge_and_unload()` returns the merged model, which is discarded, so `{}` stays an adapter", name),
      fmt::format("assign the result: `{} = {}`", name, text_of(site, &call)));
  return true;
}

// `p.grad`, which is a tensor whatever p is; also `p.grad.data`
bool is_gradient(const Expr *expr) {
  const auto *attribute = as<Attribute>(expr);
  if (attribute != nullptr && attribute->attr.text() == "data") {
    attribute = as<Attribute>(attribute->value);
  }
  return attribute != nullptr && attribute->attr.text() == "grad";
}

void add_finding(Site &site, const Call &call, const Attribute &method) {
  const std::string_view name = text_of(site, method.value);
  Finding &finding = report(
      site, call,
      fmt::format("`{}()` returns a new tensor that is discarded, so `{}` does not change", method.attr.text(), name),
      fmt::format("assign the result: `{} = {}`", name, text_of(site, &call)));
  if (is_gradient(method.value)) {
    finding.advice = fmt::format("change it in place: `{}.{}_(…)`", name, method.attr.text());
  }
}

// `optimizer.zero_grad` as a statement: a method that is named and not called
bool check_not_called(Site &site, const Expr *expr) {
  const auto *method = as<Attribute>(expr);
  if (method == nullptr || site.module->is_test) {
    return false;
  }
  static const NameTable kOptimizer({"zero_grad", "step"});
  static const NameTable kModule({"eval", "train", "cuda", "cpu", "zero_grad", "half", "float"});
  const Kind kind = model::kind_of(method->value);
  const bool is_meant = (kind == Kind::TorchOptimizer || kind == Kind::TorchScheduler) ? kOptimizer.has(method->attr)
                        : (kind == Kind::TorchModule || kind == Kind::HfModel)         ? kModule.has(method->attr)
                        : kind == Kind::TorchTensor ? method->attr.text() == "backward"
                        : kind == Kind::GradScaler  ? method->attr.text() == "update"
                                                    : false;
  if (!is_meant) {
    return false;
  }
  report(site, *method, fmt::format("`{}` is named but not called, so it has no effect", text_of(site, method)),
         fmt::format("add the parentheses: `{}()`", text_of(site, method)));
  return true;
}

// `model = model.load_state_dict(…)`, which returns lists of keys
void check_rebound(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *call = as<Call>(assignment.value);
  if (call == nullptr || called_method(*call) != "load_state_dict" || assignment.targets.size() != 1) {
    return;
  }
  const Kind kind = model::kind_of(receiver_of(*call));
  const std::string_view name = text_of(site, assignment.targets[0]);
  // The name is bound to something else right here, so that the engine may know it as that.
  if ((kind == Kind::TorchModule || kind == Kind::HfModel || kind == Kind::TorchOptimizer) &&
      text_of(site, receiver_of(*call)) == name) {
    report(
        site, assignment,
        fmt::format("`load_state_dict()` fills `{}` and returns only the names of keys, which replace it here", name),
        fmt::format("call it as a statement: `{}`", text_of(site, call)));
  }
}

// `dataset.shuffle(1000)` as a statement: the dataset stays as it was.
bool check_dataset(Site &site, const Call &call) {
  const auto *method = as<Attribute>(call.func);
  const model::Value callee = site.project.callee_of(&call);
  if (method == nullptr || site.module->is_test || !callee.is(model::Value::Tag::ApiMethod) ||
      callee.kind != Kind::Dataset ||
      (method->value->kind != NodeKind::Name && method->value->kind != NodeKind::Attribute)) {
    return false;
  }
  const ApiInfo *info = find_method(callee.kind, callee.name());
  const bool is_shown = site.module->parsed->source.is_notebook && site.ancestors.empty();
  if (info == nullptr || !info->has(kStage) || is_shown) {
    return false;
  }
  const std::string_view name = text_of(site, method->value);
  report(
      site, call,
      fmt::format("`{}()` returns a new dataset that is discarded, so `{}` does not change", method->attr.text(), name),
      fmt::format("assign the result: `{} = {}`", name, text_of(site, &call)));
  return true;
}

// The result of a cell's last statement is shown; a chart or a table may be all that is meant.
bool is_shown_in_notebook(const Site &site) {
  return site.module->parsed->source.is_notebook && site.ancestors.empty();
}

// What a method that gives another object of the same kind leaves as it is; empty if it is no such method.
std::string_view unchanged_by(Kind kind, Symbol method) {
  static const NameTable kDataset({"filter", "select", "shuffle", "sort", "shard", "rename_column", "rename_columns",
                                   "remove_columns", "with_format", "with_transform", "cast", "cast_column", "take",
                                   "skip", "add_column", "class_encode_column", "train_test_split", "map"});
  static const NameTable kFrame({"drop", "dropna", "fillna", "rename", "sort_values", "sort_index", "reset_index",
                                 "set_index", "astype", "replace", "drop_duplicates", "assign", "merge", "join", "clip",
                                 "reindex", "query"});
  static const NameTable kArray(
      {"astype", "clip", "round", "reshape", "transpose", "swapaxes", "squeeze", "flatten", "ravel", "repeat", "copy"});
  return kind == Kind::HfDataset && kDataset.has(method)   ? "dataset"
         : kind == Kind::PandasFrame && kFrame.has(method) ? "table"
         : kind == Kind::NumpyArray && kArray.has(method)  ? "array"
                                                           : std::string_view{};
}

// Is it surely a thing of that kind, which calls in sight made?
bool is_made_here(const model::Value &value, Kind kind) {
  bool is_known = !value.open && !value.none;
  bool is_any = false;
  model::for_each_alternative(value, [&](const model::Value &one) {
    is_any = true;
    is_known &= one.is_kind(kind) && !one.open && !one.container && one.maker() != nullptr;
  });
  return is_known && is_any;
}

// `frame.dropna()`, `dataset.shuffle(seed=1)` of Hugging Face, `array.astype(np.float32)` as a statement
bool check_method(Site &site, const Call &call) {
  const auto *method = as<Attribute>(call.func);
  const model::Value callee = site.project.callee_of(&call);
  if (method == nullptr || !callee.is(model::Value::Tag::ApiMethod)) {
    return false;
  }
  const std::string_view thing = unchanged_by(callee.kind, method->attr);
  const model::Value &owner = callee.receiver();
  const auto *column = as<Subscript>(method->value);
  const model::Value whole = column != nullptr ? value_of(site, column->value) : owner;
  if (thing.empty() || !is_made_here(whole, callee.kind) || has_hidden_arguments(call) || is_shown_in_notebook(site) ||
      keyword_argument(call, "out") != nullptr) {
    return false;
  }
  const Keyword *in_place = keyword_argument(call, "inplace");
  if (in_place != nullptr && bool_of(site, in_place->value) != false) {
    return false;
  }
  const Expr *root = method->value;
  while (root->kind == NodeKind::Subscript || root->kind == NodeKind::Attribute) {
    root = root->kind == NodeKind::Subscript ? static_cast<const Subscript *>(root)->value
                                             : static_cast<const Attribute *>(root)->value;
  }
  if (root->kind != NodeKind::Name || enclosing(site, NodeKind::Try) != nullptr) {
    return false; // perhaps it is tried whether that works
  }
  const std::string_view name = text_of(site, method->value);
  Finding &finding = report(site, call,
                            fmt::format("`{}()` returns a new {} that is discarded, so `{}` does not change",
                                        method->attr.text(), thing, name),
                            fmt::format("assign the result: `{} = {}`", name, text_of(site, &call)));
  if (method->attr.text() == "map" || method->attr.text() == "filter") {
    finding.tier = Tier::Hint; // the function may do something, or the result stay in the cache
  }
  return true;
}

// `np.append(values, x)`, `torch.clamp(x, 0, 1)`, `tf.reshape(x, …)` as a statement
bool check_function(Site &site, const Call &call) {
  static const NameTable kFunctions({"numpy.append",
                                     "numpy.concatenate",
                                     "numpy.delete",
                                     "numpy.insert",
                                     "numpy.expand_dims",
                                     "numpy.squeeze",
                                     "numpy.transpose",
                                     "numpy.reshape",
                                     "numpy.clip",
                                     "numpy.stack",
                                     "numpy.vstack",
                                     "numpy.hstack",
                                     "numpy.random.permutation",
                                     "numpy.flip",
                                     "numpy.roll",
                                     "torch.cat",
                                     "torch.stack",
                                     "torch.squeeze",
                                     "torch.unsqueeze",
                                     "torch.reshape",
                                     "torch.transpose",
                                     "torch.permute",
                                     "torch.flatten",
                                     "torch.clamp",
                                     "torch.nn.functional.normalize",
                                     "torch.nn.functional.pad",
                                     "torch.nn.functional.one_hot",
                                     "tensorflow.reshape",
                                     "tensorflow.cast",
                                     "tensorflow.concat",
                                     "tensorflow.expand_dims",
                                     "tensorflow.squeeze",
                                     "tensorflow.transpose",
                                     "tensorflow.clip_by_value",
                                     "jax.numpy.append",
                                     "jax.numpy.concatenate",
                                     "jax.numpy.expand_dims",
                                     "jax.numpy.reshape",
                                     "jax.numpy.clip",
                                     "jax.numpy.transpose"});
  const model::Value callee = site.project.callee_of(&call);
  // np.clip(x, 0, 1, x): what follows the numbers is where the result goes.
  const bool has_target = callee.is(model::Value::Tag::Api) &&
                          ((callee.name().text() == "numpy.clip" && call.args.size() > 3) ||
                           ((callee.name().text() == "numpy.concatenate" || callee.name().text() == "numpy.stack") &&
                            call.args.size() > 2));
  if (has_target) {
    return false;
  }
  if (!callee.is(model::Value::Tag::Api) || !kFunctions.has(callee.name()) || has_hidden_arguments(call) ||
      call.args.empty() || keyword_argument(call, "out") != nullptr || is_shown_in_notebook(site) ||
      enclosing(site, NodeKind::Try) != nullptr ||
      function_has_word(site, {"time(", "perf_counter", "timeit", "benchmark", "profile"})) {
    return false;
  }
  const std::string_view written = text_of(site, call.func);
  const Expr *first = call.args[0];
  const bool is_permutation = callee.name().text() == "numpy.random.permutation";
  const bool is_plain = first->kind == NodeKind::Name || first->kind == NodeKind::Attribute;
  report(site, call, fmt::format("`{}()` returns its result, which is discarded; its arguments do not change", written),
         is_permutation
             ? fmt::format("shuffle in place with `np.random.shuffle({})`, or assign the result", text_of(site, first))
         : is_plain ? fmt::format("assign the result: `{} = {}`", text_of(site, first), text_of(site, &call))
                    : "assign the result");
  return true;
}

// `x.to(f"cuda:{i}")` for each device of a loop: it is copied to find out whether it can be, or to wake them up.
bool goes_to_each(const Site &site, const Call &call) {
  const model::Loop *const loop = loop_around(site);
  const std::string_view method = called_method(call);
  const auto varies = [&](const Expr *expr) { return model::varies(site.project, *loop, expr); };
  return loop != nullptr && (method == "to" || method == "cuda") && !varies(receiver_of(call)) &&
         std::ranges::any_of(call.args, varies);
}

// In the body of `try: … except …: return False`: whether the call succeeds is what the function wants to know.
bool is_tried(const Site &site) {
  const auto *guarded = as<Try>(enclosing(site, NodeKind::Try));
  return guarded != nullptr && std::ranges::any_of(guarded->handlers, [](const ExceptHandler *handler) {
           return !handler->body.empty() && handler->body.back()->kind == NodeKind::Return;
         });
}

// `detach()` of something that nothing else makes a tensor: finalizers, processes and streams have one too.
bool is_only_named_alike(const Site &site, const Attribute &method) {
  static const NameTable kOfTensors({"backward", "item", "mean", "sum", "cpu", "numpy", "float", "div", "size", "dim"});
  const auto *owner = as<Name>(method.value);
  if (owner == nullptr || method.attr.text() != "detach" || !value_of(site, owner).is_unknown()) {
    return false;
  }
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  const auto is_used = [owner](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *given = call != nullptr && !call->args.empty() ? as<Name>(call->args[0]) : nullptr;
    if (given != nullptr && given->id == owner->id && called_method(*call) == "backward") {
      return true;
    }
    const auto *attribute = as<Attribute>(node);
    const auto *name = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
    return name != nullptr && name->id == owner->id && kOfTensors.has(attribute->attr);
  };
  return definition == nullptr || !any_node(definition->body, is_used);
}

// `x.to(device)` as a statement
void check(Site &site, const Node &node) {
  if (node.kind == NodeKind::Assign) {
    check_rebound(site, node);
    return;
  }
  if (check_not_called(site, static_cast<const ExprStmt &>(node).value)) {
    return;
  }
  const auto *call = as<Call>(static_cast<const ExprStmt &>(node).value);
  if (call != nullptr && site.module->tensorflow && check_dataset(site, *call)) {
    return;
  }
  if (call != nullptr && !site.module->is_test &&
      (check_merge(site, *call) || check_method(site, *call) || check_function(site, *call))) {
    return;
  }
  const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
  if (method != nullptr && is_gradient(method->value) && gives_another(method->attr)) {
    add_finding(site, *call, *method);
    return;
  }
  if (method == nullptr || !gives_another(method->attr) || method->value->kind != NodeKind::Name ||
      site.module->is_test) {
    return;
  }
  if (is_tried(site) || is_only_named_alike(site, *method)) {
    return;
  }
  const model::Value callee = site.project.callee_of(call);
  const bool is_shown =
      site.module->parsed->source.is_notebook && site.ancestors.empty(); // a notebook's cell prints it
  // What some caller or branch does not tell may be a module, whose to() moves the module itself.
  if (!callee.is(model::Value::Tag::ApiMethod) || callee.kind != Kind::TorchTensor || is_shown ||
      goes_to_each(site, *call) || (callee.receiver().open && callee.receiver().maker() == nullptr) ||
      (callee.receiver().container && !is_part_of_batch(site, static_cast<const Name *>(method->value)->id))) {
    return;
  }
  add_finding(site, *call, *method);
}

} // namespace

extern constinit const Rule kResultDiscarded = {
    .info = {.code = "DP891",
             .name = "result-discarded",
             .summary = "a method of a tensor, array, table, dataset or adapter whose result is discarded",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`x.to(device)`, `x.float()`, `x.unsqueeze(0)` and similar calls as a statement, for a tensor, stages of a `tf.data` pipeline such as
`dataset.shuffle(1000)`, methods of Hugging Face datasets, pandas tables and NumPy arrays such as `frame.dropna()`, functions such as
`np.append(values, x)`, and `model.merge_and_unload()` of PEFT. Also `optimizer.zero_grad` and similar methods that are named but not called, and
`model = model.load_state_dict(state)`, which replaces the model by the result of loading.

## Why it is wrong

On a module, `to()` moves the module itself. On a tensor it returns a new tensor: the old one stays where it is, and the code after it fails
or computes with the old tensor.

## Bad

```python
import torch


def predict(model, x: torch.Tensor, device):
    x.to(device)
    return model(x)
```

## Good

```python
import torch


def predict(model, x: torch.Tensor, device):
    x = x.to(device)
    return model(x)
```

## When it is wrong

Where only the duration or an error of the call matters, as in a benchmark.

## References

- PyTorch documentation of `torch.Tensor.to`
)"},
    .nodes = {NodeKind::ExprStmt, NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::result_discarded
