#include "rules/metric_direction.h"

#include "base/name_table.h"

#include <cctype>
#include <string>

namespace deepperf::rules {

// `eval_wer`, `val/mean_iou`: by the words that a metric's name is made of.
Better better_when(std::string_view metric) {
  static const NameTable kLower({"loss", "wer",  "cer",   "ter",        "mer", "rmse",  "mse",
                                 "mae",  "mape", "smape", "perplexity", "ppl", "error", "err",
                                 "fid",  "nll",  "eer",   "mpjpe",      "bpb", "bpc",   "rmsle"});
  static const NameTable kHigher({"acc",       "accuracy", "acc1",   "f1",        "auc",      "auroc",     "bleu",
                                  "sacrebleu", "rouge",    "rouge1", "rouge2",    "rougel",   "rougelsum", "map",
                                  "miou",      "iou",      "dice",   "precision", "recall",   "psnr",      "ssim",
                                  "r2",        "mcc",      "ndcg",   "mrr",       "spearman", "pearson",   "spearmanr",
                                  "pearsonr",  "reward",   "auprc",  "jaccard",   "kappa"});
  bool is_lower = false;
  bool is_higher = false;
  std::string word;
  const auto finish = [&] {
    const Symbol symbol = intern(word);
    is_lower = is_lower || kLower.has(symbol);
    is_higher = is_higher || kHigher.has(symbol);
    word.clear();
  };
  for (const char letter : metric) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(letter))));
    } else {
      finish();
    }
  }
  finish();
  return is_lower == is_higher ? Better::Unknown : is_lower ? Better::Lower : Better::Higher;
}

} // namespace deepperf::rules
