// Where the programs, the project and the tests' own files are.
#pragma once

#include <filesystem>
#include <string_view>

namespace gateway::e2e {

/// The path of `gatewayd` or `gatewayctl`.
std::filesystem::path program(std::string_view name);
std::filesystem::path project_root();
/// `<build>/end_to_end`, created if it does not exist.
std::filesystem::path work_folder();
/// A fresh folder in it.
std::filesystem::path new_folder(std::string_view prefix);
/// GATEWAY_KEEP_DATA is set: databases and logs are kept for inspection.
bool keeps_data();

}  // namespace gateway::e2e
