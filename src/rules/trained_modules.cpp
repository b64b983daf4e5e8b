#include "rules/trained_modules.h"
#include "rules/own_weights.h"

#include "base/name_table.h"
#include "base/reads.h"
#include "base/steps.h"
#include "python/visit_children.h"
#include "rules/kept_linting.h"
#include "rules/own_weights.h"

#include <algorithm>
#include <utility>

namespace deepperf::rules {

using namespace python;

namespace {

using model::Value;

// Methods of a module that neither take its parameters nor hand it to anybody.
bool is_harmless_method(Symbol method) {
  static const NameTable kHarmless({"__init__",
                                    "to",
                                    "cuda",
                                    "cpu",
                                    "half",
                                    "float",
                                    "double",
                                    "bfloat16",
                                    "eval",
                                    "train",
                                    "forward",
                                    "zero_grad",
                                    "state_dict",
                                    "generate",
                                    "encode",
                                    "decode",
                                    "encode_image",
                                    "encode_text",
                                    "get_image_features",
                                    "get_text_features",
                                    "share_memory",
                                    "load_state_dict",
                                    "register_forward_hook",
                                    "register_buffer",
                                    "gradient_checkpointing_enable",
                                    "enable_slicing",
                                    "enable_tiling",
                                    "enable_xformers_memory_efficient_attention",
                                    "compile"});
  return kHarmless.has(method);
}

// Functions that get a module and leave its parameters as they are, or give the same module back.
bool is_harmless_function(std::string_view api) {
  return api == "copy.deepcopy" || api == "torch.compile" || api == "torch.save" || api == "print" || api == "type" ||
         api == "isinstance" || api == "len" || api == "id" || api == "hasattr" || api == "str" || api == "repr";
}

// copy.deepcopy(policy), which shares no weights with what it copies.
bool is_copy(const Site &site, const Call &maker) {
  const Value callee = site.project.callee_of(&maker);
  return callee.is(Value::Tag::Api) && callee.name().text() == "copy.deepcopy";
}

class Finder {
public:
  Finder(const Site &site, TrainedModules &found) : site_(site), found_(found) {}

  void walk(const Node *node) {
    const model::FunctionInfo *const outer = function_;
    switch (node->kind) {
    case NodeKind::Name:
    case NodeKind::Constant:
      return;
    case NodeKind::FunctionDef:
    case NodeKind::Lambda: {
      const model::FunctionInfo *const inner = site_.project.function_at(node);
      function_ = inner != nullptr ? inner : function_;
      break;
    }
    case NodeKind::Call:
      look_at(static_cast<const Call &>(*node));
      break;
    default:
      break;
    }
    visit_children(node, [this](const Node *child) { walk(child); });
    function_ = outer;
  }

  void walk(const model::Module &module) {
    module_ = &module;
    function_ = module.body;
    for (const Stmt *statement : module.parsed->tree.body) {
      walk(statement);
    }
  }

private:
  [[nodiscard]] Value value(const Expr *expr) const {
    return model::value_of({&site_.project, module_, function_}, expr);
  }

  void look_at(const Call &call) {
    const bool makes_optimizer = model::kind_of(&call) == Kind::TorchOptimizer;
    found_.makes_optimizer |= makes_optimizer;
    const Value callee = site_.project.callee_of(&call);
    if (is_torch_module(callee)) { // self.teacher(x)
      return;
    }
    if (const auto *method = as<Attribute>(call.func)) {
      look_at_method(call, *method, callee);
    }
    if (callee.is(Value::Tag::Class) && callee.type->kind == Kind::Trainer) {
      return look_at_trainer(call);
    }
    // What functions of the project do with a module is seen in them.
    if (!makes_optimizer && (callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method) ||
                             callee.is(Value::Tag::Class) || callee.is(Value::Tag::Object))) {
      return;
    }
    if (callee.is(Value::Tag::Api) && is_harmless_function(callee.name().text())) {
      return;
    }
    // `nn.Sequential(body, head)` has them as parts; whoever takes its parameters takes theirs.
    const ApiInfo *const info = callee.is(Value::Tag::Api) ? find_api(callee.name()) : nullptr;
    if (info != nullptr && info->returns == Kind::TorchModule) {
      return;
    }
    for (const Expr *given : call.args) {
      take_given(given);
    }
    for (const Keyword *keyword : call.keywords) {
      take_given(keyword->value);
    }
  }

  // A Trainer makes an optimizer for the model that it is given. What a class of the project does with other models is
  // seen in it.
  void look_at_trainer(const Call &call) {
    found_.makes_optimizer = true;
    if (const Expr *const model = argument(call, 0, "model")) {
      take_given(model);
    } else {
      found_.everything = true;
    }
  }

  void take_given(const Expr *given) {
    const Kind kind = model::kind_of(given);
    if (kind == Kind::TorchModule || kind == Kind::HfModel) {
      take(value(given), 0);
    }
  }

  void look_at_method(const Call &call, const Attribute &method, const Value &callee) {
    static const NameTable kTaking(
        {"parameters", "named_parameters", "requires_grad_", "modules", "named_modules", "children", "named_children"});
    // callee_of() knows chains such as load().to(device).eval()
    const Value receiver = callee.is(Value::Tag::ApiMethod) ? callee.receiver() : value(method.value);
    if (method.attr.text() == "eval" && call.args.empty()) {
      mark(receiver, found_.in_eval, found_.eval_types);
    } else if (method.attr.text() == "load_state_dict") {
      mark(receiver, found_.loaded, found_.loaded_types);
    }
    if (kTaking.has(method.attr)) {
      take_owner(method.value, receiver);
    } else if (is_torch_module(receiver) && !is_harmless_method(method.attr) && !callee.is(Value::Tag::Method)) {
      take(receiver, 0);
    }
  }

  // The parameters of `net.layer4` are parameters of `net`. What callers pass that are not in these files is none of
  // the modules that are made here.
  void take_owner(const Expr *owner, const Value &known) {
    if (!known.is_unknown() && !known.is_bottom()) {
      return take(known, 0);
    }
    const Expr *root = owner;
    for (const auto *part = as<Attribute>(owner); part != nullptr; part = as<Attribute>(part->value)) {
      const Value whole = value(part->value);
      if (is_torch_module(whole)) {
        return take(whole, 0);
      }
      root = part->value;
    }
    const auto *name = as<Name>(root);
    const bool is_passed = name != nullptr && function_ != nullptr && function_->has_param(name->id);
    found_.everything = found_.everything || !is_passed;
  }

  static void mark(const Value &module, std::unordered_set<const Call *> &made,
                   std::unordered_set<const model::ClassInfo *> &types) {
    for_each_alternative(module, [&](const Value &one) {
      if (one.is(Value::Tag::Object)) {
        types.insert(one.type);
      } else if (one.is(Value::Tag::Instance) && one.maker() != nullptr) {
        made.insert(one.maker());
      }
    });
  }

  void take(const Value &value, u32 depth) {
    constexpr u32 kMostDepth = 6;
    if (value.many || depth > kMostDepth || (value.is_unknown() && depth == 0)) {
      found_.everything = true;
    }
    if (depth > kMostDepth) {
      return;
    }
    for_each_alternative(value, [&](const Value &one) { take_one(one, depth); });
  }

  void take_one(const Value &one, u32 depth) {
    if (one.is(Value::Tag::Tuple)) {
      for (u32 i = 0; i < one.number; ++i) {
        if (!one.uniform || i == 0) {
          take(one.items[i], depth + 1);
        }
      }
    } else if (one.is(Value::Tag::Object)) {
      take_type(*one.type, depth);
    } else if (one.is(Value::Tag::Instance) && (one.kind == Kind::TorchModule || one.kind == Kind::HfModel)) {
      if (one.maker() == nullptr) {
        found_.everything = true;
      } else if (found_.made.insert(one.maker()).second) {
        take_parts(*one.maker(), depth);
      }
    } else if (depth == 0 && !one.is(Value::Tag::Instance)) {
      found_.everything = true;
    }
  }

  // A class of the project has what its objects store, and those of classes derived from it.
  void take_type(const model::ClassInfo &type, u32 depth) {
    if (!found_.types.insert(&type).second) {
      return;
    }
    for (const model::ClassInfo *one : type.mro) {
      for (const auto &[name, cell] : one->attributes) {
        take_stored(cell.value, depth);
      }
    }
    for (const model::ClassInfo *derived : type.subclasses) {
      take_type(*derived, depth + 1);
    }
  }

  void take_stored(const Value &stored, u32 depth) {
    for_each_alternative(stored, [&](const Value &one) {
      if (is_torch_module(one) || one.is(Value::Tag::Tuple)) {
        take_one(one, depth + 1);
      }
    });
  }

  // What the call that made a module was given: layers, a model to wrap.
  void take_parts(const Call &maker, u32 depth) {
    const model::FunctionInfo *const where = site_.project.caller_of(&maker);
    if (where == nullptr || is_copy(site_, maker)) {
      return;
    }
    const auto take_part = [&](const Expr *given) {
      const auto *starred = as<Starred>(given);
      const Expr *const part = starred != nullptr ? starred->value : given;
      take_stored(model::value_of(model::scope_of(site_.project, *where), part), depth + 1);
      for_each_child(part, [&](const Node *child) {
        if (const auto *inner = as<Call>(child)) {
          found_.made.insert(inner);
        }
      });
    };
    std::ranges::for_each(maker.args, take_part);
    for (const Keyword *keyword : maker.keywords) {
      take_part(keyword->value);
    }
  }

  const Site &site_;
  TrainedModules &found_;
  const model::Module *module_ = nullptr;
  const model::FunctionInfo *function_ = nullptr;
};

} // namespace

const Call *maker_of_module(const Value &module) {
  const bool is_one = module.is(Value::Tag::Instance) && is_torch_module(module) && module.maker() != nullptr &&
                      module.alternatives == nullptr && !module.many && !module.open;
  return is_one ? module.maker() : nullptr;
}

namespace {

// Is the module among those that somebody takes the parameters of, or has it a part that is?
bool is_taken(const Site &site, const TrainedModules &trained, const Value &module, u32 depth) {
  constexpr u32 kMostDepth = 5;
  if (depth > kMostDepth) {
    return true;
  }
  bool found = false;
  for_each_alternative(module, [&](const Value &one) {
    if (one.is(Value::Tag::Tuple)) {
      for (u32 i = 0; i < (one.uniform ? std::min(one.number, 1U) : one.number); ++i) {
        found = found || is_taken(site, trained, one.items[i], depth + 1);
      }
    } else if (one.is(Value::Tag::Object) && is_torch_module(one)) {
      found = found || trained.types.contains(one.type) ||
              std::ranges::any_of(one.type->mro, [&](const model::ClassInfo *type) {
                return std::ranges::any_of(type->attributes, [&](const auto &stored) {
                  return is_taken(site, trained, stored.second.value, depth + 1);
                });
              });
    } else if (is_torch_module(one) && one.maker() != nullptr) {
      const model::FunctionInfo *const where = site.project.caller_of(one.maker());
      found =
          found || trained.made.contains(one.maker()) || std::ranges::any_of(one.maker()->args, [&](const Expr *part) {
            const auto *starred = as<Starred>(part);
            return where != nullptr && !is_copy(site, *one.maker()) &&
                   is_taken(site, trained,
                            model::value_of(model::scope_of(site.project, *where),
                                            starred != nullptr ? starred->value : part),
                            depth + 1);
          });
    }
  });
  return found;
}

} // namespace

bool TrainedModules::is_left_alone(const Site &site, const Value &module) const {
  const bool is_known = maker_of_module(module) != nullptr ||
                        (module.is(Value::Tag::Object) && module.alternatives == nullptr && !module.open);
  return makes_optimizer && !everything && is_known && is_torch_module(module) && !is_taken(site, *this, module, 0);
}

bool TrainedModules::is_ready(const Value &module) const {
  if (const Call *maker = maker_of_module(module)) {
    const std::string_view name = module.name() ? module.name().text() : std::string_view{};
    return in_eval.contains(maker) || loaded.contains(maker) || name.ends_with("from_pretrained");
  }
  return module.is(Value::Tag::Object) && (eval_types.contains(module.type) || loaded_types.contains(module.type));
}

namespace {

// Of things that stand in a file that stays as it is.
class TrainedFact {
public:
  explicit TrainedFact(const model::Project &project) : project_(project) {
    fact_.of_modules.resize(project.modules.size());
  }

  ProjectQuestions::Fact of(const TrainedModules &trained) {
    fact_.whole = u64{trained.makes_optimizer} | u64{trained.everything} << 1U;
    add(1, trained.made);
    add(2, trained.types);
    add(3, trained.in_eval);
    add(4, trained.eval_types);
    add(5, trained.loaded);
    add(6, trained.loaded_types);
    return std::move(fact_);
  }

private:
  static u64 mixed(u64 number) {
    number *= 0x9E3779B97F4A7C15U;
    number = (number ^ number >> 32U) * 0xD6E8FEB86659FD93U;
    return number ^ number >> 32U;
  }
  static u64 number(u64 set, const Node &node) {
    return mixed(mixed(set << 32U | node.start) ^ (u64{node.end} << 8U | static_cast<u64>(node.kind)));
  }

  void add(u64 set, const std::unordered_set<const Call *> &calls) {
    for (const Call *call : calls) {
      if (call->fact == 0) { // nobody knows where it stands
        fact_.whole += number(set, *call);
      } else {
        fact_.of_modules[project_.caller_of(call)->module->index] += number(set, *call);
      }
    }
  }
  void add(u64 set, const std::unordered_set<const model::ClassInfo *> &types) {
    for (const model::ClassInfo *type : types) {
      fact_.of_modules[type->module->index] += number(set, *type->node);
    }
  }

  const model::Project &project_;
  ProjectQuestions::Fact fact_;
};

TrainedModules find_trained(const Site &site) {
  TrainedModules found;
  Finder finder(site, found);
  for (const model::Module &module : site.project.modules) {
    if (module.torch) {
      finder.walk(module);
    }
  }
  return found;
}

ProjectQuestions::Fact find_fact(const model::Project &project) {
  Reads reads; // so that what is worked out on the way, and stays, knows what it was worked out from
  reads.project = &project;
  Reads *const outer = std::exchange(reads_now, &reads);
  Findings none;
  Memory memory(&project);
  ProjectQuestions::Fact fact;
  try {
    const SharedWork shared;
    fact = TrainedFact(project).of(find_trained({.project = project, .findings = none, .memory = memory}));
  } catch (...) {
    reads_now = outer;
    throw;
  }
  reads_now = outer;
  return fact;
}

} // namespace

const TrainedModules &trained_modules(const Site &site) {
  note_fact_read(site.project, find_fact);
  const ReadsLeftOut left_out;
  return site.memory.recall<TrainedModules>(&site.project, [&site] { return find_trained(site); });
}

} // namespace deepperf::rules
