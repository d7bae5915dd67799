//! What is run: kernels as Intel's compiler printed them, and blocks of the media pipeline.

use super::inputs::{
    Element, blank, buffer, empty, fnv, image, int, noise, noise_f32, permutation, picture,
};
use std::path::Path;
use std::sync::Arc;
use visim::internals::check::CheckOptions;
use visim::internals::harness::front::Front;
use visim::internals::harness::kernel::CompiledFile;
use visim::internals::harness::load;
use visim::internals::isa::Platform;
use visim::internals::launch::kernel::{Argument, PreparedLaunch, Size};
use visim::internals::launch::{
    self, Bindings, Grid, Keep, NativeCode, Observer, RunOptions, Sampler, ThreadId,
};
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::program::Program;
use visim::internals::source::Source;
use visim::internals::surface::{Description, Format, Surface};

/// The devices whose texts are there.
pub const DEVICES: [&str; 2] = ["skl", "bmg"];

const FRAME: (u32, u32) = (1920, 1080);
const HD: (u32, u32) = (1280, 720);

/// A kernel, its work-items and its arguments.
#[derive(Clone, Copy)]
pub struct Work {
    /// The name of the kernel.
    pub name: &'static str,
    /// What `tools/peers` calls the work, or `compute.NAME`.
    pub workload: &'static str,
    /// Work-items, or output pixels.
    pub size: (u32, u32),
    unit: &'static str,
    /// What runs it.
    how: How,
}

#[derive(Clone, Copy)]
enum How {
    /// A kernel of a program in OpenCL C: the program, the group, the arguments, which of them is the result.
    Compiled {
        file: &'static str,
        group: (u32, u32),
        arguments: fn((u32, u32)) -> Vec<Argument>,
        result: (usize, Element),
    },
    /// 8-bit blocks of 32 by 8, read and written by a thread each.
    Copy,
    /// Blocks of 16 by 8 that AVS scales from a picture of another size, a thread each.
    Scale((u32, u32)),
}

const fn over_image(
    name: &'static str,
    workload: &'static str,
    result: (usize, Element),
    arguments: fn((u32, u32)) -> Vec<Argument>,
) -> Work {
    let how = How::Compiled {
        file: "kernels",
        group: (32, 1),
        arguments,
        result,
    };
    Work {
        name,
        workload,
        size: FRAME,
        unit: "pixel",
        how,
    }
}

const fn over_buffers(
    name: &'static str,
    workload: &'static str,
    size: (u32, u32),
    group: (u32, u32),
    result: (usize, Element),
    arguments: fn((u32, u32)) -> Vec<Argument>,
) -> Work {
    let how = How::Compiled {
        file: "compute",
        group,
        arguments,
        result,
    };
    Work {
        name,
        workload,
        size,
        unit: "item",
        how,
    }
}

const SQUARE: (u32, u32) = (1024, 1024);
const ROW: (u32, u32) = (1 << 20, 1);

fn count((width, height): (u32, u32)) -> usize {
    width as usize * height as usize
}

fn colours(size: (u32, u32)) -> Argument {
    image("RGBA", size, &noise(4 * count(size), 2))
}

fn floats(count: usize, seed: u32) -> Argument {
    buffer(&noise_f32(count, seed))
}

/// All of them. The inputs of the compute kernels are those of `compute.cpp`.
#[rustfmt::skip]
pub const WORK: &[Work] = &[
    over_image("copy", "W2.seq.rgba8", (1, Element::Float), |s| {
        vec![colours(s), empty(16 * s.0 * s.1), int(s.0)]
    }),
    over_image("scattered", "W2.rand.rgba8", (1, Element::Float), |s| {
        vec![colours(s), empty(16 * s.0 * s.1), int(s.0), buffer(&permutation(s.0, s.1))]
    }),
    over_image("bilinear", "W3.clamp.rgba8", (1, Element::Float), |s| {
        vec![colours(s), empty(16 * s.0 * s.1), int(s.0), int(s.1)]
    }),
    over_image("gauss5", "W5.gauss5", (1, Element::Byte), |s| vec![colours(s), blank("RGBA", s)]),
    over_image("sobel", "W5.sobel", (1, Element::Float), |s| {
        vec![colours(s), empty(4 * s.0 * s.1), int(s.0)]
    }),
    over_image("nv12", "W5.nv12", (2, Element::Byte), |s| {
        let luma = image("R", s, &noise(count(s), 6));
        let chroma = image("RG", (s.0 / 2, s.1 / 2), &noise(count(s) / 2, 7));
        vec![luma, chroma, blank("RGBA", s)]
    }),
    Work { size: SQUARE, ..over_image("mandelbrot", "W5.mandel", (0, Element::Count), |s| {
        vec![empty(4 * s.0 * s.1), int(s.0), int(256)]
    }) },
    over_buffers("matmul", "compute.matmul", (256, 256), (16, 16), (2, Element::Float), |s| {
        vec![floats(count(s), 11), floats(count(s), 12), empty(4 * s.0 * s.1), int(s.0)]
    }),
    over_buffers("reduce", "compute.reduce", ROW, (256, 1), (1, Element::Float), |s| {
        vec![floats(2 * count(s), 13), empty(s.0 / 64), int(2 * s.0)]
    }),
    over_buffers("histogram", "compute.histogram", (1 << 18, 1), (256, 1), (1, Element::Count), |s| {
        vec![buffer(&noise(16 * count(s), 14)), empty(1024), int(16 * s.0)]
    }),
    over_buffers("rowfilter", "compute.rowfilter", SQUARE, (32, 1), (1, Element::Float), |s| {
        vec![floats(count(s), 15), empty(4 * s.0 * s.1), int(s.0)]
    }),
    over_buffers("transpose", "compute.transpose", SQUARE, (16, 16), (1, Element::Float), |s| {
        vec![floats(count(s), 16), empty(4 * s.0 * s.1), int(s.0)]
    }),
    over_buffers("nbody", "compute.nbody", (1024, 1), (64, 1), (1, Element::Float), |s| {
        vec![floats(4 * count(s), 17), empty(16 * s.0), int(s.0)]
    }),
    over_buffers("crc", "compute.crc", (1 << 16, 1), (64, 1), (1, Element::Count), |s| {
        vec![buffer(&noise(64 * count(s), 18)), empty(4 * s.0), int(64)]
    }),
    over_buffers("bilateral", "compute.bilateral", (512, 512), (32, 1), (1, Element::Float), |s| {
        vec![floats(count(s), 19), empty(4 * s.0 * s.1), int(s.0), int(s.1)]
    }),
    Work { name: "media copy", workload: "W1.32x8", size: FRAME, unit: "pixel", how: How::Copy },
    Work { name: "avs down", workload: "W4.down.y8", size: HD, unit: "pixel", how: How::Scale(FRAME) },
    Work { name: "avs up", workload: "W4.up.y8", size: FRAME, unit: "pixel", how: How::Scale(HD) },
];

impl Work {
    /// The same on so many work-items or pixels.
    pub fn sized(self, size: (u32, u32)) -> Work {
        Work { size, ..self }
    }

    /// What the amount of work is counted in.
    pub fn unit(&self) -> &'static str {
        match self.workload.starts_with("W2") || self.workload.starts_with("W3") {
            true => "texel",
            false => self.unit,
        }
    }

    /// The devices that have a text of it: the media sampler and media blocks went before Xe2.
    pub fn devices(&self) -> &'static [&'static str] {
        match self.how {
            How::Compiled { .. } => &DEVICES,
            _ => &DEVICES[..1],
        }
    }

    /// Ready to run on a device, with arguments of its own.
    pub fn ready(&self, device: &str) -> Ready {
        match self.how {
            How::Compiled { .. } => self.compiled(device),
            How::Copy => self.copy(),
            How::Scale(from) => self.scale(from),
        }
    }

    fn compiled(&self, device: &str) -> Ready {
        let How::Compiled {
            file,
            group,
            arguments,
            result,
        } = self.how
        else {
            unreachable!("called of compiled kernels");
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/kernels");
        let path = folder.join(format!("{}.{device}.visaasm", self.name));
        let source = load::source(&path).unwrap_or_else(|e| panic!("{e}"));
        let check = CheckOptions {
            platform: Platform::from_name(device).expect("a platform"),
            finalizer: true,
            ..CheckOptions::default()
        };
        let front = Front::with(&source, &check);
        let description = folder.join(format!("{file}.{device}.zeinfo"));
        let file = CompiledFile::read(&description, self.name, None);
        let file = file.unwrap_or_else(|e| panic!("{}", e.message));
        let program = lower(&front.checked, self.name, &LowerOptions::default());
        let size = Size {
            work_dim: 2,
            global: [self.size.0, self.size.1, 1],
            local: [group.0, group.1, 1],
            offset: [0; 3],
            partial: false,
        };
        let prepared = file.prepare(&front.checked, self.name, arguments(self.size), &size);
        let launch = prepared.unwrap_or_else(|e| panic!("{}", e.message)).ready;
        Ready {
            program: program.unwrap_or_else(|e| panic!("{e:?}")),
            launch: Launch::Compiled(launch),
            result,
        }
    }

    fn copy(&self) -> Ready {
        let (width, height) = self.size;
        let text = "    mul (M1_NM, 1) X(0,0)<1> %thread_x(0,0)<0;1,0> 32:uw
    mul (M1_NM, 1) Y(0,0)<1> %thread_y(0,0)<0;1,0> 8:uw
    media_ld.nomod (32,8) T6 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> BLOCK.0
    media_st.nomod (32,8) T7 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> BLOCK.0
";
        let mut bindings = Bindings::default();
        let from = filled(Format::R8_UNORM, self.size, &noise(count(self.size), 1));
        bindings.surfaces.insert(6, from);
        let to = filled(Format::R8_UNORM, self.size, &[]);
        bindings.surfaces.insert(7, Arc::clone(&to));
        media(text, bindings, (width.div_ceil(32), height.div_ceil(8)), to)
    }

    fn scale(&self, from: (u32, u32)) -> Ready {
        let (width, height) = self.size;
        let text = format!(
            "    mul (M1_NM, 1) X(0,0)<1> %thread_x(0,0)<0;1,0> 16:uw
    mul (M1_NM, 1) Y(0,0)<1> %thread_y(0,0)<0;1,0> 8:uw
    mov (M1_NM, 1) U(0,0)<1> X(0,0)<0;1,0>
    mov (M1_NM, 1) V(0,0)<1> Y(0,0)<0;1,0>
    mul (M1_NM, 1) U(0,0)<1> U(0,0)<0;1,0> {du:?}:f
    mul (M1_NM, 1) V(0,0)<1> V(0,0)<0;1,0> {dv:?}:f
    avs.G T6 S0 U(0,0)<0;1,0> V(0,0)<0;1,0> {du:?}:f {dv:?}:f 0.0:f 0:ud 0:ud AVS_8_FULL 0.0:f AVS_16x8 0:ub BLOCK.0
    media_st.nomod (16,8) T7 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> BLOCK.0
",
            du = 1.0 / width as f32,
            dv = 1.0 / height as f32,
        );
        let mut bindings = Bindings::default();
        let source = filled(Format::Y8_UNORM, from, &picture(from.0, from.1));
        bindings.surfaces.insert(6, source);
        let to = filled(Format::R8_UNORM, self.size, &[]);
        bindings.surfaces.insert(7, Arc::clone(&to));
        let scale = f64::from(width) / f64::from(from.0);
        let table = serde_json::json!(format!("polyphase {scale}"));
        let state = serde_json::json!({
            "table0x": table, "table0y": table, "table1x": table, "table1y": table,
        });
        let state = serde_json::from_value(state).expect("a state");
        bindings.samplers.insert(0, Sampler::Avs(Arc::new(state)));
        media(
            &text,
            bindings,
            (width.div_ceil(16), height.div_ceil(8)),
            to,
        )
    }
}

fn filled(format: Format, (width, height): (u32, u32), bytes: &[u8]) -> Arc<Surface> {
    let surface = Surface::zeroed(Description::d2(format, width, height)).expect("a plain surface");
    surface.memory().write(0, bytes);
    Arc::new(surface)
}

/// A program of the media pipeline with a thread for each block, and the surface that it fills.
fn media(body: &str, bindings: Bindings, grid: (u32, u32), to: Arc<Surface>) -> Ready {
    let text = format!(
        ".version 4.1
.kernel \"blocks\"
.decl X v_type=G type=ud num_elts=1 align=dword
.decl Y v_type=G type=ud num_elts=1 align=dword
.decl U v_type=G type=f num_elts=1 align=dword
.decl V v_type=G type=f num_elts=1 align=dword
.decl BLOCK v_type=G type=ub num_elts=256 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.decl S0 v_type=S num_elts=1
{body}    ret (M1, 1)
"
    );
    let front = Front::with(&Source::new("bench", text), &CheckOptions::default());
    let program = lower(&front.checked, "blocks", &LowerOptions::default());
    Ready {
        program: program.unwrap_or_else(|e| panic!("{e:?}")),
        launch: Launch::Media(Box::new(bindings), grid, to),
        result: (0, Element::Byte),
    }
}

enum Launch {
    Compiled(Arc<PreparedLaunch>),
    /// Surfaces and samplers, threads across and down, the surface of the result.
    Media(Box<Bindings>, (u32, u32), Arc<Surface>),
}

/// A launch that can run as often as one likes.
pub struct Ready {
    program: Program,
    launch: Launch,
    /// Which argument is the result, and what its bytes are.
    result: (usize, Element),
}

impl Ready {
    /// Runs it; gives the instructions that were run.
    pub fn run<O: Observer>(&self, jobs: usize, watch: impl Fn(ThreadId) -> O + Sync) -> u64 {
        let options = RunOptions {
            jobs,
            keep: Keep::None,
            native: match std::env::var("NATIVE").as_deref() {
                Ok("never") => NativeCode::Never,
                Ok("always") => NativeCode::Always,
                _ => NativeCode::Auto,
            },
            ..RunOptions::default()
        };
        let outcome = match &self.launch {
            Launch::Compiled(ready) => {
                let payload = ready.payload();
                let options = ready.options(&self.program, options);
                let grid = ready.grid(&payload);
                launch::run(&self.program, &ready.bindings, &grid, &options, watch)
            }
            Launch::Media(bindings, (across, down), _) => {
                let grid = Grid::media(*across, *down);
                launch::run(&self.program, bindings, &grid, &options, watch)
            }
        };
        let outcome = outcome.unwrap_or_else(|trap| panic!("{}", trap.diagnostic.message));
        outcome.instructions
    }

    /// The checksum of the result and the sum of its elements.
    pub fn result(&self) -> (u64, f64) {
        let (argument, element) = self.result;
        let bytes = match &self.launch {
            Launch::Compiled(ready) => ready.arguments[argument].bytes().expect("memory"),
            Launch::Media(.., to) => {
                let description = to.description();
                let (width, pitch) = (description.width as usize, description.pitch as usize);
                let all = to.memory().to_vec();
                let rows = all.chunks(pitch).take(description.height as usize);
                rows.flat_map(|row| &row[..width]).copied().collect()
            }
        };
        (fnv(&bytes), element.sum(&bytes))
    }
}
