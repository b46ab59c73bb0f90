#include "answer.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

answer json_answer(int status, const json::value& body) {
  return {status, json::serialize(body), {{"Content-Type", "application/json"}}};
}

answer error_answer(int status, json::object error) {
  return json_answer(status, json::object{{"error", std::move(error)}});
}

answer invalid(std::string_view message, std::string_view code, std::string_view param) {
  json::object error{{"message", message}, {"type", "invalid_request_error"}};
  if (!code.empty()) {
    error["code"] = code;
    error["doc_url"] = "https://stripe.com/docs/error-codes/" + std::string{code};
  }
  if (!param.empty()) error["param"] = param;
  return error_answer(400, std::move(error));
}

answer missing(std::string_view kind, std::string_view id, int status, std::string_view param) {
  auto message = "No such " + std::string{kind} + ": '" + std::string{id} + "'";
  return error_answer(status, {{"message", std::move(message)},
                               {"type", "invalid_request_error"},
                               {"code", "resource_missing"},
                               {"param", param}});
}

answer begun(answer error) {
  error.begun = true;
  return error;
}

answer server_error() {
  return begun(error_answer(500, {{"message", "An unknown error occurred"}, {"type", "api_error"}}));
}

}  // namespace gateway::stripe_stand_in
