#include "shapes/spec.h"

namespace deepperf::shapes {

namespace {

class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) {}

  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t')) {
      text_.remove_prefix(1);
    }
  }
  bool take(char c) {
    skip_blanks();
    if (text_.empty() || text_.front() != c) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }
  std::string_view word() {
    skip_blanks();
    std::size_t end = 0;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_')) {
      ++end;
    }
    const std::string_view result = text_.substr(0, end);
    text_.remove_prefix(end);
    return result;
  }
  // Up to a comma or parenthesis that is not inside of others.
  std::string_view value() {
    skip_blanks();
    std::size_t end = 0;
    int depth = 0;
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      if (depth == 0 && (c == ',' || c == ')')) {
        break;
      }
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    std::string_view result = text_.substr(0, end);
    text_.remove_prefix(end);
    while (!result.empty() && result.back() == ' ') {
      result.remove_suffix(1);
    }
    return result;
  }
  std::string_view rest() {
    skip_blanks();
    while (!text_.empty() && (text_.back() == ' ' || text_.back() == '\r')) {
      text_.remove_suffix(1);
    }
    return text_;
  }

private:
  std::string_view text_;
};

bool read_signature(Reader &reader, std::vector<SpecParam> &params, std::string &error) {
  if (!reader.take('(')) {
    error = "expected a signature in parentheses";
    return false;
  }
  while (!reader.take(')')) {
    SpecParam param;
    if (reader.take('*')) {
      (reader.take('*') ? param.takes_keywords : param.takes_rest) = true;
    }
    const std::string_view name = reader.word();
    if (name.empty()) {
      error = "expected the name of an argument";
      return false;
    }
    param.name = intern(name);
    if (reader.take('=')) {
      param.text_default = reader.value();
    }
    params.push_back(param);
    if (!reader.take(',')) {
      if (reader.take(')')) {
        break;
      }
      error = "expected , or ) in a signature";
      return false;
    }
  }
  return true;
}

} // namespace

bool read_spec(std::string_view text, Spec &spec, std::string &error) {
  Reader reader(text);
  if (!read_signature(reader, spec.call, error)) {
    return false;
  }
  if (reader.take(':')) {
    spec.is_class = true;
    spec.make = std::move(spec.call);
    spec.call.clear();
    if (!read_signature(reader, spec.call, error)) {
      return false;
    }
  }
  if (reader.take('@')) {
    spec.transfer = reader.word();
    if (spec.transfer.empty()) {
      error = "expected the name of a transfer function";
      return false;
    }
  }
  std::string_view rest = reader.rest();
  constexpr std::string_view kWeights = "weights ";
  if (const std::size_t at = rest.find(kWeights); at != std::string_view::npos) {
    spec.weights = rest.substr(at + kWeights.size());
    rest = rest.substr(0, at);
    while (!rest.empty() && rest.back() == ' ') {
      rest.remove_suffix(1);
    }
  }
  spec.pattern = rest;
  if (!spec.pattern.empty() && (!spec.transfer.empty() || spec.pattern.find("->") == std::string_view::npos)) {
    error = "expected a pattern -> a pattern, or a transfer function";
    return false;
  }
  return true;
}

} // namespace deepperf::shapes
