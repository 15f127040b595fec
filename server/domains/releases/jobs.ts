import { createHash } from 'node:crypto'
import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { tx, type Database } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { enqueue, job } from '../../jobs/job.ts'
import { jobById, keepArtifacts, newestPipelineOf } from '../ci/index.ts'
import { milestonesByIds } from '../planning/index.ts'
import { featureLevel, fullPath, projectById, type Project } from '../projects/index.ts'
import { EvidenceCollected } from './events.ts'
import { isHistorical, isUpcoming, type ReleaseRow } from './types.ts'
import * as releases from './store.ts'
import * as store from './store-evidence.ts'

/** Formats a time as `2026-11-22 09:30:00 UTC`. The time of a date is midnight. */
function utc(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19) || '00:00:00'} UTC`
}

const utcOrNull = (time: string | null): string | null => (time === null ? null : utc(time))

function milestonesOf({ db }: Ctx, project: Project, release: ReleaseRow) {
  const ids = store.milestoneIds(db, release.id)
  const milestones = milestonesByIds(db, ids)
  const rows = ids.flatMap((id) => milestones.get(id) ?? [])
  const issues =
    featureLevel(project, 'issues') === 'disabled' ? [] : store.issuesOf(db, project.id, release.id)
  const authors = store.authors(
    db,
    issues.flatMap((issue) => issue.author_id ?? []),
  )
  const presentIssue = (issue: store.EvidenceIssue) => ({
    id: issue.id,
    title: issue.title,
    description: issue.description,
    author: authors.get(issue.author_id ?? 0) ?? null,
    state: issue.state,
    iid: issue.iid,
    confidential: false,
    created_at: utc(issue.created_at),
    due_date: utcOrNull(issue.due_date),
  })
  return rows.map((row) => ({
    id: row.id,
    title: row.title,
    description: row.description,
    state: row.state,
    iid: row.iid,
    created_at: utc(row.created_at),
    due_date: utcOrNull(row.due_date),
    issues: issues.filter((issue) => issue.milestone_id === row.id).map(presentIssue),
  }))
}

/** Returns the current evidence of a release as JSON (spec administration 4.4). `jobs` are the IDs of jobs with reports. */
function summaryOf(ctx: Ctx, project: Project, release: ReleaseRow, jobs: readonly number[]): string {
  const jobsUrl = `${ctx.config.url}/${fullPath(project)}/-/jobs`
  const { id, name, description, created_at } = project
  return JSON.stringify({
    release: {
      id: release.id,
      tag_name: release.tag,
      name: release.name,
      description: release.description,
      created_at: utc(release.created_at),
      project: { id, name, description, created_at: utc(created_at) },
      milestones: milestonesOf(ctx, project, release),
      report_artifacts: jobs.map((job) => ({ url: `${jobsUrl}/${job}/artifacts/download` })),
    },
  })
}

const args = { release_id: z.number(), pipeline_id: z.number().nullable(), is_asked: z.boolean() }

export const evidenceJob = job('releases.collect_evidence', { args }, collectEvidence)

/** Enqueues the collection of evidence at the release date. `pipeline_id` is the pipeline with the reports, if known. */
export function scheduleEvidence(ctx: Ctx, release: ReleaseRow, pipeline_id: number | null): void {
  if (isHistorical(release)) return
  const delay = Math.max(0, Date.parse(release.released_at) - Date.parse(ctx.now))
  const pipelineId = delay > 0 ? null : pipeline_id
  enqueue(ctx, evidenceJob, { release_id: release.id, pipeline_id: pipelineId, is_asked: false }, { delay })
}

/** Enqueues the collection of evidence now, even if evidence exists. */
export function requestEvidence(ctx: Ctx, release: ReleaseRow): void {
  enqueue(
    ctx,
    evidenceJob,
    { release_id: release.id, pipeline_id: null, is_asked: true },
    { once: `releases.evidence:${release.id}` },
  )
}

export const jobs = [evidenceJob]

/** The arguments of the job. */
interface EvidenceTask {
  readonly release_id: number
  /** The pipeline with the reports; null for the newest pipeline of the commit. */
  readonly pipeline_id: number | null
  /** Whether a user requested the evidence. The job then collects it even if evidence exists. */
  readonly is_asked: boolean
}

/**
 * Collects the evidence of a release, and keeps the reports of its pipeline. Without a request of a user, this happens
 * only once, at the release date, and not for historical releases.
 */
function collectEvidence(ctx: Ctx, task: EvidenceTask): void {
  tx(ctx.db, () => {
    const release = releases.byId(ctx.db, task.release_id)
    const project = release && projectById(ctx.db, release.project_id)
    if (!release || !project) return
    const isDue = !isUpcoming(release, ctx.now) && !isHistorical(release) && !store.exists(ctx.db, release.id)
    if (!task.is_asked && !isDue) return
    const pipeline = task.pipeline_id ?? newestPipeline(ctx.db, project.id, release.sha)
    const jobs = pipeline === null ? [] : store.jobsWithReports(ctx.db, pipeline)
    const summary = summaryOf(ctx, project, release, jobs)
    const sha = createHash('sha256').update(summary).digest('hex')
    const row = store.insert(ctx.db, { release_id: release.id, sha, summary, collected_at: ctx.now })
    for (const id of jobs) keepArtifacts(ctx, jobById(ctx.db, id)!)
    publish(ctx, EvidenceCollected, {
      project_id: project.id,
      release_id: release.id,
      tag: release.tag,
      actor_id: ctx.actor.id,
      evidence_id: row.id,
    })
  })
}

/** Returns the ID of the newest pipeline of a commit. Null if it has none. */
export function newestPipeline(db: Database, projectId: number, sha: string | null): number | null {
  return sha === null ? null : (newestPipelineOf(db, projectId, sha)?.id ?? null)
}
