#include "platform.hpp"

#include <chrono>
#include <ctime>
#include <stdexcept>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "browser.hpp"
#include "engine/waiting_connection.hpp"
#include "workload/names.hpp"
#include "workload/operator_calls.hpp"

namespace gateway::load {

namespace {

using boost::json::object;

constexpr auto timeout = std::chrono::seconds{30};
constexpr auto redirect_uri = "https://load.example/callback";
constexpr auto password = "a password of this run";
constexpr auto scopes = "payments:write payments:read customers:read";
constexpr auto sandbox = "sandbox";

class platform_maker {
 public:
  platform_maker(const std::filesystem::path& data_dir, const target& to, std::string name)
      : operator_{data_dir}, to_{to}, name_{std::move(name)} {}

  fresh_platform run(const std::string& currency) {
    make_merchant(currency);
    register_platform();
    exchange(consent());
    return made_;
  }

 private:
  void make_merchant(const std::string& currency) {
    const auto merchant = post_to_operator(operator_, "/operator/merchants",
                                           {{"name", "Load test"}, {"entity", "standard"}}, {"merchant_id"});
    made_.merchant_id = text_member(merchant, "merchant_id");
    object here{{"merchant_id", made_.merchant_id}, {"mode", "live"}, {"provider", sandbox}};
    auto connection = here;
    connection["status"] = "connected";
    post_to_operator(operator_, "/operator/connections", connection);
    here["currencies"] = boost::json::array{currency};
    here["methods"] = boost::json::array{"card", "recurring_card"};
    post_to_operator(operator_, "/operator/routes", here);
    post_to_operator(operator_, "/operator/users",
                     {{"merchant_id", made_.merchant_id}, {"email", email()}, {"password", password}});
  }

  void register_platform() {
    const auto platform = post_to_operator(operator_, "/operator/platforms",
                                           {{"slug", slug()},
                                            {"name", "Load test"},
                                            {"contact", email()},
                                            {"redirect_uris", boost::json::array{redirect_uri}}},
                                           {"platform_id"});
    made_.platform_id = text_member(platform, "platform_id");
    const auto key = post_to_operator(operator_, "/operator/platform-keys",
                                      {{"platform_id", made_.platform_id}, {"scopes", scopes}}, {"key_id", "secret"});
    made_.key = {text_member(key, "key_id"), text_member(key, "secret")};
  }

  /// Signs in as the owner and gives the grant. Returns the code.
  std::string consent() {
    browser owner{to_, timeout};
    std::string asked{scopes};
    for (auto at = asked.find(' '); at != std::string::npos; at = asked.find(' ')) asked.replace(at, 1, "%20");
    owner.open("/connect/authorize?client_id=" + slug() + "&redirect_uri=" + redirect_uri + "&scope=" + asked +
               "&mode=live&state=" + name_);
    owner.follow();
    owner.press("sign-in", {{"email", email()}, {"password", password}});
    owner.follow();
    owner.press("connect");
    const auto led_to = owner.follow();
    constexpr std::string_view parameter = "code=";
    const auto at = led_to.find(parameter);
    if (at == std::string::npos) throw std::runtime_error("the consent screen gave no code");
    return led_to.substr(at + parameter.size(), led_to.find('&', at) - at - parameter.size());
  }

  void exchange(const std::string& code) {
    request asked;
    asked.path = "/v1/public/connect/token";
    asked.body = boost::json::serialize(
        object{{"grant_type", "authorization_code"}, {"code", code}, {"redirect_uri", redirect_uri}});
    asked.idempotency_key = run_names{name_}.key(0);
    signer sign{to_.authority(), made_.key};
    std::string wire;
    sign.write(asked, std::time(nullptr), wire);
    waiting_connection link{to_, timeout};
    const auto& got = link.send(wire);
    if (got.status != 200)
      throw std::runtime_error("the code was not exchanged: " + std::to_string(got.status) + ' ' +
                               std::string{got.body.substr(0, 200)});
  }

  std::string slug() const { return "load-" + name_; }
  std::string email() const { return slug() + "@load.example"; }

  ctl::operator_connection operator_;
  const target& to_;
  std::string name_;
  fresh_platform made_;
};

}  // namespace

fresh_platform make_platform(const std::filesystem::path& data_dir, const target& to, const std::string& name,
                             const std::string& currency) {
  return platform_maker{data_dir, to, name}.run(currency);
}

std::string make_platform_destination(const std::filesystem::path& data_dir, const std::string& platform_id,
                                      const std::string& url) {
  const boost::json::array every{
      "payment.succeeded",          "payment.failed",       "payment.partially_refunded", "payment.refunded",
      "subscription.activated",     "subscription.updated", "subscription.canceled",      "subscription.invoice_paid",
      "subscription.invoice_failed"};
  ctl::operator_connection gateway{data_dir};
  const auto made =
      post_to_operator(gateway, "/operator/destinations",
                       {{"platform_id", platform_id}, {"mode", "live"}, {"url", url}, {"events", every}}, {"secret"});
  return text_member(made, "secret");
}

}  // namespace gateway::load
