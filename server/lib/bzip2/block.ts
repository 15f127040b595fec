import type { BitWriter } from './bit-writer.ts'
import { codesOf } from './huffman.ts'
import { fitTables, GROUP, type Tables } from './tables.ts'
import { transformBlock } from './transform.ts'

/** A block as symbols: 0 and 1 count repetitions, the last symbol ends the block. */
interface Symbols {
  readonly symbols: Uint16Array
  /** The number of occurrences of each symbol. */
  readonly frequencies: Uint32Array
  /** 1 for each byte value that occurs in the block. */
  readonly usedBytes: Uint8Array
}

/**
 * Move-to-front coding: each byte becomes its position in a list with the last used one first. Repetitions are counted.
 */
function moveToFront(column: Uint8Array): Symbols {
  const usedBytes = new Uint8Array(256)
  for (const byte of column) usedBytes[byte] = 1
  const list = Uint8Array.from(Array.from(usedBytes.keys()).filter((byte) => usedBytes[byte] === 1))
  const end = list.length + 1
  const symbols = new Uint16Array(column.length + 1)
  const frequencies = new Uint32Array(end + 1)
  let length = 0
  let runLength = 0
  const put = (symbol: number): void => {
    symbols[length++] = symbol
    frequencies[symbol]! += 1
  }
  // A count is written in digits 1 and 2 to the base of two, the lowest first.
  const putCount = (): void => {
    for (; runLength > 0; runLength = (runLength - 1) >> 1) put((runLength - 1) & 1)
  }
  for (const byte of column) {
    if (list[0] === byte) {
      runLength += 1
      continue
    }
    putCount()
    let position = 1
    while (list[position] !== byte) position += 1
    list.copyWithin(1, 0, position)
    list[0] = byte
    put(position + 1)
  }
  putCount()
  put(end)
  return { symbols: symbols.subarray(0, length), frequencies, usedBytes }
}

/** The digits of pi, which begin every block. */
const BLOCK_MAGIC = [0x314159, 0x265359] as const

/** Writes one block: bytes after the first run-length coding, with the checksum of the original bytes. */
export function writeBlock(out: BitWriter, block: Uint8Array, checksum: number): void {
  const { column, origin } = transformBlock(block)
  const { symbols, frequencies, usedBytes } = moveToFront(column)
  for (const part of BLOCK_MAGIC) out.write(part, 24)
  out.write32(checksum)
  // The "randomised" flag, which only the first versions of the format used.
  out.write(0, 1)
  out.write(origin, 24)
  writeUsedBytes(out, usedBytes)
  const tables = fitTables(symbols, frequencies)
  writeSelectors(out, tables)
  for (const lengths of tables.lengths) writeLengths(out, lengths)
  writeSymbols(out, symbols, tables)
}

/** Writes which byte values occur: one bit for each group of sixteen, then the bits of groups that are not empty. */
function writeUsedBytes(out: BitWriter, usedBytes: Uint8Array): void {
  const rows = Array.from({ length: 16 }, (_row, index) => usedBytes.subarray(16 * index, 16 * index + 16))
  for (const row of rows) out.write(row.includes(1) ? 1 : 0, 1)
  for (const row of rows) if (row.includes(1)) for (const bit of row) out.write(bit, 1)
}

/** Writes table numbers, move-to-front coded: the position in a list with the last used number first, in unary. */
function writeSelectors(out: BitWriter, { lengths, selectors }: Tables): void {
  out.write(lengths.length, 3)
  out.write(selectors.length, 15)
  const list = lengths.map((_table, index) => index)
  for (const selector of selectors) {
    const position = list.indexOf(selector)
    list.splice(position, 1)
    list.unshift(selector)
    out.write(2 ** (position + 1) - 2, position + 1)
  }
}

/** Writes code lengths as differences: `10` adds one, `11` subtracts one, `0` ends the difference. */
function writeLengths(out: BitWriter, lengths: Uint8Array): void {
  let current = lengths[0]!
  out.write(current, 5)
  for (const length of lengths) {
    for (; current < length; current++) out.write(0b10, 2)
    for (; current > length; current--) out.write(0b11, 2)
    out.write(0, 1)
  }
}

function writeSymbols(out: BitWriter, symbols: Uint16Array, { lengths, selectors }: Tables): void {
  const codes = lengths.map(codesOf)
  for (let group = 0; group < selectors.length; group++) {
    const code = codes[selectors[group]!]!
    const width = lengths[selectors[group]!]!
    const end = Math.min(symbols.length, (group + 1) * GROUP)
    for (let at = group * GROUP; at < end; at++) out.write(code[symbols[at]!]!, width[symbols[at]!]!)
  }
}
