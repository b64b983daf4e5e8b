// Numbers of Python that are other ones in every iteration of a loop: what a loop counts with, and what is computed
// from that by arithmetic alone, however it comes to the place: by names, attributes, dictionaries, arguments and
// results.
#pragma once

#include "rules/origins.h"

namespace deepperf::rules {

// The loop, among those that may be meant, in whose iterations the expression of the function is another number each
// time. Null if it is none, or may be anything else than a number.
const model::Loop *counting_loop_of(const Site &site, const model::FunctionInfo &function, const python::Expr *expr,
                                    std::vector<OriginPart> path, const std::vector<const model::Loop *> &loops);

// Loops whose iterations all come to the place: around it, or around calls of its function, at a few levels.
std::vector<const model::Loop *> loops_coming_to(const Site &site);

// Does an iteration of the loop come to the node of the function?
bool runs_inside(const model::Loop &loop, const model::FunctionInfo &function, const python::Node &node);

} // namespace deepperf::rules
