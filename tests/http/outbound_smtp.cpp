// The client of the mail server, without a mail server: what fails ends, and stopping interrupts it.
#include <catch2/catch.hpp>

#include <future>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "../base/hang_timeout.hpp"
#include "http/outbound/smtp_client.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

/// Accepts connections in the system's queue, and never sends anything.
struct silent_mail_server {
  boost::asio::io_context context;
  boost::asio::ip::tcp::acceptor acceptor{context, {boost::asio::ip::address_v4::loopback(), 0}};

  std::string url() const { return "smtp://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()); }
};

std::future<mail_attempt> sent_by(mail_client& client) {
  auto answer = std::make_shared<std::promise<mail_attempt>>();
  client.send({"a@shop.example", "b@shop.example", "Subject: x\r\n\r\nx\r\n"},
              [answer](mail_attempt made) { answer->set_value(std::move(made)); });
  return answer->get_future();
}

mail_attempt outcome_of(std::future<mail_attempt> attempt) {
  REQUIRE(attempt.wait_for(tests::hang_timeout) == std::future_status::ready);
  return attempt.get();
}

}  // namespace

TEST_CASE("a mail server that is away is a failure for now") {
  std::string url;
  {
    const silent_mail_server server;
    url = server.url();
  }
  const auto client = make_smtp_client({url, {}});
  const auto made = outcome_of(sent_by(*client));
  CHECK(made.what == mail_attempt::outcome::failed);
  CHECK_FALSE(made.error.empty());
}

TEST_CASE("stopping interrupts the mail that is being sent, and what waits") {
  const silent_mail_server server;
  const auto client = make_smtp_client({server.url(), {}});
  auto first = sent_by(*client), second = sent_by(*client);
  client->stop();
  CHECK(outcome_of(std::move(first)).what == mail_attempt::outcome::failed);
  CHECK(outcome_of(std::move(second)).what == mail_attempt::outcome::failed);
  CHECK(outcome_of(sent_by(*client)).what == mail_attempt::outcome::failed);
}

TEST_CASE("a URL that is none is refused, in words without its password") {
  CHECK_THROWS_WITH(make_smtp_client({"smtp://user:secret@[::1", {}}), !Catch::Contains("secret"));
}
