import { tx } from '../../../db/database.ts'
import type { Ctx } from '../../../ctx.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { NoteCreated, NoteUpdated } from '../../discussions/events.ts'
import { notesById } from '../../discussions/index.ts'
import { MergeRequestCreated, MergeRequestUpdated } from '../../merge_requests/events.ts'
import { projectById, type Project, inRepository } from '../../projects/index.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { listCommits } from '../../../git/read/log.ts'
import type { Commit } from '../../../git/read/commits.ts'
import { RefsUpdated } from '../../repository/events.ts'
import { issuableOf } from '../issuables/issuable.ts'
import { issuableRow, sourceOfNote } from '../issuables/store-references.ts'
import { closingReferences } from '../issuables/text-references.ts'
import { crossReference } from '../issuables/cross-references.ts'
import { onBehalfOf } from '../issuables/acting.ts'
import { userByCommitEmail } from '../../users/index.ts'
import { closeIssue } from './state.ts'
import { type IssueRow, mayUpdate, resolveIssues, projectOf } from './issue.ts'

/** The maximum number of commits of a push that are searched for references, newest first. */
const MAX_COMMITS = 100

interface Push {
  readonly project_id: number
  readonly actor_id: number | null
  readonly updates: readonly {
    readonly ref: string
    readonly old: string | null
    readonly new: string | null
  }[]
}

/**
 * Reads references in the messages of pushed commits. On the default branch, "closes #1" closes the issue if the
 * project allows it and the pusher may do so. Every other reference gets a system note with the commit.
 */
export async function readPushedCommits(ctx: Ctx, push: Push): Promise<void> {
  const project = projectById(ctx.db, push.project_id)
  const userCtx = onBehalfOf(ctx, push.actor_id)
  if (!project || !userCtx) return
  for (const { ref, old, new: head } of push.updates) {
    if (!ref.startsWith('refs/heads/') || head === null) continue
    const isDefault = ref === `refs/heads/${project.default_branch}`
    const commits = await newCommits(ctx, project, { old, head, isDefault })
    for (const commit of commits.toReversed())
      tx(ctx.db, () => readCommit(userCtx, project, commit, isDefault))
  }
}

/** Lists the commits of a push. For a new branch, these are the commits that the default branch does not contain. */
async function newCommits(
  ctx: Ctx,
  project: Project,
  { old, head, isDefault }: { old: string | null; head: string; isDefault: boolean },
): Promise<Commit[]> {
  return inRepository(ctx, project, async (repo) => {
    const isNew = old === null && !isDefault && project.default_branch !== null
    const base = isNew ? await branchTip(repo, project.default_branch) : old
    return listCommits(repo, {
      range: { tips: [head], not: base === null ? [] : [base] },
      limit: MAX_COMMITS,
    })
  })
}

function readCommit(ctx: Ctx, project: Project, commit: Commit, isDefault: boolean): void {
  const closing = isDefault ? closeReferencedIssues(ctx, project, commit) : new Set<number>()
  const author = onBehalfOf(ctx, userByCommitEmail(ctx, commit.author_email)?.id ?? null) ?? ctx
  crossReference(author, project, { kind: 'Commit', sha: commit.id }, commit.message, closing)
}

/** Closes the issues that a commit message refers to after a word such as "closes". Returns their IDs. */
function closeReferencedIssues(ctx: Ctx, project: Project, commit: Commit): Set<number> {
  const issues = resolveIssues(ctx, project, closingReferences(commit.message, ctx.config.url))
  const closable = issues.filter((issue) => mayClose(ctx, issue))
  for (const issue of closable) closeIssue(ctx, issue, { commit_id: commit.id })
  return new Set(closable.map((issue) => issue.id))
}

/** Whether commits can close an issue: its project must allow it, and the pusher must be able to update the issue. */
function mayClose(ctx: Ctx, issue: IssueRow): boolean {
  return projectOf(ctx, issue).autoclose_referenced_issues && mayUpdate(ctx, issue)
}

/** Writes cross references on the issues and merge requests that a note mentions. */
function crossReferenceNote(ctx: Ctx, event: { note_id: number }): void {
  const note = notesById(ctx.db, [event.note_id]).get(event.note_id)
  const userCtx = note && onBehalfOf(ctx, note.author_id)
  const source = userCtx && sourceOfNote(ctx, note)
  if (!source) return
  tx(ctx.db, () => crossReference(userCtx, source.project, source.source, note.note))
}

/** Writes cross references on the issues and merge requests that the description of a merge request mentions. */
function crossReferenceRequest(ctx: Ctx, event: { merge_request_id: number; actor_id: number | null }): void {
  const row = issuableRow(ctx.db, 'MergeRequest', event.merge_request_id)
  const project = row && projectById(ctx.db, row.project_id)
  const userCtx = onBehalfOf(ctx, event.actor_id)
  if (!project || !userCtx || !row.description) return
  const source = issuableOf('MergeRequest', row)
  tx(ctx.db, () => crossReference(userCtx, project, source, row.description!))
}

export const subscribers: Subscription[] = [
  on(RefsUpdated, 'issues.read_pushed', readPushedCommits),
  on(NoteCreated, 'issuables.mention', crossReferenceNote, {
    only: ({ system, internal }) => !system && !internal,
  }),
  on(MergeRequestCreated, 'issuables.mention_request', crossReferenceRequest),
  on(MergeRequestUpdated, 'issuables.mention_request_again', crossReferenceRequest, {
    only: ({ changed }) => changed.includes('description'),
  }),
  on(NoteUpdated, 'issuables.mention_again', crossReferenceNote, {
    only: ({ system, internal, changed }) => !system && !internal && changed.includes('note'),
  }),
]
