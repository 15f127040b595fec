import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

import { pack, type Pack } from 'tar-stream'

import { asArchiveProblem, ArchiveProblem } from './unpack.ts'

/** The version of the layout of archives (spec administration 6.2). Imports accept only this version. */
export const LAYOUT_VERSION = '0.2.4'

/** A file of an archive: its name (`tree/project.json`), and its content or path. */
export type ArchiveEntry = { readonly name: string } & (
  | { readonly bytes: Uint8Array | string }
  | { readonly file: string }
)

/** Callbacks and signal of the caller. */
export interface WriteOptions {
  /** The modification time of all entries. */
  readonly mtime?: Date
  readonly signal?: AbortSignal | undefined
  /** Called with the number of bytes just written. */
  readonly onBytes?: (bytes: number) => void
}

/**
 * Writes a tar.gz of the entries, one after the other. The file of an entry may be deleted when the next entry is
 * requested. Deletes the partial archive on failure. Rejects with ArchiveProblem, the reason of the signal, or the
 * errors of `entries`.
 */
export async function writeArchive(
  target: string,
  entries: Iterable<ArchiveEntry> | AsyncIterable<ArchiveEntry>,
  options: WriteOptions = {},
): Promise<{ readonly size: number }> {
  const tar = pack()
  const out = createWriteStream(target, { flags: 'w', mode: 0o600 })
  const completion = pipeline(tar, createGzip({ level: 6 }), out, { signal: options.signal })
  // It is awaited below, but may fail earlier, while an entry is being read.
  completion.catch(() => undefined)
  try {
    for await (const entry of entries) {
      options.signal?.throwIfAborted()
      await Promise.race([add(tar, entry, options), completion])
    }
    tar.finalize()
    await completion
    return { size: (await stat(target)).size }
  } catch (error) {
    tar.destroy()
    await completion.catch(() => undefined)
    await rm(target, { force: true })
    if (options.signal?.aborted) throw options.signal.reason
    throw asArchiveProblem(error)
  }
}

async function add(tar: Pack, entry: ArchiveEntry, options: WriteOptions): Promise<void> {
  if ('bytes' in entry) return addBytes(tar, entry.name, Buffer.from(entry.bytes as Uint8Array), options)
  const { size } = await stat(entry.file)
  if (size === 0) return addBytes(tar, entry.name, Buffer.alloc(0), options)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const header = { ...headerOf(entry.name, options), size }
  const sink = tar.entry(header, (error) => (error ? reject(error) : resolve()))
  // Reads only the size in the header, because the file may grow in the meantime.
  const source = createReadStream(entry.file, { end: size - 1, highWaterMark: 256 * 1024 })
  let read = 0
  source.on('data', (chunk) => {
    read += chunk.length
    options.onBytes?.(chunk.length)
  })
  await pipeline(source, sink, { signal: options.signal })
  if (read !== size) throw new ArchiveProblem('A file was changed while it was read.')
  await promise
}

async function addBytes(tar: Pack, name: string, bytes: Buffer, options: WriteOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const header = { ...headerOf(name, options), size: bytes.length }
    tar.entry(header, bytes, (error) => (error ? reject(error) : resolve()))
  })
  options.onBytes?.(bytes.length)
}

function headerOf(name: string, { mtime }: WriteOptions) {
  return { name: `./${name}`, mode: 0o644, ...(mtime ? { mtime } : {}) }
}
