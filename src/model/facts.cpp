// What the walk notes down of a function.
#include "model/facts.h"

#include "base/known_names.h"
#include "model/transfer.h"
#include "python/children.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

void Transfer::add_event(Event::Kind kind, const Expr *node, u32 site) {
  if (recording()) {
    current_->events.push_back({kind, around_.by_type, site, around_.loop, node});
  }
}

void Transfer::note_op(const OpFact &op) {
  // Keras' own operations may be those of another backend, and be mapped over data of another library.
  const std::string_view api = op.api.text();
  result_.has_ops |= api.starts_with("tensorflow.") && !api.starts_with("tensorflow.keras.");
  if (recording()) {
    current_->ops.push_back(op);
  }
}

// A training step is made here.
void Transfer::note_step() { add_event(Event::Kind::Step); }

void Transfer::note_session_run(const Expr *call) { add_event(Event::Kind::SessionRun, call); }

void Transfer::note_graph_made() { add_event(Event::Kind::GraphMade); }

void Transfer::enter_graph_of(const Expr *holder) { add_event(Event::Kind::GraphEntered, holder); }

// `sess.run(x + 1)`: an operator on a tensor is an operation too. Only what is fetched is sure to be meant as one.
void Transfer::note_fetched_operators(const Expr *fetches) {
  if (fetches->kind == NodeKind::List || fetches->kind == NodeKind::Tuple) {
    for_each_child(fetches, [this](const Node *child) { note_fetched_operators(static_cast<const Expr *>(child)); });
    return;
  }
  const auto is_tensor = [](const Expr *expr) {
    return kind_of(expr) == Kind::Tensor || kind_of(expr) == Kind::Variable;
  };
  // x[:, i] takes a part of several dimensions: no list or dict can do that.
  const auto is_slice_of_tensor = [](const Subscript *subscript) {
    const auto *index = subscript != nullptr ? as<Tuple>(subscript->slice) : nullptr;
    return index != nullptr &&
           std::ranges::any_of(index->elts, [](const Expr *part) { return as<Slice>(part) != nullptr; });
  };
  // -x and x > 0, but not `not x` and `x is None`.
  const auto is_operation = [&](const Expr *expr) {
    if (const auto *binary = as<BinOp>(expr)) {
      return is_tensor(binary->left) || is_tensor(binary->right);
    }
    if (const auto *unary = as<UnaryOp>(expr)) {
      return unary->op() != UnaryOperator::Not && is_tensor(unary->operand);
    }
    const auto *compare = as<Compare>(expr);
    return compare != nullptr && compare->rest.size() == 1 && is_tensor(compare->left) &&
           compare->rest[0].op >= CompareOperator::Lt && compare->rest[0].op <= CompareOperator::GtE;
  };
  const auto *subscript = as<Subscript>(fetches);
  // variable.read_value(), distribution.sample(), of whatever holds it. A variable's value() was made with it.
  const auto *call = as<Call>(fetches);
  const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
  const std::string_view name = method != nullptr ? method->attr.text() : std::string_view{};
  const bool reads = method != nullptr && !project_.callee_of(call).known() &&
                     (name == "sample" || name == "log_prob" || name == "entropy" || name == "read_value");
  if (!is_operation(fetches) && (subscript == nullptr || !is_tensor(subscript->value)) &&
      !is_slice_of_tensor(subscript) && !reads) {
    return;
  }
  OpFact fact;
  fact.call = fetches;
  fact.api = reads ? method->attr : known::sym_operation;
  fact.traits = kOp;
  fact.loop = around_.loop;
  fact.in_tape = around_.in_tape;
  fact.by_type = around_.by_type;
  note_op(fact);
}

// Notes down what a call of a framework does where it stands.
void Transfer::note_call_traits(const ApiInfo &info, const Call *call, Symbol api, bool v1) {
  const bool makes_layer = info.returns == Kind::KerasLayer || info.returns == Kind::KerasModel ||
                           info.returns == Kind::Optimizer || info.returns == Kind::KerasOptimizer;
  if (info.has(kVariable) || makes_layer) {
    current_->own_variables = true;
  }
  if (info.has(kVariable | kRandom | kIo | kPython | kMutates | kSessionRun | kSession | kGraphState)) {
    current_->own_effects = true;
  }
  if (info.has(kGraphScope) && api.text().starts_with("tensorflow.")) {
    note_graph_made();
    add_event(Event::Kind::NewGraph);
  } else if (const auto *method = info.has(kGraphScope) ? as<Attribute>(call->func) : nullptr) {
    enter_graph_of(method->value);
  }
  result_.v1 |= info.has(kV1) || v1 || info.has(kSession);
  result_.v2 |= info.has(kV2);
  // Keras reads values through a session in graph mode only.
  if (info.has(kSessionRun) && !around_.eager_test) {
    bool in_session = true;
    if (api.text().starts_with("tensorflow.keras.backend.")) {
      read(units_.of_module(*module_));
      in_session = module_->v1;
    }
    if (in_session) {
      note_session_run(call);
    }
  }
  // An optimizer that takes a closure (LBFGS) makes many evaluations at once: no small step.
  if (info.has(kStep) && (call->args.empty() || api.text() != "step")) {
    note_step();
  }
  if (!peeking_ && info.has(kOp) && !info.has(kSpec | kNoLoop)) {
    OpFact fact;
    fact.call = call;
    fact.api = api;
    fact.traits = info.traits;
    fact.loop = around_.loop;
    fact.v1 = v1;
    fact.in_tape = around_.in_tape;
    fact.once = around_.once;
    fact.initial_value = around_.initial_value;
    fact.target = around_.assigned == call ? around_.target : Symbol{};
    fact.stored = around_.stored != nullptr && python::contains(around_.stored, call);
    fact.discarded = around_.discarded == call;
    fact.by_type = around_.by_type;
    fact.scope = around_.scope;
    note_op(fact);
  }
}

// ---- What is told about other functions -----------------------------------------------------------------------------

FunctionMark &Transfer::mark(FunctionInfo *function) {
  if (!recording()) {
    static thread_local FunctionMark nobody;
    return nobody;
  }
  FunctionMark &noted = current_->marks.emplace_back();
  noted.function = function;
  return noted;
}

void Transfer::mark_traced(const Value &value, u8 tracer) {
  for_each_alternative(value, [&](const Value &one) {
    switch (one.tag) {
    case Value::Tag::Function:
    case Value::Tag::Method: {
      FunctionMark &noted = mark(one.function);
      noted.traced = true;
      noted.tracer |= tracer;
      break;
    }
    case Value::Tag::Partial:
      mark_traced(one.receiver(), tracer);
      break;
    case Value::Tag::Object: // a model: its forward pass
      if (tracer == kByTorch && one.type->kind == Kind::TorchModule) {
        mark_traced(member_of(one.type, known::sym_forward), tracer);
      }
      break;
    default:
      break;
    }
  });
}

// The function is one that other machinery runs for many elements.
void Transfer::mark_parallel(const Value &value) {
  for_each_alternative(value, [&](const Value &one) {
    if (one.is(Value::Tag::Partial)) {
      mark_parallel(one.receiver());
    } else if (one.is(Value::Tag::Function) || one.is(Value::Tag::Method)) {
      mark(one.function).in_parallel = true;
    } else if (one.is(Value::Tag::Object)) { // beam.ParDo(ProcessFn())
      const Value process = member_of(one.type, known::sym_process);
      if (process.is(Value::Tag::Function)) {
        mark(process.function).in_parallel = true;
      }
    }
  });
}

// A function that is an argument may be called, and then it runs as what calls it does.
void Transfer::mark_passed(const Value &value) {
  for_each_alternative(value, [&](const Value &one) {
    if (one.is(Value::Tag::Function) || one.is(Value::Tag::Method)) {
      mark(one.function).passed = true;
    }
  });
}

// Who reads which attribute: of a class that is known, or of anything.
void Transfer::note_load(const Value &value, Symbol attr) {
  bool is_known = false;
  for_each_alternative(value, [&](const Value &one) {
    if (one.is(Value::Tag::Object) || one.is(Value::Tag::Class) || one.is(Value::Tag::Super)) {
      is_known = true;
      if (one.type->kind == Kind::TorchModule || one.type->kind == Kind::TorchLoss) {
        current_->loads.emplace_back(one.type, attr.id);
      }
    } else if (one.is(Value::Tag::Api) || one.is(Value::Tag::Module)) {
      is_known = true;
    }
  });
  if (!is_known || value.open) {
    current_->loads.emplace_back(nullptr, attr.id);
  }
}

} // namespace deepperf::model
