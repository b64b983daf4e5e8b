#include "model/debug_print.h"

#include "base/write.h"
#include "model/lattice.h"
#include "model/mapper.h"
#include "python/children.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace deepperf::model {

using namespace python;

namespace {

std::string join_words(const std::vector<std::string> &words, std::string_view between = ", ") {
  return fmt::format("{}", fmt::join(words, between));
}

// ---- Places and names -----------------------------------------------------------------------------------------------

std::string place(const Module &module, u32 offset) {
  const Position position = module.parsed->source.position(offset);
  return position.cell != 0 ? fmt::format("{}:cell {}:{}", module.parsed->path, position.cell, position.line)
                            : fmt::format("{}:{}", module.parsed->path, position.line);
}

// Without the file if that is the reader's own.
std::string place_from(const Module &reader, const Module &module, u32 offset) {
  const std::string full = place(module, offset);
  return &reader == &module ? full.substr(module.parsed->path.size() + 1) : full;
}

std::string qualified_name(const ClassInfo &type) { return std::string(type.name.text()); }

// `Model.call`, `train.<lambda>`, `<module>`.
std::string qualified_name(const FunctionInfo &function) {
  if (function.node == nullptr) {
    return "<module>";
  }
  std::string name = function.name ? std::string(function.name.text()) : "<lambda>";
  if (function.type != nullptr) {
    return qualified_name(*function.type) + "." + name;
  }
  for (const FunctionInfo *outer = function.parent; outer != nullptr && outer->node != nullptr; outer = outer->parent) {
    const std::string_view outer_name = outer->name ? outer->name.text() : "<lambda>";
    name = fmt::format("{}{}.{}", outer->type != nullptr ? qualified_name(*outer->type) + "." : "", outer_name, name);
  }
  return name;
}

std::string describe(const Value &value, u32 depth);

std::string describe_items(const Value &value, u32 depth) {
  constexpr u32 kMostItems = 8;
  if (has_entries(value)) {
    std::vector<std::string> entries;
    for (u32 i = 0; i < entry_count(value); ++i) {
      const Entry entry = entry_at(value, i);
      entries.push_back(fmt::format("{}: {}", entry.name.text(), describe(entry.value, depth + 1)));
    }
    std::ranges::sort(entries); // symbols are numbered as threads come across them
    if (entries.size() > kMostItems) {
      entries.resize(kMostItems);
      entries.emplace_back("…");
    }
    return fmt::format("{{{}}}", join_words(entries));
  }
  if (value.uniform) {
    return fmt::format("many of: {}", describe(value.items[0], depth + 1));
  }
  std::vector<std::string> items;
  for (u32 i = 0; i < value.number && i < kMostItems; ++i) {
    items.push_back(describe(value.items[i], depth + 1));
  }
  if (value.number > kMostItems) {
    items.emplace_back("…");
  }
  return fmt::format("({})", join_words(items));
}

std::string describe_one(const Value &value, u32 depth);

std::string describe(const Value &value, u32 depth) {
  if (depth > 4) {
    return "…";
  }
  std::vector<std::string> parts;
  if (value.alternatives == nullptr) {
    parts.push_back(describe_one(value, depth));
  } else {
    for_each_alternative(value, [&](const Value &one) { parts.push_back(describe_one(one, depth)); });
  }
  if (value.none) {
    parts.emplace_back("None");
  }
  if (value.open) {
    parts.emplace_back("unknown");
  }
  std::string text;
  for (const std::string &part : parts) {
    text += (text.empty() ? "" : " | ") + part;
  }
  return text;
}

std::string describe_one(const Value &value, u32 depth) {
  switch (value.tag) {
  case Value::Tag::Unknown:
    return "unknown";
  case Value::Tag::Bottom:
    return "nothing";
  case Value::Tag::None:
    return "None";
  case Value::Tag::Literal:
    return "literal";
  case Value::Tag::Api:
    return fmt::format("Api {}{}", value.name().text(), value.v1 ? " (v1)" : "");
  case Value::Tag::Instance: {
    std::string text(name_of(value.kind));
    if (value.maker() != nullptr && value.name()) {
      text += fmt::format(" made by {}", value.name().text());
    }
    return text + (value.container ? ", or a container of them" : "");
  }
  case Value::Tag::Module:
    return fmt::format("module {}", value.module->parsed->path);
  case Value::Tag::Function:
    return fmt::format("function {}", qualified_name(*value.function));
  case Value::Tag::Class:
    return fmt::format("class {}", qualified_name(*value.type));
  case Value::Tag::Object:
    return fmt::format("object of {}", qualified_name(*value.type));
  case Value::Tag::Super:
    return fmt::format("super of {}", qualified_name(*value.type));
  case Value::Tag::Method:
    return fmt::format("method {}", qualified_name(*value.function));
  case Value::Tag::ApiMethod:
    return fmt::format("method {} of {}", value.name().text(), describe(value.receiver(), depth + 1));
  case Value::Tag::Tuple:
    return value.items == nullptr || value.number == 0 ? "()" : describe_items(value, depth);
  case Value::Tag::Partial:
    return fmt::format("partial of {}", describe(value.receiver(), depth + 1));
  case Value::Tag::Transform:
    return fmt::format("transformation {}", value.name() ? value.name().text() : "");
  }
  return "unknown";
}

} // namespace

std::string describe(const Value &value) { return describe(value, 0); }

namespace {

// ---- model ----------------------------------------------------------------------------------------------------------

// Names in the order of the alphabet, each with its value.
void print_named(std::vector<std::pair<std::string_view, std::string>> named, std::string_view indent,
                 std::string &out) {
  std::ranges::sort(named);
  std::size_t width = 0;
  for (const auto &[name, value] : named) {
    width = std::max(width, std::min<std::size_t>(name.size(), 30));
  }
  for (const auto &[name, value] : named) {
    write(out, "{}{:<{}} = {}\n", indent, name, width, value);
  }
}

void print_names(const FunctionInfo &function, std::string_view indent, std::string &out) {
  std::vector<std::pair<std::string_view, std::string>> named;
  for (u32 slot = 0; slot < function.names.size() && slot < function.all_values.size(); ++slot) {
    named.emplace_back(Symbol{function.names[slot]}.text(), describe(function.all_values[slot]));
  }
  print_named(std::move(named), indent, out);
}

void print_import(const Module &module, Symbol bound, std::string_view written, std::string &out) {
  const u32 slot = module.body != nullptr ? module.body->slot_of(bound) : FunctionInfo::kNoSlot;
  const bool is_known = slot != FunctionInfo::kNoSlot && slot < module.body->all_values.size();
  write(out, "    {:<12} -> {:<40} {}\n", bound.text(), is_known ? describe(module.body->all_values[slot]) : "unknown",
        written);
}

// Import statements of the module's own scope, also under if and try.
void print_imports(const Module &module, const Node *node, std::string &out) {
  const Source &source = module.parsed->source;
  const std::string_view text = source.part(node->start, node->end);
  if (const auto *import = as<Import>(node)) {
    for (const Alias *alias : import->names) {
      const std::string_view name = alias->name.text();
      print_import(module, alias->asname ? alias->asname : intern(name.substr(0, name.find('.'))), text, out);
    }
  } else if (const auto *from = as<ImportFrom>(node)) {
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    for (const Alias *alias : from->names) {
      if (alias->name.text() == "*") {
        write(out, "    {:<12} -> {:<40} {}\n", "*", "", line);
      } else {
        print_import(module, alias->asname ? alias->asname : alias->name, line, out);
      }
    }
  } else if (node->kind != NodeKind::FunctionDef && node->kind != NodeKind::ClassDef) {
    for_each_child(node, [&](const Node *child) {
      if (child->kind >= NodeKind::FunctionDef) { // statements only
        print_imports(module, child, out);
      }
    });
  }
}

std::vector<std::string> traits_of(const FunctionInfo &function) {
  std::vector<std::string> traits;
  const auto add = [&traits](bool holds, std::string_view text) {
    if (holds) {
      traits.emplace_back(text);
    }
  };
  add(function.traced, "traced");
  add(function.makes_variables, "makes variables");
  add(function.makes_graph, "makes a graph");
  add(function.runs_session, "runs a session");
  add(function.effects, "has effects");
  add(function.is_property, "property");
  add(function.is_static, "static");
  add(function.is_class_method, "class method");
  if (!function.attribute_stores.empty()) {
    std::vector<std::string> names;
    for (const Symbol attribute : function.attribute_stores) {
      names.emplace_back(attribute.text());
    }
    std::ranges::sort(names);
    traits.push_back(fmt::format("stores in self: {}", join_words(names, " ")));
  }
  return traits;
}

std::string signature(const FunctionInfo &function) {
  std::vector<std::string> params;
  for (const Param *param : function.params) {
    const std::string_view stars = param->param_kind() == ParamKind::VarArgs  ? "*"
                                   : param->param_kind() == ParamKind::KwArgs ? "**"
                                                                              : "";
    params.push_back(fmt::format("{}{}", stars, param->name ? param->name.text() : "(…)"));
  }
  return fmt::format("{}({})", qualified_name(function), join_words(params));
}

void print_function(const FunctionInfo &function, std::string &out) {
  const std::vector<std::string> traits = traits_of(function);
  write(out, "    {}  {} -> {}{}{}\n", place(*function.module, function.node->start), signature(function),
        describe(function.returns), traits.empty() ? "" : "  — ", join_words(traits));
  print_names(function, "        ", out);
}

void print_class(const ClassInfo &type, std::string &out) {
  std::vector<std::string> bases;
  for (const Value &base : type.bases) {
    bases.push_back(describe(base));
  }
  write(out, "    {}  {}({})", place(*type.module, type.node->start), qualified_name(type), join_words(bases));
  write(out, "{}{}\n", type.kind == Kind::Unknown ? "" : "  — is a ",
        type.kind == Kind::Unknown ? "" : name_of(type.kind));
  std::vector<std::pair<std::string_view, std::string>> named;
  for (const auto &[id, value] : type.members) {
    named.emplace_back(Symbol{id}.text(), describe(value));
  }
  print_named(std::move(named), "        ", out);
  std::vector<std::string> names;
  std::vector<std::pair<std::string_view, std::string>> attributes;
  names.reserve(type.attributes.size());
  for (const auto &[id, cell] : type.attributes) {
    names.push_back(fmt::format("self.{}", Symbol{id}.text()));
    attributes.emplace_back(names.back(), describe(cell.value));
  }
  print_named(std::move(attributes), "        ", out);
}

std::string facts_of(const Module &module) {
  std::vector<std::string> facts;
  if (module.tensorflow) {
    facts.emplace_back("imports TensorFlow");
  }
  if (module.torch) {
    facts.emplace_back("imports PyTorch");
  }
  if (module.jax) {
    facts.emplace_back("imports JAX");
  }
  if (module.v1) {
    facts.emplace_back("uses what only TF1 has");
  }
  if (module.v2) {
    facts.emplace_back("uses what only TF2 has");
  }
  if (module.is_test) {
    facts.emplace_back("test code");
  }
  return facts.empty() ? "" : "  — " + join_words(facts);
}

// Prints the title only if the section has something.
template <class Print> void print_section(std::string_view title, std::string &out, Print print) {
  std::string text;
  print(text);
  if (!text.empty()) {
    write(out, "  {}\n{}", title, text);
  }
}

} // namespace

void print_model(const Project &project, std::string &out) {
  for (const Module &module : project.modules) {
    write(out, "{}{}\n", module.parsed->path, facts_of(module));
    print_section("imports", out, [&](std::string &text) {
      for (const Stmt *statement : module.parsed->tree.body) {
        print_imports(module, statement, text);
      }
    });
    print_section("names", out, [&](std::string &text) {
      if (module.body != nullptr) {
        print_names(*module.body, "    ", text);
      }
    });
    print_section("functions", out, [&](std::string &text) {
      for (const FunctionInfo &function : project.functions) {
        if (function.module == &module && function.node != nullptr) {
          print_function(function, text);
        }
      }
    });
    print_section("classes", out, [&](std::string &text) {
      for (const ClassInfo &type : project.classes) {
        if (type.module == &module) {
          print_class(type, text);
        }
      }
    });
  }
}

// ---- pipelines ------------------------------------------------------------------------------------------------------

namespace {

class PipelinePrinter {
public:
  PipelinePrinter(const Project &project, std::string &out)
      : project_(project), out_(out), printed_(project.stages.size(), false) {}

  // Where branches meet is no end of its own: names keep such values that no stage takes up.
  void print() {
    std::vector<bool> continued(project_.stages.size(), false);
    for (u32 at = 1; at < project_.stages.size(); ++at) {
      if (is_meeting(at)) {
        printed_[at] = true;
        continue;
      }
      for (const u32 before : before_of(at)) {
        continued[before] = true;
      }
    }
    for (u32 at = 1; at < project_.stages.size(); ++at) {
      if (!continued[at] && !printed_[at]) {
        print_pipeline(at);
      }
    }
    for (u32 at = static_cast<u32>(project_.stages.size()); at-- > 1;) { // what goes round in a circle has no end
      if (!printed_[at]) {
        print_pipeline(at);
      }
    }
    if (count_ == 0) {
      out_ += "no pipelines\n";
    }
  }

private:
  // The stages right before one, with those where branches meet resolved into their branches. 0 is an unknown one.
  [[nodiscard]] std::vector<u32> before_of(u32 at) const {
    std::vector<u32> found;
    std::vector<u32> queue = {project_.stages[at].previous};
    std::vector<u32> seen;
    while (!queue.empty()) {
      const u32 next = queue.back();
      queue.pop_back();
      if (next >= project_.stages.size() || std::ranges::find(seen, next) != seen.end()) {
        continue;
      }
      seen.push_back(next);
      if (next != 0 && is_meeting(next)) {
        queue.push_back(project_.stages[next].other);
        queue.push_back(project_.stages[next].previous);
      } else {
        found.push_back(next);
      }
    }
    return found;
  }

  void print_pipeline(u32 end) {
    ++count_;
    write(out_, "pipeline {}\n", count_);
    print_chain(end, 1);
  }

  void print_chain(u32 end, u32 depth) {
    std::vector<u32> chain; // backwards, up to where branches meet or something above goes on
    std::vector<u32> before = {end};
    while (before.size() == 1 && before[0] != 0 && !printed_[before[0]]) {
      printed_[before[0]] = true;
      chain.push_back(before[0]);
      before = before_of(before[0]);
    }
    if (before.size() > 1) {
      for (const u32 branch : before) {
        write(out_, "{}branch\n", indent(depth));
        print_chain(branch, depth + 1);
      }
      write(out_, "{}branches meet\n", indent(depth));
    } else if (before.size() == 1 && before[0] != 0) {
      write(out_, "{}goes on from #{}\n", indent(depth), before[0]);
    } else if (chain.empty() || !is_source(chain.back())) {
      write(out_, "{}from a Dataset of unknown origin\n", indent(depth));
    }
    std::ranges::reverse(chain);
    for (const u32 stage : chain) {
      print_stage(stage, depth);
    }
  }

  void print_stage(u32 at, u32 depth) {
    const Stage &stage = project_.stages[at];
    write(out_, "{}#{}", indent(depth), at);
    if (stage.call != nullptr && stage.module != nullptr) {
      const auto *method = as<Attribute>(stage.call->func);
      // The method's own line, not that where a chain over many lines starts.
      const u32 offset = method != nullptr ? method->end - static_cast<u32>(method->attr.text().size())
                                           : static_cast<u32>(stage.call->start);
      write(out_, " {}", place(*stage.module, offset));
    }
    write(out_, " {}", stage.method.text());
    std::vector<std::string> facts;
    if (stage.info != nullptr && stage.call != nullptr && stage.info->has(kMaps | kInterleaves)) {
      facts.push_back(parallelism(stage));
    }
    if (stage.info != nullptr && stage.info->has(kMaps | kInterleaves | kFlatMaps | kFilters)) {
      facts.push_back(mapper(stage));
    }
    write(out_, "{}{}\n", facts.empty() ? "" : "  — ", join_words(facts, "; "));
  }

  static std::string parallelism(const Stage &stage) {
    const std::string_view text = stage.module->parsed->source.text();
    const auto given = [text](const Expr *value) {
      return fmt::format("num_parallel_calls={}", text.substr(value->start, value->end - value->start));
    };
    bool hidden = false;
    for (const Keyword *keyword : stage.call->keywords) {
      if (keyword->name && keyword->name.text() == "num_parallel_calls") {
        return given(keyword->value);
      }
      hidden |= !keyword->name;
    }
    const u32 position = stage.info->has(kInterleaves) ? 3 : 1;
    for (u32 i = 0; i < stage.call->args.size(); ++i) {
      hidden |= stage.call->args[i]->kind == NodeKind::Starred;
      if (i == position && !hidden) {
        return given(stage.call->args[i]);
      }
    }
    return hidden ? "perhaps parallel, by unpacked arguments" : "one at a time";
  }

  std::string mapper(const Stage &stage) const {
    const MapperFacts facts = examine_mapper(project_, stage.mapper);
    const std::string name = describe(stage.mapper);
    if (!facts.known) {
      return fmt::format("{}: not all of it is understood", name);
    }
    return fmt::format("{}: {} operation{}, {}, {}{}", name, facts.operations, facts.operations == 1 ? "" : "s",
                       facts.cheap ? "cheap" : "not cheap", facts.vectorisable ? "takes batches" : "needs one example",
                       facts.parses_single ? ", parses single examples" : "");
  }

  [[nodiscard]] bool is_meeting(u32 at) const { return project_.stages[at].info == nullptr; }
  [[nodiscard]] bool is_source(u32 at) const { return project_.stages[at].info->has(kSource); }
  static std::string indent(u32 depth) { return std::string(std::size_t{2} * std::min(depth, 40U), ' '); }

  const Project &project_;
  std::string &out_;
  std::vector<bool> printed_;
  u32 count_ = 0;
};

} // namespace

void print_pipelines(const Project &project, std::string &out) { PipelinePrinter(project, out).print(); }

// ---- summaries ------------------------------------------------------------------------------------------------------

namespace {

std::string dependencies(const FunctionInfo &function, const ReachedOp &reached) {
  if (reached.varies) {
    return "varies";
  }
  std::vector<std::string> names;
  for (u32 i = 0; i < 64 && i < function.params.size(); ++i) {
    if ((reached.params >> i & 1U) != 0) {
      const Symbol name = function.params[i]->name;
      names.emplace_back(name ? name.text() : "(…)");
    }
  }
  for (const Symbol attribute : reached.attributes) {
    names.push_back(fmt::format("self.{}", attribute.text()));
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names.empty() ? "depends on nothing of the caller's" : fmt::format("depends on {}", join_words(names));
}

void print_reached(const FunctionInfo &function, const ReachedOp &reached, std::string &out) {
  write(out, "    {}  {}  {}", place_from(*function.module, *reached.function->module, reached.op->call->start),
        reached.op->api.text(), dependencies(function, reached));
  std::vector<std::string> calls;
  for (const ReachedOp *step = &reached; step != nullptr && step->through != nullptr; step = step->next) {
    calls.push_back(
        fmt::format("{} (called at {})", qualified_name(*step->through->callee),
                    place_from(*function.module, *step->through->caller->module, step->through->call->start)));
  }
  write(out, "{}{}\n", calls.empty() ? "" : "  through ", join_words(calls, ", "));
}

} // namespace

void print_summaries(Project &project, std::string &out) {
  for (FunctionInfo &function : project.functions) {
    const std::vector<ReachedOp> &reached = reached_by(project, function);
    const std::vector<std::string> traits = traits_of(function);
    write(out, "{}  {}{}{}\n", place(*function.module, function.node != nullptr ? function.node->start : 0U),
          function.node != nullptr ? signature(function) : "<module>", traits.empty() ? "" : "  — ",
          join_words(traits));
    for (const ReachedOp &op : reached) {
      print_reached(function, op, out);
    }
    if (reached.empty()) {
      out += "    no operations\n";
    }
  }
}

} // namespace deepperf::model
