// Plans as JSON and back: nothing is lost, and text from anywhere is an Error at worst.
#include "kiln/Error.h"
#include "tests/runtime/PlanKit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace kiln {
namespace {

using namespace test;

/// A plan, not a sound one, with every kind of buffer, step and argument.
LaunchPlan everything() {
  LaunchPlan plan = chainPlan(Expr::extent("n"));
  Expr n = Expr::extent("n"), m = Expr::extent("m_2");
  plan.name = "a \"name\" \\ with ünïcode\n";
  plan.extents = {{"n", 1, INT64_MAX}, {"m_2", INT64_MIN, 8}};
  plan.buffers[0].donated = true;
  plan.buffers[1].strides = {ceilDiv(n, 64) * 64 - (m - (n + 1)), max(floorDiv(n, -7), min(m, Expr(INT64_MAX) + 1))};
  plan.buffers[2].aliasOf = 0;
  plan.buffers[2].offset = n * (m * 2) - 3;
  BufferId constant = addBuffer(plan, BufferKind::Constant, "table", 3);
  plan.buffers.back().dtype = bf16;
  TensorMapArg map{.buffer = constant,
                   .offset = 16,
                   .dtype = f8E5M2,
                   .extents = {n, 64},
                   .strides = {64, 1},
                   .box = {64, 64},
                   .swizzleBytes = 128,
                   .l2Bytes = 256,
                   .access = Access::ReadWrite};
  auto &launch = std::get<LaunchStep>(plan.steps[1]);
  launch.args.push_back(map);
  launch.args.push_back(ScalarArg{i64, UINT64_MAX});
  launch.cluster = {2, 1, 1};
  launch.pdl = true;
  launch.sharedBytes = m;
  plan.steps.push_back(CopyStep{{0, 4, Access::Read}, {2, n, Access::ReadWrite}, n - 1});
  plan.steps.push_back(MemsetStep{{3, 0, Access::Write}, INT64_MIN, 0xFF});
  return plan;
}

bool same(const LaunchPlan &a, const LaunchPlan &b) {
  bool equal = a.arenaBytes == b.arenaBytes && a.inputs == b.inputs && a.outputs == b.outputs &&
               a.buffers.size() == b.buffers.size() && a.steps.size() == b.steps.size();
  for (size_t i = 0; equal && i < a.buffers.size(); ++i) {
    const PlanBuffer &x = a.buffers[i], &y = b.buffers[i];
    equal = x.shape == y.shape && x.strides == y.strides && x.bytes == y.bytes && x.offset == y.offset &&
            x.lifetime.firstStep == y.lifetime.firstStep && x.lifetime.lastStep == y.lifetime.lastStep;
  }
  return equal && toJson(a) == toJson(b);
}

TEST(PlanJson, NothingIsLost) {
  for (const LaunchPlan &plan : {everything(), chainPlan(100), chainPlan(0), LaunchPlan()})
    EXPECT_TRUE(same(plan, planFromJson(toJson(plan)))) << toJson(planFromJson(toJson(plan)));
  LaunchPlan plan = planFromJson(toJson(everything()));
  EXPECT_EQ(plan.buffers[0].donated, true);
  EXPECT_EQ(plan.buffers[2].aliasOf, 0);
  const auto &launch = std::get<LaunchStep>(plan.steps[1]);
  EXPECT_EQ(std::get<TensorMapArg>(launch.args[4]).box, (std::vector<int32_t>{64, 64}));
  EXPECT_EQ(std::get<TensorMapArg>(launch.args[4]).l2Bytes, 256);
  EXPECT_EQ(std::get<ScalarArg>(launch.args[5]).bits, UINT64_MAX);
  EXPECT_EQ(std::get<MemsetStep>(plan.steps[5]).value, 0xFF);
}

std::string messageOf(const std::string &json) {
  try {
    planFromJson(json);
  } catch (const Error &error) {
    EXPECT_EQ(error.code, ErrorCode::InvalidInput);
    return error.what();
  }
  return "";
}

/// The chain plan's text with the first `from` replaced, and what reading it says.
std::string messageAfter(const std::string &from, const std::string &to) {
  std::string text = toJson(chainPlan(100));
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return messageOf(text.replace(at, from.size(), to));
}

TEST(PlanJson, ErrorsNameTheField) {
  auto has = [](const std::string &message, const std::string &part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  has(messageOf(""), "must be JSON");
  has(messageOf("[]"), "expected: an object");
  has(messageOf("{}"), "invalid input error: schema");
  has(messageAfter("\"schema\": 2", "\"schema\": 1"), "the schema that this version of Kiln reads");
  has(messageAfter("\"schema\": 2", "\"schema\": 2.0"), "schema");
  has(messageAfter("\"name\": \"chain\"", "\"name\": 3"), "error: name");
  has(messageAfter("\"name\": \"chain\"", "\"name\": \"chain\", \"colour\": 1"), "error: colour");
  has(messageAfter("\"id\": 0", "\"id\": -2"), "buffers[0].id");
  has(messageAfter("\"kind\": \"input\"", "\"kind\": \"inlet\""), "input, parameter, output, constant, temporary");
  has(messageAfter("\"dtype\": \"f32\"", "\"dtype\": \"f33\""), "buffers[0].dtype");
  has(messageAfter("\"bytes\": 400", "\"bytes\": 4e2"), "buffers[0].bytes");
  has(messageAfter("\"bytes\": 400", "\"bytes\": 18446744073709551615"), "buffers[0].bytes");
  has(messageAfter("\"bytes\": 400", "\"bytes\": \"n +\""), "a number or a name");
  has(messageAfter("\"pdl\": false", "\"pdl\": 0"), "steps[0].pdl");
  has(messageAfter("\"i64\": 100", "\"i65\": 100"), "steps[0].args[3].tensor_map");
  has(messageAfter("\"name\": \"x\"", "\"name\": \"z\""), "inputs[0].name");
}

TEST(PlanJson, AnyTextIsAPlanOrAnError) {
  std::mt19937 random(7);
  const std::string text = toJson(everything());
  int read = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string changed = text;
    for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
      size_t at = random() % changed.size(), length = 1 + random() % 12;
      switch (random() % 4) {
      case 0:
        changed[at] = static_cast<char>(random());
        break;
      case 1:
        changed.erase(at, length);
        break;
      case 2:
        changed.insert(at, changed, random() % changed.size(), length);
        break;
      default:
        changed.insert(at, "9");
      }
    }
    try {
      LaunchPlan plan = planFromJson(changed);
      (void)verify(plan); // says what it likes, and ends
      ++read;
    } catch (const Error &error) {
      ASSERT_EQ(error.code, ErrorCode::InvalidInput);
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_LT(read, 3000);
}

TEST(Expr, ParsesWhatItPrints) {
  Expr n = Expr::extent("n"), m = Expr::extent("_m1");
  for (const Expr &e :
       {Expr(0), Expr(INT64_MIN), Expr(INT64_MAX), n, n - (m - n), (n - m) - n, n * (m + 1) * n, n * (m * n),
        min(max(n, 3), ceilDiv(m, 7) - floorDiv(n, 2)), n - Expr(-5), Expr(INT64_MAX) + 1, (n + m) * (n - m)})
    EXPECT_EQ(Expr::parse(e.toString()), e) << e.toString();
  EXPECT_EQ(Expr::parse(" ( n+1 )*2 "), (n + 1) * 2);
  for (std::string text : {"", " ", "n +", "* n", "n m", "(n", "n)", "min(n)", "min(n, 1", "sum(n, 1)", "1.5", "--1",
                           "9223372036854775808", "n; 1", "é", "(((("})
    EXPECT_THROW(Expr::parse(text), Error) << text;
}

TEST(Expr, DeepTextIsAnError) {
  auto repeat = [](const std::string &text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  EXPECT_NO_THROW(Expr::parse(repeat("n + ", 1000) + "n"));
  EXPECT_THROW(Expr::parse(repeat("n + ", 100000) + "n"), Error);
  EXPECT_THROW(Expr::parse(repeat("(", 100000)), Error);
  EXPECT_THROW(Expr::parse(repeat("min(n, ", 100000)), Error);
}

} // namespace
} // namespace kiln
