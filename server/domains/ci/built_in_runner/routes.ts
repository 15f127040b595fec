import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { bool, int } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { BuiltInRunner } from './entity.ts'
import { builtInState, changeBuiltIn } from './service.ts'

const MOST_AT_ONCE = 8

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
    concurrency: int({ min: 1, max: MOST_AT_ONCE })
      .optional()
      .describe('The number of concurrent jobs, one to eight'),
  },
  together: [atLeastOne('enabled', 'concurrency')],
  fails: { 422: 'This system has no shell that jobs can be run with' },
  returns: ok(BuiltInRunner),
  run: (ctx) => changeBuiltIn(ctx, ctx.params),
})
