#include "base/name_table.h"
#include "python/children.h"
#include "python/literals.h"
#include "shapes/bool_arithmetic.h"
#include "shapes/frames.h"
#include "shapes/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

// x /= 2 stores what it computes in x, whose dtype stays.
void check_in_place(Interpreter &in, const Value &target, const Value &result, const Expr *place) {
  const bool is_checked = target.is(Tag::Tensor) && result.is(Tag::Tensor) && target.tensor->library == Library::Torch;
  if (!is_checked || (!is_integer(target.tensor->dtype) && target.tensor->dtype != Dtype::Bool) ||
      !is_floating(result.tensor->dtype)) {
    return;
  }
  if (Problem *problem = in.report(Fault::DtypeMismatch, place,
                                   fmt::format("the result is {}, which cannot be stored in a tensor of {}",
                                               name_of(result.tensor->dtype), name_of(target.tensor->dtype)))) {
    in.add_chain(*problem, *target.tensor);
    problem->advice = "create a new tensor: x = x / n, or convert it first: x = x.float()";
  }
}

} // namespace

Flow Interpreter::exec(const Block &block) {
  for (const Stmt *statement : block) {
    const Flow flow = exec(statement);
    if (flow != Flow::Next) {
      return flow;
    }
  }
  return Flow::Next;
}

namespace {

bool may_end_program(const Expr *callee) {
  const auto *attribute = as<Attribute>(callee);
  const auto *name = as<Name>(callee);
  const std::string_view text = attribute != nullptr ? attribute->attr.text()
                                : name != nullptr    ? name->id.text()
                                                     : std::string_view{};
  return text == "exit" || text == "_exit" || text == "quit";
}

// sys.exit() and the like: nothing after them runs.
bool ends_program(const Value &callee) {
  if (!callee.is(Tag::Api)) {
    return false;
  }
  const std::string_view name = callee.text();
  return name == "sys.exit" || name == "exit" || name == "quit" || name == "os._exit";
}

} // namespace

Flow Interpreter::exec(const Stmt *statement) {
  if (!spend()) {
    return Flow::Raise;
  }
  switch (statement->kind) {
  case NodeKind::ExprStmt: {
    const Expr *const value = static_cast<const ExprStmt *>(statement)->value;
    if (const auto *call = as<Call>(value);
        call != nullptr && may_end_program(call->func) && ends_program(eval(call->func))) {
      return Flow::Raise;
    }
    if (value->kind != NodeKind::Constant) {
      eval(value);
    }
    return Flow::Next;
  }
  case NodeKind::Assign: {
    const auto *assignment = static_cast<const Assign *>(statement);
    const Value value = eval(assignment->value);
    for (const Expr *target : assignment->targets) {
      assign(target, value);
    }
    return Flow::Next;
  }
  case NodeKind::AnnAssign: {
    const auto *assignment = static_cast<const AnnAssign *>(statement);
    if (assignment->value != nullptr) {
      assign(assignment->target, eval(assignment->value));
    }
    return Flow::Next;
  }
  case NodeKind::AugAssign: {
    const auto *assignment = static_cast<const AugAssign *>(statement);
    const Value left = eval(assignment->target);
    const Value right = eval(assignment->value);
    if (left.is(Tag::List) && assignment->op() == Operator::Add) {
      std::vector<Value> items;
      const bool is_exact = iterate(right, items);
      ListContent &content = heap.change(*left.list);
      if (is_exact && !content.is_open && content.items.size() + items.size() <= kMostComputedItems) {
        content.items.insert(content.items.end(), items.begin(), items.end());
      } else {
        content.is_open = true;
        content.items.assign(1, Value());
      }
      return Flow::Next;
    }
    const Value result = binary(assignment->op(), left, right, assignment->target);
    check_in_place(*this, left, result, assignment->target);
    is_in_place_ = true;
    assign(assignment->target, result);
    is_in_place_ = false;
    return Flow::Next;
  }
  case NodeKind::Return: {
    const auto *leave = static_cast<const Return *>(statement);
    const Value value = leave->value != nullptr ? eval(leave->value) : Value::none();
    result_ = heap.join(result_, value);
    return Flow::Return;
  }
  case NodeKind::If:
    return exec_if(static_cast<const If *>(statement));
  case NodeKind::For:
    return exec_for(static_cast<const For *>(statement));
  case NodeKind::While:
    return exec_while(static_cast<const While *>(statement));
  case NodeKind::With:
    return exec_with(static_cast<const With *>(statement));
  case NodeKind::Try:
    return exec_try(static_cast<const Try *>(statement));
  case NodeKind::Match:
    return exec_match(static_cast<const Match *>(statement));
  case NodeKind::FunctionDef:
    define_function(static_cast<const FunctionDef *>(statement));
    return Flow::Next;
  case NodeKind::ClassDef:
    define_class(static_cast<const ClassDef *>(statement));
    return Flow::Next;
  case NodeKind::Import:
    exec_import(static_cast<const Import *>(statement));
    return Flow::Next;
  case NodeKind::ImportFrom:
    exec_import_from(static_cast<const ImportFrom *>(statement));
    return Flow::Next;
  case NodeKind::Global:
    for (const Symbol name : static_cast<const Global *>(statement)->names) {
      frame_->globals.push_back(name);
    }
    return Flow::Next;
  case NodeKind::Nonlocal:
    for (const Symbol name : static_cast<const Nonlocal *>(statement)->names) {
      frame_->globals.push_back(name);
    }
    return Flow::Next;
  case NodeKind::Raise:
    return Flow::Raise;
  case NodeKind::Break:
    return Flow::Break;
  case NodeKind::Continue:
    return Flow::Continue;
  case NodeKind::Assert: {
    is_undecided_ = false;
    const Value test = eval(static_cast<const Assert *>(statement)->test);
    check_truth_value(*this, static_cast<const Assert *>(statement)->test, test);
    return truth(test) == Truth::No ? Flow::Raise : Flow::Next;
  }
  case NodeKind::Delete:
    for (const Expr *target : static_cast<const Delete *>(statement)->targets) {
      if (const auto *name = as<Name>(target)) {
        bind(name->id, Value(Tag::Undefined));
      } else if (const auto *item = as<Subscript>(target)) {
        const Value holder = eval(item->value);
        if (holder.is_sequence()) {
          ListContent &content = heap.change(*holder.list);
          content.is_open = true;
          content.items.assign(1, Value());
        } else if (holder.is(Tag::Dict)) {
          remove_key(*holder.dict, eval_index(item->slice));
        } else if (is_frame(holder)) {
          frame_change(*this, *holder.object);
        }
      } else if (const auto *attr = as<Attribute>(target)) {
        set_attribute(eval(attr->value), attr->attr, Value(Tag::Undefined));
      }
    }
    return Flow::Next;
  case NodeKind::Magic:
    return exec(static_cast<const Magic *>(statement)->body);
  case NodeKind::Print:
    for (const Expr *value : static_cast<const Print *>(statement)->values) {
      eval(value);
    }
    return Flow::Next;
  default:
    return Flow::Next;
  }
}

// ---- Conditions -----------------------------------------------------------------------------------------------------

namespace {

// Does the test look at shapes or types? What it guards may hold for some of them only.
bool asks_for_shape(const Node *node, u32 depth = 0) {
  if (depth > 20) {
    return true;
  }
  if (const auto *attribute = as<Attribute>(node)) {
    static const NameTable kAttributes({"shape", "ndim", "size", "dim", "dtype", "device", "numel", "is_cuda",
                                        "is_floating_point", "nelement", "requires_grad", "is_complex",
                                        "is_contiguous"});
    if (kAttributes.has(attribute->attr)) {
      return true;
    }
  }
  if (const auto *call = as<Call>(node)) {
    if (const auto *name = as<Name>(call->func)) {
      static const NameTable kFunctions({"isinstance", "hasattr", "len", "type", "callable", "issubclass"});
      if (kFunctions.has(name->id)) {
        return true;
      }
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || asks_for_shape(child, depth + 1); });
  return found;
}

// `if self.training`: both happen to every module.
bool is_harmless(const Expr *test) {
  if (const auto *negation = as<UnaryOp>(test)) {
    return is_harmless(negation->operand);
  }
  const auto *attribute = as<Attribute>(test);
  return attribute != nullptr && attribute->attr.text() == "training";
}

// `__name__ == "__main__"`
bool is_main_test(const Expr *test) {
  const auto *compare = as<Compare>(test);
  if (compare == nullptr || compare->rest.size() != 1) {
    return false;
  }
  const auto is_name = [](const Expr *expr) {
    const auto *name = as<Name>(expr);
    return name != nullptr && name->id.text() == "__name__";
  };
  return is_name(compare->left) || is_name(compare->rest[0].right);
}

} // namespace

bool Interpreter::is_guard(const Expr *test) { return is_undecided_ || asks_for_shape(test); }

Flow Interpreter::exec_if(const If *statement) {
  if (is_main_test(statement->test)) {
    if (frame_->function == nullptr && !frame_->is_class) {
      mains.emplace_back(module(), statement);
    }
    return Flow::Next;
  }
  is_undecided_ = false;
  const Value test = eval(statement->test);
  check_truth_value(*this, statement->test, test);
  if (test.is(Tag::HasGpu)) {
    // Both happen, on different machines.
    return either([&] { return exec(statement->body); }, [&] { return exec(statement->orelse); }, false);
  }
  switch (truth(test)) {
  case Truth::Yes:
    return exec(statement->body);
  case Truth::No:
    return exec(statement->orelse);
  default:
    break;
  }
  // What is under a condition that nobody knows may run for other arguments only: a mode that goes with other shapes.
  const bool guard = is_guard(statement->test);
  const u32 unsure = is_harmless(statement->test) ? 0 : 1;
  const auto run = [&](const Block &block) {
    quiet_ += unsure;
    const Flow flow = exec(block);
    quiet_ -= unsure;
    return flow;
  };
  return either([&] { return run(statement->body); }, [&] { return run(statement->orelse); }, guard);
}

Flow Interpreter::either(FunctionRef<Flow()> first, FunctionRef<Flow()> second, bool is_guard) {
  const u32 quiet = quiet_;
  quiet_ += is_guard ? 1 : 0;
  heap.begin_branch();
  const Flow a = first();
  Branch left = heap.end_branch();
  heap.begin_branch();
  const Flow b = second();
  Branch right = heap.end_branch();
  quiet_ = quiet;
  if (loop_ != nullptr && (a != b) &&
      (a == Flow::Break || a == Flow::Continue || b == Flow::Break || b == Flow::Continue)) {
    loop_->may_be_left = true;
  }
  if (loop_ != nullptr && a != b && (a == Flow::Return || b == Flow::Return)) {
    loop_->may_return = true;
  }
  if (a == b) {
    heap.join(std::move(left), std::move(right));
    return a;
  }
  if (a == Flow::Next || b == Flow::Next) {
    rest_is_quiet_ = rest_is_quiet_ || is_guard;
    heap.apply(std::move(a == Flow::Next ? left : right));
    return Flow::Next;
  }
  if (a == Flow::Raise || b == Flow::Raise) {
    heap.apply(std::move(a == Flow::Raise ? right : left));
    return a == Flow::Raise ? b : a;
  }
  heap.join(std::move(left), std::move(right));
  return a == Flow::Return ? b : a; // goes on after the loop in one of them
}

Flow Interpreter::exec_match(const Match *statement) {
  const Value subject = eval(statement->subject);
  const std::function<Flow(u32)> from = [&](u32 at) -> Flow {
    if (at >= statement->cases.size()) {
      return Flow::Next;
    }
    const MatchCase &branch = statement->cases[at];
    Truth matches = Truth::Unknown;
    if (const auto *value = as<MatchValue>(branch.pattern)) {
      matches = truth(compare(CompareOperator::Eq, subject, eval(value->value), value->value));
    } else if (const auto *any = as<MatchAs>(branch.pattern); any != nullptr && any->pattern == nullptr) {
      matches = Truth::Yes;
      if (any->name) {
        bind(any->name, subject);
      }
    }
    if (branch.guard != nullptr && matches == Truth::Yes) {
      matches = truth(eval(branch.guard));
    }
    if (matches == Truth::Yes) {
      return exec(branch.body);
    }
    if (matches == Truth::No) {
      return from(at + 1);
    }
    return either([&] { return exec(branch.body); }, [&] { return from(at + 1); }, true);
  };
  return from(0);
}

// ---- with, try ------------------------------------------------------------------------------------------------------

namespace {

bool expects_errors(const Expr *context) {
  const auto *call = as<Call>(context);
  if (call == nullptr) {
    return false;
  }
  const auto *attribute = as<Attribute>(call->func);
  const auto *name = as<Name>(call->func);
  const std::string_view text = attribute != nullptr ? attribute->attr.text()
                                : name != nullptr    ? name->id.text()
                                                     : std::string_view{};
  return text == "raises" || text.starts_with("assertRaises") || text == "suppress" || text == "assert_raises" ||
         text == "assertWarns" || text == "warns" || text == "expect_fail" || text == "ExceptionExpected";
}

} // namespace

Flow Interpreter::exec_with(const With *statement) {
  const u32 quiet = quiet_;
  const u32 no_grad = no_grad_;
  const u32 autocast = autocast_;
  const bool is_other_device = is_changed_default_device;
  for (const WithItem &item : statement->items) {
    quiet_ += expects_errors(item.context_expr) ? 1 : 0;
    Value context = eval(item.context_expr);
    if (context.is(Tag::Object) && context.object->content.api) {
      const std::string_view api = context.object->content.api.text();
      no_grad_ += api == "torch.no_grad" || api == "torch.inference_mode" ? 1 : 0;
      autocast_ += api.find("autocast") != std::string_view::npos ? 1 : 0;
      if (api == "torch.set_grad_enabled" && !context.object->content.args.empty()) {
        no_grad_ += truth(context.object->content.args[0]) != Truth::Yes ? 1 : 0;
      }
      if (context.object->type != nullptr) {
        Arguments none;
        context = call_method(*context.object, "__enter__", none, item.context_expr);
      }
    } else if (context.is_unknown() || context.is(Tag::Opaque)) {
      // Some helper of the program's own: it may well be autocast, or a device.
      const std::string_view text = source_of(module(), item.context_expr);
      autocast_ +=
          text.find("autocast") != std::string_view::npos || text.find("amp") != std::string_view::npos ? 1 : 0;
      is_changed_default_device = true;
    } else if (context.is(Tag::Device)) {
      is_changed_default_device = true; // `with torch.device("cuda"):`
    }
    if (item.optional_vars != nullptr) {
      assign(item.optional_vars, context);
    }
  }
  const Flow flow = exec(statement->body);
  quiet_ = quiet;
  no_grad_ = no_grad;
  autocast_ = autocast;
  is_changed_default_device = is_other_device;
  return flow;
}

namespace {

// Would this handler take what torch raises?
bool takes_crashes(const ExceptHandler *handler) {
  const auto is_narrow = [](const Expr *type) {
    const auto *name = as<Name>(type);
    const auto *attribute = as<Attribute>(type);
    const std::string_view text = name != nullptr        ? name->id.text()
                                  : attribute != nullptr ? attribute->attr.text()
                                                         : std::string_view{};
    return text == "KeyboardInterrupt" || text == "ImportError" || text == "ModuleNotFoundError" || text == "OSError" ||
           text == "IOError" || text == "FileNotFoundError" || text == "StopIteration" || text == "EOFError" ||
           text == "SystemExit" || text == "KeyError" || text == "PermissionError" || text == "ZeroDivisionError" ||
           text == "UnicodeDecodeError" || text == "JSONDecodeError" || text == "TimeoutError";
  };
  if (handler->type == nullptr) {
    return true;
  }
  if (const auto *several = as<Tuple>(handler->type)) {
    return !std::ranges::all_of(several->elts, is_narrow);
  }
  return !is_narrow(handler->type);
}

} // namespace

Flow Interpreter::exec_try(const Try *statement) {
  const u32 quiet = quiet_;
  quiet_ += std::ranges::any_of(statement->handlers, takes_crashes) ? 1 : 0;
  const bool only_imports = std::ranges::all_of(statement->body, [](const Stmt *inside) {
    return inside->kind == NodeKind::Import || inside->kind == NodeKind::ImportFrom;
  });
  Flow flow = exec(statement->body);
  quiet_ = quiet;
  if (flow == Flow::Next) {
    flow = exec(statement->orelse);
  }
  // The handlers run from somewhere inside of the body; what they bind may be there as well. That one of them leaves
  // the function says nothing about shapes.
  const bool rest_is_quiet = rest_is_quiet_;
  for (const ExceptHandler *handler : statement->handlers) {
    if (only_imports && flow == Flow::Next) {
      // What we can find is imported; what we cannot is unknown in both cases.
      continue;
    }
    const Flow before = flow;
    flow = either([&] { return before; },
                  [&] {
                    if (handler->name) {
                      bind(handler->name, Value());
                    }
                    return exec(handler->body);
                  },
                  true);
  }
  rest_is_quiet_ = rest_is_quiet;
  const Flow last = exec(statement->finalbody);
  return last != Flow::Next ? last : flow;
}

} // namespace deepperf::shapes
