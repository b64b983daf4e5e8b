// A check's result made by hand, for tests of what stands behind the rules.
#pragma once

#include "check/result.h"
#include "python/parser.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace deepperf::check {

inline constexpr rules::RuleInfo kMapRule{.code = "DP101",
                                          .name = "sequential-map",
                                          .summary = "Elements are mapped one after the other",
                                          .root_cause = "API: Inefficient API Usage",
                                          .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
                                          .stage = "Data Preparation",
                                          .frameworks = "TensorFlow, Keras",
                                          .documentation = "\n## What it finds\n\nMaps.\n"};
inline constexpr rules::RuleInfo kLoopRule{.code = "DP201",
                                           .name = "graph-op-in-loop",
                                           .summary = "An op is created in each turn",
                                           .root_cause = "Model: Confusion with Computation Graph",
                                           .symptoms = "Slow Execution Time",
                                           .stage = "Training",
                                           .frameworks = "TensorFlow",
                                           .documentation = ""};

class CheckedText {
public:
  Result result;

  // Paths in ascending order.
  FileIndex file(std::string path, std::string_view bytes) {
    auto &kept = kept_.emplace_back(std::make_unique<Kept>());
    kept->source = std::move(python::load_bytes(path, bytes).source);
    Arena arena;
    LocalSymbols symbols;
    kept->comments = python::parse(kept->source, arena, symbols).comments;
    result.files.push_back({std::move(path), &kept->source, &kept->comments});
    ++result.file_count;
    return {static_cast<u32>(result.files.size() - 1)};
  }

  // Where `what` stands in the file's text, the first time. It must be there.
  [[nodiscard]] python::Span find(FileIndex file, std::string_view what) const {
    const std::size_t at = result.files.at(file.value).source->text().find(what);
    if (at == std::string_view::npos) {
      throw std::runtime_error("the text has no " + std::string(what));
    }
    return {static_cast<u32>(at), static_cast<u32>(at + what.size())};
  }

  // In the order of the text.
  rules::Finding &finding(const rules::RuleInfo &rule, FileIndex file, std::string_view what) {
    rules::Finding &found = result.findings.emplace_back();
    found.rule = &rule;
    found.file = file;
    found.span = find(file, what);
    found.message = "it is slow";
    return found;
  }

  // A finding on `what` that is mended by writing `with` for it.
  rules::Finding &fixable(FileIndex file, std::string_view what, std::string with, bool safe = true) {
    rules::Finding &found = finding(kMapRule, file, what);
    found.fix = rules::Fix{safe, {{found.span.start, found.span.end, std::move(with)}}};
    return found;
  }

private:
  struct Kept {
    python::Source source;
    std::vector<python::Span> comments;
  };
  std::vector<std::unique_ptr<Kept>> kept_;
};

} // namespace deepperf::check
