// soak_report: shows the samples of tools/soak as a table, a verdict and pictures.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "pictures.hpp"
#include "report/report.hpp"
#include "verdict.hpp"

using namespace gateway;
using namespace gateway::soak;

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out{file, std::ios::trunc};
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

boost::json::object as_json(const verdict& of) {
  return {{"series", of.of.name}, {"second_third", of.second_third}, {"last_third", of.last_third},
          {"growth", of.growth},  {"allowed", of.allowed},           {"judged", of.judged},
          {"grows", of.grows}};
}

/// Returns whether anything grows.
bool report(const std::vector<std::string>& stores, const std::filesystem::path& to) {
  std::vector<store_run> runs;
  boost::json::object summary;
  bool grows = false;
  for (const auto& text : stores) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) throw std::runtime_error("'" + text + "' is not STORE=FOLDER");
    runs.push_back(read_store_run(text.substr(0, equals), text.substr(equals + 1)));
    const auto verdicts = judge_all(runs.back());
    std::cout << table_of(runs.back(), verdicts) << '\n';
    boost::json::array rows;
    for (const auto& one : verdicts) {
      grows = grows || one.grows;
      rows.emplace_back(as_json(one));
    }
    summary[runs.back().store] = std::move(rows);
  }
  summary["grows"] = grows;
  write(to / "verdict.json", boost::json::serialize(summary) + '\n');
  for (const auto& one : pictures_of(runs)) write(to / one.file, one.svg);
  std::cout << (grows ? "something grows\n" : "nothing grows\n");
  return grows;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"soak_report: whether anything grew during tools/soak.", "soak_report"};
  std::vector<std::string> stores;
  std::filesystem::path to = ".", rate_of;
  app.add_option("stores", stores, "A store's name and the folder of its samples")->type_name("STORE=FOLDER…");
  app.add_option("--output", to, "Folder of verdict.json and the pictures [.]")->type_name("DIR");
  app.add_option("--rate-of", rate_of, "Instead: prints how many requests a second this run of gateway-load answered")
      ->type_name("FILE");
  app.footer("Exit status: 0 nothing grows, 1 something grows or was not sampled, 2 usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& fault) {
    return app.exit(fault) == 0 ? 0 : 2;
  }
  if (!rate_of.empty()) {
    std::cout << static_cast<std::uint64_t>(load::read_json(rate_of).answered_per_second()) << '\n';
    return 0;
  }
  if (stores.empty()) {
    std::cerr << "soak_report: no store is named (try --help)\n";
    return 2;
  }
  return report(stores, to) ? 1 : 0;
} catch (const std::exception& fault) {
  std::cerr << "soak_report: " << fault.what() << '\n';
  return 1;
}
