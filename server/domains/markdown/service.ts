import { createHash } from 'node:crypto'

import type { Ctx } from '../../ctx.ts'
import type { Database } from '../../db/database.ts'
import type { Mark, ReferenceLink } from '../../lib/markdown.ts'
import { WRITABLE_FORMATS } from '../../lib/markup/formats.ts'
import { ThreadPool } from '../../threads/pool.ts'
import { ThreadError, workerFile } from '../../threads/thread.ts'
import { featureLevel, type Project } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'
import { linksOf, trackerSettingsOf } from './references/resolve.ts'
import { issueUrl, type Tracker, trackerFrom } from './references/trackers.ts'
import type { TextContext } from './references/find.ts'
import { withExternalImages } from './service-images.ts'
import type { RenderTask, RenderWork } from './thread/read.ts'

/** The number of threads that render at the same time. Each takes a processor and about 40 MB. */
const MAX_THREADS = 2

/** The time limit for one text, milliseconds. A normal text takes a small part of it. */
const DEADLINE_MS = 8000

/** The time limit for one text while other texts wait, milliseconds. */
const SHARE_MS = 2500

/** The time that an idle thread waits for the next text, milliseconds. Authors request previews frequently. */
const IDLE_MS = 20_000

/** The maximum number of waiting texts. Further texts are not rendered. */
const MAX_WAITING = 40

/** The result of rendering: `failed` for a text that is too slow or unreadable, `busy` if no thread had time. */
type RenderResult = { readonly html: string } | 'failed' | 'busy'

/** Finds the links of the marks of a text, in their order. */
type FindLinks = (marks: readonly Mark[]) => Promise<(ReferenceLink | undefined)[]>

/**
 * Renders a text as safe HTML in a worker thread. `links` runs on the calling thread, between reading and rendering a
 * Markdown text.
 */
async function renderInThread(db: Database, task: RenderTask, links: FindLinks): Promise<RenderResult> {
  const threads = db.instance('markdown.threads', () => {
    const file = workerFile(import.meta.url, './thread/markup')
    return new ThreadPool<RenderWork>(file, {
      threads: MAX_THREADS,
      memoryMb: 384,
      idleMs: IDLE_MS,
      maxWaiting: MAX_WAITING,
      timeoutMs: DEADLINE_MS,
      shareMs: SHARE_MS,
    })
  })
  try {
    return { html: await threads.run(task, { onQuestion: links }) }
  } catch (error) {
    if (!(error instanceof ThreadError)) throw error
    // A text that found no free thread may succeed later. Any other failure would happen again.
    return error.why === 'busy' ? 'busy' : 'failed'
  }
}

/** The maximum size of the cache, characters. */
const MAX_CACHED = 8 * 1024 * 1024

/** The overhead of each cached text, characters. */
const ENTRY_OVERHEAD = 200

/** Cached HTML by key, the last used text last. Null for a text that cannot be rendered. */
interface HtmlCache {
  readonly html: Map<string, string | null>
  size: number
}

function htmlCacheOf(db: Database): HtmlCache {
  return db.instance('markdown.rendered', () => ({ html: new Map(), size: 0 }), { dependsOnRows: true })
}

/** Returns the cache key of a text. A higher `version` invalidates all cached texts. */
function cacheKey(task: RenderTask, version: number): string {
  const { format, wiki, text } = task
  return createHash('sha256')
    .update(`${version}\0${format}\0${wiki?.base}\0${wiki?.slug}\0${text}`)
    .digest('base64')
}

/** Returns the cached HTML. Null for a text that cannot be rendered, undefined if the text is not cached. */
function readCache(db: Database, key: string): string | null | undefined {
  const { html } = htmlCacheOf(db)
  const cached = html.get(key)
  if (cached === undefined) return undefined
  html.delete(key)
  html.set(key, cached)
  return cached
}

/** Caches HTML, and removes the least recently used entries beyond the limit. */
function writeCache(db: Database, key: string, html: string | null): void {
  const cache = htmlCacheOf(db)
  const cost = (entry: string | null): number => (entry?.length ?? 0) + ENTRY_OVERHEAD
  if (cost(html) > MAX_CACHED / 4 || cache.html.has(key)) return
  cache.html.set(key, html)
  cache.size += cost(html)
  for (const [oldest, entry] of cache.html) {
    if (cache.size <= MAX_CACHED) return
    cache.html.delete(oldest)
    cache.size -= cost(entry)
  }
}

/**
 * The maximum weight of a Markdown text that is rendered on the main thread, which takes some milliseconds. The weight
 * is the number of characters, and special characters count more than letters.
 */
const MAX_SMALL = 16_000
const MARK_WEIGHT = 8

/**
 * The maximum length of a text in another format, characters. Other formats render slower than Markdown. Longer texts
 * are shown as plain text.
 */
const MAX_CONVERTED = 1024 * 1024

/**
 * Renders Markdown as safe HTML. References to records that the reader may see become links: `#1`, `!2`, `@name`,
 * `~label`, `%milestone`, `$3`, commit IDs, each with an optional project path, and URLs of the instance. References to
 * an external issue tracker become links, too. A text that takes too long is shown as plain text.
 */
export async function renderText(ctx: Ctx, text: string, context: TextContext = {}): Promise<string> {
  const { project, wiki } = context
  const tracker = project && trackerSettingsOf(ctx.db, project.id, hasIssues(project))
  const external = tracker && trackerFrom(tracker.slug, tracker.settings, tracker.hasOwnIssues)
  const html = await renderTask(ctx, { format: 'markdown', text, wiki, tracker }, async (marks) => {
    const links = marks.length === 0 ? undefined : await linksOf(ctx, marks, context)
    return marks.map((mark) => (external && externalLink(external, mark)) ?? links?.get(mark))
  })
  return withExternalImages(ctx, html)
}

/** Renders Markdown as safe HTML, without references. */
export async function renderPlain(ctx: Ctx, text: string): Promise<string> {
  return withExternalImages(ctx, await renderTask(ctx, { format: 'markdown', text }, async () => []))
}

/**
 * Renders a text of any format (`lib/markup/formats.ts`) as safe HTML. Only Markdown has references. Texts in read-only
 * formats, and texts that take too long, are shown as plain text.
 */
export async function renderMarkup(
  ctx: Ctx,
  { format, text }: { readonly format: string; readonly text: string },
  context: TextContext = {},
): Promise<string> {
  if (format === 'markdown') return renderText(ctx, text, context)
  if (text.length > MAX_CONVERTED || !(WRITABLE_FORMATS as readonly string[]).includes(format)) {
    const { asPlainText } = await import('../../lib/markdown.ts')
    return asPlainText(text)
  }
  const task: RenderTask = { format, text, wiki: context.wiki }
  const key = cacheKeyOf(ctx, task)
  const cached = readCache(ctx.db, key)
  if (cached != null) return withExternalImages(ctx, cached)
  const html = await renderTask(ctx, task, async () => [])
  writeCache(ctx.db, key, html)
  return withExternalImages(ctx, html)
}

/** Returns the cache key for the version in the settings (spec administration 1.2). */
function cacheKeyOf(ctx: Ctx, task: RenderTask): string {
  return cacheKey(task, settingsOf(ctx).local_markdown_version)
}

async function renderTask(ctx: Ctx, task: RenderTask, findLinks: FindLinks): Promise<string> {
  // The renderer is loaded on first use, because it takes a tenth of the memory of an idle instance.
  const { asPlainText } = await import('../../lib/markdown.ts')
  if (task.format === 'markdown' && isSmall(task.text)) return renderInProcess(task, findLinks)
  const key = cacheKeyOf(ctx, task)
  if (readCache(ctx.db, key) === null) return asPlainText(task.text)
  const result = await renderInThread(ctx.db, task, findLinks)
  if (result === 'failed') writeCache(ctx.db, key, null)
  return typeof result === 'object' ? result.html : asPlainText(task.text)
}

function isSmall(text: string): boolean {
  if (text.length > MAX_SMALL) return false
  return text.length + MARK_WEIGHT * (text.match(/[*_[\]#<@&:`~!|]/g)?.length ?? 0) <= MAX_SMALL
}

async function renderInProcess(task: RenderTask, findLinks: FindLinks): Promise<string> {
  const { readTask } = await import('./thread/read.ts')
  const read = readTask(task)
  const links = await findLinks(read.marks)
  return read.render((_, index) => links[index])
}

function hasIssues(project: Project): boolean {
  return featureLevel(project, 'issues') !== 'disabled'
}

/** Returns the link to an external issue. Undefined for any other mark. */
function externalLink(tracker: Tracker, { reference, source }: Mark): ReferenceLink | undefined {
  if (reference?.kind !== 'outside_issue') return undefined
  const href = issueUrl(tracker, reference.name)
  return { href, title: `Issue in ${tracker.title}`, kind: 'issue', text: source! }
}

/** Renders one line, such as a title, without the surrounding paragraph. */
export async function renderLine(ctx: Ctx, text: string, context: TextContext = {}): Promise<string> {
  const html = (await renderText(ctx, text, context)).trim()
  return html.replace(/^<p>([\s\S]*)<\/p>$/, '$1')
}

/** A user or group that a text mentions. */
export interface NameInText {
  /** The username or full group path, as written in the text. */
  readonly name: string
  /** Whether a line starts with the mention, alone or after other mentions. */
  readonly leading: boolean
}

/** Returns the mentions in a Markdown text, each once. Skips mentions in code, links and quotes. */
export async function namesIn(text: string): Promise<NameInText[]> {
  if (!text.includes('@')) return []
  // The renderer is loaded on first use, because it takes a tenth of the memory of an idle instance.
  const { parseMarkdown } = await import('../../lib/markdown.ts')
  const names = new Map<string, NameInText>()
  for (const { reference, leading, quote } of parseMarkdown(text).marks) {
    if (reference?.kind !== 'user' || quote) continue
    const key = reference.name.toLowerCase()
    names.set(key, { name: reference.name, leading: leading || (names.get(key)?.leading ?? false) })
  }
  return [...names.values()]
}
