// What calls change: the names, attributes and arguments that are something else afterwards.
#pragma once

#include "model/project.h"

namespace deepperf::model {

// A call, in the function, that gives the same for the same arguments: framework operations, builtins such as len,
// methods that only look.
bool is_pure(const Project &project, const FunctionInfo &function, const python::Call *call);

// Is the name that of a module, or of a framework's function or class, wherever the function uses it? `tf.sort(x)` and
// `np.add(a, b)` look like methods that change their object.
bool is_package(const FunctionInfo &function, Symbol name);

// What a call of the function changes outside of it; worked out when first asked for.
const FunctionChanges &changes_of(const FunctionInfo &function);

// What the calls in a loop may change, beyond what stands in the loop itself.
const LoopEffects &effects_of(const Project &project, const Loop &loop);

} // namespace deepperf::model
