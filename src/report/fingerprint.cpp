#include "report/fingerprint.h"

#include "base/hash.h"
#include "report/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace deepperf::report {

namespace {

// Of a long statement the beginning: an edit further down should not make it another finding.
constexpr u32 kHashedLines = 3;
constexpr u32 kLongLine = 4096;

// With one space wherever there are blanks, as formatters change those.
void add_words(std::string_view line, std::string &out) {
  for (const char character : line) {
    const bool is_blank = character == ' ' || character == '\t' || character == '\f';
    if (!is_blank) {
      out += character;
    } else if (!out.empty() && out.back() != ' ' && out.back() != '\n') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') {
    out.pop_back();
  }
}

std::string code_of(const rules::Finding &finding, const python::Source &source) {
  std::string code;
  u32 at = finding.span.start;
  for (u32 line = 0; line < kHashedLines; ++line) {
    const std::string_view text = source.line_text(at);
    // Of a line of megabytes, which may have many findings, the place itself.
    add_words(text.size() <= kLongLine ? text : source.part(at, std::min(finding.span.end, at + kLongLine)), code);
    code += '\n';
    const auto line_end = static_cast<u32>(text.data() + text.size() - source.text().data());
    at = line_end + (source.part(line_end, line_end + 2) == "\r\n" ? 2 : 1);
    if (at >= finding.span.end) {
      break;
    }
  }
  return code;
}

} // namespace

std::vector<std::string> fingerprints(const check::Result &result) {
  std::vector<std::string> prints;
  prints.reserve(result.findings.size());
  std::map<std::pair<u32, u64>, u32> seen;
  for (const rules::Finding &finding : result.findings) {
    const python::Source *source = result.files[finding.file.value].source;
    std::string identity(finding.rule->code);
    identity += '\n';
    identity += source != nullptr ? code_of(finding, *source) : finding.message;
    const u64 hash = hash_bytes(identity);
    const u32 occurrence = ++seen[{finding.file.value, hash}];
    prints.push_back(fmt::format("{:016x}:{}", hash, occurrence));
  }
  return prints;
}

std::string fingerprint_in_file(std::string_view path, std::string_view identity) {
  return fmt::format("{:016x}", hash_bytes(identity, hash_bytes(path)));
}

} // namespace deepperf::report
