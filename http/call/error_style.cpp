#include "error_style.hpp"

#include <span>

#include "http/codec/json_writer.hpp"

namespace gateway::http {
namespace {

void append_faults(std::string& out, std::span<const field_fault> faults) {
  out += '[';
  for (const auto& fault : faults) {
    if (&fault != &faults.front()) out += ',';
    json_object member{out};
    member.text("name", fault.name);
    member.text("message", fault.message);
  }
  out += ']';
}

response oauth_error(error_code code, std::string_view message, std::span<const field_fault> faults) {
  const auto& row = row_of(code);
  response out;
  out.status = row.status;
  {
    json_object body{out.body};
    body.text("error", row.text);
    body.text("error_description", message.empty() ? row.message : message);
    if (!faults.empty()) append_faults(body.member("fields"), faults);
  }
  out.error = &row;
  add_retry_after(out);
  return out;
}

bool is_about_the_client(error_code code) noexcept {
  return row_of(code).status == row_of(error_code::invalid_client).status;
}

}  // namespace

response error_response(error_style style, error_code code, std::string_view message, std::string_view base_url) {
  switch (style) {
    case error_style::oauth: return oauth_error(code, message, {});
    case error_style::revoke:
      if (is_about_the_client(code)) return error_response(error_code::invalid_client, message);
      break;
    case error_style::usual: break;
  }
  return error_response(code, message, base_url);
}

response error_response(error_style style, const rejection& why, std::string_view base_url) {
  if (style == error_style::oauth) return oauth_error(why.code, why.message, why.fields);
  if (!why.fields.empty()) return error_response(why);
  return error_response(style, why.code, why.message, base_url);
}

}  // namespace gateway::http
