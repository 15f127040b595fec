import { on, type Subscription } from '../../../events/publish.ts'
import { HookEventRecorded } from '../../webhooks/events.ts'
import { hasIntegration, type Kind } from '../../webhooks/index.ts'
import { dispatch } from './dispatch.ts'

export const subscribers: Subscription[] = [
  on(
    HookEventRecorded,
    'integrations.dispatch',
    (ctx, { event_id, project_id, kind }) => {
      if (project_id !== undefined) dispatch(ctx, { event_id, project_id, kind: kind as Kind })
    },
    {
      only: ({ project_id, kind }, { db }) =>
        project_id !== undefined && hasIntegration(db, project_id, kind as Kind),
    },
  ),
]
