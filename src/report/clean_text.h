// Text of several lines that every reader accepts, made from bytes that may be anything: paths, code and messages that
// quote them. For one line, and for eyes, there is printable().
#pragma once

#include <string>
#include <string_view>

namespace deepperf::report {

// Valid UTF-8. What is not becomes U+FFFD, and so does every character that XML forbids or a terminal obeys: control
// characters, except tabs and line ends, which are all "\n" afterwards.
std::string clean_text(std::string_view bytes);

} // namespace deepperf::report
