// A sanitizer looks at each line that runs, not at how often it runs. What is repeated many times for the sake of physics
// or chance is repeated less often in a sanitized build; the Release build runs all of it.
#pragma once

namespace marey {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// Every nth of a row of cases in a sanitized build, every single one otherwise.
constexpr int every(int nth) { return sanitized ? nth : 1; }

}  // namespace marey
