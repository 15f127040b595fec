import type { Ctx } from '../../../ctx.ts'
import type { Commit } from '../../../git/read/commits.ts'
import { writeSystemNote } from '../../discussions/index.ts'
import { fullPath, projectById } from '../../projects/index.ts'
import { mergeRequestNoteable } from '../service-notes.ts'
import type { MergeRequestRow } from '../types.ts'
import type { DiffVersionRow } from './store.ts'

/** The maximum number of commits that the note lists. */
const MAX_LISTED = 100

interface Push {
  readonly version: DiffVersionRow
  readonly previous: DiffVersionRow
  /** Commits between the old and the new head, newest first, also those of the target branch. */
  readonly pushed: readonly Commit[]
  /** SHAs of the commits of the new version. */
  readonly ids: readonly string[]
}

/** Writes a system note with the commits of a push. */
export function notePush(ctx: Ctx, request: MergeRequestRow, push: Push): void {
  const ids = new Set(push.ids)
  const added = push.pushed.filter((commit) => ids.has(commit.id))
  const existing = push.pushed.filter((commit) => !ids.has(commit.id))
  const total = push.pushed.length
  const list = [...existingLines(existing, request.target_branch), ...addedLines(added)].join('')
  const path = fullPath(projectById(ctx.db, request.project_id)!)
  const query = `diff_id=${push.version.id}&start_sha=${push.previous.head_commit_sha}`
  const link = `[Compare with previous version](/${path}/-/merge_requests/${request.iid}/diffs?${query})`
  const words = `added ${total} ${total === 1 ? 'commit' : 'commits'}`
  writeSystemNote(ctx, mergeRequestNoteable(request), {
    action: 'commit',
    body: [words, ...(list === '' ? [] : [`<ul>${list}</ul>`]), link].join('\n\n'),
    author_id: ctx.actor.id ?? request.author_id,
  })
}

/** Writes a system note that the source branch was deleted or restored. */
export function noteBranchChange(ctx: Ctx, request: MergeRequestRow, change: 'deleted' | 'restored'): void {
  writeSystemNote(ctx, mergeRequestNoteable(request), {
    action: 'branch',
    body: `${change} source branch \`${request.source_branch}\``,
    author_id: ctx.actor.id ?? request.author_id,
  })
}

function addedLines(commits: readonly Commit[]): string[] {
  const listed = commits.slice(0, MAX_LISTED).toReversed()
  const rest = commits.length - listed.length
  const lines = listed.map((commit) => `<li>${shortSha(commit)} - ${escape(commit.title)}</li>`)
  return rest === 0 ? lines : [`<li>${rest} earlier commits</li>`, ...lines]
}

/** Returns one line for the commits that the target branch already had. */
function existingLines(commits: readonly Commit[], branch: string): string[] {
  if (commits.length === 0) return []
  const [newest, oldest] = [commits[0]!, commits.at(-1)!]
  const range = commits.length === 1 ? shortSha(newest) : `${shortSha(oldest)}...${shortSha(newest)}`
  const words = commits.length === 1 ? '1 commit' : `${commits.length} commits`
  return [`<li>${range} - ${words} from branch <code>${escape(branch)}</code></li>`]
}

const shortSha = (commit: Commit): string => commit.id.slice(0, 8)

function escape(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
}
