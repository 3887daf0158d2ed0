// Short rounds with damaged scenes, formulas, units and motions: none of them crashes, hangs, eats the machine's memory or
// ends in a status that is not in CONVENTIONS.md, and what is refused is refused with its place. What once did lies in
// tests/fuzz/corpus and is read every time. More cases, another seed, or one case alone: MAREY_FUZZ_CASES, MAREY_FUZZ_SEED,
// MAREY_FUZZ_FIRST. Inputs that are at fault are left in MAREY_FUZZ_OUT, or in marey-fuzz among the temporary files.
#include "fuzz/rounds.h"

namespace marey {

TEST(Fuzz, Corpus) { fuzz::read_corpus(); }
TEST(Fuzz, Scenes) { fuzz::fuzz_scenes(fuzz::Round("Fuzz.Scenes", 400)); }
TEST(Fuzz, Formulas) { fuzz::fuzz_formulas(fuzz::Round("Fuzz.Formulas", 2000)); }
TEST(Fuzz, Units) { fuzz::fuzz_units(fuzz::Round("Fuzz.Units", 2000)); }
TEST(Fuzz, Motions) { fuzz::fuzz_motions(fuzz::Round("Fuzz.Motions", 200)); }

}  // namespace marey
