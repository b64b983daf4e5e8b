#include "rules/vector_loop.h"

#include "base/name_table.h"
#include "python/children.h"
#include "rules/loss_call.h"
#include "rules/tree.h"
#include "rules/vector_functions.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace deepperf::rules {

namespace vectors {

using namespace python;
using model::Value;

// As is_vectorisable_function, for one that is called from another.
bool fits_body(const Site &site, const model::FunctionInfo &function, bool *reduces, u32 depth);

namespace {

bool has(const std::vector<Symbol> &names, Symbol name) { return std::ranges::find(names, name) != names.end(); }

// Names of a function that hold one thing only, which some place uses as a tensor: its kind is known there, or it is
// what `torch.zeros_like` takes. What is unpacked from such a tensor, or is an element of it, is a tensor, too.
struct UsedAsTensors {
  std::unordered_set<u32> names;
};

class TensorUses {
public:
  explicit TensorUses(const Site &site) : site_(site) {}

  UsedAsTensors of(const Node &function) {
    any_node(static_cast<const FunctionDef &>(function).body, [this](const Node *node) {
      look(node);
      return false;
    });
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto &[part, whole] : parts_) {
        changed |= found_.names.contains(whole) && stores_[part] == 1 && found_.names.insert(part).second;
      }
    }
    std::erase_if(found_.names, [this](u32 name) { return stores_[name] > (is_parameter(name) ? 0U : 1U); });
    return std::move(found_);
  }

private:
  void look(const Node *node) {
    if (const auto *name = as<Name>(node)) {
      if (name->context != Context::Load) {
        ++stores_[name->id.id];
      } else if (is_array(model::kind_of(name))) {
        found_.names.insert(name->id.id);
      }
    } else if (const auto *call = as<Call>(node)) {
      const std::string_view api = called_api(site_, *call);
      const auto *given = !call->args.empty() ? as<Name>(call->args[0]) : nullptr;
      if (given != nullptr && api.starts_with("torch.") && api.ends_with("_like")) {
        found_.names.insert(given->id.id);
      }
    } else if (const auto *assignment = as<Assign>(node); assignment != nullptr && assignment->targets.size() == 1) {
      const auto *element = as<Subscript>(assignment->value);
      const auto *whole = as<Name>(element != nullptr ? element->value : assignment->value);
      const auto *names = as<Tuple>(assignment->targets[0]);
      const auto *single = as<Name>(assignment->targets[0]);
      if (whole != nullptr && names != nullptr) {
        for (const Expr *one : names->elts) {
          if (const auto *part = as<Name>(one)) {
            parts_.emplace_back(part->id.id, whole->id.id);
          }
        }
      } else if (whole != nullptr && single != nullptr) {
        parts_.emplace_back(single->id.id, whole->id.id);
      }
    }
  }

  [[nodiscard]] bool is_parameter(u32 name) const {
    return std::ranges::any_of(site_.function->params, [&](const Param *one) { return one->name.id == name; });
  }

  const Site &site_;
  UsedAsTensors found_;
  std::unordered_map<u32, u32> stores_;
  std::vector<std::pair<u32, u32>> parts_;
};

bool is_used_as_tensor(const Site &site, Symbol name) {
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  return definition != nullptr &&
         site.memory.recall<UsedAsTensors>(definition, [&] { return TensorUses(site).of(*definition); })
             .names.contains(name.id);
}

// What models of Hugging Face return for each of their layers.
bool is_tuple_of_tensors(const Expr *expr) {
  static const NameTable kLayers({"hidden_states", "encoder_hidden_states", "decoder_hidden_states", "attentions",
                                  "encoder_attentions", "decoder_attentions", "cross_attentions", "past_key_values"});
  const auto *attribute = as<Attribute>(expr);
  return attribute != nullptr && kLayers.has(attribute->attr);
}

class LoopReader {
public:
  explicit LoopReader(const Site &site) : site_(site) {}

  bool reads_tensor = false;
  bool is_unsure = false;
  bool is_inner = false; // there is a loop around it
  bool reduces = false;
  bool scatters = false;
  bool stores = false;
  bool copies_to_place = false; // into elements of a tensor
  bool computes = false;        // anything more than taking elements out
  bool goes_over_tensor = false;
  bool is_row_part = false; // `row[0]` of a row that the loop runs over
  u32 depth = 0;            // of calls that have led to it

  // Is all that is read by index known to be a tensor, or used as one?
  [[nodiscard]] bool are_tensors() const {
    return std::ranges::all_of(unproven_,
                               [this](Symbol name) { return has(proven_, name) || is_used_as_tensor(site_, name); }) ||
           is_keras_loss(site_);
  }

  void add_element(Symbol name) { elements_.push_back(name); }
  void note_assigned(const Node *node) {
    any_node_inside(node, [&](const Node *part) {
      const auto *name = as<Name>(part);
      if (name != nullptr && name->context == Context::Store && !has(assigned_, name->id)) {
        assigned_.push_back(name->id);
      }
      const auto *element = as<Subscript>(part);
      if (element != nullptr && element->context == Context::Store) {
        const Expr *base = element;
        while (const auto *outer = as<Subscript>(base)) {
          base = outer->value;
        }
        if (const Symbol target = place_of(base)) {
          stored_.push_back(target);
          targets_.push_back(text_of(site_, element));
        }
      }
      return false;
    });
  }

  // The loop's variables, by what it runs over.
  bool reads_header(const Expr *target, const Expr *iter) {
    const auto *call = as<Call>(iter);
    const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
    const auto *targets = as<Tuple>(target);
    if (mentions_lookup(iter)) {
      return false; // rows of different lengths
    }
    if ((name == "tqdm" || name == "trange") && !call->args.empty()) {
      return name == "trange" ? bind_index(target) : reads_header(target, call->args[0]);
    }
    if (name == "range" || name == "prange") {
      goes_over_rows_ = goes_over_rows_ || (call->args.size() == 1 && is_row_count(call->args[0]));
      return bind_index(target);
    }
    if (name == "enumerate" && call->args.size() == 1 && targets != nullptr && targets->elts.size() == 2) {
      return bind_index(targets->elts[0]) && reads_header(targets->elts[1], call->args[0]);
    }
    if (name == "zip" && targets != nullptr && targets->elts.size() == call->args.size()) {
      bool fits = true;
      for (u32 i = 0; i < call->args.size(); ++i) {
        fits = fits && reads_header(targets->elts[i], call->args[i]);
      }
      return fits;
    }
    const auto *element = as<Name>(target);
    if (element == nullptr) {
      return false;
    }
    const bool is_tensor = is_array(model::kind_of(iter));
    (is_tensor ? elements_ : opaque_).push_back(element->id);
    goes_over_rows_ = goes_over_rows_ || is_tensor;
    return true;
  }

  bool reads_body(const Block &body, bool in_branch = false) {
    return std::ranges::all_of(body, [&](const Stmt *statement) { return reads_statement(statement, in_branch); });
  }

  // Could the value be computed for all elements or rows at once?
  bool fits(const Expr *expr) { // NOLINT(misc-no-recursion)
    switch (expr->kind) {
    case NodeKind::Constant:
      return true;
    case NodeKind::Name:
      return fits_name(static_cast<const Name &>(*expr));
    case NodeKind::Attribute:
      return fits_attribute(static_cast<const Attribute &>(*expr));
    case NodeKind::Subscript:
      return fits_element(static_cast<const Subscript &>(*expr));
    case NodeKind::BinOp:
      if (static_cast<const BinOp *>(expr)->left->kind == NodeKind::List ||
          static_cast<const BinOp *>(expr)->right->kind == NodeKind::List) {
        return false; // lists of Python
      }
      reduces = reduces || static_cast<const BinOp *>(expr)->op() == Operator::MatMult;
      computes = true;
      break;
    case NodeKind::Compare:
      for (const CompareItem &item : static_cast<const Compare *>(expr)->rest) {
        if (item.op == CompareOperator::In || item.op == CompareOperator::NotIn || item.op == CompareOperator::Is ||
            item.op == CompareOperator::IsNot) {
          return false;
        }
      }
      computes = true;
      break;
    case NodeKind::UnaryOp:
    case NodeKind::BoolOp:
    case NodeKind::IfExp:
      computes = true;
      break;
    case NodeKind::List:
      break;
    case NodeKind::Call:
      return fits_call(static_cast<const Call &>(*expr));
    default:
      return false;
    }
    bool result = true;
    for_each_child(expr, [&](const Node *child) { result = result && fits(static_cast<const Expr *>(child)); });
    return result;
  }

  // Is there a call that makes a tensor of the list, after the loop?
  [[nodiscard]] bool becomes_tensor(Symbol list) const {
    struct CollectedLists {
      std::unordered_set<u32> names;
    };
    const Node *code = site_.function != nullptr ? site_.function->node : nullptr;
    const void *const about = code != nullptr ? static_cast<const void *>(code) : site_.module;
    return site_.memory
        .recall<CollectedLists>(about,
                                [&] {
                                  CollectedLists found;
                                  const auto look = [&](const Node *node) {
                                    const auto *call = as<Call>(node);
                                    const auto *first =
                                        call != nullptr && !call->args.empty() ? as<Name>(call->args[0]) : nullptr;
                                    if (first != nullptr && is_collector(site_, call)) {
                                      found.names.insert(first->id.id);
                                    }
                                    return false;
                                  };
                                  if (code != nullptr) {
                                    any_node_inside(code, look);
                                  } else {
                                    any_node(site_.module->parsed->tree.body, look);
                                  }
                                  return found;
                                })
        .names.contains(list.id);
  }

private:
  // What holds the elements: a name, or an attribute of one, which is known by its own name alone.
  static Symbol place_of(const Expr *base) {
    const auto *name = as<Name>(base);
    const auto *attribute = as<Attribute>(base);
    return name != nullptr                                                    ? name->id
           : attribute != nullptr && attribute->value->kind == NodeKind::Name ? attribute->attr
                                                                              : Symbol{};
  }

  // `len(x)`, `x.size(0)`, `x.shape[0]`: as many as a tensor has rows. The other dimensions, such as channels, can be
  // few.
  bool is_row_count(const Expr *expr) const {
    if (const auto *name = as<Name>(expr)) {
      const Expr *const value = last_assigned(site_, *name);
      return value != nullptr && value->kind != NodeKind::Name && is_row_count(value);
    }
    if (const auto *call = as<Call>(expr)) {
      const Expr *const receiver = receiver_of(*call);
      const bool is_size = receiver != nullptr && called_method(*call) == "size" && call->args.size() == 1 &&
                           integer_of(site_, call->args[0]) == 0;
      const bool is_len = called_api(site_, *call) == "len" && call->args.size() == 1;
      return (is_size && is_array(model::kind_of(receiver))) || (is_len && is_array(model::kind_of(call->args[0])));
    }
    const auto *element = as<Subscript>(expr);
    const auto *shape = element != nullptr ? as<Attribute>(element->value) : nullptr;
    return shape != nullptr && shape->attr.text() == "shape" && integer_of(site_, element->slice) == 0 &&
           is_array(model::kind_of(shape->value));
  }

  bool bind_index(const Expr *target) {
    const auto *name = as<Name>(target);
    if (name != nullptr) {
      indices_.push_back(name->id);
    }
    return name != nullptr;
  }

  bool is_variable(Symbol name) const {
    return has(indices_, name) || has(elements_, name) || has(opaque_, name) || has(temporaries_, name);
  }
  bool mentions_variable(const Node *node) const {
    return any_node_inside(node, [&](const Node *part) {
      const auto *name = as<Name>(part);
      return name != nullptr && is_variable(name->id);
    });
  }

  bool fits_name(const Name &name) {
    if (has(elements_, name.id)) {
      reads_tensor = true;
      return true;
    }
    if (has(opaque_, name.id)) {
      return false;
    }
    if (has(indices_, name.id) || has(temporaries_, name.id)) {
      return true;
    }
    return !has(assigned_, name.id) && !has(stored_, name.id); // from an iteration before, or the result itself
  }

  bool fits_attribute(const Attribute &attribute) {
    const std::string_view name = attribute.attr.text();
    if (has(stored_, attribute.attr)) {
      return false;
    }
    if (attribute.value->kind == NodeKind::Name && !is_variable(static_cast<const Name *>(attribute.value)->id)) {
      return true;
    }
    return (name == "T" || name == "shape" || name == "values" || name == "dtype" || name == "mT") &&
           fits(attribute.value);
  }

  // Something that an iteration looks up: an element of what the loop runs over, or of a tensor.
  bool mentions_lookup(const Node *node) const {
    return any_node_inside(node, [&](const Node *part) {
      const auto *name = as<Name>(part);
      return (name != nullptr && (has(elements_, name->id) || has(opaque_, name->id))) ||
             (part->kind == NodeKind::Subscript && mentions_variable(part));
    });
  }

  // `i:i + width`, with the same width in all iterations.
  bool is_window(const Slice &slice) const {
    const auto *start = as<Name>(slice.lower);
    const auto *end = as<BinOp>(slice.upper);
    const auto *from = end != nullptr ? as<Name>(end->left) : nullptr;
    return start != nullptr && from != nullptr && end->op() == Operator::Add && start->id == from->id &&
           (has(indices_, start->id) || has(opaque_, start->id) || has(elements_, start->id)) &&
           !mentions_variable(end->right) && slice.step == nullptr;
  }

  // `:length`, where the length is looked up.
  bool is_prefix(const Expr *part) const {
    const auto *slice = as<Slice>(part);
    return slice != nullptr && slice->lower == nullptr && slice->step == nullptr && slice->upper != nullptr &&
           (slice->upper->kind == NodeKind::Name || slice->upper->kind == NodeKind::Subscript) &&
           mentions_lookup(slice->upper);
  }

  // A part of an index that says where to read or to store.
  bool fits_index(const Expr *part) { // NOLINT(misc-no-recursion)
    if (const auto *name = as<Name>(part)) {
      // What was computed before may be a mask or a list of places.
      return !has(temporaries_, name->id) && (is_variable(name->id) || !has(assigned_, name->id));
    }
    if (const auto *slice = as<Slice>(part)) {
      return !mentions_variable(slice) || is_window(*slice);
    }
    if (const auto *tuple = as<Tuple>(part)) {
      return std::ranges::all_of(tuple->elts, [&](const Expr *one) { return fits_index(one); });
    }
    if (const auto *call = as<Call>(part)) { // t.long(), int(t), t.item()
      const std::string_view name = called_name(*call);
      const Expr *receiver = receiver_of(*call);
      const Expr *of = receiver != nullptr && call->args.empty() ? receiver
                       : call->args.size() == 1                  ? call->args[0]
                                                                 : nullptr;
      return of != nullptr && (name == "long" || name == "int" || name == "item") && fits_index(of);
    }
    if (const auto *sum = as<BinOp>(part)) {
      return fits_index(sum->left) && fits_index(sum->right);
    }
    if (const auto *element = as<Subscript>(part)) {
      return fits_element(*element);
    }
    return part->kind == NodeKind::Constant || part->kind == NodeKind::Attribute ||
           (part->kind == NodeKind::UnaryOp && !mentions_variable(part));
  }

  bool fits_element(const Subscript &element) { // NOLINT(misc-no-recursion)
    const std::string_view text = text_of(site_, &element);
    const Expr *base = element.value;
    while (const auto *outer = as<Subscript>(base)) {
      base = outer->value;
    }
    if (const Symbol place = place_of(base); place && has(stored_, place)) {
      return std::ranges::find(targets_, text) != targets_.end();
    }
    if (!mentions_variable(&element)) {
      const auto *name = as<Name>(base);
      return name == nullptr || !has(assigned_, name->id);
    }
    for (const Expr *at = &element; at->kind == NodeKind::Subscript; at = static_cast<const Subscript *>(at)->value) {
      if (!fits_index(static_cast<const Subscript *>(at)->slice)) {
        return false;
      }
    }
    if (!mentions_variable(base)) {
      const Kind kind = model::kind_of(base);
      if (!is_array(kind)) {
        if (kind != Kind::Unknown) {
          return false;
        }
        const auto *read = as<Name>(base);
        if (read != nullptr) {
          unproven_.push_back(read->id);
        } else if (is_tuple_of_tensors(base)) {
          return false;
        }
        is_unsure = is_unsure || (read == nullptr && !is_keras_loss(site_));
      }
      reads_tensor = true;
      const auto *name = as<Name>(base);
      return base->kind == NodeKind::Attribute || (name != nullptr && !has(assigned_, name->id));
    }
    is_row_part = true;
    return fits(base);
  }

  // `torch.stack([torch.dot(z[i], z[j]) for j in range(n) if j != i])`: one row of what all pairs give.
  bool fits_collected(const Call &call) { // NOLINT(misc-no-recursion)
    const auto &list = *static_cast<const ComprehensionExpr *>(call.args[0]);
    if (list.generators.size() != 1) {
      return false;
    }
    const Comprehension &generator = *list.generators[0];
    const auto fits_all = [&](const Expr *test) { return fits(test); };
    reduces = true;
    return reads_header(generator.target, generator.iter) && std::ranges::all_of(generator.ifs, fits_all) &&
           fits(list.elt);
  }

  bool fits_call(const Call &call) { // NOLINT(misc-no-recursion)
    computes = true;
    if (!call.args.empty() && call.args[0]->kind == NodeKind::ListComp && is_collector(site_, &call)) {
      return fits_collected(call);
    }
    if (has_hidden_arguments(call) || !fits_callee(call)) {
      return false;
    }
    // `torch.stack(row)`: the rows are lists, which nothing but a loop goes through.
    const auto *row = call.args.empty() ? nullptr : as<Name>(call.args[0]);
    if (row != nullptr && (has(elements_, row->id) || has(opaque_, row->id)) && is_collector(site_, &call)) {
      return false;
    }
    const auto is_good = [&](const Expr *argument) { return argument->kind == NodeKind::Constant || fits(argument); };
    return std::ranges::all_of(call.args, is_good) &&
           std::ranges::all_of(call.keywords, [&](const Keyword *keyword) { return is_good(keyword->value); });
  }

  // `torch.maximum(a[i, :2], b[j, :2])`: lists have no second dimension.
  void note_tensors(const Call &call) {
    for (const Expr *given : call.args) {
      const auto *first = as<Subscript>(given);
      if (first == nullptr || first->slice->kind != NodeKind::Tuple) {
        continue;
      }
      while (const auto *element = as<Subscript>(given)) {
        given = element->value;
      }
      if (const auto *name = as<Name>(given)) {
        proven_.push_back(name->id);
      }
    }
  }

  bool fits_callee(const Call &call) { // NOLINT(misc-no-recursion)
    const Value callee = site_.project.callee_of(&call);
    constexpr u32 kMostDepth = 2;
    const auto *named = as<Name>(call.func);
    if (callee.is(Value::Tag::Function) && named != nullptr && named->id == callee.function->name &&
        depth < kMostDepth) {
      bool inner = false;
      const bool is_fine = fits_body(site_, *callee.function, &inner, depth + 1);
      reduces = reduces || inner;
      return is_fine;
    }
    if (callee.is(Value::Tag::Api)) {
      const std::string_view api = callee.name().text();
      if (api.starts_with("torch.") && !api.starts_with("torch.tensor") && !api.starts_with("torch.as_tensor")) {
        note_tensors(call);
      }
      const std::string_view name = last_part(api);
      if (is_loss_function(api)) { // with reduction="none" it gives one loss for each row
        reduces = true;
        return true;
      }
      if (api.starts_with("math.") || api == "float" || api == "int" || api == "abs") {
        return true;
      }
      if (api == "range" || api == "len" || api == "min" || api == "max") {
        return (api == "min" || api == "max") ? call.args.size() == 2 : !mentions_variable(&call);
      }
      const ApiInfo *info = find_api(callee.name());
      return info != nullptr && is_array(info->returns) &&
             fits_function(*info, name, call.args.size() + call.keywords.size());
    }
    if (model::kind_of(call.func) == Kind::TorchLoss) { // criterion(scores[i], labels[i])
      reduces = true;
      return true;
    }
    const Expr *receiver = receiver_of(call);
    if (receiver == nullptr) {
      return false;
    }
    const std::string_view name = called_method(call);
    if (callee.is(Value::Tag::ApiMethod)) {
      const ApiInfo *info =
          is_array(callee.receiver().kind) ? find_method(callee.receiver().kind, callee.name()) : nullptr;
      return info != nullptr && fits_function(*info, name, 3) && fits(receiver);
    }
    if (!callee.is_unknown() || (!works_on_elements(name) && !works_on_rows(name))) {
      return false;
    }
    reduces = reduces || works_on_rows(name);
    return fits(receiver);
  }

  bool fits_function(const ApiInfo &info, std::string_view name, std::size_t arguments) {
    if (info.has(kRandom | kIo | kMutates) || (name == "where" && arguments < 3)) {
      return false;
    }
    if (works_on_rows(name)) {
      reduces = true;
      return true;
    }
    return info.has(kBatchable) || works_on_elements(name);
  }

  bool reads_store(const Subscript &target, const Expr *value, bool adds) {
    const Expr *base = &target;
    std::vector<const Expr *> parts;
    while (const auto *element = as<Subscript>(base)) {
      if (const auto *tuple = as<Tuple>(element->slice)) {
        parts.insert(parts.end(), tuple->elts.begin(), tuple->elts.end());
      } else {
        parts.push_back(element->slice);
      }
      base = element->value;
    }
    const Symbol place = place_of(base);
    const Kind kind = place ? model::kind_of(base) : Kind::Unknown;
    if ((kind != Kind::TorchTensor && kind != Kind::NumpyArray) || mentions_variable(base)) {
      return false;
    }
    std::vector<Symbol> used;
    for (const Expr *part : parts) {
      if (const auto *index = as<Name>(part); index != nullptr && has(indices_, index->id)) {
        used.push_back(index->id);
        continue;
      }
      if (!mentions_variable(part)) {
        continue;
      }
      const bool fills = is_prefix(part) && value->kind == NodeKind::Constant;
      if (part->kind == NodeKind::Slice ? !fills : !fits_index(part)) {
        return false;
      }
      if (mentions_lookup(part)) {
        scatters = true;
        const auto *name_of_place = as<Name>(part);
        // One list of places for each row, as likely as not, unless both coordinates come from it.
        is_unsure = is_unsure || (name_of_place != nullptr && has(opaque_, name_of_place->id) && !adds);
      } else if (part->kind != NodeKind::BinOp) {
        return false;
      }
      for (const Symbol index : indices_) {
        if (mentions(part, index)) {
          used.push_back(index);
        }
      }
    }
    const bool uses_all = std::ranges::all_of(indices_, [&](Symbol index) { return has(used, index); });
    if (used.empty() && !scatters) {
      return false;
    }
    if (!uses_all && !adds && !scatters) {
      return false;
    }
    reduces = reduces || !uses_all;
    computes = computes || adds;
    stores = true;
    copies_to_place = true;
    // A value that is looked up in a list is as good as one from a tensor, if it is only a place: `t[i, j] += 1`.
    if (scatters && value->kind == NodeKind::Constant) {
      reads_tensor = true;
      return true;
    }
    return fits(value);
  }

  bool reads_append(const Call &call) {
    const auto *list = as<Name>(receiver_of(call));
    if (list == nullptr || called_method(call) != "append" || call.args.size() != 1 || is_variable(list->id)) {
      return false;
    }
    if (!has(lists_, list->id)) {
      if (!becomes_tensor(list->id)) {
        return false;
      }
      is_unsure = is_unsure || is_inner; // other iterations of the loop around it append, too
    }
    stores = true;
    return fits(call.args[0]);
  }

  // `total = total + x` and `total += x`: a sum over what the iterations compute, if none of them reads it.
  bool reads_sum(const Name &total, const Expr *added, bool in_branch) {
    const Expr *const first = last_assigned(site_, total);
    const bool is_text = model::kind_of(&total) == Kind::Str || model::kind_of(added) == Kind::Str ||
                         (first != nullptr && model::kind_of(first) == Kind::Str) ||
                         (first != nullptr && string_of(site_, first).has_value());
    // Channels and the like are few; all rows and all pairs are many. Rows that are only counted are
    // tensor-by-element's.
    if (is_variable(total.id) || is_text || (indices_.size() < 2 && (!goes_over_rows_ || in_branch)) ||
        !site_.module->torch || !fits(added)) {
      return false;
    }
    reduces = true;
    computes = true;
    stores = true;
    return true;
  }

  bool reads_statement(const Stmt *statement, bool in_branch) { // NOLINT(misc-no-recursion)
    switch (statement->kind) {
    case NodeKind::Assign: {
      const auto *assignment = static_cast<const Assign *>(statement);
      if (assignment->targets.size() != 1) {
        return false;
      }
      if (const auto *element = as<Subscript>(assignment->targets[0])) {
        return reads_store(*element, assignment->value, false);
      }
      const auto *names = as<Tuple>(assignment->targets[0]);
      const auto *values = as<Tuple>(assignment->value);
      if (names != nullptr && values != nullptr && names->elts.size() == values->elts.size() && !in_branch) {
        if (!std::ranges::all_of(values->elts, [&](const Expr *value) { return fits(value); })) {
          return false;
        }
        for (const Expr *one : names->elts) {
          const auto *part = as<Name>(one);
          if (part == nullptr || is_variable(part->id)) {
            return false;
          }
          temporaries_.push_back(part->id);
        }
        return true;
      }
      const auto *name = as<Name>(assignment->targets[0]);
      // total = total + x + y
      std::vector<const Expr *> added;
      const Expr *total = assignment->value;
      while (const auto *sum = as<BinOp>(total)) {
        if (sum->op() != Operator::Add) {
          break;
        }
        added.push_back(sum->right);
        total = sum->left;
      }
      if (const auto *first = as<Name>(total);
          name != nullptr && first != nullptr && first->id == name->id && !added.empty()) {
        return std::ranges::all_of(added, [&](const Expr *part) { return reads_sum(*name, part, in_branch); });
      }
      if (name == nullptr || in_branch || is_variable(name->id)) {
        return false;
      }
      if (const auto *list = as<List>(assignment->value); list != nullptr && list->elts.empty()) {
        lists_.push_back(name->id);
        temporaries_.push_back(name->id);
        return true;
      }
      if (!fits(assignment->value)) {
        return false;
      }
      temporaries_.push_back(name->id);
      return true;
    }
    case NodeKind::AugAssign: {
      const auto *added = static_cast<const AugAssign *>(statement);
      const auto *element = as<Subscript>(added->target);
      const auto *name = as<Name>(added->target);
      if (name != nullptr && added->op() == Operator::Add) {
        return reads_sum(*name, added->value, in_branch);
      }
      return element != nullptr && reads_store(*element, added->value, true);
    }
    case NodeKind::ExprStmt: {
      const Expr *value = static_cast<const ExprStmt *>(statement)->value;
      const auto *call = as<Call>(value);
      return value->kind == NodeKind::Constant || (call != nullptr && !in_branch && reads_nested_append(*call));
    }
    case NodeKind::If: {
      const auto *choice = static_cast<const If *>(statement);
      if (choice->body.size() == 1 && choice->body[0]->kind == NodeKind::Continue && choice->orelse.empty()) {
        is_unsure = is_unsure || indices_.size() < 2;
        return mentions_variable(choice->test) && fits(choice->test); // `if i == j: continue`, a mask
      }
      return mentions_variable(choice->test) && fits(choice->test) && reads_body(choice->body, true) &&
             reads_body(choice->orelse, true);
    }
    case NodeKind::For: {
      const auto *loop = static_cast<const For *>(statement);
      return loop->orelse.empty() && !in_branch && reads_header(loop->target, loop->iter) && reads_body(loop->body);
    }
    case NodeKind::Pass:
      return true;
    default:
      return false;
    }
  }

  bool reads_nested_append(const Call &call) {
    const auto *list = as<Name>(receiver_of(call));
    if (list != nullptr && has(lists_, list->id) && called_method(call) == "append" && call.args.size() == 1) {
      return fits(call.args[0]);
    }
    return reads_append(call);
  }

  const Site &site_;
  bool goes_over_rows_ = false;
  std::vector<Symbol> indices_;
  std::vector<Symbol> proven_;   // tensors, by what is done with them
  std::vector<Symbol> unproven_; // read by index, of unknown kind
  std::vector<Symbol> elements_;
  std::vector<Symbol> opaque_;
  std::vector<Symbol> temporaries_;
  std::vector<Symbol> assigned_;
  std::vector<Symbol> stored_;
  std::vector<Symbol> lists_;
  std::vector<std::string_view> targets_;
};

VectorLoop result_of(const LoopReader &reader) {
  VectorLoop result;
  // Copying element by element is often meant for a few places, such as those of a kernel; not for all that a tensor
  // holds.
  result.is_sure = !reader.is_unsure && reader.are_tensors() &&
                   (reader.computes || reader.scatters || !reader.copies_to_place || reader.goes_over_tensor);
  result.reads_tensor = reader.reads_tensor;
  result.work = reader.scatters    ? LoopWork::Scatters
                : !reader.computes ? (reader.is_row_part ? LoopWork::Other : LoopWork::Selects)
                : reader.reduces   ? LoopWork::Rows
                                   : LoopWork::Elements;
  return result;
}

// A known number of iterations that is not worth a word.
bool is_short(const Site &site, const Expr *iter) {
  const auto *call = as<Call>(iter);
  if (call == nullptr || called_name(*call) != "range" || call->args.empty() || call->args.size() > 2) {
    return false;
  }
  const std::optional<i64> count = integer_of(site, call->args[call->args.size() - 1]);
  return count && *count <= 32;
}

VectorLoop read_for(const Site &site, const For &loop) {
  LoopReader reader(site);
  const model::Loop *known = site.project.loop_at(&loop);
  reader.is_inner = known != nullptr && known->parent != nullptr;
  const Expr *const over = known != nullptr ? iterated_by(site, *known) : nullptr;
  reader.goes_over_tensor = over != nullptr && model::kind_of(over) == Kind::TorchTensor;
  for (const Stmt *statement : loop.body) {
    reader.note_assigned(statement);
  }
  const auto *inner = loop.body.size() == 1 ? as<For>(loop.body[0]) : nullptr;
  if (!loop.orelse.empty() || (inner == nullptr && is_short(site, loop.iter)) ||
      !reader.reads_header(loop.target, loop.iter) || !reader.reads_body(loop.body) || !reader.stores) {
    return {};
  }
  return result_of(reader);
}

// `[i for i in candidates if overlap(boxes[best], boxes[i]) < limit]`: a mask, computed row by row.
bool is_filter(const Node &node) {
  const auto *list = as<ListComp>(&node);
  if (list == nullptr || list->generators.size() != 1) {
    return false;
  }
  const auto *kept = as<Name>(list->elt);
  const auto *variable = as<Name>(list->generators[0]->target);
  return kept != nullptr && variable != nullptr && kept->id == variable->id && list->generators[0]->ifs.size() == 1 &&
         !list->generators[0]->is_async;
}

VectorLoop read_filter(const Site &site, const ComprehensionExpr &comprehension) {
  LoopReader reader(site);
  const Comprehension &generator = *comprehension.generators[0];
  // Rows of arrays are often large masks, of which there are few.
  const bool is_of_tensors = any_node_inside(generator.ifs[0], [](const Node *node) {
    const bool is_value = node->kind == NodeKind::Name || node->kind == NodeKind::Attribute;
    const Kind kind = is_value ? model::kind_of(static_cast<const Expr *>(node)) : Kind::Unknown;
    return kind == Kind::TorchTensor || kind == Kind::Tensor;
  });
  if (!is_of_tensors || is_short(site, generator.iter) || !reader.reads_header(generator.target, generator.iter) ||
      !reader.fits(generator.ifs[0]) || !reader.reads_tensor || !reader.reduces) {
    return {};
  }
  return result_of(reader);
}

VectorLoop read_comprehension(const Site &site, const ComprehensionExpr &comprehension) {
  if (is_filter(comprehension)) {
    return read_filter(site, comprehension);
  }
  LoopReader reader(site);
  for (const Comprehension *generator : comprehension.generators) {
    if (!generator->ifs.empty() || generator->is_async || is_short(site, generator->iter) ||
        !reader.reads_header(generator->target, generator->iter)) {
      return {};
    }
  }
  if (comprehension.elt == nullptr || comprehension.elt->kind == NodeKind::Name || !reader.fits(comprehension.elt) ||
      !reader.reads_tensor) {
    return {};
  }
  return result_of(reader);
}

struct KnownLoop {
  VectorLoop loop;
};

bool is_few(const Site &site, const Node &node) {
  const auto *known = site.project.loop_at(&node);
  return known == nullptr || known->few_iterations || known->iterations == model::Iterations::Few;
}

const VectorLoop &known_loop(Site &site, const Node &node) {
  return site.memory
      .recall<KnownLoop>(&node,
                         [&]() -> KnownLoop {
                           if (is_few(site, node)) {
                             return {};
                           }
                           if (const auto *loop = as<For>(&node)) {
                             return {read_for(site, *loop)};
                           }
                           return {read_comprehension(site, static_cast<const ComprehensionExpr &>(node))};
                         })
      .loop;
}

} // namespace

} // namespace vectors

VectorLoop vector_loop_of(Site &site, const python::Node &node) {
  using namespace python;
  if (site.module->is_test) {
    return {};
  }
  if (node.kind != NodeKind::For && !vectors::is_filter(node) &&
      (site.ancestors.empty() || !vectors::is_collector(site, site.ancestors.back()))) {
    return {};
  }
  const VectorLoop found = vectors::known_loop(site, node);
  if (found.work == LoopWork::Other) {
    return found;
  }
  for (const Node *outer : site.ancestors) {
    if (outer->kind == NodeKind::For && vectors::known_loop(site, *outer).work != LoopWork::Other) {
      return {};
    }
  }
  return found;
}

bool is_vectorisable_function(Site &site, const model::FunctionInfo &function, bool *reduces) {
  return vectors::fits_body(site, function, reduces, 0);
}

bool vectors::fits_body(const Site &site, const model::FunctionInfo &function, bool *reduces, u32 depth) {
  using namespace python;
  vectors::LoopReader reader(site);
  reader.depth = depth;
  for (const Param *param : function.params) {
    reader.add_element(param->name);
  }
  if (const auto *lambda = as<Lambda>(function.node)) {
    const bool fits = reader.fits(lambda->body);
    *reduces = reader.reduces;
    return fits && reader.computes;
  }
  const FunctionDef *definition = function.definition();
  if (definition == nullptr || definition->body.empty()) {
    return false;
  }
  for (u32 i = 0; i + 1 < definition->body.size(); ++i) {
    const auto *text = as<ExprStmt>(definition->body[i]);
    const auto *assignment = as<Assign>(definition->body[i]);
    const auto *name =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    if (definition->body[i]->kind == NodeKind::Pass || (text != nullptr && text->value->kind == NodeKind::Constant)) {
      continue;
    }
    const auto *names =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Tuple>(assignment->targets[0]) : nullptr;
    const auto *values = names != nullptr ? as<Tuple>(assignment->value) : nullptr;
    if (values != nullptr && values->elts.size() == names->elts.size()) { // left, top = a, b
      const auto is_name = [](const Expr *one) { return one->kind == NodeKind::Name; };
      const auto fits_one = [&reader](const Expr *one) { return reader.fits(one); };
      if (!std::ranges::all_of(names->elts, is_name) || !std::ranges::all_of(values->elts, fits_one)) {
        return false;
      }
      for (const Expr *one : names->elts) {
        reader.add_element(static_cast<const Name *>(one)->id);
      }
      continue;
    }
    if (name == nullptr || !reader.fits(assignment->value)) {
      return false;
    }
    reader.add_element(name->id);
  }
  const auto *last = as<Return>(definition->body[definition->body.size() - 1]);
  const bool fits = last != nullptr && last->value != nullptr && reader.fits(last->value);
  *reduces = reader.reduces;
  return fits && reader.computes;
}

} // namespace deepperf::rules
