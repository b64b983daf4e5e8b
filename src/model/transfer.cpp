#include "model/transfer.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

Transfer::Transfer(Project &project, const ModuleIndex &index, const Units &units)
    : project_(project), index_(index), units_(units) {}

void Units::find_evident(const Project &project) {
  for (const FunctionInfo &function : project.functions) {
    for (const auto &[name, bits] : function.evidence) {
      evident.resize(std::max<std::size_t>(evident.size(), name / 64 + 1));
      evident[name / 64] |= u64{1} << (name % 64);
    }
  }
}

FunctionResult Transfer::solve(FunctionInfo &function, Assume assume, std::span<const u64> known_reads) {
  arena_.reset();
  is_solving_ = true;
  assume_ = assume;
  run(function);
  finish_contributions();
  return keep_result(known_reads);
}

void Transfer::record(FunctionInfo &function) {
  is_solving_ = false;
  assume_ = Assume::Everything;
  run(function);
  if (!function.is_outer) { // of others it is in the tables, where somebody may just be reading it
    function.all_values = arena_.copy(result_.all_values.data(), result_.all_values.size());
  }
}

void Transfer::run(FunctionInfo &function) {
  // What a loop carries from one iteration to the next is known only after its body was walked.
  constexpr u32 kMostWalks = 4;
  current_ = &function;
  module_ = function.module;
  back_edges_.clear();
  read_keys_.clear();
  result_.reads.clear();
  result_.saw_nothing = false;
  for (u32 walks = 0; walks < kMostWalks; ++walks) {
    back_edge_changed_ = false;
    walk_function();
    if (!back_edge_changed_) {
      break;
    }
  }
}

// Copies what is told to others out of the memory of this walk, without what they know already.
FunctionResult Transfer::keep_result(std::span<const u64> known_reads) {
  const auto kept = [this](const Value &value) { return copy_into(value, results_arena_); };
  FunctionResult result;
  result.returns = kept(result_.returns);
  // A memory of walks uses results again where the tables may say something else.
  const bool same_names = !keeps_all_reads_ && current_->outer_stores.empty() &&
                          std::ranges::equal(result_.all_values, current_->all_values);
  if (!same_names) {
    result.all_values = results_arena_.copy(result_.all_values.data(), result_.all_values.size());
    std::ranges::transform(result.all_values, result.all_values.begin(), kept);
  }
  const std::vector<Contribution> &before = current_->contributions;
  result.same_contributions =
      std::ranges::equal(before, result_.contributions, [](const Contribution &a, const Contribution &b) {
        return a.key() == b.key() && a.value == b.value;
      });
  if (!result.same_contributions) {
    result.contributions = results_arena_.copy(result_.contributions.data(), result_.contributions.size());
    for (Contribution &one : result.contributions) {
      one.value = kept(one.value);
    }
  }
  result.functions = results_arena_.copy(result_.functions.data(), result_.functions.size());
  for (FunctionDefinition &defined : result.functions) {
    defined.defaults = results_arena_.copy(defined.defaults.items, defined.defaults.count);
    std::ranges::transform(defined.defaults, defined.defaults.begin(), kept);
  }
  result.classes = std::exchange(result_.classes, {});
  for (ClassDefinition &defined : result.classes) {
    std::ranges::transform(defined.bases, defined.bases.begin(), kept);
    for (const auto &[name, value] : defined.members) {
      defined.members[name] = kept(value);
    }
  }
  if (keeps_all_reads_) {
    result.all_reads = results_arena_.copy(result_.reads.data(), result_.reads.size());
  }
  std::erase_if(result_.reads, [&](u64 key) { return std::ranges::binary_search(known_reads, key); });
  result.new_reads = results_arena_.copy(result_.reads.data(), result_.reads.size());
  result.saw_nothing = result_.saw_nothing;
  result.has_ops = result_.has_ops;
  result.v1 = result_.v1;
  result.v2 = result_.v2;
  return result;
}

// What all walks of the function read stays.
void Transfer::clear_draft() {
  result_.returns = Value::bottom();
  result_.all_values.clear();
  result_.contributions.clear();
  result_.functions.clear();
  result_.classes.clear();
  result_.has_ops = result_.is_generator = result_.gives_back = result_.v1 = result_.v2 = false;
}

void Transfer::clear_facts() {
  if (is_solving_) {
    return;
  }
  FunctionInfo &function = *current_;
  function.ops.clear();
  function.calls.clear();
  function.events.clear();
  function.guards.clear();
  function.marks.clear();
  function.stages.clear();
  function.datasets.clear();
  function.arguments.clear();
  function.layers.clear();
  function.compiled.clear();
  function.moved.clear();
  function.loads.clear();
  function.own_stores.clear();
  function.own_effects = function.own_variables = function.switches_grad = false;
}

void Transfer::walk_function() {
  FunctionInfo &function = *current_;
  clear_draft();
  clear_facts();
  class_body_ = nullptr;
  exits_ = nullptr;
  peeking_ = false;
  reachable_ = true;
  around_ = {};
  around_.no_grad = function.decorated_no_grad;
  environment_.assign(function.names.size(), Value::bottom());
  read_unbound_.assign(function.names.size(), 0);
  if (!is_solving_ || function.is_outer) {
    result_.all_values.assign(function.names.size(), Value::bottom());
  }
  bind_params();
  if (function.node == nullptr) {
    walk(function.module->parsed->tree.body);
  } else if (const FunctionDef *definition = function.definition()) {
    walk(definition->body);
    if (!result_.returns.known() && !result_.returns.is_bottom()) {
      const Value annotated = annotation_value(definition->returns);
      result_.returns = annotated.known() ? annotated : result_.returns;
    } else if (result_.returns.is_bottom() && (assume_ == Assume::Everything || (!reachable_ && !result_.gives_back))) {
      result_.returns = annotation_value(definition->returns); // of one that only raises, what others will give
    }
    if (result_.is_generator) {
      result_.returns = result_.returns.is_bottom() ? Value{} : result_.returns;
    } else if (reachable_) { // falls off its end
      Value none;
      none.tag = Value::Tag::None;
      result_.returns = join(result_.returns, none);
    }
  } else {
    give_return(eval(function.lambda()->body));
  }
}

void Transfer::give_return(const Value &value) {
  result_.returns = join(result_.returns, value);
  result_.gives_back = true;
}

// ---- Reading and writing the tables ---------------------------------------------------------------------------------

void Transfer::read(u64 key) {
  if (is_solving_ && read_keys_.insert(key)) {
    result_.reads.push_back(key);
  }
}

// What nobody has told yet: nothing, until it is certain that nobody will.
Value Transfer::missing(const Value &value) {
  if (!value.is_bottom()) {
    return value;
  }
  result_.saw_nothing = true;
  return assume_ == Assume::Everything ? Value{} : value;
}

Value Transfer::returns_of(FunctionInfo &function) {
  read(units_.of_function(function));
  // Whoever wants its result runs it.
  Value none;
  none.tag = Value::Tag::None;
  contribute(Contribution::Target::Parameter, function.index, function.params.size(), none);
  return missing(function.returns);
}

void Transfer::contribute(Contribution::Target target, u32 owner, u32 place, const Value &value) {
  // What tests pass or store says nothing about the program that they test: with them and without them (`--all`), the
  // same is known of it.
  const Module *const taker =
      target == Contribution::Target::Attribute ? project_.classes[owner].module : project_.functions[owner].module;
  const bool is_by_test = current_->module->is_test && taker != nullptr && !taker->is_test;
  if (solving() && !is_by_test) {
    result_.contributions.push_back({target, owner, place, value});
  }
}

// Sorts them by target, and joins those of one target.
void Transfer::finish_contributions() {
  std::vector<Contribution> &all = result_.contributions;
  std::ranges::sort(all, {}, [](const Contribution &one) { return one.key(); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kept > 0 && all[kept - 1].key() == all[i].key()) {
      all[kept - 1].value = join(all[kept - 1].value, all[i].value);
    } else {
      all[kept++] = all[i];
    }
  }
  all.resize(kept);
}

// ---- Parameters -----------------------------------------------------------------------------------------------------

// "tf.data.Dataset" in quotes.
Value Transfer::named_in_text(std::string_view dotted) {
  const std::size_t first_dot = std::min(dotted.find('.'), dotted.size());
  const auto is_name = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
  };
  if (!is_name(dotted.substr(0, first_dot))) {
    return {};
  }
  Value value = look_up(intern(dotted.substr(0, first_dot)));
  for (std::size_t at = first_dot; at < dotted.size();) {
    const std::size_t end = std::min(dotted.find('.', at + 1), dotted.size());
    const std::string_view part = dotted.substr(at + 1, end - at - 1);
    if (!is_name(part)) {
      return {};
    }
    value = attribute_of(value, intern(part));
    at = end;
  }
  return value;
}

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// What the elements of an annotated container are: `Tensor` of List[Tensor] and Dict[str, Tensor]. Null if it does not
// say so, nothing if it is no container.
std::optional<const Expr *> held_by_annotation(std::string_view name, const Expr *arguments) {
  const auto *several = as<Tuple>(arguments);
  if (is_one_of(name, {"List", "list", "Sequence", "Iterable", "Iterator", "Deque", "deque", "Set", "set"})) {
    return several == nullptr ? arguments : nullptr;
  }
  if (is_one_of(name, {"Dict", "dict", "Mapping", "OrderedDict", "DefaultDict", "defaultdict"})) {
    return several != nullptr && several->elts.size() == 2 ? several->elts[1] : nullptr;
  }
  if (name == "Tuple" || name == "tuple") { // of any length
    const bool is_alike =
        several != nullptr && several->elts.size() == 2 && is_constant(several->elts[1], ConstantKind::Ellipsis);
    return is_alike ? several->elts[0] : nullptr;
  }
  return std::nullopt;
}

} // namespace

Value Transfer::annotation_value(const Expr *annotation) {
  if (annotation == nullptr) {
    return {};
  }
  if (const auto *subscript = as<Subscript>(annotation)) { // Optional[tf.data.Dataset]
    const auto *generic = as<Name>(subscript->value);
    const auto *attribute = as<Attribute>(subscript->value);
    const Value meant = eval(subscript->value); // typing.List, under whatever name
    const std::string_view api = meant.is(Value::Tag::Api) ? meant.name().text() : std::string_view{};
    const std::string_view name = !api.empty()           ? api.substr(api.rfind('.') + 1)
                                  : generic != nullptr   ? generic->id.text()
                                  : attribute != nullptr ? attribute->attr.text()
                                                         : std::string_view{};
    if (name == "Callable" || name == "Type" || name == "type") {
      return {};
    }
    if (const auto held = held_by_annotation(name, subscript->slice)) {
      const Value element = annotation_value(*held);
      return element.known() ? make_uniform(element) : Value{};
    }
    return annotation_value(subscript->slice->kind == NodeKind::Tuple ? nullptr : subscript->slice);
  }
  Value value;
  if (const auto *text = as_string(annotation)) { // "tf.data.Dataset"
    std::string_view quoted = module_->parsed->source.part(text->start, text->end);
    if (quoted.size() < 3 || (quoted.front() != '"' && quoted.front() != '\'')) {
      return {};
    }
    quoted = quoted.substr(1, quoted.size() - 2);
    if (quoted.starts_with("Optional[") && quoted.ends_with("]")) {
      quoted = quoted.substr(9, quoted.size() - 10);
    }
    value = named_in_text(quoted);
  } else if (const auto *either = as<BinOp>(annotation)) { // Tensor | None
    if (either->op() != Operator::BitOr) {
      return {};
    }
    return is_constant(either->right, ConstantKind::None)  ? annotation_value(either->left)
           : is_constant(either->left, ConstantKind::None) ? annotation_value(either->right)
                                                           : Value{};
  } else if (annotation->kind == NodeKind::Constant) {
    return {};
  } else {
    value = eval(annotation);
  }
  if (value.is(Value::Tag::Class)) {
    return Value::of(value.type, Value::Tag::Object);
  }
  if (value.is(Value::Tag::Api)) {
    if (const ApiInfo *info = find_api(value.name())) {
      return info->returns != Kind::Unknown ? Value::instance(info->returns) : Value{};
    }
    const std::string_view text = value.name().text();
    const std::size_t dot = text.rfind('.');
    const Kind kind = text.starts_with("tensorflow.") ? kind_named(text.substr(dot + 1)) : Kind::Unknown;
    if (kind != Kind::Unknown) {
      return Value::instance(kind);
    }
  }
  return {};
}

// A parameter that nobody passes anything for is what it is called, if the module has such a class.
Value Transfer::object_named(Symbol name) const {
  const auto found = module_->class_of_name.find(name.id);
  return found != module_->class_of_name.end() && found->second != nullptr
             ? Value::of(found->second, Value::Tag::Object)
             : Value{};
}

// What callers pass, given what the annotation says: that it is no container of tensors but a tensor, and that whatever
// else is passed is at least that. Where it says that it is a number, a call that seems to pass a tensor may be one of
// another function.
Value Transfer::narrowed(const Value &passed, const Value &annotated) {
  Value result = passed.open || annotated.is_kind(Kind::Number) ? annotated : Value::bottom();
  if (result.is(Value::Tag::Instance) && result.device == 0) {
    result.device = kOnUnknown & 7U; // others are on the CPU, perhaps, and this one is anywhere
  }
  for_each_alternative(passed, [&](Value one) {
    one.open = one.none = false;
    one.alternatives = nullptr;
    if (annotated.is(Value::Tag::Instance) && one.is_kind(annotated.kind)) {
      one.container = false;
    }
    result = join(result, one);
  });
  return result;
}

// What callers pass for a parameter; where nobody calls, what it says that it is.
Value Transfer::input_of(u32 index) {
  const Param *const param = current_->params[index];
  const Cell &cell = current_->inputs[index];
  const bool may_assume =
      assume_ == Assume::Everything || !current_->mentioned || (assume_ == Assume::Uncalled && cell.entries.empty());
  Value value = cell.value;
  if (value.is_bottom() && !may_assume) {
    result_.saw_nothing = true;
    return value;
  }
  const bool is_given = !value.is_bottom() && !value.is_unknown() && !value.is(Value::Tag::None);
  const Value annotated = annotation_value(param->annotation);
  if (annotated.known()) {
    return is_given ? narrowed(value, annotated) : annotated;
  }
  if (is_given) {
    return value;
  }
  if (param->default_value != nullptr && value.is_bottom()) {
    read(units_.of_function(*current_));
    const Value fallback = current_->defaults[index];
    return fallback.is_bottom() || fallback.is(Value::Tag::None) ? Value{} : fallback;
  }
  value = value.is_bottom() ? Value{} : value;
  if (param->name && module_->tensorflow && !module_->torch) {
    const Value named = object_named(param->name);
    value = named.known() ? named : value;
  }
  return value;
}

// `*rest` and `**options`: what callers pass beyond the other parameters.
Value Transfer::rest_of_input(u32 index) {
  const Value &passed = current_->inputs[index].value;
  const Value annotated = annotation_value(current_->params[index]->annotation);
  if (!annotated.known()) {
    return passed.is(Value::Tag::Tuple) ? passed : Value{};
  }
  std::vector<Entry> entries;
  for (u32 i = 0; i < entry_count(passed); ++i) {
    const Value &value = entry_at(passed, i).value;
    entries.push_back({entry_at(passed, i).name, value.is_unknown() ? annotated : narrowed(value, annotated)});
  }
  return entries.empty() ? make_uniform(annotated) : make_record(entries, annotated, arena_);
}

void Transfer::bind_params() {
  u32 index = 0;
  for (const Param *param : current_->params) {
    const bool is_self = index == 0 && current_->type != nullptr && !current_->is_static;
    Value value;
    if (is_self) {
      value = Value::of(current_->type, current_->is_class_method ? Value::Tag::Class : Value::Tag::Object);
    } else if (param->param_kind() != ParamKind::VarArgs && param->param_kind() != ParamKind::KwArgs) {
      value = input_of(index);
    } else {
      value = rest_of_input(index);
    }
    if (param->name) {
      bind(param->name, value);
    } else if (param->pattern != nullptr) {
      assign(param->pattern, {});
    }
    ++index;
  }
}

// ---- Environments ---------------------------------------------------------------------------------------------------

void Transfer::join_environment(Environment &into, const Environment &other) {
  work_.copies += into.size();
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (!is_identical(into[i], other[i])) {
      into[i] = join(into[i], other[i]);
    }
  }
}

void Transfer::join_into(Environment &into, bool &is_reached) {
  if (is_reached) {
    join_environment(into, environment_);
  } else {
    into = environment_;
    is_reached = true;
  }
}

} // namespace deepperf::model
