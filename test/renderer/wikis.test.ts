import { describe, expect, it } from 'vitest'

import { staleAfter } from '../../renderer/api/live-reach.ts'
import { textFormat } from '../../renderer/components/markdown/text-format.ts'
import { attachmentText } from '../../renderer/views/wikis/attachment-text.ts'
import { wikiUrl } from '../../renderer/views/wikis/wiki.ts'
import { treeRows } from '../../renderer/views/wikis/tree.ts'
import { pathText } from '../../renderer/views/wikis/usePageForm.ts'

const page = (slug: string) => ({
  slug,
  title: slug.split('/').at(-1)!.replace(/-+/g, ' '),
  format: 'markdown',
})
const pages = ['zebra', 'home', 'guide/page-10', 'guide/page-2', 'guide', 'a/b/c'].map(page)
const shown = (options: { folded?: string[]; search?: string } = {}) =>
  treeRows(pages, { folded: new Set(options.folded), search: options.search ?? '' }).map(
    (row) =>
      `${'  '.repeat(row.depth)}${row.isOpen === undefined ? '' : row.isOpen ? 'v ' : '> '}${row.title}`,
  )

describe('the tree of pages', () => {
  it('starts with the home page, and sorts numbers naturally', () => {
    expect(shown()).toEqual(['home', 'v a', '  v b', '    c', 'v guide', '  page 2', '  page 10', 'zebra'])
  })

  it('has a page with subpages once, and a folder without a page', () => {
    const rows = treeRows(pages, { folded: new Set(), search: '' })
    expect(rows.filter((row) => row.path === 'guide').map((row) => row.page?.slug)).toEqual(['guide'])
    expect(rows.find((row) => row.path === 'a')?.page).toBeNull()
  })

  it('hides the content of a collapsed folder, except in a search', () => {
    expect(shown({ folded: ['guide', 'a'] })).toEqual(['home', '> a', '> guide', 'zebra'])
    expect(shown({ folded: ['guide'], search: 'PAGE 1' })).toEqual(['v guide', '  page 10'])
    expect(shown({ search: 'a/b' })).toEqual(['v a', '  v b', '    c'])
    expect(shown({ search: 'nothing' })).toEqual([])
  })
})

describe('wiki URLs and names', () => {
  it('lead to pages of projects and of groups', () => {
    expect(wikiUrl({ kind: 'project', full_path: 'a/b' })).toBe('/a/b/-/wikis/home')
    expect(wikiUrl({ kind: 'group', full_path: 'a' }, 'x y/ä', 'edit')).toBe(
      '/groups/a/-/wikis/x%20y/%C3%A4/edit',
    )
    expect(pathText(page('guide/page-2'))).toBe('guide/page 2')
  })

  it.each([
    ['markdown', '![a](uploads/0/a.png)', '[b](uploads/0/b.pdf)'],
    ['asciidoc', 'image::uploads/0/a.png[a.png]', 'link:uploads/0/b.pdf[b.pdf]'],
    ['org', '[[file:uploads/0/a.png]]', '[[file:uploads/0/b.pdf][b.pdf]]'],
    ['rdoc', 'rdoc-image:uploads/0/a.png', '{b.pdf}[link:uploads/0/b.pdf]'],
  ] as const)('name attachments in %s', (format, picture, other) => {
    const file = (name: string, mark: string) => {
      const url = `uploads/0/${name}`
      return { file_name: name, link: { url, markdown: `${mark}[${name[0]}](${url})` } }
    }
    expect(attachmentText(format, file('a.png', '!'))).toBe(picture)
    expect(attachmentText(format, file('b.pdf', ''))).toBe(other)
  })

  it('have the format of a file name', () => {
    expect(['a.md', 'README.adoc', 'b.ORG', 'c.rdoc', 'd.txt'].map(textFormat)).toEqual([
      'markdown',
      'asciidoc',
      'org',
      'rdoc',
      null,
    ])
  })
})

describe('changes by other users', () => {
  it('makes the answers of that wiki stale, and no other', () => {
    const entry = (endpoint: string, id: number) => ({ endpoint, params: { id }, data: undefined })
    const own = [entry('GET /-/projects/:id/wikis/tree', 7), entry('GET /-/projects/:id/wikis/:slug/page', 7)]
    const others = [entry('GET /-/projects/:id/wikis/tree', 8), entry('GET /projects/:id/issues', 7)]
    const ofGroup = [entry('GET /-/groups/:id/wikis/tree', 7)]
    const all = [...own, ...others, ...ofGroup]
    expect(staleAfter({ name: 'wiki_page.changed', project_id: 7 }, all)).toEqual(own)
    expect(staleAfter({ name: 'wiki.pushed', group_id: 7 }, all)).toEqual(ofGroup)
  })
})
