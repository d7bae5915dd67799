//! Every bit of every message, once: which word, which bits, what they mean.
//!
//! A [`Layout`] is a table of [`Field`]s. Encoding, decoding, the text for people and the refusal of
//! unknown bits all read these tables, so they cannot disagree. Words are numbered by the part
//! of the message a layout speaks of: a descriptor has the one word 0, a header the dwords of `M0`,
//! a media payload the dwords of `M1`.
//!
//! ```text
//!  31 30 29 | 28:25    | 24:20    | 19     | 18:0
//!  data size| length   | response | header | function control: one table for each shared function
//! ```
//!
//! Source: lowering reference, sections 1 to 18; the sections are named at each table.

pub use crate::base::bits::{Field, Layout, TooWide};

/// Makes a module of constants, one for each field, and the table of them.
macro_rules! layouts {
    ($($(#[doc = $doc:literal])+ $module:ident $title:literal $source:literal {
        $($field:ident $name:literal $dw:literal [$hi:literal:$lo:literal] $meaning:literal;)+
    })+) => {
        $($(#[doc = $doc])+
        pub mod $module {
            use super::{Field, Layout};
            $(#[doc = $meaning]
            pub const $field: Field =
                Field::new($name, $dw, $hi, $lo, $meaning);)+
            /// The table.
            pub static LAYOUT: Layout =
                Layout { name: $title, source: $source, fields: &[$($field),+] };
        })+
        /// Every layout.
        pub static LAYOUTS: &[&Layout] = &[$(&$module::LAYOUT),+];
    };
}

layouts! {
    /// The fields every descriptor has.
    outer "message descriptor" "lowering reference 1.2" {
        RETURN16  "16-bit data"          0 [30:30] "sampler: returned data are 16-bit; render target: colours are";
        PARAMS16  "16-bit parameters"    0 [29:29] "sampler: parameters are 16-bit";
        LENGTH    "message length"       0 [28:25] "registers of the first payload, header included";
        RESPONSE  "response length"      0 [24:20] "registers written back";
        HEADER    "header present"       0 [19:19] "the first payload register is a header";
        CONTROL   "function control"     0 [18:0]  "owned by the shared function";
    }

    /// The fields of all descriptors of Gen5.
    outer_gen5 "message descriptor" "PRM 2.6.8; lowering reference 18.1" {
        EOT       "end of thread"        0 [31:31] "the thread ends with this message";
        LENGTH    "message length"       0 [28:25] "registers of the payload, header included";
        RESPONSE  "response length"      0 [24:20] "registers written back";
        HEADER    "header present"       0 [19:19] "the first payload register is a header";
        CONTROL   "function control"     0 [18:0]  "owned by the shared function";
    }

    /// Extended descriptor up to Gen9.
    extended_gen9 "extended descriptor" "lowering reference 1.3" {
        NULL_TARGET   "null render target"     0 [20:20] "nothing is written";
        ALPHA         "source-0 alpha"         0 [15:15] "the payload begins with source-0 alpha";
        TARGET        "render target index"    0 [14:12] "which target of the pixel shader";
        COARSE        "coarse pixel"           0 [11:11] "coarse pixel shading";
        LENGTH        "extended length"        0 [9:6]   "registers of the second payload";
        EOT           "end of thread"          0 [5:5]   "the thread ends with this message";
        SFID          "shared function"        0 [3:0]   "who receives the message";
    }

    /// Extended descriptor of Gen11.
    extended_gen11 "extended descriptor" "lowering reference 1.3" {
        NULL_TARGET   "null render target"     0 [20:20] "nothing is written";
        ALPHA         "source-0 alpha"         0 [15:15] "the payload begins with source-0 alpha";
        TARGET        "render target index"    0 [14:12] "which target of the pixel shader";
        COARSE        "coarse pixel"           0 [11:11] "coarse pixel shading";
        LENGTH        "extended length"        0 [10:6]  "registers of the second payload";
        EOT           "end of thread"          0 [5:5]   "the thread ends with this message";
        SFID          "shared function"        0 [3:0]   "who receives the message";
    }

    /// Extended descriptor of Gen12: shared function and end of thread are instruction fields.
    extended_gen12 "extended descriptor" "lowering reference 1.3" {
        NULL_TARGET   "null render target"     0 [20:20] "nothing is written";
        ALPHA         "source-0 alpha"         0 [15:15] "the payload begins with source-0 alpha";
        TARGET        "render target index"    0 [14:12] "which target of the pixel shader";
        COARSE        "coarse pixel"           0 [11:11] "coarse pixel shading";
        LENGTH        "extended length"        0 [10:6]  "registers of the second payload";
    }

    /// Extended descriptor of DG2 and PVC: the second length is an instruction field as well.
    extended_xehpg "extended descriptor" "lowering reference 1.3" {
        NULL_TARGET   "null render target"     0 [20:20] "nothing is written";
        ALPHA         "source-0 alpha"         0 [15:15] "the payload begins with source-0 alpha";
        TARGET        "render target index"    0 [14:12] "which target of the pixel shader";
        COARSE        "coarse pixel"           0 [11:11] "coarse pixel shading";
    }

    /// Extended descriptor of Gen5.
    extended_gen5 "extended descriptor" "lowering reference 18.1" {
        EOT           "end of thread"          0 [5:5]   "the thread ends with this message";
        SFID          "shared function"        0 [3:0]   "who receives the message";
    }

    /// Function control of the sampler, Gen8 and later.
    sampler "sampler function control" "lowering reference 3.1" {
        SIMD_MODE "SIMD mode"     0 [18:17] "1 native lanes, 2 twice that, 3 block messages";
        TYPE      "message type"  0 [16:12] "the operation";
        SAMPLER   "sampler index" 0 [11:8]  "sampler state";
        BINDING   "binding"       0 [7:0]   "binding table index";
    }

    /// Function control of the sampler from Xe2 on.
    sampler_xe2 "sampler function control" "Xe2 messages reference 5" {
        TYPE_HIGH "message type, bit 5" 0 [31:31] "positional offsets";
        SIMD_MODE "SIMD mode"     0 [18:17] "1 sixteen lanes, 2 thirty-two";
        TYPE      "message type"  0 [16:12] "the operation";
        SAMPLER   "sampler index" 0 [11:8]  "sampler state";
        BINDING   "binding"       0 [7:0]   "binding table index";
    }

    /// Header of the 3D sampler messages from Xe2 on.
    sampler_xe2_header "sampler header" "Xe2 messages reference 5" {
        NULL_MASK   "pixel null mask"  2 [23:23] "one more register tells the lanes with absent texels";
        GATHER      "gather4 channel"  2 [17:16] "gather4: source channel, 0 R .. 3 A";
        DISABLE     "channel disable"  2 [15:12] "bit 12 R .. bit 15 A, 1 = not returned";
        OFFSET_U    "U offset"         2 [11:8]  "texels, signed";
        OFFSET_V    "V offset"         2 [7:4]   "texels, signed";
        OFFSET_R    "R offset"         2 [3:0]   "texels, signed";
        PAIRED      "paired surface"   4 [31:0]  "its state; bit 0 says that there is one";
    }

    /// Header of the 3D sampler messages and INFO.
    sampler_header "sampler header" "lowering reference 3.4 and 4" {
        NULL_MASK   "pixel null mask"  2 [23:23] "one more register tells the lanes with absent texels";
        GATHER      "gather4 channel"  2 [17:16] "gather4: source channel, 0 R .. 3 A";
        DISABLE     "channel disable"  2 [15:12] "bit 12 R .. bit 15 A, 1 = not returned";
        OFFSET_U    "U offset"         2 [11:8]  "texels, signed";
        OFFSET_V    "V offset"         2 [7:4]   "texels, signed";
        OFFSET_R    "R offset"         2 [3:0]   "texels, signed";
    }

    /// Header of the Gen5 sampler messages.
    gen5_sampler_header "sampler header" "lowering reference 18.2; PRM 4.11.1.2" {
        IGNORED     "ignored"          2 [31:16] "ignored by hardware; written as 0";
        DISABLE     "channel disable"  2 [15:12] "bit 12 R .. bit 15 A, 1 = not returned";
        OFFSET_U    "U offset"         2 [11:8]  "texels, signed";
        OFFSET_V    "V offset"         2 [7:4]   "texels, signed";
        OFFSET_R    "R offset"         2 [3:0]   "texels, signed";
    }

    /// Header of the media sampler messages.
    media_sampler_header "media sampler header" "lowering reference 7.2; AVS reference 1.2" {
        CONTROL     "output control"   2 [19:18] "0 16-bit, 1 16-bit decimated, 2 8-bit, 3 8-bit decimated";
        DISABLE     "channel disable"  2 [15:12] "bit 12 R .. bit 15 A, 1 = not returned";
    }

    /// The payload register of AVS.
    avs_payload "AVS payload" "lowering reference 7.2; AVS reference 1.2" {
        V2D         "v2d"              0 [31:0]  "change of deltaV for each row, float";
        VBN         "vertical block"   1 [31:0]  "row offset in units of four rows";
        U           "U"                2 [31:0]  "normalised x of pixel 0, float";
        V           "V"                3 [31:0]  "normalised y of pixel 0, float";
        DELTA_U     "deltaU"           4 [31:0]  "x step between pixels, float";
        DELTA_V     "deltaV"           5 [31:0]  "y step between rows, float";
        U2D         "u2d"              6 [31:0]  "change of deltaU for each pixel, float";
        FUNCTION    "function"         7 [31:28] "0 AVS";
        IEF         "IEF bypass"       7 [27:27] "1 = the enhancement filter is bypassed";
        MODE        "mode"             7 [26:25] "0 16x4, 1 8x4, 2 16x8, 3 4x4";
        GROUP       "group"            7 [22:0]  "reorder hint";
    }

    /// The payload register of `sample_unorm`.
    unorm_payload "sample_unorm payload" "lowering reference 6.1" {
        U           "U"                2 [31:0]  "normalised x of pixel 0, float";
        V           "V"                3 [31:0]  "normalised y of pixel 0, float";
        DELTA_U     "deltaU"           4 [31:0]  "x step between pixels, float";
        DELTA_V     "deltaV"           5 [31:0]  "y step between rows, float";
    }

    /// The payload register of the SIMD32/64 messages of Gen5, media form.
    gen5_media_payload "media payload" "lowering reference 18.4" {
        U2D         "u2d"              0 [31:0]  "change of deltaU for each pixel, float";
        DELTA_U     "deltaU"           1 [31:0]  "x step between pixels, float";
        U           "U"                2 [31:0]  "normalised x of pixel 0, float";
        DELTA_V     "deltaV"           5 [31:0]  "y step between rows, float";
        V           "V"                6 [31:0]  "normalised y of pixel 0, float";
    }

    /// The payload register of the SIMD32/64 messages of Gen5 as pixel shaders have it.
    gen5_shader_payload "pixel shader payload" "lowering reference 18.4; PRM 4.11.1.9.1" {
        DELTA_U     "deltaU"           0 [31:0]  "x step between pixels, float";
        U2D         "u2d"              1 [31:0]  "change of deltaU for each pixel, float";
        U           "U"                2 [31:0]  "normalised x of pixel 0, float";
        DELTA_V     "deltaV"           5 [31:0]  "y step between rows, float";
        V           "V"                6 [31:0]  "normalised y of pixel 0, float";
    }

    /// The payload register of the Gen5 deinterlace message.
    gen5_deinterlace_payload "deinterlace payload" "AVS reference 5.1; PRM 4.11.1.9" {
        X           "X"                2 [31:0]  "left edge of the block in luma pixels";
        Y           "Y"                6 [31:0]  "top edge of the block in luma rows";
    }

    /// Function control of the data port, Gen8 and later: what is common.
    dataport "data port function control" "lowering reference 1.2" {
        TYPE     "message type"  0 [18:14] "the operation";
        SPECIFIC "type specific" 0 [13:8]  "as the type says";
        BINDING  "binding"       0 [7:0]   "binding table index";
    }

    /// Function control of media block messages.
    media_block "media block function control" "lowering reference 2.1; PRM 5.10.5.1" {
        TYPE     "message type"  0 [18:14] "4 read, 10 write";
        OVERRIDE "override"      0 [10:10] "the two bits below replace the surface's line stride";
        STRIDE   "line stride"   0 [9:9]   "1 = every second line";
        LINE     "first line"    0 [8:8]   "0 top field, 1 bottom field";
        BINDING  "binding"       0 [7:0]   "binding table index, plane added";
    }

    /// Header of media block messages.
    media_block_header "media block header" "lowering reference 2.2" {
        X        "X offset"      0 [31:0]  "left edge in bytes, signed";
        Y        "Y offset"      1 [31:0]  "top edge in rows, signed";
        HEIGHT   "height-1"      2 [21:16] "rows, less one";
        WIDTH    "width-1"       2 [5:0]   "bytes, less one";
    }

    /// Function control of oword block messages.
    oword_block "oword block function control" "lowering reference 8" {
        TYPE     "message type"  0 [18:14] "0 read, 1 unaligned read, 8 write";
        SIZE     "block size"    0 [10:8]  "0 one oword, low half; 1 one, high half; 2 two, 3 four, 4 eight, 5 sixteen";
        BINDING  "binding"       0 [7:0]   "binding table index";
    }

    /// Header of oword and scattered messages.
    offset_header "offset header" "lowering reference 8 and 9" {
        GLOBAL   "global offset" 2 [31:0]  "owords; bytes in unaligned reads and on Gen5; elements in scattered messages";
        BASE     "stateless base" 5 [31:10] "Gen5: of binding 255, in units of 1024 bytes";
    }

    /// Function control of the byte scattered messages.
    byte_scattered "byte scattered function control" "lowering reference 9 and 10" {
        TYPE     "message type"  0 [18:14] "4 read, 12 write";
        SIZE     "element size"  0 [11:10] "0 byte, 1 word, 2 dword";
        LANES    "16 lanes"      0 [8:8]   "0 eight lanes, 1 sixteen";
        BINDING  "binding"       0 [7:0]   "binding table index";
    }

    /// Function control of the dword scattered messages.
    dword_scattered "dword scattered function control" "lowering reference 9" {
        TYPE     "message type"  0 [18:14] "3 read, 11 write";
        LANES    "lanes"         0 [9:8]   "2 eight lanes, 3 sixteen";
        BINDING  "binding"       0 [7:0]   "binding table index";
    }

    /// Function control of untyped surface messages.
    untyped "untyped surface function control" "lowering reference 10" {
        TYPE     "message type"    0 [18:14] "1 read, 9 write; 17 and 25 at 64-bit addresses";
        LANES    "lanes"           0 [13:12] "1 sixteen lanes, 2 eight";
        DISABLE  "channel disable" 0 [11:8]  "bit 8 R .. bit 11 A, 1 = absent";
        BINDING  "binding"         0 [7:0]   "binding table index; 255 at 64-bit addresses";
    }

    /// Function control of typed surface messages.
    typed "typed surface function control" "lowering reference 11" {
        TYPE     "message type"    0 [18:14] "5 read, 13 write";
        SLOTS    "slot group"      0 [13:12] "1 lanes 0..7";
        DISABLE  "channel disable" 0 [11:8]  "bit 8 R .. bit 11 A, 1 = absent";
        BINDING  "binding"         0 [7:0]   "binding table index";
    }

    /// Function control of atomic messages.
    atomic "atomic function control" "lowering reference 12" {
        TYPE     "message type"  0 [18:14] "2 integer, 3 16-bit, 27 float, 28 half; 6, 7 typed; 18, 19 at 64-bit addresses";
        RETURN   "return"        0 [13:13] "the old value comes back";
        LANES    "8 lanes"       0 [12:12] "1 eight lanes, 0 sixteen; at 64-bit addresses: 1 = 64-bit data";
        OP       "operation"     0 [11:8]  "which read-modify-write";
        BINDING  "binding"       0 [7:0]   "binding table index";
    }

    /// Function control of block messages at 64-bit addresses.
    svm_block "64-bit block function control" "lowering reference 13" {
        TYPE     "message type"  0 [18:14] "20 read, 21 write";
        SUBTYPE  "subtype"       0 [12:11] "0 aligned, 1 unaligned";
        SIZE     "block size"    0 [10:8]  "0 one oword, 2 two, 3 four, 4 eight";
        BINDING  "binding"       0 [7:0]   "255";
    }

    /// Header of block messages at 64-bit addresses.
    svm_block_header "64-bit block header" "lowering reference 13" {
        ADDRESS_LOW  "address low"  0 [31:0] "bytes";
        ADDRESS_HIGH "address high" 1 [31:0] "bytes";
    }

    /// Function control of scattered messages at 64-bit addresses.
    svm_scattered "64-bit scattered function control" "lowering reference 13" {
        TYPE     "message type"  0 [18:14] "16 read, 26 write";
        LANES    "16 lanes"      0 [12:12] "0 eight lanes, 1 sixteen";
        COUNT    "log2 blocks"   0 [11:10] "blocks for each lane";
        SIZE     "block size"    0 [9:8]   "0 byte, 1 dword, 2 qword";
        BINDING  "binding"       0 [7:0]   "255";
    }

    /// Function control of render target writes.
    render_target "render target function control" "lowering reference 14" {
        COARSE   "coarse"        0 [18:18] "coarse pixel";
        TYPE     "message type"  0 [17:14] "12";
        SAMPLE   "per sample"    0 [13:13] "per-sample dispatch";
        LAST     "last target"   0 [12:12] "the last render target write";
        SLOTS    "slot group"    0 [11:11] "1 = lanes 16..31";
        SUBTYPE  "subtype"       0 [10:8]  "4 eight lanes, 0 sixteen";
        BINDING  "binding"       0 [7:0]   "binding table index";
    }

    /// Header of render target writes.
    render_target_header "render target header" "lowering reference 14" {
        STENCIL  "stencil present" 0 [14:14] "stencil in the payload";
        DEPTH    "depth present"   0 [13:13] "source depth in the payload";
        OMASK    "omask present"   0 [12:12] "sample mask in the payload";
        ALPHA    "alpha present"   0 [11:11] "source-0 alpha in the payload";
        INDEX    "target index"    2 [2:0]   "render target";
        FLAG     "lane enables"    15 [15:0] "M1.7: the lanes of a predicated write";
    }

    /// Function control of URB writes.
    urb "URB function control" "lowering reference 15" {
        PER_SLOT "per-slot offset" 0 [17:17] "one offset for each lane in the payload";
        MASKED   "channel mask"    0 [15:15] "channel masks in the payload";
        OFFSET   "global offset"   0 [14:4]  "in units of 16 bytes";
        OPCODE   "opcode"          0 [3:0]   "7 SIMD8 write";
    }

    /// Function control of memory fences before the load/store pipe.
    fence "fence function control" "lowering reference 15" {
        TYPE     "message type"  0 [18:14] "7";
        COMMIT   "commit"        0 [13:13] "a register comes back when done";
        L3       "L3 partitions" 0 [12:9]  "which are flushed";
        L1       "L1 flush"      0 [8:8]   "flush the L1";
        BINDING  "binding"       0 [7:0]   "0 global; 0xFE shared local memory from Gen11";
    }

    /// Function control of fences of the load/store pipe.
    lsc_fence "load/store fence control" "lowering reference 15" {
        FLUSH    "flush"   0 [18:12] "0 none, 1 evict, 2 invalidate, 3 discard, 4 clean, 5 L3, 6 type 6";
        SCOPE    "scope"   0 [11:9]  "0 group, 1 local, 2 tile, 3 GPU, 4 GPUs, 5 system release, 6 system acquire";
        WIDE     "control" 0 [8:8]   "1";
        OPCODE   "opcode"  0 [5:0]   "31 fence";
    }

    /// Descriptor of the load/store pipe.
    lsc "load/store descriptor" "Xe2 messages reference 7" {
        MODEL      "address type"        0 [30:29] "0 flat, 1 bss, 2 ss, 3 bti";
        LENGTH     "message length"      0 [28:25] "registers of the first payload: addresses";
        RESPONSE   "response length"     0 [24:20] "registers written back";
        CACHE      "cache control"       0 [19:17] "L1.L3, load: 0 default, 1 uc.uc, 2 uc.ca, 3 ca.uc, 4 ca.ca, 5 st.uc, 6 st.ca, 7 ri.ca; store: uc.uc, uc.wb, wt.uc, wt.wb, st.uc, st.wb, wb.wb";
        CACHE_LOW  "cache control, low"  0 [16:16] "with the bits above: 5 uc.cc, 9 ca.cc, 14 ri.ri, from Xe2 on";
        TRANSPOSED "transposed"          0 [15:15] "one lane with consecutive elements";
        VECTOR     "vector size"         0 [14:12] "0 1, 1 2, 2 3, 3 4, 4 8, 5 16, 6 32, 7 64 elements";
        DATA       "data size"           0 [11:9]  "0 d8, 1 d16, 2 d32, 3 d64, 4 d8u32, 5 d16u32, 6 d16u32h";
        ADDRESS    "address size"        0 [8:7]   "1 16 bits, 2 32, 3 64";
        OPCODE     "opcode"              0 [5:0]   "0 load, 4 store, 8 to 26 atomics";
    }

    /// Descriptor of the load/store pipe for channels.
    lsc_quad "load/store descriptor of channels" "Xe2 messages reference 7" {
        MODEL      "address type"        0 [30:29] "0 flat, 1 bss, 2 ss, 3 bti";
        LENGTH     "message length"      0 [28:25] "registers of the first payload: addresses or coordinates";
        RESPONSE   "response length"     0 [24:20] "registers written back";
        CACHE      "cache control"       0 [19:17] "L1.L3, load: 0 default, 1 uc.uc, 2 uc.ca, 3 ca.uc, 4 ca.ca, 5 st.uc, 6 st.ca, 7 ri.ca; store: uc.uc, uc.wb, wt.uc, wt.wb, st.uc, st.wb, wb.wb";
        CACHE_LOW  "cache control, low"  0 [16:16] "with the bits above: 5 uc.cc, 9 ca.cc, 14 ri.ri, from Xe2 on";
        CHANNELS   "channels"            0 [15:12] "bit 12 x .. bit 15 w, 1 = moved";
        DATA       "data size"           0 [11:9]  "2 d32";
        ADDRESS    "address size"        0 [8:7]   "1 16 bits, 2 32, 3 64";
        OPCODE     "opcode"              0 [5:0]   "2 load, 6 store";
    }

    /// Descriptor of a 2D block.
    lsc_block2d "2D block descriptor" "Xe2 messages reference 7" {
        MODEL      "address type"        0 [30:29] "0 flat";
        LENGTH     "message length"      0 [28:25] "one register of surface, place and size";
        RESPONSE   "response length"     0 [24:20] "registers written back";
        CACHE      "cache control"       0 [19:17] "L1.L3, load: 0 default, 1 uc.uc, 2 uc.ca, 3 ca.uc, 4 ca.ca, 5 st.uc, 6 st.ca, 7 ri.ca; store: uc.uc, uc.wb, wt.uc, wt.wb, st.uc, st.wb, wb.wb";
        CACHE_LOW  "cache control, low"  0 [16:16] "with the bits above: 5 uc.cc, 9 ca.cc, 14 ri.ri, from Xe2 on";
        TRANSPOSED "transposed"          0 [15:15] "registers hold columns";
        DATA       "data size"           0 [11:9]  "0 d8, 1 d16, 2 d32, 3 d64";
        VNNI       "VNNI"                0 [7:7]   "elements of a column fill a dword together";
        OPCODE     "opcode"              0 [5:0]   "3 load, 7 store";
    }

    /// The payload register of a 2D block.
    lsc_block2d_payload "2D block payload" "Xe2 messages reference 7" {
        BASE_LOW     "base, low"      0 [31:0]  "address of the surface";
        BASE_HIGH    "base, high"     1 [31:0]  "address of the surface";
        WIDTH        "surface width"  2 [31:0]  "bytes of a row less one";
        HEIGHT       "surface height" 3 [31:0]  "rows less one";
        PITCH        "surface pitch"  4 [31:0]  "bytes from row to row less one";
        X            "x"              5 [31:0]  "column of the first block in elements, signed";
        Y            "y"              6 [31:0]  "row of the first block, signed";
        BLOCKS       "blocks"         7 [23:16] "blocks side by side less one";
        BLOCK_HEIGHT "block height"   7 [15:8]  "rows of a block less one";
        BLOCK_WIDTH  "block width"    7 [7:0]   "elements of a row of a block less one";
    }

    /// A 2D block of texels.
    lsc_typed_block "typed 2D block descriptor" "Xe2 messages reference 9" {
        MODEL      "address type"        0 [30:29] "1 bindless, 3 binding table";
        LENGTH     "message length"      0 [28:25] "one register of place and size";
        RESPONSE   "response length"     0 [24:20] "registers written back";
        CACHE      "cache control"       0 [19:17] "as other messages of the pipe";
        CACHE_LOW  "cache control, low"  0 [16:16] "with the bits above";
        OPCODE     "opcode"              0 [5:0]   "3 load, 7 store";
    }

    /// The payload register of a 2D block of texels.
    lsc_typed_block_payload "typed 2D block payload" "Xe2 messages reference 9" {
        X            "x"            5 [31:0]  "bytes from the left edge, signed";
        Y            "y"            6 [31:0]  "rows from the top, signed";
        BLOCK_HEIGHT "block height" 7 [15:8]  "rows less one";
        BLOCK_WIDTH  "block width"  7 [7:0]   "bytes of a row less one";
    }

    /// Extended descriptor of a 2D block of texels of a bound surface.
    extended_lsc_typed_block "typed 2D block extended descriptor" "Xe2 messages reference 7" {
        INDEX        "binding"      0 [31:24] "binding table index";
    }

    /// Extended descriptor of a message of the load/store pipe at addresses.
    extended_lsc "load/store extended descriptor" "Xe2 messages reference 7" {
        OFFSET       "offset"         0 [31:12] "bytes added to every address, signed, from Xe2 on";
    }

    /// Extended descriptor of a message of the load/store pipe at a binding table index.
    extended_lsc_bti "load/store extended descriptor" "Xe2 messages reference 7" {
        BTI          "binding"        0 [31:24] "binding table index";
        OFFSET       "offset"         0 [23:12] "bytes added to every address, signed, from Xe2 on";
    }

    /// Extended descriptor of a message of the load/store pipe at a handle.
    extended_lsc_handle "load/store extended descriptor" "Xe2 messages reference 7" {
        HANDLE       "handle"         0 [31:0] "of the surface state";
    }

    /// Extended descriptor of a 2D block.
    extended_lsc_block2d "2D block extended descriptor" "Xe2 messages reference 7" {
        Y            "y offset"       0 [31:22] "rows, signed, from Xe2 on";
        X            "x offset"       0 [21:12] "elements, signed, from Xe2 on";
    }

    /// Sampler messages of Xe3p.
    e64_sampler "sampler descriptor" "Xe2 messages reference 6" {
        OFFSET_U    "U offset"       0 [41:38] "texels, signed";
        OFFSET_V    "V offset"       0 [37:34] "texels, signed";
        OFFSET_R    "R offset"       0 [33:30] "texels, signed";
        SAMPLER     "sampler index"  0 [29:27] "added to the address of the sampler state";
        SURFACE     "surface index"  0 [26:22] "added to the address of the surface state";
        FEEDBACK    "feedback"       0 [21:21] "a header with the address of the paired surface leads";
        NULL_STATUS "null status"    0 [20:20] "one more register tells the lanes with absent texels";
        CACHE       "cache control"  0 [19:16] "as messages of the load/store pipe";
        RETURN16    "16-bit data"    0 [15:15] "returned data are 16-bit";
        PARAMS16    "16-bit parameters" 0 [14:14] "parameters are 16-bit";
        KIND        "surface type"   0 [13:11] "a hint: 0 none, 1 buffer, 2 1D, 3 2D, 4 3D, 5 cube, 6 cube array";
        CHANNELS    "channels"       0 [10:7]  "bit 7 R .. bit 10 A, 1 = returned; gather4: 10:9 source channel";
        BACKING     "cache backing"  0 [6:6]   "backed by the load/store cache";
        TYPE        "message type"   0 [5:0]   "the operation";
    }

    /// Messages of Xe3p to the load/store pipe, at addresses.
    e64_stateless "load/store descriptor" "Xe2 messages reference 8" {
        SCALE       "address scale"  0 [45:44] "0 bytes, 1 elements, 2 twice, 3 four times that";
        OFFSET      "offset"         0 [43:22] "elements added to every address, signed";
        OVERFETCH   "overfetch"      0 [21:21] "more than the lanes need may be read";
        CACHE       "cache control"  0 [19:16] "a policy of three levels";
        ADDRESS     "address type"   0 [15:14] "0 a32u, 1 a32s, 2 a64, 3 a surface";
        DATA        "data size"      0 [13:11] "0 d8, 1 d16, 2 d32, 3 d64, 4 d8u32, 5 d16u32";
        TRANSPOSED  "transposed"     0 [10:10] "one lane, its elements side by side";
        VECTOR      "vector size"    0 [9:7]   "0 1, 1 2, 2 3, 3 4, 4 8, 5 16, 6 32, 7 64";
        OPCODE      "opcode"         0 [5:0]   "the operation";
    }

    /// Messages of Xe3p to the load/store pipe, of a surface.
    e64_stateful "load/store descriptor" "Xe2 messages reference 8" {
        OFFSET      "offset"         0 [43:27] "elements added to every address, signed";
        SURFACE     "surface index"  0 [26:22] "added to the address of the surface state";
        OVERFETCH   "overfetch"      0 [21:21] "more than the lanes need may be read";
        CACHE       "cache control"  0 [19:16] "a policy of three levels";
        ADDRESS     "address type"   0 [15:14] "3 a surface";
        DATA        "data size"      0 [13:11] "0 d8, 1 d16, 2 d32, 3 d64, 4 d8u32, 5 d16u32";
        TRANSPOSED  "transposed"     0 [10:10] "one lane, its elements side by side";
        VECTOR      "vector size"    0 [9:7]   "0 1, 1 2, 2 3, 3 4, 4 8, 5 16, 6 32, 7 64";
        OPCODE      "opcode"         0 [5:0]   "the operation";
    }

    /// Typed messages of Xe3p to the load/store pipe.
    e64_typed "typed load/store descriptor" "Xe2 messages reference 8" {
        OFFSET_U    "U offset"       0 [41:38] "texels, signed";
        OFFSET_V    "V offset"       0 [37:34] "texels, signed";
        OFFSET_R    "R offset"       0 [33:30] "texels, signed";
        SURFACE     "surface index"  0 [26:22] "added to the address of the surface state";
        CACHE       "cache control"  0 [19:16] "a policy of three levels";
        ADDRESS     "data"           0 [15:14] "quads: 16-bit coordinates and data; atomics: 3";
        KIND        "surface type"   0 [13:11] "a hint; of atomics the data size";
        CHANNELS    "channels"       0 [10:7]  "bit 7 x .. bit 10 w";
        OPCODE      "opcode"         0 [5:0]   "the operation";
    }

    /// 2D blocks of Xe3p.
    e64_block2d "2D block descriptor" "Xe2 messages reference 8" {
        Y           "y offset"       0 [45:34] "rows, signed";
        X           "x offset"       0 [33:22] "elements, signed";
        CACHE       "cache control"  0 [19:16] "a policy of three levels";
        ADDRESS     "address type"   0 [15:14] "2 memory, 3 a surface";
        DATA        "data size"      0 [13:11] "0 d8, 1 d16, 2 d32, 3 d64";
        TRANSPOSED  "transposed"     0 [10:10] "registers hold columns";
        VNNI        "VNNI"           0 [9:9]   "elements of a column fill a dword together";
        OPCODE      "opcode"         0 [5:0]   "3 load, 7 store";
    }

    /// Fences of Xe3p.
    e64_fence "load/store fence descriptor" "Xe2 messages reference 8" {
        SCOPE       "scope"          0 [13:11] "0 group, 1 core, 2 tile, 3 gpu, 4 gpus, 5 sysrel, 6 sysacq";
        OPERATION   "operation"      0 [10:8]  "0 none, 1 evict, 2 invalidate, 3 discard, 4 clean, 5 flush L3";
        OPCODE      "opcode"         0 [5:0]   "31";
    }

    /// Messages of Xe3p to the gateway.
    e64_gateway "gateway descriptor" "Xe2 messages reference 8" {
        ACTIVE      "active threads only" 0 [7:7] "threads that have ended are not waited for";
        OPCODE      "opcode"         0 [5:0]   "0 end of thread, 4 barrier, 5 named barrier";
    }

    /// Function control of the gateway.
    gateway "gateway function control" "lowering reference 15 and 18.8" {
        END      "thread end" 0 [4:4] "end of thread";
        OPCODE   "opcode"     0 [3:0] "4 barrier; 0 open, 1 close, 2 forward on Gen5";
    }

    /// Function control of the thread spawner.
    spawner "thread spawner function control" "lowering reference 15 and 18.8" {
        CHILD    "resource" 0 [4:4] "the URB handle is not dereferenced";
        REQUEST  "request"  0 [1:1] "1 child thread";
        OPCODE   "opcode"   0 [0:0] "0 dereference resource";
    }

    /// Function control of the Gen5 sampler.
    gen5_sampler "sampler function control" "lowering reference 18.2; PRM 4.11.1.1" {
        SIMD_MODE "SIMD mode"     0 [17:16] "0 4x2, 1 SIMD8, 2 SIMD16, 3 SIMD32/64";
        TYPE      "message type"  0 [15:12] "the operation";
        SAMPLER   "sampler index" 0 [11:8]  "sampler state";
        BINDING   "binding"       0 [7:0]   "binding table index";
    }

    /// Function control of Gen5 data port reads.
    gen5_read "data port read control" "lowering reference 18.5; PRM 5.10.2.1" {
        IGNORED  "ignored"       0 [18:16] "ignored by hardware; written as 0";
        CACHE    "target cache"  0 [15:14] "0 data, 1 render, 2 sampler, 3 sampler in field mode";
        TYPE     "message type"  0 [13:11] "the operation";
        SPECIFIC "control"       0 [10:8]  "as the type says";
        BINDING  "binding"       0 [7:0]   "binding table index";
    }

    /// Function control of Gen5 data port writes.
    gen5_write "data port write control" "lowering reference 18.5; PRM 5.10.2.1" {
        IGNORED  "ignored"       0 [18:16] "ignored by hardware; written as 0";
        COMMIT   "commit"        0 [15:15] "a register comes back when done";
        TYPE     "message type"  0 [14:12] "the operation";
        SPECIFIC "control"       0 [11:8]  "as the type says";
        BINDING  "binding"       0 [7:0]   "binding table index";
    }

    /// Header of Gen5 media block messages, Message Mode NORMAL.
    gen5_media_header "media block header" "lowering reference 18.5; PRM 5.10.5.2" {
        X        "X offset"      0 [31:0]  "left edge in bytes, signed";
        Y        "Y offset"      1 [31:0]  "top edge in rows, signed";
        ABOVE    "ignored"       2 [31:22] "ignored by hardware; written as 0";
        HEIGHT   "height-1"      2 [21:16] "rows, less one";
        IGNORED  "ignored"       2 [15:5]  "ignored by hardware; written as 0";
        WIDTH    "width-1"       2 [4:0]   "bytes, less one";
    }

    /// The two header registers of Gen5 render target writes; dwords 8 to 15 are those of the second.
    gen5_target_header "render target header" "PRM 5.10.7.3" {
        DISPATCHED "dispatched pixels" 0 [31:16] "on when the thread was dispatched";
        ENABLES    "pixel enables"     0 [15:0]  "written";
        CALCULATOR "color calculator"  1 [31:6]  "state pointer";
        BACK       "back facing"       14 [31:31] "1 = the polygon faces back";
        SOURCE_DEPTH      "source depth"      14 [29:29] "present in the payload";
        DESTINATION_DEPTH "destination depth" 14 [28:28] "present in the payload";
        STENCIL    "stencil"           14 [27:27] "destination stencil is present in the payload";
        ANTIALIAS  "antialias alpha"   14 [26:26] "present in the payload";
        VIEWPORT   "viewport"          15 [30:27] "index";
        INDEX      "array index"       15 [26:16] "slice, depth or face";
        CLIPPED    "clipped out"       15 [15:0]  "discarded by clip distances";
    }

    /// Header of Gen5 render target UNORM messages.
    gen5_unorm_header "render target UNORM header" "PRM 5.10.8.2" {
        X        "X offset"    0 [31:0] "left edge in pixels, signed";
        Y        "Y offset"    1 [31:0] "top edge in rows, signed";
        MASK     "pixel mask"  2 [31:0] "pixels written, in subspan order";
    }

    /// The register of Gen5 streamed vertex buffer writes.
    gen5_vertex_header "streamed vertex" "PRM 5.10.9.2" {
        R        "R"           0 [31:0] "data";
        G        "G"           1 [31:0] "data";
        B        "B"           2 [31:0] "data";
        A        "A"           3 [31:0] "data";
        INDEX    "index"       5 [31:0] "element of the buffer";
    }

    /// Function control of the Gen5 math unit.
    gen5_math "math function control" "lowering reference 18.7; PRM 6.1.1" {
        SCALAR   "scalar"    0 [7:7] "one input for each group of four lanes";
        SATURATE "saturate"  0 [6:6] "results clamp to 0..1";
        PARTIAL  "precision" 0 [5:5] "1 partial";
        SIGNED   "signed"    0 [4:4] "integer division of signed values";
        FUNCTION "function"  0 [3:0] "1 inv, 2 log, 3 exp, 4 sqrt, 5 rsqrt, 6 sin, 7 cos, 8 sincos, 10 pow, 11 int div, 12 quotient, 13 remainder";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_fields_of_a_layout_share_a_bit() {
        for layout in LAYOUTS {
            for (i, a) in layout.fields.iter().enumerate() {
                // A descriptor of 47 bits runs on into a second word.
                assert!(a.lo <= a.hi && a.hi < 47, "{}: {}", layout.name, a.name);
                for b in &layout.fields[i + 1..] {
                    let apart = |dw: usize| a.mask_in(dw) & b.mask_in(dw) == 0;
                    assert!(
                        apart(a.dw) && apart(a.dw + 1),
                        "{}: {} and {} overlap",
                        layout.name,
                        a.name,
                        b.name
                    );
                }
            }
        }
    }

    #[test]
    fn a_value_that_does_not_fit_is_refused() {
        let mut words = [0; 3];
        let width = media_block_header::WIDTH;
        assert_eq!(width.put(&mut words, 63), Ok(()));
        assert_eq!(words, [0, 0, 63]);
        assert!(width.put(&mut words, 64).is_err());
        assert_eq!(width.get(&words), 63);
    }
}
