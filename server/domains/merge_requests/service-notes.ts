import type { Ctx } from '../../ctx.ts'
import type { Noteable } from '../discussions/index.ts'
import { crossReference, issuableOf } from '../planning/index.ts'
import type { Project } from '../projects/index.ts'
import type { MergeRequestRow } from './types.ts'

/** Returns the merge request as a noteable. */
export function mergeRequestNoteable(request: Pick<MergeRequestRow, 'id' | 'iid' | 'project_id'>): Noteable {
  return { type: 'MergeRequest', project_id: request.project_id, id: request.id, sha: null, iid: request.iid }
}

/**
 * Writes cross references on everything that the texts of a merge request mention. Call it in the transaction of the
 * change.
 */
export function writeCrossReferences(ctx: Ctx, project: Project, request: MergeRequestRow): void {
  const text = `${request.title}\n\n${request.description ?? ''}`
  crossReference(ctx, project, issuableOf('MergeRequest', request), text)
}
