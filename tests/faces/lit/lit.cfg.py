# lit on texts of vISA: `lit tests/faces/lit`. %visim is the program to test, FileCheck comes with LLVM (or from PyPI).
import os
import shutil

import lit.formats

config.name = "visim"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".visa", ".visaasm"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(os.environ.get("LIT_OUT", "/tmp"), "visim-lit")
visim = lit_config.params.get("visim", shutil.which("visim"))
if not visim:
    lit_config.fatal("no visim on PATH: lit -D visim=target/debug/visim …")
config.substitutions.append(("%visim", os.path.abspath(visim)))
# LLVM calls it FileCheck, the package of PyPI filecheck.
check = shutil.which("FileCheck") or shutil.which("filecheck")
if not check:
    lit_config.fatal("no FileCheck on PATH: it comes with LLVM, or `pip install filecheck`")
config.substitutions.append((r"\bFileCheck\b", check))
