// What the calls of motion_kill_test.cpp, which stand for the C library's in this program, are to answer.
#pragma once

namespace marey::fake {

inline int interrupted_calls = 0;        // so many of the next pwrite and pread end with EINTR
inline int renames_without_refusal = 0;  // the error of renames that are to refuse by themselves; 0: they know how
inline int sync_error = 0;               // of a file on disk; 0: it goes

}  // namespace marey::fake
