#include "output.hpp"

#include <algorithm>
#include <span>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "gateway/domain/text.hpp"
#include "tools/gatewayctl/output.hpp"

namespace gateway::cli {

namespace {

constexpr ctl::column payment_columns[] = {{"payment_id", "PAYMENT"},
                                           {"state", "STATE"},
                                           ctl::money_column("amount", "AMOUNT"),
                                           ctl::money_column("refunded_total", "REFUNDED"),
                                           {"created_at", "CREATED"}};
constexpr ctl::column dispute_columns[] = {{"dispute_id", "DISPUTE"},
                                           {"payment_id", "PAYMENT"},
                                           {"status", "STATUS"},
                                           ctl::money_column("amount", "AMOUNT"),
                                           {"reason", "REASON"},
                                           {"opened_at", "OPENED"},
                                           {"evidence_due_by", "EVIDENCE DUE"}};
constexpr ctl::column event_columns[] = {{"id", "ID"}, {"created", "CREATED"}, {"type", "TYPE"}, {"data", "DATA"}};

std::span<const ctl::column> columns_of(std::string_view list) noexcept {
  if (list == "payments") return payment_columns;
  if (list == "disputes") return dispute_columns;
  return event_columns;
}

std::string text_of(const boost::json::object& object, const char* name) {
  const auto* found = object.if_contains(name);
  if (!found || !found->is_string()) return {};
  return {found->get_string().data(), found->get_string().size()};
}

/// Code and message, whichever of the body's shapes it has.
std::string explanation(const boost::json::object& body) {
  const auto* error = body.if_contains("error");
  const auto* typed = error ? error->if_object() : nullptr;
  const auto code = typed ? text_of(*typed, "code") : text_of(body, "error");
  auto message = text_of(typed ? *typed : body, "message");
  if (message.empty()) message = text_of(body, "error_description");
  return message.empty() || message == code ? code : code + ": " + message;
}

std::string in_one_line(std::string text) {
  for (auto& c : text)
    if (is_control(c)) c = ' ';
  return text;
}

}  // namespace

api_answer require_success(api_answer answer) {
  if (!answer.ok()) throw refused{answer};
  return answer;
}

boost::json::object object_of(const api_answer& answer) {
  boost::system::error_code fault;
  auto parsed = boost::json::parse(answer.body, fault);
  if (fault || !parsed.is_object()) throw failure("the gateway's answer is not a JSON object");
  return std::move(parsed.get_object());
}

void print_body(std::ostream& out, std::string_view body) {
  if (body.empty()) return;
  out << body;
  if (!body.ends_with('\n')) out << '\n';
}

void print_object(std::ostream& out, const boost::json::object& object, bool json) {
  if (json)
    out << boost::json::serialize(object) << '\n';
  else
    out << ctl::as_lines(object);
}

void print_list(std::ostream& out, std::string_view list, const boost::json::array& rows, bool json) {
  if (json) {
    for (const auto& row : rows) out << boost::json::serialize(row) << '\n';
  } else if (rows.empty()) {
    out << "no " << list << '\n';
  } else {
    out << ctl::as_table(columns_of(list), rows);
  }
}

void print_event(std::ostream& out, const received_event& event, bool json) {
  if (json)
    out << event.bytes << '\n';
  else
    out << in_one_line(event.created + "  " + event.type + "  " + event.id +
                       (event.subject.empty() ? "" : "  " + event.subject))
        << '\n';
}

std::string refusal_line(const refused& what) {
  const auto status = "the gateway answered " + std::to_string(what.answer.status);
  if (!what.hint.empty()) return in_one_line(status + ": " + what.hint);
  boost::system::error_code fault;
  const auto parsed = boost::json::parse(what.answer.body, fault);
  const auto why = !fault && parsed.is_object() ? explanation(parsed.get_object()) : std::string{};
  return in_one_line(why.empty() ? status : status + ": " + why);
}

}  // namespace gateway::cli
