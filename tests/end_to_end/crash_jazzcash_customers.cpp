#include "crash_jazzcash_customers.hpp"

#include <algorithm>
#include <array>

namespace gateway::e2e {

using namespace std::chrono_literals;

namespace {

gateway_options impatient_options(const jazzcash_process& wallet, store_kind store) {
  auto options = beside(wallet, store);
  options.arguments.emplace_back("--hosted-expiry=8s");
  return options;
}

/// Performs a customer's step and returns its status; 0 if a page did not come and the customer has stopped trying.
template <class Step>
int patiently(std::mt19937& random, Step step) {
  for (int tries = static_cast<int>(random() % 12); tries >= 0; --tries) {
    try {
      const reply& answer = step();
      if (answer.status != 503) return answer.status;
    } catch (const connection_failed&) {
      // The gateway or the wallet is down: killed, or starting again.
    }
    std::this_thread::sleep_for(100ms);
  }
  return 0;
}

bool stays(std::mt19937& random) { return random() % 10 != 0; }

void think(std::mt19937& random) { std::this_thread::sleep_for(std::chrono::milliseconds{random() % 100}); }

}  // namespace

wallet_scene::wallet_scene(store_kind store) : gateway{impatient_options(wallet, store)} {
  configure_jazzcash(gateway, wallet);
  account = new_merchant(gateway, {"Bazaar", "wallet", "", false});
  route_to_jazzcash(gateway, account.id);
}

shoppers::shoppers(wallet_scene& on, int count, unsigned seed) : on_{on} {
  for (int i = 0; i < count; ++i) threads_.emplace_back([this, seed, i] { run(seed + static_cast<unsigned>(i)); });
}

void shoppers::stop() {
  stopping_ = true;
  for (auto& each : threads_)
    if (each.joinable()) each.join();
}

void shoppers::run(unsigned seed) {
  dice random{seed};
  while (!stopping_) {
    wallet_visit of;
    of.id = new_payment_id();
    of.amount = 1000 + static_cast<std::int64_t>(random() % 9000);
    of.body = redirect_payment(of.id, "PKR")
                  .set("amount", of.amount)
                  .set("flow", random() % 4 == 0 ? "embedded" : "redirect")
                  .set("payment_method_type", "pkr_wallet")
                  .text();
    of.reported = persist(of);
    const auto words = of.reported ? summary_of(*of.reported) : "no answer";
    if (words == "200 processing")
      walk(of, random);
    else
      surprise(of, "create: " + words);
    ++done_;
    const std::lock_guard lock{guard_};
    visits_.push_back(std::move(of));
  }
}

/// Sends the create until it has a final answer.
std::optional<reply> shoppers::persist(const wallet_visit& of) {
  const auto deadline = std::chrono::steady_clock::now() + 120s;
  while (std::chrono::steady_clock::now() < deadline) {
    try {
      auto reported = api{on_.gateway, on_.account.test}.post("/v1/payment_intents", of.body, of.made);
      const bool busy = reported.status == 409 && json::parse(reported.body)["error"] == "request already processing";
      if (reported.status != 503 && !busy) return reported;
    } catch (const connection_failed&) {
      // The gateway is down: killed, or starting again.
    }
    std::this_thread::sleep_for(50ms);
  }
  return std::nullopt;
}

/// Goes from the gateway's page to the wallet's and back, as far as this customer gets.
void shoppers::walk(wallet_visit& of, dice& random) {
  wallet_customer customer{on_.gateway, on_.wallet};
  const auto takes = [&](const char* what, auto step, std::initializer_list<int> known) {
    return reached(of, what, patiently(random, step), known);
  };
  const auto presses = [&](const char* button) {
    return takes("a button of the wallet", [&]() -> const reply& { return customer.click(button); }, {200});
  };
  const auto url = json::parse(of.reported->body)["provider.hosted_url"].text();
  if (!stays(random)) return;
  // 410: the time to pay has ended.
  if (!takes("the gateway's page", [&]() -> const reply& { return customer.open(url); }, {200, 410})) return;
  of.ref = customer.form.value("pp_TxnRefNo");
  if (!stays(random)) return;
  think(random);
  // 400: the wallet took the transaction before a kill, or the time to pay has ended. 410: the gateway knows that.
  if (!takes("the wallet's page", [&]() -> const reply& { return customer.go_on(); }, {200, 400, 410})) return;
  if (!stays(random)) return;
  think(random);
  if (random() % 3 == 0) trouble(random);
  constexpr std::array<const char*, 8> buttons{"pay", "pay", "pay", "pay", "decline", "low", "cancel", "leave"};
  const std::string pressed = buttons.at(random() % buttons.size());
  const auto page = customer.form;
  if (!presses(pressed.c_str())) return;
  if (pressed == "leave" && random() % 2 == 0) {
    come_back(of, customer, random);
    customer.form = page;
    if (!presses("pay")) return;
  }
  for (auto times = random() % 3; times > 0; --times) {
    think(random);
    if (random() % 3 == 0) trouble(random);
    come_back(of, customer, random);
  }
  if (random() % 4 == 0) reverse(of);
}

/// Sometimes a forged return with the opposite outcome is posted first.
void shoppers::come_back(wallet_visit& of, wallet_customer at, dice& random) {
  if (random() % 8 == 0) {
    auto forged = at;
    forged.form.set("pp_ResponseCode", forged.form.value("pp_ResponseCode") == "000" ? "060" : "000");
    reached(of, "a forged return", patiently(random, [&]() -> const reply& { return forged.come_back(); }), {400});
  }
  const auto status = patiently(random, [&]() -> const reply& { return at.come_back(); });
  if (status == 0) return;
  const auto led_to = at.answer().header("Location").value_or("");
  if (status == 303 && led_to == "https://shop.example/thanks")
    of.shown.push_back("thanks");
  else if (status == 303 && led_to == "https://shop.example/basket")
    of.shown.push_back("basket");
  else if (status == 200 && (at.answer().body.find("being confirmed") != std::string::npos ||
                             at.answer().body.find("nothing was paid") != std::string::npos))
    of.shown.push_back("confirming");
  else
    surprise(of, "a return: " + std::to_string(status) + ' ' + led_to);
}

void shoppers::trouble(dice& random) {
  constexpr std::array<const char*, 6> faults{"error_500", "cut", "slow", "garbage", "wrong_hash", "other_amount"};
  try {
    on_.wallet.breaks(faults.at(random() % faults.size()), 1 + static_cast<int>(random() % 4),
                      static_cast<int>(200 + random() % 2800));
  } catch (const connection_failed&) {
    // The wallet is down, which is fault enough.
  }
}

/// Does nothing to a transaction that is not paid.
void shoppers::reverse(const wallet_visit& of) {
  try {
    on_.wallet.reverse(of.ref);
  } catch (const std::runtime_error&) {
    // It is not paid, or the wallet is down.
  }
}

/// Whether the page was reached; a status other than these is a surprise.
bool shoppers::reached(const wallet_visit& of, const std::string& what, int status, std::initializer_list<int> known) {
  if (status != 0 && std::ranges::find(known, status) == known.end())
    surprise(of, what + ": " + std::to_string(status));
  return status == 200;
}

void shoppers::surprise(const wallet_visit& of, const std::string& what) {
  const std::lock_guard lock{guard_};
  surprises_.push_back(what + " (" + of.id + ')');
}

}  // namespace gateway::e2e
