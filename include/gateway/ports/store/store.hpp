// The whole port of the store, for those that implement it: reads, and units of work that commit whole or not at all.
// Actors in persistence/ do; each owns a database connection. Others include the part that they need.
#pragma once

#include "gateway/ports/store/maintenance.hpp"
#include "gateway/ports/store/questions.hpp"
#include "gateway/ports/store/unit_of_work.hpp"
