// What the interpreter knows of a Python value, and the objects that values refer to. Values are small and copied;
// what can be changed in place lives on the Heap (heap.h), which remembers what a branch changed.
#pragma once

#include "base/symbol.h"
#include "base/symbol_map.h"
#include "model/project.h"
#include "python/ast.h"
#include "shapes/tensor.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace deepperf::shapes {

struct ListObject;
struct DictObject;
struct Frame;
struct Object;
struct ClassObject;
struct FunctionObject;
struct OpaqueObject;
struct BoundMethod;
struct SliceObject;
struct RangeObject;

struct Value {
  enum class Tag : u8 {
    Undefined, // not bound on any path that was looked at
    Unknown,   // anything
    None,
    Bool,  // `small`: see Truth
    Int,   // `number` and `integer` are a Dim
    Float, // `real` if `small` is not 0
    Str,   // `number` is its Symbol; 0: some string
    Ellipsis,
    Tensor,
    Dtype,  // `small`
    Device, // `small` is its kind, `number` its index
    List,
    Tuple,
    Set, // like a list
    Dict,
    Range,
    Slice,
    Function,
    Method, // a function or API method, bound to a receiver
    Class,
    Object,
    Module, // of the project
    Api,    // `number` is the Symbol of its canonical name
    Opaque, // something from outside, always the same: a parameter of a root, or an attribute of one
    HasGpu, // torch.cuda.is_available()
  };
  Tag tag = Tag::Unknown;
  u8 small = 0;
  u32 number = 0;
  union {
    i64 integer = 0;
    double real;
    const Tensor *tensor;
    ListObject *list;
    DictObject *dict;
    Object *object;
    ClassObject *type;
    FunctionObject *function;
    OpaqueObject *opaque;
    const BoundMethod *method;
    const SliceObject *slice;
    const RangeObject *range;
    const model::Module *module;
    const void *pointer;
  };

  Value() = default;
  explicit Value(Tag wanted) : tag(wanted) {}

  [[nodiscard]] bool is(Tag wanted) const { return tag == wanted; }
  [[nodiscard]] bool is_unknown() const { return tag == Tag::Unknown || tag == Tag::Undefined; }
  [[nodiscard]] bool is_sequence() const { return tag == Tag::List || tag == Tag::Tuple || tag == Tag::Set; }
  [[nodiscard]] Dim dim() const { return tag == Tag::Int ? Dim{integer, number} : Dim{}; }
  [[nodiscard]] bool is_number(i64 wanted) const { return tag == Tag::Int && dim().is(wanted); }
  [[nodiscard]] Symbol name() const { return Symbol{number}; }
  [[nodiscard]] std::string_view text() const { return number != 0 ? Symbol{number}.text() : std::string_view{}; }
  [[nodiscard]] Truth truth() const { return static_cast<Truth>(small); }
  [[nodiscard]] Dtype dtype() const { return static_cast<Dtype>(small); }

  // What a name is that a branch bound, after the branch: as if it had never been there. Else Undefined is what `del`
  // leaves.
  static Value absent() {
    Value value(Tag::Undefined);
    value.small = 1;
    return value;
  }
  [[nodiscard]] bool is_absent() const { return tag == Tag::Undefined && small == 1; }

  static Value none() { return Value(Tag::None); }
  static Value of(Dim dim) {
    Value value(Tag::Int);
    value.number = dim.form;
    value.integer = dim.value;
    return value;
  }
  static Value of_int(i64 number) { return of(Dim::of(number)); }
  static Value of_bool(bool is_true) { return of(is_true ? Truth::Yes : Truth::No); }
  static Value of(Truth truth) {
    Value value(Tag::Bool);
    value.small = static_cast<u8>(truth);
    return value;
  }
  static Value of_float(double number) {
    Value value(Tag::Float);
    value.small = 1;
    value.real = number;
    return value;
  }
  static Value some_float() { return Value(Tag::Float); }
  static Value of_text(Symbol text) {
    Value value(Tag::Str);
    value.number = text.id;
    return value;
  }
  static Value of(Dtype dtype) {
    Value value(Tag::Dtype);
    value.small = static_cast<u8>(dtype);
    return value;
  }
  static Value of(Device device) {
    Value value(Tag::Device);
    value.small = static_cast<u8>(device.kind);
    value.number = static_cast<u32>(device.index + 1);
    return value;
  }
  static Value of(const Tensor *tensor) {
    Value value(Tag::Tensor);
    value.tensor = tensor;
    return value;
  }
  static Value of(ListObject *list, Tag tag) {
    Value value(tag);
    value.list = list;
    return value;
  }
  static Value of(DictObject *dict) {
    Value value(Tag::Dict);
    value.dict = dict;
    return value;
  }
  static Value of(Object *object) {
    Value value(Tag::Object);
    value.object = object;
    return value;
  }
  static Value of(ClassObject *type) {
    Value value(Tag::Class);
    value.type = type;
    return value;
  }
  static Value of(FunctionObject *function) {
    Value value(Tag::Function);
    value.function = function;
    return value;
  }
  static Value of(OpaqueObject *opaque) {
    Value value(Tag::Opaque);
    value.opaque = opaque;
    return value;
  }
  static Value of(const BoundMethod *method) {
    Value value(Tag::Method);
    value.method = method;
    return value;
  }
  static Value of(const SliceObject *slice) {
    Value value(Tag::Slice);
    value.slice = slice;
    return value;
  }
  static Value of(const RangeObject *range) {
    Value value(Tag::Range);
    value.range = range;
    return value;
  }
  static Value of(const model::Module *module) {
    Value value(Tag::Module);
    value.module = module;
    return value;
  }
  static Value api(Symbol name) {
    Value value(Tag::Api);
    value.number = name.id;
    return value;
  }
  [[nodiscard]] Device device() const {
    return tag == Tag::Device ? Device{static_cast<Device::Kind>(small), static_cast<std::int8_t>(number - 1)}
                              : Device{};
  }
};

static_assert(sizeof(Value) == 16);

using Names = SymbolMap<Value>;

// Null if it is not there.
inline const Value *find_name(const Names &names, u32 name) {
  const auto found = names.find(name);
  return found != names.end() && !found->second.is_absent() ? &found->second : nullptr;
}

// ---- What never changes ---------------------------------------------------------------------------------------------

struct BoundMethod {
  Value receiver;
  FunctionObject *function = nullptr; // of the project; null: `name` of an API's object or tensor
  Symbol name;
  bool is_super = false; // what super() gives has no name yet: `after` tells where to look
  const ClassObject *after = nullptr;
};

struct SliceObject {
  Value lower;
  Value upper;
  Value step;
};

struct RangeObject {
  Dim start;
  Dim stop;
  Dim step;
};

// ---- What can be changed --------------------------------------------------------------------------------------------

struct HeapObject {
  u32 saved_at = 0; // the branch that has a copy of what it was before
  u32 owner = 0;    // who made it: see Heap::owner
};

struct ListContent {
  std::vector<Value> items;
  bool is_open = false; // there may be more, or fewer: `items` has one value that describes all of them, or none
  Dim length = {};      // what len() gave of an open one that did not change since
};
struct ListObject : HeapObject {
  ListContent content;
  Value holder;          // of what `.shape` of something from outside gives: that
  bool is_shape = false; // the sizes of a tensor whose rank is known
  bool is_array = false; // numbers of an array, such as tf.shape(x): + and * compute with each of them
  const std::vector<Symbol> *fields = nullptr; // of a namedtuple: the names of its values
};

struct DictContent {
  std::vector<std::pair<Value, Value>> items;
  bool is_open = false;  // there may be other keys
  bool is_attrs = false; // of a Namespace or the like: items are attributes
  Dim length = {};       // what len() gave of an open one that did not change since
};
struct DictObject : HeapObject {
  DictContent content;
};

struct FrameContent {
  Names names; // bound by Heap::bind
};
struct Frame {
  FrameContent content;
  std::vector<u32> saved_at; // of each name, the branch that knows what it was before; shorter if no branch was open
  Frame *outer = nullptr;    // where names are looked up next
  const model::Module *module = nullptr;
  const FunctionObject *function = nullptr; // null: a module's own code
  bool is_class = false;
  u32 owner = 0;               // as of other objects
  std::vector<u32> rebound;    // of a module: names that were given a second value, sorted
  std::vector<Symbol> globals; // declared global or nonlocal
};

// An instance of a class of the project, or of an API's: a layer, an optimizer, a loader.
struct ObjectContent {
  Names attributes;
  Symbol api;               // whose constructor ran: `torch.nn.Linear`
  std::vector<Value> args;  // what it was given, by the signature of the API
  std::vector<Value> items; // of a container of layers
  std::vector<Symbol> keys; // of a container with names
  Device device = {Device::Kind::Cpu};
  Dtype dtype = Dtype::Unknown; // what half() and the like made of its weights
  bool is_evaluated = false;    // eval() was called
  bool is_open = false;         // it may have attributes and layers that we do not know
};
struct Object : HeapObject {
  ObjectContent content;
  ClassObject *type = nullptr;         // null: of an API alone
  const python::Call *maker = nullptr; // the call that made it
  const model::Module *module = nullptr;
  Symbol name;              // the attribute that it was stored to first
  bool is_symbolic = false; // made by us, to see what a class does whatever it is given
};

// Something from outside: whatever is learnt of it holds from then on.
struct OpaqueContent {
  const Tensor *tensor = nullptr; // as which it was used
  Names attributes;
  Dim number; // as which it was used
};
struct OpaqueObject : HeapObject {
  OpaqueContent content;
  std::string name;
  bool may_be_tensor = true;
  bool is_argument = false;
};

// ---- Definitions ----------------------------------------------------------------------------------------------------

struct FunctionObject {
  const python::Node *node = nullptr; // FunctionDef or Lambda
  Array<python::Param *> params;
  std::vector<Value> defaults; // of each parameter; Undefined: none
  Frame *closure = nullptr;
  const model::Module *module = nullptr;
  const ClassObject *owner = nullptr;
  Symbol name;
  FunctionObject *wraps = nullptr; // that functools.wraps names: what it stands for
  bool is_static = false;
  bool is_class_method = false;
  bool is_property = false;
  bool is_generator = false;
  bool without_grad = false;
  bool is_wrapped = false; // a decorator that we do not know may have replaced it
  bool is_reached = false; // somebody called it
  u64 last_call = 0;       // the number of the last call of it, of all calls
  u32 active = 0;          // how often it is being run
  u32 last_root = 0;       // that called it
};

struct ClassObject {
  const python::ClassDef *node = nullptr;
  const model::Module *module = nullptr;
  Symbol name;
  Frame *frame = nullptr;           // members
  std::vector<Value> bases;         // classes of the project, APIs, unknown ones
  std::vector<ClassObject *> order; // itself and its bases of the project, as Python looks members up
  Symbol api;                       // the API that it derives from; empty if none
  bool is_dataclass = false;
  bool has_unknown_base = false;
  bool is_instantiated = false;
};

} // namespace deepperf::shapes
