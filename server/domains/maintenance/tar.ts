import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { pack, type Pack } from 'tar-stream'

/** What makes a repository; its config, hooks and lock files are this machine's business. */
const PARTS = /^(?:HEAD|packed-refs|shallow|(?:objects|refs|branches)(?:\/|$))/

/** The repository in a folder as a tar archive. Files that vanish while it is made (packing, lock files) are left out. */
export function tarOf(folder: string): Readable {
  const archive = pack()
  void fill(archive, folder).catch((error: Error) => archive.destroy(error))
  // tar-stream brings streams of its own make.
  return Readable.from(archive)
}

async function fill(archive: Pack, folder: string): Promise<void> {
  for (const name of await filesBelow(folder)) await add(archive, folder, name)
  archive.finalize()
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((name) => PARTS.test(name))
    .sort()
}

async function add(archive: Pack, folder: string, name: string): Promise<void> {
  const file = join(folder, name)
  const info = await stat(file).catch(() => undefined)
  if (!info) return
  const header = { name, size: info.size, mtime: info.mtime, mode: 0o644 }
  if (info.size === 0) return void archive.entry(header, '')
  // A file that grows meanwhile is cut at the size that was announced.
  const content = createReadStream(file, { end: info.size - 1 })
  await pipeline(content, archive.entry(header) as unknown as NodeJS.WritableStream)
}
