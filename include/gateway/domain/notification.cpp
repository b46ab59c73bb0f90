#include "gateway/domain/notification.hpp"

namespace gateway {

entity_key notification_key(provider_kind provider, environment env, std::string_view event_id) {
  return {merchant_id{}, env, entity_kind::notification, std::string{to_string(provider)}.append(":").append(event_id)};
}

std::string in_words_of(const entity_key& what) {
  return std::string{to_string(what.kind)} + ' ' + what.merchant.value + '/' + std::string{to_string(what.env)} + '/' +
         what.id;
}

}  // namespace gateway
