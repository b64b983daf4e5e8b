// Any bytes as a model file: refused, or one that classifies texts and can be written and read again.
#include "study/model_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace deepperf;
using namespace deepperf::study;

namespace {

// The checksum keeps damage out, and would keep the fuzzer out too.
void mend_checksum(std::string &bytes) {
  constexpr std::string_view kKey = "\"checksum\":\"";
  const std::size_t first_line = bytes.find('\n');
  const std::size_t end = first_line == std::string::npos ? first_line : bytes.find('\n', first_line + 1);
  const std::size_t at = bytes.find(kKey);
  if (end == std::string::npos || at == std::string::npos || at + kKey.size() + 16 > end) {
    return;
  }
  bytes.replace(at + kKey.size(), 16, fmt::format("{:016x}", checksum(std::string_view(bytes).substr(end + 1))));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  mend_checksum(bytes);
  Model model;
  try {
    model = read_model(bytes, "fuzz.model");
  } catch (const std::runtime_error &) { // told
    return 0;
  }
  Document document;
  document.title = "How to bake bread with wheat_flour 2?";
  document.prose = "The oven is hot.";
  document.code = "grit = 120";
  document.errors = {"SinkError"};
  const std::vector<double> found = predict(model, document);
  if (found.size() != model.classes.size()) {
    std::abort();
  }
  for (const double probability : found) {
    if (!std::isfinite(probability)) {
      std::abort();
    }
  }
  decide(found, model.several, 0.5);
  strongest(model, 0, 5);
  read_model(write_model(model), "again.model");
  return 0;
}
