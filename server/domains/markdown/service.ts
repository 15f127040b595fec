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
import { addressOf, type Tracker, trackerFrom } from './references/trackers.ts'
import type { TextContext } from './references/find.ts'
import { withExternalImages } from './service-images.ts'
import type { RenderTask, RenderWork } from './thread/read.ts'

/** Threads that render at the same time; each takes a processor and some 40 MB. */
const MAX_THREADS = 2

/** The time limit for one text in milliseconds. Normal texts take a small part of it. */
const DEADLINE_MS = 8000

/** The time limit in milliseconds while other texts wait, so that no text occupies both threads. */
const SHARE_MS = 2500

/** The time in milliseconds that an idle thread waits for the next text. Authors request previews frequently. */
const IDLE_MS = 20_000

/** The maximum number of waiting texts. Further ones are not rendered. */
const MAX_WAITING = 40

/** The result of rendering: `late` means too slow or unreadable, `busy` means that no thread had time. */
type Rendered = { readonly html: string } | 'late' | 'busy'

/** Finds the links of a text's marks, in the order of the marks. */
type FindLinks = (marks: readonly Mark[]) => Promise<(ReferenceLink | undefined)[]>

/**
 * Renders a text as safe HTML in a worker thread. `links` runs on the calling thread, between reading and rendering a
 * Markdown text.
 */
async function renderInThread(db: Database, task: RenderTask, links: FindLinks): Promise<Rendered> {
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
    // A text that gave way to others may succeed later; every other failure is the text's own.
    return error.why === 'busy' ? 'busy' : 'late'
  }
}

/** Cached HTML, in characters. */
const MAX_KEPT = 8 * 1024 * 1024

/** Overhead of each cached text. */
const ENTRY = 200

/** Cached HTML by key, newest last; null for a text that took too long. */
interface HtmlCache {
  readonly html: Map<string, string | null>
  size: number
}

function htmlCacheOf(db: Database): HtmlCache {
  return db.instance('markdown.rendered', () => ({ html: new Map(), size: 0 }), { ofContent: true })
}

/** The cache key of a text that renders without lookups. */
function nameOf(task: RenderTask, version: number): string {
  const { format, wiki, text } = task
  return createHash('sha256')
    .update(`${version}\0${format}\0${wiki?.base}\0${wiki?.slug}\0${text}`)
    .digest('base64')
}

/** The cached HTML; null for a text that took too long, undefined if not cached. */
function recall(db: Database, name: string): string | null | undefined {
  const { html } = htmlCacheOf(db)
  const cached = html.get(name)
  if (cached === undefined) return undefined
  html.delete(name)
  html.set(name, cached)
  return cached
}

/** Caches HTML, and drops the oldest entries beyond the limit. */
function remember(db: Database, name: string, renderedHtml: string | null): void {
  const shelf = htmlCacheOf(db)
  const cost = (entry: string | null): number => (entry?.length ?? 0) + ENTRY
  if (cost(renderedHtml) > MAX_KEPT / 4 || shelf.html.has(name)) return
  shelf.html.set(name, renderedHtml)
  shelf.size += cost(renderedHtml)
  for (const [oldest, entry] of shelf.html) {
    if (shelf.size <= MAX_KEPT) return
    shelf.html.delete(oldest)
    shelf.size -= cost(entry)
  }
}

/**
 * The maximum weight of a Markdown text that is rendered on the main thread, which takes some milliseconds. The weight
 * is the number of characters, and special characters count more than letters.
 */
const SMALL = 16_000
const MARK = 8

/**
 * The maximum length in characters of a text in another format, because these render slower. Longer texts are shown as
 * written.
 */
const MAX_CONVERTED = 1024 * 1024

/**
 * Renders Markdown as safe HTML. References to records that the reader may see become links: `#1`, `!2`, `@name`,
 * `~label`, `%milestone`, `$3`, commit ids, each with an optional project path, and URLs of the instance. References to
 * an external issue tracker become links, too. A text that takes too long is shown as written.
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
 * Renders a text of any format (`lib/markup/formats.ts`) as safe HTML. Only Markdown has references. Read-only
 * formats, and texts that take too long, are shown as written.
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
  const name = keyOf(ctx, task)
  const cached = recall(ctx.db, name)
  if (cached != null) return withExternalImages(ctx, cached)
  const html = await renderTask(ctx, task, async () => [])
  remember(ctx.db, name, html)
  return withExternalImages(ctx, html)
}

/** The cache key. A higher version in the settings invalidates all cached texts (spec administration 1.2). */
function keyOf(ctx: Ctx, task: RenderTask): string {
  return nameOf(task, settingsOf(ctx).local_markdown_version)
}

async function renderTask(ctx: Ctx, task: RenderTask, find: FindLinks): Promise<string> {
  // Loaded on first use: the renderer is a tenth of the memory of an idle instance.
  const { asPlainText } = await import('../../lib/markdown.ts')
  if (task.format === 'markdown' && isSmall(task.text)) return renderInProcess(task, find)
  const name = keyOf(ctx, task)
  if (recall(ctx.db, name) === null) return asPlainText(task.text)
  const renderedHtml = await renderInThread(ctx.db, task, find)
  if (renderedHtml === 'late') remember(ctx.db, name, null)
  return typeof renderedHtml === 'object' ? renderedHtml.html : asPlainText(task.text)
}

function isSmall(text: string): boolean {
  if (text.length > SMALL) return false
  return text.length + MARK * (text.match(/[*_[\]#<@&:`~!|]/g)?.length ?? 0) <= SMALL
}

async function renderInProcess(task: RenderTask, find: FindLinks): Promise<string> {
  const { readTask } = await import('./thread/read.ts')
  const read = readTask(task)
  const links = await find(read.marks)
  return read.render((_, index) => links[index])
}

function hasIssues(project: Project): boolean {
  return featureLevel(project, 'issues') !== 'disabled'
}

/** The link of an external issue; undefined for any other mark. */
function externalLink(tracker: Tracker, { reference, source }: Mark): ReferenceLink | undefined {
  if (reference?.kind !== 'outside_issue') return undefined
  const href = addressOf(tracker, reference.name)
  return { href, title: `Issue in ${tracker.title}`, kind: 'issue', text: source! }
}

/** Renders one line, like a title, without the surrounding paragraph. */
export async function renderLine(ctx: Ctx, text: string, context: TextContext = {}): Promise<string> {
  const html = (await renderText(ctx, text, context)).trim()
  return html.replace(/^<p>([\s\S]*)<\/p>$/, '$1')
}

/** A user or group that a text mentions. */
export interface NameInText {
  /** The user name or full group path, as written. */
  readonly name: string
  /** A line starts with the mention, alone or after others. */
  readonly leading: boolean
}

/** Mentions in a Markdown text, without duplicates. Mentions in code, links and quotes do not count. */
export async function namesIn(text: string): Promise<NameInText[]> {
  if (!text.includes('@')) return []
  // Loaded on first use: the renderer is a tenth of the memory of an idle instance.
  const { parseMarkdown } = await import('../../lib/markdown.ts')
  const names = new Map<string, NameInText>()
  for (const { reference, leading, quote } of parseMarkdown(text).marks) {
    if (reference?.kind !== 'user' || quote) continue
    const key = reference.name.toLowerCase()
    names.set(key, { name: reference.name, leading: leading || (names.get(key)?.leading ?? false) })
  }
  return [...names.values()]
}
