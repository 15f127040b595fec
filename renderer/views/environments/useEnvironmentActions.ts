import { api } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { STALE, type Environment } from './environment.ts'
import { t } from '../../locales/t.ts'

type Named = Pick<Environment, 'id' | 'name'>

/** Actions on an environment. `onRemoved` is called after its deletion. */
export const useEnvironmentActions = (project: () => number, onRemoved: () => void) => {
  const of = (environment: Named) => ({ id: project(), environment_id: environment.id })
  const stop = useAction({
    run: (environment: Named, force: boolean) =>
      api('POST /projects/:id/environments/:environment_id/stop', { ...of(environment), force }),
    invalidates: STALE,
    done: (after) =>
      after.state === 'stopping'
        ? t('environments.stopping_name', { name: after.name })
        : t('environments.name_stopped', { name: after.name }),
  })
  const keep = useAction({
    run: (environment: Named) =>
      api('POST /-/projects/:id/environments/:environment_id/keep', of(environment)),
    invalidates: STALE,
    done: (after) => t('environments.auto_stop_is_off_for_name', { name: after.name }),
  })
  const remove = useAction({
    run: (environment: Named) => api('DELETE /projects/:id/environments/:environment_id', of(environment)),
    invalidates: STALE,
    done: t('environments.environment_deleted'),
    onDone: onRemoved,
  })
  const again = useAction({
    run: (job_id: number) => api('POST /projects/:id/jobs/:job_id/retry', { id: project(), job_id }),
    invalidates: [...STALE, 'GET /-/projects/:id/pipelines*'],
    done: t('environments.its_job_runs_again'),
  })
  return { stop, keep, remove, again }
}

export type EnvironmentActions = ReturnType<typeof useEnvironmentActions>
