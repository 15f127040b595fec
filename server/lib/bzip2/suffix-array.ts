/** An empty entry of a suffix array. */
const EMPTY = -1

type Text = Uint8Array | Int32Array

/**
 * The suffix array of `text`, in linear time. `upper`: the largest symbol. This is SA-IS (Nong, Zhang, Chan 2009): the
 * leftmost S-type suffixes are sorted first, by the same method on a text of at most half the length; two passes then
 * sort all others.
 */
export function suffixArray(text: Text, upper: number): Int32Array {
  const length = text.length
  if (length < 2) return new Int32Array(length)
  const rises = risingAt(text)
  const starts = bucketStarts(text, rises, upper)
  const { positions, order } = leftmostRises(rises)
  const sorted = new Int32Array(length)
  induce(text, rises, starts, positions, sorted)
  if (positions.length > 0) {
    const inOrder = sorted.filter((position) => position !== EMPTY && order[position] !== EMPTY)
    const names = nameSubstrings(text, positions, order, inOrder)
    const next = suffixArray(names.text, names.upper)
    induce(
      text,
      rises,
      starts,
      next.map((index) => positions[index]!),
      sorted,
    )
  }
  return sorted
}

/** 1 where the suffix is smaller than the next one (S-type). */
function risingAt(text: Text): Uint8Array {
  const rises = new Uint8Array(text.length)
  for (let at = text.length - 2; at >= 0; at--) {
    const [here, next] = [text[at]!, text[at + 1]!]
    rises[at] = here === next ? rises[at + 1]! : here < next ? 1 : 0
  }
  return rises
}

/** The positions where the suffixes of each first symbol begin: the falling ones, and after them the rising ones. */
interface Buckets {
  readonly falling: Int32Array
  readonly rising: Int32Array
}

function bucketStarts(text: Text, rises: Uint8Array, upper: number): Buckets {
  const falling = new Int32Array(upper + 2)
  const rising = new Int32Array(upper + 2)
  for (let at = 0; at < text.length; at++) {
    const symbol = text[at]!
    if (rises[at] === 1) falling[symbol + 1]! += 1
    else rising[symbol]! += 1
  }
  for (let symbol = 0; symbol <= upper; symbol++) {
    rising[symbol]! += falling[symbol]!
    falling[symbol + 1]! += rising[symbol]!
  }
  return { falling, rising }
}

/** Positions where a rise begins after a fall (LMS positions), and the index of each. */
function leftmostRises(rises: Uint8Array): { positions: Int32Array; order: Int32Array } {
  const order = new Int32Array(rises.length).fill(EMPTY)
  const positions = new Int32Array((rises.length >> 1) + 1)
  let count = 0
  for (let at = 1; at < rises.length; at++) {
    if (rises[at] !== 1 || rises[at - 1] !== 0) continue
    order[at] = count
    positions[count++] = at
  }
  return { positions: positions.slice(0, count), order }
}

/** Sorts all suffixes into `sorted`, given the leftmost rising ones in their assumed order. */
function induce(
  text: Text,
  rises: Uint8Array,
  starts: Buckets,
  positions: Int32Array,
  sorted: Int32Array,
): void {
  const length = text.length
  sorted.fill(EMPTY)
  let nextSlot = starts.rising.slice()
  for (const position of positions) sorted[nextSlot[text[position]!]!++] = position
  nextSlot = starts.falling.slice()
  sorted[nextSlot[text[length - 1]!]!++] = length - 1
  for (let at = 0; at < length; at++) {
    const before = sorted[at]! - 1
    if (before >= 0 && rises[before] === 0) sorted[nextSlot[text[before]!]!++] = before
  }
  nextSlot = starts.falling.slice()
  for (let at = length - 1; at >= 0; at--) {
    const before = sorted[at]! - 1
    if (before >= 0 && rises[before] === 1) sorted[--nextSlot[text[before]! + 1]!] = before
  }
}

/** Numbers the substrings between leftmost rises by their order. Equal substrings get the same number. */
function nameSubstrings(
  text: Text,
  positions: Int32Array,
  order: Int32Array,
  inOrder: Int32Array,
): { text: Int32Array; upper: number } {
  const names = new Int32Array(positions.length)
  let upper = 0
  for (let index = 1; index < inOrder.length; index++) {
    const [left, right] = [inOrder[index - 1]!, inOrder[index]!]
    if (!areEqual(text, left, endOf(left), right, endOf(right))) upper += 1
    names[order[right]!] = upper
  }
  return { text: names, upper }

  function endOf(position: number): number {
    return positions[order[position]! + 1] ?? text.length
  }
}

function areEqual(text: Text, left: number, leftEnd: number, right: number, rightEnd: number): boolean {
  const length = leftEnd - left
  if (length !== rightEnd - right || rightEnd === text.length || leftEnd === text.length) return false
  for (let at = 0; at <= length; at++) if (text[left + at] !== text[right + at]) return false
  return true
}
