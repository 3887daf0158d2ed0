// The scene with what has been found in it.
#pragma once

#include "search/trials.h"

namespace marey {

// As the user wrote it, comments and all, where that is possible; otherwise written anew.
std::string found_text(const SceneSpec&, const std::vector<SearchMark>&, const std::vector<std::string>& numbers,
                       const std::vector<Want>&, const std::vector<WantedOutcome>&);

}  // namespace marey
