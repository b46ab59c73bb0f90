// An answer of the stand-in, and the errors in Stripe's shapes: https://docs.stripe.com/api/errors
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "tests/stand_ins/common/server.hpp"

namespace gateway::stripe_stand_in {

using stand_in::answer;

/// As JSON, indented for people who use curl.
answer json_answer(int status, const boost::json::value& body);

answer error_answer(int status, boost::json::object error);
/// 400 invalid_request_error. `code` and `param` may be empty.
answer invalid(std::string_view message, std::string_view code = {}, std::string_view param = {});
/// 404: there is no such object.
answer missing(std::string_view kind, std::string_view id, int status = 404, std::string_view param = "id");
/// The same error, as one during execution.
answer begun(answer error);
answer server_error();

}  // namespace gateway::stripe_stand_in
