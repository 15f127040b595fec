import type { NewDiffNote, IssuableRef } from '../../hosts/landing/index.ts'
import { text, integer, type Fields } from '../../hosts/answers.ts'
import { personIn } from '../people.ts'
import { repoPath, importRecord, walk, type Work, type Stage } from '../work.ts'
import { eachIssuable } from './issuables.ts'

const SORTED = { sort: 'created', direction: 'asc' }
const isSingle = (work: Work): boolean => work.source.optional_stages['single_endpoint_notes_import'] === true

/** Stage 7: review comments on lines. */
export const diffNotes: Stage = {
  name: 'diff_notes',
  run: (work) =>
    isSingle(work)
      ? eachIssuable(work, ['MergeRequest'], ({ iid }) =>
          walkDiffNotes(work, `${repoPath(work)}/pulls/${iid}/comments`, {}),
        )
      : walkDiffNotes(work, `${repoPath(work)}/pulls/comments`, SORTED),
}

/** Stage 9: comments of issues and pull requests. */
export const notes: Stage = {
  name: 'notes',
  run: (work) =>
    isSingle(work)
      ? eachIssuable(work, ['MergeRequest', 'Issue'], ({ iid }) =>
          walkNotes(work, `${repoPath(work)}/issues/${iid}/comments`, {}),
        )
      : walkNotes(work, `${repoPath(work)}/issues/comments`, SORTED),
}

function walkNotes(work: Work, path: string, query: Readonly<Record<string, string>>): Promise<void> {
  return walk(work, { path, query, stat: 'note' }, (item) => {
    const id = integer(item, 'id')
    const key = `issue-comment:${id}`
    return importRecord(work, { stat: 'note', mark: 'note', key, name: `Comment ${id}` }, async () =>
      work.landing.note({ ...(await common(work, item)), source_key: key, on: refOf(item) }),
    )
  })
}

async function common(work: Work, item: Fields) {
  const created_at = text(item, 'created_at') ?? work.ctx.now
  return {
    body: text(item, 'body') ?? '',
    author: await personIn(work, item, 'user'),
    created_at,
    updated_at: text(item, 'updated_at') ?? created_at,
  }
}

/** The issuable of a comment: the URL of its page has the kind, the record the number. */
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
  return walk(work, { path, query, stat: 'diff_note' }, (item) => {
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
    ...(await common(work, item)),
    source_key: key,
    on: { kind: 'MergeRequest', iid: Number(number ?? 0) },
    reply_to: parent === null ? null : noteKey(parent),
    path: text(item, 'path') ?? '',
    hunk: text(item, 'diff_hunk'),
    ...linesOf(item),
  })
}

/** Lines of the newest diff; an outdated comment has those of the commit that it was written for. */
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
