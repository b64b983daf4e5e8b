#include "report/format.h"

#include "report/concise.h"
#include "report/json.h"
#include "report/text.h"

#include <algorithm>
#include <array>

namespace deepperf::report {

namespace {

constexpr std::array kFormats{
    Format{"text", write_text},
    Format{"concise", write_concise},
    Format{"json", write_json},
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
