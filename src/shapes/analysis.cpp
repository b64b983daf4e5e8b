#include "shapes/analysis.h"

#include "python/children.h"
#include "shapes/registry.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

std::string_view name_in(const Expr *annotation) {
  const auto *name = as<Name>(annotation);
  return name != nullptr ? name->id.text() : std::string_view{};
}

class Runner {
public:
  Runner(const model::Project &project, const AnalysisOptions &options, Analysis &analysis, RootMemory *memory)
      : project_(project), options_(options), analysis_(analysis), in_(analysis.interpreter), memory_(memory) {
    in_.keeps_details = options.for_people;
  }

  void run() {
    for (const model::Module &module : project_.modules) {
      if (module.is_linted) {
        run_module(module);
      }
    }
    if (!options_.entry.empty()) {
      analysis_.is_entry_found = run_entry();
      return;
    }
    in_.globals_may_differ = !options_.for_people;
    if (memory_ != nullptr) {
      memory_->begin(in_);
    }
    run_unreached_modules();
    if (!options_.for_people) {
      run_unreached_functions();
    }
  }

private:
  [[nodiscard]] bool is_wanted(const model::Module *module) const {
    return module->is_linted && (options_.only == nullptr || options_.only == module);
  }

  Root &begin(std::string name, const model::Module *module, u32 place) {
    Root &root = analysis_.roots.emplace_back();
    root.name = std::move(name);
    root.module = module;
    root.place = place;
    root.first_step = static_cast<u32>(in_.steps.size());
    root.first_problem = static_cast<u32>(in_.problems.size());
    return root;
  }

  void end(Root &root) {
    root.last_step = static_cast<u32>(in_.steps.size());
    root.last_problem = static_cast<u32>(in_.problems.size());
    root.lost = in_.lost;
  }

  void run_module(const model::Module &module) {
    Root root = begin("<module>", &module, 0);
    analysis_.roots.pop_back(); // others may come while its code runs
    in_.heap.owner = module.index + 1;
    in_.run_root(&module, [&] {
      in_.module_runs.push_back({.module = module.index, .is_main = true, .modes = in_.modes()});
      const auto mains = in_.mains;
      for (const auto &[owner, statement] : mains) {
        if (owner == &module) {
          in_.exec(statement->body);
        }
      }
    });
    end(root);
    for (const auto &[name, value] : in_.frame_of(&module)->content.names) {
      if (value.is(Tag::Tensor)) {
        root.values.emplace_back(Symbol{name}, value);
      } else if (value.is(Tag::Object) && in_.is_module(*value.object)) {
        root.modules.push_back(value);
      }
    }
    analysis_.roots.push_back(std::move(root));
  }

  // What stands for an argument that nobody gives.
  Value stand_in(const Param &param, const Value &otherwise, bool may_be_tensor) {
    const std::string name(param.name ? param.name.text() : "x");
    if (!otherwise.is(Tag::Undefined)) {
      if (options_.for_people) {
        return otherwise;
      }
      switch (otherwise.tag) {
      case Tag::Int:
        return Value::of(in_.terms.symbol(name, otherwise.dim().is_constant() && otherwise.dim().value < 1 ? 0 : 1));
      case Tag::Bool:
        return Value::of(Truth::Unknown);
      case Tag::Float:
        return Value::some_float();
      case Tag::Str:
        return Value::of_text({});
      default:
        return {};
      }
    }
    const std::string_view type = name_in(param.annotation);
    if (type == "int") {
      return Value::of(in_.terms.symbol(name));
    }
    if (type == "float") {
      return Value::some_float();
    }
    if (type == "bool") {
      return Value::of(Truth::Unknown);
    }
    if (type == "str") {
      return Value::of_text({});
    }
    const Value value = in_.new_opaque(name);
    value.opaque->may_be_tensor = may_be_tensor;
    value.opaque->is_argument = may_be_tensor;
    return value;
  }

  // Arguments for all parameters but the first `skip`.
  Arguments stand_ins(const FunctionObject &function, u32 skip, bool may_be_tensor, Root *root) {
    Arguments arguments;
    for (u32 i = skip; i < function.params.size(); ++i) {
      const Param &param = *function.params[i];
      const Value &otherwise = i < function.defaults.size() ? function.defaults[i] : Value(Tag::Undefined);
      switch (param.param_kind()) {
      case ParamKind::VarArgs:
      case ParamKind::KwArgs:
        if (!options_.for_people) {
          arguments.is_open = true;
        }
        break;
      case ParamKind::KeywordOnly:
        arguments.keywords.emplace_back(param.name, stand_in(param, otherwise, may_be_tensor));
        break;
      default:
        arguments.positional.push_back(stand_in(param, otherwise, may_be_tensor));
        if (root != nullptr) {
          root->inputs.push_back({std::string(param.name.text()), arguments.positional.back()});
        }
      }
    }
    // *args of unknown length would leave out defaults.
    if (arguments.is_open) {
      for (const Param *param : function.params) {
        if (param->param_kind() == ParamKind::VarArgs) {
          arguments.is_open = true;
        }
      }
    }
    return arguments;
  }

  Value symbolic(ClassObject &type) {
    Arguments arguments;
    if (const FunctionObject *const init = in_.find_method(type, intern("__init__"))) {
      arguments = stand_ins(*init, 1, false, nullptr);
    } else if (type.is_dataclass) {
      arguments.is_open = true;
    } else if (type.api && type.api.text() != "torch.nn.Module" &&
               type.api.text() != "pytorch_lightning.LightningModule") {
      arguments.is_open = true;
    }
    const Value object = in_.instantiate(type, arguments, nullptr);
    if (object.is(Tag::Object)) {
      object.object->is_symbolic = true;
      in_.set_device(object, Device{}); // whoever makes it moves it to wherever it runs
    }
    return object;
  }

  // Attributes that a method of the class stores to, by name.
  const std::vector<Symbol> &stored_by(const FunctionObject &method) {
    const auto [place, is_new] = stored_.try_emplace(method.node);
    const auto *definition = as<FunctionDef>(method.node);
    if (is_new && definition != nullptr && !method.params.empty()) {
      note_stores(definition, method.params[0]->name, place->second);
    }
    return place->second;
  }

  static void note_stores(const Node *node, Symbol self, std::vector<Symbol> &stored) {
    for_each_child(node, [&](const Node *child) {
      const auto *attribute = as<Attribute>(child);
      const auto *object = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
      if (object != nullptr && object->id == self && child->context == Context::Store) {
        stored.push_back(attribute->attr);
      }
      note_stores(child, self, stored);
    });
  }

  // What `__init__` stores may stand in for what a method that it does not call stores before anybody calls `forward`:
  // an empty tensor for features, None for a cache, a flag. Layers are complete from the start.
  void forget_placeholders(Object &object, u64 calls_before) {
    for (const ClassObject *type : object.type->order) {
      for (const auto &[name, member] : type->frame->content.names) {
        if (!member.is(Tag::Function) || member.function->last_call > calls_before || member.function->is_static ||
            Symbol{name}.text() == "forward" || Symbol{name}.text() == "call") {
          continue;
        }
        for (const Symbol stored : stored_by(*member.function)) {
          const auto known = object.content.attributes.find(stored.id);
          if (known != object.content.attributes.end() && !known->second.is(Tag::Object)) {
            in_.heap.change(object).attributes[stored.id] = Value();
          }
        }
      }
    }
  }

  // A root that nothing of the program reaches.
  template <class Body> void run_unreached(const model::Module *module, const Node *node, Body body) {
    if (memory_ == nullptr) {
      in_.run_root(module, body);
    } else if (!memory_->recall(in_, *module, node)) {
      memory_->enter(in_);
      in_.run_root(module, body);
      memory_->leave(in_, *module, node);
    }
  }

  void run_unreached_modules() {
    for (std::size_t i = 0; i < in_.heap.classes().size(); ++i) {
      ClassObject &type = in_.heap.classes()[i];
      if (!is_wanted(type.module) || type.node == nullptr || !type.api) {
        continue;
      }
      const std::string_view api = type.api.text();
      const bool is_torch = api.starts_with("torch.nn.") || api == "pytorch_lightning.LightningModule";
      const bool is_keras = api.starts_with("tensorflow.keras.");
      if (!is_torch && !is_keras) {
        continue;
      }
      const Symbol name = intern(is_torch ? "forward" : "call");
      const auto own = type.frame->content.names.find(name.id);
      if (own == type.frame->content.names.end() || !own->second.is(Tag::Function) ||
          own->second.function->is_reached) {
        continue;
      }
      FunctionObject &forward = *own->second.function;
      Root root = begin(std::string(type.name.text()), type.module, type.node->start);
      analysis_.roots.pop_back();
      root.is_assumed = true;
      run_unreached(type.module, type.node, [&] {
        const u64 calls_before = in_.calls_made;
        const Value object = symbolic(type);
        if (!object.is(Tag::Object)) {
          return;
        }
        root.object = object;
        if (!options_.for_people) {
          forget_placeholders(*object.object, calls_before);
        }
        Arguments arguments = stand_ins(forward, forward.is_static ? 0 : 1, true, &root);
        if (!forward.is_static) {
          arguments.positional.insert(arguments.positional.begin(), object);
        }
        const bool was_wrapped = std::exchange(forward.is_wrapped, false);
        in_.call_function(forward, arguments, nullptr);
        forward.is_wrapped = was_wrapped;
      });
      end(root);
      analysis_.roots.push_back(std::move(root));
    }
  }

  void run_unreached_functions() {
    for (std::size_t i = 0; i < in_.heap.functions().size(); ++i) {
      FunctionObject &function = in_.heap.functions()[i];
      const auto *definition = as<FunctionDef>(function.node);
      if (function.is_reached || definition == nullptr || !is_wanted(function.module) || in_.is_spent()) {
        continue;
      }
      if (function.closure != nullptr && function.closure->function != nullptr) {
        continue; // inside of another one: its names are not what they will be
      }
      run_unreached(function.module, function.node, [&] {
        Arguments arguments = stand_ins(function, 0, true, nullptr);
        if (function.owner != nullptr && !function.is_static && !arguments.positional.empty()) {
          // A method of an object that nobody made: what it holds is not known.
          if (function.name.text().starts_with("__")) {
            return;
          }
          arguments.positional[0] = Value();
        }
        const bool was_wrapped = std::exchange(function.is_wrapped, false);
        in_.call_function(function, arguments, nullptr);
        function.is_wrapped = was_wrapped;
      });
    }
  }

  // ---- One class or function, for people ----------------------------------------------------------------------------

  Value given_tensor(const GivenInput &given, std::vector<std::pair<std::string, Dim>> &symbols) {
    std::vector<Dim> dims;
    for (const std::string &text : given.dims) {
      i64 number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error == std::errc() && end == text.data() + text.size()) {
        dims.push_back(Dim::of(number));
        continue;
      }
      const auto known = std::ranges::find_if(symbols, [&](const auto &symbol) { return symbol.first == text; });
      if (known != symbols.end()) {
        dims.push_back(known->second);
      } else {
        dims.push_back(in_.terms.symbol(text));
        symbols.emplace_back(text, dims.back());
      }
    }
    Tensor tensor;
    tensor.library = Library::Torch;
    tensor.dtype = given.dtype;
    tensor.device = {Device::Kind::Cpu};
    tensor.grad = Truth::No;
    tensor.shape = in_.heap.shape(dims);
    return in_.plain_tensor(tensor);
  }

  bool run_entry() {
    for (const model::Module &module : project_.modules) {
      if (!is_wanted(&module)) {
        continue;
      }
      // A dotted name: Net, or Net.encode, or models.Net
      const auto &names = in_.frame_of(&module)->content.names;
      const auto found = names.find(intern(options_.entry).id);
      if (found == names.end() ||
          (!found->second.is(Tag::Class) && !found->second.is(Tag::Function) && !found->second.is(Tag::Object))) {
        continue;
      }
      const Value entry = found->second;
      const Node *const node = entry.is(Tag::Class)      ? static_cast<const Node *>(entry.type->node)
                               : entry.is(Tag::Function) ? entry.function->node
                                                         : nullptr;
      Root root = begin(options_.entry, &module, node != nullptr ? node->start : 0);
      analysis_.roots.pop_back();
      in_.run_root(&module, [&] { call_entry(entry, root); });
      end(root);
      analysis_.roots.clear();
      analysis_.roots.push_back(std::move(root));
      return true;
    }
    return false;
  }

  void call_entry(const Value &entry, Root &root) {
    Value object = entry;
    if (entry.is(Tag::Class)) {
      object = symbolic(*entry.type);
    } else if (entry.is(Tag::Function)) {
      Arguments none = stand_ins(*entry.function, 0, options_.inputs.empty(), nullptr);
      if (!has_required(*entry.function)) {
        none = Arguments{};
        object = in_.call_function(*entry.function, none, nullptr);
      }
    }
    root.object = object;
    std::vector<std::pair<std::string, Dim>> symbols;
    FunctionObject *forward = nullptr;
    if (object.is(Tag::Function)) {
      forward = object.function;
    } else if (object.is(Tag::Object) && object.object->type != nullptr) {
      for (const std::string_view name : {"forward", "call", "__call__"}) {
        forward = forward == nullptr ? in_.find_method(*object.object->type, intern(name)) : forward;
      }
    }
    const u32 skip = object.is(Tag::Object) ? 1 : 0;
    root.first_step = static_cast<u32>(in_.steps.size());
    Arguments arguments;
    if (options_.inputs.empty()) {
      root.is_assumed = true;
      if (forward == nullptr) {
        const Value value = in_.new_opaque("x");
        value.opaque->is_argument = true;
        arguments.positional.push_back(value);
        root.inputs.push_back({"x", value});
      } else {
        arguments = stand_ins(*forward, skip, true, &root);
      }
    } else {
      for (const GivenInput &given : options_.inputs) {
        const Value tensor = given_tensor(given, symbols);
        const bool is_parameter =
            forward != nullptr && !given.name.empty() && std::ranges::any_of(forward->params, [&](const Param *param) {
              return param->name && param->name.text() == given.name;
            });
        root.inputs.push_back({given.name.empty() ? "x" : given.name, tensor});
        if (is_parameter) {
          arguments.keywords.emplace_back(intern(given.name), tensor);
        } else {
          arguments.positional.push_back(tensor);
        }
      }
    }
    in_.call(object, arguments, nullptr);
  }

  static bool has_required(const FunctionObject &function) {
    for (u32 i = 0; i < function.params.size(); ++i) {
      const ParamKind kind = function.params[i]->param_kind();
      if (kind != ParamKind::VarArgs && kind != ParamKind::KwArgs && function.params[i]->default_value == nullptr) {
        return true;
      }
    }
    return false;
  }

  const model::Project &project_;
  const AnalysisOptions &options_;
  Analysis &analysis_;
  Interpreter &in_;
  RootMemory *const memory_;
  std::unordered_map<const Node *, std::vector<Symbol>> stored_; // by method
};

} // namespace

std::unique_ptr<Analysis> analyse(const model::Project &project, const AnalysisOptions &options, RootMemory *memory) {
  // A check should cost little more than without shapes; who asks for the shapes of a model wants all of them.
  Limits limits;
  limits.steps_of_root = options.for_people ? 3'000'000 : options.seen != nullptr ? 100'000 : 30'000;
  limits.steps_of_all = options.for_people        ? 20'000'000
                        : options.seen != nullptr ? 1'000'000
                                                  : 60'000 + 2'500 * project.modules.size();
  auto analysis = std::make_unique<Analysis>(project, limits);
  if (options.seen != nullptr) {
    analysis->seen.module = options.seen;
    analysis->interpreter.seen = &analysis->seen;
  }
  Runner(project, options, *analysis, memory).run();
  if (memory != nullptr && !memory->end(analysis->interpreter)) {
    return analyse(project, options, memory);
  }
  return analysis;
}

Dim count_parameters(Interpreter &in, const std::vector<Value> &modules) {
  std::unordered_set<const void *> seen;
  Dim total = Dim::of(0);
  const std::function<void(const Value &)> add = [&](const Value &value) {
    if (value.is(Tag::Tensor)) {
      if (value.tensor->is_parameter && !value.tensor->is_of_layer && seen.insert(value.tensor).second) {
        total = in.terms.add(total, numel(in, value.tensor->shape));
      }
      return;
    }
    if (!value.is(Tag::Object) || !seen.insert(value.object).second || !in.is_module(*value.object)) {
      return;
    }
    const ObjectContent &content = value.object->content;
    if (content.is_open && content.args.empty() && content.attributes.empty()) {
      total = {};
    }
    total = in.terms.add(total, weights_of(in, *value.object));
    for (const auto &[name, child] : content.attributes) {
      if (const Value replaced = in.weight_of(*value.object, Symbol{name}); replaced.is(Tag::Tensor)) {
        total = in.terms.subtract(
            total, numel(in, replaced.tensor->shape)); // tied to that of another layer, or one of its own
      }
      add(child);
    }
    for (const Value &child : content.items) {
      add(child);
    }
  };
  for (const Value &module : modules) {
    add(module);
  }
  return total;
}

bool read_input(const std::string &text, GivenInput &input, std::string &error) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    error = "expected sizes in brackets, as in \"x: [N, 3, 224, 224] float32\"";
    return false;
  }
  const auto trimmed = [](std::string_view part) {
    while (!part.empty() && (part.front() == ' ' || part.front() == ':')) {
      part.remove_prefix(1);
    }
    while (!part.empty() && (part.back() == ' ' || part.back() == ':')) {
      part.remove_suffix(1);
    }
    return std::string(part);
  };
  input.name = trimmed(std::string_view(text).substr(0, open));
  std::string_view inner = std::string_view(text).substr(open + 1, close - open - 1);
  while (!trimmed(inner).empty()) {
    const std::size_t comma = std::min(inner.find(','), inner.size());
    input.dims.push_back(trimmed(inner.substr(0, comma)));
    inner.remove_prefix(std::min(comma + 1, inner.size()));
    if (input.dims.back().empty()) {
      error = "a size is missing between two commas";
      return false;
    }
  }
  const std::string dtype = trimmed(std::string_view(text).substr(close + 1));
  if (!dtype.empty()) {
    input.dtype = dtype_named(dtype);
    if (input.dtype == Dtype::Unknown) {
      error = "there is no dtype '" + dtype + "'";
      return false;
    }
  }
  return true;
}

} // namespace deepperf::shapes
