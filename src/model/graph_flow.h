// What becomes of autograd graphs: where a function records one by a forward pass, and whether somebody walks it with
// backward(), keeps it, hands it away, or only takes numbers from it. Worked out for a function when first asked for,
// from its code and from the same of the functions that it calls.
#pragma once

#include "model/project.h"

namespace deepperf::model {

struct GraphFlow {
  // What is done with a tensor that hangs on the graph, or with what is computed from it; as bits.
  enum Use : u16 {
    kWalked = 1,        // backward(), autograd.grad(), a hook
    kEscapes = 2,       // given to somebody who is not known, yielded, or read by a function inside
    kReturned = 4,      // to the caller
    kNumbers = 8,       // item(), argmax(), a comparison, print(): what needs no graph
    kDetached = 16,     // detach() or .data
    kNeedsNoGraph = 32, // numpy() and the like, which fail for a tensor with a graph: there is none after all
    kStored = 64,       // to an attribute
    kSummed = 128,      // the same, and added to what was there before
    kUnsure = 256,      // given to a function that is not known, and whose result was taken
    kEntryTaken = 512,  // one entry of it is read by its key: what is done may be done with that entry only
  };
  enum class What : u8 {
    Forward, // the call of a model
    Helper,  // the call of a function of the project that returns what a forward pass gave
    Assumed, // the call of something unknown, which may be a model
    Kept,    // a sum or list that keeps graphs of one iteration for the next
  };
  struct Origin {
    What what = What::Forward;
    bool of_forward = false;             // of Kept: the graph is that of a forward pass in this function
    bool is_discarded = false;           // nobody takes the result
    u16 uses = 0;                        // see Use
    const python::Node *place = nullptr; // the call, or the statement that keeps
    const python::Expr *kept = nullptr;  // of Kept: where it is kept, and what
    const python::Expr *value = nullptr;
    const Loop *loop = nullptr; // the innermost around it
  };

  // What is passed for one parameter is put into the container that is passed for another.
  struct Addition {
    u32 value = 0;
    u32 holder = 0;
    friend bool operator==(const Addition &, const Addition &) = default;
  };

  std::vector<Origin> origins;
  u32 part_count = 0;              // how many elements its result has, if that is always a tuple that is written down
  u64 parts = 0;                   // bit i: element i hangs on a graph, or on what was passed
  std::vector<Addition> additions; // and kept there from call to call
  std::vector<u16> params;      // what is done with what is passed for each parameter; kReturned: it is in the result
  bool returns_graph = false;   // its result hangs on the graph of a forward pass inside
  bool returns_assumed = false; // the same of what may be one
  bool has_no_grad = false;     // some of its code runs under torch.no_grad()
};

// The parameter that takes a keyword argument: the one of that name, else `**values`; ~0U if there is none.
u32 place_of_keyword(const FunctionInfo &callee, Symbol keyword);

// Never null. Of functions that are too large to follow, everything escapes.
const GraphFlow &graph_flow_of(const Project &project, const FunctionInfo &function);

// Is it a model or layer with weights, so that calling it records a graph? Not a loss, an activation, or one that is
// known to run without gradients.
bool records_graph(const Project &project, const Value &callee);

} // namespace deepperf::model
