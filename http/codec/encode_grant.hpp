// Grants as platforms and operators see them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/domain/grant.hpp"
#include "gateway/ports/store/answer.hpp"

namespace gateway::http {

/// Encodes the results of the grant actors.
std::unique_ptr<grant_encoder> make_grant_encoder();

/// `{"grants":[…]}`; a value that does not exist yet is null.
std::string encode_grants(const std::vector<std::pair<entity_key, grant>>& grants);

}  // namespace gateway::http
