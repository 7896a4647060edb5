#!/usr/bin/env python3
"""Elements, documents and streams without a root, many of them invalid, read the same after a comment: the same messages, faults and
offsets. A stream without a root gets one inserted, before or after the comment; and the comment moves what the end of a chunk cuts."""

import json
import os
import random
import unittest

from random_traces import SEEDS, ringcat

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "t01_all.trcxml")
COMMENT = b"<!-- moves what follows -->"
PLAIN = b'<option key="a" value="b"/>'

TAGS = [
    PLAIN, b"<option key='a' value='\"'/>", b'<option key = "a"/>', b'<option key="a"  value="b" />',
    b'<option key="a"value="b"/>', b'<option key="a" key="b"/>', b'<option foo="a" foo="b"/>',
    b'<option foo="1" bar="2" key="3"/>', b"<option " + b" ".join(b'u%d="1"' % i for i in range(20)) + b"/>",
    b'<foo a="1" b="2"/>', b'<foo a="1" a="2"/>', b"<foo></foo>", b"<foo>x</foo>", b"<foo><bar/></foo>",
    b"<option></option>", b"<option >  </option >", b"<option>text</option>", b"<option/>text",
    b'<option><frame method="x" line="1"/></option>', b"<option></foo>", b"<option", b"<option key", b"<option key=",
    b'<option key="', b'<option key="a"', b'<option key="a"/', b"<option key=a/>", b"<option / >", b"</option>", b"<>",
    b"< option/>", b"<a:b/>", b'<option a:b="1"/>', b"<\xc3\xa9/>", b'<option \xc3\xa9="1"/>', b"<TRACE/>",
    b"<!-- c -->", b"<!-- c -- d -->", b"<?pi x?>", b"<![CDATA[x]]>", b"&amp;", b"\xc3\xa9", b"<!DOCTYPE TRACE>",
]
FRAMES = [
    b'stackDepth="1"><frame method="x" line="1"/>', b'stackDepth="2"><frame method="x" line="1"/>',
    b'><frame line="1" method="x"/>', b'><frame method="x"/>', b'><frame method="x" line="y"/>',
    b'><frame method="x" line="1" z="2"/>', b'><frame/>', b'><frame method="x" method="1"/>',
    b'>\n<frame method="x&amp;" line="1" /><frame method="" line="-5"/>\n', b'><frames method="x" line="1"/>',
    b'><frame method="x" line="1"></frame>', b'stackMethods="1">', b'stackMethods="x">',
]
VALUES = [
    b"&#10;&#x41;&#x1F600;&#233;&lt;&gt;&quot;&apos;&amp;", b"&#0;", b"&#x1;", b"&#xD800;", b"&#xFFFE;", b"&#xFFFF;",
    b"&#x110000;", b"&#x0000000000041;", b"&#00000000065;", b"&foo;", b"&", b"&amp", b"& amp;", b"&#;", b"&#x;", b"&#X41;",
    b"&#-5;", b"<", b">", b"]]>", b"a\tb\nc\rd", b"\1", b"\x7f", b"\xc2\x85", b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80",
    b"\xef\xbf\xbe", b"\xef\xbf\xbd", b"\xf0\x9f\x98\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\0", b"&lt;" * 50_000,
    b"y" * (1 << 20),
]
NUMBERS = [
    b'gcStart time="1.5"', b'gcStart time="-1.0000000019"', b'gcStart time="x"', b'gcStart time=""', b'gcStart time="1e5"',
    b'gcStart time="99999999999999999999"', b'gcStart threadIdRef="9223372036854775808"', b'gcStart threadIdRef="+1"',
    b'gcStart threadIdRef=" 1"', b'methodDef isNative="200"', b'methodDef isNative="-128"', b'node timezone="2147483648"',
]
ELEMENTS = (TAGS + [b"<monWait " + frames + b"</monWait>" for frames in FRAMES] +
            [b'<custom body="' + value + b'"/>' for value in VALUES] + [b"<" + number + b"/>" for number in NUMBERS])


def told(document, before):
    """The exit code, and the result for a document after `before` bytes, with the offsets of the document alone."""
    code, output, _ = ringcat("inspect", "--json", "--from", "trcxml", "-", input=document)
    if not output:
        return code, None
    all_told = json.loads(output)
    for place in (*all_told["messages"], *all_told["unknown"], *all_told["bad"], all_told["error"]):
        if place is not None:
            place["offset"] -= before
    return code, {name: all_told[name] for name in ("counts", "messages", "unknown", "bad", "error")}


class XmlElements(unittest.TestCase):
    maxDiff = 2000

    def read_alike(self, document):
        self.assertEqual(told(document, 0), told(COMMENT + document, len(COMMENT)), document[:300])

    def test_elements_in_a_document(self):
        for element in ELEMENTS:
            self.read_alike(b"<TRACE>\n" + PLAIN + element + PLAIN + b"\n</TRACE>\n")

    def test_elements_in_a_stream_without_a_root(self):
        for element in ELEMENTS:
            self.read_alike(PLAIN + element)

    def test_documents_begin_and_end_in_many_ways(self):
        for document in (b"", b"<TRACE>", b"<TRACE/>", b"<TRACE", b"<TRACE a='1'>%s</TRACE>", b"<TRACE >%s</TRACE>",
                         b"<TRACE>%s", b"<TRACE>%s</TRACE >", b"<TRACE>%s</TRACE>x", b"<TRACE>%s</TRACE>%s",
                         b"<foo>%s</foo>", b"\n%s", b"%s\n", b"%s%s<", b"<custom body='\xe9'/>"):
            self.read_alike(document.replace(b"%s", PLAIN))

    def test_elements_that_the_end_of_a_window_cuts(self):
        for filling in (65_500, 262_100):
            for more in range(0, 70, 11):
                filled = PLAIN * (filling // len(PLAIN)) + b" " * more
                self.read_alike(b"<TRACE>" + filled + '<custom body="é&lt;😀"/>'.encode() * 3 + b"</TRACE>")

    def test_damaged_documents(self):
        with open(SAMPLE, "rb") as file:
            sample = file.read()
        sample = sample[sample.index(b"<TRACE>"):]
        for seed in SEEDS:
            numbers = random.Random(seed)
            for _ in range(20):
                damaged = bytearray(sample)
                for _ in range(numbers.randint(1, 3)):
                    at = numbers.randrange(len(damaged))
                    damaged[at:at + numbers.randrange(2)] = bytes([numbers.choice(b"<>\"'&;/ =\n\0\xff\xc3aA1-")])
                self.read_alike(bytes(damaged[:numbers.choice((len(damaged), at + 1))]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
