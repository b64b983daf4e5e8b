#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::eager_left_on {

using namespace python;

namespace {

bool mentions(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         }) != text.end();
}

// Under a condition, or in a file or function that is there for debugging.
bool is_asked_for(const Site &site) {
  const std::string_view file = site.module->parts.empty() ? std::string_view{} : site.module->parts.back().text();
  return mentions(file, "debug") || enclosing(site, NodeKind::If) != nullptr ||
         enclosing(site, NodeKind::IfExp) != nullptr ||
         (site.function != nullptr && site.function->name &&
          (mentions(site.function->name.text(), "debug") || mentions(site.function->name.text(), "eager")));
}

bool is_true(const Expr *expr) {
  const auto *constant = as<Constant>(expr);
  return constant != nullptr && constant->constant_kind() == ConstantKind::True;
}

// True as it is written, or by a setting that nobody changes: the default of a dataclass or of an option.
bool is_switched_on(const Site &site, const Expr *expr) {
  const std::optional<model::ConstantValue> setting = setting_of(site, expr);
  return is_true(expr) || (setting.has_value() && setting->as_bool().value_or(false));
}

// compile() of a model, and not of a regular expression: torch.compile and re.compile have no such option.
bool is_keras_compile(const Site &site, const Call &call) {
  return site.module->tensorflow && called_api(site, call).empty() && receiver_of(call) != nullptr;
}

void remove_if_alone(Site &site, Finding &finding, const Node &node) {
  const auto *statement = !site.ancestors.empty() ? as<ExprStmt>(site.ancestors.back()) : nullptr;
  if (statement != nullptr && statement->value == &node) {
    if (const std::optional<Edit> edit = remove_statement(site, *statement)) {
      set_fix(finding, false, {*edit});
    }
  }
}

// compile(run_eagerly=True), also where the options come as `**settings["compile"]`: then the entry is the place.
void check_compile(Site &site, const Call &call) {
  const model::Argument given = argument_of(site, call, 64, "run_eagerly");
  const Keyword *written = keyword_argument(call, "run_eagerly");
  const bool is_one = given.given.size() == 1 && !given.unknown && !given.may_be_absent;
  if (is_asked_for(site) || mentions(text_of(site, receiver_of(call)), "eager")) {
    return;
  }
  const auto is_option = [&] {
    const std::optional<model::ConstantValue> setting = setting_of(site, given, model::ConstantValue::none());
    return is_one && is_keras_compile(site, call) && setting.has_value() && setting->as_bool().value_or(false);
  };
  if (written != nullptr ? !is_switched_on(site, written->value) : !is_option()) {
    return;
  }
  const bool is_elsewhere = written == nullptr && given.given[0].scope.module == site.module;
  const Node &place = written != nullptr ? static_cast<const Node &>(*written)
                      : is_elsewhere     ? static_cast<const Node &>(*given.given[0].expr)
                                         : static_cast<const Node &>(call);
  Finding &finding = report(
      site, place, "`run_eagerly=True` runs every operation of every step from Python instead of a compiled graph",
      "omit `run_eagerly` once the model works: Keras then compiles the training step to a graph");
  if (written == nullptr) {
    add_note(finding, site, call, "compiled with it here");
    return;
  }
  if (const std::optional<Edit> edit = remove_argument(site, call, *written)) {
    set_fix(finding, false, {*edit});
  }
}

void check_call(Site &site, const Call &call) {
  if (called_method(call) == "compile") {
    return check_compile(site, call);
  }
  const std::string_view api = called_api(site, call);
  if (api.ends_with("run_functions_eagerly")) {
    const bool switched_back = file_has_word(site, {"run_functions_eagerly(False)"});
    if (is_true(argument(call, 0, "run_eagerly")) && !is_asked_for(site) && !switched_back) {
      Finding &finding = report(site, call, "this disables all graphs: every `tf.function` runs as plain Python",
                                "remove this call once the program works");
      remove_if_alone(site, finding, call);
    }
    return;
  }
  if (is_asked_for(site)) {
    return;
  }
  const bool numerics = api.ends_with("enable_check_numerics");
  Finding &finding =
      report(site, call,
             numerics                             ? "this checks every tensor of every operation for infinity and NaN"
             : api.ends_with("enable_debug_mode") ? "this runs all `tf.data` functions eagerly and sequentially"
                                                  : "this writes the result of every operation to files",
             "remove this call once the program works, or guard it with a debug flag");
  remove_if_alone(site, finding, call);
}

// model.run_eagerly = True
void check_assignment(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *target = as<Attribute>(assignment.targets[0]);
  if (target == nullptr || target->attr.text() != "run_eagerly" || !is_true(assignment.value) ||
      model::kind_of(target->value) != Kind::KerasModel || is_asked_for(site)) {
    return;
  }
  Finding &finding = report(
      site, node, "`run_eagerly = True` runs every operation of every step from Python instead of a compiled graph",
      "remove it once the model works: Keras then compiles the training step to a graph");
  if (const std::optional<Edit> edit = remove_statement(site, assignment)) {
    set_fix(finding, false, {*edit});
  }
}

} // namespace

extern constinit const Rule kEagerLeftOn = {
    .info = {.code = "DP112",
             .name = "eager-left-on",
             .summary = "eager execution or numeric checks left on after debugging",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .posts = "",
             .documentation = R"(## What it finds

`compile(…, run_eagerly=True)`, `tf.config.run_functions_eagerly(True)`, `tf.data.experimental.enable_debug_mode()`,
`tf.debugging.enable_check_numerics()` and `tf.debugging.experimental.enable_dump_debug_info()`, without a condition
around them. The value may come from a setting whose default is `True`.

## Why it costs

Without a graph, Python dispatches every operation, and TensorFlow can neither fuse nor prune operations nor run
independent ones in parallel. Models with many small operations lose the most.

## Bad

```python
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(1)])
model.compile("adam", "mse", run_eagerly=True)
```

## Good

```python
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(1)])
model.compile("adam", "mse")
```

## When it is wrong

A `train_step` that needs Python, such as `.numpy()` or a library outside TensorFlow, only works eagerly. That is why
the fix needs `--unsafe-fixes`.

## References

- `tf.config.run_functions_eagerly` and `tf.keras.Model.compile`: meant for debugging
- TensorFlow guide, "Introduction to graphs and tf.function"
)"},
    .calls = "*.compile tensorflow.config.run_functions_eagerly tensorflow.config.experimental_run_functions_eagerly "
             "tensorflow.data.experimental.enable_debug_mode tensorflow.debugging.enable_check_numerics "
             "tensorflow.debugging.experimental.enable_dump_debug_info",
    .on_call = check_call,
    .nodes = {NodeKind::Assign},
    .on_node = check_assignment};

} // namespace deepperf::rules::eager_left_on
