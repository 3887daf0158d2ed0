// Files that are put together beside their place and take it in one stroke, shared by all that is exported.
#pragma once

#include <functional>
#include <string>

#include "marey/io/disk.h"
#include "marey/io/motion.h"

namespace marey {

// Refuses names that may not be written, and files that are no earlier ones of this kind: of those that begin with `begins` or, where
// nothing is known of that, are called `extension`. `what` is "table".
void check_may_write(const std::string& name, Existing, const std::string& what, const std::string& extension,
                     const std::string& begins);
void write_whole_file(const std::string& name, Existing, const std::function<void(DiskFile&)>& write_to);

}  // namespace marey
