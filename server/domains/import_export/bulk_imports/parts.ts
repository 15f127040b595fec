import { tx } from '../../../db/database.ts'
import { clearFailures, failuresOf, type FailureOwner } from '../imports/failures.ts'
import { firstSentence } from '../imports/place.ts'
import type { Desk } from './desk.ts'
import { SourceProblem } from './source-problem.ts'

/** Failed records that are carried over; all are counted by the relation's numbers. */
const MAX_FAILURES = 10_000

/** Records that were left out stand at the entity, where whoever began the run sees them. */
export function carryFailures(desk: Desk, owner: FailureOwner): void {
  const { rows } = failuresOf(desk.acting.db, owner, { limit: MAX_FAILURES, offset: 0 })
  desk.fail(
    ...rows.map((one) => ({
      relation: one.relation_name ?? 'unknown',
      step: 'loader',
      exception_class: one.exception_class,
      exception_message: one.exception_message,
    })),
  )
  if ('group_id' in owner) tx(desk.acting.db, () => clearFailures(desk.acting.db, owner))
}

/** Does a part whose failure does not keep the rest from being there. What may pass is tried again as a whole. */
export async function orNoted(desk: Desk, relation: string, work: () => Promise<void>): Promise<void> {
  desk.signal.throwIfAborted()
  try {
    await work()
  } catch (error) {
    desk.signal.throwIfAborted()
    if (error instanceof SourceProblem && error.mayPass) throw error
    desk.acting.log.warn({ err: error, relation }, 'a part could not be taken over from another instance')
    const said = firstSentence(error) ?? (error as Error).message
    const { name } = error as Error
    desk.fail({ relation, step: 'extractor', exception_class: name, exception_message: said })
  }
}
