/** A block as symbols: 0 and 1 count repetitions, the last symbol ends the block. */
export interface Symbols {
  readonly symbols: Uint16Array
  /** How often each symbol occurs; as many entries as there are symbols. */
  readonly frequencies: Uint32Array
  /** Which bytes occur at all. */
  readonly used: Uint8Array
}

/**
 * Move-to-front coding: each byte becomes its position in a list with the last used one first. Repetitions are counted.
 */
export function moveToFront(column: Uint8Array): Symbols {
  const used = new Uint8Array(256)
  for (const byte of column) used[byte] = 1
  const list = Uint8Array.from(Array.from(used.keys()).filter((byte) => used[byte] === 1))
  const end = list.length + 1
  const symbols = new Uint16Array(column.length + 1)
  const frequencies = new Uint32Array(end + 1)
  let length = 0
  let repeated = 0
  const put = (symbol: number): void => {
    symbols[length++] = symbol
    frequencies[symbol]! += 1
  }
  // A count is written in digits 1 and 2 to the base of two, the lowest first.
  const putCount = (): void => {
    for (; repeated > 0; repeated = (repeated - 1) >> 1) put((repeated - 1) & 1)
  }
  for (const byte of column) {
    if (list[0] === byte) {
      repeated += 1
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
  return { symbols: symbols.subarray(0, length), frequencies, used }
}
