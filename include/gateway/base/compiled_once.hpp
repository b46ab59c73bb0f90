// A std::variant that is expensive to compile, compiled in one source instead of in each source that uses it.
#pragma once

#include <concepts>
#include <type_traits>
#include <variant>

namespace gateway {

template <class T, class Variant>
inline constexpr bool is_alternative = false;
template <class T, class... Alternatives>
inline constexpr bool is_alternative<T, std::variant<Alternatives...>> = (std::same_as<T, Alternatives> || ...);

/// `Variant`, read by std::visit, std::get and std::get_if like any other. Its construction, copies, moves and
/// destruction are declared here only: base/compiled_once_members.hpp defines them, which one source includes.
template <class Variant>
class compiled_once : public Variant {
 public:
  using variant_type = Variant;

  compiled_once();
  /// Never inlined: the source that defines the members must emit this for each alternative.
  template <class T>
    requires is_alternative<T, Variant>
  [[gnu::noinline]] compiled_once(T what);
  compiled_once(const compiled_once& other);
  compiled_once(compiled_once&& other) noexcept;
  compiled_once& operator=(const compiled_once& other);
  compiled_once& operator=(compiled_once&& other) noexcept;
  ~compiled_once();
};

}  // namespace gateway
