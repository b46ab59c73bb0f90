// Forward declarations of the main types of http/, for headers that only refer to them.
#pragma once

namespace gateway::http {

// messages
struct request;
struct response;

// server
class asio_actor;
struct server_context;
struct worker;

// calls
struct call;
class event_followers;
struct endpoint;
struct services;

// slices
struct member_visit;
struct operator_console;

}  // namespace gateway::http
