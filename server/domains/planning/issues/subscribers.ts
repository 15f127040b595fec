import { tx } from '../../../db/database.ts'
import type { Ctx } from '../../../ctx.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { projectById, type Project, inRepository } from '../../projects/index.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { listCommits } from '../../../git/read/log.ts'
import type { Commit } from '../../../git/read/commits.ts'
import { RefsUpdated } from '../../repository/events.ts'
import { closingReferences } from '../issuables/text-references.ts'
import { crossReference } from '../issuables/cross-references.ts'
import { inNameOf } from '../issuables/acting.ts'
import { userByCommitEmail } from '../../users/index.ts'
import { closeIssue } from './state.ts'
import { mayUpdate, issuesMeant, projectOf } from './find.ts'
import type { IssueRow } from './issue.ts'

/** Commits of one push whose messages are read; the newest count. */
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
 * Reads the messages of pushed commits: those of the default branch close the issues that they promise to close, where
 * the project says so and whoever pushed may; everything else that they name is told where the commit is.
 */
export async function readPushed(ctx: Ctx, push: Push): Promise<void> {
  const project = projectById(ctx.db, push.project_id)
  const theirs = inNameOf(ctx, push.actor_id)
  if (!project || !theirs) return
  for (const { ref, old, new: head } of push.updates) {
    if (!ref.startsWith('refs/heads/') || head === null) continue
    const isDefault = ref === `refs/heads/${project.default_branch}`
    const commits = await newCommits(ctx, project, { old, head, isDefault })
    for (const commit of commits.toReversed())
      tx(ctx.db, () => readCommit(theirs, project, commit, isDefault))
  }
}

/** Commits that a push brought; a new branch brings those that the default branch does not have. */
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
  const closing = isDefault ? closed(ctx, project, commit) : new Set<number>()
  const author = inNameOf(ctx, userByCommitEmail(ctx, commit.author_email)?.id ?? null) ?? ctx
  crossReference(author, project, { kind: 'Commit', sha: commit.id }, commit.message, closing)
}

/** Closes what a commit promises to close; gives the ids of all that it names so. */
function closed(ctx: Ctx, project: Project, commit: Commit): Set<number> {
  const issues = issuesMeant(ctx, project, closingReferences(commit.message, ctx.config.url))
  const mine = issues.filter((issue) => closesIn(ctx, issue))
  for (const issue of mine) closeIssue(ctx, issue, { commit_id: commit.id })
  return new Set(mine.map((issue) => issue.id))
}

/** Whether commits close an issue: its project lets them, and whoever pushed may close it. */
function closesIn(ctx: Ctx, issue: IssueRow): boolean {
  return projectOf(ctx, issue).autoclose_referenced_issues && mayUpdate(ctx, issue)
}

export const subscribers: Subscription[] = [on(RefsUpdated, 'issues.read_pushed', readPushed)]
