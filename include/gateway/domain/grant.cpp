#include "gateway/domain/grant.hpp"

#include <utility>

namespace gateway {

entity_key binding_key(merchant_id merchant, environment env, platform_id platform) {
  return {std::move(merchant), env, entity_kind::grant, std::move(platform.value)};
}

}  // namespace gateway
