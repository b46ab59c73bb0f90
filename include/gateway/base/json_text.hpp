// Writing JSON by hand, where a line must cost no tree of values.
#pragma once

#include <string>
#include <string_view>

namespace gateway {

/// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

}  // namespace gateway
