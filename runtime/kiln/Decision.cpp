#include "kiln/Decision.h"

#include <fmt/format.h>

using namespace kiln;

std::string kiln::numberText(double value, Unit unit) {
  if (unit == Unit::Count) return fmt::format("{:.15g}", value);
  if (unit == Unit::Seconds) return fmt::format("{:.3g} us", value * 1e6);
  const char *units[] = {"B", "KB", "MB", "GB", "TB"};
  size_t at = 0;
  while (value >= 9999.5 && at < 4) value /= 1024, ++at;
  return at ? fmt::format("{:.4g} {}", value, units[at]) : fmt::format("{:.0f} B", value);
}

static std::string textOf(const DecisionOption &option) {
  std::string text = option.name;
  if (!option.rule.empty()) text += " by " + option.rule;
  if (!option.reason.empty()) text += fmt::format(" ({})", option.reason);
  for (const DecisionNumber &n : option.numbers) text += fmt::format(", {} {}", n.name, numberText(n.value, n.unit));
  return text;
}

std::string Decision::text() const {
  std::string text = textOf(chosen);
  for (const DecisionOption &option : refused) text += "; not " + textOf(option);
  return text;
}
