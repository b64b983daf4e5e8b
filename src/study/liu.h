// The data and the taxonomy of Liu et al., "Understanding the implementation issues when using deep learning
// frameworks" (Information and Software Technology, 2024): 2,401 how-to questions, each with a label (verb, object,
// phase).
#pragma once

#include "base/types.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

// In the order of the paper's tables.
struct LiuPhase {
  char letter;
  std::string_view name;
};
inline constexpr std::array kLiuPhases = std::to_array<LiuPhase>({{'D', "Data Processing"},
                                                                  {'M', "Model Setting"},
                                                                  {'T', "Model Training"},
                                                                  {'P', "Model Prediction"},
                                                                  {'E', "Model Evaluation"},
                                                                  {'R', "Runtime Environment"},
                                                                  {'V', "Visualization"}});

std::string_view liu_phase_name(char letter); // empty if it is none

// An object of the taxonomy: M4 is Trained model.
struct LiuObject {
  char phase;
  int number;
  std::string_view name;
};

// All 63, in the paper's order.
const std::vector<LiuObject> &liu_objects();

// Where the paper puts what the published labels call `object` in phase `phase` (d, m, …). The labels are older than
// the paper: 105 of them have moved. Null if it puts it nowhere.
const LiuObject *liu_object(char phase, std::string_view object);

// What Table 7 calls the object of a label about layers and models: "max pooling layer" is Pooling.
std::string liu_model_type(std::string_view object);

struct LiuPost {
  i64 id = 0;
  std::string title; // plain text
  std::vector<std::string> tags;
  i64 views = 0;
  i64 score = 0;
  std::string created;
  std::string answered;
  double days = 0;         // until the accepted answer
  double rounded_days = 0; // to two decimals, as the paper's script does it before everything else
  int year = 0;
  std::string framework; // TensorFlow, PyTorch or Theano: the first of them that the tags mention
  std::string verb;      // as labelled
  std::string raw_object;
  char raw_phase = 0;
  const LiuObject *object = nullptr; // the paper's
};

// rawdata.csv, which has no header. Throws std::runtime_error with file and line.
std::vector<LiuPost> read_liu(const std::string &path);

// What a framework's name in tags or elsewhere is called in the study; "" if it mentions none of the three.
std::string_view liu_framework(std::string_view tags);

} // namespace deepperf::study
