import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, text, timestamp } from '../../../http/params.ts'
import { created, ok } from '../../../http/returns.ts'
import { useWorkbench } from '../policy.ts'
import { changeClock, stateOf, type ClockState, type ClockChange } from './service.ts'
import { entity, time } from '../../../http/entity.ts'

const fields = {
  mode: z
    .enum(['real', 'frozen', 'moved'])
    .describe('`real`: the time of the computer; `frozen`: stopped; `moved`: runs from another time'),
  now: time(),
  real_now: time().describe('The time of the computer'),
}

/** The clock of the instance, for the workbench. */
const WorkbenchClock = entity('WorkbenchClock', fields, (row: ClockState) => row)

const run = z.strictObject({
  kind: z.enum(['job', 'cron']),
  name: z.string(),
  count: z.int(),
  failed: z.int(),
  first_at: z.string(),
  last_at: z.string(),
})

/** The clock after a change. */
const WorkbenchClockChange = entity(
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

export const readClock = endpoint('GET /-/workbench/clock', {
  summary: 'Get the clock of the instance',
  can: useWorkbench,
  returns: ok(WorkbenchClock),
  run: (ctx) => stateOf(ctx.clock),
})

export const moveClock = endpoint('POST /-/workbench/clock', {
  summary: 'Freeze, set, advance or run the clock of the instance',
  can: useWorkbench,
  params: {
    action: choice('freeze', 'set', 'advance', 'run').describe(
      '`freeze`: stop the clock. `set`: jump to a time; jobs that are due by then run once, late. `advance`: go to a ' +
        'time and run the jobs that become due in between, in order. `run`: start the clock again',
    ),
    time: timestamp()
      .optional()
      .describe('For `set` and `advance`: the time to go to. For `freeze`: the time to stop at'),
    by: text({ max: 200 }).optional().describe('For `advance`: how far, such as `90 minutes` or `3d 4h`'),
    real: bool().optional().describe('For `run`: return to the time of the computer'),
  },
  fails: {
    400: 'The time is missing, before the present one or out of range',
    409: 'The clock is being moved by another request',
  },
  returns: created(WorkbenchClockChange),
  run: (ctx) => changeClock(ctx, ctx.params),
})
