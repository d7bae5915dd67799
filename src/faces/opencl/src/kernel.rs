//! Kernels and their arguments.

use crate::device::Device;
use crate::info::{self, Info};
use crate::memory::{Content as Stored, Mem};
use crate::object::{Object, Result, class, lock};
use crate::program::{DeviceProgram, KernelCode, Program, Runs};
use crate::sampler::Sampler;
use crate::sys::*;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, Weak};
use visim::internals::launch::kernel::binary::ArgumentInfo;
use visim::internals::launch::kernel::description::{Content, Handle, SamplerSlot};
use visim::internals::launch::kernel::{Argument, Description, Size, SurfaceSlot};

/// A kernel.
pub struct Kernel {
    /// Its program.
    pub program: Arc<Object<Program>>,
    /// Its name.
    pub name: String,
    arguments: Mutex<Vec<Option<Given>>>,
}

class!(Kernel, CL_INVALID_KERNEL);

/// An argument as the host gave it.
#[derive(Clone)]
pub enum Given {
    /// A buffer or an image, or none. A kernel does not keep it: OpenCL 3.0, `clSetKernelArg`.
    Memory(Option<Weak<Object<Mem>>>),
    /// A sampler.
    Sampler(Arc<Object<Sampler>>),
    /// Bytes of shared local memory.
    Local(usize),
    /// A value.
    Value(Vec<u8>),
    /// Shared virtual memory.
    Pointer(usize),
}

/// What an argument is, as the compiler says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A pointer to global or constant memory.
    Pointer,
    /// An image; whether the kernel only reads it.
    Image,
    /// A sampler.
    Sampler,
    /// A pointer to local memory.
    Local,
    /// A value of so many bytes, 0 where that is unknown.
    Value(usize),
}

impl Kernel {
    /// A kernel of a program by its name.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE`: it was not built; `CL_INVALID_KERNEL_NAME`.
    pub fn create(program: &Arc<Object<Program>>, name: &str) -> Result<Arc<Object<Kernel>>> {
        let codes = program.codes();
        if codes.is_empty() {
            return Err(CL_INVALID_PROGRAM_EXECUTABLE);
        }
        let mut kernels = codes.iter().filter_map(|code| code.kernel(name));
        let first = kernels.next().ok_or(CL_INVALID_KERNEL_NAME)?;
        let count = first.compiled.argument_count as usize;
        program.count_kernels(true);
        Ok(Object::new(Kernel {
            program: Arc::clone(program),
            name: name.to_string(),
            arguments: Mutex::new(vec![None; count]),
        }))
    }

    /// The same kernel with the same arguments.
    pub fn copy(&self) -> Arc<Object<Kernel>> {
        self.program.count_kernels(true);
        Object::new(Kernel {
            program: Arc::clone(&self.program),
            name: self.name.clone(),
            arguments: Mutex::new(lock(&self.arguments).clone()),
        })
    }

    /// Its code for a device.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE`: it was not built for it.
    pub fn code(&self, device: &Device) -> Result<Arc<KernelCode>> {
        let code = self.program.code(device);
        let kernel = code.and_then(|code| code.kernel(&self.name));
        kernel.ok_or(CL_INVALID_PROGRAM_EXECUTABLE)
    }

    /// Its program for a device.
    ///
    /// # Errors
    /// As [`Kernel::code`].
    pub fn program_for(&self, device: &Device) -> Result<Arc<DeviceProgram>> {
        self.program
            .code(device)
            .ok_or(CL_INVALID_PROGRAM_EXECUTABLE)
    }

    /// Its code for any device.
    ///
    /// # Errors
    /// As [`Kernel::code`].
    pub fn any_code(&self) -> Result<Arc<KernelCode>> {
        let codes = self.program.codes();
        let mut kernels = codes.iter().filter_map(|code| code.kernel(&self.name));
        kernels.next().ok_or(CL_INVALID_PROGRAM_EXECUTABLE)
    }

    /// What an argument is.
    ///
    /// # Errors
    /// `CL_INVALID_ARG_INDEX`.
    pub fn kind(&self, number: u32) -> Result<Kind> {
        if number as usize >= lock(&self.arguments).len() {
            return Err(CL_INVALID_ARG_INDEX);
        }
        let code = self.any_code()?;
        Ok(kind(&code, number))
    }

    /// The kernel does with an image no more than the image was made for.
    ///
    /// # Errors
    /// `CL_INVALID_ARG_VALUE`.
    pub fn may_take(&self, number: u32, mem: &Mem) -> Result<()> {
        let code = self.any_code()?;
        let access = code
            .argument(number)
            .map(|info| info.access_qualifier.as_str());
        let refused = match access.unwrap_or_default().trim_start_matches("__") {
            "read_only" => CL_MEM_WRITE_ONLY,
            "write_only" => CL_MEM_READ_ONLY,
            "read_write" => CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
            _ => 0,
        };
        match mem.flags & refused {
            0 => Ok(()),
            _ => Err(CL_INVALID_ARG_VALUE),
        }
    }

    /// Gives an argument.
    pub fn set(&self, number: u32, given: Given) {
        if let Some(place) = lock(&self.arguments).get_mut(number as usize) {
            *place = Some(given);
        }
    }

    /// The arguments as they are now.
    ///
    /// # Errors
    /// `CL_INVALID_KERNEL_ARGS`: one is missing.
    pub fn given(&self) -> Result<Vec<Given>> {
        let all = lock(&self.arguments).clone();
        let all: Option<Vec<Given>> = all.into_iter().collect();
        all.ok_or(CL_INVALID_KERNEL_ARGS)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.count_kernels(false);
    }
}

/// What the compiler says that an argument is: by how the kernel is handed it, or, where it does not use it, by its type.
fn kind(code: &KernelCode, number: u32) -> Kind {
    let of_type = || {
        let info = code.argument(number)?;
        let ty = info.type_name.as_str();
        Some(match info.address_qualifier.as_str() {
            "__local" => Kind::Local,
            "__global" | "__constant" if ty.starts_with("image") => Kind::Image,
            "__global" | "__constant" => Kind::Pointer,
            _ if ty.starts_with("sampler") => Kind::Sampler,
            _ if ty.starts_with("image") => Kind::Image,
            _ => Kind::Value(info.bytes as usize),
        })
    };
    if let Ok(runs) = &code.runs
        && let Some(used) = used(&runs.description, number)
    {
        return match (used, of_type()) {
            (Kind::Value(_), Some(Kind::Value(bytes))) => Kind::Value(bytes),
            (used, _) => used,
        };
    }
    of_type().unwrap_or(Kind::Value(0))
}

/// How the kernel is handed an argument; `None` if it is not.
fn used(description: &Description, number: u32) -> Option<Kind> {
    if description.images.contains_key(&number) {
        return Some(Kind::Image);
    }
    let mut bytes = 0;
    for piece in &description.pieces {
        match piece.content {
            Content::Value { arg, from } if arg == number => bytes = bytes.max(from + piece.size),
            Content::BufferAddress(arg) if arg == number => return Some(Kind::Pointer),
            Content::SlmOffset { arg, .. } if arg == number => return Some(Kind::Local),
            Content::Handle(handle) => match handle {
                Handle::Surface(arg) if arg == number => return Some(Kind::Pointer),
                Handle::Sampler(arg) if arg == number => return Some(Kind::Sampler),
                _ => {}
            },
            Content::SamplerSnap(arg)
            | Content::SamplerNormalized(arg)
            | Content::SamplerAddressing(arg)
                if arg == number =>
            {
                return Some(Kind::Sampler);
            }
            _ => {}
        }
    }
    let mut samplers = description.samplers.iter();
    if samplers.any(|(_, slot)| *slot == SamplerSlot::Argument(number)) {
        return Some(Kind::Sampler);
    }
    let mut surfaces = description.surfaces.iter();
    if surfaces.any(|(_, slot)| *slot == SurfaceSlot::Argument(number)) {
        return Some(Kind::Pointer);
    }
    (bytes > 0).then_some(Kind::Value(bytes as usize))
}

/// Memory objects that live as long as a launch.
pub type Held = Vec<Arc<Object<Mem>>>;

/// Arguments as the launch takes them, and the objects that they are of.
///
/// # Errors
/// `CL_INVALID_KERNEL_ARGS`: memory that is not there.
pub fn arguments(kernel: &Kernel, given: &[Given]) -> Result<(Vec<Argument>, Held)> {
    let svm = &kernel.program.context.svm;
    let mut held = Vec::new();
    let mut one = |given: &Given| {
        Ok(match given {
            Given::Memory(None) | Given::Pointer(0) => Argument::Null,
            Given::Memory(Some(mem)) => {
                let mem = mem.upgrade().ok_or(CL_INVALID_KERNEL_ARGS)?;
                let argument = match &mem.content {
                    Stored::Buffer(buffer) => Argument::Buffer(buffer.clone()),
                    Stored::Image(texels) => Argument::Image(texels.image.clone()),
                };
                held.push(mem);
                argument
            }
            Given::Sampler(sampler) => Argument::Sampler(sampler.choice()),
            Given::Local(bytes) => {
                Argument::Local(u32::try_from(*bytes).map_err(|_| CL_OUT_OF_RESOURCES)?)
            }
            Given::Value(bytes) => Argument::Value(bytes.clone()),
            Given::Pointer(address) => {
                Argument::Buffer(svm.find(*address).ok_or(CL_INVALID_KERNEL_ARGS)?)
            }
        })
    };
    let arguments = given.iter().map(&mut one).collect::<Result<_>>()?;
    Ok((arguments, held))
}

/// Work-items of a dimension that are too few, where more are possible, and how many are taken then.
const FEW: u32 = 16;
const ROW: u32 = 32;

/// Groups of a launch where the host leaves their size open: as many work-items of the first dimension as divide it,
/// up to what the device takes.
///
/// * `partial`: the last groups may be cut off.
pub fn suggested(code: &Runs, global: [u32; 3], most: usize, partial: bool) -> [u32; 3] {
    let required = code.description.required_local;
    if required != [0; 3] {
        return required;
    }
    let mut left = (most as u32).clamp(1, 256);
    let mut local = [1; 3];
    for (size, global) in local.iter_mut().zip(global) {
        let fits = |n: &u32| global.is_multiple_of(*n);
        let room = left.min(global.max(1));
        *size = (1..=room).rev().find(fits).unwrap_or(1);
        // Rather a last group that is cut off than threads with a lane or two.
        if partial && *size < room.min(FEW) {
            *size = room.min(ROW);
        }
        left /= *size;
    }
    local
}

/// Sizes of a launch.
pub fn size(work_dim: u32, global: [u32; 3], local: [u32; 3], offset: [u32; 3]) -> Size {
    Size {
        work_dim,
        global,
        local,
        offset,
        partial: (0..3).any(|at| !global[at].is_multiple_of(local[at].max(1))),
    }
}

/// `clGetKernelInfo`.
///
/// # Errors
/// `CL_INVALID_VALUE`: no such query.
pub fn query(kernel: &Object<Kernel>, name: cl_kernel_info) -> Result<Info> {
    Ok(match name {
        CL_KERNEL_FUNCTION_NAME => info::text(&kernel.name),
        CL_KERNEL_NUM_ARGS => info::uint(lock(&kernel.arguments).len() as u32),
        CL_KERNEL_REFERENCE_COUNT => info::uint(kernel.references()),
        CL_KERNEL_CONTEXT => info::pointer(kernel.program.context.handle()),
        CL_KERNEL_PROGRAM => info::pointer(kernel.program.handle()),
        CL_KERNEL_ATTRIBUTES => info::text(&kernel.any_code()?.compiled.attributes),
        _ => return Err(CL_INVALID_VALUE),
    })
}

/// `clGetKernelArgInfo`.
///
/// # Errors
/// `CL_INVALID_ARG_INDEX`; `CL_KERNEL_ARG_INFO_NOT_AVAILABLE`; `CL_INVALID_VALUE`: no such query.
pub fn query_argument(kernel: &Kernel, number: u32, name: cl_kernel_arg_info) -> Result<Info> {
    if number as usize >= lock(&kernel.arguments).len() {
        return Err(CL_INVALID_ARG_INDEX);
    }
    let code = kernel.any_code()?;
    let info: &ArgumentInfo = code
        .argument(number)
        .ok_or(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)?;
    Ok(match name {
        CL_KERNEL_ARG_ADDRESS_QUALIFIER => info::uint(match info.address_qualifier.as_str() {
            "__global" => CL_KERNEL_ARG_ADDRESS_GLOBAL,
            "__local" => CL_KERNEL_ARG_ADDRESS_LOCAL,
            "__constant" => CL_KERNEL_ARG_ADDRESS_CONSTANT,
            _ => CL_KERNEL_ARG_ADDRESS_PRIVATE,
        }),
        CL_KERNEL_ARG_ACCESS_QUALIFIER => info::uint(match info.access_qualifier.as_str() {
            "__read_only" | "read_only" => CL_KERNEL_ARG_ACCESS_READ_ONLY,
            "__write_only" | "write_only" => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
            "__read_write" | "read_write" => CL_KERNEL_ARG_ACCESS_READ_WRITE,
            _ => CL_KERNEL_ARG_ACCESS_NONE,
        }),
        CL_KERNEL_ARG_TYPE_NAME => info::text(&info.type_name),
        CL_KERNEL_ARG_NAME => info::text(&info.name),
        CL_KERNEL_ARG_TYPE_QUALIFIER => {
            let all = [
                ("const", CL_KERNEL_ARG_TYPE_CONST),
                ("restrict", CL_KERNEL_ARG_TYPE_RESTRICT),
                ("volatile", CL_KERNEL_ARG_TYPE_VOLATILE),
                ("pipe", CL_KERNEL_ARG_TYPE_PIPE),
            ];
            let words = info.type_qualifiers.split_whitespace();
            let bits = words.filter_map(|word| all.iter().find(|(name, _)| *name == word));
            info::ulong(bits.fold(0, |all, (_, bit)| all | u64::from(*bit)))
        }
        _ => return Err(CL_INVALID_VALUE),
    })
}

/// `clGetKernelWorkGroupInfo`.
///
/// # Errors
/// `CL_INVALID_VALUE`: no such query, or one of built-in kernels.
pub fn query_group(
    kernel: &Kernel,
    device: &Device,
    name: cl_kernel_work_group_info,
) -> Result<Info> {
    let code = kernel.code(device)?;
    let unknown = Description::default();
    let description = code
        .runs
        .as_ref()
        .map_or(&unknown, |runs| &runs.description);
    let given = lock(&kernel.arguments);
    let local = given.iter().flatten().map(|given| match given {
        Given::Local(bytes) => *bytes as u64,
        _ => 0,
    });
    Ok(match name {
        CL_KERNEL_WORK_GROUP_SIZE => {
            let required = description.required_local;
            info::size(match required {
                [0, ..] => device.limits.group,
                [x, y, z] => (x * y.max(1) * z.max(1)) as usize,
            })
        }
        CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
            info::sizes(&description.required_local.map(|n| n as usize))
        }
        CL_KERNEL_LOCAL_MEM_SIZE => {
            let own = u64::from(description.slm_bytes);
            info::ulong(local.fold(own, u64::saturating_add))
        }
        CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
            info::size(description.simd.max(1) as usize)
        }
        CL_KERNEL_PRIVATE_MEM_SIZE => info::ulong(u64::from(description.private_bytes)),
        SPILL_MEM_SIZE => info::ulong(u64::from(description.scratch_bytes)),
        _ => return Err(CL_INVALID_VALUE),
    })
}

/// `CL_KERNEL_SPILL_MEM_SIZE_INTEL`. Source: `cl_intel_required_subgroup_size`.
const SPILL_MEM_SIZE: cl_kernel_work_group_info = 0x4109;
/// `CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL`. Source: the same.
const COMPILE_SUB_GROUP_SIZE: cl_kernel_sub_group_info = 0x410a;

/// `clGetKernelSubGroupInfo`.
///
/// * `input`: a group size, or a number of sub-groups.
/// * `room`: how many sizes the host has room for.
///
/// # Errors
/// `CL_INVALID_VALUE`: no such query, or sizes that cannot be.
pub fn query_subgroup(
    kernel: &Kernel,
    device: &Device,
    name: cl_kernel_sub_group_info,
    input: &[usize],
    room: usize,
) -> Result<Info> {
    let code = kernel.code(device)?;
    let runs = code.runs.as_ref().map_err(|_| CL_INVALID_KERNEL)?;
    let simd = runs.description.simd.max(1) as usize;
    let items = || match input.len() {
        1..=3 => {
            let product = input.iter().try_fold(1_usize, |all, &n| all.checked_mul(n));
            product.ok_or(CL_INVALID_VALUE)
        }
        _ => Err(CL_INVALID_VALUE),
    };
    Ok(match name {
        CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => {
            items()?;
            info::size(simd)
        }
        CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => info::size(items()?.div_ceil(simd)),
        CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
            let [count] = input else {
                return Err(CL_INVALID_VALUE);
            };
            let items = count
                .checked_mul(simd)
                .filter(|&n| n <= device.limits.group);
            let mut sizes = vec![items.unwrap_or(0)];
            sizes.resize(room.clamp(1, 3), usize::from(items.is_some()));
            info::sizes(&sizes)
        }
        CL_KERNEL_MAX_NUM_SUB_GROUPS => info::size(device.limits.group.div_ceil(simd)),
        CL_KERNEL_COMPILE_NUM_SUB_GROUPS => info::size(0),
        COMPILE_SUB_GROUP_SIZE => {
            info::size(match code.compiled.attributes.contains("sub_group_size") {
                true => simd,
                false => 0,
            })
        }
        _ => return Err(CL_INVALID_VALUE),
    })
}

/// The object of an argument's handle, which is the value of the argument.
pub fn handle_of(bytes: &[u8]) -> Option<*mut c_void> {
    let bytes = bytes.first_chunk::<8>()?;
    Some(std::ptr::with_exposed_provenance_mut(usize::from_ne_bytes(
        *bytes,
    )))
}
