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
import { fullPath, project as scope, type Project } from '../../projects/index.ts'
import { userByCommitEmail, type UserRow } from '../../users/index.ts'
import { refusedPush } from '../commits/refused.ts'
import { commitFiles } from '../commits/write.ts'
import { filePath } from '../files/service.ts'
import { inRepository } from '../repo.ts'
import { readConfig, type ChangelogConfig } from './config.ts'
import { ChangelogError } from './error.ts'
import { sectionOf, withTrailer, type ChangelogEntry } from './notes.ts'

/** Headings of releases: `## 1.2.3 (2024-01-01)`. */
const HEADING = /^## (.+)$/

/** A changelog with the section of a release in its place, the newest version first; a section of it is replaced. */
function insertSection(document: string, version: string, section: string): string {
  const wanted = versionIn(version)
  if (document.trim() === '' || !wanted) return section + document
  const lines = document.replaceAll('\r\n', '\n').split('\n')
  const heads = lines.flatMap((line, index) => {
    const found = versionIn(HEADING.exec(line)?.[1] ?? '')
    return found ? [{ index, order: compare(found, wanted) }] : []
  })
  const same = heads.find((head) => head.order === 0)
  const lower = heads.find((head) => head.order < 0)
  const start = same?.index ?? lower?.index ?? lines.length
  const end = same ? (heads.find((head) => head.index > same.index)?.index ?? lines.length) : start
  const before = lines.slice(0, start).join('\n')
  const gap = before === '' ? '' : `${withoutEnd(before, '\n')}\n\n`
  return gap + section + lines.slice(end).join('\n')
}

const MAX_COMMITS = 20_000
const MAX_FILE_BYTES = 32 * 1024 * 1024

/** Which changes, and for which release. */
export interface ChangelogQuery {
  readonly version: string
  /** What the changes come after; the tag of the version before otherwise. */
  readonly from?: string | undefined
  /** The last of the changes; the default branch otherwise. */
  readonly to?: string | undefined
  /** When it was released; now otherwise. */
  readonly date?: string | undefined
  readonly trailer: string
  readonly config_file?: string | undefined
}

/** Where a changelog is written. */
export interface ChangelogFile {
  readonly branch: string
  readonly file: string
  readonly message?: string | undefined
}

/** What changed for a release, as Markdown. 422 for what keeps it from being made. */
export function getNotes(ctx: Ctx, project: Project, query: ChangelogQuery): Promise<string> {
  return inRepository(ctx, project, (repo) => orSay(() => notesOf(ctx, project, repo, query)))
}

/** Puts what changed for a release into the changelog of the project, by a commit. */
export async function writeChangelog(
  ctx: Ctx,
  project: Project,
  query: ChangelogQuery,
  target: ChangelogFile,
): Promise<void> {
  const path = filePath(target.file)
  const { branch } = target
  await inRepository(ctx, project, (repo) =>
    orSay(async () => {
      const tip = await branchTip(repo, branch)
      if (tip === null) throw notFound('Branch')
      const section = await notesOf(ctx, project, repo, { ...query, to: query.to || branch })
      const current = await readFile(repo, tip, path, { maxBytes: MAX_FILE_BYTES })
      const content = insertSection(current?.content.toString('utf8') ?? '', query.version, section)
      const action = current ? 'update' : 'create'
      const commit_message = target.message || `Add changelog for version ${query.version}`
      // Whoever changes the file meanwhile must not lose that.
      const last = current ? await lastCommitFor(repo, tip, path) : null
      const expected = last ? { last_commit_id: last.id } : {}
      const actions = [{ action, file_path: path, content, ...expected } as const]
      await commitFiles(ctx, project, { branch, commit_message, actions }, refusedPush)
    }),
  )
}

async function orSay<T>(work: () => Promise<T>): Promise<T> {
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

/** Says whose change a commit is, and whether they are thanked: who is no member, or of a group named for it. */
function creditOf(
  ctx: Ctx,
  project: Project,
  config: ChangelogConfig,
): (commit: Commit) => Pick<ChangelogEntry, 'author'> {
  const groups = config.include_groups.flatMap((path) => findGroup(ctx, path) ?? [])
  const known = new Map<string, Pick<ChangelogEntry, 'author'>>()
  return ({ author_email: email }) => {
    const found = known.get(email)
    if (found) return found
    const user = userByCommitEmail(ctx, email)
    const author = user && authorOf(user)
    const credit = author ? { author } : {}
    known.set(email, credit)
    return credit
  }

  function authorOf(user: UserRow) {
    const theirs = { ...ctx, actor: actorOf(user) }
    const contributor = scope.roleOf(theirs, project) < GUEST
    const named = groups.some((one) => group.roleOf(theirs, one) >= GUEST)
    return { username: user.username, contributor, credit: contributor || named }
  }
}

/** A user as somebody whose levels can be asked for. */
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

/**
 * The tag of the last release before a version: the highest one below it, releases on trial aside. Undefined when there
 * is none.
 */
function previousTag(tags: readonly Tag[], regex: RE2JS, version: string): Tag | undefined {
  const limit = versionIn(version)
  if (!limit) return undefined
  let best: { tag: Tag; version: SemVer } | undefined
  for (const tag of tags) {
    const found = tag.commit === null ? null : versionOf(tag.name, regex)
    if (!found || compare(found, limit) >= 0) continue
    if (!best || compare(found, best.version) > 0) best = { tag, version: found }
  }
  return best?.tag
}

/** The version that stands in a text such as `v1.2.3-rc1`; null when there is none. */
function versionIn(text: string): SemVer | null {
  const found = /\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?/.exec(text.slice(0, 256))
  return found ? parse(found[0]) : null
}

function versionOf(name: string, regex: RE2JS): SemVer | null {
  const matcher = regex.matcher(name)
  if (!matcher.find()) return null
  const group = (wanted: string): string | null => {
    try {
      return matcher.group(wanted)
    } catch {
      // A regular expression of the project need not have all of them.
      return null
    }
  }
  if (group('pre')) return null
  return parse(`${group('major')}.${group('minor')}.${group('patch')}`)
}
