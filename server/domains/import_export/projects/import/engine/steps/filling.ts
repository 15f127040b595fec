import type { Ctx } from '../../../../../../ctx.ts'
import { recordFailures, type Run } from '../../../../imports/store.ts'
import type { Project } from '../../../../../projects/index.ts'

/** A project while an archive is imported into it. */
export interface Filling {
  readonly ctx: Ctx
  readonly project: Project
  readonly run: Run
  /** The unpacked archive; removed when the import ends. */
  readonly folder: string
  readonly signal: AbortSignal
  /** Id of the user who imports. */
  readonly importer: number
  /** Stores the progress; the window translates the steps. */
  report(step: string, done?: number, total?: number): void
}

/** Stores the failure of a part outside the tree; the import continues. */
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
