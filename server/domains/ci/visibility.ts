import type { EventVisibility } from '../../events/visibility.ts'
import { projectEvents } from '../projects/index.ts'
import { abilities as environmentAbilities } from './environments/policy.ts'
import { abilities } from './policy.ts'
import { mayHearOfRunner } from './runners/visibility.ts'

export const jobEvents = projectEvents(['pipeline_id', 'job_id', 'schedule_id'], abilities.read_pipelines)

export const environmentEvents = projectEvents(['environment_id'], environmentAbilities.read_environment)

const idOf = (value: unknown) => (typeof value === 'number' ? value : undefined)

/** Only events about runners name the type of the runner. */
export const runnerEvents: EventVisibility = {
  fields: ['runner_type'],
  decides: true,
  may: (ctx, { runner_id, project_id, group_id }) =>
    mayHearOfRunner(ctx, {
      runner_id: idOf(runner_id) ?? 0,
      project_id: idOf(project_id),
      group_id: idOf(group_id),
    }),
}
