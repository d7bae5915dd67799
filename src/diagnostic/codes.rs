//! The table of diagnostic codes.
//!
//! A row is a code and its title. The first letter is the class: `E` error, `U` undefined, `N` not modelled
//! (unsupported), `L` limit, `W` warning. The long text that `visim explain` prints is `codes/CODE.md`: the
//! rule, the reason for it, and an example with its fix in indented lines. A new diagnostic is a row and a file.
//!
//! Ranges: 01xx reading text; 02xx names, declarations, inputs; 03xx message instructions; 04xx
//! operands, regions, types; 05xx flow; 06xx running; 07xx files, bindings, directives; 08xx TLD text, words and headers;
//! 092x and 093x programs of sends.

use super::Class;

/// What is known of a code.
#[derive(Clone, Copy, Debug)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// As printed, `E0301`.
    pub name: &'static str,
    /// Who has to act.
    pub class: Class,
    /// The usual title.
    pub title: &'static str,
    /// The long text, in Markdown: the rule, its reason, an example and its fix.
    pub explanation: &'static str,
}

macro_rules! codes {
    ($($name:ident $title:literal)+) => {
        /// A stable diagnostic code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $(#[doc = $title] $name),+ }

        /// Every code.
        pub static CODES: &[CodeInfo] = &[$(CodeInfo {
            code: Code::$name,
            name: stringify!($name),
            class: class_of(stringify!($name)),
            title: $title,
            explanation: include_str!(concat!("codes/", stringify!($name), ".md")),
        }),+];
    };
}

/// The class that the first letter of a code names.
const fn class_of(name: &str) -> Class {
    match name.as_bytes()[0] {
        b'E' => Class::Error,
        b'U' => Class::Undefined,
        b'N' => Class::Unsupported,
        b'L' => Class::Limit,
        b'W' => Class::Warning,
        _ => panic!("the first letter of a code is its class"),
    }
}

codes! {
    E0101 "unexpected text"
    E0102 "unknown instruction"
    E0103 "line ends in a carriage return"
    E0104 "unknown data type"
    E0105 "text or comment is not closed"
    E0106 "reserved word as a name"
    E0107 "`.version` is missing or repeated"
    E0108 "number is out of range"
    E0109 "constant expression has no value"
    E0110 "wrong or missing suffix"
    E0111 "label is not alone on its line"
    E0112 "unknown directive"
    E0113 "declaration field out of order"
    N0114 "form is not modelled"
    L0115 "expression is nested too deeply"
    W0116 "number is wider than what is kept"
    E0117 "unknown alignment"
    W0118 "channel letter is missing"
    W0119 "the word is the page's, not the assembler's"
    L0119 "too many lines that cannot be read"
    E0122 "the null variable has no bytes"
    E0201 "statement outside a kernel"
    E0202 "name is not declared"
    E0203 "name is declared twice"
    E0204 "name belongs to a built-in variable"
    E0205 "number of elements is out of range"
    E0206 "type cannot be declared"
    E0207 "alias of something without bytes"
    E0208 "alias starts past the end of its base"
    E0209 "alias requires more alignment than its base has"
    E0210 "unknown variable attribute"
    E0211 "invalid alignment"
    E0212 "variable cannot be an input"
    E0213 "input does not cover its variable"
    E0214 "inputs overlap"
    E0215 "input straddles two registers"
    E0216 "input lies outside any payload"
    E0217 "block is not balanced"
    E0218 "attribute does not take this value"
    W0219 "unknown kernel attribute"
    E0220 "attribute may be given once"
    W0221 "unusual version"
    W0222 "alias runs past the end of its base"
    E0223 "variable of the wrong class"
    L0224 "too many kernels and functions"
    E0301 "surface kind does not fit the message"
    E0302 "media_st does not take this modifier"
    E0303 "plane does not exist"
    E0304 "media block is too wide or has no width"
    E0305 "media block is too high or has no height"
    W0306 "reserved surface"
    W0307 "block offset is not ud"
    E0308 "block offset is not a 32-bit integer"
    W0309 "block write of partial dwords"
    W0310 "block write starts inside a dword"
    E0312 "media block does not fit one data-port message"
    U0320 "destination is too small for the result"
    U0321 "operand is too small for the message"
    U0322 "message reads registers of %null"
    U0323 "raw message is shorter than its operation requires"
    U0324 "raw message names two receivers"
    W0322 "variable ends before the block does"
    E0330 "sampler message with an invalid lane count"
    E0331 "paired surface before Xe2"
    E0332 "texel offsets are not an immediate"
    E0333 "texel offsets are not uw"
    E0334 "texel offsets use reserved bits"
    E0335 "too many sampler parameters"
    E0336 "sampler parameters of the wrong type"
    E0337 "sampler parameters of different types"
    E0338 "sampler does not return this type"
    E0339 ".cps does not apply"
    E0340 "no channel is enabled"
    W0341 "AVS names the sampler before the surface"
    W0342 "texel addresses are signed"
    E0343 "AVS operand of the wrong type"
    W0344 "AVS operand of another integer type"
    E0345 "bindless sampler where a declared one is required"
    W0346 "16-bit sampler parameters before icl"
    W0347 "accepted as Intel's finalizer accepts it"
    E0350 "invalid number of owords"
    W0351 "sixteen owords"
    E0352 "owords of shared local memory before icl"
    E0353 "invalid block size of a scattered access"
    E0354 "invalid element size"
    E0355 "gather with an invalid lane count"
    E0356 "gathered data is not kept in dwords"
    E0357 "atomic with the wrong number of sources"
    E0358 "atomic on the wrong type"
    E0360 "offsets are not unsigned dwords"
    E0362 "cache options do not apply"
    E0363 "fence of shared local memory"
    E0364 "typed memory without quads"
    E0365 "transposed access with several lanes"
    E0366 "stored channels have a gap"
    E0367 "data that the message does not move"
    E0368 "address that does not fit the shared function"
    E0369 "LSC atomic with the wrong number of sources"
    E0370 "2D block does not fit one message"
    E0371 "store without data"
    E0372 "message moves too many registers"
    E0373 "raw message with invalid lengths"
    E0374 "motion estimation setting out of range"
    E0375 "URB write out of range"
    E0376 "render target write without a colour"
    W0377 "64-bit atomic on another type"
    E0380 "instruction has no message on this platform"
    N0380 "the message is not modelled"
    W0380 "message differs from the reference"
    W0385 "register counts of a raw message differ from its descriptor"
    W0386 "lengths of a raw message do not fit the message"
    W0387 "raw message has more lanes than its descriptor"
    W0389 "AVS messages of one group differ"
    W0391 "surface has no packed state"
    E0401 "invalid execution size"
    E0402 "mask reaches past the last lane"
    E0403 "mask is not aligned to the execution size"
    E0404 "instruction takes no predicate"
    E0405 "instruction needs a predicate"
    W0406 "predicate has no effect"
    W0407 "predicate has fewer bits than lanes"
    E0408 "invalid destination stride"
    E0409 "invalid source region"
    E0410 "region is wider than the instruction"
    E0411 "too many addresses"
    W0413 "operand reaches past its variable"
    E0414 "modifier does not apply"
    E0415 "variable has no such element"
    E0416 "boolean immediate"
    E0417 "saturation does not apply"
    E0418 "built-in variable is read-only"
    E0419 "raw operand does not start a register"
    W0420 "raw operand starts past the end of its variable"
    E0421 "instruction does not take this type"
    E0422 "instruction mixes floats and integers"
    E0423 "move of a predicate into the wrong place"
    E0424 "address of a built-in variable"
    W0425 "comparison into another width"
    E0426 "predicates mixed with values"
    W0427 "shift of a value of the other sign"
    E0428 "platform does not have the instruction"
    W0429 "64-bit operation that the documents refuse"
    W0430 "platform without a sampler"
    E0431 "region spans more than two registers"
    E0432 "lifetime of a built-in variable"
    W0433 "no effect on a move of a predicate"
    W0434 "instruction that the hardware has lost"
    E0434 "operand of a kind the instruction does not take"
    E0501 "label is not defined"
    E0502 "label is defined twice"
    E0503 "function is not declared"
    E0504 "branch to the wrong kind of target"
    W0505 "execution falls into a subroutine"
    E0506 "invalid number of jump targets"
    E0507 "call passes too many registers"
    E0601 "there is no such kernel"
    E0608 "no memory at this address"
    U0601 "result of the message is undefined"
    L0601 "the variables of a thread need too much memory"
    L0605 "the scratch memory of a thread is too small"
    N0601 "instruction is not modelled"
    E0602 "called function is in none of the given files"
    L0606 "the run needs too much memory"
    L0607 "the threads of the run executed too many instructions"
    L0602 "the run executed too many instructions"
    N0602 "this use of a message is not modelled"
    E0603 "no surface is bound"
    L0603 "the run has too many threads"
    E0604 "no sampler state is bound"
    L0604 "calls are nested too deeply"
    E0605 "no variable has this name"
    E0606 "the value does not fit the variable"
    E0607 "the surface cannot be accessed this way"
    E0640 "launch description cannot be used"
    E0641 "invalid work sizes"
    E0642 "argument does not fit the kernel"
    E0643 "kernel has no such argument"
    E0644 "invalid image"
    E0645 "description belongs to another text"
    E0646 "output differs from what is expected"
    W0647 "output of printf is not shown"
    W0648 "the bypass of the enhancement filter has two readings"
    W0649 "space of a channel that is not enabled has two readings"
    E0650 "text and description are for different devices"
    E0651 "compiled for an unknown device"
    E0652 "symbol has no address"
    E0653 "OpenCL C cannot be compiled"
    W0653 "surface does not belong to the kernel"
    E0660 "vISA binary cannot be read"
    E0661 "number does not fit into the binary form"
    N0661 "statement has no known binary form"
    N0640 "launch detail is not modelled"
    L0640 "launch needs too much memory"
    U0670 "uninitialized register bytes are read"
    U0671 "undefined bytes of a result are read"
    U0672 "uninitialized predicate bits are used"
    U0673 "operand reaches outside its variable"
    U0674 "access outside the surface or memory"
    U0675 "misaligned access"
    U0676 "threads of a group wait at different barriers"
    U0677 "thread waits at a barrier that another one never reaches"
    U0678 "registers of one instruction overlap"
    U0679 "lanes of one message write different values to the same bytes"
    U0680 "uninitialized memory is read"
    U0681 "threads of a group race"
    U0682 "work-groups race"
    L0683 "too much memory for the race check"
    L0684 "too much shared local memory"
    W0685 "result depends on the order of atomics"
    E0690 "named barrier is used incorrectly"
    E0691 "threads of a group wait for each other"
    U0692 "named barrier is never completed"
    U0693 "only some lanes of a thread reach a barrier"
    W0694 "message goes beyond the edge of its surface"
    E0701 "directive cannot be read"
    E0702 "file cannot be used"
    E0703 "surface is not bound"
    E0704 "name is not declared"
    E0705 "invalid binding"
    E0706 "value does not fit"
    E0710 "result differs from what is expected"
    E0711 "expected diagnostic is missing"
    E0712 "known failure passes"
    L0713 "file or surface is too large"
    W0714 "comment looks like a directive"
    W0715 "directive has no effect here"
    W0720 "16x8 block with output shuffle"
    L0721 "a thread makes more loads than are compared"
    E0801 "unexpected text in a TLD statement"
    E0740 "surface size is out of range"
    E0741 "surface has too many levels"
    E0742 "pitch does not fit the surface"
    E0743 "base address is not aligned"
    E0744 "faces of a cube are not square"
    E0745 "fields of the surface contradict one another"
    E0746 "format does not fit the surface"
    E0747 "memory ends before the surface does"
    E0748 "field holds a reserved value"
    E0749 "value is out of its field's range"
    E0750 "state has the wrong length"
    W0751 "reserved bits are set"
    N0752 "state uses a feature that is not modelled"
    W0753 "state ignores a programming note"
    E0754 "binding table entry is invalid"
    E0755 "chroma planes do not fit the surface"
    E0756 "fields of the sampler contradict one another"
    E0758 "slices of the surface overlap"
    W0759 "planes of the surface share bytes"
    W0760 "packed border colour has two readings"
    L0761 "out of time"
    E0762 "test expects nothing"
    E0763 "launch of a description with several is not named"
    E0757 "surface has no such level, slice, sample or plane"
    E0802 "invalid modifier"
    E0803 "operands do not fit TLD"
    E0804 "no such register or predicate"
    E0805 "number does not fit its field"
    E0806 "no such coordinate description for TLD"
    E0807 ".MS needs .LZ"
    E0808 ".MS cannot be combined with .CL"
    E0809 ".MS needs 2D or ARRAY_2D"
    E0810 "register vector is not aligned"
    E0811 "RZ where operands are read"
    W0812 "accepted though the documentation forbids it"
    W0813 "instruction word disagrees with the statement"
    N0814 "TLDS is not modelled"
    E0815 "this is not Maxwell text"
    N0816 "only TLD is modelled"
    N0820 "texture header uses a feature that is not modelled"
    E0821 "texture header is not valid"
    E0822 "texel address has no memory"
    E0900 "no instruction to stop at"
    E0901 "no such thread"
    E0920 "unexpected text in a program of sends"
    E0921 "there is no such register"
    E0922 "a message register cannot be read"
    W0923 "m0 belongs to the system routine"
    E0924 "the message does not end at m15 or the response at r127"
    E0925 "message length does not fit the message"
    U0926 "response length does not fit the message"
    E0927 "destination and response length disagree"
    E0928 "the message cannot end the thread"
    E0929 "an end of thread has a destination"
    E0930 "the thread does not end"
    E0931 "text after the end of the thread"
    U0932 "two pending messages write the same registers"
    W0933 "a read may overtake a write"
    W0941 "a write may overtake a read"
    W0942 "a read may see what was there before a write"
    U0943 "reserved bits of a header are set"
    U0944 "a thread ends under an identifier that is not its own"
    W0946 "the manual stars the message and does not say why"
    U0945 "messages of the sampling engine that do not go together"
    E0934 "no message has these bits"
    E0935 "the message breaks a rule of its own"
    E0936 "one word is not an Ironlake descriptor"
    N0937 "the message is not modelled"
    W0938 "a message without r0 ends the thread"
    W0939 "the end of a thread comes from a register"
    E0940 "render target writes of the thread do not go together"
    U0880 "the sampler index lies between two states"
    U0881 "the deinterlace block is off its grid"
    N0880 "partial deinterlacing is not modelled"
    W0882 "scaler block exceeds the documented limits"
    W0883 "sample_unorm block exceeds the documented limits"
    W0890 "deinterlace state violates a rule of the manual"
    W0891 "statistics surface is too small for the frame"
    E0780 "media sampler state does not fit this generation"
    E0781 "media sampler state violates a rule of the manual"
    E0960 "no such command of the debugger"
    E0961 "no place to stop at"
    E0962 "not an expression of the debugger"
    L0963 "the run was ended by who watches it"
    W0980 "fewer host threads than asked for"
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
    fn every_text_has_a_row() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/diagnostic/codes");
        let mut texts = 0;
        for entry in std::fs::read_dir(folder).expect("the folder of texts") {
            let path = entry.expect("a folder entry").path();
            let name = path.file_stem().and_then(|s| s.to_str()).expect("ASCII");
            let code = Code::from_name(name).unwrap_or_else(|| panic!("{name} has no row"));
            let info = code.info();
            assert!(info.explanation.len() > info.title.len(), "{name}");
            texts += 1;
        }
        assert_eq!(texts, CODES.len());
    }
}
