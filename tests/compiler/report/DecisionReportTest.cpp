// What people and programs read of what passes decided.
#include <kiln/Report.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kiln {
namespace {

Report decided() {
  Report report;
  report.launches = {"pointwise_1", "matmul_2"};
  Decision edge{"graph-fuse", {{"math.exp", {"model.cpp", 3}, 0}, {"graph.matmul", {"model.cpp", 7}, 1}}, "into"};
  edge.chosen.name = "apart";
  edge.refused = {{"merged", "one-anchor", "each holds a matmul", {{"kept", 4096, Unit::Bytes}}}};
  Decision copy{"graph-align", {{"operand 0, 1793x1793xbf16", {"model.cpp", 7}, 1}}};
  copy.chosen = {
      "copied", "", "", {{"padded row", 1856}, {"time", 39.4e-6, Unit::Seconds}, {"copy", 5.2e-6, Unit::Seconds}}};
  copy.refused = {{"as it is", "", "", {{"row", 1793}, {"time", 85.6e-6, Unit::Seconds}}}};
  report.decisions = {edge, edge, copy};
  return report;
}

TEST(DecisionReport, SaysWhatWasChosenAndWhatWasNot) {
  std::string text = decided().explain();
  const char *edge = "  #0 pointwise_1 math.exp (model.cpp:3) into #1 matmul_2 graph.matmul (model.cpp:7)\n"
                     "    apart; not merged by one-anchor (each holds a matmul), kept 4096 B\n";
  EXPECT_NE(text.find(std::string("graph-fuse: 2 decisions\n") + edge + edge + "  one-anchor               2\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("graph-align: 1 decisions\n"
                      "  #1 matmul_2 operand 0, 1793x1793xbf16 (model.cpp:7)\n"
                      "    copied, padded row 1856, time 39.4 us, copy 5.2 us; not as it is, row 1793, time 85.6 us\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(Report().explain().find("decisions"), std::string::npos);
}

TEST(DecisionReport, IsJson) {
  auto json = nlohmann::json::parse(decided().json());
  ASSERT_EQ(json["decisions"].size(), 3u);
  auto edge = json["decisions"][0], copy = json["decisions"][2];
  EXPECT_EQ(edge["pass"], "graph-fuse");
  EXPECT_EQ(edge["relation"], "into");
  EXPECT_EQ(edge["subject"][1]["name"], "graph.matmul");
  EXPECT_EQ(edge["subject"][1]["where"]["line"], 7);
  EXPECT_EQ(edge["refused"][0]["rule"], "one-anchor");
  EXPECT_EQ(edge["refused"][0]["numbers"]["kept_bytes"], 4096);
  EXPECT_EQ(copy["subject"][0]["kernel"], 1);
  EXPECT_EQ(copy["chosen"]["name"], "copied");
  EXPECT_EQ(copy["chosen"]["numbers"]["padded_row"], 1856);
  EXPECT_EQ(copy["chosen"]["numbers"]["copy_seconds"], 5.2e-6);
}

TEST(DecisionReport, NumbersHaveTheirUnit) {
  EXPECT_EQ(numberText(9999, Unit::Bytes), "9999 B");
  EXPECT_EQ(numberText(10240, Unit::Bytes), "10 KB");
  EXPECT_EQ(numberText(1.5 * (1 << 30), Unit::Bytes), "1536 MB");
  EXPECT_EQ(numberText(39.4e-6, Unit::Seconds), "39.4 us");
  EXPECT_EQ(numberText(1793, Unit::Count), "1793");
}

} // namespace
} // namespace kiln
