import { type Database, jsonList } from '../../../db/database.ts'
import type { JobRow } from '../../ci/index.ts'

const NEWEST_ROW = {
  issue: 'SELECT id FROM issues WHERE project_id = ? AND confidential = 0 ORDER BY id DESC LIMIT 1',
  confidential_issue:
    'SELECT id FROM issues WHERE project_id = ? AND confidential = 1 ORDER BY id DESC LIMIT 1',
  merge_request: 'SELECT id FROM merge_requests WHERE project_id = ? ORDER BY id DESC LIMIT 1',
  pipeline: 'SELECT id FROM ci_pipelines WHERE project_id = ? ORDER BY id DESC LIMIT 1',
  job: `SELECT id FROM ci_jobs WHERE project_id = ? AND kind = 'job' ORDER BY id DESC LIMIT 1`,
  deployment: `SELECT id FROM deployments WHERE project_id = ?
    AND status IN ('running', 'success', 'failed', 'canceled') ORDER BY id DESC LIMIT 1`,
  release: 'SELECT id FROM releases WHERE project_id = ? ORDER BY id DESC LIMIT 1',
  feature_flag: 'SELECT id FROM feature_flags WHERE project_id = ? ORDER BY id DESC LIMIT 1',
} as const

/** The kinds of rows for test events. */
export type SampleKind = keyof typeof NEWEST_ROW

/** Returns the ID of the newest row of a kind in a project. Undefined if there is none. */
export function newest(db: Database, kind: SampleKind, projectId: number): number | undefined {
  return db.one<{ id: number }>(NEWEST_ROW[kind], projectId)?.id
}

/** Returns the newest user notes of a project. */
export function newestNotes(db: Database, projectId: number): number[] {
  const rows = db.many<{ id: number }>(
    'SELECT id FROM notes WHERE project_id = ? AND system = 0 ORDER BY id DESC LIMIT 20',
    projectId,
  )
  return rows.map((row) => row.id)
}

/** An awarded emoji, as stored. */
export interface AwardRow {
  readonly id: number
  readonly user_id: number
  readonly name: string
  readonly awardable_type: string
  readonly awardable_id: number
  readonly created_at: string
  readonly updated_at: string
}

/** Returns the newest emoji of an issue or merge request of a project, without confidential issues. */
export function newestAward(db: Database, projectId: number): AwardRow | undefined {
  return db.one<AwardRow>(
    `SELECT id, user_id, name, awardable_type, awardable_id, created_at, updated_at FROM award_emoji
     WHERE (awardable_type = 'Issue' AND awardable_id IN (
         SELECT id FROM issues WHERE project_id = ? AND confidential = 0))
       OR (awardable_type = 'MergeRequest' AND awardable_id IN (
         SELECT id FROM merge_requests WHERE project_id = ?))
     ORDER BY +id DESC LIMIT 1`,
    projectId,
    projectId,
  )
}

/** Lists the newest projects with code: of the instance, or of a group and its subgroups (`namespaceIds`). */
export function newestProjects(db: Database, namespaceIds: readonly number[] | null): number[] {
  const rows =
    namespaceIds === null
      ? db.many<{ id: number }>('SELECT id FROM projects WHERE empty_repo = 0 ORDER BY id DESC LIMIT 20')
      : db.many<{ id: number }>(
          `SELECT id FROM projects WHERE namespace_id IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT 20`,
          jsonList(namespaceIds),
        )
  return rows.map((row) => row.id)
}

/** Returns the newest direct membership of a group. */
export function newestMember(db: Database, groupId: number) {
  return db.one<{ user_id: number; access_level: number; expires_at: string | null }>(
    'SELECT user_id, access_level, expires_at FROM members WHERE namespace_id = ? ORDER BY id DESC LIMIT 1',
    groupId,
  )
}

/** Returns the newest direct subgroup of a group. */
export function newestSubgroup(db: Database, groupId: number): number | undefined {
  const sql = `SELECT id FROM namespaces WHERE parent_id = ? ORDER BY id DESC LIMIT 1`
  return db.one<{ id: number }>(sql, groupId)?.id
}

/** A token of a project or group, with its bot user. */
export interface ExpiringToken {
  readonly id: number
  readonly name: string
  readonly user_id: number
  readonly created_at: string
  /** The last day, `YYYY-MM-DD`. */
  readonly expires_at: string
  /** The owner: exactly one of the two is set. */
  readonly project_id: number | null
  readonly group_id: number | null
}

/** The columns of a runner that events show. */
export interface RunnerRow {
  readonly id: number
  readonly description: string | null
  readonly runner_type: string
  readonly paused: boolean
  readonly tag_list: string[]
}

/**
 * Returns the newest copies of a pipeline's CI jobs, ordered by stage, without trigger jobs and statuses of other
 * systems.
 */
export function latestJobs(db: Database, pipelineId: number): JobRow[] {
  return db.many<JobRow>(
    `SELECT * FROM ci_jobs WHERE pipeline_id = ? AND kind = 'job' AND retried = 0 ORDER BY stage_index, id`,
    pipelineId,
  )
}

/** Returns the CI jobs that a pipeline was created with: the oldest copy of each name. */
export function firstJobs(db: Database, pipelineId: number): JobRow[] {
  return db.many<JobRow>(
    `SELECT * FROM ci_jobs WHERE id IN (
       SELECT min(id) FROM ci_jobs WHERE pipeline_id = ? AND kind = 'job' GROUP BY name) ORDER BY stage_index, id`,
    pipelineId,
  )
}

/** Returns the names of a pipeline's stages, in their order. */
export function stagesOf(db: Database, pipelineId: number): string[] {
  const rows = db.many<{ stage: string }>(
    'SELECT stage FROM ci_jobs WHERE pipeline_id = ? GROUP BY stage ORDER BY min(stage_index), stage',
    pipelineId,
  )
  return rows.map((row) => row.stage)
}

/** Whether CI jobs of a pipeline failed that were allowed to fail. */
export function hasWarnings(db: Database, pipelineId: number): boolean {
  const row = db.one<{ found: number }>(
    `SELECT EXISTS (SELECT 1 FROM ci_jobs WHERE pipeline_id = ? AND retried = 0 AND allow_failure = 1
       AND status IN ('failed', 'canceled')) AS found`,
    pipelineId,
  )
  return row!.found === 1
}

/** Counts the earlier copies of a CI job. */
export function retriesOf(db: Database, job: JobRow): number {
  return db.one<{ count: number }>(
    'SELECT count(*) AS count FROM ci_jobs WHERE pipeline_id = ? AND name = ? AND retried = 1 AND id < ?',
    job.pipeline_id,
    job.name,
    job.id,
  )!.count
}

/** Returns runners by ID. */
export function runners(db: Database, ids: readonly number[]): Map<number, RunnerRow> {
  const rows = db.many<RunnerRow>(
    `SELECT id, description, runner_type, paused, tag_list FROM runners
     WHERE id IN (SELECT value FROM json_each(?))`,
    jsonList([...new Set(ids)]),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns the tiers of a project's environments, by name. */
export function tiers(db: Database, projectId: number, names: readonly string[]): Map<string, string> {
  const rows = db.many<{ name: string; tier: string }>(
    `SELECT name, tier FROM environments WHERE project_id = ? AND name IN (SELECT value FROM json_each(?))`,
    projectId,
    JSON.stringify([...new Set(names)]),
  )
  return new Map(rows.map((row) => [row.name, row.tier]))
}

/** Returns the artifact archives of CI jobs, by job. */
export function archives(
  db: Database,
  jobIds: readonly number[],
): Map<number, { readonly filename: string; readonly size: number }> {
  const rows = db.many<{ job_id: number; filename: string; size: number }>(
    `SELECT job_id, filename, size FROM ci_artifacts
     WHERE job_id IN (SELECT value FROM json_each(?)) AND file_type = 'archive'`,
    jsonList(jobIds),
  )
  return new Map(rows.map((row) => [row.job_id, row]))
}

/** A project owner in events. */
export interface OwnerRow {
  readonly name: string
  readonly public_email: string
}

/** Returns the users who own a project or one of its parent groups (`lineage`, a JSON array), by ID. */
export function projectOwners(
  db: Database,
  project: { readonly project_id: number; readonly lineage: string },
  today: string,
): OwnerRow[] {
  return db.many<OwnerRow>(
    `SELECT name, public_email FROM users WHERE kind = 'human' AND id IN (
       SELECT user_id FROM members
       WHERE project_id = ? AND access_level = 50 AND (expires_at IS NULL OR expires_at > ?)
       UNION SELECT user_id FROM members WHERE namespace_id IN (SELECT value FROM json_each(?))
         AND access_level = 50 AND (expires_at IS NULL OR expires_at > ?)) ORDER BY id LIMIT 100`,
    project.project_id,
    today,
    project.lineage,
    today,
  )
}

/** Returns the start of a user's direct membership in a project or group. */
export function memberSince(
  db: Database,
  {
    project_id,
    group_id,
    user_id,
  }: { project_id?: number | undefined; group_id?: number | undefined; user_id: number },
): string | undefined {
  const [column, id] = project_id === undefined ? ['namespace_id', group_id] : ['project_id', project_id]
  const sql = `SELECT created_at FROM members WHERE ${column} = ? AND user_id = ?`
  return db.one<{ created_at: string }>(sql, id ?? 0, user_id)?.created_at
}

/**
 * Lists access tokens of project and group bots that expire after `today` and until `until`, and had no event about it
 * yet.
 */
export function expiringTokens(db: Database, today: string, until: string): ExpiringToken[] {
  return db.many<ExpiringToken>(
    `SELECT t.id, t.name, t.user_id, t.created_at, t.expires_at, u.bot_project_id AS project_id,
       u.bot_namespace_id AS group_id
     FROM users u JOIN personal_access_tokens t ON t.user_id = u.id
     WHERE u.kind = 'project_bot' AND t.revoked = 0 AND t.expires_at > ? AND t.expires_at <= ?
       AND NOT EXISTS (SELECT 1 FROM hook_announced_tokens h WHERE h.token_id = t.id)
     ORDER BY t.id LIMIT 1000`,
    today,
    until,
  )
}

/** Records that the expiry of a token had its event. */
export function markAnnounced(db: Database, tokenId: number, now: string): void {
  db.exec('INSERT INTO hook_announced_tokens (token_id, announced_at) VALUES (?, ?)', tokenId, now)
}
