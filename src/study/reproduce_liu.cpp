#include "base/json.h"
#include "study/keywords.h"
#include "study/liu.h"
#include "study/reproduce_parts.h"
#include "study/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace deepperf::study {

namespace {

constexpr std::array<std::string_view, 3> kFrameworks = {"TensorFlow", "PyTorch", "Theano"};

using Posts = std::vector<const LiuPost *>;

Posts select(const Posts &posts, const std::function<bool(const LiuPost &)> &wanted) {
  Posts selected;
  std::copy_if(posts.begin(), posts.end(), std::back_inserter(selected),
               [&](const LiuPost *post) { return wanted(*post); });
  return selected;
}

Posts of_object(const Posts &posts, char phase, int number) {
  return select(posts, [&](const LiuPost &post) {
    return post.object != nullptr && post.object->phase == phase && (number == 0 || post.object->number == number);
  });
}

std::size_t count_framework(const Posts &posts, std::string_view framework) {
  return select(posts, [&](const LiuPost &post) { return post.framework == framework; }).size();
}

// TensorFlow, PyTorch, Theano, all.
std::array<double, 4> by_framework(const Posts &posts) {
  std::array<double, 4> counts{};
  for (std::size_t i = 0; i < kFrameworks.size(); ++i) {
    counts[i] = static_cast<double>(count_framework(posts, kFrameworks[i]));
  }
  counts[3] = static_cast<double>(posts.size());
  return counts;
}

std::string text_of(const Json &value) { return value.is_string() ? value.get<std::string>() : json_text(value); }

std::string reason_of(const Json &row, const Json &table) {
  for (const Json *note : {&part(row, "note"), &part(table, "note"), &part(table, "mapping")}) {
    if (note->is_string()) {
      return note->get<std::string>();
    }
  }
  return "";
}

// "(D) Data Processing" → D
char phase_letter(const std::string &text) {
  return text.size() > 2 && text[0] == '(' ? text[1] : text.empty() ? '\0' : text[0];
}

// "4. Trained model" → 4; Total and Overall → 0, which is the whole phase.
int object_number(const std::string &text) {
  return text.empty() || text[0] < '0' || text[0] > '9' ? 0 : std::stoi(text);
}

void compare_frameworks(ReproducedTable &table, const std::string &row, const Posts &posts, const Json &expected,
                        const Json &whole) {
  const std::array<double, 4> counts = by_framework(posts);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    compare(table, row, i < 3 ? std::string(kFrameworks[i]) : "Total", counts[i],
            part(part(expected, "value in paper"), i), part(part(expected, "value computed from data"), i),
            reason_of(expected, whole));
  }
}

ReproducedTable table_1(const Posts &posts, const Json &expected) {
  ReproducedTable table{"Liu Table 1: posts per framework and year", "printed", {}, {}};
  std::map<int, Json> rows;
  for (const LiuPost *post : posts) {
    rows[post->year]; // years that nothing is printed for are shown too
  }
  Json total;
  for (const Json &row : part(expected, "rows")) {
    (part(row, "year").is_number() ? rows[part(row, "year").get<int>()] : total) = row;
  }
  for (const auto &[year, row] : rows) {
    const int wanted = year;
    compare_frameworks(table, std::to_string(year),
                       select(posts, [&](const LiuPost &post) { return post.year == wanted; }), row, expected);
  }
  compare_frameworks(table, "Total", posts, total, expected);
  return table;
}

ReproducedTable table_3(const Posts &posts, const Json &expected) {
  ReproducedTable table{"Liu Table 3: posts per phase, object and framework", "printed", {}, {}};
  const auto expected_row = [&](char phase, int number) -> const Json & {
    for (const Json &row : part(expected, "rows")) {
      if (phase_letter(text_of(part(row, "phase"))) == phase && object_number(text_of(part(row, "object"))) == number) {
        return row;
      }
    }
    return part(expected, "");
  };
  for (const LiuPhase &phase : kLiuPhases) {
    for (const LiuObject &object : liu_objects()) {
      if (object.phase == phase.letter) {
        compare_frameworks(table, fmt::format("{}{} {}", object.phase, object.number, object.name),
                           of_object(posts, object.phase, object.number), expected_row(object.phase, object.number),
                           expected);
      }
    }
    compare_frameworks(table, fmt::format("({}) {}", phase.letter, phase.name), of_object(posts, phase.letter, 0),
                       expected_row(phase.letter, 0), expected);
  }
  return table;
}

ReproducedTable table_4(const Posts &posts, const Json &expected) {
  ReproducedTable table{"Liu Table 4: correlation of object counts between frameworks", "printed", {}, {}};
  for (const Json &row : part(expected, "rows")) {
    const std::string phase = text_of(part(row, "phase"));
    std::array<std::vector<double>, 4> counts;
    for (const LiuObject &object : liu_objects()) {
      if (phase == "All" || phase_letter(phase) == object.phase) {
        const std::array<double, 4> of = by_framework(of_object(posts, object.phase, object.number));
        for (std::size_t i = 0; i < of.size(); ++i) {
          counts[i].push_back(of[i]);
        }
      }
    }
    constexpr std::array<std::string_view, 3> kNames = {"TensorFlow vs PyTorch", "TensorFlow vs Theano",
                                                        "TensorFlow vs Total"};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const Correlation correlation = pearson(counts[0], counts[i + 1]);
      const Json &printed = part(part(row, "value in paper"), i);
      const Json &reference = part(part(row, "value computed from data"), i);
      compare(table, phase, fmt::format("{}, r", kNames[i]), correlation.r, part(printed, "r"), part(reference, "r"),
              reason_of(row, expected));
      compare(table, phase, fmt::format("{}, p", kNames[i]), correlation.p, part(printed, "p"), part(reference, "p"),
              reason_of(row, expected));
    }
  }
  return table;
}

bool is_one_of(const std::string &verb, const Json &verbs) {
  return std::any_of(verbs.begin(), verbs.end(), [&](const Json &name) { return name == verb; });
}

// Tables 6 and 9 to 13: per object, the posts with each group of verbs. Which verbs a group has is in the file, as the
// paper does not say it.
ReproducedTable verb_table(std::string title, char phase, const Posts &posts, const Json &expected) {
  ReproducedTable table{std::move(title), "printed", {}, {}};
  for (const Json &row : part(expected, "rows")) {
    const std::string name = text_of(part(row, "object"));
    const Posts of = select(of_object(posts, phase, 0), [&](const LiuPost &post) { return post.object->name == name; });
    const Json &groups = part(row, "raw verbs per group");
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::size_t count = select(of, [&](const LiuPost &post) { return is_one_of(post.verb, groups[i]); }).size();
      compare(table, name, text_of(part(part(row, "issue groups"), i)), static_cast<double>(count),
              part(part(row, "value in paper"), i), part(part(row, "value computed from data"), i),
              reason_of(row, expected));
    }
  }
  return table;
}

// Tables 5 and 8: like those, but over all objects of `of`.
ReproducedTable operation_table(std::string title, const Posts &of, const Json &expected) {
  ReproducedTable table{std::move(title), "printed", {}, {}};
  for (const Json &row : part(expected, "rows")) {
    const Json &verbs = part(row, "raw verbs");
    const std::size_t count = select(of, [&](const LiuPost &post) { return is_one_of(post.verb, verbs); }).size();
    compare(table, text_of(part(row, "row")), "posts", static_cast<double>(count), part(row, "value in paper"),
            part(row, "value computed from data"), reason_of(row, expected));
  }
  compare(table, "Total", "posts", static_cast<double>(of.size()), part(expected, "total computed"), nullptr, "");
  return table;
}

ReproducedTable table_7(const Posts &of, const Json &expected) {
  ReproducedTable table{"Liu Table 7: kinds of layers and models", "printed", {}, {}};
  std::map<std::string, u64> counts;
  for (const LiuPost *post : of) {
    ++counts[liu_model_type(post->raw_object)];
  }
  const std::string reason = "which label belongs to which kind is not published; both sum up to the same";
  for (const Json &row : part(expected, "rows")) {
    const std::string type = text_of(part(row, "object type"));
    compare(table, type, "posts", static_cast<double>(counts[type]), part(row, "value in paper"),
            part(row, "value computed from data"), reason);
  }
  compare(table, "Total", "posts", static_cast<double>(of.size()), part(expected, "sum of paper cells"), nullptr, "");
  return table;
}

ReproducedTable table_14(const Posts &posts, const Json &expected) {
  ReproducedTable table{"Liu Table 14: medians of views, score and days to the accepted answer", "printed", {}, {}};
  constexpr double kDayTolerance = 0.006; // a spreadsheet has rounded medians that were cut before
  for (const Json &row : part(expected, "rows")) {
    const char phase = phase_letter(text_of(part(row, "phase")));
    const std::string object = text_of(part(row, "object"));
    std::array<std::vector<double>, 3> values;
    for (const LiuPost *post : of_object(posts, phase, object_number(object))) {
      values[0].push_back(static_cast<double>(post->views));
      values[1].push_back(static_cast<double>(post->score));
      values[2].push_back(post->rounded_days);
    }
    constexpr std::array<std::string_view, 3> kColumns = {"views", "score", "days"};
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      compare(table, fmt::format("({}) {}", phase, object), std::string(kColumns[i]), median(values[i]),
              part(part(row, "value in paper"), i), part(part(row, "value computed from data"), i),
              reason_of(row, expected), {2, i == 2 ? kDayTolerance : 0});
    }
  }
  return table;
}

ReproducedTable correlations(const Posts &posts, const Json &expected) {
  ReproducedTable table{"Liu 2.5, 3.10: correlation of popularity and difficulty", "printed", {}, {}};
  std::array<std::vector<double>, 3> values;
  for (const LiuPost *post : posts) {
    values[0].push_back(static_cast<double>(post->views));
    values[1].push_back(static_cast<double>(post->score));
    values[2].push_back(post->rounded_days);
  }
  struct Pair {
    std::string_view key;
    std::string_view rank_key;
    std::string_view name;
    std::size_t x;
    std::size_t y;
  };
  constexpr std::array kPairs =
      std::to_array<Pair>({{"viewcount_vs_score", "view_score", "views and score", 0, 1},
                           {"viewcount_vs_response_days", "view_days", "views and days", 0, 2},
                           {"score_vs_response_days", "score_days", "score and days", 1, 2}});
  for (const Pair &pair : kPairs) {
    const Json &entry = part(expected, pair.key);
    const Json &reference = part(entry, "value computed from data");
    const Correlation linear = pearson(values[pair.x], values[pair.y]);
    compare(table, std::string(pair.name), "Pearson r", linear.r, part(part(entry, "value in paper"), "r"),
            part(reference, "r"), "the printed value is cut after two decimals, not rounded");
    const Correlation rank = spearman(values[pair.x], values[pair.y]);
    ReproducedCell cell{
        std::string(pair.name), "Spearman rho", number_text(rank.r), "", ReproducedCell::State::Unprinted, ""};
    table.cells.push_back(std::move(cell));
  }
  return table;
}

// Sentences of the paper with a number: the objects that they add up, and what they take the share of.
ReproducedTable claims(const Posts &posts, const Json &expected) {
  struct Claim {
    std::string_view start; // of the sentence in the file
    char phase;
    std::vector<int> objects;
    bool share;
  };
  const std::vector<Claim> known = {
      {"data+tensor+image in D", 'D', {1, 2, 3}, true},
      {"M1+M2+M4 in M", 'M', {1, 2, 4}, true},
      {"weight, trained weight", 'M', {3, 8, 6, 9, 10}, false},
      {"model graph, saved file", 'M', {5, 7, 11}, false},
      {"T2+T4+T12", 'T', {2, 4, 12}, false},
      {"T1,3,5,6,8,15,18", 'T', {1, 3, 5, 6, 8, 15, 18}, false},
      {"Finding 4", 'T', {1, 2, 3, 4, 5, 6, 8, 12, 15, 18}, true},
      {"T7,11,14,16,17", 'T', {7, 11, 14, 16, 17}, false},
      {"P1+P3+P4 in P", 'P', {1, 3, 4}, true},
      {"E1+E2+E4 in E", 'E', {1, 2, 4}, true},
      {"R1+R2 in R", 'R', {1, 2}, true},
      {"V1+V6 in V", 'V', {1, 6}, true},
      {"V2+V4 in V", 'V', {2, 4}, true},
  };
  ReproducedTable table{"Liu: numbers in the text", "printed", {}, {}};
  const auto size = [&](char phase) { return static_cast<double>(of_object(posts, phase, 0).size()); };
  const auto all = static_cast<double>(posts.size());
  for (const Json &entry : expected.is_array() ? expected : Json::array()) {
    const std::string sentence = text_of(part(entry, "claim"));
    double computed = 0;
    if (sentence.starts_with("first four")) {
      computed = 100 * (size('D') + size('M') + size('T') + size('P')) / all;
    } else if (sentence.starts_with("top three")) {
      computed = 100 * (size('D') + size('M') + size('T')) / all;
    } else if (sentence.starts_with("2018-2020")) {
      computed = 100 *
                 static_cast<double>(
                     select(posts, [](const LiuPost &post) { return post.year >= 2018 && post.year <= 2020; }).size()) /
                 all;
    } else {
      const auto claim = std::find_if(known.begin(), known.end(),
                                      [&](const Claim &candidate) { return sentence.starts_with(candidate.start); });
      if (claim == known.end()) {
        continue;
      }
      for (const int number : claim->objects) {
        computed += static_cast<double>(of_object(posts, claim->phase, number).size());
      }
      computed = claim->share ? 100 * computed / size(claim->phase) : computed;
    }
    compare(table, sentence, "", computed, part(entry, "value in paper"), part(entry, "value computed from data"),
            "the text does not add up the counts of the paper's own tables", {1, 0});
  }
  return table;
}

} // namespace

void reproduce_liu(const std::string &folder, const std::string &expected, Reproduction &out) {
  const std::vector<LiuPost> data = read_liu(folder + "/rawdata.csv");
  Posts posts;
  for (const LiuPost &post : data) {
    posts.push_back(&post);
  }
  const std::size_t homeless = select(posts, [](const LiuPost &post) { return post.object == nullptr; }).size();
  if (homeless > 0) {
    out.skipped.push_back(
        fmt::format("{} posts of liu/rawdata.csv have a label that the paper's taxonomy does not know", homeless));
  }
  const Posts layers = select(posts, [](const LiuPost &post) {
    return post.object != nullptr && post.object->phase == 'M' &&
           (post.object->number == 1 || post.object->number == 2 || post.object->number == 4);
  });
  const auto file = [&](std::string_view name) { return read_expected(expected, name); };
  out.tables.push_back(table_1(posts, file("liu_table01")));
  out.tables.push_back(table_3(posts, file("liu_table03")));
  out.tables.push_back(table_4(posts, file("liu_table04")));
  out.tables.push_back(
      operation_table("Liu Table 5: operations of data processing", of_object(posts, 'D', 0), file("liu_table05")));
  out.tables.push_back(verb_table("Liu Table 6: issues of model setting", 'M', posts, file("liu_table06")));
  out.tables.push_back(table_7(layers, file("liu_table07")));
  out.tables.push_back(operation_table("Liu Table 8: operations on layers and models", layers, file("liu_table08")));
  out.tables.push_back(verb_table("Liu Table 9: issues of model training", 'T', posts, file("liu_table09")));
  out.tables.push_back(verb_table("Liu Table 10: issues of model prediction", 'P', posts, file("liu_table10")));
  out.tables.push_back(verb_table("Liu Table 11: issues of model evaluation", 'E', posts, file("liu_table11")));
  out.tables.push_back(verb_table("Liu Table 12: issues of the runtime environment", 'R', posts, file("liu_table12")));
  out.tables.push_back(verb_table("Liu Table 13: issues of visualization", 'V', posts, file("liu_table13")));
  out.tables.push_back(table_14(posts, file("liu_table14")));
  out.tables.push_back(correlations(posts, file("liu_correlations")));
  out.tables.push_back(claims(posts, file("liu_text_claims")));
}

} // namespace deepperf::study
