import { projectEventsWhere } from '../projects/index.ts'
import { mayReadId } from './issuables/store-reading.ts'

/** Shows events about an issue or merge request, or about a note on one, only to users who may read it. */
export const issuableEvents = projectEventsWhere(
  ['issue_id', 'merge_request_id', 'noteable_type', 'kind'],
  (ctx, project, payload) => {
    const { issue_id, merge_request_id, noteable_type, kind: ownKind, noteable_id, id: ownId } = payload
    const [kind, id] =
      issue_id !== undefined
        ? ['Issue', issue_id]
        : merge_request_id !== undefined
          ? ['MergeRequest', merge_request_id]
          : [noteable_type ?? ownKind, noteable_id ?? ownId]
    if ((kind !== 'Issue' && kind !== 'MergeRequest') || typeof id !== 'number') return true
    return mayReadId(ctx, project, { kind, id, wasConfidential: payload['confidential'] === true })
  },
)
