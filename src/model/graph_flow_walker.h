// Walks the code of one function and follows what hangs on autograd graphs: a set of bits for each name and expression,
// where bit i stands for parameter i, and the bits after those for the origins of the function. Private to src/model.
#pragma once

#include "model/graph_flow.h"

#include <span>

namespace deepperf::model {

class GraphFlowWalker {
public:
  GraphFlowWalker(const Project &project, const FunctionInfo &function, GraphFlow &flow)
      : project_(project), function_(function), flow_(flow), environment_(function.names.size()) {
    if (function.no_grad || function.decorated_no_grad) {
      grad_ = Grad::Off;
      flow.has_no_grad = true;
    }
  }

  void run();

private:
  using Flow = GraphFlow;
  enum class Grad : u8 { On, Maybe, Off };

  // ---- graph_flow.cpp: origins, and what is done with tensors
  void use(u64 bits, u16 how);
  void give(u64 bits);
  u64 origin(const python::Node *place, GraphFlow::What what, bool is_discarded);
  u64 keep(const python::Node *place, const python::Expr *kept, const python::Expr *value, u64 bits);
  u64 computed(u64 bits);
  void give_result(const python::Expr *value);

  // ---- graph_flow_statements.cpp
  void add_to(const python::Expr *holder, u64 bits, u16 how);
  void note_additions(const python::Expr *holder, u64 holder_bits, u64 bits);
  void assign(const python::Expr *target, u64 bits, const python::Expr *value);
  void assign_element(const python::Expr *target, u64 bits, const python::Expr *iterated);
  u64 parts_with_graph(const python::Expr *value, u32 count);
  void walk(const python::Block &block);
  void walk_branches(const python::Block &first, const python::Block &second);
  void walk_if(const python::If *statement);
  void join(const std::vector<u64> &other);
  template <class Body> void walk_loop(const python::Node *node, Body body);
  void walk_assignment(const python::Stmt *statement, std::span<python::Expr *const> targets,
                       const python::Expr *value);
  void walk(const python::Stmt *statement);
  void walk_with(const python::With *statement);
  void capture(const python::Node *node);

  // ---- graph_flow_expressions.cpp
  u64 *slot(const python::Expr *expr);
  bool is_shared(Symbol name) const;
  u64 eval(const python::Expr *expr);
  u64 attribute(const python::Attribute *expr);

  // ---- graph_flow_calls.cpp
  u64 call(const python::Call *expr, bool is_discarded);
  bool is_forward_of_model(const Value &callee, const python::Attribute *method);
  u64 method_of_tensor(const python::Call *expr, const python::Attribute &method, u64 receiver, u64 all);
  u64 api(Symbol api, u64 all);
  u64 function(const python::Call *expr, const FunctionInfo &callee, bool is_bound, const std::vector<u64> &given,
               bool is_discarded);
  void add_to_holders(const python::Call *expr, const FunctionInfo &callee, bool is_bound, const GraphFlow &flow,
                      const std::vector<u64> &given);
  u64 unknown(const python::Call *expr, const Value &callee, const python::Attribute *method, u64 all,
              bool is_discarded);

  const Project &project_;
  const FunctionInfo &function_;
  GraphFlow &flow_;
  std::vector<u64> environment_; // by slot: bit i stands for parameter i, and after them for the origins
  u32 first_ = 0;                // the bit of the first origin
  bool has_returned_ = false;    // a value: `parts` is about all that it returned
  const Loop *loop_ = nullptr;
  u32 depth_ = 0;
  Grad grad_ = Grad::On;
};

} // namespace deepperf::model
