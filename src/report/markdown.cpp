#include "report/markdown.h"

#include "report/frame.h"
#include "report/place.h"

#include <algorithm>
#include <vector>

namespace deepperf::report {

namespace {

std::string_view without(std::string_view text, std::string_view start) {
  text.remove_prefix(start.size());
  return text;
}

// Lists nest by their indentation.
std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

bool is_item(std::string_view line) {
  line.remove_prefix(indentation(line));
  return line.starts_with("- ") || line.starts_with("* ");
}

class MarkdownWriter {
public:
  MarkdownWriter(u32 width, const Style &style, std::string &out) : width_(width), style_(style), out_(out) {}

  void add(std::string_view line) {
    if (line.starts_with("```")) {
      end_paragraph();
      in_code_ = !in_code_;
      return;
    }
    if (in_code_) {
      out_ += line.empty() ? "" : "    ";
      out_ += line;
      out_ += '\n';
    } else if (line.find_first_not_of(' ') == line.npos) {
      end_paragraph();
      out_ += out_.ends_with("\n\n") || out_.empty() ? "" : "\n";
    } else if (line.starts_with("#")) {
      end_paragraph();
      line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
      out_ += style_.bold;
      add_inline(line);
      out_ += style_.reset;
      out_ += '\n';
    } else if (line.starts_with("|")) {
      end_paragraph();
      add_inline(line);
      out_ += '\n';
    } else {
      if (is_item(line)) {
        end_paragraph();
        first_indent_ = indentation(line);
        indent_ = first_indent_ + 2;
      }
      for (const std::string_view word : split_words(line)) {
        words_.push_back(word);
      }
    }
  }

  void end_paragraph() {
    std::size_t column = first_indent_;
    out_.append(words_.empty() ? 0 : first_indent_, ' ');
    bool is_first = true;
    for (const std::string_view word : words_) {
      const std::size_t length = count_characters(word);
      if (!is_first && width_ != 0 && column + 1 + length > width_) {
        out_ += '\n';
        out_.append(indent_, ' ');
        column = indent_;
      } else if (!is_first) {
        out_ += ' ';
        ++column;
      }
      add_inline(word);
      column += length;
      is_first = false;
    }
    out_ += words_.empty() ? "" : "\n";
    words_.clear();
    first_indent_ = indent_ = 0;
    out_ += std::exchange(in_inline_code_, false) ? style_.reset : "";
  }

private:
  // A word or a line. Without color the marks of code stay, so that it can be told from prose.
  void add_inline(std::string_view text) {
    while (!text.empty()) {
      if (text[0] == '`' && !style_.reset.empty()) {
        out_ += in_inline_code_ ? style_.reset : style_.blue;
        in_inline_code_ = !in_inline_code_;
        text.remove_prefix(1);
      } else if (!in_inline_code_ && text.starts_with("**")) {
        text = without(text, "**");
      } else {
        out_ += text[0];
        text.remove_prefix(1);
      }
    }
  }

  u32 width_;
  const Style &style_;
  std::string &out_;
  bool in_code_ = false;
  bool in_inline_code_ = false;
  std::size_t first_indent_ = 0;
  std::size_t indent_ = 0;
  std::vector<std::string_view> words_; // of the paragraph
};

} // namespace

void write_markdown(std::string_view markdown, u32 width, const Style &style, std::string &out) {
  std::string text;
  MarkdownWriter writer(width, style, text);
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    writer.add(markdown.substr(0, end));
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
  }
  writer.end_paragraph();
  out += text;
}

} // namespace deepperf::report
