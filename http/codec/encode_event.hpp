// Events as destinations receive them, for every kind of entity.
#pragma once

#include <memory>

#include "gateway/ports/store/answer.hpp"

namespace gateway::http {

std::unique_ptr<event_encoder> make_event_encoder();

}  // namespace gateway::http
