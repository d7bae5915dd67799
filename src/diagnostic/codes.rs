//! Every code, once: class, title, and the long text of `visim explain`.
//!
//! Ranges: 01xx reading text; 02xx names, declarations, inputs; 03xx message instructions; 04xx
//! operands, regions, types; 05xx flow; 06xx running; 07xx files, bindings, directives; 08xx TLD text, words and headers;
//! 092x and 093x programs of sends.
//! `E` error, `U` undefined, `N` not modelled (unsupported), `L` limit, `W` warning.

use super::Class;

/// What is known of a code.
#[derive(Clone, Copy, Debug)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// As printed, `E0301`.
    pub name: &'static str,
    /// Whose move it is.
    pub class: Class,
    /// The usual title.
    pub title: &'static str,
    /// The long text: the rule, why it is there, an example and its mend.
    pub explanation: &'static str,
}

macro_rules! codes {
    ($($name:ident $class:ident $title:literal $explanation:literal)+) => {
        /// A stable diagnostic code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $(#[doc = $title] $name),+ }

        /// Every code.
        pub static CODES: &[CodeInfo] = &[$(CodeInfo {
            code: Code::$name,
            name: stringify!($name),
            class: Class::$class,
            title: $title,
            explanation: $explanation,
        }),+];
    };
}

codes! {
    E0101 Error "unexpected text"
"A statement did not read as vISA: the note lists what could have stood at the place marked.

Statements stand one per line; operands are separated by blanks, never by commas.

    mov (M1, 8) D0(0,0)<1> D1(0,0)        // a source needs a region
    mov (M1, 8) D0(0,0)<1> D1(0,0)<1;1,0> // mended"
    E0102 Error "unknown instruction"
"The first word of the line is no mnemonic. Mnemonics are lower case only.

    MOV (M1, 8) D0(0,0)<1> D1(0,0)<1;1,0>
    mov (M1, 8) D0(0,0)<1> D1(0,0)<1;1,0> // mended"
    E0103 Error "line ends in a carriage return"
"A carriage return is not a blank in vISA text, so a file with CR LF line ends is rejected at its
first line end. visim reads on, to find other mistakes, and says this once for the file.

Convert the file: `dos2unix file.visaasm`."
    E0104 Error "unknown data type"
"Behind the colon of an immediate, and behind `type=`, stands one of ud d uw w ub b uq q f df hf, of
immediates also v uv vf. Both cases are read.

    mov (M1, 8) D0(0,0)<1> 0x1:i32
    mov (M1, 8) D0(0,0)<1> 0x1:d // mended"
    E0105 Error "text or comment is not closed"
"A string ends on the line on which it starts and has at most 4096 characters; a comment that opens
with `/*` ends with `*/`. Escapes in strings are those of C.

    FILE \"abc
    FILE \"abc\" // mended"
    E0106 Error "reserved word as a name"
"Mnemonics, the words of AVS, FILE, LOC, flat, bti, bss, ss and arg cannot name variables.

    .decl add v_type=G type=ud num_elts=8
    .decl add_ v_type=G type=ud num_elts=8 // mended"
    E0107 Error "`.version` is missing or repeated"
"The first statement of a file is `.version MAJOR.MINOR`, and only the first. The numbers themselves
are a note: they do not tell the dialect reliably.

    .version 4.1
    .kernel \"k\""
    E0108 Error "number is out of range"
"The number fits no field of the instruction at this place: too many digits, too large, or negative
where a count or an offset is meant. The bits in front of `:hf` are at most 0xffff.

    mov (M1, 8) H(0,0)<1> 0x13c00:hf
    mov (M1, 8) H(0,0)<1> 0x3c00:hf // mended"
    E0109 Error "constant expression has no value"
"Expressions are worked out while reading: a name in `%sizeof(…)` must be declared above, SimdSize must
be set above `%DispatchSimd`, and nothing can be divided by zero.

    .decl B v_type=G type=ub num_elts=%sizeof(A)
    .decl A v_type=G type=ud num_elts=8      // too late: move it above B"
    E0110 Error "wrong or missing suffix"
"The words behind a mnemonic's dot stand in a fixed order, and some have to be there: the relation of
cmp, the mode of media_ld, the channels of the sampler instructions.

    load_3d.GR (M1, 8) 0x0:uw T6 F0.0 D0.0
    load_3d.RG (M1, 8) 0x0:uw T6 F0.0 D0.0 // mended"
    E0111 Error "label is not alone on its line"
"A label starts in the first column, ends in a colon and has its line for itself.

    spot: mov (M1, 8) D0(0,0)<1> 0x1:d

mended:

    spot:
        mov (M1, 8) D0(0,0)<1> 0x1:d"
    E0112 Error "unknown directive"
"A line that starts with a dot is one of .version .kernel .kernel_attr .function .global_function
.funcdecl .decl .input .implicit_… .parameter .file .loc.

    .declare X v_type=G type=ud num_elts=8
    .decl X v_type=G type=ud num_elts=8 // mended"
    E0113 Error "declaration field out of order"
"The fields of a declaration have one order: v_type, type, num_elts, align, alias, attrs; of samplers
and surfaces: v_type, num_elts, v_name, attrs.

    .decl X num_elts=8 type=ud v_type=G
    .decl X v_type=G type=ud num_elts=8 // mended"
    N0114 Unsupported "form is not modelled"
"The text is a form of newer sources or later hardware that the reference names without defining it,
or a message without a documented text form. This is not a fault of the program."
    L0115 Limit "expression is nested too deeply"
"Parentheses and conditions of a constant expression nest up to 64 levels. Write the expression flatter,
or write its value."
    W0116 Warning "number is wider than what is kept"
"Decimal numbers wrap at 32 bits, immediates of types up to 32 bits keep the low 32, and the row and column
of an operand keep 8 each. The value that is used is shown; write the number in hexadecimal, or with a
64-bit type, or declare an alias at the far offset, if more was meant.

    mov (M1, 8) D0(0,0)<1> 99999999999:ud // read as 0x4876e7ff
    mov (M1, 8) D0(0,300)<1> 0x1:d // element 44"
    E0117 Error "unknown alignment"
"Alignment is a power of two from 2 to 128, or one of byte word dword qword oword hword GRF GRFx2
(2GRF) wordx32 (32word) wordx64 (64word).

    .decl X v_type=G type=ud num_elts=8 align=3
    .decl X v_type=G type=ud num_elts=8 align=4 // mended"
    W0118 Warning "channel letter is missing"
"Intel's vector compiler prints the first channel of sample4 as a dot with nothing behind it, which its
own assembler cannot read. visim reads it as `.R`.

    sample4. (M1, 8) 0x0:uw S0 T6 D.0 N.0
    sample4.R (M1, 8) 0x0:uw S0 T6 D.0 N.0 // meant"
    L0119 Limit "too many lines that cannot be read"
"Reading stops after 1000 bad lines: such a file is hardly vISA text, and nobody reads so many messages.
Mend the first ones and run again."
    E0122 Error "the null variable has no bytes"
"`%null.0` stands for an operand that is absent. There is nothing behind it that another offset could name.

    raw_send (M1, 8) 0xc 1 0 0x2480400:ud D.0 %null.32   // %null.0"
    E0201 Error "statement outside a kernel"
"Everything up to the next `.kernel` or `.global_function` belongs to the current one. Before the first
of them only `.version` and `.funcdecl` may stand.

    .decl X v_type=G type=ud num_elts=8   // belongs to nothing
    .kernel \"k\"                        // move this line up"
    E0202 Error "name is not declared"
"A variable is declared on a line above its first use and seen to the end of the block (`{` … `}`) it is
declared in. Built-in variables carry a `%`.

    mov (M1, 8) A(0,0)<1> 0x1:d           // no A yet
    .decl A v_type=G type=d num_elts=8    // move this line up"
    E0203 Error "name is declared twice"
"One scope holds a name once, whatever its class: general, address, predicate, sampler and surface
variables share one table. An inner block may hide an outer name.

    .decl A v_type=G type=d num_elts=8
    .decl A v_type=P num_elts=8           // rename, or open a block in front"
    E0204 Error "name belongs to a built-in variable"
"`V0` to `V20` are second spellings of `%null` to `%msg0`; `T1`, `T2`, `TSS` and `S31` are built-in
state. They cannot be declared.

    .decl V7 v_type=G type=d num_elts=8   // V7 is %r0
    .decl V32 v_type=G type=d num_elts=8  // mended"
    E0205 Error "number of elements is out of range"
"General variables have 1 to 65535 elements, address variables 1 to 16, predicates 1, 2, 4, 8, 16 or 32,
samplers and surfaces 1 to 128.

    .decl P1 v_type=P num_elts=12         // no
    .decl P1 v_type=P num_elts=16         // yes"
    E0206 Error "type cannot be declared"
"General variables are of type ud d uw w ub b uq q f df or hf. Booleans are predicates (`v_type=P`), and
the vector types v, uv and vf exist as immediates only.

    .decl X v_type=G type=bool num_elts=8 // no
    .decl X v_type=P num_elts=8           // yes"
    E0207 Error "alias of something without bytes"
"An alias is another view of the bytes of a general variable. Address variables, predicates, samplers and
surfaces have no such bytes.

    .decl T6 v_type=T num_elts=1
    .decl X v_type=G type=ud num_elts=1 alias=<T6, 0>   // no"
    E0208 Error "alias starts behind the end of its base"
"The offset of an alias is a byte position in its base, less than the base's size; aliases of aliases add
up.

    .decl A v_type=G type=ud num_elts=8                 // 32 bytes
    .decl B v_type=G type=ud num_elts=8 alias=<A, 32>   // byte 32 is behind the end"
    E0209 Error "alias wants more alignment than its base has"
"The base of an alias is aligned at least as the alias's type asks: 8 bytes for uq q df, 4 for ud d f.
Variables of a register or more are aligned to a register; smaller ones to what their type asks.

    .decl A v_type=G type=uw num_elts=4                 // word aligned
    .decl B v_type=G type=ud num_elts=2 alias=<A, 0>    // wants dword
    .decl A v_type=G type=uw num_elts=4 align=dword     // mended"
    E0210 Error "unknown variable attribute"
"The attributes of a variable are Input Output Input_Output Scope=n DoNotSpill ForceSpill NoWidening
SurfaceUsage=n PayloadLiveOut ExclusiveLoad. None of them affects results.

    .decl X v_type=G type=d num_elts=8 attrs={DoNotSpil}   // no
    .decl X v_type=G type=d num_elts=8 attrs={DoNotSpill}  // yes"
    E0211 Error "not an alignment"
"An alignment is a power of two from 2 to 128, or a named size: byte word dword qword oword hword GRF
GRFx2 (2GRF) wordx32 (32word) wordx64 (64word).

    .decl X v_type=G type=d num_elts=8 align=3      // no
    .decl X v_type=G type=d num_elts=8 align=dword  // yes"
    E0212 Error "variable cannot be an input"
"Inputs are declared general, sampler or surface variables: their bytes lie in the thread payload.
Addresses and predicates are computed by the kernel itself.

    .decl P1 v_type=P num_elts=8
    .input P1 offset=32            // no: read bits with setp instead"
    E0213 Error "input does not cover its variable"
"The size of an input is the size of its variable: elements times bytes of the type, or 4 bytes for each
sampler or surface. It may be left out.

    .decl X v_type=G type=ud num_elts=8
    .input X offset=32 size=16     // no, X has 32 bytes
    .input X offset=32 size=32     // yes"
    E0214 Error "inputs overlap"
"Each byte of the payload starts one variable.

    .input X offset=32 size=32
    .input Y offset=48 size=32     // bytes 48..=63 twice
    .input Y offset=64 size=32     // mended"
    E0215 Error "input straddles two registers"
"A variable smaller than a register lies in one register, in the payload too.

    .decl X v_type=G type=ud num_elts=4   // 16 bytes
    .input X offset=56                    // bytes 56..72: two registers of 32 bytes
    .input X offset=64                    // mended"
    E0216 Error "input lies outside any payload"
"Offset and size of an input are 16-bit fields of the binary form, so the payload ends at byte 65535.

    .input X offset=70000          // no"
    E0217 Error "block is not balanced"
"`{` and `}` stand on lines of their own and come in pairs inside one kernel.

    {
        .decl X v_type=G type=d num_elts=8
    }                              // do not forget it"
    E0218 Error "attribute does not take this value"
"`Target` is \"cm\", \"3d\", 0 or 1; `SimdSize` is 0, 1, 8, 16 or 32; sizes are numbers.

    .kernel_attr Target=cm         // no: quotes
    .kernel_attr Target=\"cm\"     // yes"
    W0219 Warning "unknown kernel attribute"
"The attribute is not one that the reference names. It is ignored, as Intel's reader does.

    .kernel_attr SimdSice=16       // no effect
    .kernel_attr SimdSize=16       // meant"
    E0220 Error "attribute may be given once"
"`SLMSize` and `NBarrierCnt` may be given once in a kernel.

    .kernel_attr SLMSize=4
    .kernel_attr SLMSize=8         // keep one of them"
    W0221 Warning "unusual version"
"A `.version` below 4.0 narrows the stored 3D sampler operation: Intel's reader then silently loses the
flags `.pixel_null_mask` and `.cps`. visim keeps them; other tools may not.

    .version 3.6                   // unusual
    .version 4.1                   // what the compiler prints"
    W0222 Warning "alias runs past the end of its base"
"An alias may be longer than the bytes it looks at. Intel's assembler says nothing; reading the part
behind the end gives zero and writing to it vanishes.

    .decl A v_type=G type=ud num_elts=8                 // 32 bytes
    .decl B v_type=G type=ud num_elts=16 alias=<A, 0>   // 64 bytes"
    E0223 Error "variable of the wrong class"
"Each place takes variables of one class: regions and raw operands are general variables, `(P1)` is a
predicate, `r[A0(0),0]` an address, message operands name surfaces and samplers.

    .decl T6 v_type=T num_elts=1
    add (M1, 8) A(0,0)<1> T6(0,0)<1;1,0> 0x1:d   // T6 is a surface"
    E0301 Error "surface is of a kind the message does not work on"
"Media blocks and samplers read 2D surfaces; typed accesses convert by a surface's format. Shared local
memory (`%slm`, T0 of the manual) and stateless memory (`%scratch`, T5) have neither.

    media_ld.nomod (16,4) %slm 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> D.0   // no
    media_ld.nomod (16,4) T6 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> D.0     // yes"
    E0302 Error "media_st does not take this modifier"
"`media_st` takes nomod, modified, top and bottom; `top_mod` and `bottom_mod` are for `media_ld`.

    media_st.top_mod (16,4) T6 0 0x0:ud 0x0:ud D.0   // no
    media_st.top (16,4) T6 0 0x0:ud 0x0:ud D.0       // yes"
    E0303 Error "plane does not exist"
"A surface has at most four planes, 0 to 3. The plane may be left out and is 0 then.

    media_ld.nomod (16,4) T6 4 0x0:ud 0x0:ud D.0   // no
    media_ld.nomod (16,4) T6 1 0x0:ud 0x0:ud D.0   // the second plane"
    E0304 Error "media block is too wide or has no width"
"A block is 1 to 64 bytes wide.

    media_ld.nomod (65,1) T6 0 0x0:ud 0x0:ud D.0   // no: (64,1) and (1,1) at x+64"
    E0305 Error "media block is too high or has no height"
"A block is 1 to 64 rows high; how many exactly depends on its width (E0312).

    media_ld.nomod (4,65) T6 0 0x0:ud 0x0:ud D.0   // no: (4,64) and (4,1) at y+64"
    W0306 Warning "reserved surface"
"`T1`, `T2`, `TSS` and, for block messages, `%bss` are surfaces of the system. Intel's checker lets them
pass, but what they are bound to is not the program's business.

    media_ld.nomod (16,4) T1 0 0x0:ud 0x0:ud D.0   // the stack"
    W0307 Warning "block offset is not ud"
"The page MEDIA_LD wants offsets of type ud. Intel's assembler takes any type and extends it by its sign,
and programs use that to write negative offsets; so visim takes integers of at most 32 bits.

    media_ld.nomod (16,4) T6 0 0xfffffff8:d 0x0:ud D.0   // x = -8"
    E0308 Error "block offset is not a 32-bit integer"
"The page MEDIA_LD wants offsets of type ud. Floats and 64-bit values have no meaning as an offset, though
Intel's assembler passes their bits on.

    media_ld.nomod (16,4) T6 0 F(0,0)<0;1,0> 0x0:ud D.0   // mov F into a ud variable first"
    W0309 Warning "block write of broken dwords"
"The hardware page asks for writes of whole dwords: a width that is a multiple of 4. Intel's assembler does
not check it; visim writes the bytes asked for.

    media_st.nomod (3,1) T6 0 0x0:ud 0x0:ud D.0   // (4,1) is what the hardware promises"
    W0310 Warning "block write starts inside a dword"
"The x of a block write is a multiple of 4 bytes. Intel's assembler does not check it.

    media_st.nomod (4,1) T6 0 0x2:ud 0x0:ud D.0   // 0x0 or 0x4"
    E0312 Error "media block does not fit one data-port message"
"Each row of a block occupies a power of two of register bytes, at least 4, and all rows together at most
256 bytes:

    width 1..=4: 64 rows    5..=8: 32    9..=16: 16    17..=32: 8    33..=64: 4

    media_ld.nomod (48,8) T6 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> D.0   // 8 rows of 64 bytes are 512
    media_ld.nomod (48,4) T6 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> D.0   // and the rest at y+4"
    U0320 Undefined "destination is too small for the result"
"A message writes as many bytes as its channels, lanes or rows need. What lies behind the variable belongs
to something else, and the hardware would overwrite it.

    .decl D v_type=G type=f num_elts=16 align=GRF
    load_lz.RGBA (M1, 16) 0x0:uw T6 D.0 U.0 V.0   // wants 4 * 16 elements"
    U0321 Undefined "operand is too small for the message"
"A message reads a value for every lane (and channel, or row). What lies behind the variable belongs to
something else.

    .decl U v_type=G type=ud num_elts=8 align=GRF
    load_lz.R (M1, 16) 0x0:uw T6 D.0 U.0          // wants 16 elements of u"
    U0322 Undefined "message takes registers of %null"
"A message takes addresses or values from a register, and `%null` has none: Intel's finalizer leaves whatever the
register holds. What may be left out is not meant, as coordinates that are 0.

    scatter_scaled.4 (M1, 8) T6 0x0:ud OFFSETS.0 %null.0   // which values?"
    U0323 Undefined "raw message is shorter than what it asks for"
"The descriptors count fewer registers than the message takes: addresses and data of every lane, the header first. The
hardware takes whatever follows.

    raw_send (M1, 16) 0xc 1 2 0x02205e06:ud A.0 D.0   // sixteen offsets are two registers"
    U0324 Undefined "raw message names two receivers"
"The shared function in the text of `raw_sends` and the low four bits of its extended descriptor differ. Up to Gen11
the hardware goes by the descriptor; from Gen12 on the instruction has the text's.

    raw_sends.12.1.1.0 (M1, 8) 0x4a:ud 0x02026e06:ud A.0 B.0 %null.0   // 12 is dc1, 0xa is dc0"
    W0322 Warning "variable ends before the block does"
"A block store takes whole owords, and the variable has less than one register. What lies behind it in its
register belongs to nobody: the bytes are stored, and are undefined. Compilers store a single value so.

    .decl V v_type=G type=uq num_elts=1 align=qword
    svm_block_st (1) A(0,0)<0;1,0> V.0   // bytes 8..16 of memory become anything"
    E0330 Error "sampler message with an impossible lane count"
"Messages of the 3D sampler have 8, 16 or 32 lanes, the old `sample` and `load` 8 or 16. Intel's assembler
emits others, and the hardware reads lanes that nobody prepared.

    load_lz.R (M1, 4) 0x0:uw T6 D.0 U.0   // no
    load_lz.R (M1, 8) 0x0:uw T6 D.0 U.0   // yes"
    E0331 Error "paired surface before Xe2"
"The operand behind the destination of a newer text is a paired surface. No platform that visim models has
one; `%null.0` says that there is none.

    sample_lz.R (M1, 8) 0x0:uw S0 T6 D.0 %null.0 U.0 V.0"
    E0332 Error "texel offsets are not an immediate"
"The operand `aoffimmi` is part of the message and known when the text is assembled.

    load_lz.R (M1, 8) X(0,0)<0;1,0> T6 D.0 U.0   // no
    load_lz.R (M1, 8) 0x0:uw T6 D.0 U.0          // yes"
    E0333 Error "texel offsets are not uw"
"The page 3D_LOAD says of `aoffimmi`: must have type UW.

    load_lz.R (M1, 8) 0x0:ud T6 D.0 U.0   // no
    load_lz.R (M1, 8) 0x0:uw T6 D.0 U.0   // yes"
    E0334 Error "texel offsets use reserved bits"
"`aoffimmi` holds three signed 4-bit offsets: R in bits 3..=0, V in 7..=4, U in 11..=8. Bits 15..=12 must be
zero.

    load_lz.R (M1, 8) 0x8000:uw T6 D.0 U.0   // no
    load_lz.R (M1, 8) 0x810:uw T6 D.0 U.0    // U -8, V 1"
    E0335 Error "too many sampler parameters"
"Each operation has its parameters in a fixed order; trailing ones may be left out, more than it has mean
nothing. Intel's assembler sends them all the same.

    load_lz.R (M1, 8) 0x0:uw T6 D.0 U.0 V.0 R.0 X.0   // load_lz has u, v and r"
    E0336 Error "sampler parameters of the wrong type"
"Loads take texel addresses of type ud or uw, samples take coordinates of type f or hf. Intel's assembler
does not look at the type and sends the bits.

    sample_lz.R (M1, 8) 0x0:uw S0 T6 D.0 I.0   // I is ud: mov it into an f variable first"
    E0337 Error "sampler parameters of different types"
"All parameters of a sampler message have the same type; the first one decides whether the message is a
16-bit one.

    load_lz.R (M1, 8) 0x0:uw T6 D.0 U.0 W.0    // U is ud, W is uw"
    E0338 Error "sampler does not return this type"
"A destination is hf, f, w, uw, d or ud.

    load_lz.R (M1, 8) 0x0:uw T6 B.0 U.0   // B is ub: alias it as ud"
    E0339 Error ".cps does not apply"
"Coarse pixel shading (`.cps`) is for sample_3d, sample_b, sample_c, sample_b_c and lod on 8 or 16 lanes.

    sample_l.cps.R (M1, 8) 0x0:uw S0 T6 D.0 L.0 U.0 V.0   // no: the level is given"
    E0340 Error "no channel is enabled"
"A sampler message returns at least one of the channels R, G, B, A.

    load_lz.R (M1, 8) 0x0:uw T6 D.0 U.0"
    W0341 Warning "AVS names the surface before the sampler"
"The page AVS writes the sampler first, and so does visim; Intel's assembler takes the surface first and no
other order. visim reads both, tells them apart by their declarations, and says so once in a kernel.

    avs.R T6 S0 …    // as Intel's assembler wants it
    avs.R S0 T6 …    // as the page has it"
    W0342 Warning "texel addresses are signed"
"The page 3D_LOAD wants parameters of type UD or UW. Intel's compiler prints its signed variables as they
are; the bits are the same, so visim takes d as ud and w as uw and says so once in a kernel.

    .decl U v_type=G type=d num_elts=8 align=GRF
    load_lz.R (M1, 8) 0x0:uw T6 D.0 U.0"
    E0343 Error "AVS operand of the wrong type"
"The page AVS: u and v, their deltas, u2d and v2d must have type F, groupID and verticalBlockNumber UD,
IEFBypass UB. Intel's assembler does not look.

    avs.R S0 T6 0x0:ud …   // u is a float: 0x0:f"
    W0344 Warning "AVS operand of another integer type"
"groupID and verticalBlockNumber are UD and IEFBypass is UB. Another integer type says the same number.

    … AVS_16x4 0x1:ud D.0   // 0x1:ub"
    E0345 Error "bindless sampler where a declared one is wanted"
"Media sampler messages take a declared sampler, not `S31`.

    avs.R S31 T6 …   // no
    avs.R S0 T6 …    // yes"
    W0346 Warning "16-bit sampler parameters before icl"
"Parameters of type hf or uw make 16-bit messages, which the documents give to icl and later. Intel's
finalizer sets the bit everywhere, so visim reads the parameters as 16-bit.

    load_lz.R (M1, 8) 0x0:uw T6 D.0 W.0   // W is uw"
    W0347 Warning "accepted as Intel's finalizer accepts it"
"A rule of an instruction's page is broken in a way that Intel's finalizer does not look at: it makes a
message all the same, and `visim lower` shows that message. Such a program does not run.

    load_lz.R (M1, 8) 0xF000:uw T6 D.0 U.0   // reserved bits of the offsets"
    E0350 Error "impossible number of owords"
"Oword messages move 1, 2, 4 or 8 owords of 16 bytes (16 where the platform has them).

    oword_ld (3) T6 0x0:ud D.0   // (2) and (1), or (4)"
    W0351 Warning "sixteen owords"
"The reference gives 16 owords to shared local memory from XeHP on; Intel's assembler accepts the count
everywhere.

    oword_ld (16) T6 0x0:ud D.0   // (8) twice is what every platform has"
    E0352 Error "owords of shared local memory before icl"
"`oword_ld`, `oword_st` and their relative reach `%slm` from icl on.

    oword_ld (4) %slm 0x0:ud D.0   // not on skl"
    E0353 Error "impossible block of a scattered access"
"A block of `svm_gather` and `svm_scatter` has 1, 4 or 8 bytes, and a lane owns 1, 2, 4 or 8 of them.

    svm_gather.2.1 (M1, 8) A.0 D.0   // no
    svm_gather.4.1 (M1, 8) A.0 D.0   // yes"
    E0354 Error "impossible element size"
"Gathers and scatters move elements of 1, 2 or 4 bytes.

    gather_scaled.8 (M1, 8) T6 0x0:ud O.0 D.0   // gather4_scaled.RG moves 8 bytes"
    E0355 Error "gather with an impossible lane count"
"The unscaled `gather` and `scatter` work on 1, 8 or 16 lanes.

    gather.4 (M1, 4) T6 0x0:ud O.0 D.0   // (M1, 8), or gather_scaled"
    E0356 Error "gathered data is not kept in dwords"
"Each lane of `gather` and `scatter` owns a dword of the data, whatever the element size in memory.

    gather.1 (M1, 8) T6 0x0:ud O.0 B.0   // B is ub: alias it as ud"
    E0357 Error "atomic with the wrong number of sources"
"inc and dec take no source, cmpxchg and fcmpwr two, all others one. Absent sources are `%null.0`.

    dword_atomic.inc (M1, 8) T6 O.0 D.0 %null.0 R.0       // no
    dword_atomic.inc (M1, 8) T6 O.0 %null.0 %null.0 R.0   // yes"
    E0358 Error "atomic on the wrong type"
"Integer atomics work on ud, add and sub on d too, minsint and maxsint on d alone; those that start with f
on floats.

    dword_atomic.add (M1, 8) T6 O.0 F.0 %null.0 R.0    // F is f: dword_atomic.fadd"
    E0360 Error "offsets are not unsigned dwords"
"Offsets of `dword_atomic` are ud, one for each lane.

    .decl O v_type=G type=uw num_elts=16 align=GRF   // mov them into ud first"
    E0362 Error "cache options do not apply"
"Cache options come as two words, for the first and the third level, or as three words. Loads, stores and
atomics have combinations of their own; typed memory and .ugml have the default only. On .slm, which lies in no
cache, they have no effect.

    lsc_load.ugm.wb.wb (M1, 16) D:d32 flat[A]:a64   // no
    lsc_load.ugm.ca.ca (M1, 16) D:d32 flat[A]:a64   // yes"
    E0363 Error "fence of shared local memory"
"Shared local memory belongs to one group and lies in no cache: its fence is `.none.group`.

    lsc_fence.slm.evict.gpu    // no
    lsc_fence.slm.none.group   // yes"
    E0364 Error "typed memory without quads"
"The shared function `.tgm` is reached by `lsc_load_quad`, `lsc_store_quad` and atomics.

    lsc_load.tgm (M1, 16) D:d32 bti(0x4)[U,V,R,L]:a32   // lsc_load_quad.tgm"
    E0365 Error "transposed access with several lanes"
"A transposed access (`t`) reads consecutive elements from one address, so it has one lane.

    lsc_load.ugm (M1, 16) D:d32x8t flat[A]:a64     // no
    lsc_load.ugm (M1_NM, 1) D:d32x8t flat[A]:a64   // yes"
    E0366 Error "stored channels have a gap"
"The channels of a quad store run from x without gaps: .x .xy .xyz .xyzw.

    lsc_store_quad.ugm (M1, 16) flat[A]:a64 D:d32.xz   // .xyz"
    E0367 Error "data that the message does not move"
"Vectors are made of d32 and d64 and have 1, 2, 3, 4 or 8 elements; a transposed access also has 16, 32 or 64,
and elements of any size. Data that is converted on its way has no vectors. Atomics work on one d16c32, d32 or
d64 for each lane.

    lsc_load.ugm (M1, 16) D:d8x4 flat[A]:a64   // d32
    lsc_atomic_iadd.ugm (M1, 16) D:d8 flat[A]:a64 S %null   // d32"
    E0368 Error "address that does not fit the shared function"
"Shared local memory is addressed with 16 or 32 bits and is no surface. Global memory takes 32 or 64 bits, flat
or in a surface, one address for each lane. Typed memory takes a32 coordinates u, v, r and a level in a surface.

    lsc_load.slm (M1, 16) D:d32 bti(0x1)[O]:a32   // flat[O]:a32
    lsc_load_quad.tgm (M1, 16) D:d32.x flat[O]:a32   // bti(0x1)[O]:a32"
    E0369 Error "LSC atomic with the wrong number of sources"
"Increment, decrement and load take no source, compare-and-swap two, all others one. A source that is not taken
is written %null.

    lsc_atomic_iinc.ugm (M1, 16) D:d32 flat[A]:a64 S %null   // %null %null"
    E0370 Error "2D block does not fit one message"
"A row of a block has at most 64 bytes and a block 32 rows. Four blocks of d8 or d16 stand side by side, two of
d32, one of d64; one where the block is transposed or written. A write is not VNNI-transformed.

    lsc_load_block2d.ugm (M1_NM, 1) D:d32.32x8nn flat[B,W,H,P,X,Y]   // 128 bytes to a row: d32.16x8nn"
    E0371 Error "store without data"
"A load may drop what it reads; a store has to say what it writes.

    lsc_store.ugm (M1, 16) flat[A]:a64 %null:d32"
    E0372 Error "message moves too many registers"
"An LSC message moves at most eight registers of data. Each component of a vector starts a new register.

    lsc_load.ugm (M1, 32) D:d32x4 flat[A]:a64   // 16 registers of 32 bytes: two accesses of d32x2"
    E0373 Error "raw message with impossible lengths"
"`raw_send` names the registers it sends, 1 to 15, and those it receives, 0 to 16. They are at least the lengths
in the descriptor, bits 28..=25 and 24..=20.

    raw_send (M1, 8) 0xc 1 3 0x2480400:ud S.0 D.0   // the descriptor asks for 4 registers"
    E0374 Error "motion estimation setting out of range"
"`vme_ime` has the stream modes 0 to 3 and the search controls 0, 1, 3 and 7.

    vme_ime (4, 0) T6 A.0 B.0 C.0 D.0 E.0 F.0"
    E0375 Error "URB write out of range"
"`urb_write_3d` works on 1 or 8 lanes, writes 1 to 8 registers and starts at a global offset of 0 to 2047.

    urb_write_3d (M1, 8) 9 0 %null.0 H.0 %null.0 D.0"
    E0376 Error "render target write without a colour"
"A render target write takes a header, which may be %null.0, and the registers of at least one colour.

    rt_write_3d (M1, 8) T6 %null.0   // and the colour behind it"
    W0377 Warning "64-bit atomic on another type"
"Floating-point operations work on floats, the others on integers. Intel's assembler does not look at the type of
`svm_atomic`: the bits are taken as the operation has them.

    svm_atomic.fadd (M1, 8) A.0 %null.0 U.0 %null.0   // U of type ud"
    E0380 Error "the instruction has no message here"
"The instruction is legal vISA, but the platform it is lowered for has no message that does it, or an
operand the message needs is absent.

    rt_write_3d.<A> (M1, 16) T6 A1.0 F0.0 F1.0 F2.0 F3.0 F4.0   // Ironlake sends no source-0 alpha

Choose a newer platform with --platform, or another instruction."
    N0380 Unsupported "the message is not modelled"
"The instruction is legal vISA, but its message is not among those the lowering knows: it belongs to
newer hardware than the platforms modelled, or to a unit (video motion estimation, load/store cache
messages) that is not. This is not a fault of the program."
    W0380 Warning "the message is not what the page promises"
"Intel's finalizer makes a message that does less, or other, than the instruction's page says. visim
shows the message bit for bit as the finalizer makes it and says what is wrong with it.

    media_ld.nomod (4,2) T6 0 0:ud 0:ud V40.0   // V40 of type uq: the response length becomes 0

Running a program follows the page; only the printed message follows the finalizer."
    W0385 Warning "raw message counts other registers than its descriptor"
"The text of a raw message says how many registers are sent and received, and so do its descriptors, constants before
a run and others in it. Where they differ, the hardware is sent the descriptor's message; the text's numbers only
say which registers that may read and write. `raw_send` with fewer than a constant descriptor has is E0373.

    raw_sends.10.1.2.1 (M1, 8) 0x4a:ud 0x02109000:ud A.0 B.0 D.0   // 0x4a has a second length of 1"
    W0386 Warning "raw message counts other registers than it has"
"The descriptors of a raw message are those of a message that visim knows, and their lengths are not: it takes or
returns another number of registers. A response length of 0 throws the results away and is no remark.

    raw_send (M1, 16) 0xc 2 1 0x04105e05:ud A.0 D.0   // sixteen dwords come back in 2 registers"
    W0387 Warning "raw message runs on more lanes than it has"
"The execution size of a raw message is greater than the lane count in its descriptor. The message serves its own
lanes, the first ones of the instruction; the others read and write nothing. An execution size below the
descriptor's is no remark: the lanes beyond it are off.

    raw_send (M1, 16) 0xc 1 1 0x02106e05:ud A.0 D.0   // an untyped read of eight lanes"
    W0391 Warning "surface has no packed state"
"On the way through the bits a run packs every bound surface into the surface state of its generation
and reads it from there. This one has something no structure holds, so it is used as it was bound; its
messages still go through their bits.

    SURFACE T6: R8G8B8A8_UNORM 64x32 tiling=x, on a part that swizzles bit 6 of its addresses

The result is the same; only this one step of the way is not exercised."
    E0401 Error "not an execution size"
"Instructions run on 1, 2, 4, 8, 16 or 32 lanes.

    mov (M1, 3) A(0,0)<1> 0x1:d   // no
    mov (M1, 4) A(0,0)<1> 0x1:d   // yes

`dpas` and `dpasw` have one lane for each dword of a register: 8, on pvc 16."
    E0402 Error "mask reaches past the last lane"
"Mask Mk starts at lane 4 * (k - 1); with N lanes it ends at 4 * (k - 1) + N, which is at most 32.

    mov (M7, 16) A(0,0)<1> 0x1:d   // 24 + 16 = 40
    mov (M5, 16) A(0,0)<1> 0x1:d   // 16 + 16 = 32"
    E0403 Error "mask is not aligned to the execution size"
"Mask Mk starts at lane 4 * (k - 1), which is a multiple of the number of lanes. Intel's checker lets others
pass, then its code generation complains and uses M1.

    mov (M2, 8) A(0,0)<1> 0x1:d   // lane 4 is no multiple of 8
    mov (M3, 8) A(0,0)<1> 0x1:d   // lane 8 is"
    E0404 Error "instruction takes no predicate"
"Some instructions have no place for a predicate: cmp, setp, movs, block messages, barriers and a few more.

    (P1) cmp.eq (M1, 8) P2 A(0,0)<1;1,0> 0x0:d   // no
    cmp.eq (M1, 8) P2 A(0,0)<1;1,0> 0x0:d        // and P2 with P1 afterwards"
    E0405 Error "instruction needs a predicate"
"`add3.o` writes the overflow of each lane to the predicate in front of it.

    add3.o (M1, 8) A(0,0)<1> B(0,0)<1;1,0> C(0,0)<1;1,0> 0x1:d        // no
    (P1) add3.o (M1, 8) A(0,0)<1> B(0,0)<1;1,0> C(0,0)<1;1,0> 0x1:d   // yes"
    W0406 Warning "predicate has no effect"
"`min` and `max` accept a predicate in the text and ignore it: every active lane is written.

    (P1) min (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x0:d   // writes lanes where P1 is false too"
    W0407 Warning "predicate has fewer bits than lanes"
"Lane i uses bit i of the predicate. Bits it does not have are undefined; visim reads them as 0.

    .decl P1 v_type=P num_elts=8
    (P1) mov (M1, 16) A(0,0)<1> 0x1:d   // lanes 8..=15 have no bit"
    E0408 Error "not a destination stride"
"Destination strides are 1, 2 and 4. A stride of 0 would write every lane to one element.

    mov (M1, 8) A(0,0)<0> 0x1:d   // no
    mov (M1, 8) A(0,0)<1> 0x1:d   // yes"
    E0409 Error "not a source region"
"A source region is `<v;w,h>`: v is 0, 1, 2, 4, 8, 16 or 32, w is 1, 2, 4, 8 or 16, h is 0, 1, 2 or 4.

    mov (M1, 8) A(0,0)<1> B(0,0)<3;1,0>   // no
    mov (M1, 8) A(0,0)<1> B(0,0)<4;1,0>   // yes"
    E0410 Error "region is wider than the instruction"
"The width of a region is at most the number of lanes.

    mov (M1, 4) A(0,0)<1> B(0,0)<8;8,1>   // no
    mov (M1, 4) A(0,0)<1> B(0,0)<4;4,1>   // yes"
    E0411 Error "too many addresses"
"An operand with one address for each row has at most 16 rows.

    mov (M1, 32) A(0,0)<1> r[A0(0),0]<1,0>:d   // 32 rows
    mov (M1, 16) A(0,0)<1> r[A0(0),0]<1,0>:d   // 16"
    W0413 Warning "operand reaches past its variable"
"What lies behind a variable belongs to something else. The reference calls it undefined and Intel's
assembler warns; visim reads zero there and drops what is written.

    .decl A v_type=G type=d num_elts=8 align=GRF
    mov (M1, 16) A(0,0)<1> 0x1:d   // 16 elements of 8"
    E0414 Error "modifier does not apply"
"`(-)`, `(abs)` and `(-abs)` belong to arithmetic, moves, comparisons, shifts and rotates, `(~)` to and, or, xor, not.

    add (M1, 8) A(0,0)<1> (~)B(0,0)<1;1,0> 0x1:d   // no
    not (M1, 8) C(0,0)<1> B(0,0)<1;1,0>            // first"
    E0415 Error "variable has no such element"
"Address, sampler and surface variables have the elements they were declared with.

    .decl A0 v_type=A num_elts=1
    mov (M1, 8) D(0,0)<1> r[A0(3),0]<1;1,0>:d   // A0 has element 0 only"
    E0416 Error "boolean immediate"
"Immediates are numbers; `:bool` parses in Intel's reader and fails afterwards.

    mov (M1, 8) A(0,0)<1> 0x1:bool   // no
    setp (M1, 8) P1 0xff:ud          // bits of a predicate"
    E0417 Error "saturation does not apply"
"`.sat` does not go with frc, lzd, mod, mulh, madw and the integer div.

    mod.sat (M1, 8) A(0,0)<1> B(0,0)<1;1,0> 0x3:d   // no
    mod (M1, 8) A(0,0)<1> B(0,0)<1;1,0> 0x3:d       // yes"
    E0418 Error "built-in variable is read-only"
"Of the built-in variables %null %arg %retval %sp %fp %cr0 %dbg0 %impl_arg_buf_ptr %local_id_buf_ptr and
element 4 of %tsc can be written.

    mov (M1, 8) %r0(0,0)<1> 0x1:ud   // no"
    E0419 Error "raw operand does not start a register"
"Messages move whole registers: the offset of a raw operand, aliases added, is a multiple of the register
size, unless the whole variable is smaller than a register.

    load_lz.R (M1, 8) 0x0:uw T6 D.4 U.0    // byte 4
    load_lz.R (M1, 8) 0x0:uw T6 D.32 U.0   // second register"
    W0420 Warning "raw operand starts behind its variable"
"What lies behind a variable belongs to something else.

    .decl D v_type=G type=ud num_elts=8 align=GRF
    load_lz.R (M1, 8) 0x0:uw T6 D.32 U.0   // D ends at byte 32"
    E0421 Error "instruction does not take this type"
"Each instruction computes with some types: logic with integers, `frc` with f, `lzd` with ud and so on.

    and (M1, 8) F(0,0)<1> F(0,0)<1;1,0> G(0,0)<1;1,0>   // floats: alias them as ud"
    E0422 Error "instruction mixes floats and integers"
"Floats and integers meet only in `mov`; df goes with df only.

    add (M1, 8) F(0,0)<1> I(0,0)<1;1,0> 0x1:d   // mov I into a float first"
    E0423 Error "move of a predicate into the wrong place"
"`mov D P` copies a whole predicate into an integer of at most 32 bits that is as wide as the predicate.

    mov (M1_NM, 1) UW(0,0)<1> P1   // P1 has 32 bits: into ud"
    E0424 Error "address of a built-in variable"
"Addresses are those of declared variables.

    addr_add (M1_NM, 1) A0(0)<1> &%r0 0x8:uw   // mov %r0 into a variable first"
    W0425 Warning "comparison into another width"
"With float sources a general destination of `cmp` has the type of the sources.

    cmp.lt (M1, 8) W(0,0)<1> F(0,0)<1;1,0> G(0,0)<1;1,0>   // W is w, F is f"
    E0426 Error "predicates mixed with values"
"`and`, `or`, `xor` and `not` work on integers or on predicates.

    and (M1, 8) P1 P2 A(0,0)<1;1,0>   // setp a predicate from A first"
    W0427 Warning "shift of a value of the other sign"
"`shr` is described for unsigned values and `asr` for signed ones.

    asr (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x1:ud   // no sign to copy: shr"
    E0428 Error "platform does not have the instruction"
"Instructions come and go with platforms: rol with icl, dp4a with tgl, add3, bfn and LSC with dg2; sad2 and
switchjmp leave with tgl, integer division with dg2.

    add3 (M1, 8) A(0,0)<1> B(0,0)<1;1,0> C(0,0)<1;1,0> 0x1:d   // not on skl: add twice"
    W0429 Warning "64-bit operation that the documents refuse"
"shl, shr, sel and mul of 64-bit integers are not documented for icl, tgl and dg2; Intel's checker lets them
pass and visim computes them.

    shl (M1, 4) Q(0,0)<1> Q(0,0)<1;1,0> 0x3:ud"
    W0430 Warning "platform without a sampler"
"pvc has no sampler. Intel's finalizer still encodes the messages, with registers of 64 bytes, and visim runs
them like that.

    load_lz.R (M1, 16) 0x0:uw T6 D.0 U.0   // for dg2, say"
    E0431 Error "region spans more than two registers"
"The offsets that `addr_add` takes, and the address of `svm_gather4scaled` and `svm_scatter4scaled` read with
all lanes, lie in at most two registers, counted from the one where they start.

    addr_add (M1, 16) A0(0)<1> &D O(0,0)<4;1,0>   // 15 * 4 words on: mov them together first"
    E0432 Error "lifetime of a built-in variable"
"`lifetime.start` and `lifetime.end` speak of declared variables; built-in ones are always there.

    lifetime.start %r0"
    W0433 Warning "no effect on a move of a predicate"
"`mov D P` copies a whole predicate, once: lanes, mask, predicate and saturation are read and ignored.

    (P2) mov (M1, 8) D(0,0)<1> P1   // as if (M1_NM, 1) stood there
    mov (M1_NM, 1) D(0,0)<1> P1"
    E0434 Error "operand of a kind the instruction does not take"
"`cmp` writes a predicate or a general variable, never through an address; one operand of `movs` at least is
a surface or a sampler.

    cmp.lt (M1, 8) r[A0(0),0]<1>:d X(0,0)<1;1,0> 0x1:d   // into P1
    movs (M1_NM, 1) D(0,0)<1> X(0,0)<0;1,0>              // mov, or T6(0)"
    E0501 Error "label is not defined"
"Branches go to labels of the kernel or function they stand in. A label starts in column 1 and ends with
a colon.

    goto (M1, 8) done
    done:                          // define it"
    E0502 Error "label is defined twice"
"A label or function name stands for one place in its kernel.

    here:
    here:                          // rename one of them"
    E0503 Error "function is not announced"
"`fcall` and `faddr` name functions that are in the file (`.global_function`) or announced.

    .funcdecl \"helper\"           // announce it
    fcall (M1, 16) helper 2 2"
    E0504 Error "branch to the wrong kind of place"
"`goto` and `jmp` go to labels, `call` goes to a `.function`. The label that repeats a function's name is
the `.function` line itself.

    .function \"twice\"
    twice:
    goto (M1, 8) twice             // no: call (M1, 8) twice"
    W0505 Warning "execution falls into a subroutine"
"The line above a `.function` goes on into it. The `ret` inside would then leave the caller.

        add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x1:d
        ret (M1, 1)                    // missing here
    .function \"twice\""
    E0506 Error "impossible number of jump targets"
"`switchjmp` has 1 to 32 labels.

    switchjmp (M1, 1) A(0,0)<0;1,0> (case0, case1)"
    E0507 Error "call passes too many registers"
"`%arg` has 32 registers and `%retval` 12; the counts of `fcall` and `ifcall` are registers.

    fcall (M1, 16) helper 40 2   // at most 32"
    E0601 Error "there is no such kernel"
"A file may hold several kernels; one of them runs. Name it as it stands behind `.kernel`.

    visim run --kernel copy file.visa"
    E0608 Error "no memory at this address"
"A message with 64-bit addresses (`svm_gather` …) names an address where nothing is bound. Buffers get
their addresses from whoever launches the kernel, usually through `.input` variables; an address that
was never set is 0. A pointer that the program keeps in its own global data is what the compiler left
there: how such pointers are moved to where the data lies is not published."
    U0601 Undefined "the hardware promises nothing for this message"
"The message is legal, but for the surface it meets, or the values it was given, the manuals leave the
result open. The note says which and where. Real hardware may return anything."
    L0601 Limit "the variables of a thread need too much memory"
"Every hardware thread has its own copy of all variables. This kernel declares more than the limit
allows; a declaration may have a wrong `num_elts`."
    L0605 Limit "the scratch memory of a thread is too small"
"`%scratch` gives each thread memory of its own for arrays that do not fit into registers: 256 KiB, or what
the description of a compiled kernel asks for. The address lies beyond it; look for one that runs away.

    mov (M1, 1) A(0,0)<1> 0x7fffff00:ud    // offset in bytes, of 0x40000
    mov (M1, 1) A(0,0)<1> 0x100:ud         // mended"
    N0601 Unsupported "instruction is not modelled"
"The instruction is legal vISA and is read, printed and checked, but visim does not execute it yet.
The note names the section that defines it. This is not a fault of the program."
    E0602 Error "the called function is in no text at hand"
"`fcall` names a `.global_function`. The compiler prints each into a file of its own: `k_f0.visaasm`,
`k_f1.visaasm` … beside `k.visaasm`, which `visim run` takes by itself. Others are named:

    visim run k.visaasm --functions f.visaasm"
    L0602 Limit "the run executed too many instructions"
"A run stops when one hardware thread has run a number of instructions, so that an endless loop ends.
Raise the limit if the program is meant to run that long:

    visim run --max-steps 1000000000 file.visa"
    N0602 Unsupported "this use of a message is not modelled"
"The message is modelled, but not for this surface or with this state. The note names the section that
defines it. This is not a fault of the program."
    E0603 Error "no surface is bound"
"A message names its surface by a number, the binding table index, which is the value of the surface
variable when the message runs: `T6` starts as 6, `movs (M1_NM, 1) T6(0) 0x2:ud` makes it 2. Nothing
is bound to that number in this run. Bind a surface to the variable or to the number:

    // SURFACE T6: R8_UNORM 64x32
    // SURFACE 2: R8_UNORM 64x32"
    L0603 Limit "the run has too many threads"
"The grid is larger than the limit allows. Threads are counted over all groups."
    E0604 Error "no sampler state is bound"
"A sampler message names its sampler state by a number, the value of the sampler variable when the
message runs: `S0` starts as 0. Nothing is bound to that number in this run, or a state of another kind.
The media sampler's messages take states of their own (avs, unorm, deinterlace); sample_unorm takes one of
the 3D sampler too, if its filters, levels and addresses are among those that the message knows.

    // SAMPLER S0: filter=linear address=clamp"
    L0604 Limit "calls are nested too deeply"
"Each call keeps a frame until it returns. The limit catches recursion without an end."
    E0605 Error "no variable has this name"
"A value was given for a variable that the kernel does not declare in its outermost scope. Built-in
variables are written with `%`."
    E0606 Error "the value does not fit the variable"
"A variable was given more bytes than it has: elements times the size of its type."
    E0607 Error "the surface cannot be accessed this way"
"The message asks for something the bound surface does not have: a block of a buffer, a texel of a
format that cannot be loaded, a plane that does not exist. The note says which."
    E0640 Error "launch description cannot be used"
"What says how a kernel is launched does not read, or says something that cannot be: a `launch.json` with
a field of the wrong kind, a binary without a kernel of that name, a payload behind all registers. The
message gives the place. The fields of `launch.json` are listed in `grammar/launch.schema.json`."
    E0641 Error "work sizes cannot be"
"The global size is a multiple of the group size in every dimension, neither is 0, a group has at most 4096
work-items, and a kernel with `reqd_work_group_size` takes no other: the global size has to be a multiple of that.

    visim run k.visaasm --launch launch.json --global 60x48 --local 16x8   // 60 is no multiple of 16
    visim run k.visaasm --launch launch.json --global 64x48 --local 16x8   // mended"
    E0642 Error "argument does not fit the kernel"
"An argument is missing, is of another kind than the kernel uses it as (a value where it takes a buffer), or
has another size. Sizes of images are those of all texels without padding; a `float3` has 16 bytes. The type of an
image is the one that the kernel was compiled for, which is also taken if none is given.

    --arg 1=int:5            // the kernel takes a buffer
    --arg 1=buffer:in.bin    // mended
    --arg 2=image:size=4x4x2:type=3d          // the kernel takes image2d_array_t
    --arg 2=image:size=4x4x2:type=2d_array    // mended"
    E0643 Error "kernel has no such argument"
"An argument was given for a number or a name that the kernel does not have. Numbers count from 0; names are
known when the compiler's description holds them (`-cl-kernel-arg-info`)."
    E0644 Error "image cannot be made"
"The kind, channel order, channel type or size of an image argument has no surface format. Orders and types are
those of OpenCL without the `CL_`.

    {\"type\": \"2d\", \"order\": \"RGBA\", \"channel\": \"UNORM_INT8\", \"width\": 64, \"height\": 48}"
    E0645 Error "description is of another text"
"The compiler's description and the text do not belong together: the text was compiled for another number of
lanes, or has another kernel. A compiler that spills starts again with fewer lanes and leaves the text of every
try; the right one is that whose `.kernel_attr SimdSize` is the description's SIMD size.

Source: launch reference 1, \"Several widths, one kernel\"."
    E0646 Error "output differs from what is expected"
"After the run an output of the launch holds other bytes than its `expected` file, and they are farther apart
than its `compare` allows. The message names the first element that differs."
    W0647 Warning "output of printf is not shown"
"The kernel printed: it put records behind each other into a buffer, each with the number of a string and the
values that belong to it. The strings stand in the compiler's program, and what is published of that says
neither where they are nor how the values lie. The note shows the first dwords.

    o[i] = x;    // write what you want to see to a buffer"
    E0650 Error "text and description are of different devices"
"The text, the compiler's description and `--platform` have to speak of one device: where inputs lie depends on
the size of a register and of a row of local ids. The text itself does not name its device; the native code that
the compiler leaves beside it does (`k.asm` of `k.visaasm`), and an input that lies where the description has none
gives it away.

    visim run k.skl.visaasm --zebin k.skl.bin                    // the program says which device
    visim run k.skl.visaasm --zebin k.skl.bin --platform pvc     // no

Source: launch reference 2 and 4."
    E0651 Error "compiled for a device that visim does not know"
"The compiler's program names its device by a number that is in none of visim's tables. If the device has the
registers and messages of one that visim has, name that:

    visim run k.visaasm --zebin k.bin --platform tgl"
    E0652 Error "symbol has no address"
"`faddr` gives the address of a function or of data of the program. Functions are in the text and in those of
`--functions`; data are in the compiler's program, where its symbols say what lies at which byte, and what pointers
in the data lead to.

    visim run k.visaasm --zebin k.bin

Source: launch reference 8."
    W0653 Warning "surface is none of the kernel's"
"A surface is bound beside a launch at a binding table index at which the compiler's description has nothing. A
compiled kernel sets its surface variables itself, so a name like `T6` says nothing about it: give the index that
an argument stands at, or the argument.

    visim run k.visaasm --global 64 --arg 0=buffer:in.bin --surface T6=new:8x8:R8_UNORM   // no
    visim run k.visaasm --global 64 --arg 0=buffer:in.bin --surface 0=new:256:buffer:4    // in its place

Source: launch reference 6."
    N0640 Unsupported "launch detail is not modelled"
"The compiler's description asks for something that visim does not give a kernel yet; the message names it.
This is not a fault of the program."
    L0640 Limit "launch needs too much memory"
"A buffer or image of more than 1 GiB, more than 256 KiB of shared local memory for a group, or more than 16 MiB of
private memory for a thread."
    U0670 Undefined "register bytes are read that were never written"
"Found by `visim run --sanitize`. A declared variable holds nothing until something writes it, byte by
byte and lane by lane; what the hardware finds there is whatever ran before. visim has zeros there. From
lifetime.start or lifetime.end on a variable holds nothing either; visim keeps what was there.

    .decl A v_type=G type=ud num_elts=8 align=GRF
    add (M1, 8) B(0,0)<1> A(0,0)<1;1,0> 0x1:ud   // A was never written
    mov (M1, 8) A(0,0)<1> 0x0:ud                 // mended: in front of it"
    U0671 Undefined "bytes are read that an instruction left undefined"
"Found by `visim run --sanitize`. A message may write whole registers and promise part of them only: the
bytes between the width and the pitch of a media block, the upper bytes of gathered bytes and words. Odd
lanes of sad2 and quotients of integers by zero are undefined as well.

    media_ld.nomod (12,1) T6 0 0x0:ud 0x0:ud D.0  // bytes 12..=15 hold nothing
    mov (M1, 16) E(0,0)<1> D(0,0)<1;1,0>          // reads 16 bytes: take 12 of them"
    U0672 Undefined "predicate bits decide that were never written"
"Found by `visim run --sanitize`. All predicates are undefined when a thread starts, and a comparison
writes the bits of active lanes only. `.any` and `.all` look at every bit of the variable, unless those
that were written decide.

    (P1) mov (M1, 8) A(0,0)<1> 0x1:ud             // no cmp or setp before it
    setp (M1_NM, 8) P1 0x0:ud                     // mended: in front of it"
    U0673 Undefined "operand reaches outside its variable"
"Found by `visim run --sanitize`. An element lies behind the end of its variable, an indirect operand
points outside the registers, or `%null` is read for its value. visim reads zero there and drops writes.

    .decl A v_type=G type=ud num_elts=8 align=GRF
    mov (M1, 8) B(0,0)<1> A(0,4)<1;1,0>           // elements 8 to 11 do not exist"
    U0674 Undefined "access outside the surface or memory"
"Found by `visim run --sanitize`. Reads outside a surface give zero and writes vanish, so the program runs;
but an address outside is seldom meant. Media block reads repeat the edge pixel and are not reported; for
media block writes the manual promises nothing outside. 64-bit addresses and scratch memory that do not exist end
the run as well.

Check the address arithmetic, which the finding points back to, or the size of the surface that is bound."
    U0675 Undefined "misaligned access"
"Found by `visim run --sanitize`. Elements of 2, 4 and 8 bytes want addresses that are multiples of their
size, blocks at 64-bit addresses multiples of 16, oword_ld_unaligned and the x of media_st multiples of 4;
gather_scaled, scatter_scaled and LSC loads and stores take any address. What the hardware does with the low
bits depends on the part; visim reads and writes the bytes at the address, atomics and oword_ld_unaligned
drop the low bits."
    U0676 Undefined "threads of a group wait at different barriers"
"Found by `visim run --sanitize`. All threads of a work-group come to the same barriers in the same order.
Here two of them stood at different ones, as when a barrier is inside a branch that not all threads take."
    U0677 Undefined "thread waits at a barrier that another one never reaches"
"Found by `visim run --sanitize`. A thread of the group ended without coming to a barrier at which another
one waits. visim lets the others go on; hardware may wait for ever."
    U0678 Undefined "registers of one instruction overlap"
"Found by `visim run --sanitize`. Two results of one instruction in the same bytes, or a raw message whose
response lies on its payload while that is still being sent: which value stays, or is sent, is not said.

    raw_send (M1, 8) 0x2 1 1 0x2106ffe:ud D.0 D.0   // use another variable for the response"
    U0679 Undefined "lanes of one message write different values to the same bytes"
"Found by `visim run --sanitize`. Lanes of a scatter that have the same address are served one after the
other in an order that is not defined, so which value stays is chance. Equal values are not reported.

Give each lane an address of its own, or use an atomic."
    U0680 Undefined "memory is read that was never written"
"Found by `visim run --sanitize`. Shared local memory holds nothing when a group starts, scratch and private
memory hold nothing when a thread starts. visim has zeros there; hardware has what was left. Loading such
bytes is not reported, nor taking them in exchange for others: using what was loaded is, and so are atomics
that compute with them."
    U0681 Undefined "threads of a group race"
"Found by `visim run --check-races`. Two hardware threads of a work-group access the same bytes without a
barrier in between, at least one of them writes, and not both accesses are atomic: what comes out depends
on which one is faster. Two that write the same value are not reported.

Put a `barrier` (and the fence it needs) between the two, or make both accesses atomic."
    U0682 Undefined "work-groups race"
"Found by `visim run --check-races`. Threads of different work-groups access the same bytes, at least one of
them writes, and not both accesses are atomic. Nothing orders groups: a barrier is for one group alone.
Programs that order groups by flags they exchange through atomics are reported too; whether that order
holds is not worked out.

Let each group write bytes of its own, use atomics, or split the kernel in two."
    L0683 Limit "too much memory for the race check"
"`visim run --check-races` remembers who touched each dword. The kernel touches more than it keeps track of;
what came later was not checked. Run a smaller grid."
    L0684 Limit "too much shared local memory"
"A work-group may have 256 KiB of shared local memory, twice what any modelled platform gives; the text's
`SLMSize` counts in KiB.

    .kernel_attr SLMSize=1000000   // hardly meant
    .kernel_attr SLMSize=64        // 64 KiB"
    W0685 Warning "the order of atomics shows"
"Found by `visim run --check-races`. Threads that nothing orders update the same bytes, and what they leave
depends on which comes first: an atomic hands back the value that was there before, exchanges, or adds
floats, whose sums are rounded. It is no race, and programs that number their work by a counter live
with it; but hardware need not give what visim gives, where groups come in launch order.

    dword_atomic.inc (M1, 16) T6 O.0 %null.0 %null.0 V.0       // V depends on who came before
    dword_atomic.inc (M1, 16) T6 O.0 %null.0 %null.0 %null.0   // the sum does not"
    E0690 Error "named barrier is used against its rules"
"`nbarrier.signal id count` says how many threads meet at barrier `id`; `nbarrier.signal id type producers
consumers` counts those that produce (type 1), consume (2) or both (0). All threads of one meeting tell the
same counts, each comes once, and only consumers wait, after they have signalled.

    nbarrier.signal 0x1:ub 0x4:ub    // four threads meet at barrier 1
    nbarrier.wait 0x1:ub"
    E0691 Error "threads of a group wait for each other"
"Every living thread of the group waits at a barrier, and none of them can go on: a named barrier wants more
threads than come to it, or some of them stand at the barrier of the whole group. The note says who is missing."
    U0692 Undefined "named barrier is never complete"
"Found by `visim run --sanitize`. Threads have signalled a named barrier, and the group ended before as many
had come as they said. Nobody waited, so the run went on; hardware keeps the barrier for the next meeting."
    U0693 Undefined "part of a thread's lanes comes to a barrier"
"Found by `visim run --sanitize`. Hardware waits for threads, so this one waits for all its lanes and the run
goes on; but the languages above ask that every work-item of the group comes to the barrier, and compiled for
another width the same kernel would hang or miss it. Take the barrier out of the branch or the early return."
    E0701 Error "directive cannot be read"
"A comment begins with the word of a directive, or an option was given, but what follows does not read.
The help line shows the form.

    // SURFACE T6 R8_UNORM 64x32      // the colon behind the name is missing
    // SURFACE T6: R8_UNORM 64x32     // mended"
    E0702 Error "file cannot be used"
"A file named by a directive or an option is missing, shorter than the surface needs, or not what its
name says. The note gives the sizes. Nothing was run and nothing was written."
    E0703 Error "surface is not bound"
"The program touches a surface that no directive and no option put anything behind. Every surface a
message reaches needs one:

    // SURFACE T6: photo.png as R8G8B8A8_UNORM      in the file, or
    visim run k.visa --surface T6=photo.png:R8G8B8A8_UNORM"
    E0704 Error "name is not declared"
"A directive or an option names a variable, surface, sampler or kernel that the program does not declare.
Names are those of the text, upper and lower case told apart."
    E0705 Error "binding is not possible"
"A directive or an option asks for something that cannot be: an unknown format, a surface of no size, a
size the file does not have, a key without meaning, one binding table index taken twice."
    E0706 Error "value does not fit"
"A value in SET or --set is not a number of the type behind the colon, or there are more values than the
variable has room for.

    // SET V32 = 300:ub      // a ub holds 0..=255
    // SET V32 = 300:uw      // mended

In directives `1:f` is the number one; raw bits are written in hexadecimal, `0x3f800000:f`."
    E0710 Error "result differs from what is expected"
"After the run a register or a surface holds other values than the EXPECT directive lists. The labels
stand at the first differing value of each row, the note shows all rows as found. `visim test --bless`
writes the found values into the file, except where `by hand:` stands in the directive."
    E0711 Error "expected refusal did not come"
"The line is marked with `//~`, which promises a diagnostic of that code whose text holds the quoted
words, but none came."
    E0712 Error "known failure passes"
"The file says `known-failing because: …`, but everything in it holds. Take the line out."
    L0713 Limit "file or surface is too large"
"A picture named by a directive or an option has more texels, or a surface more bytes, than visim takes:
16384 texels along each side of a picture, 1 GiB for a surface, 1 MiB for the fields of a sampler. The label
gives the size at hand.

    // SURFACE T6: new 16384x16384 R32G32B32A32_FLOAT     // 4 GiB
    // SURFACE T6: new 16384x16384 R8_UNORM               // 256 MiB"
    W0714 Warning "comment looks like a directive"
"A comment begins with a word in capitals that is one slip away from the word of a directive. It has no
effect. If it was meant as a directive, mend the word; if not, write it in another way."
    W0715 Warning "directive has no effect here"
"A `.tld` program is texture loads and nothing else: it has no kernels, groups, samplers or platforms, so
KERNEL, GROUPS, SAMPLER and PLATFORM say nothing to it. Its grid is that of THREADS.

    // THREADS 64,48"
    W0720 Warning "16x8 block with output shuffle"
"A sampler state with output shuffle does not go with 16x8 blocks: the hardware has no such mode. visim packs
the block as if shuffle were off (AVS reference D4).

    // SAMPLER S0: avs output_shuffle=on
    avs.G S0 T6 … AVS_16_FULL 0.0:f AVS_16x8 0:ub D.0"
    L0721 Limit "a thread makes more loads than are compared"
"`visim compare` holds the loads of each thread against the statements of the other file, one by one, and keeps 256
of a thread."
    E0801 Error "unexpected text in a TLD statement"
"A line did not read as Maxwell text: the label says what could have stood at the place marked.

A statement is a guard, the mnemonic with its modifiers, operands between commas, and `;`:

    @!P0 TLD.LL.AOFFI R0, R4, R8 0x28, 2D, 0xf ;    // a comma is missing
    @!P0 TLD.LL.AOFFI R0, R4, R8, 0x28, 2D, 0xf ;   // mended

What listings and other assemblers write around it (addresses, words, scoreboards) is skipped."
    E0740 Error "surface has a size that cannot be"
"Width, height, depth, entries, offsets and slices of a surface lie within what its state can say: up to
Gen6 8192 texels a side and 512 slices, later 16384 and 2048; 3D surfaces 2048 each way.

    // SURFACE T6: R8_UNORM 20000x4
    // SURFACE T6: R8_UNORM 16384x4 // mended"
    E0741 Error "surface has too many levels"
"A surface of n texels along its longest side has at most floor(log2 n) + 1 mip levels, counted from level
0 in memory: minimum LOD and level count together. Fourteen can be said up to Gen6, fifteen later.

    // SURFACE T6: R8_UNORM 64x32 levels=8
    // SURFACE T6: R8_UNORM 64x32 levels=7 // mended"
    E0742 Error "pitch does not fit the surface"
"The pitch is at least the bytes of a row (of all levels side by side), at most 128 KiB up to Gen6 and 256
KiB later, and a multiple of the tile's width: 512 bytes for X, 128 for Y and W.

    // SURFACE T6: R8G8B8A8_UNORM 64x32 pitch=300 tiling=Y
    // SURFACE T6: R8G8B8A8_UNORM 64x32 pitch=384 tiling=Y // mended"
    E0743 Error "base address is not aligned"
"A tiled surface starts at a multiple of 4096 bytes; X Offset and Y Offset move the origin inside."
    E0744 Error "faces of a cube are not square"
"Width and height of a cube surface are the same.

    // SURFACE T6: R8_UNORM 32x16 kind=cube
    // SURFACE T6: R8_UNORM 32x32 kind=cube // mended"
    E0745 Error "fields of the surface contradict one another"
"Each field is fine by itself, and the hardware does not allow them together: several slices of a surface
that is no array, skipped lines of an array, levels of a multisampled surface, mip layout RIGHT where only
BELOW is legal. The label names the rule; it stands in the programming notes of SURFACE_STATE."
    E0746 Error "format does not fit the surface"
"Blocks and pairs of texels have no place in buffers and multisampled surfaces, raw formats none in images;
packed 4:2:2 wants an even width, MONO8 a multiple of 32; a tiling may have no shape for the element size.

    // SURFACE T6: YCRCB_NORMAL 3x4
    // SURFACE T6: YCRCB_NORMAL 4x4 // mended"
    E0747 Error "memory ends before the surface does"
"Every byte of a surface lies inside the memory that is bound for it."
    E0748 Error "field holds a reserved value"
"The state has a field whose value the manuals reserve. The label lists those they define."
    E0749 Error "value is out of its field's range"
"A value has more bits than its field, or lies outside the range that the manuals give."
    E0750 Error "state has the wrong length"
"SURFACE_STATE has 6 dwords up to Gen6 and 16 from Gen8 on, the media surface state 5 and 8, SAMPLER_STATE
4, the border colour 12 and 4, an entry of a binding table 1. Zeros may follow.

    visim state sampler 00014000 00000000 00000000 00000000"
    W0751 Warning "reserved bits are set"
"Bits that no field names are zero in what software writes. visim ignores them, and so does the hardware of
that generation, as far as it is known."
    N0752 Unsupported "state asks for what is not modelled"
"The hardware defines the value and visim does not model it: rotation, compressed auxiliary surfaces, mip
tails, the states of Gen7. The label names the field."
    W0753 Warning "state ignores a programming note"
"The manuals ask for something else, and visim models what is written all the same."
    E0754 Error "binding table entry leads nowhere"
"A binding table has up to 256 entries. Each holds the offset of a surface state from Surface State Base, a
multiple of 32 bytes up to Gen7.5 and of 64 later, and the whole state lies inside the state memory."
    E0755 Error "chroma planes do not fit the surface"
"Planar surfaces are 2D, no array, and have one level; 4:2:0 wants an even width and height, 4:2:2 an even
width, 4:1:1 a multiple of 4. In media states rows of the U and V planes are even numbers, and columns too of
4:2:0 and 4:2:2; half pitch wants an even pitch.

    // SURFACE T6: nv12 video.nv12 65x48
    // SURFACE T6: nv12 video.nv12 66x48 // mended"
    E0756 Error "fields of the sampler contradict one another"
"Texel coordinates (non-normalized) need CLAMP or CLAMP_BORDER on every axis and no mip filter; mode CUBE is
for cubes; HALF_BORDER begins with Gen8."
    E0758 Error "slices of the surface overlap"
"Slice s of an array lies s times QPitch below the first, and each slice has the rows of all its levels: with
less between them two texels would be the same bytes. Without a QPitch visim packs the slices.

    // SURFACE T6: R8_UNORM 8x8 slices=3 qpitch=4
    // SURFACE T6: R8_UNORM 8x8 slices=3 qpitch=8 // mended"
    W0759 Warning "planes of the surface share bytes"
"The state of a planar surface says where chroma begins, and nothing keeps it apart from luma: what is written
to one is read from the other. Chroma of 4:2:0 begins below the rows of luma, those of both fields where lines
are skipped; with Half Pitch for Chroma two of its rows stand in one of luma."
    E0757 Error "surface has no such part"
"SAVE picks a level, slice, sample or plane that the surface does not have. Levels count from the most
detailed one that the surface shows.

    // SURFACE T7: new 64x32 R8_UNORM levels=2
    // SAVE T7 level=2 = small.png
    // SAVE T7 level=1 = small.png // mended"
    E0802 Error "modifier cannot stand here"
"A modifier of TLD is unknown, missing, excluded by another, or out of order. The order is fixed:
.B, .LZ or .LL, .AOFFI, .MS, .CL, .NODEP, .T or .P; .LZ or .LL is never absent.

    TLD.LZ.B R0, R4, R6, 0x0, 2D, 0xf ;     // .B stands first
    TLD.B.LZ R0, R4, R6, 0x0, 2D, 0xf ;     // mended"
    E0803 Error "operands do not fit TLD"
"TLD takes an optional predicate, two or three registers (results, coordinates, everything else), the
index, the coordinate description and an optional mask.

    TLD.LZ R0, 0x28, 2D, 0xf ;          // the register of the coordinates is missing
    TLD.LZ R0, R4, 0x28, 2D, 0xf ;      // mended"
    E0804 Error "no such register or predicate"
"Registers are R0 to R254 and RZ, which reads zero; predicates are P0 to P6 and PT, which is true. The
numbers 255 and 7 are always written RZ and PT."
    E0805 Error "number does not fit its field"
"The index has 13 bits, 0 to 0x1fff; the mask has 4 bits, 0 to 0xf. Both are unsigned."
    E0806 Error "no such coordinate description for TLD"
"TLD reads 1D, 2D, 3D, ARRAY_1D and ARRAY_2D. ARRAY_3D, CUBE and ARRAY_CUBE have encodings, which the
disassembler prints, but the vendor's page reserves them. A cube can be read as a 2D array, layer by
layer and face by face, through a TWO_D_ARRAY header."
    E0807 Error ".MS needs .LZ"
"A multisampled image has one level, so that .MS goes with .LZ alone.

    TLD.LL.MS R0, R4, R6, 0x28, 2D, 0xf ;       // a level of a multisampled image
    TLD.LZ.MS R0, R4, R6, 0x28, 2D, 0xf ;       // mended"
    E0808 Error ".MS cannot be combined with .CL"
"Edge clamping is not available for multisampled fetches.

    TLD.LZ.MS.CL R0, R4, R6, 0x28, 2D, 0xf ;    // refused
    TLD.LZ.MS R0, R4, R6, 0x28, 2D, 0xf ;       // mended"
    E0809 Error ".MS needs 2D or ARRAY_2D"
"Only two-dimensional textures and arrays of them have samples.

    TLD.LZ.MS R0, R4, R8, 0x28, 3D, 0xf ;       // refused
    TLD.LZ.MS R0, R4, R8, 0x28, 2D, 0xf ;       // mended"
    E0810 Error "register vector is not aligned"
"Under --strict: a vector of 1, 2, 3 or 4 registers starts at a multiple of 1, 2, 4 or 4. That holds for
the coordinates (Ra), the other operands (Rb) and the results (Rd), as many as the mask enables. Without
--strict this is warning W0812.

    TLD.LZ R0, R5, 0x28, 2D, 0xf ;      // s and t are two registers, R5 is odd
    TLD.LZ R0, R6, 0x28, 2D, 0xf ;      // mended"
    E0811 Error "RZ where operands are read"
"Under --strict: Ra must not be RZ, and Rb must not be RZ, or be left out, if a modifier packs an operand
into it. Without --strict this is warning W0812, and the vector reads as zeroes.

    TLD.LL R0, R4, 0x28, 2D, 0xf ;      // .LL reads its level from Rb
    TLD.LL R0, R4, R6, 0x28, 2D, 0xf ;  // mended"
    W0812 Warning "accepted though the documentation forbids it"
"A vector is not aligned, or RZ stands where operands are read. The vendor's page forbids both, but the
disassembler prints them without complaint and code in the wild has them. visim reads consecutive
registers, and RZ as a vector of zeroes; --strict refuses (E0810, E0811)."
    W0813 Warning "the word beside the statement says something else"
"A listing shows the 64-bit word in a comment behind the statement, and that word decodes to another
instruction. The text is followed. The help line shows the word of the text.

    TLD.LZ R0, R4, 0x28, 2D, 0xf ;      /* 0xdc380287aff70401 */"
    N0814 Unsupported "TLDS is not modelled"
"TLDS is the short form that compilers prefer: scalar registers, two destination pairs, a letter mask. Its
values are those of TLD. The help shows the TLD that does the same, with the moves that bring operands and
results together; registers it chooses for that are ones the statement does not name, so look whether your
program uses them.

    TLDS.LL RZ, R0, R4, R9, 0x50, 2D, RG ;
    TLD.LL R0, R4, R9, 0x50, 2D, 0x3 ;          // the same"
    E0815 Error "this is not Maxwell text"
"Volta and later kept the mnemonic and changed the rest: operands rebalanced over Ra and Rb (.SCR), a bank
and an offset or a uniform register instead of one index, two destinations, 128-bit words. visim reads the
text of sm_50 to sm_62."
    N0816 Unsupported "only TLD is modelled"
"The line holds another instruction of the same assembly language. A .tld file holds texture loads; set the
registers they read with SET directives."
    N0820 Unsupported "texture header asks for what is not modelled"
"A header sets a field to a value that the hardware defines and visim does not model, such as compressed
component sizes, a colour key, or border texels stored in memory. The note names the field."
    E0821 Error "texture header is not valid"
"A header holds a value that no Maxwell hardware defines, or fields that contradict one another. The note
names the field. Headers of Fermi, Kepler, Pascal and Hopper put the same ideas at other bits; a header
nobody wrote is 32 zero bytes, which is no texture either."
    E0822 Error "texel lies where there is no memory"
"The header and the coordinates are fine, but nothing was put at the address they lead to. Give the texture
memory of its full size; the note shows the address."
    E0900 Error "no instruction to stop at"
"`visim run --break LINE` stops in front of the instructions that start on a line of the text. This line
holds none: it is empty, a comment, a declaration or a label.

    visim run --break 12 --print V34 k.visa"
    E0901 Error "no such thread"
"Threads are named by column and row, as in `--thread 3,0`: X and Y of a media thread; in a grid of groups,
the thread of its group and the group."
    E0920 Error "unexpected text in a program of sends"
"A line of a `.send` file is one instruction: a mnemonic, the number of lanes, operands.
`grammar/sends.ebnf` lists them all.

    mov 8 m4 r20                  // lanes stand in parentheses
    mov (8) m4 r20                // mended"
    E0921 Error "there is no such register"
"A thread has general registers r0 to r127, message registers m0 to m15, the flag f0.0, the
address a0.0. Subregisters count elements of the operand's type; a region of message registers stays in
one of them.

    mov (8) m16 r20               // the last one is m15"
    E0922 Error "a message register cannot be read"
"The message register file is write-only: its registers are destinations of moves and arithmetic, and the
payload of `send`.

    add (8) r4 m4 r5              // no: keep the value in a general register"
    W0923 Warning "m0 belongs to the system routine"
"Exception handling uses m0, so threads build their messages in m1 to m15.

    send (8) null m0 r0 write 0x0218a000"
    E0924 Error "the message does not end at m15 or the response at r127"
"Nothing wraps: a message of n registers starts at m(16 - n) at most, a response of n at r(128 - n).

    send (8) null m14 r0 write 0x0a082001   // 5 registers from m14 on"
    E0925 Error "message length does not fit the message"
"The function that receives the message detects payloads that are too long or too short, and drops them.

    send (8) r5 m3 null math 0x0010000a     // POW has two operands: 0x0410000a"
    U0926 Undefined "response length does not fit the message"
"With too few registers the thread may go on before all data are there and compute with what was in them;
with too many it may hang on one that never comes.

    send (8) r5 m3 null math 0x02200001     // INV answers with one register: 0x02100001"
    E0927 Error "destination and response length disagree"
"A message that returns nothing has the destination `null` and a response length of 0; any other names the
register where its response begins.

    send (8) r5 m3 r0 write 0x04082000      // null m3 …"
    E0928 Error "the message cannot end the thread"
"Data port writes, the URB, the gateway and the thread spawner can; reads, the sampler and extended math
cannot, and of the data port's own messages only render target writes.

    send (8) null m3 r0 read 0x02086000 {EOT}"
    E0929 Error "an end of thread has a destination"
"A send that ends the thread must have `null` as destination: the execution unit does not issue it
otherwise.

    send (8) r4 m15 r0 ts 0x02000000 {EOT}  // null m15 …"
    E0930 Error "the thread does not end"
"The last instruction of every thread is a send that signals the end of it.

    send (8) null m15 r0 ts 0x02000000 {EOT}"
    E0931 Error "text behind the end of the thread"
"Nothing runs behind a send that ends the thread, and there are no branches that could go around it."
    U0932 Undefined "two pending messages write the same registers"
"Responses come back in any order, and the hardware does not check that they overlap: use a register of
the first response before the second is sent, or give it another place.

    send (8) r5 m3 null math 0x02100001
    send (8) r5 m4 null math 0x02100002     // add (8) r6 r5 r5 in between, or r7"
    W0933 Warning "a read may overtake a write"
"Read and write data port do not know of each other. For a write followed by a read of the same surface,
ask for a write commit and use its register before reading. visim serves messages in order.

    send (8) null m1 r0 write 0x04082001
    send (8) r4 m3 r0 read 0x02186001       // the old content may come back"
    W0941 Warning "a write may overtake a read"
"Read and write data port do not know of each other. For a read followed by a write of the same bytes, use
every register of the answer before writing. visim serves messages in order.

    send (8) r4 m3 r0 read 0x02186001
    send (8) null m1 r0 write 0x04082001    // mov (8) m2 r4 in between"
    E0934 Error "no message has these bits"
"The descriptor, its extended word or the header hold a value without meaning. `visim decode --platform
ilk DESC EXDESC` tells every field.

    send (8) r5 m3 null math 0x02100000     // function 0 is reserved"
    E0935 Error "the message breaks a rule of its own"
"The manual restricts headers beyond what their bits can hold: aligned offsets, heights for widths,
caches, surfaces without the stateless model, which parts of a render target payload go together."
    E0936 Error "one word is no descriptor of Ironlake"
"Up to Cantiga one word of `send` names receiver, lengths and control; Ironlake has two words, the
extended descriptor or the receiver's name first.

    send (16) r5 m3 r0 0x01110001           // as the manual's first example
    send (8) r5 m3 null math 0x02100001     // for Ironlake"
    N0937 Unsupported "the message is not modelled"
"The message is defined, but visim does not serve it; the note says what is missing."
    W0938 Warning "a message without r0 ends the thread"
"Fixed functions find the thread they count by the number in r0: the first register of a message that ends
the thread is a copy of r0.

    send (8) null m15 null ts 0x02000000 {EOT}   // … m15 r0 ts …"
    W0939 Warning "the end of a thread comes from a register"
"The end of thread is only seen in a descriptor that stands in the instruction. From a register the thread
goes on.

    send (8) null m15 r0 ts a0.0 {EOT}"
    E0940 Error "render target writes of the thread do not go together"
"The last message to a render target carries the end of the thread. Writes to that target have Last Render
Target Select, bit 11 of the descriptor, set, writes to other targets before it have it clear. A thread
with dual source messages sends one of each form at most and no other render target writes."
    U0880 Undefined "the sampler index lies between two states"
"States of the media sampler are longer than those of other messages: one of sample_8x8 is four elements of
the sampler state array, one of deinterlace two. The index counts elements, so it has to be a multiple of 4
or of 2; the hardware promises nothing for another.

Send index 4 for the second sample_8x8 state, 2 for the second deinterlace state (PRM 4.10.3)."
    U0881 Undefined "the deinterlace block is off its grid"
"A deinterlace message returns 16 by 4 pixels, or 16 by 8 if it only denoises, at luma pixel (M1.2, M1.6).
History is kept for blocks of 4 by 4, so blocks begin at multiples of 16 and of 4 or 8; X is 4095 at most, Y
2046. Nothing is promised for other places (PRM 4.11.1.9; AVS reference 5.1)."
    N0880 Unsupported "partial deinterlacing is not modelled"
"DI Partial asks for the intermediate data of the deinterlacer. No document tells how they lie in the
response, so visim refuses. Clear DI Partial (dword 6, bit 2, of the state) and take the deinterlaced rows."
    W0882 Warning "the scaler is asked for more than its manual allows"
"A surface of the scaler is at least 4 texels wide, and neighbouring rows of a block are less than 16 texels
apart: |DeltaV * Height| < 16; and it has one level and one slice. visim reads the first that it finds and
computes any block, as the polynomials of the coordinates say; a part may return something else.

    avs.G S0 T6 0x0:f 0x0:f 0x0:f 2.0:f …    // on 8 rows: 16 texels from row to row

Scale in two passes, or look at a smaller level of the picture (PRM 4.11.1.4; AVS reference 1.5)."
    W0883 Warning "sample_unorm is asked for more than its manual allows"
"Neighbouring pixels of a sample_unorm block are at most 3 texels apart: DeltaU * Width and DeltaV * Height are
at most 3.0; and the surface has one level, one slice, and neither Surface Min LOD nor Minimum Array Element.
visim reads the first level it finds and computes any block; a part may return something else.

Use the scaler for greater steps (PRM 4.11.1.4; AVS reference 6.1)."
    W0890 Warning "the deinterlace state is against its manual"
"DI Enable and DN Enable are not both disabled, Progressive DN is for states without DI Enable, and Maximum less
Minimum STMM is 2 to the power of STMM Output Shift. visim computes such a message all the same: without both
functions the frame is copied; a part may return something else.

    // SAMPLER S0: deinterlace di_enable=off dn_enable=off

Enable one of the functions; move the limits with the shift (PRM 4.10.3.2, programming notes)."
    W0891 Warning "the surface of statistics is too small for the frame"
"The deinterlace message reads motion of pixel (X, Y) at column X/2 and row Y of the surface behind the previous
frame's, and history of its 4x4 block at column X/4 behind half the pitch and row Y/4. What lies outside reads
as zero, as if nothing had moved.

    // SURFACE T8: R8_UNORM 8x8             // for a frame of 128x128
    // SURFACE T8: R8_UNORM 128x128         // a row of motion and history takes 128 bytes

Give it the rows of the frame, and a pitch of the frame's width."
    E0780 Error "the media sampler state has no place in this structure"
"A state of the media sampler is packed for one generation: Gen5 has SAMPLER_STATE for sample_8x8 and
SAMPLER_8x8_STATE, Gen8 and Gen9 have SAMPLER_STATE_8x8_AVS. What the generation does not have cannot be
packed; the note names it. Choose another filter or another generation (AVS reference 3.1 and 4.2)."
    E0781 Error "a media sampler state breaks a rule of its manual"
"The bits are all known, but together they are not allowed: a filter coefficient outside the range of its
tap, an outer tap for a 32-bit RGB format, motion limits that do not fit their shift. The note has the values
and the rule (PRM 4.10.3 and 4.10.4)."
}

impl Code {
    /// The row of this code.
    pub fn info(self) -> &'static CodeInfo {
        &CODES[self as usize]
    }

    /// Whether it is about a file beside the program: such a program may be right.
    pub fn is_of_a_file(self) -> bool {
        matches!(self, Code::E0702 | Code::L0713)
    }

    /// Reads `E0301`, in either case.
    pub fn from_name(name: &str) -> Option<Code> {
        CODES
            .iter()
            .find(|c| c.name.eq_ignore_ascii_case(name))
            .map(|c| c.code)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.info().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_letter_tells_the_class() {
        for info in CODES {
            let class = match &info.name[..1] {
                "E" => Class::Error,
                "U" => Class::Undefined,
                "N" => Class::Unsupported,
                "L" => Class::Limit,
                "W" => Class::Warning,
                other => panic!("{}: no class {other}", info.name),
            };
            assert_eq!(info.class, class, "{}", info.name);
            assert!(
                info.explanation.len() > info.title.len(),
                "{} wants a long text",
                info.name
            );
        }
    }
}
