#include "model/declare.h"

#include "base/known_names.h"
#include "model/bind.h"
#include "model/overrides.h"
#include "model/stars.h"
#include "python/children.h"

#include <algorithm>
#include <unordered_set>

namespace deepperf::model {

using namespace python;

namespace {

// What people call an object of the class: of QNet it is `qnet` or `q_net`.
void note_class_names(ClassInfo &type, Module &module) {
  std::string plain;
  std::string with_underscores;
  const std::string_view text = type.name.text();
  const auto is_lower = [text](std::size_t at) { return at < text.size() && text[at] >= 'a' && text[at] <= 'z'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_upper = text[i] >= 'A' && text[i] <= 'Z';
    const char lower = is_upper ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (is_upper && i > 0 && (is_lower(i - 1) || is_lower(i + 1)) && text[i - 1] != '_') {
      with_underscores += '_'; // a word begins
    }
    plain += lower;
    with_underscores += lower;
  }
  const auto add = [&](const std::string &name) {
    const u32 key = intern(name).id;
    module.class_of_name[key] = module.class_of_name.contains(key) ? nullptr : &type;
  };
  add(plain);
  if (with_underscores != plain) {
    add(with_underscores);
  }
}

// There is no room for what a module has now.
struct DoesNotFit {};

void sort_unique(std::vector<u32> &names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

// Names that frameworks and Python call without naming them.
bool is_called_implicitly(Symbol name) {
  const std::string_view text = name.text();
  return name == known::sym_forward || name == known::sym_call || text.starts_with("__");
}

template <class Mentions> bool is_mentioned(const FunctionInfo &function, const Mentions &mentioned) {
  return function.definition() == nullptr || is_called_implicitly(function.name) ||
         mentioned.contains(function.name.id) || !function.definition()->decorators.empty();
}

class Declarer {
public:
  // `again`: only a module that has these places is declared.
  Declarer(Project &project, const ModuleIndex &index, const Declared::Part *again = nullptr)
      : project_(project), index_(index), again_(again) {
    if (again != nullptr) {
      next_ = {again->functions.first, again->classes.first, again->loops.first, again->calls.first};
    } else {
      next_ = {0, 0, 0, static_cast<u32>(project.callees.size())};
    }
  }

  void run() {
    for (Module &module : project_.modules) {
      run(module);
    }
    for (FunctionInfo &function : project_.functions) {
      function.mentioned = is_mentioned(function, mentioned_);
    }
    sort_unique(project_.stored_elsewhere);
  }

  void run(Module &module) {
    const u32 first_class = next_.type;
    module_ = &module;
    module.body = &add_function(nullptr, {});
    bind_names(module.parsed->tree.body, *module.body, bound_);
    finish_names(*module.body, bound_, project_.values);
    function_ = module.body;
    visit_all(module.parsed->tree.body);
    for (u32 i = first_class; i < next_.type; ++i) {
      sort_unique(project_.classes[i].stored);
    }
  }

  struct Places {
    u32 function = 0;
    u32 type = 0;
    u32 loop = 0;
    u32 call = 0;
  };
  [[nodiscard]] const Places &next() const { return next_; }

  // Leaves some places of loops and calls free, for when the module is declared again.
  void leave_room(u32 loops, u32 calls) {
    next_.loop += loops;
    project_.loops.resize(next_.loop);
    next_.call += calls;
    project_.callees.resize(next_.call);
    project_.callers.resize(next_.call);
  }

  // Names that were read since it was last asked for.
  [[nodiscard]] std::vector<u32> take_mentioned() {
    std::vector<u32> names(mentioned_.begin(), mentioned_.end());
    std::ranges::sort(names);
    mentioned_.clear();
    return names;
  }

private:
  // The next place of a list, empty; another one where the list is still growing.
  template <class T> T &next_of(std::deque<T> &all, u32 &next, Declared::Part::Range Declared::Part::*range) {
    if (again_ == nullptr) {
      ++next;
      return all.emplace_back();
    }
    if (next == (again_->*range).last) {
      throw DoesNotFit{};
    }
    T &place = all[next++];
    place = T{};
    return place;
  }

  FunctionInfo &add_function(const Node *node, Array<Param *> params) {
    FunctionInfo &function = next_of(project_.functions, next_.function, &Declared::Part::functions);
    function.index = next_.function - 1;
    function.node = node;
    function.module = module_;
    function.params = params;
    function.inputs.resize(params.size() + 1);
    function.is_outer = node == nullptr;
    function.defaults = project_.values.fill(params.size(), Value{});
    return function;
  }

  // `self.x = …`, `self.x[i] = …` and `self.x.append(…)` change what the attribute may be.
  void note_store(const Expr *target) {
    const auto *attribute = as<Attribute>(target);
    if (attribute == nullptr) {
      return;
    }
    const bool is_own = is_own_object(*function_, attribute->value);
    std::vector<u32> &stored = is_own ? function_->type->stored : project_.stored_elsewhere;
    stored.push_back(attribute->attr.id);
  }

  void visit_all(const Block &block) {
    for (const Stmt *statement : block) {
      visit(statement);
    }
  }

  void visit_children(const Node *node) {
    for_each_child(node, [this](const Node *child) { visit(child); });
  }

  void visit(const Node *node) {
    switch (node->kind) {
    case NodeKind::Constant:
      return;
    case NodeKind::Name:
      if (node->context == Context::Load) {
        mentioned_.insert(static_cast<const Name *>(node)->id.id);
      }
      return;
    case NodeKind::Attribute:
      mentioned_.insert(static_cast<const Attribute *>(node)->attr.id);
      if (node->context != Context::Load) {
        note_store(static_cast<const Attribute *>(node));
      } else if (static_cast<const Attribute *>(node)->attr == known::sym_append) {
        note_store(static_cast<const Attribute *>(node)->value);
      }
      return visit(static_cast<const Attribute *>(node)->value);
    case NodeKind::Subscript:
      if (node->context != Context::Load) {
        note_store(static_cast<const Subscript *>(node)->value);
      }
      return visit_children(node);
    case NodeKind::Call:
      if (const auto *name = as<Name>(static_cast<const Call *>(node)->func)) {
        function_->called.push_back(name->id.id);
      } else if (const auto *method = as<Attribute>(static_cast<const Call *>(node)->func)) {
        function_->called.push_back(method->attr.id);
      }
      static_cast<const Call *>(node)->fact = add_call();
      return visit_children(node);
    case NodeKind::FunctionDef:
      return visit_function(static_cast<const FunctionDef *>(node));
    case NodeKind::Lambda:
      return visit_lambda(static_cast<const Lambda *>(node));
    case NodeKind::ClassDef:
      return visit_class(static_cast<const ClassDef *>(node));
    case NodeKind::For: {
      const auto *loop = static_cast<const For *>(node);
      visit(loop->iter);
      Loop *const outer = std::exchange(loop_, &add_loop(node));
      visit(loop->target);
      visit_all(loop->body);
      loop_ = outer;
      return visit_all(loop->orelse);
    }
    case NodeKind::While: {
      const auto *loop = static_cast<const While *>(node);
      Loop *const outer = std::exchange(loop_, &add_loop(node));
      visit(loop->test);
      visit_all(loop->body);
      loop_ = outer;
      return visit_all(loop->orelse);
    }
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp: {
      Loop *const outer = std::exchange(loop_, &add_loop(node));
      visit_children(node);
      loop_ = outer;
      return;
    }
    case NodeKind::Import:
      return visit_import(static_cast<const Import *>(node));
    case NodeKind::ImportFrom:
      return visit_import_from(static_cast<const ImportFrom *>(node));
    default:
      return visit_children(node);
    }
  }

  void visit_parameters(Array<Param *> params) {
    for (const Param *param : params) {
      if (param->annotation != nullptr) {
        visit(param->annotation);
      }
      if (param->default_value != nullptr) {
        visit(param->default_value);
      }
    }
  }

  template <class Body> void in_function(FunctionInfo &function, const Array<Param *> &params, Body body) {
    function.parent = function_;
    for (FunctionInfo *outer = function_; outer != nullptr && !outer->is_outer; outer = outer->parent) {
      outer->is_outer = true;
    }
    for (const Param *param : params) {
      if (param->name) {
        bound_.add(param->name);
      } else if (param->pattern != nullptr) {
        bind_names_of(param->pattern, function, bound_);
      }
    }
    finish_names(function, bound_, project_.values);
    FunctionInfo *const outer_function = std::exchange(function_, &function);
    ClassInfo *const outer_class = std::exchange(class_, nullptr);
    Loop *const outer_loop = std::exchange(loop_, nullptr);
    body();
    loop_ = outer_loop;
    class_ = outer_class;
    function_ = outer_function;
  }

  void visit_function(const FunctionDef *definition) {
    for (const Expr *decorator : definition->decorators) {
      visit(decorator);
    }
    visit_parameters(definition->params);
    if (definition->returns != nullptr) {
      visit(definition->returns);
    }
    FunctionInfo &function = add_function(definition, definition->params);
    definition->fact = function.index + 1;
    function.name = definition->name;
    function.type = class_;
    const bool takes_nothing = definition->params.size() <= (class_ != nullptr ? 1 : 0);
    function.is_test = function_->is_test || (definition->name.text().starts_with("test_") && takes_nothing);
    bind_names(definition->body, function, bound_);
    in_function(function, definition->params, [&] { visit_all(definition->body); });
  }

  void visit_lambda(const Lambda *lambda) {
    visit_parameters(lambda->params);
    FunctionInfo &function = add_function(lambda, lambda->params);
    lambda->fact = function.index + 1;
    function.is_test = function_->is_test;
    bind_names_of(lambda->body, function, bound_);
    in_function(function, lambda->params, [&] { visit(lambda->body); });
  }

  // Whoever makes an object of a dataclass stores to them.
  static void note_fields(const ClassDef &definition, ClassInfo &type) {
    for (const Stmt *statement : definition.body) {
      const auto *annotated = as<AnnAssign>(statement);
      const auto *name = annotated != nullptr ? as<Name>(annotated->target) : nullptr;
      if (name != nullptr) {
        type.fields.push_back(name->id);
        type.stored.push_back(name->id.id);
        if (annotated->value == nullptr) {
          type.declared.push_back(name->id.id);
        }
      }
    }
    sort_unique(type.declared);
  }

  void visit_class(const ClassDef *definition) {
    for (const Expr *decorator : definition->decorators) {
      visit(decorator);
    }
    for (const Expr *base : definition->bases) {
      visit(base);
    }
    for (const Keyword *keyword : definition->keywords) {
      visit(keyword);
    }
    ClassInfo &type = next_of(project_.classes, next_.type, &Declared::Part::classes);
    type.index = next_.type - 1;
    type.name = definition->name;
    type.node = definition;
    type.module = module_;
    type.scope = function_;
    type.mro = {&type};
    definition->fact = type.index + 1;
    note_class_names(type, *module_);
    note_fields(*definition, type);
    ClassInfo *const outer = std::exchange(class_, &type);
    visit_all(definition->body);
    class_ = outer;
  }

  Loop &add_loop(const Node *node) {
    Loop &loop = next_of(project_.loops, next_.loop, &Declared::Part::loops);
    loop.node = node;
    loop.parent = loop_;
    loop.function = function_;
    find_changes(node, loop);
    loop.maybe_mutated = loop.mutated;
    *loop_fact(node) = next_.loop;
    function_->loops.push_back(&loop);
    return loop;
  }

  u32 add_call() {
    if (again_ == nullptr) {
      project_.callees.emplace_back();
      project_.callers.emplace_back();
    } else if (next_.call == again_->calls.last) {
      throw DoesNotFit{};
    }
    project_.callers[next_.call] = function_->index;
    return next_.call++;
  }

  void visit_import(const Import *statement) {
    for (const Alias *alias : statement->names) {
      const std::string_view dotted = alias->name.text();
      const std::string_view top = dotted.substr(0, dotted.find('.'));
      const Module *found = is_known_package(top) ? nullptr : index_.find(*module_, alias->name, {}, 0);
      if (found != nullptr) {
        module_->imported[alias->name.id] = found;
        module_->import_targets[alias] = found;
      }
    }
  }

  void visit_import_from(const ImportFrom *statement) {
    const std::string_view dotted = statement->module ? statement->module.text() : std::string_view{};
    const bool known = statement->level == 0 && is_known_package(dotted.substr(0, dotted.find('.')));
    const Module *package = known ? nullptr : index_.find(*module_, statement->module, {}, statement->level);
    if (package != nullptr) {
      module_->import_targets[statement] = package;
    }
    for (const Alias *alias : statement->names) {
      mentioned_.insert(alias->name.id);
      if (alias->name.text() == "*") {
        if (known && std::ranges::find(module_->stars, canonical_name(dotted)) == module_->stars.end()) {
          module_->stars.push_back(canonical_name(dotted));
        }
      } else if (!known) { // a module of a package
        if (const Module *module = index_.find(*module_, statement->module, alias->name, statement->level)) {
          module_->import_targets[alias] = module;
        }
      }
    }
  }

  Project &project_;
  const ModuleIndex &index_;
  const Declared::Part *again_;
  Places next_;
  Module *module_ = nullptr;
  FunctionInfo *function_ = nullptr;
  ClassInfo *class_ = nullptr;
  Loop *loop_ = nullptr;
  BoundNames bound_;
  std::unordered_set<u32> mentioned_; // names and attributes that are read, as symbols
};

} // namespace

void declare(Project &project, const ModuleIndex &index) {
  Declarer(project, index).run();
  collect_stars(project, index);
}

bool only_keeps(const Project &project, const FunctionInfo &decorator) {
  if (decorator.params.empty() || !decorator.params[0]->name) {
    return false;
  }
  const u32 given = decorator.params[0]->name.id;
  const auto is_inside = [&](const FunctionInfo *function) {
    while (function != nullptr && function != &decorator) {
      function = function->parent;
    }
    return function != nullptr;
  };
  for (u32 i = decorator.index; i < project.functions.size() && is_inside(&project.functions[i]); ++i) {
    if (std::ranges::find(project.functions[i].called, given) != project.functions[i].called.end()) {
      return false;
    }
  }
  return true;
}

// ---- Again ----------------------------------------------------------------------------------------------------------

namespace {

u64 mix_in(u64 hash, u64 more) {
  hash = (hash ^ more) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 32U);
}

u64 hash_of(std::span<const u32> numbers) {
  u64 hash = numbers.size();
  for (const u32 number : numbers) {
    hash = mix_in(hash, number);
  }
  return hash;
}

u64 interface_of(const Project &project, const FunctionInfo &function) {
  u64 hash = mix_in(function.name.id, function.parent != nullptr ? function.parent->index : 0);
  hash = mix_in(hash, function.type != nullptr ? function.type->index + 1 : 0);
  hash = mix_in(hash, u64{function.lambda() != nullptr} | u64{is_abstract(function)} << 1U |
                          u64{only_keeps(project, function)} << 2U);
  for (const Param *param : function.params) {
    hash = mix_in(hash, param->name.id);
    hash = mix_in(hash, static_cast<u64>(param->param_kind()) * 2 + (param->default_value != nullptr ? 1 : 0));
  }
  return hash;
}

// All that the code of other files may ask for without the solver's tables.
u64 interface_of(const Project &project, const Module &module, const Declared::Part &part) {
  const Array<u32> names = module.body->names;
  u64 hash = hash_of({names.begin(), names.end()});
  for (u32 i = part.functions.first; i < part.functions.last; ++i) {
    hash = mix_in(hash, interface_of(project, project.functions[i]));
  }
  for (u32 i = part.classes.first; i < part.classes.last; ++i) {
    const ClassInfo &type = project.classes[i];
    hash = mix_in(mix_in(mix_in(hash, type.name.id), type.scope->index), hash_of(type.stored));
    for (const Symbol field : type.fields) {
      hash = mix_in(hash, field.id);
    }
    hash = mix_in(hash, hash_of(type.declared));
  }
  u64 unordered = 0;
  for (const auto &[name, bits] : module.attribute_evidence) {
    unordered += mix_in(name, bits);
  }
  for (const auto &[name, target] : module.imported) {
    unordered += mix_in(name, target->index + 1);
  }
  for (const Symbol package : module.stars) {
    unordered += mix_in(package.id, 1);
  }
  const Module exporting = [&] {
    Module copy;
    copy.parsed = module.parsed;
    read_exports(copy);
    return copy;
  }();
  for (const Symbol name : exporting.exports) {
    unordered += mix_in(name.id, 2);
  }
  return mix_in(hash, unordered);
}

bool opens_modules(const Module &module, const ModuleIndex &index) {
  return std::ranges::any_of(module.parsed->imports, [&](const ImportRef &import) {
    return import.name && import.name.text() == "*" && index.find(module, import.module, {}, import.level) != nullptr;
  });
}

} // namespace

void declare(Project &project, const ModuleIndex &index, Declared &declared) {
  Declarer declarer(project, index);
  for (Module &module : project.modules) {
    Declared::Part &part = declared.modules.emplace_back();
    const Declarer::Places first = declarer.next();
    const std::size_t stores = project.stored_elsewhere.size();
    declarer.run(module);
    const Declarer::Places last = declarer.next();
    constexpr u32 kLeast = 4;
    declarer.leave_room((last.loop - first.loop) / 8 + kLeast, (last.call - first.call) / 8 + 2 * kLeast);
    part.functions = {first.function, last.function};
    part.classes = {first.type, last.type};
    part.loops = {first.loop, declarer.next().loop};
    part.calls = {first.call, declarer.next().call};
    part.mentioned = declarer.take_mentioned();
    part.stored_elsewhere.assign(project.stored_elsewhere.begin() + static_cast<std::ptrdiff_t>(stores),
                                 project.stored_elsewhere.end());
    sort_unique(part.stored_elsewhere);
    for (const u32 name : part.mentioned) {
      ++declared.mentions[name];
    }
  }
  for (FunctionInfo &function : project.functions) {
    function.mentioned = is_mentioned(function, declared.mentions);
  }
  sort_unique(project.stored_elsewhere);
  collect_stars(project, index);
  for (const Module &module : project.modules) {
    Declared::Part &part = declared.modules[module.index];
    part.interface = interface_of(project, module, part);
  }
}

namespace {

// `has_other_mentions` is set if there are names that no module mentioned before, or that none does any more.
bool declare_again(Project &project, const ModuleIndex &index, Module &module, Declared &declared,
                   bool &has_other_mentions) {
  Declared::Part &part = declared.modules[module.index];
  module.class_of_name = {};
  module.attribute_evidence = {};
  module.stars.clear();
  module.imported.clear();
  module.import_targets.clear();
  if (opens_modules(module, index)) {
    return false;
  }
  std::vector<u32> stored = std::exchange(project.stored_elsewhere, {});
  Declarer declarer(project, index, &part);
  try {
    declarer.run(module);
  } catch (const DoesNotFit &) {
    return false;
  }
  stored.swap(project.stored_elsewhere);
  sort_unique(stored);
  if (declarer.next().function != part.functions.last || declarer.next().type != part.classes.last ||
      stored != part.stored_elsewhere || interface_of(project, module, part) != part.interface) {
    return false;
  }
  for (u32 i = declarer.next().loop; i < part.loops.last; ++i) {
    project.loops[i] = Loop{};
  }
  const std::vector<u32> mentioned = declarer.take_mentioned();
  for (const u32 name : mentioned) {
    has_other_mentions |= ++declared.mentions[name] == 1;
  }
  for (const u32 name : part.mentioned) {
    if (const auto place = declared.mentions.find(name); --place->second == 0) {
      declared.mentions.erase(place);
      has_other_mentions = true;
    }
  }
  part.mentioned = mentioned;
  return true;
}

} // namespace

bool declare_again(Project &project, const ModuleIndex &index, const std::vector<bool> &is_changed,
                   Declared &declared) {
  bool has_other_mentions = false;
  for (Module &module : project.modules) {
    if (is_changed[module.index] && !declare_again(project, index, module, declared, has_other_mentions)) {
      return false;
    }
  }
  // Only now: before, functions of a changed module may have been those of its old tree, which is gone.
  for (const Module &module : project.modules) {
    if (is_changed[module.index] || has_other_mentions) {
      const Declared::Part::Range functions = declared.modules[module.index].functions;
      for (u32 i = functions.first; i < functions.last; ++i) {
        project.functions[i].mentioned = is_mentioned(project.functions[i], declared.mentions);
      }
    }
  }
  return true;
}

} // namespace deepperf::model
