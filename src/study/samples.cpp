#include "study/samples.h"

#include "study/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace deepperf::study {

namespace {

constexpr std::size_t kMostClasses = 1000; // more are no classes but ids or texts

std::vector<std::string_view> labels_of(std::string_view cell, char separator) {
  if (separator != '\0') {
    return split_list(cell, separator);
  }
  const std::string_view label = trim(cell);
  return label.empty() ? std::vector<std::string_view>() : std::vector<std::string_view>{label};
}

} // namespace

std::vector<u32> Samples::strata() const {
  std::map<LabelSet, u32> numbers;
  std::vector<u32> result;
  for (const LabelSet &set : labels) {
    result.push_back(numbers.emplace(set, static_cast<u32>(numbers.size())).first->second);
  }
  return result;
}

std::vector<Document> read_documents(const Table &table, const std::vector<std::size_t> &columns) {
  std::vector<Document> documents;
  for (std::size_t row = 0; row < table.size(); ++row) {
    Document &document = documents.emplace_back();
    document.title = decode_entities(table.cell(row, columns[0]));
    for (std::size_t i = 1; i < columns.size(); ++i) {
      PostText body = split_post(table.cell(row, columns[i]));
      document.prose += body.prose + '\n';
      document.code += body.code;
      document.errors.insert(document.errors.end(), body.errors.begin(), body.errors.end());
      document.has_trace = document.has_trace || body.has_trace;
    }
  }
  return documents;
}

Samples read_samples(const Table &table, std::string_view text_columns, std::string_view label_column, char separator) {
  Samples samples;
  samples.source = table.source;
  samples.label_column = label_column;
  samples.several = separator != '\0';
  const std::vector<std::size_t> columns = need_columns(table, text_columns);
  for (const std::size_t column : columns) {
    samples.text_columns.push_back(table.csv.header[column]);
  }
  const std::size_t label = table.need(label_column);
  std::vector<Document> documents = read_documents(table, columns);
  std::set<std::string_view> classes;
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (const std::string_view name : labels_of(table.cell(row, label), separator)) {
      classes.insert(name);
    }
  }
  if (classes.size() < 2) {
    throw std::runtime_error(classes.empty()
                                 ? fmt::format("{}: column '{}' is empty in every row", table.source, label_column)
                                 : fmt::format("{}: all rows have the same '{}', '{}': there is nothing to learn",
                                               table.source, label_column, shorten(*classes.begin(), 40)));
  }
  if (classes.size() > kMostClasses) {
    throw std::runtime_error(fmt::format("{}: column '{}' has {} different values, too many for a label", table.source,
                                         label_column, classes.size()));
  }
  samples.classes.assign(classes.begin(), classes.end());
  for (std::size_t row = 0; row < table.size(); ++row) {
    LabelSet set;
    for (const std::string_view name : labels_of(table.cell(row, label), separator)) {
      const auto found = std::lower_bound(samples.classes.begin(), samples.classes.end(), name);
      set.push_back(static_cast<u32>(found - samples.classes.begin()));
    }
    if (set.empty()) {
      ++samples.unlabelled;
      continue;
    }
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    samples.labels.push_back(std::move(set));
    samples.documents.push_back(std::move(documents[row]));
    samples.rows.push_back(row);
  }
  return samples;
}

} // namespace deepperf::study
