import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { RunSummary } from '../../../jobs/advance.ts'
import type { ClockMode } from '../../../lib/clock.ts'

/** The clock of the instance. */
export interface ClockState {
  readonly mode: ClockMode
  readonly now: string
  readonly real_now: string
}

/** A change of the clock, and the jobs that ran because of it. */
export interface ClockChange extends ClockState {
  readonly complete: boolean
  /** The requested time. */
  readonly target: string
  readonly runs: RunSummary[]
}

const fields = {
  mode: z
    .enum(['real', 'frozen', 'moved'])
    .describe('`real`: the time of the computer; `frozen`: stopped; `moved`: runs from another time'),
  now: time(),
  real_now: time().describe('The time of the computer'),
}

/** The clock of the instance, for the workbench. */
export const WorkbenchClock = entity('WorkbenchClock', fields, (row: ClockState) => row)

const run = z.strictObject({
  kind: z.enum(['job', 'cron']),
  name: z.string(),
  count: z.int(),
  failed: z.int(),
  first_at: z.string(),
  last_at: z.string(),
})

/** The clock after a change. */
export const WorkbenchClockChange = entity(
  'WorkbenchClockChange',
  {
    ...fields,
    target: time().describe('The requested time'),
    complete: z
      .boolean()
      .describe('False where the time limit of one request ended the advance; advance to `target` again'),
    runs: z.array(run).describe('Jobs and recurring work that ran, in the order of their first run'),
  },
  (row: ClockChange) => row,
)
