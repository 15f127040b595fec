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
import * as store from '../../store.ts'
import { leaveOut, type Filling } from './filling.ts'

const FILE_NAME = 'snippetfile1.txt'

/**
 * Gives imported snippets their content: from their bundles, or from the records of older archives (spec administration 6.2). A
 * thread has prepared short records of the snippets.
 */
export async function takeSnippets(filling: Filling): Promise<void> {
  const { folder, signal } = filling
  const file = snippetLines(folder)
  if (!existsSync(file)) return
  let done = 0
  for await (const text of createInterface({ input: createReadStream(file) })) {
    signal.throwIfAborted()
    await takeSnippet(filling, JSON.parse(text) as SnippetLine)
    filling.report('snippets', ++done)
  }
  narrow(filling)
}

/** Makes snippets of a restricted visibility private, as with projects (spec administration 6.5). */
function narrow({ ctx, project }: Filling): void {
  for (const level of settingsOf(ctx).restricted_visibility_levels)
    store.hideSnippets(ctx.db, project.id, level)
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
    // Omits the title: users who see the import may not have access to the snippet.
    leaveOut(filling, 'snippets', 'The content of a snippet could not be taken over.')
    store.deleteRow(ctx.db, 'snippets', row.id)
  }
}

/** The row of a record; undefined for a record that was left out. */
function waitingRow({ ctx, project }: Filling, { title, created_at }: SnippetLine): SnippetRow | undefined {
  try {
    const createdAt = timeOf({ created_at }, 'created_at') ?? ctx.now
    return store.pendingSnippet(ctx.db, project.id, { title: textOf({ title }, 'title'), createdAt })
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
