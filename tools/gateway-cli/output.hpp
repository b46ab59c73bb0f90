// What the program prints: answers as JSON or for a terminal, refusals, events.
#pragma once

#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "api_client.hpp"
#include "event_page.hpp"

namespace gateway::cli {

/// The gateway refused. Exit status 1, after print_refusal().
struct refused {
  api_answer answer;
  std::string hint{};  ///< what the user can do, instead of the body's message
};

/// Throws refused unless the answer is a success.
api_answer require_success(api_answer answer);

/// Throws failure if the body is no JSON object.
boost::json::object object_of(const api_answer& answer);

/// The bytes of a body, ended by one line end.
void print_body(std::ostream& out, std::string_view body);
/// With `json` the object on one line, else `name: value` lines.
void print_object(std::ostream& out, const boost::json::object& object, bool json);
/// With `json` an object on each line, else a table. `list`: payments, disputes or events.
void print_list(std::ostream& out, std::string_view list, const boost::json::array& rows, bool json);
/// With `json` the event's bytes, else its time, type, id and subject.
void print_event(std::ostream& out, const received_event& event, bool json);

/// Why a request was refused: its status, code and message, in one line.
std::string refusal_line(const refused& what);

}  // namespace gateway::cli
