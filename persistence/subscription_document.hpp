// What a subscription's or an enrollment's row holds beside its columns, as one JSON document.
#pragma once

#include <string>
#include <string_view>

#include "gateway/domain/sandbox_biller.hpp"
#include "gateway/domain/subscription.hpp"

namespace gateway::persistence {

/// Without key, version, platform, provider, provider_subscription_id and due_at, which have columns. The merchant and
/// the environment of its operation's command and of its payments are the subscription's.
std::string document_of(const subscription& s);
/// Without key, version and due_at.
std::string document_of(const sandbox_enrollment& e);

// Read into a value whose key is known. Throw corrupt_row.
void read_document(subscription& s, std::string_view text);
void read_document(sandbox_enrollment& e, std::string_view text);

}  // namespace gateway::persistence
