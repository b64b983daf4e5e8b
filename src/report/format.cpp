#include "report/format.h"

#include "report/concise.h"
#include "report/github.h"
#include "report/gitlab.h"
#include "report/html.h"
#include "report/json.h"
#include "report/jsonl.h"
#include "report/junit.h"
#include "report/markdown_report.h"
#include "report/sarif.h"
#include "report/text.h"

#include <algorithm>
#include <array>

namespace deepperf::report {

namespace {

constexpr std::array kFormats{
    Format{.name = "text", .write = write_text, .has_statistics = true},
    Format{.name = "concise", .write = write_concise, .has_statistics = true},
    Format{.name = "json", .write = write_json, .has_statistics = true, .is_json = true},
    Format{.name = "jsonl", .write = write_jsonl, .has_statistics = true, .is_json = true},
    Format{.name = "sarif", .write = write_sarif, .is_json = true},
    Format{.name = "github", .write = write_github},
    Format{.name = "gitlab", .write = write_gitlab, .is_json = true},
    Format{.name = "junit", .write = write_junit},
    Format{.name = "markdown", .write = write_markdown_report, .has_statistics = true},
    Format{.name = "html", .write = write_html, .missing = missing_html_page},
};

} // namespace

std::span<const Format> formats() { return kFormats; }

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format &format : kFormats) {
    names.emplace_back(format.name);
  }
  return names;
}

const Format *find_format(std::string_view name) {
  const auto *const found = std::ranges::find(kFormats, name, &Format::name);
  return found == kFormats.end() ? nullptr : found;
}

} // namespace deepperf::report
