import { on, type Subscription } from '../../../events/publish.ts'
import { GroupTransferred } from '../../groups/events.ts'
import { ProjectTransferred } from '../../projects/events.ts'
import { renderAnew } from '../../projects/index.ts'
import { rendersAnew, SettingsChanged } from '../../settings/events.ts'
import { renderLine } from './description.ts'
import { keepLabels } from './keep.ts'
import { projectIdsBelow } from './store.ts'

/** Labels stay on what has them when a project or group goes elsewhere. */
export const subscribers: readonly Subscription[] = [
  on(ProjectTransferred, 'labels.keep_in_project', (ctx, { project_id }) => keepLabels(ctx, project_id)),
  on(GroupTransferred, 'labels.keep_in_group', (ctx, { group_id }) => {
    for (const id of projectIdsBelow(ctx.db, group_id)) keepLabels(ctx, id)
  }),
  on(SettingsChanged, 'labels.render_anew', (ctx) => renderAnew(ctx, 'labels', renderLine), {
    only: rendersAnew,
  }),
]
