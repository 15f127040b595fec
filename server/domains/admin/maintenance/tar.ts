import type { Dirent } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
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
  const entries = await entriesBelow(folder)
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

/** Packing takes empty folders away; where one goes while they are walked through, the walk begins anew. */
async function entriesBelow(folder: string, attempts = 5): Promise<Dirent[]> {
  try {
    return await readdir(folder, { recursive: true, withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempts === 1) throw error
    return entriesBelow(folder, attempts - 1)
  }
}

async function add(archive: Pack, folder: string, name: string): Promise<void> {
  // Held open from the first look on: packing may take the file away meanwhile, and what is open stays readable.
  const file = await open(join(folder, name)).catch(() => undefined)
  if (!file) return
  try {
    const info = await file.stat()
    const header = { name, size: info.size, mtime: info.mtime, mode: 0o644 }
    if (info.size === 0) return void archive.entry(header, '')
    // A file that grows meanwhile is cut at the size that was announced.
    const content = file.createReadStream({ end: info.size - 1, autoClose: false })
    await pipeline(content, archive.entry(header) as unknown as NodeJS.WritableStream)
  } finally {
    await file.close()
  }
}
