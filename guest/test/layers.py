#!/usr/bin/env python3
"""Checks the order of the agent's sources: layers.py [SRC]

A file includes headers of its own folder and of those before it in LAYERS, and no files include each other in a circle.
A header and its source count as one file. --graph also prints which folder includes which."""

import collections
import pathlib
import re
import sys

LAYERS = ["sys", "memory", "loop", "wire", "files", "process", "execution", "vm", "dial", "control"]

faults = []


def fault(sentence):
    faults.append(sentence)


def includes_of(src):
    """The units (folder/name, without .c or .h) and what each includes of the others."""
    units = collections.defaultdict(set)
    for path in sorted(src.glob("**/*.[ch]")):
        unit = str(path.relative_to(src).with_suffix(""))
        for header in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(), re.MULTILINE):
            if not (src / header).is_file():
                fault(f"{path}: {header} is no path below {src}")
            units[unit].add(header.removesuffix(".h"))
        units[unit].discard(unit)
    return units


def layer_of(unit):
    folder = unit.split("/")[0] if "/" in unit else ""
    if folder not in LAYERS:
        fault(f"{unit} lies in none of the folders {', '.join(LAYERS)}")
        return -1
    return LAYERS.index(folder)


def check_circles(units):
    """Removes what includes nothing that is left, or is included by nothing that is left, until nothing can be removed."""
    left = {unit: set(included) for unit, included in units.items()}
    while True:
        wanted = set().union(*left.values())
        free = {unit for unit in left if unit not in wanted or not left[unit] & left.keys()}
        if not free:
            break
        for unit in free:
            del left[unit]
    if left:
        fault(f"a circle is among {', '.join(sorted(left))}")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--graph"]
    src = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent / "src")
    units = includes_of(src)
    edges = collections.Counter()
    for unit, included in sorted(units.items()):
        layer = layer_of(unit)
        for other in sorted(included):
            edges[unit.split("/")[0], other.split("/")[0]] += 1
            if layer >= 0 and "/" in other and other.split("/")[0] in LAYERS[layer + 1 :]:
                fault(f"{unit} includes {other}.h, of a folder that comes later")
    check_circles(units)
    if "--graph" in sys.argv:
        for (folder, other), count in sorted(edges.items()):
            print(f"{folder} -> {other} {count}")
    for sentence in faults:
        print(f"layers: {sentence}", file=sys.stderr)
    if faults or not units:
        sys.exit(f"layers: {src} is not in order")
    print(f"layers: {len(units)} units ok")


main()
