// The JSON document in a subscription's or an enrollment's row: everything that has no column of its own.
#pragma once

#include <string>
#include <string_view>

#include "gateway/domain/sandbox_biller.hpp"
#include "gateway/domain/subscription.hpp"

namespace gateway::persistence {

/// Without key, version, platform, provider, provider_subscription_id and due_at, which have columns. Its operation's
/// command and its payments are stored without merchant and environment, which are the subscription's.
std::string document_of(const subscription& s);
/// Without key, version and due_at.
std::string document_of(const sandbox_enrollment& e);

// Read into a value whose key is known. Throw corrupt_row.
void read_document(subscription& s, std::string_view text);
void read_document(sandbox_enrollment& e, std::string_view text);

}  // namespace gateway::persistence
