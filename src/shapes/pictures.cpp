// Pictures as Pillow, OpenCV, scikit-image and Keras read and change them, up to the arrays that they become.
#include "shapes/frames.h"
#include "shapes/keras.h"
#include "shapes/tf.h"

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace pictures {
namespace {

constexpr std::string_view kPicture = "PIL.Image.Image";

Value array(Operation &op, const std::vector<Dim> &dims, Dtype dtype = Dtype::UInt8, const Tensor *input = nullptr) {
  return made(op, op.in.heap.shape(dims), dtype, {input}, Library::Numpy);
}

// Of a picture that nobody says the size of: no picture is a single row or column.
std::vector<Dim> some_size(Operation &op) { return {op.in.fresh("height", 2), op.in.fresh("width", 2)}; }

Value some_array(Operation &op) { return made(op, {}, Dtype::Unknown, {}, Library::Numpy); }

// ---- Pillow: height and width, and how many channels the mode has, come from different calls.

// 1 for "L", 3 for "RGB"; 0 if it is not known.
i64 channels_of(const Value &mode) {
  if (!mode.is(Tag::Str) || mode.number == 0) {
    return 0;
  }
  const std::string_view text = mode.text();
  return text == "L" || text == "1" || text == "P" || text == "I" || text == "F" ? 1
         : text == "RGB" || text == "YCbCr" || text == "HSV" || text == "LAB"    ? 3
         : text == "RGBA" || text == "CMYK"                                      ? 4
                                                                                 : 0;
}

Value picture(Operation &op, const Value &size, const Value &mode) {
  Object *const object = op.in.heap.new_object(nullptr, intern(kPicture));
  auto &attributes = object->content.attributes;
  attributes[intern("*size").id] = size;
  attributes[intern("*mode").id] = mode;
  std::vector<Dim> dims = some_size(op);
  if (size.is_sequence() && !size.list->content.is_open && size.list->content.items.size() == 2) {
    dims = {op.in.as_dim(size.list->content.items[1]), op.in.as_dim(size.list->content.items[0])};
  }
  const i64 channels = channels_of(mode);
  if (channels > 1) {
    dims.push_back(Dim::of(channels));
  }
  if (channels > 0) {
    Tensor tensor;
    tensor.library = Library::Numpy;
    tensor.dtype = Dtype::Unknown;
    tensor.shape = op.in.heap.shape(dims);
    attributes[intern("*array").id] = op.in.plain_tensor(tensor);
  }
  return Value::of(object);
}

Value part(const Value &object, std::string_view name) {
  return object.is(Tag::Object) ? keras_get(*object.object, name) : Value();
}

Value call_open(Operation &op) { return picture(op, {}, {}); }
Value call_new(Operation &op) { return picture(op, op.arg("size"), op.arg("mode")); }
Value call_pil_resize(Operation &op) { return picture(op, op.arg("size"), part(op.arg("self"), "*mode")); }
Value call_convert(Operation &op) {
  return picture(op, part(op.arg("self"), "*size"), op.is_given("mode") ? op.arg("mode") : Value());
}
// crop and the like: another size
Value call_other_size(Operation &op) { return picture(op, {}, part(op.arg("self"), "*mode")); }

// load_img(path, target_size=(224, 224)): a picture that becomes an array of this shape.
Value call_load_img(Operation &op) {
  const Value mode = op.arg("color_mode");
  const Truth gray = op.truth("grayscale");
  const bool is_gray = gray == Truth::Yes || (mode.is(Tag::Str) && mode.text() == "grayscale");
  const bool is_rgb = gray == Truth::No && mode.is(Tag::Str) && mode.text() == "rgb";
  const Value size = op.arg("target_size");
  Value turned; // Pillow has the width first
  if (size.is_sequence() && !size.list->content.is_open && size.list->content.items.size() == 2) {
    turned = op.in.heap.new_list({size.list->content.items[1], size.list->content.items[0]}, Tag::Tuple);
  }
  return picture(op, op.is_open ? Value() : turned,
                 op.is_open || (!is_gray && !is_rgb) ? Value() : Value::of_text(intern(is_gray ? "L" : "RGB")));
}

// Always three dimensions.
Value call_img_to_array(Operation &op) {
  const Value image = op.arg("img");
  const Tensor *const tensor = image.is(Tag::Tensor) ? image.tensor : array_in(image);
  if (op.is_given("data_format") || op.is_open) {
    return array(op, {Dim{}, Dim{}, Dim{}}, Dtype::Float32);
  }
  if (tensor == nullptr || (!tensor->shape.has_rank(2) && !tensor->shape.has_rank(3))) {
    const Value size = part(image, "*size");
    if (size.is_sequence() && size.list->content.items.size() == 2) {
      return array(op, {op.in.as_dim(size.list->content.items[1]), op.in.as_dim(size.list->content.items[0]), Dim{}},
                   Dtype::Float32);
    }
    return array(op, {Dim{}, Dim{}, Dim{}}, Dtype::Float32);
  }
  std::vector<Dim> dims = dims_in(tensor->shape);
  if (dims.size() == 2) {
    dims.push_back(Dim::of(1));
  }
  return array(op, dims, Dtype::Float32, tensor);
}

// ---- OpenCV

Value call_imread(Operation &op) {
  const Value flags = op.arg("flags");
  const std::string_view name = flags.is(Tag::Api) ? flags.text() : std::string_view{};
  if (flags.is_number(0) || name == "cv2.IMREAD_GRAYSCALE" || name == "cv2.CV_LOAD_IMAGE_GRAYSCALE") {
    return array(op, some_size(op));
  }
  if (flags.is_number(1) || name == "cv2.IMREAD_COLOR" || name == "cv2.CV_LOAD_IMAGE_COLOR") {
    std::vector<Dim> dims = some_size(op);
    dims.push_back(Dim::of(3));
    return array(op, dims);
  }
  return some_array(op);
}

Value call_cv_resize(Operation &op) {
  const Tensor *const input = op.tensor("src");
  std::vector<Dim> size;
  if (input == nullptr || !input->shape.is_known() || input->shape.rank() < 2 || input->shape.rank() > 3) {
    return some_array(op);
  }
  if (!op.arg("dsize").is_sequence() || !op.in.as_dims(op.arg("dsize"), size) || size.size() != 2) {
    size.assign(2, Dim{});
  }
  std::vector<Dim> dims = {size[1], size[0]};
  if (input->shape.rank() == 3 && !input->shape.dims[2].is(1)) { // one channel is dropped
    if (!input->shape.dims[2].is_constant()) {
      return some_array(op);
    }
    dims.push_back(input->shape.dims[2]);
  }
  return array(op, dims, input->dtype, input);
}

Value call_cvt_color(Operation &op) {
  const Tensor *const input = op.tensor("src");
  const Value code = op.arg("code");
  const std::string_view text = code.is(Tag::Api) ? code.text() : std::string_view{};
  std::vector<Dim> dims = some_size(op);
  if (input != nullptr && input->shape.is_known() && input->shape.rank() >= 2) {
    dims = {input->shape.dims[0], input->shape.dims[1]};
  }
  const std::size_t to = text.rfind('2');
  const std::string_view wanted = to != std::string_view::npos ? text.substr(to + 1) : std::string_view{};
  if (wanted == "GRAY") {
    return array(op, dims, input != nullptr ? input->dtype : Dtype::Unknown, input);
  }
  for (const std::string_view three : {"RGB", "BGR", "HSV", "LAB", "Lab", "HLS", "LUV", "YUV", "YCrCb", "YCR_CB"}) {
    if (wanted == three) {
      dims.push_back(Dim::of(3));
      return array(op, dims, input != nullptr ? input->dtype : Dtype::Unknown, input);
    }
  }
  return some_array(op);
}

// ---- scikit-image and SciPy: resize(image, (height, width)) keeps the channels

Value call_resize(Operation &op) {
  const Tensor *const input = op.tensor("image");
  std::vector<Dim> size;
  if (!op.arg("output_shape").is_sequence() || !op.in.as_dims(op.arg("output_shape"), size)) {
    return some_array(op);
  }
  if (size.size() == 2) {
    if (input == nullptr || !input->shape.is_known()) {
      return some_array(op);
    }
    for (u32 i = 2; i < input->shape.rank(); ++i) {
      size.push_back(input->shape.dims[i]);
    }
  }
  return array(op, size, Dtype::Unknown, input);
}

Value call_gray(Operation &op) {
  const Tensor *const input = op.tensor("rgb");
  if (input == nullptr || !input->shape.has_rank(3)) {
    return some_array(op);
  }
  return array(op, {input->shape.dims[0], input->shape.dims[1]}, Dtype::Float64, input);
}

// ---- tf.image

// decode_jpeg(bytes, channels=3); channels=0 takes what the file has.
Value call_decode(Operation &op) {
  const bool may_be_animated = op.short_name() == "decode_image" && op.truth("expand_animations") != Truth::No;
  if (may_be_animated || op.is_open) {
    return made(op, {}, Dtype::Unknown);
  }
  const auto channels = op.integer("channels");
  return made(op,
              op.in.heap.shape({op.in.fresh("height"), op.in.fresh("width"),
                                channels && *channels > 0 ? Dim::of(*channels) : Dim{}}),
              Dtype::Unknown);
}

Value call_image_same(Operation &op) {
  const Value given = op.arg("image");
  const Tensor *const input = given.is_unknown() ? nullptr : converted(op, given);
  return made(op, input != nullptr ? input->shape : Shape{}, Dtype::Unknown, {input});
}

// rgb_to_grayscale and back
Value call_image_channels(Operation &op) {
  const Value given = first_given(op, {"image", "images"});
  const Tensor *const input = given.is(Tag::Undefined) ? nullptr : converted(op, given);
  if (input == nullptr || !input->shape.is_known() || input->shape.rank() < 3) {
    return made(op, {}, Dtype::Unknown, {input});
  }
  std::vector<Dim> dims = dims_in(input->shape);
  dims.back() = Dim::of(op.short_name() == "rgb_to_grayscale" ? 1 : 3);
  return made(op, op.in.heap.shape(dims), Dtype::Unknown, {input});
}

// resize_with_pad(image, height, width)
Value call_resize_to(Operation &op) {
  const Tensor *const input = converted(op, "image");
  if (input == nullptr || (!input->shape.has_rank(3) && !input->shape.has_rank(4))) {
    return made(op, {}, Dtype::Unknown, {input});
  }
  std::vector<Dim> dims = dims_in(input->shape);
  dims[dims.size() - 3] = op.dim("target_height");
  dims[dims.size() - 2] = op.dim("target_width");
  return made(op, op.in.heap.shape(dims), Dtype::Unknown, {input});
}

constexpr TransferEntry kTable[] = {
    {"tf_decode", call_decode},
    {"tf_image_same", call_image_same},
    {"tf_image_channels", call_image_channels},
    {"tf_resize_to", call_resize_to},

    {"load_img", call_load_img},
    {"img_to_array", call_img_to_array},
    {"pil_open", call_open},
    {"pil_new", call_new},
    {"pil_resize", call_pil_resize},
    {"pil_convert", call_convert},
    {"pil_other_size", call_other_size},
    {"cv_imread", call_imread},
    {"cv_resize", call_cv_resize},
    {"cv_cvt_color", call_cvt_color},
    {"image_resize", call_resize},
    {"image_gray", call_gray},
};

} // namespace
} // namespace pictures

std::span<const TransferEntry> picture_transfers() { return pictures::kTable; }

} // namespace deepperf::shapes
