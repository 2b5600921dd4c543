//! Masks that fill and drop, gates, slopes and interpolation.

use super::{ANY, DISTINCT, NONZERO, POSITIVE};
use shapeproof::prelude::*;
use shapeproof::rand_core::TryRng;
use std::convert::Infallible;

/// The smallest and the largest word in turn: dropout drops every other element.
struct Alternating(bool);

impl TryRng for Alternating {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.try_next_u64()? as u32)
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 = !self.0;
        Ok(if self.0 { 0 } else { u64::MAX })
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(0);
        Ok(())
    }
}

super::rows! { E;
    "masked_fill" (x: [3, 4] in ANY, m: [3, 4] in DISTINCT) => x.masked_fill(&m.gt(E::of(0.0)), E::of(0.5));
    "masked_fill" (x: [3, 4] in ANY, m: [4] in DISTINCT) => x.masked_fill(&m.gt(E::of(0.0)), E::of(0.5));
    "masked_fill" (x: [2, 3, 4] in ANY, m: [3, 1] in DISTINCT) => x.masked_fill(&m.gt(E::of(0.0)), E::of(0.5));
    "masked_fill" (x: [37] in ANY, m: [] in DISTINCT) => x.masked_fill(&m.gt(E::of(3.0)), E::of(0.5));
    "dropout(0.4)" (x in ANY) over [[], [37], [3, 4], [0, 3]] => x.dropout(0.4, true, &mut Alternating(false));
    "dropout(1)" (x in ANY) over [[5]] => x.dropout(1.0, true, &mut Alternating(false));
    "lerp(0.3)" (a in ANY, b in ANY) over [[] [], [37] [37], [3, 4] [4], [3, 1] [1, 4], [0, 3] [3]] => a.lerp(&b, E::of(0.3));
    "lerp_by" (a: [3, 4] in ANY, b: [3, 4] in ANY, w: [3, 4] in ANY) => a.lerp_by(&b, &w);
    "lerp_by" (a: [3, 4] in ANY, b: [3, 4] in ANY, w: [] in ANY) => a.lerp_by(&b, &w);
    "lerp_by" (a: [37] in ANY, b: [2, 1] in ANY, w: [37] in ANY) => a.lerp_by(&b, &w);
    "lerp_by" (a: [3, 1] in ANY, b: [1, 4] in ANY, w: [3, 1] in ANY) => a.lerp_by(&b, &w);
    "lerp_by" (a: [0, 3] in ANY, b: [3] in ANY, w: [] in ANY) => a.lerp_by(&b, &w);
    "lerp(0.8)" (a in ANY, b in ANY) over [[37] [37], [3] [2, 3]] => a.lerp(&b, E::of(0.8));
    "prelu" (x in NONZERO, w in POSITIVE) over [[] [], [37] [37], [3, 4] [], [3, 4] [4], [2, 3, 4] [3, 1], [0, 3] [3]] => x.prelu(&w);
    "glu 0" (x in ANY) over [[2], [8], [6, 3], [0, 3]] => x.glu::<0>();
    "glu 1" (x in ANY) over [[3, 4], [2, 6, 2], [0, 4], [3, 74]] => x.glu::<1>();
    "glu_as 1" (x in ANY) over [[3, 4]] => x.glu_as::<1, Dim<2>>();
}
