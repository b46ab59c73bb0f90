// stripe-stand-in: the part of Stripe that the gateway uses. See README.md in this folder.

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "control.hpp"
#include "pages.hpp"

using namespace gateway::stripe_stand_in;

namespace {

namespace asio = boost::asio;
namespace stand_in = gateway::stand_in;

struct options {
  std::string listen = "127.0.0.1:0";
  std::string control_listen = "127.0.0.1:0";
  std::string certificate;
  std::string key;
  std::string ledger;
  std::string public_url;
  std::string notify;
  std::string webhook_secret = "whsec_of_the_stand_in";
  std::vector<std::string> accounts;
  bool no_sync = false;
};

/// Does regularly what is due by time alone.
void keep_time(asio::steady_timer& timer, pages& customers) {
  timer.expires_after(std::chrono::milliseconds{500});
  timer.async_wait([&](boost::system::error_code failed) {
    if (failed) return;
    customers.expire_due();
    keep_time(timer, customers);
  });
}

int serve(const options& wanted) {
  asio::io_context context{1};
  auto tls = stand_in::tls_of(wanted.certificate, wanted.key);
  store all{wanted.ledger, !wanted.no_sync};
  surroundings at;
  api stripe{context, all, at};
  for (const auto& account : wanted.accounts) stripe.accounts[account] = account_state::active;
  notifier posts{context, all, wanted.ledger + ".delivered"};
  posts.settings.url = wanted.notify;
  posts.settings.secret = wanted.webhook_secret;
  stripe.on_commit = [&] { posts.look(); };
  pages customers{all, [&](const draft& in, std::string_view what) { stripe.commit(in, what); }};
  control operators{stripe, posts, all, at};

  const stand_in::server front{context, stand_in::endpoint_of(wanted.listen), &tls,
                               [&](const request& asked, const std::function<void(answer)>& done) {
                                 if (!pages::serves(asked.path)) return stripe.serve(asked, done);
                                 const auto filled_in = form::parse(asked.body);
                                 done(customers.serve(asked.method, asked.path, filled_in.value_or(form{})));
                               }};
  const stand_in::server back{
      context, stand_in::endpoint_of(wanted.control_listen), nullptr,
      [&](const request& asked, const std::function<void(answer)>& done) { done(operators.serve(asked)); }};
  at.base_url = wanted.public_url.empty() ? "https://localhost:" + std::to_string(front.port()) : wanted.public_url;
  asio::steady_timer timer{context};
  keep_time(timer, customers);
  posts.look();
  stand_in::run(context, front, back);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  options wanted;
  CLI::App app{"stripe-stand-in: Stripe, as far as the gateway uses it, for tests.", "stripe-stand-in"};
  app.add_option("--listen", wanted.listen, "Of the API and the pages, over TLS")->type_name("ADDR:PORT");
  app.add_option("--control-listen", wanted.control_listen, "Of control, plain")->type_name("ADDR:PORT");
  app.add_option("--certificate", wanted.certificate, "PEM")->type_name("FILE")->required();
  app.add_option("--key", wanted.key, "PEM")->type_name("FILE")->required();
  app.add_option("--ledger", wanted.ledger, "All that was done, and all that is known")->type_name("FILE")->required();
  app.add_option("--public-url", wanted.public_url, "Where its pages are reached; https://localhost:PORT if not given")
      ->type_name("URL");
  app.add_option("--notify", wanted.notify, "Where events are posted; {mode} in it becomes test or live")
      ->type_name("URL");
  app.add_option("--webhook-secret", wanted.webhook_secret, "Signs the events")->type_name("SECRET");
  app.add_option("--accounts", wanted.accounts, "The connected accounts")->delimiter(',')->type_name("ID,…");
  app.add_flag("--no-sync", wanted.no_sync, "Answers before the ledger is on the disk: for measuring others");
  CLI11_PARSE(app, argc, argv);
  try {
    return serve(wanted);
  } catch (const std::exception& error) {
    std::cerr << "stripe-stand-in: " << error.what() << '\n';
    return 1;
  }
}
