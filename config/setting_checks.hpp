#pragma once

#include "gateway/settings.hpp"

namespace gateway {

/// Checks what the bounds of single settings do not cover. Throws a bad_value that names the setting.
void check_settings(const settings& s);

}  // namespace gateway
