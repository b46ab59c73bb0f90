// The operators who sign in to the console: their names and what each role may do there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gateway/domain/enum_names.hpp"

namespace gateway {

enum class operator_role : unsigned char {
  admin,    ///< may do everything, including the management of operators and nodes
  support,  ///< acts on payments and deliveries
  viewer,   ///< reads everything, and changes nothing
};

template <>
inline constexpr auto enum_table<operator_role> = enum_names<operator_role>(
    {{operator_role::admin, "admin"}, {operator_role::support, "support"}, {operator_role::viewer, "viewer"}});
inline constexpr auto parse_operator_role = parse_name<operator_role>;

inline constexpr std::size_t most_operator_name = 64;  ///< bytes

/// Whether an operator may have this name: 1 to 64 visible ASCII characters and inner blanks, so that two names cannot
/// look alike in a log. Not `gateway`, which names the gateway itself in records.
bool is_operator_name(std::string_view name);

/// The form in which names are compared without case.
std::string operator_key_of(std::string_view name);

}  // namespace gateway
