import type { Ctx } from '../../../../../../ctx.ts'
import { recordFailures } from '../../../../imports/failures.ts'
import type { Run } from '../../../../runs/store.ts'
import type { Project } from '../../../../../projects/index.ts'

/** A project while an archive is taken over into it. */
export interface Filling {
  readonly ctx: Ctx
  readonly project: Project
  readonly run: Run
  /** Where the archive is unpacked; gone when the import ends. */
  readonly folder: string
  readonly signal: AbortSignal
  /** Whoever imports. */
  readonly importer: number
  /** How far it is; the window has words for the steps. */
  tell(step: string, done?: number, total?: number): void
}

/** Notes something beside the tree that could not be taken over; the import goes on. */
export function leaveOut({ ctx, project }: Filling, relation: string, sentence: string): void {
  recordFailures(ctx, { project_id: project.id }, [
    {
      relation_name: relation,
      line_number: null,
      source: 'import_archive',
      exception_class: 'StandardError',
      exception_message: sentence,
    },
  ])
}
