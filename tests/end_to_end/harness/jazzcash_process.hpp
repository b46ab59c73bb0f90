// The stand-in for JazzCash in a process of its own (tests/stand_ins/jazzcash): strict as JazzCash is, faulty at will.
// Its ledger outlives its own death and the gateway's. And what an operator does so that a wallet entity's payments go
// there, and what a customer's browser does.
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

  /// Again, with the same ledger and the same ports.
  void start();
  void kill();

  std::string url() const { return "https://localhost:" + std::to_string(address_.port); }
  /// Of its own certificate, which stands for itself: for --provider-ca-file.
  std::filesystem::path certificate() const { return folder_ / "certificate.pem"; }

  /// For the next so many inquiries. Throws if it is refused.
  void breaks(const std::string& fault, int count, int wait_ms = 0);
  /// No faults any more.
  void mends() { breaks("", 0); }
  std::int64_t inquiries() const;
  /// What JazzCash posts of its own accord about a transaction that has ended. Throws if it has not.
  std::string notification_of(const std::string& txn_ref) const;

  /// Every whole line of its ledger, also while it is dead.
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

/// Options of a gateway that trusts it.
gateway_options beside(const jazzcash_process& wallet, store_kind store);
/// `gatewayctl provider set`.
void configure_jazzcash(const gateway_process& gateway, const jazzcash_process& wallet,
                        const std::string& mode = "test");
/// The wallet entity's payments go there, and no more to the sandbox.
void route_to_jazzcash(const gateway_process& gateway, const std::string& merchant, const std::string& mode = "test");

/// The first form of a page: where it is posted, and what is hidden in it.
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

  /// The gateway's page, from which the form leads on.
  const reply& open(const std::string& hosted_url);
  /// Its button: the wallet's page.
  const reply& go_on();
  /// A button of the wallet's page: `pay`, `decline`, `low`, `cancel`, `fault`, `leave`.
  const reply& click(const std::string& action);
  /// The button that leads back to the gateway.
  const reply& come_back();
  /// All of it.
  const reply& settle(const std::string& hosted_url, const std::string& action);

  /// The form of the page that is open.
  page_form form;
  const reply& answer() const { return answer_; }

 private:
  const reply& see(reply shown);

  const gateway_process& gateway_;
  const jazzcash_process& wallet_;
  reply answer_;
};

}  // namespace gateway::e2e
