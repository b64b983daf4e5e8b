// Phase 2: bytes to tree. Never throws on bad input and never gives up on a file: what cannot be parsed becomes an
// error and an InvalidStmt, and parsing goes on after it.
#pragma once

#include "base/arena.h"
#include "base/symbol.h"
#include "python/ast.h"
#include "python/source.h"
#include "python/syntax_error.h"

#include <vector>

namespace deepperf::python {

// The parsed file. Nodes live in the arena that was given to parse(); the rest is small and owned here.
struct Tree {
  Block body;
  std::vector<Span> comments; // without the line end, in source order
  std::vector<SyntaxError> errors;
  u32 suppressed_errors = 0; // how many more there were than `errors` keeps
  bool is_python2 = false;   // something only Python 2 has was seen, first at `python2_evidence`
  Span python2_evidence;
};

// `symbols` and `arena` are the worker's own.
Tree parse(const Source &source, Arena &arena, LocalSymbols &symbols);

} // namespace deepperf::python
