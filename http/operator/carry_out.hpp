// How the routes of the operator socket execute the operator's commands.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <caf/error.hpp>

#include "gateway/messages/actors.hpp"
#include "http/fwd.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// Asks the directory to execute an operator's command and to commit its audit entry with it. The answer is the result,
/// a problem, or the error that left the outcome unknown.
boost::asio::awaitable<response> carry_out(call& c, operator_command wanted);

/// The answer if the actor of a command did not answer. Overload changed nothing; otherwise the outcome is unknown.
response command_failed(const caf::error& failure);

}  // namespace gateway::http
