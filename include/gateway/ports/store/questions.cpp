// The questions to readers of the store and their answers, compiled here once.
#include "gateway/ports/store/questions.hpp"

#include <algorithm>

#include "gateway/base/compiled_once_members.hpp"

namespace gateway {

namespace {

/// The bytes of the payment's texts from callers.
std::size_t bytes_of_texts(const payment_details& of) {
  auto bytes = of.description.size() + of.customer_name.size() + of.customer_email.size() + of.customer_mobile.size();
  for (const auto& [name, value] : of.metadata) bytes += name.size() + value.size();
  return bytes;
}

}  // namespace

bool is_wanted(const payment& p, const find_payments& what) {
  if (what.state && p.state != *what.state) return false;
  if (!what.any_of.empty() && std::ranges::find(what.any_of, p.state) == what.any_of.end()) return false;
  if (!what.currency.empty() && p.amount.unit.code() != what.currency) return false;
  if (!what.provider_ref.empty() && (p.hides_provider || p.provider_ref != what.provider_ref)) return false;
  return what.customer_ref.empty() ||
         (p.customer && p.customer->platform == what.platform && p.customer->ref == what.customer_ref);
}

void cut_to_bytes(payments_lookup& page, std::size_t most_bytes) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < page.payments.size(); ++i) {
    bytes += bytes_of_texts(page.payments[i]->details);
    if (bytes <= most_bytes || i == 0) continue;
    page.payments.resize(i);
    page.more = true;
    page.read_to.reset();
  }
}

template class compiled_once<store_question::variant_type>;
template struct constructors<store_question::variant_type>;
template class compiled_once<store_answer::variant_type>;
template struct constructors<store_answer::variant_type>;

}  // namespace gateway

template class std::vector<gateway::delivery_job>;
template class std::vector<gateway::platform>;
template class std::vector<gateway::stored_key>;
