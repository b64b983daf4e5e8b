// What is kept under names: dictionaries, named tuples, namespaces, the fields of dataclasses, and how they are passed
// on as `**entries`.
#include "base/known_names.h"
#include "base/name_table.h"
#include "model/call_arguments.h"
#include "model/classes.h"
#include "python/literals.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

constexpr std::size_t kLongestName = 64; // a longer text is no name of anything

// What `**given` adds to the entries of a record; false if nobody knows what it has.
bool add_entries(const Value &given, std::vector<Entry> &entries) {
  for (u32 i = 0; i < entry_count(given); ++i) {
    entries.push_back(entry_at(given, i));
  }
  return is_uniform(given);
}

} // namespace

// The name that a key written down is; none for other keys.
Symbol Transfer::name_in_literal(const Expr *expr, const Module &module) {
  const StringConstant *const text = as_string(expr);
  if (text == nullptr || text->constant_kind() != ConstantKind::Str || text->end - text->start > kLongestName) {
    return {};
  }
  if (text->parts.size() != 1 || text->parts[0].quote_length != 1) {
    return {};
  }
  const StringPart &part = text->parts[0];
  const u32 start = part.start + part.prefix_length + 1;
  const std::string_view name = module.parsed->source.part(start, part.end > start ? part.end - 1 : start);
  return name.empty() || name.find('\\') != std::string_view::npos ? Symbol{} : intern(name);
}

// The same of a value that is a text, wherever that is written.
Symbol Transfer::name_of_literal(const Value &value) {
  if (!value.is(Value::Tag::Literal) || value.number == 0) {
    return {};
  }
  const u32 file = value.number - 1;
  if (file == module_->file.value) {
    return name_in_literal(value.expr, *module_);
  }
  if (file >= modules_by_file_.size()) {
    for (const Module &module : project_.modules) {
      modules_by_file_.resize(std::max<std::size_t>(modules_by_file_.size(), module.file.value + 1), nullptr);
      modules_by_file_[module.file.value] = &module;
    }
  }
  const Module *const module = file < modules_by_file_.size() ? modules_by_file_[file] : nullptr;
  return module != nullptr ? name_in_literal(value.literal(), *module) : Symbol{};
}

// The same of a key whose value is known, given that value. Several texts may say the same: what a configuration has,
// and the default beside it.
Symbol Transfer::name_of_key(const Expr *key, const Value &value) {
  if (value.open || value.none) {
    return name_in_literal(key, *module_);
  }
  Symbol name;
  bool is_one = true;
  for_each_alternative(value, [&](const Value &one) {
    const Symbol own = name_of_literal(one);
    is_one = is_one && own && (!name || name == own);
    name = own;
  });
  return name && is_one ? name : name_in_literal(key, *module_);
}

// `MODELS[name]`, where the name may be one of several texts: one of those entries.
Value Transfer::entry_at_key(const Value &record, const Expr *key, const Value &value) {
  const Symbol name = name_of_key(key, value);
  if (name || value.alternatives == nullptr || value.open || value.none || !is_uniform(record)) {
    return entry_of(record, name);
  }
  Value joined = Value::bottom();
  bool are_names = true;
  for_each_alternative(value, [&](const Value &one) {
    const Symbol own = name_of_literal(one);
    are_names = are_names && own;
    joined = own ? join(joined, entry_of(record, own)) : joined;
  });
  return are_names ? joined : entry_of(record, {});
}

Value Transfer::eval_dict(const Dict *dict) {
  std::vector<Entry> entries;
  Value others = Value::bottom();
  bool is_known = false; // of some entry something is
  const bool is_table = dict->items.size() > kMostEntries;
  for (const DictItem &item : dict->items) {
    const Value key = item.key != nullptr ? eval(item.key) : Value{};
    const Symbol name = item.key != nullptr && !is_table ? name_of_key(item.key, key) : Symbol{};
    const Value value = eval(item.value);
    is_known |= !value.is_bottom();
    if (name) {
      entries.push_back({name, value});
    } else if (item.key == nullptr && add_entries(value, entries)) { // **defaults
      others = join(others, other_entries(value));
    } else {
      others = join(others, item.key == nullptr && !value.is_bottom() ? Value{} : value);
    }
  }
  if (!is_known && !dict->items.empty()) {
    return Value::bottom();
  }
  Value record = make_record(entries, others, arena_);
  if (!has_entries(record)) { // one value for all, if they are alike
    record = make_uniform(others.alternatives != nullptr && !others.known() ? Value{} : others);
  }
  const u32 count = dict->items.size();
  record.few = count > 0 && count <= 10; // an empty one is there to be filled
  return record;
}

// What `record[key]` gives, where the key may be unknown.
Value Transfer::entry_of(const Value &record, Symbol name) {
  const Value entry = name && is_uniform(record) ? entry_named(record, name) : element_of(record);
  return entry.is_bottom() ? Value{} : entry;
}

// `parts.get("model")`, `parts.update(model=…)` and the like.
Value Transfer::call_record_method(const Call *call, const Attribute &method, const Value &record,
                                   const Arguments &arguments) {
  const std::string_view name = method.attr.text();
  static const NameTable kReaders({"get", "pop", "setdefault"});
  if (kReaders.has(method.attr) && !call->args.empty()) {
    const Value entry = entry_at_key(record, call->args[0], arguments.first());
    return call->args.size() > 1 && has_entries(record) ? join(entry, arguments.at(1)) : entry;
  }
  if (name == "copy" && call->args.empty()) {
    return record;
  }
  if (name == "update") {
    Value updated = record;
    if (is_uniform(arguments.first())) {
      const Value &given = arguments.first();
      for (u32 i = 0; i < entry_count(given); ++i) {
        updated = with_entry(updated, entry_at(given, i).name, entry_at(given, i).value, arena_);
      }
      if (!other_entries(given).is_bottom()) {
        updated = with_entry(updated, {}, other_entries(given), arena_);
      }
    } else if (!call->args.empty()) {
      updated = with_entry(updated, {}, Value{}, arena_);
    }
    u32 index = call->args.size();
    for (const Keyword *keyword : call->keywords) {
      updated = with_entry(updated, keyword->name, keyword->name ? arguments.at(index) : Value{}, arena_);
      ++index;
    }
    rebind(method.value, updated);
  }
  return {};
}

// dict(model=…), SimpleNamespace(model=…): a record; unknown if nothing is named.
Value Transfer::record_of_keywords(const Call *call, const Arguments &arguments) {
  std::vector<Entry> entries;
  Value others = Value::bottom();
  const auto add = [&](const Value &given) {
    const bool is_known = add_entries(given, entries);
    others = join(others, is_known ? other_entries(given) : given.is_bottom() ? given : Value{});
  };
  for (u32 i = 0; i < call->args.size(); ++i) {
    add(arguments.at(i));
  }
  u32 index = call->args.size();
  for (const Keyword *keyword : call->keywords) {
    const Value value = arguments.at(index++);
    if (keyword->name) {
      entries.push_back({keyword->name, value});
    } else {
      add(value);
    }
  }
  return entries.empty() || entries.size() > kMostEntries ? Value{} : make_record(entries, others, arena_);
}

// The record that a call of a class that namedtuple() made gives; `maker` is the call of namedtuple().
Value Transfer::named_tuple(const Call *maker, const Call *call, const Arguments &arguments) {
  const FunctionInfo *const where = project_.caller_of(maker);
  if (where == nullptr || maker->args.size() < 2 || call->args.size() + call->keywords.size() > kMostEntries) {
    return {};
  }
  const Source &source = where->module->parsed->source;
  std::vector<Symbol> fields;
  const auto add_names = [&](std::string_view text) { // "model, optimizer" or "model optimizer"
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of(", \n"), text.size());
      if (end > 0) {
        fields.push_back(intern(text.substr(0, end)));
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  };
  const Expr *const named = maker->args[1];
  const Array<Expr *> listed = named->kind == NodeKind::List    ? static_cast<const List *>(named)->elts
                               : named->kind == NodeKind::Tuple ? static_cast<const Tuple *>(named)->elts
                                                                : Array<Expr *>{};
  if (const StringConstant *text = as_string(named)) {
    add_names(string_value(source, *text));
  }
  for (const Expr *field : listed) {
    const StringConstant *const text = as_string(field);
    if (text == nullptr) {
      return {};
    }
    add_names(string_value(source, *text));
  }
  std::vector<Entry> entries;
  for (u32 i = 0; i < call->args.size(); ++i) {
    if (call->args[i]->kind == NodeKind::Starred || i >= fields.size()) {
      return {};
    }
    entries.push_back({fields[i], arguments.at(i)});
  }
  u32 index = call->args.size();
  for (const Keyword *keyword : call->keywords) {
    const Value value = arguments.at(index++);
    if (!keyword->name) {
      return {};
    }
    entries.push_back({keyword->name, value});
  }
  return entries.empty() ? Value{} : make_record(entries, Value::bottom(), arena_);
}

// ---- Fields of classes ----------------------------------------------------------------------------------------------

namespace {

// `model: nn.Module` in the body of a class, of its bases first, as a dataclass takes them.
std::vector<Symbol> fields_of(const ClassInfo &type) {
  std::vector<Symbol> fields;
  for (auto base = type.mro.rbegin(); base != type.mro.rend(); ++base) {
    for (const Symbol field : (*base)->fields) {
      if (std::ranges::find(fields, field) == fields.end()) {
        fields.push_back(field);
      }
    }
  }
  return fields;
}

} // namespace

// What a class without a constructor of its own is called with becomes its fields: dataclasses, attrs, pydantic.
void Transfer::store_fields(const Call *call, ClassInfo *type, const Arguments &arguments) {
  if (arguments.size() == 0) {
    return;
  }
  read(units_.of_class(*type));
  const std::vector<Symbol> fields = fields_of(*type);
  const auto store = [&](Symbol field, const Value &value) {
    if (std::ranges::find(fields, field) != fields.end()) {
      contribute(Contribution::Target::Attribute, type->index, field.id, value);
    }
  };
  for (u32 i = 0; i < call->args.size() && i < fields.size(); ++i) {
    if (call->args[i]->kind == NodeKind::Starred) {
      return;
    }
    store(fields[i], arguments.at(i));
  }
  u32 index = call->args.size();
  for (const Keyword *keyword : call->keywords) {
    const Value value = arguments.at(index++);
    if (keyword->name) {
      store(keyword->name, value);
    } else if (is_uniform(value)) {
      for (u32 i = 0; i < entry_count(value); ++i) {
        store(entry_at(value, i).name, entry_at(value, i).value);
      }
    }
  }
}

} // namespace deepperf::model
