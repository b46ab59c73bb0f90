// The stand-in for JazzCash in a process of its own (tests/stand_ins/jazzcash): as strict as JazzCash, with faults on
// request. Its ledger survives its own death and the gateway's. Also the operator's commands that route a wallet
// entity's payments there, and the customer's browser.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "child_process.hpp"
#include "gateway_process.hpp"
#include "json.hpp"
#include "transport.hpp"

namespace gateway::e2e {

class jazzcash_process {
 public:
  static constexpr auto merchant_id = "MC12345";
  static constexpr auto password = "pass12word";
  static constexpr auto salt = "salt1234";

  /// Starts it.
  jazzcash_process();
  /// Kills it and removes its folder.
  ~jazzcash_process();
  jazzcash_process(const jazzcash_process&) = delete;
  jazzcash_process& operator=(const jazzcash_process&) = delete;

  /// Starts it again, with the same ledger and the same ports.
  void start();
  void kill();

  std::string url() const { return "https://localhost:" + std::to_string(address_.port); }
  /// Its self-signed certificate, for --provider-ca-file.
  std::filesystem::path certificate() const { return folder_ / "certificate.pem"; }

  /// Sets a fault for the next `count` inquiries. Throws if the stand-in rejects it.
  void breaks(const std::string& fault, int count, int wait_ms = 0);
  /// Removes all faults.
  void mends() { breaks("", 0); }
  /// The wallet gives the customer of a paid transaction the money back. Throws if it is not paid.
  void reverse(const std::string& txn_ref) const;
  std::int64_t inquiries() const;
  /// The notification that JazzCash posts about a transaction that has ended. Throws if it has not ended.
  std::string notification_of(const std::string& txn_ref) const;

  /// Every complete line of its ledger; works while the process is down, too.
  std::vector<json> ledger() const;
  /// The lines of its ledger about payments that ended: `paid 420000`, `failed 420000`.
  std::vector<std::string> moves() const;

  reply post(const std::string& target, const std::string& form) const;

 private:
  std::filesystem::path folder_;
  endpoint address_{"127.0.0.1", 0};
  endpoint control_{"127.0.0.1", 0};
  child_process process_;
};

/// Options of a gateway that trusts the stand-in.
gateway_options beside(const jazzcash_process& wallet, store_kind store);
/// `gatewayctl provider set`.
void configure_jazzcash(const gateway_process& gateway, const jazzcash_process& wallet,
                        const std::string& mode = "test");
/// Routes the wallet entity's payments to the stand-in instead of the sandbox.
void route_to_jazzcash(const gateway_process& gateway, const std::string& merchant, const std::string& mode = "test");

/// The first form of a page: its action URL and its hidden fields.
struct page_form {
  std::string action;
  std::vector<std::pair<std::string, std::string>> fields;

  static page_form in(const std::string& html);
  std::string value(const std::string& name) const;
  void set(const std::string& name, const std::string& value);
  std::string encoded() const;
};

/// A customer's browser, from the gateway's page to the wallet's and back.
class wallet_customer {
 public:
  wallet_customer(const gateway_process& gateway, const jazzcash_process& wallet)
      : gateway_{gateway}, wallet_{wallet} {}

  /// Opens the gateway's page, whose form leads to the wallet.
  const reply& open(const std::string& hosted_url);
  /// Clicks that page's button: the gateway passes the form on, which opens the wallet's page.
  const reply& go_on();
  /// Clicks a button of the wallet's page: `pay`, `decline`, `pin`, `low`, `cancel`, `fault`, `leave`.
  const reply& click(const std::string& action);
  /// Clicks the button that leads back to the gateway.
  const reply& come_back();
  /// All steps in turn.
  const reply& settle(const std::string& hosted_url, const std::string& action);

  /// The form of the page that is open.
  page_form form;
  std::string passed_on_to;  ///< where the gateway passed the form on to
  const reply& answer() const { return answer_; }

 private:
  const reply& see(reply shown);

  const gateway_process& gateway_;
  const jazzcash_process& wallet_;
  std::string page_;  ///< the address of the gateway's page
  reply answer_;
};

}  // namespace gateway::e2e
