import { gzipSync } from 'node:zlib'

import { pack, type Header } from 'tar-stream'

/** An entry of an archive that a test makes: a file's content, or a header of any other kind. */
export type Entry = string | Buffer | Partial<Header>

/** A small archive, tar.gz, of entries by their names. `VERSION` and an empty project are there unless said otherwise. */
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

/** A form as clients send it with an archive. */
export function importForm(archive: Buffer, fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([new Uint8Array(archive)], { type: 'application/gzip' }), 'export.tar.gz')
  return form
}
