// How an answer is shown to people: a list as a table, anything else as aligned `name: value` lines.
#pragma once

#include <string>

#include <boost/json/object.hpp>

namespace gateway::ctl {

/// A table where the answer's first member is a list that gatewayctl knows the columns of; lines otherwise.
std::string as_text(const boost::json::object& answer);
std::string as_lines(const boost::json::object& answer);

/// The message of an error body; what can be said without one otherwise.
std::string message_of(unsigned status, const std::string& body);

}  // namespace gateway::ctl
