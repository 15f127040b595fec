import type MarkdownIt from 'markdown-it'

type Renderer = InstanceType<typeof MarkdownIt>
type InlineState = Parameters<Parameters<Renderer['inline']['ruler']['push']>[1]>[0]

/** The maximum length of a link, which limits the search for its end. */
const MAX_LENGTH = 512
const PICTURE = /\.(png|jpe?g|gif|webp|svg|ico|bmp)$/i

/** The parts of the text between `[[` and `]]`. */
interface WikiLink {
  readonly text: string
  readonly target: string
}

function linkAt(state: InlineState): WikiLink | undefined {
  if (!state.src.startsWith('[[', state.pos)) return undefined
  const end = state.src.slice(state.pos + 2, state.pos + 2 + MAX_LENGTH).search(/\]\]|\n|\[/)
  if (end < 1 || !state.src.startsWith(']]', state.pos + 2 + end)) return undefined
  const [text = '', ...rest] = state.src.slice(state.pos + 2, state.pos + 2 + end).split('|')
  const target = (rest.length > 0 ? rest.join('|') : text).trim()
  if (target === '' || /^_TOC_$/i.test(target)) return undefined
  return { text: text.trim() || target, target }
}

/** The address of a link. Page names are relative to the root of the wiki and may contain spaces. */
function addressOf({ target }: WikiLink): string {
  if (/^([a-z][a-z0-9+.-]*:|[#./]|uploads\/)/i.test(target)) return target
  const [, path = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(target) ?? []
  return `/${PICTURE.test(path) ? path : path.replace(/\s+/g, '-')}${anchor}`
}

/** `[[Page]]`, `[[Text|page]]` and `[[picture.png]]` become links and pictures in wiki pages (`env.wiki`). */
export function wikiLinks(md: Renderer): void {
  md.inline.ruler.before('link', 'wiki_link', (state, silent) => {
    if (!(state.env as { wiki?: boolean }).wiki) return false
    const link = linkAt(state)
    if (!link) return false
    const href = md.normalizeLink(addressOf(link))
    if (!md.validateLink(href)) return false
    if (!silent) write(state, link, href)
    state.pos = state.src.indexOf(']]', state.pos) + 2
    return true
  })
}

function write(state: InlineState, { text, target }: WikiLink, href: string): void {
  if (PICTURE.test(target)) {
    const picture = state.push('image', 'img', 0)
    picture.attrs = [
      ['src', href],
      ['alt', ''],
    ]
    const alt = new state.Token('text', '', 0)
    alt.content = text
    picture.children = [alt]
    picture.content = text
    return
  }
  state.push('link_open', 'a', 1).attrs = [['href', href]]
  state.push('text', '', 0).content = text
  state.push('link_close', 'a', -1)
}
