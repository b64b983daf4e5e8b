#include "study/text_file.h"

#include "base/types.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace deepperf::study {

namespace {

using namespace std::string_view_literals;

constexpr std::array kOtherFormats = {
    std::pair{"PK\x03\x04"sv, "is a spreadsheet or an archive; export it as CSV"sv},
    std::pair{"\xD0\xCF\x11\xE0"sv, "is a spreadsheet; export it as CSV"sv},
    std::pair{"\x1F\x8B"sv, "is compressed; decompress it first"sv},
    std::pair{"\x28\xB5\x2F\xFD"sv, "is compressed; decompress it first"sv},
    std::pair{"7z\xBC\xAF"sv, "is compressed; `deepperf study select` creates a store from a dump"sv},
    std::pair{"<?xml"sv, "is XML; `deepperf study select` creates a store from a dump"sv},
    std::pair{"<posts"sv, "is XML; `deepperf study select` creates a store from a dump"sv},
    std::pair{"\xFF\xFE"sv, "is UTF-16; `iconv -f UTF-16 -t UTF-8` converts it"sv},
    std::pair{"\xFE\xFF"sv, "is UTF-16; `iconv -f UTF-16 -t UTF-8` converts it"sv},
};

// The first line, from 1, that is not UTF-8.
u64 wrong_line(std::string_view bytes) {
  u64 line = 1;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
    if (!simdjson::validate_utf8(bytes.data(), end)) {
      break;
    }
    bytes.remove_prefix(end);
    ++line;
  }
  return line;
}

} // namespace

void check_text(std::string_view bytes, const std::string &name) {
  std::string_view start = bytes;
  start.remove_prefix(start.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  for (const auto &[magic, what] : kOtherFormats) {
    if (start.starts_with(magic)) {
      throw std::runtime_error(fmt::format("{} {}", name, what));
    }
  }
  if (bytes.find('\0') != std::string_view::npos) {
    throw std::runtime_error(fmt::format("{} contains zero bytes, so it is not text", name));
  }
  if (!simdjson::validate_utf8(bytes.data(), bytes.size())) {
    throw std::runtime_error(
        fmt::format("{}:{}: not UTF-8; if it comes from Windows, `iconv -f WINDOWS-1252 -t UTF-8` converts it", name,
                    wrong_line(bytes)));
  }
}

} // namespace deepperf::study
