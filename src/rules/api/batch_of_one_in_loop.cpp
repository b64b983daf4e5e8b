#include "model/classes.h"
#include "model/graph_flow.h"
#include "model/iteration_flow.h"
#include "model/variance.h"
#include "rules/encoding.h"
#include "rules/names_from.h"
#include "rules/optimizer_module.h"
#include "rules/per_item.h"
#include "rules/reach.h"
#include "rules/sample_cost.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::rules::batch_of_one_in_loop {

using namespace python;

namespace {

// `i : i + 1`
bool is_slice_of_one(const Site &site, const Expr *expr) {
  const auto *slice = as<Slice>(expr);
  const auto *end = slice != nullptr ? as<BinOp>(slice->upper) : nullptr;
  return end != nullptr && slice->lower != nullptr && slice->step == nullptr && end->op() == Operator::Add &&
         text_of(site, end->left) == text_of(site, slice->lower) && integer_of(site, end->right) == 1;
}

// Numbers that each are one more than the one before: `np.arange(0, n)`, also with one more number at its end.
bool counts_by_one(const Site &site, const Expr *numbers, u32 depth = 0) {
  constexpr u32 kMostSteps = 3;
  if (const auto *name = as<Name>(numbers)) {
    const Expr *const value = depth < kMostSteps ? assigned_to(site, *name) : nullptr;
    return value != nullptr && value->end <= name->start && counts_by_one(site, value, depth + 1);
  }
  const auto *call = as<Call>(numbers);
  const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
  if (api == "numpy.append" && call->args.size() == 2 && depth < kMostSteps) {
    return counts_by_one(site, call->args[0], depth + 1);
  }
  return (api == "numpy.arange" || api == "torch.arange" || api == "range") &&
         (call->args.size() < 3 || integer_of(site, call->args[2]) == 1);
}

// `ids[i] : ids[i + 1]` of such numbers
bool is_between_neighbours(const Site &site, const Expr *expr) {
  const auto *slice = as<Slice>(expr);
  const auto *first = slice != nullptr ? as<Subscript>(slice->lower) : nullptr;
  const auto *last = slice != nullptr ? as<Subscript>(slice->upper) : nullptr;
  const auto *next = last != nullptr ? as<BinOp>(last->slice) : nullptr;
  return first != nullptr && next != nullptr && slice->step == nullptr && next->op() == Operator::Add &&
         integer_of(site, next->right) == 1 && text_of(site, next->left) == text_of(site, first->slice) &&
         text_of(site, first->value) == text_of(site, last->value) && counts_by_one(site, first->value);
}

// `x` of `x[i : i + 1]`, `x.unsqueeze(0)`, `torch.unsqueeze(x, 0)`, `x[None]` or `x[None, :]`; null if it is something
// else.
const Expr *single_item(const Site &site, const Expr *expr) {
  if (const auto *call = as<Call>(expr)) {
    const bool is_function = called_api(site, *call) == "torch.unsqueeze";
    if (called_method(*call) == "unsqueeze" || is_function) {
      const Expr *dimension = argument(*call, is_function ? 1 : 0, "dim");
      const Expr *item = is_function ? argument(*call, 0, "input") : receiver_of(*call);
      return dimension != nullptr && integer_of(site, dimension) == 0 ? item : nullptr;
    }
    // .to(device) and the like after it
    const std::string_view method = called_method(*call);
    return method == "to" || method == "cuda" || method == "float" || method == "half"
               ? single_item(site, receiver_of(*call))
               : nullptr;
  }
  const auto *subscript = as<Subscript>(expr);
  if (subscript == nullptr) {
    return nullptr;
  }
  const auto *parts = as<Tuple>(subscript->slice);
  const Expr *first = parts != nullptr && !parts->elts.empty() ? parts->elts[0] : subscript->slice;
  return is_none(first) || is_slice_of_one(site, first) || is_between_neighbours(site, first) ? subscript->value
                                                                                              : nullptr;
}

bool mentions_target(const Expr *target, const Expr *expr) {
  if (const auto *name = as<Name>(target)) {
    return mentions(expr, name->id);
  }
  const auto *parts = as<Tuple>(target);
  return parts != nullptr &&
         std::ranges::any_of(parts->elts, [expr](const Expr *part) { return mentions_target(part, expr); });
}

bool is_param(const model::FunctionInfo &function, const Expr *expr) {
  const auto *name = as<Name>(expr);
  return name != nullptr && function.has_param(name->id);
}

// Ray Serve collects requests, and calls it with a list of them.
bool gets_collected(const Site &site, const model::FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  return definition != nullptr && function.parent != nullptr &&
         std::ranges::any_of(definition->decorators, [&](const Expr *decorator) {
           const auto *call = as<Call>(decorator);
           const model::Value value = model::value_of(model::scope_of(site.project, *function.parent),
                                                      call != nullptr ? call->func : decorator);
           return value.is(model::Value::Tag::Api) && value.name().text() == "ray.serve.batch";
         });
}

// The names of the functions that get such lists from another one of their module: it calls them, or has a thread call
// them.
struct GivenCollected : std::unordered_map<const model::Module *, std::unordered_set<u32>> {};

void add_given(const model::FunctionInfo &from, std::unordered_set<u32> &found) {
  const auto add = [&found](const Expr *given) {
    if (const auto *name = as<Name>(given)) {
      found.insert(name->id.id);
    } else if (const auto *method = as<Attribute>(given)) {
      found.insert(method->attr.id);
    }
  };
  any_node(from.definition()->body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && std::ranges::any_of(call->args, [&](const Expr *given) { return is_param(from, given); })) {
      add(call->func);
      std::ranges::for_each(call->args, add);
    }
    return false;
  });
}

// Does the function get the collected requests for a parameter: itself, or by another one that calls it or has a thread
// call it?
bool is_collected_batch(const Site &site, const Expr *items) {
  if (site.function == nullptr || !is_param(*site.function, items) ||
      !project_has_word(site, {"from ray", "import ray"})) {
    return false;
  }
  const GivenCollected &given = site.memory.recall<GivenCollected>(&site.project, [&site] {
    GivenCollected found;
    for (const model::FunctionInfo &other : site.project.functions) {
      if (gets_collected(site, other)) {
        add_given(other, found[other.module]);
      }
    }
    return found;
  });
  const auto found = given.find(site.module);
  return gets_collected(site, *site.function) ||
         (found != given.end() && found->second.contains(site.function->name.id));
}

// `model(**tokenizer(text))` for each text of a collection, also through functions.
void check_encoded(Site &site, const Call &call) {
  if (site.function == nullptr || site.module->is_test || context_of(site).in_training_step) {
    return;
  }
  const auto encoding = encoding_behind(site, call);
  const Expr *const text = encoding.has_value() ? argument(*encoding->call, 0, "text") : nullptr;
  const auto item =
      text != nullptr && encoding->texts != Encoding::Texts::Several ? item_behind(site, text) : std::nullopt;
  // Where the tokenizer's call is reported for the same reason, that is enough.
  const auto is_reported = [&](const Finding &finding) {
    return finding.file == site.module->file && finding.rule->code == "DP141" &&
           finding.span.start == encoding->call->start;
  };
  note_seen_findings();
  if (!item.has_value() || std::ranges::any_of(site.findings, is_reported)) {
    return;
  }
  Finding &finding =
      report(site, call, fmt::format("`{}` runs on one text at a time, in batches of one", text_of(site, call.func)),
             "tokenize a list of texts with `padding=True`, and run the model on batches");
  finding.notes.push_back({item->module->file, item->place, "one call for each item"});
  // Programs that train encode their prompts once, before training.
  if (!item->is_sure || project_has_word(site, {"backward("})) {
    finding.tier = Tier::Hint;
  }
}

bool is_param_of(const Site &site, const Expr *item) {
  return site.function != nullptr && site.function->definition() != nullptr && is_param(*site.function, item);
}

// A function that runs the model on the one item that it is given, and that a loop calls for each of its items.
void check_called(Site &site, const Call &call, const Name &item) {
  if (site.module->is_test || context_of(site).in_training_step || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  for (const Passed &passed : passed_for(*site.function, item.id)) {
    const model::Loop *const loop = passed.site != nullptr ? passed.site->loop : nullptr;
    const auto *statement = loop != nullptr ? as<For>(loop->node) : nullptr;
    if (statement == nullptr || passed.value == nullptr || loop->few_iterations || loop->steps ||
        loop->iterations == model::Iterations::Few || passed.site->conditional || passed.site->behind_guard ||
        !mentions_target(statement->target, passed.value)) {
      continue;
    }
    const Site there = site_of(site, *passed.site->call);
    const Expr *const items = iterated_by(there, *loop);
    if (items == nullptr || model::kind_of(items) == Kind::TorchDataLoader) {
      continue;
    }
    Finding &finding =
        report(site, call, fmt::format("`{}` runs on one item at a time, in batches of one", text_of(site, call.func)),
               "stack items of the same size with `torch.stack`, and run the model on batches");
    finding.notes.push_back({there.module->file, passed.site->call->span(), "called for each item of a loop"});
    if (model::kind_of(items) != Kind::TorchTensor || !under_no_grad(site)) {
      finding.tier = Tier::Hint; // items may have different sizes, and results may depend on each other
    }
    return;
  }
}

// What a loop or a comprehension binds in each iteration, and the node that says so.
struct Iterations {
  const Node *node = nullptr;
  const Expr *target = nullptr;
};

Iterations iterations_of(const model::Loop &loop) {
  if (const auto *statement = as<For>(loop.node)) {
    return {statement, statement->target};
  }
  if (loop.node->kind == NodeKind::While) {
    return {};
  }
  const auto &generators = static_cast<const ComprehensionExpr *>(loop.node)->generators;
  return generators.size() == 1 ? Iterations{loop.node, generators[0]->target} : Iterations{};
}

bool makes_tensor(std::string_view api) {
  return api == "torch.as_tensor" || api == "torch.tensor" || api == "torch.from_numpy" || api == "torch.Tensor" ||
         api == "torch.FloatTensor";
}

// What a call makes a tensor of, itself or in a function of the project that does just that; null if it is something
// else.
const Expr *converted_by(const Site &site, const Call &call) {
  if (call.args.empty()) {
    return nullptr;
  }
  const model::FunctionInfo *const helper = called_function(site, call);
  if (helper == nullptr) {
    return makes_tensor(called_api(site, call)) ? call.args[0] : nullptr;
  }
  const FunctionDef *const definition = helper->definition();
  const auto *result =
      definition != nullptr && definition->body.size() == 1 ? as<Return>(definition->body[0]) : nullptr;
  const auto *made = result != nullptr ? as<Call>(result->value) : nullptr;
  while (made != nullptr && receiver_of(*made) != nullptr && called_method(*made) == "to") {
    made = as<Call>(receiver_of(*made));
  }
  const bool is_made = made != nullptr && !made->args.empty() && makes_tensor(called_api(site, *made)) &&
                       is_param(*helper, made->args[0]);
  return is_made ? call.args[0] : nullptr;
}

// The item without what makes a tensor of it: `row` of `torch.as_tensor(row).float()`.
const Expr *unconverted(const Site &site, const Expr *item) {
  while (const auto *call = as<Call>(item)) {
    const std::string_view method = called_method(*call);
    const Expr *const inner = converted_by(site, *call);
    if (inner == nullptr && method != "to" && method != "float" && method != "cuda") {
      break;
    }
    item = inner != nullptr ? inner : receiver_of(*call);
    if (item == nullptr) {
      break;
    }
  }
  return item;
}

// Does the class make one tensor of all items elsewhere, so that they have the same size? `self.obs`, which callers
// pass for the parameter.
bool is_made_one_tensor(const Site &site, const Expr *over) {
  const auto *name = as<Name>(over);
  const Expr *held = over->kind == NodeKind::Attribute ? over : nullptr;
  if (name != nullptr && site.function != nullptr && site.function->has_param(name->id)) {
    for (const Passed &passed : passed_for(*site.function, name->id)) {
      held = passed.value != nullptr && passed.value->kind == NodeKind::Attribute ? passed.value : nullptr;
    }
  }
  if (held == nullptr || site.type == nullptr) {
    return false;
  }
  const std::string_view text = text_of(site, held);
  return any_node_inside(site.type->node, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const Expr *const whole = call != nullptr ? converted_by(site, *call) : nullptr;
    return whole != nullptr && text_of(site, whole) == text;
  });
}

// Are these the rows of one tensor, one after the other: `for row in x`, or `x[i]` for each i of range(len(x))?
bool takes_rows(const Site &site, const Expr *item, const Expr *over, const Name &target) {
  const auto *row = as<Name>(unconverted(site, item));
  if (row != nullptr && row->id == target.id) {
    return model::kind_of(over) == Kind::TorchTensor || model::kind_of(over) == Kind::NumpyArray ||
           is_collected_batch(site, over) || is_made_one_tensor(site, over);
  }
  const auto *element = as<Subscript>(item);
  const Expr *const rows = element != nullptr ? element->value : item;
  const auto *range = as<Call>(over);
  return range != nullptr && range->args.size() == 1 && called_api(site, *range) == "range" &&
         model::kind_of(rows) == Kind::TorchTensor && any_node(range->args[0], [&](const Node *node) {
           return node->kind == rows->kind && text_of(site, node) == text_of(site, rows);
         });
}

// ---- A function that takes a batch, and is given one item: `[self.embed([text]) for text in texts]` -----------------

// The call of a model, in the function or in what it calls, that gets what is passed for the parameter; null if there
// is none.
struct BatchedCall {
  const Call *call = nullptr;
  const model::FunctionInfo *where = nullptr;
};

BatchedCall model_given_param(const Site &site, const model::FunctionInfo &function, u32 param, u32 depth = 0) {
  constexpr u32 kMostDepth = 3;
  BatchedCall found;
  if (function.definition() == nullptr) {
    return found;
  }
  const NamesFrom names(*function.definition(), function.params[param]->name);
  const auto depends = [&](const Expr *expr) { return names.mentioned_in(expr); };
  any_node(function.definition()->body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
    if (callee.is_kind(Kind::HfModel) || model::records_graph(site.project, callee)) {
      const bool is_given =
          std::ranges::any_of(call->args, depends) ||
          std::ranges::any_of(call->keywords, [&](const Keyword *keyword) { return depends(keyword->value); });
      found = is_given ? BatchedCall{call, &function} : found;
    }
    return found.call != nullptr;
  });
  for (std::size_t i = 0; i < function.calls.size() && found.call == nullptr && depth < kMostDepth; ++i) {
    const model::CallSite &inner = function.calls[i];
    for (u32 at = inner.bound ? 1 : 0; at < inner.callee->params.size() && found.call == nullptr; ++at) {
      const Expr *const given = inner.callee != &function ? model::passed_argument(inner, at) : nullptr;
      if (given != nullptr && depends(given)) {
        found = model_given_param(site, *inner.callee, at, depth + 1);
      }
    }
  }
  return found;
}

// `[text]`, where the loop binds `text`.
bool is_list_of_item(const Expr *given, const Expr *target) {
  const auto *list = as<List>(given);
  const auto *item = list != nullptr && list->elts.size() == 1 ? as<Name>(list->elts[0]) : nullptr;
  return item != nullptr && mentions_target(target, item);
}

void check_function(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  const auto is_list_of_one = [](const Expr *one) {
    return one->kind == NodeKind::List && static_cast<const List *>(one)->elts.size() == 1;
  };
  const model::Loop *const loop = std::ranges::any_of(call.args, is_list_of_one) ? loop_around(site) : nullptr;
  const Iterations iterations = loop != nullptr && !loop->few_iterations ? iterations_of(*loop) : Iterations{};
  if (iterations.target == nullptr || loop->steps || loop->iterations == model::Iterations::Few ||
      !site.module->torch || site.module->is_test || site.function == nullptr) {
    return;
  }
  const auto given =
      std::ranges::find_if(call.args, [&](const Expr *one) { return is_list_of_item(one, iterations.target); });
  const model::FunctionInfo *const called = given != call.args.end() ? called_function(site, call) : nullptr;
  if (called == nullptr || goes_over_data(site, *loop) || context_of(site).in_training_step ||
      enclosing(site, NodeKind::If) != nullptr ||
      std::ranges::any_of(call.args, [](const Expr *one) { return one->kind == NodeKind::Starred; })) {
    return;
  }
  // What the other arguments are must not depend on what came before.
  for (const Expr *one : call.args) {
    if (one != *given && model::varies(site.project, *loop, one)) {
      return;
    }
  }
  const bool is_bound = called->type != nullptr && !called->is_static;
  const auto place = static_cast<u32>(given - call.args.begin()) + (is_bound ? 1 : 0);
  if (place >= called->params.size()) {
    return;
  }
  const BatchedCall run = model_given_param(site, *called, place);
  if (run.call == nullptr) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` receives a batch but runs the model on one item at a time", text_of(site, call.func)),
             "pass it slices of the list, such as 32 items at a time");
  finding.notes.push_back({run.where->module->file, run.call->span(), "the model runs here"});
  if (!under_no_grad(site) && !under_no_grad(site_of_node(site_of(site, *run.call), *run.call))) {
    finding.tier = Tier::Hint;
  }
}

// ---- Names and several arguments: `a = image[None].cuda()`, `model(a, b)` -------------------------------------------

struct LeftEarly {
  bool value = false;
};

const model::IterationFlow &flow_of(const Site &site, const model::Loop &loop) {
  return site.memory.recall<model::IterationFlow>(loop.node, [&loop] { return model::IterationFlow(loop); });
}

// The same as single_item, also of a name that the iteration has set to one.
const Expr *single_item_of_name(const Site &site, const model::IterationFlow &flow, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const Expr *const value = name != nullptr ? flow.bound_to(*name) : expr;
  return value != nullptr ? single_item(site, value) : nullptr;
}

// A dataset of the project whose samples are read or decoded where they are asked for: `dataset[i]`, and parts of it.
Preparation read_by(const Site &site, const model::IterationFlow &flow, const Expr *item) {
  static const Symbol kGetItem = intern("__getitem__");
  constexpr u32 kMostSteps = 4;
  for (u32 steps = 0; item != nullptr && steps < kMostSteps; ++steps) {
    if (const auto *element = as<Subscript>(item)) {
      const model::Value owner = value_of(site, element->value);
      const model::FunctionInfo *const read = owner.is(model::Value::Tag::Object) && owner.type != nullptr
                                                  ? find_method_of(*owner.type, kGetItem)
                                                  : nullptr;
      if (read != nullptr) {
        return preparation_by(site, *read);
      }
      item = element->value;
      continue;
    }
    const auto *name = as<Name>(item);
    const auto *call = as<Call>(item);
    item = name != nullptr ? flow.taken_from(*name) : call != nullptr ? receiver_of(*call) : nullptr;
  }
  return {};
}

// Rows of a tensor that the loop does not bind: `x[i : i + 1]`, but not `x[None, :i]`, which is longer each time.
bool is_row(const Site &site, const model::IterationFlow &flow, const Expr *item, const Expr *given) {
  const auto *rows = as<Name>(item);
  if (rows == nullptr || model::kind_of(rows) != Kind::TorchTensor || flow.of(rows).item) {
    return false;
  }
  const auto *name = as<Name>(given);
  return !any_node(name != nullptr ? flow.bound_to(*name) : given, [&](const Node *node) {
    const auto *slice = as<Slice>(node);
    return slice != nullptr && !is_slice_of_one(site, slice) && !is_between_neighbours(site, slice) &&
           ((slice->lower != nullptr && flow.of(slice->lower).item) ||
            (slice->upper != nullptr && flow.of(slice->upper).item));
  });
}

// What comes with the item must be the same in every iteration, or made of the item as well.
bool comes_with_item(const Site &site, const model::Loop &loop, const model::IterationFlow &flow, const Expr *given) {
  return flow.of(given).item || !model::varies(site.project, loop, given);
}

// A loop that is left early may be left for what the model said.
bool is_left_early(const Site &site, const model::Loop &loop) {
  return site.memory
      .recall<LeftEarly>(loop.node,
                         [&loop] {
                           return LeftEarly{any_node(static_cast<const For *>(loop.node)->body, [](const Node *node) {
                             return node->kind == NodeKind::Break || node->kind == NodeKind::Return;
                           })};
                         })
      .value;
}

// Reports a model that every iteration of the loop runs on the item of that iteration alone.
void check_several(Site &site, const Call &call) {
  const model::Loop *const loop = long_loop_around(site);
  const auto *statement = loop != nullptr ? as<For>(loop->node) : nullptr;
  if (statement == nullptr || loop->few_iterations || loop->trains || loop->iterations == model::Iterations::Few ||
      site.module->is_test || site.function == nullptr || context_of(site).in_training_step || !under_no_grad(site) ||
      enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const Expr *const over = iterated_by(site, *loop);
  if (over == nullptr || model::kind_of(over) == Kind::TorchDataLoader) {
    return;
  }
  const model::IterationFlow &flow = flow_of(site, *loop);
  const Expr *item = nullptr;
  const Expr *given_item = nullptr;
  bool is_certain = !is_left_early(site, *loop);
  const auto depends_on_earlier = [&](const Expr *given) {
    const model::IterationFlow::Origin origin = flow.of(given);
    const Expr *const single = item == nullptr && origin.item ? single_item_of_name(site, flow, given) : nullptr;
    item = single != nullptr ? single : item;
    given_item = single != nullptr ? given : given_item;
    is_certain = is_certain && comes_with_item(site, *loop, flow, given);
    return origin.earlier;
  };
  if (std::ranges::any_of(call.args, depends_on_earlier) ||
      std::ranges::any_of(call.keywords, [&](const Keyword *one) { return depends_on_earlier(one->value); }) ||
      item == nullptr) {
    return;
  }
  const bool is_slice = is_row(site, flow, item, given_item);
  const Preparation reading = read_by(site, flow, item);
  const bool is_read = reading.cost == SampleCost::Much && reading.work != nullptr;
  Finding &finding =
      report(site, call,
             is_read ? fmt::format("`{}` runs on one sample at a time, and waits while the next one is loaded",
                                   text_of(site, call.func))
                     : fmt::format("`{}` runs on one item at a time, in batches of one", text_of(site, call.func)),
             is_read ? "load the samples through a `DataLoader` with `num_workers`, and batch samples of the same size"
                     : "stack items of the same size with `torch.stack`, or load them with a `DataLoader`, and "
                       "run the model on batches");
  add_note(finding, site, *statement, "one call for each item of this loop");
  if (is_read) {
    finding.notes.push_back({reading.where->module->file, reading.work->span(), "each sample is prepared here"});
  }
  if (!is_certain || (!is_slice && !is_read)) {
    finding.tier = Tier::Hint; // items may have different sizes, or depend on each other
  }
}

void check(Site &site, const Call &call) {
  if (site.project.callee_of(&call).is_kind(Kind::HfModel)) {
    check_encoded(site, call);
    return;
  }
  // A second argument is the state of a recurrence, more often than not.
  const Expr *item = call.args.size() == 1 ? single_item(site, call.args[0]) : nullptr;
  if (item == nullptr) {
    check_several(site, call);
    return;
  }
  const model::Loop *const inner = loop_around(site);
  const bool is_comprehension =
      inner != nullptr && inner->node->kind != NodeKind::For && inner->node->kind != NodeKind::While;
  const model::Loop *const loop = is_comprehension ? inner : long_loop_around(site);
  if (loop == nullptr && is_param_of(site, item)) {
    check_called(site, call, static_cast<const Name &>(*item));
    return;
  }
  const Iterations iterations = loop != nullptr && !loop->few_iterations ? iterations_of(*loop) : Iterations{};
  if (iterations.node == nullptr || loop->steps || loop->iterations == model::Iterations::Few ||
      !mentions_target(iterations.target, call.args[0]) ||
      model::kind_of(iterated_by(site, *loop)) == Kind::TorchDataLoader) {
    return;
  }
  Finding &finding =
      report(site, call, fmt::format("`{}` runs on one item at a time, in batches of one", text_of(site, call.func)),
             "stack items of the same size with `torch.stack`, or load them with a `DataLoader`, and "
             "run the model on batches");
  add_note(finding, site, *iterations.node, "one call for each item of this loop");
  // The rows of a tensor all have the same size, and nothing waits for a result under no_grad.
  const auto *target = as<Name>(iterations.target);
  if (target == nullptr || !takes_rows(site, item, iterated_by(site, *loop), *target) || !under_no_grad(site)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kBatchOfOneInLoop = {.info = {.code = "DP146",
                                                          .name = "batch-of-one-in-loop",
                                                          .summary = "a model called on single items in a loop",
                                                          .root_cause = "API: Not Using Batch API",
                                                          .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
                                                          .stage = "Prediction",
                                                          .frameworks = "PyTorch",
                                                          .severity = Severity::Advice,
                                                          .tier = Tier::On,
                                                          .fix = FixKind::None,
                                                          .documentation = R"(## What it finds

`model(x.unsqueeze(0))` or `model(x[None])` for each `x` of a loop, and `model(**tokenizer(text))` for each text of a collection. Also
`embed([text])` for each text, where `embed` runs a model on the list that it receives. Under `no_grad`, also where the batch of one has a
name or other arguments come with it, and where a loop reads `dataset[i]` itself, so that the model waits for each file.

## Why it costs

Every layer launches its kernels for a single item. Launching them takes longer than the computation, and most of the
device stays idle. A batch uses the same launches for all of its items.

## Bad

```python
import torch


def predict(model: torch.nn.Module, images):
    results = []
    with torch.no_grad():
        for image in images:
            results.append(model(image.unsqueeze(0)))
    return results
```

## Good

```python
import torch


def predict(model: torch.nn.Module, images):
    with torch.no_grad():
        return model(torch.stack(images))
```

## When it is wrong

Items of different sizes cannot be stacked without padding. Where each result determines the next input (games, tracking),
or where each item must be answered immediately, there is nothing to batch.

## References

- PyTorch performance tuning guide
)"},
                                                 .calls = "HfModel.__call__ TorchModule.__call__",
                                                 .on_call = check,
                                                 .nodes = {NodeKind::Call},
                                                 .on_node = check_function};

} // namespace deepperf::rules::batch_of_one_in_loop
