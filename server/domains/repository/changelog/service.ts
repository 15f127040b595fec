import type { Ctx } from '../../../ctx.ts'
import { readFile } from '../../../git/blob.ts'
import type { Commit } from '../../../git/commits.ts'
import { lastCommitFor, listCommits } from '../../../git/log.ts'
import { listTags } from '../../../git/refs.ts'
import { branchTip, resolveCommit } from '../../../git/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { refusedPush } from '../commits/refused.ts'
import { commitFiles } from '../commits/write.ts'
import { filePath } from '../files/service.ts'
import { inRepository } from '../repo.ts'
import { creditOf } from './authors.ts'
import { readConfig, type ChangelogConfig } from './config.ts'
import { insertSection } from './document.ts'
import { ChangelogError } from './error.ts'
import { sectionOf, withTrailer } from './notes.ts'
import { previousTag } from './previous-tag.ts'

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
