//! A small compiled kernel and its description.

/// A kernel for 8 lanes with an argument, a buffer: its address, and the surface at index 0.
pub fn writes(body: &str) -> String {
    format!(
        "\
.version 4.1
.kernel \"k\"
.decl P v_type=G type=uq num_elts=1 align=qword
.decl Q v_type=G type=uq num_elts=8 align=GRF
.decl X v_type=G type=uw num_elts=16 align=GRF
.decl O v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.input X offset=32 size=32
.input P offset=160 size=8
.kernel_attr SimdSize=8
{body}
    ret (M1, 1)
"
    )
}

/// Its description in the words of `.ze_info`.
pub fn zeinfo(simd: u32, more: &str) -> String {
    format!(
        "\
kernels:
  - name: k
    execution_env:
      simd_size: {simd}
{more}    payload_arguments:
      - arg_type: global_id_offset
        offset: 0
        size: 12
      - arg_type: local_size
        offset: 12
        size: 12
      - arg_type: buffer_address
        offset: 32
        size: 8
        arg_index: 0
    per_thread_payload_arguments:
      - arg_type: local_id
        offset: 0
        size: 96
    binding_table_indices:
      - bti_value: 0
        arg_index: 0
kernels_misc_info:
  - name: k
    args_info:
      - index: 0
        name: out
"
    )
}
