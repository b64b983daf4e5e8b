// Where changeable objects live. Code under a condition that is not known runs as a branch: whatever it changes is
// kept aside when the branch ends, so that the other branch starts from the same state and both can be joined.
#pragma once

#include "base/arena.h"
#include "shapes/value.h"

#include <deque>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace deepperf::shapes {

// What a branch changed, as it left it.
template <class T, class Content> struct Changes {
  struct Entry {
    T *object = nullptr;
    u32 saved_at = 0; // while the branch is open
    Content content;  // before the branch while it is open, afterwards what it left
  };
  std::vector<Entry> entries;
};

// The same of one name: a frame may have hundreds, of which a branch binds a few.
struct NameChange {
  Frame *frame = nullptr;
  u32 place = 0;    // of the name in the frame, which it keeps
  u32 saved_at = 0; // while the branch is open
  Value value;      // before the branch while it is open, afterwards what it left
};

struct Branch {
  u32 id = 0;
  std::vector<NameChange> names;
  Changes<ListObject, ListContent> lists;
  Changes<DictObject, DictContent> dicts;
  Changes<Object, ObjectContent> objects;
  Changes<OpaqueObject, OpaqueContent> opaques;
};

inline std::size_t size_of(const ListContent &content) { return content.items.size(); }
inline std::size_t size_of(const DictContent &content) { return 2 * content.items.size(); }
inline std::size_t size_of(const ObjectContent &content) {
  return content.attributes.size() + content.args.size() + content.items.size() + content.keys.size();
}
inline std::size_t size_of(const OpaqueContent &content) { return content.attributes.size(); }

class Heap {
  template <class T, class Part> auto &changed(T &object, Part part) {
    note_change(object.owner);
    if (!branches_.empty() && object.saved_at != branches_.back().id) {
      Branch &branch = branches_.back();
      copied_ += size_of(object.content);
      (branch.*part).entries.push_back({&object, object.saved_at, object.content});
      object.saved_at = branch.id;
    }
    return object.content;
  }

  template <class Content> static Content &without_length(Content &content) {
    content.length = {};
    return content;
  }

public:
  explicit Heap(Terms &terms) : terms_(terms) {}

  Arena arena;

  // Who is at work: a module, by its index from 1 on, or a root after all modules. What is made then belongs to it.
  u32 owner = 0;
  // Who changed something, and whose it was, where that is not the same.
  std::set<std::pair<u32, u32>> foreign;
  void note_change(u32 of) {
    if (of != owner) [[unlikely]] {
      foreign.emplace(owner, of);
    }
  }

  Value new_list(std::vector<Value> items, Value::Tag tag = Value::Tag::List);
  Value new_open_list(const Value &element, Value::Tag tag = Value::Tag::List); // of unknown length
  DictObject *new_dict();
  Frame *new_frame(Frame *outer, const model::Module *module);
  Object *new_object(ClassObject *type, Symbol api);
  OpaqueObject *new_opaque(std::string name);
  FunctionObject *new_function() { return &functions_.emplace_back(); }
  ClassObject *new_class() { return &classes_.emplace_back(); }
  [[nodiscard]] std::deque<ClassObject> &classes() { return classes_; }
  [[nodiscard]] std::deque<FunctionObject> &functions() { return functions_; }

  // The content, to be changed.
  ListContent &change(ListObject &object) { return without_length(changed(object, &Branch::lists)); }
  DictContent &change(DictObject &object) { return without_length(changed(object, &Branch::dicts)); }
  ObjectContent &change(Object &object) { return changed(object, &Branch::objects); }
  OpaqueContent &change(OpaqueObject &object) { return changed(object, &Branch::opaques); }

  void bind(Frame &frame, u32 name, const Value &value);

  // How many values were copied into lists, or kept aside for branches, since the last time that somebody asked. A line
  // such as `x = x + x` copies as many as all lines before it.
  void note_copied(std::size_t values) { copied_ += values; }
  u64 take_copied() { return std::exchange(copied_, 0); }

  void begin_branch();
  // Everything is again as it was when the branch began.
  Branch end_branch();
  void apply(Branch &&branch);
  void join(Branch &&a, Branch &&b);

  // While it lives, changes are no part of the branches that are open.
  class Suspended {
  public:
    explicit Suspended(Heap &heap) : heap_(heap) { std::swap(heap_.branches_, branches_); }
    ~Suspended() { std::swap(heap_.branches_, branches_); }
    Suspended(const Suspended &) = delete;
    Suspended &operator=(const Suspended &) = delete;

  private:
    Heap &heap_;
    std::vector<Branch> branches_;
  };

  // What is true of both.
  Value join(const Value &a, const Value &b, u32 depth = 0);
  Shape join(const Shape &a, const Shape &b);
  const Tensor *join(const Tensor &a, const Tensor &b);

  // Unknown if there are more dimensions than any library allows.
  Shape shape(const std::vector<Dim> &dims, Shape::Kind kind = Shape::Kind::Known) {
    constexpr std::size_t kMostDims = 64;
    return dims.size() > kMostDims ? Shape{} : Shape{kind, arena.copy(dims.data(), dims.size())};
  }

private:
  ListContent joined(const ListContent &a, const ListContent &b, u32 depth);
  DictContent joined(const DictContent &a, const DictContent &b, u32 depth);
  ObjectContent joined(const ObjectContent &a, const ObjectContent &b, u32 depth);
  OpaqueContent joined(const OpaqueContent &a, const OpaqueContent &b, u32 depth);
  Names joined(const Names &a, const Names &b, u32 depth);
  template <class Part> void join_part(Branch &a, Branch &b, Part part);
  void join_names(const Branch &a, const Branch &b);
  void bind_at(Frame &frame, u32 place, const Value &value);

  Terms &terms_;
  std::vector<Branch> branches_;
  u32 last_branch_ = 0;
  u64 copied_ = 0;
  std::deque<ListObject> lists_;
  std::deque<DictObject> dicts_;
  std::deque<Frame> frames_;
  std::deque<Object> objects_;
  std::deque<OpaqueObject> opaques_;
  std::deque<FunctionObject> functions_;
  std::deque<ClassObject> classes_;
};

} // namespace deepperf::shapes
