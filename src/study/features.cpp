#include "study/features.h"

#include "study/porter_stemmer.h"
#include "study/text.h"
#include "study/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace deepperf::study {

namespace {

constexpr std::size_t kLongestWord = 60;           // of more characters are no words but encoded data
constexpr std::size_t kLongestText = 100'000;      // of a block, in bytes; posts are shorter
constexpr std::string_view kTrace = "stack trace"; // no exception has a blank in its name

std::string_view cut(std::string_view text) { return text.substr(0, kLongestText); }

// Calls back with each n-gram of a document, more than once if it occurs more than once.
template <class Visit> class GramVisitor {
public:
  GramVisitor(const FeatureOptions &options, Visit visit) : options_(options), visit_(visit) {}

  void document(const Document &document) {
    title(cut(document.title));
    word_grams(stems_of(cut(document.prose)), 2, Block::BodyWords);
    for (const std::string_view word : words(cut(document.code))) {
      if (word.size() > 1 && word.size() <= kLongestWord) {
        visit_(Block::CodeWords, lower_ascii(word));
      }
    }
    for (const std::string &name : document.errors) {
      visit_(Block::Errors, name);
    }
    if (document.has_trace) {
      visit_(Block::Errors, std::string(kTrace));
    }
  }

private:
  bool dropped(const std::string &word) const {
    return std::find(options_.dropped.begin(), options_.dropped.end(), word) != options_.dropped.end();
  }

  std::vector<std::string> stems_of(std::string_view text) const {
    std::vector<std::string> stems;
    for (const std::string_view word : words(text)) {
      if (word.size() <= kLongestWord && (options_.dropped.empty() || !dropped(lower_ascii(word)))) {
        stems.push_back(porter_stem(word));
      }
    }
    return stems;
  }

  void word_grams(const std::vector<std::string> &stems, u32 most, Block block) {
    for (std::size_t first = 0; first < stems.size(); ++first) {
      std::string gram;
      for (std::size_t last = first; last < std::min(stems.size(), first + most); ++last) {
        gram += (last > first ? " " : "") + stems[last];
        visit_(block, gram);
      }
    }
  }

  void title(std::string_view text) {
    word_grams(stems_of(text), options_.word_grams, Block::TitleWords);
    characters(text);
    parts(text);
  }

  // Within what stands between blanks, with a blank on either side, so that beginnings and ends are seen as such.
  void characters(std::string_view text) {
    for (const std::string_view token : split_list(text, ' ')) {
      if (!options_.dropped.empty() && dropped(std::string(trim_signs(lower_ascii(token))))) {
        continue;
      }
      const std::string padded = ' ' + lower_ascii(token.substr(0, kLongestWord)) + ' ';
      for (u32 size = options_.char_least; size <= options_.char_most; ++size) {
        for (std::size_t at = 0; at + size <= padded.size(); ++at) {
          visit_(Block::TitleChars, padded.substr(at, size));
        }
        if (size >= padded.size()) {
          break;
        }
      }
    }
  }

  static std::string_view trim_signs(std::string_view token) {
    const std::vector<std::string_view> found = words(token);
    return found.size() == 1 ? found[0] : token;
  }

  // The parts of identifiers, at underscores, digits and capitals, and what they are about.
  void parts(std::string_view text) {
    std::vector<std::string> stems;
    for (const std::string_view word : words(text)) {
      if (word.size() > kLongestWord || (!options_.dropped.empty() && dropped(lower_ascii(word)))) {
        continue;
      }
      stems.push_back(porter_stem(word));
      std::vector<std::string> pieces = pieces_of(word);
      if (pieces.size() > 1) {
        for (const std::string &piece : pieces) {
          if (piece.size() > 1) {
            stems.push_back(porter_stem(piece));
          }
        }
      }
    }
    for (const std::string &stem : stems) {
      visit_(Block::TitleParts, stem);
    }
    if (options_.concepts) {
      concepts(stems);
    }
  }

  // fooBar_baz2HTTPServer → foo Bar baz 2 HTTP Server
  static std::vector<std::string> pieces_of(std::string_view word) {
    enum class Kind { Other, Lower, Upper, Digit };
    const auto kind = [](char c) {
      return c >= 'a' && c <= 'z'   ? Kind::Lower
             : c >= 'A' && c <= 'Z' ? Kind::Upper
             : c >= '0' && c <= '9' ? Kind::Digit
                                    : Kind::Other;
    };
    std::vector<std::string> pieces;
    std::string piece;
    const auto end = [&] {
      if (!piece.empty()) {
        pieces.push_back(std::move(piece));
      }
      piece.clear();
    };
    for (std::size_t i = 0; i < word.size(); ++i) {
      const Kind own = kind(word[i]);
      if (own == Kind::Other) {
        end();
        continue;
      }
      const Kind before = i > 0 ? kind(word[i - 1]) : Kind::Other;
      const Kind after = i + 1 < word.size() ? kind(word[i + 1]) : Kind::Other;
      const bool starts = own != before && !(own == Kind::Lower && before == Kind::Upper);
      const bool last_capital = own == Kind::Upper && before == Kind::Upper && after == Kind::Lower;
      if (starts || last_capital) {
        end();
      }
      piece += word[i];
    }
    end();
    return pieces;
  }

  void concepts(const std::vector<std::string> &stems) {
    std::string_view previous;
    for (const std::string &stem : stems) {
      for (const std::string_view kind : concepts_of(stem)) {
        visit_(Block::Concepts, std::string(kind));
        visit_(Block::Concepts,
               previous.empty() ? fmt::format("first {}", kind) : fmt::format("{} > {}", previous, kind));
        previous = kind;
      }
    }
  }

  const FeatureOptions &options_;
  Visit visit_;
};

CountedDocument collapse(std::vector<u32> grams) {
  std::sort(grams.begin(), grams.end());
  CountedDocument counted;
  for (const u32 gram : grams) {
    if (counted.empty() || counted.back().gram != gram) {
      counted.push_back({gram, 0});
    }
    ++counted.back().count;
  }
  return counted;
}

std::string key_of(Block block, std::string_view text) {
  std::string key(1, static_cast<char>('0' + static_cast<int>(block)));
  key += text;
  return key;
}

} // namespace

u32 GramTable::add(Block block, std::string_view text) {
  std::string key = key_of(block, text);
  const auto [entry, added] = numbers_.emplace(key, static_cast<u32>(texts_.size()));
  if (added) {
    texts_.push_back(std::move(key));
  }
  return entry->second;
}

CountedDocument GramTable::count(const Document &document) {
  std::vector<u32> grams;
  GramVisitor visitor(options_, [&](Block block, const std::string &text) { grams.push_back(add(block, text)); });
  visitor.document(document);
  return collapse(std::move(grams));
}

CountedDocument GramTable::look_up(const Document &document) const {
  std::vector<u32> grams;
  GramVisitor visitor(options_, [&](Block block, const std::string &text) {
    if (const auto entry = numbers_.find(key_of(block, text)); entry != numbers_.end()) {
      grams.push_back(entry->second);
    }
  });
  visitor.document(document);
  return collapse(std::move(grams));
}

Weighting::Weighting(const GramTable &table, const std::vector<const CountedDocument *> &documents) {
  std::vector<u32> with(table.size());
  for (const CountedDocument *document : documents) {
    for (const GramCount &entry : *document) {
      ++with[entry.gram];
    }
  }
  // In a small sample everything is rare, and leaving it out would leave nothing.
  const u32 least = documents.size() < 20 ? 1 : table.options().least_documents;
  features_.resize(table.size());
  for (u32 gram = 0; gram < with.size(); ++gram) {
    if (with[gram] >= std::max(least, 1U)) {
      const auto all = static_cast<double>(documents.size());
      grams_.push_back(gram);
      rarities_.push_back(static_cast<float>(std::log((1 + all) / (1 + with[gram])) + 1));
      features_[gram] = static_cast<u32>(grams_.size());
    }
  }
}

void Weighting::set(std::vector<u32> grams, std::vector<float> rarities, std::size_t table_size) {
  grams_ = std::move(grams);
  rarities_ = std::move(rarities);
  features_.assign(table_size, 0);
  for (u32 i = 0; i < grams_.size(); ++i) {
    features_[grams_[i]] = i + 1;
  }
}

std::vector<feature_node> Weighting::vectorize(const GramTable &table, const CountedDocument &document) const {
  std::vector<feature_node> nodes;
  std::array<double, kBlocks> squares{};
  nodes.reserve(document.size() + 2);
  for (const GramCount &entry : document) {
    if (const u32 feature = features_[entry.gram]; feature != 0) {
      const double value = (1 + std::log(entry.count)) * static_cast<double>(rarities_[feature - 1]);
      squares[static_cast<std::size_t>(table.block(entry.gram))] += value * value;
      nodes.push_back({static_cast<int>(feature), value});
    }
  }
  for (feature_node &node : nodes) {
    const auto block = static_cast<std::size_t>(table.block(grams_[static_cast<u32>(node.index) - 1]));
    node.value *= table.options().weights[block] / std::sqrt(squares[block]);
  }
  nodes.push_back({static_cast<int>(features()) + 1, 1.0});
  nodes.push_back({-1, 0});
  return nodes;
}

} // namespace deepperf::study
