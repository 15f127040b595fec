import type { Ctx } from '../../../ctx.ts'
import type { JobRow } from '../../ci/index.ts'
import { type UserBlock, userBlockOf } from './blocks/index.ts'
import * as store from './ci-store.ts'

/** Seconds between two moments, up to `now` while the second has not come; null without the first. */
export function seconds(from: string | null, to: string | null, now: string): number | null {
  return from === null ? null : Math.max(0, (Date.parse(to ?? now) - Date.parse(from)) / 1000)
}

/** Seconds that a job waited for a runner; null for one that never did. */
export function queuedSeconds(
  job: Pick<JobRow, 'queued_at' | 'started_at' | 'finished_at'>,
  now: string,
): number | null {
  return seconds(job.queued_at, job.started_at ?? job.finished_at, now)
}

/** States in which a pipeline or job has ended. */
const OVER = new Set(['success', 'failed', 'canceled', 'skipped'])
/** States in which it has begun. */
const BEGUN = new Set([...OVER, 'running', 'canceling'])

/** Times of a pipeline or job as they were when it had that status: it may have gone on since. */
export function timesAt<Row extends { started_at: string | null; finished_at: string | null }>(
  row: Row,
  status: string,
): Row {
  return {
    ...row,
    started_at: BEGUN.has(status) ? row.started_at : null,
    finished_at: OVER.has(status) ? row.finished_at : null,
  }
}

/** A runner in an event (spec administration 3.8, RU). */
export function runnerBlock(row: store.RunnerRow | undefined) {
  if (!row) return null
  return {
    id: row.id,
    description: row.description,
    runner_type: row.runner_type,
    active: !row.paused,
    is_shared: row.runner_type === 'instance_type',
    tags: JSON.parse(row.tag_list) as string[],
  }
}

/** What jobs name, read at once however many they are. */
export interface JobParts {
  runner(job: JobRow): ReturnType<typeof runnerBlock>
  user(job: JobRow): UserBlock | null
  /** Where a job deploys to, or null. */
  environment(job: JobRow): { name: string; action: string | null; deployment_tier: string | null } | null
  /** Name and size of the archive; both null without one. */
  archive(job: JobRow): { filename: string | null; size: number | null }
}

/** Runners, users, environments and archives of jobs of one project. */
export function partsOf(ctx: Ctx, projectId: number, jobs: readonly JobRow[]): JobParts {
  const { db } = ctx
  const runners = store.runners(
    db,
    jobs.flatMap((job) => job.runner_id ?? []),
  )
  const users = new Map([...new Set(jobs.map((job) => job.user_id))].map((id) => [id, userBlockOf(ctx, id)]))
  const tiers = store.tiers(
    db,
    projectId,
    jobs.flatMap((job) => job.environment ?? []),
  )
  const archives = store.archives(
    db,
    jobs.map((job) => job.id),
  )
  return {
    runner: (job) => runnerBlock(runners.get(job.runner_id ?? 0)),
    user: (job) => users.get(job.user_id) ?? null,
    environment: ({ environment: name, environment_action: action }) =>
      name === null ? null : { name, action, deployment_tier: tiers.get(name) ?? null },
    archive(job) {
      const found = archives.get(job.id)
      return { filename: found?.filename ?? null, size: found?.size ?? null }
    },
  }
}
