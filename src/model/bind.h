// Phase 3: which names a function binds, and what is done to them. One pass over its own code, not into nested
// functions.
#pragma once

#include "model/project.h"

#include <span>

namespace deepperf::model {

// What is gathered while a function's own code is walked; one serves many functions, one after the other.
struct BoundNames {
  std::vector<u32> names;                       // as symbol ids
  std::vector<std::pair<u32, u32>> derivations; // `b = a.map(f)`: a and b

  void add(Symbol name) { names.push_back(name.id); }
};

// Gathers names, globals and evidence; finish_names then makes slots of the names, and empties what was gathered.
void bind_names(const python::Block &body, FunctionInfo &function, BoundNames &bound);
void bind_names_of(const python::Node *node, FunctionInfo &function, BoundNames &bound);
void finish_names(FunctionInfo &function, BoundNames &bound, Arena &arena);

// Gives the function slots for names that are sorted, each once.
void set_names(FunctionInfo &function, std::span<const u32> names, Arena &arena);

// Names and attributes that one iteration of a loop binds or changes.
void find_changes(const python::Node *loop, Loop &result);
void find_changes(std::span<python::Stmt *const> statements, Loop &result);

// What the methods called on a name, as bits of its evidence, tell that it is: a tf.data.Dataset, or in a module that
// imports PyTorch one of its modules, optimizers or tensors. Unknown if they tell nothing.
Kind kind_implied_by(u32 evidence, const Module &module);

// Is backward() called on it?
bool implies_backward(u32 evidence);

// The name at the root of a chain like x.a[0].b(); null if there is none.
const python::Name *root_name(const python::Expr *expr);

// Is it the object whose method this is: `self`, whatever it is called?
bool is_own_object(const FunctionInfo &function, const python::Expr *expr);

// Does a method of that name change the object that it is called on, in Python's own types and the ones we know?
bool is_mutating_method(Symbol method);
// What a collective operation of torch.distributed writes into: `x` of `dist.broadcast(x, src=rank)`; null for others.
const python::Expr *written_argument(const python::Call &call);

// Is the receiver called something like a session? For parameters and attributes, whose value nobody tells us.
bool is_named_session(const python::Expr *expr);

// Is it called something like a graph: graph, self.my_graph?
bool is_named_graph(const python::Expr *expr);

// Is it called something like a Dataset: ds, train_data, self.dataset?
bool is_named_dataset(const python::Expr *expr);

} // namespace deepperf::model
