// Where the programs, the project and the tests' own files lie.
#pragma once

#include <filesystem>
#include <string_view>

namespace gateway::e2e {

/// Of `gatewayd` and `gatewayctl`.
std::filesystem::path program(std::string_view name);
std::filesystem::path project_root();
/// `<build>/end_to_end`, made if need be.
std::filesystem::path work_folder();
/// A fresh folder in it.
std::filesystem::path new_folder(std::string_view prefix);
/// GATEWAY_KEEP_DATA is set: leave databases and logs behind for a look.
bool keeps_data();

}  // namespace gateway::e2e
