import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail, Failure, notFound } from '../../lib/fail.ts'
import { canRead, hasAbility } from '../../policy/ability.ts'
import { parseQuickActions } from '../discussions/index.ts'
import { assigneeIdsOf, chosenIid, nextIid, recordIid } from '../planning/index.ts'
import { type Project, findProject, project as scope, projectById } from '../projects/index.ts'
import { applyApprovalsBeforeMerge } from './approvals/rules/deprecated-service.ts'
import { eventFields, MergeRequestDeleted, MergeRequestCreated } from './events.ts'
import { canUpdate, abilities } from './policy.ts'
import { saveClosingIssues } from './service-closing.ts'
import { runRequestCommands } from './service-commands.ts'
import { editMergeRequest, type RequestChanges } from './service-edit.ts'
import { setMetadata, type Metadata } from './service-metadata.ts'
import { writeCrossReferences } from './service-notes.ts'
import * as store from './store.ts'
import type { MergeRequestRow } from './types.ts'
import {
  checkBranchPair,
  refuseProblems,
  refuseDuplicate,
  squashOf,
  textProblems,
  tipOf,
} from './validation.ts'

/** Finds a merge request by its IID. Throws `404 Not found`. */
export function findMergeRequest(ctx: Ctx, project: Project, iid: number): MergeRequestRow {
  const request = store.byIid(ctx.db, project.id, iid)
  if (!request) throw new Failure('not_found', '404 Not found')
  return request
}

/** Splits the quick actions from the description. */
function extractCommands<Input extends { readonly description?: string | null | undefined }>(input: Input) {
  const { text, commands } = parseQuickActions(input.description ?? '')
  return { commands, rest: commands.length === 0 ? input : { ...input, description: text } }
}

/** Creates a merge request as `openRequest` does, and executes the quick actions in its description. */
export async function createMergeRequest(
  ctx: Ctx,
  projects: { readonly source: Project; readonly target: Project },
  input: NewRequest,
): Promise<MergeRequestRow> {
  const { commands, rest } = extractCommands(input)
  const created = await openRequest(ctx, projects, rest)
  if (commands.length > 0) await runRequestCommands(ctx, projects.target, created.id, commands)
  return store.byId(ctx.db, created.id) ?? created
}

/** Updates a merge request as `editMergeRequest` does, and executes the quick actions in its new description. */
export async function updateMergeRequest(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  changes: RequestChanges,
): Promise<MergeRequestRow> {
  const { commands, rest } = extractCommands(changes)
  const edited = await editMergeRequest(ctx, project, request, rest)
  if (commands.length > 0) await runRequestCommands(ctx, project, request.id, commands)
  return commands.length > 0 ? (store.byId(ctx.db, request.id) ?? edited) : edited
}

/** Throws 403 unless the actor may update the merge request. */
export function checkUpdate(ctx: Ctx, project: Project, request: MergeRequestRow): void {
  const { id } = ctx.actor
  const isAssignee = id !== null && assigneeIdsOf(ctx.db, 'MergeRequest', request.id).includes(id)
  if (!canUpdate(ctx, project, request, isAssignee)) throw fail('forbidden')
}

/** Deletes a merge request. A subscriber removes its refs. */
export function deleteMergeRequest(ctx: Ctx, request: MergeRequestRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, request.id)
    publish(ctx, MergeRequestDeleted, eventFields(ctx, request))
  })
}

/** The content of a new merge request. */
export interface NewRequest extends Omit<Metadata, 'add_labels' | 'remove_labels'> {
  readonly title: string
  readonly description?: string | null | undefined
  readonly source_branch: string
  readonly target_branch: string
  readonly remove_source_branch?: boolean | undefined
  readonly squash?: boolean | undefined
  readonly allow_collaboration?: boolean | undefined
  readonly approvals_before_merge?: number | undefined
}

/**
 * Returns the target project of a new merge request. Throws 404 when the actor may not see it, 403 when they may not
 * create merge requests in it.
 */
export function targetOf(ctx: Ctx, source: Project, targetId: number | undefined): Project {
  const target = targetId === undefined ? source : findProject(ctx, String(targetId))
  if (!target || !canRead(ctx, scope, target)) throw notFound('Project')
  if (!hasAbility(ctx, scope, abilities.create_merge_request, target, true)) throw fail('forbidden')
  return target
}

/**
 * Creates a merge request. Throws 422 for unrelated projects or equal branches, 409 when another merge request is open
 * for the same branches, 400 for invalid fields (spec core 5.3).
 */
async function openRequest(
  ctx: Ctx,
  { source, target }: { readonly source: Project; readonly target: Project },
  input: NewRequest,
): Promise<MergeRequestRow> {
  const attributes = { ...input, title: input.title.trim() }
  checkBranchPair(source, target, attributes)
  const route = routeOf(source, target, attributes)
  refuseDuplicate(ctx, route)
  const heads = await readHeads(ctx, { source, target }, attributes)
  refuseProblems({ ...textProblems(attributes), ...heads.problems })
  return tx(ctx.db, () => {
    if (!projectById(ctx.db, target.id)) throw notFound('Project')
    refuseDuplicate(ctx, route)
    return insert(ctx, { source, target, head: heads.head }, attributes)
  })
}

function routeOf(source: Project, target: Project, input: NewRequest): store.BranchPair {
  const { source_branch, target_branch } = input
  return { source_project_id: source.id, source_branch, project_id: target.id, target_branch }
}

/** Reads the head of the source branch, and describes the problems of both branches. */
async function readHeads(
  ctx: Ctx,
  { source, target }: { readonly source: Project; readonly target: Project },
  input: NewRequest,
): Promise<{ head: string | null; problems: Record<string, string> }> {
  const [head, targetHead] = await Promise.all([
    tipOf(ctx, source, input.source_branch),
    tipOf(ctx, target, input.target_branch),
  ])
  const problemOf = (branch: string): string => (branch.trim() === '' ? "can't be blank" : 'does not exist')
  const problems = {
    ...(head === null ? { source_branch: problemOf(input.source_branch) } : {}),
    ...(targetHead === null ? { target_branch: problemOf(input.target_branch) } : {}),
  }
  return { head, problems }
}

/** Stores the merge request with its metadata. Call it in a transaction. */
function insert(
  ctx: Ctx,
  {
    source,
    target,
    head,
  }: { readonly source: Project; readonly target: Project; readonly head: string | null },
  input: NewRequest,
): MergeRequestRow {
  const isFromFork = source.id !== target.id
  const { remove_source_branch: removesBranch } = input
  const request = store.insert(ctx.db, {
    ...routeOf(source, target, input),
    iid: iidFor(ctx, target),
    author_id: ctx.actor.id!,
    title: input.title,
    description: input.description ?? null,
    squash: squashOf(target, input.squash),
    force_remove_source_branch: removesBranch === undefined ? null : removesBranch,
    allow_collaboration: isFromFork && (input.allow_collaboration ?? false),
    approvals_before_merge: approvalsIfRaised(target, input.approvals_before_merge),
    // A job makes the first version of this head.
    head_sha: head,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  applyApprovalsBeforeMerge(ctx, { request, project: target })
  publish(ctx, MergeRequestCreated, eventFields(ctx, request))
  setMetadata(ctx, target, request, input)
  // Setting the initial metadata is not an update.
  store.update(ctx.db, request.id, { updated_by_id: null })
  saveClosingIssues(ctx, target, request)
  writeCrossReferences(ctx, target, request)
  return store.byId(ctx.db, request.id)!
}

function iidFor(ctx: Ctx, target: Project): number {
  const chosen = chosenIid(ctx)
  if (chosen === undefined) return nextIid(ctx.db, { project_id: target.id }, 'merge_requests')
  if (store.byIid(ctx.db, target.id, chosen)) throw fail('conflict', 'Duplicated merge request')
  recordIid(ctx.db, { project_id: target.id }, 'merge_requests', chosen)
  return chosen
}

/** Returns the requested number of approvals if it is higher than that of the project, which requires at least one. */
function approvalsIfRaised(target: Project, requested: number | undefined): number | null {
  const required = target.approvals_before_merge
  return requested !== undefined && required > 0 && requested > required ? requested : null
}
