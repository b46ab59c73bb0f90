// What came of reading a request: the value, or why it is a 4xx.
#pragma once

#include <variant>

#include "http/errors.hpp"

namespace gateway::http {

using bad_request = rejection;

template <class T>
using decoded = std::variant<T, bad_request>;

}  // namespace gateway::http
