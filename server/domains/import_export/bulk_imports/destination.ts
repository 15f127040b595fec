import type { Ctx } from '../../../ctx.ts'
import { findGroup, group as scope, mayCreateGroup } from '../../groups/index.ts'
import { findNamespace } from '../../namespaces/index.ts'
import { mayCreateIn } from '../../projects/index.ts'
import { canRead } from '../../../policy/ability.ts'
import type { EntityRow } from './state.ts'

/** Whether the actor may make a group or project at a place; projects cannot be at the top. */
export function isFreeFor(
  ctx: Ctx,
  {
    source_type,
    destination_namespace: path,
  }: Pick<EntityRow, 'destination_namespace'> & { source_type: string },
): boolean {
  // Digits are a path here, never an id.
  const named = path === '' ? undefined : findNamespace(ctx, path)
  if (path !== '' && named?.full_path.toLowerCase() !== path.toLowerCase()) return false
  if (source_type === 'project_entity') return named !== undefined && mayCreateIn(ctx, named)
  if (path === '') return mayCreateGroup(ctx, undefined)
  const parent = findGroup(ctx, path)
  return parent !== undefined && canRead(ctx, scope, parent) && mayCreateGroup(ctx, parent)
}
