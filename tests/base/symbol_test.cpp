#include "base/known_names.h"
#include "base/name_table.h"
#include "base/symbol.h"
#include "base/symbol_map.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace deepperf {
namespace {

TEST(Symbol, IsEqualExactlyWhenItsTextIs) {
  const std::string longer(200, 'x');
  EXPECT_EQ(intern("name"), intern("name"));
  EXPECT_NE(intern("name"), intern("nam"));
  EXPECT_EQ(intern(longer), intern(longer));
  EXPECT_EQ(intern(longer).text(), longer);
  EXPECT_EQ(intern("").text(), "");
  EXPECT_FALSE(Symbol{});
}

TEST(Symbol, WorkersAgree) {
  const std::string text = std::string("shared_name_of_workers") + std::string(64, '\0');
  LocalSymbols symbols;
  EXPECT_EQ(symbols.intern_padded(text.data(), 22), intern("shared_name_of_workers"));
  std::vector<Symbol> found(4);
  std::vector<std::thread> threads;
  for (Symbol &symbol : found) {
    threads.emplace_back([&symbol] {
      for (u32 i = 0; i < 2000; ++i) {
        symbol = intern("name_" + std::to_string(i));
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (const Symbol symbol : found) {
    EXPECT_EQ(symbol, found[0]);
    EXPECT_EQ(symbol.text(), "name_1999");
  }
}

TEST(Symbol, KnownNamesAreWhereTheCompilerPutThem) {
  EXPECT_EQ(intern("lambda"), known::sym_lambda);
  EXPECT_EQ(intern("_"), known::sym__);
  EXPECT_EQ(intern("__init__"), known::sym_init);
  EXPECT_EQ(known::sym_forward.text(), "forward");
}

TEST(NameTable, AddsBits) {
  NameTable table;
  for (u32 i = 0; i < 300; ++i) {
    table.add("entry" + std::to_string(i), u64{1} << (i % 64));
  }
  table.add("entry5", 1);
  EXPECT_EQ(table[intern("entry5")], (u64{1} << 5) | 1);
  EXPECT_EQ(table[intern("entry299")], u64{1} << (299 % 64));
  EXPECT_FALSE(table.has(intern("entry300")));
}

TEST(SymbolMap, FindsFewAndMany) {
  SymbolMap<u32> map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.find(7), map.end());
  for (u32 i = 1; i <= 1000; ++i) {
    map[i * 31] = i;
    EXPECT_EQ(map.size(), i);
    EXPECT_TRUE(map.contains(31)) << i;
    EXPECT_FALSE(map.contains(i * 31 + 1)) << i;
  }
  for (u32 i = 1; i <= 1000; ++i) {
    ASSERT_NE(map.find(i * 31), map.end());
    EXPECT_EQ(map.find(i * 31)->second, i);
  }
  map[31] = 5;
  EXPECT_EQ(map.size(), 1000U);
  EXPECT_EQ(map.begin()->second, 5U) << "in the order they came";
}

} // namespace
} // namespace deepperf
