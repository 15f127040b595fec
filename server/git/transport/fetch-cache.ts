import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, rmSync } from 'node:fs'
import { mkdir, open, statfs, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { cachedUntilRefsChange } from '../ref-cache.ts'
import type { Repo } from '../types.ts'

const MIB = 1024 * 1024
/** The sizes of all stored answers, and of one. */
const MAX_BYTES = 512 * MIB
const MAX_ANSWER_BYTES = 256 * MIB
/** Nothing is stored if it would leave less space than this on the disk. */
const MIN_FREE_BYTES = 2048 * MIB
/** An answer that nobody requests for this long is removed. */
const MAX_IDLE_MS = 10 * 60_000
/** The number of requests that are remembered, so that a second one is recognized. */
const MAX_REQUESTS = 1000
/** The largest part of a stored answer that is in memory at once. */
const READ_BYTES = 1 * MIB

/** A request that states what the client already has. It is seldom repeated. */
const HAS_COMMITS = /[0-9a-f]{4}have [0-9a-f]{40}/

/**
 * Stores the answers to repeated clones in files: the jobs of a pipeline and the machines of a team fetch the same commits
 * again and again, and git would compress the same pack each time. The second identical request stores the answer, the
 * later ones read it. A changed ref makes the answers of its repository unreachable. The owner of `folder` empties it at
 * start.
 */
export class FetchCache {
  readonly #folder: string
  /** The requests of the last minutes, to recognize repeated ones. */
  readonly #seen = new LRUCache<string, true>({ max: MAX_REQUESTS, ttl: MAX_IDLE_MS })
  /** The files of stored answers, by request. */
  readonly #files = new LRUCache<string, { readonly file: string }>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_ANSWER_BYTES,
    ttl: MAX_IDLE_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    dispose: ({ file }) => rmSync(file, { force: true }),
  })

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * The key of a fetch request (protocol version 2): equal for requests with equal answers. Undefined if the
   * answer is not stored.
   */
  async keyOf(repo: Repo, request: Buffer): Promise<string | undefined> {
    const text = request.toString('latin1')
    if (!text.includes('command=fetch') || HAS_COMMITS.test(text)) return undefined
    // The id is replaced when a ref changes.
    const { id } = await cachedUntilRefsChange(repo, 'fetches', async () => {
      return { content: { id: randomUUID() }, bytes: 200 }
    })
    return createHash('sha256').update(id).update(request).digest('hex')
  }

  /** Returns the stored answer. Undefined if there is none. */
  async get(key: string): Promise<Readable | undefined> {
    const entry = this.#files.get(key)
    if (entry === undefined) return undefined
    // Opened before the answer begins, because the file may be removed at any moment.
    const handle = await open(entry.file).catch(() => undefined)
    if (handle !== undefined) return createReadStream('', { fd: handle, highWaterMark: READ_BYTES })
    this.#files.delete(key)
    return undefined
  }

  /**
   * Returns a stream that stores what passes through it if the same request came before. `succeeded` rejects if the
   * answer is incomplete. A failure of the disk only means that nothing is stored.
   */
  async store(key: string, succeeded: Promise<unknown>): Promise<Transform | undefined> {
    if (!this.#seen.has(key)) {
      this.#seen.set(key, true)
      return undefined
    }
    const file = path.join(this.#folder, randomUUID())
    const handle = await this.#create(file)
    return handle && storing(handle, file, succeeded, (size) => this.#files.set(key, { file }, { size }))
  }

  async #create(file: string): Promise<FileHandle | undefined> {
    try {
      await mkdir(this.#folder, { recursive: true })
      const { bavail, bsize } = await statfs(this.#folder)
      return bavail * bsize < MIN_FREE_BYTES + MAX_ANSWER_BYTES ? undefined : await open(file, 'wx')
    } catch {
      return undefined
    }
  }
}

function storing(
  handle: FileHandle,
  file: string,
  succeeded: Promise<unknown>,
  done: (size: number) => void,
): Transform {
  let size = 0
  let isStored = true
  let isClosed = false
  const close = async (keep: boolean) => {
    if (isClosed) return
    isClosed = true
    await handle.close().catch(() => {})
    if (keep) done(size)
    else rmSync(file, { force: true })
  }
  const write = async (chunk: Buffer) => {
    size += chunk.length
    if (!isStored) return
    isStored = size <= MAX_ANSWER_BYTES && (await isWritten(handle, chunk))
    if (!isStored) await close(false)
  }
  return new Transform({
    transform: (chunk: Buffer, _encoding, next) => void write(chunk).then(() => next(null, chunk), next),
    flush: (next) => {
      const end = succeeded.then(
        () => close(isStored),
        () => close(false),
      )
      void end.then(() => next(), next)
    },
    destroy: (error, next) => void close(false).then(() => next(error)),
  })
}

/** Writes all bytes. False if the disk is full or fails. */
async function isWritten(handle: FileHandle, chunk: Buffer): Promise<boolean> {
  try {
    return (await handle.write(chunk)).bytesWritten === chunk.length
  } catch {
    return false
  }
}
