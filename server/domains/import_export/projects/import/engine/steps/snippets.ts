import { createReadStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { BundleProblem, fetchBundle } from '../../../../../../git/transport/bundle.ts'
import { Failure } from '../../../../../../lib/fail.ts'
import { settingsOf } from '../../../../../settings/index.ts'
import { fillSnippet, fillSnippetWith, type SnippetRow } from '../../../../../snippets/index.ts'
import { textOf, timeOf } from '../../../../relations/checked.ts'
import { snippetLines, type SnippetLine } from '../snippet-records.ts'
import { leaveOut, type Filling } from './filling.ts'

const FILE_NAME = 'snippetfile1.txt'
const WAITING = `
  SELECT * FROM snippets WHERE project_id = ? AND repository_state = 'pending' AND title = ? AND created_at = ?
  ORDER BY id LIMIT 1`

/**
 * Gives the snippets that came with the tree their content: from their bundles, or from the record of older archives, which had
 * it in there (spec administration 6.2). A thread has made short lines of the records.
 */
export async function takeSnippets(filling: Filling): Promise<void> {
  const { folder, signal } = filling
  const file = snippetLines(folder)
  if (!existsSync(file)) return
  let done = 0
  for await (const text of createInterface({ input: createReadStream(file) })) {
    signal.throwIfAborted()
    await takeSnippet(filling, JSON.parse(text) as SnippetLine)
    filling.tell('snippets', ++done)
  }
  narrow(filling)
}

/** A level that nobody may give here becomes private, as with projects (spec administration 6.5). */
function narrow({ ctx, project }: Filling): void {
  for (const level of settingsOf(ctx).restricted_visibility_levels)
    ctx.db.exec(
      "UPDATE snippets SET visibility = 'private' WHERE project_id = ? AND visibility = ?",
      project.id,
      level,
    )
}

async function takeSnippet(filling: Filling, line: SnippetLine): Promise<void> {
  const row = waitingRow(filling, line)
  if (!row) return
  const { ctx, folder, signal } = filling
  const { bundle } = line
  try {
    if (bundle !== null)
      await fillSnippet(ctx, row, (repo) => fetchBundle(repo, join(folder, 'snippets', bundle), { signal }))
    else await fillSnippetWith(ctx, row, await contentOf(folder, line))
  } catch (error) {
    if (!(error instanceof BundleProblem || error instanceof Failure)) throw error
    // Not its title: who may see how an import goes need not be who may see the snippet.
    leaveOut(filling, 'snippets', 'The content of a snippet could not be taken over.')
    ctx.db.exec('DELETE FROM snippets WHERE id = ?', row.id)
  }
}

/** The row that was made of a record; what could not be taken over has none. */
function waitingRow({ ctx, project }: Filling, { title, created_at }: SnippetLine): SnippetRow | undefined {
  try {
    const at = timeOf({ created_at }, 'created_at') ?? ctx.now
    return ctx.db.one<SnippetRow>(WAITING, project.id, textOf({ title }, 'title'), at)
  } catch {
    return undefined
  }
}

async function contentOf(folder: string, line: SnippetLine): Promise<{ path: string; content: Buffer }> {
  const name = line.file_name?.trim() ?? ''
  const path = name === '' || name.length > 255 ? FILE_NAME : name
  return {
    path,
    content: line.content === null ? Buffer.from('\n') : await readFile(join(folder, line.content)),
  }
}
