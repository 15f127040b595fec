import type { Ctx } from '../../../ctx.ts'
import { readCommits, type Commit } from '../../../git/read/commits.ts'
import type { Identity } from '../../../git/write/identity.ts'
import { references } from '../../planning/index.ts'
import { fullPath, projectById, repoOf, type Project } from '../../projects/index.ts'
import { committerOf } from '../../repository/index.ts'
import { userById } from '../../users/index.ts'
import { approvalsOf } from '../approvals/store.ts'
import { commitIdsOf } from '../diffs/store.ts'
import { closingIssuesOf } from '../store.ts'
import type { MergeRequestRow } from '../types.ts'

/** The default message of a merge commit (spec core 5.4). */
const DEFAULT_MERGE = `Merge branch '%{source_branch}' into '%{target_branch}'

%{title}

%{issues}

See merge request %{reference}`

/** The default message of a squashed commit. */
const DEFAULT_SQUASH = '%{title}'

/** The maximum number of commits that placeholders read, newest first. */
const MAX_COMMITS = 100

/** The maximum length of a message that `%{all_commits}` repeats, bytes. */
const MAX_BODY = 100 * 1024

/** Returns the message of the merge commit. `ctx` acts as the user who merges. */
export function mergeMessage(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<string> {
  const placeholders = placeholdersOf(ctx, project, request, committerOf(ctx))
  return fillTemplateOr(DEFAULT_MERGE, project.merge_commit_template, placeholders)
}

/** Returns the message of the squashed commit. `ctx` acts as the user who merges. */
export function squashMessage(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<string> {
  const author = identityOf(ctx, request.author_id)
  return fillTemplateOr(
    DEFAULT_SQUASH,
    project.squash_commit_template,
    placeholdersOf(ctx, project, request, author),
  )
}

/** Fills a template. Uses the default when there is none, or its result is empty. */
async function fillTemplateOr(
  fallback: string,
  template: string | null,
  placeholders: Placeholders,
): Promise<string> {
  return (template && (await fillTemplate(template, placeholders))) || fillTemplate(fallback, placeholders)
}

/** Returns the placeholders of templates. `author` is the author of the commit, who is not a co-author. */
function placeholdersOf(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  author: Identity,
): Placeholders {
  const path = fullPath(project)
  const names = references('MergeRequest', request.iid, path, undefined)
  const commits = once(() => recentCommits(ctx, project, request))
  const firstMultiline = async () =>
    (await commits()).findLast((commit) => commit.parent_ids.length < 2 && bodyOf(commit) !== '')
  return {
    source_branch: () => request.source_branch,
    target_branch: () => request.target_branch,
    title: () => request.title,
    description: () => request.description ?? '',
    issues: () => closingSentence(ctx, project, request),
    reference: () => names.full,
    local_reference: () => names.short,
    source_project_id: () => String(request.source_project_id ?? ''),
    url: () => `${ctx.config.url}/${path}/-/merge_requests/${request.iid}`,
    first_commit: async () => (await commits()).at(-1)?.message ?? '',
    first_multiline_commit: async () => (await firstMultiline())?.message ?? request.title,
    first_multiline_commit_description: async () => {
      const commit = await firstMultiline()
      return commit ? bodyOf(commit) : ''
    },
    all_commits: async () => allMessages(await commits()),
    approved_by: () => approvers(ctx, request),
    merged_by: () => nameOf(committerOf(ctx)),
    co_authored_by: async () => coAuthors(await commits(), author),
  }
}

function once<T>(compute: () => Promise<T>): () => Promise<T> {
  let cached: Promise<T> | undefined
  return () => (cached ??= compute())
}

/** Reads the commits of the newest version, newest first. */
async function recentCommits(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<Commit[]> {
  if (request.latest_diff_id === null) return []
  const ids = commitIdsOf(ctx.db, request.latest_diff_id, { limit: MAX_COMMITS, offset: 0 })
  return readCommits(repoOf(ctx, project), ids)
}

function bodyOf(commit: Commit): string {
  const end = commit.message.search(/\n\s*\n/)
  return end === -1 ? '' : commit.message.slice(end).trim()
}

function allMessages(commits: readonly Commit[]): string {
  const ownCommits = commits.filter((commit) => commit.parent_ids.length < 2).toReversed()
  return ownCommits
    .map((commit) =>
      Buffer.byteLength(commit.message) <= MAX_BODY
        ? `* ${commit.message}`
        : `* ${commit.title}\n\n-- Skipped commit body exceeding 100KiB in size.`,
    )
    .join('\n\n')
}

function closingSentence(ctx: Ctx, project: Project, request: MergeRequestRow): string {
  const names = closingIssuesOf(ctx.db, request.id).flatMap((issue) => {
    const owner = projectById(ctx.db, issue.project_id)
    return owner ? [references('Issue', issue.iid, fullPath(owner), fullPath(project)).relative] : []
  })
  if (names.length === 0) return ''
  const last = names.length > 2 ? ', and ' : ' and '
  const list = names.length === 1 ? names[0]! : names.slice(0, -1).join(', ') + last + names.at(-1)!
  return `Closes ${list}`
}

function nameOf({ name, email }: Pick<Identity, 'name' | 'email'>): string {
  return `${name} <${email}>`
}

function approvers(ctx: Ctx, request: MergeRequestRow): string {
  return approvalsOf(ctx.db, request.id)
    .map((approval) => `Approved-by: ${nameOf(identityOf(ctx, approval.user_id))}`)
    .join('\n')
}

function coAuthors(commits: readonly Commit[], author: Identity): string {
  const authors = new Map(commits.map((commit) => [commit.author_email, commit.author_name]))
  authors.delete(author.email)
  return [...authors].map(([email, name]) => `Co-authored-by: ${nameOf({ name, email })}`).join('\n')
}

/** Returns the Git identity of a user, also of a blocked one. */
export function identityOf(ctx: Ctx, userId: number): Identity {
  const user = userById(ctx.db, userId)
  const date = new Date(ctx.now)
  if (!user) return { name: 'Deskforge', email: 'deskforge@localhost', date }
  return { name: user.name, email: user.commit_email || user.email, date }
}

/** The functions that compute the values of placeholders, by name. */
export type Placeholders = Readonly<Record<string, () => string | Promise<string>>>

/**
 * Replaces the placeholders `%{name}` of a commit message with their values. Removes a line that consists of a
 * placeholder with an empty value, with the line ends before it. Unknown placeholders stay unchanged.
 */
export async function fillTemplate(template: string, placeholders: Placeholders): Promise<string> {
  const text = template.replace(/\r\n?/g, '\n')
  const names = [...new Set([...text.matchAll(/%\{(\w+)\}/g)].map((match) => match[1]!))]
  const knownNames = names.filter((name) => Object.hasOwn(placeholders, name))
  const values = new Map<string, string>()
  for (const name of knownNames) values.set(name, await placeholders[name]!())
  const emptyNames = knownNames.filter((name) => values.get(name) === '')
  const withoutEmpty = emptyNames.reduce(
    (rest, name) => rest.replace(new RegExp(`\\n+%\\{${name}\\}$`, 'gm'), ''),
    text,
  )
  const result = withoutEmpty.replace(
    /%\{(\w+)\}/g,
    (placeholder, name: string) => values.get(name) ?? placeholder,
  )
  return result.replace(/^\s*\n/, '').trimEnd()
}
