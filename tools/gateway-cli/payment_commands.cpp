#include <memory>
#include <utility>

#include <boost/json/serialize.hpp>

#include "commands.hpp"
#include "gateway/domain/url.hpp"

namespace gateway::cli {

namespace {

constexpr const char* payments_path = "/v1/payment_intents";

/// What the options of one command are bound to. The parser's callbacks keep it alive.
struct payment_values {
  std::string id;
  std::int64_t amount = 0;
  bool has_amount = false;
  std::string key;
  std::vector<std::string> metadata;
  std::vector<std::pair<const char*, std::string>> texts;  ///< fields of the body, by name
  std::string body_file;
};

struct text_option {
  const char* field;
  const char* name;
  const char* help;
};

constexpr text_option create_options[] = {
    {"payment_id", "--payment-id", "The payment's id, pay_ and up to 60 letters, digits, _ or -"},
    {"currency", "--currency", "ISO 4217 code"},
    {"payment_method", "--payment-method", "Token of the payment method"},
    {"flow", "--flow", "server, redirect or embedded [server]"},
    {"success_url", "--success-url", "Where the hosted page leads after paying"},
    {"cancel_url", "--cancel-url", "Where the hosted page leads otherwise"},
    {"description", "--description", "Shown to the customer"},
    {"customer_email", "--customer-email", "The customer's e-mail address"},
    {"customer_name", "--customer-name", "The customer's name"},
    {"customer_mobile", "--customer-mobile", "The customer's mobile number"},
    {"payment_method_type", "--payment-method-type", "pkr_wallet for the PKR wallet"},
    {"customer_ref", "--customer-ref", "A platform's customer"},
    {"setup_future_usage", "--setup-future-usage", "on_session or off_session"},
};

void add_amount_option(const options::command& to, const std::shared_ptr<payment_values>& values, const char* help) {
  to.add(
        "--amount",
        [values](const std::string& text) {
          const auto amount = parse_whole(text, 0, std::numeric_limits<std::int64_t>::max());
          if (!amount) throw bad_usage("--amount: " + text + " is not a whole number of minor units");
          values->amount = *amount;
          values->has_amount = true;
        },
        help)
      .type_name("N");
}

void add_key_option(const options::command& to, std::string& into) {
  to.add("--idempotency-key", into, "The request's Idempotency-Key, a UUID [a new one]").type_name("K");
}

void add_metadata(boost::json::object& body, const std::vector<std::string>& pairs) {
  if (pairs.empty()) return;
  boost::json::object metadata;
  for (const auto& pair : pairs) {
    const auto equals = pair.find('=');
    if (equals == pair.npos || equals == 0) throw bad_usage("--metadata: '" + pair + "' is not NAME=VALUE");
    metadata[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  body["metadata"] = std::move(metadata);
}

boost::json::object body_of(const payment_values& values) {
  boost::json::object body;
  for (const auto& [field, text] : values.texts)
    if (!text.empty()) body[field] = text;
  if (values.has_amount) body["amount"] = values.amount;
  add_metadata(body, values.metadata);
  return body;
}

api_request write_to(std::string target, const payment_values& values) {
  const auto body = body_of(values);
  return {http_method::post, std::move(target), body.empty() ? std::string{} : boost::json::serialize(body),
          values.key.empty() ? new_idempotency_key() : values.key};
}

void require_create_fields(const boost::json::object& body) {
  for (const auto& [field, option] :
       {std::pair{"payment_id", "--payment-id"}, {"amount", "--amount"}, {"currency", "--currency"}})
    if (!body.contains(field)) throw bad_usage(std::string{option} + " is missing: give it, or the whole --body");
}

void add_create_command(const command_adder& to) {
  const auto command = to.app.add_command("create", "Create a payment");
  const auto values = std::make_shared<payment_values>();
  values->texts.reserve(std::size(create_options));
  for (const auto& each : create_options) {
    auto& [field, text] = values->texts.emplace_back(each.field, std::string{});
    command.add(each.name, text, each.help).type_name("TEXT");
  }
  add_amount_option(command, values, "In minor units: 4200 is 42.00");
  command.add("--metadata", values->metadata, "NAME=VALUE, any number of them").type_name("NAME=VALUE");
  command.add("--body", values->body_file, "Send this JSON instead; - is standard input").type_name("FILE");
  add_key_option(command, values->key);
  command.on_parsed([values, &result = to.result] {
    const auto body = body_of(*values);
    result.what = action::send;
    result.request = write_to(payments_path, *values);
    result.body_file = values->body_file;
    if (values->body_file.empty())
      require_create_fields(body);
    else if (!body.empty())
      throw bad_usage("--body replaces the options for the payment's fields");
  });
}

/// A command on one payment that is a POST to `/<verb>`.
struct payment_operation {
  const char* verb;
  const char* help;
  const char* amount_help;  ///< null: it has no amount
  bool has_reason;
};

constexpr payment_operation operations[] = {
    {"capture", "Capture an authorized payment", "In minor units [all]", false},
    {"refund", "Refund a captured payment", "In minor units [all that is left]", true},
    {"void", "Void an authorized payment", nullptr, true},
    {"cancel", "End a payment that waits for its customer", nullptr, true}};

void add_operation(const command_adder& to, const payment_operation& what) {
  const auto command = to.app.add_command(what.verb, what.help);
  const auto values = std::make_shared<payment_values>();
  command.add("ID", values->id, "The payment").required();
  if (what.amount_help) add_amount_option(command, values, what.amount_help);
  if (what.has_reason) {
    values->texts.emplace_back("reason", std::string{});
    command.add("--reason", values->texts.back().second, "Recorded with it").type_name("TEXT");
  }
  add_key_option(command, values->key);
  command.on_parsed([values, verb = what.verb, &result = to.result] {
    result.what = action::send;
    result.request = write_to(std::string{payments_path} + '/' + percent_encoded(values->id) + '/' + verb, *values);
  });
}

void add_show_command(const command_adder& to) {
  const auto command = to.app.add_command("show", "Show a payment with its refunds and disputes");
  const auto id = std::make_shared<std::string>();
  command.add("ID", *id, "The payment").required();
  command.on_parsed([id, &result = to.result] {
    result.what = action::send;
    result.request = {http_method::get, std::string{payments_path} + '/' + percent_encoded(*id)};
  });
}

void add_list_command(const command_adder& to) {
  const auto command = to.app.add_command("list", "List payments, newest first");
  const auto wanted = std::make_shared<list_request>();
  *wanted = {payments_path,
             "payments",
             {{"state", {}},
              {"currency", {}},
              {"created_from", {}},
              {"created_to", {}},
              {"customer_ref", {}},
              {"provider_ref", {}}}};
  constexpr text_option filters[] = {{nullptr, "--state", "In these states, with commas between"},
                                     {nullptr, "--currency", "In this currency"},
                                     {nullptr, "--created-from", "Created at or after this time"},
                                     {nullptr, "--created-to", "Created before this time"},
                                     {nullptr, "--customer-ref", "Of this customer of a platform"},
                                     {nullptr, "--provider-ref", "With this reference of the provider"}};
  for (std::size_t i = 0; i < std::size(filters); ++i)
    command.add(filters[i].name, wanted->filters[i].second, filters[i].help).type_name("TEXT");
  add_page_options(command, *wanted);
  command.on_parsed([wanted, &result = to.result] {
    result.what = action::list;
    result.list = *wanted;
  });
}

}  // namespace

void add_payment_commands(const command_adder& to) {
  const auto payments = to.noun("payments", "Payments");
  add_list_command(payments);
  add_show_command(payments);
  add_create_command(payments);
  for (const auto& each : operations) add_operation(payments, each);
}

void add_dispute_commands(const command_adder& to) {
  const auto command = to.noun("disputes", "Disputes").app.add_command("list", "List disputes, newest first");
  const auto wanted = std::make_shared<list_request>();
  *wanted = {"/v1/disputes", "disputes", {{"status", {}}, {"payment_id", {}}}};
  command.add("--status", wanted->filters[0].second, "With this status").type_name("TEXT");
  command.add("--payment-id", wanted->filters[1].second, "Of this payment").type_name("P");
  add_page_options(command, *wanted);
  command.on_parsed([wanted, &result = to.result] {
    result.what = action::list;
    result.list = *wanted;
  });
}

}  // namespace gateway::cli
