#include "rules/keras.h"
#include "rules/origins.h"
#include "rules/reach.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::column_against_vector {

using namespace python;
using model::Value;

namespace {

std::string_view last_of(std::string_view api) { return api.substr(api.rfind('.') + 1); }

// A layer that gives one number for each example, in a column: Dense(1), nn.Dense(1), nnx.Linear(64, 1).
bool gives_column(const Site &there, const Call &call) {
  const Value callee = there.project.callee_of(&call);
  if (callee.is_kind(Kind::KerasLayer) || callee.is_kind(Kind::KerasModel)) {
    const LayerInfo ending = ending_of(there, callee);
    return ending.call != nullptr && last_of(ending.api) == "Dense" && ending.units == std::optional<i64>(1);
  }
  std::string_view api;
  const auto *direct = as<Call>(call.func);
  const Call *made = direct != nullptr ? direct : maker_of_callee(there, call, &api);
  api = made != nullptr && api.empty() ? called_api(there, *made) : api;
  const bool is_linear = api == "flax.nnx.Linear";
  return made != nullptr && (api == "flax.linen.Dense" || is_linear) &&
         integer_of(there, argument(*made, is_linear ? 1 : 0, is_linear ? "out_features" : "features")) ==
             std::optional<i64>(1);
}

struct Column {
  const Call *layer = nullptr;
  const model::FunctionInfo *function = nullptr;
};

// The layer that the expression is the output of, if it is nothing else.
Column column_of(const Site &site, const Expr *expr) {
  Column column;
  bool is_other = false;
  const bool complete =
      visit_origins(site, *site.function, expr,
                    [&](const Origin &origin) {
                      const auto *call = as<Call>(origin.expr);
                      const Site there = site_of_origin(site, *origin.function);
                      if (origin.parameter_of != nullptr) {
                        return Onward::Through;
                      }
                      if (call != nullptr && last_of(called_api(there, *call)) == "cast" && !call->args.empty()) {
                        origin.next.push_back(call->args[0]);
                        return Onward::Next;
                      }
                      if (call != nullptr && origin.path.empty() && gives_column(there, *call)) {
                        column = {call, origin.function};
                      } else {
                        is_other = true;
                      }
                      return Onward::Stop;
                    },
                    {.enters_models = true});
  return complete && !is_other ? column : Column{};
}

// The number of dimensions that an input signature gives a parameter.
std::optional<u32> signature_rank(const Site &site, const model::FunctionInfo &function, u32 parameter) {
  const auto *made = as<Call>(function.compiled_at);
  const Keyword *signature = made != nullptr ? keyword_argument(*made, "input_signature") : nullptr;
  if (signature == nullptr) {
    return std::nullopt;
  }
  const model::FunctionInfo *at = site.project.caller_of(made);
  const model::Scope scope = model::scope_of(site.project, at != nullptr                ? *at
                                                           : function.parent != nullptr ? *function.parent
                                                                                        : *function.module->body);
  const std::vector<model::Argument::Given> written = model::written_as(scope, signature->value);
  const Expr *all =
      signature->value->kind == NodeKind::Name && written.size() == 1 ? written[0].expr : signature->value;
  const auto *list = as<List>(all);
  const auto *tuple = as<Tuple>(all);
  const Array<Expr *> specs = list != nullptr ? list->elts : tuple != nullptr ? tuple->elts : Array<Expr *>{};
  const u32 place = parameter - (function.type != nullptr && !function.is_static && parameter > 0 ? 1 : 0);
  const auto *spec = place < specs.size() ? as<Call>(specs[place]) : nullptr;
  const Expr *shape = spec != nullptr ? argument(*spec, 0, "shape") : nullptr;
  const auto *sizes = as<List>(shape);
  const auto *more = as<Tuple>(shape);
  return sizes != nullptr  ? std::optional(static_cast<u32>(sizes->elts.size()))
         : more != nullptr ? std::optional(static_cast<u32>(more->elts.size()))
                           : std::nullopt;
}

// Is it surely an array of one dimension?
class VectorSearch {
public:
  explicit VectorSearch(const Site &site) : site_(site) {}

  bool holds(const Expr *expr) {
    const bool complete =
        visit_origins(site_, *site_.function, expr, [this](const Origin &origin) { return visit(origin); });
    return complete && is_vector_ && !is_other_;
  }

private:
  Onward is(bool vector) {
    (vector ? is_vector_ : is_other_) = true;
    return Onward::Stop;
  }

  static bool is_one_size(const Expr *shape) {
    const auto *tuple = as<Tuple>(shape);
    const auto *list = as<List>(shape);
    const auto *call = as<Call>(shape);
    return tuple != nullptr  ? tuple->elts.size() == 1
           : list != nullptr ? list->elts.size() == 1
                             : (call != nullptr && called_name(*call) == "len") ||
                                   (shape != nullptr && is_constant(shape, ConstantKind::Int));
  }

  Onward visit(const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      const std::optional<u32> rank = signature_rank(site_, *origin.parameter_of, origin.parameter);
      return rank.has_value() ? is(*rank == 1) : Onward::Through;
    }
    switch (origin.expr->kind) {
    case NodeKind::BinOp:
    case NodeKind::UnaryOp:
      return Onward::Through;
    case NodeKind::Constant:
      return Onward::Stop;
    case NodeKind::Call:
      break;
    default:
      return is(false);
    }
    const auto &call = static_cast<const Call &>(*origin.expr);
    const std::string_view api = called_api(site_of_origin(site_, *origin.function), call);
    const std::string_view last = last_of(api);
    const std::string_view method = called_method(call);
    if (api.empty() || (call.args.empty() && call.keywords.empty())) {
      const bool is_scalar = method == "mean" || method == "std" || method == "sum" || method == "max";
      return is_scalar && call.args.empty() && call.keywords.empty() ? Onward::Stop : is(false);
    }
    if (last == "zeros" || last == "ones" || last == "empty" || last == "full") {
      return is(is_one_size(argument(call, 0, "shape")));
    }
    if (last == "arange" || last == "linspace" || last == "zeros_like" || last == "len" || last == "float") {
      return last == "zeros_like" ? is(false) : last == "len" || last == "float" ? Onward::Stop : is(true);
    }
    const bool keeps_shape = last == "array" || last == "asarray" || last == "constant" ||
                             last == "convert_to_tensor" || last == "cast" || last == "float32" ||
                             last == "stop_gradient" || last == "device_put" || last == "cumsum";
    if (keeps_shape && !call.args.empty()) {
      origin.next.push_back(call.args[0]);
      return Onward::Next;
    }
    return is(false);
  }

  const Site &site_;
  bool is_vector_ = false;
  bool is_other_ = false;
};

void lint(Site &site, const Node &place, const Expr *one, const Expr *other, std::string_view what) {
  Column column = column_of(site, one);
  const Expr *vector = other;
  if (column.layer == nullptr) {
    column = column_of(site, other);
    vector = one;
  }
  if (column.layer == nullptr || !VectorSearch(site).holds(vector)) {
    return;
  }
  Finding &finding =
      report(site, place,
             fmt::format("this {} has the shape [N, N]: `{}` is a column of shape [N, 1], and `{}` has the shape [N]",
                         what, text_of(site, vector == other ? one : other), text_of(site, vector)),
             "remove the last dimension of the layer's output: `tf.squeeze(x, axis=-1)`, or `x[..., 0]`");
  finding.notes.push_back({column.function->module->file, column.layer->span(), "this layer outputs one column"});
}

void check(Site &site, const Node &node) {
  const auto &difference = static_cast<const BinOp &>(node);
  if (difference.op() != Operator::Sub || (!site.module->jax && !site.module->tensorflow) || site.module->is_test ||
      site.function == nullptr || difference.left->kind == NodeKind::Constant ||
      difference.right->kind == NodeKind::Constant ||
      !project_has_word(site, {"Dense(1)", "Dense(1,", "units=1", "features=1", "nnx.Linear("})) {
    return;
  }
  lint(site, node, difference.left, difference.right, "difference");
}

void check_loss(Site &site, const Call &call) {
  if (call.args.size() >= 2 && site.function != nullptr && !site.module->is_test) {
    lint(site, call, call.args[0], call.args[1], "loss");
  }
}

} // namespace

extern constinit const Rule kColumnAgainstVector = {
    .info = {.code = "DP971",
             .name = "column-against-vector",
             .summary = "the difference of a layer's column `[N, 1]` and a vector `[N]`, which pairs every example "
                        "with every other",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A difference, or a loss of Optax, of two arrays: the output of a layer with one unit (`Dense(1)`), whose last dimension nothing removes, and an
array of one dimension.

## Why it is wrong

`[N, 1]` and `[N]` are broadcast to `[N, N]`, without any message. Every prediction is compared with the targets of all examples, and the model
learns their mean.

## Bad

```python
import tensorflow as tf

critic = tf.keras.Sequential([tf.keras.layers.Dense(64, activation="tanh"), tf.keras.layers.Dense(1)])


@tf.function(input_signature=[tf.TensorSpec([None, 8], tf.float32), tf.TensorSpec([None], tf.float32)])
def value_loss(states, returns):
    return tf.reduce_mean((returns - critic(states)) ** 2)
```

## Good

```python
import tensorflow as tf

critic = tf.keras.Sequential([tf.keras.layers.Dense(64, activation="tanh"), tf.keras.layers.Dense(1)])


@tf.function(input_signature=[tf.TensorSpec([None, 8], tf.float32), tf.TensorSpec([None], tf.float32)])
def value_loss(states, returns):
    return tf.reduce_mean((returns - tf.squeeze(critic(states), axis=-1)) ** 2)
```

## When it is wrong

Where all pairs are intended.

## References

- NumPy: Broadcasting
)"},
    .calls = "optax.l2_loss optax.squared_error optax.huber_loss",
    .on_call = check_loss,
    .nodes = {NodeKind::BinOp},
    .on_node = check};

} // namespace deepperf::rules::column_against_vector
