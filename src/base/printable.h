// Text that comes from users' files, made safe to print: a file name or a line of code must not be able to move the
// cursor, change colours or reverse the direction of what follows.
#pragma once

#include <string>
#include <string_view>

namespace deepperf {

// Control characters (also C1), bidirectional controls and invalid UTF-8 become visible: \x1b, \u202e. Tabs and line
// ends become spaces.
std::string printable(std::string_view text);

// The same for a text of several lines, whose line ends and tabs stay.
std::string printable_lines(std::string_view text);

// The same for code, where columns must stay what they are: one space for each such character.
std::string printable_code(std::string_view text);

} // namespace deepperf
