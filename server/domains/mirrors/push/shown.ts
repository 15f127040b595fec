import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import { areMirrorsRunning } from '../allowed.ts'
import type { ShownMirror } from './entity.ts'
import type { RemoteMirrorRow } from './store.ts'

/** A mirror as it is shown, with whether it is updated as things are (spec administration 5.1, `enabled`). */
export function shown(ctx: Pick<Ctx, 'db' | 'now'>, project: Project, row: RemoteMirrorRow): ShownMirror {
  return { row, isEnabled: row.enabled && areMirrorsRunning(ctx, project, row) }
}
