"""The base class of all errors that a user can correct.

ToposmithError
+-- CatalogError          no catalog could be made; one line for each fault
|   +-- ImportRefused     a file of another program from which no part can be made
+-- UnknownPart           a part id that the catalog does not hold (also a KeyError)
+-- DesignFileError       a design file that cannot be read: where, what was found, what is expected
+-- SaveError             a file that could not be written; the old one is untouched
|   +-- FileChangedError  it is no longer the file that was opened
+-- EditError             a change that the design refuses; the design is unchanged
+-- RevisionError         a git revision, or a file in one, that does not exist
+-- SparesError           spares that are no numbers
+-- EnergyError           invalid terms of an energy calculation
+-- SigningError          invalid signatures of a bill
+-- WorkloadError         a workload that cannot run as it is written
+-- TooManyDevicesError   a table of so many devices that it would be too long to read
+-- UnreadableError       a dump or a sheet of cables that cannot be read, or is of another fabric
+-- NoDumpError           no dump is open that a design could be compared with
+-- ExportError           an export format that cannot express this design
+-- LogError              output of nccl-tests that holds no run
+-- NotOfThisDesign       a run that the design cannot have made
+-- JobError              a job among several that cannot run on the design
+-- NoCalibration         runs that cannot calibrate other predictions
"""

from __future__ import annotations


class ToposmithError(Exception):
    """Base of every error that a user can correct; its text can be shown as it is."""
