#include "base/symbol_list.h"
#include "model/context.h"
#include "python/children.h"
#include "rules/assignments.h"
#include "rules/optimizer_module.h"
#include "rules/site.h"
#include "rules/text_places.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace deepperf::rules::growing_in_loop {

using namespace python;

namespace {

// A name, an attribute of one, or an entry of a dictionary.
bool is_same(const Site &site, const Expr *a, const Expr *b) {
  return a->kind == b->kind &&
         (a->kind == NodeKind::Name || a->kind == NodeKind::Attribute || a->kind == NodeKind::Subscript) &&
         text_of(site, a) == text_of(site, b);
}

// `x` of `x.cpu()`, `x.detach()` and the like, and of `x` itself.
const Expr *without_casts(const Expr *expr) {
  while (const auto *call = as<Call>(expr)) {
    const std::string_view method = called_method(*call);
    if (method != "cpu" && method != "detach" && method != "contiguous" && method != "numpy" && method != "clone" &&
        method != "to" && method != "cuda" && method != "float") {
      break;
    }
    expr = receiver_of(*call);
  }
  return expr;
}

// How often a function reads each of its names, and where one is only given another name: `acc = grown`.
struct NameReads {
  struct Reads {
    u32 count = 0;
    std::vector<const Assign *> renames;
  };
  std::unordered_map<u32, Reads> of;
};

const NameReads::Reads &reads_of(const Site &site, Symbol name) {
  const Block &body = body_around(site);
  const NameReads &all = site.memory.recall<NameReads>(&body, [&body] {
    NameReads found;
    any_node(body, [&](const Node *node) {
      const auto *read = as<Name>(node);
      const auto *store = as<Assign>(node);
      const auto *value = store != nullptr && store->targets.size() == 1 ? as<Name>(store->value) : nullptr;
      if (read != nullptr && read->context == Context::Load) {
        ++found.of[read->id.id].count;
      } else if (value != nullptr) {
        found.of[value->id.id].renames.push_back(store);
      }
      return false;
    });
    return found;
  });
  static const NameReads::Reads kNone;
  const auto known = all.of.find(name.id);
  return known != all.of.end() ? known->second : kNone;
}

// `x` of `cat([x, y])` or `np.append(x, y)`, if that is what the result is assigned to.
const Expr *grown_operand(const Site &site, const Call &call, const Expr *target) {
  if (call.args.empty()) {
    return nullptr;
  }
  const Expr *first = call.args[0];
  if (called_api(site, call).ends_with(".append")) {
    return is_same(site, first, target) ? first : nullptr;
  }
  const Array<Expr *> parts = first->kind == NodeKind::List    ? static_cast<const List *>(first)->elts
                              : first->kind == NodeKind::Tuple ? static_cast<const Tuple *>(first)->elts
                                                               : Array<Expr *>{};
  for (const Expr *part : parts) {
    const Expr *const plain = without_casts(part);
    if (is_same(site, plain, target)) {
      return plain;
    }
    // old = self.bank; self.bank = torch.cat([old, x])
    const auto *alias = as<Name>(plain);
    const Expr *const before = alias != nullptr ? last_assigned(site, *alias) : nullptr;
    if (before != nullptr && is_same(site, without_casts(before), target) && reads_of(site, alias->id).count == 1) {
      return without_casts(before);
    }
  }
  return nullptr;
}

// An attribute of something that the loop binds, or an entry by a key that it binds: another one in each iteration.
bool belongs_to_iteration(const model::Loop &loop, const Expr *target) {
  if (target->kind == NodeKind::Name) {
    return false;
  }
  bool found = false;
  const auto visit = [&](const auto &self, const Node *node) -> void {
    if (const auto *name = as<Name>(node)) {
      found = found || contains(loop.assigned, name->id);
    }
    for_each_child(node, [&](const Node *child) { self(self, child); });
  };
  visit(visit, target);
  return found;
}

// `len(x) == 0`, `not x`, `x.numel() > 0`, `x is None`: asks whether there is anything yet, or how much.
bool asks_for_size(const Site &site, const Node *node, const Expr *target) {
  if (const auto *compare = as<Compare>(node)) {
    const auto *entry = as<Subscript>(target); // key not in totals
    return compare->rest.size() == 1 && ((is_same(site, compare->left, target) && is_none(compare->rest[0].right)) ||
                                         (entry != nullptr && is_same(site, compare->rest[0].right, entry->value)));
  }
  if (const auto *negated = as<UnaryOp>(node)) {
    return negated->op() == UnaryOperator::Not && is_same(site, negated->operand, target);
  }
  if (const auto *call = as<Call>(node)) {
    const Expr *receiver = receiver_of(*call);
    const std::string_view method = called_method(*call);
    return (called_name(*call) == "len" && call->args.size() == 1 && is_same(site, call->args[0], target)) ||
           (receiver != nullptr && is_same(site, receiver, target) &&
            (method == "numel" || method == "size" || method == "dim" || method == "nelement"));
  }
  const auto *attribute = as<Attribute>(node);
  return attribute != nullptr && is_same(site, attribute->value, target) &&
         (attribute->attr.text() == "shape" || attribute->attr.text() == "size" || attribute->attr.text() == "ndim" ||
          attribute->attr.text() == "empty");
}

// Compiled by TorchScript, often for an export that knows no lists.
bool is_scripted(const Site &site) {
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  return definition != nullptr && std::ranges::any_of(definition->decorators, [&](const Expr *decorator) {
           return text_of(site, decorator).find("script") != std::string_view::npos;
         });
}

// What else the loop does with the value that grows.
struct Uses {
  const Site &site;
  const Expr *target;  // that the result is assigned to
  const Expr *operand; // that it grows from
  const Node *branch;  // the outermost `if` around the growth in the loop: its other branch may set the first value
  bool read = false;
  bool set = false;

  // `if x is None: x, y = first, second`, whatever follows it: the first values are set there.
  [[nodiscard]] bool asks_for_first(const Node *node) const {
    const auto *choice = as<If>(node);
    return choice != nullptr && any_node(choice->test, [&](const Node *part) {
             const auto *test = as<Compare>(part);
             const bool is_new = test != nullptr && test->rest.size() == 1 && is_none(test->rest[0].right) &&
                                 any_node(static_cast<const Node *>(choice), [&](const Node *inner) {
                                   return inner->context == Context::Store && inner->kind == test->left->kind &&
                                          text_of(site, inner) == text_of(site, test->left);
                                 });
             return is_new || asks_for_size(site, part, target);
           });
  }

  void look(const Block &body) {
    if (!body.empty()) {
      look(body[0]->start, body.back()->end);
    }
  }

  // All places from `start` to `end` in the function.
  void look(u32 start, u32 end) {
    const TextPlaces &places = text_places(site);
    const std::vector<u32> *const mentions = places.of(text_of(site, target));
    if (mentions == nullptr) {
      read = true; // for all that is known
      return;
    }
    const auto start_of = [&places](u32 number) { return places[number].node->start; };
    for (auto at = std::ranges::lower_bound(*mentions, start, {}, start_of);
         at != mentions->end() && start_of(*at) < end && !read && !set; ++at) {
      look(places, *at, start);
    }
  }

private:
  void look(const TextPlaces &places, u32 mention, u32 start) {
    const Node *const node = places[mention].node;
    if (node == operand || node == target || node->kind != target->kind) {
      return;
    }
    bool in_branch = false;
    for (u32 at = mention; at != TextPlaces::kNone && places[at].node->start >= start; at = places[at].above) {
      const Node *const around = places[at].node;
      if (asks_for_size(site, around, target)) {
        return;
      }
      in_branch = in_branch || around == branch || asks_for_first(around);
    }
    read |= node->context == Context::Load;
    set |= node->context != Context::Load && !in_branch;
  }
};

// `if len(x) < 10:` around it: it does not grow any longer than that.
bool is_bounded(const Site &site, const Node *outermost) {
  const auto is_size = [](const Expr *expr) {
    if (const auto *subscript = as<Subscript>(expr)) {
      const auto *attribute = as<Attribute>(subscript->value);
      return attribute != nullptr && attribute->attr.text() == "shape";
    }
    const auto *call = as<Call>(expr);
    const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
    return name == "len" || name == "size" || name == "numel";
  };
  for (std::size_t i = site.ancestors.size(); i-- > 0 && site.ancestors[i] != outermost;) {
    const auto *choice = as<If>(site.ancestors[i]);
    const auto *test = choice != nullptr ? as<Compare>(choice->test) : nullptr;
    if (test != nullptr && test->rest.size() == 1 && is_size(test->left) &&
        (test->rest[0].op == CompareOperator::Lt || test->rest[0].op == CompareOperator::LtE)) {
      return true;
    }
  }
  return false;
}

// `acc = grown` after `grown = cat([acc, x])`, if that is all that is done with it: what takes it in the end.
const Expr *renamed_to(const Site &site, const Assign &assignment, const Expr *target) {
  const auto *name = as<Name>(target);
  if (name == nullptr) {
    return nullptr;
  }
  const NameReads::Reads &reads = reads_of(site, name->id);
  const bool is_renamed = reads.count == 1 && reads.renames.size() == 1 && reads.renames[0]->start > assignment.end;
  return is_renamed ? reads.renames[0]->targets[0] : nullptr;
}

// What takes the result of the call: `x = cat(…)`, `x = y if x is None else cat(…)`, `x = cat(…).cpu()`,
// `x, y = cat(…), cat(…)`; null if it is something else.
struct Taker {
  const Expr *target = nullptr;
  const Assign *assignment = nullptr;
  bool is_returned = false;
};

Taker taker_of(const Site &site, const Call &call) {
  const Node *below = &call;
  const Tuple *tuple = nullptr; // that the value is an element of
  u32 place = 0;
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const Node *node = site.ancestors[i];
    if (const auto *assignment = as<Assign>(node)) {
      if (assignment->targets.size() != 1 || assignment->value != below) {
        return {};
      }
      const auto *targets = as<Tuple>(assignment->targets[0]);
      if (tuple == nullptr) {
        return {assignment->targets[0], assignment};
      }
      return targets != nullptr && targets->elts.size() == tuple->elts.size() ? Taker{targets->elts[place], assignment}
                                                                              : Taker{};
    }
    if (node->kind == NodeKind::Return) {
      return {.is_returned = tuple == nullptr};
    }
    const auto *choice = as<IfExp>(node);
    const auto *method = as<Attribute>(node);
    const auto *outer = as<Call>(node);
    const auto *part = as<Subscript>(node); // cat(…)[-capacity:]
    const auto *parts = as<Tuple>(node);
    const bool is_choice = (choice != nullptr && choice->test != below) ||
                           (part != nullptr && part->value == below && part->slice->kind == NodeKind::Slice);
    const bool is_cast = (method != nullptr && method->value == below) ||
                         (outer != nullptr && outer->func == below && without_casts(outer) != outer);
    if (parts != nullptr && tuple == nullptr) {
      tuple = parts;
      const auto found = std::ranges::find(parts->elts, below);
      place = static_cast<u32>(found - parts->elts.begin());
    } else if (!is_choice && !is_cast) {
      return {};
    }
    below = node;
  }
  return {};
}

// A loop that generates tokens with a key-value cache: what the model does for each token costs so much more that the
// copy of the ids does not count.
bool decodes_with_cache(const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  const auto *repeated = as<While>(loop.node);
  const Block body = statement != nullptr ? statement->body : repeated != nullptr ? repeated->body : Block{};
  return any_node(body, [](const Node *node) {
    const auto *call = as<Call>(node);
    return call != nullptr && keyword_argument(*call, "past_key_values") != nullptr;
  });
}

void add_finding(Site &site, const Call &call, const Expr *target, const model::Loop *loop, bool is_sure) {
  Finding &finding = report(
      site, call,
      loop != nullptr ? fmt::format("every iteration copies all of `{}` to append to it", text_of(site, target))
                      : fmt::format("every call copies all of `{}` to append to it, and a loop calls this function",
                                    text_of(site, target)),
      loop != nullptr ? "collect the pieces in a list, and concatenate them once after the loop"
                      : "append the pieces to a list, and concatenate them once, when they are needed");
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "in every iteration of this loop");
  }
  if (!is_sure || (loop != nullptr && decodes_with_cache(*loop))) {
    finding.tier = Tier::Hint;
  }
}

// `for t in range(2500):` around the call, with a number that is known: no such loop is short.
bool counts_to_hundreds(const Site &site, const model::CallSite &caller) {
  constexpr i64 kHundreds = 100;
  const auto *loop = caller.loop != nullptr ? as<For>(caller.loop->node) : nullptr;
  const auto *range = loop != nullptr ? as<Call>(loop->iter) : nullptr;
  if (range == nullptr || called_name(*range) != "range" || range->args.size() != 1 || caller.once ||
      caller.behind_guard || caller.conditional || caller.loop->once) {
    return false;
  }
  Site there{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  there.module = caller.caller->module;
  there.function = caller.caller;
  there.type = caller.caller->type;
  return integer_of(there, range->args[0]).value_or(0) >= kHundreds;
}

// A loop that runs a model in each of its iterations goes over batches. (One over layers calls what it goes over.)
bool runs_model(const Site &site, const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  return statement != nullptr && any_node(statement->body, [&](const Node *node) {
           const auto *call = as<Call>(node);
           const auto *name = call != nullptr ? as<Name>(call->func) : nullptr;
           if (call == nullptr || (name != nullptr && mentions(statement->target, name->id))) {
             return false;
           }
           const model::Value callee = site.project.callee_of(call);
           return callee.is_kind(Kind::TorchModule) ||
                  (callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule);
         });
}

// The names that a function declares `nonlocal` or `global`: they keep what one call leaves in them for the next.
struct OuterNames : std::unordered_set<u32> {};

bool is_of_outer_scope(const Site &site, const FunctionDef &definition, const Expr *expr) {
  const auto *name = as<Name>(expr);
  if (name == nullptr) {
    return false;
  }
  const OuterNames &outer = site.memory.recall<OuterNames>(&definition, [&definition] {
    OuterNames found;
    any_node(definition.body, [&](const Node *node) {
      const auto *global = as<Global>(node);
      const auto *nonlocal = as<Nonlocal>(node);
      for (const Symbol declared : global != nullptr     ? global->names
                                   : nonlocal != nullptr ? nonlocal->names
                                                         : Array<Symbol>{}) {
        found.insert(declared.id);
      }
      return false;
    });
    return found;
  });
  return outer.contains(name->id.id);
}

// `self.scores = torch.cat([self.scores, x])` in a method that a loop calls.
void check_method(Site &site, const Call &call, const Expr *target, const Expr *operand) {
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const auto *entry = as<Subscript>(target); // self.columns[key]
  const Expr *const owner = entry != nullptr ? entry->value : target;
  // What is cut to a length each time is appended to again and again.
  const bool is_window = !site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::Subscript;
  if (definition == nullptr) {
    return;
  }
  const bool outlives = owner->kind == NodeKind::Attribute || is_of_outer_scope(site, *definition, owner);
  if ((!site.function->in_loop && !is_window) || !outlives || is_scripted(site) || is_bounded(site, definition)) {
    return;
  }
  const Node *branch = nullptr;
  for (std::size_t i = site.ancestors.size(); i-- > 0 && site.ancestors[i] != definition;) {
    branch = site.ancestors[i]->kind == NodeKind::If ? site.ancestors[i] : branch;
  }
  Uses uses{.site = site, .target = target, .operand = operand, .branch = branch};
  uses.look(definition->body);
  if (!uses.read && !uses.set) {
    // For each batch of a training or an evaluation, or hundreds of times; a loop of another kind may be short.
    constexpr u16 kSteps = model::kPerTrainingStep | model::kPerEvaluationStep;
    const bool is_long = std::ranges::any_of(site.function->called_by, [&](const model::CallSite *caller) {
      return caller->loop != nullptr && !caller->loop->few_iterations &&
             (caller->loop->trains || counts_to_hundreds(site, *caller) ||
              (caller->loop->iterations != model::Iterations::Few && runs_model(site, *caller->loop)));
    });
    add_finding(site, call, target, nullptr,
                ((site.function->context & kSteps) != 0 || is_long) && !site.module->is_test);
  }
}

// `for key in keys: totals[key] = torch.cat([totals[key], x[key]])`: of a loop over the keys the one around it, which
// comes to the same entries again; null if there is none.
const model::Loop *loop_of_entries(const model::Loop &inner, const Expr *target) {
  const auto *entry = as<Subscript>(target);
  const auto *keys = as<For>(inner.node);
  const auto *container = entry != nullptr ? as<Name>(entry->value) : nullptr;
  const auto *key = entry != nullptr ? as<Name>(entry->slice) : nullptr;
  if (container == nullptr || key == nullptr || keys == nullptr || inner.parent == nullptr ||
      !mentions(keys->target, key->id)) {
    return nullptr;
  }
  const model::Loop &outer = *inner.parent;
  const auto is_bound = [&](Symbol name) { return contains(outer.assigned, name); };
  return is_bound(container->id) || outer.few_iterations ? nullptr : &outer;
}

void check_growth(Site &site, const Call &call, const Expr *target, const Expr *operand) {
  const model::Loop *const innermost = loop_around(site);
  if (innermost == nullptr) {
    return check_method(site, call, target, operand);
  }
  // One entry in each iteration: a row of a table that each call adds to.
  const auto *entry = as<Subscript>(target);
  const auto *over = as<For>(innermost->node);
  const auto *key = entry != nullptr ? as<Name>(entry->slice) : nullptr;
  if (key != nullptr && over != nullptr && innermost->parent == nullptr && entry->value->kind == NodeKind::Attribute &&
      mentions(over->target, key->id)) {
    return check_method(site, call, target, operand);
  }
  const model::Loop *const of_entries = loop_of_entries(*innermost, target);
  const model::Loop *const loop = of_entries != nullptr ? of_entries : long_loop_around(site);
  if (loop == nullptr || loop->iterations == model::Iterations::Few ||
      (of_entries == nullptr && belongs_to_iteration(*loop, target)) || is_scripted(site) ||
      is_bounded(site, loop->node)) {
    return;
  }
  const Node *branch = nullptr;
  for (std::size_t i = site.ancestors.size(); i-- > 0 && site.ancestors[i] != loop->node;) {
    branch = site.ancestors[i]->kind == NodeKind::If ? site.ancestors[i] : branch;
  }
  Uses uses{.site = site, .target = target, .operand = operand, .branch = branch};
  uses.look(loop->node->start, loop->node->end);
  if (uses.read || uses.set) {
    return; // each iteration needs what was gathered so far, or starts over
  }
  // A collection may be a handful of files or layers; the rows of a tensor are data.
  const Expr *iterated = iterated_by(site, *loop);
  const bool is_tensor = iterated != nullptr && model::kind_of(iterated) == Kind::TorchTensor;
  const bool may_be_short = loop->iterations == model::Iterations::Collection && !goes_over_data(site, *loop) &&
                            !is_tensor && called_api(site, call) != "numpy.append";
  add_finding(site, call, target, loop, !may_be_short);
}

// `def merge(all, x): return torch.cat([all, x])`, and `total = merge(total, x)` in a loop: what is said of the
// callers.
void check_callers(Site &site, const Call &call) {
  constexpr std::size_t kMostCallers = 16;
  const auto &callers = site.function->called_by;
  if (call.args.empty() || callers.empty() || callers.size() > kMostCallers) {
    return;
  }
  const auto *list = as<List>(call.args[0]);
  const auto *tuple = as<Tuple>(call.args[0]);
  const bool is_append = called_api(site, call).ends_with(".append");
  for (const Expr *part : list != nullptr    ? list->elts
                          : tuple != nullptr ? tuple->elts
                          : is_append        ? Array<Expr *>{call.args.begin(), 1}
                                             : Array<Expr *>{}) {
    const auto *parameter = as<Name>(without_casts(part));
    if (parameter == nullptr || last_assigned(site, *parameter) != nullptr) {
      continue;
    }
    const FunctionDef *const helper = site.function->definition();
    Uses uses{.site = site, .target = parameter, .operand = parameter, .branch = nullptr};
    if (helper != nullptr) {
      uses.look(helper->body);
    }
    if (uses.read) {
      continue; // it needs what was gathered so far
    }
    for (const Passed &passed : passed_for(*site.function, parameter->id)) {
      if (passed.value == nullptr || passed.site->loop == nullptr) {
        continue;
      }
      Site there = site_at(site, *passed.site->caller, *passed.site->call);
      const Taker taker = taker_of(there, *passed.site->call);
      if (taker.target != nullptr && is_same(there, without_casts(passed.value), taker.target)) {
        check_growth(there, *passed.site->call, taker.target, without_casts(passed.value));
      }
    }
  }
}

void check(Site &site, const Call &call) {
  const Taker taker = taker_of(site, call);
  if (taker.is_returned && site.function != nullptr) {
    return check_callers(site, call);
  }
  if (taker.target == nullptr) {
    return;
  }
  if (const Expr *const operand = grown_operand(site, call, taker.target)) {
    return check_growth(site, call, taker.target, operand);
  }
  const Expr *const renamed = renamed_to(site, *taker.assignment, taker.target);
  const Expr *const operand = renamed != nullptr ? grown_operand(site, call, renamed) : nullptr;
  if (operand != nullptr) {
    check_growth(site, call, renamed, operand);
  }
}

} // namespace

extern constinit const Rule kGrowingInLoop = {
    .info = {.code = "DP138",
             .name = "growing-in-loop",
             .summary = "an array or tensor that is copied in every iteration to append to it",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Increasing Time Over Time",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .posts = "62538267",
             .documentation = R"(## What it finds

`x = torch.cat([x, y])`, and the same with `tf.concat`, `np.append`, `np.concatenate`, `np.vstack` and `pd.concat`, in a
loop that does nothing else with `x` except read its length. `x` may be a variable, an attribute or a dictionary entry,
and its first value may be set in a branch or a conditional expression. A helper that returns the longer tensor, another
name for it on the way, and a variable of an outer function count as well. An attribute that grows in a method called by a
loop is a hint, unless that happens for each batch of a training or an evaluation, or hundreds of times.

## Why it costs

Arrays have a fixed size: each iteration allocates a new array and copies everything collected so far. The time grows
with the square of the number of iterations, and the old and the new array are in memory together.

## Bad

```python
import torch


def predict(model, val_loader):
    outputs = torch.zeros(0)
    for x in val_loader:
        outputs = torch.cat([outputs, model(x)])
    return outputs
```

## Good

```python
import torch


def predict(model, val_loader):
    outputs = []
    for x in val_loader:
        outputs.append(model(x))
    return torch.cat(outputs)
```

## When it is wrong

A loop of a few iterations costs nothing. Where each iteration needs what was collected so far, as in a decoder that
reads its own output, the rule is silent.

## References

- `numpy.append`: the result is a copy; pandas user guide on concatenation
- Stack Overflow 62538267
)"},
    .calls = "torch.cat torch.concat torch.concatenate torch.vstack torch.hstack tensorflow.concat numpy.append "
             "numpy.concatenate "
             "numpy.vstack numpy.hstack numpy.row_stack numpy.column_stack pandas.concat jax.numpy.append "
             "jax.numpy.concatenate "
             "jax.numpy.vstack jax.numpy.hstack",
    .on_call = check};

} // namespace deepperf::rules::growing_in_loop
