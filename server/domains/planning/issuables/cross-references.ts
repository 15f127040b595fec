import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import type { Issuable } from './issuable.ts'
import { referencesIn } from './text-references.ts'
import { resolveIssuable, writeCrossReferenceNote, type Source } from './store-references.ts'

/**
 * Writes the system note `mentioned in …` on every object that a text refers to and the actor may see, once for each
 * source. Readers of the object must be allowed to see the source: a source in a less visible project writes no note,
 * and a confidential source writes an internal note. Skips the issues in `exceptIssueIds`. Call it in the transaction of
 * the change. `ctx` acts as the author of the text.
 */
export function crossReference(
  ctx: Ctx,
  project: Project,
  source: Source,
  text: string,
  exceptIssueIds: ReadonlySet<number> = new Set(),
): void {
  if (ctx.actor.kind !== 'user') return
  for (const reference of referencesIn(text, ctx.config.url)) {
    const issuable = resolveIssuable(ctx, project, reference)
    if (!issuable || isSame(source, issuable.issuable)) continue
    const { issuable: target, project: targetProject } = issuable
    if (target.kind === 'Issue' && exceptIssueIds.has(target.id)) continue
    if (isVisibleIn(project, targetProject, source.kind))
      writeCrossReferenceNote(ctx, { source, project }, target, targetProject)
  }
}

function isSame(source: Source, target: Issuable): boolean {
  return source.kind === target.kind && 'id' in source && source.id === target.id
}

const FEATURES = { Issue: 'issues', MergeRequest: 'merge_requests', Commit: 'repository' } as const

/** Whether all readers of the target project may see sources of this kind in the source project. */
function isVisibleIn(source: Project, target: Project, kind: Source['kind']): boolean {
  if (source.id === target.id) return true
  if (source[`${FEATURES[kind]}_access_level`] !== 'enabled') return false
  return (
    source.visibility === 'public' || (source.visibility === 'internal' && target.visibility !== 'public')
  )
}
