// The sandbox's settlement report, made from its ledger. No value needs quotes: they are ids and names that the gateway
// made or checked.

#include <istream>
#include <ostream>
#include <string>

#include <boost/json.hpp>

#include "sandbox.hpp"

namespace gateway::actors {

namespace {

namespace json = boost::json;

/// Empty if there is no such string.
std::string_view text_in(const json::object& line, std::string_view name) {
  const auto* value = line.if_contains(name);
  const auto* text = value ? value->if_string() : nullptr;
  return text ? std::string_view{text->data(), text->size()} : std::string_view{};
}

}  // namespace

void write_settlement_report(std::istream& ledger, std::ostream& csv) {
  csv << "reference,payment_id,kind,amount,currency,occurred_at,merchant_id,mode\n";
  for (std::string line; std::getline(ledger, line);) {
    json::error_code failed;
    const auto parsed = json::parse(line, failed);
    const auto* effect = failed ? nullptr : parsed.if_object();
    if (!effect || text_in(*effect, "moved").empty() || text_in(*effect, "status") != "approved") continue;
    const auto* amount = effect->if_contains("amount");
    if (!amount || !amount->is_int64()) continue;
    csv << text_in(*effect, "reference") << ',' << text_in(*effect, "payment_id") << ',' << text_in(*effect, "moved")
        << ',' << amount->get_int64() << ',' << text_in(*effect, "currency") << ',' << text_in(*effect, "begun_at")
        << ',' << text_in(*effect, "merchant") << ',' << text_in(*effect, "environment") << '\n';
  }
}

}  // namespace gateway::actors
