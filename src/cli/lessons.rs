//! The lessons of `samples`, which the program carries with it: examples for `visim explain`.

/// A lesson.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// Its path in the repository.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl Lesson {
    /// What it is about: the first sentence of its first comment.
    pub fn title(&self) -> &'static str {
        let line = self.text.lines().next().unwrap_or_default();
        let line = line.trim_start_matches('/').trim();
        let line = line.split_once(": ").map_or(line, |(_, rest)| rest);
        line.split_once(". ")
            .map_or(line, |(first, _)| first)
            .trim_end_matches('.')
    }

    /// Its lines that are no comments and have a word, numbered from 1. Words end where identifiers do.
    pub fn lines_with<'l>(
        &self,
        word: &'l str,
    ) -> impl Iterator<Item = (usize, &'static str)> + 'l {
        let lines = (1..).zip(self.text.lines());
        lines.filter(move |(_, line)| !line.trim_start().starts_with("//") && has_word(line, word))
    }

    /// Its comments that begin with a directive, numbered from 1.
    pub fn directives<'l>(
        &self,
        keyword: &'l str,
    ) -> impl Iterator<Item = (usize, &'static str)> + 'l {
        let lines = (1..).zip(self.text.lines());
        lines.filter(move |(_, line)| {
            let rest = line.trim_start().strip_prefix("//").map(str::trim_start);
            let rest = rest.and_then(|rest| rest.strip_prefix(keyword));
            rest.is_some_and(|rest| rest.starts_with([' ', ':']))
        })
    }
}

fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

macro_rules! lessons {
    ($($path:literal)*) => {
        /// All of them, in the order of the course.
        pub static LESSONS: &[Lesson] = &[
            $(Lesson { path: $path, text: include_str!(concat!("../../", $path)) }),*
        ];
    };
}

lessons! {
    "samples/01-first-mov.visa"
    "samples/02-regions.visa"
    "samples/03-conversions.visa"
    "samples/04-predicates.visa"
    "samples/05-alias-and-indirect.visa"
    "samples/06-media-ld-inside.visa"
    "samples/07-media-ld-edge.visa"
    "samples/08-invert-photo.visa"
    "samples/09-fields.visa"
    "samples/10-nv12-planes.visa"
    "samples/11-load-3d.visa"
    "samples/12-channels-and-offsets.visa"
    "samples/13-avs-one-block.visa"
    "samples/14-avs-decimated.visa"
    "samples/15-avs-photo.visa"
    "samples/16-bilinear.visa"
    "samples/17-levels.visa"
    "samples/18-shadow.visa"
    "samples/19-turned-photo.visa"
    "samples/20-anisotropic.visa"
    "samples/21-mip-levels.visa"
    "samples/22-blocks.visa"
    "samples/23-tiles.visa"
    "samples/24-slices-and-parts.visa"
    "samples/25-cube.visa"
    "samples/27-footprint.visa"
    "samples/30-break.visa"
    "samples/31-sanitizer.visa"
    "samples/32-race.visa"
    "samples/33-trace.visa"
    "samples/34-stats.visa"
    "samples/35-avs-adaptive.visa"
    "samples/36-avs-sharpen.visa"
    "samples/37-sample-unorm.visa"
    "samples/38-deinterlace.visa"
    "samples/39-denoise.visa"
    "samples/sends/40-sends-math.send"
    "samples/sends/41-sends-scratch.send"
    "samples/sends/42-sends-scatter.send"
    "samples/sends/43-sends-target.send"
    "samples/44-math-table.visa"
    "samples/45-if-else.visa"
    "samples/46-loop.visa"
    "samples/47-call.visa"
    "samples/48-atomics.visa"
    "samples/49-barrier.visa"
    "samples/50-xe2.visa"
    "samples/tld/01-one-texel.tld"
    "samples/tld/02-mask-and-guard.tld"
    "samples/tld/03-edges.tld"
    "samples/tld/04-levels.tld"
    "samples/tld/05-arrays.tld"
    "samples/tld/06-bindless.tld"
    "samples/tld/07-block-linear.tld"
    "samples/tld/08-beside-load-3d.tld"
}
