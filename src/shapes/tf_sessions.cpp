// Sessions of TensorFlow 1: what is fed into placeholders must have their shapes.
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace tf_sessions {
namespace {

void check_feed(Operation &op, const Value &key, const Value &value) {
  const Tensor *const wanted = key.is(Tag::Tensor) ? key.tensor : nullptr;
  if (wanted == nullptr || wanted->library != Library::TensorFlow || !wanted->shape.is_known() ||
      wanted->step == Tensor::kNoStep ||
      !op.in.steps[wanted->step].operation.text().starts_with("tensorflow.placeholder")) {
    return;
  }
  const bool is_given = value.is(Tag::Tensor) || value.is_sequence() || value.is(Tag::Int) || value.is(Tag::Float);
  const Tensor *const got = is_given ? converted(op, value, Library::Numpy) : nullptr;
  if (got == nullptr || !got->shape.is_known()) {
    return;
  }
  bool fits = wanted->shape.rank() == got->shape.rank();
  for (u32 i = 0; fits && i < got->shape.rank(); ++i) {
    fits = !op.in.terms.differ(wanted->shape.dims[i], got->shape.dims[i]);
  }
  if (fits) {
    return;
  }
  if (Problem *problem = op.report(Fault::DataDoesNotFit, fmt::format("feed_dict gives {} to a placeholder of {}",
                                                                      op.in.text_of(*got), op.in.text_of(*wanted)))) {
    op.in.add_chain(*problem, *wanted);
    op.in.add_chain(*problem, *got);
    problem->advice = "reshape what is fed, or change the shape of the placeholder; None takes any size";
  }
}

// The batch that all placeholders get, if they get the same.
std::optional<i64> batch_of(Operation &op, const DictContent &feed, u32 &count) {
  std::optional<i64> batch;
  for (const auto &[key, value] : feed.items) {
    const Tensor *const wanted = key.is(Tag::Tensor) ? key.tensor : nullptr;
    if (wanted == nullptr || !wanted->shape.is_known() || feed.is_open) {
      return {};
    }
    if (wanted->shape.rank() == 0 || wanted->shape.dims[0].is_constant()) {
      continue;
    }
    const Tensor *const got =
        value.is(Tag::Tensor) || value.is_sequence() ? converted(op, value, Library::Numpy) : nullptr;
    if (got == nullptr || !got->shape.is_known() || got->shape.rank() == 0 || !got->shape.dims[0].is_constant() ||
        (batch && *batch != got->shape.dims[0].value)) {
      return {};
    }
    batch = got->shape.dims[0].value;
    ++count;
  }
  return batch;
}

void check_later(Operation &op, const DictContent &feed) {
  u32 count = 0;
  const auto batch = batch_of(op, feed, count);
  if (std::ranges::any_of(op.in.later, &LaterCheck::is_reported)) {
    return;
  }
  for (LaterCheck &check : op.in.later) {
    // Labels are compared only where they are fed as well.
    if (!batch || check.is_reported || check.module != op.in.module() || (!check.must_divide && count < 2)) {
      continue;
    }
    const auto left = op.in.terms.evaluate(check.left, "N", *batch);
    const auto right = op.in.terms.evaluate(check.right, "N", *batch);
    if (!left || !right || *right <= 0 || (check.must_divide ? *left % *right == 0 : *left == *right)) {
      continue;
    }
    check.is_reported = true;
    const std::string message =
        check.must_divide
            ? fmt::format("{} has {} elements for a batch of {}, which cannot be divided by {}",
                          op.in.text_of(*check.tensor), *left, *batch, *right)
            : fmt::format("there are {} rows of logits and {} labels for a batch of {}", *left, *right, *batch);
    if (Problem *problem = op.in.report(check.fault, check.place, message)) {
      op.in.add_chain(*problem, *check.tensor);
      problem->advice = "compute the flattened size from the shape before it";
    }
    break; // the rest follows from it
  }
}

void check_feeds(Operation &op) {
  const Value feed = op.arg("feed_dict");
  if (!feed.is(Tag::Dict)) {
    return;
  }
  for (const auto &[key, value] : feed.dict->content.items) {
    check_feed(op, key, value);
  }
  check_later(op, feed.dict->content);
}

// What comes out of a graph: arrays. Sizes that the feed decides are not known.
Value fetched(Operation &op, const Value &fetch, u32 depth) {
  if (fetch.is_sequence() && !fetch.list->content.is_open && depth < 4) {
    std::vector<Value> items;
    for (const Value &item : fetch.list->content.items) {
      items.push_back(fetched(op, item, depth + 1));
    }
    return op.in.heap.new_list(std::move(items), fetch.tag);
  }
  if (!fetch.is(Tag::Tensor)) {
    return {};
  }
  Tensor tensor = *fetch.tensor;
  tensor.library = Library::Numpy;
  tensor.is_weak = false;
  if (tensor.shape.is_known()) {
    std::vector<Dim> dims;
    for (const Dim dim : tensor.shape.dims) {
      dims.push_back(dim.is_constant() ? dim : Dim{});
    }
    tensor.shape = op.in.heap.shape(dims);
  } else {
    tensor.shape = {};
  }
  return op.in.plain_tensor(tensor);
}

Value call_run(Operation &op) {
  check_feeds(op);
  return fetched(op, op.arg("fetches"), 0);
}

Value call_eval(Operation &op) {
  check_feeds(op);
  return fetched(op, op.arg("self"), 0);
}

Value call_operation_run(Operation &op) {
  check_feeds(op);
  return Value::none();
}

// optimizer.minimize(loss): something that can be run.
Value call_minimize(Operation &op) { return Value::of(op.in.heap.new_object(nullptr, intern("tensorflow.Operation"))); }
Value call_initializer(Operation &op) { return call_minimize(op); }
Value call_nothing(Operation &) { return {}; }

// ---- The tutorials' MNIST

Value digits(Operation &op, i64 count, bool is_flat, Truth one_hot, bool is_label) {
  Tensor tensor;
  tensor.library = Library::Numpy;
  std::vector<Dim> dims = {Dim::of(count)};
  if (!is_label) {
    tensor.dtype = Dtype::Float32;
    if (is_flat) {
      dims.push_back(Dim::of(784));
    } else {
      dims.insert(dims.end(), {Dim::of(28), Dim::of(28), Dim::of(1)});
    }
  } else if (one_hot == Truth::Yes) {
    dims.push_back(Dim::of(10));
  }
  if (!is_label || one_hot != Truth::Unknown) {
    tensor.shape = op.in.heap.shape(dims);
  }
  return op.result(tensor, {});
}

Value call_read_data_sets(Operation &op) {
  const Truth one_hot = op.truth("one_hot");
  const bool is_flat = op.truth("reshape") != Truth::No;
  Object *const sets = op.in.heap.new_object(nullptr, intern("tensorflow.mnist"));
  for (const auto &[name, count] :
       {std::pair("train", 55000), std::pair("validation", 5000), std::pair("test", 10000)}) {
    Object *const part = op.in.heap.new_object(nullptr, intern("tensorflow.mnist_part"));
    Names &names = part->content.attributes;
    names[intern("images").id] = digits(op, count, is_flat, one_hot, false);
    names[intern("labels").id] = digits(op, count, is_flat, one_hot, true);
    names[intern("num_examples").id] = Value::of_int(count);
    names[intern("*one_hot").id] = Value::of(one_hot);
    names[intern("*flat").id] = Value::of_bool(is_flat);
    sets->content.attributes[intern(name).id] = Value::of(part);
  }
  return Value::of(sets);
}

Value call_next_batch(Operation &op) {
  const Value self = op.arg("self");
  if (!self.is(Tag::Object)) {
    return {};
  }
  const auto get = [&](std::string_view name) { return self.object->content.attributes.find(intern(name).id)->second; };
  const Value size = op.arg("batch_size");
  const auto batch = [&](bool is_label) {
    const Value whole = digits(op, 1, get("*flat").truth() == Truth::Yes, get("*one_hot").truth(), is_label);
    Tensor tensor = *whole.tensor;
    if (tensor.shape.is_known()) {
      std::vector<Dim> dims = dims_in(tensor.shape);
      dims[0] = op.in.as_dim(size);
      tensor.shape = op.in.heap.shape(dims);
    }
    return op.result(tensor, {});
  };
  return op.in.heap.new_list({batch(false), batch(true)}, Tag::Tuple);
}

constexpr TransferEntry kTable[] = {
    {"tf_session", call_nothing},
    {"tf_run", call_run},
    {"tf_eval", call_eval},
    {"tf_operation_run", call_operation_run},
    {"tf_minimize", call_minimize},
    {"tf_initializer", call_initializer},
    {"tf_optimizer", call_nothing},
    {"tf_read_data_sets", call_read_data_sets},
    {"tf_next_batch", call_next_batch},
};

} // namespace
} // namespace tf_sessions

std::span<const TransferEntry> tf_session_transfers() { return tf_sessions::kTable; }

} // namespace deepperf::shapes
