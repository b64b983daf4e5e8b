// What the engine knows of a value: which API, function, class or kind of framework object it is. A Value is an element
// of a lattice (see lattice.h): Bottom is below everything, Unknown above, and in between stands a set of up to four
// alternatives. Most values have one alternative, which stands in the Value itself.
#pragma once

#include "base/symbol.h"
#include "frameworks/frameworks.h"
#include "model/reads.h"
#include "python/ast.h"

namespace deepperf::model {

struct Module;
struct FunctionInfo;
struct ClassInfo;
struct Alternatives;

// Whether a tensor is part of an autograd graph, as a set: both bits mean "on some paths".
enum Gradient : u8 { kNoGradient = 1, kGradient = 2 };

// Where a tensor or module may be, as a set. Nothing is said where no bit is set.
enum Device : u8 { kOnCpu = 1, kOnGpu = 2, kOnUnknown = 4 };

struct Value {
  enum class Tag : u8 {
    Unknown,   // nobody told us; with `alternatives`, several things that have no common description
    Bottom,    // nothing yet: no execution that was looked at gives a value here
    None,      // of Python
    Literal,   // `expr` is a constant, `number` is the file it stands in, plus one
    Api,       // `name` is the canonical dotted name
    Instance,  // of a framework's `kind`; with the `call` and `name` of what made it, where there is just one such call
    Module,    // of the project
    Function,  // of the project, also a lambda
    Class,     // of the project
    Object,    // an instance of a class of the project
    Super,     // what super() gives in a method of the class
    Method,    // `function`, bound to an object
    ApiMethod, // `name` of `kind`, bound to `receiver`
    Tuple,     // `items`, one for each element, or one for all if `uniform`
    Partial,   // functools.partial of `receiver`
    Transform, // what Dataset.apply takes: `name`; the items are what the call made and the function that it maps
  };

  Tag tag = Tag::Unknown;
  Kind kind = Kind::Unknown;
  Output output : 4 = Output::Unknown; // of a tensor what its numbers are, of a TorchModule what it gives
  u8 device : 3 = 0;                   // of a TorchTensor or TorchModule: see Device
  bool many : 1 = false;               // of an Instance: made in more places than are kept apart; see also anything()
  u8 grad : 2 = 0;                     // of a TorchTensor: see Gradient
  bool v1 : 1 = false;                 // reached through tensorflow.compat.v1
  bool container : 1 = false;          // of an Instance: may be a tuple, list or dict of them
  bool uniform : 1 = false;
  bool few : 1 = false;  // of a uniform Tuple: ten elements or so at most
  bool open : 1 = false; // or something else that nobody told us
  bool none : 1 = false; // or None
  u32 number = 0;        // of a symbol, or how many items
  union {
    const void *pointer = nullptr;
    Ref<const Module> module;
    Ref<FunctionInfo> function;
    Ref<ClassInfo> type;
    const Value *items;            // also the receiver
    const python::Expr *expr;      // for others than the solver: literal()
    Ref<const python::Call> call_; // see maker()
  };
  const Alternatives *alternatives = nullptr; // where there are several; what stands above describes them all

  Value() = default; // said so because GCC 12 takes no {} for a struct with such bit-fields otherwise

  [[nodiscard]] bool is(Tag wanted) const { return tag == wanted; }
  [[nodiscard]] bool is_kind(Kind wanted) const { return tag == Tag::Instance && kind == wanted; }
  [[nodiscard]] bool is_bottom() const { return tag == Tag::Bottom; }
  // Nothing at all is known of it.
  [[nodiscard]] bool is_unknown() const { return tag == Tag::Unknown && alternatives == nullptr; }
  // All alternatives have something in common that `tag` tells.
  [[nodiscard]] bool known() const { return tag != Tag::Unknown && tag != Tag::None && tag != Tag::Bottom; }
  [[nodiscard]] const python::Expr *literal() const {
    if (reads_now != nullptr) [[unlikely]] {
      add_read_file(number - 1);
    }
    return expr;
  }
  [[nodiscard]] Symbol name() const { return Symbol{number}; }
  [[nodiscard]] const Value &receiver() const { return *items; }
  // The call that made an Instance, where there is just one such call.
  [[nodiscard]] const python::Call *maker() const { return tag == Tag::Instance ? call_.get() : nullptr; }
  [[nodiscard]] bool has_gradient() const { return (grad & kGradient) != 0; }
  [[nodiscard]] bool on_gpu() const { return device == kOnGpu; }

  // Too many things to list. Unlike what nobody told us, which a known alternative may stand next to, it stays so.
  static Value anything() {
    Value value;
    value.many = true;
    return value;
  }
  static Value bottom() {
    Value value;
    value.tag = Tag::Bottom;
    return value;
  }
  static Value api(Symbol name, bool v1) {
    Value value;
    value.tag = Tag::Api;
    value.number = name.id;
    value.v1 = v1;
    return value;
  }
  static Value instance(Kind kind) {
    Value value;
    value.tag = Tag::Instance;
    value.kind = kind;
    return value;
  }
  // What the call of an API or method made.
  static Value made_by(Kind kind, const python::Call *call, Symbol name) {
    Value value = instance(kind);
    value.number = name.id;
    value.call_ = call;
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
  static Value of(const Module *module) {
    Value value;
    value.tag = Tag::Module;
    value.module = module;
    return value;
  }
};

static_assert(sizeof(Value) == 24);

// Where the result of an operation on both is: an operand on the device decides, since they have to be on the same one
// unless one is a number.
inline u8 common_device(const Value &left, const Value &right) {
  const bool is_tensor = left.is_kind(Kind::TorchTensor);
  const bool is_other = right.is_kind(Kind::TorchTensor);
  if ((is_tensor && left.on_gpu()) || (is_other && right.on_gpu())) {
    return kOnGpu;
  }
  if (!is_tensor || !is_other) {
    return is_tensor ? left.device : is_other ? right.device : u8{0};
  }
  return left.device == right.device ? left.device : u8{0};
}

// So many different things are kept apart; all Instances of a kind count as one thing, of which so many makers are
// kept.
constexpr u32 kMostAlternatives = 4;

struct Alternatives {
  u32 count = 0;
  const Value *items = nullptr;
};

// Calls `visit` with each thing that the value may be; not with None, and not for what is unknown.
template <class Visit> void for_each_alternative(const Value &value, Visit visit) {
  if (value.alternatives != nullptr) {
    for (u32 i = 0; i < value.alternatives->count; ++i) {
      visit(value.alternatives->items[i]);
    }
  } else if (value.known()) {
    visit(value);
  }
}

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
