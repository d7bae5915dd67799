/* A host in C: every function of visim.h, right and wrong. Ends with 0 if all is as it should be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "visim.h"

#define CHECK(what)                                                                                                       \
    do {                                                                                                                  \
        if (!(what)) {                                                                                                    \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what);                                                            \
            exit(1);                                                                                                      \
        }                                                                                                                 \
    } while (0)

static const char INVERT[] = ".version 4.1\n"
                             ".kernel \"invert\"\n"
                             ".decl V32 v_type=G type=ub num_elts=32 align=GRF\n"
                             ".decl V33 v_type=G type=ud num_elts=2 align=GRF\n"
                             ".decl T6 v_type=T num_elts=1\n"
                             "    mov (M1, 1) V33(0,0)<1> %thread_x(0,0)<0;1,0>\n"
                             "    shl (M1, 1) V33(0,0)<1> V33(0,0)<0;1,0> 3:ud\n"
                             "    media_ld.nomod (8,4) T6 0 V33(0,0)<0;1,0> V33(0,1)<0;1,0> V32.0\n"
                             "    not (M1, 32) V32(0,0)<1> V32(0,0)<1;1,0>\n"
                             "    media_st.nomod (8,4) T6 0 V33(0,0)<0;1,0> V33(0,1)<0;1,0> V32.0\n"
                             "    ret (M1, 1)\n";

static visim_simulator *invert(void)
{
    return visim_load_bytes("invert.visa", (const uint8_t *)INVERT, strlen(INVERT));
}

static void bytes_of_the_host(void)
{
    uint8_t picture[64], seen[64], part[8];
    for (int n = 0; n < 64; n++)
        picture[n] = (uint8_t)(3 * n);
    visim_simulator *run = invert();
    CHECK(visim_bind(run, VISIM_KIND_SURFACE, "T6", "R8_UNORM 16x4", picture, sizeof picture));
    CHECK(visim_set(run, "threads", "2,1"));
    CHECK(visim_set(run, "all-threads", ""));
    CHECK(visim_set(run, "platform", "tgllp"));
    visim_outcome *outcome = visim_run(run);
    CHECK(visim_succeeded(outcome));
    CHECK(!strcmp(visim_diagnostics_text(outcome), "") && !strcmp(visim_diagnostics_json(outcome), "[]"));
    /* The outcome stays when the simulator goes. */
    visim_free(run);
    CHECK(visim_read(outcome, VISIM_KIND_SURFACE, "T6", 0, seen, sizeof seen) == 64);
    for (int n = 0; n < 64; n++)
        CHECK(seen[n] == 255 - picture[n]);
    CHECK(visim_read(outcome, VISIM_KIND_REGISTER, "V32", 1, part, sizeof part) == 32);
    CHECK(!memcmp(part, seen + 8, 8));
    CHECK(visim_read(outcome, VISIM_KIND_REGISTER, "V32", 0, NULL, 0) == 32);
    CHECK(visim_read(outcome, VISIM_KIND_REGISTER, "V99", 0, NULL, 0) == -1);
    CHECK(visim_read(outcome, VISIM_KIND_REGISTER, "V32", 2, NULL, 0) == -1);
    CHECK(visim_read(outcome, VISIM_KIND_SAMPLER, "S0", 0, NULL, 0) == -1);
    CHECK(visim_read(outcome, VISIM_KIND_BUFFER, "0", 0, NULL, 0) == -1);
    visim_outcome_free(outcome);
}

static void registers_and_many_runs(void)
{
    visim_simulator *run = invert();
    CHECK(visim_bind(run, VISIM_KIND_SURFACE, "T6", "R8_UNORM 8x5, byte(x,y) = y", NULL, 0));
    uint32_t at[2] = {0, 1};
    CHECK(visim_bind(run, VISIM_KIND_REGISTER, "V33", NULL, (const uint8_t *)at, sizeof at));
    for (int n = 0; n < 3; n++) {
        uint8_t first;
        visim_outcome *outcome = visim_run(run);
        CHECK(visim_read(outcome, VISIM_KIND_REGISTER, "V32", 0, &first, 1) == 32 && first == 0xfe);
        visim_outcome_free(outcome);
    }
    visim_free(run);
}

static void samplers(void)
{
    static const char text[] = ".version 4.1\n.kernel \"between\"\n"
                               ".decl V32 v_type=G type=f num_elts=8 align=GRF\n"
                               ".decl V33 v_type=G type=f num_elts=8 align=GRF\n"
                               ".decl T6 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n"
                               "    mov (M1, 8) V32(0,0)<1> 0.5:f\n"
                               "    sample_lz.R (M1, 8) 0x0:uw S0 T6 V33.0 V32.0 V32.0\n    ret (M1, 1)\n";
    float texels[2] = {1, 2}, seen[8];
    visim_simulator *run = visim_load_bytes("between.visa", (const uint8_t *)text, strlen(text));
    CHECK(visim_bind(run, VISIM_KIND_SURFACE, "T6", "R32_FLOAT 2x1", (const uint8_t *)texels, sizeof texels));
    CHECK(visim_bind(run, VISIM_KIND_SAMPLER, "S0", "filter=linear address=clamp", NULL, 0));
    visim_outcome *outcome = visim_run(run);
    CHECK(visim_read(outcome, VISIM_KIND_REGISTER, "V33", 0, (uint8_t *)seen, sizeof seen) == 32);
    CHECK(seen[0] == 1.5f);
    visim_outcome_free(outcome);
    visim_free(run);
}

/* A program of Intel's compiler, from its file. */
static void compiled_kernel(const char *path)
{
    float in[4] = {0, 8, 8, 0}, out[4] = {0};
    visim_simulator *run = visim_load(path);
    CHECK(visim_set(run, "global", "4"));
    CHECK(visim_bind(run, VISIM_KIND_BUFFER, "in", NULL, (const uint8_t *)in, sizeof in));
    CHECK(visim_bind(run, VISIM_KIND_BUFFER, "1", NULL, (const uint8_t *)out, sizeof out));
    visim_outcome *outcome = visim_run(run);
    CHECK(visim_read(outcome, VISIM_KIND_BUFFER, "out", 0, (uint8_t *)out, sizeof out) == 16);
    CHECK(out[1] == 6.0f);
    visim_outcome_free(outcome);
    visim_free(run);
}

/* The first thing that was wrong is what the run reports. */
static void wrong(visim_simulator *run, const char *what)
{
    visim_outcome *outcome = visim_run(run);
    CHECK(!visim_succeeded(outcome));
    if (!strstr(visim_diagnostics_text(outcome), what) || visim_diagnostics_json(outcome)[0] != '[') {
        fprintf(stderr, "no `%s` in %s\n", what, visim_diagnostics_text(outcome));
        exit(1);
    }
    CHECK(visim_read(outcome, VISIM_KIND_REGISTER, "V32", 0, NULL, 0) == -1);
    visim_outcome_free(outcome);
    visim_free(run);
}

static void mistakes(void)
{
    visim_simulator *run = invert();
    wrong(run, "E0603"); /* Nothing is bound. */
    wrong(visim_load("missing.visa"), "missing.visa");
    wrong(visim_load(NULL), "NULL");
    wrong(visim_load_bytes("k", NULL, 4), "NULL");
    wrong(visim_load_bytes("k", (const uint8_t *)"\xff\xfe", 2), "UTF-8");
    run = invert();
    CHECK(!visim_set(run, "platform", "voodoo"));
    CHECK(!visim_set(run, "colour", "red"));
    wrong(run, "voodoo");
    run = invert();
    CHECK(!visim_set(run, "threads", "2"));
    wrong(run, "4,2");
    run = invert();
    CHECK(!visim_bind(run, VISIM_KIND_REGISTER, "V33", NULL, NULL, 8));
    wrong(run, "V33");
    run = invert();
    CHECK(!visim_bind(run, VISIM_KIND_SURFACE, "T6", NULL, NULL, 0));
    wrong(run, "the words");
    run = invert();
    CHECK(visim_bind(run, VISIM_KIND_SURFACE, "T6", "R8_UNORN 8x4", NULL, 0));
    wrong(run, "R8_UNORM"); /* What is meant. */
    run = invert();
    CHECK(visim_bind(run, VISIM_KIND_SURFACE, "T6", "R8_UNORM 8x4", (const uint8_t *)"few", 3));
    wrong(run, "32");
    run = invert();
    CHECK(!visim_bind(run, 77, "V33", NULL, NULL, 0));
    wrong(run, "77");
    CHECK(visim_run(NULL) == NULL && !visim_succeeded(NULL) && !visim_set(NULL, "jobs", "1"));
    CHECK(!visim_bind(NULL, VISIM_KIND_VALUE, "n", NULL, NULL, 0) && visim_diagnostics_text(NULL) == NULL);
    visim_free(NULL);
    visim_outcome_free(NULL);
}

int main(int count, char **words)
{
    CHECK(count == 2);
    printf("visim %s\n", visim_version());
    bytes_of_the_host();
    registers_and_many_runs();
    samplers();
    compiled_kernel(words[1]);
    mistakes();
    return 0;
}
