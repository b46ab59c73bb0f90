#include "error_style.hpp"

#include "http/codec/json_writer.hpp"

namespace gateway::http {
namespace {

response oauth_error(error_code code, std::string_view message) {
  const auto& row = row_of(code);
  response out;
  out.status = row.status;
  {
    json_object body{out.body};
    body.text("error", row.text);
    body.text("error_description", message.empty() ? row.message : message);
  }
  add_retry_after(out);
  return out;
}

bool is_about_the_client(error_code code) noexcept {
  return row_of(code).status == row_of(error_code::invalid_client).status;
}

}  // namespace

response error_response(error_style style, error_code code, std::string_view message, std::string_view base_url) {
  switch (style) {
    case error_style::oauth: return oauth_error(code, message);
    case error_style::revoke:
      if (is_about_the_client(code)) return error_response(error_code::invalid_client, message);
      break;
    case error_style::usual: break;
  }
  return error_response(code, message, base_url);
}

response error_response(error_style style, const rejection& why, std::string_view base_url) {
  return error_response(style, why.code, why.message, base_url);
}

}  // namespace gateway::http
