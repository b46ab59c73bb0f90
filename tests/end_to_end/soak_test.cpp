// Runs tools/soak for seconds instead of an hour and checks the files that it leaves. Its verdict on growth is tested
// in tests/tools/soak_verdict_test.cpp.
#include <catch2/catch.hpp>

#include "database.hpp"
#include "json.hpp"
#include "paths.hpp"
#include "text.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

TEST_CASE("tools/soak loads, verifies, samples, and writes a verdict with pictures") {
  // The tool starts the programs of build/.
  if (!std::filesystem::equivalent(program("gatewayd").parent_path(), project_root() / "build")) {
    WARN("NOT RUN: these programs are not those of build/");
    return;
  }
  const auto store = GENERATE(from_range(stores()));
  const std::string name = store == store_kind::mysql ? "mariadb" : "sqlite";
  const auto folder = new_folder("soak");
  const auto soak = [&](int section_seconds) {
    return run_command(
        {(project_root() / "tools" / "soak").string(), "--seconds=" + std::to_string(3 * section_seconds),
         "--section=" + std::to_string(section_seconds), "--rate=120", "--kept=7s", "--every=1", "--duplicates=10",
         "--connections=16", "--store=" + name, "--output=" + folder.string(), "--no-build"},
        {}, {}, 5 * hang_timeout);
  };
  auto ran = soak(6);
  // A busy machine may need more time to collect enough samples.
  if (ran.err.find("too few samples") != std::string::npos) ran = soak(15);
  INFO(ran.out << ran.err);
  // Growth within so few seconds means nothing; the test checks that it was judged.
  CHECK((ran.code == 0 || ran.out.find("something grows") != std::string::npos));
  CHECK(ran.out.find("resident memory") != std::string::npos);
  CHECK(ran.out.find("payments' p99") != std::string::npos);
  CHECK(ran.out.find("idempotency keys kept") != std::string::npos);

  const auto verdict = json::parse(read_file(folder / "verdict.json"));
  CHECK(verdict[name].size() >= 8);
  CHECK(lines_of(read_file(folder / name / "samples.csv")).size() >= 12);
  CHECK(lines_of(read_file(folder / name / "sections.csv")).size() == 4);
  for (int section = 0; section < 3; ++section) {
    const auto run = json::parse(read_file(folder / name / ("section-" + std::to_string(section) + ".json")));
    CHECK(run["verification"]["violations"].number() == 0);
    CHECK(run["verification"]["payments"].number() > 0);
    CHECK(run["verification"]["events"].number() > 0);
  }
  for (const auto* picture : {"resident.svg", "database.svg", "p99_ms.svg", "webhook_oldest_s.svg", "keys_kept.svg"})
    CHECK(read_file(folder / picture).starts_with("<svg xmlns="));
  if (!keeps_data()) std::filesystem::remove_all(folder);
}
