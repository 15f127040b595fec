/** The maximum code length, as in other compressors. Decompressors accept up to 20. */
const MAX_BITS = 17

/** Lengths of a prefix code for these frequencies, none over 17 bits. */
export function codeLengths(frequencies: Uint32Array): Uint8Array {
  // Every symbol needs a code, because a group can select any table, whatever symbols it contains.
  let weights = Array.from(frequencies, (count) => Math.max(1, count))
  for (;;) {
    const lengths = unlimitedLengths(weights)
    if (lengths.every((length) => length <= MAX_BITS)) return lengths
    // Flatter weights make a shallower tree; a few rounds are enough.
    weights = weights.map((weight) => 1 + (weight >> 1))
  }
}

/** Huffman's method with two queues: the leaves by weight, and the inner nodes, which are created in order of weight. */
function unlimitedLengths(weights: readonly number[]): Uint8Array {
  const count = weights.length
  const leaves = weights.map((_weight, index) => index).sort((a, b) => weights[a]! - weights[b]!)
  const weight = [...weights]
  const parent: number[] = []
  let [leaf, inner] = [0, count]
  const takeLeast = (): number => {
    const isLeaf = leaf < count && (inner >= weight.length || weight[leaves[leaf]!]! <= weight[inner]!)
    return isLeaf ? leaves[leaf++]! : inner++
  }
  for (let merged = 1; merged < count; merged++) {
    const [first, second] = [takeLeast(), takeLeast()]
    parent[first] = parent[second] = weight.length
    weight.push(weight[first]! + weight[second]!)
  }
  const depth = new Uint8Array(weight.length)
  for (let node = weight.length - 2; node >= 0; node--) depth[node] = depth[parent[node]!]! + 1
  return depth.slice(0, count)
}

/** The codes for code lengths: shorter codes first, codes of equal length in the order of their symbols. */
export function codesOf(lengths: Uint8Array): Uint32Array {
  const codes = new Uint32Array(lengths.length)
  let code = 0
  for (let width = 1; width <= MAX_BITS; width++) {
    for (let symbol = 0; symbol < lengths.length; symbol++)
      if (lengths[symbol] === width) codes[symbol] = code++
    code *= 2
  }
  return codes
}
