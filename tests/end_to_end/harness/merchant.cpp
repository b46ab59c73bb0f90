#include "merchant.hpp"

#include <algorithm>

namespace gateway::e2e {

merchant_account new_merchant(const gateway_process& gateway, const merchant_options& settings) {
  std::vector<std::string> words{"merchant", "create", "--name", settings.name, "--entity", settings.entity};
  if (!settings.owner_email.empty()) words.insert(words.end(), {"--owner-email", settings.owner_email});
  const auto made = gateway.ctl(words);
  merchant_account account;
  account.id = made["merchant_id"].text();
  account.entity_id = made["entity_id"].text();
  account.test = mint_key(gateway, account.id);
  if (settings.live) {
    const bool wallet = settings.entity == "wallet";
    const std::string provider = wallet ? "sandbox_wallet" : "sandbox";
    set_connection(gateway, account.id, provider, "connected", "live");
    set_route(gateway, account.id, provider, wallet ? "PKR" : settings.live_currencies, wallet ? "pkr_wallet" : "card",
              "live");
    account.live = mint_key(gateway, account.id, "live");
  }
  return account;
}

credentials mint_key(const gateway_process& gateway, const std::string& merchant, const std::string& mode,
                     const std::string& scopes) {
  std::vector<std::string> words{"merchant", "key", "mint", "--merchant", merchant, "--mode", mode};
  if (!scopes.empty()) words.insert(words.end(), {"--scopes", scopes});
  const auto minted = gateway.ctl(words);
  return {minted["key_id"].text(), minted["secret"].text()};
}

void set_connection(const gateway_process& gateway, const std::string& merchant, const std::string& provider,
                    const std::string& status, const std::string& mode) {
  gateway.ctl(
      {"connection", "set", "--merchant", merchant, "--mode", mode, "--provider", provider, "--status", status});
}

void set_route(const gateway_process& gateway, const std::string& merchant, const std::string& provider,
               const std::string& currencies, const std::string& methods, const std::string& mode) {
  gateway.ctl({"route", "set", "--merchant", merchant, "--mode", mode, "--provider", provider, "--currencies",
               currencies, "--methods", methods});
}

std::string signature_of(std::string_view secret, std::string_view method, std::string_view path, std::string_view at,
                         std::string_view body) {
  std::string canonical{method};
  canonical.append("\n").append(path).append("\n").append(at).append("\n").append(sha256_hex(body));
  return hmac_sha256_hex(secret, canonical);
}

header_list api::signed_headers(const std::string& method, const std::string& target, const std::string& body,
                                const call& how) const {
  const auto at = timestamp(how.ahead);
  header_list headers{
      {"X-Service-Key-Id", key_.key_id},
      {"X-Service-Timestamp", at},
      {"X-Service-Signature", signature_of(key_.secret, method, target.substr(0, target.find('?')), at, body)}};
  if (!body.empty() && !how.content_type.empty()) headers.emplace_back("Content-Type", how.content_type);
  if (method != "GET" && !how.key.empty()) headers.emplace_back("Idempotency-Key", how.key);
  for (const auto& [name, value] : how.headers) {
    std::erase_if(headers, [&](const auto& header) { return header.first == name; });
    if (!value.empty()) headers.emplace_back(name, value);
  }
  return headers;
}

reply api::request(const std::string& method, const std::string& target, const std::string& body, const call& how) {
  return client_.send({method, target, signed_headers(method, target, body, how), body});
}

reply api::get(const std::string& target, const call& how) { return request("GET", target, {}, how); }
reply api::post(const std::string& target, const std::string& body, const call& how) {
  return request("POST", target, body, how);
}

object server_payment(const std::string& id, const std::string& method) {
  object body;
  body.set("payment_id", id).set("amount", 4200).set("currency", "HKD").set("payment_method", method);
  return body;
}

object redirect_payment(const std::string& id, const std::string& currency) {
  object body;
  body.set("payment_id", id).set("amount", 4200).set("currency", currency).set("flow", "redirect");
  body.set("success_url", "https://shop.example/thanks").set("cancel_url", "https://shop.example/basket");
  return body;
}

namespace {

constexpr std::string_view bare_error = "refund amount exceeds captured amount";

/// What is wrong with the error body for its status; empty if nothing is.
std::string shape_fault(int status, const json& body) {
  const auto error = body["error"];
  if (error.is_object()) {
    if (status != 422) return "a typed error with another status than 422";
    if (!error["message"].is_string() || error["message"].text().empty()) return "no error.message";
    return error["docs_url"].is_string() ? "" : "no error.docs_url";
  }
  if (!error.is_string()) return "no error";
  if (status == 422) return error == bare_error && body.size() == 1 ? "" : "a plain error with status 422";
  if (body["docs_url"].text().find("/docs/errors#") == std::string::npos) return "no docs_url";
  if (status == 401) return body["error_description"].is_string() ? "" : "no error_description";
  if (status == 502)
    return body["payment_id"].is_string() && body["provider"].is_object() ? "" : "no envelope beside the error";
  return body["message"].is_string() && !body["message"].text().empty() ? "" : "no message";
}

}  // namespace

std::string summary_of(const reply& answer) {
  auto line = std::to_string(answer.status);
  json body;
  try {
    body = json::parse(answer.body);
  } catch (const std::exception&) {
    return line + " (not JSON: " + answer.body.substr(0, 200) + ')';
  }
  if (answer.header("Content-Type").value_or("").rfind("application/json", 0) != 0)
    line += " (Content-Type is not JSON)";
  if (answer.status < 400) return body["state"].is_string() ? line + ' ' + body["state"].text() : line;
  const auto error = body["error"];
  line += error.is_object() ? " {" + error["code"].text() + '}' : ' ' + error.text();
  const auto fault = shape_fault(answer.status, body);
  return fault.empty() ? line : line + " (" + fault + ": " + answer.body + ')';
}

std::vector<std::string> history(const reply& timeline) {
  std::vector<std::string> lines;
  const auto body = json::parse(timeline.body);
  for (const auto& entry : body["timeline"].items()) {
    auto line = entry["kind"].text() + ' ' + entry["operation"].text() + ' ' + entry["status"].text();
    if (const auto code = entry["error_code"].text(); !code.empty()) line += ' ' + code;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace gateway::e2e
