// A call of a PyTorch or Optax loss, as a function (`F.cross_entropy(x, y)`) or as an object (`criterion(x, y)`).
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

enum class Loss : u8 { None, CrossEntropy, Nll, Bce, BceWithLogits, Ctc };

struct LossCall {
  Loss loss = Loss::None;
  const python::Expr *input = nullptr; // what the model gave
  std::string_view name;               // nn.CrossEntropyLoss, F.cross_entropy: for messages
  Output output = Output::Unknown;     // what the numbers of the input are
};

LossCall loss_call(const Site &site, const python::Call &call);

// F.cross_entropy, F.mse_loss and the like, which give the mean over the batch unless told otherwise.
bool is_loss_function(std::string_view api);

// To subscribe to: all calls that may be one.
inline constexpr std::string_view kLossCalls =
    "TorchLoss.__call__ torch.nn.functional.cross_entropy torch.nn.functional.nll_loss "
    "torch.nn.functional.binary_cross_entropy torch.nn.functional.binary_cross_entropy_with_logits "
    "torch.nn.functional.ctc_loss "
    "optax.softmax_cross_entropy optax.softmax_cross_entropy_with_integer_labels optax.sigmoid_binary_cross_entropy "
    "optax.losses.softmax_cross_entropy optax.losses.softmax_cross_entropy_with_integer_labels "
    "optax.losses.sigmoid_binary_cross_entropy";

} // namespace deepperf::rules
