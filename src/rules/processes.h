// Which processes of a distributed program run a place: all of them, or only the first one.
#pragma once

#include "rules/site.h"

#include <vector>

namespace deepperf::rules {

// Whom a test lets pass.
enum class Processes : u8 { Unknown, First, Others };

// `rank == 0`, `accelerator.is_main_process`, `not is_main()`, `rank == 0 and step % 100 == 0`; also under names and in
// functions of the project.
Processes processes_of(const Site &site, const python::Expr *test);

// The test that lets only the first process come to a place, with the branch where it is one; nothing if all come.
struct FirstProcessOnly {
  const python::Expr *test = nullptr;
  const python::If *branch = nullptr; // that the place is in; null: others have returned before
};
FirstProcessOnly first_process_only(const Site &site);

// The nodes around another node of the function or module of a site, from the outermost on: what Site::ancestors is.
std::vector<const python::Node *> ancestors_of(const Site &site, const python::Node &node);

// The place of a call of a function, with what stands around it.
Site site_at(const Site &site, const model::CallSite &call);

} // namespace deepperf::rules
