// jazzcash-stand-in: the part of JazzCash that the gateway uses. See README.md in this folder.

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <exception>
#include <functional>
#include <iostream>
#include <string>

#include "control.hpp"

using namespace gateway::jazzcash_stand_in;

namespace {

namespace asio = boost::asio;
namespace stand_in = gateway::stand_in;

struct options {
  std::string listen = "127.0.0.1:0";
  std::string control_listen = "127.0.0.1:0";
  std::string certificate;
  std::string key;
  std::string ledger;
  merchant who{"MC00000", "password", "salt"};
};

int serve(const options& wanted) {
  asio::io_context context{1};
  auto tls = stand_in::tls_of(wanted.certificate, wanted.key);
  transactions all{wanted.ledger};
  pages customers{all, wanted.who};
  control operators{customers};

  const stand_in::server front{context, stand_in::endpoint_of(wanted.listen), &tls,
                               [&](const request& asked, const std::function<void(answer)>& done) {
                                 const bool inquiry = asked.method == "POST" && asked.path == pages::inquiry_path;
                                 done(inquiry ? operators.inquire(asked) : customers.serve(asked));
                               }};
  const stand_in::server back{
      context, stand_in::endpoint_of(wanted.control_listen), nullptr,
      [&](const request& asked, const std::function<void(answer)>& done) { done(operators.serve(asked)); }};
  stand_in::run(context, front, back);
  return 0;
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
  try {
    return serve(wanted);
  } catch (const std::exception& error) {
    std::cerr << "jazzcash-stand-in: " << error.what() << '\n';
    return 1;
  }
}
