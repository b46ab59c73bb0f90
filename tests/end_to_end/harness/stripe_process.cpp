#include "stripe_process.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <stdexcept>

#include "paths.hpp"
#include "text.hpp"

namespace gateway::e2e {

using namespace std::chrono_literals;

namespace {

void make_certificate(const std::filesystem::path& certificate, const std::filesystem::path& key) {
  const auto made =
      run_command({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                   "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                   "-keyout", key.string(), "-out", certificate.string()});
  if (made.code != 0) throw std::runtime_error("openssl: " + made.err);
}

/// The number after this word.
std::uint16_t port_behind(const std::string& line, std::string_view word) {
  std::uint16_t port = 0;
  const auto at = line.find(word);
  if (at != std::string::npos) std::from_chars(line.data() + at + word.size(), line.data() + line.size(), port);
  if (port == 0) throw std::runtime_error("stripe-stand-in said: " + line);
  return port;
}

std::string secret_key(const std::string& mode) { return "sk_" + mode + "_0123456789abcdefghijklmn"; }

}  // namespace

// ---- the process ----------------------------------------------------------------------------------

stripe_process::stripe_process() : folder_{new_folder("stripe")} {
  make_certificate(certificate(), folder_ / "key.pem");
  start();
}

stripe_process::~stripe_process() {
  kill();
  std::error_code ignored;
  if (!keeps_data()) std::filesystem::remove_all(folder_, ignored);
}

void stripe_process::start() {
  process_ =
      child_process{{program("stripe-stand-in").string(), "--listen=" + address_.authority(),
                     "--control-listen=" + control_.authority(), "--certificate=" + certificate().string(),
                     "--key=" + (folder_ / "key.pem").string(), "--ledger=" + (folder_ / "ledger.jsonl").string(),
                     std::string{"--webhook-secret="} + webhook_secret},
                    {folder_ / "log", {}, {}}};
  const auto line = process_.read_line();
  if (!line) throw std::runtime_error("stripe-stand-in does not listen: " + read_file(folder_ / "log"));
  address_.port = port_behind(*line, "listening on ");
  control_.port = port_behind(*line, "control on ");
  const auto before = settings_;
  for (const auto& [name, value] : before) set(name, value);
}

void stripe_process::kill() {
  process_.send_signal(SIGKILL);
  if (process_.pid() > 0) process_.wait();
}

// ---- control --------------------------------------------------------------------------------------

void stripe_process::set(const std::string& name, const std::string& value) {
  const auto answer = plain_http(
      control_, {"POST", "/control", {{"Content-Type", "application/json"}}, object{}.raw(name, value).text()});
  if (answer.status != 200) throw std::runtime_error("stripe-stand-in refuses " + name + ": " + answer.body);
  settings_[name] = value;
}

std::string stripe_process::new_account() {
  const auto id = "acct_" + random_hex(8);
  set_account(id, "active");
  return id;
}

void stripe_process::set_account(const std::string& account, const std::string& state) {
  accounts_[account] = state;
  object all;
  for (const auto& [id, is] : accounts_) all.set(id, is);
  set("accounts", all.text());
}

void stripe_process::breaks(const std::string& fault, const std::string& method, const std::string& path, int count,
                            int wait_ms) {
  set("faults", '[' +
                    object{}
                        .set("fault", fault)
                        .set("method", method)
                        .set("path", path)
                        .set("next", count)
                        .set("ms", wait_ms)
                        .text() +
                    ']');
}

void stripe_process::notifies(const gateway_process& gateway, object more) {
  set("notifications", more.set("url", gateway.base_url() + "/v1/public/providers/stripe/{mode}/notifications").text());
}

json stripe_process::reported(const std::string& name) const {
  return json::parse(plain_http(control_, {"GET", "/control/" + name, {}, {}}).body);
}

std::int64_t stripe_process::requests() const {
  std::int64_t count = 0;
  const auto all = reported("requests")["requests"];
  for (const auto& name : all.names()) count += all[name].number();
  return count;
}

/// Reads the file directly, so that it works while the stand-in is down.
std::vector<stripe_effect> stripe_process::effects(const std::string& account) const {
  std::vector<stripe_effect> all;
  const auto text = read_file(folder_ / "ledger.jsonl");
  for (const auto& line : lines_of(text.substr(0, text.rfind('\n') + 1))) {
    const auto of = json::parse(line);
    if (of["kind"] == "" || !(of["account"] == account)) continue;
    all.push_back({of["kind"].text(), of["account"].text(), of["idempotency_key"].text(), of["payment_intent"].text(),
                   of["session"].text(), of["invoice"].text(), of["currency"].text(), of["amount"].number()});
  }
  return all;
}

std::vector<std::string> stripe_process::moves(const std::string& account) const {
  std::vector<std::string> all;
  for (const auto& each : effects(account))
    if (each.moves_money()) all.push_back(each.text());
  return all;
}

std::vector<json> stripe_process::events(const std::string& account, const std::string& type) const {
  std::vector<json> found;
  for (const auto& each : reported("events")["events"].items())
    if (each["account"] == account && each["type"] == type) found.push_back(each);
  return found;
}

std::string stripe_process::move(const std::string& subscription, const std::string& step, std::int64_t amount) const {
  const auto answer =
      plain_http(control_, {"POST",
                            "/control/subscription",
                            {{"Content-Type", "application/json"}},
                            object{}.set("id", subscription).set("move", step).set("amount", amount).text()});
  if (answer.status != 200)
    throw std::runtime_error("stripe-stand-in does not move " + subscription + ": " + answer.body);
  return json::parse(answer.body)["status"].text();
}

std::string stripe_process::act(const object& what) const {
  const auto answer =
      plain_http(control_, {"POST", "/control/payment", {{"Content-Type", "application/json"}}, what.text()});
  if (answer.status != 200) throw std::runtime_error("stripe-stand-in does not do " + what.text() + ": " + answer.body);
  return json::parse(answer.body)["id"].text();
}

json stripe_process::read(const std::string& account, const std::string& target) const {
  const auto answer = at_page({"GET",
                               target,
                               {{"Authorization", "Bearer " + secret_key("test")},
                                {"Stripe-Version", "2026-07-29.dahlia"},
                                {"Stripe-Account", account}},
                               {}});
  if (answer.status != 200) throw std::runtime_error("stripe-stand-in refuses " + target + ": " + answer.body);
  return json::parse(answer.body);
}

// ---- its pages ------------------------------------------------------------------------------------

reply stripe_process::at_page(const http_request& what) const {
  return https_client{{"localhost", address_.port}, certificate()}.send(what);
}

reply stripe_process::open(const std::string& page_url) const {
  return at_page({"GET", target_of_url(page_url), {}, {}});
}

reply stripe_process::click(const std::string& page_url, const std::string& action, const std::string& card) const {
  return at_page({"POST",
                  target_of_url(page_url),
                  {{"Content-Type", "application/x-www-form-urlencoded"}},
                  "action=" + percent_encode(action) + "&card=" + percent_encode(card)});
}

reply stripe_process::confirm(const std::string& client_secret, const std::string& outcome) const {
  return at_page({"POST",
                  "/sdk/confirm",
                  {{"Content-Type", "application/x-www-form-urlencoded"}},
                  "client_secret=" + percent_encode(client_secret) + "&outcome=" + percent_encode(outcome)});
}

// ---- the operator's part --------------------------------------------------------------------------

gateway_options beside(const stripe_process& stripe, store_kind store) {
  gateway_options options;
  options.store = store;
  options.operator_listener = true;
  options.arguments = {"--provider-ca-file=" + stripe.certificate().string(), "--provider-timeout=2s",
                       "--reconcile-first=300ms", "--reconcile-longest=2s", "--reconcile-interval=100ms"};
  return options;
}

void configure_stripe(const gateway_process& gateway, const stripe_process& stripe, const std::string& mode) {
  gateway.ctl({"provider", "set", "--provider", "stripe", "--mode", mode, "--settings-stdin"},
              object{}
                  .set("secret_key", secret_key(mode))
                  .set("publishable_key", "pk_" + mode + "_0123456789abcdefghijklmn")
                  .set("webhook_secret", stripe_process::webhook_secret)
                  .set("api_base", stripe.url())
                  .text());
}

void route_to_stripe(const gateway_process& gateway, const std::string& merchant, const std::string& account,
                     const std::string& mode) {
  set_connection(gateway, merchant, "sandbox", "not_connected", mode);
  gateway.ctl({"connection", "set", "--merchant", merchant, "--mode", mode, "--provider", "stripe", "--status",
               "connected", "--account", account});
  set_route(gateway, merchant, "stripe", stripe_currencies, "card", mode);
}

// ---- notifications of a test's own ----------------------------------------------------------------

std::string stripe_signature(std::string_view secret, std::string_view body, std::chrono::seconds ahead) {
  const auto now = std::chrono::system_clock::now() + ahead;
  const auto at = std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count());
  return "t=" + at + ",v1=" + hmac_sha256_hex(secret, at + '.' + std::string{body});
}

reply notify_of_stripe(https_client& to, const std::string& body, const std::string& signature,
                       const std::string& mode) {
  header_list headers{{"Content-Type", "application/json; charset=utf-8"}};
  if (!signature.empty()) headers.emplace_back("Stripe-Signature", signature);
  return to.send({"POST", "/v1/public/providers/stripe/" + mode + "/notifications", headers, body});
}

std::string stripe_event(const std::string& account, const std::string& type, const std::string& object_json, bool live,
                         const std::string& id) {
  return object{}
      .set("id", id.empty() ? "evt_" + random_hex(12) : id)
      .set("object", "event")
      .set("account", account)
      .set("api_version", "2024-06-20")
      .raw("created", std::to_string(std::chrono::duration_cast<std::chrono::seconds>(
                                         std::chrono::system_clock::now().time_since_epoch())
                                         .count()))
      .raw("data", object{}.raw("object", object_json).text())
      .set("livemode", live)
      .set("pending_webhooks", 1)
      .set("type", type)
      .text();
}

}  // namespace gateway::e2e
