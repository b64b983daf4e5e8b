#include "model/fingerprint.h"

#include "base/reads.h"
#include "base/workers.h"
#include "model/definitions.h"
#include "python/children.h"

#include <bit>
#include <deque>

namespace deepperf::model {

namespace {

using python::Node;

class Hash {
public:
  void add(u64 more) {
    hash_ = (hash_ ^ more) * 0x9E3779B97F4A7C15U;
    hash_ = std::rotl(hash_, 29) ^ (hash_ >> 31U);
  }
  void add(const void *place) { add(std::bit_cast<u64>(place)); }
  [[nodiscard]] u64 value() const { return hash_; }

private:
  u64 hash_ = 1;
};

// Nodes of the module itself stay where they are, so that their address tells which one it is. Functions, classes and
// calls are told by their number in their module, wherever the project has them.
class ModuleFacts {
public:
  explicit ModuleFacts(const Project &project)
      : project_(project), hashes_(project.modules.size()), first_function_(project.modules.size(), ~0U),
        first_class_(project.modules.size(), ~0U), first_call_(project.modules.size(), ~0U) {
    const auto note = [](u32 index, u32 &first) { first = std::min(first, index); };
    for (const FunctionInfo &function : project.functions) {
      note(function.index, first_function_[function.module->index]);
    }
    for (const ClassInfo &type : project.classes) {
      note(type.index, first_class_[type.module->index]);
    }
    for (u32 i = 1; i < project.callers.size(); ++i) {
      note(i, first_call_[project.functions[project.callers[i]].module->index]);
    }
  }

  std::vector<u64> find() {
    for (const Module &module : project_.modules) {
      add(module);
    }
    for (const FunctionInfo &function : project_.functions) {
      add(function);
    }
    for (const ClassInfo &type : project_.classes) {
      add(type);
    }
    for (const Loop &loop : project_.loops) {
      if (loop.function != nullptr) { // else it is room for more
        add(loop);
      }
    }
    for (u32 i = 1; i < project_.callees.size(); ++i) {
      const Value &callee = project_.callees[i];
      if (!callee.is_unknown() || callee.open || callee.none || callee.many) { // else there may be no such call
        Hash &hash = of(project_.functions[project_.callers[i]]);
        hash.add(number_of_call(i));
        add(callee, hash);
      }
    }
    std::vector<u64> result;
    for (const Hash &hash : hashes_) {
      result.push_back(hash.value());
    }
    add_tables(result);
    return result;
  }

private:
  Hash &of(const FunctionInfo &function) { return hashes_[function.module->index]; }

  [[nodiscard]] u64 number_of(const FunctionInfo *function) const {
    return function == nullptr
               ? 0
               : u64{function->module->index} << 32U | (function->index - first_function_[function->module->index] + 1);
  }
  [[nodiscard]] u64 number_of(const ClassInfo *type) const {
    return type == nullptr ? 0
                           : u64{type->module->index} << 32U | (type->index - first_class_[type->module->index] + 1);
  }
  [[nodiscard]] static u64 number_of(const Module *module) { return module == nullptr ? 0 : module->index + 1; }
  [[nodiscard]] u64 number_of_call(u32 fact) const {
    const u32 module = project_.functions[project_.callers[fact]].module->index;
    return fact == 0 ? 0 : u64{module} << 32U | (fact - first_call_[module] + 1);
  }
  static const Node *node_of(const Loop *loop) { return loop != nullptr ? loop->node : nullptr; }

  void add_call(const python::Call *call, Hash &hash) const {
    hash.add(call != nullptr ? number_of_call(call->fact) : ~u64{0});
  }

  void add_somewhere(const Node *node, Hash &hash) const {
    const auto *call = python::as<python::Call>(node);
    hash.add(node == nullptr ? 1 : call != nullptr ? 2 + number_of_call(call->fact) : u64{node->start} << 32U);
  }

  void add(const Value &value, Hash &hash) const {
    hash.add(static_cast<u64>(value.tag) | static_cast<u64>(value.kind) << 8U | static_cast<u64>(value.output) << 16U |
             u64{value.device} << 24U | u64{value.grad} << 28U | u64{value.many} << 32U | u64{value.v1} << 33U |
             u64{value.container} << 34U | u64{value.uniform} << 35U | u64{value.few} << 36U | u64{value.open} << 37U |
             u64{value.none} << 38U);
    hash.add(value.number);
    switch (value.tag) {
    case Value::Tag::Literal:
      hash.add(value.expr != nullptr ? u64{value.expr->start} << 32U | value.expr->end : 0);
      break;
    case Value::Tag::Instance:
      add_call(value.call_.id(), hash);
      break;
    case Value::Tag::ApiMethod:
    case Value::Tag::Partial:
      if (value.items != nullptr) {
        add(value.items[0], hash);
      }
      break;
    case Value::Tag::Tuple:
    case Value::Tag::Transform:
      for (u32 i = 0; value.items != nullptr && i < (value.is(Value::Tag::Tuple) ? value.number : 2); ++i) {
        add(value.items[i], hash);
      }
      break;
    case Value::Tag::Module:
      hash.add(number_of(value.module.id()));
      break;
    case Value::Tag::Function:
    case Value::Tag::Method:
      hash.add(number_of(value.function.id()));
      break;
    case Value::Tag::Class:
    case Value::Tag::Object:
    case Value::Tag::Super:
      hash.add(number_of(value.type.id()));
      break;
    default:
      if (value.alternatives == nullptr) {
        hash.add(value.pointer);
      }
      break;
    }
    hash.add(value.alternatives != nullptr ? value.alternatives->count : 0);
    for (u32 i = 0; value.alternatives != nullptr && i < value.alternatives->count; ++i) {
      add(value.alternatives->items[i], hash);
    }
  }

  void add(const Cell &cell, Hash &hash) const {
    add(cell.value, hash);
    hash.add(cell.entries.size());
    for (const Cell::Entry &entry : cell.entries) {
      hash.add(number_of(&project_.functions[entry.contributor]));
      add(entry.value, hash);
    }
  }

  template <class List> static void add_names(const List &names, Hash &hash) {
    hash.add(names.size());
    for (const Symbol name : names) {
      hash.add(name.id);
    }
  }

  // Of what has no order.
  template <class List, class Add> static void add_any_order(const List &list, Hash &hash, Add add_one) {
    u64 sum = 0;
    for (const auto &one : list) {
      Hash alone;
      add_one(one, alone);
      sum += alone.value();
    }
    hash.add(list.size());
    hash.add(sum);
  }

  void add(const Module &module) {
    Hash &hash = hashes_[module.index];
    hash.add(module.file.value);
    hash.add(u64{module.is_package} | u64{module.tensorflow} << 1U | u64{module.near_tensorflow} << 2U |
             u64{module.is_linted} << 3U | u64{module.torch} << 4U | u64{module.jax} << 5U | u64{module.v1} << 6U |
             u64{module.v2} << 7U | u64{module.is_test} << 8U);
    add_names(module.exports, hash);
    add_names(module.stars, hash);
    for (const auto &[name, type] : module.class_of_name) {
      hash.add(name);
      hash.add(number_of(type.id()));
    }
    for (const auto &[name, bits] : module.attribute_evidence) {
      hash.add(u64{name} << 32U | bits);
    }
    add_any_order(module.imported, hash, [](const auto &one, Hash &alone) {
      alone.add(one.first);
      alone.add(number_of(one.second.id()));
    });
    add_any_order(module.import_targets, hash, [](const auto &one, Hash &alone) {
      alone.add(one.first);
      alone.add(number_of(one.second.id()));
    });
    for (const python::Stmt *statement : module.parsed->tree.body) {
      add_values(statement, hash);
    }
  }

  static void add_values(const Node *node, Hash &hash) {
    hash.add(u64{node->value} | u64{node->output} << 8U | u64{node->on_cpu} << 12U | u64{node->detail} << 16U);
    if (node->kind != python::NodeKind::Name && node->kind != python::NodeKind::Constant) {
      python::for_each_child(node, [&hash](const Node *child) { add_values(child, hash); });
    }
  }

  void add(const FunctionInfo &function) {
    Hash &hash = of(function);
    hash.add(u64{function.is_outer} | u64{function.mentioned} << 1U | u64{function.is_test} << 2U |
             u64{function.is_property} << 3U | u64{function.is_static} << 4U | u64{function.is_class_method} << 5U |
             u64{function.decorated_no_grad} << 6U | u64{function.has_ops} << 7U | u64{function.own_effects} << 8U |
             u64{function.own_variables} << 9U | u64{function.switches_grad} << 10U | u64{function.effects} << 11U |
             u64{function.traced} << 12U | u64{function.passed} << 13U | u64{function.makes_variables} << 14U |
             u64{function.makes_graph} << 15U | u64{function.new_graph} << 16U | u64{function.runs_session} << 17U |
             u64{function.steps} << 18U | u64{function.trains} << 19U | u64{function.no_grad} << 20U |
             u64{function.sometimes_no_grad} << 21U | u64{function.in_parallel} << 22U | u64{function.in_loop} << 23U |
             u64{function.tracers} << 24U | u64{function.context} << 32U);
    hash.add(function.graph_params);
    add_somewhere(function.compiled_at.id(), hash);
    add_somewhere(function.session_run.id(), hash);
    add_values_of(function, hash);
    add_code_of(function, hash);
    add_names(function.attribute_stores, hash);
    hash.add(function.called_by.size());
    for (const Ref<const CallSite> &site : function.called_by) {
      hash.add(number_of(site.id()->caller));
    }
  }

  void add_values_of(const FunctionInfo &function, Hash &hash) const {
    for (const Cell &cell : function.inputs) {
      add(cell, hash);
    }
    add(function.returns, hash);
    for (const Value &value : function.all_values) {
      add(value, hash);
    }
    hash.add(function.outer_stores.size());
    for (const auto &[slot, cell] : function.outer_stores) {
      hash.add(slot);
      add(cell, hash);
    }
    for (const Value &value : function.defaults) {
      add(value, hash);
    }
    hash.add(function.contributions.size());
    for (const Contribution &gift : function.contributions) {
      hash.add(static_cast<u64>(gift.target) << 32U | gift.place);
      hash.add(gift.target == Contribution::Target::Attribute ? number_of(&project_.classes[gift.owner])
                                                              : number_of(&project_.functions[gift.owner]));
      add(gift.value, hash);
    }
  }

  void add_code_of(const FunctionInfo &function, Hash &hash) const {
    hash.add(function.ops.size());
    for (const OpFact &op : function.ops) {
      hash.add(op.call);
      hash.add(u64{op.api.id} << 32U | op.target.id);
      hash.add(op.traits);
      hash.add(node_of(op.loop));
      hash.add(u64{op.v1} | u64{op.in_tape} << 1U | u64{op.once} << 2U | u64{op.behind_guard} << 3U |
               u64{op.initial_value} << 4U | u64{op.stored} << 5U | u64{op.discarded} << 6U | u64{op.by_type} << 7U);
      for (const OpScope *scope = op.scope; scope != nullptr; scope = scope->outer) {
        hash.add(scope->context);
      }
    }
    hash.add(function.calls.size());
    for (const CallSite &site : function.calls) {
      hash.add(site.call);
      hash.add(number_of(site.callee.id()));
      hash.add(node_of(site.loop));
      hash.add(u64{site.once} | u64{site.in_tape} << 1U | u64{site.bound} << 2U | u64{site.no_grad} << 3U |
               u64{site.by_type} << 4U | u64{site.eager_test} << 5U | u64{site.behind_guard} << 6U |
               u64{site.conditional} << 7U | u64{site.maybe_no_grad} << 8U);
    }
    hash.add(function.events.size());
    for (const Event &event : function.events) {
      hash.add(static_cast<u64>(event.kind) | u64{event.by_type} << 8U | u64{event.site} << 32U);
      hash.add(node_of(event.loop));
      hash.add(event.node);
    }
    hash.add(function.guards.size());
    for (const Guard &guard : function.guards) {
      hash.add(guard.test);
      hash.add(node_of(guard.loop));
      hash.add(guard.statements.data());
      hash.add(u64{guard.negated} | u64{guard.statements.size()} << 1U);
      hash.add(u64{guard.first_op} << 32U ^ guard.last_op);
      hash.add(u64{guard.first_call} << 32U ^ guard.last_call);
    }
    hash.add(function.marks.size());
    for (const FunctionMark &mark : function.marks) {
      hash.add(number_of(mark.function));
      hash.add(mark.compiled_at);
      hash.add(u64{mark.tracer} | u64{mark.traced} << 8U | u64{mark.passed} << 9U | u64{mark.in_parallel} << 10U);
    }
    hash.add(function.stages.size());
    for (const StageFact &stage : function.stages) {
      hash.add(stage.call);
      hash.add(stage.info);
      hash.add(stage.method.id);
      add(stage.mapper, hash);
      add(stage.previous, hash);
    }
    for (const auto *const list : {&function.datasets, &function.arguments}) {
      hash.add(list->size());
      for (const auto &[expr, value] : *list) {
        hash.add(expr);
        add(value, hash);
      }
    }
    hash.add(function.layers.size());
    for (const AddedLayer &layer : function.layers) {
      add(layer, hash);
    }
    for (const auto *const list : {&function.compiled, &function.moved}) {
      hash.add(list->size());
      for (const auto &[first, second] : *list) {
        add_call(first, hash);
        add_call(second, hash);
      }
    }
    hash.add(function.loads.size());
    for (const auto &[type, name] : function.loads) {
      hash.add(number_of(type.id()));
      hash.add(name);
    }
    add_names(function.own_stores, hash);
  }

  void add(const AddedLayer &layer, Hash &hash) const {
    add_call(layer.call, hash);
    add_somewhere(layer.layer, hash);
    add(layer.value, hash);
    hash.add(number_of(layer.function));
    add_somewhere(layer.branch, hash);
    add_call(layer.model, hash);
  }

  void add(const ClassInfo &type) {
    Hash &hash = hashes_[type.module->index];
    hash.add(type.bases.size());
    for (const Value &base : type.bases) {
      add(base, hash);
    }
    for (const auto *const list : {&type.parents, &type.mro, &type.subclasses}) {
      hash.add(list->size());
      for (const Ref<ClassInfo> &one : *list) {
        hash.add(number_of(one.id()));
      }
    }
    hash.add(static_cast<u64>(type.kind));
    add_any_order(type.members, hash, [this](const auto &one, Hash &alone) {
      alone.add(one.first);
      add(one.second, alone);
    });
    hash.add(type.attributes.size());
    for (const auto &[name, cell] : type.attributes) { // in the order in which they came, which some may see
      hash.add(name);
      add(cell, hash);
    }
    for (const u32 name : type.stored) {
      hash.add(name);
    }
    for (const u32 name : type.declared) {
      hash.add(name);
    }
    add_names(type.fields, hash);
    add_any_order(type.loads, hash, [](u32 name, Hash &alone) { alone.add(name); });
  }

  void add(const Loop &loop) {
    Hash &hash = of(*loop.function);
    for (const auto *const list : {&loop.assigned, &loop.mutated, &loop.attributes, &loop.passed}) {
      add_names(*list, hash);
    }
    hash.add(u64{loop.few_iterations} | u64{loop.once} << 1U | u64{loop.makes_graph} << 2U | u64{loop.new_graph} << 3U |
             u64{loop.runs_session} << 4U | u64{loop.steps} << 5U | u64{loop.trains} << 6U | u64{loop.evaluates} << 7U |
             static_cast<u64>(loop.iterations) << 8U);
    add_somewhere(loop.session_run.id(), hash);
  }

  // What is looked up by a node, which may have been noted down by functions of other modules. In no order.
  void add_tables(std::vector<u64> &into) {
    const auto add_to = [&](u32 table, const python::Call *key, auto add_more) {
      const FunctionInfo *const function = key != nullptr ? project_.caller_of(key) : nullptr;
      Hash alone;
      alone.add(table);
      add_call(key, alone);
      add_more(alone);
      if (function != nullptr) {
        into[function->module->index] += alone.value();
        return;
      }
      for (u64 &hash : into) { // any module may ask for it
        hash += alone.value();
      }
    };
    for (const auto &[call, stage] : project_.stage_of_call) {
      add_to(1, call, [](Hash &) {});
    }
    for (const auto &[call, layers] : project_.added_layers) {
      add_to(2, call, [&](Hash &hash) {
        for (const AddedLayer &layer : layers) {
          hash.add(number_of(layer.function));
        }
      });
    }
    for (const auto &[call, compiled] : project_.compiled_models) {
      add_to(3, call, [&](Hash &hash) { add_call(compiled, hash); });
    }
    for (const auto &[call, moved] : project_.moved_batches) {
      add_to(4, call, [&](Hash &hash) {
        hash.add(number_of(moved.function));
        add_call(moved.call, hash);
      });
    }
  }

  const Project &project_;
  std::vector<Hash> hashes_;
  std::vector<u32> first_function_; // of each module
  std::vector<u32> first_class_;
  std::vector<u32> first_call_;
};

// Who does something with the name is enough: what they do is read in their module.
class NameFacts {
public:
  explicit NameFacts(const Project &project) : sums_(kNameUnits) {
    const Definitions &known = definitions_of(project);
    add_places(1, known.attribute_dict_changes);
    add_places(2, known.attribute_stores);
    add_places(3, known.options);
    add_places(4, known.flags);
    add_places(5, known.constructions);
    add_names(6, known.changed_attributes);
    add_names(7, project.loads);
    add_places(8, known.classes_handed_on);
  }

  std::vector<u64> sums() && { return std::move(sums_); }

private:
  // Which module it is, and which function there, as far as others see it.
  static u64 number(const FunctionInfo &function) { return u64{function.module->index} << 32U | function.name.id; }

  template <class Map> void add_places(u32 table, const Map &map) {
    for (const auto &[key, places] : map) {
      Hash hash;
      hash.add(table);
      hash.add(Map::unit_of(key));
      for (const auto &place : places) {
        hash.add(place.function != nullptr ? number(*place.function) : 0);
      }
      sums_[Map::unit_of(key) % kNameUnits] += hash.value();
    }
  }

  void add_names(u32 table, const NamesRead &names) {
    for (const u32 name : names) {
      Hash hash;
      hash.add(table);
      hash.add(name);
      sums_[name % kNameUnits] += hash.value();
    }
  }

  std::vector<u64> sums_;
};

} // namespace

std::vector<u64> fingerprints_of(const Project &project, u32 threads) {
  std::vector<u64> result;
  std::vector<u64> names;
  const auto find_modules = [&] {
    const ReadPause pause;
    result = ModuleFacts(project).find();
  };
  const auto find_names = [&] {
    const ReadPause pause;
    names = NameFacts(project).sums();
  };
  if (threads > 1) {
    run_workers(2, [&](u32 worker) { worker == 0 ? find_modules() : find_names(); });
  } else {
    find_modules();
    find_names();
  }
  result.insert(result.end(), names.begin(), names.end());
  return result;
}

} // namespace deepperf::model
