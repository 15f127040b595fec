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
/** The number of objects from which on they are stored as one pack. Git has the same limit for a push. */
const PACK_FROM = 100
/** The maximum number of objects that are written without git. Each loose file is synced, so git is faster for more. */
const MAX_LOOSE = 12
/** The number of bytes that are hashed before other work runs. */
const HASH_CHUNK_BYTES = 4 * 1024 * 1024

/** Creates an object and computes its id. */
export async function newObject(type: NewObject['type'], content: Buffer): Promise<NewObject> {
  const hash = createHash('sha1').update(`${type} ${content.length}\0`)
  for (let at = 0; at < content.length; at += HASH_CHUNK_BYTES) {
    hash.update(content.subarray(at, at + HASH_CHUNK_BYTES))
    // A large file must not block the event loop.
    if (at > 0) await setImmediate()
  }
  return { id: hash.digest('hex'), type, content }
}

/**
 * Writes objects. Before that, it checks their format, and that all objects that they refer to exist. When the promise
 * resolves, they are on disk; no ref points to them yet. A few small objects are written without git, others with a pack
 * like that of a push. `writeLoose` explains `checked`.
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

/** Encodes type and size: the first byte has the type and four bits of the size, the others seven bits, lowest first. */
function entryHead(object: NewObject): Buffer {
  const bytes: number[] = []
  let byte = (PACK_TYPES[object.type] << 4) | (object.content.length & 15)
  for (let rest = Math.floor(object.content.length / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 128)
    byte = rest & 127
  }
  return Buffer.from([...bytes, byte])
}
