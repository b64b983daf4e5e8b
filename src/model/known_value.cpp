#include "model/known_value.h"

#include "model/constants.h"
#include "model/facts.h"
#include "model/lookup.h"
#include "python/children.h"

#include <fmt/format.h>

#include <array>

namespace deepperf::model {

using namespace python;

namespace {

struct KindText {
  Kind kind;
  std::string_view text;
};

// Kinds whose name alone would not tell a reader; plain Python values are left out, since they are plain to see.
constexpr std::array kTexts = std::to_array<KindText>({
    {Kind::Dataset, "tf.data pipeline"},
    {Kind::Iterator, "iterator over a tf.data pipeline"},
    {Kind::Tensor, "TensorFlow tensor"},
    {Kind::Variable, "TensorFlow variable"},
    {Kind::Session, "TensorFlow session"},
    {Kind::Graph, "TensorFlow graph"},
    {Kind::Saver, "TensorFlow saver"},
    {Kind::Optimizer, "TensorFlow optimizer"},
    {Kind::KerasModel, "Keras model"},
    {Kind::KerasLayer, "Keras layer"},
    {Kind::KerasOptimizer, "Keras optimizer"},
    {Kind::KerasLoss, "Keras loss"},
    {Kind::KerasMetric, "Keras metric"},
    {Kind::GradientTape, "gradient tape"},
    {Kind::Function, "compiled TensorFlow function"},
    {Kind::SummaryWriter, "summary writer"},
    {Kind::Operation, "TensorFlow operation"},
    {Kind::TensorArray, "TensorArray"},
    {Kind::TfRecordWriter, "TFRecord writer"},
    {Kind::DistributeStrategy, "TensorFlow distribution strategy"},
    {Kind::Estimator, "TensorFlow estimator"},
    {Kind::TorchTensor, "PyTorch tensor"},
    {Kind::TorchModule, "PyTorch module"},
    {Kind::TorchDataset, "PyTorch dataset"},
    {Kind::TorchDataLoader, "PyTorch DataLoader"},
    {Kind::TorchOptimizer, "PyTorch optimizer"},
    {Kind::TorchScheduler, "PyTorch learning-rate scheduler"},
    {Kind::TorchLoss, "PyTorch loss"},
    {Kind::TorchDevice, "PyTorch device"},
    {Kind::NumpyArray, "NumPy array"},
    {Kind::TorchDistribution, "distribution"},
    {Kind::JaxArray, "JAX array"},
    {Kind::PandasFrame, "pandas DataFrame or Series"},
    {Kind::HfDataset, "Hugging Face dataset"},
    {Kind::HfTokenizer, "Hugging Face tokenizer"},
    {Kind::HfModel, "Hugging Face model"},
    {Kind::HfPipeline, "Hugging Face pipeline"},
    {Kind::HfProcessor, "Hugging Face processor"},
    {Kind::HfOutput, "output of a Hugging Face model"},
    {Kind::HfEncoder, "sentence encoder"},
    {Kind::Trainer, "trainer"},
    {Kind::Accelerator, "accelerator"},
    {Kind::TorchMetric, "torchmetrics metric"},
    {Kind::RandomState, "random generator"},
    {Kind::NoGrad, "context without gradients"},
    {Kind::Autocast, "autocast context"},
    {Kind::GradScaler, "gradient scaler"},
});

std::string_view text_of(Kind kind) {
  for (const KindText &entry : kTexts) {
    if (entry.kind == kind) {
      return entry.text;
    }
  }
  return {};
}

std::string text_of(const ConstantValue &constant) {
  switch (constant.type) {
  case ConstantValue::Type::None:
    return "None";
  case ConstantValue::Type::Bool:
    return constant.integer != 0 ? "True" : "False";
  case ConstantValue::Type::Integer:
    return std::to_string(constant.integer);
  case ConstantValue::Type::Float:
    return fmt::format("{}", constant.number);
  case ConstantValue::Type::String:
    return fmt::format("\"{}\"", constant.text);
  }
  return {};
}

std::string qualified(const FunctionInfo &function) {
  const std::string_view name = function.name ? function.name.text() : "<lambda>";
  return function.type != nullptr ? fmt::format("{}.{}", function.type->name.text(), name) : std::string(name);
}

// What a call calls, if that is one thing.
std::string text_of_callee(const Value &callee) {
  if (callee.alternatives != nullptr || callee.open) {
    return {};
  }
  switch (callee.tag) {
  case Value::Tag::Api:
    return std::string(callee.name().text());
  case Value::Tag::Function:
  case Value::Tag::Method:
    return qualified(*callee.function);
  case Value::Tag::Class:
    return std::string(callee.type->name.text());
  default:
    return {};
  }
}

void note_maker(const Value &value, KnownValue &known) {
  if (value.is(Value::Tag::Instance) && value.maker() != nullptr && !value.many && value.name()) {
    known.made_by = std::string(value.name().text());
  }
  if (value.is(Value::Tag::Object)) {
    known.made_by = std::string(value.type->name.text());
  }
  if (value.is(Value::Tag::Api)) {
    known.calls = std::string(value.name().text());
  }
}

// Where a place is: the function around it, and the call that the expression is the callee of.
struct Found {
  const FunctionInfo *function = nullptr;
  const Expr *expr = nullptr;
  const Call *call = nullptr;
  const Param *param = nullptr;
  const Value *passed = nullptr; // for the parameter, by all callers
};

class Search {
public:
  Search(const Project &project, u32 offset) : project_(project), offset_(offset) {}

  void visit(const Node *node, const FunctionInfo *function) {
    if (node->start > offset_ || node->end < offset_) {
      return;
    }
    if (const FunctionInfo *inner = project_.function_at(node)) {
      function = inner;
      visit_parameters(*inner);
    }
    if (node->kind < NodeKind::FunctionDef) {
      // At the end of an expression another one may begin; the longer look decides.
      const auto *expr = static_cast<const Expr *>(node);
      const auto *call = found_.expr != nullptr ? as<Call>(found_.expr) : nullptr;
      const bool is_callee = call != nullptr && call->func == expr;
      found_ = {function, expr, is_callee ? call : nullptr, nullptr, nullptr};
    }
    for_each_child(node, [&](const Node *child) { visit(child, function); });
  }

  [[nodiscard]] const Found &found() const { return found_; }

private:
  void visit_parameters(const FunctionInfo &function) {
    for (u32 i = 0; i < function.params.size() && i < function.inputs.size(); ++i) {
      const Param &param = *function.params[i];
      if (param.name && param.start <= offset_ && offset_ <= param.start + param.name.text().size()) {
        found_ = {&function, nullptr, nullptr, &param, &function.inputs[i].value};
      }
    }
  }

  const Project &project_;
  u32 offset_;
  Found found_;
};

void note_tensor(const Expr *expr, KnownValue &known) {
  const Kind kind = kind_of(expr);
  known.kind = text_of(kind);
  if (kind == Kind::TorchTensor && has_grad(expr)) {
    known.gradient = "part of an autograd graph";
  }
  if (is_moved(expr)) {
    known.device = "on an accelerator";
  } else if (is_on_cpu(expr)) {
    known.device = "in host memory";
  }
}

KnownValue describe_parameter(const Found &found) {
  KnownValue known;
  known.span = {found.param->start, found.param->start + static_cast<u32>(found.param->name.text().size())};
  const Value &value = *found.passed;
  if (value.alternatives == nullptr && !value.open) {
    note_maker(value, known);
    if (value.is(Value::Tag::Instance) && !value.container) {
      known.kind = text_of(value.kind);
      known.gradient = value.grad == kGradient ? "part of an autograd graph" : "";
      known.device = value.device == kOnGpu ? "on an accelerator" : value.device == kOnCpu ? "in host memory" : "";
    }
  }
  return known;
}

KnownValue describe(const Project &project, const Module &module, const Found &found) {
  KnownValue known;
  const Expr *const expr = found.expr;
  known.span = {expr->start, expr->end};
  if (found.call != nullptr) {
    known.calls = text_of_callee(project.callee_of(found.call));
    known.gives = text_of(kind_of(found.call));
  }
  note_tensor(expr, known);
  if (const auto *call = as<Call>(expr); call != nullptr) {
    known.calls = text_of_callee(project.callee_of(call));
    return known;
  }
  const bool is_named = as<Name>(expr) != nullptr || as<Attribute>(expr) != nullptr;
  if (!is_named) {
    return known;
  }
  const Scope scope{&project, &module, found.function};
  const Value value = value_of(scope, expr);
  if (value.alternatives == nullptr && !value.open) {
    if (known.kind.empty() && value.is(Value::Tag::Instance) && !value.container) {
      known.kind = text_of(value.kind);
    }
    if (found.call == nullptr) {
      note_maker(value, known);
    }
  }
  if (const auto constant = constant_of(scope, expr); constant && found.call == nullptr && known.kind.empty()) {
    known.constant = text_of(*constant);
    known.is_default = constant->overridable;
  }
  return known;
}

} // namespace

std::optional<KnownValue> value_at(const Project &project, const Module &module, u32 offset) {
  Search search(project, offset);
  for (const Stmt *statement : module.parsed->tree.body) {
    search.visit(statement, module.body);
  }
  const Found &found = search.found();
  if (found.expr == nullptr && found.param == nullptr) {
    return std::nullopt;
  }
  KnownValue known = found.param != nullptr ? describe_parameter(found) : describe(project, module, found);
  if (known.calls == module.parsed->source.part(known.span.start, known.span.end)) {
    known.calls.clear(); // that is what stands there
  }
  return known;
}

namespace {

// Names that statements within a range bind.
class Bound {
public:
  Bound(Span range, std::vector<KnownValue> &values) : range_(range), values_(values) {}

  void visit(const Node *node) {
    if (node->end <= range_.start || node->start >= range_.end) {
      return;
    }
    if (const auto *assign = as<Assign>(node)) {
      for (const Expr *target : assign->targets) {
        add(target, assign->value);
      }
    } else if (const auto *loop = as<For>(node)) {
      add(loop->target, nullptr);
    }
    if (node->kind >= NodeKind::FunctionDef) { // what expressions bind is not shown
      for_each_child(node, [this](const Node *child) { visit(child); });
    }
  }

private:
  void add(const Expr *target, const Expr *value) {
    if (target->kind == NodeKind::Tuple || target->kind == NodeKind::List) {
      for_each_child(target, [this](const Node *child) { add(static_cast<const Expr *>(child), nullptr); });
      return;
    }
    if (as<Name>(target) == nullptr || target->end <= range_.start || target->start >= range_.end) {
      return;
    }
    KnownValue known;
    known.span = {target->start, target->end};
    note_tensor(value != nullptr ? value : target, known);
    values_.push_back(std::move(known));
  }

  Span range_;
  std::vector<KnownValue> &values_;
};

} // namespace

std::vector<KnownValue> bound_values(const Module &module, Span range) {
  std::vector<KnownValue> values;
  Bound bound(range, values);
  for (const Stmt *statement : module.parsed->tree.body) {
    bound.visit(statement);
  }
  return values;
}

} // namespace deepperf::model
