// Grants as platforms and operators see them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/answer.hpp"
#include "gateway/store.hpp"

namespace gateway::http {

/// What grants' actors write their results with.
std::unique_ptr<grant_encoder> make_grant_encoder();

/// `{"grants":[…]}`; what there is not yet is null.
std::string encode_grants(const std::vector<std::pair<entity_key, grant>>& grants);

}  // namespace gateway::http
