import { readMarkdown, type ReadText } from '../../../lib/markdown.ts'
import { wikiAddresses } from '../../../lib/markup/wiki-addresses.ts'
import { referencesIn } from '../../../lib/references.ts'
import { trackerFrom, withOutside } from '../trackers.ts'
import type { Order } from './messages.ts'

/** Characters of a Markdown text above which it is shown as it was written. */
const MAX_RENDERED = 2 * 1024 * 1024

/** Reads the Markdown of an order, and says where its addresses lead when it is rendered. */
export function readOrder({ text, wiki, tracker }: Order): ReadText {
  const outside = tracker && trackerFrom(tracker.slug, tracker.settings, tracker.hasOwnIssues)
  const read = readMarkdown(text, {
    find: outside && ((part) => withOutside(part, referencesIn(part), outside)),
    wiki: wiki !== undefined,
    most: MAX_RENDERED,
  })
  const addresses = wiki && wikiAddresses(wiki)
  return { marks: read.marks, render: (link) => read.render(link, addresses) }
}
