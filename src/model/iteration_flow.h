// What an expression inside a loop is made of: of the item of its own iteration, or of something that an earlier
// iteration left behind. Only iterations that owe nothing to earlier ones can be run together, as one batch.
#pragma once

#include "model/project.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace deepperf::model {

class IterationFlow {
public:
  explicit IterationFlow(const Loop &loop);

  struct Origin {
    bool item = false;    // what the loop binds for this iteration
    bool earlier = false; // perhaps what an earlier iteration bound, stored or changed
  };
  [[nodiscard]] Origin of(const python::Expr *expr) const;

  // What the name is bound to at its place, by an assignment of one plain name that every way there passes; null if not
  // known.
  [[nodiscard]] const python::Expr *bound_to(const python::Name &name) const;

  // The same for a name in a tuple: the value that is taken apart.
  [[nodiscard]] const python::Expr *taken_from(const python::Name &name) const;

private:
  struct Binding {
    const python::Expr *value = nullptr; // null: the end of an `if` that binds it on both sides
    u32 end = 0;
    python::Span region;   // of the block that may be skipped around it
    python::Span repeated; // the outermost loop inside this one around it; empty if there is none
    bool plain = false;    // `name = value`
    bool replaces = true;
  };

  void bind(const python::Node *target, const python::Expr *value, u32 end, python::Span region, bool plain,
            bool replaces);
  std::unordered_set<u32> collect(const python::Block &block, python::Span region);
  void collect(const python::Stmt *statement, python::Span region, std::unordered_set<u32> &sure);
  void follow(const python::Expr *expr, Origin &origin, std::unordered_set<const python::Expr *> &seen) const;
  [[nodiscard]] const Binding *before(const python::Name &name) const;

  const Loop &loop_;
  python::Span repeated_; // while bindings are collected
  std::unordered_set<u32> items_;
  std::unordered_map<u32, std::vector<Binding>> bindings_;
};

} // namespace deepperf::model
