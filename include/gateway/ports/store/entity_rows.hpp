// Entities as they are stored.
#pragma once

#include <memory>
#include <variant>

#include "gateway/domain/customer.hpp"
#include "gateway/domain/grant.hpp"
#include "gateway/domain/notification.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/sandbox_biller.hpp"
#include "gateway/domain/subscription.hpp"

namespace gateway {

/// Shared with the owning actor: a row must not change while it is on its way to the store.
using payment_ptr = std::shared_ptr<const payment>;

using binding_ptr = std::shared_ptr<const grant_binding>;

using customer_ptr = std::shared_ptr<const customer>;

using subscription_ptr = std::shared_ptr<const subscription>;

using enrollment_ptr = std::shared_ptr<const sandbox_enrollment>;

using notification_ptr = std::shared_ptr<const notification>;

/// An entity as it is stored: one alternative for each kind.
using entity_row =
    std::variant<payment_ptr, binding_ptr, customer_ptr, subscription_ptr, enrollment_ptr, notification_ptr>;

}  // namespace gateway
