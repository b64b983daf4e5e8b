// Any bytes as CSV and as TSV: read without a fault or refused, and rows that are written again are read as the same.
#include "study/csv.h"
#include "study/text_file.h"

#include "base/types.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace deepperf;
using namespace deepperf::study;

namespace {

std::vector<CsvRow> read_rows(std::string_view text, char separator) {
  CsvReader reader(text, "fuzz.csv", separator);
  std::vector<CsvRow> rows;
  u64 line = 0;
  for (CsvRow row; reader.next(row);) {
    if (row.empty() || reader.line() <= line) {
      std::abort();
    }
    line = reader.line();
    rows.push_back(row);
  }
  return rows;
}

void write_and_read(const std::vector<CsvRow> &rows) {
  std::string text;
  for (const CsvRow &row : rows) {
    append_csv(row, text);
  }
  // A byte-order mark at the very start is none of a cell's bytes.
  if (!text.starts_with("\xEF\xBB\xBF") && read_rows(text, ',') != rows) {
    std::abort();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  try {
    check_text(text, "fuzz.csv");
  } catch (const std::runtime_error &) { // told
  }
  for (const char separator : {',', '\t'}) {
    try {
      write_and_read(read_rows(text, separator));
    } catch (const std::runtime_error &) { // told, with its line
    }
  }
  return 0;
}
