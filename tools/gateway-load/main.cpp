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
  const auto typed = gateway::load::parse_command_line(argc, argv);
  switch (typed.what) {
    case command::usage_error: std::cerr << typed.text << '\n'; return 2;
    case command::information: std::cout << typed.text; return 0;
    case command::report: return gateway::load::carry_out_report(typed);
    case command::run:
      gateway::take_turns();  // on one machine with what it measures, it would interrupt that with every request
      return gateway::load::carry_out_run(typed);
  }
} catch (const std::invalid_argument& fault) {
  return fail(fault.what(), 2);
} catch (const std::exception& fault) {
  return fail(fault.what(), 1);
}
