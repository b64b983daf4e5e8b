#include "model/graph_flow.h"

#include "base/known_names.h"
#include "base/name_table.h"
#include "model/bind.h"
#include "model/classes.h"
#include "model/facts.h"
#include "python/call.h"
#include "python/children.h"

#include <algorithm>
#include <bit>

namespace deepperf::model {

using namespace python;

namespace {

using Flow = GraphFlow;

constexpr u32 kMostOrigins = 64;
constexpr u32 kMostNames = 1000;
constexpr u32 kMostDepth = 40; // of calls that are followed

bool has_weights(const ClassInfo &type);

// A layer of PyTorch that computes without weights gives no graph of its own: an activation, pooling, dropout.
bool has_weights(const Value &module) {
  if (module.is(Value::Tag::Object)) {
    return has_weights(*module.type);
  }
  if (!module.is(Value::Tag::Instance)) {
    return false;
  }
  if (module.kind == Kind::HfModel) {
    return true;
  }
  if (module.kind != Kind::TorchModule) {
    return false;
  }
  const std::string_view name = module.name() ? module.name().text() : std::string_view{};
  if (!name.starts_with("torch.nn.")) {
    return true;
  }
  const ApiInfo *info = find_api(module.name());
  static const NameTable kHolders({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict",
                                   "torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel",
                                   "torch.nn.parallel.DataParallel", "torch.nn.Module"});
  return (info != nullptr && info->has(kWeights)) || kHolders.has(module.name());
}

bool has_weights(const ClassInfo &type) {
  static thread_local u32 depth = 0;
  if (depth > 4) {
    return true;
  }
  ++depth;
  bool found = false;
  for (const ClassInfo *at : type.mro) {
    for (const auto &[name, cell] : at->attributes) {
      for_each_alternative(cell.value, [&](const Value &one) {
        const Value part = one.is(Value::Tag::Tuple) && one.number > 0 ? one.items[0] : one;
        found |= has_weights(part) || (part.is_kind(Kind::TorchTensor) && part.has_gradient());
      });
    }
  }
  --depth;
  return found;
}

} // namespace

bool records_graph(const Project &project, const Value &callee) {
  bool all = callee.known() || callee.alternatives != nullptr;
  bool any = false;
  for_each_alternative(callee, [&](const Value &one) {
    bool records = has_weights(one);
    if (records && one.is(Value::Tag::Object)) {
      const FunctionInfo *const forward =
          one.type->kind == Kind::TorchModule ? find_method_of(*one.type, known::sym_forward) : nullptr;
      records = one.type->kind == Kind::TorchModule && (forward == nullptr || !forward->no_grad);
      if (records && forward != nullptr) {
        const GraphFlow &flow = graph_flow_of(project, *forward);
        records = flow.returns_graph || flow.returns_assumed || !flow.has_no_grad;
      }
    }
    all = all && records;
    any = any || records;
  });
  return all && any;
}

namespace {

class Walker {
public:
  Walker(const Project &project, const FunctionInfo &function, Flow &flow)
      : project_(project), function_(function), flow_(flow), environment_(function.names.size()) {
    if (function.no_grad || function.decorated_no_grad) {
      grad_ = Grad::Off;
      flow.has_no_grad = true;
    }
  }

  void run() {
    const u32 params = std::min<u32>(function_.params.size(), kMostOrigins / 2);
    flow_.params.assign(function_.params.size(), u16{0});
    const bool is_method = function_.type != nullptr && !function_.is_static;
    for (u32 i = is_method ? 1 : 0; i < params; ++i) {
      const u32 slot = function_.slot_of(function_.params[i]->name);
      if (slot != FunctionInfo::kNoSlot) {
        environment_[slot] = u64{1} << i;
      }
    }
    first_ = params;
    if (const FunctionDef *definition = function_.definition()) {
      walk(definition->body);
    } else if (const Lambda *lambda = function_.lambda()) {
      give(eval(lambda->body));
    } else {
      walk(function_.module->parsed->tree.body);
    }
    for (u32 i = params; i < function_.params.size(); ++i) {
      flow_.params[i] = Flow::kEscapes;
    }
    // What was walked before is gone when the caller gets it.
    for (const Flow::Origin &origin : flow_.origins) {
      if ((origin.uses & Flow::kReturned) != 0 && (origin.uses & Flow::kWalked) == 0) {
        flow_.returns_graph |= origin.what == Flow::What::Forward || origin.what == Flow::What::Helper;
        flow_.returns_assumed |= origin.what == Flow::What::Assumed;
      }
    }
  }

private:
  enum class Grad : u8 { On, Maybe, Off };

  // ---- What is done with tensors

  void use(u64 bits, u16 how) {
    for (; bits != 0; bits &= bits - 1) {
      const auto at = static_cast<u32>(std::countr_zero(bits));
      u16 &uses = at < first_ ? flow_.params[at] : flow_.origins[at - first_].uses;
      uses = static_cast<u16>(uses | how);
    }
  }

  void give(u64 bits) { use(bits, Flow::kReturned); }

  // The bit of an origin: the same each time that the walk comes there. 0 if there are too many.
  u64 origin(const Node *place, Flow::What what, bool is_discarded) {
    for (u32 i = 0; i < flow_.origins.size(); ++i) {
      if (flow_.origins[i].place == place && flow_.origins[i].what == what) {
        return u64{1} << (first_ + i);
      }
    }
    if (first_ + flow_.origins.size() >= kMostOrigins) {
      return 0;
    }
    Flow::Origin &made = flow_.origins.emplace_back();
    made.what = what;
    made.place = place;
    made.is_discarded = is_discarded;
    made.loop = loop_;
    return u64{1} << (first_ + flow_.origins.size() - 1);
  }

  u64 keep(const Node *place, const Expr *kept, const Expr *value, u64 bits) {
    const u64 bit = loop_ != nullptr || function_.in_loop ? origin(place, Flow::What::Kept, false) : 0;
    if (bit != 0) {
      Flow::Origin &made = flow_.origins[static_cast<u32>(std::countr_zero(bit)) - first_];
      made.kept = kept;
      made.value = value;
      for (; bits != 0; bits &= bits - 1) {
        const auto at = static_cast<u32>(std::countr_zero(bits));
        const Flow::What what = at >= first_ ? flow_.origins[at - first_].what : Flow::What::Assumed;
        made.of_forward |= what == Flow::What::Forward || what == Flow::What::Helper;
      }
    }
    return bit;
  }

  // The result of an operation on tensors.
  u64 computed(u64 bits) {
    if (grad_ != Grad::Off) {
      return bits;
    }
    use(bits, Flow::kNumbers);
    return 0;
  }

  // ---- Names

  u64 *slot(const Expr *expr) {
    const auto *name = as<Name>(expr);
    const u32 at = name != nullptr ? function_.slot_of(name->id) : FunctionInfo::kNoSlot;
    return at != FunctionInfo::kNoSlot ? &environment_[at] : nullptr;
  }

  bool is_shared(Symbol name) const { return std::ranges::find(function_.globals, name) != function_.globals.end(); }

  // Puts a tensor into a list, dict or the like, or into an attribute.
  void add_to(const Expr *holder, u64 bits, u16 how) {
    while (const auto *subscript = as<Subscript>(holder)) {
      holder = subscript->value;
    }
    if (u64 *const known = slot(holder)) {
      *known |= bits;
    } else if (holder->kind == NodeKind::Attribute) {
      use(bits, Flow::kStored | how);
    } else {
      use(bits, Flow::kEscapes);
    }
  }

  void assign(const Expr *target, u64 bits, const Expr *value) {
    switch (target->kind) {
    case NodeKind::Name:
      if (u64 *const known = slot(target)) {
        *known = bits;
      }
      if (is_shared(static_cast<const Name *>(target)->id)) {
        use(bits, Flow::kEscapes);
      }
      return;
    case NodeKind::Tuple:
    case NodeKind::List: {
      const auto &parts = static_cast<const Tuple *>(target)->elts;
      const auto *values = as<Tuple>(value);
      for (u32 i = 0; i < parts.size(); ++i) {
        if (values != nullptr && values->elts.size() == parts.size()) {
          assign(parts[i], eval(values->elts[i]), values->elts[i]);
        } else {
          assign(parts[i], bits, nullptr);
        }
      }
      return;
    }
    case NodeKind::Starred:
      return assign(static_cast<const Starred *>(target)->value, bits, nullptr);
    case NodeKind::Subscript:
      eval(static_cast<const Subscript *>(target)->slice);
      return add_to(target, bits, 0);
    default:
      use(bits, Flow::kStored);
      return;
    }
  }

  // ---- Statements

  void walk(const Block &block) {
    for (const Stmt *statement : block) {
      walk(statement);
    }
  }

  void walk_branches(const Block &first, const Block &second) {
    const std::vector<u64> before = environment_;
    walk(first);
    std::vector<u64> after = std::exchange(environment_, before);
    walk(second);
    join(after);
  }

  void join(const std::vector<u64> &other) {
    for (std::size_t i = 0; i < environment_.size(); ++i) {
      environment_[i] |= other[i];
    }
  }

  template <class Body> void walk_loop(const Node *node, Body body) {
    const Loop *const outer = loop_;
    const Loop *const known = project_.loop_at(node);
    loop_ = known != nullptr ? known : loop_;
    ++depth_;
    for (int pass = depth_ > 3 ? 1 : 0; pass < 2; ++pass) {
      const std::vector<u64> before = environment_;
      body();
      join(before);
    }
    --depth_;
    loop_ = outer;
  }

  // `x = x + y` and `x = y + x`.
  static const Expr *added(const Expr *target, const Expr *value) {
    const auto *sum = as<BinOp>(value);
    const auto *name = as<Name>(target);
    if (sum == nullptr || name == nullptr || sum->op() != Operator::Add) {
      return nullptr;
    }
    const auto *left = as<Name>(sum->left);
    const auto *right = as<Name>(sum->right);
    return left != nullptr && left->id == name->id     ? sum->right
           : right != nullptr && right->id == name->id ? sum->left
                                                       : nullptr;
  }

  void walk_assignment(const Stmt *statement, std::span<Expr *const> targets, const Expr *value) {
    u64 bits = eval(value);
    if (const Expr *more = targets.size() == 1 && grad_ != Grad::Off ? added(targets[0], value) : nullptr) {
      if (const u64 more_bits = eval(more); more_bits != 0) {
        bits |= keep(statement, targets[0], more, more_bits);
      }
    }
    for (const Expr *target : targets) {
      assign(target, bits, value);
    }
  }

  void walk(const Stmt *statement) {
    switch (statement->kind) {
    case NodeKind::Assign: {
      const auto *assignment = static_cast<const Assign *>(statement);
      return walk_assignment(statement, std::span(assignment->targets.begin(), assignment->targets.end()),
                             assignment->value);
    }
    case NodeKind::AnnAssign: {
      const auto *assignment = static_cast<const AnnAssign *>(statement);
      if (assignment->value != nullptr) {
        Expr *const target = assignment->target;
        walk_assignment(statement, std::span(&target, 1), assignment->value);
      }
      return;
    }
    case NodeKind::AugAssign: {
      const auto *assignment = static_cast<const AugAssign *>(statement);
      u64 bits = computed(eval(assignment->value));
      if (bits != 0 && assignment->op() == Operator::Add) {
        bits |= keep(statement, assignment->target, assignment->value, bits);
      }
      return add_to(assignment->target, bits, Flow::kSummed);
    }
    case NodeKind::ExprStmt: {
      const Expr *const value = static_cast<const ExprStmt *>(statement)->value;
      if (const auto *called = as<Call>(value)) {
        call(called, true);
      } else {
        eval(value);
      }
      return;
    }
    case NodeKind::Return:
      if (const Expr *value = static_cast<const Return *>(statement)->value) {
        give(eval(value));
      }
      return;
    case NodeKind::If: {
      const auto *branch = static_cast<const If *>(statement);
      use(eval(branch->test), Flow::kNumbers);
      return walk_branches(branch->body, branch->orelse);
    }
    case NodeKind::For: {
      const auto *loop = static_cast<const For *>(statement);
      const u64 iterated = eval(loop->iter);
      walk_loop(loop, [&] {
        assign(loop->target, iterated, nullptr);
        walk(loop->body);
      });
      return walk(loop->orelse);
    }
    case NodeKind::While: {
      const auto *loop = static_cast<const While *>(statement);
      walk_loop(loop, [&] {
        use(eval(loop->test), Flow::kNumbers);
        walk(loop->body);
      });
      return walk(loop->orelse);
    }
    case NodeKind::With:
      return walk_with(static_cast<const With *>(statement));
    case NodeKind::Try: {
      const auto *attempt = static_cast<const Try *>(statement);
      walk(attempt->body);
      walk(attempt->orelse);
      for (const ExceptHandler *handler : attempt->handlers) {
        walk_branches(handler->body, {});
      }
      return walk(attempt->finalbody);
    }
    case NodeKind::Match: {
      const auto *match = static_cast<const Match *>(statement);
      use(eval(match->subject), Flow::kEscapes);
      for (const MatchCase &branch : match->cases) {
        walk_branches(branch.body, {});
      }
      return;
    }
    case NodeKind::FunctionDef: // it may read what is around it at any time
    case NodeKind::ClassDef:
      return capture(statement);
    case NodeKind::Assert:
      use(eval(static_cast<const Assert *>(statement)->test), Flow::kNumbers);
      return;
    case NodeKind::Print:
      for (const Expr *value : static_cast<const Print *>(statement)->values) {
        use(eval(value), Flow::kNumbers);
      }
      return;
    case NodeKind::Magic:
      return walk(static_cast<const Magic *>(statement)->body);
    case NodeKind::InvalidStmt:
      return walk(static_cast<const InvalidStmt *>(statement)->body);
    case NodeKind::Raise:
      for_each_child(statement, [this](const Node *child) { eval(static_cast<const Expr *>(child)); });
      return;
    default:
      return;
    }
  }

  void walk_with(const With *statement) {
    static const NameTable kHarmless({"open", "tqdm", "trange", "autocast", "device", "record_function", "profile",
                                      "Timer", "catch_warnings", "SummaryWriter", "progress_bar", "join", "Progress"});
    const Grad outer = grad_;
    for (const WithItem &item : statement->items) {
      const u64 bits = eval(item.context_expr);
      const Kind kind = kind_of(item.context_expr);
      const auto *made = as<Call>(item.context_expr);
      const auto *name = made != nullptr ? as<Name>(made->func) : nullptr;
      const auto *method = made != nullptr ? as<Attribute>(made->func) : nullptr;
      const Symbol called = name != nullptr ? name->id : method != nullptr ? method->attr : Symbol{};
      if (kind == Kind::NoGrad) {
        grad_ = Grad::Off;
        flow_.has_no_grad = true;
      } else if (called && called.text() == "enable_grad") {
        grad_ = Grad::On;
      } else if (kind == Kind::Unknown && grad_ == Grad::On && !(called && kHarmless.has(called))) {
        grad_ = Grad::Maybe;
      }
      if (item.optional_vars != nullptr) {
        assign(item.optional_vars, bits, nullptr);
      }
    }
    walk(statement->body);
    grad_ = outer;
  }

  // A function or class inside: what it mentions is out of sight.
  void capture(const Node *node) {
    if (const auto *name = as<Name>(node)) {
      if (const u64 *const known = slot(name)) {
        use(*known, Flow::kEscapes);
      }
    }
    for_each_child(node, [this](const Node *child) { capture(child); });
  }

  // ---- Expressions

  u64 eval(const Expr *expr) {
    switch (expr->kind) {
    case NodeKind::Name: {
      const u64 *const known = slot(expr);
      return known != nullptr ? *known : 0;
    }
    case NodeKind::Attribute:
      return attribute(static_cast<const Attribute *>(expr));
    case NodeKind::Call:
      return call(static_cast<const Call *>(expr), false);
    case NodeKind::Constant:
      return 0;
    case NodeKind::Compare: {
      u64 bits = 0;
      for_each_child(expr, [&](const Node *child) { bits |= eval(static_cast<const Expr *>(child)); });
      const auto *comparison = static_cast<const Compare *>(expr);
      if (comparison->rest[0].op != CompareOperator::Is && comparison->rest[0].op != CompareOperator::IsNot) {
        use(bits, Flow::kNumbers);
      }
      return 0;
    }
    case NodeKind::FormattedValue:
      use(eval(static_cast<const FormattedValue *>(expr)->value), Flow::kNumbers);
      return 0;
    case NodeKind::JoinedStr:
      for (const Expr *part : static_cast<const JoinedStr *>(expr)->values) {
        eval(part);
      }
      return 0;
    case NodeKind::BinOp: {
      const auto *operation = static_cast<const BinOp *>(expr);
      const u64 left = eval(operation->left);
      const u64 bits = left | eval(operation->right);
      if (operation->op() == Operator::Mod && operation->left->kind == NodeKind::Constant) { // "%f" % loss
        use(bits, Flow::kNumbers);
        return 0;
      }
      return computed(bits);
    }
    case NodeKind::UnaryOp: {
      const auto *operation = static_cast<const UnaryOp *>(expr);
      const u64 bits = eval(operation->operand);
      if (operation->op() == UnaryOperator::Not) {
        use(bits, Flow::kNumbers);
        return 0;
      }
      return computed(bits);
    }
    case NodeKind::Subscript: {
      const auto *subscript = static_cast<const Subscript *>(expr);
      eval(subscript->slice);
      return eval(subscript->value);
    }
    case NodeKind::NamedExpr: {
      const auto *named = static_cast<const NamedExpr *>(expr);
      const u64 bits = eval(named->value);
      assign(named->target, bits, named->value);
      return bits;
    }
    case NodeKind::IfExp: {
      const auto *conditional = static_cast<const IfExp *>(expr);
      use(eval(conditional->test), Flow::kNumbers);
      const u64 bits = eval(conditional->body);
      return bits | eval(conditional->orelse);
    }
    case NodeKind::Lambda:
      capture(expr);
      return 0;
    case NodeKind::Yield:
    case NodeKind::YieldFrom:
    case NodeKind::Await: {
      u64 bits = 0;
      for_each_child(expr, [&](const Node *child) { bits |= eval(static_cast<const Expr *>(child)); });
      if (expr->kind != NodeKind::Await) {
        use(bits, Flow::kEscapes);
        return 0;
      }
      return bits;
    }
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp: {
      const auto *comprehension = static_cast<const ComprehensionExpr *>(expr);
      const Loop *const outer = loop_;
      const Loop *const known = project_.loop_at(expr);
      u64 bits = 0;
      for (const Comprehension *generator : comprehension->generators) {
        const u64 iterated = eval(generator->iter);
        loop_ = known != nullptr ? known : loop_;
        assign(generator->target, iterated, nullptr);
        for (const Expr *condition : generator->ifs) {
          use(eval(condition), Flow::kNumbers);
        }
      }
      bits |= eval(comprehension->elt);
      if (comprehension->value != nullptr) {
        bits |= eval(comprehension->value);
      }
      loop_ = outer;
      return bits;
    }
    default: {
      u64 bits = 0;
      for_each_child(expr, [&](const Node *child) { bits |= eval(static_cast<const Expr *>(child)); });
      return bits;
    }
    }
  }

  u64 attribute(const Attribute *expr) {
    static const NameTable kAbout({"shape", "dtype", "device", "ndim", "requires_grad", "is_cuda", "grad_fn", "is_leaf",
                                   "layout", "names", "itemsize", "nbytes"});
    const u64 bits = eval(expr->value);
    if (bits == 0 || kAbout.has(expr->attr)) {
      return 0;
    }
    const std::string_view name = expr->attr.text();
    if (name == "data") {
      use(bits, Flow::kNumbers | Flow::kDetached);
      return 0;
    }
    if (name == "grad") {
      use(bits, Flow::kWalked);
      return 0;
    }
    return bits;
  }

  // ---- Calls

  u64 call(const Call *expr, bool is_discarded) {
    const Value callee = project_.callee_of(expr);
    const auto *method = as<Attribute>(expr->func);
    const std::string_view name = called_name(*expr);
    const u64 receiver = method != nullptr                    ? eval(method->value)
                         : expr->func->kind == NodeKind::Name ? u64{0}
                                                              : eval(expr->func);
    u64 all = 0;
    std::vector<u64> given;
    given.reserve(expr->args.size() + expr->keywords.size());
    for (const Expr *arg : expr->args) {
      given.push_back(eval(arg));
      all |= given.back();
    }
    for (const Keyword *keyword : expr->keywords) {
      given.push_back(eval(keyword->value));
      all |= given.back();
    }
    if (name == "backward" || name == "manual_backward" || name == "scale_loss" || name == "scale") {
      use(receiver | all, Flow::kWalked);
      return receiver | all;
    }
    if (records_graph(project_, callee) || is_forward_of_model(callee, method)) {
      return computed(all | (grad_ == Grad::On ? origin(expr, Flow::What::Forward, is_discarded) : 0));
    }
    if (callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method)) {
      return function(expr, *callee.function, callee.is(Value::Tag::Method) && !callee.function->is_static, given,
                      is_discarded);
    }
    if (receiver != 0 && method != nullptr) {
      if (receiver >> first_ == 0 && !is_tensor(method->value)) { // a parameter, which may be anything
        use(all, Flow::kEscapes);
        all = 0;
      }
      return method_of_tensor(expr, *method, receiver, all);
    }
    if (all != 0 && method != nullptr && expr->args.size() <= 2 && is_adding(method->attr) &&
        !callee.is(Value::Tag::Api)) {
      const Expr *const value = expr->args.empty() ? nullptr : expr->args[expr->args.size() - 1];
      if (value != nullptr && name != "update" && name != "setdefault") {
        all |= keep(expr, method->value, value, all);
      }
      add_to(method->value, all, Flow::kSummed);
      return 0;
    }
    if (callee.is(Value::Tag::Api)) {
      return api(callee.name(), all);
    }
    if (is_module(callee)) { // a loss, an activation
      return computed(all);
    }
    if (callee.is(Value::Tag::ApiMethod)) {
      const ApiInfo *info = find_method(callee.receiver().kind, callee.name());
      if (info != nullptr && info->returns == Kind::TorchTensor && !info->has(kNoGrads)) {
        return computed(all);
      }
      use(all, info != nullptr ? Flow::kNumbers : Flow::kEscapes);
      return 0;
    }
    return unknown(expr, callee, method, all, is_discarded);
  }

  static bool is_tensor(const Expr *expr) { return kind_of(expr) == Kind::TorchTensor; }

  static bool is_adding(Symbol name) {
    static const NameTable kAdding({"append", "extend", "insert", "add", "appendleft", "update", "setdefault"});
    return kAdding.has(name);
  }

  static bool is_module(const Value &callee) {
    const Kind kind = callee.is(Value::Tag::Object) ? callee.type->kind : callee.kind;
    return (callee.is(Value::Tag::Object) || callee.is(Value::Tag::Instance)) &&
           (kind == Kind::TorchModule || kind == Kind::TorchLoss || kind == Kind::HfModel);
  }

  // model.forward(x)
  bool is_forward_of_model(const Value &callee, const Attribute *method) {
    return method != nullptr && method->attr == known::sym_forward && callee.is(Value::Tag::ApiMethod) &&
           records_graph(project_, callee.receiver());
  }

  u64 method_of_tensor(const Call *expr, const Attribute &method, u64 receiver, u64 all) {
    static const NameTable kHooks({"register_hook", "retain_grad", "requires_grad_"});
    static const NameTable kAbout({"size", "dim", "numel", "nelement", "stride", "ndimension", "is_contiguous",
                                   "element_size", "get_device", "keys", "__len__", "is_floating_point"});
    const std::string_view name = method.attr.text();
    if (kAbout.has(method.attr)) {
      return 0;
    }
    if (kHooks.has(method.attr)) {
      use(receiver, Flow::kWalked);
      return receiver;
    }
    if (name == "numpy" || name == "__array__") {
      use(receiver, Flow::kNeedsNoGraph);
      return 0;
    }
    if (is_adding(method.attr) && all != 0 && expr->args.size() <= 2 && name != "add") {
      const Expr *const value = expr->args.empty() ? nullptr : expr->args[expr->args.size() - 1];
      if (value != nullptr && name != "update" && name != "setdefault") {
        all |= keep(expr, method.value, value, all);
      }
      add_to(method.value, all, Flow::kSummed);
      return receiver | all;
    }
    const ApiInfo *info = find_method(Kind::TorchTensor, method.attr);
    if (info != nullptr && (info->has(kNoGrads) || info->returns != Kind::TorchTensor)) {
      const bool is_detached = name == "detach" || name == "detach_";
      use(receiver | all, Flow::kNumbers | (is_detached ? Flow::kDetached : 0));
      return 0;
    }
    return computed(receiver | all);
  }

  u64 api(Symbol api, u64 all) {
    static const NameTable kNumbersOnly({"float", "int", "bool", "str", "repr", "print", "format"});
    static const NameTable kAbout(
        {"len", "isinstance", "type", "id", "hasattr", "range", "callable", "torch.is_tensor", "torch.numel"});
    static const NameTable kPassing({"sum", "max", "min", "abs", "round", "list", "tuple", "dict", "set", "zip",
                                     "enumerate", "sorted", "reversed", "map", "filter", "iter", "next", "getattr"});
    if (all == 0 || kAbout.has(api)) {
      return 0;
    }
    const std::string_view name = api.text();
    if (kNumbersOnly.has(api) || name.starts_with("math.") || name.starts_with("logging.") || name == "torch.save" ||
        name == "pickle.dump" || name.starts_with("torch.distributed.") || name == "torchvision.utils.save_image" ||
        name == "wandb.log" || name.starts_with("mlflow.")) {
      use(all, Flow::kNumbers);
      return 0;
    }
    if (name.starts_with("torch.autograd.") && name != "torch.autograd.Variable") {
      use(all, Flow::kWalked);
      return all;
    }
    if (name.starts_with("numpy.") || name.starts_with("sklearn.") || name.starts_with("matplotlib.") ||
        name.starts_with("scipy.") || name.starts_with("cv2.") || name.starts_with("PIL.")) {
      use(all, Flow::kNeedsNoGraph);
      return 0;
    }
    const ApiInfo *info = find_api(api);
    if (info != nullptr && info->returns == Kind::TorchTensor && info->has(kNoGrads)) {
      use(all, Flow::kNumbers);
      return 0;
    }
    if (kPassing.has(api)) {
      return all;
    }
    if (name.starts_with("torch") || (info != nullptr && info->has(kPassesOn))) {
      return computed(all);
    }
    use(all, Flow::kEscapes);
    return 0;
  }

  // A function of the project: what it does with its parameters it does with what it is given here.
  u64 function(const Call *expr, const FunctionInfo &callee, bool is_bound, const std::vector<u64> &given,
               bool is_discarded) {
    const GraphFlow &flow = graph_flow_of(project_, callee);
    u64 result = 0;
    const auto pass = [&](u32 place, u64 bits) {
      const u16 uses = place < flow.params.size() ? flow.params[place] : u16{Flow::kEscapes};
      use(bits, static_cast<u16>(uses & ~Flow::kReturned));
      result |= (uses & Flow::kReturned) != 0 ? bits : 0;
    };
    u32 position = is_bound ? 1 : 0;
    for (u32 i = 0; i < expr->args.size(); ++i) {
      const bool is_plain = expr->args[i]->kind != NodeKind::Starred && position < callee.params.size() &&
                            callee.params[position]->param_kind() <= ParamKind::Regular;
      pass(is_plain ? position++ : ~0U, given[i]);
    }
    for (u32 i = 0; i < expr->keywords.size(); ++i) {
      u32 place = ~0U;
      for (u32 k = 0; k < callee.params.size(); ++k) {
        if (expr->keywords[i]->name && callee.params[k]->name == expr->keywords[i]->name) {
          place = k;
        }
      }
      pass(place, given[expr->args.size() + i]);
    }
    if (flow.returns_graph && grad_ == Grad::On && !callee.no_grad) {
      result |= origin(expr, Flow::What::Helper, is_discarded);
    } else if (flow.returns_assumed && grad_ == Grad::On && !callee.no_grad) {
      result |= origin(expr, Flow::What::Assumed, is_discarded);
    }
    return computed(result);
  }

  // Something that nobody tells us. A loss that was passed in computes; so does most of what is called for its result.
  u64 unknown(const Call *expr, const Value &callee, const Attribute *method, u64 all, bool is_discarded) {
    static const NameTable kTelling({"log", "log_dict", "log_metric", "log_metrics", "add_scalar", "add_scalars",
                                     "set_postfix", "set_postfix_str", "set_description", "write", "info", "debug",
                                     "warning", "add_image", "add_images", "add_histogram", "add_text", "format"});
    const auto *name = as<Name>(expr->func);
    if (method != nullptr && kTelling.has(method->attr)) {
      use(all, Flow::kNumbers);
      return 0;
    }
    const bool is_own = method != nullptr && is_own_object(function_, method->value);
    const bool is_local = name != nullptr && function_.slot_of(name->id) != FunctionInfo::kNoSlot;
    if (callee.is(Value::Tag::Class) || is_discarded || (name == nullptr && !is_own)) {
      use(all, Flow::kEscapes);
      return callee.is(Value::Tag::Class) ? all : 0;
    }
    if (!is_local && !is_own) {
      use(all, Flow::kUnsure);
    }
    // A parameter or attribute that is called may be a model; what its result is used for will tell.
    const bool may_be_model = all >> first_ == 0 && !expr->args.empty() && grad_ == Grad::On && callee.is_unknown() &&
                              function_.module->torch &&
                              (is_own || (is_local && std::ranges::any_of(function_.params, [name](const Param *param) {
                                            return param->name == name->id;
                                          })));
    return computed(all | (may_be_model ? origin(expr, Flow::What::Assumed, is_discarded) : 0));
  }

  const Project &project_;
  const FunctionInfo &function_;
  Flow &flow_;
  std::vector<u64> environment_; // by slot: bit i stands for parameter i, and behind them for the origins
  u32 first_ = 0;                // the bit of the first origin
  const Loop *loop_ = nullptr;
  u32 depth_ = 0;
  Grad grad_ = Grad::On;
};

} // namespace

const GraphFlow &graph_flow_of(const Project &project, const FunctionInfo &function) {
  if (function.graph_flow != nullptr) {
    return *function.graph_flow;
  }
  static thread_local u32 depth = 0;
  const auto flow = std::make_shared<GraphFlow>();
  flow->params.assign(function.params.size(), u16{GraphFlow::kEscapes});
  function.graph_flow = flow; // for a circle of calls, and for what is too large
  if (function.names.size() > kMostNames || depth > kMostDepth) {
    return *flow;
  }
  ++depth;
  const auto followed = std::make_shared<GraphFlow>();
  Walker(project, function, *followed).run();
  --depth;
  function.graph_flow = followed;
  return *followed;
}

} // namespace deepperf::model
