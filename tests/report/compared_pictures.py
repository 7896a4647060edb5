"""Pictures of pages, compared by the mean colours of the cells of a coarse grid: letters may be drawn in a slightly different way."""

import base64
import itertools
import operator
import struct
import zlib

CELL = 8  # pixels of a stored picture
LEVELS = 32  # of a colour's 256: the file is smaller
MOVED = [(x, y) for x in (-2, 0, 2) for y in (-1, 0, 1)]


class Picture:
    """Pixels of red, green and blue."""

    def __init__(self, width, height, rgb):
        assert len(rgb) == 3 * width * height
        self.width, self.height, self.rgb = width, height, rgb

    def write(self, path):
        def chunk(kind, content):
            return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

        row = 3 * self.width
        # Each row has the filter "up": what is as in the row above is zero.
        lines = [self.rgb[at:at + row] for at in range(0, len(self.rgb), row)]
        above = [bytes(row), *lines]
        filtered = b"".join(b"\2" + bytes((a - b) & 255 for a, b in zip(line, before)) for line, before in zip(lines, above))
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0))
                       + chunk(b"IDAT", zlib.compress(filtered, 9)) + chunk(b"IEND", b""))

    def mean_colours(self):
        """A function of left, top, right and bottom."""
        tables = []
        for colour in range(3):
            above = [0] * (self.width + 1)
            table = [above]
            for y in range(self.height):
                row = self.rgb[3 * self.width * y + colour:3 * self.width * (y + 1):3]
                above = list(map(operator.add, above, (0, *itertools.accumulate(row))))
                table.append(above)
            tables.append(table)

        def mean(left, top, right, bottom):
            left, right = max(0, left), min(self.width, right)
            top, bottom = max(0, top), min(self.height, bottom)
            number = (right - left) * (bottom - top)
            return [(table[bottom][right] - table[bottom][left] - table[top][right] + table[top][left]) / number for table in tables]

        return mean


def picture_of(window, address, width, height):
    """An image, drawn with this size by the browser."""
    script = """
const [address, width, height, done] = arguments, image = new Image();
image.onload = () => {
  const canvas = document.createElement('canvas');
  canvas.width = width; canvas.height = height;
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, width, height);
  const {data} = context.getImageData(0, 0, width, height);
  let text = '';
  for (let i = 0; i < data.length; i += 4) text += String.fromCharCode(data[i], data[i + 1], data[i + 2]);
  done(btoa(text));
};
image.onerror = () => done('');
image.src = address;
"""
    return Picture(width, height, base64.b64decode(window.driver.execute_async_script(script, address, width, height)))


def data_address(png):
    return "data:image/png;base64," + base64.b64encode(png).decode()


def size_of(png):
    return struct.unpack(">II", png[16:24])


def coarse(picture):
    """With fewer colours."""
    step = 256 // LEVELS
    table = bytes(min(255, (value + step // 2) // step * step) for value in range(256))
    return Picture(picture.width, picture.height, picture.rgb.translate(table))


def differing_cells(ours, wanted, tolerance):
    """(column, row) of the cells whose mean colour differs by more than `tolerance` of 255 from those that `wanted` has there or MOVED pixels away."""
    found, mean, mean_wanted = set(), ours.mean_colours(), wanted.mean_colours()
    width, height = min(ours.width, wanted.width), min(ours.height, wanted.height)
    for top in range(0, height, CELL):
        for left in range(0, width, CELL):
            box = (left, top, min(width, left + CELL), min(height, top + CELL))
            near = [mean_wanted(box[0] + x, box[1] + y, box[2] + x, box[3] + y) for x, y in MOVED if box[2] + x > 0 and box[0] + x < width and box[1] + y < height]
            for value, values in zip(mean(*box), zip(*near)):
                if value < min(values) - tolerance or value > max(values) + tolerance:
                    found.add((left // CELL, top // CELL))
    return found
