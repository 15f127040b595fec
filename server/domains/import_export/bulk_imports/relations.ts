import { tx } from '../../../db/database.ts'
import { clearFailures, failuresOf, type FailureOwner } from '../imports/failures.ts'
import { firstSentence } from '../imports/target.ts'
import type { EntityRun } from './entity-run.ts'
import { SourceProblem } from './source-problem.ts'

/** Failed records that are carried over; all are counted by the relation's numbers. */
const MAX_FAILURES = 10_000

/** Records that were left out stand at the entity, where whoever began the run sees them. */
export function carryFailures(run: EntityRun, owner: FailureOwner): void {
  const { rows } = failuresOf(run.acting.db, owner, { limit: MAX_FAILURES, offset: 0 })
  run.fail(
    ...rows.map((one) => ({
      relation: one.relation_name ?? 'unknown',
      step: 'loader',
      exception_class: one.exception_class,
      exception_message: one.exception_message,
    })),
  )
  if ('group_id' in owner) tx(run.acting.db, () => clearFailures(run.acting.db, owner))
}

/** Does a part whose failure does not keep the rest from being there. What may pass is tried again as a whole. */
export async function orNoted(run: EntityRun, relation: string, work: () => Promise<void>): Promise<void> {
  run.signal.throwIfAborted()
  try {
    await work()
  } catch (error) {
    run.signal.throwIfAborted()
    if (error instanceof SourceProblem && error.mayPass) throw error
    run.acting.log.warn({ err: error, relation }, 'a part could not be taken over from another instance')
    const said = firstSentence(error) ?? (error as Error).message
    const { name } = error as Error
    run.fail({ relation, step: 'extractor', exception_class: name, exception_message: said })
  }
}
