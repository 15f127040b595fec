import { createReadStream, existsSync } from 'node:fs'

/** One object of `lfs-objects.json`; nothing else in it matters. */
const ENTRY = /"([0-9a-f]{64})"\s*:\s*\[([\d,\s]{0,64})\]/g
/** What of a piece is kept for the next one: an entry may be cut in two. */
const LONGEST_ENTRY = 256
const CODE = '0'

/**
 * Which repositories refer to each large file (spec administration 6.2): 0 the code, 1 the wiki, 2 designs. Those that are named with the
 * code alone are left out, and so are those that nothing is said of. Reads piece by piece: the file is a stranger's, and may be large.
 */
export async function typesOfLargeFiles(file: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, readonly number[]>()
  if (!existsSync(file)) return found
  const shared = new Map<string, readonly number[]>()
  let rest = ''
  const pieces = createReadStream(file, {
    encoding: 'latin1',
    highWaterMark: 64 * 1024,
  }) as AsyncIterable<string>
  for await (const piece of pieces) {
    const text = rest + piece
    let end = 0
    for (const { 0: whole, 1: oid, 2: list, index } of text.matchAll(ENTRY)) {
      end = index + whole.length
      const types = typesIn(list!)
      if (types === CODE || types === '') continue
      if (!shared.has(types)) shared.set(types, types.split(',').map(Number))
      found.set(oid!, shared.get(types)!)
    }
    rest = text.slice(Math.max(end, text.length - LONGEST_ENTRY))
  }
  return found
}

function typesIn(list: string): string {
  return ['0', '1', '2'].filter((type) => list.split(',').some((one) => one.trim() === type)).join(',')
}
