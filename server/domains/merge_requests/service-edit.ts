import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { columnChanges } from '../../lib/column-changes.ts'
import { Failure } from '../../lib/fail.ts'
import { hasAbility } from '../../policy/ability.ts'
import {
  issuableOf,
  noteChange,
  noteDescriptionChange,
  noteLock,
  noteTitleChange,
} from '../planning/index.ts'
import { project as scope, projectAbilities, projectById, type Project } from '../projects/index.ts'
import { eventFields, MergeRequestUpdated } from './events.ts'
import { clearAutoMerge } from './merging/auto-merge-state.ts'
import { abilities } from './policy.ts'
import { commitMessages, saveClosingIssues } from './service-closing.ts'
import { setMetadata, type Metadata } from './service-metadata.ts'
import { writeCrossReferences } from './service-notes.ts'
import { changeState, checkReopening } from './service-state.ts'
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

/** The changes of an update. Undefined fields stay unchanged. */
export interface RequestChanges extends Metadata {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
  readonly target_branch?: string | undefined
  readonly discussion_locked?: boolean | null | undefined
  readonly remove_source_branch?: boolean | undefined
  readonly squash?: boolean | undefined
  readonly allow_collaboration?: boolean | undefined
  readonly state_event?: 'close' | 'reopen' | undefined
}

/** The columns that users edit. Events list them under these names. */
type EditedColumns = Partial<
  Pick<
    MergeRequestRow,
    | 'title'
    | 'description'
    | 'target_branch'
    | 'discussion_locked'
    | 'force_remove_source_branch'
    | 'squash'
    | 'allow_collaboration'
  >
>

/**
 * Updates a merge request. Ignores changes that its state, its project or the abilities of the actor do not allow.
 * Throws 422 and 409 for a new target branch and 400 for invalid fields, as creating a merge request does. Throws 409
 * and 400 when the merge request cannot be reopened.
 */
export async function editMergeRequest(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  changes: RequestChanges,
): Promise<MergeRequestRow> {
  const columns = editedColumns(ctx, project, request, changes)
  await checkEdit(ctx, project, request, columns)
  if (changes.state_event === 'reopen') await checkReopening(ctx, project, request)
  const affectsClosingIssues =
    columns.title !== undefined || columns.description !== undefined || columns.target_branch
  const messages = affectsClosingIssues ? await commitMessages(ctx, project, request) : ''
  return tx(ctx.db, () => {
    const current = store.byId(ctx.db, request.id)
    if (!current) throw new Failure('not_found', '404 Not found')
    // A merged or locked merge request keeps its target.
    if (current.state !== 'opened') delete columns.target_branch
    if (columns.target_branch !== undefined) refuseDuplicate(ctx, { ...request, ...columns }, request.id)
    const edited = writeColumns(ctx, project, request, columns)
    if (affectsClosingIssues) saveClosingIssues(ctx, project, edited, messages)
    setMetadata(ctx, project, edited, changes)
    if (changes.state_event) changeState(ctx, edited, changes.state_event)
    return store.byId(ctx.db, request.id)!
  })
}

/** Returns the columns with new values. */
function editedColumns(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  changes: RequestChanges,
): EditedColumns {
  const { remove_source_branch: removesBranch, discussion_locked: locked } = changes
  const isFromFork = request.source_project_id !== request.project_id
  const mayLock = hasAbility(ctx, scope, abilities.update_merge_request, project, true)
  const requested: EditedColumns = {
    ...(changes.title === undefined ? {} : { title: changes.title.trim() }),
    ...(changes.description === undefined ? {} : { description: changes.description }),
    ...(changes.target_branch === undefined || request.state !== 'opened'
      ? {}
      : { target_branch: changes.target_branch }),
    ...(removesBranch === undefined ? {} : { force_remove_source_branch: removesBranch }),
    ...(changes.squash === undefined ? {} : { squash: squashOf(project, changes.squash) }),
    ...(locked === undefined || !mayLock ? {} : { discussion_locked: locked === null ? null : locked }),
    ...(changes.allow_collaboration !== undefined && isFromFork && mayPushToSource(ctx, request)
      ? { allow_collaboration: changes.allow_collaboration }
      : {}),
  }
  const entries = Object.entries(requested).filter(
    ([name, value]) => request[name as keyof EditedColumns] !== value,
  )
  return Object.fromEntries(entries)
}

function mayPushToSource(ctx: Ctx, request: MergeRequestRow): boolean {
  const source =
    request.source_project_id === null ? undefined : projectById(ctx.db, request.source_project_id)
  return source !== undefined && hasAbility(ctx, scope, projectAbilities.push_code, source, true)
}

async function checkEdit(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  columns: EditedColumns,
): Promise<void> {
  const problems = textProblems(columns)
  const { target_branch } = columns
  if (target_branch !== undefined) {
    const source =
      request.source_project_id === null ? undefined : projectById(ctx.db, request.source_project_id)
    if (source) checkBranchPair(source, project, { source_branch: request.source_branch, target_branch })
    refuseDuplicate(ctx, { ...request, target_branch }, request.id)
    if ((await tipOf(ctx, project, target_branch)) === null) problems['target_branch'] = 'does not exist'
  }
  refuseProblems(problems)
}

/** Writes the columns, their system notes and the event. */
function writeColumns(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  columns: EditedColumns,
): MergeRequestRow {
  const changed = Object.keys(columns)
  if (changed.length === 0) return request
  const { title, description, target_branch } = columns
  const isRewritten = title !== undefined || description !== undefined
  if (target_branch !== undefined) clearAutoMerge(ctx, request, 'target branch was changed')
  const edited = store.update(ctx.db, request.id, {
    ...columns,
    ...(isRewritten ? { last_edited_at: ctx.now, last_edited_by_id: ctx.actor.id } : {}),
    // The stored merge status is that of the old target branch.
    ...(target_branch === undefined
      ? {}
      : { merge_status: 'unchecked', checked_source_sha: null, checked_target_sha: null }),
    updated_at: ctx.now,
    updated_by_id: ctx.actor.id,
  })
  noteChanges(ctx, request, columns)
  if (isRewritten) writeCrossReferences(ctx, project, edited)
  publish(ctx, MergeRequestUpdated, {
    ...eventFields(ctx, request),
    changed,
    previous: {
      ...(title === undefined ? {} : { title: request.title }),
      ...(description === undefined ? {} : { description: request.description }),
      ...(target_branch === undefined ? {} : { target_branch: request.target_branch }),
    },
    changes: columnChanges(request, edited),
  })
  return edited
}

function noteChanges(ctx: Ctx, request: MergeRequestRow, columns: EditedColumns): void {
  const issuable = issuableOf('MergeRequest', request)
  if (columns.title !== undefined) noteTitle(ctx, request, columns.title)
  if (columns.description !== undefined) noteDescriptionChange(ctx, issuable)
  if (columns.target_branch !== undefined) {
    const body = `changed target branch from \`${request.target_branch}\` to \`${columns.target_branch}\``
    noteChange(ctx, issuable, 'branch', body)
  }
  const wasLocked = request.discussion_locked === true
  const isLocked = columns.discussion_locked === true
  if (columns.discussion_locked !== undefined && wasLocked !== isLocked) noteLock(ctx, issuable, isLocked)
}

function noteTitle(ctx: Ctx, request: MergeRequestRow, title: string): void {
  const issuable = issuableOf('MergeRequest', request)
  const [wasDraft, becomesDraft] = [isDraft(request.title), isDraft(title)]
  if (wasDraft !== becomesDraft)
    noteChange(ctx, issuable, 'title', `marked this merge request as **${becomesDraft ? 'draft' : 'ready'}**`)
  if (wasDraft === becomesDraft || readyTitle(request.title) !== readyTitle(title))
    noteTitleChange(ctx, issuable, request.title, title)
}

/** The title prefixes that mark a draft, in any case (spec core 5.1). */
const DRAFT_PREFIX = /^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i

/** Whether a title marks a draft. */
export function isDraft(title: string): boolean {
  return /^(?:\[draft\]|\(draft\)|draft:)/i.test(title)
}

/** Removes all draft prefixes from a title. */
export function readyTitle(title: string): string {
  let rest = title
  while (DRAFT_PREFIX.test(rest)) rest = rest.replace(DRAFT_PREFIX, '')
  return rest
}

/** Adds a draft prefix to a title that has none. */
export function draftTitle(title: string): string {
  return isDraft(title) ? title : `Draft: ${title}`
}
