// What came of reading a request: the value, or why it is a 4xx.
#pragma once

#include <string>
#include <variant>

#include "http/errors.hpp"

namespace gateway::http {

struct bad_request {
  error_code code = error_code::invalid_request;
  std::string message;  ///< empty: the code's own
};

template <class T>
using decoded = std::variant<T, bad_request>;

inline response refuse(const bad_request& why) { return refuse(why.code, why.message); }

}  // namespace gateway::http
