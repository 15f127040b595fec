import { inner, records, text, whole, type Fields } from '../../github/client/fields.ts'
import { CannotLand, type Line } from '../../hosts/landing/index.ts'
import { personOf } from '../people.ts'
import { moment, type Work } from '../work.ts'

/** A comment of a tree; answers know what they answer, and what all of them began with. */
interface Comment {
  readonly fields: Fields
  readonly parent: Fields | null
}

/** Answers to answers that are followed; nobody nests deeper by hand. */
const DEEPEST = 100
const QUOTED = 80

/** The comments below one, in the order in which they were written. */
function answersTo(root: Fields): Comment[] {
  const found: Comment[] = []
  const collect = (parent: Fields, depth: number): void => {
    if (depth >= DEEPEST) return
    for (const fields of records(parent['comments'])) {
      found.push({ fields, parent })
      collect(fields, depth + 1)
    }
  }
  collect(root, 0)
  const time = ({ fields }: Comment) => moment(fields, 'createdDate') ?? ''
  return found.toSorted((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0))
}

/** Lands one tree of comments as one discussion, at its lines where it has some (spec administration 6.10). */
export async function landComments(
  work: Work,
  iid: number,
  root: Fields,
  anchor: Fields | null,
): Promise<void> {
  const on = { kind: 'MergeRequest', iid } as const
  const first = noteOf(work, root, text(root, 'text') ?? '')
  const path = text(anchor, 'path') ?? text(inner(anchor, 'path'), 'toString')
  if (path === null) work.landing.note({ ...first, on })
  else
    await work.landing.diffNote({
      ...first,
      on,
      path,
      line: lineOf(anchor),
      head_sha: text(anchor, 'toHash'),
    })
  for (const { fields, parent } of answersTo(root)) {
    const body = `> ${quoted(text(parent, 'text') ?? '')}\n\n${text(fields, 'text') ?? ''}`
    work.landing.note({ ...noteOf(work, fields, body), on, reply_to: first.source_key })
  }
}

function noteOf(work: Work, fields: Fields, body: string) {
  const id = whole(fields, 'id')
  if (id === null) throw new CannotLand('A comment has no number.')
  return {
    source_key: String(id),
    body,
    author: personOf(inner(fields, 'author')),
    created_at: moment(fields, 'createdDate') ?? work.ctx.now,
    updated_at: moment(fields, 'updatedDate'),
  }
}

/** The line by its number on one side: lines that were taken away, or seen on the old side, have old numbers. */
function lineOf(anchor: Fields | null): Line | null {
  const line = whole(anchor, 'line')
  if (line === null || line === 0) return null
  const type = text(anchor, 'lineType')
  const isOld = type === 'REMOVED' || (type === 'CONTEXT' && text(anchor, 'fileType') === 'FROM')
  return { side: isOld ? 'old' : 'new', line }
}

/** The beginning of a text, in one line. */
function quoted(body: string): string {
  const line = [...body.replace(/\s+/g, ' ').trim()]
  return line.length > QUOTED ? `${line.slice(0, QUOTED - 3).join('')}...` : line.join('')
}
