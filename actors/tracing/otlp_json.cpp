#include "otlp_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <boost/json.hpp>

#include "gateway/base/json_text.hpp"
#include "gateway/domain/text.hpp"

namespace gateway::actors {

namespace {

namespace json = boost::json;

/// For a failed span: STATUS_CODE_ERROR.
constexpr std::string_view failed_status = R"(,"status":{"code":2})";

void append_number(std::string& out, std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

template <std::size_t N>
void append_hex(std::string& out, const std::array<char, N>& digits) {
  out.append(1, '"').append(digits.data(), N).append(1, '"');
}

void append_value(std::string& out, const std::string& text) {
  out += R"({"stringValue":)";
  append_json_string(out, text);
  out += '}';
}

void append_value(std::string& out, std::int64_t number) {
  out += R"({"intValue":")";
  append_number(out, number);
  out += R"("})";
}

template <class Value>
void append_attribute(std::string& out, std::string_view name, const Value& value) {
  if (out.back() != '[') out += ',';
  out += R"({"key":)";
  append_json_string(out, name);
  out += R"(,"value":)";
  append_value(out, value);
  out += '}';
}

void append_span(std::string& out, const span& one) {
  out += R"({"traceId":)";
  append_hex(out, hex_of(one.where.trace));
  out += R"(,"spanId":)";
  append_hex(out, hex_of_span(one.where.span));
  if (one.parent != 0) {
    out += R"(,"parentSpanId":)";
    append_hex(out, hex_of_span(one.parent));
  }
  out += R"(,"name":)";
  append_json_string(out, one.name);
  out += R"(,"kind":)";
  append_number(out, static_cast<std::int64_t>(one.kind));
  out += R"(,"startTimeUnixNano":")";
  append_number(out, one.begun);
  out += R"(","endTimeUnixNano":")";
  append_number(out, one.ended);
  out += R"(","attributes":[)";
  for (const auto& [name, value] : one.attributes)
    std::visit([&](const auto& of_type) { append_attribute(out, name, of_type); }, value);
  out += ']';
  if (one.failed) out += failed_status;
  out += '}';
}

}  // namespace

std::string otlp_json(const trace_source& of, const std::vector<span>& spans) {
  constexpr std::size_t usual_span = 700, envelope = 512;
  std::string out;
  out.reserve(envelope + spans.size() * usual_span);
  out += R"({"resourceSpans":[{"resource":{"attributes":[)";
  append_attribute(out, "service.name", of.service);
  if (!of.instance.empty()) append_attribute(out, "service.instance.id", of.instance);
  out += R"(]},"scopeSpans":[{"scope":{"name":"payments-gateway"},"spans":[)";
  for (const auto& one : spans) {
    if (out.back() != '[') out += ',';
    append_span(out, one);
  }
  out += "]}]}]}";
  return out;
}

std::uint64_t rejected_spans(std::string_view answer) {
  boost::system::error_code failed;
  const auto whole = json::parse({answer.data(), answer.size()}, failed);
  if (failed || !whole.is_object()) return 0;
  const auto* partial = whole.as_object().if_contains("partialSuccess");
  if (partial == nullptr || !partial->is_object()) return 0;
  const auto* rejected = partial->as_object().if_contains("rejectedSpans");
  if (rejected == nullptr) return 0;
  if (rejected->is_int64()) return rejected->as_int64() > 0 ? static_cast<std::uint64_t>(rejected->as_int64()) : 0;
  if (!rejected->is_string()) return 0;
  const std::string_view text{rejected->as_string().data(), rejected->as_string().size()};
  return static_cast<std::uint64_t>(parse_whole(text, 0, std::numeric_limits<std::int64_t>::max()).value_or(0));
}

}  // namespace gateway::actors
