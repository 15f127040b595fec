import { codeLengths } from './huffman.ts'

/** Number of symbols that share a table. */
export const GROUP = 50
/** Rounds in which tables and groups are fitted to each other; more rounds improve almost nothing. */
const ROUNDS = 4

/** Several codes for one block, and which of them each group of symbols uses. */
export interface Tables {
  /** Code lengths by symbol, for each table. */
  readonly lengths: readonly Uint8Array[]
  /** The index of the table that each group uses. */
  readonly selectors: Uint8Array
}

/** Fits between two and six codes to the parts of a block. */
export function fitTables(symbols: Uint16Array, frequencies: Uint32Array): Tables {
  const selectors = new Uint8Array(Math.ceil(symbols.length / GROUP))
  let lengths = firstLengths(frequencies, tableCount(symbols.length), symbols.length)
  for (let round = 0; round < ROUNDS; round++) {
    const counts = lengths.map(() => new Uint32Array(frequencies.length))
    for (let index = 0; index < selectors.length; index++) {
      const group = symbols.subarray(index * GROUP, (index + 1) * GROUP)
      const best = cheapest(lengths, group)
      selectors[index] = best
      const count = counts[best]!
      for (const symbol of group) count[symbol]! += 1
    }
    lengths = counts.map(codeLengths)
  }
  return { lengths, selectors }
}

function tableCount(symbols: number): number {
  if (symbols < 200) return 2
  if (symbols < 600) return 3
  if (symbols < 1200) return 4
  return symbols < 2400 ? 5 : 6
}

/** The initial code lengths. Each table prefers one part of the alphabet, and all parts have about equal weight. */
function firstLengths(frequencies: Uint32Array, tables: number, total: number): Uint8Array[] {
  const lengths: Uint8Array[] = []
  let symbol = 0
  let remaining = total
  for (let table = tables; table > 0; table--) {
    const share = remaining / table
    const tableLengths = new Uint8Array(frequencies.length).fill(15)
    let count = 0
    while (symbol < frequencies.length && count < share) {
      count += frequencies[symbol]!
      tableLengths[symbol++] = 0
    }
    remaining -= count
    lengths.push(tableLengths)
  }
  return lengths
}

/** The index of the table that encodes a group in the fewest bits. */
function cheapest(lengths: readonly Uint8Array[], group: Uint16Array): number {
  let best = 0
  let least = Infinity
  for (let table = 0; table < lengths.length; table++) {
    const length = lengths[table]!
    let bits = 0
    for (let at = 0; at < group.length; at++) bits += length[group[at]!]!
    if (bits < least) [best, least] = [table, bits]
  }
  return best
}
