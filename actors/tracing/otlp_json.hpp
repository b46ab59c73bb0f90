// Spans as the body of a post to a collector: OTLP over HTTP in JSON. Pure.
//
// Sources: https://opentelemetry.io/docs/specs/otlp/ (JSON Protobuf Encoding: trace and span ids in hex, enumerators as
// numbers, 64-bit integers as strings), and opentelemetry-proto, trace/v1/trace.proto and collector/trace/v1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/tracing.hpp"

namespace gateway::actors {

/// The process that recorded the spans.
struct trace_source {
  std::string service;  ///< service.name
  std::string instance;  ///< service.instance.id; empty: omitted
};

/// An ExportTraceServiceRequest.
std::string otlp_json(const trace_source& of, const std::vector<span>& spans);

/// Reads an ExportTraceServiceResponse: how many spans the collector rejected although it accepted the others. An
/// unreadable answer counts as 0.
std::uint64_t rejected_spans(std::string_view answer);

}  // namespace gateway::actors
