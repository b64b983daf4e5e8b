#include "rules/made_on_host.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/text_places.h"
#include "rules/tree.h"

#include "base/known_names.h"
#include "base/name_table.h"
#include "model/bind.h"
#include "model/lookup.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::create_then_move {

using namespace python;
using model::Value;

namespace {

// Functions of NumPy, where PyTorch has one that fills a tensor on the device.
bool is_numpy_factory(std::string_view api) {
  static const NameTable kFactories({"numpy.zeros", "numpy.ones", "numpy.full", "numpy.arange", "numpy.linspace",
                                     "numpy.eye", "numpy.random.rand", "numpy.random.randn", "numpy.random.normal",
                                     "numpy.random.uniform", "numpy.random.randint"});
  return !api.empty() && kFactories.has(intern(api));
}

// `torch.rand` draws other numbers on another device, so a moved one is not the same as one made there.
bool is_random(std::string_view api) { return api.starts_with("torch.rand") || api.starts_with("numpy.random."); }

bool is_traced_argument(const Site &site) {
  return std::ranges::any_of(site.ancestors, [&site](const Node *node) {
    const auto *call = as<Call>(node);
    return call != nullptr && called_api(site, *call) == "torch.jit.trace";
  });
}

// ---- Where it comes from --------------------------------------------------------------------------------------------

struct Origin {
  const Call *made = nullptr; // the call that fills the tensor
  const model::FunctionInfo *function = nullptr;
  const Expr *named = nullptr; // where it is read from a name or attribute
  bool by_numpy = false;
  bool elsewhere = false; // in a function that is called here
  bool legacy = false;    // torch.LongTensor(2, 3), which takes no device
};

// Views, casts and fills: what comes out was made where what goes in was made.
bool keeps_place(std::string_view method) {
  static const NameTable kMethods(
      {"float",          "half",      "double",  "long",      "int",        "bool",         "byte",
       "type",           "view",      "reshape", "unsqueeze", "squeeze",    "expand",       "repeat",
       "permute",        "transpose", "t",       "flatten",   "contiguous", "triu",         "tril",
       "fill_",          "zero_",     "normal_", "uniform_",  "random_",    "exponential_", "bernoulli_",
       "requires_grad_", "clamp",     "mul",     "add",       "div",        "sub",          "astype",
       "masked_fill",    "mul_",      "add_",    "sub_",      "div_",       "log",          "exp",
       "sqrt",           "expand_as", "bfloat16"});
  return !method.empty() && kMethods.has(intern(method));
}

// The value of the last assignment to the name or attribute before the place, in the blocks around it.
const Expr *last_set(const Site &site, const Expr &place) {
  if (const auto *name = as<Name>(&place)) {
    return last_assigned(site, *name);
  }
  const std::string_view text = text_of(site, &place);
  const Expr *found = nullptr;
  for (std::size_t i = site.ancestors.size(); i-- > 0 && found == nullptr;) {
    for_each_child(site.ancestors[i], [&](const Node *statement) {
      const auto *assignment = as<Assign>(statement);
      if (assignment != nullptr && assignment->end <= place.start && text_of(site, assignment->targets[0]) == text) {
        found = assignment->value;
      }
    });
    if (site.ancestors[i]->kind == NodeKind::FunctionDef) {
      break;
    }
  }
  return found;
}

// Between its making and its move nothing is done with it but filling it as a whole, or slices of it with a number:
// elements that a loop sets one by one are set faster on the CPU, and what is computed there has to be copied.
bool is_only_filled(const Site &site, const Expr &read, const Expr *set) {
  if (site.function == nullptr || site.function->definition() == nullptr) {
    return false; // a script: its statements may be far apart
  }
  const TextPlaces &places = text_places(site);
  const std::vector<u32> *const mentions = places.of(text_of(site, &read));
  if (mentions == nullptr) {
    return false;
  }
  const auto is_fill = [&](const TextPlaces::Item &mention) {
    const TextPlaces::Item *const above = mention.above != TextPlaces::kNone ? &places[mention.above] : nullptr;
    const Node *const parent = above != nullptr ? above->node : nullptr;
    const Node *const grandparent =
        above != nullptr && above->above != TextPlaces::kNone ? places[above->above].node : nullptr;
    const auto *method = as<Attribute>(parent);
    if (method != nullptr && method->attr.text().ends_with("_") && as<Call>(grandparent) != nullptr) {
      return true;
    }
    const auto *subscript = as<Subscript>(parent);
    const auto *assignment = as<Assign>(grandparent);
    if (subscript == nullptr || subscript->context != Context::Store || assignment == nullptr ||
        !number_of(site, assignment->value).has_value()) {
      return false;
    }
    for (u32 at = mention.above; at != TextPlaces::kNone; at = places[at].above) {
      const Node *const node = places[at].node;
      // The loop that both stand in does not count.
      const bool is_shared = node->start <= set->start && read.end <= node->end;
      if ((node->kind == NodeKind::For || node->kind == NodeKind::While) && !is_shared) {
        return false;
      }
    }
    return true;
  };
  const auto start_of = [&places](u32 number) { return places[number].node->start; };
  for (auto at = std::ranges::lower_bound(*mentions, set->end, {}, start_of);
       at != mentions->end() && start_of(*at) <= read.start; ++at) {
    const TextPlaces::Item &mention = places[*at];
    // What stores there gets what the move gives.
    const bool counts = mention.node->kind != NodeKind::Subscript && mention.node->context == Context::Load;
    if (counts && mention.node != &read && !is_fill(mention)) {
      return false;
    }
  }
  return true;
}

Origin origin_of(const Site &site, const Expr *expr, u32 steps);

// A function of PyTorch on what is made here and numbers, and nothing else: `torch.exp(torch.arange(n) / n)`. What it
// computes it could compute on the device as well.
Origin origin_of_arguments(const Site &site, const Call &call, u32 steps) {
  Origin origin;
  const auto take = [&](const Expr *argument) {
    if (is_plain_number(site, argument)) {
      return true;
    }
    const Origin found = origin_of(site, argument, steps + 1);
    if (found.made != nullptr && origin.made == nullptr) {
      origin = found;
    }
    return found.made != nullptr;
  };
  for (const Expr *argument : call.args) {
    const auto *list = as<List>(argument);
    const bool is_made = list != nullptr ? std::ranges::all_of(list->elts, take) : take(argument);
    if (!is_made) {
      return {};
    }
  }
  return has_choices(call) ? Origin{} : origin;
}

// Is it one whole number for sure, and no list of them? What an annotation says of a list, or of one thing or another,
// is told of its elements as well, and is no evidence.
bool is_surely_integer(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 6;
  if (depth > kMostDepth) {
    return false;
  }
  const auto is_integer = [&](const Expr *part) { return is_surely_integer(site, part, depth + 1); };
  switch (expr->kind) {
  case NodeKind::BinOp:
    return is_integer(static_cast<const BinOp *>(expr)->left) && is_integer(static_cast<const BinOp *>(expr)->right);
  case NodeKind::UnaryOp:
    return is_integer(static_cast<const UnaryOp *>(expr)->operand);
  case NodeKind::Subscript: { // x.shape[0]
    const auto *part = static_cast<const Subscript *>(expr);
    const auto *shape = as<Attribute>(part->value);
    return shape != nullptr && shape->attr.text() == "shape" && part->slice->kind != NodeKind::Slice;
  }
  case NodeKind::Call: {
    const auto &call = *static_cast<const Call *>(expr);
    const std::string_view api = called_api(site, call);
    return api == "len" || api == "int" || (called_method(call) == "size" && call.args.size() == 1) ||
           called_method(call) == "numel";
  }
  case NodeKind::Name: {
    const auto &name = *static_cast<const Name *>(expr);
    if (const Expr *const value = last_assigned(site, name)) {
      return is_integer(value);
    }
    const u32 place = site.function != nullptr ? site.function->place_of_param(name.id) : model::FunctionInfo::kNoParam;
    const Param *const param = place != model::FunctionInfo::kNoParam ? site.function->params[place] : nullptr;
    const auto *type = param != nullptr ? as<Name>(param->annotation) : nullptr;
    return (type != nullptr && type->id.text() == "int") || integer_of(site, expr).has_value();
  }
  default:
    if (const auto setting = integer_of(site, expr).has_value() ? std::nullopt : setting_of(site, expr)) {
      return setting->as_number().has_value();
    }
    return integer_of(site, expr).has_value();
  }
}

// `torch.FloatTensor(2, 3)`: sizes, and no values. Several arguments can be nothing else.
bool is_legacy_factory(const Site &site, const Call &call, std::string_view api) {
  static const NameTable kTypes({"torch.Tensor", "torch.FloatTensor", "torch.DoubleTensor", "torch.HalfTensor",
                                 "torch.LongTensor", "torch.IntTensor", "torch.ByteTensor", "torch.BoolTensor"});
  if (api.empty() || !kTypes.has(intern(api)) || call.args.empty() || !call.keywords.empty()) {
    return false;
  }
  return call.args.size() > 1
             ? std::ranges::all_of(call.args, [&](const Expr *size) { return is_plain_number(site, size); })
             : is_surely_integer(site, call.args[0]);
}

Origin origin_of_call(const Site &site, const Call &call, u32 steps) {
  const std::string_view api = called_api(site, call);
  if (is_legacy_factory(site, call, api)) {
    return Origin{&call, site.function, nullptr, false, false, true};
  }
  if (takes_device(api) || is_numpy_factory(api)) {
    return has_choices(call) ? Origin{} : Origin{&call, site.function, nullptr, is_numpy_factory(api), false, false};
  }
  if (api == "torch.autograd.Variable" || api == "torch.from_numpy" || api == "torch.triu" || api == "torch.tril" ||
      api == "torch.unsqueeze") {
    Origin origin = call.args.empty() || has_choices(call) ? Origin{} : origin_of(site, call.args[0], steps + 1);
    return origin;
  }
  if (api == "torch.tensor" || api == "torch.as_tensor" || api == "torch.FloatTensor" || api == "torch.Tensor") {
    const Origin origin = call.args.empty() || has_choices(call) ? Origin{} : origin_of(site, call.args[0], steps + 1);
    return origin.by_numpy ? origin : Origin{};
  }
  if ((api.starts_with("torch.") && model::kind_of(&call) == Kind::TorchTensor) ||
      (api.starts_with("numpy.") && model::kind_of(&call) == Kind::NumpyArray)) {
    return origin_of_arguments(site, call, steps);
  }
  if (keeps_place(called_method(call)) && receiver_of(call) != nullptr) {
    return origin_of(site, receiver_of(call), steps + 1);
  }
  // A function that returns what it makes.
  const Expr *const returned = steps == 0 ? returned_at_end(site, call) : nullptr;
  if (returned == nullptr) {
    return {};
  }
  const model::FunctionInfo *const function = called_function(site, call);
  Origin origin = origin_of(site_inside(site, *function), returned, steps + 1);
  origin.elsewhere = origin.made != nullptr;
  origin.function = function;
  return origin;
}

Origin origin_of(const Site &site, const Expr *expr, u32 steps) {
  constexpr u32 kMostSteps = 8;
  if (expr == nullptr || steps > kMostSteps) {
    return {};
  }
  switch (expr->kind) {
  case NodeKind::Call:
    return origin_of_call(site, *static_cast<const Call *>(expr), steps);
  case NodeKind::Name:
  case NodeKind::Attribute: {
    const Expr *set = last_set(site, *expr);
    if (set == nullptr || !is_only_filled(site, *expr, set)) {
      return {};
    }
    Origin origin = origin_of(site, set, steps + 1);
    origin.named = origin.named == nullptr ? expr : origin.named;
    return origin;
  }
  case NodeKind::BinOp: { // `torch.rand(n) * 2 - 1`
    const auto *operation = static_cast<const BinOp *>(expr);
    if (is_plain_number(site, operation->right)) {
      return origin_of(site, operation->left, steps + 1);
    }
    const Origin right = origin_of(site, operation->right, steps + 1);
    if (right.made == nullptr || is_plain_number(site, operation->left)) {
      return right;
    }
    const Origin left = origin_of(site, operation->left, steps + 1);
    return left.made != nullptr && left.named == nullptr && right.named == nullptr ? left : Origin{};
  }
  case NodeKind::UnaryOp:
    return origin_of(site, static_cast<const UnaryOp *>(expr)->operand, steps + 1);
  case NodeKind::Subscript: { // `torch.arange(n)[None, :]`
    const Origin origin = origin_of(site, static_cast<const Subscript *>(expr)->value, steps + 1);
    return origin.named == nullptr ? origin : Origin{};
  }
  default:
    return {};
  }
}

// ---- Where it goes --------------------------------------------------------------------------------------------------

struct Destination {
  std::string device; // empty if it goes nowhere
  std::string dtype;
};

bool is_device(const Site &site, const Expr *target) {
  std::optional<std::string> name = string_of(site, target);
  if (const auto setting = name.has_value() ? std::nullopt : setting_of(site, target);
      setting.has_value() && setting->as_string().value_or("").starts_with("cuda")) {
    name = setting->as_string(); // by default, at least
  }
  const std::string_view written = text_of(site, target);
  return name.has_value() ? name->starts_with("cuda") || name->starts_with("mps")
                          : model::kind_of(target) == Kind::TorchDevice || written == "device" ||
                                written.ends_with(".device") || written.ends_with("_device");
}

Destination like(std::string_view tensor) {
  return {fmt::format("{}.device", tensor), fmt::format("{}.dtype", tensor)};
}

Destination destination_of(const Site &site, const Call &move) {
  const std::string_view method = called_method(move);
  if (has_hidden_arguments(move)) {
    return {};
  }
  const Expr *target = argument(move, 0, method == "type_as" ? "other" : "device");
  if (method == "cuda") {
    return {target != nullptr ? std::string(text_of(site, target)) : "\"cuda\"", {}};
  }
  if (target == nullptr) {
    return {};
  }
  // `.to(x.device)` with a tensor that is in the host's memory itself copies nothing. A parameter moves with its
  // module.
  const auto *device = as<Attribute>(target);
  const Expr *const other = device != nullptr && device->attr.text() == "device" ? device->value : target;
  if (other->kind == NodeKind::Name && model::is_on_cpu(other)) {
    return {};
  }
  const bool is_name = target->kind == NodeKind::Name || target->kind == NodeKind::Attribute;
  if (method == "type_as") {
    return is_name && model::kind_of(target) == Kind::TorchTensor ? like(text_of(site, target)) : Destination{};
  }
  if (is_device(site, target)) {
    const Keyword *dtype = keyword_argument(move, "dtype");
    const Expr *second = move.args.size() > 1 ? move.args[1] : nullptr;
    return {std::string(text_of(site, target)), dtype != nullptr    ? std::string(text_of(site, dtype->value))
                                                : second != nullptr ? std::string(text_of(site, second))
                                                                    : std::string{}};
  }
  return is_name && model::kind_of(target) == Kind::TorchTensor && move.args.size() == 1 ? like(text_of(site, target))
                                                                                         : Destination{};
}

// The comparison that an `if` asks for, and whether the place stands where it holds; null if it asks for something
// else.
struct Asked {
  const Compare *test = nullptr;
  bool holds = false;
  const Block *branch = nullptr;
};

Asked asked_by(const Site &site, const Node *node) {
  const auto *guard = as<If>(node);
  if (guard == nullptr) {
    return {};
  }
  const auto *negated = as<UnaryOp>(guard->test);
  const bool is_negated = negated != nullptr && negated->op() == UnaryOperator::Not;
  const auto *test = as<Compare>(is_negated ? negated->operand : guard->test);
  const auto stands_in = [&](const Block &block) {
    return std::ranges::any_of(block, [&](const Stmt *one) { return contains(one, site.node); });
  };
  const bool is_first = stands_in(guard->body);
  if (test == nullptr || test->rest.size() != 1 || (!is_first && !stands_in(guard->orelse))) {
    return {};
  }
  return {test, is_first != is_negated, is_first ? &guard->body : &guard->orelse};
}

// `if self.grid[i].shape[2:4] != x.shape[2:4]: self.grid[i] = …`: it is made for a new size only.
bool is_for_new_size(const Site &site) {
  return std::ranges::any_of(site.ancestors, [&](const Node *node) {
    const Asked asked = asked_by(site, node);
    if (asked.test == nullptr ||
        asked.test->rest[0].op != (asked.holds ? CompareOperator::NotEq : CompareOperator::Eq)) {
      return false;
    }
    const auto is_stored = [&](Symbol name) {
      return any_node(*asked.branch, [&](const Node *inside) {
        const auto *assignment = as<Assign>(inside);
        return assignment != nullptr &&
               any_node(static_cast<const Node *>(assignment->targets[0]), [&](const Node *at) {
                 const auto *stored = as<Attribute>(at);
                 return stored != nullptr && stored->attr == name;
               });
      });
    };
    const auto is_set = [&](const Expr *side) {
      return any_node(side, [&](const Node *part) {
        const auto *attribute = as<Attribute>(part);
        return attribute != nullptr && model::is_own_object(*site.function, attribute->value) &&
               is_stored(attribute->attr);
      });
    };
    return is_set(asked.test->left) || is_set(asked.test->rest[0].right);
  });
}

// `if boxes.size(0) == 0: return torch.zeros(…)`: what is given back where there is nothing to compute with.
bool is_for_nothing(const Site &site) {
  return std::ranges::any_of(site.ancestors, [&](const Node *node) {
    const Asked asked = asked_by(site, node);
    return asked.test != nullptr &&
           asked.test->rest[0].op == (asked.holds ? CompareOperator::Eq : CompareOperator::NotEq) &&
           integer_of(site, asked.test->rest[0].right) == 0 && asked.branch->back()->kind == NodeKind::Return;
  });
}

// `model(torch.zeros(1, 3, 640, 640).to(device))` as a statement: a warm-up, whose result nobody takes.
bool warms_up(const Site &site) {
  const Node *inside = site.node;
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const Node *node = site.ancestors[i];
    if (node->kind != NodeKind::Call && node->kind != NodeKind::Attribute) {
      return node->kind == NodeKind::ExprStmt && inside != site.node &&
             model::kind_of(static_cast<const Call *>(inside)->func) == Kind::TorchModule;
    }
    inside = node;
  }
  return false;
}

// The forward() of an autograd function that has a symbolic(): it stands for an operator of ONNX while a model is
// exported, and what it computes is a placeholder.
bool is_placeholder(const Site &site) {
  const model::ClassInfo *type = site.function != nullptr ? site.function->type : nullptr;
  return type != nullptr && site.function->name == known::sym_forward && type->members.contains(intern("symbolic").id);
}

// `if self.mask is None or self.mask.size(0) != n:`, or a function whose results are kept: it runs when something is
// new.
bool is_kept(const Site &site) {
  const auto is_own = [&site](const Expr *expr) {
    const auto *attribute = as<Attribute>(expr);
    return attribute != nullptr && model::is_own_object(*site.function, attribute->value);
  };
  const auto is_guard = [&](const Node *node) {
    const auto *guard = as<If>(node);
    return guard != nullptr && any_node(guard->test, [&](const Node *part) {
             const auto *asked = as<Call>(part);
             if (asked != nullptr && called_name(*asked) == "hasattr") {
               return true;
             }
             const auto *test = as<Compare>(part);
             return test != nullptr && is_own(test->left) && test->rest.size() == 1 && is_none(test->rest[0].right);
           });
  };
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  return std::ranges::any_of(site.ancestors, is_guard) || is_for_new_size(site) ||
         (definition != nullptr && std::ranges::any_of(definition->decorators, [&site](const Expr *decorator) {
            return has_word_in_any_case(text_of(site, decorator), {"cache"});
          }));
}

// In loops of a few iterations and nowhere else, as in the few steps with random tensors that a script tries a model
// with.
bool runs_a_few_times(const Site &site) {
  const model::Loop *loop = loop_around(site);
  if (loop == nullptr || site.function == nullptr || site.function->in_loop ||
      (site.function->node != nullptr && !context_of(site).runs_once)) {
    return false;
  }
  for (; loop != nullptr; loop = loop->parent) {
    if (!loop->few_iterations) {
      return false;
    }
  }
  return true;
}

// In a loop, in a forward pass, or in a function that is called from a loop: elsewhere it happens once.
bool runs_often(const Site &site) {
  if (is_kept(site) || runs_a_few_times(site) || (site.function != nullptr && only_builds(*site.function))) {
    return false;
  }
  return loop_around(site) != nullptr || (site.function != nullptr && site.function->in_loop) || in_step(site) ||
         in_forward_pass(site);
}

// `.to(x.device)` or `.type_as(x)` with a tensor that the function is given: it computes with tensors of whoever calls
// it, and what takes tensors is called again and again.
bool follows_argument(const Site &site, const Call &move) {
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (definition == nullptr || is_kept(site) || site.function->name == known::sym_init || context_of(site).runs_once) {
    return false;
  }
  const auto is_given = [&](const Expr *expr) {
    const auto *attribute = as<Attribute>(expr);
    const bool is_device = attribute != nullptr && attribute->attr.text() == "device";
    const auto *name = as<Name>(is_device ? attribute->value : expr);
    return name != nullptr && (is_device || model::kind_of(name) == Kind::TorchTensor) &&
           !model::is_own_object(*site.function, name) && site.function->has_param(name->id);
  };
  return std::ranges::any_of(move.args, is_given) ||
         std::ranges::any_of(move.keywords, [&](const Keyword *keyword) { return is_given(keyword->value); });
}

// The function computes with tensors that it is given, so it runs whenever somebody has some.
bool computes_with_arguments(const Site &site) {
  const model::FunctionInfo *const function = site.function;
  if (function == nullptr || function->definition() == nullptr || function->name == known::sym_init || is_kept(site) ||
      context_of(site).runs_once) {
    return false;
  }
  return std::ranges::any_of(function->params, [function](const Param *param) {
    const u32 slot = function->slot_of(param->name);
    return slot != model::FunctionInfo::kNoSlot && function->all_values[slot].is_kind(Kind::TorchTensor);
  });
}

// A name of the same function that the loop does not set again: it is made before the loop, and moved once as well.
bool is_made_outside(const Site &site, const Origin &origin) {
  const model::Loop *loop = loop_around(site);
  return loop != nullptr && !origin.elsewhere && !contains(loop->node, origin.made);
}

// Is what it was made as needed on the CPU as well, after the move? Not where the name stands for the copy from then
// on.
bool is_needed_here(const Site &site, const Call &move, const Expr &named) {
  const std::string_view text = text_of(site, &named);
  // `x = x.to(device).to(dtype)`: what is called on the copy
  std::size_t at = site.ancestors.size();
  while (at > 0 && (site.ancestors[at - 1]->kind == NodeKind::Attribute ||
                    (site.ancestors[at - 1]->kind == NodeKind::Call && site.ancestors[at - 1]->start == move.start))) {
    --at;
  }
  const auto *assignment = at > 0 ? as<Assign>(site.ancestors[at - 1]) : nullptr;
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (definition == nullptr || (assignment != nullptr && text_of(site, assignment->targets[0]) == text)) {
    return false;
  }
  const TextPlaces &places = text_places(site);
  const std::vector<u32> *const mentions = places.of(text);
  return mentions == nullptr || std::ranges::any_of(mentions->rbegin(), mentions->rend(), [&](u32 number) {
           return places[number].node->start > move.end && !places[number].is_nested &&
                  places[number].node->kind != NodeKind::Subscript &&
                  places[number].node->context == Context::Load; // `for t in …` of a comprehension comes later
         });
}

// Exactly the same numbers on every device. What is computed from a step or a logarithm may differ in its last digits.
bool is_exact(const Site &site, const Call &made) {
  const std::string_view api = called_api(site, made);
  const auto is_whole = [&site](const Expr *bound) { return integer_of(site, bound).has_value(); };
  return api == "torch.zeros" || api == "torch.ones" || api == "torch.full" || api == "torch.empty" ||
         api == "torch.eye" ||
         (api == "torch.arange" && (made.args.size() == 1 || std::ranges::all_of(made.args, is_whole)));
}

// Between the call and its move there are only views and casts, which give the same on every device, and nothing asks
// for gradients: what is moved after that is not the leaf that gets them.
bool stays_the_same(const Expr *moved, const Call &made) {
  static const NameTable kMethods({"float",    "half",      "double",  "long",      "int",        "bool",   "byte",
                                   "bfloat16", "view",      "reshape", "unsqueeze", "squeeze",    "expand", "expand_as",
                                   "permute",  "transpose", "t",       "flatten",   "contiguous", "triu",   "tril"});
  const Expr *at = moved;
  while (at != &made) {
    if (const auto *subscript = as<Subscript>(at)) {
      at = subscript->value;
      continue;
    }
    const auto *step = as<Call>(at);
    if (step == nullptr || called_method(*step).empty() || !kMethods.has(intern(called_method(*step)))) {
      return false;
    }
    at = receiver_of(*step);
  }
  return keyword_argument(made, "requires_grad") == nullptr;
}

// `.cuda(None)` is the current device, and `device=None` the CPU.
bool is_same_device(const Site &site, const Call &move) {
  const Expr *target = argument(move, 0, "device");
  return called_method(move) != "cuda" || target == nullptr || integer_of(site, target).has_value() ||
         string_of(site, target).has_value() || model::kind_of(target) == Kind::TorchDevice;
}

// `torch.zeros(n, device=device)` for `torch.zeros(n).to(device)`.
void offer_device(Finding &finding, const Site &site, const Call &move, const Call &made, const std::string &device) {
  const Expr *receiver = receiver_of(move);
  const std::string_view text = site.module->parsed->source.text();
  const u32 end = receiver->end + (receiver->parenthesized ? 1 : 0);
  const bool is_closed = !receiver->parenthesized || text[receiver->end] == ')';
  const std::optional<Edit> edit = add_argument(site, made, "device=" + device);
  if (!edit.has_value() || !is_closed || device == "None") {
    return;
  }
  const bool is_safe =
      is_exact(site, made) && stays_the_same(receiver, made) && is_same_device(site, move) && !is_traced(site);
  set_fix(finding, is_safe, {*edit, Edit{end, move.end, ""}});
}

// A single number: torch.zeros(1), torch.ones((1,)), torch.tensor(0.5). Once per call of a function that is no step,
// that is nothing next to what else the function does.
bool has_one_element(const Site &there, const Call &made) {
  const std::string_view api = called_api(there, made);
  if (made.args.empty()) {
    return false;
  }
  const auto is_one = [&there](const Expr *size) { return integer_of(there, size) == 1; };
  const auto are_ones = [&](const Expr *size) {
    const auto *tuple = as<Tuple>(size);
    const auto *list = as<List>(size);
    return tuple != nullptr  ? std::ranges::all_of(tuple->elts, is_one)
           : list != nullptr ? std::ranges::all_of(list->elts, is_one)
                             : is_one(size);
  };
  if (api == "torch.tensor" || api == "torch.as_tensor") {
    return number_of(there, made.args[0]).has_value();
  }
  return api == "torch.full" ? are_ones(made.args[0])
                             : (api == "torch.zeros" || api == "torch.ones" || api == "torch.empty" ||
                                api == "torch.rand" || api == "torch.randn") &&
                                   std::ranges::all_of(made.args, are_ones);
}

void check(Site &site, const Call &call) {
  const Expr *receiver = receiver_of(call);
  if (receiver == nullptr || is_traced_argument(site)) {
    return; // what is traced is wanted for its graph
  }
  Origin origin = origin_of(site, receiver, 0);
  const bool is_computed = origin.made == nullptr && (in_step(site) || in_forward_pass(site));
  if (is_computed) {
    const auto *name = as<Name>(receiver);
    origin.named = name;
    origin.made = computed_on_host(site, receiver);
    if (name != nullptr && last_assigned(site, *name) == origin.made) {
      return; // made, and then used on the CPU
    }
    origin.elsewhere = origin.made != nullptr && site_of(site, *origin.made).function != site.function;
  }
  if (origin.made == nullptr || is_made_outside(site, origin) ||
      (origin.named != nullptr && is_needed_here(site, call, *origin.named))) {
    return;
  }
  const Destination to = destination_of(site, call);
  if (to.device.empty() || (origin.by_numpy && !in_step(site) && !in_forward_pass(site))) {
    return;
  }
  const Site there = origin.elsewhere ? site_of(site, *origin.made) : site;
  const std::string_view api = called_api(there, *origin.made);
  const std::string_view maker = origin.legacy ? "torch.empty" : text_of(there, origin.made->func);
  Finding &finding =
      report(site, call,
             origin.by_numpy ? "NumPy creates this array on the CPU, and it is then copied to the device"
             : is_computed   ? "this tensor is computed on the CPU and then copied to the device"
                             : "this tensor is created on the CPU and then copied to the device",
             origin.by_numpy ? fmt::format("create it on the device with PyTorch's function and `device={}`", to.device)
             : origin.elsewhere ? fmt::format("pass the device to `{}`, and create the tensor there: `{}(…, device=…)`",
                                              as<Call>(receiver) != nullptr ? text_of(site, as<Call>(receiver)->func)
                                                                            : there.function->name.text(),
                                              maker)
                                : fmt::format("create it on the device: `{}(…, device={})`", maker, to.device));
  if (origin.elsewhere || origin.named != nullptr || is_computed) {
    finding.notes.push_back({there.module->file, origin.made->span(), "it is created here"});
  }
  const bool is_little =
      has_one_element(there, *origin.made) && loop_around(site) == nullptr && !in_step(site) && !in_forward_pass(site);
  if (in_some_steps_only(site) || is_for_nothing(site) || warms_up(site) || is_placeholder(site) || is_little) {
    finding.severity = Severity::Advice; // seldom, and it costs little
    finding.tier = Tier::Hint;
  } else if (!runs_often(site) && !follows_argument(site, call)) {
    finding.severity = Severity::Advice; // nothing tells how often it runs
    finding.tier = computes_with_arguments(site) ? finding.tier : Tier::Hint;
  }
  if (is_random(api)) {
    finding.advice += "; the random numbers will differ";
  }
  const bool is_plain = !is_computed && origin.named == nullptr && !origin.elsewhere && !origin.by_numpy &&
                        !origin.legacy && call.keywords.empty() && (to.dtype.empty() && call.args.size() < 2);
  if (is_plain) {
    offer_device(finding, site, call, *origin.made, to.device);
  }
}

// `scores[torch.arange(n), labels]` with scores on the device: the indices are copied there.
void check_index(Site &site, const Node &node) {
  const auto &subscript = static_cast<const Subscript &>(node);
  if (model::kind_of(subscript.value) != Kind::TorchTensor || !model::is_moved(subscript.value) ||
      (!in_step(site) && !in_forward_pass(site))) {
    return;
  }
  const auto look = [&](const Expr *index) {
    const auto *made = as<Call>(index);
    if (made == nullptr || !takes_device(called_api(site, *made)) || has_choices(*made)) {
      return;
    }
    const Expr *source = subscript.value; // a part of a tensor is where the tensor is, and taking it twice costs twice
    while (const auto *part = as<Subscript>(source)) {
      source = part->value;
    }
    const bool is_place = source->kind == NodeKind::Name || source->kind == NodeKind::Attribute;
    const std::string_view base = is_place ? text_of(site, source) : std::string_view("x");
    report(site, *made, "these indices are created on the CPU and copied to the device for every use",
           fmt::format("create them on the device: `{}(…, device={}.device)`", text_of(site, made->func), base));
  };
  if (const auto *parts = as<Tuple>(subscript.slice)) {
    for (const Expr *part : parts->elts) {
      look(part);
    }
  } else {
    look(subscript.slice);
  }
}

} // namespace

extern constinit const Rule kCreateThenMove = {
    .info = {.code = "DP401",
             .name = "create-then-move",
             .summary = "a tensor that is created on the CPU only to be copied to the device",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Safe,
             .documentation = R"(## What it finds

`torch.zeros(…).cuda()`, `torch.arange(…).to(device)`, `torch.ones(…).type_as(x)` and the like: a function that could
create the tensor on the device creates it on the CPU, and the result is copied. The rule follows the tensor through
variables, casts, views, in-place fills and functions that return what they create. It also finds arrays that NumPy
fills in a step or a forward pass, and indices that are created on the CPU for a tensor on the device. A single number
outside of loops, steps and forward passes is a hint.

## Why it costs

The CPU fills the memory, the driver copies it into pinned memory and then over the bus, and the program waits for that.
Creating the tensor on the device takes one kernel and no copy.

## Bad

```python
import torch

for step in range(1000):
    mask = torch.ones(64, 512, 512).cuda()
```

## Good

```python
import torch

for step in range(1000):
    mask = torch.ones(64, 512, 512, device="cuda")
```

## When it is wrong

During setup the copy costs next to nothing: outside of loops, `forward` and functions that loops call it is only a
hint. The same holds in one of many steps (`if step % 100 == 0`, also a hook that returns early), where a buffer is made
for a new size, where there is nothing to compute with (`if len(boxes) == 0: return …`), in a warm-up, and in the placeholder
of an operator for ONNX. Random numbers differ between devices; keep the copy where the numbers must match those of a CPU. The fix for
random functions therefore needs `--unsafe-fixes`.

## References

- PyTorch performance tuning guide: create tensors directly on the target device
)"},
    .calls = "*.cuda *.to *.type_as",
    .on_call = check,
    .nodes = {NodeKind::Subscript},
    .on_node = check_index};

} // namespace deepperf::rules::create_then_move
