// Any bytes as a recipe: refused, or one that can be told in words and asked about a question.
#include "study/recipe.h"
#include "study/recipe_text.h"

#include <cstdlib>
#include <stdexcept>
#include <string_view>

using namespace deepperf;
using namespace deepperf::study;

namespace {

constexpr std::string_view kRow =
    R"(<row Id="1" PostTypeId="1" AcceptedAnswerId="2" CreationDate="2018-06-01T12:00:00.000" Score="3" ViewCount="5")"
    R"( Title="How to run faster" Body="&lt;p&gt;It is very slow.&lt;/p&gt;" Tags="|keras|tensorflow|" />)";

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, std::size_t size) {
  Recipe recipe;
  try {
    recipe = parse_recipe({reinterpret_cast<const char *>(data), size}, "fuzz.toml");
  } catch (const std::runtime_error &) { // told, with its line
    return 0;
  }
  RowScanner scanner(kRow, false);
  Row row;
  if (scanner.next(row) != RowScanner::Event::Row) {
    std::abort();
  }
  for (const Step &step : recipe.steps) {
    Question question(row, 1'527'854'400'000);
    if (describe(step).empty() || (passes(step, question) && question.damaged())) {
      std::abort();
    }
  }
  return 0;
}
