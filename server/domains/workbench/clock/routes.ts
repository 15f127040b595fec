import { endpoint } from '../../../http/endpoint.ts'
import { ok } from '../../../http/returns.ts'
import { useWorkbench } from '../policy.ts'
import { WorkbenchClock } from './entity.ts'

export const readClock = endpoint('GET /-/workbench/clock', {
  summary: 'Get the clock of the instance',
  can: useWorkbench,
  returns: ok(WorkbenchClock),
  run: ({ now }) => ({ mode: 'real' as const, now }),
})
