import { on, type Subscription } from '../../events/facts.ts'
import { HOST_A, HOST_B_SERVER } from '../../http/aliases.ts'
import { projectById } from '../projects/index.ts'
import { ProjectImportEnded } from '../projects/events.ts'
import { discardLanded } from './landing/index.ts'

const TYPES: readonly (string | null)[] = [HOST_A, HOST_B_SERVER]

/** Whoever works on a canceled import cleans up; while it waits for its host nobody does. */
export const subscribers: Subscription[] = [
  on(
    ProjectImportEnded,
    'host_imports.discard',
    async (ctx, fact) => {
      const project = projectById(ctx.db, fact.project_id)
      if (project?.import_status === 'canceled' && TYPES.includes(project.import_type))
        await discardLanded(ctx, fact.project_id)
    },
    { only: (fact) => fact.status === 'canceled' },
  ),
]
