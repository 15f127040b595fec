import type { NewDiffNote, IssuableRef } from '../../hosts/landing/index.ts'
import { text, integer, type Fields } from '../../hosts/answers.ts'
import { personIn } from '../people.ts'
import { repoPath, importRecord, forEachRecord, type Work, type Stage } from '../work.ts'
import { forEachIssuable } from './issuables.ts'

const OLDEST_FIRST = { sort: 'created', direction: 'asc' }
/** Whether comments are fetched for each issue and pull request, instead of for the whole repository. */
const fetchesPerIssuable = (work: Work): boolean =>
  work.source.optional_stages['single_endpoint_notes_import'] === true

/** Stage 7: review comments on lines of diffs. */
export const diffNotes: Stage = {
  name: 'diff_notes',
  run: (work) =>
    fetchesPerIssuable(work)
      ? forEachIssuable(work, ['MergeRequest'], ({ iid }) =>
          walkDiffNotes(work, `${repoPath(work)}/pulls/${iid}/comments`, {}),
        )
      : walkDiffNotes(work, `${repoPath(work)}/pulls/comments`, OLDEST_FIRST),
}

/** Stage 9: comments of issues and pull requests. */
export const notes: Stage = {
  name: 'notes',
  run: (work) =>
    fetchesPerIssuable(work)
      ? forEachIssuable(work, ['MergeRequest', 'Issue'], ({ iid }) =>
          walkNotes(work, `${repoPath(work)}/issues/${iid}/comments`, {}),
        )
      : walkNotes(work, `${repoPath(work)}/issues/comments`, OLDEST_FIRST),
}

function walkNotes(work: Work, path: string, query: Readonly<Record<string, string>>): Promise<void> {
  return forEachRecord(work, { path, query, stat: 'note' }, (item) => {
    const id = integer(item, 'id')
    const key = `issue-comment:${id}`
    return importRecord(work, { stat: 'note', mark: 'note', key, name: `Comment ${id}` }, async () =>
      work.landing.note({ ...(await commonFields(work, item)), source_key: key, issuable: refOf(item) }),
    )
  })
}

async function commonFields(work: Work, item: Fields) {
  const created_at = text(item, 'created_at') ?? work.ctx.now
  return {
    body: text(item, 'body') ?? '',
    author: await personIn(work, item, 'user'),
    created_at,
    updated_at: text(item, 'updated_at') ?? created_at,
  }
}

/** The issue or pull request of a comment. The URL of its page shows the kind, and its fields have the number. */
function refOf(item: Fields): IssuableRef {
  const page = text(item, 'html_url') ?? ''
  const [, number] =
    /\/issues\/(\d{1,10})$/.exec(text(item, 'issue_url') ?? '') ??
    /\/(?:pull|issues)\/(\d{1,10})/.exec(page) ??
    []
  return { kind: /\/pull\/\d+(?:#|$)/.test(page) ? 'MergeRequest' : 'Issue', iid: Number(number ?? 0) }
}

const noteKey = (id: number | null): string => `review-comment:${id}`

function walkDiffNotes(work: Work, path: string, query: Readonly<Record<string, string>>): Promise<void> {
  return forEachRecord(work, { path, query, stat: 'diff_note' }, (item) => {
    const key = noteKey(integer(item, 'id'))
    const name = `Comment ${integer(item, 'id')} on a line`
    return importRecord(work, { stat: 'diff_note', mark: 'note', key, name }, () =>
      landDiffNote(work, key, item),
    )
  })
}

async function landDiffNote(work: Work, key: string, item: Fields): Promise<number | null> {
  const [, number] =
    /\/pulls?\/(\d{1,10})/.exec(text(item, 'pull_request_url') ?? text(item, 'html_url') ?? '') ?? []
  const parent = integer(item, 'in_reply_to_id')
  return work.landing.diffNote({
    ...(await commonFields(work, item)),
    source_key: key,
    issuable: { kind: 'MergeRequest', iid: Number(number ?? 0) },
    reply_to: parent === null ? null : noteKey(parent),
    path: text(item, 'path') ?? '',
    hunk: text(item, 'diff_hunk'),
    ...linesOf(item),
  })
}

/** The lines of a comment in the newest diff. An outdated comment has lines in the diff of its original commit. */
function linesOf(item: Fields): Pick<NewDiffNote, 'line' | 'first_line' | 'head_sha'> {
  const isOutdated = integer(item, 'line') === null
  const last = integer(item, isOutdated ? 'original_line' : 'line')
  const first = integer(item, isOutdated ? 'original_start_line' : 'start_line')
  const side = sideOf(text(item, 'side'))
  if (last === null || text(item, 'subject_type') === 'file') return { line: null }
  return {
    line: { side, line: last },
    first_line:
      first === null ? null : { side: sideOf(text(item, 'start_side') ?? text(item, 'side')), line: first },
    head_sha: isOutdated ? text(item, 'original_commit_id') : null,
  }
}

const sideOf = (side: string | null) => (side === 'LEFT' ? 'old' : 'new')
