"""Describes on what machine and when results were measured."""


def machine_text(machine):
    kind = "virtual machine" if machine.get("virtual") else "machine"
    return (f"a {kind} with {machine['processors']} processors ({machine['processor']}, TSC {machine['tsc_mhz']} MHz, "
            f"L2 {machine.get('l2_kib', '?')} KiB, L3 {machine.get('l3_kib', '?')} KiB), "
            f"{machine['memory_mib']} MiB of memory, {machine['kernel']}")


def own_run_text(run, rows):
    """Describes how those of its rows that are in `rows` were measured."""
    which = ", ".join(f"`{row}`" for row in run["rows"] if row in rows)
    load = run["load_average"]
    where = f", on {machine_text(run['machine'])}" if "machine" in run else ""
    return (f"{which}: measured in a separate run{where}: {run['date']}, {run['repeats']} repeats"
            f"{', QUICK: the figures mean little' if run['quick'] else ''}, {run['seconds']} s; load average "
            f"{load['before']:.1f} before, {load['after']:.1f} after.")


def run_of(row, document):
    """The run that measured this row: a separate one, or that of the whole document."""
    separate = [run for run in document.get("own_runs", []) if row in run["rows"]]
    return {**document, **(separate[-1] if separate else {})}
