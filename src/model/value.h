// What the engine knows of a value: which API, function, class or kind of framework object it is.
#pragma once

#include "base/symbol.h"
#include "frameworks/frameworks.h"
#include "python/ast.h"

namespace deepperf::model {

struct Module;
struct FunctionInfo;
struct ClassInfo;
struct TransformCall;

struct Value {
  enum class Tag : u8 {
    Unknown,
    None,
    Literal,   // `expr` is a constant
    Api,       // `name` is the canonical dotted name
    Instance,  // of a framework's `kind`; a Dataset has its `stage`, others the `call` and `name` of what made them
    Module,    // of the project
    Function,  // of the project, also a lambda
    Class,     // of the project
    Object,    // an instance of a class of the project
    Method,    // `function`, bound to an object
    ApiMethod, // `name`, bound to `receiver`
    Tuple,     // `items`, one for each element, or one for all if `uniform`
    Partial,   // functools.partial of `receiver`
    Transform, // what Dataset.apply takes: `name` with `transform`
  };

  Tag tag = Tag::Unknown;
  Kind kind = Kind::Unknown;
  bool v1 : 1 = false;        // reached through tensorflow.compat.v1
  bool container : 1 = false; // of an Instance: may be a tuple, list or dict of them
  bool uniform : 1 = false;
  bool few : 1 = false;            // of a uniform Tuple: ten elements or so at most
  bool grad : 1 = false;           // of a TorchTensor: it hangs on the graph that backward() walks
  bool gpu : 1 = false;            // of a TorchTensor or TorchModule: it was moved to a device
  Output output = Output::Unknown; // of a tensor what its numbers are, of a TorchModule what it gives
  u32 number = 0;                  // of a symbol, a stage, or how many items
  union {
    const void *pointer = nullptr;
    const Module *module;
    FunctionInfo *function;
    ClassInfo *type;
    const Value *items; // also the receiver
    const python::Expr *expr;
    const python::Call *call;
    const TransformCall *transform;
  };

  [[nodiscard]] bool is(Tag wanted) const { return tag == wanted; }
  [[nodiscard]] bool is_kind(Kind wanted) const { return tag == Tag::Instance && kind == wanted; }
  [[nodiscard]] bool known() const { return tag != Tag::Unknown && tag != Tag::None; }
  [[nodiscard]] Symbol name() const { return Symbol{number}; }
  [[nodiscard]] u32 stage() const { return number; }
  [[nodiscard]] const Value &receiver() const { return *items; }

  friend bool operator==(const Value &a, const Value &b) {
    return a.tag == b.tag && a.kind == b.kind && a.number == b.number && a.pointer == b.pointer && a.output == b.output;
  }

  static Value api(Symbol name, bool v1) {
    Value value;
    value.tag = Tag::Api;
    value.number = name.id;
    value.v1 = v1;
    return value;
  }
  static Value instance(Kind kind, u32 stage = 0) {
    Value value;
    value.tag = Tag::Instance;
    value.kind = kind;
    value.number = stage;
    return value;
  }
  // What the call of an API or method made.
  static Value made_by(Kind kind, const python::Call *call, Symbol name) {
    Value value = instance(kind, name.id);
    value.call = call;
    return value;
  }
  static Value of(FunctionInfo *function, Tag tag = Tag::Function) {
    Value value;
    value.tag = tag;
    value.function = function;
    return value;
  }
  static Value of(ClassInfo *type, Tag tag) {
    Value value;
    value.tag = tag;
    value.type = type;
    return value;
  }
};

// A call that makes what Dataset.apply takes, and the function that it will map.
struct TransformCall {
  const python::Call *call = nullptr;
  Value mapper;
};

// One step of a tf.data pipeline. Stage 0 is "nothing known before this".
struct Stage {
  u32 previous = 0;
  u32 other = 0;                 // where two branches meet: the second previous stage
  const ApiInfo *info = nullptr; // null where branches meet, and for what is only assumed to be a Dataset
  Symbol method;
  const python::Call *call = nullptr;
  const Module *module = nullptr;
  FunctionInfo *function = nullptr; // where the call stands
  Value mapper;

  // From the method's name on: where the chain before it stands does not matter.
  [[nodiscard]] python::Span span() const {
    const auto *attribute = python::as<python::Attribute>(call->func);
    const u32 start =
        attribute != nullptr ? attribute->end - static_cast<u32>(attribute->attr.text().size()) : call->start;
    return {start, call->end};
  }
};

} // namespace deepperf::model
