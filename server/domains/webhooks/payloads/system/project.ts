import type { Ctx } from '../../../../ctx.ts'
import { isoDate } from '../../../../lib/clock.ts'
import { namespaceById } from '../../../namespaces/index.ts'
import { fullPath, type Project, projectById } from '../../../projects/index.ts'
import { userById } from '../../../users/index.ts'
import type { HookEvent } from '../../recording/hook-event.ts'
import { shownEmail } from '../blocks/index.ts'
import { systemEvent } from './event.ts'
import * as store from './store.ts'

/** What an event says of a project; of one that is gone the event says it. */
type Said = Pick<
  Project,
  'id' | 'name' | 'path' | 'visibility' | 'namespace_id' | 'owner_id' | 'created_at' | 'updated_at'
> & { readonly namespace_name: string; readonly full_path: string }

/** The event of a project that is there (spec administration 3.10); null where it is gone. */
export function projectLifeEvent(
  ctx: Ctx,
  id: number,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): HookEvent | null {
  const project = projectById(ctx.db, id)
  return project ? projectLifeEventOf(ctx, { ...project, full_path: fullPath(project) }, name, more) : null
}

/** The event of a project as it is or was. */
export function projectLifeEventOf(
  ctx: Ctx,
  project: Said,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): HookEvent {
  return systemEvent(name, project, {
    name: project.name,
    path: project.path,
    path_with_namespace: project.full_path,
    project_id: project.id,
    ...ownersOf(ctx, project),
    project_visibility: project.visibility,
    ...more,
  })
}

/** The owner of the personal namespace, or the group, which has no address; and the people who own the project. */
function ownersOf(ctx: Ctx, { id, namespace_id, owner_id, namespace_name }: Said) {
  const owner = owner_id === null ? undefined : userById(ctx.db, owner_id)
  const lineage = namespaceById(ctx.db, namespace_id)?.lineage ?? '[]'
  const place = { project_id: id, lineage: owner_id === null ? lineage : '[]' }
  const owners = owner ? [owner] : store.owners(ctx.db, place, isoDate(ctx.now))
  return {
    owner_name: namespace_name,
    owner_email: owner ? shownEmail(owner) : '',
    owners: owners.map((one) => ({ name: one.name, email: shownEmail(one) })),
  }
}
