// The classes of a project: what they derive from, and which member a name means. The only place that knows Python's
// method resolution order.
#pragma once

#include "model/project.h"

namespace deepperf::model {

// Works out parents, mro, kind and subclasses again where the bases of some classes changed; returns those classes for
// which something is different now.
std::vector<ClassInfo *> resolve_hierarchy(Project &project, std::span<ClassInfo *const> rebased);

// A method or class attribute, of the class or the first one that it derives from; null if there is none. `after`: of
// those after it in the order, as super() does.
const Value *find_member(const ClassInfo &type, Symbol name, bool after_itself = false);

// The same for a method; null if the member is something else.
FunctionInfo *find_method_of(const ClassInfo &type, Symbol name);

// What is stored to an attribute of objects of the class, by methods of it or of what it derives from; null if nothing.
const Value *find_attribute(const ClassInfo &type, Symbol name);

// Does any code of the project store to the attribute of such an object, so that one day the tables may have a value?
bool may_be_stored(const Project &project, const ClassInfo &type, Symbol name);

// Does the body of the class, or of one that it derives from, annotate the attribute without giving it a value?
bool is_only_declared(const ClassInfo &type, Symbol name);

} // namespace deepperf::model
