/* The C face of visim, which runs Intel vISA assembly text without a GPU.
 *
 *   visim_load ─ visim_set, visim_bind ─ visim_run ─▶ outcome ─ visim_read, visim_diagnostics_text
 *
 * A file made of src/faces/c/src/lib.rs by cbindgen; `VISIM_BLESS=1 cargo test -p visim-c` makes it anew.
 *
 * Text is UTF-8 and ends with a zero byte. A simulator or an outcome is used by one thread at a time; several of them
 * by several threads. Everything that is given is copied before the function returns. */

#ifndef VISIM_H
#define VISIM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 What is bound or read, and what its name is.
 */
enum visim_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   A surface: a surface variable (`T6`) or a binding table index (`6`); its rows from the top without padding.
   */
  VISIM_KIND_SURFACE,
  /*
   A sampler: a sampler variable (`S0`) or an index (`0`). It cannot be read.
   */
  VISIM_KIND_SAMPLER,
  /*
   A variable (`V32`); its bytes, element 0 first, little-endian.
   */
  VISIM_KIND_REGISTER,
  /*
   Memory for an argument of a compiled kernel, by name or number.
   */
  VISIM_KIND_BUFFER,
  /*
   An argument that is passed by value; its bytes as OpenCL has them. It cannot be read.
   */
  VISIM_KIND_VALUE,
  /*
   Shared local memory for an argument. It cannot be read.
   */
  VISIM_KIND_LOCAL,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum visim_kind visim_kind;
#else
typedef uint32_t visim_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What a run left, or why there was none.
 */
typedef struct visim_outcome visim_outcome;

/*
 A run that is put together.
 */
typedef struct visim_simulator visim_simulator;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Begins a run of a file, as `visim run` reads it: a text, a binary form, a compiled program. Files that it names are read
 from its folder. Never NULL: a file that cannot be read is reported by the run. To be given to visim_free.

 # Safety
 `path` is NULL or a text that ends with zero.
 */
visim_simulator *visim_load(const char *path);

/*
 Begins a run of `length` bytes: a text, or a compiled program. `name` is what diagnostics call it. Never NULL. To be
 given to visim_free.

 # Safety
 `name` is NULL or a text that ends with zero; `bytes` is NULL or points to `length` bytes.
 */
visim_simulator *visim_load_bytes(const char *name,
                                  const uint8_t *bytes,
                                  size_t length);

/*
 Sets an option of the run; what the text itself says holds for the others.

 platform "dg2"; kernel "name"; launch "launch.json"; threads "4,2" (a grid, columns and rows); groups "3,2,1"; global
 "64x48" and local "16x8" (work-items of a compiled kernel); jobs "2"; max-instructions "1000000" of one thread;
 through-bits "" (messages go through the bits of the hardware); all-threads "" (keeps the registers of all threads).

 False if it cannot be taken; the run will say why.

 # Safety
 `simulator` is NULL or from visim_load or visim_load_bytes and not freed; the texts are NULL or end with zero.
 */
bool visim_set(visim_simulator *simulator,
               const char *key,
               const char *value);

/*
 Binds `length` bytes to a name; `kind` is one of visim_kind.

 A surface and a sampler have words, those of the directives SURFACE and SAMPLER ("R8_UNORM 64x32", "filter=linear");
 others take none. A surface without bytes is of zeros, or what its words say. VISIM_KIND_LOCAL has a length alone.

 False if it cannot be taken; the run will say why.

 # Safety
 `simulator` is NULL or from visim_load or visim_load_bytes and not freed; the texts are NULL or end with zero; `bytes` is
 NULL or points to `length` bytes.
 */
bool visim_bind(visim_simulator *simulator,
                uint32_t kind,
                const char *name,
                const char *words,
                const uint8_t *bytes,
                size_t length);

/*
 Runs it, as often as asked for. NULL only for NULL. To be given to visim_outcome_free.

 # Safety
 `simulator` is NULL or from visim_load or visim_load_bytes and not freed.
 */
visim_outcome *visim_run(const visim_simulator *simulator);

/*
 Whether the program ran to its end. If not, the diagnostics say why.

 # Safety
 `outcome` is NULL or from visim_run and not freed.
 */
bool visim_succeeded(const visim_outcome *outcome);

/*
 Reads what a run left into `to`, at most `room` bytes; the number of bytes that there are, or -1 if there is nothing of
 that kind and name. `to` may be NULL to learn the number alone. `thread` is the number of a thread in launch order, of
 registers: 0, or any with the option all-threads.

 # Safety
 `outcome` is NULL or from visim_run and not freed; `name` is NULL or ends with zero; `to` is NULL or has room for `room`
 bytes.
 */
int64_t visim_read(const visim_outcome *outcome,
                   uint32_t kind,
                   const char *name,
                   uint32_t thread,
                   uint8_t *to,
                   size_t room);

/*
 What is wrong, or the warnings of a run that succeeded, as the command line prints it; "" if there is nothing to say.
 It belongs to the outcome. NULL only for NULL.

 # Safety
 `outcome` is NULL or from visim_run and not freed.
 */
const char *visim_diagnostics_text(const visim_outcome *outcome);

/*
 The same as a JSON array of objects with the fields that `visim run --format json` prints: code, class, message, file,
 line, column, labels, notes, help, see. It belongs to the outcome. NULL only for NULL.

 # Safety
 `outcome` is NULL or from visim_run and not freed.
 */
const char *visim_diagnostics_json(const visim_outcome *outcome);

/*
 Ends a simulator; its outcomes stay. NULL is left alone.

 # Safety
 `simulator` is NULL or from visim_load or visim_load_bytes, and not used afterwards.
 */
void visim_free(visim_simulator *simulator);

/*
 Ends an outcome, and the texts that belong to it. NULL is left alone.

 # Safety
 `outcome` is NULL or from visim_run, and not used afterwards.
 */
void visim_outcome_free(visim_outcome *outcome);

/*
 The version of visim, such as "0.1.0".
 */
const char *visim_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* VISIM_H */
