#include "model/line_print.h"

#include "base/write.h"
#include "model/debug_print.h"
#include "model/facts.h"
#include "python/children.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace deepperf::model {

using namespace python;

namespace {

std::string place_of(const Module &module, u32 offset) {
  const Position position = module.parsed->source.position(offset);
  return position.cell != 0 ? fmt::format("{}:{}:{}", module.parsed->path, position.cell, position.line)
                            : fmt::format("{}:{}", module.parsed->path, position.line);
}

class LinePrinter {
public:
  LinePrinter(const Project &project, const Module &module, Span line, std::string &out)
      : project_(project), module_(module), line_(line), out_(out) {}

  void run() {
    const FunctionInfo *function = module_.body;
    std::vector<const Loop *> loops;
    std::vector<const Expr *> expressions;
    for (const Stmt *statement : module_.parsed->tree.body) {
      search(statement, function, loops, expressions);
    }
    print_function(*function);
    for (const Loop *loop : loops) {
      print_loop(*loop);
    }
    for (const Expr *expr : expressions) {
      print_expression(expr, *function);
    }
  }

private:
  // The innermost function around the line, its loops, and expressions that begin on the line, larger ones first.
  void search(const Node *node, const FunctionInfo *&function, std::vector<const Loop *> &loops,
              std::vector<const Expr *> &expressions) const {
    if (node->start >= line_.end || node->end <= line_.start) {
      return;
    }
    const bool begins_here = node->start >= line_.start;
    if (const FunctionInfo *inner = project_.function_at(node); inner != nullptr && !begins_here) {
      function = inner;
      loops.clear();
    } else if (const Loop *loop = project_.loop_at(node); loop != nullptr) {
      loops.push_back(loop);
    }
    if (begins_here && node->kind < NodeKind::FunctionDef && node->kind != NodeKind::Constant) {
      expressions.push_back(static_cast<const Expr *>(node));
    }
    for_each_child(node, [&](const Node *child) { search(child, function, loops, expressions); });
  }

  void print_function(const FunctionInfo &function) const {
    if (function.node == nullptr) {
      write(out_, "in module-level code\n");
      return;
    }
    std::vector<std::string> facts;
    const auto add = [&facts](bool holds, std::string_view text) {
      if (holds) {
        facts.emplace_back(text);
      }
    };
    add(function.steps, "takes a training step");
    add(!function.steps && function.trains, "trains");
    add(function.in_loop, "called from a loop");
    add(function.traced, "traced or compiled");
    add(function.no_grad, "always runs without gradients");
    add(!function.no_grad && function.sometimes_no_grad, "sometimes runs without gradients");
    add(function.in_parallel, "runs for many elements in parallel");
    add(function.runs_session, "runs a session");
    add(function.is_test, "a test");
    write(out_, "in function {}{}{}\n", function.name ? function.name.text() : "<lambda>", facts.empty() ? "" : ": ",
          fmt::join(facts, ", "));
    print_callers(function);
    for (u32 i = 0; i < function.params.size() && i < function.inputs.size(); ++i) {
      if (function.params[i]->name) {
        write(out_, "  parameter {}: {}\n", function.params[i]->name.text(), describe(function.inputs[i].value));
      }
    }
  }

  void print_callers(const FunctionInfo &function) const {
    constexpr u32 kMostCallers = 10;
    const std::size_t count = function.called_by.size();
    for (std::size_t i = 0; i < count && i < kMostCallers; ++i) {
      const CallSite &site = *function.called_by[i];
      write(out_, "  called at {}\n", place_of(*site.caller->module, site.call->start));
    }
    if (count == 0) {
      write(out_, "  no call of it was found in these files\n");
    } else if (count > kMostCallers) {
      write(out_, "  and {} more calls\n", count - kMostCallers);
    }
  }

  void print_loop(const Loop &loop) const {
    const auto *statement = as<For>(loop.node);
    std::string iterated = "while";
    if (statement != nullptr) {
      const Kind kind = kind_of(statement->iter);
      iterated = fmt::format("over `{}`, {}", text_of(statement->iter),
                             kind != Kind::Unknown ? fmt::format("a {}", name_of(kind)) : "of unknown kind");
    }
    write(out_, "in the loop at {}: {}{}{}{}{}\n", place_of(module_, loop.node->start), iterated,
          loop.few_iterations ? ", few iterations" : "", loop.steps ? ", each iteration is a training step" : "",
          !loop.steps && loop.trains ? ", training happens in it" : "",
          loop.once ? ", under a condition that is true only once" : "");
  }

  void print_expression(const Expr *expr, const FunctionInfo &function) const {
    std::vector<std::string> facts;
    if (const Kind kind = kind_of(expr); kind != Kind::Unknown) {
      facts.emplace_back(name_of(kind));
    }
    if (has_grad(expr)) {
      facts.emplace_back("part of an autograd graph");
    }
    if (is_moved(expr)) {
      facts.emplace_back("on a device");
    }
    if (const auto *call = as<Call>(expr); call != nullptr) {
      facts.push_back("calls " + describe(project_.callee_of(call)));
    }
    if (const auto *name = as<Name>(expr); name != nullptr) {
      const Value *const value = all_values_of(function, name->id);
      facts.push_back(value == nullptr ? "a builtin, or not bound here" : "in all: " + describe_with_maker(*value));
    }
    write(out_, "  {:<40} {}\n", fmt::format("`{}`", text_of(expr)),
          facts.empty() ? "unknown" : fmt::format("{}", fmt::join(facts, ", ")));
  }

  [[nodiscard]] std::string describe_with_maker(const Value &value) const {
    const bool is_made = value.is(Value::Tag::Instance) && value.kind != Kind::Dataset && value.maker() != nullptr;
    const FunctionInfo *const maker = is_made ? project_.caller_of(value.maker()) : nullptr;
    return describe(value) + (maker != nullptr ? " at " + place_of(*maker->module, value.maker()->start) : "");
  }

  // Its first line, if that is not too long.
  [[nodiscard]] std::string text_of(const Node *node) const {
    constexpr std::size_t kMostBytes = 60;
    const std::string_view text = module_.parsed->source.part(node->start, node->end);
    const std::size_t end = std::min(text.find('\n'), kMostBytes);
    return text.size() > end ? fmt::format("{}…", text.substr(0, end)) : std::string(text);
  }

  const Project &project_;
  const Module &module_;
  Span line_;
  std::string &out_;
};

} // namespace

void print_line(const Project &project, const Module &module, Span line, std::string &out) {
  LinePrinter(project, module, line, out).run();
}

} // namespace deepperf::model
