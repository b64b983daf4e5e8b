#include "model/solver_memory.h"

#include "model/lattice.h"

#include <algorithm>
#include <bit>

namespace deepperf::model {

namespace {

u64 mix(u64 hash, u64 more) {
  hash = (hash ^ more) * 0x9E3779B97F4A7C15U;
  return std::rotl(hash, 29) ^ (hash >> 31U);
}

Array<Value> kept(const Array<Value> &values, Arena &arena) {
  const Array<Value> copies = arena.copy(values.items, values.count);
  for (Value &value : copies) {
    value = copy_into(value, arena);
  }
  return copies;
}

} // namespace

void SolverMemory::note_changed(const Module &module) {
  versions_.resize(std::max<std::size_t>(versions_.size(), module.index + 1), 0);
  versions_[module.index] = ++last_version_;
  version_of_file_[module.file.value] = last_version_;
}

void SolverMemory::begin(const Project &project, const Units &units) {
  project_ = &project;
  units_ = units;
  versions_.resize(project.modules.size(), 0);
  walks_.resize(project.functions.size());
  states_.clear();
  keys_of_class_.clear();
  reused = 0;
}

void SolverMemory::note_event(u64 key) {
  states_.erase(key);
  if (static_cast<u32>(key) == Units::kEverything) {
    if (const auto known = keys_of_class_.find(static_cast<u32>(key >> 32U)); known != keys_of_class_.end()) {
      for (const u64 part : known->second) {
        states_.erase(part);
      }
      keys_of_class_.erase(known);
    }
  }
}

// ---- Hashes of the tables -------------------------------------------------------------------------------------------

u64 SolverMemory::hash(const Value &value) const {
  const u64 bits = static_cast<u64>(value.tag) | static_cast<u64>(value.kind) << 8U |
                   static_cast<u64>(value.output) << 16U | u64{value.device} << 24U | u64{value.grad} << 28U |
                   u64{value.many} << 32U | u64{value.v1} << 33U | u64{value.container} << 34U |
                   u64{value.uniform} << 35U | u64{value.few} << 36U | u64{value.open} << 37U | u64{value.none} << 38U;
  u64 result = mix(mix(1, bits), value.number);
  switch (value.tag) {
  case Value::Tag::Literal: {
    const auto version = version_of_file_.find(value.number - 1);
    result = mix(result, std::bit_cast<u64>(value.expr));
    result = mix(result, version != version_of_file_.end() ? version->second : 0);
    break;
  }
  case Value::Tag::Instance:
    if (value.maker() != nullptr) {
      const FunctionInfo &maker = project_->functions[project_->callers[value.maker()->fact]];
      // Of a call without a number nobody knows which file it stands in: any that changed may be it.
      const u64 version = value.maker()->fact != 0 ? versions_[maker.module->index] : last_version_;
      result = mix(mix(result, value.maker()->fact), version);
    }
    break;
  case Value::Tag::Module:
    result = mix(result, value.module->index);
    break;
  case Value::Tag::Function:
  case Value::Tag::Method:
    result = mix(result, value.function->index);
    break;
  case Value::Tag::Class:
  case Value::Tag::Object:
  case Value::Tag::Super:
    result = mix(result, value.type->index);
    break;
  case Value::Tag::ApiMethod:
  case Value::Tag::Partial:
    result = value.items != nullptr ? mix(result, hash(value.items[0])) : result;
    break;
  case Value::Tag::Tuple:
  case Value::Tag::Transform:
    for (u32 i = 0; value.items != nullptr && i < (value.is(Value::Tag::Tuple) ? value.number : 2); ++i) {
      result = mix(result, hash(value.items[i]));
    }
    break;
  default: // of an Unknown with alternatives, they tell
    if (value.pointer != nullptr && value.alternatives == nullptr) {
      result = mix(result, std::bit_cast<u64>(value.pointer));
    }
    break;
  }
  for (u32 i = 0; value.alternatives != nullptr && i < value.alternatives->count; ++i) {
    result = mix(result, hash(value.alternatives->items[i]));
  }
  return result;
}

u64 SolverMemory::state_of_attribute(const ClassInfo &type, u32 name) const {
  constexpr std::size_t kMostDerived = 8; // that Transfer::member_of looks at
  u64 result = mix(2, static_cast<u64>(type.kind));
  for (const ClassInfo *at : type.mro) {
    result = mix(result, at->index);
    if (const auto stored = at->attributes.find(name); stored != at->attributes.end()) {
      result = mix(result, hash(stored->second.value));
    }
    if (const auto member = at->members.find(name); member != at->members.end()) {
      result = mix(result, ~hash(member->second));
    }
  }
  result = mix(result, type.subclasses.size());
  for (std::size_t i = 0; i < type.subclasses.size(); ++i) {
    const ClassInfo &derived = *type.subclasses[i];
    result = mix(result, derived.index);
    if (const auto stored = derived.attributes.find(name); i < kMostDerived && stored != derived.attributes.end()) {
      result = mix(result, hash(stored->second.value));
    }
  }
  return result;
}

// With what the methods of classes below it are, as overrides_of looks for them.
u64 SolverMemory::state_of_class(const ClassInfo &type) const {
  constexpr std::size_t kMostClasses = 51;
  u64 result = mix(3, static_cast<u64>(type.kind));
  for (const ClassInfo *at : type.mro) {
    result = mix(result, at->index);
  }
  std::vector<const ClassInfo *> below = {&type};
  for (std::size_t next = 0; next < below.size() && next < kMostClasses; ++next) {
    const ClassInfo &at = *below[next];
    result = mix(result, at.index);
    for (const auto &[name, value] : at.members) {
      result = mix(mix(result, name), hash(value));
    }
    for (const ClassInfo *derived : at.subclasses) {
      if (std::ranges::find(below, derived) == below.end()) {
        below.push_back(derived);
      }
    }
  }
  return result;
}

u64 SolverMemory::state_of(u64 key) {
  const auto unit = static_cast<u32>(key >> 32U);
  const auto detail = static_cast<u32>(key);
  const u32 first_class = 2 * units_.functions;
  const bool is_class = unit >= first_class && unit < first_class + units_.classes;
  if (is_class && detail == Units::kEverything) {
    return state_of_class(project_->classes[unit - first_class]); // nobody tells when a class below gets a member
  }
  const auto [known, is_new] = states_.try_emplace(key, 0);
  if (!is_new) {
    return known->second;
  }
  u64 result = 4;
  if (unit < units_.functions) {
    const FunctionInfo &function = project_->functions[unit];
    result = mix(result, u64{function.has_ops} | u64{function.is_property} << 1U | u64{function.is_static} << 2U |
                             u64{function.is_class_method} << 3U | u64{function.decorated_no_grad} << 4U);
    result = mix(result, hash(function.returns));
    for (const Value &value : function.defaults) {
      result = mix(result, hash(value));
    }
  } else if (unit < first_class) {
    const FunctionInfo &scope = project_->functions[unit - units_.functions];
    result = mix(result, detail < scope.all_values.size() ? hash(scope.all_values[detail]) : 0);
  } else if (is_class) {
    result = state_of_attribute(project_->classes[unit - first_class], detail);
    keys_of_class_[unit].push_back(key);
  } else {
    const Module &module = project_->modules[unit - first_class - units_.classes];
    result = mix(result, u64{module.v1} | u64{module.v2} << 1U);
  }
  states_[key] = result;
  return result;
}

// All that a walk reads without a key: what callers pass, and how the function is defined.
u64 SolverMemory::inputs_of(const FunctionInfo &function) const {
  u64 result = mix(5, versions_[function.module->index]);
  result = mix(result, u64{function.is_static} | u64{function.is_class_method} << 1U |
                           u64{function.decorated_no_grad} << 2U | u64{function.mentioned} << 3U |
                           u64{function.module->v1} << 4U | u64{function.module->v2} << 5U);
  for (const Cell &cell : function.inputs) {
    result = mix(mix(result, hash(cell.value)), cell.entries.empty() ? 0 : 1);
  }
  return result;
}

// ---- Walks ----------------------------------------------------------------------------------------------------------

std::optional<FunctionResult> SolverMemory::find(const FunctionInfo &function, u32 number, Assume assume,
                                                 const std::vector<u64> &known_reads) {
  const std::vector<Walk> &walks = walks_[function.index];
  if (number >= walks.size() || walks[number].assume != assume || walks[number].inputs != inputs_of(function)) {
    return std::nullopt;
  }
  const Walk &walk = walks[number];
  for (u32 i = 0; i < walk.keys.size(); ++i) {
    if (state_of(walk.keys[i]) != walk.states[i]) {
      return std::nullopt;
    }
  }
  ++reused;
  FunctionResult result = walk.result;
  std::vector<u64> fresh;
  std::ranges::copy_if(walk.keys, std::back_inserter(fresh),
                       [&](u64 key) { return !std::ranges::binary_search(known_reads, key); });
  result.new_reads = scratch_.copy(fresh.data(), fresh.size());
  return result;
}

void SolverMemory::remember(const FunctionInfo &function, u32 number, Assume assume, const FunctionResult &result) {
  std::vector<Walk> &walks = walks_[function.index];
  if (number >= walks.size()) {
    walks.resize(number + 1);
  }
  Walk &walk = walks[number];
  walk.assume = assume;
  walk.inputs = inputs_of(function);
  walk.keys = arena_.copy(result.all_reads.items, result.all_reads.count);
  walk.states = arena_.fill(result.all_reads.size(), u64{0});
  for (u32 i = 0; i < walk.keys.size(); ++i) {
    walk.states[i] = state_of(walk.keys[i]);
  }
  walk.result = result;
  FunctionResult &own = walk.result;
  own.all_reads = own.new_reads = {};
  own.returns = copy_into(result.returns, arena_);
  own.all_values = kept(result.all_values, arena_);
  own.contributions = result.same_contributions
                          ? arena_.copy(function.contributions.data(), function.contributions.size())
                          : arena_.copy(result.contributions.items, result.contributions.count);
  own.same_contributions = false;
  for (Contribution &gift : own.contributions) {
    gift.value = copy_into(gift.value, arena_);
  }
  own.functions = arena_.copy(result.functions.items, result.functions.count);
  for (FunctionDefinition &defined : own.functions) {
    defined.defaults = kept(defined.defaults, arena_);
  }
  for (ClassDefinition &defined : own.classes) {
    for (Value &base : defined.bases) {
      base = copy_into(base, arena_);
    }
    for (const auto &[name, value] : defined.members) {
      defined.members[name] = copy_into(value, arena_);
    }
  }
}

} // namespace deepperf::model
