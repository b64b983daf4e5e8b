#include "bench/split.h"

#include "base/json.h"
#include "base/write.h"
#include "bench/files.h"
#include "python/parser.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace deepperf::bench {

namespace {

using python::as;

constexpr std::string_view kMeasured = "# measured from here";

[[noreturn]] void fail(const std::string &path, u32 line, const std::string &message) {
  throw std::runtime_error(line == 0 ? fmt::format("{}: {}", path, message)
                                     : fmt::format("{}:{}: {}", path, line, message));
}

// A parsed program, with what it stands in.
struct Program {
  Program(const std::string &path, std::string_view text) : loaded(python::load_bytes(path, text)) {
    if (!loaded.ok()) {
      fail(path, loaded.errors[0].line, loaded.errors[0].message);
    }
    LocalSymbols symbols;
    tree = python::parse(loaded.source, arena, symbols);
    if (!tree.errors.empty()) {
      fail(path, loaded.source.position(tree.errors[0].span.start).line,
           fmt::format("syntax error: {}", tree.errors[0].message));
    }
  }
  [[nodiscard]] u32 line(u32 offset) const { return loaded.source.position(offset).line; }
  [[nodiscard]] std::string_view text() const { return loaded.source.text(); }

  python::LoadResult loaded;
  Arena arena;
  python::Tree tree;
};

// Lines as the text has them, with their ends.
std::vector<std::string_view> whole_lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

// ---- Functions

const python::FunctionDef *find_function(const Program &program, const std::string &name) {
  const python::FunctionDef *found = nullptr;
  for (const python::Stmt *statement : program.tree.body) {
    const auto *function = as<python::FunctionDef>(statement);
    if (function != nullptr && function->name.text() == name) {
      found = function;
    }
  }
  return found;
}

void require_no_arguments(const Program &program, const std::string &path, const python::FunctionDef &function) {
  for (const python::Param *parameter : function.params) {
    const bool is_optional = parameter->default_value != nullptr ||
                             parameter->param_kind() == python::ParamKind::VarArgs ||
                             parameter->param_kind() == python::ParamKind::KwArgs;
    if (!is_optional) {
      fail(path, program.line(function.start),
           fmt::format("{}() is called without arguments, so its parameter '{}' needs a default", function.name.text(),
                       parameter->name.text()));
    }
  }
  if (function.is_async) {
    fail(path, program.line(function.start),
         fmt::format("{}() is async; wrap it in a plain function that runs it", function.name.text()));
  }
}

bool is_main_guard(const python::Stmt *statement) {
  const auto *branch = as<python::If>(statement);
  const auto *comparison = branch == nullptr ? nullptr : as<python::Compare>(branch->test);
  const auto *name = comparison == nullptr ? nullptr : as<python::Name>(comparison->left);
  return name != nullptr && name->id.text() == "__name__";
}

// Where a definition begins: its first decorator.
u32 start_of(const python::FunctionDef &function) {
  u32 start = function.start;
  for (const python::Expr *decorator : function.decorators) {
    start = std::min(start, decorator->start);
  }
  return start;
}

// The program without the lines of some statements.
std::string without(const Program &program, const std::vector<std::pair<u32, u32>> &removed, std::vector<u32> &kept) {
  std::string text;
  u32 number = 0;
  for (const std::string_view line : whole_lines_of(program.text())) {
    ++number;
    const bool is_removed = std::ranges::any_of(
        removed, [&](const auto &range) { return range.first <= number && number <= range.second; });
    if (!is_removed) {
      text += line;
      kept.push_back(number);
    }
  }
  while (text.ends_with("\n\n")) {
    text.pop_back();
  }
  text += text.empty() || text.ends_with('\n') ? "" : "\n";
  return text;
}

Split split_functions(const Program &program, const std::string &path, const python::FunctionDef &before,
                      const python::FunctionDef &after) {
  require_no_arguments(program, path, before);
  require_no_arguments(program, path, after);
  std::vector<std::pair<u32, u32>> removed; // from both
  for (const python::Stmt *statement : program.tree.body) {
    if (is_main_guard(statement)) {
      removed.emplace_back(program.line(statement->start), program.line(statement->end));
    }
  }
  const auto one = [&](const python::FunctionDef &kept, const python::FunctionDef &other, std::vector<u32> &lines) {
    std::vector<std::pair<u32, u32>> gone = removed;
    gone.emplace_back(program.line(start_of(other)), program.line(other.end));
    return fmt::format("{}\n\n{}\nresult = {}()\n", without(program, gone, lines), kMeasured, kept.name.text());
  };
  Split split;
  split.has_functions = true;
  split.buggy_lines = split.fixed_lines = {0}; // there is no line 0
  split.buggy = one(before, after, split.buggy_lines);
  split.fixed = one(after, before, split.fixed_lines);
  split.has_result = true;
  return split;
}

// ---- Sections

enum class Mark : u8 { None, Before, After, End };

// Comments that stand alone on their lines.
Mark mark_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\n";
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  line = line.substr(0, line.find_last_not_of(kBlanks) + 1);
  if (!line.starts_with('#')) {
    return Mark::None;
  }
  line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
  if (line.ends_with(':')) {
    line.remove_suffix(1);
  }
  std::string word(line);
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return word == "before" ? Mark::Before : word == "after" ? Mark::After : word == "end" ? Mark::End : Mark::None;
}

std::vector<Mark> marks_of(const Program &program) {
  std::vector<Mark> marks(whole_lines_of(program.text()).size() + 1, Mark::None);
  const std::vector<std::string_view> lines = whole_lines_of(program.text());
  for (const python::Span &comment : program.tree.comments) { // what looks like one in a string is none
    const u32 line = program.line(comment.start);
    marks[line] = mark_of(lines[line - 1]);
  }
  return marks;
}

Split split_sections(const Program &program, const std::string &path, const std::vector<Mark> &marks) {
  Split split;
  split.buggy_lines = split.fixed_lines = {0}; // there is no line 0
  Mark section = Mark::None;
  u32 opened = 0;
  const std::vector<std::string_view> lines = whole_lines_of(program.text());
  for (u32 number = 1; number <= lines.size(); ++number) {
    const std::string_view line = lines[number - 1];
    switch (marks[number]) {
    case Mark::Before:
      if (section == Mark::Before) {
        fail(path, number, fmt::format("the section '# before' of line {} has no '# after'", opened));
      }
      section = Mark::Before;
      opened = number;
      continue;
    case Mark::After:
      if (section != Mark::Before) {
        fail(path, number, "'# after' needs a '# before' above it");
      }
      section = Mark::After;
      continue;
    case Mark::End:
      if (section == Mark::Before) {
        fail(path, number, fmt::format("the section '# before' of line {} has no '# after'", opened));
      }
      section = Mark::None;
      continue;
    case Mark::None:
      break;
    }
    if (section != Mark::After) {
      split.buggy += line;
      split.buggy_lines.push_back(number);
    }
    if (section != Mark::Before) {
      split.fixed += line;
      split.fixed_lines.push_back(number);
    }
  }
  if (section == Mark::Before) {
    fail(path, opened, "the section '# before' has no '# after'");
  }
  return split;
}

// ---- What else is known of it

constexpr std::array<std::string_view, 12> kFrameworks = {
    "torch",  "tensorflow",  "keras",        "jax",       "flax",     "numpy",
    "pandas", "torchvision", "transformers", "lightning", "datasets", "pytorch_lightning"};

void note_import(std::string_view module, std::vector<std::string> &libraries) {
  const std::string_view top = module.substr(0, module.find('.'));
  if (std::ranges::find(kFrameworks, top) != kFrameworks.end() &&
      std::ranges::find(libraries, top) == libraries.end()) {
    libraries.emplace_back(top);
  }
}

void find_imports(const Program &program, std::vector<std::string> &libraries) {
  for (const python::Stmt *statement : program.tree.body) {
    if (const auto *import = as<python::Import>(statement)) {
      for (const python::Alias *alias : import->names) {
        note_import(alias->name.text(), libraries);
      }
    } else if (const auto *from = as<python::ImportFrom>(statement); from != nullptr && from->module) {
      note_import(from->module.text(), libraries);
    }
  }
  // The one that the others are built on is asked for its version.
  std::ranges::stable_sort(libraries, {}, [](const std::string &library) {
    return std::ranges::find(kFrameworks, library) - kFrameworks.begin();
  });
}

// NAME = value at the top level, with one target.
const python::Name *assigned_name(const python::Stmt *statement) {
  const auto *assignment = as<python::Assign>(statement);
  return assignment == nullptr || assignment->targets.size() != 1 ? nullptr : as<python::Name>(assignment->targets[0]);
}

std::vector<Knob> constants_of(const Program &program) {
  std::vector<Knob> knobs;
  for (const python::Stmt *statement : program.tree.body) {
    const python::Name *name = assigned_name(statement);
    const std::string_view text = name == nullptr ? std::string_view() : name->id.text();
    const bool is_constant = !text.empty() && text[0] >= 'A' && text[0] <= 'Z' &&
                             std::ranges::none_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
    if (!is_constant) {
      continue;
    }
    const python::Expr *value = as<python::Assign>(statement)->value;
    const bool is_number = python::is_constant(value, python::ConstantKind::Int) ||
                           python::is_constant(value, python::ConstantKind::Float);
    std::string written(program.loaded.source.part(value->start, value->end));
    std::erase(written, '_');
    if (is_number && parse_json<nlohmann::json>(written).is_number() &&
        std::ranges::find(knobs, text, &Knob::name) == knobs.end()) {
      knobs.push_back({std::string(text), written});
    }
  }
  return knobs;
}

bool sets_result(const Program &program) {
  return std::ranges::any_of(program.tree.body, [](const python::Stmt *statement) {
    const python::Name *name = assigned_name(statement);
    return name != nullptr && name->id.text() == "result";
  });
}

std::string first_line_of_docstring(const Program &program) {
  if (program.tree.body.empty()) {
    return {};
  }
  const auto *statement = as<python::ExprStmt>(program.tree.body[0]);
  const auto *constant = statement == nullptr ? nullptr : as<python::Constant>(statement->value);
  if (constant == nullptr || constant->constant_kind() != python::ConstantKind::Str) {
    return {};
  }
  std::string_view text = program.loaded.source.part(constant->start, constant->end);
  text.remove_prefix(std::min(text.find_first_not_of("rRbBuU\"' \n"), text.size()));
  text = text.substr(0, text.find_first_of("\n\"\\"));
  return std::string(text.substr(0, text.find_last_not_of("' \r") + 1));
}

} // namespace

Split split_text(const std::string &path, std::string_view text, const SplitOptions &options) {
  const Program program(path, text);
  const python::FunctionDef *before = find_function(program, options.before);
  const python::FunctionDef *after = find_function(program, options.after);
  const std::vector<Mark> marks = marks_of(program);
  const bool has_sections = std::ranges::find(marks, Mark::Before) != marks.end();
  const bool has_functions = before != nullptr && after != nullptr;
  if (has_sections && has_functions) {
    fail(path, 0,
         fmt::format("it has both sections '# before' and '# after' and functions {}() and {}(); remove one of the two",
                     options.before, options.after));
  }
  if (!has_sections && !has_functions) {
    const std::string one =
        before != nullptr  ? fmt::format(" (there is {}(), but no {}())", options.before, options.after)
        : after != nullptr ? fmt::format(" (there is {}(), but no {}())", options.after, options.before)
                           : "";
    fail(path, 0,
         fmt::format("nothing to compare: write two functions {}() and {}(){}, or sections that begin with the lines "
                     "'# before' and '# after'",
                     options.before, options.after, one));
  }
  Split split = has_functions ? split_functions(program, path, *before, *after) : split_sections(program, path, marks);
  split.title = first_line_of_docstring(program);
  find_imports(program, split.libraries);
  const Program buggy(path + ", before", split.buggy);
  const Program fixed(path + ", after", split.fixed);
  split.has_result = sets_result(buggy) && sets_result(fixed);
  const std::vector<Knob> others = constants_of(fixed);
  for (const Knob &knob : constants_of(buggy)) {
    const auto other = std::ranges::find(others, knob.name, &Knob::name);
    if (other != others.end() && other->value == knob.value) {
      split.knobs.push_back(knob);
    }
  }
  return split;
}

Split split_program(const std::string &path, const SplitOptions &options) {
  return split_text(path, read_file(path, kLargestProgram), options);
}

std::string describe_split(const Split &split, const std::string &id, Measure measure, const std::string &growth_knob,
                           const std::vector<std::string> &rules) {
  const auto quoted = [](std::string_view text) { // a string of JSON is one of TOML
    return json_text(nlohmann::json(std::string(text)), -1, true);
  };
  std::vector<std::string> libraries;
  std::ranges::transform(split.libraries, std::back_inserter(libraries), quoted);
  std::vector<std::string> codes;
  std::ranges::transform(rules, std::back_inserter(codes), quoted);
  const bool is_memory = measure == Measure::Memory;
  std::string text;
  write(text, "id = {}\ntitle = {}\nlibrary = [{}]\n", quoted(id),
        quoted(split.title.empty() ? "Before and after" : split.title), fmt::join(libraries, ", "));
  write(text, "root_cause = \"unknown\"\nsymptoms = [{}]\n",
        quoted(is_memory ? "Memory: out of memory" : "Time: slow execution time"));
  write(text, "rules = [{}]\nmeasure = {}\n", fmt::join(codes, ", "), quoted(name_of(measure)));
  if (measure == Measure::Growth) {
    write(text, "growth_knob = {}\n", quoted(growth_knob));
  }
  if (!split.has_result) {
    text += "compare = false\ncompare_reason = \"the programs set no result\"\n";
  }
  text += "\n[knobs]\n";
  for (const Knob &knob : split.knobs) {
    write(text, "{} = {}\n", knob.name, knob.value);
  }
  return text;
}

} // namespace deepperf::bench
