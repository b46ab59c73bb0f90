#include <algorithm>
#include <exception>
#include <iostream>
#include <stdexcept>

#include "command_line.hpp"
#include "gateway/base/scheduling.hpp"
#include "run.hpp"

namespace {

int fail(std::string why, int status) {
  std::ranges::replace(why, '\n', ' ');
  std::cerr << "gateway-load: " << why << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) try {
  using gateway::load::command;
  const auto options = gateway::load::parse_command_line(argc, argv);
  switch (options.what) {
    case command::usage_error: std::cerr << options.text << '\n'; return 2;
    case command::information: std::cout << options.text; return 0;
    case command::report: return gateway::load::execute_report(options);
    case command::run:
      // Otherwise the load tester would interrupt a gateway on this machine with every request.
      gateway::use_batch_scheduling();
      return gateway::load::execute_run(options);
    case command::subscriptions: gateway::use_batch_scheduling(); return gateway::load::execute_subscriptions(options);
  }
} catch (const std::invalid_argument& fault) {
  return fail(fault.what(), 2);
} catch (const std::exception& fault) {
  return fail(fault.what(), 1);
}
