// Functions of PyTorch that take a second tensor of a certain form: indices, grids, lengths, what is compared.
#include "shapes/more_tables.h"
#include "shapes/torch.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace torch_places {
namespace {

std::vector<Dim> dims_of(const Shape &shape) { return {shape.dims.begin(), shape.dims.end()}; }

void fail(Operation &op, Fault fault, std::initializer_list<const Tensor *> tensors, std::string message,
          std::string advice) {
  if (Problem *problem = op.report(fault, std::move(message))) {
    for (const Tensor *tensor : tensors) {
      op.in.add_chain(*problem, *tensor);
    }
    problem->advice = std::move(advice);
  }
}

// Whether two tensors broadcast; reports it if they do not.
bool check_broadcast(Operation &op, const Tensor &a, const Tensor &b, Broadcast &both) {
  both = broadcast(op.in, a.shape, b.shape);
  if (!both.fits) {
    fail(op, Fault::ShapesDoNotFit, {&a, &b},
         fmt::format("{} of {} and {} is invalid: {} is not {}", op.short_name(), op.in.text_of(a), op.in.text_of(b),
                     op.in.terms.text(both.left), op.in.terms.text(both.right)),
         "sizes must be equal, or one of them 1, counted from the last dimension");
  }
  return both.fits;
}

// x.scatter(dim, index, src): all three have as many dimensions, and indices are of int64.
Value call_scatter(Operation &op) {
  const Value receiver = op.arg("input");
  const Tensor *const input = op.in.as_tensor(receiver);
  const Value given = op.arg("index");
  const Tensor *const index = given.is(Tag::Tensor) ? given.tensor : nullptr;
  if (input == nullptr) {
    return {};
  }
  const bool is_in_place = op.short_name().ends_with("_");
  const Value result = is_in_place ? receiver : op.like(*input, input->shape);
  if (index == nullptr || index->library != Library::Torch) {
    return result;
  }
  const bool is_other = index->dtype == Dtype::Int32 || index->dtype == Dtype::Int16 || index->dtype == Dtype::Int8 ||
                        index->dtype == Dtype::Bool || (index->dtype != Dtype::Unknown && is_floating(index->dtype));
  if (is_other) {
    fail(op, Fault::DtypeMismatch, {index},
         fmt::format("{} takes an index of int64, but gets {}", op.short_name(), name_of(index->dtype)),
         "convert the index: index.long()");
    return result;
  }
  const auto check_rank = [&](const Tensor &tensor, std::string_view role) {
    const bool fits = !input->shape.is_known() || !tensor.shape.is_known() || input->shape.rank() == 0 ||
                      tensor.shape.rank() == 0 || input->shape.rank() == tensor.shape.rank();
    if (!fits) {
      fail(op, Fault::WrongRank, {input, &tensor},
           fmt::format("{} takes {} with as many dimensions as {}, but gets {}", op.short_name(), role,
                       op.in.text_of(*input), op.in.text_of(tensor)),
           fmt::format("add the missing dimension: {}.unsqueeze(1)", role == "an index" ? "index" : "src"));
    }
    return fits;
  };
  const Value source = op.arg("src");
  if (check_rank(*index, "an index") && source.is(Tag::Tensor) && source.tensor->shape.is_known() &&
      source.tensor->shape.rank() > 0) {
    check_rank(*source.tensor, "values");
  }
  return result;
}

// The grid says where each place of the result is read: [batch, height, width, 2].
Value call_grid_sample(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Tensor *const grid = op.tensor("grid");
  if (input == nullptr || grid == nullptr || !input->shape.is_known() || !grid->shape.is_known()) {
    return op.unknown_tensor(input);
  }
  const u32 rank = input->shape.rank();
  if (rank != grid->shape.rank() || (rank != 4 && rank != 5)) {
    fail(op, Fault::WrongRank, {input, grid},
         fmt::format("grid_sample takes an input and a grid with 4 dimensions, or 5 for volumes, but gets {} and {}",
                     op.in.text_of(*input), op.in.text_of(*grid)),
         "the input is [batch, channels, height, width], the grid [batch, height, width, 2]");
    return op.unknown_tensor(input);
  }
  const Dim places = Dim::of(static_cast<i64>(rank) - 2);
  if (op.in.terms.differ(grid->shape.from_end(0), places) ||
      op.in.terms.differ(grid->shape.dims[0], input->shape.dims[0])) {
    fail(op, Fault::ShapesDoNotFit, {input, grid},
         fmt::format("grid_sample takes a grid of [{}, …, {}] for an input of {}, but gets {}",
                     op.in.terms.text(input->shape.dims[0]), op.in.terms.text(places), op.in.text_of(*input),
                     op.in.text_of(*grid)),
         "the last dimension of the grid holds x and y; its first is the batch");
    return op.unknown_tensor(input);
  }
  std::vector<Dim> dims = dims_of(grid->shape);
  dims.pop_back();
  dims.insert(dims.begin() + 1, input->shape.dims[1]);
  return op.like(*input, op.in.heap.shape(dims));
}

// affine_grid(theta, size): theta is [batch, 2, 3].
Value call_affine_grid(Operation &op) {
  const Tensor *const theta = op.tensor("theta");
  std::vector<Dim> size;
  if (theta == nullptr || !op.in.as_dims(op.arg("size"), size) || (size.size() != 4 && size.size() != 5)) {
    return op.unknown_tensor(theta);
  }
  const Dim places = Dim::of(static_cast<i64>(size.size()) - 2);
  const Dim columns = Dim::of(places.value + 1);
  const bool fits =
      !theta->shape.is_known() ||
      (theta->shape.rank() == 3 && !op.in.terms.differ(theta->shape.dims[0], size[0]) &&
       !op.in.terms.differ(theta->shape.dims[1], places) && !op.in.terms.differ(theta->shape.dims[2], columns));
  if (!fits) {
    fail(op, Fault::ShapesDoNotFit, {theta},
         fmt::format("affine_grid takes matrices of [{}, {}, {}], but gets {}", op.in.terms.text(size[0]), places.value,
                     columns.value, op.in.text_of(*theta)),
         "give it one matrix for each image of the batch");
    return op.unknown_tensor(theta);
  }
  std::vector<Dim> dims = {size[0]};
  dims.insert(dims.end(), size.begin() + 2, size.end());
  dims.push_back(places);
  return op.like(*theta, op.in.heap.shape(dims));
}

// cosine_similarity(a, b, dim=1), pairwise_distance(a, b): what broadcasting gives, without a dimension.
Value call_similarity(Operation &op) {
  const Tensor *const a = op.tensor("x1");
  const Tensor *const b = op.tensor("x2");
  Broadcast both;
  if (a == nullptr || b == nullptr || !check_broadcast(op, *a, *b, both) || !both.shape.is_known()) {
    return op.unknown_tensor(a);
  }
  Tensor whole = *a;
  whole.shape = both.shape;
  const auto at = op.integer("dim");
  const auto axis = at ? axis_of(op, whole, *at, "dim") : std::nullopt;
  const bool keeps = op.truth("keepdim") != Truth::No;
  if (!axis || keeps || both.shape.rank() == 0) {
    return op.unknown_tensor(a);
  }
  std::vector<Dim> dims = dims_of(both.shape);
  dims.erase(dims.begin() + *axis);
  Tensor result = *a;
  result.is_parameter = false;
  result.grad = a->grad == Truth::Yes || b->grad == Truth::Yes ? Truth::Yes
                : a->grad == Truth::No && b->grad == Truth::No ? Truth::No
                                                               : Truth::Unknown;
  result.shape = op.in.heap.shape(dims);
  return op.result(result, {a, b});
}

// TripletMarginLoss: three tensors that broadcast.
Value call_triplet(Operation &op) {
  const Tensor *const anchor = op.tensor("anchor");
  for (const std::string_view name : {"positive", "negative"}) {
    const Tensor *const other = op.tensor(name);
    Broadcast both;
    if (anchor != nullptr && other != nullptr && !check_broadcast(op, *anchor, *other, both)) {
      break;
    }
  }
  Tensor loss;
  loss.library = Library::Torch;
  loss.grad = anchor != nullptr ? anchor->grad : Truth::Unknown;
  const Value reduction = op.arg("reduction");
  const bool is_one = reduction.is(Tag::Str) && (reduction.text() == "mean" || reduction.text() == "sum");
  loss.shape = is_one ? op.in.heap.shape({}) : Shape{};
  return op.result(loss, {anchor});
}

// What pack_padded_sequence gives: its features are known, and a layer keeps its batch. Recurrent layers take it as
// well.
Value packed(Operation &op, const Tensor &input, Truth batch_first) {
  Object *const object = op.in.heap.new_object(nullptr, intern("torch.nn.utils.rnn.PackedSequence"));
  Tensor data = input;
  data.is_parameter = false;
  Dim batch;
  if (input.shape.is_known() && input.shape.rank() >= 2 && batch_first != Truth::Unknown) {
    batch = input.shape.dims[batch_first == Truth::Yes ? 0 : 1];
    std::vector<Dim> dims = {Dim{}};
    dims.insert(dims.end(), input.shape.dims.begin() + 2, input.shape.dims.end());
    data.shape = op.in.heap.shape(dims);
  } else {
    data.shape = {};
  }
  object->content.attributes[intern("data").id] = op.in.plain_tensor(data);
  object->content.attributes[intern("*batch").id] = Value::of(batch);
  object->content.is_open = true;
  return Value::of(object);
}

Value call_pack(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Value given = op.arg("lengths");
  const Truth batch_first = op.truth("batch_first");
  Dim count;
  if (given.is(Tag::Tensor) && given.tensor->shape.has_rank(1)) {
    count = given.tensor->shape.dims[0];
  } else if (given.is(Tag::List) && !given.list->content.is_open) {
    count = Dim::of(static_cast<i64>(given.list->content.items.size()));
  }
  if (given.is(Tag::Tensor) && given.tensor->library == Library::Torch &&
      (given.tensor->device.kind == Device::Kind::Gpu || given.tensor->device.kind == Device::Kind::Variable)) {
    fail(op, Fault::DeviceMismatch, {given.tensor},
         "pack_padded_sequence takes lengths on the CPU, but gets them on a GPU", "pass lengths.cpu()");
    return {};
  }
  if (input != nullptr && input->shape.is_known() && input->shape.rank() >= 2 && batch_first != Truth::Unknown) {
    const Dim batch = input->shape.dims[batch_first == Truth::Yes ? 0 : 1];
    if (op.in.terms.differ(batch, count)) {
      fail(op, Fault::ShapesDoNotFit, {input},
           fmt::format("pack_padded_sequence takes {} lengths for {}, but gets {}", op.in.terms.text(batch),
                       op.in.text_of(*input), op.in.terms.text(count)),
           batch_first == Truth::Yes ? "give a length for each sequence of the batch"
                                     : "give a length for each sequence of the batch, which is the second dimension "
                                       "unless batch_first=True is passed");
      return {};
    }
  }
  return input != nullptr ? packed(op, *input, batch_first) : Value();
}

Value call_unpack(Operation &op) {
  const Value sequence = op.arg("sequence");
  if (!sequence.is(Tag::Object) || !sequence.object->content.api ||
      sequence.object->content.api.text() != "torch.nn.utils.rnn.PackedSequence") {
    return {};
  }
  const Names &attributes = sequence.object->content.attributes;
  const Value *const data = find_name(attributes, intern("data").id);
  const Value *const batch = find_name(attributes, intern("*batch").id);
  const Truth batch_first = op.truth("batch_first");
  if (data == nullptr || !data->is(Tag::Tensor) || !data->tensor->shape.is_known() || batch == nullptr ||
      batch_first == Truth::Unknown || op.is_open) {
    return {};
  }
  Tensor padded = *data->tensor;
  std::vector<Dim> dims(padded.shape.dims.begin() + 1, padded.shape.dims.end());
  const Dim length; // that of the longest
  dims.insert(dims.begin(),
              {batch_first == Truth::Yes ? batch->dim() : length, batch_first == Truth::Yes ? length : batch->dim()});
  padded.shape = op.in.heap.shape(dims);
  Tensor lengths;
  lengths.library = Library::Torch;
  lengths.dtype = Dtype::Int64;
  lengths.device = {Device::Kind::Cpu};
  lengths.grad = Truth::No;
  lengths.shape = op.in.heap.shape({batch->dim()});
  return op.in.heap.new_list({op.result(padded, {data->tensor}), op.in.plain_tensor(lengths)}, Tag::Tuple);
}

// EmbeddingBag: one row for each bag.
Value call_embedding_bag(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Value given = op.arg("offsets");
  const Tensor *const offsets = given.is(Tag::Tensor) ? given.tensor : nullptr;
  if (input == nullptr) {
    return {};
  }
  if (!check_layer(op, *input)) {
    return op.unknown_tensor(input);
  }
  const bool has_two = input->shape.has_rank(2);
  if (has_two && offsets != nullptr) {
    fail(
        op, Fault::WrongRank, {input},
        fmt::format("EmbeddingBag takes offsets only for indices with 1 dimension, but gets {}", op.in.text_of(*input)),
        "omit the offsets: each row is a bag");
    return op.unknown_tensor(input);
  }
  if (input->shape.has_rank(1) && given.is(Tag::None)) {
    fail(op, Fault::WrongRank, {input},
         fmt::format("EmbeddingBag takes offsets with indices of {}", op.in.text_of(*input)),
         "pass offsets, or one row of indices for each bag");
    return op.unknown_tensor(input);
  }
  Tensor result = layer_result(op, *input);
  const Dim size = op.dim("embedding_dim");
  result.dtype = Dtype::Unknown;
  const bool is_plain = op.truth("include_last_offset") == Truth::No;
  result.shape = has_two ? op.in.heap.shape({input->shape.dims[0], size})
                 : offsets != nullptr && offsets->shape.has_rank(1) && is_plain
                     ? op.in.heap.shape({offsets->shape.dims[0], size})
                     : op.in.heap.shape({size}, Shape::Kind::Tail);
  return op.result(result, {input});
}

Value call_cdist(Operation &op) {
  const Tensor *const a = op.tensor("x1");
  const Tensor *const b = op.tensor("x2");
  if (a == nullptr || b == nullptr) {
    return op.unknown_tensor(a);
  }
  if (op.in.terms.differ(a->shape.from_end(0), b->shape.from_end(0))) {
    fail(op, Fault::ShapesDoNotFit, {a, b},
         fmt::format("cdist of {} and {} is invalid: points of {} and of {} numbers", op.in.text_of(*a),
                     op.in.text_of(*b), op.in.terms.text(a->shape.from_end(0)), op.in.terms.text(b->shape.from_end(0))),
         "both must have the same last size");
    return op.unknown_tensor(a);
  }
  if (!a->shape.is_known() || !b->shape.is_known() || a->shape.rank() != b->shape.rank() || a->shape.rank() < 2) {
    return op.unknown_tensor(a);
  }
  std::vector<Dim> dims = dims_of(a->shape);
  dims.back() = b->shape.from_end(1);
  if (dims.size() > 2 && op.in.terms.compare(a->shape.dims[0], b->shape.dims[0]) != Sign::Zero) {
    return op.unknown_tensor(a);
  }
  return op.like(*a, op.in.heap.shape(dims));
}

// addmm(input, mat1, mat2): input + mat1 @ mat2
Value call_addmm(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Tensor *const a = op.tensor("mat1");
  const Tensor *const b = op.tensor("mat2");
  if (input == nullptr || a == nullptr || b == nullptr || !a->shape.is_known() || !b->shape.is_known()) {
    return op.unknown_tensor(input);
  }
  const u32 rank = op.short_name() == "baddbmm" ? 3 : 2;
  for (const Tensor *matrix : {a, b}) {
    if (matrix->shape.rank() != rank) {
      fail(op, Fault::WrongRank, {matrix},
           fmt::format("{} takes factors with {} dimensions, but gets {}", op.short_name(), rank,
                       op.in.text_of(*matrix)),
           "add or remove a dimension");
      return op.unknown_tensor(input);
    }
  }
  if (op.in.terms.differ(a->shape.from_end(0), b->shape.from_end(1))) {
    fail(op, Fault::ShapesDoNotFit, {a, b},
         fmt::format("{} of {} and {} is invalid: {} columns meet {} rows", op.short_name(), op.in.text_of(*a),
                     op.in.text_of(*b), op.in.terms.text(a->shape.from_end(0)), op.in.terms.text(b->shape.from_end(1))),
         "the last size of the first factor must be the second last of the second");
    return op.unknown_tensor(input);
  }
  std::vector<Dim> dims = dims_of(a->shape);
  dims.back() = b->shape.from_end(0);
  Tensor product = *a;
  product.shape = op.in.heap.shape(dims);
  Broadcast both;
  check_broadcast(op, *input, product, both);
  return op.like(*input, product.shape);
}

// A function of two or three tensors, element by element.
Value call_three(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  Shape shape = input->shape;
  for (const std::string_view name : {"second", "third"}) {
    const Value value = op.arg(name);
    if (!value.is(Tag::Tensor)) {
      const bool is_number = value.is(Tag::Int) || value.is(Tag::Float) || value.is(Tag::Bool) || value.is(Tag::None);
      shape = is_number ? shape : Shape{};
      continue;
    }
    Tensor so_far = *input;
    so_far.shape = shape;
    Broadcast both;
    if (!check_broadcast(op, so_far, *value.tensor, both)) {
      return op.unknown_tensor(input);
    }
    shape = both.shape;
  }
  return op.like(*input, op.short_name().ends_with("_") ? input->shape : shape);
}

// Gradients are computed of one number.
Value call_backward(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input != nullptr && input->library == Library::Torch && input->shape.is_known() && !op.is_open &&
      op.arg("gradient").is(Tag::None) && op.in.terms.is_at_least(numel(op.in, input->shape), 2)) {
    fail(op, Fault::WrongRank, {input},
         fmt::format("backward() starts from one number, but gets {}", op.in.text_of(*input)),
         "reduce the loss first, for instance with .mean()");
  }
  return Value::none();
}

// Embedding.from_pretrained(table)
Value call_pretrained_embedding(Operation &op) {
  const Tensor *const table = op.tensor("embeddings");
  Arguments sizes;
  sizes.node = as<Call>(op.node);
  sizes.positional = {Value::of(Dim{}), Value::of(Dim{})};
  if (table != nullptr && table->shape.is_known()) {
    if (table->shape.rank() != 2) {
      fail(op, Fault::WrongRank, {table},
           "from_pretrained takes a table with 2 dimensions, but gets " + op.in.text_of(*table),
           "give it one row for each index");
    } else {
      sizes.positional = {Value::of(table->shape.dims[0]), Value::of(table->shape.dims[1])};
    }
  }
  return op.in.call_api(intern("torch.nn.Embedding"), sizes, op.node);
}

constexpr TransferEntry kTable[] = {
    {"backward", call_backward},
    {"embedding_pretrained", call_pretrained_embedding},
    {"scatter", call_scatter},
    {"grid_sample", call_grid_sample},
    {"affine_grid", call_affine_grid},
    {"similarity", call_similarity},
    {"triplet_loss", call_triplet},
    {"pack_sequence", call_pack},
    {"unpack_sequence", call_unpack},
    {"embedding_bag", call_embedding_bag},
    {"cdist", call_cdist},
    {"addmm", call_addmm},
    {"elementwise_three", call_three},
};

} // namespace
} // namespace torch_places

std::span<const TransferEntry> torch_place_transfers() { return torch_places::kTable; }

} // namespace deepperf::shapes
