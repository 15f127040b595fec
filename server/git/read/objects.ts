import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { git } from '../args.ts'
import { run } from '../process/run.ts'
import { writeLoose } from '../write/loose-objects.ts'
import type { Repo } from '../types.ts'

/** An object that is not written yet. */
export interface NewObject {
  readonly id: string
  readonly type: 'commit' | 'tree' | 'blob'
  readonly content: Buffer
}

const PACK_TYPES: Readonly<Record<NewObject['type'], number>> = { commit: 1, tree: 2, blob: 3 }
/** Like git for a push: few objects become loose files, many stay in one pack. */
const PACK_FROM = 100
/** Each loose file is synced to the disk; from here on one process with one pack is faster. */
const MAX_LOOSE = 12
const HASH_AT_ONCE = 4 * 1024 * 1024

/** An object with its id. */
export async function newObject(type: NewObject['type'], content: Buffer): Promise<NewObject> {
  const hash = createHash('sha1').update(`${type} ${content.length}\0`)
  for (let at = 0; at < content.length; at += HASH_AT_ONCE) {
    hash.update(content.subarray(at, at + HASH_AT_ONCE))
    // A large file must not block the event loop.
    if (at > 0) await setImmediate()
  }
  return { id: hash.digest('hex'), type, content }
}

/**
 * Writes objects, after a check of their format and that everything they refer to exists; when this resolves, they are
 * on disk. No ref points to them yet. A few small objects are written without starting git, others as a pack like that
 * of a push. `checked` is explained at `writeLoose`.
 */
export async function writeObjects(
  repo: Repo,
  objects: readonly NewObject[],
  options: { env?: Readonly<Record<string, string>>; checked?: ReadonlySet<string> } = {},
): Promise<void> {
  const unique = [...new Map(objects.map((object) => [object.id, object])).values()]
  if (unique.length === 0) return
  const isLoose = !options.env && unique.length <= MAX_LOOSE
  if (isLoose && (await writeLoose(repo, unique, options.checked ?? new Set()))) return
  const input = await pack(unique)
  const args = unique.length < PACK_FROM ? git`unpack-objects -q --strict` : git`index-pack --stdin --strict`
  await run(repo, 'objects.write', args, { input, env: options.env })
}

async function pack(objects: readonly NewObject[]): Promise<Buffer> {
  const head = Buffer.alloc(12)
  head.write('PACK', 0, 'latin1')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(objects.length, 8)
  const parts: Buffer[] = [head]
  for (const object of objects) {
    parts.push(entryHead(object), await promisify(deflate)(object.content))
  }
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part)
  return Buffer.concat([...parts, hash.digest()])
}

/** Type and size: four bits of the size next to the type, then seven bits per byte, lowest first. */
function entryHead(object: NewObject): Buffer {
  const bytes: number[] = []
  let byte = (PACK_TYPES[object.type] << 4) | (object.content.length & 15)
  for (let rest = Math.floor(object.content.length / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 128)
    byte = rest & 127
  }
  return Buffer.from([...bytes, byte])
}
