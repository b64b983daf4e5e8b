// What rules ask, with the answers put into words for those who want to know why a rule is silent: see trace.h.
#include "model/debug_print.h"
#include "rules/answers.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::Value;

namespace {

std::string yes_or_no(bool answer) { return answer ? "yes" : "no"; }

template <class Number> std::string describe_number(const std::optional<Number> &number) {
  return number.has_value() ? fmt::format("{}", *number) : "unknown";
}

std::string line_of(const Site &site, const Node *node) {
  return fmt::format("line {}", site.module->parsed->source.position(node->start).line);
}

std::string describe_loop(const Site &site, const model::Loop *loop) {
  return loop != nullptr ? "the one at " + line_of(site, loop->node) : "none";
}

std::string name_of_function(const model::FunctionInfo &function) {
  return function.node == nullptr ? "module-level code"
         : function.name          ? fmt::format("`{}`", function.name.text())
                                  : "a lambda";
}

// Who calls a function, as far as these files tell.
std::string describe_callers(const model::FunctionInfo &function) {
  constexpr u32 kMostCallers = 3;
  std::string names;
  std::size_t count = 0;
  const model::FunctionInfo *last = nullptr;
  for (const model::CallSite *call : function.called_by) {
    if (call->caller != last && ++count <= kMostCallers) {
      names += (names.empty() ? "" : ", ") + name_of_function(*call->caller);
    }
    last = call->caller;
  }
  if (count == 0) {
    return "no call of it was found in these files";
  }
  return fmt::format("called by {}{}", names,
                     count > kMostCallers ? fmt::format(" and {} more", count - kMostCallers) : "");
}

std::string describe_function(const Site &site) {
  return site.function == nullptr || site.function->node == nullptr
             ? "module-level code"
             : fmt::format("{} ({})", name_of_function(*site.function), describe_callers(*site.function));
}

std::string describe_step(const Site &site, bool answer) {
  const model::FunctionInfo *const function = site.function;
  std::string loops;
  for (const model::Loop *loop = answers::loop_around(site); loop != nullptr; loop = loop->parent) {
    loops += fmt::format("; the loop at {} {} a training step in each iteration", line_of(site, loop->node),
                         loop->steps ? "takes" : "does not take");
  }
  if (loops.empty()) {
    loops = "; no loop around it";
  }
  const bool is_module = function == nullptr || function->node == nullptr;
  const std::string around = is_module ? ""
                                       : fmt::format("; {} a training step itself, {} from a loop",
                                                     function->steps ? "takes" : "does not take",
                                                     function->in_loop ? "called" : "not known to be called");
  return fmt::format("{}: in {}{}{}", yes_or_no(answer), describe_function(site), around, loops);
}

} // namespace

std::string_view called_api(const Site &site, const Call &call) {
  const Asking asking(site, "which API does it call?", &call);
  const std::string_view api = answers::called_api(site, call);
  asking.answer([&] {
    return api.empty() ? fmt::format("none; the callee is {}", model::describe(site.project.callee_of(&call)))
                       : std::string(api);
  });
  return api;
}

const model::FunctionInfo *called_function(const Site &site, const Call &call) {
  const Asking asking(site, "which function of the project does it call?", &call);
  const model::FunctionInfo *const function = answers::called_function(site, call);
  asking.answer([&] {
    return function == nullptr ? fmt::format("none; the callee is {}", model::describe(site.project.callee_of(&call)))
                               : name_of_function(*function);
  });
  return function;
}

const Call *maker_of_callee(const Site &site, const Call &call, std::string_view *api) {
  const Asking asking(site, "which call created the object that is called?", &call);
  const Call *const maker = answers::maker_of_callee(site, call, api);
  asking.answer([&] {
    return fmt::format("{}{}", maker == nullptr ? "unknown; the callee is " : "",
                       model::describe(site.project.callee_of(&call)));
  });
  return maker;
}

Value value_of(const Site &site, const Expr *expr) {
  const Asking asking(site, "what is it?", expr);
  const Value value = answers::value_of(site, expr);
  asking.answer([&] { return model::describe(value); });
  return value;
}

std::optional<double> number_of(const Site &site, const Expr *expr) {
  const Asking asking(site, "which number is it?", expr);
  const std::optional<double> number = answers::number_of(site, expr);
  asking.answer([&] { return describe_number(number); });
  return number;
}

std::optional<i64> integer_of(const Site &site, const Expr *expr) {
  const Asking asking(site, "which integer is it?", expr);
  const std::optional<i64> number = answers::integer_of(site, expr);
  asking.answer([&] { return describe_number(number); });
  return number;
}

std::optional<bool> bool_of(const Site &site, const Expr *expr) {
  const Asking asking(site, "is it True or False?", expr);
  const std::optional<bool> answer = answers::bool_of(site, expr);
  asking.answer([&] { return !answer.has_value() ? "unknown" : *answer ? "True" : "False"; });
  return answer;
}

std::optional<std::string> string_of(const Site &site, const Expr *expr) {
  const Asking asking(site, "which string is it?", expr);
  std::optional<std::string> text = answers::string_of(site, expr);
  asking.answer([&] { return text.has_value() ? fmt::format("\"{}\"", *text) : "unknown"; });
  return text;
}

bool is_batch_of_one(const Site &site, const Expr *expr) {
  const Asking asking(site, "is it a batch of one example?", expr);
  const bool answer = answers::is_batch_of_one(site, expr);
  asking.answer([&] { return yes_or_no(answer); });
  return answer;
}

const Expr *last_assigned(const Site &site, const Name &name) {
  const Asking asking(site, "what was last assigned to it before this place?", &name);
  const Expr *const assigned = answers::last_assigned(site, name);
  asking.answer([&] { return assigned != nullptr ? fmt::format("`{}`", text_of(site, assigned)) : "unknown"; });
  return assigned;
}

const model::Loop *loop_around(const Site &site) {
  const Asking asking(site, "which loop is around it?");
  const model::Loop *const loop = answers::loop_around(site);
  asking.answer([&] { return describe_loop(site, loop); });
  return loop;
}

const model::Loop *long_loop_around(const Site &site) {
  const Asking asking(site, "which loop of possibly many iterations is around it?");
  const model::Loop *const loop = answers::long_loop_around(site);
  asking.answer([&] { return describe_loop(site, loop); });
  return loop;
}

const Expr *iterated_by(const Site &site, const model::Loop &loop) {
  const Asking asking(site, "what does the loop iterate over?", loop.node);
  const Expr *const iterated = answers::iterated_by(site, loop);
  asking.answer([&]() -> std::string {
    if (iterated == nullptr) {
      return "nothing: it is a `while`";
    }
    const Kind kind = model::kind_of(iterated);
    return fmt::format("`{}`, {}", text_of(site, iterated),
                       kind != Kind::Unknown ? fmt::format("a {}", name_of(kind)) : "of unknown kind");
  });
  return iterated;
}

bool goes_over_data(const Site &site, const model::Loop &loop) {
  const Asking asking(site, "does the loop iterate over batches or samples?", loop.node);
  const bool answer = answers::goes_over_data(site, loop);
  asking.answer([&] { return yes_or_no(answer); });
  return answer;
}

bool runs_every_iteration(const Site &site, const model::Loop &loop) {
  const Asking asking(site, "does the place run in every iteration?", loop.node);
  const bool answer = answers::runs_every_iteration(site, loop);
  asking.answer([&] { return yes_or_no(answer); });
  return answer;
}

bool in_training_step(const Site &site) {
  const Asking asking(site, "does it run in a training step?");
  const bool answer = answers::in_training_step(site);
  asking.answer([&] { return describe_step(site, answer); });
  return answer;
}

const Node *enclosing(const Site &site, NodeKind kind) {
  const Asking asking(site, "is it inside a node of a certain kind?");
  const Node *const node = answers::enclosing(site, kind);
  asking.answer([&] { return node != nullptr ? "yes, at " + line_of(site, node) : "no"; });
  return node;
}

bool inside_with(const Site &site, Kind kind) {
  const Asking asking(site, "is it inside a certain `with`?");
  const bool answer = answers::inside_with(site, kind);
  asking.answer([&] { return fmt::format("{} ({})", yes_or_no(answer), name_of(kind)); });
  return answer;
}

bool under_no_grad(const Site &site) {
  const Asking asking(site, "does it run without gradients?");
  const bool answer = answers::under_no_grad(site);
  asking.answer([&] { return fmt::format("{}: in {}", yes_or_no(answer), describe_function(site)); });
  return answer;
}

bool in_method(const Site &site, Kind kind, std::string_view name) {
  const Asking asking(site, "is it in a certain method?");
  const bool answer = answers::in_method(site, kind, name);
  asking.answer([&] { return fmt::format("{} (`{}` of a {})", yes_or_no(answer), name, name_of(kind)); });
  return answer;
}

bool is_traced(const Site &site) {
  const Asking asking(site, "is it traced or compiled?");
  const bool answer = answers::is_traced(site);
  asking.answer([&] { return fmt::format("{}: in {}", yes_or_no(answer), describe_function(site)); });
  return answer;
}

} // namespace deepperf::rules
