// An answer of the stand-in, and the errors in Stripe's shapes: https://docs.stripe.com/api/errors
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::stripe_stand_in {

struct answer {
  int status = 200;
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool closes = false;  ///< the connection ends without an answer
  bool begun = false;   ///< an error during execution: it is kept under the idempotency key
};

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
