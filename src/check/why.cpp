#include "check/why.h"

#include "check/project_around.h"

#include "base/write.h"
#include "check/find_files.h"
#include "check/lint_files.h"
#include "model/line_print.h"
#include "rules/finding.h"
#include "rules/linting.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <span>

namespace deepperf::check {

namespace {

WhyAnswer failure(std::string text) { return {.found = false, .text = std::move(text) + "\n"}; }

std::optional<python::Span> find_line(const python::Source &source, u32 line, u32 cell) {
  const std::string_view text = source.text();
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const python::Position position = source.position(static_cast<u32>(start));
    if (position.line == line && (cell == 0 || position.cell == cell)) {
      return python::Span{static_cast<u32>(start), static_cast<u32>(end)};
    }
    start = end + 1;
  }
  return std::nullopt;
}

std::string_view without_indentation(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

// What a rule looks at, for one that was never called here.
void print_interests(const rules::Rule &rule, std::string &out) {
  if (!rule.calls.empty()) {
    write(out, "  it checks calls of: {}\n", rule.calls);
  }
  if (!rule.names.empty()) {
    write(out, "  it checks names: {}\n", rule.names);
  }
  if (rule.listed_names != nullptr) {
    write(out, "  it checks names from a list\n");
  }
  if (rule.on_project != nullptr) {
    write(out, "  it checks the project as a whole; its questions are not recorded\n");
  }
}

class Printer {
public:
  Printer(const model::Module &module, const rules::Trace &trace, const rules::Findings &findings, std::string &out)
      : source_(module.parsed->source), trace_(trace), findings_(findings), out_(out) {}

  void run() const {
    for (const rules::Attempt &attempt : trace_.attempts) {
      print(attempt);
    }
    if (trace_.attempts.empty()) {
      write(out_, "\nno rule checks anything that begins on this line\n");
    }
    if (trace_.rule != nullptr && trace_.attempts.empty()) {
      print_interests(*rules::rules_of(std::span(&trace_.rule, 1)).front(), out_);
    }
    for (const rules::Finding &finding : findings_) {
      if (finding.file == trace_.file && finding.span.start < trace_.place.end &&
          finding.span.end > trace_.place.start && (trace_.rule == nullptr || finding.rule == trace_.rule)) {
        write(out_, "\nreported here: {} {}{}\n", finding.rule->code, finding.message,
              finding.tier == rules::Tier::On ? "" : " (hint)");
      }
    }
  }

private:
  void print(const rules::Attempt &attempt) const {
    write(out_, "\n{} {} was tried at {}\n", attempt.rule->info.code, attempt.rule->info.name, text_of(attempt.node));
    for (const rules::Question &question : attempt.questions) {
      write(out_, "  {:{}}{} -> {}\n", "", 2 * question.depth, question.text, question.answer);
    }
    if (attempt.findings != 0) {
      write(out_, "  it reported {} finding{}\n", attempt.findings, attempt.findings == 1 ? "" : "s");
    } else if (attempt.questions.empty()) {
      write(out_, "  it asked nothing that is recorded, and reported nothing\n");
    } else {
      write(out_, "  no finding\n");
    }
  }

  [[nodiscard]] std::string text_of(const python::Node *node) const {
    if (node == nullptr) {
      return "the file as a whole";
    }
    constexpr std::size_t kMostShown = 60;
    const std::string_view text = source_.part(node->start, node->end);
    const std::size_t end = std::min(text.find('\n'), kMostShown);
    return fmt::format("`{}{}` (line {})", text.substr(0, end), text.size() > end ? "…" : "",
                       source_.position(node->start).line);
  }

  const python::Source &source_;
  const rules::Trace &trace_;
  const rules::Findings &findings_;
  std::string &out_;
};

WhyAnswer explain_in(const model::Group &group, const model::ParsedFile &file, const WhyQuestion &question) {
  const std::optional<python::Span> line = find_line(file.source, question.line, question.cell);
  if (!line) {
    return failure(fmt::format("{} has no line {}", file.path, question.line));
  }
  const std::unique_ptr<model::Project> project = model::analyse(group);
  const auto module = std::ranges::find(project->modules, &file, &model::Module::parsed);
  WhyAnswer answer{.found = true, .text = {}};
  write(answer.text, "{}:{}: {}\n", file.path, question.line,
        without_indentation(file.source.part(line->start, line->end)));
  write(answer.text, "analyzed together with {} other file{}{}\n", group.size() - 1, group.size() == 2 ? "" : "s",
        module->is_linted ? "" : "; it reaches no framework, so no rule checks its nodes");
  model::print_line(*project, *module, *line, answer.text);
  rules::Trace trace;
  trace.file = module->file;
  trace.place = *line;
  trace.rule = question.rule;
  trace.is_wanted = true;
  std::vector<rules::RuleFailure> failures;
  const rules::RuleSet rules(rules::listed_rules());
  const rules::Findings findings = rules::lint(*project, rules, failures, trace);
  Printer(*module, trace, findings, answer.text).run();
  return answer;
}

} // namespace

WhyAnswer explain_line(const WhyQuestion &question) {
  Options options;
  options.paths = question.around;
  options.paths.push_back(question.path);
  options.jobs = 1;
  Progress progress;
  LoadedFiles loaded;
  find_files(options, progress, nullptr, loaded);
  const auto wanted = std::ranges::find_if(loaded.files, [&](const std::unique_ptr<LoadedFile> &file) {
    return file->load_errors.empty() && is_same_file(file->parsed.path, question.path);
  });
  if (wanted == loaded.files.end()) {
    return failure(fmt::format("{} cannot be read", question.path));
  }
  std::vector<model::ParsedFile *> files;
  for (const std::unique_ptr<LoadedFile> &file : loaded.files) {
    files.push_back(&file->parsed);
  }
  for (const model::Group &group : model::group_files(files, true)) {
    if (std::ranges::find(group, &(*wanted)->parsed) == group.end()) {
      continue;
    }
    for (model::ParsedFile *file : group) {
      parse_file(*loaded.files[file->index.value], loaded, loaded.workers[0].trees, loaded.workers[0]);
    }
    for (const model::Group &part : model::group_files(group, true)) {
      if (std::ranges::find(part, &(*wanted)->parsed) != part.end()) {
        return explain_in(part, (*wanted)->parsed, question);
      }
    }
  }
  return {.found = true,
          .text =
              fmt::format("{}: neither this file nor a file that it imports uses a framework, so it is not analyzed\n",
                          question.path)};
}

} // namespace deepperf::check
