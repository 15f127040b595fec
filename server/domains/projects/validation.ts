import type { Ctx } from '../../ctx.ts'
import { Failure, invalid } from '../../lib/fail.ts'
import { VISIBILITY_RANK, type Visibility } from '../../policy/levels.ts'
import { nameProblem, pathProblem, type NamespaceRow } from '../namespaces/index.ts'
import { settingsOf } from '../settings/index.ts'
import { isStorage } from '../storage/index.ts'
import { userById } from '../users/index.ts'
import * as store from './store.ts'

const NAME_RULE =
  "can contain only letters, digits, emojis, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'."
const MAX_DESCRIPTION = 2000
const TAKEN = 'has already been taken'

/** Throws 400 with every invalid field. */
export function checkFields(input: {
  name?: string | undefined
  path?: string | undefined
  description?: string | null | undefined
}): void {
  const problems: Record<string, string> = {}
  const name =
    input.name === undefined
      ? undefined
      : (nameProblem(input.name, NAME_RULE) ?? (/[()]/.test(input.name) ? NAME_RULE : undefined))
  const path = input.path === undefined ? undefined : pathProblem(input.path, 'below')
  if (name) problems['name'] = name
  if (path) problems['path'] = path
  if (input.description && input.description.length > MAX_DESCRIPTION) {
    problems['description'] = `is too long (maximum is ${MAX_DESCRIPTION} characters)`
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/**
 * Throws 400 if the namespace has a project or group with that path, or a project with that name. Runs in the
 * transaction.
 */
export function checkFree(
  ctx: Ctx,
  namespace: Pick<NamespaceRow, 'id'>,
  input: { name: string; path: string; exceptId?: number; groupTaken: boolean },
): void {
  const conflicts = store.nameConflicts(ctx.db, namespace.id, input)
  if (!conflicts.name && !conflicts.path && !input.groupTaken) return
  throw invalid({
    ...(conflicts.name ? { 'project_namespace.name': TAKEN, name: TAKEN } : {}),
    ...(conflicts.path || input.groupTaken ? { path: TAKEN } : {}),
  })
}

/** Throws 403 if the owner of a personal namespace has reached their project limit. */
export function checkLimit(ctx: Ctx, namespace: NamespaceRow): void {
  if (namespace.owner_id === null) return
  const limit = userById(ctx.db, namespace.owner_id)?.projects_limit ?? 0
  if (store.countInNamespace(ctx.db, namespace.id) < limit) return
  const sentence =
    limit === 0
      ? 'Personal project creation is not allowed. Please contact your administrator with questions'
      : `Your project limit is ${limit} projects! Please contact your administrator to increase it`
  throw new Failure('forbidden', undefined, { body: { error: [sentence] } })
}

/** Throws 400 if a parent group disables shared runners without override. */
export function checkRunners(
  namespace: Pick<NamespaceRow, 'shared_runners_setting'>,
  changes: { shared_runners_enabled?: boolean | undefined },
): void {
  if (
    changes.shared_runners_enabled !== true ||
    namespace.shared_runners_setting !== 'disabled_and_unoverridable'
  )
    return
  throw invalid({ shared_runners_enabled: 'cannot be enabled because parent group does not allow it' })
}

/**
 * Returns the storage that an administrator chose; undefined for other callers, who cannot choose one. Throws 400 for
 * an unknown storage.
 */
export function checkStorage(
  ctx: Ctx,
  storage: string | undefined,
  problem: Record<string, string> = { repository_storage: 'is not included in the list' },
): string | undefined {
  if (storage === undefined || !ctx.actor.is_admin) return undefined
  if (isStorage(ctx, storage)) return storage
  throw invalid(problem)
}

/** Throws 400 for a visibility above the group's, or one that is restricted to administrators. */
export function checkVisibility(
  ctx: Ctx,
  namespace: Pick<NamespaceRow, 'kind' | 'visibility'>,
  visibility: Visibility,
): void {
  if (isWider(namespace, visibility)) {
    throw invalid({ visibility_level: `${visibility} is not allowed in a ${namespace.visibility} group.` })
  }
  if (isRestricted(ctx, visibility)) {
    throw invalid({ visibility_level: `${visibility} has been restricted by your administrator.` })
  }
}

function isWider(namespace: Pick<NamespaceRow, 'kind' | 'visibility'>, visibility: Visibility): boolean {
  return namespace.kind === 'group' && VISIBILITY_RANK[visibility] > VISIBILITY_RANK[namespace.visibility]
}

function isRestricted(ctx: Ctx, visibility: Visibility): boolean {
  return !ctx.actor.is_admin && settingsOf(ctx).restricted_visibility_levels.includes(visibility)
}

/** Returns the instance's default visibility, or the next lower one that the namespace and the settings allow. */
export function defaultVisibility(
  ctx: Ctx,
  namespace: Pick<NamespaceRow, 'kind' | 'visibility'>,
): Visibility {
  return allowedVisibility(ctx, namespace, settingsOf(ctx).default_project_visibility)
}

/** Returns a visibility, or the next lower one that the namespace and the settings allow. */
export function allowedVisibility(
  ctx: Ctx,
  namespace: Pick<NamespaceRow, 'kind' | 'visibility'>,
  requested: Visibility,
): Visibility {
  const order: readonly Visibility[] = ['public', 'internal', 'private']
  const candidates = order.slice(order.indexOf(requested))
  return (
    candidates.find((candidate) => !isWider(namespace, candidate) && !isRestricted(ctx, candidate)) ??
    'private'
  )
}
