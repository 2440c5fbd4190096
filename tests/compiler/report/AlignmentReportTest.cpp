// What people and programs read of unaligned operands.
#include <kiln/Report.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kiln {
namespace {

Report copied() {
  Report report;
  report.launches = {"pointwise_1", "matmul_2"};
  AlignmentReport alignment;
  alignment.kernel = 1;
  alignment.operand = 0;
  alignment.type = "1793x1793xbf16";
  alignment.where = {"model.cpp", 7};
  alignment.by = "copy";
  alignment.row = 1793;
  alignment.paddedRow = 1856;
  alignment.narrowSeconds = 85.6e-6;
  alignment.alignedSeconds = 39.4e-6;
  alignment.copySeconds = 5.2e-6;
  report.alignments.push_back(alignment);
  return report;
}

TEST(AlignmentReport, SaysBothTimes) {
  std::string text = copied().explain();
  EXPECT_NE(text.find("Operands with unaligned rows: 1\n"
                      "  #1 matmul_2 (model.cpp:7) operand 0, 1793x1793xbf16\n"
                      "    by copy: 85.6 us with rows of 1793, 39.4 us with rows of 1856 and a copy of 5.2 us\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(Report().explain().find("unaligned"), std::string::npos);
}

TEST(AlignmentReport, SaysWhatAKernelShifts) {
  Report report = copied();
  AlignmentReport &a = report.alignments[0];
  a.by = "shift", a.kernel = 0, a.shiftedSeconds = 50e-6;
  std::string text = report.explain();
  EXPECT_NE(text.find("  #0 pointwise_1 (model.cpp:7) operand 0, 1793x1793xbf16, rows of 1793\n"
                      "    by shift: 85.6 us narrow, 50 us shifted, 39.4 us with rows of 1856 and a copy of 5.2 us\n"),
            std::string::npos)
      << text;
  a.by = "nothing", a.isResult = true;
  text = report.explain();
  EXPECT_NE(
      text.find(" result 0, 1793x1793xbf16, rows of 1793\n    by narrow accesses: 85.6 us narrow, 50 us shifted\n"),
      std::string::npos)
      << text;
}

TEST(AlignmentReport, IsJson) {
  auto json = nlohmann::json::parse(copied().json());
  ASSERT_EQ(json["alignments"].size(), 1u);
  EXPECT_EQ(json["alignments"][0]["by"], "copy");
  EXPECT_EQ(json["alignments"][0]["kernel"], 1);
  EXPECT_EQ(json["alignments"][0]["padded_row"], 1856);
  EXPECT_EQ(json["alignments"][0]["copy_seconds"], 5.2e-6);
}

} // namespace
} // namespace kiln
