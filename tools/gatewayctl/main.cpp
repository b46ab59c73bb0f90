#include <algorithm>
#include <exception>
#include <iostream>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "command_line.hpp"
#include "operator_client.hpp"
#include "output.hpp"

namespace {

int fail(std::string why) {
  std::ranges::replace(why, '\n', ' ');
  std::cerr << "gatewayctl: " << why << '\n';
  return 1;
}

int carry_out(const gateway::ctl::command_line& command) {
  const auto answer =
      gateway::ctl::post(command.data_dir, command.call.path, boost::json::serialize(command.call.body));
  if (answer.status != 200) return fail(gateway::ctl::message_of(answer.status, answer.body));
  boost::system::error_code failure;
  const auto parsed = boost::json::parse(answer.body, failure);
  if (failure || !parsed.is_object()) return fail("the gateway's answer is not a JSON object");
  if (command.json)
    std::cout << boost::json::serialize(parsed) << '\n';
  else
    std::cout << gateway::ctl::as_text(parsed.get_object());
  return std::cout.flush() ? 0 : fail("cannot write the answer");
}

}  // namespace

int main(int argc, char** argv) try {
  const auto command = gateway::ctl::parse_command_line(argc, argv, std::cin);
  if (command.what == gateway::ctl::action::usage_error) {
    std::cerr << command.text << '\n';
    return 2;
  }
  if (command.what == gateway::ctl::action::information) {
    std::cout << command.text;
    return 0;
  }
  return carry_out(command);
} catch (const std::exception& fault) {
  return fail(fault.what());
}
