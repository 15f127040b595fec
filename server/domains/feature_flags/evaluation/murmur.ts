const C1 = 0xcc9e2d51
const C2 = 0x1b873593

const rotated = (value: number, by: number): number => (value << by) | (value >>> (32 - by))
const mixed = (value: number): number => Math.imul(rotated(Math.imul(value, C1), 15), C2)

/** MurmurHash3, x86, 32 bits, of a text's UTF-8 form; seed 0. */
export function murmur3(text: string): number {
  const bytes = Buffer.from(text)
  const whole = bytes.length & ~3
  let hash = 0
  for (let at = 0; at < whole; at += 4) {
    hash = rotated(hash ^ mixed(bytes.readInt32LE(at)), 13)
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
  }
  if (whole < bytes.length) {
    let rest = 0
    for (let at = bytes.length - 1; at >= whole; at--) rest = (rest << 8) | bytes[at]!
    hash ^= mixed(rest)
  }
  hash ^= bytes.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Where somebody stands in a gradual rollout, 1 to 100, as SDKs work it out: on up to the percentage. */
export function placeOf(id: string, groupId: string): number {
  return (murmur3(`${groupId}:${id}`) % 100) + 1
}
