// Whether a file is a text that can be read as a table.
#pragma once

#include <string>
#include <string_view>

namespace deepperf::study {

// Throws std::runtime_error, with what to do about it, if the bytes are a spreadsheet, an archive, a dump, or in
// another encoding than UTF-8. `name` is what the error calls them.
void check_text(std::string_view bytes, const std::string &name);

} // namespace deepperf::study
