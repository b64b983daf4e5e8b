#include "model/modes.h"

#include "base/known_names.h"
#include "model/classes.h"
#include "model/constants.h"
#include "python/call.h"

namespace deepperf::model {

using namespace python;

namespace {

constexpr u32 kMostModuleDepth = 6; // of modules inside modules

struct Question {
  const Project &project;
  bool is_about_statistics = false; // whether it has running statistics; dropout does not count
};

Modes both(Modes a, Modes b) {
  if (a == Modes::Differ || b == Modes::Differ) {
    return Modes::Differ;
  }
  return a == Modes::Same && b == Modes::Same ? Modes::Same : Modes::Unknown;
}

Modes modes_of_one(const Question &question, const Value &model, u32 depth);

Modes modes_of_all(const Question &question, const Value &value, u32 depth) {
  Modes modes = value.open || (!value.known() && value.alternatives == nullptr) ? Modes::Unknown : Modes::Same;
  for_each_alternative(value, [&](const Value &one) { modes = both(modes, modes_of_one(question, one, depth)); });
  return modes;
}

// Layers that are unpacked into nn.Sequential(*…): a list of layers, or the parts of another model.
Modes modes_of_unpacked(const Question &question, const Scope &scope, const Expr *list, u32 depth) {
  bool is_part = false;
  for (u32 i = 0; i < kMostModuleDepth; ++i) { // list(net.children())[:-2]
    if (const auto *part = as<Subscript>(list)) {
      list = part->value;
      is_part = true;
    } else if (const auto *call = as<Call>(list); call != nullptr && called_name(*call) == "list" &&
                                                  call->args.size() == 1 && called_method(*call).empty()) {
      list = call->args[0];
    } else if (const std::vector<Argument::Given> written =
                   list->kind == NodeKind::Name ? written_as(scope, list) : std::vector<Argument::Given>{};
               written.size() == 1 && written[0].scope.function == scope.function &&
               as<Call>(written[0].expr) != nullptr) {
      list = written[0].expr;
    } else {
      break;
    }
  }
  const auto *call = as<Call>(list);
  if (call != nullptr && (called_method(*call) == "children" || called_method(*call) == "modules")) {
    const Value whole = value_of(scope, receiver_of(*call));
    // Networks of a library are normalized everywhere, whichever of their parts is taken.
    const bool is_known = !is_part || whole.is(Value::Tag::Instance);
    return is_known ? modes_of_all(question, whole, depth + 1) : Modes::Unknown;
  }
  const Value layers = value_of(scope, list);
  if (!layers.is(Value::Tag::Tuple) || layers.number == 0) {
    return Modes::Unknown;
  }
  Modes modes = is_part || layers.open ? Modes::Unknown : Modes::Same;
  for (u32 i = 0; i < (layers.uniform ? 1 : layers.number); ++i) {
    modes = both(modes, modes_of_all(question, layers.items[i], depth + 1));
  }
  return modes;
}

// The layers that are given to nn.Sequential(…), also in lists and nested calls, and the model that is given to a
// wrapper.
Modes modes_of_arguments(const Question &question, const Call &call, u32 depth) {
  const FunctionInfo *const function = question.project.caller_of(&call);
  if (function == nullptr || depth > kMostModuleDepth) {
    return call.args.empty() ? Modes::Same : Modes::Unknown;
  }
  const Scope scope = scope_of(question.project, *function);
  Modes modes = Modes::Same;
  for (const Expr *arg : call.args) {
    if (const auto *unpacked = as<Starred>(arg)) {
      modes = both(modes, modes_of_unpacked(question, scope, unpacked->value, depth));
    } else {
      modes = both(modes, modes_of_all(question, value_of(scope, arg), depth + 1));
    }
  }
  return modes;
}

Modes modes_of_class(const Question &question, const ClassInfo &type, u32 depth) {
  Modes modes = Modes::Same;
  for (const ClassInfo *at : type.mro) {
    for (const auto &[name, cell] : at->attributes) {
      const Value &value = cell.value;
      const Value &part = value.is(Value::Tag::Tuple) && value.number > 0 ? value.items[0] : value;
      const bool is_module =
          part.is(Value::Tag::Object)
              ? part.type->kind == Kind::TorchModule
              : part.is(Value::Tag::Instance) && (part.kind == Kind::TorchModule || part.kind == Kind::HfModel);
      if (is_module) { // one that may be something else as well says nothing
        modes = both(modes, part.open ? Modes::Unknown : modes_of_all(question, part, depth + 1));
      } else if (!part.known() && !part.is(Value::Tag::None)) {
        modes = both(modes, Modes::Unknown);
      }
    }
    // F.dropout(x, training=self.training)
    const FunctionInfo *const forward = find_method_of(*at, known::sym_forward);
    if (forward != nullptr && forward->node != nullptr && forward->type == at) {
      const std::string_view text = forward->module->parsed->source.part(forward->node->start, forward->node->end);
      if (!question.is_about_statistics && text.find(".dropout(") != std::string_view::npos &&
          text.find("self.training") != std::string_view::npos) {
        return Modes::Differ;
      }
    }
  }
  return modes;
}

// Of the architectures of torchvision, those that are known to have batch normalization.
Modes statistics_of_pretrained(std::string_view name) {
  constexpr std::string_view kNormalized[] = {"resnet",         "resnext",   "densenet",   "mobilenet",
                                              "efficientnet_b", "regnet",    "mnasnet",    "shufflenet",
                                              "googlenet",      "inception", "wide_resnet"};
  const std::string_view last = name.substr(name.rfind('.') + 1);
  for (const std::string_view one : kNormalized) {
    if (last.starts_with(one)) {
      return Modes::Differ;
    }
  }
  return last.ends_with("_bn") ? Modes::Differ : Modes::Unknown;
}

// A rate of 0 drops nothing. One that users may set to something else says nothing.
Modes modes_of_dropout(const Question &question, const Call *made) {
  const FunctionInfo *const function = made != nullptr ? question.project.caller_of(made) : nullptr;
  if (function == nullptr) {
    return Modes::Differ;
  }
  constexpr double kDefaultRate = 0.5;
  const Scope scope = scope_of(question.project, *function);
  const auto rate = constant_of(question.project, argument_of(scope, *made, 0, "p"), ConstantValue::of(kDefaultRate));
  if (!rate.has_value()) { // of several objects; one that is not told drops nothing if the default is 0
    const auto *name = as<Name>(made->args.empty() ? nullptr : made->args[0]);
    for (const Keyword *keyword : made->keywords) {
      name = keyword->name && keyword->name.text() == "p" ? as<Name>(keyword->value) : name;
    }
    for (const Param *param : function->params) {
      const bool is_rate = name != nullptr && param->name == name->id && param->default_value != nullptr;
      const auto usual = is_rate ? constant_of(scope, param->default_value) : std::nullopt;
      if (usual.has_value() && usual->as_number() == 0.0) {
        return Modes::Unknown;
      }
    }
  }
  if (!rate.has_value() || rate->as_number() != 0.0) {
    return Modes::Differ;
  }
  return rate->overridable ? Modes::Unknown : Modes::Same;
}

Modes modes_of_one(const Question &question, const Value &model, u32 depth) {
  if (depth > kMostModuleDepth) {
    return Modes::Unknown;
  }
  if (model.is(Value::Tag::Object)) {
    return model.type->kind == Kind::TorchModule ? modes_of_class(question, *model.type, depth) : Modes::Same;
  }
  if (model.is_kind(Kind::HfModel)) {
    return question.is_about_statistics ? Modes::Unknown : Modes::Differ;
  }
  if (!model.is(Value::Tag::Instance) || model.kind != Kind::TorchModule || !model.name()) {
    return model.is_kind(Kind::TorchLoss) ? Modes::Same : Modes::Unknown;
  }
  const std::string_view name = model.name().text();
  if (name.starts_with("torchvision.models.") || name == "timm.create_model") {
    return question.is_about_statistics ? statistics_of_pretrained(name) : Modes::Differ;
  }
  const bool is_wrapper = name == "torch.compile" || name.ends_with("DataParallel");
  if (is_wrapper && model.maker() != nullptr && !model.maker()->args.empty()) {
    const FunctionInfo *const function = question.project.caller_of(model.maker());
    return function != nullptr
               ? modes_of_all(question, value_of(scope_of(question.project, *function), model.maker()->args[0]),
                              depth + 1)
               : Modes::Unknown;
  }
  if (!name.starts_with("torch.nn.")) {
    return Modes::Unknown;
  }
  const std::string_view layer = name.substr(9);
  if (layer.find("BatchNorm") != std::string_view::npos) {
    return Modes::Differ;
  }
  if (layer.find("Dropout") != std::string_view::npos) {
    return question.is_about_statistics ? Modes::Same : modes_of_dropout(question, model.maker());
  }
  if (layer.starts_with("Transformer")) {
    return question.is_about_statistics ? Modes::Same : Modes::Differ;
  }
  if (layer == "Sequential" || layer == "ModuleList") {
    return model.maker() != nullptr && !model.maker()->args.empty()
               ? modes_of_arguments(question, *model.maker(), depth)
               : Modes::Unknown;
  }
  if (layer == "Module" || layer == "ModuleDict") {
    return Modes::Unknown;
  }
  // The recurrent layers drop between their layers, if they are told to.
  if (model.maker() != nullptr && !question.is_about_statistics) {
    for (const Keyword *keyword : model.maker()->keywords) {
      if (keyword->name && keyword->name.text() == "dropout") {
        return Modes::Differ;
      }
    }
  }
  return Modes::Same;
}

} // namespace

Modes modes_of(const Project &project, const Value &model) { return modes_of_all({project}, model, 0); }

Modes statistics_of(const Project &project, const Value &model) { return modes_of_all({project, true}, model, 0); }

} // namespace deepperf::model
