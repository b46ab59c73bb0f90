#include "parsed_answer.hpp"

#include <algorithm>
#include <array>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "json_members.hpp"

namespace gateway::load {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 8> state_names{
    "", "processing", "authorized", "captured", "partially_refunded", "refunded", "voided", "failed"};

/// The problems that are stored under the key and replayed, as a success is.
constexpr std::array<std::string_view, 10> stored_problems{"payment not authorized for capture",
                                                           "payment not voidable in current state",
                                                           "payment not refundable in current state",
                                                           "payment outcome pending",
                                                           "provider_operation_unsupported",
                                                           "refund amount exceeds captured amount",
                                                           "refund not supported by configured provider",
                                                           "void not supported by configured provider",
                                                           "refund rejected by provider",
                                                           "void rejected by provider"};

const json::object* object_of(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found ? found->if_object() : nullptr;
}

meaning meaning_of(int status, const std::string& error) {
  switch (status) {
    case 200: return meaning::success;
    case 404: return meaning::missing;
    case 400:
    case 401:
    case 403:
    case 405:
    case 408:
    case 413:
    case 415:
    case 429:
    case 431: return meaning::rejection;
    default: break;
  }
  if (status == 409 && error == "request already processing") return meaning::in_progress;
  if (status == 409 && error == "IDEMPOTENCY_KEY_REUSED") return meaning::reused;
  const bool may_be_stored = status == 409 || status == 422 || status == 502;
  if (may_be_stored && std::ranges::find(stored_problems, error) != stored_problems.end()) return meaning::problem;
  if (status == 422) return meaning::rejection;
  if (status == 502 && error == "provider outcome unknown") return meaning::unknown;
  if (status == 503 && error == "overloaded") return meaning::rejection;
  return status >= 500 ? meaning::in_doubt : meaning::unexpected;
}

void read_members(const json::object& body, parsed_answer& to) {
  to.error = text_member_of(body, "error");
  if (const auto* error = object_of(body, "error")) to.error = text_member_of(*error, "code");
  to.payment_id = text_member_of(body, "payment_id");
  to.state_text = text_member_of(body, "state");
  to.charged = text_member_of(body, "status");
  const auto known = std::ranges::find(state_names, to.state_text);
  to.now = known == state_names.end() ? state::none : static_cast<state>(known - state_names.begin());
  to.refunded_amount = number_member_of(body, "refunded_amount");
  to.refunded_total = number_member_of(body, "refunded_total");
  to.remaining_amount = number_member_of(body, "remaining_amount");
  to.amount = number_member_of(body, "amount");
  to.currency = text_member_of(body, "currency");
  if (const auto* provider = object_of(body, "provider")) {
    to.has_provider_error = provider->contains("error");
    to.has_hosted_url = !text_member_of(*provider, "hosted_url").empty();
  }
}

}  // namespace

std::string_view to_string(state of) noexcept { return state_names[static_cast<std::size_t>(of)]; }

parsed_answer parse(const answer& got) {
  parsed_answer parsed;
  if (got.status == 0) return parsed;
  std::array<unsigned char, 4096> room;
  json::monotonic_resource memory{room.data(), room.size()};
  boost::system::error_code failed;
  const auto value = json::parse(got.body, failed, &memory);
  const auto* body = failed ? nullptr : value.if_object();
  if (body) read_members(*body, parsed);
  parsed.kind = meaning_of(got.status, parsed.error);
  if (parsed.kind == meaning::success && !body) parsed.kind = meaning::unexpected;
  return parsed;
}

bool read_customer(std::string_view body, parsed_customer& into) {
  json::monotonic_resource memory;
  boost::system::error_code failed;
  const auto parsed = json::parse(body, failed, &memory);
  const auto* whole = failed ? nullptr : parsed.if_object();
  if (!whole) return false;
  into = {text_member_of(*whole, "customer_ref"), text_member_of(*whole, "provider_customer_id"),
          text_member_of(*whole, "merchant_id")};
  return !into.provider_id.empty();
}

bool read_timeline(std::string_view body, std::string& payment_id, std::vector<timeline_entry>& entries) {
  json::monotonic_resource memory;
  boost::system::error_code failed;
  const auto parsed = json::parse(body, failed, &memory);
  const auto* whole = failed ? nullptr : parsed.if_object();
  const auto* found = whole ? whole->if_contains("timeline") : nullptr;
  const auto* list = found ? found->if_array() : nullptr;
  if (!list) return false;
  payment_id = text_member_of(*whole, "payment_id");
  for (const auto& one : *list) {
    const auto* entry = one.if_object();
    if (!entry) return false;
    entries.push_back({text_member_of(*entry, "kind") == "event", text_member_of(*entry, "operation"),
                       text_member_of(*entry, "status")});
  }
  return true;
}

}  // namespace gateway::load
