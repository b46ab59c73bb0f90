// The payments of one customer, or with one reference: the part of find_payments that indexes of their own serve.
#pragma once

#include "gateway/ports/store/payment_questions.hpp"
#include "persistence/connection/connection.hpp"

namespace gateway::persistence {

/// `what` names a reference or a customer, and does not page back.
payments_lookup read_filtered_payments(db_connection& db, const find_payments& what);

}  // namespace gateway::persistence
