#include "shapes/interpreter.h"

#include "python/children.h"

#include <cstdint>
#include <functional>

#include <fmt/format.h>

namespace deepperf::shapes {

using namespace python;

Value computed_text(std::string_view text) {
  constexpr std::size_t kLongest = 1024;
  return Value::of_text(text.size() <= kLongest ? intern(text) : Symbol{});
}

Interpreter::Interpreter(const model::Project &about, Limits limits) : project(about), heap(terms), limits_(limits) {
  limit_ = limits_.steps_of_root;
}

StateKeeper::StateKeeper(Interpreter &interpreter)
    : in_(interpreter), frame_(in_.frame_), quiet_(in_.quiet_), no_grad_(in_.no_grad_), autocast_(in_.autocast_),
      depth_(in_.depth_), result_(in_.result_), yielded_(in_.yielded_), loop_(in_.loop_),
      rest_is_quiet_(in_.rest_is_quiet_) {
  in_.result_ = in_.yielded_ = Value(Value::Tag::Undefined);
  in_.loop_ = nullptr;
  in_.rest_is_quiet_ = false;
}

StateKeeper::~StateKeeper() {
  in_.frame_ = frame_;
  in_.quiet_ = quiet_;
  in_.no_grad_ = no_grad_;
  in_.autocast_ = autocast_;
  in_.depth_ = depth_;
  in_.result_ = result_;
  in_.yielded_ = yielded_;
  in_.loop_ = loop_;
  in_.rest_is_quiet_ = rest_is_quiet_;
}

void Interpreter::run_root(const model::Module *module, FunctionRef<void()> body) {
  const StateKeeper keeper(*this);
  quiet_ = no_grad_ = autocast_ = 0;
  used_ = 0;
  is_undecided_ = false;
  heap.take_copied(); // what others copied
  lost.reset();
  frame_ = frame_of(module);
  body();
}

std::string Interpreter::text_of(const Shape &shape) const {
  if (shape.kind == Shape::Kind::Unknown) {
    return "[?]";
  }
  std::string out = shape.is_known() ? "[" : "[..., ";
  for (u32 i = 0; i < shape.rank(); ++i) {
    out += (i > 0 ? ", " : "") + terms.text(shape.dims[i]);
  }
  return out + "]";
}

std::string_view Interpreter::source_of(const model::Module *module, const Node *node) const {
  return module->parsed->source.part(node->start, node->end);
}

void Interpreter::lose(const Expr *node, std::string_view operation) {
  if (!lost) {
    lost = LostAt{module(), node, std::string(operation)};
  }
}

Value Interpreter::make_tensor(Tensor tensor, Symbol operation, const Expr *node,
                               const std::vector<const Tensor *> &inputs, const Object *layer) {
  constexpr std::size_t kMostSteps = 100'000;
  tensor.order = 0;
  if (steps_made() < kMostSteps) {
    tensor.step = static_cast<u32>(steps.size());
    Step &step = steps.emplace_back();
    step.module = module();
    step.node = node;
    step.operation = operation;
    step.layer = layer;
    step.inputs = inputs;
    if (keeps_details) {
      step.path = path;
    }
    const Tensor *const made = heap.arena.make<Tensor>(tensor);
    step.outputs.push_back(made);
    return Value::of(made);
  }
  return plain_tensor(tensor);
}

bool Interpreter::note_report(u64 report) {
  const auto [place, is_new] = reported_.try_emplace(report, root);
  if (is_new) {
    doings.reports.push_back(report);
  } else if (place->second != root) {
    doings.is_alone = false;
  }
  return is_new;
}

Problem *Interpreter::report(Fault fault, const Node *place, std::string message) {
  if (quiet_ > 0 || rest_is_quiet_ || place == nullptr || module() == nullptr) {
    return nullptr;
  }
  const u64 key = (u64{module()->file.value} << 40) | (u64{static_cast<u8>(fault)} << 32) | place->start;
  if (!note_report(key ^ (u64{place->end} << 8))) {
    return nullptr;
  }
  // The same fault three times in one call, as for a query, a key and a value: it would have stopped at the first.
  const bool is_of_module = frame_->outer == nullptr && frame_->function == nullptr;
  const u64 call = is_of_module ? module()->file.value : reinterpret_cast<std::uintptr_t>(frame_);
  if (!note_report(std::hash<std::string>{}(message) ^ (call * 0x9e3779b97f4a7c15U))) {
    return nullptr;
  }
  Problem &problem = problems.emplace_back();
  problem.fault = fault;
  problem.module = module();
  problem.span = place->span();
  problem.message = std::move(message);
  return &problem;
}

void Interpreter::add_chain(Problem &problem, const Tensor &tensor) {
  constexpr std::size_t kMostNotes = 8;
  std::vector<ProblemNote> notes;
  const Tensor *at = &tensor;
  while (at != nullptr && at->step != Tensor::kNoStep && notes.size() < kMostNotes) {
    const Step &step = steps[at->step];
    if (at->shape.kind != Shape::Kind::Unknown && step.node != nullptr) {
      std::string name(step.operation ? step.operation.text() : "this");
      name = name.substr(name.rfind('.') + 1);
      if (step.layer != nullptr && step.layer->name) {
        name = step.layer->name.text();
      }
      notes.push_back({step.module, step.node->span(), fmt::format("{} gives {}", name, text_of(*at))});
    }
    const Tensor *next = nullptr;
    for (const Tensor *input : step.inputs) {
      if (input != nullptr && input->step != Tensor::kNoStep && (next == nullptr || next->step < input->step)) {
        next = input;
      }
    }
    at = next;
  }
  problem.notes.insert(problem.notes.end(), notes.rbegin(), notes.rend());
}

} // namespace deepperf::shapes
