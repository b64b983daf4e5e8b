#include "base/known_names.h"
#include "model/bind.h"
#include "model/definitions.h"
#include "rules/per_step.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::constant_uploaded {

using namespace python;

namespace {

// ---- Are the numbers the same in every step? ------------------------------------------------------------------------

bool is_list_of_numbers(const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 4;
  if (const auto *product = as<BinOp>(expr)) { // [1.0, 2.0] * 8
    return product->op() == Operator::Mult && depth < kMostDepth && is_constant(product->right, ConstantKind::Int) &&
           is_list_of_numbers(product->left, depth + 1);
  }
  const auto *list = as<List>(expr);
  const auto *tuple = as<Tuple>(expr);
  if ((list == nullptr && tuple == nullptr) || depth > kMostDepth) {
    return false;
  }
  const Array<Expr *> elements = list != nullptr ? list->elts : tuple->elts;
  const auto is_number = [depth](const Expr *element) {
    const auto *sign = as<UnaryOp>(element);
    const Expr *const number = sign != nullptr ? sign->operand : element;
    return is_constant(number, ConstantKind::Int) || is_constant(number, ConstantKind::Float) ||
           is_list_of_numbers(element, depth + 1);
  };
  return !elements.empty() && std::ranges::all_of(elements, is_number);
}

// How many numbers are written in the list; what is no list has many.
u32 count_numbers(const Expr *expr) {
  const auto *list = as<List>(expr);
  const auto *tuple = as<Tuple>(expr);
  if (list == nullptr && tuple == nullptr) {
    return ~0U;
  }
  u32 count = 0;
  for (const Expr *element : list != nullptr ? list->elts : tuple->elts) {
    count += element->kind == NodeKind::List || element->kind == NodeKind::Tuple ? count_numbers(element) : 1;
  }
  return count;
}

// `self.x`, which the constructor sets to an array or list, and nobody sets or changes afterwards.
bool is_constant_attribute(const model::Scope &scope, const Attribute &attribute, bool is_iterated = false) {
  const model::Definitions &known = model::definitions_of(*scope.project);
  const auto stores = known.attribute_stores.find(attribute.attr.id);
  if (!model::is_own_object(*scope.function, attribute.value) || stores == known.attribute_stores.end() ||
      known.changed_attributes.contains(attribute.attr.id)) {
    return false;
  }
  return std::ranges::all_of(stores->second, [&](const model::AttributeStore &store) {
    if (store.value == nullptr || store.function == nullptr || store.function->name != known::sym_init) {
      return false;
    }
    const model::Value value = model::value_of(model::scope_of(*scope.project, *store.function), store.value);
    const bool is_data = is_iterated || value.is_kind(Kind::NumpyArray) || value.is_kind(Kind::List) ||
                         (value.is(model::Value::Tag::Tuple) && (value.uniform || value.number > 0)) ||
                         is_list_of_numbers(store.value);
    const auto *list = as<List>(store.value);
    return is_data && (list == nullptr || !list->elts.empty());
  });
}

struct Constant {
  bool holds = false;
  const model::FunctionInfo *function = nullptr; // where it is written down, if that is elsewhere
  const Expr *expr = nullptr;
};

Constant constant_data(const model::Scope &scope, const Expr *expr, u32 depth) {
  constexpr u32 kMostDepth = 4;
  if (expr == nullptr || depth > kMostDepth || scope.function == nullptr) {
    return {};
  }
  if (is_list_of_numbers(expr)) {
    return {.holds = true, .function = scope.function, .expr = expr};
  }
  // [1 / n for n in self.counts]
  if (const auto *all = as<ListComp>(expr)) {
    const auto *over = all->generators.size() == 1 ? as<Attribute>(all->generators[0]->iter) : nullptr;
    const auto *target = over != nullptr ? as<Name>(all->generators[0]->target) : nullptr;
    const bool is_own = target != nullptr && !any_node(all->elt, [target](const Node *node) {
                          const auto *name = as<Name>(node);
                          return node->kind == NodeKind::Call || (name != nullptr && name->id != target->id);
                        });
    return {.holds = is_own && is_constant_attribute(scope, *over, true), .function = scope.function, .expr = expr};
  }
  if (const auto *attribute = as<Attribute>(expr)) {
    return {.holds = is_constant_attribute(scope, *attribute), .function = scope.function, .expr = expr};
  }
  if (const auto *call = as<Call>(expr); call != nullptr && !call->args.empty()) {
    const model::Value callee = scope.project->callee_of(call);
    const bool is_array = callee.is(model::Value::Tag::Api) &&
                          (callee.name().text() == "numpy.array" || callee.name().text() == "numpy.asarray");
    return is_array ? constant_data(scope, call->args[0], depth + 1) : Constant{};
  }
  const auto *name = as<Name>(expr);
  if (name == nullptr) {
    return {};
  }
  // What most callers pass.
  const auto &params = scope.function->params;
  const auto param = std::ranges::find(params, name->id, &Param::name);
  if (param == params.end()) {
    const auto written = model::written_as(scope, expr);
    return written.size() == 1 && written[0].expr != expr && !written[0].overridable
               ? constant_data(written[0].scope, written[0].expr, depth + 1)
               : Constant{};
  }
  const auto position = static_cast<u32>(param - params.begin());
  constexpr std::size_t kMostCallers = 64;
  const auto &callers = scope.function->called_by;
  if (callers.empty() || callers.size() > kMostCallers) {
    return {};
  }
  Constant result;
  std::size_t constant = 0;
  for (const model::CallSite *site : callers) {
    const u32 own = site->bound ? 1 : 0;
    const model::Scope there = model::scope_of(*scope.project, *site->caller);
    const model::Argument passed = position < own
                                       ? model::Argument{.given = {}, .unknown = true}
                                       : model::argument_of(there, *site->call, position - own, name->id.text());
    const bool is_plain = passed.given.size() == 1 && !passed.unknown && !passed.may_be_absent;
    const Constant one = is_plain ? constant_data(passed.given[0].scope, passed.given[0].expr, depth + 1) : Constant{};
    constant += one.holds ? 1 : 0;
    result = one.holds ? one : result;
  }
  result.holds = constant * 2 >= callers.size(); // for these it is true, whatever the others do
  return result;
}

// ---- Does it go to the device? --------------------------------------------------------------------------------------

bool is_on_host(const Site &site, const Expr *device) {
  const std::optional<std::string> name = string_of(site, device);
  return name.has_value() && name->starts_with("cpu");
}

// `torch.tensor(…, device=d)`, `torch.tensor(…).float().to(d)`, `.cuda()`
bool is_uploaded(const Site &site, const Call &call) {
  if (const Keyword *device = keyword_argument(call, "device")) {
    return !is_on_host(site, device->value) && !is_none(device->value);
  }
  const Expr *tensor = &call;
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const Node *const above = site.ancestors[i];
    if (const auto *method = as<Attribute>(above); method != nullptr && method->value == tensor) {
      tensor = method;
    } else if (const auto *outer = as<Call>(above); outer != nullptr && outer->func == tensor) {
      const std::string_view name = called_method(*outer);
      if (name == "cuda" || (name == "to" && model::is_moved(outer))) {
        return true;
      }
      tensor = outer;
    } else if (const auto *part = as<Subscript>(above); part != nullptr && part->value == tensor) {
      tensor = part;
    } else {
      return false;
    }
  }
  return false;
}

// `MEAN.to(device)` of a tensor that the file makes once, on the CPU.
void check_move(Site &site, const Call &call) {
  const auto *name = as<Name>(receiver_of(call));
  if (name == nullptr || site.function == nullptr || site.function->node == nullptr || !model::is_on_cpu(name) ||
      site.function->slot_of(name->id) != model::FunctionInfo::kNoSlot || !model::is_moved(&call) ||
      site.module->is_test) {
    return;
  }
  const model::Loop *const loop = long_loop_around(site);
  if (!in_forward_pass(site) && !in_step(site) && (loop == nullptr || !goes_over_data(site, *loop))) {
    return;
  }
  u32 stores = 0;
  const Stmt *made = nullptr;
  for (const Stmt *statement : site.module->parsed->tree.body) {
    const auto *assign = as<Assign>(statement);
    const auto *target = assign != nullptr && assign->targets.size() == 1 ? as<Name>(assign->targets[0]) : nullptr;
    if (target != nullptr && target->id == name->id) {
      made = statement;
      ++stores;
    }
  }
  if (stores != 1 || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  Finding &finding =
      report(site, call, fmt::format("`{}` is copied to the device again in every step", name->id.text()),
             "move it once, before the loop or in `__init__`, and use that copy");
  add_note(finding, site, *made, "it is created here, on the CPU");
}

// `if table is None: table = torch.tensor(…); TABLES[device] = table`: made once for each device, and kept.
bool is_kept_in_table(const Site &site) {
  struct FillsTable {
    bool value = false;
  };
  const auto fills = [&site] {
    return FillsTable{site.function->definition() != nullptr &&
                      any_node(site.function->definition()->body, [&site](const Node *node) {
                        const auto *stored = as<Assign>(node);
                        const auto *entry = stored != nullptr ? as<Subscript>(stored->targets[0]) : nullptr;
                        const auto *table = entry != nullptr ? as<Name>(entry->value) : nullptr;
                        return table != nullptr && site.function->slot_of(table->id) == model::FunctionInfo::kNoSlot;
                      })};
  };
  if (site.memory.recall<FillsTable>(site.function, fills).value) {
    return true; // of the file's own
  }
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *branch = as<If>(enclosing(site, NodeKind::If));
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  if (branch == nullptr || assignment == nullptr) {
    return false;
  }
  if (assignment->targets.size() == 1 && assignment->targets[0]->kind == NodeKind::Subscript) {
    return true;
  }
  return name != nullptr && std::ranges::any_of(branch->body, [name](const Stmt *statement) {
           const auto *stored = as<Assign>(statement);
           const auto *value = stored != nullptr ? as<Name>(stored->value) : nullptr;
           return value != nullptr && value->id == name->id &&
                  std::ranges::any_of(stored->targets, [](const Expr *target) {
                    return target->kind == NodeKind::Subscript || target->kind == NodeKind::Attribute;
                  });
         });
}

// Fewer are hardly worth a line of their own elsewhere.
constexpr u32 kWorthIt = 16;

void check(Site &site, const Call &call) {
  if (const std::string_view method = called_method(call); method == "to" || method == "cuda") {
    check_move(site, call);
    return;
  }
  if (call.args.empty() || has_hidden_arguments(call) || !is_uploaded(site, call) ||
      (!in_forward_pass(site) && !in_step(site)) || is_kept_in_table(site)) {
    return;
  }
  const Constant data = constant_data(scope_of(site), call.args[0], 0);
  if (!data.holds) {
    return;
  }
  const bool has_module = site.function->type != nullptr && site.function->type->kind == Kind::TorchModule;
  Finding &finding = report(site, call, "the same numbers are copied to the device in every step",
                            has_module ? "create the tensor once and keep it in the module: `self.register_buffer(…)`"
                                       : "create the tensor on the device once, and use it in every step");
  if (count_numbers(data.expr) < kWorthIt) {
    finding.tier = Tier::Hint;
  }
  if (data.function != nullptr && data.function != site.function) {
    finding.notes.push_back({data.function->module->file, data.expr->span(), "the numbers come from here"});
  }
}

} // namespace

extern constinit const Rule kConstantUploaded = {
    .info = {.code = "DP413",
             .name = "constant-uploaded",
             .summary = "a constant list or array that is copied to the device in every step",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.tensor`, `torch.as_tensor` or `torch.from_numpy` of numbers that never change, in a forward pass or a training
step, whose result goes to a device: a literal list, or an attribute that only the constructor sets. The rule follows
parameters to most callers. Where the literal has only a few numbers, it is a hint.

## Why it costs

Each time, PyTorch converts the Python numbers or copies the array, and then copies the result over the bus from
pageable memory, which waits for the device. A tensor that is created once is already there.

## Bad

```python
import torch
from torch import nn


class Normalize(nn.Module):
    def forward(self, x):
        mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1).to(x.device)
        return x - mean
```

## Good

```python
import torch
from torch import nn


class Normalize(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1))

    def forward(self, x):
        return x - self.mean
```

## When it is wrong

A forward pass that runs once, or a model on the CPU, gains nothing.

## References

- PyTorch performance tuning guide: avoid unnecessary CPU-GPU synchronization
)"},
    .calls = "TorchTensor.to TorchTensor.cuda torch.tensor torch.as_tensor torch.from_numpy torch.FloatTensor "
             "torch.LongTensor torch.Tensor",
    .on_call = check};

} // namespace deepperf::rules::constant_uploaded
