import { jobById, readTrace } from '../../../ci/index.ts'
import type { Project } from '../../../projects/index.ts'
import type { WorldJob, WorldPipeline, WorldProject } from '../model/schema.ts'
import type { Content } from './history.ts'
import type { HistoryWriter } from './history-text.ts'
import type { Planning } from './issues.ts'
import { scriptOutput } from '../apply/logs.ts'
import type { Permissions } from './permissions.ts'
import { type Entry, list, type WorldWriter, text, time } from './world-writer.ts'
import type { YamlOutput } from './yaml-output.ts'
import * as store from './store-ci-and-releases.ts'

type WorldEnvironment = NonNullable<WorldProject['environments']>[number]
type WorldDeployment = NonNullable<WorldProject['deployments']>[number]
type WorldRelease = NonNullable<WorldProject['releases']>[number]

/** The maximum number of pipelines of a project; older ones are left out. */
const MAX_PIPELINES = 500
const AT_ONCE = 50
/** The maximum length of a log in characters. Of a longer log only the end is written. */
const MAX_LOG = 64 * 1024
const DAY_SECONDS = 86_400
const SOURCES = ['push', 'web', 'api', 'schedule'] as const

export interface ProjectSource {
  readonly project: Project
  readonly path: string
  readonly permissions: Permissions
  readonly content: Content
}

/** The tips of the branches and tags of a project. */
export function refsOf({ branches, tags, plan }: Content): Map<string, string> {
  const steps = new Set(plan.steps.map(({ id }) => id))
  const tips = new Map(
    [...branches].filter(([name]) => plan.names.has(name) && !plan.movedBranches.includes(name)),
  )
  for (const { name, commit } of tags) {
    if (commit === null || !steps.has(commit)) continue
    // A pipeline does not record whether it ran for the branch or the tag of this name, so the name is left out.
    if (tips.has(name)) tips.delete(name)
    else tips.set(name, commit)
  }
  return tips
}

/** Pipelines that a world can describe, oldest first. */
export function pipelinesOf(
  writer: WorldWriter,
  { project, path, content }: ProjectSource,
): store.PipelineRow[] {
  const rows = store.pipelines(writer.ctx.db, project.id, MAX_PIPELINES + 1)
  if (rows.length > MAX_PIPELINES)
    writer.omissions.add(`projects with more than ${MAX_PIPELINES} pipelines; the newest are here`, path)
  const refs = refsOf(content)
  const steps = new Set(content.plan.steps.map(({ id }) => id))
  return rows.slice(-MAX_PIPELINES).filter((row) => {
    const isSupported = (SOURCES as readonly string[]).includes(row.source)
    if (isSupported && refs.has(row.ref) && steps.has(row.sha)) return true
    const kind = isSupported
      ? 'pipelines of branches, tags or commits that are not here'
      : 'pipelines that were not started by a push, schedule or user'
    writer.omissions.add(kind, `${path} ${row.ref}`)
    return false
  })
}

export async function writePipelines(
  writer: WorldWriter,
  output: YamlOutput,
  source: ProjectSource,
  { rows, history }: { rows: readonly store.PipelineRow[]; history: HistoryWriter },
): Promise<void> {
  const { permissions, content, project } = source
  const refs = refsOf(content)
  if (rows.length > 0) output.open('pipelines:', '    ')
  for (let at = 0; at < rows.length && !output.isFull; at += AT_ONCE) {
    const batch = rows.slice(at, at + AT_ONCE)
    const jobs = Map.groupBy(
      store.jobs(
        writer.ctx.db,
        batch.map(({ id }) => id),
      ),
      (job) => job.pipeline_id,
    )
    for (const row of batch) {
      const mayCreate =
        row.ref === project.default_branch
          ? permissions.mayMerge(row.user_id, row.ref)
          : permissions.mayPush(row.user_id)
      const entry: Entry<WorldPipeline> = {
        ref: row.ref,
        commit: refs.get(row.ref) === row.sha ? undefined : history.nameOf(row.sha),
        source: row.source === 'push' ? undefined : (row.source as (typeof SOURCES)[number]),
        author: mayCreate ? writer.name(row.user_id) : writer.writerName,
        at: time(row.created_at),
        jobs: await jobsOf(writer, jobs.get(row.id) ?? [], source.path),
      }
      await output.entry('-', entry, '      ')
    }
  }
}

async function jobsOf(
  writer: WorldWriter,
  jobs: readonly store.JobRow[],
  path: string,
): Promise<WorldPipeline['jobs']> {
  const entries: [string, WorldJob][] = []
  for (const job of jobs) {
    if (job.name === '' || job.name.length > 255)
      writer.omissions.add('jobs with names that are too long', path)
    else {
      const entry = await jobOf(writer, job, jobs)
      if (entry) entries.push([job.name, entry])
    }
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

async function jobOf(
  writer: WorldWriter,
  job: store.JobRow,
  jobs: readonly store.JobRow[],
): Promise<WorldJob | undefined> {
  const { status } = job
  if (status === 'pending' || status === 'preparing' || status === 'waiting_for_resource')
    return { status: 'pending' }
  const result = status === 'canceling' ? 'canceled' : status
  if (result !== 'success' && result !== 'failed' && result !== 'running' && result !== 'canceled')
    return undefined
  // A job that was canceled before it started does not start in the world.
  if (job.started_at === null && !couldStart(job, jobs)) return undefined
  const exit_code = job.exit_code ?? 1
  const log = await logOf(writer, job)
  const seconds = Math.round((Date.parse(job.finished_at ?? '') - Date.parse(job.started_at ?? '')) / 1000)
  return {
    // A job that waits for a user runs only if the world has a result for it.
    ...(result === 'success' && job.when !== 'manual' ? {} : { status: result }),
    ...(result === 'running' ? {} : { seconds: Math.min(Math.max(seconds || 0, 0), DAY_SECONDS) }),
    ...(result === 'failed' && exit_code !== 1 ? { exit_code } : {}),
    ...optional('log', scriptOutput(log, { job: job.name, stage: job.stage, status: result, exit_code })),
  }
}

/** True if no job of an earlier stage prevented the start of the job. */
function couldStart(job: store.JobRow, jobs: readonly store.JobRow[]): boolean {
  return jobs.every(
    (other) =>
      other.stage_index >= job.stage_index ||
      other.status === 'success' ||
      (other.status === 'failed' && other.allow_failure),
  )
}

function optional<K extends string, V>(key: K, value: V | undefined): { [Key in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [Key in K]?: V }
}

async function logOf(writer: WorldWriter, { id, trace_size }: store.JobRow): Promise<string> {
  const row = jobById(writer.ctx.db, id)
  if (!row) return ''
  const start = Math.max(0, trace_size - MAX_LOG)
  const { body } = await readTrace(writer.ctx, row, { start })
  const chunks: Buffer[] = []
  if (Buffer.isBuffer(body)) chunks.push(body)
  else for await (const chunk of body) chunks.push(chunk as Buffer)
  const log = Buffer.concat(chunks).toString('utf8')
  if (start === 0) return log
  writer.omissions.add(`beginnings of logs longer than ${MAX_LOG / 1024} kB`)
  return log.slice(log.indexOf('\n') + 1)
}

export async function writeEnvironments(
  writer: WorldWriter,
  output: YamlOutput,
  source: ProjectSource,
): Promise<void> {
  const { db } = writer.ctx
  const { project, path, content, permissions } = source
  const environments = store.environments(db, project.id).flatMap((row): Entry<WorldEnvironment>[] => {
    if (!writer.checkName(row.name, 'environments', path) || (row.external_url?.length ?? 0) > 255) return []
    if (row.state !== 'available')
      writer.omissions.add('environments that are stopped', `${path} ${row.name}`)
    return [{ name: row.name, external_url: text(row.external_url), tier: row.tier }]
  })
  await output.list('environments', environments, '    ')
  const refs = refsOf(content)
  const deployments = store.deployments(db, project.id).flatMap((row): Entry<WorldDeployment>[] => {
    const { environment, ref, status } = row
    if (refs.get(ref) !== row.sha || status === 'skipped' || status === 'blocked') {
      writer.omissions.add('deployments of older commits', `${path} ${environment}`)
      return []
    }
    const author = permissions.mayPush(row.user_id) ? writer.name(row.user_id) : writer.writerName
    return [
      {
        environment,
        ref,
        author,
        at: time(row.created_at),
        status: status === 'success' ? undefined : status,
      },
    ]
  })
  await output.list('deployments', deployments, '    ')
}

export async function writeReleases(
  writer: WorldWriter,
  output: YamlOutput,
  source: ProjectSource,
  { planning, tags }: { planning: Planning; tags: ReadonlySet<string> },
): Promise<void> {
  const { db } = writer.ctx
  const { project, path, permissions } = source
  const releases = store.releases(db, project.id).flatMap((row): Entry<WorldRelease>[] => {
    if (!tags.has(row.tag)) {
      writer.omissions.add('releases of tags that are not here', `${path} ${row.tag}`)
      return []
    }
    const links = store.releaseLinks(db, row.id).filter(({ name, url, filepath, link_type }) => {
      if (filepath !== null || link_type !== 'other')
        writer.omissions.add('types and paths of release links', path)
      return writer.checkName(name, 'release links', path) && writer.checkName(url, 'release links', path)
    })
    return [
      {
        tag: row.tag,
        name: row.name === row.tag ? undefined : row.name.slice(0, 255),
        description: text(row.description),
        author: permissions.mayPush(row.author_id) ? writer.name(row.author_id) : writer.writerName,
        at: time(row.released_at),
        milestones: list(
          store.releaseMilestones(db, row.id).flatMap((milestone) => planning.milestone(milestone) ?? []),
        ),
        links: list(links.map(({ name, url }) => ({ name, url }))),
      },
    ]
  })
  await output.list('releases', releases, '    ')
}
