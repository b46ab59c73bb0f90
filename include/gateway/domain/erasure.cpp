#include "gateway/domain/erasure.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "gateway/domain/text.hpp"

namespace gateway {

namespace {

/// Deeper JSON counts as unreadable.
constexpr int most_erasure_depth = 64;

/// Names of members, in lower case, whose value is dropped: the gateway's own, and those of the providers' objects.
constexpr auto personal_members = std::to_array<std::string_view>({
    "address",
    "billing",
    "billing_address",
    "billing_details",
    "business_name",
    "cardholder_name",
    "cnic",
    "custom_fields",
    "customer_address",
    "customer_details",
    "customer_email",
    "customer_mobile",
    "customer_name",
    "customer_phone",
    "customer_shipping",
    "description",
    "email",
    "evidence",
    "failure_message",
    "first_name",
    "footer",
    "full_name",
    "individual_name",
    "ip_address",
    "last_name",
    "mobile",
    "mobile_number",
    "name",
    "note",
    "owner",
    "phone",
    "phone_number",
    "receipt_email",
    "shipping",
    "shipping_address",
    "shipping_details",
});

/// Fields of JazzCash's posts, in lower case. Its ppmpf fields are free texts of the merchant.
constexpr auto personal_fields = std::to_array<std::string_view>(
    {"pp_cnic", "pp_customeremail", "pp_customerid", "pp_customermobile", "pp_customername", "pp_description",
     "pp_mobilenumber", "pp_responsemessage", "ppmpf_1", "ppmpf_2", "ppmpf_3", "ppmpf_4", "ppmpf_5"});

template <std::size_t N>
bool is_among(std::string_view name, const std::array<std::string_view, N>& names) noexcept {
  return std::ranges::any_of(names, [name](std::string_view each) { return equal_ignoring_case(each, name); });
}

/// A name with an escape is not compared: no provider writes one, and it might spell any of them.
bool is_personal_member(std::string_view name) {
  return name.find('\\') != std::string_view::npos || is_among(name, personal_members) ||
         is_among(name, personal_fields);
}

/// The replacement for the value of a member that stays, so that the text keeps its form; empty: the value stays.
std::string_view emptied(std::string_view name) noexcept {
  if (name.ends_with("metadata")) return "{}";
  return name == "message" ? std::string_view{R"("")"} : std::string_view{};
}

/// Copies a JSON text without the personal members, in one pass. `keeps` is false within a dropped member.
class json_eraser {
 public:
  explicit json_eraser(std::string_view text) : in_(text) { out_.reserve(text.size()); }

  std::optional<std::string> erased() && {
    skip_blanks();
    if (at_ == in_.size() || in_[at_] != '{' || !copy_value(0, true)) return std::nullopt;
    skip_blanks();
    if (at_ != in_.size()) return std::nullopt;
    return std::move(out_);
  }

 private:
  void skip_blanks() noexcept {
    while (at_ < in_.size() && std::string_view{" \t\r\n"}.find(in_[at_]) != std::string_view::npos) ++at_;
  }
  bool takes(char c) noexcept {
    skip_blanks();
    if (at_ == in_.size() || in_[at_] != c) return false;
    ++at_;
    return true;
  }
  void put(std::string_view text, bool keeps) {
    if (keeps) out_ += text;
  }

  /// With its quotation marks.
  std::optional<std::string_view> take_string() noexcept {
    skip_blanks();
    const auto begin = at_;
    if (at_ == in_.size() || in_[at_] != '"') return std::nullopt;
    for (++at_; at_ < in_.size(); ++at_) {
      if (in_[at_] == '\\')
        ++at_;
      else if (in_[at_] == '"')
        return in_.substr(begin, ++at_ - begin);
    }
    return std::nullopt;
  }

  bool copy_value(int depth, bool keeps) {
    if (depth > most_erasure_depth) return false;
    skip_blanks();
    if (at_ == in_.size()) return false;
    if (in_[at_] == '{') return copy_object(depth, keeps);
    if (in_[at_] == '[') return copy_array(depth, keeps);
    if (in_[at_] == '"') {
      const auto text = take_string();
      if (text) put(*text, keeps);
      return text.has_value();
    }
    const auto end = std::min(in_.find_first_of(",]} \t\r\n", at_), in_.size());
    if (end == at_) return false;
    put(in_.substr(at_, end - at_), keeps);
    at_ = end;
    return true;
  }

  bool copy_array(int depth, bool keeps) {
    ++at_;
    put("[", keeps);
    if (takes(']')) return put("]", keeps), true;
    for (;;) {
      if (!copy_value(depth + 1, keeps)) return false;
      if (takes(']')) return put("]", keeps), true;
      if (!takes(',')) return false;
      put(",", keeps);
    }
  }

  bool copy_object(int depth, bool keeps) {
    ++at_;
    put("{", keeps);
    if (takes('}')) return put("}", keeps), true;
    for (bool first = true;;) {
      const auto quoted = take_string();
      if (!quoted || !takes(':')) return false;
      const auto name = quoted->substr(1, quoted->size() - 2);
      const auto instead = emptied(name);
      const bool stays = keeps && !is_personal_member(name);
      if (stays) {
        put(first ? "" : ",", true);
        put(*quoted, true);
        put(":", true);
        put(instead, true);
        first = false;
      }
      if (!copy_value(depth + 1, stays && instead.empty())) return false;
      if (takes('}')) return put("}", keeps), true;
      if (!takes(',')) return false;
    }
  }

  std::string_view in_;
  std::size_t at_ = 0;
  std::string out_;
};

std::string form_without_personal_data(std::string_view form) {
  std::string out;
  while (!form.empty()) {
    const auto field = cut_before(form, '&');
    const auto name = field.substr(0, field.find('='));
    if (!out.empty()) out += '&';
    if (is_among(name, personal_fields))
      out.append(name).append("=");
    else
      out += field;
  }
  return out;
}

bool is_form(std::string_view body) {
  constexpr std::string_view characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~%+=&*";
  return body.find('=') != std::string_view::npos && body.find_first_not_of(characters) == std::string_view::npos;
}

void erase_in(subscription_notification& n) {
  n.state.metadata.clear();
  if (n.invoice) n.invoice->failure_message.clear();
}

}  // namespace

erasure_obstacle obstacle_to_erasure(const payment& p) noexcept {
  if (p.open) return erasure_obstacle::open_operation;
  const bool waits = p.state == payment_state::created || p.state == payment_state::processing;
  return waits ? erasure_obstacle::not_ended : erasure_obstacle::none;
}

erasure_obstacle obstacle_to_erasure(const subscription& s) noexcept {
  if (s.open) return erasure_obstacle::open_operation;
  // While it waits, its page shows the description, and the customer returns to the addresses.
  return s.state.status == subscription_status::pending ? erasure_obstacle::not_ended : erasure_obstacle::none;
}

std::string without_query(std::string_view url) { return std::string{url.substr(0, url.find_first_of("?#"))}; }

payment without_personal_data(payment p) {
  auto& stated = p.details;
  stated.success_url = without_query(stated.success_url);
  stated.cancel_url = without_query(stated.cancel_url);
  stated.description.clear();
  stated.customer_email.clear();
  stated.customer_name.clear();
  stated.customer_mobile.clear();
  stated.metadata.clear();
  if (p.error) p.error->message.clear();
  for (auto& each : p.records.refunds) each.reason.clear();
  return p;
}

subscription without_personal_data(subscription s) {
  s.details.success_url = without_query(s.details.success_url);
  s.details.cancel_url = without_query(s.details.cancel_url);
  s.details.description.clear();
  if (s.error) s.error->message.clear();
  s.state.metadata.clear();
  for (auto& each : s.waiting) erase_in(each);
  for (auto& each : s.owed) {
    each.description.clear();
    each.metadata.clear();
    each.invoice.failure_message.clear();
  }
  return s;
}

sandbox_enrollment without_personal_data(sandbox_enrollment e) {
  e.what.metadata.clear();
  for (auto& each : e.undelivered) erase_in(each);
  return e;
}

std::string json_without_personal_data(std::string_view json) {
  auto erased = json_eraser{json}.erased();
  return erased ? *std::move(erased) : "{}";
}

std::string post_without_personal_data(std::string_view body) {
  return is_form(body) ? form_without_personal_data(body) : json_without_personal_data(body);
}

bool names_reference(std::string_view text, std::string_view reference) noexcept {
  if (reference.empty()) return false;
  for (auto at = text.find(reference); at != std::string_view::npos; at = text.find(reference, at + 1)) {
    const auto end = at + reference.size();
    const bool begins = at == 0 || !is_id_character(text[at - 1]);
    if (begins && (end == text.size() || !is_id_character(text[end]))) return true;
  }
  return false;
}

}  // namespace gateway
