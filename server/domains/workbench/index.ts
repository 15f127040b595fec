import { domain } from '../../domain.ts'
import { forEveryone } from '../../events/visibility.ts'
import * as clockRoutes from './clock/routes.ts'
import * as inspectorRoutes from './inspector/routes.ts'
import { openInspector } from './inspector/service.ts'
import { finishRestore } from './snapshots/restore.ts'
import * as snapshotRoutes from './snapshots/routes.ts'
import { markNeeded } from './snapshots/service.ts'
import * as worldRoutes from './worlds/routes.ts'

export { clockCommand } from './command/clock.ts'
export { snapshotCommand } from './command/snapshot.ts'
export { applyAtStart, worldCommand } from './command/world.ts'
export { worldJsonSchema } from './worlds/model/schema.ts'

export const workbenchDomain = domain({
  name: 'workbench',
  routes: [clockRoutes, inspectorRoutes, snapshotRoutes, worldRoutes],
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
