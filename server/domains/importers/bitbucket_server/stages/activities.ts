import { isObjectId } from '../../../../git/names.ts'
import { recordIn, records, text, integer, type Fields, HostError } from '../../hosts/answers.ts'
import {
  LandingError,
  countRequests,
  nextRequestIid,
  setMergeCommit,
  type Line,
} from '../../hosts/landing/index.ts'
import { checkNotCanceled, storeCursor } from '../../hosts/work.ts'
import {
  personOf,
  importRecord,
  timeIn,
  repositoryPath,
  finishRecord,
  type Work,
  type Stage,
  recordFailureOnce,
} from '../work.ts'

/** The maximum number of activities of one pull request that are imported, newest first. */
const MAX_ACTIVITIES = 10_000
const IMPORTED_ACTIONS = ['COMMENTED', 'MERGED']

/** Imports the comments on each pull request, and who merged it. */
export const activities: Stage = {
  name: 'activities',
  async run(work) {
    work.total = countRequests(work.ctx.db, work.projectId)
    for (let iid = nextPullRequest(work); iid !== undefined; iid = nextPullRequest(work)) {
      checkNotCanceled(work)
      const number = iid
      for (const activity of await activitiesOf(work, number)) {
        work.signal.throwIfAborted()
        const name = `Activity ${integer(activity, 'id') ?? '?'} of pull request ${number}`
        await importRecord(work, name, 'pull_request', () => landActivity(work, number, activity))
      }
      storeCursor(work, { iid: number, trouble: 0 })
      await finishRecord(work)
    }
  },
}

const nextPullRequest = ({ ctx, projectId, cursor }: Work): number | undefined =>
  nextRequestIid(ctx.db, projectId, cursor.iid ?? 0)

/** The activities of a pull request, oldest first. The host lists the newest first. */
async function activitiesOf(work: Work, iid: number): Promise<Fields[]> {
  const path = `${repositoryPath(work.source)}/pull-requests/${iid}/activities`
  const items: Fields[] = []
  try {
    let start: number | null = 0
    while (start !== null && items.length < MAX_ACTIVITIES) {
      const page = await work.client.fetchPage(path, start)
      items.push(...page.items.filter((item) => IMPORTED_ACTIONS.includes(text(item, 'action') ?? '')))
      start = page.next
    }
  } catch (error) {
    if (!(error instanceof HostError) || error.isTemporary || error.status === 401) throw error
    recordFailureOnce(work, `Activities of pull request ${iid}`, 'pull_request', error)
  }
  return items.toReversed()
}

async function landActivity(work: Work, iid: number, activity: Fields): Promise<void> {
  if (text(activity, 'action') === 'MERGED') return landMerge(work, iid, activity)
  const comment = recordIn(activity, 'comment')
  // Replies to a comment and edits of it are activities that contain the whole comment again. Landing skips the notes
  // that
  // were already imported.
  if (comment) await landComments(work, iid, comment, recordIn(activity, 'commentAnchor'))
}

function landMerge(work: Work, iid: number, activity: Fields): void {
  const commit = recordIn(activity, 'commit')
  const committer = recordIn(commit, 'committer')
  const merged_at = timeIn(commit, 'committerTimestamp') ?? timeIn(activity, 'createdDate')
  if (merged_at === null) return
  work.landing.merge({
    source_key: String(iid),
    iid,
    by: personOf(committer ?? recordIn(activity, 'user')),
    merged_at,
  })
  const sha = text(commit, 'id')
  if (sha === null || !isObjectId(sha)) return
  setMergeCommit(work.ctx.db, work.projectId, iid, sha)
}

/** A reply in a tree of comments, with the comment to which it replies. */
interface Reply {
  readonly fields: Fields
  readonly parent: Fields | null
}

/** Maximum depth of imported replies. People do not nest replies this deeply. */
const MAX_DEPTH = 100
const MAX_QUOTE = 80

/** All replies below a comment, in the order of their creation. */
function repliesTo(root: Fields): Reply[] {
  const comments: Reply[] = []
  const collect = (parent: Fields, depth: number): void => {
    if (depth >= MAX_DEPTH) return
    for (const fields of records(parent['comments'])) {
      comments.push({ fields, parent })
      collect(fields, depth + 1)
    }
  }
  collect(root, 0)
  const time = ({ fields }: Reply) => timeIn(fields, 'createdDate') ?? ''
  return comments.toSorted((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0))
}

/**
 * Imports a tree of comments as one discussion, on lines of the diff if it is about lines (spec administration 6.10).
 */
export async function landComments(
  work: Work,
  iid: number,
  root: Fields,
  anchor: Fields | null,
): Promise<void> {
  const issuable = { kind: 'MergeRequest', iid } as const
  const first = noteOf(work, root, text(root, 'text') ?? '')
  const path = text(anchor, 'path') ?? text(recordIn(anchor, 'path'), 'toString')
  if (path === null) work.landing.note({ ...first, issuable })
  else
    await work.landing.diffNote({
      ...first,
      issuable,
      path,
      line: lineOf(anchor),
      head_sha: text(anchor, 'toHash'),
    })
  for (const { fields, parent } of repliesTo(root)) {
    const body = `> ${quoted(text(parent, 'text') ?? '')}\n\n${text(fields, 'text') ?? ''}`
    work.landing.note({ ...noteOf(work, fields, body), issuable, reply_to: first.source_key })
  }
}

function noteOf(work: Work, fields: Fields, body: string) {
  const id = integer(fields, 'id')
  if (id === null) throw new LandingError('A comment has no number.')
  return {
    source_key: String(id),
    body,
    author: personOf(recordIn(fields, 'author')),
    created_at: timeIn(fields, 'createdDate') ?? work.ctx.now,
    updated_at: timeIn(fields, 'updatedDate'),
  }
}

/** The commented line. Removed lines, and context lines of the old side, are numbered on the old side. */
function lineOf(anchor: Fields | null): Line | null {
  const line = integer(anchor, 'line')
  if (line === null || line === 0) return null
  const type = text(anchor, 'lineType')
  const isOld = type === 'REMOVED' || (type === 'CONTEXT' && text(anchor, 'fileType') === 'FROM')
  return { side: isOld ? 'old' : 'new', line }
}

/** The beginning of a text in one line, for a quote. */
function quoted(body: string): string {
  const line = [...body.replace(/\s+/g, ' ').trim()]
  return line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE - 3).join('')}...` : line.join('')
}
