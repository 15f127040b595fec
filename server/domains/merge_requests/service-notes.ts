import type { Ctx } from '../../ctx.ts'
import type { Noteable } from '../discussions/index.ts'
import { crossReference, issuableOf } from '../planning/index.ts'
import type { Project } from '../projects/index.ts'
import type { MergeRequestRow } from './types.ts'

/** A merge request as something to write notes under. */
export function mergeRequestNoteable(request: Pick<MergeRequestRow, 'id' | 'iid' | 'project_id'>): Noteable {
  return { type: 'MergeRequest', project_id: request.project_id, id: request.id, sha: null, iid: request.iid }
}

/** Writes under everything that its texts name that it did so. To be called in the transaction of the change. */
export function nameOthers(ctx: Ctx, project: Project, request: MergeRequestRow): void {
  const text = `${request.title}\n\n${request.description ?? ''}`
  crossReference(ctx, project, issuableOf('MergeRequest', request), text)
}
