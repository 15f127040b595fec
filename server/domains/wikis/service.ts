import { readFile } from 'node:fs/promises'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { lastCommitFor } from '../../git/read/log.ts'
import { isBranchName } from '../../git/names.ts'
import { withWriteLock, writeHead } from '../../git/upkeep/repository.ts'
import { branchTip } from '../../git/read/revisions.ts'
import type { Repo } from '../../git/types.ts'
import { fail, Failure, invalid, notFound } from '../../lib/fail.ts'
import type { PageFormat } from '../../lib/markup/formats.ts'
import { settingsOf } from '../settings/index.ts'
import type { AttachmentView, PageView } from './entity.ts'
import { WikiPageChanged } from './events.ts'
import { ownerIds, requestSize } from './jobs.ts'
import { commitTo, type Now } from './service-commit.ts'
import { contentOf, fileOf, folderOf, type PageFile, slugOfTitle, titleOf } from './service-pages.ts'
import { prepareWiki, repoOfWiki } from './service-repository.ts'
import * as store from './store.ts'
import type { WikiOwner } from './types.ts'

const UNITS = ['Bytes', 'KB', 'MB', 'GB', 'TB']

/** Bytes for people, with three digits: `1 Byte`, `1.21 KB`, `50 MB`. */
function humanSize(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 Byte' : `${bytes} Bytes`
  const unit = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  return `${Number((bytes / 1024 ** unit).toPrecision(3))} ${UNITS[unit]}`
}

/** The fields of a new page. */
export interface NewPage {
  readonly title: string
  readonly content: string
  readonly format: PageFormat
  /** The commit message; a sentence about the change by default. */
  readonly message?: string | undefined
}

/** The fields of an update. */
export interface PageChanges {
  readonly title?: string | undefined
  readonly content?: string | undefined
  readonly format?: PageFormat | undefined
  readonly message?: string | undefined
  /** The latest commit of the page that the caller knows; 409 if there is a newer one. */
  readonly last_commit_sha?: string | undefined
}

const DUPLICATE = 'Duplicate page: A page with that title already exists'
const IN_THE_WAY = 'There is already a page with the same title in that path.'
const CHANGED =
  'Someone edited the page the same time you did. Please check out the page and make sure your changes will not unintentionally remove theirs.'

/** Creates a page. Throws 400 for invalid titles and contents, and for duplicates (spec administration 10.1, 10.2). */
export async function createPage(ctx: Ctx, owner: WikiOwner, input: NewPage): Promise<PageView> {
  const slug = slugOfTitle(input.title, '')
  checkContent(ctx, input.content)
  return commitTo(ctx, owner, undefined, ({ index }) => {
    if (index.inTheWay(slug)) throw invalid({ base: DUPLICATE })
    const { content, format } = input
    const page = { slug, format, title: titleOf(slug) }
    const message = messageOf(ctx, input.message, 'created', shownTitle(slug))
    return {
      actions: [{ action: 'create', path: fileOf(slug, format), content: Buffer.from(content) }],
      message,
      result: { page, content },
      record: (commit, now) => {
        const { id } = store.pageFor(ctx.db, now.wiki.id, page, ctx.now)
        publishChange(ctx, now, { id, action: 'created', page, message, commit })
      },
    }
  })
}

/** Updates the text, format or title of a page. Throws 404 if there is none, 400 like creating. */
export async function updatePage(
  ctx: Ctx,
  owner: WikiOwner,
  slug: string,
  changes: PageChanges,
): Promise<PageView> {
  if (changes.title !== undefined) slugOfTitle(changes.title, folderOf(slug))
  if (changes.content !== undefined) checkContent(ctx, changes.content)
  return commitTo(ctx, owner, undefined, async (now) => {
    const current = now.index.find(slug)
    if (!current) throw notFound('Wiki Page')
    await checkFresh(now, current, changes.last_commit_sha)
    const page = renamed(current, changes)
    if (now.index.inTheWay(page.slug, current)) throw invalid({ title: IN_THE_WAY })
    const content = changes.content ?? (await contentOf(now.repo, current))
    const message = messageOf(ctx, changes.message, 'updated', shownTitle(page.slug))
    const body = changes.content === undefined ? {} : { content: Buffer.from(changes.content) }
    return {
      actions: [
        page.path === current.path
          ? { action: 'update', path: page.path, content: Buffer.from(content) }
          : { action: 'move', path: page.path, previous_path: current.path, ...body },
      ],
      message,
      result: { page, content },
      record: (commit) => {
        const { id } = store.pageFor(ctx.db, now.wiki.id, current, ctx.now)
        store.renamePage(ctx.db, id, now.wiki.id, page, ctx.now)
        publishChange(ctx, now, { id, action: 'updated', page, message, commit })
      },
    }
  })
}

/** Deletes a page. Throws 404 if there is none, 422 if git fails. */
export async function deletePage(ctx: Ctx, owner: WikiOwner, slug: string): Promise<void> {
  const done = commitTo(ctx, owner, undefined, (now) => {
    const page = now.index.find(slug)
    if (!page) throw notFound('Wiki Page')
    const message = messageOf(ctx, undefined, 'deleted', shownTitle(page.slug))
    return {
      actions: [{ action: 'delete', path: page.path }],
      message,
      result: undefined,
      record: (commit) => {
        const { id } = store.pageFor(ctx.db, now.wiki.id, page, ctx.now)
        publishChange(ctx, now, { id, action: 'deleted', page, message, commit })
        store.removePage(ctx.db, id)
      },
    }
  })
  await done.catch((error: unknown) => {
    const isGits = error instanceof Failure && ['unavailable', 'conflict'].includes(error.kind)
    throw isGits ? fail('unprocessable', 'Could not delete wiki page') : error
  })
}

/** A page after an update. */
function renamed(current: PageFile, { title, format = current.format }: PageChanges) {
  // An unchanged title keeps the slug, where several dashes may show as one space.
  const isSame = title === undefined || title === current.title
  const slug = isSame ? current.slug : slugOfTitle(title, folderOf(current.slug))
  const path = fileOf(slug, format, current.extension)
  return { slug, format, title: titleOf(slug), path }
}

/** The title with its folders, for commit messages. */
function shownTitle(slug: string): string {
  const folder = folderOf(slug)
  return folder === '' ? titleOf(slug) : `${folder}/${titleOf(slug)}`
}

function messageOf(ctx: Ctx, message: string | undefined, done: string, title: string): string {
  if (message?.trim()) return message
  const name = ctx.actor.kind === 'user' ? ctx.actor.username : 'Deskforge'
  return `${name} ${done} page: ${title}`
}

function checkContent(ctx: Ctx, content: string): void {
  const { wiki_page_max_content_bytes: limit } = settingsOf(ctx)
  const bytes = Buffer.byteLength(content)
  if (bytes > limit)
    throw invalid({ content: `is too long (${humanSize(bytes)}). The maximum size is ${humanSize(limit)}.` })
}

/** Throws 409 if the page has a newer commit than the caller knows. */
async function checkFresh(now: Now, page: PageFile, lastCommitId: string | undefined): Promise<void> {
  if (lastCommitId === undefined || now.tip === null) return
  const last = await lastCommitFor(now.repo, now.tip, page.path)
  if (last && last.id !== lastCommitId) throw fail('conflict', CHANGED)
}

interface WikiChange {
  readonly id: number
  readonly action: 'created' | 'updated' | 'deleted'
  readonly page: PageView['page']
  readonly message: string
  readonly commit: string
}

function publishChange(
  ctx: Ctx,
  { wiki, tip }: Now,
  { id, action, page, message, commit }: WikiChange,
): void {
  publish(ctx, WikiPageChanged, {
    ...ownerIds(wiki),
    actor_id: ctx.actor.id,
    wiki_page_id: id,
    action,
    slug: page.slug,
    title: page.title,
    format: page.format,
    message,
    commit,
    previous_commit: tip,
  })
  requestSize(ctx, wiki.id)
}

/** The maximum length of a file name, in bytes. */
const MAX_NAME = 255

/**
 * A file name for wikis (spec administration 10.2): letters, digits, `.`, `-`, `+` and `_` of any script, at most 255
 * bytes, cut before the extension. Throws 400 for an empty name.
 */
export function attachmentName(name: string): string {
  const last = name.replaceAll('\\', '/').split('/').at(-1)!
  const clean = last.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}_.+-]/gu, '_')
  if (clean === '' || clean === '.' || clean === '..')
    throw fail('bad_request', 'The file name cannot be empty')
  const extension = /\.[^.]{1,30}$/.exec(clean)?.[0] ?? ''
  let stem = clean.slice(0, clean.length - extension.length)
  while (Buffer.byteLength(stem + extension) > MAX_NAME) stem = [...stem].slice(0, -1).join('')
  return stem + extension
}

/** A file that arrived with a request, in a temporary file. */
interface ReceivedFile {
  readonly filename: string
  readonly path: string
}

/** Commits a file below `uploads/`, under a path that cannot be guessed. Throws 400 for an unknown branch. */
export async function attachFile(
  ctx: Ctx,
  owner: WikiOwner,
  { file, branch }: { readonly file: ReceivedFile; readonly branch?: string | undefined },
): Promise<AttachmentView> {
  const file_name = attachmentName(file.filename)
  const file_path = `uploads/${ctx.random.hex(16)}/${file_name}`
  const content = await readFile(file.path)
  if (branch && !isBranchName(branch)) throw noBranch()
  return commitTo(ctx, owner, branch || undefined, async ({ wiki, repo, tip }) => {
    const isElsewhere = tip === null && branch && branch !== wiki.default_branch
    if (isElsewhere && (await branchTip(repo, wiki.default_branch)) !== null) throw noBranch()
    return {
      actions: [{ action: 'create', path: file_path, content }],
      message: `Upload attachment ${file_name}`,
      result: { file_name, file_path, branch: branch || wiki.default_branch },
      record: () => requestSize(ctx, wiki.id),
    }
  })
}

function noBranch(): Error {
  return fail('bad_request', 'You can only create or edit files when you are on a branch')
}

/**
 * Fills the wiki of an import with what `take` brings into its repository. Creates the repository if necessary. `take`
 * names the default branch. Publishes no event. May be repeated. Throws the errors of `take`.
 */
export async function fillWiki(
  ctx: Ctx,
  owner: WikiOwner,
  take: (repo: Repo) => Promise<{ readonly head: string | null }>,
): Promise<void> {
  const wiki = await prepareWiki(ctx, owner)
  const repo = repoOfWiki(ctx, wiki)
  await withWriteLock(repo, async () => {
    const { head } = await take(repo)
    const branch = head !== null && (await branchTip(repo, head)) !== null ? head : wiki.default_branch
    if (branch !== wiki.default_branch) await writeHead(repo, branch)
    tx(ctx.db, () => {
      store.setBranch(ctx.db, wiki.id, branch)
      store.touch(ctx.db, wiki.id, ctx.now)
      requestSize(ctx, wiki.id)
    })
  })
}
