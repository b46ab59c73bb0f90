// Boost.PFR enumerates the members, so that none is forgotten: a new member is packed, and changes the version.

#include "wire.hpp"

#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <boost/pfr/core.hpp>

namespace gateway::actors {

namespace {

/// Increment it if the meaning of a value changes but no type does, for example an enumerator's number.
constexpr std::uint64_t meaning = 2;

// ---- kinds of types -------------------------------------------------------------------------------

template <class T>
struct is_strong_id : std::false_type {};
template <class Tag>
struct is_strong_id<strong_id<Tag>> : std::true_type {};

template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

template <class T>
struct is_map : std::false_type {};
template <class Key, class T, class Compare>
struct is_map<std::map<Key, T, Compare>> : std::true_type {};

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};

template <class T>
struct is_variant : std::false_type {};
template <class... T>
struct is_variant<std::variant<T...>> : std::true_type {
  using type = std::variant<T...>;
};
template <class T>
  requires requires { typename T::variant_type; }
struct is_variant<T> : is_variant<typename T::variant_type> {};
template <class T>
using variant_in = typename is_variant<T>::type;

template <class T>
struct is_pair : std::false_type {};
template <class A, class B>
struct is_pair<std::pair<A, B>> : std::true_type {};

template <class T>
struct is_shared : std::false_type {};
template <class T>
struct is_shared<std::shared_ptr<const T>> : std::true_type {};

template <class T>
struct is_time : std::false_type {};
template <class Clock, class Duration>
struct is_time<std::chrono::time_point<Clock, Duration>> : std::true_type {};
template <class Rep, class Period>
struct is_time<std::chrono::duration<Rep, Period>> : std::true_type {};

template <class T>
constexpr bool is_plain_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// ---- enumerations ---------------------------------------------------------------------------------

/// Whether an enumeration has an enumerator of this value: the compiler prints those by name, and others as a cast.
template <auto Value>
constexpr bool has_name() noexcept {
  constexpr std::string_view signature = __PRETTY_FUNCTION__, before = "Value = ";
  constexpr auto at = signature.rfind(before);
  static_assert(at != signature.npos);
  return signature[at + before.size()] != '(';
}

constexpr std::size_t most_enumerators = 64;

/// A bit for each value that has an enumerator.
template <class Enum, std::size_t... I>
constexpr std::uint64_t enumerators_among(std::index_sequence<I...>) noexcept {
  return (0 | ... | (has_name<static_cast<Enum>(I)>() ? std::uint64_t{1} << I : 0));
}

template <class Enum>
constexpr bool is_enumerator(std::underlying_type_t<Enum> value) noexcept {
  constexpr auto all = enumerators_among<Enum>(std::make_index_sequence<most_enumerators>{});
  static_assert(all != 0 && all >> (most_enumerators - 1) == 0, "all enumerators are below this bound");
  static_assert(std::is_unsigned_v<std::underlying_type_t<Enum>>);
  return value < most_enumerators && (all >> value & 1) != 0;
}

// ---- the layout -----------------------------------------------------------------------------------

constexpr std::uint64_t fold(std::uint64_t seed, std::uint64_t next) noexcept { return mixed(seed ^ mixed(next + 1)); }

template <class T>
constexpr std::uint64_t layout_of() noexcept;

template <class... T>
constexpr std::uint64_t layout_of_all(std::uint64_t seed) noexcept {
  ((seed = fold(seed, layout_of<T>())), ...);
  return seed;
}

template <class Variant, std::size_t... I>
constexpr std::uint64_t layout_of_variant(std::index_sequence<I...>) noexcept {
  return layout_of_all<std::variant_alternative_t<I, Variant>...>(5);
}

template <class T, std::size_t... I>
constexpr std::uint64_t layout_of_members(std::index_sequence<I...>) noexcept {
  return layout_of_all<boost::pfr::tuple_element_t<I, T>...>(11);
}

template <class T>
constexpr std::uint64_t layout_of() noexcept {
  if constexpr (std::is_same_v<T, bool>)
    return 1;
  else if constexpr (is_plain_number<T>)
    return fold(2, sizeof(T));
  else if constexpr (std::is_same_v<T, std::string> || is_strong_id<T>::value)
    return 3;
  else if constexpr (std::is_same_v<T, currency>)
    return 4;
  else if constexpr (is_variant<T>::value)
    return layout_of_variant<variant_in<T>>(std::make_index_sequence<std::variant_size_v<variant_in<T>>>{});
  else if constexpr (is_vector<T>::value)
    return fold(6, layout_of<typename T::value_type>());
  else if constexpr (is_map<T>::value)
    return layout_of_all<typename T::key_type, typename T::mapped_type>(12);
  else if constexpr (is_optional<T>::value)
    return fold(7, layout_of<typename T::value_type>());
  else if constexpr (is_pair<T>::value)
    return layout_of_all<typename T::first_type, typename T::second_type>(8);
  else if constexpr (is_shared<T>::value)
    return fold(9, layout_of<std::remove_const_t<typename T::element_type>>());
  else if constexpr (is_time<T>::value)
    return 10;
  else
    return layout_of_members<T>(std::make_index_sequence<boost::pfr::tuple_size_v<T>>{});
}

// ---- packing --------------------------------------------------------------------------------------

class packer {
 public:
  explicit packer(std::string& into) : out_{into} {}

  template <class T>
  void put(const T& x) {
    if constexpr (is_plain_number<T>) {
      char bytes[sizeof(T)];
      std::memcpy(bytes, &x, sizeof(T));
      out_.append(bytes, sizeof(T));
    } else if constexpr (std::is_same_v<T, std::string>) {
      put(static_cast<std::uint32_t>(x.size()));
      out_.append(x);
    } else if constexpr (is_strong_id<T>::value) {
      put(x.value);
    } else if constexpr (std::is_same_v<T, currency>) {
      out_.append(x.code());
    } else if constexpr (is_variant<T>::value) {
      put(static_cast<std::uint8_t>(x.index()));
      std::visit([this](const auto& one) { this->put(one); }, x);
    } else if constexpr (is_vector<T>::value || is_map<T>::value) {
      put(static_cast<std::uint32_t>(x.size()));
      for (const auto& each : x) put(each);
    } else if constexpr (is_optional<T>::value || is_shared<T>::value) {
      put(static_cast<bool>(x));
      if (x) put(*x);
    } else if constexpr (is_pair<T>::value) {
      put(x.first);
      put(x.second);
    } else if constexpr (requires { x.time_since_epoch(); }) {
      put(static_cast<std::int64_t>(x.time_since_epoch().count()));
    } else if constexpr (is_time<T>::value) {
      put(static_cast<std::int64_t>(x.count()));
    } else {
      boost::pfr::for_each_field(x, [this](const auto& member) { this->put(member); });
    }
  }

 private:
  std::string& out_;
};

// ---- unpacking ------------------------------------------------------------------------------------

/// Stops reading at the first malformed value.
class unpacker {
 public:
  explicit unpacker(std::string_view bytes) : left_{bytes} {}

  bool whole() const noexcept { return good_ && left_.empty(); }

  template <class T>
  void get(T& x) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      get(byte);
      if (byte > 1) good_ = false;
      x = byte == 1;
    } else if constexpr (std::is_enum_v<T>) {
      // Another node may send a value without an enumerator, which no switch and no table handles.
      const auto number = get_number<std::underlying_type_t<T>>();
      if (is_enumerator<T>(number))
        x = static_cast<T>(number);
      else
        good_ = false;
    } else if constexpr (is_plain_number<T>) {
      if (const auto bytes = take(sizeof(T)); good_) bytes.copy(reinterpret_cast<char*>(&x), sizeof(T));
    } else if constexpr (std::is_same_v<T, std::string>) {
      x = std::string{take(get_number<std::uint32_t>())};
    } else if constexpr (is_strong_id<T>::value) {
      get(x.value);
    } else if constexpr (std::is_same_v<T, currency>) {
      const auto code = take(currency{}.code().size());
      if (const auto known = currency::parse(code))
        x = *known;
      else if (code != currency{}.code())
        good_ = false;
    } else if constexpr (is_variant<T>::value) {
      get_variant(x, get_number<std::uint8_t>(), std::make_index_sequence<std::variant_size_v<variant_in<T>>>{});
    } else if constexpr (is_vector<T>::value) {
      get_vector(x);
    } else if constexpr (is_map<T>::value) {
      for (auto left = get_number<std::uint32_t>(); good_ && left > 0; --left) {
        std::pair<typename T::key_type, typename T::mapped_type> entry;
        get(entry);
        x.insert(std::move(entry));
      }
    } else if constexpr (is_optional<T>::value) {
      if (get_number<bool>()) get(x.emplace());
    } else if constexpr (is_shared<T>::value) {
      if (!get_number<bool>()) return;
      auto made = std::make_shared<std::remove_const_t<typename T::element_type>>();
      get(*made);
      x = std::move(made);
    } else if constexpr (is_pair<T>::value) {
      get(x.first);
      get(x.second);
    } else if constexpr (requires { x.time_since_epoch(); }) {
      x = T{typename T::duration{get_number<std::int64_t>()}};
    } else if constexpr (is_time<T>::value) {
      x = T{get_number<std::int64_t>()};
    } else {
      boost::pfr::for_each_field(x, [this](auto& member) { this->get(member); });
    }
  }

 private:
  std::string_view take(std::size_t size) {
    if (!good_ || size > left_.size()) {
      good_ = false;
      return {};
    }
    const auto taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  template <class Number>
  Number get_number() {
    Number x{};
    get(x);
    return x;
  }

  /// Each item has at least one byte, so a length beyond the bytes left is rejected before anything is allocated.
  template <class T>
  void get_vector(std::vector<T>& x) {
    const auto size = get_number<std::uint32_t>();
    if (size > left_.size()) good_ = false;
    if (!good_) return;
    x.clear();
    x.reserve(size);
    for (std::uint32_t i = 0; i < size && good_; ++i) get(x.emplace_back());
  }

  template <class Variant, std::size_t... I>
  void get_variant(Variant& x, std::size_t index, std::index_sequence<I...>) {
    const bool known = ((index == I && (get(x.template emplace<I>()), true)) || ...);
    if (!known) good_ = false;
  }

  std::string_view left_;
  bool good_ = true;
};

/// The part of a request that is passed.
struct passed_request {
  entity_key key;
  std::optional<idempotency> write;
  entity_command what;
  std::optional<asked_by> by;
  std::string request_id;
  std::shared_ptr<const save_audit> note;
  trace_context trace;
  std::int64_t traced_from = 0;
};

}  // namespace

std::uint64_t message_version() noexcept {
  static_assert(boost::pfr::tuple_size_v<entity_request> == boost::pfr::tuple_size_v<passed_request> + 1,
                "what is new in a request is passed, too, but for the admission");
  constexpr auto version = layout_of_all<passed_request, entity_reply>(meaning);
  return version;
}

std::string packed(const entity_request& request) {
  std::string bytes;
  packer out{bytes};
  out.put(request.key);
  out.put(request.write);
  out.put(request.what);
  out.put(request.by);
  out.put(request.request_id);
  out.put(request.note);
  out.put(request.trace);
  out.put(request.traced_from);
  return bytes;
}

std::string packed(const entity_reply& reply) {
  std::string bytes;
  packer{bytes}.put(reply);
  return bytes;
}

std::optional<entity_request> unpacked_request(std::string_view bytes) {
  unpacker in{bytes};
  passed_request request;
  in.get(request);
  if (!in.whole()) return std::nullopt;
  return entity_request{std::move(request.key), std::move(request.write),      std::move(request.what), {},
                        std::move(request.by),  std::move(request.request_id), std::move(request.note), request.trace,
                        request.traced_from};
}

std::optional<entity_reply> unpacked_reply(std::string_view bytes) {
  unpacker in{bytes};
  entity_reply reply;
  in.get(reply);
  if (!in.whole()) return std::nullopt;
  return reply;
}

}  // namespace gateway::actors
