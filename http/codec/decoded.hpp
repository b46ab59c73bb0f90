// The result of decoding a request: the value, or the rejection (a 4xx).
#pragma once

#include <variant>

#include "http/errors.hpp"

namespace gateway::http {

template <class T>
using decoded = std::variant<T, rejection>;

}  // namespace gateway::http
