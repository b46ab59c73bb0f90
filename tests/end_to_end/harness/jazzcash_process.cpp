#include "jazzcash_process.hpp"

#include <charconv>
#include <csignal>
#include <regex>
#include <stdexcept>

#include "merchant.hpp"
#include "paths.hpp"
#include "text.hpp"

namespace gateway::e2e {

using namespace std::chrono_literals;

namespace {

void make_wallet_certificate(const std::filesystem::path& certificate, const std::filesystem::path& key) {
  const auto made =
      run_command({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                   "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                   "-keyout", key.string(), "-out", certificate.string()});
  if (made.code != 0) throw std::runtime_error("openssl: " + made.err);
}

/// The number after this word.
std::uint16_t wallet_port(const std::string& line, std::string_view word) {
  std::uint16_t port = 0;
  const auto at = line.find(word);
  if (at != std::string::npos) std::from_chars(line.data() + at + word.size(), line.data() + line.size(), port);
  if (port == 0) throw std::runtime_error("jazzcash-stand-in said: " + line);
  return port;
}

}  // namespace

// ---- the process ----------------------------------------------------------------------------------

jazzcash_process::jazzcash_process() : folder_{new_folder("jazzcash")} {
  make_wallet_certificate(certificate(), folder_ / "key.pem");
  start();
}

jazzcash_process::~jazzcash_process() {
  kill();
  std::error_code ignored;
  if (!keeps_data()) std::filesystem::remove_all(folder_, ignored);
}

void jazzcash_process::start() {
  process_ =
      child_process{{program("jazzcash-stand-in").string(), "--listen=" + address_.authority(),
                     "--control-listen=" + control_.authority(), "--certificate=" + certificate().string(),
                     "--key=" + (folder_ / "key.pem").string(), "--ledger=" + (folder_ / "ledger.jsonl").string(),
                     std::string{"--merchant-id="} + merchant_id, std::string{"--password="} + password,
                     std::string{"--salt="} + salt},
                    {folder_ / "log", {}, {}}};
  const auto line = process_.read_line();
  if (!line) throw std::runtime_error("jazzcash-stand-in does not listen: " + read_file(folder_ / "log"));
  address_.port = wallet_port(*line, "listening on ");
  control_.port = wallet_port(*line, "control on ");
}

void jazzcash_process::kill() {
  process_.send_signal(SIGKILL);
  if (process_.pid() > 0) process_.wait();
}

void jazzcash_process::breaks(const std::string& fault, int count, int wait_ms) {
  const auto body = object{}.set("fault", fault).set("next", count).set("ms", wait_ms).text();
  const auto answer = plain_http(control_, {"POST", "/control", {{"Content-Type", "application/json"}}, body});
  if (answer.status != 200) throw std::runtime_error("jazzcash-stand-in refuses " + fault + ": " + answer.body);
}

void jazzcash_process::reverse(const std::string& txn_ref) const {
  const auto answer = plain_http(control_, {"POST", "/control/reverse/" + txn_ref, {}, {}});
  if (answer.status != 200) throw std::runtime_error("jazzcash-stand-in does not reverse " + txn_ref);
}

std::int64_t jazzcash_process::inquiries() const {
  return json::parse(plain_http(control_, {"GET", "/control/requests", {}, {}}).body)["inquiries"].number();
}

std::string jazzcash_process::notification_of(const std::string& txn_ref) const {
  auto answer = plain_http(control_, {"GET", "/control/notification/" + txn_ref, {}, {}});
  if (answer.status != 200) throw std::runtime_error("jazzcash-stand-in has nothing to tell of " + txn_ref);
  return answer.body;
}

std::vector<json> jazzcash_process::ledger() const {
  std::vector<json> all;
  const auto text = read_file(folder_ / "ledger.jsonl");
  for (const auto& line : lines_of(text.substr(0, text.rfind('\n') + 1))) all.push_back(json::parse(line));
  return all;
}

std::vector<std::string> jazzcash_process::moves() const {
  std::vector<std::string> all;
  for (const auto& of : ledger())
    if (!(of["kind"] == "opened")) all.push_back(of["kind"].text() + ' ' + of["amount"].text());
  return all;
}

reply jazzcash_process::post(const std::string& target, const std::string& form) const {
  return https_client{{"localhost", address_.port}, certificate()}.send(
      {"POST", target, {{"Content-Type", "application/x-www-form-urlencoded"}}, form});
}

// ---- the operator's part --------------------------------------------------------------------------

gateway_options beside(const jazzcash_process& wallet, store_kind store) {
  gateway_options options;
  options.store = store;
  options.arguments = {"--provider-ca-file=" + wallet.certificate().string(), "--provider-timeout=2s",
                       "--reconcile-first=300ms", "--reconcile-longest=2s", "--reconcile-interval=100ms"};
  return options;
}

void configure_jazzcash(const gateway_process& gateway, const jazzcash_process& wallet, const std::string& mode) {
  gateway.ctl({"provider", "set", "--provider", "jazzcash", "--mode", mode, "--settings-stdin"},
              object{}
                  .set("merchant_id", jazzcash_process::merchant_id)
                  .set("password", jazzcash_process::password)
                  .set("integrity_salt", jazzcash_process::salt)
                  .set("api_base", wallet.url())
                  .text());
}

void route_to_jazzcash(const gateway_process& gateway, const std::string& merchant, const std::string& mode) {
  set_connection(gateway, merchant, "sandbox_wallet", "not_connected", mode);
  set_connection(gateway, merchant, "jazzcash", "connected", mode);
  set_route(gateway, merchant, "jazzcash", "PKR", "pkr_wallet", mode);
}

// ---- the customer's part --------------------------------------------------------------------------

page_form page_form::in(const std::string& html) {
  static const std::regex opening{"<form\\b[^>]*>", std::regex::icase}, control{"<input\\b[^>]*>", std::regex::icase};
  page_form found;
  std::smatch at;
  if (!std::regex_search(html, at, opening)) return found;
  found.action = attribute_of(at.str(), "action").value_or("");
  const auto inside = html.substr(static_cast<std::size_t>(at.position()));
  const auto text = inside.substr(0, inside.find("</form>"));
  for (auto each = std::sregex_iterator{text.begin(), text.end(), control}; each != std::sregex_iterator{}; ++each)
    found.fields.emplace_back(attribute_of(each->str(), "name").value_or(""),
                              attribute_of(each->str(), "value").value_or(""));
  return found;
}

std::string page_form::value(const std::string& name) const {
  for (const auto& [key, text] : fields)
    if (key == name) return text;
  return {};
}

void page_form::set(const std::string& name, const std::string& value) {
  for (auto& [key, text] : fields)
    if (key == name) text = value;
}

std::string page_form::encoded() const {
  std::string text;
  for (const auto& [name, value] : fields)
    text += (text.empty() ? "" : "&") + percent_encode(name) + '=' + percent_encode(value);
  return text;
}

const reply& wallet_customer::see(reply shown) {
  answer_ = std::move(shown);
  form = page_form::in(answer_.body);
  return answer_;
}

const reply& wallet_customer::open(const std::string& hosted_url) {
  page_ = target_of_url(hosted_url);
  return see(gateway_.connect().send({"GET", page_, {}, {}}));
}

const reply& wallet_customer::go_on() {
  const auto body = form.encoded();
  auto sent = gateway_.connect().send({"POST", page_, {{"Content-Type", "application/x-www-form-urlencoded"}}, body});
  constexpr int repeat_there = 307;
  if (sent.status != repeat_there) return see(std::move(sent));
  passed_on_to = sent.header("Location").value_or("");
  auto there = wallet_.post(target_of_url(passed_on_to), body);
  return see(std::move(there));
}

const reply& wallet_customer::click(const std::string& action) {
  return see(wallet_.post(form.action, "action=" + action));
}

const reply& wallet_customer::come_back() {
  return see(gateway_.connect().send({"POST",
                                      target_of_url(form.action),
                                      {{"Content-Type", "application/x-www-form-urlencoded"}},
                                      form.encoded() + "&action=return"}));
}

const reply& wallet_customer::settle(const std::string& hosted_url, const std::string& action) {
  open(hosted_url);
  go_on();
  click(action);
  return come_back();
}

}  // namespace gateway::e2e
