#include "settlement_file.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "gateway/domain/text.hpp"

namespace gateway::ctl {

namespace {

using names = std::initializer_list<std::string_view>;

std::string folded(std::string_view text) {
  std::string word{text};
  std::ranges::transform(word, word.begin(), to_lower);
  return word;
}

/// A record, whose fields are found by the names in the header line.
class record {
 public:
  record(csv_records& from, std::vector<std::string>& head, std::vector<std::string>& fields)
      : from_(from), head_(head), fields_(fields) {}

  /// The first of these columns that the file has; empty if it has none.
  std::string_view find(names any_of) const {
    for (const auto name : any_of)
      for (std::size_t i = 0; i < head_.size() && i < fields_.size(); ++i)
        if (equal_ignoring_case(head_[i], name)) return fields_[i];
    return {};
  }
  std::uint64_t line() const noexcept { return from_.line(); }
  [[noreturn]] void reject(std::string_view what, std::string_view value) const {
    throw bad_file("line " + std::to_string(line()) + ": '" + std::string{value.substr(0, 64)} + "' is no " +
                   std::string{what});
  }

 private:
  const csv_records& from_;
  const std::vector<std::string>& head_;
  const std::vector<std::string>& fields_;
};

std::optional<std::int64_t> whole_number(std::string_view text) {
  using limits = std::numeric_limits<std::int64_t>;
  return parse_whole(text, limits::min(), limits::max());
}

/// The absolute value of an amount that is given in minor units.
std::int64_t minor_in(const record& in, std::string_view text) {
  const auto value = whole_number(text);
  if (!value || *value < -max_amount || *value > max_amount) in.reject("amount in minor units", text);
  return *value < 0 ? -*value : *value;
}

/// The absolute value, in minor units, of an amount in major units: `-12.50` of a currency with two digits is 1250.
std::int64_t major_in(const record& in, std::string_view text, const currency& unit) {
  auto digits = text;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  const auto point = std::min(digits.find('.'), digits.size());
  std::string all{digits.substr(0, point)};
  auto fraction = digits.substr(std::min(point + 1, digits.size()));
  const auto wanted = static_cast<std::size_t>(unit.minor_digits());
  // Digits beyond those of the currency must be zeros.
  if (fraction.size() > wanted && fraction.substr(wanted).find_first_not_of('0') != std::string_view::npos)
    in.reject("amount of " + std::string{unit.code()}, text);
  all += fraction.substr(0, wanted);
  all.append(wanted - std::min(wanted, fraction.size()), '0');
  const bool plain = point > 0 && all.find_first_not_of("0123456789") == std::string::npos;
  const auto value = plain ? whole_number(all) : std::nullopt;
  if (!value || *value > max_amount) in.reject("amount", text);
  return *value;
}

currency unit_in(const record& in, std::string_view text) {
  const auto unit = currency::parse(text);
  if (!unit) in.reject("currency", text);
  return *unit;
}

/// `2026-11-20 09:30` in UTC, with or without seconds, with a T or a space. A fraction and what follows are ignored.
std::optional<time_point> time_in(const record& in, std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::string whole{text.substr(0, 10)};
  if (text.size() >= 16)
    whole.append("T").append(text.substr(11, 5)).append(text.size() >= 19 ? text.substr(16, 3) : ":00").append("Z");
  else if (text.size() == 10)
    whole += "T00:00:00Z";
  const auto at = parse_seconds(whole);
  if (!at) in.reject("time", text);
  return at;
}

/// `20261120093000` in Pakistan's time, which is UTC+5 all year.
std::optional<time_point> pakistan_time_in(const record& in, std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text.size() != 14) return time_in(in, text);
  std::string whole;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 4 || i == 6) whole += '-';
    if (i == 8) whole += 'T';
    if (i == 10 || i == 12) whole += ':';
    whole += text[i];
  }
  const auto at = parse_seconds(whole + 'Z');
  if (!at) in.reject("time", text);
  return *at - std::chrono::hours{5};
}

/// Nullopt: the line is about something else.
using reader = std::optional<settlement_line> (*)(const record&, const settlement_source&);

std::optional<settlement_line> read_sandbox(const record& in, const settlement_source& of) {
  const auto kind = parse_ledger_kind(in.find({"kind"}));
  if (!kind || !moves_money(*kind)) return std::nullopt;
  const auto mode = parse_environment(in.find({"mode"}));
  if (!mode || (of.env && *mode != *of.env)) return std::nullopt;
  if (!of.merchant.empty() && in.find({"merchant_id"}) != of.merchant) return std::nullopt;
  settlement_line line;
  line.what = *kind;
  line.minor = minor_in(in, in.find({"amount"}));
  if (const auto unit = in.find({"currency"}); !unit.empty()) line.unit = unit_in(in, unit);
  line.at = time_in(in, in.find({"occurred_at"}));
  line.ref = in.find({"reference"});
  return line;
}

/// The movement of a line of a Stripe report, by its `type` or its `reporting_category`: docs.stripe.com/reports. A
/// dispute, and sometimes a refund that came back, has the type `adjustment`: the source and the sign distinguish them.
std::optional<ledger_kind> stripe_movement(std::string_view category, std::string_view source,
                                           std::string_view amount) {
  using enum ledger_kind;
  static constexpr std::pair<std::string_view, ledger_kind> kinds[] = {
      {"charge", captured},
      {"payment", captured},
      {"refund", refunded},
      {"payment_refund", refunded},
      {"partial_capture_reversal", refunded},
      // A payment that failed after it was counted. The ledger has no entry for it: the line is extra.
      {"charge_failure", refunded},
      {"payment_failure_refund", refunded},
      {"refund_failure", refund_failed},
      {"dispute", dispute_opened},
      {"dispute_reversal", dispute_won}};
  const auto known = std::ranges::find(kinds, category, &std::pair<std::string_view, ledger_kind>::first);
  if (known != std::end(kinds)) return known->second;
  if (category != "adjustment") return std::nullopt;
  if (source.starts_with("dp_") || source.starts_with("du_"))
    return amount.starts_with('-') ? dispute_opened : dispute_won;
  if (source.starts_with("re_") || source.starts_with("pyr_")) return refund_failed;
  return std::nullopt;
}

/// The export of balance transactions from Stripe's Dashboard, or an itemized balance report. Both use major units. If
/// the account settles in another currency, further columns hold what the customer paid.
std::optional<settlement_line> read_stripe(const record& in, const settlement_source&) {
  settlement_line line;
  line.ref = in.find({"source", "source_id"});
  const auto category = folded(in.find({"type", "reporting_category"}));
  const auto what = stripe_movement(category, line.ref, in.find({"amount", "gross"}));
  if (!what) return std::nullopt;
  // A partial capture is reported as a charge of all that was authorized, and a reversal of the rest.
  if (category == "partial_capture_reversal") line.reduces = in.find({"charge_id", "charge id"});
  line.what = *what;
  auto amount = in.find({"customer facing amount", "customer_facing_amount"});
  auto code = in.find({"customer facing currency", "customer_facing_currency"});
  if (amount.empty() || code.empty()) {
    amount = in.find({"amount", "gross"});
    code = in.find({"currency"});
  }
  line.unit = unit_in(in, code);
  line.minor = major_in(in, amount, *line.unit);
  line.at = time_in(in, in.find({"created (utc)", "created_utc", "created"}));
  for (const auto ref : {in.find({"payment_intent_id", "payment intent id"}), in.find({"invoice_id", "invoice id"})})
    if (!ref.empty()) line.of_payment.emplace_back(ref);
  return line;
}

/// Reads lines with the two documented codes of a successful payment. JazzCash documents no report of its merchants'
/// portal, so the columns are those of its own messages.
std::optional<settlement_line> read_jazzcash(const record& in, const settlement_source&) {
  const auto code = in.find({"pp_ResponseCode"});
  if (code != "000" && code != "121") return std::nullopt;
  settlement_line line;
  line.minor = minor_in(in, in.find({"pp_Amount"}));
  const auto unit = in.find({"pp_TxnCurrency"});
  line.unit = unit_in(in, unit.empty() ? std::string_view{"PKR"} : unit);
  line.at = pakistan_time_in(in, in.find({"pp_TxnDateTime"}));
  line.ref = in.find({"pp_TxnRefNo"});
  return line;
}

struct format {
  reader read;
  std::vector<std::vector<std::string_view>> columns;  ///< the file must have one column of each list
  bool names_mode = false;
};

format format_of(provider_kind kind) {
  switch (kind) {
    case provider_kind::stripe:
      return {read_stripe,
              {{"type", "reporting_category"}, {"source", "source_id"}, {"amount", "gross"}, {"currency"}}};
    case provider_kind::jazzcash: return {read_jazzcash, {{"pp_TxnRefNo"}, {"pp_Amount"}, {"pp_ResponseCode"}}};
    case provider_kind::sandbox:
    case provider_kind::sandbox_hosted:
    case provider_kind::sandbox_wallet: break;
  }
  return {read_sandbox, {{"reference"}, {"kind"}, {"amount"}, {"currency"}, {"mode"}, {"merchant_id"}}, true};
}

bool has_column(const std::vector<std::string>& head, const std::vector<std::string_view>& any_of) {
  return std::ranges::any_of(head, [&](const std::string& column) {
    return std::ranges::any_of(any_of, [&](std::string_view name) { return equal_ignoring_case(column, name); });
  });
}

void check_head(const std::vector<std::string>& head, const format& how) {
  for (const auto& any_of : how.columns) {
    if (!has_column(head, any_of)) throw bad_file("the first line has no column '" + std::string{any_of.front()} + "'");
  }
}

void check_width(const csv_records& records, const std::vector<std::string>& head,
                 const std::vector<std::string>& fields) {
  if (fields.size() != head.size())
    throw bad_file("line " + std::to_string(records.line()) + ": has " + std::to_string(fields.size()) +
                   " columns, the first line " + std::to_string(head.size()));
}

/// The provider whose report begins with this line.
provider_kind provider_of(const std::vector<std::string>& head) {
  for (const auto kind : {provider_kind::sandbox, provider_kind::stripe, provider_kind::jazzcash}) {
    const auto columns = format_of(kind).columns;
    if (std::ranges::all_of(columns, [&](const auto& any_of) { return has_column(head, any_of); })) return kind;
  }
  throw bad_file("the first line has no provider's columns: give --provider to see which are missing");
}

}  // namespace

settlement_file read_settlement(std::istream& in, const settlement_source& of,
                                const std::function<void(const settlement_line&)>& each) {
  csv_records records{in};
  std::vector<std::string> head, fields;
  if (!records.next(head)) throw bad_file("is empty");
  settlement_file file;
  file.provider = of.provider ? *of.provider : provider_of(head);
  const auto how = format_of(file.provider);
  check_head(head, how);
  while (records.next(fields)) {
    check_width(records, head, fields);
    const record in_file{records, head, fields};
    const auto mode = how.names_mode ? parse_environment(in_file.find({"mode"})) : std::nullopt;
    if (mode && std::ranges::find(file.modes, *mode) == file.modes.end()) file.modes.push_back(*mode);
    auto line = how.read(in_file, of);
    if (!line) {
      ++file.others;
      continue;
    }
    line->line = records.line();
    if (line->ref.empty()) throw bad_file("line " + std::to_string(records.line()) + ": has no reference");
    each(*line);
  }
  return file;
}

}  // namespace gateway::ctl
