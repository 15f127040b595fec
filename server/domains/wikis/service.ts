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
import { humanSize } from '../../lib/text/human-size.ts'
import { settingsOf } from '../settings/index.ts'
import type { AttachmentView, PageView } from './entity.ts'
import { WikiPageChanged } from './events.ts'
import { ownerIds, requestSize } from './jobs.ts'
import { commitTo } from './service-commit.ts'
import {
  contentOf,
  fileOf,
  folderOf,
  type PageFile,
  slugOfTitle,
  titleOf,
  type WikiState,
} from './service-pages.ts'
import { prepareWiki, repoOfWiki } from './service-repository.ts'
import * as store from './store.ts'
import type { WikiOwner } from './types.ts'

/** The fields of a new page. */
export interface NewPage {
  readonly title: string
  readonly content: string
  readonly format: PageFormat
  /** The commit message. Default is a sentence about the change. */
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
const TITLE_CONFLICT = 'There is already a page with the same title in that path.'
const EDIT_CONFLICT =
  'Someone edited the page the same time you did. Please check out the page and make sure your changes will not unintentionally remove theirs.'

/** Creates a page. Throws 400 for invalid titles and contents, and for duplicates (spec administration 10.1, 10.2). */
export async function createPage(ctx: Ctx, owner: WikiOwner, input: NewPage): Promise<PageView> {
  const slug = slugOfTitle(input.title, '')
  checkContent(ctx, input.content)
  return commitTo(ctx, owner, undefined, ({ index }) => {
    if (index.findConflict(slug)) throw invalid({ base: DUPLICATE })
    const { content, format } = input
    const page = { slug, format, title: titleOf(slug) }
    const message = messageOf(ctx, input.message, 'created', titleWithFolder(slug))
    return {
      actions: [{ action: 'create', path: fileOf(slug, format), content: Buffer.from(content) }],
      message,
      result: { page, content },
      record: (commit, state) => {
        const { id } = store.pageFor(ctx.db, state.wiki.id, page, ctx.now)
        publishChange(ctx, state, { id, action: 'created', page, message, commit })
      },
    }
  })
}

/** Updates the text, format or title of a page. Throws 404 if there is none, and 400 as `createPage` does. */
export async function updatePage(
  ctx: Ctx,
  owner: WikiOwner,
  slug: string,
  changes: PageChanges,
): Promise<PageView> {
  if (changes.title !== undefined) slugOfTitle(changes.title, folderOf(slug))
  if (changes.content !== undefined) checkContent(ctx, changes.content)
  return commitTo(ctx, owner, undefined, async (state) => {
    const current = state.index.find(slug)
    if (!current) throw notFound('Wiki Page')
    await checkLastCommit(state, current, changes.last_commit_sha)
    const page = updatedPage(current, changes)
    if (state.index.findConflict(page.slug, current)) throw invalid({ title: TITLE_CONFLICT })
    const content = changes.content ?? (await contentOf(state.repo, current))
    const message = messageOf(ctx, changes.message, 'updated', titleWithFolder(page.slug))
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
        const { id } = store.pageFor(ctx.db, state.wiki.id, current, ctx.now)
        store.renamePage(ctx.db, id, state.wiki.id, page, ctx.now)
        publishChange(ctx, state, { id, action: 'updated', page, message, commit })
      },
    }
  })
}

/** Deletes a page. Throws 404 if there is none, 422 if git fails. */
export async function deletePage(ctx: Ctx, owner: WikiOwner, slug: string): Promise<void> {
  const deletion = commitTo(ctx, owner, undefined, (state) => {
    const page = state.index.find(slug)
    if (!page) throw notFound('Wiki Page')
    const message = messageOf(ctx, undefined, 'deleted', titleWithFolder(page.slug))
    return {
      actions: [{ action: 'delete', path: page.path }],
      message,
      result: undefined,
      record: (commit) => {
        const { id } = store.pageFor(ctx.db, state.wiki.id, page, ctx.now)
        publishChange(ctx, state, { id, action: 'deleted', page, message, commit })
        store.removePage(ctx.db, id)
      },
    }
  })
  await deletion.catch((error: unknown) => {
    const isGitFailure = error instanceof Failure && ['unavailable', 'conflict'].includes(error.kind)
    throw isGitFailure ? fail('unprocessable', 'Could not delete wiki page') : error
  })
}

/** The name and path of a page after an update. */
function updatedPage(current: PageFile, { title, format = current.format }: PageChanges) {
  // An unchanged title keeps the slug: several dashes in it may show as one space, which would not lead back to it.
  const keepsTitle = title === undefined || title === current.title
  const slug = keepsTitle ? current.slug : slugOfTitle(title, folderOf(current.slug))
  const path = fileOf(slug, format, current.extension)
  return { slug, format, title: titleOf(slug), path }
}

/** The title with its folders, for commit messages. */
function titleWithFolder(slug: string): string {
  const folder = folderOf(slug)
  return folder === '' ? titleOf(slug) : `${folder}/${titleOf(slug)}`
}

function messageOf(ctx: Ctx, message: string | undefined, verb: string, title: string): string {
  if (message?.trim()) return message
  const name = ctx.actor.kind === 'user' ? ctx.actor.username : 'Deskforge'
  return `${name} ${verb} page: ${title}`
}

function checkContent(ctx: Ctx, content: string): void {
  const { wiki_page_max_content_bytes: limit } = settingsOf(ctx)
  const bytes = Buffer.byteLength(content)
  if (bytes > limit)
    throw invalid({ content: `is too long (${humanSize(bytes)}). The maximum size is ${humanSize(limit)}.` })
}

/** Throws 409 if the page has a newer commit than the caller knows. */
async function checkLastCommit(
  state: WikiState,
  page: PageFile,
  lastCommitId: string | undefined,
): Promise<void> {
  if (lastCommitId === undefined || state.tip === null) return
  const last = await lastCommitFor(state.repo, state.tip, page.path)
  if (last && last.id !== lastCommitId) throw fail('conflict', EDIT_CONFLICT)
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
  { wiki, tip }: WikiState,
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
  const safeName = last.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}_.+-]/gu, '_')
  if (safeName === '' || safeName === '.' || safeName === '..')
    throw fail('bad_request', 'The file name cannot be empty')
  const extension = /\.[^.]{1,30}$/.exec(safeName)?.[0] ?? ''
  let stem = safeName.slice(0, safeName.length - extension.length)
  while (Buffer.byteLength(stem + extension) > MAX_NAME) stem = [...stem].slice(0, -1).join('')
  return stem + extension
}

/** An uploaded file, which the server has stored in a temporary file. */
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
    const isNewBranch = tip === null && branch && branch !== wiki.default_branch
    if (isNewBranch && (await branchTip(repo, wiki.default_branch)) !== null) throw noBranch()
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
 * Fills the repository of an imported wiki, and creates it if necessary. `fetchContent` writes into it and returns the
 * default branch as `head`. Publishes no event. May be repeated. Throws the errors of `fetchContent`.
 */
export async function fillWiki(
  ctx: Ctx,
  owner: WikiOwner,
  fetchContent: (repo: Repo) => Promise<{ readonly head: string | null }>,
): Promise<void> {
  const wiki = await prepareWiki(ctx, owner)
  const repo = repoOfWiki(ctx, wiki)
  await withWriteLock(repo, async () => {
    const { head } = await fetchContent(repo)
    const branch = head !== null && (await branchTip(repo, head)) !== null ? head : wiki.default_branch
    if (branch !== wiki.default_branch) await writeHead(repo, branch)
    tx(ctx.db, () => {
      store.setBranch(ctx.db, wiki.id, branch)
      store.touch(ctx.db, wiki.id, ctx.now)
      requestSize(ctx, wiki.id)
    })
  })
}
