#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include <chrono>
#include <cstdlib>
#include <fstream>

namespace {

/// Prints Catch2's own output. It also writes a line when a case starts and one when it has ended, to the file that the
/// environment variable GATEWAY_CASES names. From that file tests/summary counts the cases, and names the one during
/// which a program crashed. This is a reporter and not a listener, because for a listener Catch2 formats every passed
/// assertion, of which there are millions.
class case_reporter : public Catch::ConsoleReporter {
 public:
  explicit case_reporter(const Catch::ReporterConfig& config) : ConsoleReporter{config} {
    if (const char* path = std::getenv("GATEWAY_CASES")) file_.open(path);
  }
  static std::string getDescription() { return "As console; writes a line for each case into the file GATEWAY_CASES"; }

  void testCaseStarting(const Catch::TestCaseInfo& test) override {
    not_run_.clear();
    started_ = std::chrono::steady_clock::now();
    file_ << "started\t" << test.name << std::endl;
    ConsoleReporter::testCaseStarting(test);
  }

  bool assertionEnded(const Catch::AssertionStats& stats) override {
    const auto& result = stats.assertionResult;
    if (result.getResultType() == Catch::ResultWas::Warning) {
      const auto message = result.getMessage();
      if (message.find("NOT RUN") != std::string::npos) not_run_ = message.substr(0, message.find('\n'));
    }
    return ConsoleReporter::assertionEnded(stats);
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started_;
    const char* result = !stats.totals.assertions.allOk() ? "failed" : not_run_.empty() ? "passed" : "skipped";
    file_ << result << '\t' << stats.testInfo.name << '\t' << took.count() << '\t' << not_run_ << std::endl;
    ConsoleReporter::testCaseEnded(stats);
  }

 private:
  std::ofstream file_;
  std::string not_run_;
  std::chrono::steady_clock::time_point started_;
};

CATCH_REGISTER_REPORTER("cases", case_reporter)

}  // namespace
