// Imports that nothing uses any more after the edits of fixes.
#pragma once

#include "python/source.h"
#include "rules/finding.h"

#include <functional>
#include <string_view>
#include <vector>

namespace deepperf::fix {

// Edits that take out the imports that `text` used before `edits` and does not mention after them, not even in a string
// or comment. Only those of a module's own statements, of libraries whose import has no effect that anybody could miss.
// `is_used_elsewhere` is asked whether other files take the name from this one.
std::vector<rules::Edit> remove_unused_imports(const python::Source &source, const std::vector<rules::Edit> &edits,
                                               const std::function<bool(std::string_view)> &is_used_elsewhere);

// Does a file with this text import `name`, or everything, from a module called `module`?
bool takes_name_from(std::string_view text, std::string_view module, std::string_view name);

} // namespace deepperf::fix
