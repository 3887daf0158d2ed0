# Doxygen's input filter: Marey's comments are plain //, and stand before what they speak of or at the end of its line. This
# turns them into the ones Doxygen reads. The comment at the top of a file is the file's own. Rulers (// ----) and words to
# tools stay as they are.
1s,^// ?(.*),/// \\file\n/// \1,
/^ *\/\/ -{4}|NOLINT/b
s,^( *)// ?([^/].*)?$,\1/// \2,
s,^( *[^ /].*[^ ]) +// (.*)$,\1  ///< \2,
/^ *\/\/\//s,<([a-z]+)>,\\<\1>,g
