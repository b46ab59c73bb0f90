// jazzcash-stand-in: the part of JazzCash that the gateway uses. See README.md in this folder.

#include <signal.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <exception>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>

#include "control.hpp"

using namespace gateway::jazzcash_stand_in;

namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

struct options {
  std::string listen = "127.0.0.1:0";
  std::string control_listen = "127.0.0.1:0";
  std::string certificate;
  std::string key;
  std::string ledger;
  merchant who{"MC00000", "password", "salt"};
};

tcp::endpoint endpoint_of(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) throw std::invalid_argument{text + " is not ADDR:PORT"};
  return {asio::ip::make_address(text.substr(0, colon)),
          static_cast<std::uint16_t>(std::stoul(text.substr(colon + 1)))};
}

int serve(const options& wanted) {
  ::signal(SIGPIPE, SIG_IGN);
  asio::ssl::context tls{asio::ssl::context::tls_server};
  tls.use_certificate_chain_file(wanted.certificate);
  tls.use_private_key_file(wanted.key, asio::ssl::context::pem);
  transactions all{wanted.ledger};
  pages customers{all, wanted.who};
  control operators{customers};
  std::mutex one_at_a_time;

  const server front{endpoint_of(wanted.listen), &tls, [&](const request& asked) {
                       const std::scoped_lock lock{one_at_a_time};
                       const bool inquiry = asked.method == "POST" && asked.path == pages::inquiry_path;
                       return inquiry ? operators.inquire(asked) : customers.serve(asked);
                     }};
  const server back{endpoint_of(wanted.control_listen), nullptr, [&](const request& asked) {
                      const std::scoped_lock lock{one_at_a_time};
                      return operators.serve(asked);
                    }};
  std::cout << "listening on " << front.port() << " control on " << back.port() << std::endl;
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  int which = 0;
  sigwait(&ends, &which);
  std::_Exit(0);  // connections may still wait for their clients
}

}  // namespace

int main(int argc, char** argv) {
  options wanted;
  CLI::App app{"jazzcash-stand-in: JazzCash, as far as the gateway uses it, for tests.", "jazzcash-stand-in"};
  app.add_option("--listen", wanted.listen, "Of the page and the inquiry, over TLS")->type_name("ADDR:PORT");
  app.add_option("--control-listen", wanted.control_listen, "Of control, plain")->type_name("ADDR:PORT");
  app.add_option("--certificate", wanted.certificate, "PEM")->type_name("FILE")->required();
  app.add_option("--key", wanted.key, "PEM")->type_name("FILE")->required();
  app.add_option("--ledger", wanted.ledger, "All that is known")->type_name("FILE")->required();
  app.add_option("--merchant-id", wanted.who.id, "Of the one merchant")->type_name("ID");
  app.add_option("--password", wanted.who.password, "The merchant's")->type_name("TEXT");
  app.add_option("--salt", wanted.who.salt, "The merchant's integrity salt")->type_name("TEXT");
  CLI11_PARSE(app, argc, argv);
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // before any thread starts: one place waits for these signals
  try {
    return serve(wanted);
  } catch (const std::exception& error) {
    std::cerr << "jazzcash-stand-in: " << error.what() << '\n';
    return 1;
  }
}
