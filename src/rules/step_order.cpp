#include "rules/step_order.h"

#include "base/steps.h"
#include "rules/tree.h"

#include <algorithm>
#include <span>
#include <unordered_map>

namespace deepperf::rules {

using namespace python;

namespace {

std::string_view last_part(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  return dot == std::string_view::npos ? text : text.substr(dot + 1);
}

struct Events {
  std::vector<StepEvent> all; // their statements are in source order
  std::unordered_map<const Call *, std::size_t> places;
};

// Those that stand in a statement.
std::span<const StepEvent> events_in(std::span<const StepEvent> events, const Node &statement) {
  const auto place_of = [](const StepEvent &event) { return event.statement->start; };
  const auto first = std::ranges::lower_bound(events, statement.start, {}, place_of);
  return {first, std::ranges::lower_bound(first, events.end(), statement.end, {}, place_of)};
}

class Collector {
public:
  Collector(const Site &site, std::vector<StepEvent> &events) : site_(site), events_(events) {}

  void walk(const Stmt *statement, const Node *block) {
    if (statement->kind == NodeKind::FunctionDef || statement->kind == NodeKind::ClassDef) {
      return;
    }
    const If *const test = test_;
    const Node *const loop = loop_;
    if (const auto *branch = as<If>(statement)) {
      test_ = branch;
    } else if (statement->kind == NodeKind::For || statement->kind == NodeKind::While) {
      loop_ = statement;
    }
    for_each_child(statement, [&](const Node *child) { walk_part(child, statement, block); });
    test_ = test;
    loop_ = loop;
  }

private:
  // A child of a statement or an expression: another statement is in a block of the one that it stands in.
  void walk_part(const Node *node, const Stmt *statement, const Node *block) {
    if (node->kind >= NodeKind::FunctionDef && node->kind <= NodeKind::InvalidStmt) {
      walk(static_cast<const Stmt *>(node), statement);
      return;
    }
    if (node->kind == NodeKind::ExceptHandler) {
      for_each_child(node, [&](const Node *child) { walk_part(child, statement, block); });
      return;
    }
    if (node->kind == NodeKind::Lambda) {
      return;
    }
    for_each_child(node, [&](const Node *child) { walk_part(child, statement, block); });
    if (const auto *call = as<Call>(node)) {
      add(*call, statement, block);
    }
  }

  void add(const Call &call, const Stmt *statement, const Node *block) {
    using What = StepEvent::What;
    const std::string_view method = called_method(call);
    const Expr *receiver = receiver_of(call);
    const auto note = [&](What what) { events_.push_back({what, &call, statement, block, test_, loop_}); };
    if (method == "backward") {
      const auto *scaled = as<Call>(receiver);
      note(scaled != nullptr && called_method(*scaled) == "scale" && is_grad_scaler(site_, receiver_of(*scaled))
               ? What::ScaledBackward
               : What::Backward);
    } else if (method == "step" && is_grad_scaler(site_, receiver)) {
      note(What::ScalerStep);
    } else if (method == "step" && is_optimizer(site_, receiver)) {
      note(What::Step);
    } else if (method == "step" && model::kind_of(receiver) == Kind::TorchScheduler) {
      note(What::Schedule);
    } else if (method == "unscale_") {
      note(What::Unscale);
    } else if (method == "zero_grad") {
      note(What::ZeroGrad);
    } else if (const std::string_view name = called_name(call);
               name.starts_with("clip_grad_norm") || name.starts_with("clip_grad_value")) {
      note(What::Clip);
    } else if (const model::FunctionInfo *function = called_function(site_, call); function != nullptr) {
      note(function->trains ? What::Helper : What::Other);
    }
  }

  const Site &site_;
  std::vector<StepEvent> &events_;
  const If *test_ = nullptr;
  const Node *loop_ = nullptr;
};

constexpr std::size_t kMostEvents = 200; // of a step; one with more is not looked at
constexpr std::size_t kMostLooks = 2000; // at events and calls that may lead to some
constexpr u32 kMostCalls = 4;            // between a step and a part of it

Site site_in(const Site &site, const model::FunctionInfo &function) {
  Site there = site;
  there.function = &function;
  there.module = function.module;
  there.type = function.type;
  there.ancestors.clear();
  return there;
}

// The events of a function, or of a node in it, and of what they call. False if there are too many.
bool place_events(const Site &site, const Node *node, const PlacedEvent *through, u32 depth,
                  std::vector<PlacedEvent> &placed, std::size_t &looks) {
  using What = StepEvent::What;
  const std::span<const StepEvent> all = step_events(site);
  for (const StepEvent &event : node != nullptr ? events_in(all, *node) : all) {
    take_steps();
    if (++looks > kMostLooks) {
      return false;
    }
    PlacedEvent one{event, site.function, site.function, through != nullptr && through->is_repeated};
    if (event.test == nullptr || (node != nullptr && !contains(node, event.test)) || node == event.test) {
      one.event.test = through != nullptr ? through->event.test : nullptr;
      one.tested_in = through != nullptr ? through->tested_in : nullptr;
    }
    one.is_repeated |= event.loop != nullptr && event.loop != node && (node == nullptr || contains(node, event.loop));
    if (event.what == What::Helper || event.what == What::Other) {
      const model::FunctionInfo *const called = called_function(site, *event.call);
      if (called == nullptr || called->definition() == nullptr || depth == kMostCalls) {
        continue;
      }
      if (!place_events(site_in(site, *called), nullptr, &one, depth + 1, placed, looks)) {
        return false;
      }
      continue;
    }
    placed.push_back(one);
    if (placed.size() > kMostEvents) {
      return false;
    }
  }
  return true;
}

struct StepOfNode {
  TrainingStep step;
};

const TrainingStep &step_of(const Site &site, const Node *node) {
  return site.memory
      .recall<StepOfNode>(
          node,
          [&] {
            StepOfNode found;
            const bool is_whole = node == site.function->node;
            TrainingStep step{site.function, node, {}};
            std::size_t looks = 0;
            const bool fits = place_events(site, is_whole ? nullptr : node, nullptr, 0, step.events, looks);
            const bool has_backward = std::ranges::any_of(step.events, [](const PlacedEvent &one) {
              return one.event.what == StepEvent::What::Backward || one.event.what == StepEvent::What::ScaledBackward;
            });
            if (fits && has_backward) {
              found.step = std::move(step);
            }
            return found;
          })
      .step;
}

} // namespace

bool is_named_optimizer(std::string_view text) {
  const std::string_view name = last_part(text);
  return name.starts_with("optim") || name.ends_with("optimizer") || name.ends_with("optim") || name == "opt" ||
         name.starts_with("opt_") || name.ends_with("_opt");
}

bool is_optimizer(const Site &site, const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  return kind == Kind::TorchOptimizer ||
         (kind == Kind::Unknown && site.module->torch && is_named_optimizer(text_of(site, expr)));
}

bool is_grad_scaler(const Site &site, const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  return kind == Kind::GradScaler ||
         (kind == Kind::Unknown && site.module->torch && last_part(text_of(site, expr)).ends_with("scaler"));
}

namespace {

const Events &events_of(const Site &site) {
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const void *about = definition != nullptr ? static_cast<const void *>(definition) : site.module;
  return site.memory.recall<Events>(about, [&] {
    Events events;
    Collector collector(site, events.all);
    const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
    for (const Stmt *statement : body) {
      collector.walk(statement, definition);
    }
    for (std::size_t i = 0; i < events.all.size(); ++i) {
      events.places.emplace(events.all[i].call, i);
    }
    return events;
  });
}

// The innermost loop around a place of the function; null if there is none.
const model::Loop *innermost_loop(const model::FunctionInfo &function, const Node &place) {
  const auto next = std::ranges::upper_bound(function.loops, place.start, {},
                                             [](const model::Loop *loop) { return loop->node->start; });
  const model::Loop *loop = next != function.loops.begin() ? *(next - 1) : nullptr;
  while (loop != nullptr && !contains(loop->node, &place)) {
    loop = loop->parent;
  }
  return loop;
}

} // namespace

const std::vector<StepEvent> &step_events(const Site &site) { return events_of(site).all; }

std::size_t place_of_event(const Site &site, const Call &call) {
  const Events &events = events_of(site);
  const auto found = events.places.find(&call);
  return found != events.places.end() ? found->second : events.all.size();
}

const TrainingStep &step_around(const Site &site, const Call &call) {
  static const TrainingStep kNone;
  const model::FunctionInfo *function = site.function;
  const Call *place = &call;
  for (u32 depth = 0; function != nullptr && depth <= kMostCalls; ++depth) {
    const Site there = site_in(site, *function);
    for (const model::Loop *loop = innermost_loop(*function, *place); loop != nullptr; loop = loop->parent) {
      if (loop->node->kind == NodeKind::For || loop->node->kind == NodeKind::While) {
        if (const TrainingStep &step = step_of(there, loop->node); step.function != nullptr) {
          return step;
        }
      }
    }
    if (function->node == nullptr) {
      return kNone;
    }
    if (const TrainingStep &step = step_of(there, function->node); step.function != nullptr) {
      return step;
    }
    if (function->called_by.size() != 1) {
      return kNone;
    }
    place = function->called_by[0]->call;
    function = function->called_by[0]->caller;
  }
  return kNone;
}

const model::Loop *loop_of(const model::Project &project, const TrainingStep &step) {
  if (step.node == nullptr) {
    return nullptr;
  }
  if (step.node->kind == NodeKind::For || step.node->kind == NodeKind::While) {
    return project.loop_at(step.node);
  }
  const model::FunctionInfo *function = step.function;
  for (u32 depth = 0; depth < kMostCalls && function->called_by.size() == 1; ++depth) {
    const model::CallSite &call = *function->called_by[0];
    if (call.once || call.conditional || call.behind_guard) {
      return nullptr;
    }
    if (call.loop != nullptr) {
      return call.loop;
    }
    function = call.caller;
  }
  return nullptr;
}

const Expr *counted_by(const If &branch, const model::FunctionInfo &function) {
  const auto modulus = [](const Expr *test) {
    const Expr *found = nullptr;
    any_node(static_cast<const Node *>(test), [&found](const Node *node) {
      const auto *operation = as<BinOp>(node);
      if (operation != nullptr && operation->op() == Operator::Mod && operation->right->kind != NodeKind::Tuple) {
        found = operation->right;
      }
      return found != nullptr;
    });
    return found;
  };
  const auto *negated = as<UnaryOp>(branch.test);
  const Expr *const test = negated != nullptr && negated->op() == UnaryOperator::Not ? negated->operand : branch.test;
  const auto *name = as<Name>(test);
  if (const auto *call = as<Call>(test)) { // `if self.is_update(i):`
    const auto known = std::ranges::find(function.calls, call, &model::CallSite::call);
    const FunctionDef *const asked = known != function.calls.end() ? known->callee->definition() : nullptr;
    const auto *result = asked != nullptr && !asked->body.empty() ? as<Return>(asked->body.back()) : nullptr;
    if (result != nullptr && result->value != nullptr) {
      return modulus(result->value);
    }
  }
  if (name == nullptr) {
    return modulus(test);
  }
  // `is_last = (i + 1) % n == 0`, as the name's only value.
  const Expr *value = nullptr;
  u32 values = 0;
  const auto look = [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    if (assignment != nullptr && assignment->targets.size() == 1) {
      const auto *target = as<Name>(assignment->targets[0]);
      if (target != nullptr && target->id == name->id) {
        value = assignment->value;
        ++values;
      }
    }
    return false;
  };
  if (const FunctionDef *definition = function.definition()) {
    any_node(definition->body, look);
  } else if (function.node == nullptr) {
    any_node(function.module->parsed->tree.body, look);
  }
  return values == 1 ? modulus(value) : nullptr;
}

std::vector<StepEvent> events_inside(const Site &site, const Node &node) {
  std::vector<StepEvent> inside;
  const bool is_statement = node.kind >= NodeKind::FunctionDef && node.kind <= NodeKind::InvalidStmt;
  const std::span<const StepEvent> all = step_events(site);
  for (const StepEvent &event : is_statement ? events_in(all, node) : all) {
    take_steps();
    if (contains(&node, event.call)) {
      inside.push_back(event);
    }
  }
  return inside;
}

} // namespace deepperf::rules
