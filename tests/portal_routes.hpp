// Every route of a merchant's pages, for the tests that call each with ids of another merchant or person. A unit test
// compares this list with the route table.
#pragma once

#include <array>
#include <string_view>

namespace gateway::tests {

struct portal_route {
  std::string_view method;
  std::string_view pattern;
};

inline constexpr auto portal_routes = std::to_array<portal_route>({
    {"GET", "/portal/{merchant}/{mode}"},
    {"GET", "/portal/{merchant}/{mode}/"},
    {"GET", "/portal/{merchant}/{mode}/payments"},
    {"GET", "/portal/{merchant}/{mode}/payments.csv"},
    {"GET", "/portal/{merchant}/{mode}/payments/{id}"},
    {"POST", "/portal/{merchant}/{mode}/payments/{id}"},
    {"GET", "/portal/{merchant}/{mode}/disputes"},
    {"GET", "/portal/{merchant}/{mode}/subscriptions"},
    {"GET", "/portal/{merchant}/{mode}/subscriptions/{id}"},
    {"POST", "/portal/{merchant}/{mode}/subscriptions/{id}"},
    {"GET", "/portal/{merchant}/{mode}/customers"},
    {"GET", "/portal/{merchant}/{mode}/customers/{id}"},
    {"GET", "/portal/{merchant}/{mode}/keys"},
    {"POST", "/portal/{merchant}/{mode}/keys"},
    {"GET", "/portal/{merchant}/{mode}/destinations"},
    {"POST", "/portal/{merchant}/{mode}/destinations"},
    {"GET", "/portal/{merchant}/{mode}/destinations/{id}"},
    {"POST", "/portal/{merchant}/{mode}/destinations/{id}"},
    {"GET", "/portal/{merchant}/{mode}/deliveries/{id}"},
    {"POST", "/portal/{merchant}/{mode}/deliveries/{id}"},
    {"GET", "/portal/{merchant}/{mode}/connections"},
    {"POST", "/portal/{merchant}/{mode}/connections"},
    {"GET", "/portal/{merchant}/{mode}/platforms"},
    {"POST", "/portal/{merchant}/{mode}/platforms"},
    {"GET", "/portal/{merchant}/{mode}/team"},
    {"POST", "/portal/{merchant}/{mode}/team"},
    {"GET", "/portal/{merchant}/{mode}/branding"},
    {"POST", "/portal/{merchant}/{mode}/branding"},
    {"GET", "/portal/{merchant}/{mode}/audit"},
});

}  // namespace gateway::tests
