import { locale } from '../../locales/locale.ts'
/** A page as lists show it. */
export type PageName = { slug: string; title: string; format: string }

/** A line of the tree: a folder, a page, or a page that has others below it. */
export type TreeRow = {
  path: string
  title: string
  depth: number
  page: PageName | null
  /** Undefined without children. */
  isOpen?: boolean
}

type Node = { path: string; title: string; page: PageName | null; children: Map<string, Node> }

const words = (name: string) => name.replace(/-+/g, ' ')

const grow = (pages: readonly PageName[]): Node => {
  const root: Node = { path: '', title: '', page: null, children: new Map() }
  for (const page of pages) {
    let at = root
    for (const name of page.slug.split('/')) {
      const path = at.path ? `${at.path}/${name}` : name
      const next = at.children.get(name) ?? { path, title: words(name), page: null, children: new Map() }
      at.children.set(name, next)
      at = next
    }
    at.page = page
    at.title = page.title
  }
  return root
}

/** The home page first, then by title, as people count. */
const inOrder = (nodes: Iterable<Node>): Node[] =>
  [...nodes].toSorted((a, b) => {
    if (a.path === 'home' || b.path === 'home') return a.path === 'home' ? -1 : 1
    return a.title.localeCompare(b.title, locale, { numeric: true, sensitivity: 'base' })
  })

/**
 * The lines of the tree of pages. With a search, the pages that have it in their title or path, each with its folders;
 * everything is open then.
 */
export const treeRows = (
  pages: readonly PageName[],
  { folded, search }: { folded: ReadonlySet<string>; search: string },
): TreeRow[] => {
  const wanted = search.trim().toLowerCase()
  const shown = wanted
    ? pages.filter((page) => `${page.title} ${words(page.slug)} ${page.slug}`.toLowerCase().includes(wanted))
    : pages
  const rows: TreeRow[] = []
  const add = (node: Node, depth: number) => {
    const hasMore = node.children.size > 0
    const isOpen = hasMore ? wanted !== '' || !folded.has(node.path) : undefined
    const { path, title, page } = node
    rows.push({ path, title, depth, page, ...(isOpen === undefined ? {} : { isOpen }) })
    if (isOpen) for (const child of inOrder(node.children.values())) add(child, depth + 1)
  }
  for (const node of inOrder(grow(shown).children.values())) add(node, 0)
  return rows
}
