import type { Ctx } from '../../ctx.ts'
import { divergence } from '../../git/read/graph.ts'
import { branchTip } from '../../git/read/revisions.ts'
import { openThreads } from '../discussions/index.ts'
import { renderLine, renderText } from '../markdown/index.ts'
import { assigneesOf, issuableOf, isSubscribed, labelsOf, milestonesOf } from '../planning/index.ts'
import { fullPath, inRepository, projectById, type Project } from '../projects/index.ts'
import { usersById } from '../users/index.ts'
import { cacheMissingRules } from './approvals/rules/store.ts'
import { cacheApprovals } from './approvals/store.ts'
import { latestDiff } from './diffs/store.ts'
import { detailedStatus } from './merging/status.ts'
import { showHeadPipeline } from './pipelines/service.ts'
import { mayMergeInto } from './policy.ts'
import * as store from './store.ts'
import type { MergeRequestRow, MergeRequestSingleView, MergeRequestView } from './types.ts'

/** Options for showing merge requests. */
export interface ShowOptions {
  /** Full path of the project or group that the list belongs to. */
  readonly relativeTo?: string | undefined
  readonly with_labels_details?: boolean | undefined
  readonly render_html?: boolean | undefined
}

/** Options for showing a single merge request. */
export interface SingleOptions extends ShowOptions {
  readonly include_diverged_commits_count?: boolean | undefined
  readonly include_rebase_in_progress?: boolean | undefined
  readonly with_first_contribution?: boolean | undefined
}

/** Loads merge requests as lists show them, with a fixed number of queries. */
export async function showMergeRequests(
  ctx: Ctx,
  rows: readonly MergeRequestRow[],
  options: ShowOptions = {},
): Promise<MergeRequestView[]> {
  const html = options.render_html ? await renderTexts(ctx, rows) : undefined
  const ids = rows.map((row) => row.id)
  const reviewers = store.reviewersOf(ctx.db, ids)
  const people = usersById(ctx.db, [
    ...rows.flatMap((row) => [row.author_id, row.merge_user_id, row.closed_by_id].filter(isId)),
    ...reviewers.map((reviewer) => reviewer.user_id),
  ])
  const assignees = assigneesOf(ctx.db, 'MergeRequest', ids)
  const labels = labelsOf(ctx.db, 'MergeRequest', ids)
  const milestones = milestonesOf(ctx.db, rows)
  cacheMergeStatus(ctx, rows)
  const projects = new Map<number, Project>()
  for (const { project_id: id } of rows) if (!projects.has(id)) projects.set(id, projectById(ctx.db, id)!)
  return rows.map((request, index) => {
    const project = projects.get(request.project_id)!
    return {
      request,
      path: fullPath(project),
      relativeTo: options.relativeTo,
      author: people.get(request.author_id)!,
      assignees: assignees.get(request.id) ?? [],
      reviewers: reviewers
        .filter((reviewer) => reviewer.merge_request_id === request.id)
        .flatMap((reviewer) => people.get(reviewer.user_id) ?? []),
      merge_user: people.get(request.merge_user_id ?? 0),
      closed_by: people.get(request.closed_by_id ?? 0),
      labels: labels.get(request.id) ?? [],
      labelDetails: options.with_labels_details ?? false,
      milestone: milestones.get(request.milestone_id ?? 0),
      detailed_merge_status: detailedStatus(ctx, request, project),
      blocking_discussions_resolved: hasNoBlockingThread(ctx, request, project),
      approvals_before_merge: approvalsBeforeMerge(request, project),
      html: html?.[index],
    }
  })
}

/** Loads the data for the merge status of all open merge requests, with one query for each kind. */
function cacheMergeStatus(ctx: Ctx, rows: readonly MergeRequestRow[]): void {
  const open = rows.filter((row) => row.state === 'opened').map((row) => row.id)
  if (open.length < 2) return
  cacheApprovals(ctx.db, open)
  cacheMissingRules(ctx.db, open)
}

const isId = (id: number | null): id is number => id !== null

/** Returns the number of approvals that the merge request, or else its project, requires. Null if neither does. */
function approvalsBeforeMerge(request: MergeRequestRow, project: Project): number | null {
  return request.approvals_before_merge ?? (project.approvals_before_merge || null)
}

function hasNoBlockingThread(ctx: Ctx, request: MergeRequestRow, project: Project): boolean {
  if (!project.only_allow_merge_if_all_discussions_are_resolved) return true
  return openThreads(ctx.db, 'MergeRequest', request.id) === 0
}

/** Renders the texts as HTML, with links to what the reader may see. */
function renderTexts(ctx: Ctx, rows: readonly MergeRequestRow[]) {
  return Promise.all(
    rows.map(async ({ project_id, title, description }) => {
      const source = { project: projectById(ctx.db, project_id) }
      return {
        title_html: await renderLine(ctx, title, source),
        description_html: description ? (await renderText(ctx, description, source)).trimEnd() : '',
      }
    }),
  )
}

/** Loads a merge request with everything that a single answer shows. */
export async function showMergeRequest(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  options: SingleOptions = {},
): Promise<MergeRequestSingleView> {
  const diverged = options.include_diverged_commits_count
    ? await divergedCommits(ctx, project, request)
    : undefined
  const [view] = await showMergeRequests(ctx, [request], { relativeTo: fullPath(project), ...options })
  const contribution = options.with_first_contribution
    ? !store.hasMerged(ctx.db, project.id, request.author_id, request.id)
    : undefined
  return {
    ...view!,
    subscribed: isSubscribed(ctx.db, issuableOf('MergeRequest', request), ctx.actor.id),
    diff: latestDiff(ctx.db, request),
    first_deployed_to_production_at: store.firstProductionDeployment(ctx.db, request.id),
    head_pipeline: showHeadPipeline(ctx, project, request),
    can_merge: mayMergeInto(ctx, project, request.target_branch),
    diverged_commits_count: diverged,
    rebase_in_progress: options.include_rebase_in_progress ? request.rebase_in_progress : undefined,
    first_contribution: contribution,
  }
}

/** Counts the commits of the target branch that the head does not contain. 0 if the head or the branch is missing. */
async function divergedCommits(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<number> {
  const head = request.head_sha
  if (head === null) return 0
  return inRepository(ctx, project, async (repo) => {
    const target = await branchTip(repo, request.target_branch)
    if (target === null) return 0
    return (await divergence(repo, head, target)).behind
  })
}
