import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { BuiltInState } from './service.ts'

/** What whoever switches it on has to know. */
const WARNING =
  'Jobs run on this computer, as the user that runs this application, and can read and change whatever that user can. Switch it on only if you trust everybody who can push to a project of this instance.'

/** The runner that the instance brings along. */
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
  (state: BuiltInState) => ({
    enabled: state.enabled,
    concurrency: state.concurrency,
    working: state.working,
    runner_id: state.runner_id,
    running_jobs: state.running_jobs,
    available: state.shell !== null,
    shell: state.shell,
    warning: WARNING,
    problem: state.shell === null ? 'This system has no shell that jobs can be run with.' : null,
  }),
)
