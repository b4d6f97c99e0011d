"""Checks a certificate of a cluster network with nothing but the certificate.

It shares no code with the program that writes certificates (``toposmith export --to proof``); the
format is specified in ``docs/proof.md``, so that others can write and check them, too.
"""
