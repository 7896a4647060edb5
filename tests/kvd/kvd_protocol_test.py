#!/usr/bin/env python3
"""Tests the real kvd from outside: raw sockets, redis-cli, redis-benchmark, signals, /proc.

usage: kvd_protocol_test.py KVD [unittest options]

No assertion depends on how long something takes: waits are for conditions, with a bound that only a hang reaches.
"""

import os
import sys
import unittest

from client_cases import Clients, StockClients
from command_cases import Commands
from kvd_service import Program
from process_cases import Process
from protocol_cases import Protocol
from shm_directory import ShmDirectory

# unittest finds the cases by this module's names.
__all__ = ["Clients", "Commands", "Process", "Protocol", "StockClients"]

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: kvd_protocol_test.py KVD [unittest options]")
    Program.path = os.path.abspath(sys.argv.pop(1))
    # In a build with AddressSanitizer: freed memory that it keeps would count as kvd's.
    os.environ["ASAN_OPTIONS"] = ":".join(
        [*filter(None, [os.environ.get("ASAN_OPTIONS")]), "quarantine_size_mb=1"])
    # kvd's traces stay in memory until they are drained, and no consumer drains them here.
    with ShmDirectory() as Program.shm_directory:
        unittest.main(verbosity=2)
