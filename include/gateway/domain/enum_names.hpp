// The names of an enumeration's values, in one table beside the enumeration. The compiler rejects a table that is not
// in the order of the values, or has a name twice; tests/style/enum_names rejects one that lacks a value.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace gateway {

template <std::size_t N>
struct name_table {
  std::string_view names[N];  ///< the index is the value

  static constexpr std::size_t size() noexcept { return N; }
};

template <class Enum>
struct enum_name {
  Enum value;
  std::string_view name;
};

/// From a table with more columns, whose rows have a `name`.
template <class Row, std::size_t N, class Enum>
consteval name_table<N> enum_names(const std::array<Row, N>& rows, Enum Row::* value) {
  name_table<N> table{};
  for (std::size_t i = 0; i < N; ++i) {
    if (static_cast<std::size_t>(rows[i].*value) != i) throw "the row of a value is not at its place";
    for (std::size_t before = 0; before < i; ++before)
      if (rows[before].name == rows[i].name) throw "two values have the same name";
    table.names[i] = rows[i].name;
  }
  return table;
}

template <class Enum, std::size_t N>
consteval name_table<N> enum_names(const enum_name<Enum> (&rows)[N]) {
  return enum_names(std::to_array(rows), &enum_name<Enum>::value);
}

/// Specialised for each enumeration that has names:
///   template <>
///   inline constexpr auto enum_table<light> = enum_names<light>({{light::on, "on"}, {light::off, "off"}});
template <class Enum>
inline constexpr int enum_table = 0;

template <class Enum>
concept named_enum = requires { enum_table<Enum>.names; };

/// The number of values.
template <named_enum Enum>
inline constexpr std::size_t enum_count = enum_table<Enum>.size();

template <named_enum Enum>
constexpr std::string_view to_string(Enum value) noexcept {
  return enum_table<Enum>.names[static_cast<std::size_t>(value)];
}

/// nullopt if no value has this name.
template <named_enum Enum>
constexpr std::optional<Enum> parse_name(std::string_view text) noexcept {
  for (std::size_t i = 0; i < enum_count<Enum>; ++i)
    if (enum_table<Enum>.names[i] == text) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace gateway
