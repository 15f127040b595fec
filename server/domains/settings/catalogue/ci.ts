import { z } from 'zod'

import { bool, int, text } from '../../../http/params.ts'
import { setting, type Setting } from './setting.ts'

/** Pipelines, runners and what jobs leave. */
export const ci = {
  shared_runners_enabled: setting(
    bool().describe('Shared runners take the jobs of new projects'),
    z.boolean(),
    true,
  ),
  auto_devops_enabled: setting(
    bool().describe('Projects that do not say otherwise get a pipeline without configuration'),
    z.boolean(),
    true,
  ),
  default_ci_config_path: setting(
    text({ max: 255 }).nullable().describe('Path of the CI configuration of new projects'),
    z.string().nullable(),
    null,
  ),
  max_artifacts_size: setting(
    int({ min: 1, max: 1_048_576 }).describe('Largest file that a job may leave, MB'),
    z.int(),
    100,
  ),
  default_artifacts_expire_in: setting(
    text({ max: 255 }).describe(
      'Time after which artifacts go unless their job says; `0` or `never` for never',
    ),
    z.string(),
    '30 days',
  ),
  keep_latest_artifact: setting(
    bool().describe('Artifacts of the last successful pipeline of a branch or tag are kept'),
    z.boolean(),
    true,
  ),
} satisfies Record<string, Setting>
