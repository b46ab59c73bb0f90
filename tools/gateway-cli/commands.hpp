// Adds the commands to the command line, a file for each noun.
#pragma once

#include <memory>
#include <string>

#include "command_line.hpp"
#include "config/option_parser.hpp"

namespace gateway::cli {

/// A fault that the parser cannot see by itself. The message is for the user; exit status 2.
struct bad_usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The program or a noun, and what its commands fill in.
struct command_adder {
  options::command app;
  command_line& result;

  command_adder noun(std::string_view name, std::string_view help) const;
};

void add_call_command(const command_adder& to);
void add_payment_commands(const command_adder& to);
void add_event_commands(const command_adder& to);
void add_dispute_commands(const command_adder& to);
void add_webhook_commands(const command_adder& to);
void add_trigger_command(const command_adder& to);

/// For the list that `result.list` describes once the command is given.
void add_page_options(const options::command& to, list_request& into);

}  // namespace gateway::cli
