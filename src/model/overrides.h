// Methods that a class leaves open, and those of derived classes that fill them in.
#pragma once

#include "model/project.h"

#include <vector>

namespace deepperf::model {

// Is there nothing in it but `raise NotImplementedError` or `pass`, for classes that derive from this one to fill in?
bool is_abstract(const FunctionInfo &function);

// Methods of the name in the classes below the method's own, the nearest on each way down; of more than `most` none, as
// some of them do one thing and some another.
std::vector<FunctionInfo *> overrides_of(const FunctionInfo &method, std::size_t most);

} // namespace deepperf::model
