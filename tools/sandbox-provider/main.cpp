// sandbox-provider: the sandbox providers in a separate process, for gateways with --sandbox-provider=SOCKET.
//
// It decides as the sandbox inside a gateway does, and keeps the ledger, so that the executed effects are known even if
// the gateway is killed. Options make it an unreliable provider, which delays answers and loses answers to executed
// calls.

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "providers/sandbox/line_stream.hpp"
#include "providers/sandbox/sandbox.hpp"
#include "providers/sandbox/wire.hpp"

using namespace gateway;
using namespace gateway::actors;

namespace {

namespace asio = boost::asio;

struct options {
  std::string listen;
  std::string ledger;
  bool report = false;
  unsigned lose_percent = 0;
  unsigned delay_ms = 0;
  unsigned seed = 1;
};

class provider {
 public:
  provider(asio::io_context& context, const options& wanted)
      : context_(context), wanted_(wanted), random_(wanted.seed), acceptor_(context) {
    if (!wanted.ledger.empty()) ledger_.emplace(wanted.ledger);
    // A process that was killed leaves its socket behind.
    ::unlink(wanted.listen.c_str());
    const line_stream::protocol::endpoint address{wanted.listen};
    acceptor_.open(address.protocol());
    const auto before = ::umask(0077);
    acceptor_.bind(address);
    ::umask(before);
    acceptor_.listen();
    accept();
  }

 private:
  void accept() {
    acceptor_.async_accept([this](boost::system::error_code failed, line_stream::protocol::socket socket) {
      if (!failed) serve(std::make_shared<line_stream>(std::move(socket)));
      accept();
    });
  }

  void serve(std::shared_ptr<line_stream> gateway) {
    const std::weak_ptr<line_stream> back = gateway;
    gateway->start(
        [this, back](std::string_view line) {
          auto call = wire::decode_call(line);
          if (call) take(std::move(*call), back);
          return call.has_value();
        },
        [] {});
  }

  void take(wire::numbered_call numbered, const std::weak_ptr<line_stream>& back) {
    auto answer = answer_sandbox_call(numbered.call);
    if (wanted_.delay_ms > 0) answer.after += duration_ms{random_() % wanted_.delay_ms};
    if (answer.after == duration_ms{0}) return execute(numbered, std::move(answer), back);
    auto timer = std::make_shared<asio::steady_timer>(context_, answer.after);
    timer->async_wait([this, timer, numbered = std::move(numbered), answer = std::move(answer),
                       back](boost::system::error_code) { execute(numbered, answer, back); });
  }

  void execute(const wire::numbered_call& numbered, sandbox_answer answer, const std::weak_ptr<line_stream>& back) {
    const bool silent = answer.silent || random_() % 100 < wanted_.lose_percent;
    auto result = carry_out(numbered.call, std::move(answer), ledger_ ? &*ledger_ : nullptr);
    if (const auto gateway = back.lock(); gateway && !silent)
      gateway->send(wire::encode(wire::numbered_result{numbered.id, std::move(result)}));
  }

  asio::io_context& context_;
  options wanted_;
  std::mt19937 random_;
  std::optional<sandbox_ledger> ledger_;
  line_stream::protocol::acceptor acceptor_;
};

int report(const options& wanted) {
  std::ifstream ledger{wanted.ledger};
  if (!ledger) throw std::runtime_error{"cannot read " + wanted.ledger};
  write_settlement_report(ledger, std::cout);
  if (!std::cout.flush()) throw std::runtime_error{"cannot write the report"};
  return 0;
}

int serve(const options& wanted) {
  ::signal(SIGPIPE, SIG_IGN);
  asio::io_context context{1};
  const provider running{context, wanted};
  asio::signal_set ends{context, SIGTERM, SIGINT};
  ends.async_wait([&](boost::system::error_code, int) { context.stop(); });
  std::cout << "listening on " << wanted.listen << std::endl;
  context.run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  options wanted;
  CLI::App app{
      "sandbox-provider: the sandbox providers in a process of their own, for gatewayd --sandbox-provider=SOCKET.",
      "sandbox-provider"};
  auto* listen =
      app.add_option("--listen", wanted.listen, "Unix socket on which gateways reach it")->type_name("SOCKET");
  auto* ledger =
      app.add_option("--ledger", wanted.ledger, "Appends each executed effect to this file")->type_name("FILE");
  app.add_flag("--settlement-report", wanted.report, "Print what stands in the ledger as a settlement report, and end")
      ->needs(ledger)
      ->excludes(listen);
  app.add_option("--lose", wanted.lose_percent, "Do what is asked, and lose so many of a hundred answers")
      ->type_name("PERCENT")
      ->check(CLI::Range(0, 100));
  app.add_option("--delay", wanted.delay_ms, "Take up to so much longer, in milliseconds")->type_name("MS");
  app.add_option("--seed", wanted.seed, "Of the dice for both")->type_name("N");
  app.callback([&] {
    if (!wanted.report && wanted.listen.empty()) throw CLI::RequiredError("--listen");
  });
  CLI11_PARSE(app, argc, argv);
  try {
    return wanted.report ? report(wanted) : serve(wanted);
  } catch (const std::exception& error) {
    std::cerr << "sandbox-provider: " << error.what() << '\n';
    return 1;
  }
}
