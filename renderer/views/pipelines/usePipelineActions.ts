import { api } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { t } from '../../locales/t.ts'

const STALE = ['GET /-/projects/:id/pipelines*', 'GET /projects/:id/pipelines*', 'GET /projects/:id/jobs*']

/** Actions on a pipeline and its jobs. `onRetried` receives the new job. */
export const usePipelineActions = (project: () => number, onRetried: (id: number) => void) => {
  const cancelAll = useAction({
    run: (pipeline_id: number) =>
      api('POST /projects/:id/pipelines/:pipeline_id/cancel', { id: project(), pipeline_id }),
    invalidates: STALE,
  })
  const retryAll = useAction({
    run: (pipeline_id: number) =>
      api('POST /projects/:id/pipelines/:pipeline_id/retry', { id: project(), pipeline_id }),
    invalidates: STALE,
  })
  const remove = useAction({
    run: (pipeline_id: number) =>
      api('DELETE /projects/:id/pipelines/:pipeline_id', { id: project(), pipeline_id }),
    invalidates: STALE,
    done: t('pipelines.pipeline_deleted'),
  })
  const play = useAction({
    run: (job_id: number) => api('POST /projects/:id/jobs/:job_id/play', { id: project(), job_id }),
    invalidates: STALE,
  })
  const retry = useAction({
    run: (job_id: number) => api('POST /projects/:id/jobs/:job_id/retry', { id: project(), job_id }),
    invalidates: STALE,
    onDone: (job) => onRetried((job as { id: number }).id),
  })
  const cancel = useAction({
    run: (job_id: number) => api('POST /projects/:id/jobs/:job_id/cancel', { id: project(), job_id }),
    invalidates: STALE,
  })
  const erase = useAction({
    run: (job_id: number) => api('POST /projects/:id/jobs/:job_id/erase', { id: project(), job_id }),
    invalidates: STALE,
    done: t('pipelines.log_and_artifacts_erased'),
  })
  return { cancelAll, retryAll, remove, play, retry, cancel, erase }
}

export type PipelineActions = ReturnType<typeof usePipelineActions>
