// Times compiled graphs against what the machine can do: matmuls against OpenBLAS, streaming kernels against a copy of
// as many bytes. All contestants take turns in one process, with the same number of threads; what counts is the median
// of the ratios within each round. Results are JSON, one file per run.
#include "tests/bench/Contestants.h"
#include "tests/bench/Statistics.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <fstream>

using namespace kiln;
using namespace kiln::bench;

namespace {

/// Kiln and its peer on one problem.
struct Duel {
  std::string name;
  double amount;    ///< FLOPs, or bytes read and written
  std::string unit; ///< "GFLOP/s", "GB/s"
  double bar;       ///< what kiln's speed must be of the peer's; 0: nothing
  std::unique_ptr<Contestant> ours, peer;
};

struct Settings {
  int rounds = 30, threads = 2;
  std::string output, filter;
};

/// A family of problems against copies.
struct Streaming {
  const char *name;
  std::unique_ptr<Contestant> (*make)(int64_t rows, int64_t columns, int threads);
};

std::vector<Duel> makeDuels(const Settings &settings) {
  std::vector<Duel> duels;
  auto wanted = [&](const std::string &name) { return name.find(settings.filter) != std::string::npos; };
  for (int64_t n : {1024, 1025, 1793}) {
    std::string name = fmt::format("matmul {}", n);
    if (!wanted(name)) continue;
    auto peer = makeOpenBlas(n, n, n, settings.threads);
    if (!peer) std::printf("no OpenBLAS on this machine: %s stands alone\n", name.c_str());
    duels.push_back({name, 2.0 * static_cast<double>(n * n * n), "GFLOP/s", n == 1024 ? 0.25 : 0,
                     makeMatmul(n, n, n, settings.threads), std::move(peer)});
  }
  for (const Streaming &row : {Streaming{"gelu chain", makeGeluChain}, Streaming{"softmax", makeSoftmax}})
    for (auto [rows, columns] : {std::pair<int64_t, int64_t>{4096, 4096}, {16384, 1024}, {16384, 1025}}) {
      std::string name = fmt::format("{} {}x{}", row.name, rows, columns);
      if (!wanted(name)) continue;
      int64_t bytes = rows * columns * 4;
      duels.push_back({name, 2.0 * static_cast<double>(bytes), "GB/s", columns % 2 == 0 ? 0.4 : 0,
                       row.make(rows, columns, settings.threads), makeCopy(bytes, settings.threads)});
    }
  return duels;
}

/// The seconds of each contestant in each round.
struct Times {
  std::vector<double> ours, peer;
};

std::vector<Times> race(std::vector<Duel> &duels, int rounds) {
  std::vector<Times> times(duels.size());
  for (int round = -2; round < rounds; ++round) { // two rounds to warm up
    for (size_t i = 0; i < duels.size(); ++i) {
      double ours = duels[i].ours->seconds();
      double peer = duels[i].peer ? duels[i].peer->seconds() : 0;
      if (round < 0) continue;
      times[i].ours.push_back(ours);
      times[i].peer.push_back(peer);
    }
    std::fprintf(stderr, "\rround %d of %d ", round + 1, rounds);
  }
  std::fprintf(stderr, "\n");
  return times;
}

nlohmann::json summarise(const Duel &duel, const Times &times) {
  Median ours = medianOf(times.ours);
  nlohmann::json result = {{"name", duel.name},
                           {"unit", duel.unit},
                           {"rounds", times.ours.size()},
                           {"seconds", ours.value},
                           {"speed", duel.amount / ours.value * 1e-9}};
  if (!duel.peer) return result;
  std::vector<double> ratios;
  for (size_t i = 0; i < times.ours.size(); ++i) ratios.push_back(times.peer[i] / times.ours[i]);
  Median ratio = medianOf(ratios), peer = medianOf(times.peer);
  result["peer"] = duel.peer->name();
  result["peer_seconds"] = peer.value;
  result["peer_speed"] = duel.amount / peer.value * 1e-9;
  result["ratio"] = ratio.value;
  result["ratio_interval_95"] = {ratio.low, ratio.high};
  if (duel.bar > 0) result["bar"] = duel.bar;
  return result;
}

std::string firstLineOf(const std::string &command) {
  std::string text;
  if (FILE *pipe = popen(command.c_str(), "r")) {
    for (int c = fgetc(pipe); c != EOF && c != '\n'; c = fgetc(pipe)) text += static_cast<char>(c);
    pclose(pipe);
  }
  return text;
}

std::string cpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

/// Everything about the run but its results.
nlohmann::json describeRun(const Settings &settings) {
  char date[32];
  std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::string revision = firstLineOf("git -C '" KILN_SOURCE_DIR "' rev-parse HEAD 2>/dev/null");
  bool changed = !firstLineOf("git -C '" KILN_SOURCE_DIR "' status --porcelain -uno 2>/dev/null").empty();
  double load = 0; // of others too: what a busy machine says is worth less
  getloadavg(&load, 1);
  return {{"schema", 1},
          {"date", date},
          {"revision", revision + (changed ? " with changes" : "")},
          {"cpu", cpuName()},
          {"threads", settings.threads},
          {"load_average", load},
          {"results", nlohmann::json::array()}};
}

void print(const nlohmann::json &result) {
  std::string unit = result["unit"],
              text = fmt::format("{:<20} {:9.3f} ms {:8.1f} {}", result["name"].get<std::string>(),
                                 result["seconds"].get<double>() * 1e3, result["speed"].get<double>(), unit);
  if (result.contains("ratio"))
    text += fmt::format(", {:.3f} of {} ({:.3f} .. {:.3f}; {:.1f} {})", result["ratio"].get<double>(),
                        result["peer"].get<std::string>(), result["ratio_interval_95"][0].get<double>(),
                        result["ratio_interval_95"][1].get<double>(), result["peer_speed"].get<double>(), unit);
  std::printf("%s\n", text.c_str());
}

void run(const Settings &settings) {
  nlohmann::json file = describeRun(settings);
  std::vector<Duel> duels = makeDuels(settings);
  std::vector<Times> times = race(duels, settings.rounds);
  for (size_t i = 0; i < duels.size(); ++i) {
    file["results"].push_back(summarise(duels[i], times[i]));
    print(file["results"].back());
  }
  if (!settings.output.empty()) std::ofstream(settings.output) << file.dump(2) << '\n';
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  CLI::App app("Times compiled graphs against OpenBLAS and memory copies, round-robin in one process.");
  app.add_option("--rounds", settings.rounds, "rounds, at least 20 for a result")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", settings.threads, "threads of every contestant")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--filter", settings.filter, "only problems with this in their name");
  app.add_option("--output", settings.output, "write the results to this file, as JSON");
  CLI11_PARSE(app, argc, argv);
  try {
    run(settings);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 5;
  }
  return 0;
}
