import { q } from '../../../../db/database.ts'
import type { NewSuggestion, Position } from '../../../discussions/index.ts'
import { suggestionsIn } from '../../../merge_requests/index.ts'
import { landed, once, projectOf, type ImportTarget } from './target.ts'
import type { NewDiffNote } from './inputs.ts'
import { NOTE, threadOf, writeNote } from './notes.ts'
import { findPlace } from './places.ts'
import { textOf } from './texts.ts'

const OPENING = /^( {0,3}(?:`{3,}|~{3,})suggestion)[ \t]*$/gm

/** Blocks that suggest a change of all lines of a comment say here how many of them stand above its last one. */
function convertSuggestions(
  body: string,
  { line, first_line }: Pick<NewDiffNote, 'line' | 'first_line'>,
): string {
  const isSpan = line && first_line && line.side === first_line.side && first_line.line < line.line
  const above = isSpan ? line.line - first_line.line : 0
  return body.replaceAll('\r\n', '\n').replaceAll(OPENING, `$1:-${above}+0`)
}

/** See Landing.diffNote. */
export async function landDiffNote(target: ImportTarget, given: NewDiffNote): Promise<number | null> {
  const known = landed(target, NOTE, given.source_key)
  if (known !== undefined) return known
  const thread = threadOf(target, given)
  const position = thread ? placeOf(thread.position) : await findPlace(target, given)
  const body = convertSuggestions(textOf(given.body), given)
  const offered = position ? await suggestionsIn(target.ctx, projectOf(target), body, position) : []
  return once(target, NOTE, given.source_key, () => {
    const text = position || thread ? body : withoutPlace(given, body)
    const id = writeNote(target, given, position, text)
    if (id !== null) offer(target, id, offered)
    return id
  })
}

const placeOf = (position: string | null): Position | null =>
  position === null ? null : (JSON.parse(position) as Position)

function offer({ ctx }: ImportTarget, note_id: number, offered: readonly NewSuggestion[]): void {
  for (const [relative_order, one] of offered.entries())
    ctx.db.run(q.insertInto('suggestions').values({ ...one, note_id, relative_order, applied: false }))
}

/** A note whose lines are not to be found says where it was written, and shows what stood there. */
function withoutPlace({ path, line, hunk }: NewDiffNote, body: string): string {
  const where = `*On ${JSON.stringify(path).slice(1, -1)}${line ? `, line ${line.line}` : ''}:*`
  const fence = '`'.repeat(Math.max(3, ...[...(hunk ?? '').matchAll(/`+/g)].map((run) => run[0].length + 1)))
  const shown = hunk?.trim() ? [`${fence}diff\n${textOf(hunk)}\n${fence}`] : []
  return [where, ...shown, body].join('\n\n')
}
