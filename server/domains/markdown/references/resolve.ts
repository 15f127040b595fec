import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { readCommits } from '../../../git/read/commits.ts'
import { findObject } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import type { Mark, ReferenceLink } from '../../../lib/markdown.ts'
import { canRead, hasAbility } from '../../../policy/ability.ts'
import {
  abilities,
  findProject,
  fullPath,
  type Project,
  project as scope,
  repoOf,
} from '../../projects/index.ts'
import {
  findMentions,
  findRecords,
  type ProjectReferences,
  type ReferenceTarget,
  type ReferenceTargets,
  keyOf,
  type TextContext,
  type ReferenceQuery,
  queryOf,
} from './find.ts'
import { firstIntegration } from './store.ts'
import { TRACKER_SLUGS, type TrackerSettings } from './trackers.ts'

/** The maximum number of commit names that are looked up in one project for one text. */
const MAX_NAMES = 100

/** Finds the commits and ranges of a project that a text refers to, if the reader may read its code. */
async function findCommits(ctx: Ctx, { project, queries }: ProjectReferences): Promise<ReferenceTargets> {
  const result: ReferenceTargets = new Map()
  const commits = queries.filter((reference) => reference.kind === 'commit')
  const ranges = queries.filter((reference) => reference.kind === 'range')
  if (commits.length + ranges.length === 0 || project.repository_state !== 'ready') return result
  if (!hasAbility(ctx, scope, abilities.read_code, project)) return result
  const names = [...commits.map((commit) => commit.name), ...ranges.flatMap(commitNamesOf)]
  const ids = await idsOf(repoOf(ctx, project), [...new Set(names)].slice(0, MAX_NAMES))
  const titles = await titlesOf(repoOf(ctx, project), commits, ids)
  for (const commit of commits) {
    const id = ids.get(commit.name)
    if (id) result.set(keyOf(project.id, commit), commitTarget(project, id, titles.get(id) ?? ''))
  }
  for (const range of ranges) {
    if (!commitNamesOf(range).every((end) => ids.has(end))) continue
    const title = `Commits ${commitNamesOf(range)[0]} through ${commitNamesOf(range)[1]}`
    const page = `${fullPath(project)}/-/compare/${range.name}`
    result.set(keyOf(project.id, range), { page, title, short: range.name, kind: 'commit_range' })
  }
  return result
}

function commitNamesOf(range: ReferenceQuery): string[] {
  return range.name.split(/\.{2,3}/)
}

/** Returns the full IDs of commits by their abbreviated IDs. Ignores branches with such names. */
async function idsOf(repo: Repo, names: readonly string[]): Promise<Map<string, string>> {
  const objects = await Promise.all(
    names.map(async (name) => {
      try {
        return { name, object: await findObject(repo, name, 'commit') }
      } catch {
        // The repository is damaged or being deleted. The text is shown without these links.
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
  commits: readonly ReferenceQuery[],
  ids: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const commitIds = [...new Set(commits.flatMap((reference) => ids.get(reference.name) ?? []))]
  if (commitIds.length === 0) return new Map()
  return new Map((await readCommits(repo, commitIds)).map((commit) => [commit.id, commit.title]))
}

function commitTarget(project: Project, id: string, title: string) {
  return { page: `${fullPath(project)}/-/commit/${id}`, title, short: id.slice(0, 8) }
}

/** The maximum number of other projects that are looked up for one text. */
const MAX_PROJECTS = 50

function projectsOf(
  ctx: Ctx,
  queries: readonly ReferenceQuery[],
  context: TextContext,
): Map<string | undefined, Project> {
  const paths = [...new Set(queries.map((reference) => reference.path))].filter((path) => path !== undefined)
  const projects = new Map<string | undefined, Project>()
  if (context.project) projects.set(undefined, context.project)
  for (const path of paths.slice(0, MAX_PROJECTS)) {
    const project = /^\d+$/.test(path) ? undefined : findProject(ctx, path)
    if (project && canRead(ctx, scope, project)) projects.set(path, project)
  }
  return projects
}

/**
 * Returns the links for the marks of a text, if their targets exist and the reader may see them. Runs a fixed number of
 * queries for each project, and looks up commits in git.
 */
export async function linksOf(
  ctx: Ctx,
  marks: readonly Mark[],
  context: TextContext,
): Promise<Map<Mark, ReferenceLink>> {
  const queries = new Map<Mark, ReferenceQuery>()
  for (const mark of marks) {
    const reference = queryOf(mark, context, ctx.config.url)
    if (reference) queries.set(mark, reference)
  }
  const projects = projectsOf(ctx, [...queries.values()], context)
  const result: ReferenceTargets = findMentions(ctx, [...queries.values()], context)
  for (const references of byProject([...queries.values()], projects)) {
    for (const [key, match] of findRecords(ctx, references)) result.set(key, match)
    for (const [key, match] of await findCommits(ctx, references)) result.set(key, match)
  }
  const links = new Map<Mark, ReferenceLink>()
  for (const [mark, reference] of queries) {
    const project = projects.get(reference.path)
    const target = result.get(keyOf(project?.id, reference))
    if (target) links.set(mark, linkOf(ctx, reference, target, context, project))
  }
  return links
}

function byProject(
  queries: readonly ReferenceQuery[],
  projects: ReadonlyMap<string | undefined, Project>,
): ProjectReferences[] {
  const groups = new Map<number, { project: Project; queries: ReferenceQuery[] }>()
  for (const reference of queries) {
    const project = projects.get(reference.path)
    if (!project) continue
    const group = groups.get(project.id) ?? { project, queries: [] }
    group.queries.push(reference)
    groups.set(project.id, group)
  }
  return [...groups.values()]
}

function linkOf(
  ctx: Ctx,
  query: ReferenceQuery,
  target: ReferenceTarget,
  context: TextContext,
  project: Project | undefined,
): ReferenceLink {
  const isElsewhere = project !== undefined && project.id !== context.project?.id && query.kind !== 'user'
  const path = isElsewhere ? pathFrom(project, context) : ''
  const comment = query.anchor === '' ? '' : ` (comment ${query.anchor.slice('#note_'.length)})`
  // A reference to a commit of another project is `group/project@sha`.
  const separator = path !== '' && query.kind === 'commit' ? '@' : ''
  return {
    href: `${ctx.config.url}/${target.page}${query.anchor}`,
    title: target.title,
    kind: target.kind ?? query.kind,
    color: target.color,
    text: `${path}${separator}${target.short}${comment}`,
  }
}

/** Returns the path of another project, or only its last segment for a project in the same namespace. */
function pathFrom(project: Project, context: TextContext): string {
  const isInNamespace = project.namespace_id === context.project?.namespace_id
  return isInNamespace ? project.path : fullPath(project)
}

/** Returns the settings of the external issue tracker of a project, of the first one if there are several. */
export function trackerSettingsOf(
  db: Database,
  projectId: number,
  hasOwnIssues: boolean,
): TrackerSettings | undefined {
  const row = firstIntegration(db, projectId, TRACKER_SLUGS)
  if (!row) return undefined
  return { slug: row.slug, settings: JSON.parse(row.properties) as Record<string, unknown>, hasOwnIssues }
}
