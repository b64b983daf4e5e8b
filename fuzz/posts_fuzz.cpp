// Any bytes as a Posts.xml: rows, faults and their places, with a recipe that asks for everything; and the same rows
// when the text is cut in two where chunks are cut.
#include "study/chunk_scan.h"

#include <cstdlib>
#include <string>
#include <string_view>

using namespace deepperf;
using namespace deepperf::study;

namespace {

constexpr std::string_view kRecipe = R"(
[[step]]
name = "any"
tags_none = ["x"]
[[step]]
name = "words"
title_words = ["to"]
from = 2008-01-01
[[step]]
name = "keywords"
keywords = "corrected"
)";

struct Rows {
  u64 count = 0;
  u64 bytes = 0;
};

Rows scan_rows(std::string_view text) {
  RowScanner scanner(text, false);
  Rows rows;
  Row row;
  const char *last = text.data();
  std::string decoded;
  for (;;) {
    const RowScanner::Event event = scanner.next(row);
    if (event == RowScanner::Event::End) {
      return rows;
    }
    const char *const end = row.text.data() + row.text.size();
    if (row.text.empty() || row.text.data() < last || end > text.data() + text.size()) {
      std::abort(); // outside of the text, or no progress
    }
    last = end;
    if (event == RowScanner::Event::Row) {
      ++rows.count;
      rows.bytes += row.text.size();
      for (const std::string_view field : row.fields) {
        decoded.clear();
        if (unescape(field, decoded) && decoded.size() > field.size()) {
          std::abort(); // no entity is shorter than what it means
        }
      }
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, std::size_t size) {
  static const Recipe recipe = parse_recipe(kRecipe, "fuzz.toml");
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const Rows whole = scan_rows(text);
  const std::size_t cut = text.rfind("<row");
  if (cut != std::string_view::npos && text.find("<!--") == std::string_view::npos) { // a row in a comment is none
    const Rows first = scan_rows(text.substr(0, cut));
    const Rows second = scan_rows(text.substr(cut));
    if (first.count + second.count != whole.count || first.bytes + second.bytes != whole.bytes) {
      std::abort();
    }
  }
  Chunk chunk;
  chunk.text = text;
  chunk.last = true;
  chunk.offset = 1; // not the start, where another encoding is refused
  Scanned found;
  scan_chunk(chunk, recipe, found);
  if (found.counts.rows() > whole.count || found.posts.size() > found.counts.questions) {
    std::abort();
  }
  return 0;
}
