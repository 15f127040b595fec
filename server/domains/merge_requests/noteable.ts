import type { Noteable } from '../discussions/index.ts'
import type { MergeRequestRow } from './merge-request.ts'

/** A merge request as something to write notes under. */
export function mergeRequestNoteable(request: Pick<MergeRequestRow, 'id' | 'iid' | 'project_id'>): Noteable {
  return { type: 'MergeRequest', project_id: request.project_id, id: request.id, sha: null, iid: request.iid }
}
