#include "model/lattice.h"

#include "model/project.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace deepperf::model {
namespace {

using Tag = Value::Tag;

// Values of all forms, made at random, with few different parts so that many are alike.
class Values {
public:
  explicit Values(u32 seed) : random_(seed) {
    for (u32 i = 0; i < calls_.size(); ++i) {
      calls_[i].kind = python::NodeKind::Call;
      calls_[i].fact = i + 1;
    }
    for (u32 i = 0; i < constants_.size(); ++i) {
      constants_[i].kind = python::NodeKind::Constant;
      constants_[i].start = i;
    }
    for (u32 i = 0; i < functions_.size(); ++i) {
      functions_[i].index = i;
      classes_[i].index = i;
    }
  }

  Value any(u32 depth = 0) {
    Value value = one(depth);
    for (u32 more = pick(4); more > 0; --more) {
      value = join(value, one(depth), arena);
    }
    return value;
  }

  Arena arena;

private:
  u32 pick(u32 count) { return static_cast<u32>(random_() % count); }

  Value instance() {
    constexpr Kind kKinds[] = {Kind::Dataset, Kind::TorchTensor, Kind::TorchModule};
    Value value = pick(4) == 0 ? Value::instance(kKinds[pick(3)])
                               : Value::made_by(kKinds[pick(3)], &calls_[pick(7)], Symbol{1 + pick(2)});
    value.container = pick(2) == 0;
    value.grad = static_cast<u8>(pick(4)) & 3U;
    value.device = static_cast<u8>(pick(8)) & 7U;
    value.output = pick(2) == 0 ? Output::Unknown : Output::Softmax;
    return value;
  }

  Value one(u32 depth) {
    Value value;
    switch (pick(depth < 3 ? 13 : 8)) {
    case 0:
      return value;
    case 1:
      return Value::bottom();
    case 2:
      value.tag = Tag::None;
      return value;
    case 3:
      value.tag = Tag::Literal;
      value.expr = &constants_[pick(3)];
      value.number = 1;
      return value;
    case 4:
      return Value::api(Symbol{1 + pick(3)}, pick(2) == 0);
    case 5:
      return Value::of(&functions_[pick(6)]);
    case 6:
      return Value::of(&classes_[pick(6)], Tag::Object);
    case 7:
      return instance();
    case 8:
      return pick(2) == 0 ? make_bound(Tag::Partial, {}, any(depth + 1), arena)
                          : make_bound(Tag::ApiMethod, Symbol{1 + pick(2)}, any(depth + 1), arena);
    case 9:
    case 10: {
      std::vector<Entry> entries;
      for (u32 i = pick(4); i > 0; --i) {
        entries.push_back({Symbol{1 + pick(4)}, any(depth + 1)});
      }
      return make_record(entries, pick(2) == 0 ? Value::bottom() : any(depth + 1), arena);
    }
    default: {
      std::vector<Value> items;
      for (u32 i = 1 + pick(3); i > 0; --i) {
        items.push_back(any(depth + 1));
      }
      return model::make_tuple(items, items.size() == 1 && pick(2) == 0, arena);
    }
    }
  }

  std::mt19937 random_;
  std::array<python::Call, 7> calls_;
  std::array<python::Constant, 3> constants_;
  std::array<FunctionInfo, 6> functions_;
  std::array<ClassInfo, 6> classes_;
};

constexpr u32 kRounds = 20000;

TEST(Lattice, JoinIsIdempotent) {
  Values values(1);
  for (u32 i = 0; i < kRounds; ++i) {
    const Value a = values.any();
    ASSERT_TRUE(join(a, a, values.arena) == a) << i;
  }
}

TEST(Lattice, JoinIsCommutative) {
  Values values(2);
  for (u32 i = 0; i < kRounds; ++i) {
    const Value a = values.any();
    const Value b = values.any();
    ASSERT_TRUE(join(a, b, values.arena) == join(b, a, values.arena)) << i;
  }
}

TEST(Lattice, JoinIsAssociative) {
  Values values(3);
  for (u32 i = 0; i < kRounds; ++i) {
    const Value a = values.any();
    const Value b = values.any();
    const Value c = values.any();
    Arena &arena = values.arena;
    ASSERT_TRUE(join(join(a, b, arena), c, arena) == join(a, join(b, c, arena), arena)) << i;
  }
}

TEST(Lattice, BottomIsBelowAndUnknownAboveEverything) {
  Values values(4);
  for (u32 i = 0; i < kRounds; ++i) {
    const Value a = values.any();
    ASSERT_TRUE(join(Value::bottom(), a, values.arena) == a) << i;
    const Value top = join(a, {}, values.arena);
    ASSERT_TRUE(top.open || top.is_unknown()) << i;
    ASSERT_TRUE(join(top, {}, values.arena) == top) << i;
    ASSERT_TRUE(join(Value::anything(), a, values.arena) == Value::anything()) << i;
  }
}

TEST(Lattice, ChainsEnd) {
  Values values(5);
  for (u32 i = 0; i < 200; ++i) {
    Value value = Value::bottom();
    u32 steps = 0;
    for (u32 more = 0; more < 200; ++more) {
      const Value next = join(value, values.any(), values.arena);
      steps += next == value ? 0 : 1;
      value = next;
    }
    EXPECT_LT(steps, 60U);
  }
}

TEST(Lattice, ACopyIsEqual) {
  Values values(6);
  Arena other;
  for (u32 i = 0; i < kRounds; ++i) {
    const Value a = values.any();
    ASSERT_TRUE(copy_into(a, other) == a) << i;
  }
}

TEST(Lattice, EqualityComparesEverything) {
  Value tensor = Value::instance(Kind::TorchTensor);
  Value other = tensor;
  other.grad = kGradient;
  EXPECT_FALSE(tensor == other);
  other = tensor;
  other.device = kOnGpu;
  EXPECT_FALSE(tensor == other);
  other = tensor;
  other.container = true;
  EXPECT_FALSE(tensor == other);
}

TEST(Lattice, RecordsAreJoinedNameByName) {
  Arena arena;
  const Value net = Value::api(Symbol{1}, false);
  const Value loss = Value::api(Symbol{2}, false);
  const Symbol model{3};
  const Symbol criterion{4};
  const Entry first[] = {{model, net}};
  const Entry second[] = {{criterion, loss}, {model, net}};
  const Value joined =
      join(make_record(first, Value::bottom(), arena), make_record(second, Value::bottom(), arena), arena);
  EXPECT_TRUE(entry_named(joined, model) == net);
  EXPECT_TRUE(entry_named(joined, criterion) == loss); // the first has none, so that it is no other value
  EXPECT_TRUE(entry_named(joined, Symbol{5}).is_bottom());
  const Value open = join(joined, make_tuple({&loss, 1}, true, arena), arena); // one whose names nobody knows
  EXPECT_TRUE(entry_named(open, model) == join(net, loss, arena));
  EXPECT_TRUE(entry_named(with_entry(open, model, net, arena), model) == net);
}

} // namespace
} // namespace deepperf::model
