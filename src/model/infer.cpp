#include "model/infer.h"

#include "base/known_names.h"
#include "model/bind.h"
#include "model/pipeline.h"
#include "python/children.h"
#include "python/literals.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {
// Calls are followed at once, to know what they return; deeper than this a result is unknown.
constexpr u32 kMaxDepth = 100;
} // namespace

Inference::Inference(Project &project, const ModuleIndex &index) : project_(project), index_(index) {}

void Inference::run() {
  for (Module &module : project_.modules) {
    collect(module);
  }
  collect_stars();
  for (const bool recording : {false, true}) {
    last_pass_ = recording_ = recording;
    // What the first pass found stays where it is: values that it left behind point to it.
    project_.first_stage = static_cast<u32>(project_.stages.size());
    project_.loops.clear();
    for (FunctionInfo &function : project_.functions) {
      function.state = FunctionInfo::State::Fresh;
      function.ops.clear();
      function.calls.clear();
      function.makes_variables = function.makes_graph = function.runs_session = function.effects = false;
      function.steps = function.trains = function.new_graph = false;
      function.session_run = nullptr;
      function.graph_params = 0;
      function.attribute_stores.clear();
    }
    for (Module &module : project_.modules) {
      if (module.body != nullptr) {
        evaluate(*module.body);
      }
    }
    // Functions are also made on the way (lambdas), so count anew each time.
    for (std::size_t i = 0; i < project_.functions.size(); ++i) { // NOLINT(modernize-loop-convert)
      evaluate(project_.functions[i]);
    }
  }
  spread_tracing();
  spread_no_grad();
  spread_loops();
  spread_parallel();
  link_stages(project_);
}

// What is called by nothing but traced code runs when that is traced.
void Inference::spread_tracing() {
  std::vector<u32> untraced_callers(project_.functions.size());
  std::vector<FunctionInfo *> queue;
  for (FunctionInfo &function : project_.functions) {
    for (const CallSite &site : function.calls) {
      untraced_callers[site.callee->index] += site.callee != &function && !function.traced ? 1 : 0;
    }
    if (function.traced) {
      queue.push_back(&function);
    }
  }
  while (!queue.empty()) {
    const FunctionInfo *function = queue.back();
    queue.pop_back();
    for (const CallSite &site : function->calls) {
      FunctionInfo *const callee = site.callee;
      if (callee == function || callee->traced || untraced_callers[callee->index] != 0) {
        continue;
      }
      callee->traced = true;
      callee->tracers |= function->tracers;
      queue.push_back(callee);
      for (const CallSite &inner : callee->calls) {
        untraced_callers[inner.callee->index] -= inner.callee != callee ? 1 : 0;
      }
    }
  }
}

// What is called only by code under torch.no_grad() is under it too.
void Inference::spread_no_grad() {
  struct Callers {
    u32 all = 0;
    u32 with_grad = 0;
  };
  std::vector<Callers> callers(project_.functions.size());
  std::vector<FunctionInfo *> queue;
  for (FunctionInfo &function : project_.functions) {
    for (const CallSite &site : function.calls) {
      ++callers[site.callee->index].all;
      callers[site.callee->index].with_grad += site.no_grad || site.callee == &function ? 0 : 1;
    }
  }
  for (FunctionInfo &function : project_.functions) {
    if (callers[function.index].all != 0 && callers[function.index].with_grad == 0 && !function.no_grad) {
      queue.push_back(&function);
    }
  }
  while (!queue.empty()) {
    FunctionInfo *function = queue.back();
    queue.pop_back();
    if (function->no_grad) {
      continue;
    }
    function->no_grad = true;
    for (const CallSite &site : function->calls) {
      if (!site.no_grad && site.callee != function && --callers[site.callee->index].with_grad == 0) {
        queue.push_back(site.callee);
      }
    }
  }
  for (const FunctionInfo &function : project_.functions) {
    for (const CallSite &site : function.calls) {
      site.callee->ever_no_grad |= site.no_grad || function.no_grad;
    }
  }
}

// What such a function calls runs with it.
void Inference::spread_parallel() {
  std::vector<const FunctionInfo *> queue;
  for (const FunctionInfo &function : project_.functions) {
    if (function.in_parallel) {
      queue.push_back(&function);
    }
  }
  while (!queue.empty()) {
    const FunctionInfo *function = queue.back();
    queue.pop_back();
    for (const CallSite &site : function->calls) {
      if (!site.callee->in_parallel) {
        site.callee->in_parallel = true;
        queue.push_back(site.callee);
      }
    }
  }
}

// What is called in a loop runs many times, and so does what that calls.
void Inference::spread_loops() {
  std::vector<FunctionInfo *> queue;
  const auto reach = [&queue](FunctionInfo *function) {
    if (!function->in_loop) {
      function->in_loop = true;
      queue.push_back(function);
    }
  };
  for (FunctionInfo &function : project_.functions) {
    for (const CallSite &site : function.calls) {
      for (const Loop *loop = site.loop; loop != nullptr; loop = loop->parent) {
        if (!loop->tiny && !site.once) {
          reach(site.callee);
          break;
        }
      }
    }
  }
  while (!queue.empty()) {
    const FunctionInfo *function = queue.back();
    queue.pop_back();
    for (const CallSite &site : function->calls) {
      if (!site.once) {
        reach(site.callee);
      }
    }
  }
}

// Makes the FunctionInfo of a module's own code; those of its functions are made when they are met.
void Inference::collect(Module &module) {
  FunctionInfo &body = add_function();
  body.module = &module;
  bind_names(module.parsed->tree.body, body, bound_);
  finish_names(body, bound_, project_.values);
  module.body = &body;
}

namespace {

// `__all__ = ["a", "b"]` at a module's top, perhaps with more added.
void read_exports(Module &module) {
  const auto add = [&module](const Expr *list) {
    for_each_child(list, [&module](const Node *item) {
      if (const StringConstant *text = as_string(item)) {
        module.exports.push_back(intern(string_value(module.parsed->source, *text)));
      }
    });
  };
  for (const Stmt *statement : module.parsed->tree.body) {
    const auto *assignment = as<Assign>(statement);
    const auto *more = as<AugAssign>(statement);
    const Expr *target = assignment != nullptr ? assignment->targets[0] : more != nullptr ? more->target : nullptr;
    const Expr *value = assignment != nullptr ? assignment->value : more != nullptr ? more->value : nullptr;
    const auto *name = target != nullptr ? as<Name>(target) : nullptr;
    if (name == nullptr || name->id.text() != "__all__") {
      continue;
    }
    if (value->kind != NodeKind::List && value->kind != NodeKind::Tuple) {
      module.exports.clear(); // made in a way that cannot be read: as if there were none
      return;
    }
    add(value);
  }
  std::ranges::sort(module.exports, {}, &Symbol::id);
}

} // namespace

bool is_exported(const Module &module, Symbol name) {
  return module.exports.empty() ? !name.text().starts_with('_')
                                : std::ranges::binary_search(module.exports, name.id, {}, &Symbol::id);
}

// `from x import *` binds the names that x exports. Packages hand them on, so it takes a few rounds.
void Inference::collect_stars() {
  constexpr u32 kRounds = 4;
  constexpr std::size_t kMostNames = 5000;
  struct Star {
    Module *into = nullptr;
    const Module *from = nullptr;
  };
  std::vector<Star> stars;
  for (Module &module : project_.modules) {
    for (const ImportRef &import : module.parsed->imports) {
      if (!import.name || import.name.text() != "*") {
        continue;
      }
      const Module *from = index_.find(module, import.module, {}, import.level);
      if (from != nullptr && from != &module && from->body != nullptr) {
        stars.push_back({&module, from});
      }
    }
  }
  if (stars.empty()) {
    return;
  }
  for (Module &module : project_.modules) {
    read_exports(module);
  }
  for (u32 round = 0; round < kRounds; ++round) {
    bool changed = false;
    for (const Star &star : stars) {
      FunctionInfo &body = *star.into->body;
      std::vector<u32> added;
      for (const u32 name : star.from->body->names) {
        if (is_exported(*star.from, Symbol{name}) && body.slot_of(Symbol{name}) == FunctionInfo::kNoSlot) {
          added.push_back(name);
        }
      }
      if (added.empty() || body.names.size() + added.size() > kMostNames) {
        continue;
      }
      std::vector<u32> names;
      std::ranges::merge(body.names, added, std::back_inserter(names));
      set_names(body, names, project_.values);
      changed = true;
    }
    if (!changed) {
      return;
    }
  }
}

FunctionInfo &Inference::add_function() {
  FunctionInfo &function = project_.functions.emplace_back();
  function.index = static_cast<u32>(project_.functions.size()) - 1;
  return function;
}

FunctionInfo *Inference::function_for(const Node *node) {
  FunctionInfo *function = project_.function_at(node);
  if (function == nullptr) {
    function = &add_function();
    function->node = node;
    function->module = module_;
    function->parent = current_;
    if (const auto *definition = as<FunctionDef>(node)) {
      definition->fact = function->index + 1;
      function->name = definition->name;
      function->params = definition->params;
      bind_names(definition->body, *function, bound_);
    } else {
      const auto *lambda = static_cast<const Lambda *>(node);
      lambda->fact = function->index + 1;
      function->params = lambda->params;
      bind_names_of(lambda->body, *function, bound_);
    }
    for (const Param *param : function->params) {
      if (param->name) {
        bound_.add(param->name);
      } else if (param->pattern != nullptr) {
        bind_names_of(param->pattern, *function, bound_);
      }
    }
    finish_names(*function, bound_, project_.values);
    function->arguments = project_.values.fill(function->params.size(), Value{});
  }
  return function;
}

Value Inference::annotation_value(const Expr *annotation) {
  if (annotation == nullptr) {
    return {};
  }
  if (const auto *subscript = as<Subscript>(annotation)) { // Optional[tf.data.Dataset]
    return annotation_value(subscript->slice->kind == NodeKind::Tuple ? nullptr : subscript->slice);
  }
  if (const auto *text = as_string(annotation)) { // "tf.data.Dataset"
    const std::string_view quoted = module_->parsed->source.part(text->start, text->end);
    return quoted.find("tf.data.Dataset") != std::string_view::npos ? Value::instance(Kind::Dataset) : Value{};
  }
  if (annotation->kind == NodeKind::Constant || annotation->kind == NodeKind::BinOp) {
    return {};
  }
  const Value value = eval(annotation);
  if (value.is(Value::Tag::Class)) {
    return Value::of(value.type, Value::Tag::Object);
  }
  if (value.is(Value::Tag::Api)) {
    if (const ApiInfo *info = find_api(value.name())) {
      return Value::instance(info->returns);
    }
    const std::string_view text = value.name().text();
    const std::size_t dot = text.rfind('.');
    const Kind kind = text.starts_with("tensorflow.") ? kind_named(text.substr(dot + 1)) : Kind::Unknown;
    if (kind != Kind::Unknown) {
      return Value::instance(kind);
    }
  }
  return {};
}

// A parameter that nobody passes anything for is what it is called, if the module has such a class.
Value Inference::object_named(Symbol name) const {
  const auto found = module_->class_of_name.find(name.id);
  return found != module_->class_of_name.end() && found->second != nullptr
             ? Value::of(found->second, Value::Tag::Object)
             : Value{};
}

void Inference::bind_params(FunctionInfo &function) {
  u32 index = 0;
  for (const Param *param : function.params) {
    Value value = annotation_value(param->annotation);
    const bool is_self = index == 0 && function.type != nullptr && !function.is_static;
    if (is_self) {
      value = Value::of(function.type, function.is_class_method ? Value::Tag::Class : Value::Tag::Object);
    } else if (!value.known()) {
      value = function.arguments[index];
      if (param->default_value != nullptr) {
        const Value fallback = eval(param->default_value);
        value = value.known() ? value : fallback.is(Value::Tag::None) ? value : fallback;
      }
      if (!value.known() && param->name && module_->tensorflow && !module_->torch) {
        value = object_named(param->name);
      }
    }
    if (param->param_kind() == ParamKind::VarArgs || param->param_kind() == ParamKind::KwArgs) {
      value = {};
    }
    if (param->name) {
      bind(param->name, value);
    } else if (param->pattern != nullptr) {
      assign(param->pattern, {});
    }
    ++index;
  }
}

void Inference::evaluate(FunctionInfo &function) {
  if (function.state != FunctionInfo::State::Fresh || depth_ > kMaxDepth) {
    return;
  }
  function.state = FunctionInfo::State::Running;
  // The walk's own state belongs to one function: put the caller's away.
  FunctionInfo *const caller = std::exchange(current_, &function);
  Module *const caller_module = std::exchange(module_, const_cast<Module *>(function.module));
  ClassInfo *const caller_class = std::exchange(class_body_, nullptr);
  Snapshot caller_environment(*this);
  environment_.assign(function.names.size(), Value{});
  const bool caller_reachable = std::exchange(reachable_, true);
  const Surroundings caller_around = std::exchange(around_, {});
  around_.no_grad = function.no_grad;
  // The function is walked only once, also if its caller is at its second look.
  const bool caller_recording = std::exchange(recording_, last_pass_);
  const bool caller_peeking = std::exchange(peeking_, false);
  ++depth_;
  function.returns = {};
  function.returned = false;
  bind_params(function);
  if (function.node == nullptr) {
    walk(function.module->parsed->tree.body);
  } else if (const FunctionDef *definition = function.definition()) {
    walk(definition->body);
    if (!function.returns.known()) {
      const Value annotated = annotation_value(definition->returns);
      function.returns = annotated.known() ? annotated : function.returns;
    }
  } else {
    function.returns = eval(function.lambda()->body);
  }
  --depth_;
  recording_ = caller_recording;
  peeking_ = caller_peeking;
  around_ = caller_around;
  reachable_ = caller_reachable;
  environment_.swap(caller_environment.values);
  class_body_ = caller_class;
  module_ = caller_module;
  current_ = caller;
  function.state = FunctionInfo::State::Done;
}

void Inference::mark_traced(const Value &value, u8 tracer) {
  switch (value.tag) {
  case Value::Tag::Function:
  case Value::Tag::Method:
    value.function->traced = true;
    value.function->tracers |= tracer;
    break;
  case Value::Tag::Partial:
    mark_traced(value.receiver(), tracer);
    break;
  case Value::Tag::Object: // a model: its forward pass
    if (tracer == kByTorch && value.type->kind == Kind::TorchModule) {
      mark_traced(member_of(value.type, known::sym_forward), tracer);
    }
    break;
  default:
    break;
  }
}

// A function that is an argument may be called, and then it runs as what calls it does.
void Inference::note_passed(const Value &value) {
  if (value.is(Value::Tag::Function) || value.is(Value::Tag::Method)) {
    value.function->passed = true;
    if (current_->traced && current_->node != nullptr) {
      value.function->traced = true;
      value.function->tracers |= current_->tracers;
    }
  }
}

// ---- Joining --------------------------------------------------------------------------------------------------------

Value Inference::join(const Value &a, const Value &b) {
  // Tuples of tuples of …: what is that deep inside matters to nobody, and could take for ever.
  struct Depth {
    u32 &depth;
    explicit Depth(u32 &counter) : depth(++counter) {}
    Depth(const Depth &) = delete;
    Depth &operator=(const Depth &) = delete;
    ~Depth() { --depth; }
  };
  const Depth guard(join_depth_);
  if (join_depth_ > 4) {
    return {};
  }
  // A literal or something unknown is something unknown; for other values what is known is more use.
  if ((a.is(Value::Tag::Literal) && b.is(Value::Tag::Unknown)) ||
      (a.is(Value::Tag::Unknown) && b.is(Value::Tag::Literal))) {
    return {};
  }
  if (a == b) {
    return a;
  }
  if (!a.known() || !b.known()) {
    Value result = a.known() ? a : b.known() || b.is(Value::Tag::None) ? b : a;
    if (result.is_kind(Kind::TorchTensor) || result.is_kind(Kind::Tensor) || result.is_kind(Kind::JaxArray)) {
      result.output = Output::Unknown; // perhaps other numbers came the other way
    }
    return result;
  }
  if (a.is_kind(Kind::Dataset) && b.is_kind(Kind::Dataset)) {
    Stage meeting;
    meeting.previous = a.stage();
    meeting.other = b.stage();
    meeting.module = module_;
    meeting.function = current_;
    project_.stages.push_back(meeting);
    Value result = a;
    result.number = static_cast<u32>(project_.stages.size() - 1);
    result.container = a.container || b.container;
    return result;
  }
  if (a.tag == b.tag && a.kind == b.kind && a.tag == Value::Tag::Instance) {
    Value result = a; // of the same kind, but made in different places
    if (a.pointer != b.pointer || a.number != b.number) {
      result.pointer = nullptr;
      result.number = 0;
    }
    result.container = a.container || b.container;
    result.output = a.output == b.output ? a.output : Output::Unknown;
    result.grad = a.grad || b.grad;
    result.gpu = a.gpu && b.gpu;
    return result;
  }
  if (a.is(Value::Tag::Literal) && b.is(Value::Tag::Literal)) {
    return {};
  }
  if (a.is(Value::Tag::Tuple) && b.is(Value::Tag::Tuple)) {
    const bool uniform = a.uniform || b.uniform || a.number != b.number;
    const std::size_t first = items_.size();
    for (u32 i = 0; i < (uniform ? 1 : a.number); ++i) {
      items_.push_back(uniform ? join(element_of(a), element_of(b)) : join(a.items[i], b.items[i]));
    }
    const auto is_few = [](const Value &value) { return value.few || (!value.uniform && value.number <= 10); };
    Value result = make_tuple(std::span<const Value>(items_).subspan(first), uniform);
    items_.resize(first);
    result.few = is_few(a) && is_few(b);
    return result;
  }
  return a.is(Value::Tag::Literal) ? b : b.is(Value::Tag::Literal) ? a : Value{};
}

void Inference::join_environment(std::vector<Value> &into, const std::vector<Value> &other) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (!(into[i] == other[i])) {
      into[i] = join(into[i], other[i]);
    }
  }
}

} // namespace deepperf::model
