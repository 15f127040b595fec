import { z } from 'zod'

import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { entity, row } from '../../../http/entity.ts'
import { bool, int } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { builtInState, changeBuiltIn, type BuiltInState } from './service.ts'

/** The warning for administrators before they turn the runner on. */
const WARNING =
  'Jobs run on this computer, as the user that runs this application, and can read and change whatever that user can. Switch it on only if you trust everybody who can push to a project of this instance.'

/** The built-in runner of the instance. */
const BuiltInRunner = entity(
  'BuiltInRunner',
  {
    enabled: z.boolean(),
    concurrency: z.int(),
    working: z.boolean(),
    runner_id: z.int().nullable(),
    running_jobs: z.int(),
    available: z.boolean(),
    shell: z.string().nullable(),
    warning: z.string(),
    problem: z.string().nullable(),
  },
  row<BuiltInState>(),
  (state) => ({
    available: state.shell !== null,
    warning: WARNING,
    problem: state.shell === null ? 'This system has no shell that can run jobs.' : null,
  }),
)

const MAX_CONCURRENT = 8

export const getBuiltInRunner = endpoint('GET /-/built_in_runner', {
  summary: 'Get the built-in runner',
  can: 'admin',
  returns: ok(BuiltInRunner),
  run: builtInState,
})

export const changeBuiltInRunner = endpoint('PUT /-/built_in_runner', {
  summary: 'Update the built-in runner',
  can: 'admin',
  params: {
    enabled: bool().optional().describe('Run jobs on this computer'),
    concurrency: int({ min: 1, max: MAX_CONCURRENT })
      .optional()
      .describe('Maximum number of concurrent jobs, from 1 to 8'),
  },
  parameterRules: [atLeastOne('enabled', 'concurrency')],
  fails: { 422: 'This system has no shell that can run jobs' },
  returns: ok(BuiltInRunner),
  run: (ctx) => changeBuiltIn(ctx, ctx.params),
})
