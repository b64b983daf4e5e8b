#include "model/bind.h"

#include "base/name_table.h"
#include "base/symbol_list.h"
#include "python/children.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace deepperf::model {

using namespace python;

namespace {

// Methods that tf.data.Dataset has. The first ones are had by nothing else that has the others too.
constexpr std::array<std::string_view, 22> kDatasetMethods = {"prefetch",
                                                              "padded_batch",
                                                              "interleave",
                                                              "unbatch",
                                                              "make_one_shot_iterator",
                                                              "make_initializable_iterator",
                                                              "as_numpy_iterator",
                                                              "flat_map",
                                                              "with_options",
                                                              "map_with_legacy_function",
                                                              "element_spec", // certain with another
                                                              "map",
                                                              "batch",
                                                              "shuffle",
                                                              "repeat",
                                                              "cache",
                                                              "take",
                                                              "skip",
                                                              "filter",
                                                              "shard",
                                                              "apply",
                                                              "concatenate"};
constexpr u32 kCertain = (1U << 11) - 1;
constexpr u32 kMap = 1U << 11;
constexpr u32 kBatch = 1U << 12;
constexpr u32 kShuffle = 1U << 13;
constexpr u32 kRepeat = 1U << 14;

// Methods that PyTorch's objects have, from the bit after the last one of a Dataset on.
constexpr std::array<std::string_view, 8> kTorchMethods = {"backward", "zero_grad",  "step",       "eval",
                                                           "train",    "parameters", "state_dict", "detach"};
// Methods that tensors have and arrays, models and strings have not: they tell as much as detach() does.
constexpr std::array<std::string_view, 37> kTensorMethods = {
    "unsqueeze",    "permute",   "contiguous", "masked_fill", "masked_fill_",  "scatter_",
    "index_select", "new_zeros", "new_ones",   "new_full",    "new_tensor",    "type_as",
    "log_softmax",  "bmm",       "expand",     "expand_as",   "softmax",       "chunk",
    "numel",        "nelement",  "unbind",     "clamp",       "clamp_",        "sigmoid",
    "size",         "dim",       "unfold",     "narrow",      "masked_select", "repeat_interleave",
    "detach_",      "logsumexp", "unsqueeze_", "index_fill",  "scatter_add",   "scatter_add_",
    "index_add_"};
constexpr u32 kFirstTorch = kDatasetMethods.size();
constexpr u32 torch_bit(std::string_view method) {
  u32 at = 0;
  while (kTorchMethods.at(at) != method) {
    ++at;
  }
  return 1U << (kFirstTorch + at);
}

// Methods that change the object they are called on, in Python's own types and the ones we know.
constexpr std::array<std::string_view, 21> kMutatingMethods = {
    "append", "extend",  "insert", "remove", "pop", "clear", "sort", "reverse", "update", "setdefault", "popitem",
    "add",    "discard", "write",  "fill",   "put", "load",  "step", "reset",   "next",   "appendleft"};
constexpr std::array<std::string_view, 3> kAssigningMethods = {"assign", "assign_add", "assign_sub"};
// Functions of torch.distributed that write what other processes have into their first argument.
constexpr std::array<std::string_view, 9> kReceivingFunctions = {"broadcast",
                                                                 "all_reduce",
                                                                 "recv",
                                                                 "irecv",
                                                                 "all_gather_into_tensor",
                                                                 "all_to_all_single",
                                                                 "reduce_scatter_tensor",
                                                                 "reduce_scatter",
                                                                 "broadcast_object_list"};
constexpr u64 kMutating = u64{1} << 32;
constexpr u64 kAssigning = u64{1} << 33;
constexpr u64 kReceiving = u64{1} << 34;
// Of names: bound by a loop or by taking something apart, and moved to a device. Models are neither looped over nor
// unpacked, batches are.
constexpr u32 kElement = 1U << 30;
constexpr u32 kMoved = 1U << 31;
static_assert(kFirstTorch + kTorchMethods.size() <= 30);

// What calling a method of that name tells: the bits of its evidence, kMutating, kAssigning and kReceiving.
u64 implied_by(Symbol method) {
  static const NameTable kTable = [] {
    NameTable table;
    for (u32 i = 0; i < kDatasetMethods.size(); ++i) {
      table.add(kDatasetMethods.at(i), u64{1} << i);
    }
    for (u32 i = 0; i < kTorchMethods.size(); ++i) {
      table.add(kTorchMethods.at(i), u64{1} << (kFirstTorch + i));
    }
    table.add("load_state_dict", torch_bit("state_dict")); // who has the one has the other
    for (const std::string_view name : kTensorMethods) {
      table.add(name, torch_bit("detach"));
    }
    for (const std::string_view name : kMutatingMethods) {
      table.add(name, kMutating);
    }
    for (const std::string_view name : kAssigningMethods) {
      table.add(name, kMutating | kAssigning);
    }
    for (const std::string_view name : kReceivingFunctions) {
      table.add(name, kReceiving);
    }
    return table;
  }();
  return kTable[method];
}

constexpr u32 kDatasetBits = (1U << kFirstTorch) - 1;

u32 evidence_of(Symbol method) { return static_cast<u32>(implied_by(method)) & kDatasetBits; }

u32 torch_evidence_of(Symbol method, const Call &call) {
  const u32 bits = static_cast<u32>(implied_by(method)) & ~kDatasetBits;
  return bits == torch_bit("eval") && !call.args.empty() ? 0 : bits; // eval(…) of pandas and others
}

void bind_alias(const Alias &alias, BoundNames &bound) {
  if (alias.asname) {
    bound.add(alias.asname);
    return;
  }
  const std::string_view text = alias.name.text();
  const std::size_t dot = text.find('.');
  bound.add(dot == std::string_view::npos ? alias.name : intern(text.substr(0, dot)));
}

void note_elements(const Expr *target, FunctionInfo &function) {
  if (const auto *name = as<Name>(target)) {
    function.evidence[name->id.id] |= kElement;
  } else if (const auto *parts = as<Tuple>(target)) {
    for (const Expr *part : parts->elts) {
      note_elements(part, function);
    }
  }
}

void note_evidence(const Call &call, FunctionInfo &function) {
  const auto *method = as<Attribute>(call.func);
  if (method == nullptr) {
    return;
  }
  if (function.module->torch && (method->attr.text() == "cuda" || method->attr.text() == "to")) {
    if (const auto *name = as<Name>(method->value)) {
      function.evidence[name->id.id] |= kMoved;
    }
    return;
  }
  if (const u32 bits = evidence_of(method->attr); bits != 0) {
    if (const Name *root = root_name(method->value)) {
      function.evidence[root->id.id] |= bits;
    }
    return;
  }
  const u32 bits = function.module->torch ? torch_evidence_of(method->attr, call) : 0;
  if (bits == 0) {
    return;
  }
  if (const auto *name = as<Name>(method->value)) {
    function.evidence[name->id.id] |= bits;
  } else if (const auto *attribute = as<Attribute>(method->value);
             attribute != nullptr && attribute->value->kind == NodeKind::Name) {
    const_cast<Module *>(function.module)->attribute_evidence[attribute->attr.id] |= bits;
  }
}

// `outputs = inputs.map(f)`: what is found out about `outputs` holds for `inputs` too.
void note_derivation(const Assign &assignment, BoundNames &bound) {
  const auto *call = as<Call>(assignment.value);
  const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
  const auto *target = as<Name>(assignment.targets[0]);
  if (method == nullptr || target == nullptr || evidence_of(method->attr) == 0) {
    return;
  }
  const Name *root = root_name(method->value);
  if (root != nullptr && root->id != target->id) {
    bound.derivations.emplace_back(root->id.id, target->id.id);
  }
}

} // namespace

bool is_own_object(const FunctionInfo &function, const Expr *expr) {
  const auto *object = as<Name>(expr);
  return object != nullptr && function.type != nullptr && !function.params.empty() &&
         function.params[0]->name == object->id;
}

const Name *root_name(const Expr *expr) {
  for (;;) {
    switch (expr->kind) {
    case NodeKind::Name:
      return static_cast<const Name *>(expr);
    case NodeKind::Attribute:
      expr = static_cast<const Attribute *>(expr)->value;
      break;
    case NodeKind::Subscript:
      expr = static_cast<const Subscript *>(expr)->value;
      break;
    case NodeKind::Call:
      expr = static_cast<const Call *>(expr)->func;
      break;
    default:
      return nullptr;
    }
  }
}

namespace {

// Of a name, or of an attribute; empty for anything else.
std::string_view last_name(const Expr *expr) {
  const auto *plain = as<Name>(expr);
  const auto *attribute = as<Attribute>(expr);
  return plain != nullptr ? plain->id.text() : attribute != nullptr ? attribute->attr.text() : std::string_view{};
}

} // namespace

bool is_named_dataset(const Expr *expr) {
  const std::string_view text = last_name(expr);
  return text == "ds" || text == "dataset" || text == "data" || text.ends_with("_ds") || text.ends_with("_dataset") ||
         text.ends_with("_data");
}

// PyTorch's methods that change a tensor in place end with an underscore.
bool is_mutating_method(Symbol method) {
  const std::string_view name = method.text();
  return (implied_by(method) & kMutating) != 0 || (name.size() > 1 && name.ends_with('_') && !name.ends_with("__"));
}

const Expr *written_argument(const Call &call) {
  const auto *method = as<Attribute>(call.func);
  const auto *name = as<Name>(call.func);
  const Symbol called = method != nullptr ? method->attr : name != nullptr ? name->id : Symbol{};
  return called && !call.args.empty() && (implied_by(called) & kReceiving) != 0 ? call.args[0] : nullptr;
}

bool is_named_graph(const Expr *expr) { return last_name(expr).ends_with("graph"); }

bool is_named_session(const Expr *expr) {
  const std::string_view text = last_name(expr);
  return text == "sess" || text == "session" || text == "_sess" || text == "_session" || text == "tf_sess" ||
         text == "tf_session" || text == "mon_sess" || text == "monitored_session";
}

bool implies_backward(u32 evidence) { return (evidence & torch_bit("backward")) != 0; }

Kind kind_implied_by(u32 evidence, const Module &module) {
  if (module.tensorflow) {
    const bool has_usual = (evidence & (kMap | kBatch | kShuffle | kRepeat)) != 0;
    if (((evidence & kCertain) != 0 && (has_usual || std::popcount(evidence & kCertain) > 1)) ||
        ((evidence & kBatch) != 0 && (evidence & (kShuffle | kRepeat)) != 0) ||
        ((evidence & kBatch) != 0 && (evidence & kMap) != 0 && !module.torch) ||
        ((evidence & kShuffle) != 0 && (evidence & kRepeat) != 0)) {
      return Kind::Dataset;
    }
  }
  if (module.torch) {
    const auto has = [evidence](std::string_view method) { return (evidence & torch_bit(method)) != 0; };
    if (has("parameters") || (has("eval") && !has("step")) || (has("train") && has("zero_grad")) ||
        (has("train") && has("state_dict") && !has("step"))) {
      return Kind::TorchModule;
    }
    if (has("zero_grad") && has("step")) {
      return Kind::TorchOptimizer;
    }
    constexpr u32 kMovedElement = kElement | kMoved;
    if ((has("backward") && !has("step") && !has("train")) || has("detach") ||
        ((evidence & kMovedElement) == kMovedElement && !has("train") && !has("state_dict"))) {
      return Kind::TorchTensor;
    }
  }
  return Kind::Unknown;
}

void bind_names_of(const Node *node, FunctionInfo &function, BoundNames &bound) {
  switch (node->kind) {
  case NodeKind::Name:
    if (node->context == Context::Store) {
      bound.add(static_cast<const Name *>(node)->id);
    }
    return;
  case NodeKind::FunctionDef: {
    const auto *definition = static_cast<const FunctionDef *>(node);
    bound.add(definition->name);
    for (const Expr *decorator : definition->decorators) {
      bind_names_of(decorator, function, bound);
    }
    return;
  }
  case NodeKind::ClassDef:
    bound.add(static_cast<const ClassDef *>(node)->name);
    return;
  case NodeKind::Lambda:
    return;
  case NodeKind::Import:
    for (const Alias *alias : static_cast<const Import *>(node)->names) {
      bind_alias(*alias, bound);
    }
    return;
  case NodeKind::ImportFrom:
    for (const Alias *alias : static_cast<const ImportFrom *>(node)->names) {
      bound.add(alias->asname ? alias->asname : alias->name);
    }
    return;
  case NodeKind::Global:
    for (const Symbol name : static_cast<const Global *>(node)->names) {
      function.globals.push_back(name);
    }
    return;
  case NodeKind::Nonlocal:
    for (const Symbol name : static_cast<const Nonlocal *>(node)->names) {
      function.globals.push_back(name);
    }
    return;
  case NodeKind::ExceptHandler:
    if (const auto *handler = static_cast<const ExceptHandler *>(node); handler->name) {
      bound.add(handler->name);
    }
    break;
  case NodeKind::MatchAs:
    if (const auto *pattern = static_cast<const MatchAs *>(node); pattern->name) {
      bound.add(pattern->name);
    }
    break;
  case NodeKind::Call:
    note_evidence(*static_cast<const Call *>(node), function);
    break;
  case NodeKind::Assign: {
    const auto *assignment = static_cast<const Assign *>(node);
    note_derivation(*assignment, bound);
    if (function.module->torch && assignment->targets[0]->kind == NodeKind::Tuple &&
        assignment->value->kind != NodeKind::Call && assignment->value->kind != NodeKind::Tuple) {
      note_elements(assignment->targets[0], function); // x, y = batch
    }
    break;
  }
  case NodeKind::ExprStmt: {
    // `metric.to(device)` and `network.to(dtype).to(device)`, and nobody takes the result: that is how modules are
    // moved.
    const auto *call = as<Call>(static_cast<const ExprStmt *>(node)->value);
    const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
    bool is_moved = false;
    while (method != nullptr && (method->attr.text() == "cuda" || method->attr.text() == "to")) {
      is_moved = true;
      for (const Expr *arg : call->args) {
        bind_names_of(arg, function, bound);
      }
      for (const Keyword *keyword : call->keywords) {
        bind_names_of(keyword->value, function, bound);
      }
      const auto *inner = as<Call>(method->value);
      const auto *next = inner != nullptr ? as<Attribute>(inner->func) : nullptr;
      if (next == nullptr || (next->attr.text() != "cuda" && next->attr.text() != "to")) {
        bind_names_of(method->value, function, bound);
        break;
      }
      call = inner;
      method = next;
    }
    if (is_moved) {
      return;
    }
    break;
  }
  case NodeKind::For:
    if (function.module->torch) {
      note_elements(static_cast<const For *>(node)->target, function);
    }
    break;
  default:
    break;
  }
  for_each_child(node, [&](const Node *child) { bind_names_of(child, function, bound); });
}

void bind_names(const Block &body, FunctionInfo &function, BoundNames &bound) {
  for (const Stmt *statement : body) {
    bind_names_of(statement, function, bound);
  }
}

void set_names(FunctionInfo &function, std::span<const u32> names, Arena &arena) {
  constexpr std::size_t kFew = 16; // found as fast by bisection
  function.names = arena.copy(names.data(), names.size());
  function.all_values = arena.fill(names.size(), Value::bottom());
  if (names.size() <= kFew) {
    return;
  }
  function.hashed = arena.fill(std::bit_ceil(names.size() * 2), u32{0});
  const u32 mask = function.hashed.size() - 1;
  for (u32 slot = 0; slot < names.size(); ++slot) {
    u32 at = first_place(names[slot], mask);
    while (function.hashed[at] != 0) {
      at = (at + 1) & mask;
    }
    function.hashed[at] = slot + 1;
  }
}

void finish_names(FunctionInfo &function, BoundNames &bound, Arena &arena) {
  for (const Symbol name : function.globals) {
    std::erase(bound.names, name.id);
  }
  std::ranges::sort(bound.names);
  bound.names.erase(std::unique(bound.names.begin(), bound.names.end()), bound.names.end());
  set_names(function, bound.names, arena);
  std::for_each(bound.derivations.rbegin(), bound.derivations.rend(), [&](const std::pair<u32, u32> &link) {
    const auto derived = function.evidence.find(link.second);
    if (derived != function.evidence.end() && function.evidence.contains(link.first)) {
      function.evidence[link.first] |= derived->second;
    }
  });
  bound.names.clear();
  bound.derivations.clear();
}

namespace {

// `tf.assign(v, x)` changes v.
void note_assigned_variable(const Call &call, Loop &result) {
  const auto *function = as<Attribute>(call.func);
  if (function == nullptr || call.args.size() < 2 || (implied_by(function->attr) & kAssigning) == 0) {
    return;
  }
  if (const auto *name = as<Name>(call.args[0])) {
    result.mutated.push_back(name->id);
  } else if (const auto *attribute = as<Attribute>(call.args[0])) {
    result.attributes.push_back(attribute->attr);
  }
}

void find_changes_in(const Node *node, Loop &result) {
  switch (node->kind) {
  case NodeKind::Name:
    if (node->context != Context::Load) {
      result.assigned.push_back(static_cast<const Name *>(node)->id);
    }
    return;
  case NodeKind::Attribute:
    if (node->context != Context::Load) {
      result.attributes.push_back(static_cast<const Attribute *>(node)->attr);
    }
    break;
  case NodeKind::Subscript:
    if (node->context != Context::Load) {
      if (const Name *root = root_name(static_cast<const Subscript *>(node)->value)) {
        result.mutated.push_back(root->id);
      }
      if (const auto *attribute = as<Attribute>(static_cast<const Subscript *>(node)->value)) {
        result.attributes.push_back(attribute->attr);
      }
    }
    break;
  case NodeKind::Call: {
    const auto *call = static_cast<const Call *>(node);
    if (const auto *method = as<Attribute>(call->func); method != nullptr && is_mutating_method(method->attr)) {
      if (const auto *attribute = as<Attribute>(method->value)) {
        result.attributes.push_back(attribute->attr);
      } else if (const Name *root = root_name(method->value)) {
        result.mutated.push_back(root->id);
      }
    }
    note_assigned_variable(*call, result);
    if (const auto *attribute = as<Attribute>(written_argument(*call))) {
      result.attributes.push_back(attribute->attr);
    } else if (const auto *name = as<Name>(written_argument(*call))) {
      result.mutated.push_back(name->id);
    }
    for (const Expr *arg : call->args) {
      if (const auto *name = as<Name>(arg)) {
        result.passed.push_back(name->id);
      }
    }
    break;
  }
  case NodeKind::FunctionDef:
    result.assigned.push_back(static_cast<const FunctionDef *>(node)->name);
    return;
  case NodeKind::ClassDef:
    result.assigned.push_back(static_cast<const ClassDef *>(node)->name);
    return;
  case NodeKind::ExceptHandler:
    if (const auto *handler = static_cast<const ExceptHandler *>(node); handler->name) {
      result.assigned.push_back(handler->name);
    }
    break;
  case NodeKind::Import:
  case NodeKind::ImportFrom:
    return; // an import gives the same in every iteration
  default:
    break;
  }
  for_each_child(node, [&result](const Node *child) { find_changes_in(child, result); });
}

void sort_changes(Loop &result) {
  sort_unique(result.assigned);
  sort_unique(result.mutated);
  sort_unique(result.attributes);
  sort_unique(result.passed);
}

} // namespace

void find_changes(const Node *loop, Loop &result) {
  find_changes_in(loop, result);
  sort_changes(result);
}

void find_changes(std::span<Stmt *const> statements, Loop &result) {
  for (const Stmt *statement : statements) {
    find_changes_in(statement, result);
  }
  sort_changes(result);
}

} // namespace deepperf::model
