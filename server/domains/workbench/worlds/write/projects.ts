import { inRepository, projectById, sharedColumns, type Project } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import type { World, WorldProject } from '../model/schema.ts'
import { pipelinesOf, refsOf, writeEnvironments, writePipelines, writeReleases } from './ci-and-releases.ts'
import { readContent } from './history.ts'
import { HistoryWriter } from './history-text.ts'
import { Planning, writeIssues } from './issues.ts'
import { ownerContentOf, runnersOf, type OwnerContent } from './owners.ts'
import type { Authors } from './people.ts'
import { inOrder, MergeRequestsWriter, namesOfRequests, requestsOf } from './merge-requests.ts'
import { writeHooks, writeWiki } from './hooks-and-wiki.ts'
import { Permissions } from './permissions.ts'
import { type Entry, list, type Members, type WorldWriter, text, time } from './world-writer.ts'
import type { YamlOutput } from './yaml-output.ts'
import * as store from './store.ts'

/** Groups of the world by path, with the data that their projects inherit. */
export type Groups = ReadonlyMap<
  string,
  { members: Members | undefined; labels: string[]; milestones: string[] }
>

const INDENT = '    '

/** Writes a project with its content. */
export async function writeProject(
  writer: WorldWriter,
  output: YamlOutput,
  { id, path, groups, authors }: { id: number; path: string; groups: Groups; authors: Authors },
): Promise<void> {
  const project = projectById(writer.ctx.db, id)
  // The project may have been deleted since the writing began.
  if (!project) return
  const parts = path.split('/').slice(0, -1)
  const groupsAbove = parts.flatMap((_, index) => groups.get(parts.slice(0, index + 1).join('/')) ?? [])
  const content = await ownerContentOf(writer, { kind: 'project', id }, path)
  const { default_branch_protection } = settingsOf(writer.ctx)
  const members = [...groupsAbove.map((group) => group.members), content.members]
  const permissions = new Permissions(writer, project, members, default_branch_protection)
  const head = headOf(writer, project, { path, content, permissions })
  output.begin(head, '  ')
  const planning = new Planning(writer, path, {
    labels: [...content.labels.map(({ name }) => name!), ...groupsAbove.flatMap(({ labels }) => labels)],
    milestones: [
      ...content.milestones.map(({ title }) => title!),
      ...groupsAbove.flatMap(({ milestones }) => milestones),
    ],
  })
  await output.list('labels', content.labels, INDENT)
  await output.list('milestones', content.milestones, INDENT)
  await output.list('variables', content.variables, INDENT)
  await output.list('runners', runnersOf(writer, { id, path }), INDENT)
  await writeCode(writer, output, { project, path, permissions, planning, head, authors })
  await writeHooks(writer, output, { id, path })
  await writeWiki(writer, output, { id, path })
}

function headOf(
  writer: WorldWriter,
  project: Project,
  { path, content, permissions }: { path: string; content: OwnerContent; permissions: Permissions },
): Entry<WorldProject> {
  const { name, visibility, default_branch } = project
  const { default_branch_name, restricted_visibility_levels } = settingsOf(writer.ctx)
  const fallback = default_branch_name || 'main'
  const isRestricted = (restricted_visibility_levels as readonly string[]).includes(visibility)
  const mayCreate = permissions.mayCreate(project.creator_id) && !isRestricted
  const topics = (JSON.parse(project.topics) as string[]).filter(
    (topic) => !topic.includes(',') && topic.length < 256,
  )
  const starrers = store.starrers(writer.ctx.db, project.id).filter((starrer) => permissions.mayStar(starrer))
  return {
    path,
    name: name === project.path ? undefined : name,
    description: text(project.description),
    visibility,
    creator: mayCreate ? writer.name(project.creator_id) : writer.writerName,
    at: time(project.created_at),
    default_branch: default_branch === fallback && fallback === 'main' ? undefined : default_branch,
    topics: list(topics),
    archived: project.archived || undefined,
    settings: settingsFor(writer, project),
    members: content.members,
    stars: writer.names(starrers),
  }
}

/** Settings that are left out, because they have their own keys in a world or concern only this instance. */
const EXCLUDED_SETTINGS = new Set([
  'description',
  'visibility',
  'repository_storage',
  'mirror',
  'mirror_trigger_builds',
])

/** Settings that differ from those of a new project. */
function settingsFor(writer: WorldWriter, project: Project): World['settings'] {
  const defaults = writer.projectDefaults
  const { shared_runners_enabled, default_ci_config_path } = settingsOf(writer.ctx)
  const special: Readonly<Record<string, unknown>> = {
    pages_access_level: project.visibility === 'private' ? 'private' : 'enabled',
    shared_runners_enabled,
    ci_config_path: default_ci_config_path,
  }
  const settings: Record<string, string | number | boolean | null> = {}
  for (const name of Object.keys(sharedColumns)) {
    if (EXCLUDED_SETTINGS.has(name)) continue
    const value = project[name as keyof Project] as string | number | boolean | null
    const fallback = name in special ? special[name] : parseDefault(defaults.get(name) ?? null, typeof value)
    if (value !== fallback && !(value === null && name === 'ci_config_path')) settings[name] = value
  }
  return Object.keys(settings).length === 0 ? undefined : settings
}

/** The value of a column's default, which SQLite returns as SQL. */
function parseDefault(text: string | null, type: string): unknown {
  if (text === null || text.toUpperCase() === 'NULL') return null
  const [, quoted] = /^'(.*)'$/s.exec(text) ?? []
  if (quoted !== undefined) return quoted.replaceAll("''", "'")
  return type === 'boolean' ? text === '1' : Number(text)
}

interface Code {
  readonly project: Project
  readonly path: string
  readonly permissions: Permissions
  readonly planning: Planning
  readonly head: Entry<WorldProject>
  readonly authors: Authors
}

async function writeCode(writer: WorldWriter, output: YamlOutput, code: Code): Promise<void> {
  const { project, path, permissions, planning, head, authors } = code
  if (project.issues_access_level !== 'disabled') await writeIssues(writer, output, code)
  await inRepository(writer.ctx, project, async (repo) => {
    const requests = project.merge_requests_access_level === 'disabled' ? [] : requestsOf(writer, code)
    const content = await readContent(writer, project, repo, { path, requests })
    const sortedRequests = inOrder(writer, path, requests, content.plan)
    const source = { project, path, permissions, content }
    const pipelines = project.builds_access_level === 'disabled' ? [] : pipelinesOf(writer, source)
    const refs = refsOf(content)
    const history = new HistoryWriter(
      writer,
      content,
      {
        path,
        main: project.default_branch,
        at: head.at,
        creator: head.creator,
        requestNames: namesOfRequests(sortedRequests),
      },
      {
        authors,
        others: pipelines.filter(({ ref, sha }) => refs.get(ref) !== sha).map(({ sha }) => sha),
      },
    )
    await history.write(output, INDENT)
    const tags = await history.tags(repo, permissions)
    await output.list('tags', tags, INDENT)
    await new MergeRequestsWriter(writer, code, content, repo).write(output, sortedRequests)
    await writePipelines(writer, output, source, { rows: pipelines, history })
    await writeEnvironments(writer, output, source)
    await writeReleases(writer, output, source, { planning, tags: new Set(tags.map(({ name }) => name!)) })
  })
}
