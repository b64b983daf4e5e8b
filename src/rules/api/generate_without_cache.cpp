#include "base/symbol_list.h"
#include "model/variance.h"
#include "rules/assignments.h"
#include "rules/made_on_host.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::generate_without_cache {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

// The default of a field: `class Decoding: use_cache: bool = False`
bool is_field_default(const Site &site, const model::Argument::Given &given) {
  return std::ranges::any_of(site.project.classes, [&](const model::ClassInfo &type) {
    return type.module == given.scope.module && std::ranges::any_of(type.node->body, [&](const Stmt *statement) {
             const auto *field = as<AnnAssign>(statement);
             return field != nullptr && field->value == given.expr;
           });
  });
}

// A default that users can replace; but a field of a settings class that nothing sets is what runs.
bool is_option(const Site &site, const model::Argument::Given &given, const model::ConstantValue &setting) {
  if (!setting.overridable) {
    return false;
  }
  const std::vector<model::Argument::Given> written = model::written_as(given.scope, given.expr);
  return written.size() != 1 || !is_field_default(site, written[0]) ||
         project_has_word(site, {"HfArgumentParser", "parse_args", "tyro.", "hydra", "OmegaConf", "jsonargparse",
                                 "BaseSettings", "fire.Fire", "yaml", "simple_parsing", "draccus"});
}

void report_setting(Site &site, const Call &call, const model::Argument::Given &given) {
  const Keyword *const written = keyword_argument(call, "use_cache");
  Finding &finding =
      report(site, written != nullptr ? static_cast<const Node &>(*written) : call,
             "`use_cache=False` recomputes the keys and values of all earlier tokens for every new token",
             "omit `use_cache`: `generate()` caches keys and values by default");
  const std::vector<model::Argument::Given> set = model::written_as(given.scope, given.expr);
  if (set.size() == 1 && !(written != nullptr && contains(written, set[0].expr))) {
    finding.notes.push_back({set[0].scope.module->file, set[0].expr->span(), "it is set here"});
  }
}

// GenerationConfig(use_cache=False), or a model that is loaded so and only generates.
void check_setting(Site &site, const Call &call) {
  const Keyword *const written = keyword_argument(call, "use_cache");
  const bool is_config = called_api(site, call) == "transformers.GenerationConfig";
  const model::Argument use_cache = argument_of(site, call, ~0U, "use_cache");
  if (use_cache.given.size() != 1 || use_cache.unknown || use_cache.may_be_absent ||
      (written == nullptr && !is_config)) {
    return;
  }
  const model::Argument::Given &given = use_cache.given[0];
  const auto setting = setting_of(site, use_cache, model::ConstantValue::of(true));
  if (!setting.has_value() || setting->as_bool() != false || is_option(site, given, *setting) || site.module->is_test ||
      !(is_config ? project_has_word(site, {".generate(", "pipeline("})
                  : file_has_word(site, {".generate(", "pipeline("})) ||
      file_has_word(site, {"use_cache = True", "use_cache=True"})) {
    return;
  }
  if (!is_config && file_has_word(site, {"Trainer", ".backward(", "gradient_checkpointing"})) {
    return; // training needs no cache
  }
  report_setting(site, call, given);
}

// `generate(use_cache=False)`, also by way of `**settings`.
void check_generate(Site &site, const Call &call) {
  const model::Argument use_cache = argument_of(site, call, ~0U, "use_cache");
  if (use_cache.given.size() != 1 || use_cache.unknown || use_cache.may_be_absent) {
    return;
  }
  const auto setting = setting_of(site, use_cache, model::ConstantValue::of(true));
  const Keyword *written = keyword_argument(call, "use_cache");
  if (!setting.has_value() || setting->as_bool() != false ||
      (written == nullptr && is_option(site, use_cache.given[0], *setting))) {
    return;
  }
  report_setting(site, call, use_cache.given[0]);
}

// `model.config.use_cache = False` in a file that only generates.
void check_attribute(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *target = as<Attribute>(assignment.targets[0]);
  if (target == nullptr || target->attr.text() != "use_cache" || bool_of(site, assignment.value) != false ||
      site.module->is_test || !file_has_word(site, {".generate("}) ||
      file_has_word(site, {"use_cache = True", "use_cache=True", "Trainer", ".backward(", "gradient_checkpointing",
                           ".train()", "optim"})) {
    return;
  }
  const auto *config = as<Attribute>(target->value);
  if (config != nullptr && (config->attr.text() == "config" || config->attr.text() == "generation_config")) {
    report(site, node,
           "without the cache `generate()` recomputes the keys and values of all earlier tokens for every new token",
           "remove this line: keys and values are cached by default");
  }
}

bool is_model_call(const Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  if (callee.is(Value::Tag::Object)) {
    return callee.type->kind == Kind::TorchModule;
  }
  if (callee.is(Value::Tag::Method)) { // model.decode(memory, ids)
    return callee.function->type != nullptr && callee.function->type->kind == Kind::TorchModule &&
           callee.function->name.text().find("decode") != std::string_view::npos;
  }
  return callee.is_kind(Kind::TorchModule) || callee.is_kind(Kind::HfModel);
}

bool has_cache_argument(const Call &call) {
  return std::ranges::any_of(call.keywords, [](const Keyword *keyword) {
    const std::string_view name = keyword->name ? keyword->name.text() : "cache";
    if (name == "use_cache" && is_constant(keyword->value, ConstantKind::False)) {
      return false;
    }
    return name.find("cache") != std::string_view::npos || name.find("past") != std::string_view::npos ||
           name.find("state") != std::string_view::npos || name.find("mem") != std::string_view::npos;
  });
}

// The same, where `**encoded` holds what a tokenizer gives.
bool has_cache_argument_but_hidden(const Site &site, const Call &call) {
  return std::ranges::any_of(call.keywords, [&site](const Keyword *keyword) {
    if (keyword->name && keyword->name.text() == "use_cache" && bool_of(site, keyword->value) == false) {
      return false;
    }
    const std::string_view name = keyword->name ? keyword->name.text() : std::string_view{};
    return name.find("cache") != std::string_view::npos || name.find("past") != std::string_view::npos;
  });
}

// The name that `x = torch.cat((x, y), …)` makes longer.
Symbol grown_name(const Site &site, const Call &call) {
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *target = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
  const Expr *first = argument(call, 0, "tensors");
  const auto *tuple = as<Tuple>(first);
  const auto *list = as<List>(first);
  const Array<Expr *> parts = tuple != nullptr ? tuple->elts : list != nullptr ? list->elts : Array<Expr *>{};
  const auto *name = parts.size() == 2 ? as<Name>(parts[0]) : nullptr;
  return target != nullptr && name != nullptr && target->id == name->id ? name->id : Symbol{};
}

// `x` itself, the end of it that fits the context, or a name for that.
bool is_whole_sequence(const Site &site, const Expr *expr, Symbol sequence, u32 steps = 0) {
  if (steps > 4) {
    return false;
  }
  if (const auto *name = as<Name>(expr)) {
    if (name->id == sequence) {
      return true;
    }
    const Expr *value = last_assigned(site, *name);
    return value != nullptr && is_whole_sequence(site, value, sequence, steps + 1);
  }
  if (const auto *choice = as<IfExp>(expr)) {
    return is_whole_sequence(site, choice->body, sequence, steps + 1) ||
           is_whole_sequence(site, choice->orelse, sequence, steps + 1);
  }
  if (const auto *part = as<Subscript>(expr)) {
    // x[:, -block_size:], but not x[:, -1:], which is what a cache needs
    const auto *axes = as<Tuple>(part->slice);
    const auto *slice = axes != nullptr && !axes->elts.empty() ? as<Slice>(axes->elts[axes->elts.size() - 1]) : nullptr;
    return slice != nullptr && (slice->lower == nullptr || integer_of(site, slice->lower) != -1) &&
           is_whole_sequence(site, part->value, sequence, steps + 1);
  }
  const auto *call = as<Call>(expr);
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  return (method == "to" || method == "cuda" || method == "long") &&
         is_whole_sequence(site, receiver_of(*call), sequence, steps + 1);
}

// A place along which a text grows, and not one more row of a set of observations: along another dimension than the
// first, or by an element that was chosen.
bool appends_token(const Site &site, const Call &call) {
  const Expr *dim = argument(call, 1, "dim");
  const Keyword *const axis = keyword_argument(call, "axis");
  dim = dim == nullptr && axis != nullptr ? axis->value : dim;
  if (dim != nullptr && integer_of(site, dim) != 0) {
    return true;
  }
  return any_node(body_around(site), [](const Node *node) {
    const auto *choice = as<Call>(node);
    const std::string_view name = choice != nullptr ? called_name(*choice) : std::string_view{};
    return name == "argmax" || name == "multinomial" || name == "topk" || name == "categorical" || name == "sample";
  });
}

// Is it anything else in the loop than what grows?
bool is_bound_again(const Block &body, Symbol sequence) {
  u32 bindings = 0;
  any_node(body, [&](const Node *node) {
    const auto *name = as<Name>(node);
    bindings += name != nullptr && name->id == sequence && name->context == Context::Store ? 1 : 0;
    return bindings > 1;
  });
  return bindings > 1;
}

bool is_recurrent(const Site &site, const Value &model);

std::string advice_for(const Site &site, const Call &forward) {
  return is_recurrent(site, value_of(site, forward.func))
             ? "keep the state that the recurrent layer returns, and pass it together with only the new element"
             : "keep the keys and values of earlier tokens (`past_key_values`) and pass only the new token";
}

// `layer` of `for layer in layers`, layers[i]
bool is_chosen_by(const model::Loop &loop, const Expr *model) {
  return any_node(model, [&](const Node *node) {
    const auto *name = as<Name>(node);
    return name != nullptr && contains(loop.assigned, name->id);
  });
}

void check_growth(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr || loop->steps || site.module->is_test) {
    return;
  }
  const Symbol sequence = grown_name(site, call);
  if (!sequence) {
    return;
  }
  const Block body = loop->node->kind == NodeKind::For ? static_cast<const For *>(loop->node)->body
                                                       : static_cast<const While *>(loop->node)->body;
  if (is_bound_again(body, sequence) || !appends_token(site, call)) {
    return;
  }
  const Call *forward = nullptr;
  any_node(body, [&](const Node *node) {
    const auto *inner = as<Call>(node);
    // One and the same model, and not the layers of a block that each get the features of all before them.
    if (forward == nullptr && inner != nullptr && !contains(&call, inner) && is_model_call(site, *inner) &&
        !is_chosen_by(*loop, inner->func)) {
      const Keyword *const decoded = keyword_argument(*inner, "decoder_input_ids");
      const Expr *input = decoded != nullptr ? decoded->value : argument(*inner, 0, "input_ids");
      const bool is_method = site.project.callee_of(inner).is(Value::Tag::Method);
      const auto is_whole = [&](const Expr *given) { return is_whole_sequence(site, given, sequence); };
      const bool is_fed = is_method ? std::ranges::any_of(inner->args, is_whole) : input != nullptr && is_whole(input);
      if (is_fed && !has_cache_argument(*inner)) {
        forward = inner;
      }
    }
    return forward != nullptr;
  });
  if (forward == nullptr) {
    return;
  }
  Finding &finding =
      report(site, *forward, "the model recomputes the whole sequence for every new token", advice_for(site, *forward));
  add_note(finding, site, call, "the sequence grows by one token here");
}

// ---- Recurrent models
// ------------------------------------------------------------------------------------------------

bool is_recurrent_layer(const Site &site, const Value &value) {
  const std::string_view name =
      value.is(Value::Tag::Instance) && value.name() ? value.name().text() : std::string_view{};
  if ((name != "torch.nn.LSTM" && name != "torch.nn.GRU" && name != "torch.nn.RNN") || value.maker() == nullptr) {
    return false;
  }
  const Site there = site_of(site, *value.maker());
  const model::Argument both = argument_of(there, *value.maker(), ~0U, "bidirectional");
  const auto setting = setting_of(there, both, model::ConstantValue::of(false));
  return setting.has_value() && !setting->is_true();
}

// A module of the project that reads its input from left to right with a recurrent layer, and in no other way.
bool is_recurrent(const Site &site, const Value &model) {
  if (is_recurrent_layer(site, model)) {
    return true;
  }
  if (!model.is(Value::Tag::Object) || model.type->kind != Kind::TorchModule || model.open) {
    return false;
  }
  bool has_layer = false;
  bool has_other = false; // that looks at several places at once
  for (const model::ClassInfo *type : model.type->mro) {
    for (const auto &[name, cell] : type->attributes) {
      for_each_alternative(cell.value, [&](const Value &one) {
        const bool is_layer = is_recurrent_layer(site, one);
        has_layer |= is_layer;
        const std::string_view maker =
            one.is(Value::Tag::Instance) && one.name() ? one.name().text() : std::string_view{};
        has_other |= (!is_layer && (maker == "torch.nn.LSTM" || maker == "torch.nn.GRU" || maker == "torch.nn.RNN")) ||
                     maker.starts_with("torch.nn.Conv") || maker.starts_with("torch.nn.Transformer") ||
                     maker.starts_with("torch.nn.MultiheadAttention") ||
                     (one.is(Value::Tag::Object) && one.type->kind == Kind::TorchModule);
      });
    }
  }
  return has_layer && !has_other;
}

// ---- A list, text or buffer that grows ------------------------------------------------------------------------------

// `ids.append(…)`, `ids += […]`, `text = text + …` in the loop
bool grows(const Block &body, Symbol name) {
  const auto is_it = [name](const Expr *expr) {
    const auto *use = as<Name>(expr);
    return use != nullptr && use->id == name;
  };
  return any_node(body, [&](const Node *node) {
    if (const auto *call = as<Call>(node)) {
      const std::string_view method = called_method(*call);
      return (method == "append" || method == "extend") && is_it(receiver_of(*call));
    }
    if (const auto *added = as<AugAssign>(node)) {
      return added->op() == Operator::Add && is_it(added->target);
    }
    const auto *assignment = as<Assign>(node);
    const auto *sum = assignment != nullptr ? as<BinOp>(assignment->value) : nullptr;
    return sum != nullptr && sum->op() == Operator::Add && is_it(assignment->targets[0]) && is_it(sum->left);
  });
}

// `ids[:, :position]` of a buffer that the loop fills at `position`.
bool is_filled_part(const model::Loop &loop, const Block &body, const Expr *expr) {
  const auto *part = as<Subscript>(expr);
  const auto *buffer = part != nullptr ? as<Name>(part->value) : nullptr;
  const auto *axes = part != nullptr ? as<Tuple>(part->slice) : nullptr;
  const auto *slice = part == nullptr                          ? nullptr
                      : axes != nullptr && !axes->elts.empty() ? as<Slice>(axes->elts[axes->elts.size() - 1])
                                                               : as<Slice>(part->slice);
  const auto *statement = as<For>(loop.node);
  const auto *position = statement != nullptr ? as<Name>(statement->target) : nullptr;
  if (buffer == nullptr || slice == nullptr || slice->lower != nullptr || slice->upper == nullptr ||
      position == nullptr || !mentions(slice->upper, position->id)) {
    return false;
  }
  return any_node(body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *target = assignment != nullptr ? as<Subscript>(assignment->targets[0]) : nullptr;
    const auto *stored = target != nullptr ? as<Name>(target->value) : nullptr;
    return stored != nullptr && stored->id == buffer->id && mentions(target->slice, position->id);
  });
}

// `ids = torch.cat([ids, token], dim=1)` in the loop
bool is_joined_in(const Site &site, const Block &body, Symbol sequence) {
  return any_node(body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *target = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
    const auto *joined = target != nullptr && target->id == sequence ? as<Call>(run_by(assignment->value)) : nullptr;
    const std::string_view api = joined != nullptr ? called_api(site, *joined) : std::string_view{};
    return (api == "torch.cat" || api == "torch.concat" || api == "torch.hstack") &&
           any_node(joined, [&](const Node *part) {
             const auto *name = as<Name>(part);
             return name != nullptr && name->id == sequence;
           });
  });
}

// Is it all that was generated so far: what grows, as a tensor, encoded again, or on a device?
bool is_all_so_far(const Site &site, const model::Loop &loop, const Block &body, const Expr *expr, u32 steps) {
  if (steps > 6 || expr == nullptr) {
    return false;
  }
  const auto follow = [&](const Expr *inner) { return is_all_so_far(site, loop, body, inner, steps + 1); };
  if (const auto *name = as<Name>(expr)) {
    if (grows(body, name->id)) {
      return true;
    }
    const Expr *const value = last_assigned(site, *name);
    return value != nullptr && value->start >= loop.node->start && follow(value);
  }
  if (is_filled_part(loop, body, expr)) {
    return true;
  }
  if (const auto *list = as<List>(expr)) {
    return list->elts.size() == 1 && follow(list->elts[0]);
  }
  if (const auto *attribute = as<Attribute>(expr)) {
    return attribute->attr.text() == "input_ids" && follow(attribute->value);
  }
  if (const auto *element = as<Subscript>(expr)) {
    return string_of(site, element->slice) == "input_ids" && follow(element->value);
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const std::string_view api = called_api(site, *call);
  const bool is_made = api == "torch.tensor" || api == "torch.LongTensor" || api == "torch.as_tensor" ||
                       api == "torch.stack" || api == "torch.cat" || api == "torch.concat";
  const bool is_encoded = model::kind_of(call->func) == Kind::HfTokenizer || called_method(*call) == "encode";
  if (is_made || is_encoded) {
    return !call->args.empty() && follow(call->args[0]);
  }
  const std::string_view method = called_method(*call);
  return (method == "to" || method == "cuda" || method == "unsqueeze" || method == "long") &&
         follow(receiver_of(*call));
}

// ---- A step of decoding in a function of its own --------------------------------------------------------------------

Block body_of(const model::Loop &loop) {
  return loop.node->kind == NodeKind::For     ? static_cast<const For *>(loop.node)->body
         : loop.node->kind == NodeKind::While ? static_cast<const While *>(loop.node)->body
                                              : Block{};
}

// The loop that leads to the function, by its only caller and so on, in which each iteration decodes a token; null if
// there is none.
struct DecodingLoop {
  const model::Loop *loop = nullptr;
  const model::CallSite *through = nullptr; // the call of the function; null: the loop stands around the place itself
};

DecodingLoop decoding_loop_of(const Site &site) {
  if (const model::Loop *const own = long_loop_around(site)) {
    return {own, nullptr};
  }
  constexpr u32 kMostCalls = 3;
  const FunctionInfo *function = site.function;
  const model::CallSite *through = nullptr;
  for (u32 i = 0; i < kMostCalls && function != nullptr && function->called_by.size() == 1; ++i) {
    const model::CallSite *const caller = function->called_by[0];
    through = through == nullptr ? caller : through;
    const model::Loop *loop = caller->loop;
    while (loop != nullptr && (loop->few_iterations || loop->iterations == model::Iterations::Few)) {
      loop = loop->parent;
    }
    if (loop != nullptr || caller->caller == function) {
      return {caller->caller == function ? nullptr : loop, through};
    }
    function = caller->caller;
  }
  return {};
}

// Does the loop make the attribute longer: `state.ids = torch.cat([state.ids, …])`, `self.ids.append(…)`,
// or count it up: `state.length += 1`?
bool grows_attribute(const Block &body, Symbol attr) {
  const auto is_it = [attr](const Expr *expr) {
    const auto *attribute = as<Attribute>(expr);
    return attribute != nullptr && attribute->attr == attr;
  };
  return any_node(body, [&](const Node *node) {
    if (const auto *added = as<AugAssign>(node)) {
      return added->op() == Operator::Add && is_it(added->target);
    }
    if (const auto *call = as<Call>(node)) {
      const std::string_view method = called_method(*call);
      return (method == "append" || method == "extend") && is_it(receiver_of(*call));
    }
    const auto *assignment = as<Assign>(node);
    const auto *joined =
        assignment != nullptr && is_it(assignment->targets[0]) ? as<Call>(run_by(assignment->value)) : nullptr;
    const std::string_view name = joined != nullptr ? called_name(*joined) : std::string_view{};
    return (name == "cat" || name == "concat" || name == "hstack") && any_node(joined, [&](const Node *part) {
             return part->kind == NodeKind::Attribute && is_it(static_cast<const Expr *>(part));
           });
  });
}

// The same in the methods that the loop calls: `self._append(token)`
bool grows_attribute(const model::Loop &loop, Symbol attr) {
  return grows_attribute(body_of(loop), attr) ||
         std::ranges::any_of(reached_functions(*loop.function, *loop.node), [attr](const FunctionInfo *called) {
           return called->definition() != nullptr && grows_attribute(called->definition()->body, attr);
         });
}

// `state.ids`, or `state.tokens[:, :state.length]`, of what the loop makes longer.
bool is_all_of_attribute(const model::Loop &loop, const Expr *expr) {
  if (const auto *attribute = as<Attribute>(expr)) {
    return grows_attribute(loop, attribute->attr);
  }
  const auto *part = as<Subscript>(expr);
  const auto *axes = part != nullptr ? as<Tuple>(part->slice) : nullptr;
  const auto *slice = part == nullptr                          ? nullptr
                      : axes != nullptr && !axes->elts.empty() ? as<Slice>(axes->elts[axes->elts.size() - 1])
                                                               : as<Slice>(part->slice);
  const auto *end = slice != nullptr && slice->lower == nullptr ? as<Attribute>(slice->upper) : nullptr;
  return end != nullptr && grows_attribute(loop, end->attr);
}

// What the function gets of the sequence: an argument of the call in the loop, or an attribute that the
// loop changes.
bool is_all_in_step(const Site &site, const DecodingLoop &decoding, const Expr *input) {
  const Block body = body_of(*decoding.loop);
  if (const auto *name = as<Name>(input)) {
    if (const Expr *const value = last_assigned(site, *name)) {
      return is_all_in_step(site, decoding, value);
    }
    const u32 place = decoding.through != nullptr ? site.function->place_of_param(name->id) : FunctionInfo::kNoParam;
    const Expr *const given =
        place != FunctionInfo::kNoParam ? model::passed_argument(*decoding.through, place) : nullptr;
    const Site there = given != nullptr ? site_of(site, *decoding.through->call) : site;
    const auto *passed = as<Name>(given);
    const bool is_joined = passed != nullptr && is_joined_in(there, body, passed->id);
    return given != nullptr && (is_joined || is_all_so_far(there, *decoding.loop, body, given, 0) ||
                                is_all_of_attribute(*decoding.loop, given));
  }
  if (const auto *call = as<Call>(input)) {
    if (called_function(site, *call) != nullptr) { // that takes the part of it
      const Expr *const result = returned_at_end(site, *call);
      return result != nullptr && is_all_of_attribute(*decoding.loop, result);
    }
    const std::string_view method = called_method(*call);
    return (method == "to" || method == "cuda" || method == "long" || method == "unsqueeze") &&
           is_all_in_step(site, decoding, receiver_of(*call));
  }
  return is_all_of_attribute(*decoding.loop, input);
}

// A language model that gets everything again for every token.
void check_forward(Site &site, const Call &call) {
  const DecodingLoop decoding = decoding_loop_of(site);
  const model::Loop *const loop = decoding.loop;
  if (loop == nullptr || loop->steps || site.module->is_test || has_cache_argument_but_hidden(site, call) ||
      (loop->node->kind != NodeKind::For && loop->node->kind != NodeKind::While)) {
    return;
  }
  const Expr *input = argument(call, 0, "input_ids");
  for (const Keyword *keyword : call.keywords) {
    input = !keyword->name ? keyword->value : input; // **encoded
  }
  const bool is_whole =
      input != nullptr && ((decoding.through == nullptr && is_all_so_far(site, *loop, body_of(*loop), input, 0)) ||
                           is_all_in_step(site, decoding, input));
  if (!is_whole) {
    return;
  }
  Finding &finding =
      report(site, call, "the model recomputes the whole sequence for every new token",
             "keep the keys and values of earlier tokens (`past_key_values`) and pass only the new token");
  finding.notes.push_back({loop->function->module->file, loop->node->span(), "in every iteration of this loop"});
  Span &span = finding.notes.back().span;
  span.end = std::min(span.end, span.start + 5); // the keyword alone
}

// A recurrent model that is given the list of all elements so far: `model(torch.cat(pieces, dim=1))`.
void check_list(Site &site, const Call &call) {
  const model::Loop *const loop = long_loop_around(site);
  if (loop == nullptr || loop->trains || site.module->is_test || site.function == nullptr ||
      (loop->node->kind != NodeKind::For && loop->node->kind != NodeKind::While)) {
    return;
  }
  const Block body = loop->node->kind == NodeKind::For ? static_cast<const For *>(loop->node)->body
                                                       : static_cast<const While *>(loop->node)->body;
  if (!is_all_so_far(site, *loop, body, &call, 0)) {
    return;
  }
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *target = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
  const Call *forward = nullptr;
  any_node(body, [&](const Node *node) {
    const auto *inner = as<Call>(node);
    // A second argument may be the state.
    if (inner != nullptr && inner->args.size() == 1 && inner->keywords.empty() && inner != &call) {
      const auto *given = as<Name>(inner->args[0]);
      const bool is_it = target != nullptr && given != nullptr ? given->id == target->id && inner->start > call.end
                                                               : contains(inner->args[0], &call);
      const bool is_direct = target != nullptr || is_all_so_far(site, *loop, body, inner->args[0],
                                                                0); // not of another function's result
      if (is_it && is_direct && is_model_call(site, *inner) && is_recurrent(site, value_of(site, inner->func))) {
        forward = inner;
      }
    }
    return forward != nullptr;
  });
  if (forward != nullptr) {
    Finding &finding = report(site, *forward, "the model recomputes the whole sequence for every new token",
                              advice_for(site, *forward));
    add_note(finding, site, call, "all elements so far are passed");
  }
}

void check(Site &site, const Call &call) {
  if (site.project.callee_of(&call).is_kind(Kind::HfModel)) {
    check_forward(site, call);
  } else if (called_method(call) == "generate") {
    check_generate(site, call);
  } else if (called_api(site, call) == "torch.cat" || called_api(site, call) == "torch.concat") {
    check_growth(site, call);
    check_list(site, call);
  } else if (called_api(site, call).starts_with("torch.")) {
    check_list(site, call);
  } else {
    check_setting(site, call);
  }
}

} // namespace

extern constinit const Rule kGenerateWithoutCache = {
    .info = {.code = "DP153",
             .name = "generate-without-cache",
             .summary = "text generation that recomputes all earlier tokens for each new one",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`generate(use_cache=False)`, also in a dictionary of settings or in a model's configuration, and loops that append a token to a sequence, list or text, or write it into a buffer, and call the model on the
whole sequence, without a cache; also of a recurrent model (`nn.LSTM`, `nn.GRU`, `nn.RNN`, in one direction), whose state is its cache.

## Why it costs

The keys and values of a token do not change when another token follows. Without a cache, step n computes n tokens
instead of one, so generating n tokens computes about n² / 2 of them.

## Bad

```python
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2")


@torch.no_grad()
def extend(ids, count):
    for _ in range(count):
        logits = model(ids).logits
        ids = torch.cat([ids, logits[:, -1:].argmax(-1)], dim=1)
    return ids
```

## Good

```python
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2")


@torch.no_grad()
def extend(ids, count):
    return model.generate(ids, max_new_tokens=count)
```

## When it is wrong

Where each step has to see the whole sequence, as with bidirectional models or a sliding window that shifts all
positions. Teaching code often omits the cache for clarity.

## References

- Transformers: KV cache strategies
)"},
    .calls = "HfModel.__call__ *.generate torch.cat torch.concat torch.stack torch.tensor torch.as_tensor "
             "torch.LongTensor "
             "*.from_pretrained transformers.GenerationConfig",
    .on_call = check,
    .nodes = {NodeKind::Assign},
    .on_node = check_attribute};

} // namespace deepperf::rules::generate_without_cache
