import { REPORTER } from '../../policy/levels.ts'
import { project, projectEventsWhere } from '../projects/index.ts'

/** Shows events of internal notes only to users with at least the Reporter role. */
export const internalNoteEvents = projectEventsWhere(
  ['internal'],
  (ctx, owner, { internal }) => internal !== true || project.roleOf(ctx, owner) >= REPORTER,
)
