// A merchant at the sandbox, an operator's changes there, and the merchant's view of them.
#pragma once

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "destinations.hpp"
#include "merchant.hpp"

namespace gateway::e2e {

inline constexpr auto types_of_section_12 =
    "payment.captured,payment.failed,payment.partially_refunded,payment.refunded,payment.voided,payment.refund_failed,"
    "dispute.opened,dispute.updated,dispute.closed";

/// A merchant with two destinations: /listed lists every type, /ordinary has the default types.
struct followed_shop {
  gateway_process& gateway;
  merchant_account account;
  api merchant;
  webhook_receiver receiver;
  webhook_destination ordinary;

  explicit followed_shop(store_kind store)
      : gateway{shared_gateway(store)}, account{new_merchant(gateway)}, merchant{gateway, account.test} {
    set_destination(gateway, account, receiver.url("/listed"), "test", types_of_section_12);
    ordinary = set_destination(gateway, account, receiver.url("/ordinary"));
  }

  std::vector<std::string> lever(const std::string& subject, const std::string& payment,
                                 const std::vector<std::string>& options) const {
    std::vector<std::string> command{"sandbox", subject, payment, "--merchant", account.id, "--mode", "test"};
    command.insert(command.end(), options.begin(), options.end());
    return command;
  }
  /// Something happens at the sandbox. Returns when the payment has followed.
  void happens(const std::string& subject, const std::string& payment, const std::vector<std::string>& options) {
    gateway.ctl(lever(subject, payment, options));
  }
  bool is_refused(const std::string& subject, const std::string& payment, const std::vector<std::string>& options) {
    return gateway.run_ctl(lever(subject, payment, options)).code == 1;
  }

  std::string authorized(const std::string& method = "pm_card_visa") {
    const auto id = new_payment_id();
    REQUIRE(summary_of(merchant.create(server_payment(id, method))) == "200 authorized");
    return id;
  }
  std::string captured(const std::string& method = "pm_card_visa") {
    const auto id = authorized(method);
    REQUIRE(summary_of(merchant.capture(id)) == "200 captured");
    return id;
  }
  /// Refunds so much, and returns the refund's id.
  std::string refunded(const std::string& payment, std::int64_t amount) {
    const auto answer = merchant.refund(payment, amount);
    REQUIRE(answer.status == 200);
    const auto id = json::parse(answer.body)["refund_id"].text();
    REQUIRE(id.starts_with("re_"));
    return id;
  }

  json list(const std::string& query = {}) {
    const auto answer = merchant.get("/v1/disputes" + query);
    REQUIRE(answer.status == 200);
    return json::parse(answer.body);
  }
  /// `status name-in-the-message` of a list that is refused.
  std::string refusal(const std::string& query) {
    const auto answer = merchant.get("/v1/disputes" + query);
    const auto message = json::parse(answer.body)["message"].text();
    return summary_of(answer) + ' ' + message.substr(0, message.find(':'));
  }

  json event(const std::string& type, const std::string& payment) const {
    return receiver.wait_for(type, payment, "/listed").envelope()["data"];
  }
  /// How many events of that type about the payment have arrived.
  std::size_t events(const std::string& type, const std::string& payment) const {
    std::set<std::string> ids;
    for (const auto& post : receiver.posts("/listed"))
      if (post.type() == type && post.envelope()["data.payment_id"] == payment) ids.insert(post.event());
    return ids.size();
  }

  /// `kind operation status origin` of the last entries of the timeline.
  std::vector<std::string> last_entries(const std::string& payment, std::size_t count) {
    const auto timeline = merchant.timeline(payment);
    auto lines = history(timeline);
    const auto entries = json::parse(timeline.body)["timeline"].items();
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i] += ' ' + entries.at(i)["origin"].text();
    if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
    return lines;
  }
};

}  // namespace gateway::e2e
