import { suffixArray } from './suffix-array.ts'

/** A block after the Burrows–Wheeler transform: the last column of its sorted rotations. */
export interface TransformedBlock {
  readonly column: Uint8Array
  /** The index of the block itself among its sorted rotations. */
  readonly origin: number
}

/** Sorts the rotations of a block. Linear in its length. */
export function transformBlock(block: Uint8Array): TransformedBlock {
  const length = block.length
  // If the block begins with its least rotation, its rotations sort like its suffixes.
  const least = leastRotation(block)
  const rotated = new Uint8Array(length)
  rotated.set(block.subarray(least))
  rotated.set(block.subarray(0, least), length - least)
  const sorted = suffixArray(rotated, 255)
  const column = new Uint8Array(length)
  const start = (length - least) % length
  let origin = 0
  for (let rank = 0; rank < length; rank++) {
    const position = sorted[rank]!
    column[rank] = rotated[position === 0 ? length - 1 : position - 1]!
    if (position === start) origin = rank
  }
  return { column, origin }
}

/** The start of the least rotation. Compares two candidates and moves the larger one past the compared bytes. */
function leastRotation(block: Uint8Array): number {
  const length = block.length
  let [first, second, matching] = [0, 1, 0]
  while (first < length && second < length && matching < length) {
    const leftSymbol = block[(first + matching) % length]!
    const right = block[(second + matching) % length]!
    if (leftSymbol === right) {
      matching += 1
      continue
    }
    if (leftSymbol > right) first += matching + 1
    else second += matching + 1
    if (first === second) second += 1
    matching = 0
  }
  return Math.min(first, second)
}
