//! Instructions that not every host has. They change how soon a result is there, never the result.

/// Whether wide instructions multiply and add with one rounding.
pub const FUSED: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

#[cfg(target_arch = "x86_64")]
pub use x86::{Wide, wide};

#[cfg(not(target_arch = "x86_64"))]
pub use other::{Wide, wide};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use pulp::x86::V3;

    /// Proof that the host has AVX2 and FMA.
    #[derive(Clone, Copy, Debug)]
    pub struct Wide(V3);

    impl Wide {
        /// Runs what is inlined into `f` in wide instructions.
        #[inline(always)]
        pub fn run<R>(self, f: impl FnOnce() -> R) -> R {
            self.0.vectorize(f)
        }

        /// Sixteen bytes in a register as a whole. What is put together from parts the compiler puts together anew
        /// wherever it is used.
        #[inline(always)]
        pub fn bytes(self, [low, high]: [u64; 2]) -> [u8; 16] {
            let (low, high) = (low.cast_signed(), high.cast_signed());
            pulp::cast(self.0.sse2._mm_set_epi64x(high, low))
        }

        /// The highest bits of eight dwords, the first one's in bit 0.
        #[inline(always)]
        pub fn signs(self, dwords: [u32; 8]) -> u32 {
            let signs = self.0.avx._mm256_movemask_ps(pulp::cast(dwords));
            signs as u32
        }

        /// For each of sixteen places the sum of bytes times taps, two of each at a time: the bytes are those that `order`
        /// says, of the first sixteen for the first eight places and of the others for the rest. Where there are more
        /// pairs than bytes to pick from, each next one of several is two bytes further on. No two products may add
        /// up to more than 16 bits hold.
        #[inline(always)]
        pub fn sums_of_bytes<const LOADS: usize, const PAIRS: usize>(
            self,
            bytes: [[[u8; 16]; 2]; LOADS],
            order: &[u8; 32],
            taps: &[[i8; 32]; PAIRS],
        ) -> [i16; 16] {
            let V3 { avx, avx2, .. } = self.0;
            let mut sums = avx._mm256_setzero_si256();
            for ([low, high], taps) in bytes.iter().zip(taps.chunks(PAIRS.div_ceil(LOADS))) {
                let both = avx._mm256_set_m128i(pulp::cast(*high), pulp::cast(*low));
                for (taps, further) in taps.iter().zip([0, 2, 4, 6]) {
                    let further = avx._mm256_set1_epi8(further);
                    let order = avx2._mm256_add_epi8(pulp::cast(*order), further);
                    let pairs = avx2._mm256_shuffle_epi8(both, order);
                    let products = avx2._mm256_maddubs_epi16(pairs, pulp::cast(*taps));
                    sums = avx2._mm256_add_epi16(sums, products);
                }
            }
            pulp::cast(sums)
        }

        /// For each of sixteen places the sum of words times taps, rounded to whole multiples of 2 to the `SHIFT` and
        /// limited to what 16 bits without a sign hold.
        #[inline(always)]
        pub fn sums_of_words<const PAIRS: usize, const SHIFT: i32>(
            self,
            words: &[[[i16; 16]; 2]; PAIRS],
            taps: &[[i16; 2]; PAIRS],
        ) -> [u16; 16] {
            let V3 { avx, avx2, .. } = self.0;
            let half = avx._mm256_set1_epi32(1 << (SHIFT - 1));
            let (mut low, mut high) = (half, half);
            for ([a, b], taps) in words.iter().zip(taps) {
                let (a, b) = (pulp::cast(*a), pulp::cast(*b));
                let taps = avx._mm256_set1_epi32(pulp::cast(*taps));
                let products = avx2._mm256_madd_epi16(avx2._mm256_unpacklo_epi16(a, b), taps);
                low = avx2._mm256_add_epi32(low, products);
                let products = avx2._mm256_madd_epi16(avx2._mm256_unpackhi_epi16(a, b), taps);
                high = avx2._mm256_add_epi32(high, products);
            }
            let low = avx2._mm256_srai_epi32::<SHIFT>(low);
            let high = avx2._mm256_srai_epi32::<SHIFT>(high);
            pulp::cast(avx2._mm256_packus_epi32(low, high))
        }
    }

    /// Wide instructions, if the host has them.
    pub fn wide() -> Option<Wide> {
        V3::try_new().map(Wide)
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod other {
    /// What every host of its kind has.
    #[derive(Clone, Copy, Debug)]
    pub struct Wide(());

    impl Wide {
        /// Runs `f`.
        #[inline(always)]
        pub fn run<R>(self, f: impl FnOnce() -> R) -> R {
            f()
        }

        /// Sixteen bytes.
        #[inline(always)]
        pub fn bytes(self, pair: [u64; 2]) -> [u8; 16] {
            wide::bytemuck::cast(pair.map(u64::to_le))
        }

        /// The highest bits of eight dwords, the first one's in bit 0.
        #[inline(always)]
        pub fn signs(self, dwords: [u32; 8]) -> u32 {
            let lanes = dwords.iter().rev();
            lanes.fold(0, |signs, dword| signs << 1 | dword >> 31)
        }

        /// For each of sixteen places the sum of bytes times taps, two of each at a time: the bytes are those that `order`
        /// says, of the first sixteen for the first eight places and of the others for the rest. Where there are more
        /// pairs than bytes to pick from, each next one of several is two bytes further on. No two products may add
        /// up to more than 16 bits hold.
        #[inline(always)]
        pub fn sums_of_bytes<const LOADS: usize, const PAIRS: usize>(
            self,
            bytes: [[[u8; 16]; 2]; LOADS],
            order: &[u8; 32],
            taps: &[[i8; 32]; PAIRS],
        ) -> [i16; 16] {
            let mut sums = [0i16; 16];
            for (halves, taps) in bytes.iter().zip(taps.chunks(PAIRS.div_ceil(LOADS))) {
                for (taps, further) in taps.iter().zip([0, 2, 4, 6]) {
                    for (place, (&from, &tap)) in order.iter().zip(taps).enumerate() {
                        let byte = halves[place / 16][usize::from((from + further) % 16)];
                        let sum = &mut sums[place / 2];
                        *sum = sum.wrapping_add(i16::from(byte).wrapping_mul(i16::from(tap)));
                    }
                }
            }
            sums
        }

        /// For each of sixteen places the sum of words times taps, rounded to whole multiples of 2 to the `SHIFT` and
        /// limited to what 16 bits without a sign hold.
        #[inline(always)]
        pub fn sums_of_words<const PAIRS: usize, const SHIFT: i32>(
            self,
            words: &[[[i16; 16]; 2]; PAIRS],
            taps: &[[i16; 2]; PAIRS],
        ) -> [u16; 16] {
            let mut sums = [1 << (SHIFT - 1); 16];
            for (words, &tap) in words.as_flattened().iter().zip(taps.as_flattened()) {
                for (sum, &word) in sums.iter_mut().zip(words) {
                    *sum += i32::from(word) * i32::from(tap);
                }
            }
            sums.map(|sum: i32| (sum >> SHIFT).clamp(0, 0xffff) as u16)
        }
    }

    /// Always there.
    pub fn wide() -> Option<Wide> {
        Some(Wide(()))
    }
}
