import type { Ctx } from '../../../ctx.ts'
import { type Commit, findCommit } from '../../../git/read/commits.ts'
import { sshAddress } from '../../../lib/ssh/address.ts'
import { type Visibility, VISIBILITY_RANK } from '../../../policy/levels.ts'
import { type LabelRow, labelsByIds } from '../../planning/index.ts'
import { fullPath, type Project, repoOf } from '../../projects/index.ts'
import { avatarUrl } from '../../users/entity.ts'
import { userById, type UserRow } from '../../users/index.ts'

/** URL of a project's page, without a final slash. */
export function projectUrl(ctx: Pick<Ctx, 'config'>, project: Project): string {
  return `${ctx.config.url}/${fullPath(project)}`
}

/** The visibility of a project or snippet as a number: 0, 10 or 20. */
export function visibilityLevel(visibility: string): number {
  return VISIBILITY_RANK[visibility as Visibility]
}

function projectAvatarUrl(ctx: Pick<Ctx, 'config'>, project: Project): string | null {
  if (!project.avatar) return null
  const name = encodeURIComponent(project.avatar)
  return `${ctx.config.url}/uploads/-/system/project/avatar/${project.id}/${name}`
}

/** A project in events of pipelines. These lack the older names of the URLs (spec administration 3.8, P). */
export function shortProjectBlock(ctx: Pick<Ctx, 'config'>, project: Project) {
  const webUrl = projectUrl(ctx, project)
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    web_url: webUrl,
    avatar_url: projectAvatarUrl(ctx, project),
    git_ssh_url: sshAddress(fullPath(project), ctx.config),
    git_http_url: `${webUrl}.git`,
    namespace: project.namespace_name,
    visibility_level: visibilityLevel(project.visibility),
    path_with_namespace: fullPath(project),
    default_branch: project.default_branch,
    ci_config_path: project.ci_config_path,
  }
}

/** A project in an event (spec administration 3.8, P). */
export function projectBlock(ctx: Pick<Ctx, 'config'>, project: Project) {
  const block = shortProjectBlock(ctx, project)
  return {
    ...block,
    homepage: block.web_url,
    url: block.git_ssh_url,
    ssh_url: block.git_ssh_url,
    http_url: block.git_http_url,
  }
}

/** The repository of a project: an older form of the project's fields (spec administration 3.8, R). */
export function repositoryBlock(ctx: Pick<Ctx, 'config'>, project: Project) {
  return {
    name: project.name,
    url: sshAddress(fullPath(project), ctx.config),
    description: project.description,
    homepage: projectUrl(ctx, project),
  }
}

/** The repository in events of pushes and jobs. */
export function pushedRepositoryBlock(ctx: Pick<Ctx, 'config'>, project: Project) {
  const { git_http_url, git_ssh_url, visibility_level } = shortProjectBlock(ctx, project)
  return { ...repositoryBlock(ctx, project), git_http_url, git_ssh_url, visibility_level }
}

/** A stored time in the format of event attributes: `2013-12-03 17:15:43 UTC` (spec administration 3.8). */
export function hookTime(time: string): string

export function hookTime(time: string | null | undefined): string | null

export function hookTime(time: string | null | undefined): string | null {
  return time ? `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC` : null
}

/** A link to an upload of the project: `](/uploads/<secret>/a.png`, or `]: /uploads/…`. */
const UPLOAD = /(\](?:\(|:[ \t]*)<?)(?=\/uploads\/[0-9a-f]{32}\/)/g

/**
 * Makes links to the project's uploads in Markdown absolute (spec administration 3.7, "Image links"). Other links stay
 * unchanged.
 */
export function withUploads<Text extends string | null>(
  ctx: Pick<Ctx, 'config'>,
  project: Project,
  text: Text,
): Text {
  if (text === null) return text
  return text.replace(UPLOAD, (start) => start + projectUrl(ctx, project)) as Text
}

/** Replaces an email address that is not public. */
const HIDDEN_EMAIL = '[REDACTED]'

/** Returns the user's public email address. Receivers get no other address (spec administration 3.7). */
export function publicEmail(user: Pick<UserRow, 'public_email'>): string {
  return user.public_email || HIDDEN_EMAIL
}

/** URL of a user's picture. */
export function avatarUrlOf(ctx: Pick<Ctx, 'config' | 'now'>, user: UserRow): string {
  return avatarUrl(user, { url: ctx.config.url, now: ctx.now })
}

/** A user in an event (spec administration 3.8, U). */
export function userBlock(ctx: Pick<Ctx, 'config' | 'now'>, user: UserRow) {
  return {
    id: user.id,
    name: user.name,
    username: user.username,
    avatar_url: avatarUrlOf(ctx, user),
    email: publicEmail(user),
  }
}

export type UserBlock = ReturnType<typeof userBlock>

/** A user in an event, by ID. Null without a user and for a deleted one. */
export function userBlockOf(ctx: Ctx, id: number | null): UserBlock | null {
  const user = id === null ? undefined : userById(ctx.db, id)
  return user ? userBlock(ctx, user) : null
}

/** Users in an event, ordered by ID, without deleted ones. */
export function userBlocks(ctx: Ctx, ids: readonly number[]): UserBlock[] {
  return ids.flatMap((id) => userBlockOf(ctx, id) ?? [])
}

/** A commit in an event (spec administration 3.8, CM). */
export function commitBlockOf(ctx: Pick<Ctx, 'config'>, project: Project, commit: Commit) {
  return {
    id: commit.id,
    message: commit.message,
    title: commit.title,
    timestamp: commit.authored_date,
    url: `${projectUrl(ctx, project)}/-/commit/${commit.id}`,
    author: { name: commit.author_name, email: commit.author_email },
  }
}

export type CommitBlock = ReturnType<typeof commitBlockOf>

/** A commit in an event, by its full ID. Null if the repository does not have it. */
export async function commitBlock(ctx: Ctx, project: Project, sha: string): Promise<CommitBlock | null> {
  const commit = await findCommit(repoOf(ctx, project), sha)
  return commit && commitBlockOf(ctx, project, commit)
}

function labelBlock(label: LabelRow) {
  return {
    id: label.id,
    title: label.title,
    color: label.color,
    project_id: label.project_id,
    created_at: hookTime(label.created_at),
    updated_at: hookTime(label.updated_at),
    template: false,
    description: label.description,
    type: label.project_id === null ? 'GroupLabel' : 'ProjectLabel',
    group_id: label.group_id,
  }
}

export type LabelBlock = ReturnType<typeof labelBlock>

/** Labels in an event, by title (spec administration 3.8, L), without deleted ones. */
export function labelBlocks(ctx: Pick<Ctx, 'db'>, ids: readonly number[]): LabelBlock[] {
  if (ids.length === 0) return []
  const labels = labelsByIds(ctx.db, ids)
  return ids
    .flatMap((id) => labels.get(id) ?? [])
    .sort((a, b) => (a.title < b.title ? -1 : 1))
    .map(labelBlock)
}

/** The previous and the current value of a field. */
export interface Change {
  readonly previous: unknown
  readonly current: unknown
}

/** Returns the fields in which two states differ (spec administration 3.8, CH). */
export function changesOf(
  previous: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
): Record<string, Change> {
  const changedNames = Object.keys(previous).filter(
    (name) => JSON.stringify(previous[name]) !== JSON.stringify(current[name]),
  )
  return Object.fromEntries(
    changedNames.map((name) => [name, { previous: previous[name] ?? null, current: current[name] ?? null }]),
  )
}

/** URL of a user's page. */
export function userUrl(ctx: Pick<Ctx, 'config'>, user: { readonly username: string }): string {
  return `${ctx.config.url}/${user.username}`
}

/** A stored time in the format of events about members and the instance: `2013-12-03T17:15:43Z`. */
export function isoSeconds(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}

/** `created_at` and `updated_at` of a row in the format of `isoSeconds`. */
export function timestamps(row: { readonly created_at: string; readonly updated_at: string }) {
  return { created_at: isoSeconds(row.created_at), updated_at: isoSeconds(row.updated_at) }
}
