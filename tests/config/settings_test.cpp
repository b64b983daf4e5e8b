#include "config/settings.h"

#include "config/show.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace deepperf::config {
namespace {

Setting setting(std::string_view key, std::vector<std::string> values, u32 line = 0) {
  Setting made;
  made.key = find_key(key);
  made.place = {line, line == 0 ? 0U : 1U};
  for (std::string &value : values) {
    made.values.push_back({std::move(value), made.place});
  }
  return made;
}

Settings file_with(std::vector<Setting> settings) { return {"deepperf.toml", "/project", std::move(settings)}; }

TEST(Settings, TheCommandLineWins) {
  const Settings merged = merge(file_with({setting("select", {"DP1"}, 1), setting("fail-on", {"error"}, 2)}),
                                {"", "", {setting("fail-on", {"note"})}});
  EXPECT_EQ(find_value(merged, "select"), "DP1");
  EXPECT_EQ(find_value(merged, "fail-on"), "note");
  EXPECT_EQ(find_setting(merged, "fail-on")->place.line, 0U);
  EXPECT_EQ(merged.file, "deepperf.toml");
}

TEST(Settings, IgnoredRulesAddUp) {
  const Settings merged = merge(file_with({setting("ignore", {"DP1"}, 3)}), {"", "", {setting("ignore", {"DP2"})}});
  ASSERT_EQ(find_setting(merged, "ignore")->values.size(), 2U);
  EXPECT_NE(show_text(merged).find("ignore = [\"DP1\", \"DP2\"]"), std::string::npos);
  EXPECT_NE(show_text(merged).find("# deepperf.toml:3, command line\n"), std::string::npos);
}

TEST(Settings, WhatTheCommandLineSelectsIsAll) {
  const Settings file = file_with({setting("extend-select", {"DP1"}, 1), setting("min-severity", {"error"}, 2)});
  EXPECT_EQ(find_setting(merge(file, {"", "", {setting("select", {"DP2"})}}), "extend-select"), nullptr);
  EXPECT_EQ(find_setting(merge(file, {"", "", {setting("all", {"true"})}}), "min-severity"), nullptr);
  EXPECT_NE(find_setting(merge(file, {}), "min-severity"), nullptr);
}

TEST(Settings, EveryKeyIsShown) {
  const Settings settings = file_with({setting("all", {"true"}, 7)});
  const std::string text = show_text(settings);
  const nlohmann::ordered_json json = show_json(settings);
  for (const Key &key : all_keys()) {
    EXPECT_NE(text.find(std::string(key.name)), std::string::npos) << key.name;
    EXPECT_TRUE(json["settings"].contains(std::string(key.name))) << key.name;
  }
  EXPECT_EQ(json["settings"]["all"]["value"], true);
  EXPECT_EQ(json["settings"]["all"]["from"], "deepperf.toml:7");
  EXPECT_EQ(json["settings"]["select"]["from"], "default");
  EXPECT_EQ(show_json({})["file"], nullptr);
}

} // namespace
} // namespace deepperf::config
