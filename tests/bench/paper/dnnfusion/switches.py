# SPDX-License-Identifier: Apache-2.0
"""Parameters of the pass that leave out one of its parts, as far as the program has them."""
NO_REWRITING = "rewrite=off"
NO_FUSION = "most-operators=1"  # a block has one operator: nothing is fused


def _choice(program, said):
    """A setting whose value is called like `said`, or None."""
    for name, parameter in program.parameters("dnnfusion").items():
        for choice in parameter.get("choices", []):
            if said in choice:
                return f"{name}={choice}"
    return None


def fixed_patterns(program):
    """Fusion by fixed patterns instead of mapping types: the paper's OurB+."""
    return _choice(program, "pattern")


def no_layouts(program):
    """Layouts are left as they are: a part of what the paper calls other optimizations."""
    parameter = program.parameters("dnnfusion").get("layouts")
    if parameter is None:
        return None
    return "layouts=off" if "off" in parameter.get("choices", []) else "layouts=false"


NO_PATTERNS = ("OurB+: the pass dnnfusion has no parameter that fuses by fixed patterns; its report has only "
               "their modelled figures (fusion.baseline)")
NO_LAYOUTS = ("fusion without the other optimizations: the pass dnnfusion has no parameter that leaves the "
              "layouts as they are (`layouts`), nor one that keeps data movement operators in blocks")
