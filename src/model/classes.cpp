#include "model/classes.h"

#include <algorithm>
#include <unordered_map>

namespace deepperf::model {

namespace {

using Classes = std::vector<Ref<ClassInfo>>;

enum class State : u8 { Settled, Open, Running, Done };

// Merges the orders of the bases as Python does: a class comes before its bases, and bases in the order in which they
// are listed. False if that is not possible.
bool merge_orders(std::vector<Classes> orders, Classes &result) {
  std::vector<std::size_t> heads(orders.size(), 0);
  const auto stands_later = [&](const ClassInfo *type) {
    for (std::size_t i = 0; i < orders.size(); ++i) {
      for (std::size_t at = heads[i] + 1; at < orders[i].size(); ++at) {
        if (orders[i][at] == type) {
          return true;
        }
      }
    }
    return false;
  };
  for (;;) {
    ClassInfo *next = nullptr;
    bool is_left = false;
    for (std::size_t i = 0; i < orders.size() && next == nullptr; ++i) {
      if (heads[i] < orders[i].size()) {
        is_left = true;
        next = stands_later(orders[i][heads[i]]) ? nullptr : orders[i][heads[i]];
      }
    }
    if (next == nullptr) {
      return !is_left;
    }
    result.push_back(next);
    for (std::size_t i = 0; i < orders.size(); ++i) {
      heads[i] += heads[i] < orders[i].size() && orders[i][heads[i]] == next ? 1 : 0;
    }
  }
}

class Hierarchy {
public:
  explicit Hierarchy(Project &project) : states_(project.classes.size(), State::Settled) {}

  // The order of the class, and of whatever derives from it, is to be found again.
  void open(ClassInfo &type, std::vector<ClassInfo *> &opened) {
    if (std::exchange(states_[type.index], State::Open) == State::Open) {
      return;
    }
    std::size_t next = opened.size();
    opened.push_back(&type);
    for (; next < opened.size(); ++next) {
      for (ClassInfo *below : opened[next]->subclasses) {
        if (std::exchange(states_[below->index], State::Open) != State::Open) {
          opened.push_back(below);
        }
      }
    }
  }

  const Classes &order_of(ClassInfo &type) {
    constexpr std::size_t kMostBases = 64; // of a class, at any depth: nobody writes more
    if (states_[type.index] == State::Settled) {
      return type.mro;
    }
    Classes &order = orders_[type.index];
    if (states_[type.index] != State::Open) {
      return order; // of one that derives from itself, nothing yet
    }
    states_[type.index] = State::Running;
    std::vector<Classes> inherited;
    for (ClassInfo *base : type.parents) {
      inherited.push_back(order_of(*base));
    }
    Classes result = {&type};
    if (!type.parents.empty()) {
      std::vector<Classes> orders = inherited;
      orders.push_back(type.parents);
      Classes merged;
      if (!merge_orders(orders, merged)) { // no such class can exist: as they are listed, each once
        merged.clear();
        for (const Classes &one : inherited) {
          for (const Ref<ClassInfo> &base : one) {
            if (std::ranges::find(merged, base) == merged.end()) {
              merged.push_back(base);
            }
          }
        }
      }
      std::erase(merged, &type);
      merged.resize(std::min(merged.size(), kMostBases));
      result.insert(result.end(), merged.begin(), merged.end());
    }
    order = std::move(result);
    states_[type.index] = State::Done;
    return order;
  }

  // Each once: `class A(B, B)` cannot run.
  static Classes direct_bases(const ClassInfo &type) {
    Classes bases;
    for (const Value &base : type.bases) {
      for_each_alternative(base, [&](const Value &one) { // `Base = A if fast else B`
        if (one.is(Value::Tag::Class) && one.type != &type && std::ranges::find(bases, one.type) == bases.end()) {
          bases.push_back(one.type);
        }
      });
    }
    return bases;
  }

private:
  std::vector<State> states_;               // of each class
  std::unordered_map<u32, Classes> orders_; // of those that are not settled
};

// The kind of the first base, in the order of resolution, that is a framework's.
Kind kind_of_class(const ClassInfo &type) {
  for (const ClassInfo *at : type.mro) {
    for (const Value &base : at->bases) {
      Kind kind = Kind::Unknown;
      for_each_alternative(base, [&kind](const Value &one) {
        const ApiInfo *info = one.is(Value::Tag::Api) ? find_api(one.name()) : nullptr;
        kind = kind == Kind::Unknown && info != nullptr ? info->returns : kind;
      });
      if (kind != Kind::Unknown) {
        return kind;
      }
    }
  }
  return Kind::Unknown;
}

} // namespace

std::vector<ClassInfo *> resolve_hierarchy(Project &project, std::span<ClassInfo *const> rebased) {
  std::vector<ClassInfo *> changed; // some of them twice
  for (ClassInfo *type : rebased) {
    Classes parents = Hierarchy::direct_bases(*type);
    if (parents == type->parents) {
      continue;
    }
    for (ClassInfo *before : type->parents) {
      std::erase(before->subclasses, type);
    }
    for (ClassInfo *now : parents) {
      const auto place = std::ranges::upper_bound(now->subclasses, type->index, {}, &ClassInfo::index);
      now->subclasses.insert(place, type);
    }
    changed.insert(changed.end(), type->parents.begin(), type->parents.end());
    changed.insert(changed.end(), parents.begin(), parents.end());
    type->parents = std::move(parents);
  }
  // Whatever derives from them, in the order in which the classes stand.
  Hierarchy hierarchy(project);
  std::vector<ClassInfo *> affected;
  for (ClassInfo *type : rebased) {
    hierarchy.open(*type, affected);
  }
  std::ranges::sort(affected, {}, &ClassInfo::index);
  for (ClassInfo *type : affected) {
    Classes order = hierarchy.order_of(*type);
    if (type->mro != order) {
      type->mro = std::move(order);
      changed.push_back(type);
    }
  }
  for (ClassInfo *type : affected) { // when all orders are there
    const Kind kind = kind_of_class(*type);
    if (kind != type->kind) {
      type->kind = kind;
      changed.push_back(type);
    }
  }
  return changed;
}

const Value *find_member(const ClassInfo &type, Symbol name, bool after_itself) {
  for (const ClassInfo *at : type.mro) {
    if (after_itself && at == &type) {
      continue;
    }
    if (const auto member = at->members.find(name.id); member != at->members.end()) {
      return &member->second;
    }
  }
  return nullptr;
}

FunctionInfo *find_method_of(const ClassInfo &type, Symbol name) {
  const Value *const member = find_member(type, name);
  return member != nullptr && member->is(Value::Tag::Function) ? member->function : nullptr;
}

const Value *find_attribute(const ClassInfo &type, Symbol name) {
  for (const ClassInfo *at : type.mro) {
    if (const auto attribute = at->attributes.find(name.id); attribute != at->attributes.end()) {
      return &attribute->second.value;
    }
  }
  return nullptr;
}

bool is_only_declared(const ClassInfo &type, Symbol name) {
  return std::ranges::any_of(type.mro,
                             [name](const ClassInfo *at) { return std::ranges::binary_search(at->declared, name.id); });
}

bool may_be_stored(const Project &project, const ClassInfo &type, Symbol name) {
  const auto has = [name](const std::vector<u32> &sorted) { return std::ranges::binary_search(sorted, name.id); };
  return has(project.stored_elsewhere) ||
         std::ranges::any_of(type.mro, [&](const ClassInfo *at) { return has(at->stored); }) ||
         std::ranges::any_of(type.subclasses, [&](const ClassInfo *at) { return has(at->stored); });
}

} // namespace deepperf::model
