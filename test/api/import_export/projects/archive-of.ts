import { gzipSync } from 'node:zlib'

import { pack, type Header } from 'tar-stream'

/** An entry of an archive for a test: the content of a file, or a header of any other kind. */
export type Entry = string | Buffer | Partial<Header>

/** Builds a small tar.gz archive from entries by their names. It has a `VERSION` and an empty project unless the entries replace them. */
export async function archiveOf(entries: Readonly<Record<string, Entry | null>> = {}): Promise<Buffer> {
  const tar = pack()
  const all: Record<string, Entry | null> = {
    VERSION: '0.2.4',
    'tree/project.json': '{"description":"From far away","visibility_level":20}',
    ...entries,
  }
  for (const [name, entry] of Object.entries(all)) {
    if (entry === null) continue
    if (typeof entry === 'string' || Buffer.isBuffer(entry)) tar.entry({ name: `./${name}` }, entry)
    else tar.entry({ ...entry, name: entry.name ?? `./${name}` }, '')
  }
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  return gzipSync(Buffer.concat(chunks))
}

/** The form that clients send with an archive. */
export function importForm(archive: Buffer, fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([new Uint8Array(archive)], { type: 'application/gzip' }), 'export.tar.gz')
  return form
}
