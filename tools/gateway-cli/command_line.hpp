// The command line of gateway-cli.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "api_client.hpp"
#include "event_feed.hpp"
#include "trigger.hpp"
#include "webhook_signature.hpp"

namespace gateway::cli {

enum class action {
  call,         ///< send `request`, print the body unchanged
  send,         ///< send `request`, print the object
  list,         ///< read `list`
  tail,         ///< print the events of `feed`
  listen,       ///< forward the events of `feed`
  trigger,      ///< carry out `trigger`
  verify,       ///< carry out `verify`
  information,  ///< help or version: print `text` on standard output, exit 0
  usage_error,  ///< print `text` on standard error, exit 2
};

struct list_request {
  std::string path;
  std::string_view member;  ///< of the answer: payments, disputes or events
  std::vector<std::pair<const char*, std::string>> filters;  ///< empty values are left out
  std::int64_t limit = 0;
  std::string after{};
};

struct verify_options {
  std::string secret, header;
  std::int64_t tolerance_s = usual_tolerance_s;
};

struct command_line {
  action what = action::usage_error;
  bool json = false;
  std::string profile;
  api_scope scope;
  api_request request;    ///< its body is read from `body_file` if that is set
  std::string body_file;  ///< `-`: standard input; empty: none
  repeat_rule repeats;
  list_request list;
  feed_options feed;
  std::string forward_to;
  trigger_options trigger;
  verify_options verify;
  std::string text;
};

command_line parse_command_line(int argc, const char* const* argv);

}  // namespace gateway::cli
