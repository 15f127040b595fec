import type { Ctx } from '../../ctx.ts'
import { readCommits, type Commit } from '../../git/read/commits.ts'
import { hasAbility } from '../../policy/ability.ts'
import { renderText } from '../markdown/index.ts'
import { milestoneAbilities, milestonesByIds, type MilestoneRow } from '../planning/index.ts'
import { projectAbilities, project as scope, projectsByIds, type Project } from '../projects/index.ts'
import { inRepository } from '../repository/index.ts'
import { usersById, type UserBasicRow } from '../users/index.ts'
import { linksOf } from './links/store.ts'
import { abilities } from './policy.ts'
import type { ReleaseLinkRow, ReleaseRow } from './types.ts'
import * as store from './store.ts'
import {
  type MilestoneStats,
  type ShortEvidence,
  belowGroup,
  list,
  ofProject,
  type Page,
  type ReleaseFilter,
} from './store.ts'
import type { Rows } from '../../db/rows.ts'
import { notFound } from '../../lib/fail.ts'

/** The reader's access to the releases of a project. */
export interface ReleaseRights {
  /** Whether the reader can read the code. Other readers do not see the tag, nor fields that contain it. */
  readonly canReadCode: boolean
  readonly canReadMilestones: boolean
  readonly canEdit: boolean
}

/** A release with the data of its entity. */
export interface ReleaseView {
  /** For the links of lists. */
  readonly id: number
  readonly release: ReleaseRow
  readonly project: Project
  readonly rights: ReleaseRights
  readonly author: UserBasicRow | undefined
  readonly commit: Commit | null
  readonly milestones: readonly { readonly row: MilestoneRow; readonly stats: MilestoneStats }[]
  readonly links: readonly ReleaseLinkRow[]
  readonly evidences: readonly ShortEvidence[]
  /** The description as HTML, if requested. */
  readonly description_html: string | undefined
}

/** The parameters that add fields to the answer. */
export interface ShowOptions {
  readonly include_html_description?: boolean | undefined
}

function rightsOf(ctx: Ctx, project: Project): ReleaseRights {
  return {
    canReadCode: hasAbility(ctx, scope, projectAbilities.read_code, project),
    canReadMilestones: hasAbility(ctx, scope, milestoneAbilities.read_milestone, project),
    canEdit: hasAbility(ctx, scope, abilities.update_release, project, true),
  }
}

/** Returns the commits of releases of one project. Empty if the repository cannot be read. */
async function commitsOf(ctx: Ctx, project: Project, rows: readonly ReleaseRow[]): Promise<Commit[]> {
  const ids = [...new Set(rows.flatMap((row) => row.sha ?? []))]
  if (ids.length === 0) return []
  return inRepository(ctx, project, (repo) => readCommits(repo, ids)).catch(() => [])
}

/** Loads the views of releases, in their order. Skips releases of deleted projects. */
export async function showReleases(
  ctx: Ctx,
  rows: readonly ReleaseRow[],
  options: ShowOptions = {},
): Promise<ReleaseView[]> {
  const owners = projectsByIds(ctx.db, [...new Set(rows.map((row) => row.project_id))])
  const projects = new Map(owners.map((project) => [project.id, project]))
  const rights = new Map(owners.map((project) => [project.id, rightsOf(ctx, project)]))
  const commits = await Promise.all(
    owners
      .filter((project) => rights.get(project.id)!.canReadCode)
      .map((project) =>
        commitsOf(
          ctx,
          project,
          rows.filter((row) => row.project_id === project.id),
        ),
      ),
  )
  const commitById = new Map(commits.flat().map((commit) => [commit.id, commit]))
  const related = relatedOf(ctx, rows)
  const views = rows.map(async (release): Promise<ReleaseView[]> => {
    const project = projects.get(release.project_id)
    if (!project) return []
    const html = options.include_html_description
      ? (await renderText(ctx, release.description ?? '', { project })).trimEnd()
      : undefined
    return [
      {
        id: release.id,
        release,
        project,
        rights: rights.get(project.id)!,
        commit: commitById.get(release.sha ?? '') ?? null,
        description_html: html,
        ...related(release),
      },
    ]
  })
  return (await Promise.all(views)).flat()
}

/** Loads users, milestones, links and evidence for releases. The result returns those of one release. */
function relatedOf({ db }: Ctx, rows: readonly ReleaseRow[]) {
  const ids = rows.map((row) => row.id)
  const authors = usersById(
    db,
    rows.flatMap((row) => row.author_id ?? []),
  )
  const links = linksOf(db, ids)
  const evidences = store.evidencesOf(db, ids)
  const byRelease = store.milestoneIdsOf(db, ids)
  const milestoneIds = [...new Set([...byRelease.values()].flat().map((entry) => entry.milestone_id))]
  const milestones = milestonesByIds(db, milestoneIds)
  const stats = store.milestoneStats(db, milestoneIds)
  return (release: ReleaseRow) => ({
    author: authors.get(release.author_id ?? 0),
    links: links.get(release.id) ?? [],
    evidences: evidences.get(release.id) ?? [],
    milestones: (byRelease.get(release.id) ?? []).flatMap(({ milestone_id }) => {
      const row = milestones.get(milestone_id)
      return row ? [{ row, stats: stats(milestone_id) }] : []
    }),
  })
}

/** Loads the view of one release. */
export async function showRelease(
  ctx: Ctx,
  row: ReleaseRow,
  options: ShowOptions = {},
): Promise<ReleaseView> {
  return (await showReleases(ctx, [row], options))[0]!
}

/** The parameters of a list of releases. */
export type ReleaseQuery = ShowOptions & ReleaseFilter

/** Returns one page of the releases of a project. */
export async function listReleases(
  ctx: Ctx,
  project: { readonly id: number },
  query: ReleaseQuery,
  page: Page,
): Promise<Rows<ReleaseView>> {
  const { rows, total } = list(ctx.db, ofProject(project.id, query), page)
  return { rows: await showReleases(ctx, rows, query), total }
}

/** Returns one page of the releases of the projects in a group that the viewer can read. */
export async function listGroupReleases(
  ctx: Ctx,
  group: { readonly id: number },
  page: Page,
): Promise<Rows<ReleaseView>> {
  const { rows, total } = list(ctx.db, belowGroup(ctx, group.id), page)
  return { rows: await showReleases(ctx, rows), total }
}

/** Returns the release of a tag. Throws 404 if the tag has none. */
export function findRelease(ctx: Ctx, project: { readonly id: number }, tag: string): ReleaseRow {
  const release = store.byTag(ctx.db, project.id, tag)
  if (!release) throw notFound()
  return release
}

/** Returns the latest release, which may be an upcoming one. Throws 404 if there is none. */
export function latestRelease(ctx: Ctx, project: { readonly id: number }): ReleaseRow {
  const release = store.latest(ctx.db, project.id)
  if (!release) throw notFound()
  return release
}
