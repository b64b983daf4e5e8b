#include "rules/device_reads.h"

#include "base/known_names.h"
#include "base/name_table.h"
#include "model/bind.h"
#include "model/context.h"
#include "model/guards.h"
#include "rules/host_use.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace deepperf::rules {

using namespace python;

namespace {

constexpr std::size_t kMostStepFunctions = 40;   // that a step is followed into
constexpr std::size_t kMostFollowed = 64;        // reads whose values are followed to their uses
constexpr std::size_t kMostLookedAt = 4'000'000; // bytes of a function, for each of its loops, to follow them
constexpr u32 kMostReturns = 4;                  // through which a value is followed to where it is used

bool is_device_tensor(const Expr *expr) { return model::kind_of(expr) == Kind::TorchTensor && !model::is_on_cpu(expr); }

// What one training step does, in its own code and in the functions of the project that it calls.
class ReadsWalk : public DeviceReads {
public:
  ReadsWalk(const model::Project &project, const model::FunctionInfo &function, bool is_forward, Memory &memory)
      : project_(project), memory_(memory), is_forward_(is_forward) {
    functions_.push_back({.function = &function});
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
      when_ = called.when;
      is_repeated_ = called.is_repeated;
      if (lambda != nullptr) {
        visit(lambda->body);
        continue;
      }
      body(inner->body);
      take_callees(i, inner, nullptr);
    }
    drop_repeated();
    for (std::size_t i = 0; i < std::min(reads.size(), kMostFollowed) && is_followed(function); ++i) {
      reads[i].is_needed = is_needed(reads[i]);
    }
  }

private:
  // Each loop's reads are followed through the whole function: not through one that is long and has very many of them.
  static bool is_followed(const model::FunctionInfo &function) {
    const FunctionDef *const definition = function.definition();
    const std::size_t length =
        definition != nullptr ? definition->end - definition->start : function.module->parsed->source.text().size();
    return length * function.loops.size() < kMostLookedAt;
  }

  // In the function where it is read, or, if that returns it, where the step's own code calls it.
  [[nodiscard]] bool is_needed(const DeviceRead &read) const {
    // A position that the program counts by itself, it could count in Python as well.
    const bool is_of_data = !is_number_of_attribute(*read.place);
    const auto is_needed = [is_of_data](const HostUses &uses) {
      return uses.for_step || (uses.as_place && is_of_data);
    };
    // As long as functions return it, where they are called.
    const model::FunctionInfo *function = read.function;
    const Node *place = read.place;
    for (u32 i = 0; i < kMostReturns; ++i) {
      const HostUses uses = uses_on_host(project_, *function, *place);
      if (is_needed(uses)) {
        return true;
      }
      const auto is_walked = [this](const model::CallSite *site) {
        return known_.contains(site->caller) || optional_.contains(site->caller);
      };
      const auto caller = std::ranges::find_if(function->called_by, is_walked);
      if (!uses.is_returned || caller == function->called_by.end()) {
        return false;
      }
      place = (*caller)->call;
      function = (*caller)->caller;
    }
    return false;
  }

  // `int(self.pointer)`, `self.pointer.item()`
  static bool is_number_of_attribute(const Node &place) {
    const auto *call = as<Call>(&place);
    const Expr *const of = call == nullptr                  ? nullptr
                           : called_method(*call) == "item" ? receiver_of(*call)
                           : call->args.size() == 1         ? call->args[0]
                                                            : nullptr;
    return as<Attribute>(of) != nullptr;
  }

  // Places that were found under a setting and without one.
  void drop_repeated() {
    std::unordered_set<const Node *> certain;
    for (const DeviceRead &read : reads) {
      if (!read.is_optional) {
        certain.insert(read.place);
      }
    }
    std::erase_if(reads, [&](const DeviceRead &read) { return read.is_optional && certain.contains(read.place); });
    // The same value once more, in the same line: then the read before it is one of the last.
    constexpr std::size_t kLast = 8;
    std::vector<DeviceRead> kept;
    for (const DeviceRead &read : reads) {
      const auto first = kept.end() - static_cast<std::ptrdiff_t>(std::min(kept.size(), kLast));
      if (std::none_of(first, kept.end(), [&read](const DeviceRead &before) { return is_again(before, read); })) {
        kept.push_back(read);
      }
    }
    reads = std::move(kept);
  }

  static bool is_again(const DeviceRead &before, const DeviceRead &read) {
    if (before.module != read.module || before.place->end > read.place->start || before.how != read.how) {
      return false;
    }
    const Source &source = read.module->parsed->source;
    return source.part(before.place->start, before.place->end) == source.part(read.place->start, read.place->end) &&
           source.part(before.place->end, read.place->start).find('\n') == std::string_view::npos;
  }

  struct Called {
    const model::FunctionInfo *function = nullptr;
    const Node *through = nullptr; // the call in the step's own code
    bool is_optional = false;
    std::string_view when = {}; // see DeviceRead
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
    when_ = {};
    numbers_.clear();
    synchronized_ = nullptr;
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
      const auto tested = optional_calls_.find(site.call);
      const std::string_view when = !caller.when.empty()              ? caller.when
                                    : tested != optional_calls_.end() ? tested->second
                                    : site.by_type                    ? kIfCalled
                                                                      : std::string_view{};
      const bool is_optional = !when.empty();
      // What another call reaches under no setting is looked at once more.
      auto &reached = is_optional ? optional_ : known_;
      if (!is_other && !is_made && !known_.contains(site.callee) && reached.insert(site.callee).second) {
        functions_.push_back(
            {site.callee, at == 0 ? site.call : caller.through, is_optional, when, is_repeated, mask_parameters(site)});
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

  // Does it give the device something to do? Reads do not, nor does what only looks at the tensor.
  [[nodiscard]] bool gives_work(const Node *node) const {
    static const NameTable kLooks({"cpu", "detach", "item", "numpy", "tolist", "data_ptr"});
    if (const auto *change = as<AugAssign>(node)) {
      return is_device_tensor(change->target) || is_device_tensor(change->value);
    }
    if (node->kind == NodeKind::BinOp || node->kind == NodeKind::UnaryOp || node->kind == NodeKind::Compare) {
      return is_device_tensor(static_cast<const Expr *>(node));
    }
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const std::string_view method = called_method(*call);
    if (!method.empty() && kLooks.has(intern(method))) {
      return false;
    }
    const model::Value callee = project_.callee_of(call);
    static const NameTable kBuiltins({"float", "int", "bool", "print", "len", "str", "isinstance"});
    if (callee.is(model::Value::Tag::Api) && kBuiltins.has(callee.name())) {
      return false;
    }
    // A function of the project that gets more than numbers may do anything.
    const auto is_number = [](const Expr *given) {
      return given->kind == NodeKind::Constant || model::kind_of(given) == Kind::Number;
    };
    if (callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method)) {
      return !ends_with_wait(callee) &&
             (call->args.empty() || !std::ranges::all_of(call->args, is_number) ||
              !std::ranges::all_of(call->keywords, [&](const Keyword *keyword) { return is_number(keyword->value); }));
    }
    return method == "backward" || method == "step" || model::kind_of(call->func) == Kind::TorchModule ||
           model::kind_of(call) == Kind::TorchTensor || std::ranges::any_of(call->args, is_device_tensor) ||
           std::ranges::any_of(call->keywords, [](const Keyword *keyword) { return is_device_tensor(keyword->value); });
  }

  void add(const Node &place, std::string_view how, bool is_explicit) {
    if (synchronized_ != nullptr && !is_skipped_ &&
        !any_node(&place, [this](const Node *node) { return gives_work(node); })) {
      // The device has nothing left to do: who waited for that is to be told.
      add_once(*synchronized_, kSynchronize, true);
      return;
    }
    add_once(place, how, is_explicit);
  }

  void add_once(const Node &place, std::string_view how, bool is_explicit) {
    if (std::ranges::any_of(numbers_, [&place](u32 name) { return mentions(&place, Symbol{name}); })) {
      ++reads_of_numbers_;
      return;
    }
    if (!is_skipped_ && (reads.empty() || !contains(reads.back().place, &place) ||
                         reads.back().module != function_->module || (reads.back().is_optional && !is_optional_))) {
      reads.push_back({.module = function_->module,
                       .place = &place,
                       .how = how,
                       .is_optional = is_optional_,
                       .is_repeated = is_repeated_,
                       .is_explicit = is_explicit,
                       .call = through_,
                       .function = function_,
                       .when = when_});
    }
  }

  // ---- Statements

  void body(const Block &block) {
    const bool was_skipped = is_skipped_;
    const bool was_optional = is_optional_;
    const std::string_view was_when = when_;
    for (const Stmt *statement : block) {
      visit(statement);
      // `if step % 10: continue`: what follows runs in some steps only.
      const auto *guard = as<If>(statement);
      if (guard != nullptr && (model::skips_steps(*guard) ||
                               (leaves_step(guard->body) != leaves_step(guard->orelse) && counts_steps(guard->test)))) {
        is_skipped_ = true;
      }
      // `if not x.is_sparse: return …`: what follows is for other arguments.
      if (guard != nullptr && guard->orelse.empty() && leaves_step(guard->body) &&
          model::asks_for_layout(guard->test, *function_)) {
        when_ = is_optional_ ? when_ : kIfGiven;
        is_optional_ = true;
      }
    }
    is_skipped_ = was_skipped;
    is_optional_ = was_optional;
    when_ = was_when;
  }

  static bool leaves_step(const Block &block) {
    return !block.empty() && (block.back()->kind == NodeKind::Continue || block.back()->kind == NodeKind::Return);
  }

  // `step % 10 == 0`, or a function of the project that returns such a thing: `self.metrics.should_log(step)`.
  [[nodiscard]] bool counts_steps(const Expr *test) const {
    return model::counts_steps(test) || any_node(static_cast<const Node *>(test), [this](const Node *node) {
             const auto *call = as<Call>(node);
             const model::Value callee = call != nullptr ? project_.callee_of(call) : model::Value();
             const bool is_known = callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method);
             const FunctionDef *const asked = is_known ? callee.function->definition() : nullptr;
             return asked != nullptr && any_node(asked->body, [](const Node *part) {
                      const auto *result = as<Return>(part);
                      return result != nullptr && result->value != nullptr && model::counts_steps(result->value);
                    });
           });
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

  // `if return_all:` of a parameter that is False by default, where nobody passes anything else.
  [[nodiscard]] bool is_never_switched_on(const Expr *test) const {
    const auto *name = as<Name>(test);
    const u32 place = name != nullptr ? function_->place_of_param(name->id) : model::FunctionInfo::kNoParam;
    if (place == model::FunctionInfo::kNoParam || function_->called_by.empty() ||
        (function_->context & model::kCallersUnknown) != 0) {
      return false;
    }
    const Expr *const otherwise = function_->params[place]->default_value;
    return otherwise != nullptr && is_constant(otherwise, ConstantKind::False) &&
           std::ranges::none_of(function_->called_by, [&](const model::CallSite *site) {
             const auto is_given = [&](const Keyword *keyword) { return !keyword->name || keyword->name == name->id; };
             return site->call->args.size() + (site->bound ? 1 : 0) > place ||
                    std::ranges::any_of(site->call->args,
                                        [](const Expr *arg) { return arg->kind == NodeKind::Starred; }) ||
                    std::ranges::any_of(site->call->keywords, is_given);
           });
  }

  // The name in `type(x) is int` or `isinstance(x, (int, float))`; empty if it asks for something else.
  static Symbol asked_for_number(const Expr *test) {
    const auto is_number_type = [](const Expr *type) {
      const auto *name = as<Name>(type);
      return name != nullptr && (name->id.text() == "int" || name->id.text() == "float" || name->id.text() == "bool");
    };
    const auto *compare = as<Compare>(test);
    const auto *call = as<Call>(compare != nullptr ? compare->left : test);
    const auto *asked = call != nullptr && !call->args.empty() ? as<Name>(call->args[0]) : nullptr;
    if (asked == nullptr) {
      return {};
    }
    if (compare != nullptr) {
      const bool is_same = compare->rest.size() == 1 &&
                           (compare->rest[0].op == CompareOperator::Is || compare->rest[0].op == CompareOperator::Eq);
      return is_same && called_name(*call) == "type" && is_number_type(compare->rest[0].right) ? asked->id : Symbol{};
    }
    if (called_name(*call) != "isinstance" || call->args.size() != 2) {
      return {};
    }
    const auto *types = as<Tuple>(call->args[1]);
    return is_number_type(call->args[1]) || (types != nullptr && std::ranges::all_of(types->elts, is_number_type))
               ? asked->id
               : Symbol{};
  }

  void branch(const If &statement) {
    const std::size_t tested = reads.size();
    condition(statement.test);
    const bool decides = stops(statement.body) || stops(statement.orelse);
    note_end(tested, decides);
    if (decides) { // token = logits.argmax().item(); if token == end: break
      any_node(static_cast<const Node *>(statement.test), [this](const Node *node) {
        if (const auto *name = as<Name>(node)) {
          for (const std::size_t i : std::exchange(open_reads_[name->id.id], {})) {
            reads[i].decides_end = true;
          }
        }
        return false;
      });
    }
    const bool was_skipped = is_skipped_;
    const bool was_optional = is_optional_;
    const std::string_view was_when = when_;
    const std::string_view tested_when = !when_.empty()                                     ? when_
                                         : model::asks_for_type(statement.test, *function_) ? kIfTensor
                                                                                            : kIfEnabled;
    const bool is_of_gradient = asks_for_gradient(statement.test);
    const bool is_never = is_never_switched_on(statement.test);
    const auto enter_branch = [&](bool holds) {
      const bool is_tested = !is_of_gradient && !is_usual(statement.test, holds);
      is_optional_ = was_optional || is_tested;
      when_ = is_tested ? tested_when : was_when;
    };
    enter_branch(true);
    const bool skips_all = was_skipped || (!is_of_gradient && !model::is_setting(statement.test, loop_, *function_));
    is_skipped_ = skips_all;
    when_ = is_never ? kIfNever : when_;
    const std::size_t before = reads.size() + reads_of_numbers_;
    const Symbol number = asked_for_number(statement.test);
    const bool is_new = number && numbers_.insert(number.id).second;
    body(statement.body);
    if (is_new) {
      numbers_.erase(number.id);
    }
    const bool reads_first = reads.size() + reads_of_numbers_ > before; // a tensor is read there, a number here
    const std::size_t between = reads.size();
    enter_branch(false);
    body(statement.orelse);
    // If both branches do it, one of them does.
    if (!was_optional && reads_first && reads.size() > between) {
      reads[between].is_optional = false;
    }
    is_skipped_ = was_skipped;
    is_optional_ = was_optional;
    when_ = was_when;
  }

  // `count(x) if self.log_counts else None`
  void choice(const IfExp &expr) {
    const bool was_optional = is_optional_;
    const std::string_view was_when = when_;
    condition(expr.test);
    visit(expr.test);
    // What is None unless a caller passes it is mostly passed.
    const bool is_setting = expr.test->kind != NodeKind::Compare && model::is_setting(expr.test, loop_, *function_);
    const auto enter = [&](const Expr *side, const Expr *other, bool holds) {
      // Of two sides that compute, one is taken in any case.
      const bool is_tested = is_setting && other->kind == NodeKind::Constant && !is_usual(expr.test, holds);
      is_optional_ = was_optional || is_tested;
      when_ = is_tested && was_when.empty() ? kIfEnabled : was_when;
      visit(side);
    };
    enter(expr.body, expr.orelse, true);
    enter(expr.orelse, expr.body, false);
    is_optional_ = was_optional;
    when_ = was_when;
  }

  void inner_loop(const Node &node, const Block &block) {
    const model::Loop *const known = project_.loop_at(&node);
    if (known == nullptr || known->steps || known->evaluates) {
      return; // a step or an evaluation of its own
    }
    const bool was_repeated = is_repeated_;
    const model::Loop *const outer = loop_;
    synchronized_ = nullptr;
    is_repeated_ |= !known->few_iterations && known->iterations != model::Iterations::Few;
    loop_ = known;
    body(block);
    loop_ = outer;
    is_repeated_ = was_repeated;
  }

  void visit(const Node *node) {
    if (synchronized_ != nullptr && gives_work(node)) {
      visit_work(node);
      return;
    }
    visit_parts(node);
  }

  // What is read to be given to it was read before.
  void visit_work(const Node *node) {
    visit_parts(node);
    synchronized_ = nullptr;
  }

  void visit_parts(const Node *node) {
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
      return choice(static_cast<const IfExp &>(*node));
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
        open_reads_[target->id.id].push_back(i);
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
        add(subscript, kBounds, true);
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

  // Is it what an object of torchmetrics gives that is made in this function and moved nowhere? Its state is on the
  // host then, and so are its results.
  [[nodiscard]] bool is_of_host_metric(const Expr *expr) const {
    const auto *given = as<Call>(expr);
    const bool computes = given != nullptr && called_method(*given) == "compute";
    const Expr *const metric = given == nullptr ? nullptr : computes ? receiver_of(*given) : given->func;
    if (const auto *made = as<Call>(metric)) {
      return makes_metric(*made);
    }
    const auto *name = as<Name>(metric);
    const FunctionDef *const definition = function_->definition();
    if (name == nullptr || definition == nullptr || function_->slot_of(name->id) == model::FunctionInfo::kNoSlot) {
      return false;
    }
    const HostMetrics &all = memory_.recall<HostMetrics>(definition, [&] { return find_metrics(*definition); });
    return all.made.contains(name->id.id) && !all.other.contains(name->id.id);
  }

  // Names of a function that it binds to new metrics, and those that are bound to something else, moved, or handed to
  // somebody who may move them.
  struct HostMetrics {
    std::unordered_set<u32> made;
    std::unordered_set<u32> other;
  };

  [[nodiscard]] HostMetrics find_metrics(const FunctionDef &definition) const {
    HostMetrics found;
    const auto add = [](const Expr *part, std::unordered_set<u32> &names) {
      if (const auto *name = as<Name>(part)) {
        names.insert(name->id.id);
      }
    };
    any_node(definition.body, [&](const Node *node) {
      if (const auto *assignment = as<Assign>(node)) {
        const auto *made = as<Call>(assignment->value);
        const bool is_metric = made != nullptr && makes_metric(*made);
        for (const Expr *target : assignment->targets) {
          add(target, is_metric ? found.made : found.other);
        }
      } else if (const auto *call = as<Call>(node)) {
        if (const std::string_view method = called_method(*call); method == "to" || method == "cuda") {
          add(receiver_of(*call), found.other);
        }
        for (const Expr *arg : call->args) {
          add(arg, found.other);
        }
      }
      return false;
    });
    return found;
  }

  [[nodiscard]] bool makes_metric(const Call &call, u32 depth = 0) const {
    const auto is_metric = [](const model::Value &value) {
      return value.is(model::Value::Tag::Api) && value.name().text().starts_with("torchmetrics.");
    };
    const model::Value made = project_.callee_of(&call);
    if (made.is(model::Value::Tag::Function) && depth < kMostReturns) { // a function that returns a new one
      const FunctionDef *const definition = made.function->definition();
      const auto *last =
          definition != nullptr && !definition->body.empty() ? as<Return>(definition->body.back()) : nullptr;
      const auto *returned = last != nullptr ? as<Call>(last->value) : nullptr;
      return returned != nullptr && makes_metric(*returned, depth + 1);
    }
    return is_metric(made) ||
           (made.is(model::Value::Tag::Class) && std::ranges::any_of(made.type->mro, [&](const model::ClassInfo *type) {
              return std::ranges::any_of(type->bases, is_metric);
            }));
  }

  void call(const Call &call) {
    if (receiver_of(call) != nullptr && is_of_host_metric(receiver_of(call))) {
      return; // whatever is done with it
    }
    if (is_optional_) {
      optional_calls_.emplace(&call, when_);
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
    if (ends_with_wait(callee) && !is_optional_ && !is_skipped_) {
      synchronized_ = &call;
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

  static bool is_synchronize(std::string_view api) {
    return api == "torch.cuda.synchronize" || api == "torch.mps.synchronize";
  }

  // Is it a function of the project whose last statement waits for the device?
  [[nodiscard]] bool ends_with_wait(const model::Value &callee, u32 depth = 0) const {
    const FunctionDef *const definition = callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method)
                                              ? callee.function->definition()
                                              : nullptr;
    if (definition == nullptr || definition->body.empty() || depth >= kMostReturns) {
      return false;
    }
    const auto *statement = as<ExprStmt>(definition->body.back());
    const auto *result = as<Return>(definition->body.back());
    const auto *wait = as<Call>(statement != nullptr ? statement->value : result != nullptr ? result->value : nullptr);
    const model::Value waiting = wait != nullptr ? project_.callee_of(wait) : model::Value{};
    return waiting.is(model::Value::Tag::Api) ? is_synchronize(waiting.name().text())
                                              : ends_with_wait(waiting, depth + 1);
  }

  void api(const Call &call, Symbol api) {
    const std::string_view name = api.text();
    if (name == "float" || name == "int" || name == "bool") {
      if (call.args.size() == 1 && is_device_tensor(call.args[0])) {
        add(call, kConversion, true);
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
    } else if (is_synchronize(name)) {
      synchronized_ = is_optional_ || is_skipped_ ? synchronized_ : &call;
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
  Memory &memory_;
  const bool is_forward_;
  std::vector<Called> functions_;                            // the step's own first
  std::unordered_set<const model::FunctionInfo *> known_;    // of these
  std::unordered_set<const model::FunctionInfo *> optional_; // the same, of those reached under a setting
  const model::FunctionInfo *function_ = nullptr;            // that is being walked
  const Node *through_ = nullptr;
  const model::Loop *loop_ = nullptr;
  std::unordered_set<u32> masks_;                                     // names of tensors of truth values
  std::unordered_map<const Call *, std::string_view> optional_calls_; // under a test of a setting, or of what is given
  std::unordered_map<u32, std::vector<std::size_t>>
      open_reads_;                       // by the name that they are bound to: no test ends by it
  const Expr *wanted_on_host_ = nullptr; // the argument of a call that takes nothing else
  bool is_optional_ = false;
  std::string_view when_;            // see DeviceRead
  std::size_t reads_of_numbers_ = 0; // that would have been reads of tensors
  std::unordered_set<u32> numbers_;  // names that a test around the place knows to be numbers of Python
  bool is_repeated_ = false;
  bool is_skipped_ = false;            // in some steps only
  const Call *synchronized_ = nullptr; // that waited for the device, which got nothing to do since
};

} // namespace

DeviceReads device_reads_in(const model::Project &project, const model::FunctionInfo &function, const Node &region,
                            bool is_forward, Memory &memory) {
  ReadsWalk walk(project, function, is_forward, memory);
  walk.walk_region(&region);
  return static_cast<DeviceReads &&>(walk);
}

} // namespace deepperf::rules
