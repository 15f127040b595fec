import { suffixArray } from './suffix-array.ts'

/** A block after the Burrows–Wheeler transform: the last column of its sorted rotations. */
export interface Transformed {
  readonly column: Uint8Array
  /** Which of the sorted rotations is the block itself. */
  readonly origin: number
}

/** Sorts the rotations of a block. Linear in its length. */
export function transformBlock(block: Uint8Array): Transformed {
  const length = block.length
  // If the block begins with its least rotation, its rotations sort like its suffixes.
  const least = leastRotation(block)
  const turned = new Uint8Array(length)
  turned.set(block.subarray(least))
  turned.set(block.subarray(0, least), length - least)
  const sorted = suffixArray(turned, 255)
  const column = new Uint8Array(length)
  const start = (length - least) % length
  let origin = 0
  for (let rank = 0; rank < length; rank++) {
    const position = sorted[rank]!
    column[rank] = turned[position === 0 ? length - 1 : position - 1]!
    if (position === start) origin = rank
  }
  return { column, origin }
}

/** Start of the least rotation: compares two candidates, and the larger one skips what was compared. */
function leastRotation(block: Uint8Array): number {
  const length = block.length
  let [one, other, same] = [0, 1, 0]
  while (one < length && other < length && same < length) {
    const leftSymbol = block[(one + same) % length]!
    const right = block[(other + same) % length]!
    if (leftSymbol === right) {
      same += 1
      continue
    }
    if (leftSymbol > right) one += same + 1
    else other += same + 1
    if (one === other) other += 1
    same = 0
  }
  return Math.min(one, other)
}
