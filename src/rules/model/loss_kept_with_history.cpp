#include "base/known_names.h"
#include "model/bind.h"
#include "model/context.h"
#include "model/graph_flow.h"
#include "rules/lightning.h"
#include "rules/optimizer_module.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::loss_kept_with_history {

using namespace python;

namespace {

// The statements of a loop or function.
Block body_of(const Node *region) {
  return region->kind == NodeKind::For           ? static_cast<const For *>(region)->body
         : region->kind == NodeKind::While       ? static_cast<const While *>(region)->body
         : region->kind == NodeKind::FunctionDef ? static_cast<const FunctionDef *>(region)->body
                                                 : Block{};
}

// Names and attributes, as they are written, that flow into a backward() of the region.
class Walked {
public:
  // `walks_result`: what the region returns goes into a backward(), as Lightning does it.
  Walked(const Site &site, const Block &region, bool walks_result) : site_(site) {
    any_node(region, [this, walks_result](const Node *node) {
      if (const auto *result = as<Return>(node); result != nullptr && result->value != nullptr && walks_result) {
        add_mentioned(result->value);
      } else if (const auto *call = as<Call>(node)) {
        const std::string_view method = called_method(*call);
        if (method == "backward" || method == "manual_backward" || method == "scale_loss") {
          add_mentioned(call);
        }
      } else if (const auto *assignment = as<Assign>(node)) {
        add_step(assignment->targets[0], assignment->value);
      } else if (const auto *annotated = as<AnnAssign>(node)) {
        add_step(annotated->target, annotated->value);
      }
      return false;
    });
    direct_ = names_.size();
    for (std::size_t known = 0; known != names_.size();) {
      known = names_.size();
      any_node(region, [this](const Node *node) {
        if (const auto *assignment = as<Assign>(node)) {
          for (const Expr *target : assignment->targets) {
            follow(target, assignment->value);
          }
        } else if (const auto *added = as<AugAssign>(node)) {
          follow(added->target, added->value);
        } else if (const auto *annotated = as<AnnAssign>(node); annotated != nullptr && annotated->value != nullptr) {
          follow(annotated->target, annotated->value);
        }
        return false;
      });
    }
  }

  [[nodiscard]] bool has(std::string_view name) const { return std::ranges::find(names_, name) != names_.end(); }

  // Does backward() itself name it?
  [[nodiscard]] bool has_direct(std::string_view name) const {
    const auto end = names_.begin() + static_cast<std::ptrdiff_t>(direct_);
    return std::find(names_.begin(), end, name) != end;
  }

private:
  static bool is_name(const Node *node) {
    return node->kind == NodeKind::Name || node->kind == NodeKind::Attribute || node->kind == NodeKind::Subscript;
  }

  // loss = train_step(…)
  void add_step(const Expr *target, const Expr *value) {
    const auto *made = as<Call>(value);
    const model::FunctionInfo *called = made != nullptr ? called_function(site_, *made) : nullptr;
    if (called != nullptr && called->steps) {
      add_mentioned(target);
    }
  }

  void add_mentioned(const Node *node) {
    any_node(node, [this](const Node *inner) {
      if (is_name(inner) && names_.size() < 200) {
        const std::string_view text = text_of(site_, inner);
        if (!has(text)) {
          names_.push_back(text);
        }
      }
      return false;
    });
  }

  void follow(const Expr *target, const Expr *value) {
    const bool wanted =
        any_node(target, [this](const Node *part) { return is_name(part) && has(text_of(site_, part)); });
    if (wanted) {
      add_mentioned(value);
    }
  }

  const Site &site_;
  std::vector<std::string_view> names_;
  std::size_t direct_ = 0;
};

// Is the accumulator set again at the start of each iteration?
bool starts_anew(const Site &site, const Block &body, std::string_view kept) {
  return std::ranges::any_of(body, [&](const Stmt *statement) {
    const auto *assignment = as<Assign>(statement);
    return assignment != nullptr && std::ranges::any_of(assignment->targets, [&](const Expr *target) {
             return any_node(target, [&](const Node *part) { return text_of(site, part) == kept; }) &&
                    !any_node(assignment->value, [&](const Node *part) { return text_of(site, part) == kept; });
           });
  });
}

// Is it set to something else somewhere in the loop: `if step % 16 == 0: print(total); total = 0`? Then it holds what a
// few steps gave, and what backward() has walked of that is freed.
bool starts_anew_at_times(const Site &site, const Block &body, std::string_view kept) {
  return any_node(body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    return assignment != nullptr && !model::has_grad(assignment->value) &&
           std::ranges::any_of(assignment->targets,
                               [&](const Expr *target) { return text_of(site, target) == kept; }) &&
           !any_node(static_cast<const Node *>(assignment->value),
                     [&](const Node *part) { return text_of(site, part) == kept; });
  });
}

// Is it set anew in an inner block on the way to the place: `if step % 100 == 0: total = 0; for part in parts: total +=
// part`?
bool starts_anew_before(const Site &site, const Block &body, const Node &place, std::string_view kept) {
  for (const Stmt *statement : body) {
    const auto *assignment = as<Assign>(statement);
    if (assignment != nullptr && assignment->end <= place.start && text_of(site, assignment->targets[0]) == kept &&
        !any_node(static_cast<const Node *>(assignment->value),
                  [&](const Node *part) { return text_of(site, part) == kept; })) {
      return true;
    }
    if (!contains(statement, &place)) {
      continue;
    }
    const auto *branch = as<If>(statement);
    if (branch == nullptr) {
      return starts_anew_before(site, body_of(statement), place, kept);
    }
    return starts_anew_before(site, branch->body, place, kept) || starts_anew_before(site, branch->orelse, place, kept);
  }
  return false;
}

// `loss = loss.detach()` on some path of the loop: what is kept then may have no graph any more.
bool is_cut_somewhere(const Block &body, const Expr *value) {
  const auto *name = as<Name>(value);
  return name != nullptr && any_node(body, [name](const Node *node) {
           const auto *assignment = as<Assign>(node);
           const auto *target = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
           return target != nullptr && target->id == name->id && !model::has_grad(assignment->value) &&
                  model::kind_of(assignment->value) != Kind::Unknown;
         });
}

// Where it is shown as a tensor, the text says which function made it: `tensor(3., grad_fn=<AddBackward0>)`.
bool is_shown_whole(const Site &site, const model::FunctionInfo &function, std::string_view kept) {
  // Outside of calls such as total.item(), and of f-strings, which show a tensor of one number as the number.
  const auto mentions_bare = [&](const auto &self, const Node *node) -> bool {
    if (node->kind == NodeKind::Call || node->kind == NodeKind::JoinedStr) {
      return false;
    }
    bool found = text_of(site, node) == kept;
    for_each_child(node, [&](const Node *child) { found = found || self(self, child); });
    return found;
  };
  const auto is_bare = [&](const Expr *shown) { return mentions_bare(mentions_bare, shown); };
  const auto shows = [&](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *shower = call != nullptr ? as<Name>(call->func) : nullptr;
    const bool is_show = shower != nullptr &&
                         (shower->id.text() == "print" || shower->id.text() == "str" || shower->id.text() == "repr");
    return is_show && std::ranges::any_of(call->args, is_bare);
  };
  const FunctionDef *const definition = function.definition();
  return any_node(definition != nullptr ? definition->body : site.module->parsed->tree.body, shows);
}

// Does the function take nothing but numbers from what is kept there, so that nobody can miss the graph?
bool gives_numbers_only(const Site &site, const model::FunctionInfo &function, const Node &place,
                        std::string_view kept) {
  constexpr u16 kFine = model::GraphFlow::kNumbers | model::GraphFlow::kDetached;
  const auto &origins = model::graph_flow_of(site.project, function).origins;
  const auto origin = std::ranges::find(origins, &place, &model::GraphFlow::Origin::place);
  return origin != origins.end() && (origin->uses & ~kFine) == 0 && !is_shown_whole(site, function, kept);
}

void offer_detach(Finding &finding, const Expr &kept, bool is_safe) {
  const Expr *const value = &kept;
  if (model::kind_of(value) != Kind::TorchTensor) {
    return;
  }
  const bool is_simple = value->kind == NodeKind::Name || value->kind == NodeKind::Attribute ||
                         value->kind == NodeKind::Call || value->kind == NodeKind::Subscript || value->parenthesized;
  if (value->parenthesized) {
    return; // the parentheses are outside of its span
  }
  if (is_simple) {
    set_fix(finding, is_safe, {insert_after(*value, ".detach()")});
  } else {
    set_fix(finding, is_safe, {insert_before(*value, "("), insert_after(*value, ").detach()")});
  }
}

// How a message refers to the value: an expression that is long or spans lines does not fit into one.
std::string quoted(const Site &site, const Expr *value) {
  const std::string_view text = text_of(site, value);
  const bool fits = text.size() <= 40 && text.find('\n') == std::string_view::npos;
  return fits ? fmt::format("`{}`", text) : "this tensor";
}

// What was already said about the place; null if nothing was.
const Finding *reported_at(const Site &site, const Node &place) {
  for (std::size_t i = site.findings.size(); i-- > 0 && site.findings[i].file == site.module->file;) {
    const Finding &finding = site.findings[i];
    if (finding.rule == &site.rule->info && finding.span.start == place.start && finding.span.end == place.end) {
      return &finding;
    }
  }
  return nullptr;
}

// `kept` gets `value` in every iteration, and keeps what it had.
// An attribute, or an entry of one: `self.losses`, `self.history["loss"]`.
bool is_attribute(const Expr *kept) {
  const auto *entry = as<Subscript>(kept);
  return (entry != nullptr ? entry->value : kept)->kind == NodeKind::Attribute;
}

// An attribute that a function of the training step, called with tensors on the graph, averages over the steps
// Does another method of the class assign it anew: `def start(self): self.log_probs = []`? Then it need not grow.
bool is_emptied_elsewhere(const Site &site, const Attribute &kept) {
  return std::ranges::any_of(site.function->type->node->body, [&](const Stmt *statement) {
    const auto *method = as<FunctionDef>(statement);
    const model::FunctionInfo *const known = method != nullptr ? site.project.function_at(method) : nullptr;
    return known != nullptr && known != site.function && known->name != known::sym_init &&
           any_node(method->body, [&](const Node *node) {
             const auto *attribute = as<Attribute>(node);
             return attribute != nullptr && attribute->context == Context::Store && attribute->attr == kept.attr &&
                    model::is_own_object(*known, attribute->value);
           });
  });
}

bool keeps_for_next_step(const Site &site, const Expr *kept) {
  const auto *attribute = as<Attribute>(kept);
  return attribute != nullptr && loop_around(site) == nullptr && site.function->definition() != nullptr &&
         site.function->type != nullptr && site.function->type->kind == Kind::TorchModule &&
         model::is_own_object(*site.function, attribute->value) && context_of(site).in_training_step &&
         !is_emptied_elsewhere(site, *attribute) &&
         std::ranges::none_of(site.function->called_by, [](const model::CallSite *caller) { return caller->no_grad; });
}

// `accuracy(y, labels)` of torchmetrics, which records no graph that is not asked for
bool is_of_metric(const Site &site, const Expr *value) {
  const auto *call = as<Call>(value);
  return call != nullptr && site.project.callee_of(call).is_kind(Kind::TorchMetric);
}

// The argument that a function of the project gives back, perhaps changed in place: `x` of `def mean(x): x.div_(2);
// return x`. Null if it may give something else.
const Expr *given_back(const Site &site, const Call &call) {
  const model::FunctionInfo *const function = called_function(site, call);
  const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
  if (definition == nullptr || function->type != nullptr || definition->body.empty()) {
    return nullptr;
  }
  const auto *last = as<Return>(definition->body.back());
  const auto *result = last != nullptr && last->value != nullptr ? as<Name>(last->value) : nullptr;
  if (result == nullptr) {
    return nullptr;
  }
  const auto place = std::ranges::find(function->params, result->id, [](const Param *param) { return param->name; });
  if (place == function->params.end()) {
    return nullptr;
  }
  const bool may_be_other = any_node(definition->body, [result](const Node *node) {
    const auto *name = as<Name>(node);
    const auto *other = as<Return>(node);
    const auto *returned = other != nullptr && other->value != nullptr ? as<Name>(other->value) : nullptr;
    const auto *changed = as<Call>(node);
    const auto *owner = changed != nullptr ? as<Name>(receiver_of(*changed)) : nullptr;
    const bool takes_graph = owner != nullptr && owner->id == result->id &&
                             std::ranges::any_of(changed->args, [](const Expr *arg) { return model::has_grad(arg); });
    return (name != nullptr && name->id == result->id && name->context != Context::Load) || takes_graph ||
           (other != nullptr && (returned == nullptr || returned->id != result->id));
  });
  const auto position = static_cast<u32>(place - function->params.begin());
  const model::Argument argument = argument_of(site, call, position, result->id.text());
  const bool is_one = !may_be_other && !argument.unknown && !argument.may_be_absent && argument.given.size() == 1;
  return is_one && contains(&call, argument.given[0].expr) ? argument.given[0].expr : nullptr;
}

// Is it on an autograd graph? What a function gives back is what this call gives it, whatever others do.
bool is_on_graph(const Site &site, const Expr *value) {
  if (!model::has_grad(value)) {
    return false;
  }
  const auto *call = as<Call>(value);
  const Expr *const argument = call != nullptr ? given_back(site, *call) : nullptr;
  return argument == nullptr || model::has_grad(argument) || model::kind_of(argument) != Kind::TorchTensor;
}

// The loop around the place; of one over the entries of a dictionary, `for name, loss in losses.items()`, that is a
// part of each step, the loop over the steps.
const model::Loop *step_with_entries(const Site &site) {
  const model::Loop *const loop = loop_around(site);
  const auto *statement = loop != nullptr ? as<For>(loop->node) : nullptr;
  const auto *entries = statement != nullptr ? as<Call>(statement->iter) : nullptr;
  const std::string_view method = entries != nullptr ? called_method(*entries) : std::string_view{};
  const bool is_over_entries = (method == "items" || method == "values") && entries->args.empty();
  const bool is_part = is_over_entries && !loop->steps && loop->parent != nullptr && loop->parent->steps;
  return is_part ? loop->parent : loop;
}

void lint(Site &site, const Node &place, const Expr *kept, const Expr *value, std::string_view how) {
  if (!is_on_graph(site, value) || under_no_grad(site) || is_of_metric(site, value)) {
    return;
  }
  const model::Loop *loop = step_with_entries(site);
  const Node *region = loop != nullptr ? loop->node : site.function->node;
  const bool is_lightning = loop == nullptr && is_attribute(kept) && in_lightning_training_step(site);
  const bool in_step = loop != nullptr
                           ? loop->steps && (loop->node->kind == NodeKind::For || loop->node->kind == NodeKind::While)
                           : site.function->steps && site.function->in_loop && is_attribute(kept);
  if (!is_lightning && !in_step && keeps_for_next_step(site, kept)) {
    Finding &finding = report(
        site, place,
        fmt::format("`{}` keeps the autograd graph of every step, so memory grows and the next `backward()` fails",
                    text_of(site, kept)),
        "call `.detach()` on what is added to it");
    offer_detach(finding, *value, false);
    return;
  }
  if (!is_lightning && !in_step) {
    return;
  }
  const std::string_view name = text_of(site, kept);
  const Block body = body_of(region);
  const Walked walked(site, body, is_lightning);
  // What backward() walks is freed by it, so nothing sensible can be done with the graph later; but a sum that
  // backward() walks itself needs it.
  const auto *entry = as<Subscript>(kept); // logs["loss"] of a dictionary that the function keeps
  const auto *owner = entry != nullptr ? as<Name>(entry->value) : nullptr;
  const bool is_plain =
      kept->kind == NodeKind::Name || (owner != nullptr && entry->slice->kind == NodeKind::Constant &&
                                       !walked.has(owner->id.text()) && !starts_anew(site, body, owner->id.text()));
  const auto *made = as<Call>(value);
  const model::FunctionInfo *called = made != nullptr ? called_function(site, *made) : nullptr;
  const bool is_step = called != nullptr && called->steps; // total += train_step(…)
  // total = sum(losses.values()): each of them was walked
  const model::Loop *const entries = loop_around(site);
  const auto *through = entries != loop ? as<Call>(static_cast<const For *>(entries->node)->iter) : nullptr;
  const bool is_entry =
      through != nullptr && value->kind == NodeKind::Name && walked.has(text_of(site, receiver_of(*through)));
  const bool was_walked =
      is_step || is_entry || any_node(value, [&](const Node *part) {
        return (part->kind == NodeKind::Name || part->kind == NodeKind::Attribute) &&
               model::has_grad(static_cast<const Expr *>(part)) &&
               (is_plain ? walked.has(text_of(site, part)) : walked.has_direct(text_of(site, part)));
      });
  if (!was_walked || walked.has(name) || is_cut_somewhere(body, value) || starts_anew(site, body, name) ||
      reported_at(site, place) != nullptr) {
    return;
  }
  Finding &finding =
      report(site, place,
             fmt::format("{} is {} with its autograd graph, so memory grows with every step", quoted(site, value), how),
             "use `.detach()` to keep a tensor, or `.item()` for a Python number");
  if (starts_anew_at_times(site, body, name)) {
    finding.tier = Tier::Hint;
  }
  offer_detach(finding, *value, kept->kind == NodeKind::Name && gives_numbers_only(site, *site.function, place, name));
}

void check_statement(Site &site, const Node &node) {
  if (const auto *added = as<AugAssign>(&node)) {
    if (added->op() == Operator::Add) {
      lint(site, node, added->target, added->value, "accumulated");
    }
    return;
  }
  // total = total + loss
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *choice = as<IfExp>(assignment.value); // loss if total is None else total + loss
  for (const Expr *value :
       {choice != nullptr ? choice->body : assignment.value, choice != nullptr ? choice->orelse : nullptr}) {
    const auto *sum = as<BinOp>(value);
    if (sum == nullptr || sum->op() != Operator::Add || assignment.targets.size() != 1) {
      continue;
    }
    // 0.9 * total + 0.1 * loss
    const std::string_view target = text_of(site, assignment.targets[0]);
    const auto is_total = [&](const Expr *part) {
      const auto *scaled = as<BinOp>(part);
      return text_of(site, part) == target ||
             (scaled != nullptr && scaled->op() == Operator::Mult &&
              (text_of(site, scaled->left) == target || text_of(site, scaled->right) == target));
    };
    if (is_total(sum->left)) {
      lint(site, node, assignment.targets[0], sum->right, "accumulated");
    } else if (is_total(sum->right)) {
      lint(site, node, assignment.targets[0], sum->left, "accumulated");
    }
  }
}

using Flow = model::GraphFlow;

// The class whose objects a dictionary holds: `{"loss": Meter(), …}`, `{name: Meter() for …}`, `defaultdict(Meter)`;
// null if that is not known.
const model::ClassInfo *class_of_entries(const Site &site, const Expr *dictionary) {
  const std::vector<model::Argument::Given> written = model::written_as(scope_of(site), dictionary);
  const Expr *made = written.size() == 1 ? written[0].expr : nullptr;
  const auto class_made_by = [&](const Expr *value) -> const model::ClassInfo * {
    const auto *call = as<Call>(value);
    const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value();
    return callee.is(model::Value::Tag::Class) ? callee.type : nullptr;
  };
  if (const auto *entries = as<Dict>(made); entries != nullptr && !entries->items.empty()) {
    const model::ClassInfo *first = class_made_by(entries->items[0].value);
    const bool is_one =
        std::ranges::all_of(entries->items, [&](const DictItem &item) { return class_made_by(item.value) == first; });
    return is_one ? first : nullptr;
  }
  if (const auto *entries = as<DictComp>(made)) {
    return class_made_by(entries->value);
  }
  const auto *call = as<Call>(made);
  if (call == nullptr || called_api(site, *call) != "collections.defaultdict" || call->args.size() != 1) {
    return nullptr;
  }
  const auto *maker = as<Lambda>(call->args[0]);
  const model::Value type = maker == nullptr ? value_of(site, call->args[0]) : model::Value();
  return maker != nullptr ? class_made_by(maker->body) : type.is(model::Value::Tag::Class) ? type.type : nullptr;
}

// The method of the project that a call calls, also on an entry of a dictionary: `meters["loss"].update(…)`
const model::FunctionInfo *called_meter(const Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  if (callee.is(model::Value::Tag::Method)) {
    return callee.function;
  }
  const auto *method = as<Attribute>(call.func);
  const auto *entry = method != nullptr ? as<Subscript>(method->value) : nullptr;
  const model::ClassInfo *type =
      entry != nullptr && callee.is_unknown() ? class_of_entries(site, entry->value) : nullptr;
  if (type == nullptr) {
    return nullptr;
  }
  for (const model::ClassInfo *one : type->mro) {
    if (const auto member = one->members.find(method->attr.id); member != one->members.end()) {
      return member->second.is(model::Value::Tag::Function) ? member->second.function : nullptr;
    }
  }
  return nullptr;
}

// The loop around a place whose iterations are training steps: `for name, loss in losses.items()` stands in it.
const model::Loop *stepping_loop(const model::Loop *loop) {
  while (loop != nullptr && !loop->steps) {
    loop = loop->parent;
  }
  return loop != nullptr && !loop->few_iterations ? loop : nullptr;
}

// Was backward() called on the value in this step, or does the function that gives it do so? Then nobody can walk its
// graph again.
bool was_walked_in_step(const Site &site, const Expr *value) {
  const auto *made = as<Call>(value);
  const model::FunctionInfo *const called = made != nullptr ? called_function(site, *made) : nullptr;
  if (called != nullptr && called->steps) {
    return true;
  }
  const model::Loop *const loop = stepping_loop(loop_around(site)); // `for callback in callbacks` stands in it
  const Node *const region = loop != nullptr ? loop->node : site.function->node;
  if (region == nullptr) {
    return false;
  }
  const Walked walked(site, body_of(region), false);
  const auto *entries = as<Dict>(value); // {"loss": loss}
  return walked.has_direct(text_of(site, value)) ||
         (entries != nullptr && std::ranges::any_of(entries->items, [&](const DictItem &item) {
            return model::has_grad(item.value) && walked.has_direct(text_of(site, item.value));
          }));
}

// `rollout = Rollout()` in a function that the training step calls, and `rollout.add(value)` in a loop of that
// function: the object goes with the step, and what it holds may be walked in the end.
bool is_made_in_step(const Site &site, const Expr *kept, u32 depth = 0) {
  const auto *object = as<Name>(kept);
  if (object == nullptr || site.function->definition() == nullptr) {
    return false;
  }
  const Expr *const value = last_assigned(site, *object);
  const auto *made = as<Call>(value);
  constexpr u32 kMostDepth = 2;
  if (value == nullptr && depth < kMostDepth && stepping_loop(loop_around(site)) == nullptr) { // a parameter
    const std::vector<Passed> all = passed_for(*site.function, object->id);
    return !all.empty() && std::ranges::all_of(all, [&](const Passed &passed) {
      return passed.value != nullptr &&
             is_made_in_step(site_at(site, *passed.site->caller, *passed.site->call), passed.value, depth + 1);
    });
  }
  const model::Value callee = made != nullptr ? site.project.callee_of(made) : model::Value();
  if (!callee.is(model::Value::Tag::Class) && !callee.is(model::Value::Tag::Function)) {
    return false;
  }
  const model::Loop *const loop = stepping_loop(loop_around(site));
  return loop == nullptr || (loop->node->start <= made->start && made->end <= loop->node->end);
}

// meter.update(loss): a method of the project adds what it is given to what it has.
void check_meter(Site &site, const Call &call, const model::FunctionInfo *callee) {
  if (callee == nullptr || callee->definition() == nullptr || under_no_grad(site) ||
      !context_of(site).in_training_step || is_made_in_step(site, receiver_of(call))) {
    return;
  }
  const auto lint_passed = [&](const Expr *value, u32 place) {
    if (!model::has_grad(value)) {
      return;
    }
    const Flow &flow = model::graph_flow_of(site.project, *callee);
    const u16 uses = place < flow.params.size() ? flow.params[place] : u16{0};
    if ((uses & Flow::kSummed) == 0 || (uses & (Flow::kWalked | Flow::kEscapes | Flow::kNeedsNoGraph)) != 0) {
      return;
    }
    const bool is_tensor = model::kind_of(value) == Kind::TorchTensor;
    if (!is_tensor && ((uses & Flow::kEntryTaken) != 0 || !was_walked_in_step(site, value))) {
      return;
    }
    Finding &finding = report(site, *value,
                              fmt::format("`{}` keeps {} with {} autograd graph, so memory grows with every step",
                                          text_of(site, call.func), is_tensor ? "this tensor" : "these tensors",
                                          is_tensor ? "its" : "their"),
                              "use `.detach()` to keep a tensor, or `.item()` for a Python number");
    finding.notes.push_back({callee->module->file, callee->definition()->name_span, "this function accumulates it"});
    offer_detach(finding, *value, false); // others may read what the object keeps
  };
  for (u32 i = 0; i < call.args.size(); ++i) {
    lint_passed(call.args[i], i + (callee->is_static ? 0 : 1));
  }
  for (const Keyword *given : call.keywords) {
    lint_passed(given->value, model::place_of_keyword(*callee, given->name));
  }
}

// The same of all that a call may call, as that of a callback does: one that keeps its arguments is enough.
void check_meters(Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  if (callee.alternatives == nullptr) {
    return check_meter(site, call, called_meter(site, call));
  }
  const std::size_t before = site.findings.size();
  for_each_alternative(callee, [&](const model::Value &one) {
    if (one.is(model::Value::Tag::Method) && site.findings.size() == before) {
      check_meter(site, call, one.function);
    }
  });
}

// Does every caller take nothing but numbers from what the call gives?
bool callers_take_numbers(const Site &site, const model::FunctionInfo &function) {
  constexpr u16 kElse = Flow::kWalked | Flow::kEscapes | Flow::kReturned | Flow::kNeedsNoGraph | Flow::kStored;
  bool is_called = false;
  for (const model::FunctionInfo &caller : site.project.functions) {
    for (const model::CallSite &call : caller.calls) {
      if (call.callee != &function) {
        continue;
      }
      const Flow &flow = model::graph_flow_of(site.project, caller);
      const auto origin = std::ranges::find(flow.origins, static_cast<const Node *>(call.call), &Flow::Origin::place);
      if (origin == flow.origins.end() || (origin->uses & kElse) != 0) {
        return false;
      }
      is_called = true;
    }
  }
  return is_called && (function.context & model::kCallersUnknown) == 0;
}

// Does backward() walk the value, or something that it is computed from?
bool is_walked_part(const Walked &walked, const Site &site, const Expr &value) {
  return any_node(static_cast<const Node *>(&value), [&](const Node *part) {
    return (part->kind == NodeKind::Name || part->kind == NodeKind::Attribute) && walked.has(text_of(site, part));
  });
}

// In a training loop: a sum or list that keeps graphs from step to step, and of which only numbers are taken in the
// end.
void check_function(Site &site, const model::FunctionInfo &function) {
  if (!site.module->torch || function.no_grad || function.sometimes_no_grad || !function.trains ||
      (function.context & model::kGradMaybeOff) != 0) {
    return;
  }
  constexpr u16 kElse = Flow::kWalked | Flow::kEscapes | Flow::kNeedsNoGraph | Flow::kStored;
  for (const Flow::Origin &origin : model::graph_flow_of(site.project, function).origins) {
    const model::Loop *const loop = origin.what == Flow::What::Kept ? stepping_loop(origin.loop) : nullptr;
    if (loop == nullptr || !origin.of_forward || (origin.uses & kElse) != 0 ||
        (origin.value != nullptr && is_of_metric(site, origin.value))) {
      continue;
    }
    if ((origin.uses & Flow::kReturned) != 0 && !callers_take_numbers(site, function)) {
      continue;
    }
    const std::string_view name = text_of(site, origin.kept);
    const Expr *root = origin.kept; // `logs[name]` is new where `logs` is
    while (root->kind == NodeKind::Subscript) {
      root = static_cast<const Subscript *>(root)->value;
    }
    if (starts_anew_before(site, body_of(loop->node), *origin.place, name) ||
        starts_anew(site, body_of(loop->node), name) || starts_anew(site, body_of(loop->node), text_of(site, root)) ||
        reported_at(site, *origin.place) != nullptr) {
      continue;
    }
    const bool is_list = origin.place->kind == NodeKind::Call;
    Finding &finding = report(site, *origin.place,
                              fmt::format("{} is {} with its autograd graph, so memory grows with every step",
                                          quoted(site, origin.value), is_list ? "collected" : "accumulated"),
                              "use `.detach()` to keep a tensor, or `.item()` for a Python number");
    const Block body = body_of(loop->node);
    const bool is_short =
        starts_anew_at_times(site, body, name) && is_walked_part(Walked(site, body, false), site, *origin.value);
    finding.tier = (origin.uses & Flow::kUnsure) != 0 || is_short ? Tier::Hint : finding.tier;
    offer_detach(finding, *origin.value,
                 origin.kept->kind == NodeKind::Name && gives_numbers_only(site, function, *origin.place, name));
  }
}

void check_node(Site &site, const Node &node) {
  if (const model::FunctionInfo *function = site.project.function_at(&node)) {
    check_function(site, *function);
  } else if (node.kind == NodeKind::AugAssign || node.kind == NodeKind::Assign) {
    check_statement(site, node);
  } else if (node.kind == NodeKind::Call) {
    check_meters(site, static_cast<const Call &>(node));
  }
}

void check_module(Site &site) {
  if (site.module->body != nullptr) {
    check_function(site, *site.module->body);
  }
}

// What is put into a list: the value itself, or the parts of a tuple, list or dictionary that is written down.
void lint_appended(Site &site, const Call &call, const Expr *value) {
  if (const auto *dictionary = as<Dict>(value)) {
    for (const DictItem &item : dictionary->items) {
      lint_appended(site, call, item.value);
    }
  } else if (const auto *tuple = as<Tuple>(value)) {
    for (const Expr *part : tuple->elts) {
      lint_appended(site, call, part);
    }
  } else if (const auto *list = as<List>(value)) {
    for (const Expr *part : list->elts) {
      lint_appended(site, call, part);
    }
  } else {
    lint(site, call, receiver_of(call), value, "collected");
  }
}

void check_append(Site &site, const Call &call) {
  if (call.args.size() == 1 && call.keywords.empty()) {
    lint_appended(site, call, call.args[0]);
  }
}

} // namespace

extern constinit const Rule kLossKeptWithHistory = {
    .info = {.code = "DP230",
             .name = "loss-kept-with-history",
             .summary = "a loss that is accumulated together with its autograd graph",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Memory Leak, Out of Memory, Increasing Time Over Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Safe,
             .documentation = R"(## What it finds

`total += loss`, `losses.append(loss)` and `meter.update(loss)` in a training loop, where `loss`, or what it was computed from, is still
connected to the autograd graph that `backward()` used in the same step, or to a graph of which only numbers are used in the end. In a
LightningModule: `self.outputs.append(loss)` or `self.outputs.append({"loss": loss})` in `training_step`.

## Why it costs

A tensor that requires a gradient refers to the operation that computed it, and that operation to its inputs, back to the start of the step.
The sum refers to all previous sums, so no part of the graph can be freed until the epoch ends. Memory grows with every step, including any
activations that the graph still holds.

## Bad

```python
import torch
from torch import nn

def train(model, loader, optimizer, criterion):
    total = 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss
    return total / len(loader)
```

## Good

```python
import torch
from torch import nn

def train(model, loader, optimizer, criterion):
    total = 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total / len(loader)
```

`loss.item()` works too, but it waits for the device in every step; `detach()` does not.

## When it is wrong

Where the graph is used again later, with `retain_graph=True`, in a way that DeepPerf does not see. A sum on which `backward()` is called is
not reported.

## References

- PyTorch FAQ: my model reports CUDA runtime error: out of memory (history accumulated across the training loop)
)"},
    .calls = "*.append",
    .on_call = check_append,
    .nodes = {NodeKind::AugAssign, NodeKind::Assign, NodeKind::FunctionDef, NodeKind::Call},
    .on_node = check_node,
    .on_module = check_module};

} // namespace deepperf::rules::loss_kept_with_history
