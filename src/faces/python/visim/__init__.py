"""Runs Intel vISA assembly text without a GPU, on numpy arrays.

    import numpy as np
    import visim

    outcome = visim.run('''.version 4.1
    .kernel "invert"
    .decl V32 v_type=G type=ub num_elts=32 align=GRF
    .decl T6 v_type=T num_elts=1
        media_ld.nomod (8,4) T6 0 0:ud 0:ud V32.0
        not (M1, 32) V32(0,0)<1> V32(0,0)<1;1,0>
        media_st.nomod (8,4) T6 0 0:ud 0:ud V32.0
        ret (M1, 1)
    ''', surfaces={"T6": np.arange(32, dtype=np.uint8).reshape(4, 8)})
    assert outcome.surfaces["T6"][0, 0] == 255

Names: `run` and `Program` run kernels, `Outcome` is what they leave, `Surface`, `Sampler` and `Local` are what is bound
beside plain arrays, `Report` and `Diagnostic` what is wrong and where, `Error` the exception that carries a report.
`visim.pytest_plugin` makes tests of programs and launches, `python -m visim.farm` runs many of them on Ray, `python -m
visim` is the command line.
"""

from ._arrays import Local, Sampler, Surface
from ._report import Diagnostic, Error, Report
from ._run import Outcome, Page, Program, Registers, Variable, run
from ._visim import __version__, platforms

__all__ = [
    "Diagnostic",
    "Error",
    "Local",
    "Outcome",
    "Page",
    "Program",
    "Registers",
    "Report",
    "Sampler",
    "Surface",
    "Variable",
    "__version__",
    "platforms",
    "run",
]
