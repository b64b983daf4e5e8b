// Posts that nobody asked, for tests of classifiers.
#pragma once

#include "study/table.h"

#include <string>
#include <vector>

inline deepperf::study::Table made_up_posts(int rounds = 12) {
  using Row = std::vector<std::string>;
  deepperf::study::Table table;
  table.source = "made-up.csv";
  table.csv.header = {"id", "title", "body", "topic", "topics"};
  const std::vector<Row> kinds = {
      {"How to bake bread with wheat flour", "<p>The oven is hot.</p>", "baking", "baking"},
      {"How to knead dough for rolls", "<p>Yeast and water.</p>", "baking", "baking; hands"},
      {"Which oven temperature for a cake", "<p>It stays flat.</p>", "baking", "baking"},
      {"How to saw an oak board straight", "<p>The saw wanders.</p>", "wood", "wood; hands"},
      {"Which glue for pine boards", "<p>It does not hold.</p>", "wood", "wood"},
      {"How to sand a maple table", "<pre><code>grit = 120</code></pre>", "wood", "wood; hands"},
      {"Why does my boat leak", "<p>Water in the hull.</p><pre><code>SinkError: hull\n</code></pre>", "boats", "boats"},
      {"How to tie a sail to the mast", "<p>Wind from west.</p>", "boats", "boats; hands"},
  };
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      Row row = {std::to_string(round * 100 + static_cast<int>(i)), kinds[i][0] + " " + std::to_string(round),
                 kinds[i][1], kinds[i][2], kinds[i][3]};
      table.csv.rows.push_back(std::move(row));
    }
  }
  return table;
}
