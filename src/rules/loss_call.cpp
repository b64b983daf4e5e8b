#include "rules/loss_call.h"

#include "model/classes.h"

namespace deepperf::rules {

using namespace python;

namespace {

// What `model.apply({"params": params}, x)` of a Flax module gives: what its __call__ returns.
Output output_of_apply(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const auto *call = as<Call>(name != nullptr ? last_assigned(site, *name) : expr);
  if (call == nullptr || called_method(*call) != "apply") {
    return Output::Unknown;
  }
  const model::Value module = value_of(site, receiver_of(*call));
  const model::FunctionInfo *forward =
      module.is(model::Value::Tag::Object) ? model::find_method_of(*module.type, intern("__call__")) : nullptr;
  return forward != nullptr && forward->returns.is_kind(Kind::JaxArray) ? forward->returns.output : Output::Unknown;
}

Output output_at(const Site &site, const Expr *expr) {
  const Output known = model::output_of(expr);
  return known == Output::Unknown && site.module->jax ? output_of_apply(site, expr) : known;
}

} // namespace

LossCall loss_call(const Site &site, const Call &call) {
  struct Known {
    std::string_view api;
    Loss loss;
    std::string_view name;
  };
  static constexpr Known kKnown[] = {
      {"torch.nn.CrossEntropyLoss", Loss::CrossEntropy, "nn.CrossEntropyLoss"},
      {"torch.nn.functional.cross_entropy", Loss::CrossEntropy, "F.cross_entropy"},
      {"torch.nn.NLLLoss", Loss::Nll, "nn.NLLLoss"},
      {"torch.nn.NLLLoss2d", Loss::Nll, "nn.NLLLoss2d"},
      {"torch.nn.functional.nll_loss", Loss::Nll, "F.nll_loss"},
      {"torch.nn.CTCLoss", Loss::Ctc, "nn.CTCLoss"},
      {"torch.nn.functional.ctc_loss", Loss::Ctc, "F.ctc_loss"},
      {"torch.nn.BCELoss", Loss::Bce, "nn.BCELoss"},
      {"torch.nn.functional.binary_cross_entropy", Loss::Bce, "F.binary_cross_entropy"},
      {"torch.nn.BCEWithLogitsLoss", Loss::BceWithLogits, "nn.BCEWithLogitsLoss"},
      {"torch.nn.functional.binary_cross_entropy_with_logits", Loss::BceWithLogits,
       "F.binary_cross_entropy_with_logits"},
      {"optax.softmax_cross_entropy", Loss::CrossEntropy, "optax.softmax_cross_entropy"},
      {"optax.softmax_cross_entropy_with_integer_labels", Loss::CrossEntropy,
       "optax.softmax_cross_entropy_with_integer_labels"},
      {"optax.sigmoid_binary_cross_entropy", Loss::BceWithLogits, "optax.sigmoid_binary_cross_entropy"},
      {"optax.losses.softmax_cross_entropy", Loss::CrossEntropy, "optax.softmax_cross_entropy"},
      {"optax.losses.softmax_cross_entropy_with_integer_labels", Loss::CrossEntropy,
       "optax.softmax_cross_entropy_with_integer_labels"},
      {"optax.losses.sigmoid_binary_cross_entropy", Loss::BceWithLogits, "optax.sigmoid_binary_cross_entropy"},
  };
  std::string_view api = called_api(site, call);
  if (api.empty() && maker_of_callee(site, call, &api) == nullptr) {
    return {};
  }
  for (const Known &known : kKnown) {
    if (known.api == api) {
      const std::string_view keyword = known.loss == Loss::Ctc     ? "log_probs"
                                       : api.starts_with("optax.") ? "logits"
                                                                   : "input";
      const Expr *input = argument(call, 0, keyword);
      return input != nullptr ? LossCall{known.loss, input, known.name, output_at(site, input)} : LossCall{};
    }
  }
  return {};
}

bool is_loss_function(std::string_view api) {
  constexpr std::string_view kFolder = "torch.nn.functional.";
  if (!api.starts_with(kFolder)) {
    return false;
  }
  const std::string_view name = api.substr(kFolder.size());
  return name.ends_with("_loss") || name.find("cross_entropy") != std::string_view::npos;
}

} // namespace deepperf::rules
