// Loss functions: where predictions meet labels.
#include "shapes/torch.h"

#include <fmt/format.h>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace torch_losses {
namespace {

Value loss_value(Operation &op, const Tensor &input, const Shape &unreduced) {
  const auto reduction = op.in.as_text(op.arg("reduction"));
  Tensor result = input;
  result.is_parameter = false;
  result.shape = !reduction ? Shape{} : *reduction == "none" ? unreduced : op.in.heap.shape({});
  if (!op.in.records_gradients()) {
    result.grad = Truth::No;
  }
  return op.in.make_tensor(result, op.api, op.node, {&input}, op.layer);
}

Problem *complain(Operation &op, Fault fault, const Tensor &input, const Tensor &target, std::string message,
                  std::string advice) {
  Problem *const problem = op.report(fault, std::move(message));
  if (problem != nullptr) {
    op.in.add_chain(*problem, input);
    op.in.add_chain(*problem, target);
    problem->advice = std::move(advice);
  }
  return problem;
}

bool check_places(Operation &op, const Tensor &input, const Tensor &target) {
  return input.library != Library::Torch || target.library != Library::Torch ||
         check_devices(op.in, op.node, input, target, op.short_name());
}

// cross_entropy and nll_loss: scores [N, C, ...], class numbers [N, ...] or, for the former, probabilities [N, C, ...].
Value call_cross_entropy(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Tensor *const target = op.tensor("target");
  if (input == nullptr || target == nullptr) {
    return input != nullptr ? loss_value(op, *input, {}) : Value();
  }
  const bool takes_probabilities = op.api.text().find("ross") != std::string_view::npos;
  if (!check_places(op, *input, *target)) {
    return loss_value(op, *input, {});
  }
  const Shape &x = input->shape;
  const Shape &y = target->shape;
  const std::string what(op.short_name());
  if (const Value weight = op.arg("weight");
      weight.is(Tag::Tensor) && weight.tensor->shape.has_rank(1) && x.is_known() && x.rank() > 0) {
    const Dim classes = x.rank() == 1 ? x.dims[0] : x.dims[1];
    if (op.in.terms.differ(weight.tensor->shape.dims[0], classes)) {
      complain(op, Fault::LossTargetShape, *input, *weight.tensor,
               fmt::format("{} has weights for {} classes, but gets scores {}", what,
                           op.in.terms.text(weight.tensor->shape.dims[0]), op.in.text_of(*input)),
               "give one weight for each class");
      return loss_value(op, *input, {});
    }
  }
  if (x.is_known() && y.is_known()) {
    const bool are_numbers = y.rank() + 1 == x.rank();
    const bool are_alike = y.rank() == x.rank();
    if (!are_numbers && !(are_alike && takes_probabilities)) {
      complain(op, Fault::LossTargetShape, *input, *target,
               fmt::format("{} takes class indices of one dimension less than the scores {}, but gets {}", what,
                           op.in.text_of(*input), op.in.text_of(*target)),
               "labels are [N] for scores [N, C]: squeeze or argmax them");
      return loss_value(op, *input, {});
    }
    if (are_alike && takes_probabilities) {
      bool is_same = true;
      for (u32 i = 0; is_same && i < x.rank(); ++i) {
        is_same = !op.in.terms.differ(x.dims[i], y.dims[i]);
      }
      if (!is_same) {
        complain(
            op, Fault::LossTargetShape, *input, *target,
            fmt::format("{} gets scores {} and labels {}, which are neither class indices nor probabilities for them",
                        what, op.in.text_of(*input), op.in.text_of(*target)),
            "labels are [N] for scores [N, C]: squeeze or argmax them");
        return loss_value(op, *input, {});
      }
      if (x.rank() > 0 && (is_integer(target->dtype) || target->dtype == Dtype::Bool)) {
        complain(
            op, Fault::LossTargetShape, *input, *target,
            fmt::format(
                "{} takes probabilities of the scores' dtype where labels have the shape of the scores, but gets {}",
                what, name_of(target->dtype)),
            "pass class indices [N], or cast the probabilities: .float()");
      }
      return loss_value(op, *input, {});
    }
    for (u32 i = 0; i < y.rank(); ++i) {
      const Dim size = x.dims[i == 0 && x.rank() > 1 ? 0 : i + 1];
      if (op.in.terms.differ(size, y.dims[i])) {
        complain(op, Fault::LossTargetShape, *input, *target,
                 fmt::format("{} gets scores {} and labels {}: {} is not {}", what, op.in.text_of(*input),
                             op.in.text_of(*target), op.in.terms.text(size), op.in.terms.text(y.dims[i])),
                 x.rank() > 2 ? "classes are dimension 1 of the scores: flatten or transpose them"
                              : "as many labels as scores are needed");
        return loss_value(op, *input, {});
      }
    }
    if (is_floating(target->dtype) ||
        (target->dtype != Dtype::Int64 && target->dtype != Dtype::UInt8 && target->dtype != Dtype::Unknown)) {
      Problem *const problem =
          complain(op, Fault::DtypeMismatch, *input, *target,
                   fmt::format("{} takes class indices of int64, but gets {}", what, name_of(target->dtype)),
                   "cast the labels: .long()");
      const auto *call = as<Call>(op.node);
      if (problem != nullptr && call != nullptr && call->args.size() == 2 && call->args[1]->kind == NodeKind::Name) {
        problem->fix = Problem::Edit{{call->args[1]->end, call->args[1]->end}, ".long()"};
      }
    }
    return loss_value(op, *input, y);
  }
  return loss_value(op, *input, y);
}

// mse, l1, bce: both of one shape. What broadcasts is computed, and is not what anybody means.
Value pointwise(Operation &op, bool must_be_equal) {
  const Tensor *const input = op.tensor("input");
  const Tensor *const target = op.tensor("target");
  if (input == nullptr || target == nullptr) {
    return input != nullptr ? loss_value(op, *input, {}) : Value();
  }
  if (!check_places(op, *input, *target)) {
    return loss_value(op, *input, {});
  }
  const Shape &x = input->shape;
  const Shape &y = target->shape;
  const std::string what(op.short_name());
  bool is_same = x.is_known() && y.is_known() && x.rank() == y.rank();
  bool certainly_not = x.is_known() && y.is_known() && x.rank() != y.rank();
  for (u32 i = 0; is_same && i < x.rank(); ++i) {
    certainly_not = certainly_not || op.in.terms.differ(x.dims[i], y.dims[i]);
  }
  if (certainly_not) {
    const Broadcast both = broadcast(op.in, x, y);
    const bool is_scalar = x.rank() == 0 || y.rank() == 0;
    if (must_be_equal || !both.fits) {
      if (!is_scalar || must_be_equal) {
        complain(op, Fault::LossTargetShape, *input, *target,
                 fmt::format("{} takes predictions and labels of the same shape, but gets {} and {}", what,
                             op.in.text_of(*input), op.in.text_of(*target)),
                 x.rank() > y.rank() ? "add the missing dimension to the labels: .unsqueeze(1)"
                                     : "reshape one to match the other");
        return loss_value(op, *input, {});
      }
    } else if (!is_scalar && broadcasts_everything(op.in, x, y)) {
      complain(op, Fault::SilentBroadcast, *input, *target,
               fmt::format("{} of {} and {} compares every prediction with every label: it broadcasts to {}", what,
                           op.in.text_of(*input), op.in.text_of(*target), op.in.text_of(both.shape)),
               "give both the same shape: .squeeze(1) of one, or .unsqueeze(1) of the other");
    }
    return loss_value(op, *input, both.shape);
  }
  if (must_be_equal && input->dtype != Dtype::Unknown && target->dtype != Dtype::Unknown && !op.in.in_autocast() &&
      is_floating(input->dtype) && !is_floating(target->dtype) && input->library == Library::Torch &&
      target->library == Library::Torch) {
    complain(op, Fault::DtypeMismatch, *input, *target,
             fmt::format("{} takes labels of {}, but gets {}", what, name_of(input->dtype), name_of(target->dtype)),
             "cast the labels: .float()");
  }
  return loss_value(op, *input, x);
}

Value call_pointwise(Operation &op) { return pointwise(op, false); }
Value call_binary(Operation &op) { return pointwise(op, true); }

Value call_some_loss(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Tensor *const target = op.tensor("target");
  if (input != nullptr && target != nullptr && !broadcast(op.in, input->shape, target->shape).fits) {
    complain(op, Fault::LossTargetShape, *input, *target,
             fmt::format("{} takes tensors of the same shape, but gets {} and {}", op.short_name(),
                         op.in.text_of(*input), op.in.text_of(*target)),
             "reshape one to match the other");
  }
  return input != nullptr ? loss_value(op, *input, {}) : Value();
}

constexpr TransferEntry kTable[] = {
    {"cross_entropy", call_cross_entropy},
    {"pointwise_loss", call_pointwise},
    {"binary_loss", call_binary},
    {"some_loss", call_some_loss},
};

} // namespace
} // namespace torch_losses

// [N, 1] against [N]: the result has both, though each was meant to be one number per example.
bool broadcasts_everything(Interpreter &in, const Shape &x, const Shape &y) {
  const Shape &longer = x.rank() > y.rank() ? x : y;
  const Shape &shorter = x.rank() > y.rank() ? y : x;
  if (longer.rank() != shorter.rank() + 1 || shorter.rank() == 0) {
    return false;
  }
  return longer.from_end(0).is(1) && !shorter.from_end(0).is(1) &&
         in.terms.compare(longer.from_end(1), shorter.from_end(0)) == Sign::Zero;
}

std::span<const TransferEntry> torch_loss_transfers() { return torch_losses::kTable; }

} // namespace deepperf::shapes
