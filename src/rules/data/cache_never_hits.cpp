#include "rules/site.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace deepperf::rules::cache_never_hits {

using namespace python;

namespace {

// `if key not in cache:`, and what runs then; or the `else` of `if key in cache:`
struct Test {
  const Expr *key = nullptr;
  const Expr *cache = nullptr;
  const Block *missing = nullptr;
};

Test test_of(const If &branch) {
  const Expr *asked = branch.test;
  bool is_negated = false;
  for (const auto *negation = as<UnaryOp>(asked); negation != nullptr && negation->op() == UnaryOperator::Not;
       negation = as<UnaryOp>(asked)) {
    asked = negation->operand;
    is_negated = !is_negated;
  }
  const auto *compare = as<Compare>(asked);
  const bool is_test = compare != nullptr && compare->rest.size() == 1 &&
                       (compare->rest[0].op == CompareOperator::NotIn || compare->rest[0].op == CompareOperator::In);
  if (!is_test) {
    return {};
  }
  const bool is_missing = (compare->rest[0].op == CompareOperator::NotIn) != is_negated;
  return {.key = compare->left, .cache = compare->rest[0].right, .missing = is_missing ? &branch.body : &branch.orelse};
}

// Is the key that is stored sure to be another one than the name itself: a tuple with it, or text that has more in it?
bool is_another_key(const Expr *stored, Symbol name) {
  if (!mentions(stored, name)) {
    return false;
  }
  if (const auto *tuple = as<Tuple>(stored)) {
    return tuple->elts.size() > 1;
  }
  const auto *sum = as<BinOp>(stored);
  return sum != nullptr && sum->op() == Operator::Add &&
         any_node(sum, [](const Node *node) { return as_string(node) != nullptr && node->end - node->start > 2; });
}

bool is_same_text(const Site &site, const Expr *left, const Expr *right) {
  return text_of(site, left) == text_of(site, right);
}

// What a file does with something, by its text.
struct Stores {
  struct Uses {
    std::vector<const Subscript *> entries; // `cache[…] = …`
    bool has_others = false;                // `cache.update(…)`, `cache = load()`, `fill(cache)`
  };
  static constexpr std::size_t kLongest = 200;
  std::unordered_map<std::string_view, Uses> of;

  void note_other(const Site &site, const Expr *expr) {
    if (expr == nullptr) {
      return;
    }
    if (const std::string_view text = text_of(site, expr); text.size() <= kLongest) {
      of[text].has_others = true;
    }
  }

  void look(const Site &site, const Node *node) {
    if (const auto *entry = as<Subscript>(node)) {
      const std::string_view text = entry->context == Context::Store ? text_of(site, entry->value) : std::string_view{};
      if (!text.empty() && text.size() <= kLongest) {
        of[text].entries.push_back(entry);
      }
    } else if (const auto *call = as<Call>(node)) {
      const std::string_view method = called_method(*call);
      const bool is_reading = method == "get" || method == "keys" || method == "values" || method == "items" ||
                              method == "pop" || method == "clear";
      note_other(site, is_reading ? nullptr : receiver_of(*call));
      std::ranges::for_each(call->args, [&](const Expr *argument) { note_other(site, argument); });
    } else if (const auto *assignment = as<Assign>(node)) {
      const auto *dict = as<Dict>(assignment->value);
      const auto *made = as<Call>(run_by(assignment->value));
      const std::string_view api = made != nullptr ? called_api(site, *made) : std::string_view{};
      const bool is_empty =
          (dict != nullptr && dict->items.empty()) ||
          ((api == "dict" || api == "collections.OrderedDict") && made->args.empty() && made->keywords.empty());
      note_other(site, assignment->value);
      for (const Expr *target : assignment->targets) {
        note_other(site, is_empty ? nullptr : target);
      }
    }
  }
};

// Does the file put something into the cache in another way than by `cache[…] = …`?
bool is_filled_elsewhere(const Site &site, const Expr *cache, Symbol name, const Expr *only) {
  constexpr std::size_t kMostEntries = 64; // that are looked at
  const Stores &stores = site.memory.recall<Stores>(site.module, [&site] {
    Stores found;
    for (const Stmt *statement : site.module->parsed->tree.body) {
      any_node_inside(statement, [&](const Node *node) {
        found.look(site, node);
        return false;
      });
    }
    return found;
  });
  const std::string_view text = text_of(site, cache);
  const auto known = stores.of.find(text);
  if (known == stores.of.end()) {
    return text.size() > Stores::kLongest;
  }
  const Stores::Uses &uses = known->second;
  return uses.has_others || uses.entries.size() > kMostEntries ||
         std::ranges::any_of(uses.entries, [&](const Subscript *entry) {
           return entry != only && !is_another_key(entry->slice, name);
         });
}

// Files that store entries into something of a name, or call update() or the like on it.
struct Fillers {
  std::unordered_map<u32, std::vector<const model::Module *>> by_name;
};

const Fillers &fillers(const Site &site) {
  return site.memory.recall<Fillers>(&site.project, [&site] {
    Fillers all;
    for (const model::Module &module : site.project.modules) {
      const auto add = [&](const Expr *filled) {
        const auto *name = as<Name>(filled);
        const auto *attribute = as<Attribute>(filled);
        if (name == nullptr && attribute == nullptr) {
          return;
        }
        auto &modules = all.by_name[(name != nullptr ? name->id : attribute->attr).id];
        if (modules.empty() || modules.back() != &module) {
          modules.push_back(&module);
        }
      };
      for (const Stmt *statement : module.parsed->tree.body) {
        any_node_inside(statement, [&](const Node *node) {
          const auto *entry = as<Subscript>(node);
          const auto *call = as<Call>(node);
          if (entry != nullptr && entry->context == Context::Store) {
            add(entry->value);
          } else if (call != nullptr && (called_method(*call) == "update" || called_method(*call) == "setdefault")) {
            add(receiver_of(*call));
          }
          return false;
        });
      }
    }
    return all;
  });
}

// The same in another file, which imports the cache or its class.
bool is_filled_by_others(const Site &site, Symbol cache) {
  const auto &by_name = fillers(site).by_name;
  const auto found = by_name.find(cache.id);
  return found != by_name.end() &&
         std::ranges::any_of(found->second, [&](const model::Module *one) { return one != site.module; });
}

void check(Site &site, const Node &node) {
  const auto &branch = static_cast<const If &>(node);
  const Test test = test_of(branch);
  const auto *key = as<Name>(test.key);
  if (key == nullptr || site.function == nullptr || site.function->definition() == nullptr || site.module->is_test) {
    return;
  }
  // A global, or an attribute: what lives longer than the call.
  const auto *global = as<Name>(test.cache);
  const auto *attribute = as<Attribute>(test.cache);
  const bool is_kept = (global != nullptr && site.function->slot_of(global->id) == model::FunctionInfo::kNoSlot) ||
                       (attribute != nullptr && as<Name>(attribute->value) != nullptr);
  if (!is_kept) {
    return;
  }
  const Subscript *stored = nullptr;
  bool is_key_changed = false;
  any_node(*test.missing, [&](const Node *below) {
    const auto *entry = as<Subscript>(below);
    const auto *name = as<Name>(below);
    if (entry != nullptr && entry->context == Context::Store && is_same_text(site, entry->value, test.cache) &&
        is_another_key(entry->slice, key->id)) {
      stored = entry;
    }
    is_key_changed |= name != nullptr && name->id == key->id && name->context == Context::Store;
    return false;
  });
  if (stored == nullptr || is_key_changed || is_filled_elsewhere(site, test.cache, key->id, stored) ||
      is_filled_by_others(site, global != nullptr ? global->id : attribute->attr)) {
    return;
  }
  Finding &finding = report(site, *branch.test,
                            fmt::format("this cache never hits: it is looked up with `{}` but filled under `{}`",
                                        text_of(site, test.key), text_of(site, stored->slice)),
                            fmt::format("test for the same key: `if {} not in {}:`", text_of(site, stored->slice),
                                        text_of(site, test.cache)));
  add_note(finding, site, *stored, "stored under another key here, so all of this runs again in every call");
}

} // namespace

extern constinit const Rule kCacheNeverHits = {
    .info = {.code = "DP457",
             .name = "cache-never-hits",
             .summary = "a cache that is looked up with one key and filled under another",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow, JAX, NumPy",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`if key not in cache:` over code that stores what it computes under another key, such as `str(key) + "_" + device` or
`(key, device)`, where nothing in the file ever stores an entry under the key that is tested.

## Why it costs

The test is true each time, so that the table, window or filter bank is computed again in every call, and often copied to
the device again as well.

## Bad

```python
import torch

windows = {}


def spectrum(audio, size):
    if size not in windows:
        windows[str(size) + "_" + str(audio.device)] = torch.hann_window(size).to(audio.device)
    return torch.stft(audio, size, window=windows[str(size) + "_" + str(audio.device)], return_complex=True)
```

## Good

```python
import torch

windows = {}


def spectrum(audio, size):
    key = str(size) + "_" + str(audio.device)
    if key not in windows:
        windows[key] = torch.hann_window(size, device=audio.device)
    return torch.stft(audio, size, window=windows[key], return_complex=True)
```

## When it is wrong

If something that is not among the checked files fills the cache under the key that is tested.

## References

- Python: mapping types
)"},
    .nodes = {NodeKind::If},
    .on_node = check};

} // namespace deepperf::rules::cache_never_hits
