"""A second reading of design files, to hold the program against.

Written from `docs/file-format.md` and `docs/model.md` alone: it reads a design and the catalog's
YAML, expands the design device by device and cable by cable into a plain networkx multigraph,
routes on it, and cuts it, without a line of the program. Only `program.py` calls the program,
through its command, as a person would.

    parts        the catalog's YAML: ports, speeds, what hangs where inside a node
    document     a design file as it stands: groups, links, faults
    selectors    what `absent` and `down` name
    expansion    devices, ports and cables, one by one
    labels       what ports are called in the cable schedule
    traffic      shortest paths, shares, loads of rings and exchanges
    inside       a node from inside, as capacities
    cuts         bounds by max-flow, bisection
    designs      random designs with faults
    compare      program and oracle side by side: python -m tests.oracle.compare --designs 1000
"""
