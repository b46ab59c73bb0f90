#include "command_line.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "config/option_parser.hpp"
#include "config/option_value.hpp"
#include "gateway/domain/merchant.hpp"
#include "gateway/domain/platform.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/time.hpp"

namespace gateway::ctl {

namespace {

/// The options of all commands.
struct arguments {
  std::istream* input = nullptr;  ///< standard input
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

std::string provider_names(std::string_view between) {
  std::string names;
  for (const auto& row : provider_catalogue) names.append(names.empty() ? "" : between).append(row.name);
  return names;
}

/// `A,B` as a list. The fault of an empty item names `option`.
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

void put(boost::json::object& into, const char* name, std::string_view value) { into[name] = value; }

/// Adds an option if it was given. The gateway has the default of an omitted option.
void put_given(boost::json::object& into, const char* name, const std::string& value) {
  if (!value.empty()) put(into, name, value);
}

/// Adds the list of an option that is given once for each value. An empty value adds no item, so that a list can be
/// emptied.
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

/// Reads all input as one JSON object. The fault does not quote the input, which contains secrets.
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
  commands(const options::command& app, std::istream& input, command_line& result) : result_(result) {
    a_.input = &input;
    app.require_command();
    const auto merchant = group(app, "merchant", "Merchants, their keys and users");
    add_create(merchant);
    add_mint(group(merchant, "key", "API keys of a merchant"));
    const auto people = group(merchant, "user", "People who act for a merchant");
    add_user(people);
    add_invite(people);
    add_reset_second_factor(group(app, "user", "People, whichever merchants they act for"));
    const auto platform = group(app, "platform", "Platforms that act for merchants, and their keys");
    add_create_platform(platform);
    add_change_platform(platform);
    leaf(platform, "list", "Show platforms", "/operator/platforms/list", [](const arguments&, boost::json::object&) {});
    add_platform_status(platform, "suspend", "From the answer on nothing that it signs is done; its webhooks wait",
                        put_suspended);
    add_platform_status(platform, "resume", "Let it go on; webhooks that have waited go out", put_active);
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
    const auto destination = group(app, "destination", "Where webhooks are sent");
    add_set(destination);
    add_destinations(destination);
    add_enable(destination);
    add_disable(destination);
    add_rotate(destination);
    const auto delivery = group(app, "delivery", "Webhooks, each to one destination");
    add_deliveries(delivery);
    add_show(delivery);
    add_redeliver(delivery);
    add_events(group(app, "event", "What happened to payments"));
    const auto notification = group(app, "notification", "What providers have told of their own accord");
    add_notifications(notification);
    add_replay(notification);
    add_report(app);
    add_reconcile(app);
  }

 private:
  using fill_body = void (*)(const arguments& a, boost::json::object& body);

  static options::command group(const options::command& in, const char* name, const char* help) {
    const auto added = in.add_command(name, help);
    added.require_command();
    return added;
  }

  options::command leaf(const options::command& in, const char* name, const char* help, const char* path,
                        fill_body fill) {
    const auto added = in.add_command(name, help);
    added.on_parsed([this, path, fill] {
      result_.call.path = path;
      fill(a_, result_.call.body);
    });
    return added;
  }

  void merchant_and_mode(const options::command& command) {
    command.add("--merchant", a_.merchant, "merch_… as `merchant create` printed it").required().type_name("MERCHANT");
    mode(command);
  }

  void mode(const options::command& command) {
    command.add("--mode", a_.mode, "test or live").required().one_of("test,live").type_name("MODE");
  }

  static std::string provider_help() { return "One of " + provider_names(", "); }

  void provider(const options::command& command) {
    command.add("--provider", a_.provider, provider_help()).required().one_of(provider_names(",")).type_name("KIND");
  }

  void add_create(const options::command& in) {
    const auto command = leaf(in, "create", "Create a merchant, ready to take test payments", "/operator/merchants",
                              [](const arguments& a, boost::json::object& body) {
                                put(body, "name", a.name);
                                put(body, "entity", a.kind);
                                put_given(body, "owner_email", a.owner_email);
                              });
    command.add("--name", a_.name, "Shown to customers on hosted pages").required().type_name("NAME");
    command.add("--entity", a_.kind, "standard takes cards, wallet takes the PKR wallet [standard]")
        .one_of("standard,wallet")
        .type_name("KIND");
    command.add("--owner-email", a_.owner_email, "The user whom setup links are made for").type_name("EMAIL");
  }

  void add_mint(const options::command& in) {
    const auto command = leaf(in, "mint", "Make an API key; its secret is shown this once", "/operator/keys",
                              [](const arguments& a, boost::json::object& body) {
                                put(body, "merchant_id", a.merchant);
                                put(body, "mode", a.mode);
                                put_given(body, "scopes", a.scopes);
                              });
    merchant_and_mode(command);
    command.add("--scopes", a_.scopes, "Space-separated [" + std::string{default_merchant_scopes} + "]")
        .type_name("SCOPES");
  }

  // ---- platforms --------------------------------------------------------------------------------

  /// The options of create, which requires each, and of set.
  void platform_options(const options::command& command, bool required) {
    const auto not_empty = [](const std::string& value) {
      return value.empty() ? std::string{"the value is missing"} : std::string{};
    };
    command.add("--name", a_.name, "Shown to merchants when they are asked for consent")
        .required(required)
        .check(not_empty)
        .type_name("NAME");
    command.add("--contact", a_.contact, "E-mail address for matters of security")
        .required(required)
        .check(not_empty)
        .type_name("EMAIL");
    command.add("--redirect-uri", a_.redirect_uris, "Where browsers may go after consent; any number")
        .required(required)
        .type_name("URI");
    command
        .add("--return-origin", a_.return_origins,
             "Where browsers may go after a reconnect, as https://app.example; any number; '' for none")
        .type_name("ORIGIN");
  }

  static void put_platform(const arguments& a, boost::json::object& body) {
    put_given(body, "name", a.name);
    put_given(body, "contact", a.contact);
    put_given(body, "redirect_uris", a.redirect_uris);
    put_given(body, "return_origins", a.return_origins);
  }

  void add_create_platform(const options::command& in) {
    const auto command = leaf(in, "create", "Register a platform", "/operator/platforms",
                              [](const arguments& a, boost::json::object& body) {
                                put(body, "slug", a.slug);
                                put_platform(a, body);
                              });
    command.add("--slug", a_.slug, "Its client_id, for good: lower-case letters, digits, dashes")
        .required()
        .type_name("SLUG");
    platform_options(command, true);
  }

  void add_change_platform(const options::command& in) {
    const auto command = leaf(in, "set", "Change a platform: what is given replaces what is there",
                              "/operator/platforms/set", [](const arguments& a, boost::json::object& body) {
                                put(body, "platform_id", a.platform);
                                put_platform(a, body);
                              });
    command.add("--platform", a_.platform, "plat_…").required().type_name("PLATFORM");
    platform_options(command, false);
  }

  void add_platform_status(const options::command& in, const char* name, const char* help, fill_body fill) {
    leaf(in, name, help, "/operator/platforms/status", fill)
        .add("platform", a_.platform, "plat_…")
        .required()
        .type_name("PLATFORM");
  }

  static void put_suspended(const arguments& a, boost::json::object& body) {
    put(body, "platform_id", a.platform);
    put(body, "status", "suspended");
  }

  static void put_active(const arguments& a, boost::json::object& body) {
    put(body, "platform_id", a.platform);
    put(body, "status", "active");
  }

  void add_mint_platform_key(const options::command& in) {
    const auto command = leaf(in, "mint", "Make an API key; its secret is shown this once", "/operator/platform-keys",
                              [](const arguments& a, boost::json::object& body) {
                                put(body, "platform_id", a.platform);
                                put_given(body, "scopes", a.scopes);
                              });
    command.add("--platform", a_.platform, "plat_…").required().type_name("PLATFORM");
    command.add("--scopes", a_.scopes, "Space-separated [" + std::string{default_platform_scopes} + "]")
        .type_name("SCOPES");
  }

  // ---- people and keys --------------------------------------------------------------------------

  void add_user(const options::command& in) {
    const auto command = leaf(in, "add", "Add a user, or give one a new password", "/operator/users",
                              [](const arguments& a, boost::json::object& body) {
                                put(body, "merchant_id", a.merchant);
                                put(body, "email", a.email);
                                put_given(body, "role", a.role);
                                body["password"] = password_from(*a.input);
                              });
    command.add("--merchant", a_.merchant, "merch_…").required().type_name("MERCHANT");
    command.add("--email", a_.email, "The user's address").required().type_name("EMAIL");
    role(command);
    command
        .add_flag("--password-stdin", a_.password_from_input, "Read the password from the first line of standard input")
        .required();
  }

  void role(const options::command& command) {
    command.add("--role", a_.role, "owner may do everything, viewer only looks [the present role, else owner]")
        .one_of("owner,viewer")
        .type_name("ROLE");
  }

  void add_invite(const options::command& in) {
    const auto command = leaf(in, "invite", "Give a user a role, and make a link to set a password with",
                              "/operator/users/invite", [](const arguments& a, boost::json::object& body) {
                                put(body, "merchant_id", a.merchant);
                                put(body, "email", a.email);
                                put_given(body, "role", a.role);
                              });
    command.add("--merchant", a_.merchant, "merch_…").required().type_name("MERCHANT");
    command.add("--email", a_.email, "The user's address").required().type_name("EMAIL");
    role(command);
  }

  void add_reset_second_factor(const options::command& in) {
    const auto command = leaf(in, "reset-second-factor", "Turn the second factor off for a user who has lost it",
                              "/operator/users/reset-second-factor",
                              [](const arguments& a, boost::json::object& body) { put(body, "email", a.email); });
    command.add("--email", a_.email, "The user's address").required().type_name("EMAIL");
  }

  void add_revoke(const options::command& in) {
    const auto command =
        leaf(in, "revoke", "Revoke a key: from the answer on it signs nothing", "/operator/keys/revoke",
             [](const arguments& a, boost::json::object& body) { put(body, "key_id", a.key); });
    command.add("key", a_.key, "mk_test_…, mk_live_… or mk_platform_…").required().type_name("KEY");
  }

  void provider_and_mode(const options::command& command) {
    provider(command);
    mode(command);
  }

  void add_providers(const options::command& in) {
    const auto set = leaf(in, "set", "Set all settings of a provider; what there was is replaced",
                          "/operator/providers", [](const arguments& a, boost::json::object& body) {
                            put(body, "provider", a.provider);
                            put(body, "mode", a.mode);
                            body["settings"] = settings_from(*a.input);
                          });
    provider_and_mode(set);
    set.add_flag("--settings-stdin", a_.settings_from_input,
                 R"(Read the settings from standard input: a JSON object, {"name":"value"})")
        .required();
    const auto remove = leaf(in, "remove", "Forget a provider's settings: from the answer on it is asked nothing",
                             "/operator/providers/remove", [](const arguments& a, boost::json::object& body) {
                               put(body, "provider", a.provider);
                               put(body, "mode", a.mode);
                             });
    provider_and_mode(remove);
    leaf(in, "list", "Show them, without secrets, and where each sends its notifications", "/operator/providers/list",
         [](const arguments&, boost::json::object&) {});
  }

  void add_grants(const options::command& in) {
    const auto list = leaf(in, "list", "List grants, newest first", "/operator/grants/list",
                           [](const arguments& a, boost::json::object& body) {
                             put_given(body, "merchant_id", a.merchant);
                             put_given(body, "platform_id", a.platform);
                             body["limit"] = a.most_grants;
                           });
    list.add("--merchant", a_.merchant, "Only those that this merchant gave").type_name("MERCHANT");
    list.add("--platform", a_.platform, "Only those that this platform has or had").type_name("PLATFORM");
    list.add("--limit", a_.most_grants, "At most so many [1000]").within(1, 10'000).type_name("NUMBER");
    const auto revoke = leaf(in, "revoke", "End a grant: from the answer on the platform does nothing by it",
                             "/operator/grants/revoke", [](const arguments& a, boost::json::object& body) {
                               put(body, "grant_id", a.grant);
                               put_given(body, "reason", a.reason);
                             });
    revoke.add("grant", a_.grant, "grant_…").required().type_name("GRANT");
    revoke.add("--reason", a_.reason, "Kept with the grant [operator_requested]").type_name("TEXT");
  }

  void add_customers(const options::command& in) {
    const auto list = leaf(in, "list", "List a merchant's customers", "/operator/customers/list",
                           [](const arguments& a, boost::json::object& body) {
                             put(body, "merchant_id", a.merchant);
                             body["limit"] = a.most_customers;
                           });
    list.add("--merchant", a_.merchant, "Whose customers they are").required().type_name("MERCHANT");
    list.add("--limit", a_.most_customers, "At most so many [1000]").within(1, 10'000).type_name("NUMBER");
  }

  void add_subscriptions(const options::command& in) {
    const auto list = leaf(in, "list", "List a merchant's subscriptions", "/operator/subscriptions/list",
                           [](const arguments& a, boost::json::object& body) {
                             put(body, "merchant_id", a.merchant);
                             body["limit"] = a.most_customers;
                           });
    list.add("--merchant", a_.merchant, "Whose subscriptions they are").required().type_name("MERCHANT");
    list.add("--limit", a_.most_customers, "At most so many [1000]").within(1, 10'000).type_name("NUMBER");
    const auto show = leaf(in, "show", "Show all that is known of a subscription", "/operator/subscriptions/show",
                           [](const arguments& a, boost::json::object& body) { name_subscription(a, body); });
    subscription_options(show);
  }

  static void name_subscription(const arguments& a, boost::json::object& body) {
    put(body, "subscription_id", a.subscription);
    put_given(body, "merchant_id", a.merchant);
  }

  void subscription_options(const options::command& command) {
    command.add("ID", a_.subscription, "The id in its events, or the caller's where only one merchant has it")
        .required()
        .type_name("");
    command.add("--merchant", a_.merchant, "Whose it is, where several have one of that id").type_name("MERCHANT");
  }

  /// Exactly one move at a time.
  void add_sandbox(const options::command& in) {
    const auto command =
        leaf(in, "subscription", "Move one subscription's clock at the sandbox, and see what it tells",
             "/operator/sandbox/subscription", [](const arguments& a, boost::json::object& body) {
               name_subscription(a, body);
               const auto flags = {std::pair{a.update, "update"}, {a.expire, "expire"}, {a.remove, "delete"}};
               std::string move = a.cycle;
               int named = a.cycle.empty() ? 0 : 1;
               for (const auto& [given, name] : flags)
                 if (given) {
                   ++named;
                   move = name;
                 }
               if (named != 1) throw bad_input("give one of --cycle, --update, --expire and --delete");
               body["move"] = move;
               body["repeat"] = a.repeat;
               body["reorder"] = a.reorder;
             });
    subscription_options(command);
    command.add("--cycle", a_.cycle, "On to the next attempt at a cycle, which is paid or fails, or to the last")
        .one_of("paid,failed,exhausted")
        .type_name("RESULT");
    command.add_flag("--update", a_.update, "Tell an update in which nothing changed");
    command.add_flag("--expire", a_.expire, "End it as incomplete_expired");
    command.add_flag("--delete", a_.remove, "End it as canceled");
    command.add("--repeat", a_.repeat, "Tell each notification so many times [1]").within(1, 100).type_name("NUMBER");
    command.add_flag("--reorder", a_.reorder, "Tell the last one first");
  }

  void add_connection(const options::command& in) {
    const auto command = leaf(in, "set", "Set a merchant's connection to a provider", "/operator/connections",
                              [](const arguments& a, boost::json::object& body) {
                                put(body, "merchant_id", a.merchant);
                                put(body, "mode", a.mode);
                                put(body, "provider", a.provider);
                                put(body, "status", a.status);
                                put_given(body, "account", a.account);
                              });
    merchant_and_mode(command);
    provider(command);
    command.add("--status", a_.status, "Only a connected one takes payments")
        .required()
        .one_of("not_connected,in_progress,connected,unavailable")
        .type_name("STATUS");
    command.add("--account", a_.account, "The merchant's account at the provider").type_name("ACCOUNT");
  }

  void add_route(const options::command& in) {
    const auto command = leaf(in, "set", "Set which payments a provider takes", "/operator/routes",
                              [](const arguments& a, boost::json::object& body) {
                                put(body, "merchant_id", a.merchant);
                                put(body, "mode", a.mode);
                                put(body, "provider", a.provider);
                                body["currencies"] = list_of(a.currencies, "--currencies");
                                body["methods"] = list_of(a.methods, "--methods");
                              });
    merchant_and_mode(command);
    provider(command);
    command.add("--currencies", a_.currencies, "ISO 4217 codes, comma-separated").required().type_name("A,B");
    command.add("--methods", a_.methods, "card, recurring_card (of subscriptions), pkr_wallet, or several with commas")
        .required()
        .type_name("A,B");
  }

  // ---- webhooks ---------------------------------------------------------------------------------

  /// Options for the owner of a destination. If `required`, one of the two must be given.
  void owner(const options::command& command, bool required) {
    const auto either = command.add_group("owner", "Whose destination", required ? 1 : 0, 1);
    either.add("--merchant", a_.merchant, "merch_…").type_name("MERCHANT");
    either.add("--platform", a_.platform, "plat_…").type_name("PLATFORM");
  }

  static void put_owner(const arguments& a, boost::json::object& body) {
    put_given(body, "merchant_id", a.merchant);
    put_given(body, "platform_id", a.platform);
  }

  void optional_mode(const options::command& command) {
    command.add("--mode", a_.mode, "test or live [both]").one_of("test,live").type_name("MODE");
  }

  void one_destination(const options::command& command) {
    command.add("destination", a_.destination, "dest_…").required().type_name("DESTINATION");
  }

  void limit(const options::command& command) {
    command.add("--limit", a_.limit, "At most so many, newest first [100]").within(1, 1000).type_name("N");
  }

  void add_set(const options::command& in) {
    const auto command = leaf(in, "set", "Create a destination, or change and enable the one that is there",
                              "/operator/destinations", [](const arguments& a, boost::json::object& body) {
                                put_owner(a, body);
                                put(body, "mode", a.mode);
                                put(body, "url", a.url);
                                put_list(body, "events", a.events, "--events");
                              });
    owner(command, true);
    command.add("--mode", a_.mode, "test or live").required().one_of("test,live").type_name("MODE");
    command.add("--url", a_.url, "Where events are posted to").required().type_name("URL");
    command.add("--events", a_.events, "Event types, comma-separated [those that need not be asked for]")
        .type_name("A,B");
  }

  void add_destinations(const options::command& in) {
    const auto command = leaf(in, "list", "Show destinations", "/operator/destinations/list",
                              [](const arguments& a, boost::json::object& body) {
                                put_owner(a, body);
                                put_given(body, "mode", a.mode);
                              });
    owner(command, false);
    optional_mode(command);
  }

  void add_nodes(const options::command& in) {
    leaf(in, "list", "Show them, by their names", "/operator/nodes/list",
         [](const arguments&, boost::json::object&) {});
    const auto drain =
        leaf(in, "drain", "End a node in order, as SIGTERM does; others take over what is its own",
             "/operator/nodes/drain", [](const arguments& a, boost::json::object& body) { put(body, "node", a.name); });
    drain.add("name", a_.name, "As `node list` shows it").required().type_name("NAME");
  }

  void add_enable(const options::command& in) {
    one_destination(
        leaf(in, "enable", "Send again; what has waited goes out", "/operator/destinations/enable",
             [](const arguments& a, boost::json::object& body) { put(body, "destination_id", a.destination); }));
  }

  void add_disable(const options::command& in) {
    const auto command = leaf(in, "disable", "Send nothing until it is enabled; deliveries wait",
                              "/operator/destinations/disable", [](const arguments& a, boost::json::object& body) {
                                put(body, "destination_id", a.destination);
                                put_given(body, "reason", a.reason);
                              });
    one_destination(command);
    command.add("--reason", a_.reason, "Shown in the list of destinations").type_name("TEXT");
  }

  void add_rotate(const options::command& in) {
    const auto command =
        leaf(in, "rotate-secret", "Make a new signing secret; the old one signs as well for a while",
             "/operator/destinations/rotate-secret", [](const arguments& a, boost::json::object& body) {
               put(body, "destination_id", a.destination);
               body["overlap_hours"] = a.overlap_hours;
             });
    one_destination(command);
    command.add("--overlap-hours", a_.overlap_hours, "How long the old secret signs as well; 0: not at all [24]")
        .within(0, 720)
        .type_name("N");
  }

  static std::string delivery_fault(const std::string& text) {
    if (parse_whole(text, 1, std::numeric_limits<std::int64_t>::max())) return {};
    return "must be a delivery's number, and '" + text + "' is none";
  }

  void add_deliveries(const options::command& in) {
    const auto command = leaf(in, "list", "Show deliveries, newest first", "/operator/deliveries/list",
                              [](const arguments& a, boost::json::object& body) {
                                put_given(body, "destination_id", a.destination);
                                put_given(body, "status", a.status);
                                if (a.before != 0) body["before"] = a.before;
                                body["limit"] = a.limit;
                              });
    command.add("--destination", a_.destination, "Only to this one").type_name("DESTINATION");
    command.add("--status", a_.status, "pending, delivered or failed")
        .one_of("pending,delivered,failed")
        .type_name("STATUS");
    limit(command);
    command.add("--before", a_.before, "Only with a lower number: the next page").check(delivery_fault).type_name("ID");
  }

  void add_show(const options::command& in) {
    const auto command =
        leaf(in, "show", "Show one delivery, its last answer and its event", "/operator/deliveries/show",
             [](const arguments& a, boost::json::object& body) { body["id"] = a.delivery; });
    command.add("id", a_.delivery, "The number in X-Service-Delivery").required().check(delivery_fault).type_name("ID");
  }

  void add_redeliver(const options::command& in) {
    const auto command = leaf(in, "redeliver", "Deliver again: one delivery, or a destination's failed ones",
                              "/operator/deliveries/redeliver", [](const arguments& a, boost::json::object& body) {
                                if ((a.delivery != 0) == !a.destination.empty())
                                  throw bad_input("redeliver: give an ID, or --destination");
                                if (a.delivery != 0 && !(a.from + a.until).empty())
                                  throw bad_input("redeliver: --from and --until go with --destination");
                                if (a.delivery != 0) body["id"] = a.delivery;
                                put_given(body, "destination_id", a.destination);
                                put_given(body, "from", a.from);
                                put_given(body, "until", a.until);
                              });
    command.add("id", a_.delivery, "The number in X-Service-Delivery").check(delivery_fault).type_name("ID");
    command.add("--destination", a_.destination, "Every failed one to this destination").type_name("DESTINATION");
    command.add("--from", a_.from, "Created at this time or later: 2026-11-20T09:30:00Z").type_name("TIME");
    command.add("--until", a_.until, "Created before this time").type_name("TIME");
  }

  void add_events(const options::command& in) {
    const auto command = leaf(in, "list", "Show a merchant's events, newest first", "/operator/events/list",
                              [](const arguments& a, boost::json::object& body) {
                                put(body, "merchant_id", a.merchant);
                                put_given(body, "mode", a.mode);
                                put_given(body, "payment_id", a.payment);
                                put_given(body, "before", a.time);
                                body["limit"] = a.limit;
                              });
    command.add("--merchant", a_.merchant, "merch_…").required().type_name("MERCHANT");
    optional_mode(command);
    command.add("--payment", a_.payment, "Only of this payment").type_name("PAYMENT");
    limit(command);
    command.add("--before", a_.time, "Only earlier ones: the next page").type_name("TIME");
  }

  // ---- notifications of providers -----------------------------------------------------------------

  void add_notifications(const options::command& in) {
    const auto command = leaf(in, "list", "Show notifications, newest first", "/operator/notifications/list",
                              [](const arguments& a, boost::json::object& body) {
                                put_given(body, "provider", a.provider);
                                put_given(body, "mode", a.mode);
                                put_given(body, "state", a.status);
                                put_given(body, "before", a.time);
                                body["limit"] = a.limit;
                              });
    command.add("--provider", a_.provider, provider_help()).one_of(provider_names(",")).type_name("KIND");
    optional_mode(command);
    command.add("--state", a_.status, "waiting, applied, ignored or expired")
        .one_of("waiting,applied,ignored,expired")
        .type_name("STATE");
    limit(command);
    command.add("--before", a_.time, "Only those received earlier: the next page").type_name("TIME");
  }

  void add_replay(const options::command& in) {
    const auto command = leaf(in, "replay", "Apply one again, whatever has become of it",
                              "/operator/notifications/replay", [](const arguments& a, boost::json::object& body) {
                                put(body, "id", a.notification);
                                put_given(body, "mode", a.mode);
                              });
    command.add("id", a_.notification, "As the list shows it: stripe:evt_…").required().type_name("ID");
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

  void days_and_merchant(const options::command& command, bool required, const char* mode_help) {
    command.add("--from", a_.from, "The first day, UTC: 2026-11-01").required(required).type_name("DAY");
    command.add("--to", a_.to, "The last day, which counts, too").required(required).type_name("DAY");
    command.add("--merchant", a_.merchant, "Only of this one [all]").type_name("MERCHANT");
    command.add("--mode", a_.mode, mode_help).one_of("test,live").type_name("MODE");
  }

  void add_report(const options::command& in) {
    const auto command =
        in.add_command("report", "What was captured, refunded and failed, by day, currency and provider");
    command.on_parsed([this] {
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
    command.add("--format", a_.format, "csv or json [csv]").one_of("csv,json").type_name("FORMAT");
  }

  void add_reconcile(const options::command& in) {
    const auto command =
        in.add_command("reconcile", "Compare a provider's settlement report with the ledger, line by line");
    command.on_parsed([this] {
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
    command.add("FILE", a_.file, "The report, as CSV").required().type_name("");
    command.add("--provider", a_.provider, provider_help() + " [the one whose columns FILE has]")
        .one_of(provider_names(","))
        .type_name("KIND");
    days_and_merchant(command, false, "test or live [what FILE tells, or live]");
  }

  command_line& result_;
  arguments a_;
};

std::string one_line(std::string line) {
  std::ranges::replace(line, '\n', ' ');
  return "gatewayctl: " + line + " (try --help)";
}

void apply(const options::result& read, command_line& result) {
  if (read.what == options::outcome::parsed) return;
  result.what = read.what == options::outcome::fault ? action::usage_error : action::information;
  if (read.what == options::outcome::help) result.text = read.text;
  if (read.what == options::outcome::version) result.text = read.text + '\n';
  if (read.what != options::outcome::fault) return;
  // CLI11 reports a missing subcommand before an unknown word, but the unknown word explains the fault better.
  const auto& strange = read.unexpected;
  result.text = one_line(
      strange.empty() ? read.text : '\'' + strange.front().substr(0, strange.front().find('=')) + "' was not expected");
}

}  // namespace

command_line parse_command_line(int argc, const char* const* argv, std::istream& input) {
  command_line result;
  const options::parser parser{
      {.name = "gatewayctl",
       .description = "gatewayctl: tells a running gateway what to do, over the operator socket in its data directory.",
       .version = "gatewayctl " GATEWAY_VERSION,
       .footer = "Exit status: 0 done, 1 refused, no gateway running, or reconcile found a difference, 2 usage.",
       .column_width = 34,
       .options_after_command = true}};
  const auto app = parser.root();
  auto data_dir = result.data_dir.string();
  app.add("--data-dir", data_dir, "The gateway's data directory [data]").type_name("DIR");
  app.add_flag("--json", result.json, "Answer with one JSON object");
  const commands tree{app, input, result};
  try {
    if (const auto bare = option_without_value(argc, argv)) throw bad_input(*bare + ": the value is missing");
    apply(parser.parse(argc, argv), result);
  } catch (const bad_input& fault) {
    result.what = action::usage_error;
    result.text = one_line(fault.what());
  }
  result.data_dir = data_dir;
  return result;
}

}  // namespace gateway::ctl
