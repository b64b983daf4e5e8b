#include "study/vocabulary.h"

#include "study/porter_stemmer.h"
#include "study/table.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace deepperf::study {

namespace {

constexpr std::string_view kFunctionWords = "a about above after again all also am an and any are as at be because "
                                            "been before being below between both but by can "
                                            "cannot could did do does doing done down during each either else ever "
                                            "every few for from further get gets getting got "
                                            "had has have having he her here hers him his how however i if in into is "
                                            "it its itself just know let like may me might "
                                            "more most much must my myself neither no nor not now of off on once one "
                                            "only or other our ours out over own please "
                                            "same she should since so some such than that the their theirs them then "
                                            "there these they this those through to too "
                                            "under until up upon us use used using very want was way we were what when "
                                            "where whether which while who whom whose why "
                                            "will with within without would yet you your yours";

struct Concept {
  std::string_view name;
  std::string_view words;
};

constexpr std::array kConcepts = std::to_array<Concept>({
    {"metric",
     "accuracy precision recall f1 fscore auc roc iou miou perplexity bleu rouge r2 rmse mae mse psnr ssim map "
     "hamming kappa confusion metric metrics sensitivity specificity error"},
    {"layer",
     "lstm gru rnn cnn conv conv1d conv2d conv3d convolution convolutional deconvolution dense dropout embedding "
     "pooling maxpooling maxpool batchnorm batchnormalization normalization flatten softmax relu sigmoid tanh "
     "attention lambda bidirectional cell neuron perceptron mlp linear timedistributed convlstm"},
    {"architecture",
     "resnet vgg vgg16 inception mobilenet bert gan transformer autoencoder vae unet alexnet efficientnet "
     "yolo gpt densenet ssd rcnn seq2seq"},
    {"show", "plot display show visualize visualise draw print view visualization tensorboard matplotlib graph summary "
             "imshow curve histogram"},
    {"device", "gpu cpu tpu cuda memory ram device multi gpus cpus tpus"},
    {"image",
     "image images jpg jpeg png rgb pixel pixels grayscale picture photo opencv pil cv2 video frame bmp channels"},
    {"data",
     "tensor array numpy matrix vector list dataset dataframe pandas csv tfrecord tfrecords placeholder variable "
     "batch string int float"},
    {"performance",
     "slow slower slowly slowdown fast faster speed speedup performance efficient efficiently inefficient memory leak "
     "oom exhausted hang hangs freeze stuck bottleneck utilization usage overhead throughput latency "
     "second seconds minutes hours time takes long longer parallel multithreading optimize"},
    {"loss", "loss losses crossentropy entropy cost hinge regularization triplet objective"},
    {"train",
     "optimizer adam sgd gradient gradients backprop backpropagation learning rate momentum epoch epochs training "
     "train fit finetune"},
    {"predict", "predict prediction predictions inference classify test detect output probability"},
    {"evaluate", "evaluate evaluation validate validation score"},
    {"store", "save load restore export import checkpoint write read store serialize pickle"},
    {"create", "create build implement make define add write construct initialize"},
    {"shape",
     "reshape transpose slice concat concatenate stack split pad crop resize shape dimension gather index squeeze "
     "expand merge repeat tile flip rotate sort shuffle"},
});

using ConceptMap = std::unordered_map<std::string, std::vector<std::string_view>>;

ConceptMap make_concepts() {
  ConceptMap map;
  for (const Concept &kind : kConcepts) {
    for (const std::string_view word : split_list(kind.words, ' ')) {
      std::vector<std::string_view> &kinds = map[porter_stem(word)];
      if (std::find(kinds.begin(), kinds.end(), kind.name) == kinds.end()) {
        kinds.push_back(kind.name);
      }
    }
  }
  return map;
}

} // namespace

bool is_function_word(std::string_view word) {
  static const std::unordered_set<std::string_view> words = [] {
    const std::vector<std::string_view> list = split_list(kFunctionWords, ' ');
    return std::unordered_set<std::string_view>(list.begin(), list.end());
  }();
  return words.contains(word);
}

std::span<const std::string_view> concepts_of(const std::string &stem) {
  static const ConceptMap map = make_concepts();
  const auto found = map.find(stem);
  return found == map.end() ? std::span<const std::string_view>() : std::span<const std::string_view>(found->second);
}

} // namespace deepperf::study
