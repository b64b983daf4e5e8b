// Walks the code that a mapped function runs, and the functions of the project that it calls, and notes what it does to
// an element. Private to src/model.
#pragma once

#include "model/exclusion.h"
#include "model/mapper.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

namespace deepperf::model {

class MapperExamination {
public:
  explicit MapperExamination(const Project &project) : project_(project) {}

  MapperFacts facts{.known = true, .cheap = true, .vectorisable = true};

  void examine(const Value &function, bool is_partial = false);
  // Draws the conclusions, once everything has been examined.
  void finish();

private:
  // What adds up.
  struct Counts {
    u32 operations = 0;
    u32 lookups = 0;
    u32 functions = 0;

    [[nodiscard]] Counts with(const Counts &other) const {
      return {std::max(operations, other.operations), std::max(lookups, other.lookups),
              std::max(functions, other.functions)};
    }
  };

  // ---- mapper.cpp: functions and statements
  void examine_construction(const ClassInfo &type);
  void examine_function(const FunctionInfo &function, const Arguments &arguments);
  [[nodiscard]] Counts counts() const;
  void set_counts(const Counts &counts);
  void examine_body(const FunctionInfo &function);
  [[nodiscard]] Value value_of(const python::Expr *expr) const;
  void examine_called(const python::Call *call, const FunctionInfo &callee, bool is_method);
  void visit(const python::Node *node);
  [[nodiscard]] std::optional<bool> settled_by_arguments(const python::Expr *test) const;
  void give_up() { facts.known = facts.cheap = facts.vectorisable = false; }

  // ---- mapper_calls.cpp
  void note_api(const python::Call *call, const ApiInfo *info, std::string_view name);
  [[nodiscard]] bool calls_loop_variable(const python::Call *call) const;
  void visit_call(const python::Call *call);
  void note_api_call(const python::Call *call, Symbol api);
  void visit_unknown_call(const python::Call *call);
  void note_work_on_element(const python::Call *call);
  [[nodiscard]] bool mentions_outside(const python::Node *node) const;

  // ---- mapper_layers.cpp: layers of Keras
  void visit_layer(const python::Call *call, const Value &callee);

  // ---- mapper_python.cpp: tf.py_function and the like
  void run_python(const python::Call *call, const Value &function);
  template <class Matches> [[nodiscard]] bool runs_any(const python::Node *node, Matches matches) const;
  template <class Matches>
  [[nodiscard]] bool runs_any(const python::Node *node, Matches matches,
                              std::unordered_set<const FunctionInfo *> &seen) const;

  // ---- mapper_batches.cpp: would a batch do as well as an example?
  void count_locals(const python::Node *node, std::unordered_set<u32> &names) const;
  void require_one_part(const python::Node *operation);
  void visit_entry(const python::Call *call, const python::Expr *record);
  void note_key(const python::Expr *key);
  [[nodiscard]] bool is_text(const python::Expr *expr) const;
  [[nodiscard]] std::vector<Symbol> given_from_outside(const python::Call *call, const FunctionInfo &callee,
                                                       bool bound) const;
  [[nodiscard]] bool only_helps(const python::Node *node, const std::vector<Symbol> &outside,
                                bool is_helping = false) const;
  void require_choice_outside(const python::Expr *test);
  [[nodiscard]] bool is_column(const python::Subscript &subscript) const;
  [[nodiscard]] bool is_list_of_columns(const python::Expr *expr) const;
  void reject_list_of_columns(const python::Node *node);
  void note_subscript(const python::Subscript &subscript);

  const Project &project_;
  const FunctionInfo *function_ = nullptr;
  std::unordered_set<const FunctionInfo *> seen_;
  std::unordered_set<const python::Call *> seen_calls_;
  const python::Node *counted_ = nullptr; // the operation whose parts were counted last
  Arguments arguments_;                   // of the function
  std::vector<Symbol> outside_;           // parameters of the function that hold nothing of the element
  std::vector<Symbol> loop_names_;        // of the loops around what is visited
  u32 arithmetic_ = 0;
  u32 lookups_ = 0;   // of strings, or splits of them
  u32 functions_ = 0; // sqrt, exp and the like
  bool makes_batch_of_one_ = false;
  bool makes_other_dataset_ = false; // than of what is in memory
  bool takes_one_ = false;           // decodes, reads, resizes: with one example at a time
};

// Is what is mapped a model? A row of layers may as well prepare data; one that has weights does not.
bool is_learning_model(const Value &function);

} // namespace deepperf::model
