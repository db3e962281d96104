// The screenshot of the sample: a settings page, drawn in four colours.
//
// The PNG is written byte by byte with stored (uncompressed) data, so that it
// is the same on every machine.

import { crc32 } from 'node:zlib'

const WIDTH = 96
const HEIGHT = 64
const PALETTE = [[0xf6, 0xf7, 0xf9], [0x2b, 0x2f, 0x3a], [0xc3, 0xc8, 0xd2], [0x2f, 0x6f, 0xed]]
const [PAPER, INK, LINE, ACCENT] = [0, 1, 2, 3]
const RECTANGLES = [
  [0, 0, 96, 8, INK], [0, 8, 24, 56, LINE],
  [3, 13, 16, 3, PAPER], [3, 20, 16, 3, ACCENT], [3, 27, 16, 3, PAPER],
  [30, 14, 28, 3, INK], [30, 24, 58, 6, LINE], [30, 24, 37, 6, ACCENT],
  [30, 38, 22, 3, INK], [30, 46, 58, 10, LINE], [32, 48, 30, 6, PAPER],
]
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** The file as bytes. */
export function screenshot() {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(WIDTH, 0)
  header.writeUInt32BE(HEIGHT, 4)
  header.set([8, 3, 0, 0, 0], 8) // 8 bits a pixel, palette, no interlace
  const palette = Buffer.from(PALETTE.flat())
  const chunks = [chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', stored(rows())), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from(SIGNATURE), ...chunks])
}

/** Rows of palette indices, each after its filter byte. */
function rows() {
  const pixels = Buffer.alloc(HEIGHT * (WIDTH + 1), PAPER)
  for (let y = 0; y < HEIGHT; y += 1) pixels[y * (WIDTH + 1)] = 0
  for (const [left, top, width, height, colour] of RECTANGLES) {
    for (let y = top; y < top + height; y += 1) {
      const start = y * (WIDTH + 1) + 1 + left
      pixels.fill(colour, start, start + width)
    }
  }
  return pixels
}

/** A zlib stream of one stored block. */
function stored(data) {
  const block = Buffer.alloc(7)
  block.set([0x78, 0x01, 0x01])
  block.writeUInt16LE(data.length, 3)
  block.writeUInt16LE(~data.length & 0xffff, 5)
  let a = 1
  let b = 0
  for (const byte of data) {
    a = (a + byte) % 65521
    b = (b + a) % 65521
  }
  const sum = Buffer.alloc(4)
  sum.writeUInt16BE(b, 0)
  sum.writeUInt16BE(a, 2)
  return Buffer.concat([block, data, sum])
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
