import type { RE2JS } from 're2js'
import { compare, parse, type SemVer } from 'semver'
import type { Ctx } from '../../../ctx.ts'
import { readFile } from '../../../git/read/blob.ts'
import type { Commit } from '../../../git/read/commits.ts'
import { lastCommitFor, listCommits } from '../../../git/read/log.ts'
import { listTags, type Tag } from '../../../git/write/refs.ts'
import { branchTip, resolveCommit } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { withoutEnd } from '../../../lib/text/trim.ts'
import type { UserActor } from '../../../policy/actor.ts'
import { GUEST } from '../../../policy/levels.ts'
import { findGroup, group } from '../../groups/index.ts'
import { fullPath, project as scope, type Project, inRepository } from '../../projects/index.ts'
import { userByCommitEmail, type UserRow } from '../../users/index.ts'
import { refusedPushError, commitFiles } from '../commits/write.ts'
import { filePath } from '../files/service.ts'
import { readConfig, type ChangelogConfig, ChangelogError } from './config.ts'
import { strftime } from '../../../lib/text/strftime.ts'
import { renderTemplate, TemplateError, type TemplateData } from '../../../lib/text/text-template.ts'

/** One change in a changelog. */
interface ChangelogEntry {
  readonly commit: Commit
  /** The value of the commit's trailer. */
  readonly category: string
  readonly author?: { readonly username: string; readonly contributor: boolean; readonly credit: boolean }
}

/** The release that the changelog describes. */
interface Release {
  readonly version: string
  readonly date: Date
  /** Full path of the project. */
  readonly path: string
  readonly entries: readonly ChangelogEntry[]
}

/** Returns the commits with the trailer, in the same order, without those that another commit in the list reverts. */
function withTrailer(commits: readonly Commit[], trailer: string): { commit: Commit; category: string }[] {
  const name = trailer.toLowerCase()
  const reverted = new Set(commits.flatMap((commit) => revertedBy(commit.message)))
  return commits.flatMap((commit) => {
    const match = commit.trailers.find(([key]) => key.toLowerCase() === name)
    return match && match[1] !== '' && !reverted.has(commit.id) ? [{ commit, category: match[1] }] : []
  })
}

function revertedBy(message: string): string[] {
  return Array.from(message.matchAll(/^This reverts commit ([0-9a-f]{40,64})\b/gm), (match) => match[1]!)
}

/** Returns the section of a release: its heading, its changes and an empty line. */
function sectionOf(release: Release, config: ChangelogConfig): string {
  const date = strftime(release.date, config.date_format)
  const data = { version: release.version, date, categories: categoriesOf(release, config) }
  try {
    const body = renderTemplate(config.template, data).trim()
    return `## ${release.version} (${date})\n\n${body}\n\n`
  } catch (error) {
    if (error instanceof TemplateError) throw new ChangelogError(error.message)
    throw error
  }
}

function categoriesOf(release: Release, config: ChangelogConfig): TemplateData[] {
  const byTitle = new Map<string, TemplateData[]>()
  for (const entry of release.entries) {
    const title = config.categories.get(entry.category) ?? entry.category
    const entries = byTitle.get(title) ?? []
    entries.push(entryData(release.path, entry))
    byTitle.set(title, entries)
  }
  return Array.from(byTitle, ([title, entries]) => ({
    title,
    entries,
    count: entries.length,
    single_change: entries.length === 1,
  }))
}

function entryData(path: string, { commit, author }: ChangelogEntry): TemplateData {
  return {
    title: commit.title,
    commit: {
      reference: `${path}@${commit.id}`,
      trailers: Object.fromEntries(commit.trailers),
    },
    ...(author
      ? {
          author: {
            reference: `@${author.username}`,
            contributor: author.contributor,
            credit: author.credit,
          },
        }
      : {}),
  }
}

/** Headings of releases: `## 1.2.3 (2024-01-01)`. */
const HEADING = /^## (.+)$/

/** Adds the section of a release to a changelog, newest version first, or replaces an existing section. */
function insertSection(document: string, version: string, section: string): string {
  const newVersion = versionIn(version)
  if (document.trim() === '' || !newVersion) return section + document
  const lines = document.replaceAll('\r\n', '\n').split('\n')
  const headings = lines.flatMap((line, index) => {
    const sectionVersion = versionIn(HEADING.exec(line)?.[1] ?? '')
    return sectionVersion ? [{ index, order: compare(sectionVersion, newVersion) }] : []
  })
  const position = headings.find((heading) => heading.order === 0)
  const lower = headings.find((heading) => heading.order < 0)
  const start = position?.index ?? lower?.index ?? lines.length
  const end = position
    ? (headings.find((heading) => heading.index > position.index)?.index ?? lines.length)
    : start
  const before = lines.slice(0, start).join('\n')
  const gap = before === '' ? '' : `${withoutEnd(before, '\n')}\n\n`
  return gap + section + lines.slice(end).join('\n')
}

const MAX_COMMITS = 20_000
const MAX_FILE_BYTES = 32 * 1024 * 1024

/** The release, and the changes to list. */
export interface ChangelogQuery {
  readonly version: string
  /** The commit before the first change; by default that of the previous version's tag. */
  readonly from?: string | undefined
  /** The last change; by default the tip of the default branch. */
  readonly to?: string | undefined
  /** The release date; by default now. */
  readonly date?: string | undefined
  readonly trailer: string
  readonly config_file?: string | undefined
}

/** The file that the changelog is written to. */
export interface ChangelogFile {
  readonly branch: string
  readonly file: string
  readonly message?: string | undefined
}

/** Returns the changes of a release as Markdown. Throws 422 if the changelog cannot be generated. */
export function getNotes(ctx: Ctx, project: Project, query: ChangelogQuery): Promise<string> {
  return inRepository(ctx, project, (repo) => convertErrors(() => notesOf(ctx, project, repo, query)))
}

/** Adds the changes of a release to the changelog of the project in a new commit. */
export async function writeChangelog(
  ctx: Ctx,
  project: Project,
  query: ChangelogQuery,
  target: ChangelogFile,
): Promise<void> {
  const path = filePath(target.file)
  const { branch } = target
  await inRepository(ctx, project, (repo) =>
    convertErrors(async () => {
      const tip = await branchTip(repo, branch)
      if (tip === null) throw notFound('Branch')
      const section = await notesOf(ctx, project, repo, { ...query, to: query.to || branch })
      const current = await readFile(repo, tip, path, { maxBytes: MAX_FILE_BYTES })
      const content = insertSection(current?.content.toString('utf8') ?? '', query.version, section)
      const action = current ? 'update' : 'create'
      const commit_message = target.message || `Add changelog for version ${query.version}`
      // A concurrent change of the file must not be lost.
      const last = current ? await lastCommitFor(repo, tip, path) : null
      const expected = last ? { last_commit_id: last.id } : {}
      const actions = [{ action, file_path: path, content, ...expected } as const]
      await commitFiles(ctx, project, { branch, commit_message, actions }, refusedPushError)
    }),
  )
}

/** Runs `work`, and converts a ChangelogError to 422. */
async function convertErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ChangelogError)) throw error
    throw fail('unprocessable', `Failed to generate the changelog: ${error.message}`)
  }
}

async function notesOf(ctx: Ctx, project: Project, repo: Repo, query: ChangelogQuery): Promise<string> {
  const head = await branchTip(repo, project.default_branch)
  const to = query.to ? await resolveCommit(repo, query.to) : head
  if (to === null) throw new ChangelogError(`The commit range end ${query.to || 'HEAD'} could not be found`)
  const config = await readConfig(repo, head ?? to, query.config_file)
  const commits = await commitsOf(repo, await startOf(repo, config, query), to)
  const credit = creditOf(ctx, project, config)
  const entries = withTrailer(commits, query.trailer).map((entry) => ({ ...entry, ...credit(entry.commit) }))
  const date = new Date(query.date ?? ctx.now)
  return sectionOf({ version: query.version, date, path: fullPath(project), entries }, config)
}

async function startOf(repo: Repo, config: ChangelogConfig, query: ChangelogQuery): Promise<string> {
  if (query.from) {
    const from = await resolveCommit(repo, query.from)
    if (from === null) throw new ChangelogError(`The commit range start ${query.from} could not be found`)
    return from
  }
  const tag = previousTag(await listTags(repo), config.tag_regex, query.version)
  if (!tag?.commit) {
    throw new ChangelogError(
      'The commit start range is unspecified, and no previous tag could be found to use instead',
    )
  }
  return tag.commit
}

function commitsOf(repo: Repo, from: string, to: string): Promise<Commit[]> {
  return listCommits(repo, { range: { tips: [to], not: [from] }, limit: MAX_COMMITS })
}

/**
 * Returns a function that finds the author of a commit, and whether the changelog credits them. It credits authors who
 * are not members of the project, and members of the configured groups.
 */
function creditOf(
  ctx: Ctx,
  project: Project,
  config: ChangelogConfig,
): (commit: Commit) => Pick<ChangelogEntry, 'author'> {
  const groups = config.include_groups.flatMap((path) => findGroup(ctx, path) ?? [])
  const authors = new Map<string, Pick<ChangelogEntry, 'author'>>()
  return ({ author_email: email }) => {
    const cached = authors.get(email)
    if (cached) return cached
    const user = userByCommitEmail(ctx, email)
    const author = user && authorOf(user)
    const credit = author ? { author } : {}
    authors.set(email, credit)
    return credit
  }

  function authorOf(user: UserRow) {
    const userCtx = { ...ctx, actor: actorOf(user) }
    const contributor = scope.roleOf(userCtx, project) < GUEST
    const isMember = groups.some((candidate) => group.roleOf(userCtx, candidate) >= GUEST)
    return { username: user.username, contributor, credit: contributor || isMember }
  }
}

/** Converts a user to an actor, to look up access levels. */
function actorOf(user: UserRow): UserActor {
  const { id, username, name, email } = user
  return {
    kind: 'user',
    id,
    username,
    name,
    email,
    is_admin: false,
    external: false,
    scopes: null,
    via: 'system',
  }
}

/** Returns the tag of the highest release below a version, without pre-releases. Undefined if there is none. */
function previousTag(tags: readonly Tag[], regex: RE2JS, version: string): Tag | undefined {
  const limit = versionIn(version)
  if (!limit) return undefined
  let best: { tag: Tag; version: SemVer } | undefined
  for (const tag of tags) {
    const match = tag.commit === null ? null : versionOf(tag.name, regex)
    if (!match || compare(match, limit) >= 0) continue
    if (!best || compare(match, best.version) > 0) best = { tag, version: match }
  }
  return best?.tag
}

/** Returns the version in a text such as `v1.2.3-rc1`; null if there is none. */
function versionIn(text: string): SemVer | null {
  const match = /\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?/.exec(text.slice(0, 256))
  return match ? parse(match[0]) : null
}

function versionOf(name: string, regex: RE2JS): SemVer | null {
  const matcher = regex.matcher(name)
  if (!matcher.find()) return null
  const group = (groupName: string): string | null => {
    try {
      return matcher.group(groupName)
    } catch {
      // A project's regular expression may lack some of the groups.
      return null
    }
  }
  if (group('pre')) return null
  return parse(`${group('major')}.${group('minor')}.${group('patch')}`)
}
