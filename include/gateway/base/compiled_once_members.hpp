// For the source that compiles a compiled_once variant:
//   template class gateway::compiled_once<inserted_row::variant_type>;
//   template struct gateway::constructors<inserted_row::variant_type>;
#pragma once

#include <memory>
#include <utility>

#include "gateway/base/compiled_once.hpp"

namespace gateway {

template <class Variant>
compiled_once<Variant>::compiled_once() = default;
template <class Variant>
template <class T>
  requires is_alternative<T, Variant>
compiled_once<Variant>::compiled_once(T what) : Variant(std::in_place_type<T>, std::move(what)) {}
template <class Variant>
compiled_once<Variant>::compiled_once(const compiled_once& other) = default;
template <class Variant>
compiled_once<Variant>::compiled_once(compiled_once&& other) noexcept = default;
template <class Variant>
compiled_once<Variant>& compiled_once<Variant>::operator=(const compiled_once& other) {
  if (this != &other) {
    compiled_once copy{other};
    *this = std::move(copy);
  }
  return *this;
}
/// Assigns through the move constructor: the variant's own assignment would compile another table of all pairs of
/// alternatives.
template <class Variant>
compiled_once<Variant>& compiled_once<Variant>::operator=(compiled_once&& other) noexcept {
  if (this != &other) {
    std::destroy_at(this);
    std::construct_at(this, std::move(other));
  }
  return *this;
}
template <class Variant>
compiled_once<Variant>::~compiled_once() = default;

/// Uses the constructor from each alternative, so that each is compiled.
template <class Variant>
struct constructors;
template <class... Alternatives>
struct constructors<std::variant<Alternatives...>> {
  static void use(compiled_once<std::variant<Alternatives...>>* into, Alternatives*... from) {
    (std::construct_at(into, std::move(*from)), ...);
  }
};

}  // namespace gateway
