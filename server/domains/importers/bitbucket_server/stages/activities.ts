import { isObjectId } from '../../../../git/names.ts'
import { inner, records, text, integer, type Fields, HostProblem } from '../../hosts/answers.ts'
import {
  CannotLand,
  countRequests,
  nextRequestIid,
  setMergeCommit,
  type Line,
} from '../../hosts/landing/index.ts'
import { checkAlive, storeCursor } from '../../hosts/work.ts'
import {
  personOf,
  attempt,
  moment,
  repositoryPath,
  step,
  type Work,
  type Stage,
  noteFailureOnce,
} from '../work.ts'

/** The maximum number of activities of one pull request that are imported, newest first. */
const MAX_ACTIVITIES = 10_000
const WANTED = ['COMMENTED', 'MERGED']

/** Comments on each pull request, and who merged it. */
export const activities: Stage = {
  name: 'activities',
  async run(work) {
    work.total = countRequests(work.ctx.db, work.projectId)
    for (let iid = next(work); iid !== undefined; iid = next(work)) {
      checkAlive(work)
      const number = iid
      for (const activity of await activitiesOf(work, number)) {
        work.signal.throwIfAborted()
        const name = `Activity ${integer(activity, 'id') ?? '?'} of pull request ${number}`
        await attempt(work, name, 'pull_request', () => land(work, number, activity))
      }
      storeCursor(work, { iid: number, trouble: 0 })
      await step(work)
    }
  },
}

const next = ({ ctx, projectId, cursor }: Work): number | undefined =>
  nextRequestIid(ctx.db, projectId, cursor.iid ?? 0)

/** The activities of a pull request, oldest first; the host lists the newest first. */
async function activitiesOf(work: Work, iid: number): Promise<Fields[]> {
  const path = `${repositoryPath(work.source)}/pull-requests/${iid}/activities`
  const items: Fields[] = []
  try {
    let start: number | null = 0
    while (start !== null && items.length < MAX_ACTIVITIES) {
      const page = await work.client.page(path, start)
      items.push(...page.items.filter((item) => WANTED.includes(text(item, 'action') ?? '')))
      start = page.next
    }
  } catch (error) {
    if (!(error instanceof HostProblem) || error.isPassing || error.status === 401) throw error
    noteFailureOnce(work, `Activities of pull request ${iid}`, 'pull_request', error)
  }
  return items.toReversed()
}

async function land(work: Work, iid: number, activity: Fields): Promise<void> {
  if (text(activity, 'action') === 'MERGED') return landMerging(work, iid, activity)
  const comment = inner(activity, 'comment')
  // Answers and changes of a comment list the whole comment again; records that were already imported are skipped.
  if (comment) await landComments(work, iid, comment, inner(activity, 'commentAnchor'))
}

function landMerging(work: Work, iid: number, activity: Fields): void {
  const commit = inner(activity, 'commit')
  const committer = inner(commit, 'committer')
  const merged_at = moment(commit, 'committerTimestamp') ?? moment(activity, 'createdDate')
  if (merged_at === null) return
  work.landing.merging({
    source_key: String(iid),
    iid,
    by: personOf(committer ?? inner(activity, 'user')),
    merged_at,
  })
  const sha = text(commit, 'id')
  if (sha === null || !isObjectId(sha)) return
  setMergeCommit(work.ctx.db, work.projectId, iid, sha)
}

/** A comment of a tree, with the comment that it answers. */
interface Comment {
  readonly fields: Fields
  readonly parent: Fields | null
}

/** Maximum depth of replies; manual replies are never nested deeper. */
const DEEPEST = 100
const QUOTED = 80

/** The answers below a comment, in the order of their creation. */
function answersTo(root: Fields): Comment[] {
  const comments: Comment[] = []
  const collect = (parent: Fields, depth: number): void => {
    if (depth >= DEEPEST) return
    for (const fields of records(parent['comments'])) {
      comments.push({ fields, parent })
      collect(fields, depth + 1)
    }
  }
  collect(root, 0)
  const time = ({ fields }: Comment) => moment(fields, 'createdDate') ?? ''
  return comments.toSorted((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0))
}

/** Imports a tree of comments as one discussion, at its lines if it has any (spec administration 6.10). */
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
  const id = integer(fields, 'id')
  if (id === null) throw new CannotLand('A comment has no number.')
  return {
    source_key: String(id),
    body,
    author: personOf(inner(fields, 'author')),
    created_at: moment(fields, 'createdDate') ?? work.ctx.now,
    updated_at: moment(fields, 'updatedDate'),
  }
}

/** The line by its number on one side: removed lines, and context lines of the old side, have old numbers. */
function lineOf(anchor: Fields | null): Line | null {
  const line = integer(anchor, 'line')
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
