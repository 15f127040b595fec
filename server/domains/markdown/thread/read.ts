import { type Mark, parseMarkdown, type ParsedText, type ReferenceLink } from '../../../lib/markdown.ts'
import { wikiAddresses, type WikiPosition } from '../../../lib/markup/wiki-addresses.ts'
import { referencesIn } from '../../../lib/text/references.ts'
import { trackerFrom, type TrackerSettings, withTrackerIssues } from '../references/trackers.ts'

/** The maximum length of a Markdown text that is rendered, characters. Longer texts are shown as plain text. */
const MAX_RENDERED = 2 * 1024 * 1024

/** A text to render. */
export interface RenderTask {
  readonly format: string
  readonly text: string
  /** The position of the page in its wiki, for texts of wikis. */
  readonly wiki?: WikiPosition | undefined
  /** The external issue tracker of the project. */
  readonly tracker?: TrackerSettings | undefined
}

/**
 * The messages of the thread. Its question lists the marks of the text, and the answer has their links. The result is
 * safe HTML.
 */
export interface RenderWork {
  readonly task: RenderTask
  readonly result: string
  readonly question: readonly Mark[]
  readonly answer: readonly (ReferenceLink | undefined)[]
}

/** Parses a Markdown text. Rendering the result resolves the addresses of wiki pages. */
export function readTask({ text, wiki, tracker }: RenderTask): ParsedText {
  const external = tracker && trackerFrom(tracker.slug, tracker.settings, tracker.hasOwnIssues)
  const read = parseMarkdown(text, {
    find: external && ((content) => withTrackerIssues(content, referencesIn(content), external)),
    wiki: wiki !== undefined,
    limit: MAX_RENDERED,
  })
  const addresses = wiki && wikiAddresses(wiki)
  return { marks: read.marks, render: (link) => read.render(link, addresses) }
}
