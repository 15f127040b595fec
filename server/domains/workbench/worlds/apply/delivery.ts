import { createPipeline, runRecorded } from '../../../ci/index.ts'
import { findProject, repoOf } from '../../../projects/index.ts'
import { resolveCommit } from '../../../../git/read/revisions.ts'
import { Failure } from '../../../../lib/fail.ts'
import type { WorldPipeline, WorldProject } from '../model/schema.ts'
import type { History } from './history.ts'
import { logOf } from './logs.ts'
import { type Stage, timeOf } from './stage.ts'

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
  stage: Stage,
  world: WorldProject,
  id: number,
  history: History,
): Promise<void> {
  const { pipelines } = world
  if (!pipelines) return
  const existing = (await stage.all<Pipeline>('GET /projects/:id/pipelines', { id })).toReversed()
  for (const pipeline of pipelines)
    await stage.step(pipeline, `the pipeline of ${pipeline.ref}`, () =>
      applyPipeline(stage, { world, id, history }, pipeline, existing),
    )
}

async function applyPipeline(
  stage: Stage,
  { world, id, history }: { world: WorldProject; id: number; history: History },
  entry: WorldPipeline,
  existing: Pipeline[],
): Promise<void> {
  const project = findProject(stage.ctx, String(id))!
  const sha = entry.commit === undefined ? await tipOf(stage, id, entry.ref) : history.idOf(entry.commit)
  if (!sha) throw new Failure('bad_request', `there is no commit ${entry.commit ?? entry.ref}`)
  const start = timeOf(entry.at ?? world.at ?? stage.ctx.now, stage.ctx.now)
  const source = entry.source ?? 'push'
  const index = existing.findIndex((row) => row.sha === sha && row.ref === entry.ref && row.source === source)
  if (index >= 0) {
    const [row] = existing.splice(index, 1)
    stage.kept('pipelines')
    // An interrupted application may have left jobs.
    await stage.earlierWorkDone()
    return runJobs(stage, id, row!.id, entry, start)
  }
  const createdPipeline = await createPipeline(stage.as(entry.author, start), project, {
    source,
    ref: entry.ref,
    sha,
  })
  stage.made('pipelines')
  await runJobs(stage, id, createdPipeline.id, entry, start)
}

async function tipOf(stage: Stage, id: number, ref: string): Promise<string | null> {
  const project = findProject(stage.ctx, String(id))!
  return resolveCommit(repoOf(stage.ctx, project), ref)
}

const ENDED: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'running'])

/** Runs the jobs stage by stage, each at the time when the ones before it ended. */
async function runJobs(
  stage: Stage,
  id: number,
  pipeline_id: number,
  entry: WorldPipeline,
  start: string,
): Promise<void> {
  let now = Date.parse(start) + 3000
  for (let round = 0; round < 100; round++) {
    const jobs = await stage.all<Job>('GET /projects/:id/pipelines/:pipeline_id/jobs', { id, pipeline_id })
    const unknown = Object.keys(entry.jobs ?? {}).find((name) => !jobs.some((job) => job.name === name))
    if (unknown !== undefined)
      throw new Failure(
        'bad_request',
        `it has no job "${unknown}"; its jobs are ${jobs.map(({ name }) => name).join(', ')}`,
      )
    // A job that waits for a user runs only if the world has a result for it.
    for (const { id: job_id, name, status } of jobs)
      if (status === 'manual' && ENDED.has(entry.jobs?.[name]?.status ?? ''))
        await stage.call(
          stage.as(undefined, new Date(now).toISOString()),
          'POST /projects/:id/jobs/:job_id/play',
          {
            id,
            job_id,
          },
        )
    const played = await stage.all<Job>('GET /projects/:id/pipelines/:pipeline_id/jobs', { id, pipeline_id })
    const ready = played.filter(
      ({ status, name }) => status === 'pending' && entry.jobs?.[name]?.status !== 'pending',
    )
    if (ready.length === 0) return
    let last = now
    for (const job of ready) {
      const wanted = entry.jobs?.[job.name] ?? {}
      const seconds = wanted.seconds ?? 12 + ((job.id * 37) % 80)
      const status =
        wanted.status === undefined || wanted.status === 'manual' || wanted.status === 'pending'
          ? 'success'
          : wanted.status
      const started = new Date(now).toISOString()
      const ended = new Date(now + seconds * 1000).toISOString()
      const log = logOf({
        job: job.name,
        stage: job.stage,
        given: wanted.log,
        status,
        exit_code: wanted.exit_code ?? 1,
      })
      runRecorded(stage.as(undefined, started), stage.as(undefined, ended), job.id, {
        status,
        log,
        exit_code: status === 'failed' ? (wanted.exit_code ?? 1) : 0,
      })
      last = Math.max(last, now + seconds * 1000)
    }
    now = last + 1000
    await stage.workDone()
  }
}

/** The environments and deployments that are missing. */
export async function applyDeliveries(stage: Stage, world: WorldProject, id: number): Promise<void> {
  const { environments = [], deployments = [] } = world
  if (environments.length > 0) {
    const rows = await stage.all<{ name: string }>('GET /projects/:id/environments', { id })
    for (const environment of environments) {
      if (rows.some(({ name }) => name === environment.name)) stage.kept('environments')
      else
        await stage.step(environment, `the environment ${environment.name}`, async () => {
          await stage.call(stage.as(undefined, world.at), 'POST /projects/:id/environments', {
            id,
            ...environment,
          })
          stage.made('environments')
        })
    }
  }
  if (deployments.length > 0) {
    const rows = await stage.all<{ environment: { name: string }; sha: string; status: string }>(
      'GET /projects/:id/deployments',
      { id },
    )
    for (const deployment of deployments) {
      const sha = await tipOf(stage, id, deployment.ref)
      if (
        rows.some(
          (row) =>
            row.environment.name === deployment.environment &&
            row.sha === sha &&
            row.status === (deployment.status ?? 'success'),
        )
      )
        stage.kept('deployments')
      else
        await stage.step(deployment, `the deployment to ${deployment.environment}`, async () => {
          const { environment, ref, status = 'success', author, at } = deployment
          const tag = world.tags?.some(({ name }) => name === ref) ?? false
          await stage.call(stage.as(author, at ?? world.at), 'POST /projects/:id/deployments', {
            id,
            environment,
            sha,
            ref,
            tag,
            status,
          })
          stage.made('deployments')
        })
    }
  }
}

/** Creates missing releases and their tags. */
export async function applyReleases(
  stage: Stage,
  world: WorldProject,
  id: number,
  history: History,
): Promise<void> {
  const { releases = [] } = world
  if (releases.length > 0) {
    const rows = await stage.all<{ tag_name: string }>('GET /projects/:id/releases', { id })
    for (const release of releases) {
      if (rows.some(({ tag_name }) => tag_name === release.tag)) stage.kept('releases')
      else
        await stage.step(release, `the release ${release.tag}`, async () => {
          const { tag: tag_name, ref, name, description, author, at, milestones, links } = release
          const ctx = stage.as(author, at)
          const assets = links && { links: links.map((link) => ({ ...link })) }
          await stage.call(ctx, 'POST /projects/:id/releases', {
            id,
            tag_name,
            ref: ref === undefined ? undefined : (history.idOf(ref) ?? ref),
            name,
            description,
            milestones,
            assets,
            released_at: ctx.now,
          })
          stage.made('releases')
        })
    }
  }
}
