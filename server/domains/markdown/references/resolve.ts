import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { readCommits } from '../../../git/read/commits.ts'
import { findObject } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import type { Mark, ReferenceLink } from '../../../lib/markdown.ts'
import { canRead, isAble } from '../../../policy/ability.ts'
import {
  abilities,
  findProject,
  fullPath,
  type Project,
  project as scope,
  repoOf,
} from '../../projects/index.ts'
import {
  findPeople,
  findPlanned,
  type ProjectReferences,
  type ReferenceTarget,
  type ReferenceTargets,
  keyOf,
  type TextContext,
  type WantedReference,
  wantedBy,
} from './find.ts'
import { firstIntegration } from './store.ts'
import { TRACKER_SLUGS, type TrackerSettings } from './trackers.ts'

/** Maximum number of commit names that are looked up in one project for one text. */
const MAX_NAMES = 100

/** Commits and ranges that a text names in a project, if the reader may read its code. */
async function findCommits(ctx: Ctx, { project, wanted }: ProjectReferences): Promise<ReferenceTargets> {
  const result: ReferenceTargets = new Map()
  const commits = wanted.filter((reference) => reference.kind === 'commit')
  const ranges = wanted.filter((reference) => reference.kind === 'range')
  if (commits.length + ranges.length === 0 || project.repository_state !== 'ready') return result
  if (!isAble(ctx, scope, abilities.read_code, project)) return result
  const names = [...commits.map((commit) => commit.name), ...ranges.flatMap(endsOf)]
  const ids = await idsOf(repoOf(ctx, project), [...new Set(names)].slice(0, MAX_NAMES))
  const titles = await titlesOf(repoOf(ctx, project), commits, ids)
  for (const commit of commits) {
    const id = ids.get(commit.name)
    if (id) result.set(keyOf(project.id, commit), commitTarget(project, id, titles.get(id) ?? ''))
  }
  for (const range of ranges) {
    if (!endsOf(range).every((end) => ids.has(end))) continue
    const title = `Commits ${endsOf(range)[0]} through ${endsOf(range)[1]}`
    const page = `${fullPath(project)}/-/compare/${range.name}`
    result.set(keyOf(project.id, range), { page, title, short: range.name, kind: 'commit_range' })
  }
  return result
}

function endsOf(range: WantedReference): string[] {
  return range.name.split(/\.{2,3}/)
}

/** Full ids of commits by their abbreviated ids. Branches with such names do not count. */
async function idsOf(repo: Repo, names: readonly string[]): Promise<Map<string, string>> {
  const objects = await Promise.all(
    names.map(async (name) => {
      try {
        return { name, object: await findObject(repo, name, 'commit') }
      } catch {
        // The repository is damaged or being deleted: show the text without these links.
        return { name, object: null }
      }
    }),
  )
  return new Map(
    objects.flatMap(({ name, object }) =>
      object?.oid.startsWith(name) ? [[name, object.oid] as const] : [],
    ),
  )
}

async function titlesOf(
  repo: Repo,
  commits: readonly WantedReference[],
  ids: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const commitIds = [...new Set(commits.flatMap((reference) => ids.get(reference.name) ?? []))]
  if (commitIds.length === 0) return new Map()
  return new Map((await readCommits(repo, commitIds)).map((commit) => [commit.id, commit.title]))
}

function commitTarget(project: Project, id: string, title: string) {
  return { page: `${fullPath(project)}/-/commit/${id}`, title, short: id.slice(0, 8) }
}

/** Maximum number of other projects that are looked up for one text. */
const MAX_PROJECTS = 50

function projectsOf(
  ctx: Ctx,
  wanted: readonly WantedReference[],
  context: TextContext,
): Map<string | undefined, Project> {
  const paths = [...new Set(wanted.map((reference) => reference.path))].filter((path) => path !== undefined)
  const projects = new Map<string | undefined, Project>()
  if (context.project) projects.set(undefined, context.project)
  for (const path of paths.slice(0, MAX_PROJECTS)) {
    const project = /^\d+$/.test(path) ? undefined : findProject(ctx, path)
    if (project && canRead(ctx, scope, project)) projects.set(path, project)
  }
  return projects
}

/**
 * Links for the marks of a text, if their targets exist and are visible to the reader. The number of queries is fixed
 * for each named project; commits are looked up in git.
 */
export async function linksOf(
  ctx: Ctx,
  marks: readonly Mark[],
  context: TextContext,
): Promise<Map<Mark, ReferenceLink>> {
  const wanted = new Map<Mark, WantedReference>()
  for (const mark of marks) {
    const reference = wantedBy(mark, context, ctx.config.url)
    if (reference) wanted.set(mark, reference)
  }
  const projects = projectsOf(ctx, [...wanted.values()], context)
  const result: ReferenceTargets = findPeople(ctx, [...wanted.values()], context)
  for (const asked of byProject([...wanted.values()], projects)) {
    for (const [key, match] of findPlanned(ctx, asked)) result.set(key, match)
    for (const [key, match] of await findCommits(ctx, asked)) result.set(key, match)
  }
  const links = new Map<Mark, ReferenceLink>()
  for (const [mark, reference] of wanted) {
    const project = projects.get(reference.path)
    const target = result.get(keyOf(project?.id, reference))
    if (target) links.set(mark, linkOf(ctx, reference, target, context, project))
  }
  return links
}

function byProject(
  wanted: readonly WantedReference[],
  projects: ReadonlyMap<string | undefined, Project>,
): ProjectReferences[] {
  const groups = new Map<number, { project: Project; wanted: WantedReference[] }>()
  for (const reference of wanted) {
    const project = projects.get(reference.path)
    if (!project) continue
    const group = groups.get(project.id) ?? { project, wanted: [] }
    group.wanted.push(reference)
    groups.set(project.id, group)
  }
  return [...groups.values()]
}

function linkOf(
  ctx: Ctx,
  wanted: WantedReference,
  target: ReferenceTarget,
  context: TextContext,
  project: Project | undefined,
): ReferenceLink {
  const isElsewhere = project !== undefined && project.id !== context.project?.id && wanted.kind !== 'user'
  const path = isElsewhere ? pathFrom(project, context) : ''
  const comment = wanted.anchor === '' ? '' : ` (comment ${wanted.anchor.slice('#note_'.length)})`
  // Commits of other projects are written as `group/project@sha`.
  const joint = path !== '' && wanted.kind === 'commit' ? '@' : ''
  return {
    href: `${ctx.config.url}/${target.page}${wanted.anchor}`,
    title: target.title,
    kind: target.kind ?? wanted.kind,
    color: target.color,
    text: `${path}${joint}${target.short}${comment}`,
  }
}

/** The path of another project; only its last part for the same namespace. */
function pathFrom(project: Project, context: TextContext): string {
  const isNeighbour = project.namespace_id === context.project?.namespace_id
  return isNeighbour ? project.path : fullPath(project)
}

/** The settings of a project's external issue tracker; of the first one if there are several. */
export function trackerSettingsOf(
  db: Database,
  projectId: number,
  hasOwnIssues: boolean,
): TrackerSettings | undefined {
  const row = firstIntegration(db, projectId, TRACKER_SLUGS)
  if (!row) return undefined
  return { slug: row.slug, settings: JSON.parse(row.properties) as Record<string, unknown>, hasOwnIssues }
}
