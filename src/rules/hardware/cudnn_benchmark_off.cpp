#include "base/known_names.h"
#include "base/steps.h"
#include "model/classes.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::cudnn_benchmark_off {

using namespace python;

namespace {

// The name below torch.backends.cudnn that an assignment sets; empty if it is none.
std::string_view cudnn_setting(const Site &site, const Assign &assignment) {
  const auto *target = as<Attribute>(assignment.targets[0]);
  if (target == nullptr) {
    return {};
  }
  const std::string_view name = target->attr.text();
  if (name != "benchmark" && name != "deterministic") {
    return {};
  }
  const model::Value named = value_of(site, target);
  return named.is(model::Value::Tag::Api) && named.name().text().starts_with("torch.backends.cudnn.")
             ? name
             : std::string_view{};
}

// The statements that the node stands among.
Block block_around(const Site &site, const Node &node) {
  if (site.ancestors.empty()) {
    return site.module->parsed->tree.body;
  }
  const Node *parent = site.ancestors.back();
  if (const auto *branch = as<If>(parent)) {
    return branch->body.empty() || node.start > branch->body.back()->end ? branch->orelse : branch->body;
  }
  if (const auto *function = as<FunctionDef>(parent)) {
    return function->body;
  }
  return {};
}

// `deterministic = True` among the statements that the node stands among; null if there is none.
const Assign *made_deterministic(const Site &site, const Node &node) {
  struct Deterministic {
    const Assign *set = nullptr;
  };
  const Block block = block_around(site, node);
  const auto find = [&] {
    for (const Stmt *statement : block) {
      const auto *other = as<Assign>(statement);
      if (other != nullptr && cudnn_setting(site, *other) == "deterministic" && bool_of(site, other->value) == true) {
        return Deterministic{other};
      }
    }
    return Deterministic{};
  };
  return block.empty() ? nullptr : site.memory.recall<Deterministic>(block.begin(), find).set;
}

// A collate_fn of the project that pads to the longest sample of the batch, so that batches differ in size.
struct Padding {
  const Call *loader = nullptr;
  const Call *pads = nullptr;
  const model::Module *module = nullptr; // of the loader
};

// The function that collates: itself, a method, a lambda, one through functools.partial, or __call__ of an object.
const model::FunctionInfo *collating_function(const model::Value &value) {
  switch (value.tag) {
  case model::Value::Tag::Function:
  case model::Value::Tag::Method:
    return value.function;
  case model::Value::Tag::Partial:
    return collating_function(value.receiver());
  case model::Value::Tag::Object:
    return model::find_method_of(*value.type, known::sym_call_method);
  default:
    return nullptr;
  }
}

// `torch.zeros(len(batch), longest)`, where `longest` is the max() over the samples of this batch.
bool is_sized_by_longest(const Site &site, const model::FunctionInfo &function, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (api != "torch.zeros" && api != "torch.empty" && api != "torch.full" && api != "torch.ones" &&
      api != "torch.FloatTensor" && api != "torch.LongTensor" && api != "torch.Tensor") {
    return false;
  }
  struct Longest {
    std::vector<Symbol> names;
  };
  const auto find = [&] {
    Longest longest;
    any_node_inside(function.node, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      const auto *name = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
      const auto *most = name != nullptr ? as<Call>(run_by(assignment->value)) : nullptr;
      const Expr *const over = most != nullptr && most->args.size() == 1 ? most->args[0] : nullptr;
      const auto *all = over != nullptr && (over->kind == NodeKind::ListComp || over->kind == NodeKind::GeneratorExp)
                            ? static_cast<const ComprehensionExpr *>(over)
                            : nullptr;
      const auto *batch = all != nullptr ? as<Name>(all->generators[0]->iter) : nullptr;
      if (batch != nullptr && called_api(site, *most) == "max" && function.has_param(batch->id)) {
        longest.names.push_back(name->id);
      }
      return false;
    });
    return longest;
  };
  const Longest &longest = site.memory.recall<Longest>(&function, find);
  return std::ranges::any_of(longest.names, [&](Symbol name) {
    return std::ranges::any_of(call.args, [&](const Expr *size) { return mentions(size, name); });
  });
}

// pad_sequence() in what collates the samples, or in a function that this calls.
const Call *padding_of(const Site &site, const Expr *collate) {
  const model::FunctionInfo *const function =
      collate != nullptr ? collating_function(value_of(site, collate)) : nullptr;
  if (function == nullptr || function->node == nullptr) {
    return nullptr;
  }
  std::vector<const model::FunctionInfo *> functions = reached_functions(*function, *function->node);
  functions.push_back(function);
  const Call *found = nullptr;
  for (const model::FunctionInfo *one : functions) {
    if (one->node != nullptr) {
      any_node_inside(one->node, [&](const Node *part) {
        const auto *call = as<Call>(part);
        if (call != nullptr &&
            (called_api(site, *call) == "torch.nn.utils.rnn.pad_sequence" || is_sized_by_longest(site, *one, *call))) {
          found = call;
        }
        return found != nullptr;
      });
    }
  }
  return found;
}

Padding find_padding(const Site &site) {
  const SharedWork shared;
  Padding found;
  for (const model::FunctionInfo &function : site.project.functions) {
    const FunctionDef *const definition = function.definition();
    if (!function.module->torch || (definition == nullptr && function.node != nullptr)) {
      continue;
    }
    Site there = site;
    there.function = &function;
    there.module = function.module;
    there.type = function.type;
    there.ancestors.clear();
    any_node(definition != nullptr ? definition->body : function.module->parsed->tree.body, [&](const Node *node) {
      const auto *call = as<Call>(node);
      if (call == nullptr || called_api(there, *call) != "torch.utils.data.DataLoader") {
        return false;
      }
      const Call *const pads = padding_of(there, argument(*call, 6, "collate_fn"));
      if (pads != nullptr) {
        found = {call, pads, function.module};
      }
      return found.pads != nullptr;
    });
    if (found.pads != nullptr) {
      break;
    }
  }
  return found;
}

// benchmark = True times all kernels again for every new size.
void check_sizes(Site &site, const Node &node, bool is_default) {
  if (!project_has_word(site, {"pad_sequence(", "collate_fn"}) ||
      !project_has_word(site, {"nn.Conv1d(", "nn.Conv2d(", "nn.ConvTranspose1d(", "nn.ConvTranspose2d("})) {
    return;
  }
  const Padding &padding = site.memory.recall<Padding>(&site.project, [&site] { return find_padding(site); });
  if (padding.pads == nullptr) {
    return;
  }
  Finding &finding =
      report(site, node,
             std::string(is_default ? "by default, " : "") +
                 "`benchmark = True` times the convolution kernels again for every new input size, and these batches "
                 "differ in length",
             "leave it off, or pad to a few fixed lengths");
  finding.notes.push_back({padding.module->file, padding.loader->span(), "the batches of this loader"});
  finding.notes.push_back(
      {site_of(site, *padding.pads).module->file, padding.pads->span(), "are padded to their longest sample here"});
}

void check(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const std::string_view setting = cudnn_setting(site, assignment);
  if (setting.empty()) {
    return;
  }
  const auto value = setting_of(site, assignment.value);
  if (!value.has_value() || !value->as_bool().has_value()) {
    return;
  }
  const bool on = value->is_true();
  if (assignment.value->kind != NodeKind::Constant) {
    // A setting with a name was chosen by somebody. Whether it suits the data is another matter.
    return setting == "benchmark" && on ? check_sizes(site, node, value->overridable) : void();
  }
  if (setting == "benchmark" && on) {
    if (const Assign *const other = made_deterministic(site, node)) {
      Finding &finding = report(site, node,
                                "`benchmark` and `deterministic` contradict each other: timing chooses the kernel, "
                                "so two runs may still differ",
                                "choose one: `benchmark = True` for speed, or `deterministic = True` and `benchmark "
                                "= False` for reproducible results");
      add_note(finding, site, *other, "`deterministic` is set here");
      return;
    }
    check_sizes(site, node, false);
    return;
  }
  if (setting == "deterministic" && on) {
    report(site, node, "deterministic cuDNN kernels can be slower than the default ones",
           "set `deterministic = True` only where runs must match bit for bit")
        .tier = Tier::Hint;
  } else if (setting == "benchmark" && !on) {
    report(site, node, "with `benchmark = False`, cuDNN does not search for its fastest kernels",
           "if all inputs have the same size, set `torch.backends.cudnn.benchmark = True`")
        .tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kCudnnBenchmarkOff = {
    .info = {.code = "DP510",
             .name = "cudnn-benchmark-off",
             .summary = "cuDNN settings that cost speed or contradict each other",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Slow Execution Time",
             .stage = "Initialization",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`torch.backends.cudnn.benchmark = True` together with `deterministic = True`, which contradict each other, and `benchmark = True`, also by a
setting, in a program with convolutions whose batches are padded to their longest sample.
`deterministic = True` and `benchmark = False` on their own are hints.

## Why it costs

cuDNN has several kernels for each convolution. With `benchmark` it times them for each new input size and keeps the
fastest. With `deterministic` it uses only kernels that always give the same bits, which can be slower. Both together
are not reproducible, because the timing may choose another kernel in the next run, and not the fastest either.

## Bad

```python
import torch

torch.backends.cudnn.deterministic = True
torch.backends.cudnn.benchmark = True
```

## Good

```python
import torch

torch.backends.cudnn.benchmark = True
```

## When it is wrong

Where runs have to be comparable, the slower kernels are the price; that is why those two are hints. If input sizes keep
changing, `benchmark = True` costs time instead of saving it.

## References

- PyTorch documentation: reproducibility
- PyTorch performance tuning guide: enable the cuDNN auto-tuner
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::cudnn_benchmark_off
