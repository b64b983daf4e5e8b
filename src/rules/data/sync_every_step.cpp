#include "base/known_names.h"
#include "base/name_table.h"
#include "base/symbol_list.h"
#include "model/bind.h"
#include "model/context.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace deepperf::rules::sync_every_step {

using namespace python;

namespace {

constexpr std::size_t kMostFunctions = 40; // that a step is followed into
constexpr std::size_t kMostNotes = 40;
constexpr std::string_view kCondition = "a tensor as a condition";

// A place that reads a value back from the device.
struct Sync {
  const model::Module *module = nullptr;
  const Node *place = nullptr;
  std::string_view how;       // "`.item()`", "a condition"
  bool is_optional = false;   // behind a setting, so that it may be switched off
  bool is_repeated = false;   // in a loop inside the step
  bool is_explicit = false;   // .item(), .cpu(), .tolist()
  const Node *call = nullptr; // in the step's own code, that leads to it; null if it stands there itself
};

bool is_tensor(const Expr *expr) { return model::kind_of(expr) == Kind::TorchTensor && !model::is_on_cpu(expr); }

// Does the program use a GPU at all? On a CPU there is nothing to wait for.
bool uses_gpu(const Site &site) { return file_has_word(site, {"cuda", ".to(device", ".device)", "accelerat"}); }

bool project_uses_gpu(const Site &site) { return project_has_word(site, {"cuda", ".to(device", "accelerat"}); }

// What one training step does, in its own code and in the functions of the project that it calls.
class Step {
public:
  Step(const model::Project &project, const model::FunctionInfo &function, bool is_forward)
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
  }

  std::vector<Sync> syncs;
  bool moves = false;     // something is copied to a device
  bool on_device = false; // a tensor that it reads or reads back is known to be there
  bool acts = false;      // an environment is told what to do, for which the value is needed
  bool measures = false;  // reads a clock: then it may want to wait

private:
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
      if (functions_.size() >= kMostFunctions) {
        return;
      }
      if (site.conditional || site.once || site.behind_guard || site.callee->node == nullptr ||
          site.callee->is_property) {
        continue;
      }
      bool is_repeated = caller.is_repeated;
      bool is_other = false;
      for (const model::Loop *loop = site.loop; loop != nullptr && loop != step; loop = loop->parent) {
        is_repeated |= !loop->tiny;
        is_other |= loop->evaluates || (loop->steps && step != nullptr);
      }
      const bool is_made = site.callee->name && site.callee->name.text() == "__init__";
      is_other |= is_evaluation(*site.callee) || (is_forward_ && !belongs_to_forward(*caller.function, site));
      if (!is_other && !is_made && known_.insert(site.callee).second) {
        const bool is_optional = caller.is_optional || optional_calls_.contains(site.call);
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
    if (!is_skipped_ &&
        (syncs.empty() || !contains(syncs.back().place, &place) || syncs.back().module != function_->module)) {
      syncs.push_back({function_->module, &place, how, is_optional_, is_repeated_, is_explicit, through_});
    }
  }

  // ---- Statements

  void body(const Block &block) {
    const bool was_skipped = is_skipped_;
    for (const Stmt *statement : block) {
      visit(statement);
      // `if step % 10: continue`: what follows runs in some steps only.
      const auto *guard = as<If>(statement);
      if (guard != nullptr && !guard->body.empty() &&
          (guard->body.back()->kind == NodeKind::Continue || guard->body.back()->kind == NodeKind::Return) &&
          counts_steps(guard->test)) {
        is_skipped_ = true;
      }
    }
    is_skipped_ = was_skipped;
  }

  // `step % 10`; other reasons to go on with the next step are exceptions.
  static bool counts_steps(const Expr *test) {
    return any_node(test, [](const Node *node) {
      const auto *operation = as<BinOp>(node);
      return operation != nullptr && operation->op() == Operator::Mod;
    });
  }

  // `if p.grad is not None`: which holds for what is trained.
  static bool asks_for_gradient(const Expr *test) {
    const auto *compare = as<Compare>(test);
    const auto *gradient = compare != nullptr ? as<Attribute>(compare->left) : nullptr;
    return gradient != nullptr && gradient->attr.text() == "grad" && compare->rest.size() == 1 &&
           compare->rest[0].op == CompareOperator::IsNot;
  }

  void branch(const If &statement) {
    condition(statement.test);
    const bool was_skipped = is_skipped_;
    const bool was_optional = is_optional_;
    const bool is_of_gradient = asks_for_gradient(statement.test);
    is_optional_ = is_optional_ || !is_of_gradient;
    is_skipped_ = is_skipped_ || (!is_of_gradient && !model::is_setting(statement.test, loop_, *function_));
    const std::size_t before = syncs.size();
    body(statement.body);
    const std::size_t between = syncs.size();
    body(statement.orelse);
    // If both branches do it, one of them does.
    if (!was_optional && between > before && syncs.size() > between) {
      syncs[between].is_optional = false;
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
    is_repeated_ |= !known->tiny && known->turns != model::Turns::Few;
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
      break;
    }
    case NodeKind::FormattedValue: {
      const auto &part = static_cast<const FormattedValue &>(*node);
      if (is_tensor(part.value)) {
        add(*part.value, "formatting a tensor", false);
      }
      break;
    }
    case NodeKind::Subscript: {
      const auto &subscript = static_cast<const Subscript &>(*node);
      if (subscript.context == Context::Load && is_tensor(subscript.value) && is_mask(subscript.slice)) {
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
      // What the first `for` goes over is computed once.
      const Expr *const over = static_cast<const ComprehensionExpr *>(node)->generators[0]->iter;
      visit(over);
      is_repeated_ |= known == nullptr || (!known->tiny && known->turns != model::Turns::Few);
      for_each_child(node, [&](const Node *child) {
        if (child != over) {
          visit(child);
        }
      });
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
      return called_method(*call) == "bool" && is_tensor(expr);
    }
    return expr->kind == NodeKind::Compare && is_tensor(expr);
  }

  // `x[start:start + n]` with numbers that are on the device.
  static bool has_tensor_bound(const Expr *index) {
    if (const auto *parts = as<Tuple>(index)) {
      return std::ranges::any_of(parts->elts, has_tensor_bound);
    }
    const auto *slice = as<Slice>(index);
    return slice != nullptr && ((slice->lower != nullptr && is_tensor(slice->lower)) ||
                                (slice->upper != nullptr && is_tensor(slice->upper)));
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
    if (is_tensor(test)) {
      add(*test, kCondition, false);
    } else {
      visit(test);
    }
  }

  // `self.log("loss", loss)` of Lightning and of the Trainer: they keep the tensor until it is written.
  [[nodiscard]] bool is_own_log(const Call &call, std::string_view method) const {
    return method == "log" && model::is_own_object(*function_, receiver_of(call));
  }

  void call(const Call &call) {
    if (is_optional_) {
      optional_calls_.insert(&call);
    }
    static const NameTable kTelling({"add_scalar", "set_postfix", "set_description", "log"});
    const model::Value callee = project_.callee_of(&call);
    const std::string_view method = called_method(call);
    const Expr *const receiver = receiver_of(call);
    if (callee.is(model::Value::Tag::ApiMethod)) {
      const ApiInfo *info = find_method(callee.kind, callee.name());
      moves |= info != nullptr && info->has(kMoves) && !model::is_on_cpu(&call) && callee.kind != Kind::TorchModule;
      on_device |= receiver != nullptr && info != nullptr && info->has(kSyncs) && model::is_moved(receiver);
      if (callee.kind == Kind::TorchTensor && receiver != nullptr && !model::is_on_cpu(receiver)) {
        tensor_method(call, method, info);
      } else if (!method.empty() && kTelling.has(as<Attribute>(call.func)->attr) && !is_own_log(call, method)) {
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
    } else if (!method.empty() && kTelling.has(as<Attribute>(call.func)->attr) && !is_own_log(call, method)) {
      arguments(call, "logging a tensor");
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
    } else if (info->has(kSyncs) && method != "numpy" && method != "__array__") {
      add(call, "an operation whose result size depends on the data", false);
    }
  }

  void api(const Call &call, Symbol api) {
    const std::string_view name = api.text();
    if (name == "float" || name == "int" || name == "bool") {
      if (call.args.size() == 1 && is_tensor(call.args[0])) {
        add(call, "a conversion to a Python number", true);
      }
    } else if (name == "print" || name == "wandb.log") {
      arguments(call, "printing a tensor");
    } else if (name.starts_with("math.")) {
      arguments(call, "a function of `math`");
    } else if (name.starts_with("time.") || name == "timeit.default_timer") {
      measures = true;
    } else if (const ApiInfo *info = find_api(api); info != nullptr && name.starts_with("torch.")) {
      const bool is_where = name == "torch.where" && call.args.size() == 1;
      // Collectives are enqueued on the device like kernels.
      const bool is_collective = name.starts_with("torch.distributed.");
      if ((info->has(kSyncs) || is_where) && !is_collective && !call.args.empty() && is_tensor(call.args[0])) {
        add(call, "an operation whose result size depends on the data", false);
      }
    }
  }

  void arguments(const Call &call, std::string_view how) {
    const auto look = [&](const Expr *arg) {
      if (is_tensor(arg)) {
        add(*arg, how, false);
      } else if (const auto *dict = as<Dict>(arg)) {
        for (const DictItem &item : dict->items) {
          if (is_tensor(item.value)) {
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
  std::vector<Called> functions_; // the step's own first
  std::unordered_set<const model::FunctionInfo *> known_;
  const model::FunctionInfo *function_ = nullptr; // that is being walked
  const Node *through_ = nullptr;
  const model::Loop *loop_ = nullptr;
  std::unordered_set<u32> masks_;                   // names of tensors of truth values
  std::unordered_set<const Call *> optional_calls_; // behind a test of a setting, or of what is given
  const Expr *wanted_on_host_ = nullptr;            // the argument of a call that takes nothing else
  bool is_optional_ = false;
  bool is_repeated_ = false;
  bool is_skipped_ = false; // in some steps only
};

// `predictions.append(pred.cpu())`, once for each batch, and what is told of it.
bool is_result(const Sync &sync) {
  const bool is_number = sync.how == "`.item()`" || sync.how == "a conversion to a Python number";
  return !sync.is_repeated && !is_number && sync.how != kCondition;
}

// Is each iteration of a loop that counts (`for step in range(n)`, `while True`) one batch? It is where what the loop
// fetches goes into a model or a step; full-batch training gives the model the same tensors in every epoch.
bool takes_batches(const Site &site, const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  const auto is_fetched = [&](const Expr *argument) {
    return any_node(argument, [&](const Node *node) {
      const auto *name = as<Name>(node);
      return name != nullptr && !model::has_grad(name) && contains(loop.assigned, name->id) &&
             (statement == nullptr || !mentions(statement->target, name->id));
    });
  };
  return any_node(loop.node, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const model::FunctionInfo *called = called_function(site, *call);
    const bool is_step = model::kind_of(call->func) == Kind::TorchModule || (called != nullptr && called->steps) ||
                         model::has_grad(call);
    return is_step &&
           (std::ranges::any_of(call->args, is_fetched) ||
            std::ranges::any_of(call->keywords, [&](const Keyword *keyword) { return is_fetched(keyword->value); }));
  });
}

// What a finding is about.
enum class Region : u8 {
  Loop,          // whose iterations are training steps
  FrameworkStep, // training_step() of Lightning, compute_loss() of a Trainer
  Forward,       // of a module that no step in sight runs
  Evaluation,    // a loop over data that trains nothing
};

// Is what is read at the place assigned in a loop inside the region, and so not there before that loop? What a loop
// goes over was there.
bool is_computed_in_loop(const Site &site, const Node &region, const Node &place) {
  const Name *const name =
      place.kind < NodeKind::FunctionDef ? model::root_name(static_cast<const Expr *>(&place)) : nullptr;
  if (name == nullptr) {
    return false;
  }
  return std::ranges::any_of(loops_inside(*site.function, region), [&](const model::Loop *loop) {
    const auto *statement = as<For>(loop->node);
    return loop->node != &region && statement != nullptr && contains(loop->node, &place) &&
           !mentions(statement->target, name->id) && any_node(statement->body, [&](const Node *node) {
             const auto *assignment = as<Assign>(node);
             return assignment != nullptr && assignment->end <= place.start &&
                    assignment->value->kind == NodeKind::Call && mentions(assignment->targets[0], name->id);
           });
  });
}

void judge(Site &site, const model::FunctionInfo &function, const Node &region, Region kind) {
  const bool is_forward = kind == Region::Forward;
  Step step(site.project, function, is_forward);
  step.walk_region(&region);
  // Where it stands in the step's own code, the first one that is written out is pointed at.
  const auto rank = [&](const Sync &sync) {
    return (sync.call != nullptr ? 4 : 0) + (sync.is_optional ? 2 : 0) + (sync.is_explicit ? 0 : 1);
  };
  // An evaluation has to read its results once; all else in it waits for nothing.
  const bool is_evaluation = kind == Region::Evaluation;
  const bool reads_results =
      is_evaluation && std::ranges::any_of(step.syncs, [](const Sync &sync) { return is_result(sync); });
  if (is_evaluation) {
    std::erase_if(step.syncs, is_result);
  }
  const auto first = std::ranges::min_element(step.syncs, {}, rank);
  if (first == step.syncs.end()) {
    return;
  }
  const Sync main = *first;
  step.syncs.erase(first);
  const bool on_gpu = step.moves || step.on_device || kind == Region::FrameworkStep || uses_gpu(site) ||
                      (main.is_explicit && project_uses_gpu(site));
  if (!on_gpu) {
    return;
  }
  const auto counts = [](const Sync &sync) { return !sync.is_optional; };
  const auto others = std::ranges::count_if(step.syncs, counts);
  const bool is_repeated = main.is_repeated || std::ranges::any_of(step.syncs, [&](const Sync &sync) {
                             return sync.is_repeated && counts(sync);
                           });
  const std::size_t total = static_cast<std::size_t>(others) + 1;
  const std::string_view step_name = is_forward ? "forward pass" : is_evaluation ? "batch" : "training step";
  std::string message = fmt::format("{} waits for the device in every {}", main.how, step_name);
  if (total > 1) {
    message = fmt::format("every {} waits for the device in {} places, here by {}", step_name, total, main.how);
  }
  if (is_repeated) {
    message += total > 1 ? ", and again in a loop inside it" : ", once for each iteration of a loop inside it";
  }
  Finding &finding = report(
      site, main.call != nullptr ? *main.call : *main.place, std::move(message),
      is_forward ? "compute with the tensor on the device where the value is not needed as a Python number"
      : is_evaluation && is_repeated && !is_computed_in_loop(site, region, *main.place)
          ? "read the whole tensor once with `tolist()` or `cpu()`, before the inner loop"
      : is_evaluation ? "add up on the device (`correct += (pred == y).sum()`) and read the total after the loop"
                      : "keep values on the device (`total += loss.detach()`) and read them every few hundred steps");
  // Where one step is an epoch, as with small data sets, one value at its end is what people want to see.
  const model::Loop *const loop = site.project.loop_at(&region);
  const Expr *const over = loop != nullptr ? iterated_by(site, *loop) : nullptr;
  const auto *counted = as<Call>(over);
  const bool is_counting =
      loop != nullptr && (over == nullptr || (counted != nullptr && called_api(site, *counted) == "range"));
  const bool is_over_batches = !is_counting || takes_batches(site, *loop);
  const bool is_matching = is_forward && function_has_word(site, {"linear_sum_assignment"}); // which SciPy does
  // Tests of all of a tensor are there for safety, and cost a wait each.
  const auto is_whole_test = [](const Sync &sync) {
    const auto *call = as<Call>(sync.place);
    const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
    return name == "any" || name == "all" || name == "allclose" || name == "equal";
  };
  const bool is_much = is_forward ? (main.is_explicit ||
                                     (is_whole_test(main) && (main.call == nullptr || main.module == site.module))) &&
                                        !is_matching
                                  : is_over_batches || total > 1 || is_repeated;
  // An evaluation that reads results anyway waits for each batch in any case, unless it does so for each sample.
  const bool is_seldom = is_evaluation && ((reads_results && !is_repeated) || !main.is_explicit || step.measures);
  finding.tier =
      is_much && !main.is_optional && !is_seldom && !step.acts && !site.module->is_test ? Tier::On : Tier::Hint;
  if (is_evaluation) {
    finding.severity = Severity::Advice;
  }
  if (main.call != nullptr) {
    finding.notes.push_back({main.module->file, main.place->span(), "the value is read back here"});
  }
  for (const Sync &sync : step.syncs) {
    if (finding.notes.size() >= kMostNotes) {
      break;
    }
    finding.notes.push_back(
        {sync.module->file, sync.place->span(),
         sync.is_optional ? fmt::format("{}, if that is enabled", sync.how) : std::string(sync.how)});
  }
}

void check(Site &site, const Node &node) {
  if (!site.module->torch) {
    return;
  }
  if (const model::FunctionInfo *function = site.project.function_at(&node)) {
    constexpr u16 kInSteps = model::kPerTrainingStep | model::kSomeTrainingSteps;
    if ((function->context & model::kStepOfFramework) != 0) {
      const bool is_framework = function->type != nullptr && !function->steps;
      judge(site, *function, node, is_framework ? Region::FrameworkStep : Region::Loop);
    } else if (function->type != nullptr && function->type->kind == Kind::TorchModule &&
               function->name == known::sym_forward && (function->context & kInSteps) == 0) {
      judge(site, *function, node, Region::Forward);
    }
    return;
  }
  const model::Loop *loop = site.project.loop_at(&node);
  if (loop != nullptr && !loop->tiny && (loop->steps || loop->evaluates)) {
    judge(site, *site.function, node, loop->steps ? Region::Loop : Region::Evaluation);
  }
}

} // namespace

extern constinit const Rule kSyncEveryStep = {
    .info = {.code = "DP402",
             .name = "sync-every-step",
             .summary = "a value that is read back from the device in every training step",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

Code that reads a value back from the device in every training step: `.item()`, `.cpu()`, `.tolist()`, `float(t)`, a
tensor as a condition or in an f-string, `print(t)`, `add_scalar(…, t)`, indexing with a mask, `nonzero()` and the like.
The rule follows the step into the functions, losses and models of the project that it calls, into Lightning's
`training_step` and into a Trainer's `compute_loss`, and reports all places of one loop together. It also looks at the
`forward()` of modules that no visible step runs, with the functions that it calls, and at evaluations: numbers that are
read for each batch or sample only to add them up are advice, and conditions are hints.

All places of one loop are notes of one finding. The program has to use a GPU. These are hints: reads that a setting
switches on, environments and games that a step has to act on, a single read where each step is an epoch, and numbers
of an evaluation that copies its results to the host for each batch anyway.

## Why it costs

PyTorch enqueues work on the device and continues; reading a value back waits until all of that work is done. The CPU
then cannot prepare the next step while the device computes the current one, and the device is idle until it does.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, criterion, optimizer: torch.optim.Optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
    return total
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, criterion, optimizer: torch.optim.Optimizer):
    total = torch.zeros((), device="cuda")
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.detach()
    return total.item()
```

## When it is wrong

Where the steps are long, one wait per step costs little. The rule is silent under `if step % 100 == 0`, and for tensors
that are known to be in host memory.

## References

- PyTorch performance tuning guide: avoid unnecessary CPU-GPU synchronization
)"},
    .nodes = {NodeKind::For, NodeKind::While, NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::sync_every_step
