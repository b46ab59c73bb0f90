// The whole port of the store: questions, maintenance, and units of work that commit whole or not at all. Actors in
// persistence/ implement it; each owns a database connection. Other code includes only the headers that it needs.
#pragma once

#include "gateway/ports/store/maintenance.hpp"
#include "gateway/ports/store/questions.hpp"
#include "gateway/ports/store/unit_of_work.hpp"
