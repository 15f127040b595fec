import { REPORTER } from '../../policy/levels.ts'
import { project, projectEventsWhere } from '../projects/index.ts'

/** Internal notes are for reporters. */
export const internalNoteEvents = projectEventsWhere(
  ['internal'],
  (ctx, owner, { internal }) => internal !== true || project.roleOf(ctx, owner) >= REPORTER,
)
