#include "shapes/frames.h"
#include "shapes/keras.h"
#include "shapes/tf.h"

#include "frameworks/frameworks.h"

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace frames {
namespace {

constexpr std::string_view kFrame = "pandas.DataFrame";
constexpr std::string_view kSeries = "pandas.Series";
constexpr std::string_view kRows = "pandas.Indexer"; // df.iloc, df.loc

bool is_api(const Value &value, std::string_view api) {
  return value.is(Tag::Object) && value.object->type == nullptr && value.object->content.api &&
         value.object->content.api.text() == api;
}

Tensor table(Interpreter &in, const std::vector<Dim> &dims) {
  Tensor tensor;
  tensor.library = Library::Numpy;
  tensor.shape = in.heap.shape(dims);
  return tensor;
}

Value frame(Interpreter &in, const std::vector<Dim> &dims) { return frame_of(in, table(in, dims)); }

// How many names a list of columns has; unknown if that is not known.
Dim count_of(const Value &names) {
  return names.is_sequence() && !names.list->content.is_open
             ? Dim::of(static_cast<i64>(names.list->content.items.size()))
             : Dim{};
}

// How many are left of `size` by one index. False: none, the dimension goes away. Nothing: it may be either.
struct Kept {
  bool is_known = true;
  bool is_kept = true;
  Dim size;
};

Kept kept(Interpreter &in, const Value &index, Dim size, bool is_by_label) {
  if (index.is(Tag::Int) || index.is(Tag::Str)) {
    return {true, false, {}};
  }
  if (index.is(Tag::List)) {
    return {true, true, count_of(index)};
  }
  if (is_frame(index) || index.is(Tag::Tensor)) { // rows by a mask or by numbers
    return {true, true, Dim{}};
  }
  if (!index.is(Tag::Slice)) {
    return {false, true, {}};
  }
  const SliceObject &slice = *index.slice;
  const bool is_whole = slice.lower.is(Tag::None) && slice.upper.is(Tag::None) && slice.step.is(Tag::None);
  if (is_whole || is_by_label || !slice.step.is(Tag::None)) {
    return {true, true, is_whole ? size : Dim{}};
  }
  // Who writes 0:4 knows that there are four.
  const Dim lower = slice.lower.is(Tag::None) ? Dim::of(0) : in.as_dim(slice.lower);
  const Dim upper = slice.upper.is(Tag::None) ? size : in.as_dim(slice.upper);
  const auto from_front = [&](Dim dim) { return dim.is_constant() && dim.value < 0 ? in.terms.add(size, dim) : dim; };
  const Dim count = in.terms.subtract(from_front(upper), from_front(lower));
  return {true, true, count.is_constant() && count.value < 0 ? Dim{} : count};
}

} // namespace
} // namespace frames

bool is_frame(const Value &value) {
  return frames::is_api(value, frames::kFrame) || frames::is_api(value, frames::kSeries);
}

const Tensor *array_in(const Value &value) {
  if (!is_frame(value) && !frames::is_api(value, "PIL.Image.Image")) {
    return nullptr;
  }
  const Value array = keras_get(*value.object, "*array");
  return array.is(Tag::Tensor) ? array.tensor : nullptr;
}

Value frame_of(Interpreter &in, const Tensor &array) {
  if (!array.shape.has_rank(1) && !array.shape.has_rank(2)) {
    return {};
  }
  Object *const object =
      in.heap.new_object(nullptr, intern(array.shape.rank() == 2 ? frames::kFrame : frames::kSeries));
  object->content.attributes[intern("*array").id] = in.plain_tensor(array);
  return Value::of(object);
}

Value frame_attribute(Interpreter &in, const Object &object, Symbol name) {
  const std::string_view text = name.text();
  const Value self = Value::of(const_cast<Object *>(&object));
  if (frames::is_api(self, frames::kRows)) {
    return {};
  }
  const Tensor *const array = array_in(self);
  if (array == nullptr) {
    return {};
  }
  if (text == "values") {
    return in.plain_tensor(*array);
  }
  if (text == "shape") {
    return in.shape_value(self, *array);
  }
  if (text == "ndim") {
    return Value::of_int(array->shape.rank());
  }
  if (text == "iloc" || text == "loc" || text == "ix") {
    Object *const rows = in.heap.new_object(nullptr, intern(frames::kRows));
    rows->content.attributes[intern("*frame").id] = self;
    rows->content.attributes[intern("*by_label").id] = Value::of_bool(text != "iloc");
    return Value::of(rows);
  }
  if (text == "T") {
    std::vector<Dim> dims = dims_in(array->shape);
    std::ranges::reverse(dims);
    return frames::frame(in, dims);
  }
  if (text == "codes" || text == "cat" || text == "dt") {
    return array->shape.rank() == 1 ? self : Value(Tag::Undefined);
  }
  // What is no method is a column.
  static constexpr std::string_view kOthers[] = {"columns", "index", "dtypes", "dtype", "size", "empty",  "axes",
                                                 "style",   "plot",  "str",    "name",  "hist", "nbytes", "attrs"};
  const bool is_method = deepperf::find_method(Kind::PandasFrame, name) != nullptr ||
                         in.spec_of(intern(std::string(frames::kFrame) + "." + std::string(text))) != nullptr ||
                         std::ranges::find(kOthers, text) != std::end(kOthers);
  if (array->shape.rank() == 2 && !is_method) {
    return frames::frame(in, {array->shape.dims[0]});
  }
  return Value(Tag::Undefined);
}

Value frame_subscript(Interpreter &in, const Object &object, const Value &index) {
  const Value self = Value::of(const_cast<Object *>(&object));
  if (frames::is_api(self, frames::kRows)) {
    const Value of = keras_get(object, "*frame");
    const bool is_by_label = in.truth(keras_get(object, "*by_label")) != Truth::No;
    const Tensor *const array = array_in(of);
    std::vector<Value> indices = {index};
    if (index.is(Tag::Tuple)) {
      if (index.list->content.is_open) {
        return {};
      }
      indices = index.list->content.items;
    }
    if (array == nullptr || indices.size() > array->shape.rank()) {
      return {};
    }
    std::vector<Dim> dims;
    for (u32 i = 0; i < array->shape.rank(); ++i) {
      const Dim size = array->shape.dims[i];
      const frames::Kept one =
          i < indices.size() ? frames::kept(in, indices[i], size, is_by_label) : frames::Kept{true, true, size};
      if (!one.is_known) {
        return {};
      }
      if (one.is_kept) {
        dims.push_back(one.size);
      }
    }
    return frames::frame(in, dims);
  }
  const Tensor *const array = array_in(self);
  if (array == nullptr) {
    return {};
  }
  if (array->shape.rank() == 1) {
    return index.is(Tag::Slice) || is_frame(index) ? frames::frame(in, {Dim{}}) : Value();
  }
  if (index.is(Tag::Str)) {
    return frames::frame(in, {array->shape.dims[0]});
  }
  if (index.is(Tag::List)) {
    return frames::frame(in, {array->shape.dims[0], frames::count_of(index)});
  }
  if (index.is(Tag::Slice)) {
    return frames::frame(in, {frames::kept(in, index, array->shape.dims[0], true).size, array->shape.dims[1]});
  }
  return frames::is_api(index, frames::kSeries) ? frames::frame(in, {Dim{}, array->shape.dims[1]}) : Value();
}

void frame_change(Interpreter &in, Object &object) {
  const Tensor *const array = array_in(Value::of(&object));
  if (array != nullptr && array->shape.rank() == 2) {
    in.heap.change(object).attributes[intern("*array").id] =
        in.plain_tensor(frames::table(in, {array->shape.dims[0], Dim{}}));
  }
}

Value frame_binary(Interpreter &in, const Value &left, const Value &right, bool is_comparison) {
  const Value &self = is_frame(left) ? left : right;
  const Value &other = is_frame(left) ? right : left;
  const Tensor *const array = array_in(self);
  const bool is_number = other.is(Tag::Int) || other.is(Tag::Float);
  const bool is_text = other.is(Tag::Str) && is_comparison;
  if (array == nullptr) {
    return {};
  }
  if (is_number || is_text) {
    return frames::frame(in, dims_in(array->shape));
  }
  const Tensor *const second = array_in(other);
  if (second == nullptr) {
    return {};
  }
  // Rows and columns are matched by their labels.
  return frames::frame(in, std::vector<Dim>(std::max(array->shape.rank(), second->shape.rank())));
}

namespace frames {
namespace {

// read_csv and the like
Value call_read(Operation &op) {
  // With a chunksize it is an iterator, with squeeze a Series.
  if (op.is_given("chunksize") || op.is_given("iterator") || op.is_given("squeeze") || op.is_given("sheet_name") ||
      op.is_given("typ")) {
    return {};
  }
  const Dim columns =
      op.is_given("usecols") && !op.is_given("index_col") ? count_of(op.arg("usecols")) : op.in.fresh("columns");
  return frame(op.in, {op.in.fresh("rows"), columns});
}

// DataFrame(array), DataFrame({"a": …, "b": …}), Series(list)
Value call_make(Operation &op) {
  const Value data = op.arg("data");
  const bool is_series = op.short_name() == "Series";
  const Tensor *const array = data.is(Tag::Tensor) ? data.tensor : array_in(data);
  if (array != nullptr && array->shape.is_known()) {
    const Value columns = is_series ? Value() : op.arg("columns");
    if (array->shape.has_rank(1) && !is_series) {
      return frame(op.in, {array->shape.dims[0], Dim::of(1)});
    }
    // Of a DataFrame, `columns` selects some.
    if (is_frame(data) && op.is_given("columns")) {
      return frame(op.in, {array->shape.dims[0], count_of(columns)});
    }
    return frame_of(op.in, *array);
  }
  if (is_series) {
    return frame(op.in, {data.is_sequence() && !data.list->content.is_open ? count_of(data) : Dim{}});
  }
  if (data.is(Tag::Dict) && !data.dict->content.is_open) {
    return frame(op.in,
                 {Dim{}, op.is_given("columns") ? Dim{} : Dim::of(static_cast<i64>(data.dict->content.items.size()))});
  }
  return frame(op.in, {Dim{}, Dim{}});
}

// get_dummies(series): a column for each value, at least one.
Value call_dummies(Operation &op) {
  const Value data = op.arg("data");
  const Tensor *const array = data.is(Tag::Tensor) ? data.tensor : array_in(data);
  return frame(op.in,
               {array != nullptr && array->shape.rank() > 0 && array->shape.is_known() ? array->shape.dims[0] : Dim{},
                op.in.fresh("classes", 1)});
}

// concat of frames, as far as it keeps the rank
Value call_concat(Operation &op) {
  std::vector<Value> items;
  if (!op.in.iterate(op.arg("objs"), items) || items.empty()) {
    return {};
  }
  return std::ranges::all_of(items, [](const Value &item) { return is_api(item, kFrame); })
             ? frame(op.in, {Dim{}, Dim{}})
             : Value();
}

Value call_array_of(Operation &op) {
  const Tensor *const array = array_in(op.arg("self"));
  if (array == nullptr) {
    return {};
  }
  Tensor copy = *array;
  copy.dtype = Dtype::Unknown;
  return op.result(copy, {});
}

// fillna, astype, round, …: a frame like this one, or this one changed
Value call_same(Operation &op) {
  const Tensor *const array = array_in(op.arg("self"));
  return array == nullptr                        ? Value()
         : op.truth("inplace") == Truth::Yes     ? Value::none()
         : op.truth("inplace") == Truth::Unknown ? Value()
                                                 : frame_of(op.in, *array);
}

// Rows are left out: dropna, sample, head, …
Value call_rows(Operation &op) {
  const Value self = op.arg("self");
  const Tensor *const array = array_in(self);
  if (array == nullptr) {
    return {};
  }
  std::vector<Dim> dims = dims_in(array->shape);
  dims[0] = {};
  if (dims.size() > 1 && op.is_given("axis") && !op.arg("axis").is_number(0)) {
    dims[1] = {};
  }
  if (op.truth("inplace") != Truth::No) {
    op.in.heap.change(*self.object).attributes[intern("*array").id] = op.in.plain_tensor(table(op.in, dims));
    return op.truth("inplace") == Truth::Yes ? Value::none() : Value();
  }
  return frame(op.in, dims);
}

Value call_drop(Operation &op) {
  const Value self = op.arg("self");
  const Tensor *const array = array_in(self);
  if (array == nullptr) {
    return {};
  }
  std::vector<Dim> dims = dims_in(array->shape);
  const Value axis = op.arg("axis");
  const bool names_columns = op.is_given("columns");
  const bool is_column = names_columns || axis.is_number(1) || (axis.is(Tag::Str) && axis.text() == "columns");
  const Value labels = names_columns ? op.arg("columns") : op.arg("labels");
  if (dims.size() == 2 && is_column && !op.is_given("index")) {
    const Dim count = labels.is(Tag::Str) || labels.is(Tag::Int) ? Dim::of(1) : count_of(labels);
    dims[1] = op.is_given("errors") ? Dim{} : op.in.terms.subtract(dims[1], count);
    if (dims[1].is_constant() && dims[1].value < 0) {
      dims[1] = {};
    }
  } else {
    dims.assign(dims.size(), Dim{});
  }
  if (op.truth("inplace") != Truth::No) {
    op.in.heap.change(*self.object).attributes[intern("*array").id] =
        op.in.plain_tensor(table(op.in, op.truth("inplace") == Truth::Yes ? dims : std::vector<Dim>(dims.size())));
    return op.truth("inplace") == Truth::Yes ? Value::none() : Value();
  }
  return frame(op.in, dims);
}

// pop("label"), insert(0, "name", values), set_index("date"): the columns are others
Value call_change(Operation &op) {
  const Value self = op.arg("self");
  const Tensor *const array = array_in(self);
  if (array == nullptr) {
    return {};
  }
  const std::vector<Dim> before = dims_in(array->shape);
  if (op.short_name() == "pop" || op.short_name() == "insert" || op.truth("inplace") != Truth::No) {
    frame_change(op.in, *self.object);
  }
  if (op.short_name() == "pop" && before.size() == 2) {
    const Dim left = op.in.terms.subtract(before[1], Dim::of(1));
    op.in.heap.change(*self.object).attributes[intern("*array").id] =
        op.in.plain_tensor(table(op.in, {before[0], left}));
  }
  if (before.size() != 2) {
    return {};
  }
  return op.short_name() == "pop"                                          ? frame(op.in, {before[0]})
         : op.short_name() == "insert" || op.truth("inplace") != Truth::No ? Value()
                                                                           : frame(op.in, {Dim{}, Dim{}});
}

// series.map(f), series.apply(f): one value for each row, unless it gives rows itself
Value call_each(Operation &op) {
  const Tensor *const array = array_in(op.arg("self"));
  return array != nullptr && array->shape.rank() == 1 && !op.is_given("axis") && op.short_name() == "map"
             ? frame_of(op.in, *array)
             : Value();
}

constexpr TransferEntry kTable[] = {
    {"frame_read", call_read},     {"frame_make", call_make},      {"frame_dummies", call_dummies},
    {"frame_concat", call_concat}, {"frame_array", call_array_of}, {"frame_same", call_same},
    {"frame_rows", call_rows},     {"frame_drop", call_drop},      {"frame_change", call_change},
    {"frame_each", call_each},
};

} // namespace
} // namespace frames

std::span<const TransferEntry> frame_transfers() { return frames::kTable; }

} // namespace deepperf::shapes
