import type { Ctx } from '../../../../ctx.ts'
import { UniqueViolation } from '../../../../db/constraints.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { isTagName } from '../../../../git/names.ts'
import { fail } from '../../../../lib/fail.ts'
import type { Project } from '../../../projects/index.ts'
import { ProtectedTagsChanged } from '../../events.ts'
import { checkAccess, checkDistinct, DEFAULT_LEVEL, entryOf, roleEntry, type EntryInput } from '../entries.ts'
import * as store from './store.ts'
import type { TagProtection } from './store.ts'

/** Lists the protected tags of a project. */
export function findTagProtections(ctx: Ctx, project: Project): readonly TagProtection[] {
  return store.tagProtectionsOf(ctx.db, project.id)
}

/** Returns one protected tag by its exact name or pattern. */
export function getTagProtection(ctx: Ctx, project: Project, name: string): TagProtection {
  const row = store.byName(ctx.db, project.id, name)
  if (!row) throw fail('not_found', '404 Not found')
  return row
}

/** Protects a tag or a pattern. Throws 409 for a name that is already protected, 422 for an invalid name. */
export function protectTag(
  ctx: Ctx,
  project: Project,
  input: {
    name: string
    create_access_level?: number | undefined
    allowed_to_create?: readonly EntryInput[] | undefined
  },
): TagProtection {
  const { name, create_access_level: single } = input
  if (!isTagName(name.replaceAll('*', 'x')))
    throw fail('unprocessable', ['Name is not a valid tag name or pattern'])
  const failure = fail('conflict', `Protected tag '${name}' already exists`)
  if (store.byName(ctx.db, project.id, name)) throw failure
  const listEntries = (input.allowed_to_create ?? []).map((entry) => entryOf('allowed_to_create', entry))
  const isListed = single === undefined && listEntries.length > 0
  const entries = isListed ? listEntries : [roleEntry(single ?? DEFAULT_LEVEL), ...listEntries]
  checkDistinct('Create access levels', entries)
  for (const entry of entries) checkAccess(ctx, project, entry)
  try {
    return tx(ctx.db, () => {
      const created = store.insert(ctx.db, { project_id: project.id, name, now: ctx.now }, entries)
      publishChange(ctx, project, name, 'protected')
      return created
    })
  } catch (error) {
    throw error instanceof UniqueViolation ? failure : error
  }
}

/** Removes the protection of a tag or pattern. */
export function unprotectTag(ctx: Ctx, project: Project, name: string): void {
  const tagProtection = getTagProtection(ctx, project, name)
  tx(ctx.db, () => {
    store.remove(ctx.db, tagProtection.id)
    publishChange(ctx, project, name, 'unprotected')
  })
}

function publishChange(ctx: Ctx, project: Project, name: string, action: 'protected' | 'unprotected'): void {
  publish(ctx, ProtectedTagsChanged, { project_id: project.id, actor_id: ctx.actor.id, name, action })
}
