#include "shapes/bool_arithmetic.h"
#include "shapes/module_checks.h"

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

// Any number of iterations, also none: two of them show what changes, and what does is joined.
Flow Interpreter::run_some_times(FunctionRef<Flow()> body) {
  for (u32 i = 0; i < 2; ++i) {
    heap.begin_branch();
    const Flow flow = body();
    Branch after = heap.end_branch();
    if (flow == Flow::Return || flow == Flow::Raise) {
      if (i == 0) { // what the first iteration did is done, if there is one at all
        heap.join(std::move(after), Branch{});
      }
      break;
    }
    heap.join(std::move(after), Branch{});
    if (flow == Flow::Break) {
      break;
    }
  }
  return Flow::Next;
}

// What the names that the loop binds are now; Undefined where they are nothing.
std::vector<Value> Interpreter::values_before(const Node *loop) const {
  std::vector<Value> values;
  if (const model::Loop *const about = project.loop_at(loop)) {
    values.reserve(about->assigned.size());
    const Names &names = frame_->content.names;
    for (const Symbol name : about->assigned) {
      const auto found = names.find(name.id);
      values.push_back(found != names.end() ? found->second : Value(Tag::Undefined));
    }
  }
  return values;
}

// Iterations were left early, at a place that nobody knows: what they bind may have an older value.
void Interpreter::forget_assigned(const Node *loop, const std::vector<Value> &before) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Symbol name = project.loop_at(loop)->assigned[i];
    const Value *const found = find_name(frame_->content.names, name.id);
    if (found == nullptr) {
      continue;
    }
    Value now = heap.join(*found, before[i]);
    if (now.is(Tag::Tensor)) {
      Tensor some = *now.tensor;
      some.shape = {};
      now = plain_tensor(some);
    } else if (!now.is(Tag::Function) && !now.is(Tag::Class) && !now.is(Tag::Object)) {
      now = Value();
    }
    heap.bind(*frame_, name.id, now);
  }
}

// Some number of a range.
Dim Interpreter::number_in(const RangeObject &range) {
  const bool counts_up = range.step.is_constant() && range.step.value > 0;
  return counts_up && range.start.is_constant() ? fresh("i", range.start.value) : Dim{};
}

namespace {

// The loader that a batch comes from; null if it has no smaller last one.
const LoaderBatches *batches_of(const Interpreter &in, const Value &value, u32 depth = 0) {
  constexpr u32 kDeepest = 4;
  if (value.is(Tag::Tensor) && value.tensor->shape.is_known()) {
    for (const LoaderBatches &batches : in.loader_batches) {
      for (const Dim dim : value.tensor->shape.dims) {
        if (dim == batches.size) {
          return &batches;
        }
      }
    }
  }
  const LoaderBatches *found = nullptr;
  const auto look_into = [&](const Value &part) {
    const LoaderBatches *const one = batches_of(in, part, depth + 1);
    found = found == nullptr ? one : found;
  };
  if (value.is_sequence() && depth < kDeepest) {
    for (const Value &item : value.list->content.items) {
      look_into(item);
    }
  } else if (value.is(Tag::Dict) && depth < kDeepest) {
    for (const auto &[key, item] : value.dict->content.items) {
      look_into(item);
    }
  }
  return found;
}

// A batch of that size. `name` is what it is called where it is said what led to a problem.
Value with_size(Interpreter &in, const Value &value, Dim symbol, i64 size, std::string_view name, u32 depth = 0) {
  constexpr u32 kDeepest = 4;
  if (value.is(Tag::Tensor) && value.tensor->shape.is_known()) {
    Tensor tensor = *value.tensor;
    std::vector<Dim> dims(tensor.shape.dims.begin(), tensor.shape.dims.end());
    std::ranges::replace(dims, symbol, Dim::of(size));
    tensor.shape = in.heap.shape(dims);
    if (name.empty() || tensor.step >= in.steps.size()) {
      return in.plain_tensor(tensor);
    }
    const Step origin = in.steps[tensor.step];
    const Value renamed = in.make_tensor(tensor, intern(name), origin.node, {});
    if (renamed.tensor->step < in.steps.size()) {
      in.steps[renamed.tensor->step].module = origin.module;
    }
    return renamed;
  }
  if (value.is_sequence() && depth < kDeepest) {
    std::vector<Value> items;
    for (const Value &item : value.list->content.items) {
      items.push_back(with_size(in, item, symbol, size, name, depth + 1));
    }
    const Value list = in.heap.new_list(std::move(items), value.tag);
    list.list->content.is_open = value.list->content.is_open;
    return list;
  }
  if (value.is(Tag::Dict) && depth < kDeepest) {
    DictObject *const dict = in.heap.new_dict();
    dict->content = value.dict->content;
    for (auto &[key, item] : dict->content.items) {
      item = with_size(in, item, symbol, size, name, depth + 1);
    }
    return Value::of(dict);
  }
  return value;
}

} // namespace

// enumerate(loader) and progress bars go over all of it, zip() and islice() perhaps not.
bool Interpreter::goes_over_all(const Expr *iterable) {
  const auto *call = as<Call>(iterable);
  if (call == nullptr) {
    return true;
  }
  const Value callee = quietly([&] { return eval(call->func); });
  if (!callee.is(Tag::Api)) {
    return callee.is(Tag::Function) || callee.is(Tag::Method);
  }
  const std::string_view name = callee.text();
  const bool is_same = name == "enumerate" || name.starts_with("tqdm.") || name == "rich.progress.track";
  return name.ends_with(".DataLoader") || (is_same && !call->args.empty() && goes_over_all(call->args[0]));
}

void Interpreter::run_with_last_batch(const For *statement, const Value &element) {
  constexpr u32 kMostTimes = 3; // of one loop: more is the same again, in another epoch
  const LoaderBatches *const batches = batches_of(*this, element);
  if (batches == nullptr || is_quiet() || used_ > limit_ / 2 || !goes_over_all(statement->iter)) {
    return;
  }
  counts_loops = true;
  if (last_batches_[statement]++ >= kMostTimes) {
    return;
  }
  const LoaderBatches sizes = *batches;
  const Value result = result_;
  const Value yielded = yielded_;
  LoopState *const outer = loop_;
  LoopState state;
  loop_ = &state;
  heap.begin_branch();
  assign(statement->target, with_size(*this, element, sizes.size, sizes.full, ""));
  const Flow flow = exec(statement->body);
  if ((flow == Flow::Next || flow == Flow::Continue) && !state.may_be_left && !state.may_return) {
    assign(statement->target, with_size(*this, element, sizes.size, sizes.last, "the last batch of the loader"));
    exec(statement->body);
  }
  heap.end_branch();
  loop_ = outer;
  result_ = result;
  yielded_ = yielded;
}

Flow Interpreter::exec_for(const For *statement) {
  const Value iterable = eval(statement->iter);
  check_has_length(*this, iterable, statement->iter);
  std::vector<Value> items;
  const bool is_exact = iterate(iterable, items);
  LoopState *const outer = loop_;
  LoopState state;
  loop_ = &state;
  Flow flow = Flow::Next;
  if (is_exact && items.size() <= limits_.iterations) {
    const std::vector<Value> before = values_before(statement);
    const u32 quiet = quiet_;
    for (const Value &item : items) {
      const std::size_t known = problems.size();
      assign(statement->target, item);
      flow = exec(statement->body);
      if (problems.size() != known) { // the program would have stopped in this iteration
        quiet_ = quiet + 1;
      }
      if (flow == Flow::Continue) {
        flow = Flow::Next;
      }
      if (flow != Flow::Next || is_exhausted()) {
        break;
      }
    }
    quiet_ = quiet;
    if (state.may_be_left) {
      forget_assigned(statement, before);
    }
    if (flow == Flow::Break) {
      flow = Flow::Next;
    } else if (flow == Flow::Next) {
      flow = exec(statement->orelse);
    }
    loop_ = outer;
    return flow;
  }
  Value element;
  if (is_exact) { // many: one for all of them
    element = Value(Tag::Undefined);
    for (const Value &item : items) {
      element = heap.join(element, item);
    }
  } else if (!items.empty()) {
    element = items[0];
  }
  const std::vector<Value> before = values_before(statement);
  const bool has_batches = !loader_batches.empty() && batches_of(*this, element) != nullptr;
  if (has_batches) {
    heap.begin_branch();
  }
  run_some_times([&] {
    if (iterable.is(Tag::Range)) { // a number of its own for each iteration
      element = Value::of(number_in(*iterable.range));
    }
    assign(statement->target, element);
    return exec(statement->body);
  });
  if (has_batches) {
    Branch after = heap.end_branch();
    run_with_last_batch(statement, element);
    heap.apply(std::move(after));
  }
  if (state.may_be_left) {
    forget_assigned(statement, before);
  }
  loop_ = outer;
  return exec(statement->orelse);
}

Flow Interpreter::exec_while(const While *statement) {
  LoopState *const outer = loop_;
  LoopState state;
  loop_ = &state;
  const std::vector<Value> before = values_before(statement);
  Flow flow = Flow::Next;
  bool is_known = true;
  u32 iterations = 0;
  while (iterations < limits_.iterations) {
    is_undecided_ = false;
    const Value condition = eval(statement->test);
    check_truth_value(*this, statement->test, condition);
    const Truth test = truth(condition);
    if (test == Truth::No) {
      break;
    }
    if (test == Truth::Unknown || is_constant(statement->test, ConstantKind::True)) {
      is_known = false;
      break;
    }
    flow = exec(statement->body);
    if (flow == Flow::Continue) {
      flow = Flow::Next;
    }
    if (flow != Flow::Next || is_exhausted()) {
      break;
    }
    ++iterations;
  }
  if (iterations == limits_.iterations) {
    state.may_be_left = true;
  }
  if (!is_known) {
    const bool guard = is_guard(statement->test);
    quiet_ += guard ? 1 : 0;
    run_some_times([&] { return exec(statement->body); });
    quiet_ -= guard ? 1 : 0;
  }
  if (state.may_be_left) {
    forget_assigned(statement, before);
  }
  loop_ = outer;
  return flow == Flow::Break ? Flow::Next : flow;
}

} // namespace deepperf::shapes
