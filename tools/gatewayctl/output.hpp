// How an answer is shown: one JSON object, or aligned `name: value` lines.
#pragma once

#include <string>

#include <boost/json/object.hpp>

namespace gateway::ctl {

std::string as_lines(const boost::json::object& answer);

/// The message of an error body; what can be said without one otherwise.
std::string message_of(unsigned status, const std::string& body);

}  // namespace gateway::ctl
