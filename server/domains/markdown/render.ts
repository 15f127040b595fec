import type { Ctx } from '../../ctx.ts'
import type { Mark, ReferenceLink } from '../../lib/markdown.ts'
import { referencesIn } from '../../lib/references.ts'
import { featureLevel, type Project } from '../projects/index.ts'
import { linksOf } from './resolve.ts'
import { addressOf, trackerOf, withOutside, type Tracker } from './trackers.ts'
import type { TextPlace } from './wanted.ts'

/**
 * Markdown as safe HTML in which references to what the reader may see are links: `#1`, `!2`, `@name`, `~label`,
 * `%milestone`, `$3`, ids of commits, each with the path of another project in front, and addresses of the instance. Where a project keeps
 * its issues elsewhere, what names one there leads there.
 */
export async function renderText(ctx: Ctx, text: string, place: TextPlace = {}): Promise<string> {
  // Loaded when first needed: the renderer and its sanitiser are a tenth of the memory of an idle instance.
  const { readMarkdown } = await import('../../lib/markdown.ts')
  const tracker = place.project && trackerOf(ctx.db, place.project.id, hasIssues(place.project))
  const read = readMarkdown(text, { find: tracker && ((part) => withOutside(part, referencesIn(part), tracker)) })
  if (read.marks.length === 0) return read.render(() => undefined)
  const links = await linksOf(ctx, read.marks, place)
  return read.render((mark) => (tracker && outsideLink(tracker, mark)) ?? links.get(mark))
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
export async function renderLine(ctx: Ctx, text: string, place: TextPlace = {}): Promise<string> {
  const html = (await renderText(ctx, text, place)).trim()
  return html.replace(/^<p>([\s\S]*)<\/p>$/, '$1')
}
