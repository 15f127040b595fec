/** Entries of a suffix array that nothing was put into yet. */
const EMPTY = -1

type Text = Uint8Array | Int32Array

/**
 * The starts of all suffixes of `text` in their order, in linear time whatever the text is. `upper`: the largest
 * symbol. This is SA-IS (Nong, Zhang, Chan 2009): the suffixes that begin a rise are sorted first, by the same method
 * on a text of at most half the length; the order of all others follows from them in two passes.
 */
export function suffixArray(text: Text, upper: number): Int32Array {
  const length = text.length
  if (length < 2) return new Int32Array(length)
  const rises = risingAt(text)
  const starts = bucketStarts(text, rises, upper)
  const { places, order } = leftmostRises(rises)
  const sorted = new Int32Array(length)
  induce(text, rises, starts, places, sorted)
  if (places.length > 0) {
    const inOrder = sorted.filter((place) => place !== EMPTY && order[place] !== EMPTY)
    const named = nameSubstrings(text, places, order, inOrder)
    const next = suffixArray(named.text, named.upper)
    induce(
      text,
      rises,
      starts,
      next.map((index) => places[index]!),
      sorted,
    )
  }
  return sorted
}

/** 1 where the suffix is smaller than the one behind it. */
function risingAt(text: Text): Uint8Array {
  const rises = new Uint8Array(text.length)
  for (let at = text.length - 2; at >= 0; at--) {
    const [here, next] = [text[at]!, text[at + 1]!]
    rises[at] = here === next ? rises[at + 1]! : here < next ? 1 : 0
  }
  return rises
}

/** Where the suffixes of each first symbol begin: the falling ones, and behind them the rising ones. */
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

/** Places where a rise begins right behind a fall, and the number of each among them. */
function leftmostRises(rises: Uint8Array): { places: Int32Array; order: Int32Array } {
  const order = new Int32Array(rises.length).fill(EMPTY)
  const places = new Int32Array((rises.length >> 1) + 1)
  let count = 0
  for (let at = 1; at < rises.length; at++) {
    if (rises[at] !== 1 || rises[at - 1] !== 0) continue
    order[at] = count
    places[count++] = at
  }
  return { places: places.slice(0, count), order }
}

/** Sorts all suffixes into `sorted`, given the leftmost rising ones in (what is hoped to be) their order. */
function induce(
  text: Text,
  rises: Uint8Array,
  starts: Buckets,
  places: Int32Array,
  sorted: Int32Array,
): void {
  const length = text.length
  sorted.fill(EMPTY)
  let free = starts.rising.slice()
  for (const place of places) sorted[free[text[place]!]!++] = place
  free = starts.falling.slice()
  sorted[free[text[length - 1]!]!++] = length - 1
  for (let at = 0; at < length; at++) {
    const before = sorted[at]! - 1
    if (before >= 0 && rises[before] === 0) sorted[free[text[before]!]!++] = before
  }
  free = starts.falling.slice()
  for (let at = length - 1; at >= 0; at--) {
    const before = sorted[at]! - 1
    if (before >= 0 && rises[before] === 1) sorted[--free[text[before]! + 1]!] = before
  }
}

/** Numbers the pieces between leftmost rises by their order; equal pieces get the same number. */
function nameSubstrings(
  text: Text,
  places: Int32Array,
  order: Int32Array,
  inOrder: Int32Array,
): { text: Int32Array; upper: number } {
  const names = new Int32Array(places.length)
  let upper = 0
  for (let index = 1; index < inOrder.length; index++) {
    const [left, right] = [inOrder[index - 1]!, inOrder[index]!]
    if (!areEqual(text, left, endOf(left), right, endOf(right))) upper += 1
    names[order[right]!] = upper
  }
  return { text: names, upper }

  function endOf(place: number): number {
    return places[order[place]! + 1] ?? text.length
  }
}

function areEqual(text: Text, left: number, leftEnd: number, right: number, rightEnd: number): boolean {
  const length = leftEnd - left
  if (length !== rightEnd - right || rightEnd === text.length || leftEnd === text.length) return false
  for (let at = 0; at <= length; at++) if (text[left + at] !== text[right + at]) return false
  return true
}
