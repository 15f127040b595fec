import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { BundleProblem, fetchBundle } from '../../../../../git/bundle.ts'
import { Failure } from '../../../../../lib/fail.ts'
import { fillSnippet, fillSnippetWith, type SnippetRow } from '../../../../snippets/index.ts'
import { textOf, timeOf } from '../../../relations/checked.ts'
import type { Fields } from '../../../relations/relation.ts'
import { bundleNameOf } from '../../../relations/snippets.ts'
import { linesOf } from '../lines.ts'
import { leaveOut, type Filling } from './filling.ts'

const FILE_NAME = 'snippetfile1.txt'
const WAITING = `
  SELECT * FROM snippets WHERE project_id = ? AND repository_state = 'pending' AND title = ? AND created_at = ?
  ORDER BY id LIMIT 1`

/**
 * Gives the snippets that came with the tree their content: from their bundles, or from the record of older archives, which had
 * it in there (spec administration 6.2).
 */
export async function takeSnippets(filling: Filling): Promise<void> {
  const { folder, signal } = filling
  const file = join(folder, 'tree', 'project', 'snippets.ndjson')
  if (!existsSync(file)) return
  let done = 0
  for await (const lines of linesOf(file)) {
    for (const { text } of lines) {
      signal.throwIfAborted()
      const record = recordOf(text)
      if (record === null) continue
      await takeSnippet(filling, record)
      filling.tell('snippets', ++done)
    }
  }
}

async function takeSnippet(filling: Filling, record: Fields): Promise<void> {
  const row = waitingRow(filling, record)
  if (!row) return
  const { ctx, folder, signal } = filling
  const bundle = join(folder, 'snippets', `${bundleNameOf(record)}.bundle`)
  try {
    if (existsSync(bundle)) await fillSnippet(ctx, row, (repo) => fetchBundle(repo, bundle, { signal }))
    else await fillSnippetWith(ctx, row, contentOf(record))
  } catch (error) {
    if (!(error instanceof BundleProblem || error instanceof Failure)) throw error
    leaveOut(filling, 'snippets', `The content of the snippet "${row.title}" could not be taken over.`)
    ctx.db.exec('DELETE FROM snippets WHERE id = ?', row.id)
  }
}

/** The row that was made of a record; what could not be taken over has none. */
function waitingRow({ ctx, project }: Filling, record: Fields): SnippetRow | undefined {
  try {
    const title = textOf(record, 'title')
    const created_at = timeOf(record, 'created_at') ?? ctx.now
    return ctx.db.one<SnippetRow>(WAITING, project.id, title, created_at)
  } catch {
    return undefined
  }
}

function contentOf(record: Fields): { path: string; content: Buffer } {
  const name = typeof record['file_name'] === 'string' ? record['file_name'].trim() : ''
  const content = typeof record['content'] === 'string' ? record['content'] : ''
  const path = name === '' || name.length > 255 ? FILE_NAME : name
  return { path, content: Buffer.from(content === '' ? '\n' : content) }
}

function recordOf(text: string | null): Fields | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
  } catch {
    return null
  }
}
