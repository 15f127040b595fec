import { on, type Subscription } from '../../events/publish.ts'
import { ProjectDeleted } from './events.ts'
import { requiresRerender, SettingsChanged } from '../settings/events.ts'
import { rerenderDescriptions } from './service-description.ts'
import { removeFromStorage } from './repository/repository.ts'

export const subscribers: Subscription[] = [
  on(ProjectDeleted, 'projects.remove_repository', removeFromStorage),
  on(SettingsChanged, 'projects.render_anew', (ctx) => rerenderDescriptions(ctx, 'projects'), {
    only: requiresRerender,
  }),
]
