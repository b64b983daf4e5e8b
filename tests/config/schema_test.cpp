#include "config/schema.h"

#include "config/keys.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace deepperf::config {
namespace {

TEST(ConfigSchema, HasEveryKeyOfTheTable) {
  const nlohmann::ordered_json whole = schema();
  EXPECT_EQ(whole["type"], "object");
  EXPECT_EQ(whole["additionalProperties"], false);
  EXPECT_EQ(whole["properties"].size(), all_keys().size());
  for (const Key &key : all_keys()) {
    const nlohmann::ordered_json &property = whole["properties"][std::string(key.name)];
    const bool is_table = key.form == Form::Table || key.form == Form::TableOfLists;
    EXPECT_EQ(property["type"], is_table                 ? "object"
                                : key.form == Form::List ? "array"
                                : key.word == Word::Flag ? "boolean"
                                                         : "string")
        << key.name;
    EXPECT_FALSE(property["description"].get<std::string>().empty()) << key.name;
  }
}

TEST(ConfigSchema, ChoicesAreThoseOfTheReader) {
  const nlohmann::ordered_json whole = schema();
  EXPECT_EQ(whole["properties"]["fail-on"]["enum"], choices(Word::SeverityOrNever));
  EXPECT_EQ(whole["properties"]["wrappers"]["additionalProperties"]["enum"], choices(Word::ValueKind));
  EXPECT_EQ(whole["properties"]["target-versions"]["propertyNames"]["enum"], choices(Word::Package));
}

} // namespace
} // namespace deepperf::config
