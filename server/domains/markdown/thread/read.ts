import { type Mark, parseMarkdown, type ParsedText, type ReferenceLink } from '../../../lib/markdown.ts'
import { wikiAddresses, type WikiPosition } from '../../../lib/markup/wiki-addresses.ts'
import { referencesIn } from '../../../lib/text/references.ts'
import { trackerFrom, type TrackerSettings, withTrackerIssues } from '../references/trackers.ts'

/** Markdown texts with more characters than this are shown as written. */
const MAX_RENDERED = 2 * 1024 * 1024

/** A text to render. */
export interface RenderTask {
  readonly format: string
  readonly text: string
  /** The page's position in its wiki, for texts of wikis. */
  readonly wiki?: WikiPosition | undefined
  /** The project's external issue tracker. */
  readonly tracker?: TrackerSettings | undefined
}

/**
 * The work of the thread. Its question is a list of marks that it found, and the answer has their links. The result is
 * safe HTML.
 */
export interface RenderWork {
  readonly task: RenderTask
  readonly result: string
  readonly question: readonly Mark[]
  readonly answer: readonly (ReferenceLink | undefined)[]
}

/** Reads a Markdown text. Rendering the result resolves addresses of wiki pages. */
export function readTask({ text, wiki, tracker }: RenderTask): ParsedText {
  const external = tracker && trackerFrom(tracker.slug, tracker.settings, tracker.hasOwnIssues)
  const read = parseMarkdown(text, {
    find: external && ((part) => withTrackerIssues(part, referencesIn(part), external)),
    wiki: wiki !== undefined,
    limit: MAX_RENDERED,
  })
  const addresses = wiki && wikiAddresses(wiki)
  return { marks: read.marks, render: (link) => read.render(link, addresses) }
}
