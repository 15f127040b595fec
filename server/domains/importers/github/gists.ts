import type { Ctx } from '../../../ctx.ts'
import { enqueue, type Job } from '../../../jobs/job.ts'
import { isForbidden, reasonOf } from '../../import_export/index.ts'
import { onBehalfOf } from '../../planning/index.ts'
import { createSnippet } from '../../snippets/index.ts'
import { GithubClient, githubAddress, GITHUB, deniedSentence } from './client.ts'
import { flag, recordIn, records, text, type Fields, HostError, RateLimited } from '../hosts/answers.ts'
import * as store from './store.ts'

/** The maximum number of files of a snippet. Gists with more files are not imported. */
const MAX_FILES = 10
const MAX_TITLE = 255

interface Cursor {
  /** URL of the current page. */
  readonly page?: string
  /** IDs of the finished gists on that page. */
  readonly done?: readonly string[]
  readonly failed?: number
}

type GistsJob = Job<{ user_id: number }>

/** Creates snippets from the gists of a user. Continues where an earlier run was interrupted. */
export async function runGists(ctx: Ctx, userId: number, job: GistsJob): Promise<void> {
  const row = store.importOf(ctx, userId)
  const userCtx = onBehalfOf(ctx, userId)
  if (row?.status !== 'started' || !userCtx) return
  const startedAt = performance.now()
  const address = githubAddress(row.hostname ?? undefined) ?? GITHUB
  const now = () => new Date(Date.parse(ctx.now) + performance.now() - startedAt).toISOString()
  const client = new GithubClient(ctx, address, { token: store.tokenOf(ctx, row), now })
  try {
    const failed = await importAll(userCtx, userId, client, JSON.parse(row.cursor) as Cursor)
    store.finish(ctx, userId, failed > 0 ? `${failed} could not be imported.` : null)
  } catch (error) {
    if (error instanceof RateLimited) return continueLater(ctx, job, userId, error.until)
    ctx.log.warn({ err: error, user_id: userId }, 'gists could not be imported')
    const isDenied = error instanceof HostError && error.status === 401
    store.finish(
      ctx,
      userId,
      isDenied ? deniedSentence() : error instanceof HostError ? error.message : reasonOf(error),
    )
  }
}

function continueLater(ctx: Ctx, job: GistsJob, userId: number, until: string): void {
  const delay = Math.max(0, Date.parse(until) - Date.parse(ctx.now))
  enqueue(ctx, job, { user_id: userId }, { key: `gist_imports:${userId}`, delay })
}

async function importAll(ctx: Ctx, userId: number, client: GithubClient, cursor: Cursor): Promise<number> {
  let url: string | null = cursor.page ?? client.firstPageUrl('/gists')
  let done = [...(cursor.done ?? [])]
  let failed = cursor.failed ?? 0
  while (url !== null) {
    const page = await client.fetchPage(url)
    for (const item of page.items) {
      const id = text(item, 'id') ?? ''
      if (done.includes(id)) continue
      if (!(await importGist(ctx, client, id))) failed++
      done.push(id)
      store.storeCursor(ctx, userId, { page: url, done, failed })
    }
    url = page.next
    done = []
    if (url !== null) store.storeCursor(ctx, userId, { page: url, done, failed })
  }
  return failed
}

/** Creates a snippet from a gist. Returns false if that is impossible. */
async function importGist(ctx: Ctx, client: GithubClient, id: string): Promise<boolean> {
  try {
    const gist = await client.fetchRecord(`/gists/${encodeURIComponent(id)}`)
    const files = filesOf(gist)
    if (files === null) return false
    const title = (text(gist, 'description')?.trim() || files[0]!.file_path).slice(0, MAX_TITLE)
    const visibility = flag(gist, 'public') ? 'public' : 'private'
    await createSnippet(ctx, undefined, { title, visibility, files, user_agent: '', ip_address: '' })
    return true
  } catch (error) {
    if (error instanceof RateLimited || isForbidden(error)) throw error
    if (error instanceof HostError && (error.status === 401 || error.isTemporary)) throw error
    ctx.log.warn({ err: error }, 'a gist could not be imported')
    return false
  }
}

/** The files of a gist; null if there are too many, if the answer truncated them, or if there are none. */
function filesOf(gist: Fields) {
  const gistFiles = records(Object.values(recordIn(gist, 'files') ?? {}))
  const files = gistFiles.map((file) => ({
    action: 'create' as const,
    file_path: text(file, 'filename') ?? 'file.txt',
    content: text(file, 'content') ?? '',
  }))
  const isComplete = gistFiles.every((file) => !flag(file, 'truncated')) && !flag(gist, 'truncated')
  return isComplete && files.length > 0 && files.length <= MAX_FILES ? files : null
}
