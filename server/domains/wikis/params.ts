import { choice, text } from '../../http/params.ts'
import { WRITABLE_FORMATS } from '../../lib/markup/formats.ts'

/** Largest request body with a page, in bytes. The setting `wiki_page_max_content_bytes` limits pages further. */
export const MAX_BODY = 64 * 1024 * 1024

/** Longest title, including its folders. */
const MAX_TITLE = 4096

export const slugParam = {
  slug: text({ max: MAX_TITLE }).describe('The path of the page, without its extension'),
}

export const title = () => text({ max: MAX_TITLE }).describe('The title of the page. Slashes create folders')
export const content = () => text({ max: MAX_BODY }).describe('The content of the page')
export const format = () => choice(...WRITABLE_FORMATS).describe('The markup format of the page')
export const message = () => text({ max: 10_000 }).optional().describe('The commit message')
