//! Devices: GPUs that visim models and Intel's compiler builds OpenCL C for.

use crate::compiler;
use crate::info::{self, Info, version};
use crate::object::{Header, Result};
use crate::sys::*;
use std::ffi::c_void;
use std::sync::OnceLock;
use visim::Platform;

/// What is known of a GPU beside what visim knows of its platform.
struct Gpu {
    /// The platform's name in visim.
    name: &'static str,
    /// The compiler's name, after `-device`.
    compiler: &'static str,
    /// What the card is called.
    product: &'static str,
    /// PCI number of one of its cards.
    id: u32,
    /// Floats of 64 bits in hardware.
    fp64: bool,
    /// Work-items that a group of the card has at most.
    group: usize,
    /// Lanes of a sub-group that the compiler may choose.
    subgroups: &'static [usize],
}

/// GPUs, the eldest first. Source: Intel's list of devices in the compute runtime, one of each platform; groups as its
/// driver says.
#[rustfmt::skip]
const GPUS: &[Gpu] = &[
    //  visim    compiler product                                 PCI     64-bit groups sub-groups
    gpu("skl",   "skl",   "Intel(R) HD Graphics 530",             0x1912, true,  256,   EARLIER),
    gpu("icl",   "icllp", "Intel(R) Iris(R) Plus Graphics",       0x8a52, false, 256,   EARLIER),
    gpu("tgl",   "tgllp", "Intel(R) Iris(R) Xe Graphics",         0x9a49, false, 512,   EARLIER),
    gpu("dg2",   "dg2",   "Intel(R) Arc(TM) A770 Graphics",       0x56a0, false, 1024,  EARLIER),
    gpu("mtl",   "mtl",   "Intel(R) Arc(TM) Graphics",            0x7d55, true,  1024,  EARLIER),
    gpu("lnl",   "lnl-m", "Intel(R) Arc(TM) 140V GPU",            0x64a0, true,  1024,  LATER),
    gpu("bmg",   "bmg",   "Intel(R) Arc(TM) B580 Graphics",       0xe20b, true,  1024,  LATER),
    gpu("ptl",   "ptl",   "Intel(R) Graphics (Panther Lake)",     0xb080, true,  1024,  LATER),
    gpu("nvl-s", "nvl-s", "Intel(R) Graphics (Nova Lake)",        0xd740, true,  1024,  LATER),
    gpu("cri",   "cri",   "Intel(R) Graphics (Crescent Island)",  0x674c, true,  1024,  LATER),
];

const EARLIER: &[usize] = &[8, 16, 32];
const LATER: &[usize] = &[16, 32];

const fn gpu(
    name: &'static str,
    compiler: &'static str,
    product: &'static str,
    id: u32,
    fp64: bool,
    group: usize,
    subgroups: &'static [usize],
) -> Gpu {
    Gpu {
        name,
        compiler,
        product,
        id,
        fp64,
        group,
        subgroups,
    }
}

/// A device.
pub struct Device {
    header: Box<Header>,
    gpu: &'static Gpu,
    /// Whose kernels it runs.
    pub platform: Platform,
    /// What it says of its size.
    pub limits: Limits,
    name: String,
}

/// How large a device says that it is: test suites grow with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Work-items of a group.
    pub group: usize,
    /// Compute units.
    pub units: u32,
    /// Bytes of a buffer.
    pub buffer: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Texels of an image in one direction.
    pub image: usize,
    /// Layers of an array, and texels of a 3D image in one direction.
    pub layers: usize,
}

/// Small enough for suites that ask for all there is.
const SMALL: Limits = Limits {
    group: 256,
    units: 1,
    buffer: 256 << 20,
    memory: 1 << 30,
    image: 8192,
    layers: 2048,
};

/// What programs for cards expect.
const CARD: Limits = Limits {
    group: 1024,
    units: 32,
    buffer: 1 << 30,
    memory: 8 << 30,
    image: 16384,
    layers: 2048,
};

/// Extensions of all devices with their versions.
pub const COMMON_EXTENSIONS: &[(&str, u32)] = &[
    ("cl_khr_byte_addressable_store", version(1, 0, 0)),
    ("cl_khr_global_int32_base_atomics", version(1, 0, 0)),
    ("cl_khr_global_int32_extended_atomics", version(1, 0, 0)),
    ("cl_khr_local_int32_base_atomics", version(1, 0, 0)),
    ("cl_khr_local_int32_extended_atomics", version(1, 0, 0)),
    ("cl_khr_fp16", version(1, 0, 0)),
    ("cl_khr_3d_image_writes", version(1, 0, 0)),
    ("cl_khr_depth_images", version(1, 0, 0)),
    ("cl_khr_image2d_from_buffer", version(1, 0, 0)),
    ("cl_khr_il_program", version(1, 0, 0)),
    ("cl_khr_create_command_queue", version(1, 0, 0)),
    ("cl_khr_subgroups", version(1, 0, 0)),
    ("cl_khr_suggested_local_work_size", version(1, 0, 0)),
    ("cl_intel_subgroups", version(1, 0, 0)),
    ("cl_intel_subgroups_short", version(1, 0, 0)),
    ("cl_intel_required_subgroup_size", version(1, 0, 0)),
];

/// Names of extensions as one text.
pub fn names(extensions: &[(&str, u32)]) -> String {
    let names: Vec<&str> = extensions.iter().map(|e| e.0).collect();
    names.join(" ")
}

/// The devices, in the order of `VISIM_DEVICES`.
pub fn all() -> &'static [Device] {
    static ALL: OnceLock<Vec<Device>> = OnceLock::new();
    ALL.get_or_init(|| chosen(list().as_deref()))
}

#[cfg(not(test))]
fn list() -> Option<String> {
    std::env::var("VISIM_DEVICES").ok()
}

/// Tests have the device that their binary is for.
#[cfg(test)]
fn list() -> Option<String> {
    Some("bmg".to_string())
}

/// The devices of a list of names; without one the newest that the compiler at hand builds for.
fn chosen(list: Option<&str>) -> Vec<Device> {
    let wanted = list.unwrap_or_default().trim();
    if wanted.eq_ignore_ascii_case("all") {
        return GPUS.iter().filter_map(Device::new).collect();
    }
    if wanted.is_empty() {
        let builds = compiler::devices();
        let newest = |gpu: &&&Gpu| builds.iter().any(|name| name == gpu.compiler);
        // What most people have, rather than what is newest of all.
        let usual = ["bmg", "skl"].map(|name| GPUS.iter().find(|gpu| gpu.name == name));
        let known = usual.into_iter().flatten();
        let first = known.collect::<Vec<_>>();
        let found = first.iter().find(newest).or(first.last());
        return found.and_then(|gpu| Device::new(gpu)).into_iter().collect();
    }
    let mut devices = Vec::new();
    for name in wanted.split(',').map(str::trim).filter(|n| !n.is_empty()) {
        let platform = Platform::from_name(name);
        let own = |gpu: &&Gpu| {
            gpu.name.eq_ignore_ascii_case(name)
                || gpu.compiler.eq_ignore_ascii_case(name)
                || platform.is_some() && platform == Platform::from_name(gpu.name)
        };
        match GPUS.iter().find(own).and_then(Device::new) {
            Some(device) => devices.push(device),
            None => {
                let known: Vec<&str> = GPUS.iter().map(|gpu| gpu.name).collect();
                eprintln!(
                    "visim: VISIM_DEVICES: `{name}` is not a device: {} or all",
                    known.join(", ")
                );
            }
        }
    }
    devices
}

/// The device of a handle.
///
/// # Errors
/// `CL_INVALID_DEVICE`.
pub fn find(handle: cl_device_id) -> Result<&'static Device> {
    let own = |device: &&Device| device.handle().addr() == handle.addr();
    all().iter().find(own).ok_or(CL_INVALID_DEVICE)
}

impl Device {
    fn new(gpu: &'static Gpu) -> Option<Device> {
        let limits = match std::env::var("VISIM_LIMITS").as_deref() {
            Ok("card") => Limits {
                group: gpu.group,
                ..CARD
            },
            _ => SMALL,
        };
        Some(Device {
            header: Header::new(),
            gpu,
            platform: Platform::from_name(gpu.name)?,
            limits,
            name: format!("visim {} ({})", gpu.name, gpu.product),
        })
    }

    /// What the host calls it.
    pub fn handle(&self) -> *mut c_void {
        self.header.handle()
    }

    /// What the compiler calls it.
    pub fn compiler(&self) -> &'static str {
        self.gpu.compiler
    }

    fn extensions(&self) -> Vec<(&'static str, u32)> {
        let fp64 = self.gpu.fp64.then_some(("cl_khr_fp64", version(1, 0, 0)));
        COMMON_EXTENSIONS.iter().copied().chain(fp64).collect()
    }

    /// Optional features of OpenCL C 3.0 that it has. Source: OpenCL C, "Features".
    fn features(&self) -> Vec<(&'static str, u32)> {
        let mut names = vec![
            "__opencl_c_3d_image_writes",
            "__opencl_c_images",
            "__opencl_c_int64",
            "__opencl_c_read_write_images",
            "__opencl_c_subgroups",
            "__opencl_c_atomic_order_acq_rel",
            "__opencl_c_atomic_order_seq_cst",
            "__opencl_c_atomic_scope_all_devices",
            "__opencl_c_atomic_scope_device",
            "__opencl_c_program_scope_global_variables",
            "__opencl_c_work_group_collective_functions",
        ];
        if self.gpu.fp64 {
            names.push("__opencl_c_fp64");
        }
        names.into_iter().map(|n| (n, version(3, 0, 0))).collect()
    }

    /// Bytes of shared local memory of a group.
    pub fn local_memory(&self) -> u64 {
        64 << 10
    }

    /// Lanes of a sub-group that the compiler may choose.
    pub fn subgroups(&self) -> &'static [usize] {
        self.gpu.subgroups
    }

    /// `clGetDeviceInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: no such query.
    pub fn query(&self, name: cl_device_info) -> Result<Info> {
        let limits = &self.limits;
        // As its cards round. Source: Intel's compute runtime, what it says of all its devices.
        let single = CL_FP_ROUND_TO_NEAREST
            | CL_FP_ROUND_TO_ZERO
            | CL_FP_ROUND_TO_INF
            | CL_FP_INF_NAN
            | CL_FP_DENORM
            | CL_FP_FMA
            | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
        let double = single & !CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
        let orders = CL_DEVICE_ATOMIC_ORDER_RELAXED
            | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
            | CL_DEVICE_ATOMIC_ORDER_SEQ_CST;
        let scopes = CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM
            | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
            | CL_DEVICE_ATOMIC_SCOPE_DEVICE
            | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
        Ok(match name {
            CL_DEVICE_TYPE => info::ulong(CL_DEVICE_TYPE_GPU),
            CL_DEVICE_VENDOR_ID => info::uint(0x8086),
            CL_DEVICE_MAX_COMPUTE_UNITS => info::uint(limits.units),
            CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => info::uint(3),
            CL_DEVICE_MAX_WORK_ITEM_SIZES => info::sizes(&[limits.group; 3]),
            CL_DEVICE_MAX_WORK_GROUP_SIZE => info::size(limits.group),
            CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => info::size(self.subgroups()[0]),
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR | CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => {
                info::uint(16)
            }
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => info::uint(8),
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT | CL_DEVICE_NATIVE_VECTOR_WIDTH_INT => {
                info::uint(4)
            }
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => info::uint(1),
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => {
                info::uint(u32::from(self.gpu.fp64))
            }
            CL_DEVICE_MAX_CLOCK_FREQUENCY => info::uint(1000),
            CL_DEVICE_ADDRESS_BITS => info::uint(64),
            CL_DEVICE_MAX_MEM_ALLOC_SIZE => info::ulong(limits.buffer),
            CL_DEVICE_IMAGE_SUPPORT => info::boolean(true),
            CL_DEVICE_MAX_READ_IMAGE_ARGS
            | CL_DEVICE_MAX_WRITE_IMAGE_ARGS
            | CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => info::uint(128),
            CL_DEVICE_IMAGE2D_MAX_WIDTH | CL_DEVICE_IMAGE2D_MAX_HEIGHT => info::size(limits.image),
            CL_DEVICE_IMAGE3D_MAX_WIDTH
            | CL_DEVICE_IMAGE3D_MAX_HEIGHT
            | CL_DEVICE_IMAGE3D_MAX_DEPTH
            | CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => info::size(limits.layers),
            CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => {
                info::size((limits.buffer as usize / 16).min(1 << 26))
            }
            CL_DEVICE_MAX_SAMPLERS => info::uint(16),
            CL_DEVICE_IMAGE_PITCH_ALIGNMENT | CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => {
                info::uint(4)
            }
            CL_DEVICE_MAX_PARAMETER_SIZE => info::size(2048),
            CL_DEVICE_MEM_BASE_ADDR_ALIGN => info::uint(1024),
            CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => info::uint(128),
            CL_DEVICE_SINGLE_FP_CONFIG => info::ulong(single),
            CL_DEVICE_DOUBLE_FP_CONFIG => info::ulong(if self.gpu.fp64 { double } else { 0 }),
            CL_DEVICE_HALF_FP_CONFIG => info::ulong(double),
            CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => info::uint(CL_READ_WRITE_CACHE),
            CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => info::uint(64),
            CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => info::ulong(1 << 20),
            CL_DEVICE_GLOBAL_MEM_SIZE => info::ulong(limits.memory),
            CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => info::ulong(limits.buffer),
            CL_DEVICE_MAX_CONSTANT_ARGS => info::uint(8),
            CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE => info::size(64 << 10),
            CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => info::size(1 << 20),
            CL_DEVICE_LOCAL_MEM_TYPE => info::uint(CL_LOCAL),
            CL_DEVICE_LOCAL_MEM_SIZE => info::ulong(self.local_memory()),
            CL_DEVICE_ERROR_CORRECTION_SUPPORT => info::boolean(false),
            CL_DEVICE_PREFERRED_INTEROP_USER_SYNC | CL_DEVICE_HOST_UNIFIED_MEMORY => {
                info::boolean(true)
            }
            CL_DEVICE_PROFILING_TIMER_RESOLUTION => info::size(1),
            CL_DEVICE_ENDIAN_LITTLE
            | CL_DEVICE_AVAILABLE
            | CL_DEVICE_COMPILER_AVAILABLE
            | CL_DEVICE_LINKER_AVAILABLE => info::boolean(true),
            CL_DEVICE_EXECUTION_CAPABILITIES => info::ulong(CL_EXEC_KERNEL),
            CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => {
                info::ulong(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
            }
            CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => info::ulong(0),
            CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE
            | CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE
            | CL_DEVICE_MAX_ON_DEVICE_QUEUES
            | CL_DEVICE_MAX_ON_DEVICE_EVENTS
            | CL_DEVICE_MAX_PIPE_ARGS
            | CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS
            | CL_DEVICE_PIPE_MAX_PACKET_SIZE
            | CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
            | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
            | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => info::uint(0),
            CL_DEVICE_BUILT_IN_KERNELS => info::text(""),
            CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => info::nothing(),
            CL_DEVICE_PLATFORM => info::pointer(crate::platform::handle()),
            CL_DEVICE_NAME => info::text(&self.name),
            CL_DEVICE_VENDOR => info::text("Intel(R) Corporation"),
            CL_DRIVER_VERSION => info::text(env!("CARGO_PKG_VERSION")),
            CL_DEVICE_PROFILE => info::text("FULL_PROFILE"),
            CL_DEVICE_VERSION => info::text("OpenCL 3.0 visim"),
            CL_DEVICE_NUMERIC_VERSION => info::uint(version(3, 0, 0)),
            CL_DEVICE_OPENCL_C_VERSION => info::text("OpenCL C 1.2 "),
            CL_DEVICE_OPENCL_C_ALL_VERSIONS => info::versions(&[
                ("OpenCL C", version(1, 0, 0)),
                ("OpenCL C", version(1, 1, 0)),
                ("OpenCL C", version(1, 2, 0)),
                ("OpenCL C", version(3, 0, 0)),
            ]),
            CL_DEVICE_OPENCL_C_FEATURES => info::versions(&self.features()),
            CL_DEVICE_EXTENSIONS => info::text(&names(&self.extensions())),
            CL_DEVICE_EXTENSIONS_WITH_VERSION => info::versions(&self.extensions()),
            CL_DEVICE_IL_VERSION => info::text("SPIR-V_1.2 SPIR-V_1.1 SPIR-V_1.0"),
            CL_DEVICE_ILS_WITH_VERSION => info::versions(&[
                ("SPIR-V", version(1, 2, 0)),
                ("SPIR-V", version(1, 1, 0)),
                ("SPIR-V", version(1, 0, 0)),
            ]),
            CL_DEVICE_PRINTF_BUFFER_SIZE => info::size(1 << 20),
            CL_DEVICE_PARENT_DEVICE => info::pointer(std::ptr::null_mut()),
            CL_DEVICE_PARTITION_MAX_SUB_DEVICES => info::uint(0),
            CL_DEVICE_PARTITION_PROPERTIES | CL_DEVICE_PARTITION_TYPE => info::sizes(&[0]),
            CL_DEVICE_PARTITION_AFFINITY_DOMAIN => info::ulong(0),
            CL_DEVICE_REFERENCE_COUNT => info::uint(1),
            CL_DEVICE_SVM_CAPABILITIES => info::ulong(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER),
            CL_DEVICE_MAX_NUM_SUB_GROUPS => info::uint((limits.group / self.subgroups()[0]) as u32),
            CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => info::boolean(true),
            CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => info::ulong(orders | scopes),
            CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => info::ulong(orders | scopes),
            CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT
            | CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => info::boolean(true),
            CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT | CL_DEVICE_PIPE_SUPPORT => {
                info::boolean(false)
            }
            CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => info::ulong(0),
            // The word for none.
            CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => info::text("v0000-00-00-00"),
            SUB_GROUP_SIZES => info::sizes(self.subgroups()),
            DEVICE_ID => info::uint(self.gpu.id),
            _ => return Err(CL_INVALID_VALUE),
        })
    }
}

/// `CL_DEVICE_SUB_GROUP_SIZES_INTEL`. Source: `cl_intel_required_subgroup_size`.
const SUB_GROUP_SIZES: cl_device_info = 0x4108;
/// `CL_DEVICE_ID_INTEL`. Source: `cl_intel_device_attribute_query`.
const DEVICE_ID: cl_device_info = 0x4251;
