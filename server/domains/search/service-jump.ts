import type { Ctx } from '../../ctx.ts'
import { resolveCommit } from '../../git/read/revisions.ts'
import { listTree } from '../../git/read/tree.ts'
import { listBranches } from '../../git/write/refs.ts'
import { hasAbility } from '../../policy/ability.ts'
import type { MergeRequestRow } from '../merge_requests/index.ts'
import { findIssuables, type IssuableName, type IssueRow, type IssuableScope } from '../planning/index.ts'
import {
  findProject,
  fullPath,
  project as projectScope,
  projectAbilities,
  projectsByIds,
  type Project,
} from '../projects/index.ts'
import { inRepository } from '../repository/index.ts'
import * as store from './store.ts'

/** A result in the palette of the window: a title, and the path of its page. */
export interface JumpRow {
  readonly kind: 'merge_request' | 'issue' | 'branch' | 'file' | 'user'
  /** Identifies the result within its kind. */
  readonly key: string
  readonly title: string
  /** `!5`, `#7` or `@name`. Null for branches and files. */
  readonly reference: string | null
  readonly state: string | null
  /** Full path of the project. Null for users. */
  readonly project_path: string | null
  /** Path of its page in the window. */
  readonly to: string
}

/** The words to search for, and the projects to search in: the current one first, then the last opened ones. */
export interface JumpQuery {
  readonly search: string
  readonly project_ids: readonly number[]
}

/** The maximum number of results of each kind. */
const MAX_PER_KIND = 6
/** The number of projects in which branches and files are searched. */
const MAX_PROJECTS = 5
/** The minimum length of a text to search branches and files. A shorter text would match nearly all of them. */
const MIN_NAME_LENGTH = 2

/** Finds merge requests, issues, users, branches and files for the palette. Returns only what the caller may see. */
export async function jumpTargets(ctx: Ctx, { search, project_ids }: JumpQuery): Promise<JumpRow[]> {
  const projects = project_ids.slice(0, MAX_PROJECTS).flatMap((id) => findProject(ctx, String(id)) ?? [])
  const first = projects[0]
  const rows = [
    ...issuables<MergeRequestRow>(ctx, 'MergeRequest', search, first),
    ...issuables<IssueRow>(ctx, 'Issue', search, first),
    ...users(ctx, search),
  ]
  if (search.length < MIN_NAME_LENGTH || /^[!#@]/.test(search)) return rows
  const readable = projects.filter((project) =>
    hasAbility(ctx, projectScope, projectAbilities.read_code, project),
  )
  const results = await Promise.all(readable.map((project) => searchNames(ctx, project, search)))
  return [
    ...rows,
    ...results.flatMap(({ branches }) => branches).slice(0, MAX_PER_KIND),
    ...results.flatMap(({ files }) => files).slice(0, MAX_PER_KIND),
  ]
}

/** Searches merge requests or issues by number or words: first in the current project, then in all projects. */
function issuables<Row extends MergeRequestRow | IssueRow>(
  ctx: Ctx,
  kind: IssuableName,
  search: string,
  project: Project | undefined,
): JumpRow[] {
  const sign = kind === 'Issue' ? '#' : '!'
  if (/^[!#@]/.test(search) && !search.startsWith(sign)) return []
  const number = /^[!#]?(\d{1,9})$/.exec(search)?.[1]
  if (number === undefined && /^[!#]/.test(search)) return []
  const filter = number === undefined ? { search, state: 'all' } : { iids: [Number(number)], state: 'all' }
  const page = { order_by: 'updated_at' as const, sort: 'desc' as const, limit: MAX_PER_KIND, offset: 0 }
  const find = (scope: IssuableScope) => findIssuables<Row>(ctx, { kind, scope, filter }, page).rows
  const allProjects: IssuableScope = {}
  const rows = project ? [...find({ project }), ...find(allProjects)] : find(allProjects)
  const uniqueRows = [...new Map(rows.map((row) => [row.id, row])).values()].slice(0, MAX_PER_KIND)
  const owners = new Map(
    projectsByIds(
      ctx.db,
      uniqueRows.map((row) => row.project_id),
    ).map((entry) => [entry.id, entry]),
  )
  return uniqueRows.flatMap((row) => {
    const owner = owners.get(row.project_id)
    if (!owner) return []
    const path = fullPath(owner)
    return {
      kind: kind === 'Issue' ? 'issue' : 'merge_request',
      key: String(row.id),
      title: row.title,
      reference: `${sign}${row.iid}`,
      state: row.state,
      project_path: path,
      to: `/${path}/-/${kind === 'Issue' ? 'issues' : 'merge_requests'}/${row.iid}`,
    }
  })
}

function users(ctx: Ctx, search: string): JumpRow[] {
  if (/^[!#]/.test(search)) return []
  const { rows } = store.users(ctx.db, search.replace(/^@/, ''), {}, { limit: MAX_PER_KIND, offset: 0 })
  return rows.map(({ id, name, username }) => ({
    kind: 'user',
    key: String(id),
    title: name,
    reference: `@${username}`,
    state: null,
    project_path: null,
    to: `/${username}`,
  }))
}

/** Searches branches and files of the default branch with the text in their name or path. */
function searchNames(ctx: Ctx, project: Project, search: string) {
  const path = fullPath(project)
  const text = search.toLowerCase()
  const row = (kind: 'branch' | 'file', name: string, to: string): JumpRow => ({
    kind,
    key: `${path}:${name}`,
    title: name,
    reference: null,
    state: null,
    project_path: path,
    to: `/${path}/-/${to}/${name.split('/').map(encodeURIComponent).join('/')}`,
  })
  return inRepository(ctx, project, async (repo) => {
    const branches = (await listBranches(repo))
      .map(({ name }) => name)
      .filter((name) => name.toLowerCase().includes(text))
    const commit = await resolveCommit(repo, project.default_branch)
    const listing = commit === null ? null : await listTree(repo, commit, { recursive: true })
    const files = (listing?.entries ?? [])
      .filter((entry) => entry.type === 'blob' && entry.path.toLowerCase().includes(text))
      .map((entry) => entry.path)
      .toSorted((a, b) => exactness(b, text) - exactness(a, text) || a.length - b.length)
    return {
      branches: branches.slice(0, MAX_PER_KIND).map((name) => row('branch', name, 'tree')),
      files: files
        .slice(0, MAX_PER_KIND)
        .map((name) => row('file', name, `blob/${encodeURIComponent(project.default_branch)}`)),
    }
  })
}

/** Scores a file: two if its name starts with the text, one if its name contains it, zero if only its folders do. */
function exactness(path: string, text: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return name.startsWith(text) ? 2 : name.includes(text) ? 1 : 0
}
