import { z } from 'zod'

import { entity, row } from '../../../http/entity.ts'
import type { BuiltInState } from './service.ts'

/** The warning before the runner is turned on. */
const WARNING =
  'Jobs run on this computer, as the user that runs this application, and can read and change whatever that user can. Switch it on only if you trust everybody who can push to a project of this instance.'

/** The built-in runner of the instance. */
export const BuiltInRunner = entity(
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
    problem: state.shell === null ? 'This system has no shell that jobs can be run with.' : null,
  }),
)
