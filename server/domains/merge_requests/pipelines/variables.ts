import type { Ctx } from '../../../ctx.ts'
import { assigneesOf, labelsOf, milestonesOf } from '../../planning/index.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { protecting, protectionsOf } from '../../repository/index.ts'
import { isApproved } from '../approvals/state.ts'
import { mergeRequestRef } from '../diffs/refs.ts'
import type { DiffVersionRow } from '../diffs/store.ts'
import type { MergeRequestRow } from '../types.ts'

/** A merge request with its projects and its newest version. */
export interface RequestContext {
  readonly request: MergeRequestRow
  readonly project: Project
  readonly source: Project
  readonly version: DiffVersionRow
}

interface Pair {
  readonly key: string
  readonly value: string
}

/** Returns the predefined variables CI_MERGE_REQUEST_* (spec ci 2.13). */
export function mergeRequestVariables(ctx: Ctx, context: RequestContext): Pair[] {
  const all = { ...ofRequest(ctx, context), ...ofBranches(ctx, context) }
  return Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [{ key: `CI_MERGE_REQUEST_${name}`, value: String(value) }],
  )
}

function ofRequest(ctx: Ctx, { request, project, version }: RequestContext) {
  const labels = labelsOf(ctx.db, 'MergeRequest', [request.id]).get(request.id) ?? []
  const assignees = assigneesOf(ctx.db, 'MergeRequest', [request.id]).get(request.id) ?? []
  const milestone = milestonesOf(ctx.db, [request]).get(request.milestone_id ?? 0)
  return {
    ID: request.id,
    IID: request.iid,
    REF_PATH: mergeRequestRef(request.iid, 'head'),
    TITLE: request.title,
    LABELS: labels.length > 0 ? labels.map((label) => label.title).join(',') : undefined,
    MILESTONE: milestone?.title,
    ASSIGNEES: assignees.length > 0 ? sentence(assignees.map((user) => user.username)) : undefined,
    EVENT_TYPE: 'detached',
    APPROVED: isApproved(ctx, request, project) ? true : undefined,
    DIFF_ID: version.id,
    DIFF_BASE_SHA: version.base_commit_sha ?? undefined,
  }
}

function ofBranches(ctx: Ctx, { request, project, source }: RequestContext) {
  const isProtected = protecting(protectionsOf(ctx.db, project.id), request.target_branch).length > 0
  return {
    PROJECT_ID: project.id,
    PROJECT_PATH: fullPath(project),
    PROJECT_URL: `${ctx.config.url}/${fullPath(project)}`,
    SOURCE_PROJECT_ID: source.id,
    SOURCE_PROJECT_PATH: fullPath(source),
    SOURCE_PROJECT_URL: `${ctx.config.url}/${fullPath(source)}`,
    SOURCE_BRANCH_NAME: request.source_branch,
    // Both SHAs are only set in merged results pipelines, which this instance does not have.
    SOURCE_BRANCH_SHA: '',
    TARGET_BRANCH_NAME: request.target_branch,
    TARGET_BRANCH_SHA: '',
    TARGET_BRANCH_PROTECTED: isProtected,
  }
}

/** `a`, `a and b`, `a, b, and c`. */
function sentence(names: readonly string[]): string {
  if (names.length < 3) return names.join(' and ')
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1)!}`
}
