#!/usr/bin/env python3
"""CTF packets, headers and clocks made by hand: ringcat and babeltrace2 read what was put into them."""

import sys
import unittest

import ctf_streams as made
from ctf_handmade_test import ORDERS, ByHand
from ctf_test import python_has_bt2

LTTNG_TYPES = made.TYPES + """
typealias integer { size = 5; align = 1; signed = false; } := uint5_t;
typealias integer { size = 27; align = 1; signed = false; map = clock.steady.value; } := stamp27_t;
typealias integer { size = 32; align = 8; signed = false; map = clock.steady.value; } := stamp32_t;
struct event_header_compact {
  enum : uint5_t { compact = 0 ... 30, extended = 31 } id;
  variant <id> {
    struct { stamp27_t timestamp; } compact;
    struct { uint32_t id; stamp_t timestamp; } extended;
  } v;
} align(8);
struct event_header_large {
  enum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;
  variant <id> {
    struct { stamp32_t timestamp; } compact;
    struct { uint32_t id; stamp_t timestamp; } extended;
  } v;
} align(8);
"""


def compact(bits, number, time):
    bits.align(8)
    if number < 31 and number >= 0:
        return bits.put(number, 5, 1).put(time % 2 ** 27, 27, 1)
    return bits.put(31, 5, 1).put(abs(number), 32, 8).put(time, 64, 8)


def large(bits, number, time):
    bits.align(8)
    if 0 <= number < 65535:
        return bits.put(number, 16).put(time % 2 ** 32, 32)
    return bits.put(65535, 16).put(abs(number), 32).put(time, 64)


def with_header(text):
    return f"  event.header := {text};\n"


class Packets(ByHand):
    def times(self, records):
        return [record["unix_ns"] - made.START_NS for record in records]

    def lttng(self, order, header, put, times, begin):
        """Events 3, 1000 and 70000 in turn, each with its index; a negative number selects the extended header."""
        events = "".join(made.event_block("uint32_t i;", f"an:event_{n}", n) for n in (3, 1000, 70000))
        metadata = (LTTNG_TYPES + made.trace_block(order) + made.CLOCK +
                    made.stream_block(event_header=with_header(f"struct {header}")) + events)
        numbers = [3 if i % 7 else -3 if i % 2 else 1000 if i % 3 else 70000 for i in range(len(times))]

        def events_of_packet(bits):
            for i, (number, time) in enumerate(zip(numbers, times, strict=True)):
                put(bits, number, time).put(i, 32)
        stream = made.packet(order, events_of_packet, begin=begin, end=times[-1])
        records, *_ = self.read_by_both(self.trace(metadata, {"stream": stream}))
        self.assertEqual([(r["name"], r["fields"]["i"]) for r in records],
                         [(f"event_{abs(number)}", i) for i, number in enumerate(numbers)])
        self.assertEqual(self.times(records), times)

    def test_compact_headers_whose_27_bits_wrap(self):
        for order in ORDERS:
            begin = 2 ** 27 * 5 - 3
            self.lttng(order, "event_header_compact", compact, [begin + i * (2 ** 25 + 12345) for i in range(60)], begin)

    def test_large_headers_whose_32_bits_wrap(self):
        for order in ORDERS:
            begin = 2 ** 40 - 1
            self.lttng(order, "event_header_large", large, [begin + i * (2 ** 30 + 5) for i in range(60)], begin)

    def test_packets_continue_where_the_clock_was(self):
        """Without timestamp_begin the missing bits are those of the previous packet."""
        metadata = (LTTNG_TYPES + made.trace_block("le") + made.CLOCK +
                    made.stream_block("  packet.context := struct { uint32_t content_size; uint32_t packet_size; };\n",
                                      with_header("struct { stamp32_t timestamp; }")) + made.event_block("uint8_t i;"))
        times = [2 ** 32 - 5, 2 ** 32 + 5, 2 ** 32 * 2 + 1, 2 ** 32 * 2 + 7]
        stream = b""
        for pair in (times[:2], times[2:]):
            bits = made.head(made.Bits("le")).put(42 * 8, 32).put(48 * 8, 32)
            for time in pair:
                bits.put(time % 2 ** 32, 32).put(1, 8)
            stream += bits.data() + bytes(48 - len(bits.data()))
        records, *_ = self.read_by_both(self.trace(metadata, {"stream": stream}))
        self.assertEqual(self.times(records), times)

    def test_sizes_of_packets(self):
        """Both sizes, neither, one alone: without sizes the file is one packet; with one size the packet has no padding."""
        for fields in (("content_size", "packet_size"), (), ("content_size",), ("packet_size",)):
            context = "".join(f"uint16_t {name}; " for name in fields)
            context = f"  packet.context := struct {{ {context}}};\n" if fields else ""
            metadata = (made.TYPES + made.trace_block("be") + made.CLOCK + made.stream_block(context) +
                        made.event_block("uint8_t i;"))
            stream, expected = b"", 0
            for number in range(3 if fields else 1):
                bits = made.head(made.Bits("be"))
                used = len(bits.bits) // 8 + 2 * len(fields) + 2 * 11
                padding = 7 if len(fields) == 2 else 0
                for name in fields:
                    bits.put((used + (padding if name == "packet_size" else 0)) * 8, 16)
                for _ in range(2):
                    made.event(bits, expected).put(expected, 8)
                    expected += 1
                stream += bits.data() + bytes(padding)
            with self.subTest(fields=fields):
                records, *_ = self.read_by_both(self.trace(metadata, {"stream": stream}))
                self.assertEqual([record["fields"]["i"] for record in records], list(range(expected)))

    def test_headers_with_fewer_fields(self):
        """Without the number of the event, of the stream, and without a magic number: there is only one of each."""
        for header, put_head in (("", lambda bits: bits),
                                 ("  packet.header := struct { uint32_t magic; };\n", lambda bits: bits.put(made.MAGIC, 32)),
                                 ("  packet.header := struct { uint8_t stream_id; };\n", lambda bits: bits.put(7, 8))):
            stream = made.stream_block("", with_header("struct { stamp_t timestamp; }"), stream=7)
            if "stream_id" not in header:
                stream = stream.replace("id = 7;", "")
            metadata = (made.TYPES + made.trace_block("le", header) + made.CLOCK + stream +
                        'event { name = "an:event"; id = 5; fields := struct { uint8_t i; }; };\n')
            bits = put_head(made.Bits("le"))
            for i in range(3):
                bits.put(i * 100, 64).put(i, 8)
            with self.subTest(header=header):
                records, *_ = self.read_by_both(self.trace(metadata, {"stream": bits.data()}))
                self.assertEqual([record["fields"]["i"] for record in records], [0, 1, 2])
                self.assertEqual(self.times(records), [0, 100, 200])

    def test_times_without_a_map(self):
        """A field named timestamp has the value of the only clock, or nanoseconds if there is no clock."""
        types = made.TYPES.replace("map = clock.steady.value; ", "")
        for clock, start in ((made.CLOCK, made.START_NS), ("", 0)):
            metadata = types + made.trace_block("le") + clock + made.stream_block() + made.event_block("uint8_t i;")
            stream = made.packet("le", lambda bits: made.event(made.event(bits, 3).put(0, 8), 9).put(1, 8))
            records, *_ = self.read_by_both(self.trace(metadata, {"stream": stream}))
            self.assertEqual([record["unix_ns"] for record in records], [start + 3, start + 9])

    def test_discarded_events(self):
        """Counters of 8, 32 and 64 bits. The small ones wrap, which babeltrace2 takes for a huge number. The first packet's
        events are lost, too; babeltrace2 reports their number as unknown."""
        for width, counts, lost, wraps in ((8, (5, 250, 4), [5, 245, 10], True), (8, (5, 250, 251), [5, 245, 1], False),
                                           (32, (0, 2 ** 32 - 1, 1), [2 ** 32 - 1, 2], True),
                                           (64, (7, 7, 2 ** 33), [7, 2 ** 33 - 7], False)):
            context = (f"  packet.context := struct {{ stamp_t timestamp_begin; stamp_t timestamp_end; uint32_t content_size; "
                       f"uint32_t packet_size; uint{width}_t events_discarded; }};\n")
            metadata = (made.TYPES + made.trace_block("le") + made.CLOCK + made.stream_block(context) +
                        made.event_block("uint8_t i;"))
            stream = b""
            for number, count in enumerate(counts):
                size = 24 + 24 + width // 8 + 11
                bits = made.head(made.Bits("le")).put(number * 1000, 64).put(number * 1000 + 500, 64)
                bits.put(size * 8, 32).put(size * 8, 32).put(count, width)
                stream += made.event(bits, number * 1000 + 3).put(number, 8).data()
            with self.subTest(width=width, counts=counts):
                _, _, ours, theirs = self.read_by_both(self.trace(metadata, {"stream": stream}))
                self.assertEqual(ours, lost)
                if not wraps:
                    self.assertEqual(theirs, [None, *lost[1:]])

    def test_several_clocks(self):
        """Each stream has its own clock: ticks, an offset in seconds and one in ticks, a negative one, too."""
        clocks = made.CLOCK + ('clock { name = "fast"; freq = 3000000000; offset_s = 1699999999; offset = 2999999997; };\n'
                               'clock { name = "slow"; freq = 1000; offset_s = -5; offset = 1700000000000; };\n')
        types = made.TYPES + "".join(f"typealias integer {{ size = 64; align = 8; map = clock.{name}.value; }} := {name}_t;\n"
                                     for name in ("fast", "slow"))
        metadata = types + made.trace_block("le") + clocks
        streams = {}
        for number, clock in enumerate(("stamp_t", "fast_t", "slow_t")):
            metadata += made.stream_block("", with_header(f"struct {{ uint16_t id; {clock} timestamp; }}"), stream=number)
            metadata += made.event_block("uint8_t i;", f"an:event_{number}", 0, number)
            bits = made.head(made.Bits("le"), number)
            for i in range(4):
                made.event(bits, 7000 * i + number).put(i, 8)
            streams[f"stream_{number}"] = bits.data()
        records, *_ = self.read_by_both(self.trace(metadata, streams))
        start = 1_700_000_000_000_000_000
        expected = sorted([start + 5 + 7000 * i for i in range(4)] +
                          [start - 1 + (7000 * i + 1) // 3 for i in range(4)] +
                          [start + (7000 * i + 2) * 1_000_000 - 5_000_000_000 for i in range(4)])
        self.assertEqual([record["unix_ns"] for record in records], expected)

    def test_packetised_metadata(self):
        """In the byte order of the machine that wrote it, which its packets show."""
        for order in ORDERS:
            text = ("/* CTF 1.8 */\n" + made.TYPES + made.trace_block(order) + made.CLOCK + made.stream_block() +
                    made.event_block("uint16_t i;"))
            stream = made.packet(order, lambda bits: made.event(bits, 1).put(4711, 16), padding=5)
            directory = self.trace(made.packetised(text, order), {"stream": stream})
            (record,), *_ = self.read_by_both(directory)
            self.assertEqual(record["fields"], {"i": 4711})


if __name__ == "__main__":
    if not python_has_bt2():
        sys.exit("python3-bt2 is missing; packaging/install-build-deps.sh installs it")
    unittest.main(verbosity=2)
