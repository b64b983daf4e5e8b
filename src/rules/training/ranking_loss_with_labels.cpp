#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::ranking_loss_with_labels {

using namespace python;

namespace {

bool is_label(const std::optional<std::string> &name) { return name == "label" || name == "labels" || name == "score"; }

// `InputExample(texts=[a, b], label=…)`: with which label?
enum class Label : u8 { None, Positive, Other };
Label label_of(const Site &site, const Call &example) {
  const Keyword *const label = keyword_argument(example, "label");
  if (label == nullptr) {
    return has_hidden_arguments(example) ? Label::Other : Label::None;
  }
  const auto number = number_of(site, label->value);
  return number == 1.0 ? Label::Positive : Label::Other;
}

// What a file says about the labels of its pairs.
struct Labels {
  const Node *given = nullptr; // where training pairs get labels that are not all 1
  bool without = false;        // some pairs have no label, or 1
  bool filtered = false;       // something looks at labels to choose pairs
};

void look(const Site &site, const Node *node, bool is_chosen, Labels &labels) {
  if (const auto *call = as<Call>(node)) {
    const std::string_view method = called_method(*call);
    const std::string_view api = called_api(site, *call);
    if (api.ends_with(".InputExample") && api.starts_with("sentence_transformers")) {
      const Label label = label_of(site, *call);
      labels.given = label == Label::Other ? node : labels.given;
      labels.without |= label != Label::Other;
    } else if (method == "select_columns" && call->args.size() == 1) {
      const auto *names = as<List>(call->args[0]);
      if (names != nullptr &&
          std::ranges::any_of(names->elts, [&](const Expr *name) { return is_label(string_of(site, name)); })) {
        labels.given = node;
      }
    } else if (method == "rename_column" && call->args.size() == 2 && is_label(string_of(site, call->args[1]))) {
      labels.given = node;
    } else if (method == "filter" || method == "remove_columns") {
      labels.filtered |=
          has_word_in_any_case(text_of(site, node), {"label", "score", "dupl", "== 1", "entail", "target"});
    }
  }
  // Pairs that a condition selects.
  const auto *name = as<Name>(node);
  const auto *member = as<Attribute>(node);
  labels.filtered |= is_chosen && ((name != nullptr && name->id.text() == "InputExample") ||
                                   (member != nullptr && member->attr.text() == "InputExample"));
  const auto *comprehension = node->kind == NodeKind::ListComp ? static_cast<const ComprehensionExpr *>(node) : nullptr;
  is_chosen = is_chosen || node->kind == NodeKind::If ||
              (comprehension != nullptr && std::ranges::any_of(comprehension->generators, [](const Comprehension *one) {
                 return !one->ifs.empty();
               }));
  for_each_child(node, [&](const Node *child) { look(site, child, is_chosen, labels); });
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || file_has_word(site, {"ContrastiveLoss", "CosineSimilarityLoss", "CoSENTLoss", "AnglELoss",
                                                   "SoftmaxLoss", "TripletLoss", "MarginMSELoss", "hard_negatives"})) {
    return;
  }
  const Labels &labels = site.memory.recall<Labels>(site.module, [&site] {
    Labels found;
    for (const Stmt *statement : site.module->parsed->tree.body) {
      look(site, statement, false, found);
    }
    return found;
  });
  if (labels.given == nullptr || labels.without || labels.filtered) {
    return;
  }
  Finding &finding =
      report(site, call, "this loss ignores the labels and treats every pair as positive, even those labeled 0",
             "use a loss that reads the label, such as `OnlineContrastiveLoss`, or keep only the positive pairs");
  add_note(finding, site, *labels.given, "the pairs get their labels here");
  // Where nothing else tells that there are two kinds of pairs, all may be positive.
  if (!file_has_word(site, {"BinaryClassificationEvaluator", "EmbeddingSimilarityEvaluator"}) &&
      !called_api(site, *static_cast<const Call *>(labels.given)).ends_with(".InputExample")) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kRankingLossWithLabels = {
    .info = {.code = "DP976",
             .name = "ranking-loss-with-labels",
             .summary = "labeled pairs for a ranking loss of Sentence Transformers that ignores labels",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`MultipleNegativesRankingLoss` of Sentence Transformers, or one of its variants, in a program whose pairs have labels: `InputExample(texts=[a, b], label=row["same"])`, or a data set with a column
`label` that an evaluator for labeled pairs also reads. It is a hint where nothing shows that some labels are 0.

## Why it is wrong

The loss takes each pair as an anchor and its match, and all other texts of the batch as negatives. It never reads the label, so pairs that are labeled as different are
pulled together.

## Bad

```python
from sentence_transformers import InputExample, SentenceTransformer, losses
from torch.utils.data import DataLoader

model = SentenceTransformer("all-MiniLM-L6-v2")
pairs = [InputExample(texts=[row["a"], row["b"]], label=float(row["same"])) for row in rows]
loader = DataLoader(pairs, shuffle=True, batch_size=64)
model.fit([(loader, losses.MultipleNegativesRankingLoss(model))])
```

## Good

```python
from sentence_transformers import InputExample, SentenceTransformer, losses
from torch.utils.data import DataLoader

model = SentenceTransformer("all-MiniLM-L6-v2")
pairs = [InputExample(texts=[row["a"], row["b"]], label=float(row["same"])) for row in rows]
loader = DataLoader(pairs, shuffle=True, batch_size=64)
model.fit([(loader, losses.OnlineContrastiveLoss(model))])
```

## When it is wrong

Where all pairs are positive and the label is unused.

## References

- Sentence Transformers: loss overview
)"},
    .calls = "sentence_transformers.losses.MultipleNegativesRankingLoss "
             "sentence_transformers.losses.CachedMultipleNegativesRankingLoss "
             "sentence_transformers.losses.MultipleNegativesSymmetricRankingLoss "
             "sentence_transformers.losses.CachedMultipleNegativesSymmetricRankingLoss",
    .on_call = check};

} // namespace deepperf::rules::ranking_loss_with_labels
