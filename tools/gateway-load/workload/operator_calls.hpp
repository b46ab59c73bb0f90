// Requests over the operator socket whose answers are read.
#pragma once

#include <initializer_list>
#include <string>

#include <boost/json/object.hpp>

#include "operator_client.hpp"

namespace gateway::load {

/// Posts to the operator socket and returns the answer. Throws std::runtime_error with one line if the answer lacks one
/// of these text members.
boost::json::object post_to_operator(ctl::operator_connection& gateway, const char* path,
                                     const boost::json::object& body, std::initializer_list<const char*> members = {});

/// A text member that must exist.
std::string text_member(const boost::json::object& of, const char* member);

}  // namespace gateway::load
