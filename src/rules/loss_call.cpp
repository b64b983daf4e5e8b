#include "rules/loss_call.h"

namespace deepperf::rules {

using namespace python;

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
  };
  std::string_view api = called_api(site, call);
  if (api.empty() && maker_of_callee(site, call, &api) == nullptr) {
    return {};
  }
  for (const Known &known : kKnown) {
    if (known.api == api) {
      const Expr *input = argument(call, 0, known.loss == Loss::Ctc ? "log_probs" : "input");
      return input != nullptr ? LossCall{known.loss, input, known.name} : LossCall{};
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
