// Requests over the operator socket whose answers are read.
#pragma once

#include <initializer_list>
#include <string>

#include <boost/json/object.hpp>

#include "operator_client.hpp"

namespace gateway::load {

/// Posts to the operator socket and returns the answer, which has these text members. Throws std::runtime_error with
/// one line if it has not.
boost::json::object ask_operator(ctl::operator_connection& gateway, const char* path, const boost::json::object& body,
                                 std::initializer_list<const char*> members = {});

/// A text member that is there.
std::string text_member(const boost::json::object& of, const char* member);

}  // namespace gateway::load
