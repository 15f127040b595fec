import type { Ctx } from '../../../ctx.ts'
import { inRepository, type Project } from '../../projects/index.ts'
import { ensureVersion } from '../diffs/refresh.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import { mustReadCode } from '../rights.ts'
import { lookAt } from './check.ts'

/** Paths of the files that need a person before a merge request can be merged; none for one that is not open. */
export function conflictsOf(ctx: Ctx, project: Project, given: MergeRequestRow): Promise<readonly string[]> {
  mustReadCode(ctx, project)
  return inRepository(ctx, project, async () => {
    if (given.state !== 'opened') return []
    const { conflicts } = await lookAt(ctx, project, await ensureVersion(ctx, project, given))
    return conflicts
  })
}
