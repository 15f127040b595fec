import { on, type Subscription } from '../../../events/publish.ts'
import { GroupTransferred } from '../../groups/events.ts'
import { projectIdsBelow } from '../labels/store.ts'
import { ProjectTransferred } from '../../projects/events.ts'
import { keepMilestones } from './keep.ts'

/** What is planned stays planned when a project or group goes elsewhere. */
export const subscribers: readonly Subscription[] = [
  on(ProjectTransferred, 'milestones.keep_in_project', (ctx, { project_id }) =>
    keepMilestones(ctx, project_id),
  ),
  on(GroupTransferred, 'milestones.keep_in_group', (ctx, { group_id }) => {
    for (const id of projectIdsBelow(ctx.db, group_id)) keepMilestones(ctx, id)
  }),
]
