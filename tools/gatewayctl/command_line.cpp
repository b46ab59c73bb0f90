#include "command_line.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "config/option_value.hpp"
#include "gateway/domain/merchant.hpp"
#include "gateway/domain/platform.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/time.hpp"

namespace gateway::ctl {

namespace {

/// The options of all commands.
struct arguments {
  std::string name, kind = "standard", owner_email;
  std::string merchant, mode, scopes, key;
  std::string email, role;
  bool password_from_input = false, settings_from_input = false;
  std::string provider, status, account;
  std::string currencies, methods;
  std::string slug, contact;
  std::vector<std::string> redirect_uris, return_origins;
  std::string platform, url, events, destination, reason, time, from, until, payment;
  std::int64_t delivery = 0, before = 0;
  std::string grant, subscription, cycle, notification;
  std::string to, format, file;
  bool update = false, expire = false, remove = false, reorder = false;
  std::uint32_t repeat = 1;
  std::uint32_t limit = 100, most_grants = 1'000, most_customers = 1'000, overlap_hours = 24;
};

struct bad_input : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::vector<std::string> provider_names() {
  std::vector<std::string> names;
  names.reserve(provider_catalogue.size());
  for (const auto& row : provider_catalogue) names.emplace_back(row.name);
  return names;
}

/// `A,B` as a list; `option` is named where an item is missing.
boost::json::array list_of(std::string_view text, const char* option) {
  boost::json::array list;
  for (;;) {
    const auto comma = text.find(',');
    const auto item = text.substr(0, comma);
    if (item.empty()) throw bad_input(std::string{option} + ": expected a comma-separated list");
    list.emplace_back(item);
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

/// Adds the list of an option that may be left out.
void put_list(boost::json::object& into, const char* name, const std::string& text, const char* option) {
  if (!text.empty()) into[name] = list_of(text, option);
}

/// Adds an option that was given. One that was not is left out, because the gateway knows the default.
void put_given(boost::json::object& into, const char* name, const std::string& value) {
  if (!value.empty()) into[name] = value;
}

/// Adds the list of an option that was given, each value by itself. An empty value stands for no item, so that a list
/// can be emptied.
void put_given(boost::json::object& into, const char* name, const std::vector<std::string>& values) {
  if (values.empty()) return;
  boost::json::array list;
  for (const auto& value : values)
    if (!value.empty()) list.emplace_back(value);
  into[name] = std::move(list);
}

std::string password_from(std::istream& input) {
  std::string line;
  std::getline(input, line);
  if (line.ends_with('\r')) line.pop_back();
  if (line.empty()) throw bad_input("no password on standard input");
  return line;
}

/// All of it, as one JSON object. What is wrong is told without its words: they are secrets.
boost::json::object settings_from(std::istream& input) {
  constexpr std::size_t most_bytes = 256 * 1024;
  std::string text(most_bytes + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(input.gcount()));
  if (text.empty()) throw bad_input("no settings on standard input");
  if (text.size() > most_bytes) throw bad_input("the settings on standard input are longer than 256 KiB");
  boost::system::error_code failure;
  const auto parsed = boost::json::parse(text, failure);
  if (failure || !parsed.is_object())
    throw bad_input(R"(standard input: expected one JSON object of texts, as {"name":"value"})");
  return parsed.get_object();
}

/// Builds the tree of commands. Each leaf sets the call that it makes.
class commands {
 public:
  commands(CLI::App& app, std::istream& input, command_line& result)
      : input_(input), result_(result), out_(result.call) {
    app.require_subcommand(1);
    auto& merchant = group(app, "merchant", "Merchants, their keys and users");
    add_create(merchant);
    add_mint(group(merchant, "key", "API keys of a merchant"));
    auto& people = group(merchant, "user", "People who act for a merchant");
    add_user(people);
    add_invite(people);
    auto& platform = group(app, "platform", "Platforms that act for merchants, and their keys");
    add_create_platform(platform);
    add_change_platform(platform);
    leaf(platform, "list", "Show platforms", "/operator/platforms/list", [](auto&) {});
    add_platform_status(platform, "suspend", "From the answer on nothing that it signs is done; its webhooks wait",
                        "suspended");
    add_platform_status(platform, "resume", "Let it go on; webhooks that have waited go out", "active");
    add_mint_platform_key(group(platform, "key", "API keys of a platform"));
    add_revoke(group(app, "key", "API keys, whoever's they are"));
    add_connection(group(app, "connection", "A merchant's accounts at providers"));
    add_route(group(app, "route", "Which provider takes a merchant's payments"));
    add_providers(group(app, "provider", "Keys and secrets of providers, one set in each mode"));
    add_grants(group(app, "grant", "What merchants let platforms do"));
    add_customers(group(app, "customer", "Customers that platforms keep at a merchant"));
    add_subscriptions(group(app, "subscription", "Subscriptions that platforms have sold for a merchant"));
    add_sandbox(group(app, "sandbox", "What happens at the sandbox providers"));
    add_nodes(group(app, "node", "The nodes that share the database"));
    auto& destination = group(app, "destination", "Where webhooks are sent");
    add_set(destination);
    add_destinations(destination);
    add_enable(destination);
    add_disable(destination);
    add_rotate(destination);
    auto& delivery = group(app, "delivery", "Webhooks, each to one destination");
    add_deliveries(delivery);
    add_show(delivery);
    add_redeliver(delivery);
    add_events(group(app, "event", "What happened to payments"));
    auto& notification = group(app, "notification", "What providers have told of their own accord");
    add_notifications(notification);
    add_replay(notification);
    add_report(app);
    add_reconcile(app);
  }

 private:
  static CLI::App& group(CLI::App& in, const char* name, const char* help) {
    auto& added = *in.add_subcommand(name, help);
    added.require_subcommand(1);
    return added;
  }

  CLI::App& leaf(CLI::App& in, const char* name, const char* help, const char* path,
                 std::function<void(boost::json::object&)> fill) {
    auto& added = *in.add_subcommand(name, help);
    added.callback([this, path, fill = std::move(fill)] {
      out_.path = path;
      fill(out_.body);
    });
    return added;
  }

  void merchant_and_mode(CLI::App& command) {
    command.add_option("--merchant", a_.merchant, "merch_… as `merchant create` printed it")
        ->required()
        ->type_name("MERCHANT");
    mode(command);
  }

  void mode(CLI::App& command) {
    command.add_option("--mode", a_.mode, "test or live")
        ->required()
        ->check(CLI::IsMember({"test", "live"}))
        ->type_name("MODE");
  }

  static std::string provider_help() { return "One of " + CLI::detail::join(provider_names(), ", "); }

  void provider(CLI::App& command) {
    command.add_option("--provider", a_.provider, provider_help())
        ->required()
        ->check(CLI::IsMember(provider_names()))
        ->type_name("KIND");
  }

  void add_create(CLI::App& in) {
    auto& command =
        leaf(in, "create", "Create a merchant, ready to take test payments", "/operator/merchants", [this](auto& body) {
          body["name"] = a_.name;
          body["entity"] = a_.kind;
          put_given(body, "owner_email", a_.owner_email);
        });
    command.add_option("--name", a_.name, "Shown to customers on hosted pages")->required()->type_name("NAME");
    command.add_option("--entity", a_.kind, "standard takes cards, wallet takes the PKR wallet [standard]")
        ->check(CLI::IsMember({"standard", "wallet"}))
        ->type_name("KIND");
    command.add_option("--owner-email", a_.owner_email, "The user whom setup links are made for")->type_name("EMAIL");
  }

  void add_mint(CLI::App& in) {
    auto& command =
        leaf(in, "mint", "Make an API key; its secret is shown this once", "/operator/keys", [this](auto& body) {
          body["merchant_id"] = a_.merchant;
          body["mode"] = a_.mode;
          put_given(body, "scopes", a_.scopes);
        });
    merchant_and_mode(command);
    command.add_option("--scopes", a_.scopes, "Space-separated [" + std::string{default_merchant_scopes} + "]")
        ->type_name("SCOPES");
  }

  // ---- platforms --------------------------------------------------------------------------------

  /// Of create, where each is needed, and of set.
  void platform_options(CLI::App& command, bool required) {
    const auto not_empty = [](const std::string& value) {
      return value.empty() ? std::string{"the value is missing"} : std::string{};
    };
    command.add_option("--name", a_.name, "Shown to merchants when they are asked for consent")
        ->required(required)
        ->check(not_empty)
        ->type_name("NAME");
    command.add_option("--contact", a_.contact, "E-mail address for matters of security")
        ->required(required)
        ->check(not_empty)
        ->type_name("EMAIL");
    command.add_option("--redirect-uri", a_.redirect_uris, "Where browsers may go after consent; any number")
        ->required(required)
        ->type_name("URI");
    command
        .add_option("--return-origin", a_.return_origins,
                    "Where browsers may go after a reconnect, as https://app.example; any number; '' for none")
        ->type_name("ORIGIN");
  }

  void put_platform(boost::json::object& body) const {
    put_given(body, "name", a_.name);
    put_given(body, "contact", a_.contact);
    put_given(body, "redirect_uris", a_.redirect_uris);
    put_given(body, "return_origins", a_.return_origins);
  }

  void add_create_platform(CLI::App& in) {
    auto& command = leaf(in, "create", "Register a platform", "/operator/platforms", [this](auto& body) {
      body["slug"] = a_.slug;
      put_platform(body);
    });
    command.add_option("--slug", a_.slug, "Its client_id, for good: lower-case letters, digits, dashes")
        ->required()
        ->type_name("SLUG");
    platform_options(command, true);
  }

  void add_change_platform(CLI::App& in) {
    auto& command = leaf(in, "set", "Change a platform: what is given replaces what is there",
                         "/operator/platforms/set", [this](auto& body) {
                           body["platform_id"] = a_.platform;
                           put_platform(body);
                         });
    command.add_option("--platform", a_.platform, "plat_…")->required()->type_name("PLATFORM");
    platform_options(command, false);
  }

  void add_platform_status(CLI::App& in, const char* name, const char* help, const char* status) {
    auto& command = leaf(in, name, help, "/operator/platforms/status", [this, status](auto& body) {
      body["platform_id"] = a_.platform;
      body["status"] = status;
    });
    command.add_option("platform", a_.platform, "plat_…")->required()->type_name("PLATFORM");
  }

  void add_mint_platform_key(CLI::App& in) {
    auto& command = leaf(in, "mint", "Make an API key; its secret is shown this once", "/operator/platform-keys",
                         [this](auto& body) {
                           body["platform_id"] = a_.platform;
                           put_given(body, "scopes", a_.scopes);
                         });
    command.add_option("--platform", a_.platform, "plat_…")->required()->type_name("PLATFORM");
    command.add_option("--scopes", a_.scopes, "Space-separated [" + std::string{default_platform_scopes} + "]")
        ->type_name("SCOPES");
  }

  // ---- people and keys --------------------------------------------------------------------------

  void add_user(CLI::App& in) {
    auto& command = leaf(in, "add", "Add a user, or give one a new password", "/operator/users", [this](auto& body) {
      body["merchant_id"] = a_.merchant;
      body["email"] = a_.email;
      put_given(body, "role", a_.role);
      body["password"] = password_from(input_);
    });
    command.add_option("--merchant", a_.merchant, "merch_…")->required()->type_name("MERCHANT");
    command.add_option("--email", a_.email, "The user's address")->required()->type_name("EMAIL");
    role(command);
    command
        .add_flag("--password-stdin", a_.password_from_input, "Read the password from the first line of standard input")
        ->required();
  }

  void role(CLI::App& command) {
    command.add_option("--role", a_.role, "owner may do everything, viewer only looks [the present role, else owner]")
        ->check(CLI::IsMember({"owner", "viewer"}))
        ->type_name("ROLE");
  }

  void add_invite(CLI::App& in) {
    auto& command = leaf(in, "invite", "Give a user a role, and make a link to set a password with",
                         "/operator/users/invite", [this](auto& body) {
                           body["merchant_id"] = a_.merchant;
                           body["email"] = a_.email;
                           put_given(body, "role", a_.role);
                         });
    command.add_option("--merchant", a_.merchant, "merch_…")->required()->type_name("MERCHANT");
    command.add_option("--email", a_.email, "The user's address")->required()->type_name("EMAIL");
    role(command);
  }

  void add_revoke(CLI::App& in) {
    auto& command = leaf(in, "revoke", "Revoke a key: from the answer on it signs nothing", "/operator/keys/revoke",
                         [this](auto& body) { body["key_id"] = a_.key; });
    command.add_option("key", a_.key, "mk_test_…, mk_live_… or mk_platform_…")->required()->type_name("KEY");
  }

  void provider_and_mode(CLI::App& command) {
    provider(command);
    mode(command);
  }

  void add_providers(CLI::App& in) {
    auto& set = leaf(in, "set", "Set all settings of a provider; what there was is replaced", "/operator/providers",
                     [this](auto& body) {
                       body["provider"] = a_.provider;
                       body["mode"] = a_.mode;
                       body["settings"] = settings_from(input_);
                     });
    provider_and_mode(set);
    set.add_flag("--settings-stdin", a_.settings_from_input,
                 R"(Read the settings from standard input: a JSON object, {"name":"value"})")
        ->required();
    auto& remove = leaf(in, "remove", "Forget a provider's settings: from the answer on it is asked nothing",
                        "/operator/providers/remove", [this](auto& body) {
                          body["provider"] = a_.provider;
                          body["mode"] = a_.mode;
                        });
    provider_and_mode(remove);
    leaf(in, "list", "Show them, without secrets, and where each sends its notifications", "/operator/providers/list",
         [](auto&) {});
  }

  void add_grants(CLI::App& in) {
    auto& list = leaf(in, "list", "List grants, newest first", "/operator/grants/list", [this](auto& body) {
      put_given(body, "merchant_id", a_.merchant);
      put_given(body, "platform_id", a_.platform);
      body["limit"] = a_.most_grants;
    });
    list.add_option("--merchant", a_.merchant, "Only those that this merchant gave")->type_name("MERCHANT");
    list.add_option("--platform", a_.platform, "Only those that this platform has or had")->type_name("PLATFORM");
    list.add_option("--limit", a_.most_grants, "At most so many [1000]")
        ->check(CLI::Range(1, 10'000))
        ->type_name("NUMBER");
    auto& revoke = leaf(in, "revoke", "End a grant: from the answer on the platform does nothing by it",
                        "/operator/grants/revoke", [this](auto& body) {
                          body["grant_id"] = a_.grant;
                          put_given(body, "reason", a_.reason);
                        });
    revoke.add_option("grant", a_.grant, "grant_…")->required()->type_name("GRANT");
    revoke.add_option("--reason", a_.reason, "Kept with the grant [operator_requested]")->type_name("TEXT");
  }

  void add_customers(CLI::App& in) {
    auto& list = leaf(in, "list", "List a merchant's customers", "/operator/customers/list", [this](auto& body) {
      body["merchant_id"] = a_.merchant;
      body["limit"] = a_.most_customers;
    });
    list.add_option("--merchant", a_.merchant, "Whose customers they are")->required()->type_name("MERCHANT");
    list.add_option("--limit", a_.most_customers, "At most so many [1000]")
        ->check(CLI::Range(1, 10'000))
        ->type_name("NUMBER");
  }

  void add_subscriptions(CLI::App& in) {
    auto& list =
        leaf(in, "list", "List a merchant's subscriptions", "/operator/subscriptions/list", [this](auto& body) {
          body["merchant_id"] = a_.merchant;
          body["limit"] = a_.most_customers;
        });
    list.add_option("--merchant", a_.merchant, "Whose subscriptions they are")->required()->type_name("MERCHANT");
    list.add_option("--limit", a_.most_customers, "At most so many [1000]")
        ->check(CLI::Range(1, 10'000))
        ->type_name("NUMBER");
    auto& show = leaf(in, "show", "Show all that is known of a subscription", "/operator/subscriptions/show",
                      [this](auto& body) { name_subscription(body); });
    subscription_options(show);
  }

  void name_subscription(boost::json::object& body) const {
    body["subscription_id"] = a_.subscription;
    put_given(body, "merchant_id", a_.merchant);
  }

  void subscription_options(CLI::App& command) {
    command.add_option("ID", a_.subscription, "The id in its events, or the caller's where only one merchant has it")
        ->required()
        ->type_name("");
    command.add_option("--merchant", a_.merchant, "Whose it is, where several have one of that id")
        ->type_name("MERCHANT");
  }

  /// Exactly one move at a time.
  void add_sandbox(CLI::App& in) {
    auto& command =
        leaf(in, "subscription", "Move one subscription's clock at the sandbox, and see what it tells",
             "/operator/sandbox/subscription", [this](auto& body) {
               name_subscription(body);
               const auto flags = {std::pair{a_.update, "update"}, {a_.expire, "expire"}, {a_.remove, "delete"}};
               std::string move = a_.cycle;
               int named = a_.cycle.empty() ? 0 : 1;
               for (const auto& [given, name] : flags)
                 if (given) {
                   ++named;
                   move = name;
                 }
               if (named != 1) throw bad_input("give one of --cycle, --update, --expire and --delete");
               body["move"] = move;
               body["repeat"] = a_.repeat;
               body["reorder"] = a_.reorder;
             });
    subscription_options(command);
    command
        .add_option("--cycle", a_.cycle, "On to the next attempt at a cycle, which is paid or fails, or to the last")
        ->check(CLI::IsMember({"paid", "failed", "exhausted"}))
        ->type_name("RESULT");
    command.add_flag("--update", a_.update, "Tell an update in which nothing changed");
    command.add_flag("--expire", a_.expire, "End it as incomplete_expired");
    command.add_flag("--delete", a_.remove, "End it as canceled");
    command.add_option("--repeat", a_.repeat, "Tell each notification so many times [1]")
        ->check(CLI::Range(1, 100))
        ->type_name("NUMBER");
    command.add_flag("--reorder", a_.reorder, "Tell the last one first");
  }

  void add_connection(CLI::App& in) {
    auto& command =
        leaf(in, "set", "Set a merchant's connection to a provider", "/operator/connections", [this](auto& body) {
          body["merchant_id"] = a_.merchant;
          body["mode"] = a_.mode;
          body["provider"] = a_.provider;
          body["status"] = a_.status;
          put_given(body, "account", a_.account);
        });
    merchant_and_mode(command);
    provider(command);
    const std::vector<std::string> statuses{"not_connected", "in_progress", "connected", "unavailable"};
    command.add_option("--status", a_.status, "Only a connected one takes payments")
        ->required()
        ->check(CLI::IsMember(statuses))
        ->type_name("STATUS");
    command.add_option("--account", a_.account, "The merchant's account at the provider")->type_name("ACCOUNT");
  }

  void add_route(CLI::App& in) {
    auto& command = leaf(in, "set", "Set which payments a provider takes", "/operator/routes", [this](auto& body) {
      body["merchant_id"] = a_.merchant;
      body["mode"] = a_.mode;
      body["provider"] = a_.provider;
      body["currencies"] = list_of(a_.currencies, "--currencies");
      body["methods"] = list_of(a_.methods, "--methods");
    });
    merchant_and_mode(command);
    provider(command);
    command.add_option("--currencies", a_.currencies, "ISO 4217 codes, comma-separated")->required()->type_name("A,B");
    command
        .add_option("--methods", a_.methods,
                    "card, recurring_card (of subscriptions), pkr_wallet, or several with commas")
        ->required()
        ->type_name("A,B");
  }

  // ---- webhooks ---------------------------------------------------------------------------------

  /// Options for the owner of a destination. One of the two is needed where `required`.
  void owner(CLI::App& command, bool required) {
    auto& either = *command.add_option_group("owner", "Whose destination");
    either.add_option("--merchant", a_.merchant, "merch_…")->type_name("MERCHANT");
    either.add_option("--platform", a_.platform, "plat_…")->type_name("PLATFORM");
    either.require_option(required ? 1 : 0, 1);
  }

  void put_owner(boost::json::object& body) const {
    put_given(body, "merchant_id", a_.merchant);
    put_given(body, "platform_id", a_.platform);
  }

  void optional_mode(CLI::App& command) {
    command.add_option("--mode", a_.mode, "test or live [both]")
        ->check(CLI::IsMember({"test", "live"}))
        ->type_name("MODE");
  }

  void one_destination(CLI::App& command) {
    command.add_option("destination", a_.destination, "dest_…")->required()->type_name("DESTINATION");
  }

  void limit(CLI::App& command) {
    command.add_option("--limit", a_.limit, "At most so many, newest first [100]")
        ->check(CLI::Range(1, 1000))
        ->type_name("N");
  }

  void add_set(CLI::App& in) {
    auto& command = leaf(in, "set", "Create a destination, or change and enable the one that is there",
                         "/operator/destinations", [this](auto& body) {
                           put_owner(body);
                           body["mode"] = a_.mode;
                           body["url"] = a_.url;
                           put_list(body, "events", a_.events, "--events");
                         });
    owner(command, true);
    command.add_option("--mode", a_.mode, "test or live")
        ->required()
        ->check(CLI::IsMember({"test", "live"}))
        ->type_name("MODE");
    command.add_option("--url", a_.url, "Where events are posted to")->required()->type_name("URL");
    command.add_option("--events", a_.events, "Event types, comma-separated [those that need not be asked for]")
        ->type_name("A,B");
  }

  void add_destinations(CLI::App& in) {
    auto& command = leaf(in, "list", "Show destinations", "/operator/destinations/list", [this](auto& body) {
      put_owner(body);
      put_given(body, "mode", a_.mode);
    });
    owner(command, false);
    optional_mode(command);
  }

  void add_nodes(CLI::App& in) {
    leaf(in, "list", "Show them, by their names", "/operator/nodes/list", [](auto&) {});
    auto& drain = leaf(in, "drain", "End a node in order, as SIGTERM does; others take over what is its own",
                       "/operator/nodes/drain", [this](auto& body) { body["node"] = a_.name; });
    drain.add_option("name", a_.name, "As `node list` shows it")->required()->type_name("NAME");
  }

  void add_enable(CLI::App& in) {
    one_destination(leaf(in, "enable", "Send again; what has waited goes out", "/operator/destinations/enable",
                         [this](auto& body) { body["destination_id"] = a_.destination; }));
  }

  void add_disable(CLI::App& in) {
    auto& command = leaf(in, "disable", "Send nothing until it is enabled; deliveries wait",
                         "/operator/destinations/disable", [this](auto& body) {
                           body["destination_id"] = a_.destination;
                           put_given(body, "reason", a_.reason);
                         });
    one_destination(command);
    command.add_option("--reason", a_.reason, "Shown in the list of destinations")->type_name("TEXT");
  }

  void add_rotate(CLI::App& in) {
    auto& command = leaf(in, "rotate-secret", "Make a new signing secret; the old one signs as well for a while",
                         "/operator/destinations/rotate-secret", [this](auto& body) {
                           body["destination_id"] = a_.destination;
                           body["overlap_hours"] = a_.overlap_hours;
                         });
    one_destination(command);
    command
        .add_option("--overlap-hours", a_.overlap_hours, "How long the old secret signs as well; 0: not at all [24]")
        ->check(CLI::Range(0, 720))
        ->type_name("N");
  }

  static CLI::Validator delivery_number() {
    const auto fault = [](const std::string& text) -> std::string {
      std::int64_t number = 0;
      const auto end = text.data() + text.size();
      const auto [stopped, why] = std::from_chars(text.data(), end, number);
      if (why == std::errc{} && stopped == end && number > 0) return {};
      return "must be a delivery's number, and '" + text + "' is none";
    };
    return {fault, "", "delivery number"};
  }

  void add_deliveries(CLI::App& in) {
    auto& command = leaf(in, "list", "Show deliveries, newest first", "/operator/deliveries/list", [this](auto& body) {
      put_given(body, "destination_id", a_.destination);
      put_given(body, "status", a_.status);
      if (a_.before != 0) body["before"] = a_.before;
      body["limit"] = a_.limit;
    });
    command.add_option("--destination", a_.destination, "Only to this one")->type_name("DESTINATION");
    command.add_option("--status", a_.status, "pending, delivered or failed")
        ->check(CLI::IsMember({"pending", "delivered", "failed"}))
        ->type_name("STATUS");
    limit(command);
    command.add_option("--before", a_.before, "Only with a lower number: the next page")
        ->check(delivery_number())
        ->type_name("ID");
  }

  void add_show(CLI::App& in) {
    auto& command = leaf(in, "show", "Show one delivery, its last answer and its event", "/operator/deliveries/show",
                         [this](auto& body) { body["id"] = a_.delivery; });
    command.add_option("id", a_.delivery, "The number in X-Service-Delivery")
        ->required()
        ->check(delivery_number())
        ->type_name("ID");
  }

  void add_redeliver(CLI::App& in) {
    auto& command = leaf(in, "redeliver", "Deliver again: one delivery, or a destination's failed ones",
                         "/operator/deliveries/redeliver", [this](auto& body) {
                           if ((a_.delivery != 0) == !a_.destination.empty())
                             throw bad_input("redeliver: give an ID, or --destination");
                           if (a_.delivery != 0 && !(a_.from + a_.until).empty())
                             throw bad_input("redeliver: --from and --until go with --destination");
                           if (a_.delivery != 0) body["id"] = a_.delivery;
                           put_given(body, "destination_id", a_.destination);
                           put_given(body, "from", a_.from);
                           put_given(body, "until", a_.until);
                         });
    command.add_option("id", a_.delivery, "The number in X-Service-Delivery")
        ->check(delivery_number())
        ->type_name("ID");
    command.add_option("--destination", a_.destination, "Every failed one to this destination")
        ->type_name("DESTINATION");
    command.add_option("--from", a_.from, "Created at this time or later: 2026-11-20T09:30:00Z")->type_name("TIME");
    command.add_option("--until", a_.until, "Created before this time")->type_name("TIME");
  }

  void add_events(CLI::App& in) {
    auto& command =
        leaf(in, "list", "Show a merchant's events, newest first", "/operator/events/list", [this](auto& body) {
          body["merchant_id"] = a_.merchant;
          put_given(body, "mode", a_.mode);
          put_given(body, "payment_id", a_.payment);
          put_given(body, "before", a_.time);
          body["limit"] = a_.limit;
        });
    command.add_option("--merchant", a_.merchant, "merch_…")->required()->type_name("MERCHANT");
    optional_mode(command);
    command.add_option("--payment", a_.payment, "Only of this payment")->type_name("PAYMENT");
    limit(command);
    command.add_option("--before", a_.time, "Only earlier ones: the next page")->type_name("TIME");
  }

  // ---- notifications of providers -----------------------------------------------------------------

  void add_notifications(CLI::App& in) {
    auto& command =
        leaf(in, "list", "Show notifications, newest first", "/operator/notifications/list", [this](auto& body) {
          put_given(body, "provider", a_.provider);
          put_given(body, "mode", a_.mode);
          put_given(body, "state", a_.status);
          put_given(body, "before", a_.time);
          body["limit"] = a_.limit;
        });
    command.add_option("--provider", a_.provider, "One of " + CLI::detail::join(provider_names(), ", "))
        ->check(CLI::IsMember(provider_names()))
        ->type_name("KIND");
    optional_mode(command);
    command.add_option("--state", a_.status, "waiting, applied, ignored or expired")
        ->check(CLI::IsMember({"waiting", "applied", "ignored", "expired"}))
        ->type_name("STATE");
    limit(command);
    command.add_option("--before", a_.time, "Only those received earlier: the next page")->type_name("TIME");
  }

  void add_replay(CLI::App& in) {
    auto& command = leaf(in, "replay", "Apply one again, whatever has become of it", "/operator/notifications/replay",
                         [this](auto& body) {
                           body["id"] = a_.notification;
                           put_given(body, "mode", a_.mode);
                         });
    command.add_option("id", a_.notification, "As the list shows it: stripe:evt_…")->required()->type_name("ID");
    optional_mode(command);
  }

  // ---- the ledger -------------------------------------------------------------------------------

  static std::chrono::sys_days day_of(const std::string& text, const char* option) {
    const auto day = parse_day(text);
    if (!day) throw bad_input(std::string{option} + ": expected a day, as 2026-11-20");
    return *day;
  }

  static void check_days(std::chrono::sys_days from, std::chrono::sys_days to) {
    if (to < from) throw bad_input("--to must not be before --from");
    if (to - from > std::chrono::days{3'660}) throw bad_input("--from and --to: at most ten years");
  }

  void days_and_merchant(CLI::App& command, bool required, const char* mode_help) {
    command.add_option("--from", a_.from, "The first day, UTC: 2026-11-01")->required(required)->type_name("DAY");
    command.add_option("--to", a_.to, "The last day, which counts, too")->required(required)->type_name("DAY");
    command.add_option("--merchant", a_.merchant, "Only of this one [all]")->type_name("MERCHANT");
    command.add_option("--mode", a_.mode, mode_help)->check(CLI::IsMember({"test", "live"}))->type_name("MODE");
  }

  void add_report(CLI::App& in) {
    auto& command =
        *in.add_subcommand("report", "What was captured, refunded and failed, by day, currency and provider");
    command.callback([this] {
      auto& wish = result_.report;
      result_.what = action::report;
      wish.merchant = a_.merchant;
      wish.env = parse_environment(a_.mode);
      wish.from = day_of(a_.from, "--from");
      wish.to = day_of(a_.to, "--to");
      wish.as_json = a_.format == "json" || (a_.format.empty() && result_.json);
      check_days(wish.from, wish.to);
    });
    days_and_merchant(command, true, "Only of test or of live [both]");
    command.add_option("--format", a_.format, "csv or json [csv]")
        ->check(CLI::IsMember({"csv", "json"}))
        ->type_name("FORMAT");
  }

  void add_reconcile(CLI::App& in) {
    auto& command =
        *in.add_subcommand("reconcile", "Compare a provider's settlement report with the ledger, line by line");
    command.callback([this] {
      auto& wish = result_.reconcile;
      result_.what = action::reconcile;
      wish.file = a_.file;
      wish.provider = parse_provider_kind(a_.provider);
      wish.merchant = a_.merchant;
      wish.env = parse_environment(a_.mode);
      wish.as_json = result_.json;
      if (a_.from.empty() != a_.to.empty()) throw bad_input("--from and --to go together");
      if (a_.from.empty()) return;
      wish.from = day_of(a_.from, "--from");
      wish.to = day_of(a_.to, "--to");
      check_days(*wish.from, *wish.to);
    });
    command.add_option("FILE", a_.file, "The report, as CSV")->required()->type_name("");
    command.add_option("--provider", a_.provider, provider_help() + " [the one whose columns FILE has]")
        ->check(CLI::IsMember(provider_names()))
        ->type_name("KIND");
    days_and_merchant(command, false, "test or live [what FILE tells, or live]");
  }

  std::istream& input_;
  command_line& result_;
  operator_call& out_;
  arguments a_;
};

std::string one_line(std::string line) {
  std::ranges::replace(line, '\n', ' ');
  return "gatewayctl: " + line + " (try --help)";
}

}  // namespace

command_line parse_command_line(int argc, const char* const* argv, std::istream& input) {
  command_line result;
  CLI::App app{"gatewayctl: tells a running gateway what to do, over the operator socket in its data directory.",
               "gatewayctl"};
  app.fallthrough();  // --json and --data-dir may stand after the command as well
  app.get_formatter()->column_width(34);
  app.set_version_flag("--version", "gatewayctl " GATEWAY_VERSION, "Print the version and exit");
  app.add_option("--data-dir", result.data_dir, "The gateway's data directory [data]")->type_name("DIR");
  app.add_flag("--json", result.json, "Answer with one JSON object");
  app.footer("Exit status: 0 done, 1 refused, no gateway running, or reconcile found a difference, 2 usage.");
  const commands tree{app, input, result};
  try {
    if (const auto bare = option_without_value(argc, argv)) throw bad_input(*bare + ": the value is missing");
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    result.what = action::information;
    result.text = app.help();
  } catch (const CLI::CallForVersion& version) {
    result.what = action::information;
    result.text = std::string{version.what()} + "\n";
  } catch (const CLI::ParseError& fault) {
    result.what = action::usage_error;
    // CLI11 reports a missing subcommand before it reports an unknown word, which explains the fault better.
    const auto strange = app.remaining(true);
    result.text =
        one_line(strange.empty() ? fault.what()
                                 : '\'' + strange.front().substr(0, strange.front().find('=')) + "' was not expected");
  } catch (const bad_input& fault) {
    result.what = action::usage_error;
    result.text = one_line(fault.what());
  }
  return result;
}

}  // namespace gateway::ctl
