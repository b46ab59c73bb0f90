#include <exception>
#include <iostream>

#include "carry_out.hpp"
#include "command_line.hpp"

int main(int argc, char** argv) try {
  const auto command = gateway::cli::parse_command_line(argc, argv);
  if (command.what == gateway::cli::action::usage_error) {
    std::cerr << command.text << '\n';
    return 2;
  }
  if (command.what == gateway::cli::action::information) {
    std::cout << command.text;
    return 0;
  }
  return gateway::cli::carry_out(command, gateway::cli::read_environment, std::cin, std::cout, std::cerr);
} catch (const std::exception& fault) {
  std::cerr << "gateway-cli: " << fault.what() << '\n';
  return 1;
}
