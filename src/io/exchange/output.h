// Files that are put together beside their place and take it in one stroke, shared by all that is exported.
#pragma once

#include <functional>
#include <string>

#include "marey/io/disk.h"
#include "marey/io/motion.h"

namespace marey {

// Before anything is computed: refuses names that may not be written, motions and scenes. `what` is "table".
void check_may_write(const std::string& name, Existing, const std::string& what);
// Then what is no earlier file of its kind: one that begins with `begins` or, where nothing is known of that, is called `extension`.
void check_replaces_its_own(const std::string& name, const std::string& what, const std::string& extension,
                            const std::string& begins);
void write_whole_file(const std::string& name, Existing, const std::function<void(DiskFile&)>& write_to);

}  // namespace marey
