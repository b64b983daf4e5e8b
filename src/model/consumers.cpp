// What becomes of a dataset, from the place where it is made to where it is read.
#include "model/consumers.h"

#include "model/dataset_uses.h"
#include "model/variance.h"
#include "python/call.h"

#include <algorithm>
#include <array>

namespace deepperf::model {

using namespace python;

namespace {

bool is_stage(std::string_view method) {
  static constexpr std::array<std::string_view, 20> kStages = {
      "batch", "map",       "shuffle",           "repeat",      "prefetch", "cache",      "unbatch", "filter",
      "skip",  "enumerate", "with_options",      "apply",       "flat_map", "interleave", "window",  "padded_batch",
      "shard", "take",      "as_numpy_iterator", "ragged_batch"};
  return std::ranges::find(kStages, method) != kStages.end();
}

bool only_describes(std::string_view attribute) {
  return attribute == "element_spec" || attribute == "cardinality" || attribute == "output_shapes" ||
         attribute == "output_types" || attribute == "class_names" || attribute == "__len__";
}

} // namespace

Consumption Consumers::Uses::follow(const Expr *expr) {
  const Node *at = expr;
  for (; owner.trace_.steps < kMaxSteps; ++owner.trace_.steps) {
    const Node *parent = parent_of(at);
    if (parent == nullptr) {
      return Consumption::All;
    }
    switch (parent->kind) {
    case NodeKind::ExprStmt:
      return Consumption::Nothing;
    case NodeKind::Attribute: {
      const std::string_view name = static_cast<const Attribute *>(parent)->attr.text();
      const auto *call = as<Call>(parent_of(parent));
      if (only_describes(name)) {
        return Consumption::Nothing;
      }
      if (call != nullptr && call->func == parent && name.starts_with("make_") && name.ends_with("_iterator")) {
        at = call;
        continue;
      }
      if (call != nullptr && call->func == parent && name == "get_next") {
        return follow_element(*call);
      }
      if (call == nullptr || call->func != parent || !is_stage(name)) {
        return name == "get_single_element" ? Consumption::Few : Consumption::All;
      }
      if (name == "take" && is_few(call)) {
        return Consumption::Few;
      }
      at = call;
      continue;
    }
    case NodeKind::Call: {
      const std::string_view name = called_name(*static_cast<const Call *>(parent));
      if (name == "get_single_element") {
        return Consumption::Few;
      }
      if (name == "next") { // next(iter(dataset)) gives the first one, however often
        const bool few = at->kind == NodeKind::Call || !may_run_again(parent, expr) || runs_rarely(parent);
        return few ? Consumption::Few : Consumption::All;
      }
      if (name == "print" || name == "type" || name == "len" || name == "isinstance" || name == "cardinality") {
        return Consumption::Nothing;
      }
      const bool makes_iterator = name.starts_with("make_") && name.ends_with("_iterator");
      if (name != "iter" && name != "enumerate" && name != "tqdm" && name != "zip" && !makes_iterator) {
        return follow_into(*static_cast<const Call *>(parent), at);
      }
      at = parent;
      continue;
    }
    case NodeKind::Tuple: { // Dataset.zip((images, labels))
      const auto *call = as<Call>(parent_of(parent));
      if (call == nullptr || called_name(*call) != "zip") {
        return Consumption::All;
      }
      at = call;
      continue;
    }
    case NodeKind::Keyword: {
      const auto *call = as<Call>(parent_of(parent));
      return call != nullptr ? follow_into(*call, at) : Consumption::All;
    }
    case NodeKind::For: {
      const auto *loop = static_cast<const For *>(parent);
      return loop->iter == at && reads_few(*loop) ? Consumption::Few : Consumption::All;
    }
    case NodeKind::Assign: {
      const auto *assignment = static_cast<const Assign *>(parent);
      const auto *target = assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
      return target != nullptr ? follow_name(*target, *assignment) : Consumption::All;
    }
    case NodeKind::Return:
      return follow_result(at, [](Uses &uses, const Call &call) { return uses.follow(&call); });
    default:
      return Consumption::All;
    }
  }
  return Consumption::All;
}

bool Consumers::Uses::is_read_singly(const Expr *call) {
  const auto *assignment = as<Assign>(parent_of(call));
  const auto *target =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  bool found = false;
  if (target != nullptr) {
    each_read(target->id, reads_after(*assignment), [&](const Name &name) {
      const Node *parent = parent_of(&name);
      const auto *loop = as<For>(parent);
      const auto *function = as<Call>(parent);
      // Another function reads what is under the name in the end.
      found = function_around(&name) == function_around(assignment) &&
              ((loop != nullptr && loop->iter == &name) ||
               (function != nullptr && (called_name(*function) == "iter" || called_name(*function) == "enumerate")));
      return !found;
    });
  }
  return found;
}

// What a function returns is read by those that call it, all of them in its own file. Those that are not known, if it
// is a library's, may be many.
template <class Follow> Consumption Consumers::Uses::follow_result(const Node *returned, Follow follow_call) {
  const Node *const around = function_around(returned);
  const FunctionInfo *const function = around != nullptr ? owner.project_.function_at(around) : nullptr;
  if (function == nullptr || owner.trace_.entered != nullptr || function->type != nullptr || function->passed ||
      is_handed_on(function->name)) {
    return Consumption::All; // input_fn=function; who gets hold of a method is not followed
  }
  if (const auto known = owner.trace_.returned.find(function); known != owner.trace_.returned.end()) {
    return known->second;
  }
  Consumption result = Consumption::Nothing;
  bool is_script = is_notebook;
  for (const CallSite *site : owner.calls_of(*function)) {
    if (site->caller->module != function->module || ++owner.trace_.steps >= kMaxSteps) {
      return Consumption::All;
    }
    result = std::max(result, follow_call(*this, *site->call));
    is_script |= site->caller->node == nullptr || site->caller->name.text() == "main" ||
                 owner.trace_.returned.contains(site->caller);
  }
  result = is_script && result == Consumption::Few ? result : Consumption::All;
  owner.trace_.returned.emplace(function, result);
  return result;
}

// The dataset is an argument: of a function of the project, or of model.fit(…) and the like.
Consumption Consumers::Uses::follow_into(const Call &call, const Node *argument) {
  if (trains_few_steps(call, argument)) {
    return Consumption::Few;
  }
  const Value callee = owner.project_.callee_of(&call);
  const bool is_function = callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method);
  const FunctionDef *definition = is_function ? callee.function->definition() : nullptr;
  // Only one call deep: what is handed on from there is read.
  if (definition == nullptr || owner.trace_.entered != nullptr || callee.function->module->parsed == nullptr) {
    return Consumption::All;
  }
  CallSite site;
  site.call = &call;
  site.callee = callee.function;
  site.bound = callee.is(Value::Tag::Method) && !callee.function->is_static;
  for (u32 i = 0; i < site.callee->params.size(); ++i) {
    if (passed_argument(site, i) == argument) {
      owner.trace_.entered = &site;
      owner.trace_.from = &source;
      const Consumption result =
          owner.uses_in(*site.callee->module).follow_param(*definition, site.callee->params[i]->name);
      owner.trace_.entered = nullptr;
      return result;
    }
  }
  return Consumption::All;
}

Consumption Consumers::Uses::follow_param(const FunctionDef &function, Symbol name) {
  Consumption result = Consumption::Nothing;
  const bool read = each_read(name, {&function, &function, function.start}, [&](const Name &place) {
    result = std::max(result, follow(&place));
    return result != Consumption::All;
  });
  // One that does nothing with it is there for another class to fill in.
  return !read || is_broken || owner.trace_.looked > kMaxNames ? Consumption::All : result;
}

// What get_next() of TensorFlow 1 gives: an element each time that a session runs it.
Consumption Consumers::Uses::follow_element(const Expr &element) {
  const auto is_run_once = [this](const Node *read) {
    const Node *parent = parent_of(read);
    while (parent != nullptr && (parent->kind == NodeKind::List || parent->kind == NodeKind::Tuple)) {
      parent = parent_of(parent);
    }
    const auto *run = as<Call>(parent);
    const Node *const function = function_around(read);
    const FunctionInfo *const known = function != nullptr ? owner.project_.function_at(function) : nullptr;
    return run != nullptr && called_name(*run) == "run" && runs_few_times(run) &&
           (function == nullptr || (known != nullptr && !known->in_loop));
  };
  if (is_run_once(&element)) {
    return Consumption::Few;
  }
  if (const Node *parent = parent_of(&element); parent != nullptr && parent->kind == NodeKind::Return) {
    return follow_result(&element, [](Uses &uses, const Call &call) { return uses.follow_element(call); });
  }
  const auto *assignment = as<Assign>(parent_of(&element));
  if (assignment == nullptr || assignment->targets.size() != 1) {
    return Consumption::All;
  }
  const auto *several = as<Tuple>(assignment->targets[0]);
  const Array<Expr *> parts = several != nullptr ? several->elts : assignment->targets;
  bool once = true;
  for (const Expr *part : parts) {
    const auto *name = as<Name>(part);
    const bool read = name != nullptr && each_read(name->id, reads_after(*assignment), [&](const Name &place) {
                        once = once && function_around(&place) == function_around(assignment) && is_run_once(&place);
                        return once;
                      });
    once = once && read;
  }
  return once ? Consumption::Few : Consumption::All;
}

// All that is done with the name from its assignment to the next one of the same block.
Consumption Consumers::Uses::follow_name(const Name &target, const Assign &assignment) {
  if (!owner.trace_.seen.insert(&assignment).second) {
    return Consumption::Nothing; // in a circle: counted already
  }
  Consumption result = Consumption::Nothing;
  const bool read = each_read(target.id, reads_after(assignment), [&](const Name &name) {
    result = std::max(result, follow(&name));
    return result != Consumption::All;
  });
  if (result == Consumption::All || owner.trace_.looked > kMaxNames) {
    return Consumption::All;
  }
  // Another file may read what a module's top level holds.
  const bool read_elsewhere = !read && !is_notebook && function_around(&assignment) == nullptr;
  // What could not be parsed may read it, too.
  return read_elsewhere || (is_broken && result == Consumption::Nothing) ? Consumption::All : result;
}

Consumers::Consumers(const Project &project) : project_(project) {}
Consumers::~Consumers() = default;

Consumers::Uses &Consumers::uses_in(const Module &module) {
  std::unique_ptr<Uses> &uses = uses_[&module];
  if (uses == nullptr) {
    uses = std::make_unique<Uses>(module, *this);
  }
  return *uses;
}

const std::vector<const CallSite *> &Consumers::calls_of(const FunctionInfo &function) {
  if (calls_.empty()) {
    calls_.resize(project_.functions.size());
    for (const FunctionInfo &caller : project_.functions) {
      for (const CallSite &site : caller.calls) {
        calls_[site.callee->index].push_back(&site);
      }
    }
  }
  return calls_[function.index];
}

Consumption Consumers::of(const Stage &stage) {
  trace_ = {};
  return uses_in(*stage.module).follow(stage.call);
}

bool Consumers::is_read_singly(const Stage &stage) {
  trace_ = {};
  return uses_in(*stage.module).is_read_singly(stage.call);
}

} // namespace deepperf::model
