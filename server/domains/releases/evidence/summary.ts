import type { Ctx } from '../../../ctx.ts'
import { milestonesByIds } from '../../planning/index.ts'
import { featureLevel, fullPath, type Project } from '../../projects/index.ts'
import type { ReleaseRow } from '../release.ts'
import * as store from './store.ts'

/** `2026-11-22 09:30:00 UTC`; days are their first moment. */
function utc(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19) || '00:00:00'} UTC`
}

const utcOrNull = (time: string | null): string | null => (time === null ? null : utc(time))

function milestonesOf({ db }: Ctx, project: Project, release: ReleaseRow) {
  const ids = store.milestoneIds(db, release.id)
  const found = milestonesByIds(db, ids)
  const rows = ids.flatMap((id) => found.get(id) ?? [])
  const issues =
    featureLevel(project, 'issues') === 'disabled' ? [] : store.issuesOf(db, project.id, release.id)
  const authors = store.authors(
    db,
    issues.flatMap((issue) => issue.author_id ?? []),
  )
  const shownIssue = (issue: store.EvidentIssue) => ({
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
    issues: issues.filter((issue) => issue.milestone_id === row.id).map(shownIssue),
  }))
}

/** What a release is made of at this moment, as text (spec administration 4.4). `jobs`: those that left reports. */
export function summaryOf(ctx: Ctx, project: Project, release: ReleaseRow, jobs: readonly number[]): string {
  const jobsAt = `${ctx.config.url}/${fullPath(project)}/-/jobs`
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
      report_artifacts: jobs.map((job) => ({ url: `${jobsAt}/${job}/artifacts/download` })),
    },
  })
}
