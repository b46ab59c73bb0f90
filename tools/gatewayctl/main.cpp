#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <thread>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "command_line.hpp"
#include "compliance.hpp"
#include "operator_client.hpp"
#include "output.hpp"

namespace {

int fail(std::string why) {
  std::ranges::replace(why, '\n', ' ');
  std::cerr << "gatewayctl: " << why << '\n';
  return 1;
}

/// Sends all requests over one connection. Throws the gateway's message if one is refused.
gateway::ctl::operator_poster poster_over(gateway::ctl::operator_connection& connection) {
  return [&connection](const std::string& path, const boost::json::object& body) {
    const auto answer = connection.post(path, boost::json::serialize(body));
    if (answer.status != 200) throw std::runtime_error(gateway::ctl::message_of(answer.status, answer.body));
    boost::system::error_code failure;
    const auto parsed = boost::json::parse(answer.body, failure);
    if (failure || !parsed.is_object()) throw std::runtime_error("the gateway's answer is not a JSON object");
    return parsed.get_object();
  };
}

/// Checks a backup, which needs no gateway.
int verify(const gateway::ctl::command_line& command) {
  const bool is_good = gateway::ctl::verify_backup(command.backup, std::cout);
  if (!std::cout.flush()) return fail("cannot write the answer");
  return is_good ? 0 : 1;
}

/// Carries out a command that takes as many requests as necessary.
int work_through(const gateway::ctl::command_line& command) {
  using gateway::ctl::action;
  gateway::ctl::operator_connection connection{command.data_dir};
  const auto post = poster_over(connection);
  bool agrees = true;
  switch (command.what) {
    case action::report: gateway::ctl::write_report(command.report, post, std::cout); break;
    case action::export_audit: gateway::ctl::export_audit(command.audit_export, post, std::cout); break;
    case action::compliance: gateway::ctl::write_compliance(command.json, post, std::cout); break;
    case action::verify_audit: agrees = gateway::ctl::verify_audit(command.audit_verify, post, std::cout); break;
    case action::make_backup: gateway::ctl::make_backup(command.backup, post, std::cout); break;
    case action::record_backup: gateway::ctl::record_backup(command.backup, post, std::cout); break;
    case action::recover:
      agrees = gateway::ctl::recover(
          command.recover, post, [] { std::this_thread::sleep_for(std::chrono::seconds{1}); }, std::cout, std::cerr);
      break;
    default: agrees = gateway::ctl::reconcile(command.reconcile, post, std::cout);
  }
  if (!std::cout.flush()) return fail("cannot write the answer");
  return agrees ? 0 : 1;
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
  if (!std::cout.flush()) return fail("cannot write the answer");
  return gateway::ctl::exit_status_of(parsed.get_object());
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
  if (command.what == gateway::ctl::action::verify_backup) return verify(command);
  return command.what == gateway::ctl::action::call ? carry_out(command) : work_through(command);
} catch (const std::exception& fault) {
  return fail(fault.what());
}
