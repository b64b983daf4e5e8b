// What a classifier learns from: texts and their labels.
#pragma once

#include "base/types.h"
#include "study/metrics.h"
#include "study/table.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

// A post as classifiers see it: what it asks, what it tells, and its code apart from both.
struct Document {
  std::string title;
  std::string prose;
  std::string code;
  std::vector<std::string> errors;
  bool has_trace = false;
};

struct Samples {
  std::string source;
  std::string label_column;
  std::vector<std::string> text_columns;
  std::vector<std::string> classes; // sorted
  std::vector<Document> documents;
  std::vector<LabelSet> labels;
  std::vector<std::size_t> rows; // of the table
  u64 unlabelled = 0;            // rows that were left out
  bool several = false;          // a row may have more than one label

  // One number per combination of labels, to split by.
  std::vector<u32> strata() const;
};

// The first column is the title; the others, the HTML of posts or plain text, are the body. Throws std::runtime_error.
std::vector<Document> read_documents(const Table &table, const std::vector<std::size_t> &columns);

// Rows without a label are left out. With a `separator` a cell may hold several labels. Throws std::runtime_error if no
// row has a label or all have the same.
Samples read_samples(const Table &table, std::string_view text_columns, std::string_view label_column, char separator);

} // namespace deepperf::study
