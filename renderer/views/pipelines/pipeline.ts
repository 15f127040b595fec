import type { Result } from '../../api/client.ts'

/** The picture of a pipeline as the window's own endpoint gives it. */
export type Graph = Result<'GET /-/projects/:id/pipelines/:pipeline_id/graph'>
export type GraphStage = Graph['stages'][number]
export type GraphJob = GraphStage['jobs'][number]

/** All jobs in the order of their stages. */
export const jobsOf = (graph: Graph | undefined): GraphJob[] =>
  graph?.stages.flatMap((stage) => stage.jobs) ?? []

/** The initially selected job: a failed, running or manual job, otherwise the first one. */
export const jobToShow = (jobs: readonly GraphJob[]): GraphJob | undefined =>
  jobs.find((job) => job.status === 'failed' && !job.allow_failure) ??
  jobs.find((job) => job.status === 'running') ??
  jobs.find((job) => job.status === 'failed') ??
  jobs.find((job) => job.status === 'pending') ??
  jobs[0]

const OVER = new Set(['success', 'failed', 'canceled'])

/** How many of the jobs have run; one that was skipped has not. */
export const overCount = (jobs: readonly GraphJob[]) => jobs.filter((job) => OVER.has(job.status)).length

/** A job may fail, and did. */
export const isWarning = (job: Pick<GraphJob, 'status' | 'allow_failure'>) =>
  job.allow_failure && (job.status === 'failed' || job.status === 'canceled')

/** Seconds a job has taken until now; null before it began. */
export const elapsed = (job: Pick<GraphJob, 'started_at' | 'finished_at'>, now: number): number | null => {
  if (job.started_at === null) return null
  const end = job.finished_at === null ? now : Date.parse(job.finished_at)
  return Math.max(0, (end - Date.parse(job.started_at)) / 1000)
}

/** Jobs in columns by the depth of their dependencies. */
export const layersOf = (stages: readonly GraphStage[]): GraphJob[][] => {
  const jobs = stages.flatMap((stage) => stage.jobs)
  const byName = new Map(jobs.map((job) => [job.name, job]))
  const before = new Map<string, readonly string[]>()
  let earlier: string[] = []
  for (const stage of stages) {
    for (const job of stage.jobs) before.set(job.name, job.needs ?? earlier)
    if (stage.jobs.length > 0) earlier = stage.jobs.map((job) => job.name)
  }
  const depths = new Map<string, number>()
  const depth = (name: string): number => {
    const known = depths.get(name)
    if (known !== undefined) return known
    // Against circles, which no valid configuration has.
    depths.set(name, 0)
    const own = (before.get(name) ?? []).filter((one) => byName.has(one))
    const found = own.length === 0 ? 0 : Math.max(...own.map(depth)) + 1
    depths.set(name, found)
    return found
  }
  const layers: GraphJob[][] = []
  for (const job of jobs) (layers[depth(job.name)] ??= []).push(job)
  return [...layers].map((layer) => layer ?? [])
}
