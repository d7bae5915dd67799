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
    }

    /// Always there.
    pub fn wide() -> Option<Wide> {
        Some(Wide(()))
    }
}
