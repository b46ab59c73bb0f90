// Data that may be personal, as stored for a payment or a subscription, and the subject of such data.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "gateway/ports/store/store.hpp"
#include "http/codec/decoded.hpp"
#include "http/fwd.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// A payment, or everything of a customer.
struct data_subject {
  merchant_id merchant;
  environment env = environment::live;
  std::string payment_id{};  ///< if not empty, the subject is this payment
  platform_id platform{};    ///< with customer_ref: the platform's customer, in live mode
  std::string customer_ref{};
};
decoded<data_subject> decode_data_subject(std::string_view body, std::size_t json_depth);

/// What belongs to the subject.
struct subject_entities {
  std::vector<entity_key> payments;
  std::vector<entity_key> subscriptions;
  customer_ptr customer{};  ///< null if a payment was named, or the gateway has no such customer
};

struct personal_record {
  entity_row row;  ///< a payment or a subscription
  std::vector<timeline_entry> timeline;
  std::vector<delivery> deliveries;
  personal_texts texts;
};

boost::asio::awaitable<std::variant<subject_entities, response>> find_entities(call& c, data_subject of);
boost::asio::awaitable<std::variant<entity_row, response>> read_entity_row(call& c, entity_key of);
boost::asio::awaitable<std::variant<personal_record, response>> read_record(call& c, entity_key of);
/// The providers' notifications about the customer itself.
boost::asio::awaitable<std::variant<std::vector<notification_ptr>, response>> read_customer_notifications(
    call& c, customer_ptr of);

/// What replaces the texts and deliveries of the record.
erasure erasure_of(const personal_record& record);
/// The deliveries that are still pending, as they are after the erasure.
std::vector<delivery> pending_after(const erasure& made);

/// `{"payments":[…],"subscriptions":[…],"customer":…}`
std::string encode_personal_data(const std::vector<personal_record>& payments,
                                 const std::vector<personal_record>& subscriptions, const customer_ptr& customer,
                                 const std::vector<notification_ptr>& about_customer);

}  // namespace gateway::http
