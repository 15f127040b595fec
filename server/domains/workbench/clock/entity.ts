import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'

/** The clock of the instance. */
export interface ClockState {
  readonly mode: 'real' | 'frozen' | 'moved'
  readonly now: string
}

/** The clock of the instance, for the workbench. */
export const WorkbenchClock = entity(
  'WorkbenchClock',
  {
    mode: z
      .enum(['real', 'frozen', 'moved'])
      .describe('`real`: the time of the computer; `frozen`: stands still; `moved`: runs from another time'),
    now: time(),
  },
  (row: ClockState) => row,
)
