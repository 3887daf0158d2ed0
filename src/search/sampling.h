// Looking without derivatives: across impacts, and where there are several hollows.
#pragma once

#include <cstdint>

#include "search/trials.h"

namespace marey {

// So many points spread over all that may be: of each number, one in each of so many equal parts of what lies between its bounds
// (a latin hypercube). The best first.
std::vector<Trial> sample(Trials&, int points, std::uint64_t seed);

// Until something holds, at most so many runs; by NLopt.
void search_everywhere(Trials&, int runs, std::uint64_t seed);            // controlled random search (CRS2)
void search_around(Trials&, const Trial& from, double radius, int runs);  // simplices in subspaces (Sbplx)

}  // namespace marey
