#include "rules/origin_bindings.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::text_never_matches {

using namespace python;

namespace {

// What is known of every text that an expression may be.
enum class Form : u8 {
  Any,
  Lower,     // no capital letters: x.lower()
  Upper,     // no small ones
  Extension, // empty, or a dot and what follows it: os.path.splitext(x)[1], path.suffix
  Part,      // of a text that was split at dots: it has none
};

// What the name holds here, if there is just one assignment that it may come from.
const Expr *only_binding(const Site &site, const Name &name) {
  if (site.function == nullptr) {
    return nullptr;
  }
  bool is_settled = false;
  const auto bindings = bindings_before(site, *site.function, name.id, name.start, is_settled, true);
  return is_settled && bindings.size() == 1 && bindings[0]->path.empty() && bindings[0]->value != nullptr
             ? bindings[0]->value
             : nullptr;
}

// A path, also one of those that a folder lists.
bool is_path(const Site &site, const Expr *expr) {
  if (model::kind_of(expr) == Kind::Path) {
    return true;
  }
  const auto *name = as<Name>(expr);
  if (name == nullptr || site.function == nullptr) {
    return false;
  }
  bool is_settled = false;
  const auto bindings = bindings_before(site, *site.function, name->id, name->start, is_settled, true);
  if (bindings.size() != 1 || bindings[0]->path.size() != 1 || bindings[0]->value == nullptr) {
    return false;
  }
  const auto *listed = as<Call>(bindings[0]->value);
  const std::string_view method = listed != nullptr ? called_method(*listed) : std::string_view();
  return (method == "iterdir" || method == "glob" || method == "rglob") &&
         model::kind_of(receiver_of(*listed)) == Kind::Path;
}

bool is_last_index(const Site &site, const Expr *index) { return integer_of(site, index) == -1; }

Form form_of(const Site &site, const Expr *expr, u32 depth = 0) {
  if (const auto *name = as<Name>(expr)) {
    const Expr *value = depth < 3 ? only_binding(site, *name) : nullptr;
    return value != nullptr ? form_of(site, value, depth + 1) : Form::Any;
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view method = called_method(*call);
    if (!call->args.empty() || !call->keywords.empty()) {
      return Form::Any;
    }
    // x.lower() of a framework's object would be something else; nobody has such a method.
    if (method == "lower" || method == "casefold") {
      const Form inner = form_of(site, receiver_of(*call), depth + 1);
      return inner == Form::Extension || inner == Form::Part ? inner : Form::Lower;
    }
    if (method == "upper") {
      const Form inner = form_of(site, receiver_of(*call), depth + 1);
      return inner == Form::Extension || inner == Form::Part ? inner : Form::Upper;
    }
    return Form::Any;
  }
  if (const auto *attribute = as<Attribute>(expr)) {
    return attribute->attr.text() == "suffix" && is_path(site, attribute->value) ? Form::Extension : Form::Any;
  }
  const auto *part = as<Subscript>(expr);
  const auto *split = part != nullptr ? as<Call>(part->value) : nullptr;
  if (split == nullptr) {
    return Form::Any;
  }
  if (called_api(site, *split) == "os.path.splitext") {
    return integer_of(site, part->slice) == 1 || is_last_index(site, part->slice) ? Form::Extension : Form::Any;
  }
  const std::string_view method = called_method(*split);
  if ((method == "split" || method == "rsplit") && split->args.size() == 1 && split->keywords.empty() &&
      string_of(site, split->args[0]) == ".") {
    return Form::Part;
  }
  return Form::Any;
}

bool has_letter(std::string_view text, char from, char to) {
  return std::ranges::any_of(text, [from, to](char c) { return c >= from && c <= to; });
}

// Can no text of that form be equal to the given one?
bool never_equals(Form form, std::string_view text) {
  switch (form) {
  case Form::Lower:
    return has_letter(text, 'A', 'Z');
  case Form::Upper:
    return has_letter(text, 'a', 'z');
  case Form::Extension:
    return !text.empty() && text[0] != '.';
  case Form::Part:
    return text.find('.') != std::string_view::npos;
  default:
    return false;
  }
}

std::string_view why(Form form) {
  return form == Form::Lower       ? "has no capital letters"
         : form == Form::Upper     ? "has no small letters"
         : form == Form::Extension ? "begins with a dot"
                                   : "has no dot";
}

std::string corrected(Form form, std::string_view text) {
  std::string right(text);
  if (form == Form::Lower || form == Form::Upper) {
    for (char &c : right) {
      const bool is_wrong = form == Form::Lower ? c >= 'A' && c <= 'Z' : c >= 'a' && c <= 'z';
      c = is_wrong ? static_cast<char>(c ^ 0x20) : c;
    }
  } else if (form == Form::Extension) {
    right.insert(0, 1, '.');
  } else {
    right = right.substr(right.rfind('.') + 1);
  }
  return right;
}

struct Literal {
  const Expr *expr = nullptr;
  std::string text;
};

// The texts of a tuple, list or set; empty if it has something else. Names of such lists are not followed: they may be
// meant for other comparisons too.
std::vector<Literal> texts_of(const Site &site, const Expr *expr) {
  std::vector<Literal> texts;
  const auto add = [&](const auto *list) {
    for (const Expr *one : list->elts) {
      auto text = as_string(one) != nullptr ? string_of(site, one) : std::nullopt;
      if (!text.has_value()) {
        texts.clear();
        return;
      }
      texts.push_back({one, std::move(*text)});
    }
  };
  if (const auto *tuple = as<Tuple>(expr)) {
    add(tuple);
  } else if (const auto *list = as<List>(expr)) {
    add(list);
  } else if (const auto *set = as<Set>(expr)) {
    add(set);
  }
  return texts;
}

void check_membership(Site &site, const Compare &compare) {
  const Expr *right = compare.rest[0].right;
  if (const auto *text = as_string(compare.left)) { // "BatchNorm" in name.lower()
    const Form form = form_of(site, right);
    const auto value = string_of(site, text);
    if ((form == Form::Lower || form == Form::Upper || form == Form::Part) && value.has_value() &&
        never_equals(form, *value)) {
      report(site, compare, fmt::format("`{}` {}, so it never contains `{}`", text_of(site, right), why(form), *value),
             fmt::format("search for `\"{}\"`", corrected(form, *value)));
    }
    return;
  }
  const Form form = form_of(site, compare.left);
  if (form == Form::Any) {
    return;
  }
  const auto texts = texts_of(site, right);
  const auto wrong = std::ranges::find_if(texts, [&](const Literal &one) { return never_equals(form, one.text); });
  if (wrong == texts.end()) {
    return;
  }
  // A list with both spellings is only longer than it has to be.
  const bool has_right = std::ranges::any_of(texts, [&](const Literal &one) { return !never_equals(form, one.text); });
  if (has_right &&
      std::ranges::any_of(texts, [&](const Literal &one) { return one.text == corrected(form, wrong->text); })) {
    return;
  }
  report(site, *wrong->expr,
         fmt::format("`{}` {}, so it is never `{}`", text_of(site, compare.left), why(form), wrong->text),
         fmt::format("write `\"{}\"`", corrected(form, wrong->text)));
}

void check_equality(Site &site, const Compare &compare, const Expr *subject, const Expr *other) {
  const auto *literal = as_string(other);
  const auto text = literal != nullptr ? string_of(site, literal) : std::nullopt;
  if (!text.has_value()) {
    return;
  }
  const Form form = form_of(site, subject);
  if (never_equals(form, *text)) {
    report(site, compare,
           fmt::format("`{}` {}, so it is never equal to `{}`", text_of(site, subject), why(form), *text),
           fmt::format("compare it with `\"{}\"`", corrected(form, *text)));
  }
}

// `name.lower().endswith("JPG")`
void check_ends(Site &site, const Call &call) {
  const Expr *given = call.args.size() == 1 && call.keywords.empty() ? call.args[0] : nullptr;
  const auto text = as_string(given) != nullptr ? string_of(site, given) : std::nullopt;
  if (!text.has_value() || site.module->is_test) {
    return;
  }
  const Form form = form_of(site, receiver_of(call));
  if ((form == Form::Lower || form == Form::Upper) && never_equals(form, *text)) {
    report(site, call, fmt::format("`{}` {}, so this is always False", text_of(site, receiver_of(call)), why(form)),
           fmt::format("write `\"{}\"`", corrected(form, *text)));
  }
}

void check(Site &site, const Node &node) {
  const auto &compare = static_cast<const Compare &>(node);
  if (compare.rest.size() != 1 || site.module->is_test) {
    return;
  }
  const CompareOperator op = compare.rest[0].op;
  if (op == CompareOperator::In || op == CompareOperator::NotIn) {
    check_membership(site, compare);
  } else if (op == CompareOperator::Eq || op == CompareOperator::NotEq) {
    check_equality(site, compare, compare.left, compare.rest[0].right);
    check_equality(site, compare, compare.rest[0].right, compare.left);
  }
}

} // namespace

extern constinit const Rule kTextNeverMatches = {
    .info = {.code = "DP430",
             .name = "text-never-matches",
             .summary = "a string that is compared with one that it can never be",
             .root_cause = "Data: Wrong Data",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A comparison that cannot succeed: `name.lower() == "Adam"`, `"BatchNorm" in kind.lower()`, `os.path.splitext(path)[1] == "png"`, where the extension
begins with a dot, and `path.split(".")[-1] == ".png"`, where it does not.

## Why it is wrong

The branch never runs and nothing fails: files are left out of the data set, or a setting has no effect.

## Bad

```python
import os

from PIL import Image
from torch.utils.data import Dataset


class Pictures(Dataset):
    def __init__(self, folder):
        self.files = [f for f in os.listdir(folder) if os.path.splitext(f)[1] in ("png", "jpg")]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return Image.open(self.files[index])
```

## Good

```python
import os

from PIL import Image
from torch.utils.data import Dataset


class Pictures(Dataset):
    def __init__(self, folder):
        self.files = [f for f in os.listdir(folder) if os.path.splitext(f)[1] in (".png", ".jpg")]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return Image.open(self.files[index])
```

## When it is wrong

Where a class of the project has methods of these names that do something else.

## References

- Python documentation: `os.path.splitext`, `str.lower`
)"},
    .calls = "*.startswith *.endswith",
    .on_call = check_ends,
    .nodes = {NodeKind::Compare},
    .on_node = check};

} // namespace deepperf::rules::text_never_matches
