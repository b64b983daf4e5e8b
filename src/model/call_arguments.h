// The values of a call's arguments, each evaluated once. Private to src/model.
#pragma once

#include "model/transfer.h"

namespace deepperf::model {

class Transfer::Arguments {
public:
  Arguments(Transfer &owner, const python::Call *call) : owner_(owner), call_(call), first_(owner.items_.size()) {
    for (const python::Expr *arg : call->args) {
      add(arg);
    }
    for (const python::Keyword *keyword : call->keywords) {
      add(keyword->value);
    }
    if (owner_.recording()) {
      owner_.note_beam(call, at(0));
    }
  }
  Arguments(const Arguments &) = delete;
  Arguments &operator=(const Arguments &) = delete;
  ~Arguments() { owner_.items_.resize(first_); }

  // Of the positional ones and the keywords after them; unknown if there are not so many.
  [[nodiscard]] Value at(u32 index) const { return index < size() ? owner_.items_[first_ + index] : Value{}; }
  [[nodiscard]] u32 size() const { return call_->args.size() + call_->keywords.size(); }
  [[nodiscard]] Value first() const { return call_->args.empty() ? Value{} : at(0); }
  [[nodiscard]] Value last() const { return call_->args.empty() ? Value{} : at(call_->args.size() - 1); }

  // By its position or its name.
  [[nodiscard]] Value named(u32 position, std::string_view keyword) const {
    if (position < call_->args.size() && call_->args[position]->kind != python::NodeKind::Starred) {
      return at(position);
    }
    for (u32 i = 0; i < call_->keywords.size(); ++i) {
      if (call_->keywords[i]->name && call_->keywords[i]->name.text() == keyword) {
        return at(call_->args.size() + i);
      }
    }
    return {};
  }

private:
  void add(const python::Expr *arg) {
    const Value value = owner_.eval(arg);
    if (owner_.recording()) {
      owner_.mark_passed(value);
    }
    owner_.items_.push_back(value);
  }

  Transfer &owner_;
  const python::Call *call_;
  std::size_t first_;
};

} // namespace deepperf::model
