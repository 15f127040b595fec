import { createHash } from 'node:crypto'

import type { Ctx } from '../../ctx.ts'
import type { Database } from '../../db/database.ts'
import type { Mark, ReferenceLink } from '../../lib/markdown.ts'
import { WRITABLE_FORMATS } from '../../lib/markup/formats.ts'
import { featureLevel, type Project } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'
import { linksOf, trackerSettingsOf } from './references/resolve.ts'
import { addressOf, type Tracker, trackerFrom } from './references/trackers.ts'
import type { TextContext } from './references/wanted.ts'
import { withExternalImages } from './service-images.ts'
import { type FindLinks, renderInThread } from './thread/pool.ts'
import type { RenderTask } from './thread/read.ts'

/** Characters of HTML that are kept. */
const MAX_KEPT = 8 * 1024 * 1024

/** What one text takes beside its HTML. */
const ENTRY = 200

/** HTML by the text it is made of, newest last; null for a text that takes too long. */
interface Shelf {
  readonly html: Map<string, string | null>
  size: number
}

function shelfOf(db: Database): Shelf {
  return db.instance('markdown.rendered', () => ({ html: new Map(), size: 0 }))
}

/** Names what a text becomes when nothing but the text, and the version of what renders it, decides that. */
function nameOf(task: RenderTask, version: number): string {
  const { format, wiki, text } = task
  return createHash('sha256')
    .update(`${version}\0${format}\0${wiki?.base}\0${wiki?.slug}\0${text}`)
    .digest('base64')
}

/** What became of a text; null for one that took too long, undefined where it is not known. */
function recall(db: Database, name: string): string | null | undefined {
  const { html } = shelfOf(db)
  const known = html.get(name)
  if (known === undefined) return undefined
  html.delete(name)
  html.set(name, known)
  return known
}

/** Keeps what became of a text, for as long as there is room. */
function remember(db: Database, name: string, made: string | null): void {
  const shelf = shelfOf(db)
  const cost = (one: string | null): number => (one?.length ?? 0) + ENTRY
  if (cost(made) > MAX_KEPT / 4 || shelf.html.has(name)) return
  shelf.html.set(name, made)
  shelf.size += cost(made)
  for (const [oldest, one] of shelf.html) {
    if (shelf.size <= MAX_KEPT) return
    shelf.html.delete(oldest)
    shelf.size -= cost(one)
  }
}

/** Effort up to which the main thread renders Markdown by itself: some milliseconds. Words cost little, marks much. */
const SMALL = 16_000
const MARK = 8

/** Characters of other formats above which a text is shown as it was written: what reads them is slower. */
const MAX_CONVERTED = 1024 * 1024

/**
 * Markdown as safe HTML in which references to what the reader may see are links: `#1`, `!2`, `@name`, `~label`,
 * `%milestone`, `$3`, ids of commits, each with the path of another project in front, and addresses of the instance. Where a project keeps
 * its issues elsewhere, what names one there leads there. What takes too long is shown as it was written.
 */
export async function renderText(ctx: Ctx, text: string, context: TextContext = {}): Promise<string> {
  const { project, wiki } = context
  const tracker = project && trackerSettingsOf(ctx.db, project.id, hasIssues(project))
  const outside = tracker && trackerFrom(tracker.slug, tracker.settings, tracker.hasOwnIssues)
  const html = await renderTask(ctx, { format: 'markdown', text, wiki, tracker }, async (marks) => {
    const links = marks.length === 0 ? undefined : await linksOf(ctx, marks, context)
    return marks.map((mark) => (outside && outsideLink(outside, mark)) ?? links?.get(mark))
  })
  return withExternalImages(ctx, html)
}

/** Markdown as safe HTML, without references. */
export async function renderPlain(ctx: Ctx, text: string): Promise<string> {
  return withExternalImages(ctx, await renderTask(ctx, { format: 'markdown', text }, async () => []))
}

/**
 * A text of any format (`lib/markup/formats.ts`) as safe HTML. References are links in Markdown alone. Formats that can only
 * be read, and what cannot be rendered in time, are shown as they were written.
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
  const known = recall(ctx.db, name)
  if (known != null) return withExternalImages(ctx, known)
  const html = await renderTask(ctx, task, async () => [])
  remember(ctx.db, name, html)
  return withExternalImages(ctx, html)
}

/** A higher version of rendered texts has all of them rendered anew (spec administration 1.2). */
function keyOf(ctx: Ctx, task: RenderTask): string {
  return nameOf(task, settingsOf(ctx).local_markdown_version)
}

async function renderTask(ctx: Ctx, task: RenderTask, find: FindLinks): Promise<string> {
  // Loaded when first needed: the renderer and its sanitiser are a tenth of the memory of an idle instance.
  const { asPlainText } = await import('../../lib/markdown.ts')
  if (task.format === 'markdown' && isSmall(task.text)) return renderHere(task, find)
  const name = keyOf(ctx, task)
  if (recall(ctx.db, name) === null) return asPlainText(task.text)
  const made = await renderInThread(ctx.db, task, find)
  if (made === 'late') remember(ctx.db, name, null)
  return typeof made === 'object' ? made.html : asPlainText(task.text)
}

function isSmall(text: string): boolean {
  if (text.length > SMALL) return false
  return text.length + MARK * (text.match(/[*_[\]#<@&:`~!|]/g)?.length ?? 0) <= SMALL
}

async function renderHere(task: RenderTask, find: FindLinks): Promise<string> {
  const { readTask } = await import('./thread/read.ts')
  const read = readTask(task)
  const links = await find(read.marks)
  return read.render((_, index) => links[index])
}

function hasIssues(project: Project): boolean {
  return featureLevel(project, 'issues') !== 'disabled'
}

/** The link of an issue elsewhere, shown as it was written; undefined for any other mark. */
function outsideLink(tracker: Tracker, { reference, written }: Mark): ReferenceLink | undefined {
  if (reference?.kind !== 'outside_issue') return undefined
  const href = addressOf(tracker, reference.name)
  return { href, title: `Issue in ${tracker.title}`, kind: 'issue', text: written! }
}

/** One line, as a title, without the paragraph around it. */
export async function renderLine(ctx: Ctx, text: string, context: TextContext = {}): Promise<string> {
  const html = (await renderText(ctx, text, context)).trim()
  return html.replace(/^<p>([\s\S]*)<\/p>$/, '$1')
}

/** A user or group that a text calls. */
export interface NameInText {
  /** User name, or full path of a group, as it was written. */
  readonly name: string
  /** A line begins with it, alone or after other names. */
  readonly leading: boolean
}

/**
 * Names after an `@` in a Markdown text, each once: outside of code, links and the words of others. Who is quoted is
 * not called again.
 */
export async function namesIn(text: string): Promise<NameInText[]> {
  if (!text.includes('@')) return []
  // Loaded when first needed: the renderer is a tenth of the memory of an idle instance.
  const { readMarkdown } = await import('../../lib/markdown.ts')
  const found = new Map<string, NameInText>()
  for (const { reference, leading, quote } of readMarkdown(text).marks) {
    if (reference?.kind !== 'user' || quote) continue
    const key = reference.name.toLowerCase()
    found.set(key, { name: reference.name, leading: leading || (found.get(key)?.leading ?? false) })
  }
  return [...found.values()]
}
