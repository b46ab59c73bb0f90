#include "gateway/domain/merchant.hpp"

#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "commands.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/domain/branding.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

namespace {

boost::json::value password_from(std::istream& input) {
  std::string line;
  std::getline(input, line);
  if (line.ends_with('\r')) line.pop_back();
  if (line.empty()) throw bad_input("no password on standard input");
  return boost::json::value(line);
}

void add_role(const call_command& to) {
  to.optional_text("--role", "role", "owner may do everything, viewer only looks [the present role, else owner]")
      .one_of("owner,viewer")
      .type_name("ROLE");
}

/// The empty value is sent, too: it removes what is there.
void add_change(const call_command& to, const char* name, const char* field, const std::string& help) {
  const auto value = std::make_shared<std::optional<std::string>>();
  to.then([value, field](auto& body) {
    if (*value) body[field] = **value;
  });
  to.command().add(name, [value](const std::string& given) { *value = given; }, help).type_name("TEXT");
}

std::string logo_in(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) throw bad_input("--logo: the file " + path + " cannot be read");
  std::string bytes(most_logo_bytes + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  if (const auto fault = fault_of_logo(bytes)) throw bad_input("--logo: " + *fault);
  return crypto::base64url(bytes);
}

void add_branding(const call_command& to) {
  add_merchant(to);
  add_change(to, "--shop-name", "shop_name", "Shown to customers instead of the merchant's name");
  add_change(to, "--colour", "colour", "Of the main buttons, such as #2350c8");
  add_change(to, "--support", "support", "Where customers ask: an e-mail address, a telephone number or an https URL");
  const auto path = std::make_shared<std::optional<std::string>>();
  to.then([path](auto& body) {
    if (*path) body["logo"] = (*path)->empty() ? std::string{} : logo_in(**path);
  });
  to.command()
      .add(
          "--logo", [path](const std::string& given) { *path = given; }, "A PNG file of at most 64 KiB")
      .type_name("FILE");
}

}  // namespace

void add_merchant_commands(const command_group& program) {
  const auto merchant = program.group("merchant", "Merchants, their keys and users");

  const auto create = merchant.call("create", "Create a merchant, ready to take test payments", "/operator/merchants");
  create.text("--name", "name", "Shown to customers on hosted pages").type_name("NAME");
  create.optional_text("--entity", "entity", "standard takes cards, wallet takes the PKR wallet [standard]", "standard")
      .one_of("standard,wallet")
      .type_name("KIND");
  create.optional_text("--owner-email", "owner_email", "The user whom setup links are made for").type_name("EMAIL");

  const auto list = merchant.call("list", "List merchants, newest first", "/operator/merchants/list");
  list.optional_text("--search", "search", "Only those whose name or owner's address contains this, in any case")
      .type_name("TEXT");
  list.optional_text("--after", "after", "The next page: `next` of the page before").type_name("NEXT");
  list.number("--limit", "limit", "At most so many [50]", 50).within(1, 100).type_name("N");

  const auto show = merchant.call("show", "Show a merchant with its keys, routes, connections, destinations and users",
                                  "/operator/merchants/show");
  show.text("merchant", "merchant_id", "merch_…").type_name("MERCHANT");

  add_branding(merchant.call("branding",
                             "Change how a merchant's checkout looks to its customers; what is left out stays",
                             "/operator/merchants/branding"));

  const auto mint = merchant.group("key", "API keys of a merchant")
                        .call("mint", "Make an API key; its secret is shown this once", "/operator/keys");
  add_merchant_and_mode(mint);
  mint.optional_text("--scopes", "scopes", "Space-separated [" + std::string{default_merchant_scopes} + "]")
      .type_name("SCOPES");
  add_key_name(mint);

  const auto user = merchant.group("user", "People who act for a merchant");
  const auto add = user.call("add", "Add a user, or give one a new password", "/operator/users");
  add_merchant(add);
  add_user_address(add);
  add_role(add);
  add.from_input("--password-stdin", "password", "Read the password from the first line of standard input",
                 password_from);

  const auto invite =
      user.call("invite", "Give a user a role, and make a link to set a password with", "/operator/users/invite");
  add_merchant(invite);
  add_user_address(invite);
  add_role(invite);
}

}  // namespace gateway::ctl
