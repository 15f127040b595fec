import { createWriteStream, existsSync, statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import type { Fields } from '../../../relations/relation.ts'
import { bundleNameOf } from '../../../relations/snippets.ts'
import { linesOf } from './lines.ts'

/** The fields of a snippet's record that the main thread needs, as one short line. */
export interface SnippetLine {
  readonly title: string
  /** The time as in the record; null without one. */
  readonly created_at: string | null
  readonly file_name: string | null
  /** File name of its bundle in the folder `snippets`; null if there is none. */
  readonly bundle: string | null
  /** File name of its content, if there is no bundle; null for an empty content. */
  readonly content: string | null
}

const MAX_NAME = 1024

/** Path of the file with the short lines. */
export function snippetLinesFile(folder: string): string {
  return join(folder, 'snippets.lines')
}

/**
 * Writes a short line for each snippet of an unpacked archive, and a file for each content that has no bundle. Runs in
 * a thread, because a record can be large and reading it blocks.
 */
export async function shortenSnippets(folder: string): Promise<void> {
  // An untrusted archive may contain a file with this name.
  await rm(snippetLinesFile(folder), { recursive: true, force: true })
  const file = join(folder, 'tree', 'project', 'snippets.ndjson')
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return
  await pipeline(
    shortLines(folder, file),
    createWriteStream(snippetLinesFile(folder), { flags: 'wx', mode: 0o600 }),
  )
}

async function* shortLines(folder: string, file: string): AsyncGenerator<string> {
  for await (const lines of linesOf(file)) {
    for (const { number, text } of lines) {
      const record = recordOf(text)
      const title = record?.['title']
      if (!record || typeof title !== 'string' || title.length > MAX_NAME) continue
      const line = { title, ...namesOf(record), ...(await sourceOf(folder, record, number)) }
      yield `${JSON.stringify(line satisfies SnippetLine)}\n`
    }
  }
}

function namesOf(record: Fields): Pick<SnippetLine, 'created_at' | 'file_name'> {
  const shortText = (value: Fields[string] | undefined): string | null =>
    typeof value === 'string' && value.length <= MAX_NAME ? value : null
  return { created_at: shortText(record['created_at']), file_name: shortText(record['file_name']) }
}

async function sourceOf(
  folder: string,
  record: Fields,
  number: number,
): Promise<Pick<SnippetLine, 'bundle' | 'content'>> {
  const bundle = `${bundleNameOf(record)}.bundle`
  if (existsSync(join(folder, 'snippets', bundle))) return { bundle, content: null }
  const content = record['content']
  if (typeof content !== 'string' || content === '') return { bundle: null, content: null }
  const name = `snippet-${number}.content`
  await rm(join(folder, name), { recursive: true, force: true })
  await writeFile(join(folder, name), content, { flag: 'wx', mode: 0o600 })
  return { bundle: null, content: name }
}

function recordOf(text: string | null): Fields | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
  } catch {
    return null
  }
}
