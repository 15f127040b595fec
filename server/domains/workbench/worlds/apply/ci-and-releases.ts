import { createPipeline, runRecorded } from '../../../ci/index.ts'
import { findProject, repoOf } from '../../../projects/index.ts'
import { resolveCommit } from '../../../../git/read/revisions.ts'
import { Failure } from '../../../../lib/fail.ts'
import type { WorldPipeline, WorldProject } from '../model/schema.ts'
import type { History } from './history.ts'
import { logOf } from './logs.ts'
import { type ApplyRun, timeOf } from './apply-run.ts'

interface Pipeline {
  readonly id: number
  readonly sha: string
  readonly ref: string
  readonly source: string
}

interface Job {
  readonly id: number
  readonly name: string
  readonly stage: string
  readonly status: string
}

/** Creates missing pipelines. Their jobs get the results that the world describes. */
export async function applyPipelines(
  run: ApplyRun,
  world: WorldProject,
  id: number,
  history: History,
): Promise<void> {
  const { pipelines } = world
  if (!pipelines) return
  const existing = (await run.all<Pipeline>('GET /projects/:id/pipelines', { id })).toReversed()
  for (const pipeline of pipelines)
    await run.step(pipeline, `the pipeline of ${pipeline.ref}`, () =>
      applyPipeline(run, { world, id, history }, pipeline, existing),
    )
}

async function applyPipeline(
  run: ApplyRun,
  { world, id, history }: { world: WorldProject; id: number; history: History },
  entry: WorldPipeline,
  existing: Pipeline[],
): Promise<void> {
  const project = findProject(run.ctx, String(id))!
  const sha = entry.commit === undefined ? await tipOf(run, id, entry.ref) : history.idOf(entry.commit)
  if (!sha) throw new Failure('bad_request', `there is no commit ${entry.commit ?? entry.ref}`)
  const start = timeOf(entry.at ?? world.at ?? run.ctx.now, run.ctx.now)
  const source = entry.source ?? 'push'
  const index = existing.findIndex((row) => row.sha === sha && row.ref === entry.ref && row.source === source)
  if (index >= 0) {
    const [row] = existing.splice(index, 1)
    run.countExisting('pipelines')
    // A run that was interrupted may have left jobs.
    await run.waitForAllJobs()
    return runJobs(run, id, row!.id, entry, start)
  }
  const createdPipeline = await createPipeline(run.contextOf(entry.author, start), project, {
    source,
    ref: entry.ref,
    sha,
  })
  run.countCreated('pipelines')
  await runJobs(run, id, createdPipeline.id, entry, start)
}

async function tipOf(run: ApplyRun, id: number, ref: string): Promise<string | null> {
  const project = findProject(run.ctx, String(id))!
  return resolveCommit(repoOf(run.ctx, project), ref)
}

const ENDED: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'running'])

/** Runs the jobs of a pipeline. A job starts at the time when the jobs before it ended. */
async function runJobs(
  run: ApplyRun,
  id: number,
  pipeline_id: number,
  entry: WorldPipeline,
  start: string,
): Promise<void> {
  let now = Date.parse(start) + 3000
  for (let round = 0; round < 100; round++) {
    const jobs = await run.all<Job>('GET /projects/:id/pipelines/:pipeline_id/jobs', { id, pipeline_id })
    const unknownName = Object.keys(entry.jobs ?? {}).find((name) => !jobs.some((job) => job.name === name))
    if (unknownName !== undefined)
      throw new Failure(
        'bad_request',
        `it has no job "${unknownName}"; its jobs are ${jobs.map(({ name }) => name).join(', ')}`,
      )
    // A job that waits for a user runs only if the world has a result for it.
    for (const { id: job_id, name, status } of jobs)
      if (status === 'manual' && ENDED.has(entry.jobs?.[name]?.status ?? ''))
        await run.call(
          run.contextOf(undefined, new Date(now).toISOString()),
          'POST /projects/:id/jobs/:job_id/play',
          {
            id,
            job_id,
          },
        )
    const refreshedJobs = await run.all<Job>('GET /projects/:id/pipelines/:pipeline_id/jobs', {
      id,
      pipeline_id,
    })
    const ready = refreshedJobs.filter(
      ({ status, name }) => status === 'pending' && entry.jobs?.[name]?.status !== 'pending',
    )
    if (ready.length === 0) return
    let last = now
    for (const job of ready) {
      const planned = entry.jobs?.[job.name] ?? {}
      const seconds = planned.seconds ?? 12 + ((job.id * 37) % 80)
      const status =
        planned.status === undefined || planned.status === 'manual' || planned.status === 'pending'
          ? 'success'
          : planned.status
      const startTime = new Date(now).toISOString()
      const endTime = new Date(now + seconds * 1000).toISOString()
      const log = logOf({
        job: job.name,
        stage: job.stage,
        output: planned.log,
        status,
        exit_code: planned.exit_code ?? 1,
      })
      runRecorded(run.contextOf(undefined, startTime), run.contextOf(undefined, endTime), job.id, {
        status,
        log,
        exit_code: status === 'failed' ? (planned.exit_code ?? 1) : 0,
      })
      last = Math.max(last, now + seconds * 1000)
    }
    now = last + 1000
    await run.waitForJobs()
  }
}

/** Creates missing environments and deployments. */
export async function applyDeployments(run: ApplyRun, world: WorldProject, id: number): Promise<void> {
  const { environments = [], deployments = [] } = world
  if (environments.length > 0) {
    const rows = await run.all<{ name: string }>('GET /projects/:id/environments', { id })
    for (const environment of environments) {
      if (rows.some(({ name }) => name === environment.name)) run.countExisting('environments')
      else
        await run.step(environment, `the environment ${environment.name}`, async () => {
          await run.call(run.contextOf(undefined, world.at), 'POST /projects/:id/environments', {
            id,
            ...environment,
          })
          run.countCreated('environments')
        })
    }
  }
  if (deployments.length > 0) {
    const rows = await run.all<{ environment: { name: string }; sha: string; status: string }>(
      'GET /projects/:id/deployments',
      { id },
    )
    for (const deployment of deployments) {
      const sha = await tipOf(run, id, deployment.ref)
      if (
        rows.some(
          (row) =>
            row.environment.name === deployment.environment &&
            row.sha === sha &&
            row.status === (deployment.status ?? 'success'),
        )
      )
        run.countExisting('deployments')
      else
        await run.step(deployment, `the deployment to ${deployment.environment}`, async () => {
          const { environment, ref, status = 'success', author, at } = deployment
          const tag = world.tags?.some(({ name }) => name === ref) ?? false
          await run.call(run.contextOf(author, at ?? world.at), 'POST /projects/:id/deployments', {
            id,
            environment,
            sha,
            ref,
            tag,
            status,
          })
          run.countCreated('deployments')
        })
    }
  }
}

/** Creates missing releases and their tags. */
export async function applyReleases(
  run: ApplyRun,
  world: WorldProject,
  id: number,
  history: History,
): Promise<void> {
  const { releases = [] } = world
  if (releases.length > 0) {
    const rows = await run.all<{ tag_name: string }>('GET /projects/:id/releases', { id })
    for (const release of releases) {
      if (rows.some(({ tag_name }) => tag_name === release.tag)) run.countExisting('releases')
      else
        await run.step(release, `the release ${release.tag}`, async () => {
          const { tag: tag_name, ref, name, description, author, at, milestones, links } = release
          const ctx = run.contextOf(author, at)
          const assets = links && { links: links.map((link) => ({ ...link })) }
          await run.call(ctx, 'POST /projects/:id/releases', {
            id,
            tag_name,
            ref: ref === undefined ? undefined : (history.idOf(ref) ?? ref),
            name,
            description,
            milestones,
            assets,
            released_at: ctx.now,
          })
          run.countCreated('releases')
        })
    }
  }
}
