// Text of others in Markdown, as GitHub and GitLab render it.
#pragma once

#include <string>
#include <string_view>

namespace deepperf::report {

// On one line, fit for a cell of a table. What stands in a pair of backticks stays code; everything else is plain text:
// no markup, HTML, mention or reference comes of it.
std::string markdown_line(std::string_view text);

// At most that many characters of valid UTF-8; what is longer ends with an ellipsis.
std::string shortened(std::string_view text, std::size_t most);

} // namespace deepperf::report
