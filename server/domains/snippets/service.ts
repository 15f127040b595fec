import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import type { CommitAction } from '../../git/write/commit.ts'
import { createBareRepository, withWriteLock } from '../../git/upkeep/repository.ts'
import { branchTip, resolveCommit } from '../../git/read/revisions.ts'
import type { Repo } from '../../git/types.ts'
import { addDays } from '../../lib/clock.ts'
import { fail, invalid, notFound } from '../../lib/fail.ts'
import { canRead, hasAbility } from '../../policy/ability.ts'
import { type Project, project as scope, projectById } from '../projects/index.ts'
import { READ_ONLY } from '../repository/index.ts'
import { settingsOf } from '../settings/index.ts'
import { clearRepositoryPath, pickStorage } from '../storage/index.ts'
import { usersById } from '../users/index.ts'
import type { SnippetView } from './entity.ts'
import { SnippetCreated, SnippetDeleted, SnippetUpdated } from './events.ts'
import { abilities, canChange, canSee } from './policy.ts'
import { commitAnnouncer } from './service-git-target.ts'
import {
  columnsOf,
  commitFiles,
  type Content,
  contentOf,
  removeFromStorage,
  repoOfSnippet,
  snippetProblem,
} from './service-repository.ts'
import * as store from './store.ts'
import { type SnippetRow } from './types.ts'

/** A requested change to a file. */
export interface FileChange {
  readonly action: 'create' | 'update' | 'delete' | 'move'
  readonly file_path: string
  readonly previous_path?: string | undefined
  readonly content?: string | undefined
}

/** The fields of a new snippet. */
export interface NewSnippet {
  readonly title: string
  readonly description?: string | null | undefined
  readonly visibility: 'private' | 'internal' | 'public'
  readonly files: readonly FileChange[]
  readonly user_agent: string
  readonly ip_address: string
}

/** The fields of an update. */
export type SnippetChanges = Partial<Pick<NewSnippet, 'title' | 'description' | 'visibility' | 'files'>>

const MAX_TITLE = 255
const MAX_DESCRIPTION = 1_048_576
const BRANCH = 'main'

/** Creates a snippet with its files. Throws 400 for invalid texts, visibilities and files. */
export async function createSnippet(
  ctx: Ctx,
  project: Project | undefined,
  input: NewSnippet,
): Promise<SnippetRow> {
  checkFields(ctx, input)
  const pending = storePending(ctx, {
    project_id: project?.id ?? null,
    author_id: ctx.actor.id!,
    title: input.title,
    description: input.description ?? null,
    visibility: input.visibility,
    repository_storage: pickStorage(ctx),
    default_branch: BRANCH,
    user_agent: input.user_agent.slice(0, 1000),
    ip_address: input.ip_address,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  try {
    const content = await commitFiles(ctx, pending, input.files.map(actionOf))
    return tx(ctx.db, () => {
      const ready = store.update(ctx.db, pending.id, {
        ...columnsOf(content, fileOrder(input.files)),
        repository_state: 'ready',
      })
      publish(ctx, SnippetCreated, eventOf(ctx, ready))
      return ready
    })
  } catch (error) {
    store.remove(ctx.db, pending.id)
    await removeFromStorage(ctx, pending)
    throw error
  }
}

function storePending(ctx: Ctx, row: Parameters<typeof store.insert>[1]): SnippetRow {
  return tx(ctx.db, () => {
    const created = store.insert(ctx.db, row)
    clearRepositoryPath(ctx, created)
    return created
  })
}

/** Updates texts, visibility and files. Throws 400 as `createSnippet` does, without changing anything. */
export async function updateSnippet(
  ctx: Ctx,
  snippet: SnippetRow,
  changes: SnippetChanges,
): Promise<SnippetRow> {
  checkFields(ctx, changes)
  const { files, ...columns } = changes
  if (files?.length && snippet.repository_read_only) throw fail('forbidden', READ_ONLY)
  const announcer = commitAnnouncer(ctx, snippet)
  const content = files?.length
    ? await commitFiles(ctx, snippet, files.map(actionOf), announcer.announce)
    : undefined
  return tx(ctx.db, () => {
    announcer.withdraw()
    const updated = store.update(ctx.db, snippet.id, {
      ...columns,
      ...(content && files ? columnsOf(content, fileOrder(files, snippet.files)) : {}),
      updated_at: ctx.now,
    })
    publish(ctx, SnippetUpdated, eventOf(ctx, updated))
    return updated
  })
}

/** Deletes a snippet. A subscriber deletes its repository. */
export function deleteSnippet(ctx: Ctx, snippet: SnippetRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, snippet.id)
    const { repository_storage, disk_path } = snippet
    publish(ctx, SnippetDeleted, { ...eventOf(ctx, snippet), repository_storage, disk_path })
  })
}

/** Snippets with the related rows of their entity. */
export function viewsOf(ctx: Ctx, rows: readonly SnippetRow[]): SnippetView[] {
  const authors = usersById(
    ctx.db,
    rows.map((row) => row.author_id),
  )
  const projects = rows.flatMap((row) => (row.project_id === null ? [] : [row.project_id]))
  const paths = projects.length === 0 ? new Map<number, string>() : store.projectPaths(ctx.db, projects)
  return rows.map((snippet) => ({
    snippet,
    author: authors.get(snippet.author_id)!,
    project_path: snippet.project_id === null ? undefined : paths.get(snippet.project_id),
    is_admin: ctx.actor.is_admin,
  }))
}

/**
 * Deletes snippets that a crash left without content, if they were created before `before`. Keeps the snippets of
 * projects that are being imported. When the instance starts, `before` is the current time.
 */
export async function removeUnfinished(ctx: Ctx, before = addDays(ctx.now, -1)): Promise<void> {
  for (const row of store.unfinished(ctx.db, before)) {
    store.remove(ctx.db, row.id)
    await removeFromStorage(ctx, row)
  }
}

function eventOf(ctx: Ctx, { id, project_id }: SnippetRow) {
  return { snippet_id: id, actor_id: ctx.actor.id, ...(project_id === null ? {} : { project_id }) }
}

function checkFields(ctx: Ctx, fields: SnippetChanges): void {
  const problems: Record<string, string> = {}
  if (fields.title !== undefined && fields.title.length > MAX_TITLE)
    problems['title'] = `is too long (maximum is ${MAX_TITLE} characters)`
  if (fields.description && fields.description.length > MAX_DESCRIPTION)
    problems['description'] = `is too long (maximum is ${MAX_DESCRIPTION} characters)`
  const { restricted_visibility_levels: restricted, snippet_size_limit: limit } = settingsOf(ctx)
  if (fields.visibility && !ctx.actor.is_admin && restricted.includes(fields.visibility))
    problems['visibility_level'] = `${fields.visibility} has been restricted by your administrator`
  const bytes = (fields.files ?? []).reduce((sum, { content }) => sum + Buffer.byteLength(content ?? ''), 0)
  if (limit > 0 && bytes > limit)
    problems['content'] = `is too long (${bytes} bytes). The maximum size is ${limit} bytes.`
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

function actionOf(change: FileChange): CommitAction {
  const { action, file_path: path, content, previous_path } = change
  if (action === 'delete') return { action, path }
  if (action === 'move') {
    if (!previous_path) throw snippetProblem('A file that moves needs its previous_path')
    return {
      action,
      path,
      previous_path,
      ...(content === undefined ? {} : { content: Buffer.from(content) }),
    }
  }
  if (content === undefined || content === '') throw snippetProblem('Snippet files must not be empty')
  return { action, path, content: Buffer.from(content) }
}

/** The paths of the files in display order: as before, followed by the paths in the changes. */
function fileOrder(changes: readonly FileChange[], before: readonly string[] = []): string[] {
  const moved = new Map(changes.map((change) => [change.previous_path, change.file_path]))
  return [...before.map((path) => moved.get(path) ?? path), ...changes.map((change) => change.file_path)]
}

/** The file changes of an update with a single `file_name` and `content`, for clients that know only one file. */
export function changesOfOneFile(
  snippet: SnippetRow,
  input: { file_name?: string | undefined; content?: string | undefined },
): FileChange[] {
  const [current] = snippet.files
  const { file_name, content } = input
  if (file_name === undefined && content === undefined) return []
  if (current === undefined) throw fail('bad_request', 'The snippet has no file to change')
  if (file_name !== undefined && file_name !== current)
    return [{ action: 'move', file_path: file_name, previous_path: current, content }]
  return content === undefined ? [] : [{ action: 'update', file_path: current, content }]
}

/** A snippet of any kind with its project. Throws `404 Snippet Not Found` if the actor may not see it. */
export function findSnippet(ctx: Ctx, id: number): { snippet: SnippetRow; project: Project | undefined } {
  const snippet = store.byId(ctx.db, id)
  if (!snippet) throw notFound('Snippet')
  if (snippet.project_id === null) {
    if (!canSee(ctx, snippet)) throw notFound('Snippet')
    return { snippet, project: undefined }
  }
  const project = projectById(ctx.db, snippet.project_id)
  const isReadable =
    project && canRead(ctx, scope, project) && hasAbility(ctx, scope, abilities.read_snippets, project)
  if (!isReadable || !canSee(ctx, snippet, project)) throw notFound('Snippet')
  return { snippet, project }
}

/** A snippet of a project. Throws 404 if the actor may not see it. */
export function findIn(ctx: Ctx, project: Project, id: number): SnippetRow {
  const snippet = store.byId(ctx.db, id)
  if (snippet?.project_id !== project.id || !canSee(ctx, snippet, project)) throw notFound('Snippet')
  return snippet
}

/** Throws 401 or 403 unless the actor may change the snippet. */
export function checkChange(ctx: Ctx, snippet: SnippetRow, project?: Project): void {
  if (ctx.actor.kind === 'anonymous') throw fail('unauthorized')
  if (!canChange(ctx, snippet, project)) throw fail('forbidden')
}

/**
 * Fills the repository of an imported snippet. `fetchContent` writes into it and returns the branch to show as `head`.
 * Publishes no event. May be repeated. Throws the errors of `fetchContent`.
 */
export async function fillSnippet(
  ctx: Ctx,
  snippet: SnippetRow,
  fetchContent: (repo: Repo) => Promise<{ readonly head: string | null }>,
): Promise<void> {
  const repo = repoOfSnippet(ctx, snippet)
  await createBareRepository(repo, { defaultBranch: snippet.default_branch })
  await withWriteLock(repo, async () => {
    const { head } = await fetchContent(repo)
    const branch = head !== null && (await branchTip(repo, head)) !== null ? head : snippet.default_branch
    const commit = await resolveCommit(repo, `refs/heads/${branch}`)
    const content = commit === null ? { paths: [], bytes: 0 } : await contentOf(repo, commit)
    markReady(ctx, snippet, content, branch)
  })
}

/** Fills an imported snippet with a single file. */
export async function fillSnippetWithFile(
  ctx: Ctx,
  snippet: SnippetRow,
  file: { readonly path: string; readonly content: Buffer },
): Promise<void> {
  const action: CommitAction = { action: 'create', ...file }
  markReady(ctx, snippet, await commitFiles(ctx, snippet, [action]), snippet.default_branch)
}

function markReady(ctx: Ctx, snippet: SnippetRow, content: Content, default_branch: string): void {
  tx(ctx.db, () =>
    store.update(ctx.db, snippet.id, {
      ...columnsOf(content, snippet.files),
      default_branch,
      repository_state: 'ready',
    }),
  )
}
