#include "output.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "gateway/domain/shown_money.hpp"

namespace gateway::ctl {

namespace json = boost::json;

namespace {

std::string shown(const json::value& value) {
  if (const auto* text = value.if_string()) return {text->data(), text->size()};
  const auto* list = value.if_array();
  if (!list) return json::serialize(value);
  std::string out;
  for (const auto& item : *list) out += (out.empty() ? "" : " ") + shown(item);
  return out;
}

/// Foreign text, such as a receiver's answer, must not move the terminal's cursor, so control characters become blanks.
std::string printable(std::string text) {
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  return text;
}

/// The width in terminal columns, counted as characters of UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// The first `most` characters.
std::string shortened(const std::string& text, std::size_t most) {
  if (width_of(text) <= most) return text;
  std::size_t bytes = 0;
  for (std::size_t left = most - 1; bytes < text.size(); ++bytes) {
    const bool begins = (static_cast<unsigned char>(text[bytes]) & 0xc0) != 0x80;
    if (begins && left-- == 0) break;
  }
  return text.substr(0, bytes) + "…";
}

/// One cell. A time is shown without its `T` and milliseconds, and null or empty as a dash.
std::string cell(const json::value* value, std::size_t widest) {
  if (!value || value->is_null() || (value->is_object() && value->get_object().empty())) return "-";
  auto text = printable(shown(*value));
  if (text.size() == 24 && text[10] == 'T' && text[19] == '.' && text[23] == 'Z')
    text = text.substr(0, 10) + ' ' + text.substr(11, 8) + 'Z';
  return text.empty() ? "-" : shortened(text, widest);
}

/// One cell of a row. An amount whose currency the row does not name stays a number of minor units.
std::string cell_of(const json::object& row, const column& shown_column) {
  const auto* value = row.if_contains(shown_column.member);
  if (shown_column.is_money && value && value->is_int64()) {
    const auto* code = row.if_contains("currency");
    const auto* text = code ? code->if_string() : nullptr;
    const auto unit = text ? currency::parse({text->data(), text->size()}) : std::nullopt;
    if (unit) return amount_text({value->get_int64(), *unit});
  }
  return cell(value, shown_column.widest);
}

constexpr column platforms_columns[] = {
    {"platform_id", "ID"}, {"client_id", "CLIENT ID"},         {"name", "NAME"},
    {"status", "STATUS"},  {"redirect_uris", "REDIRECT URIS"}, {"return_origins", "RETURN ORIGINS"},
    {"contact", "CONTACT"}};
constexpr column grants_columns[] = {
    {"grant_id", "ID"},        {"platform_id", "PLATFORM"}, {"merchant_id", "MERCHANT"},
    {"mode", "MODE"},          {"status", "STATUS"},        {"scopes", "SCOPES"},
    {"granted_at", "GRANTED"}, {"revoked_at", "REVOKED"},   {"reason", "REASON"}};
constexpr column customers_columns[] = {{"customer_ref", "CUSTOMER"},
                                        {"platform_id", "PLATFORM"},
                                        {"provider_customer_id", "AT THE PROVIDER"},
                                        {"methods", "METHODS"}};
constexpr column payments_columns[] = {{"payment_id", "PAYMENT"},
                                       {"merchant_id", "MERCHANT"},
                                       {"mode", "MODE"},
                                       {"state", "STATE"},
                                       money_column("amount", "AMOUNT"),
                                       {"open_operation", "OPEN OPERATION"},
                                       {"unknown_since", "UNKNOWN SINCE"},
                                       {"provider", "PROVIDER"},
                                       {"provider_ref", "AT THE PROVIDER"}};
constexpr column subscriptions_columns[] = {{"subscription_id", "SUBSCRIPTION"},
                                            {"id", "ID"},
                                            {"status", "STATUS"},
                                            {"platform_id", "PLATFORM"},
                                            {"customer_ref", "CUSTOMER"}};
constexpr column nodes_columns[] = {{"node", "NODE"},
                                    {"address", "ADDRESS"},
                                    {"status", "STATUS"},
                                    {"payments", "PAYMENTS"},
                                    {"last_seen", "LAST SEEN"}};
constexpr column providers_columns[] = {{"provider", "PROVIDER"},
                                        {"mode", "MODE"},
                                        {"status", "STATUS"},
                                        {"secrets", "SECRETS"},
                                        {"settings", "SETTINGS"},
                                        // shown in full, to be copied into the provider's dashboard
                                        {"notifications_url", "NOTIFICATIONS TO", 4'096}};
constexpr column destinations_columns[] = {{"id", "ID"},
                                           {"owner", "OWNER"},
                                           {"mode", "MODE"},
                                           {"status", "STATUS"},
                                           {"url", "URL"},
                                           {"name", "NAME"},
                                           {"events", "EVENTS"},
                                           {"standard_webhooks", "STANDARD WEBHOOKS"},
                                           {"created_at", "CREATED"},
                                           {"previous_secret_until", "PREVIOUS SECRET UNTIL"},
                                           {"disabled_reason", "REASON"}};
constexpr column deliveries_columns[] = {{"id", "ID"},
                                         {"destination_id", "DESTINATION"},
                                         {"type", "TYPE"},
                                         {"payment_id", "PAYMENT"},
                                         {"status", "STATUS"},
                                         {"attempts", "ATTEMPTS"},
                                         {"created_at", "CREATED"},
                                         {"next_attempt_at", "NEXT ATTEMPT"},
                                         {"last_result", "LAST RESULT"},
                                         {"last_status", "HTTP"},
                                         {"last_took_ms", "MS"},
                                         {"last_answer", "LAST ANSWER"}};
constexpr column events_columns[] = {{"id", "ID"},     {"created", "CREATED"},    {"mode", "MODE"},
                                     {"type", "TYPE"}, {"payment_id", "PAYMENT"}, {"data", "DATA"}};
constexpr column notifications_columns[] = {
    {"id", "ID"},           {"mode", "MODE"},   {"received_at", "RECEIVED"}, {"type", "TYPE"},
    {"account", "ACCOUNT"}, {"state", "STATE"}, {"attempts", "ATTEMPTS"},    {"about", "ABOUT"}};

constexpr column merchants_columns[] = {{"merchant_id", "MERCHANT"}, {"entity_id", "ENTITY"},  {"entity", "KIND"},
                                        {"created_at", "CREATED"},   {"owner_email", "OWNER"}, {"name", "NAME"}};
constexpr column keys_columns[] = {{"key_id", "KEY"},
                                   {"mode", "MODE"},
                                   {"status", "STATUS"},
                                   {"created_at", "CREATED"},
                                   {"last_used_on", "LAST USED"},
                                   {"created_by", "MADE BY"},
                                   {"name", "NAME"},
                                   {"scopes", "SCOPES"}};
constexpr column master_keys_columns[] = {{"id", "KEY"}, {"current", "CURRENT"}, {"sealed", "SEALED TEXTS"}};
constexpr column routes_columns[] = {{"id", "ID"},
                                     {"mode", "MODE"},
                                     {"position", "POSITION"},
                                     {"provider", "PROVIDER"},
                                     {"methods", "METHODS"},
                                     {"currencies", "CURRENCIES"}};
constexpr column connections_columns[] = {
    {"id", "ID"}, {"mode", "MODE"}, {"provider", "PROVIDER"}, {"status", "STATUS"}, {"account", "ACCOUNT"}};
constexpr column users_columns[] = {
    {"user_id", "USER"}, {"role", "ROLE"}, {"status", "STATUS"}, {"created_at", "SINCE"}, {"email", "EMAIL"}};
constexpr column mails_columns[] = {{"mail_id", "MAIL"},
                                    {"kind", "KIND"},
                                    {"to", "TO"},
                                    {"status", "STATUS"},
                                    {"attempts", "ATTEMPTS"},
                                    {"created_at", "CREATED"},
                                    {"next_attempt_at", "NEXT"},
                                    {"last_error", "LAST ERROR"}};
constexpr column operators_columns[] = {{"name", "NAME"}, {"role", "ROLE"}};
constexpr column results_columns[] = {
    {"kind", "KIND"}, {"id", "ID", 255}, {"merchant_id", "MERCHANT"}, {"mode", "MODE"}, {"text", "WHAT"}};

constexpr column entries_columns[] = {
    {"occurred_at", "TIME"},     {"actor", "WHO"}, {"action", "WHAT"}, {"subject", "SUBJECT"},
    {"merchant_id", "MERCHANT"}, {"mode", "MODE"}, {"address", "FROM"}};

/// The members of a list's rows that a table shows; --json shows all of them.
struct table {
  const char* member;
  std::span<const column> columns;
  const char* of_rows_with = nullptr;  ///< only for a list whose rows have this member
};

constexpr table tables[] = {{"platforms", platforms_columns},
                            {"grants", grants_columns},
                            {"customers", customers_columns},
                            {"payments", payments_columns},
                            {"subscriptions", subscriptions_columns},
                            {"nodes", nodes_columns},
                            {"providers", providers_columns},
                            {"destinations", destinations_columns},
                            {"deliveries", deliveries_columns},
                            {"events", events_columns},
                            {"notifications", notifications_columns},
                            {"merchants", merchants_columns},
                            {"keys", master_keys_columns, "sealed"},
                            {"keys", keys_columns},
                            {"routes", routes_columns},
                            {"connections", connections_columns},
                            {"users", users_columns},
                            {"mails", mails_columns},
                            {"operators", operators_columns},
                            {"results", results_columns},
                            {"entries", entries_columns}};

}  // namespace

std::string as_table(std::span<const column> columns, const json::array& rows) {
  std::vector<std::vector<std::string>> lines(1);
  for (const auto& c : columns) lines.front().emplace_back(c.title);
  for (const auto& row : rows) {
    auto& line = lines.emplace_back();
    const auto* object = row.if_object();
    for (const auto& c : columns) line.push_back(object ? cell_of(*object, c) : cell(nullptr, c.widest));
  }
  std::vector<std::size_t> widths(columns.size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));
  std::string out;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += line[i];
      if (i + 1 < line.size()) out.append(widths[i] - width_of(line[i]) + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

namespace {

const table* table_of(std::string_view member, const json::value& list) {
  const auto* rows = list.if_array();
  const auto* first = rows && !rows->empty() ? rows->front().if_object() : nullptr;
  const auto known = std::ranges::find_if(tables, [&](const table& one) {
    return one.member == member && (!one.of_rows_with || (first && first->contains(one.of_rows_with)));
  });
  return known == std::end(tables) ? nullptr : &*known;
}

/// The members of a list's answer besides its rows. `next` is null on the last page.
std::string lines_after_table(json::object rest) {
  if (const auto* next = rest.if_contains("next"); next && next->is_null()) rest.erase("next");
  return as_lines(rest);
}

/// An answer about one object, with a table for each of its lists.
std::string as_lines_and_tables(const json::object& answer) {
  json::object lines;
  std::string out;
  for (const auto& member : answer) {
    const auto* how = table_of({member.key().data(), member.key().size()}, member.value());
    const auto* rows = how ? member.value().if_array() : nullptr;
    if (!rows)
      lines.insert(member);
    else
      out.append("\n").append(rows->empty() ? std::string{"no "} + how->member + '\n' : as_table(how->columns, *rows));
  }
  return as_lines(lines) + out;
}

}  // namespace

std::string as_text(const json::object& answer) {
  if (answer.empty()) return {};
  const auto& first = *answer.begin();
  const auto* how = table_of({first.key().data(), first.key().size()}, first.value());
  const auto* rows = how ? first.value().if_array() : nullptr;
  if (!rows) return as_lines_and_tables(answer);
  auto rest = answer;
  rest.erase(how->member);
  if (rows->empty()) return std::string{"no "} + how->member + '\n' + lines_after_table(std::move(rest));
  return as_table(how->columns, *rows) + lines_after_table(std::move(rest));
}

std::string as_lines(const json::object& answer) {
  std::size_t widest = 0;
  for (const auto& member : answer) widest = std::max(widest, member.key().size());
  std::string out;
  for (const auto& member : answer) {
    out += std::string{member.key().data(), member.key().size()} + ':';
    out += std::string(widest - member.key().size() + 1, ' ') + printable(shown(member.value())) + '\n';
  }
  return out;
}

int exit_status_of(const json::object& answer) {
  const auto* ok = answer.if_contains("ok");
  return ok && ok->is_bool() && !ok->get_bool() ? 1 : 0;
}

std::string message_of(unsigned status, const std::string& body) {
  boost::system::error_code failure;
  const auto parsed = json::parse(body, failure);
  if (!failure && parsed.is_object()) {
    const auto& object = parsed.get_object();
    for (const auto* name : {"message", "error_description", "error"})
      if (const auto* found = object.if_contains(name); found && found->is_string()) return shown(*found);
  }
  return "the gateway answered with status " + std::to_string(status);
}

}  // namespace gateway::ctl
