#include "rules/device_reads.h"

#include "base/known_names.h"
#include "base/name_table.h"
#include "model/bind.h"
#include "model/context.h"
#include "model/guards.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace deepperf::rules {

using namespace python;

namespace {

constexpr std::size_t kMostStepFunctions = 40; // that a step is followed into

bool is_device_tensor(const Expr *expr) { return model::kind_of(expr) == Kind::TorchTensor && !model::is_on_cpu(expr); }

// What one training step does, in its own code and in the functions of the project that it calls.
class ReadsWalk : public DeviceReads {
public:
  ReadsWalk(const model::Project &project, const model::FunctionInfo &function, bool is_forward)
      : project_(project), is_forward_(is_forward) {
    functions_.push_back({&function, nullptr, false, false});
    known_.insert(&function);
  }

  void walk_region(const Node *region) {
    const model::FunctionInfo &function = *functions_[0].function;
    enter(function, nullptr);
    loop_ = project_.loop_at(region);
    const auto *loop = as<For>(region);
    const auto *repeated = as<While>(region);
    const auto *definition = as<FunctionDef>(region);
    if (repeated != nullptr) {
      condition(repeated->test);
      note_end(0, true);
    }
    body(loop != nullptr         ? loop->body
         : repeated != nullptr   ? repeated->body
         : definition != nullptr ? definition->body
                                 : Block{});
    // Functions that it calls in every step; the list grows on the way.
    take_callees(0, region, definition == nullptr ? project_.loop_at(region) : nullptr);
    for (std::size_t i = 1; i < functions_.size(); ++i) {
      const Called called = functions_[i];
      const FunctionDef *inner = called.function->definition();
      const Lambda *lambda = called.function->lambda();
      if (inner == nullptr && lambda == nullptr) {
        continue;
      }
      enter(*called.function, called.through);
      masks_ = called.masks;
      is_optional_ = called.is_optional;
      is_repeated_ = called.is_repeated;
      if (lambda != nullptr) {
        visit(lambda->body);
        continue;
      }
      body(inner->body);
      take_callees(i, inner, nullptr);
    }
    drop_repeated();
  }

private:
  // Places that were found under a setting and without one.
  void drop_repeated() {
    std::unordered_set<const Node *> certain;
    for (const DeviceRead &read : reads) {
      if (!read.is_optional) {
        certain.insert(read.place);
      }
    }
    std::erase_if(reads, [&](const DeviceRead &read) { return read.is_optional && certain.contains(read.place); });
  }

  struct Called {
    const model::FunctionInfo *function = nullptr;
    const Node *through = nullptr; // the call in the step's own code
    bool is_optional = false;
    bool is_repeated = false;
    std::unordered_set<u32> masks = {}; // parameters that get a tensor of truth values
  };

  std::unordered_set<u32> mask_parameters(const model::CallSite &site) {
    std::unordered_set<u32> masks;
    const auto &params = site.callee->params;
    const u32 first = site.bound ? 1 : 0;
    for (u32 i = 0; i < site.call->args.size() && i + first < params.size(); ++i) {
      if (is_mask(site.call->args[i])) {
        masks.insert(params[i + first]->name.id);
      }
    }
    for (const Keyword *keyword : site.call->keywords) {
      if (keyword->name && is_mask(keyword->value)) {
        masks.insert(keyword->name.id);
      }
    }
    return masks;
  }

  void enter(const model::FunctionInfo &function, const Node *through) {
    function_ = &function;
    through_ = through;
    loop_ = nullptr;
    masks_.clear();
    is_optional_ = is_repeated_ = is_skipped_ = false;
  }

  void take_callees(std::size_t at, const Node *region, const model::Loop *step) {
    const Called caller = functions_[at];
    for (const model::CallSite *inside : model::calls_inside(*caller.function, *region)) {
      const model::CallSite &site = *inside;
      if (functions_.size() >= kMostStepFunctions) {
        return;
      }
      if (site.conditional || site.once || site.behind_guard || site.callee->node == nullptr ||
          site.callee->is_property) {
        continue;
      }
      bool is_repeated = caller.is_repeated;
      bool is_other = false;
      for (const model::Loop *loop = site.loop; loop != nullptr && loop != step; loop = loop->parent) {
        is_repeated |= !loop->few_iterations;
        is_other |= loop->evaluates || (loop->steps && step != nullptr);
      }
      const bool is_made = site.callee->name && site.callee->name.text() == "__init__";
      is_other |= is_evaluation(*site.callee) || (is_forward_ && !belongs_to_forward(*caller.function, site));
      // One of several functions or classes that the call may mean.
      const bool is_optional = caller.is_optional || optional_calls_.contains(site.call) || site.by_type;
      // What another call reaches under no setting is looked at once more.
      auto &reached = is_optional ? optional_ : known_;
      if (!is_other && !is_made && !known_.contains(site.callee) && reached.insert(site.callee).second) {
        functions_.push_back(
            {site.callee, at == 0 ? site.call : caller.through, is_optional, is_repeated, mask_parameters(site)});
      }
    }
  }

  // What several forward passes call, the first one tells of, and what modules inside do, they tell themselves.
  static bool belongs_to_forward(const model::FunctionInfo &caller, const model::CallSite &site) {
    const model::FunctionInfo &callee = *site.callee;
    return callee.name != known::sym_forward && !callee.called_by.empty() &&
           callee.called_by.front()->caller == &caller;
  }

  // A validation after each epoch, where one step is an epoch: what it reads back is what it is for.
  static bool is_evaluation(const model::FunctionInfo &function) {
    const auto evaluates = [](const model::Loop *loop) { return loop->evaluates; };
    return !function.trains && (has_word(text_of(function), {".eval()", ".train(False)"}) ||
                                (function.no_grad && std::ranges::any_of(function.loops, evaluates)));
  }

  void add(const Node &place, std::string_view how, bool is_explicit) {
    if (!is_skipped_ && (reads.empty() || !contains(reads.back().place, &place) ||
                         reads.back().module != function_->module || (reads.back().is_optional && !is_optional_))) {
      reads.push_back({function_->module, &place, how, is_optional_, is_repeated_, is_explicit, through_});
    }
  }

  // ---- Statements

  void body(const Block &block) {
    const bool was_skipped = is_skipped_;
    for (const Stmt *statement : block) {
      visit(statement);
      // `if step % 10: continue`: what follows runs in some steps only.
      const auto *guard = as<If>(statement);
      if (guard != nullptr && (model::skips_steps(*guard) || (!guard->body.empty() &&
                                                              (guard->body.back()->kind == NodeKind::Continue ||
                                                               guard->body.back()->kind == NodeKind::Return) &&
                                                              model::counts_steps(guard->test)))) {
        is_skipped_ = true;
      }
    }
    is_skipped_ = was_skipped;
  }

  // `if p.grad is not None`: which holds for what is trained.
  static bool asks_for_gradient(const Expr *test) {
    const auto *compare = as<Compare>(test);
    const auto *gradient = compare != nullptr ? as<Attribute>(compare->left) : nullptr;
    return gradient != nullptr && gradient->attr.text() == "grad" && compare->rest.size() == 1 &&
           compare->rest[0].op == CompareOperator::IsNot;
  }

  // `if embeddings is None` of a parameter that is None unless a caller passes something: the usual way.
  [[nodiscard]] bool is_usual(const Expr *test, bool holds) const {
    if (const auto *negated = as<UnaryOp>(test); negated != nullptr && negated->op() == UnaryOperator::Not) {
      return is_usual(negated->operand, !holds);
    }
    const auto *compare = as<Compare>(test);
    const auto *name = compare != nullptr ? as<Name>(compare->left) : nullptr;
    if (name == nullptr || compare->rest.size() != 1 || !is_none(compare->rest[0].right) ||
        compare->rest[0].op != (holds ? CompareOperator::Is : CompareOperator::IsNot)) {
      return false;
    }
    const auto param = std::ranges::find(function_->params, name->id, &Param::name);
    return param != function_->params.end() && (*param)->default_value != nullptr && is_none((*param)->default_value);
  }

  // `if token == eos: break`: what the test reads from `first` on decides whether the loop goes on.
  void note_end(std::size_t first, bool decides) {
    for (std::size_t i = first; decides && i < reads.size(); ++i) {
      reads[i].decides_end = true;
    }
  }

  static bool stops(const Block &block) {
    return !block.empty() && (block.back()->kind == NodeKind::Break || block.back()->kind == NodeKind::Return);
  }

  void branch(const If &statement) {
    const std::size_t tested = reads.size();
    condition(statement.test);
    const bool decides = stops(statement.body) || stops(statement.orelse);
    note_end(tested, decides);
    for (DeviceRead &read : reads) { // token = logits.argmax().item(); if token == end: break
      read.decides_end = read.decides_end || (decides && read.name && mentions(statement.test, read.name));
    }
    const bool was_skipped = is_skipped_;
    const bool was_optional = is_optional_;
    const bool is_of_gradient = asks_for_gradient(statement.test);
    is_optional_ = is_optional_ || (!is_of_gradient && !is_usual(statement.test, true));
    is_skipped_ = is_skipped_ || (!is_of_gradient && !model::is_setting(statement.test, loop_, *function_));
    const std::size_t before = reads.size();
    body(statement.body);
    const std::size_t between = reads.size();
    is_optional_ = was_optional || (!is_of_gradient && !is_usual(statement.test, false));
    body(statement.orelse);
    // If both branches do it, one of them does.
    if (!was_optional && between > before && reads.size() > between) {
      reads[between].is_optional = false;
    }
    is_skipped_ = was_skipped;
    is_optional_ = was_optional;
  }

  void inner_loop(const Node &node, const Block &block) {
    const model::Loop *const known = project_.loop_at(&node);
    if (known == nullptr || known->steps || known->evaluates) {
      return; // a step or an evaluation of its own
    }
    const bool was_repeated = is_repeated_;
    const model::Loop *const outer = loop_;
    is_repeated_ |= !known->few_iterations && known->iterations != model::Iterations::Few;
    loop_ = known;
    body(block);
    loop_ = outer;
    is_repeated_ = was_repeated;
  }

  void visit(const Node *node) {
    switch (node->kind) {
    case NodeKind::FunctionDef:
    case NodeKind::ClassDef:
    case NodeKind::Lambda:
    case NodeKind::Constant:
    case NodeKind::ExceptHandler:
    case NodeKind::Raise:
      return;
    case NodeKind::If:
      return branch(static_cast<const If &>(*node));
    case NodeKind::For: {
      const auto &loop = static_cast<const For &>(*node);
      visit(loop.iter);
      return inner_loop(loop, loop.body);
    }
    case NodeKind::While: {
      const auto &loop = static_cast<const While &>(*node);
      condition(loop.test);
      return inner_loop(loop, loop.body);
    }
    case NodeKind::Yield:
    case NodeKind::YieldFrom:
      hands_out = true;
      break;
    case NodeKind::Assert:
      condition(static_cast<const Assert &>(*node).test);
      break;
    case NodeKind::IfExp:
      condition(static_cast<const IfExp &>(*node).test);
      break;
    case NodeKind::Assign: {
      const auto &assignment = static_cast<const Assign &>(*node);
      const auto *target = assignment.targets.size() == 1 ? as<Name>(assignment.targets[0]) : nullptr;
      if (target != nullptr && is_mask(assignment.value)) {
        masks_.insert(target->id.id);
      }
      const std::size_t before = reads.size();
      for_each_child(node, [this](const Node *child) { visit(child); });
      for (std::size_t i = before; target != nullptr && i < reads.size(); ++i) {
        reads[i].name = target->id;
      }
      return;
    }
    case NodeKind::FormattedValue: {
      const auto &part = static_cast<const FormattedValue &>(*node);
      if (is_device_tensor(part.value)) {
        add(*part.value, "formatting a tensor", false);
      }
      break;
    }
    case NodeKind::Subscript: {
      const auto &subscript = static_cast<const Subscript &>(*node);
      if (subscript.context == Context::Load && is_device_tensor(subscript.value) && is_mask(subscript.slice)) {
        add(subscript, "indexing with a mask", false);
      } else if (has_tensor_bound(subscript.slice)) {
        add(subscript, "a slice whose bounds are tensors", true);
      }
      break;
    }
    case NodeKind::Call:
      call(static_cast<const Call &>(*node));
      break;
    case NodeKind::Name:
    case NodeKind::Attribute: {
      const auto *expr = static_cast<const Expr *>(node);
      on_device |= model::is_moved(expr) && model::kind_of(expr) == Kind::TorchTensor;
      break;
    }
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp: {
      const model::Loop *const known = project_.loop_at(node);
      const bool was_repeated = is_repeated_;
      const auto &comprehension = static_cast<const ComprehensionExpr &>(*node);
      visit(comprehension.generators[0]->iter); // which is computed once
      is_repeated_ |= known == nullptr || (!known->few_iterations && known->iterations != model::Iterations::Few);
      for (const Comprehension *generator : comprehension.generators) {
        if (generator != comprehension.generators[0]) {
          visit(generator->iter);
        }
        for (const Expr *test : generator->ifs) {
          condition(test);
        }
      }
      visit(comprehension.elt);
      if (comprehension.value != nullptr) {
        visit(comprehension.value);
      }
      is_repeated_ = was_repeated;
      return;
    }
    default:
      break;
    }
    for_each_child(node, [this](const Node *child) { visit(child); });
  }

  // ---- Expressions

  bool is_mask(const Expr *expr) {
    if (const auto *name = as<Name>(expr)) {
      return masks_.contains(name->id.id);
    }
    if (const auto *operation = as<BinOp>(expr)) {
      return (operation->op() == Operator::BitAnd || operation->op() == Operator::BitOr) && is_mask(operation->left);
    }
    if (const auto *negation = as<UnaryOp>(expr)) {
      return negation->op() == UnaryOperator::Invert && is_mask(negation->operand);
    }
    if (const auto *call = as<Call>(expr)) {
      return called_method(*call) == "bool" && is_device_tensor(expr);
    }
    return expr->kind == NodeKind::Compare && is_device_tensor(expr);
  }

  // `x[start:start + n]` with numbers that are on the device.
  static bool has_tensor_bound(const Expr *index) {
    if (const auto *parts = as<Tuple>(index)) {
      return std::ranges::any_of(parts->elts, has_tensor_bound);
    }
    const auto *slice = as<Slice>(index);
    return slice != nullptr && ((slice->lower != nullptr && is_device_tensor(slice->lower)) ||
                                (slice->upper != nullptr && is_device_tensor(slice->upper)));
  }

  // The value of a test has to be known before anything else can be done.
  void condition(const Expr *test) {
    if (const auto *negation = as<UnaryOp>(test); negation != nullptr && negation->op() == UnaryOperator::Not) {
      return condition(negation->operand);
    }
    if (const auto *parts = as<BoolOp>(test)) {
      for (const Expr *part : parts->values) {
        condition(part);
      }
      return;
    }
    if (is_device_tensor(test)) {
      add(*test, kCondition, false);
    } else {
      visit(test);
    }
  }

  // `self.log("loss", loss)` of Lightning and of the Trainer: they keep the tensor until it is written.
  // So does `pl_module.log("loss", loss)` in a hook of a callback.
  [[nodiscard]] bool is_own_log(const Call &call, std::string_view method) const {
    if (method != "log") {
      return false;
    }
    const auto *name = as<Name>(receiver_of(call));
    const auto is_hook = [](const model::FunctionInfo &function) {
      return function.type != nullptr && std::ranges::any_of(function.type->mro, [](const model::ClassInfo *type) {
               return std::ranges::any_of(type->bases, [](const model::Value &base) {
                 return base.is(model::Value::Tag::Api) && base.name().text().ends_with("Callback") &&
                        base.name().text().starts_with("pytorch_lightning.");
               });
             });
    };
    const bool is_of_hook =
        name != nullptr && function_->has_param(name->id) &&
        (is_hook(*function_) || std::ranges::any_of(function_->called_by, [&is_hook](const model::CallSite *caller) {
           return is_hook(*caller->caller);
         }));
    return is_of_hook || model::is_own_object(*function_, receiver_of(call)) ||
           model::kind_of(receiver_of(call)) == Kind::TorchModule;
  }

  void call(const Call &call) {
    if (is_optional_) {
      optional_calls_.insert(&call);
    }
    static const NameTable kReporting({"add_scalar", "set_postfix", "set_description", "log"});
    const model::Value callee = project_.callee_of(&call);
    const std::string_view method = called_method(call);
    const Expr *const receiver = receiver_of(call);
    if (callee.is(model::Value::Tag::ApiMethod)) {
      const ApiInfo *info = find_method(callee.kind, callee.name());
      moves |= info != nullptr && info->has(kMoves) && !model::is_on_cpu(&call) && callee.kind != Kind::TorchModule;
      on_device |= receiver != nullptr && info != nullptr && info->has(kSyncs) && model::is_moved(receiver);
      if (callee.kind == Kind::TorchTensor && receiver != nullptr && !model::is_on_cpu(receiver)) {
        tensor_method(call, method, info);
      } else if (!method.empty() && kReporting.has(as<Attribute>(call.func)->attr) && !is_own_log(call, method)) {
        arguments(call, "logging a tensor");
      }
      return;
    }
    if (callee.is(model::Value::Tag::Api)) {
      // These functions want it in the host's memory.
      static const NameTable kOnHost(
          {"torch.nn.utils.rnn.pack_padded_sequence", "scipy.optimize.linear_sum_assignment"});
      const u32 at = callee.name().text().starts_with("torch.") ? 1 : 0;
      if (kOnHost.has(callee.name()) && call.args.size() > at) {
        wanted_on_host_ = call.args[at];
      }
      return api(call, callee.name());
    }
    // A name that nobody tells us: what but a tensor has these?
    const bool is_unknown = receiver != nullptr && model::kind_of(receiver) == Kind::Unknown;
    if (is_unknown && call.args.empty() && method == "item") {
      add(call, "`.item()`", true);
    } else if (is_unknown && call.args.empty() && method == "cpu" && is_taken_from(receiver) &&
               wanted_on_host_ != &call) {
      add(call, "`.cpu()`", true);
    } else if (method == "step" && call.args.size() == 1 && call.args[0]->kind != NodeKind::Lambda && !callee.known() &&
               receiver != nullptr && model::kind_of(receiver) == Kind::Unknown) {
      acts |= has_word_in_any_case(text(receiver), {"env", "sim", "game"});
    } else if (method == "cuda" || (method == "to" && !call.args.empty() && receiver != nullptr &&
                                    model::kind_of(receiver) == Kind::Unknown && !is_dtype(call.args[0]))) {
      moves = true;
    } else if (!callee.is(model::Value::Tag::Method) && !method.empty() &&
               kReporting.has(as<Attribute>(call.func)->attr) && !is_own_log(call, method)) {
      arguments(call, "logging a tensor"); // a method of the project tells by its body what it does
    }
  }

  // `x.detach()`, `x.data`: a tensor. A plain name may be a model.
  static bool is_taken_from(const Expr *receiver) {
    const auto *call = as<Call>(receiver);
    const auto *attribute = as<Attribute>(receiver);
    return (call != nullptr && called_method(*call) == "detach") ||
           (attribute != nullptr && attribute->attr.text() == "data");
  }

  // torch.float16, and not a device
  static bool is_dtype(const Expr *expr) {
    const auto *attribute = as<Attribute>(expr);
    const std::string_view name = attribute != nullptr ? attribute->attr.text() : std::string_view{};
    return name.find("float") != std::string_view::npos || name.find("int") != std::string_view::npos ||
           name == "dtype" || name == "bool" || name == "long" || name == "half";
  }

  void tensor_method(const Call &call, std::string_view method, const ApiInfo *info) {
    if (info == nullptr || wanted_on_host_ == &call) {
      return;
    }
    if (method == "cpu" || (method == "to" && model::is_on_cpu(&call))) {
      const bool is_asynchronous = keyword_argument(call, "non_blocking") != nullptr;
      if (!is_asynchronous) {
        add(call, "`.cpu()`", true);
      }
    } else if (method == "item") {
      add(call, "`.item()`", true);
    } else if (method == "tolist") {
      add(call, "`.tolist()`", true);
    } else if ((method == "clamp" || method == "clamp_" || method == "clip") && mixes_bounds(call)) {
      add(call, "a bound of `clamp` that is a tensor", false);
    } else if (info->has(kSyncs) && method != "numpy" && method != "__array__") {
      add(call, "an operation whose result size depends on the data", false);
    }
  }

  // `x.clamp(0, size - 1)`: with one bound that is a number, the other one has to become one, too.
  static bool mixes_bounds(const Call &call) {
    const Expr *const low = argument(call, 0, "min");
    const Expr *const high = argument(call, 1, "max");
    const auto is_number = [](const Expr *bound) { return bound->kind == NodeKind::Constant && !is_none(bound); };
    return low != nullptr && high != nullptr &&
           ((is_number(low) && is_device_tensor(high)) || (is_number(high) && is_device_tensor(low)));
  }

  void api(const Call &call, Symbol api) {
    const std::string_view name = api.text();
    if (name == "float" || name == "int" || name == "bool") {
      if (call.args.size() == 1 && is_device_tensor(call.args[0])) {
        add(call, "a conversion to a Python number", true);
      }
    } else if (name == "min" || name == "max" || name == "any" || name == "all" || name == "sorted" ||
               name == "range") {
      // Python compares what it is given, or iterates over it and compares the elements; range() needs integers.
      if (std::ranges::any_of(call.args, is_device_tensor)) {
        add(call, name == "range" ? kRange : kComparison, false);
      }
    } else if (name == "print" || name == "wandb.log") {
      arguments(call, "printing a tensor");
    } else if (name.starts_with("math.")) {
      arguments(call, "a function of `math`");
    } else if (name.starts_with("time.") || name == "timeit.default_timer") {
      measures = true;
    } else if (name == "torch.full" || name == "torch.full_like") {
      const Expr *const value = argument(call, 1, "fill_value");
      if (value != nullptr && is_device_tensor(value) && model::is_moved(value)) {
        add(call, "a tensor as the value of `torch.full`", false);
      }
    } else if (const ApiInfo *info = find_api(api); info != nullptr && name.starts_with("torch.")) {
      const bool is_where = name == "torch.where" && call.args.size() == 1;
      // Collectives are enqueued on the device like kernels.
      const bool is_collective = name.starts_with("torch.distributed.");
      if ((info->has(kSyncs) || is_where) && !is_collective && !call.args.empty() && is_device_tensor(call.args[0])) {
        const bool gives_bool = name == "torch.allclose" || name == "torch.equal";
        add(call,
            gives_bool ? "a comparison that gives a Python bool" : "an operation whose result size depends on the data",
            false);
      }
    }
  }

  void arguments(const Call &call, std::string_view how) {
    const auto look = [&](const Expr *arg) {
      if (is_device_tensor(arg)) {
        add(*arg, how, false);
      } else if (const auto *dict = as<Dict>(arg)) {
        for (const DictItem &item : dict->items) {
          if (is_device_tensor(item.value)) {
            add(*item.value, how, false);
          }
        }
      }
    };
    for (const Expr *arg : call.args) {
      look(arg);
    }
    for (const Keyword *keyword : call.keywords) {
      look(keyword->value);
    }
  }

  std::string_view text(const Node *node) const {
    return function_->module->parsed->source.part(node->start, node->end);
  }

  const model::Project &project_;
  const bool is_forward_;
  std::vector<Called> functions_;                            // the step's own first
  std::unordered_set<const model::FunctionInfo *> known_;    // of these
  std::unordered_set<const model::FunctionInfo *> optional_; // the same, of those reached under a setting
  const model::FunctionInfo *function_ = nullptr;            // that is being walked
  const Node *through_ = nullptr;
  const model::Loop *loop_ = nullptr;
  std::unordered_set<u32> masks_;                   // names of tensors of truth values
  std::unordered_set<const Call *> optional_calls_; // under a test of a setting, or of what is given
  const Expr *wanted_on_host_ = nullptr;            // the argument of a call that takes nothing else
  bool is_optional_ = false;
  bool is_repeated_ = false;
  bool is_skipped_ = false; // in some steps only
};

} // namespace

DeviceReads device_reads_in(const model::Project &project, const model::FunctionInfo &function, const Node &region,
                            bool is_forward) {
  ReadsWalk walk(project, function, is_forward);
  walk.walk_region(&region);
  return static_cast<DeviceReads &&>(walk);
}

} // namespace deepperf::rules
