import { domain } from '../../domain.ts'
import { forEveryone } from '../../events/visibility.ts'
import { openInspector } from './inspector/service.ts'
import { finishRestore } from './snapshots/restore.ts'
import { markNeeded } from './snapshots/service.ts'

export { clockCommand } from './command/clock.ts'
export { snapshotCommand } from './command/snapshot.ts'
export { applyAtStart, worldCommand } from './command/world.ts'
export { worldJsonSchema } from './worlds/model/schema.ts'

export const workbenchDomain = domain({
  name: 'workbench',
  endpoints: () =>
    Promise.all([
      import('./clock/routes.ts'),
      import('./inspector/routes.ts'),
      import('./snapshots/routes.ts'),
      import('./worlds/routes.ts'),
    ]),
  visibleTo: [forEveryone('clock_mode'), forEveryone('snapshot')],
  prepare: markNeeded,
  open: openInspector,
  ports: { finishSnapshot: finishRestore },
  reloads: {
    inspector: ['workbench/inspector'],
    // Views with the clock listen to its events, and every window reloads after `snapshot.restored`.
    clock: [],
    snapshot: [],
  },
})
