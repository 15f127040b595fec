import { describe, expect, it } from 'vitest'

import { convertMarkup } from '../../../../server/lib/markup/convert.ts'
import { formatOfExtension } from '../../../../server/lib/markup/formats.ts'
import { withoutFrontMatter } from '../../../../server/lib/markup/front-matter.ts'
import { wikiAddresses } from '../../../../server/lib/markup/wiki-addresses.ts'
import { parseMarkdown } from '../../../../server/lib/markdown.ts'
import { cpuTime } from '../../../support/cpu-time.ts'

const BASE = '/g/p/-/wikis'
const addresses = wikiAddresses({ base: BASE, slug: 'guide/start' })
const org = (text: string) => convertMarkup('org', text, addresses)
const rdoc = (text: string) => convertMarkup('rdoc', text, addresses)
const adoc = (text: string) => convertMarkup('asciidoc', text, addresses)
const wiki = (text: string) => parseMarkdown(text, { wiki: true }).render(() => undefined, addresses)

describe('addresses in a wiki', () => {
  it.each([
    ['other', '/other'],
    ['other#part', '/other#part'],
    ['deep/page?x=1', '/deep/page?x=1'],
    ['./sibling', '/guide/sibling'],
    ['../up', '/up'],
    ['../../../out', '/out'],
    ['notes.md', '/guide/notes'],
    ['./notes.adoc#a', '/guide/notes#a'],
    ['/top', '/top'],
    ['/top.md', '/top'],
    ['uploads/0a/a.md', '/uploads/0a/a.md'],
    ['a%20b', '/a%20b'],
    ['v1.2', '/guide/v1.2'],
  ])('%s leads to %s', (address, expected) => {
    expect(addresses.link(address)).toBe(BASE + expected)
  })

  it.each([
    '',
    '#part',
    'https://a.b/c',
    '//a.b',
    'mailto:a@b',
    `${BASE}/x`,
    '/g/q/-/issues/1',
    '/-/profile',
  ])('%s is left as it is', (address) => {
    expect(addresses.link(address)).toBe(address)
  })

  it('of pictures keep their extension, and refer to files next to the page or to uploads', () => {
    expect(addresses.picture('plan.png')).toBe(`${BASE}/guide/plan.png`)
    expect(addresses.picture('uploads/0a/plan.png')).toBe(`${BASE}/uploads/0a/plan.png`)
    expect(addresses.picture('/img/plan.txt')).toBe(`${BASE}/img/plan.txt`)
  })
})

describe('links of wikis in Markdown', () => {
  it.each([
    ['[[Home Page]]', '<a href="/g/p/-/wikis/Home-Page">Home Page</a>'],
    ['[[The start|guide/start#a]]', '<a href="/g/p/-/wikis/guide/start#a">The start</a>'],
    ['[[./sibling]]', '<a href="/g/p/-/wikis/guide/sibling">./sibling</a>'],
    ['[[Out|https://a.b/c]]', '<a href="https://a.b/c" rel="nofollow noreferrer noopener">Out</a>'],
    ['[[Plan|uploads/ab/plan.png]]', '<img src="/g/p/-/wikis/uploads/ab/plan.png" alt="Plan" />'],
    ['`[[a]]`', '<code>[[a]]</code>'],
    ['\\[[a]]', '[[a]]'],
    ['[[a', '[[a'],
    ['[[]]', '[[]]'],
    ['[[x|javascript:alert(1)]]', '[[x|javascript:alert(1)]]'],
    ['[x](javascript:alert(1))', '[x](javascript:alert(1))'],
  ])('%s', (source, expected) => {
    expect(wiki(source)).toBe(`<p>${expected}</p>\n`)
  })

  it('are plain text elsewhere', () => {
    expect(parseMarkdown('[[Home]]').render(() => undefined)).toBe('<p>[[Home]]</p>\n')
  })

  it.each(['[[_TOC_]]', '[TOC]'])('%s becomes the headings', (source) => {
    const html = wiki(`${source}\n\n# A & B\n\n### Deep\n\n## B\n`)
    expect(html).toContain(
      '<ul><li><a href="#a-b">A &amp; B</a><ul><li><a href="#deep">Deep</a></li></ul><ul><li><a href="#b">B</a></li></ul></li></ul>',
    )
    expect(html).toContain('id="user-content-a-b"')
    expect(wiki(`a ${source}`)).toContain('TOC')
  })
})

describe('front matter', () => {
  it('is not shown', () => {
    expect(withoutFrontMatter('---\ntitle: A\nslugs: [b]\n---\n# B\n')).toBe('# B\n')
    expect(withoutFrontMatter('---\r\ntitle: A\r\n---\r\nB')).toBe('B')
    expect(withoutFrontMatter('---\n# note\ntitle: A\n...\nB')).toBe('B')
  })

  it.each([
    '---\nwords between rules\n---\n',
    '---\ntitle: A\n',
    'x\n---\ntitle: A\n---\n',
    '--- \n\n- a\n---',
  ])('%j is text', (text) => {
    expect(withoutFrontMatter(text)).toBe(text)
  })
})

describe('Org', () => {
  it('renders headings, keywords and tags', async () => {
    expect(
      await org('#+TITLE: T\n* TODO [#A] First :x:\n:PROPERTIES:\n:CUSTOM_ID: one\n:END:\n** Sub *b*'),
    ).toBe(
      '<h1>T</h1>\n<h1 id="user-content-one"><code>TODO</code> First <small>x</small></h1>\n<h2 id="user-content-sub-b">Sub <strong>b</strong></h2>\n',
    )
  })

  it('renders emphasis, code and links', async () => {
    expect(await org('*b* /i/ _u_ +d+ =c= ~*k*~ a*b*c x^{2}')).toBe(
      '<p><strong>b</strong> <em>i</em> <u>u</u> <del>d</del> <code>c</code> <code>*k*</code> a*b*c x<sup>2</sup></p>\n',
    )
    expect(await org('[[page][A /p/]] [[file:n.org]] https://a.b/c.')).toContain(
      '<a href="/g/p/-/wikis/page">A <em>p</em></a> <a href="/g/p/-/wikis/guide/n">n.org</a> <a href="https://a.b/c"',
    )
    expect(await org('[[./p.png]]')).toContain('<img src="/g/p/-/wikis/guide/p.png"')
  })

  it('renders nested lists, checkboxes and terms', async () => {
    expect(await org('- a\n  more\n  - b\n- [X] c')).toBe(
      '<ul><li>a\nmore<ul><li>b</li></ul>\n</li><li class="task-list-item"><input type="checkbox" disabled="disabled" class="task-list-item-checkbox" checked="checked" /> c</li></ul>\n',
    )
    expect(await org('1. a\n2. b\n- t :: d')).toBe(
      '<ol><li>a</li><li>b</li></ol>\n<dl><dt>t</dt><dd>d</dd></dl>\n',
    )
  })

  it('renders tables, code, quotes and footnotes', async () => {
    expect(await org('| a | b |\n|---+---|\n| 1 | *2* |')).toBe(
      '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table>\n',
    )
    expect(await org('#+begin_src ruby :x\n  puts "<b>"\n#+end_src')).toBe(
      '<pre class="code" lang="ruby"><code>puts "&lt;b&gt;"</code></pre>\n',
    )
    expect(await org('#+BEGIN_QUOTE\nq\n#+END_QUOTE')).toBe('<blockquote><p>q</p>\n</blockquote>\n')
    expect(await org('a[fn:1]\n\n[fn:1] the note')).toContain('id="user-content-fn-1">1</a></sup> the note')
    expect(await org('# hidden\n: as is\n')).toBe('<pre class="code"><code>as is</code></pre>\n')
  })
})

describe('RDoc', () => {
  it('renders headings, emphasis and links', async () => {
    expect(await rdoc('= T\n*b* _i_ +c+ <b>two words</b> \\*no* x*y*z')).toBe(
      '<h1 id="user-content-t">T</h1>\n<p><strong>b</strong> <em>i</em> <code>c</code> <strong>two words</strong> *no* x*y*z</p>\n',
    )
    expect(await rdoc('{a b}[page.rdoc] word[https://a.b] link:other https://x.y.')).toMatch(
      /<a href="\/g\/p\/-\/wikis\/guide\/page">a b<\/a> <a href="https:\/\/a.b"[^>]*>word<\/a> <a href="\/g\/p\/-\/wikis\/other">other<\/a> <a href="https:\/\/x.y"/,
    )
  })

  it('renders lists, labels and verbatim text', async () => {
    expect(await rdoc('* a\n  more\n* b\n  1. n')).toBe(
      '<ul><li>a\nmore</li><li>b<ol><li>n</li></ol>\n</li></ul>\n',
    )
    expect(await rdoc('[cat] A cat\ndog:: A dog')).toBe(
      '<dl><dt>cat</dt><dd>A cat</dd><dt>dog</dt><dd>A dog</dd></dl>\n',
    )
    expect(await rdoc('text\n\n  def a\n    1\n  end\n\nFoo::Bar is')).toBe(
      '<p>text</p>\n<pre class="code"><code>def a\n  1\nend</code></pre>\n<p>Foo::Bar is</p>\n',
    )
  })
})

describe('AsciiDoc', () => {
  it('renders common markup, and links to wiki pages', async () => {
    const html = await adoc(
      '= T\n\n== A *b*\n\nNOTE: Careful link:other[x] xref:n.adoc#y[z] image:p.png[Alt]\n\n[source,ruby]\n----\nputs 1\n----\n',
    )
    expect(html).toContain('<h2 id="user-content-a-b">A <strong>b</strong></h2>')
    expect(html).toContain('class="adoc-admonitionblock adoc-note"')
    expect(html).toContain('<a href="/g/p/-/wikis/other">x</a> <a href="/g/p/-/wikis/guide/n#y">z</a>')
    expect(html).toContain('<img src="/g/p/-/wikis/guide/p.png" alt="Alt" />')
    expect(html).toContain('<code class="language-ruby">puts 1</code>')
  })

  it('reads no file, URL or environment variable', async () => {
    const html = await adoc(
      ':data-uri:\n:allow-uri-read:\n\ninclude::/etc/passwd[]\n\ninclude::http://127.0.0.1:1/x[]\n\nimage::/etc/hostname[]\n\n{docdir}{user-home}\n',
    )
    expect(html).not.toMatch(/root:|data:/)
    expect(html).toContain('/etc/passwd')
  })
})

const TEXTS: Readonly<Record<string, readonly string[]>> = {
  org: ['#+begin_export html\n%\n#+end_export', '[[%][x]]', '%', '#+begin_src %\n%\n#+end_src'],
  rdoc: ['{a}[%]', '%', 'a[%]', 'rdoc-image:%'],
  asciidoc: ['++++\n%\n++++', 'link:%[x]', '+++%+++', 'image:%[]', '[%]\nx', '[source,%]\n----\nx\n----'],
}
const ATTACKS = [
  '<script>alert(1)</script>',
  'javascript:alert(1)',
  'java&#115;cript:alert(1)',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)><script>1</script></svg>',
  '<p style="position:fixed" onclick="x">',
  'data:text/html,<script>1</script>',
  '" onmouseover="x',
  '<a href="jav&#x09;ascript:x">',
]

describe('dangerous HTML', () => {
  it.each(Object.keys(TEXTS))('in %s', async (format) => {
    for (const template of TEXTS[format]!)
      for (const attack of ATTACKS) {
        const html = await convertMarkup(format, template.replaceAll('%', attack), addresses)
        const tags = [...html.matchAll(/<[a-z][^>]*>/g)].map(([tag]) =>
          tag.replace(/(alt|title)="[^"]*"/g, ''),
        )
        expect(
          tags.filter((tag) =>
            /^<(script|svg|style|iframe)|\son\w+=|\sstyle=|"(javascript|data):/i.test(tag),
          ),
        ).toEqual([])
      }
  })

  it('of other formats is shown as plain text', async () => {
    expect(await convertMarkup('textile', 'h1. <b>')).toBe('<pre>h1. &lt;b&gt;</pre>')
    expect(formatOfExtension('TEXTILE')).toBe('textile')
    expect(formatOfExtension('png')).toBeUndefined()
  })
})

describe('hostile texts in our own parsers', () => {
  it('with lone surrogates and NUL do not fail', async () => {
    expect(await rdoc('link:\ud800 \0a')).toContain('<a href="/g/p/-/wikis/%EF%BF%BD">')
    expect(await org('[[*\ud800]] [[\ud800]]')).toContain('<a href="/g/p/-/wikis/%EF%BF%BD">')
    expect(wiki('<a href="\ud800">x</a>')).toContain('href="/g/p/-/wikis/%EF%BF%BD"')
    expect(await rdoc('a\0b')).toBe('<p>ab</p>\n')
  })

  const PIECES = [
    '*a ',
    '[[',
    '[[a][',
    '- a\n',
    '|a|\n',
    '#+begin_quote\n',
    ':a:\n',
    '* a\n',
    'a[',
    '{a}[',
    '<b>',
    '\\\\\n',
    '<>|',
    '>>>\n ',
  ]
  it.each(['org', 'rdoc'])('take linear time in %s', async (format) => {
    for (const piece of PIECES) {
      const start = cpuTime()
      await convertMarkup(format, piece.repeat(Math.floor(20_000 / piece.length)), addresses)
      expect(cpuTime() - start, JSON.stringify(piece)).toBeLessThan(1500)
    }
  })

  it('become plain text beyond a nesting depth', async () => {
    const steps = Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n')
    expect(await org(steps)).toContain('<pre>')
    expect(await rdoc(steps)).toContain('<pre>')
  })
})
