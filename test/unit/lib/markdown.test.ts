import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { renderMarkdown } from '../../../server/lib/markdown.ts'
import { cpuTime } from '../../support/cpu-time.ts'

describe('rendering', () => {
  it.each([
    ['# A b', '<h1 id="user-content-a-b">A b</h1>'],
    ['*a* **b** `c` ~~d~~', '<p><em>a</em> <strong>b</strong> <code>c</code> <s>d</s></p>'],
    [
      'https://example.com',
      '<p><a href="https://example.com" rel="nofollow noreferrer noopener">https://example.com</a></p>',
    ],
    ['[a](b/c.md "t")', '<p><a href="b/c.md" title="t">a</a></p>'],
    ['![a](b.png)', '<p><img src="b.png" alt="a" /></p>'],
    ['```ruby\na < b\n```', '<pre class="code" lang="ruby"><code>a &lt; b\n</code></pre>'],
    ['a\nb', '<p>a\nb</p>'],
    ['', ''],
  ])('%j', (source, expected) => {
    expect(renderMarkdown(source).trim()).toBe(expected)
  })

  it('turns line ends into breaks on request', () => {
    expect(renderMarkdown('a\nb', { breaks: true })).toContain('a<br />')
  })

  it('replaces names of emoji, outside of code and addresses', () => {
    expect(renderMarkdown(':tada: done :+1: :no_such: a:b:c')).toBe('<p>🎉 done 👍 :no_such: a:b:c</p>\n')
    expect(renderMarkdown('`:tada:` <https://x.test/:tada:>')).not.toContain('🎉')
    expect(renderMarkdown(':constructor: '.repeat(3))).toContain(':constructor:')
  })

  it('renders tables', () => {
    const html = renderMarkdown('| a | b |\n|---|--:|\n| 1 | 2 |')
    expect(html).toContain('<th>a</th>')
    expect(html).toContain('<td')
  })

  it('renders disabled checkboxes for task lists', () => {
    const html = renderMarkdown('- [ ] a\n- [x] b\n- [y] c')
    expect(html.match(/<input [^>]*>/g)).toHaveLength(2)
    for (const box of html.match(/<input [^>]*>/g)!)
      expect(box).toMatch(/type="checkbox" disabled="disabled"/)
    expect(html.match(/checked="checked"/g)).toHaveLength(1)
  })

  it('puts footnotes at the end, with ids that are unique among texts', () => {
    const html = renderMarkdown('A[^1] b[^2].\n\n[^1]: First.\n[^2]: `Second`.')
    expect(html).toMatch(
      /<sup class="footnote-ref"><a href="#fn-[0-9a-f]{8}-1" id="user-content-fnref-[0-9a-f]{8}-1">1<\/a>/,
    )
    expect(html).toMatch(/<li id="user-content-fn-[0-9a-f]{8}-2" class="footnote-item"><p><code>Second/)
    const other = renderMarkdown('A[^1].\n\n[^1]: Other.')
    expect(other.match(/fn-[0-9a-f]{8}/)?.[0]).not.toBe(html.match(/fn-[0-9a-f]{8}/)?.[0])
  })

  it.each([
    ['$`a^2`$', '<code class="code math js-render-math" data-math-style="inline">a^2</code>'],
    ['$x_1 + \\frac{1}{2}$', '>x_1 + \\frac{1}{2}</code>'],
    ['$$\na < b\n$$', 'data-math-style="display">a &lt; b</code>'],
  ])('keeps the formula of %j', (source, expected) => {
    expect(renderMarkdown(source)).toContain(expected)
  })

  it.each(['It costs $5 and $6.', 'PATH=$HOME:$PATH2', '`$x$`', '\\$x$'])(
    'leaves %j without a formula',
    (source) => {
      expect(renderMarkdown(source)).not.toContain('math')
    },
  )

  it('numbers headings of the same text', () => {
    const html = renderMarkdown('# A\n# A\n## A')
    expect([...html.matchAll(/id="([^"]*)"/g)].map(([, id]) => id)).toEqual([
      'user-content-a',
      'user-content-a-1',
      'user-content-a-2',
    ])
  })
})

const ATTACKS = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src=x onerror=alert(1)>',
  '<img src="x" onerror="alert(1)"',
  '<img src=x oNeRrOr=alert(1)//',
  '<img/src=x/onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src="javascript:alert(1)">',
  '<form action="javascript:alert(1)"><button>x</button></form>',
  '<button formaction="javascript:alert(1)">x</button>',
  '<input type="image" src=x onerror=alert(1)>',
  '<input onfocus=alert(1) autofocus>',
  '<details open ontoggle=alert(1)>x</details>',
  '<body onload=alert(1)>',
  '<base href="javascript:alert(1)//">',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<link rel=stylesheet href="javascript:alert(1)">',
  '<style>@import "javascript:alert(1)"</style>',
  '<div style="background:url(javascript:alert(1))">x</div>',
  '<p style="position:fixed;inset:0">x</p>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href=" javascript:alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<img src="data:image/svg+xml;base64,PHN2Zz4=">',
  '<img srcset="javascript:alert(1) 1x">',
  '<picture><source srcset="data:text/html,x 1x"><img></picture>',
  '[x](javascript:alert(1))',
  '[x](JAVASCRIPT:alert(1))',
  '[x](&#x6A;avascript:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x]( javascript:alert(1) )',
  '[x](<java\u0000script:alert(1)>)',
  '![x](javascript:alert(1))',
  '<javascript:alert(1)>',
  '[x]: javascript:alert(1)\n\n[x]',
  '[x](https://a "onmouseover=alert(1)")',
  '[x](https://a"onmouseover=alert(1))',
  '```"><script>alert(1)</script>\n```',
  '```a" onclick="alert(1)\n```',
  '# <script>alert(1)</script>',
  '# " onclick="alert(1)',
  '<!--><script>alert(1)</script>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<textarea><script>alert(1)</script></textarea>',
  '<xmp><script>alert(1)</script></xmp>',
  '<template><script>alert(1)</script></template>',
  '<a id="app" name="app">x</a>',
  '<div id="app">x</div>',
  '`<script>`alert(1)`</script>`',
]

/** The dangerous parts of real tags. Text that only looks like a tag is escaped. */
function dangers(html: string): string[] {
  return [...html.matchAll(/<\/?([^\s>/]*)([^>]*)>/g)].flatMap(([tag, name, rest]) => {
    const attributes = [...rest!.matchAll(/([^\s="]+)="([^"]*)"/g)]
    const bare = rest!.replace(/[^\s="]+="[^"]*"/g, '').replace(/[\s/]/g, '')
    const isOdd = !/^[a-z][a-z0-9]*$/.test(name!) || (bare !== '' && bare !== 'open')
    const isForbidden =
      /^(script|style|iframe|object|embed|form|button|svg|math|base|meta|link|textarea)$/.test(name!)
    const isAwkward = attributes.some(([, key, value]) => {
      // A browser does not decode `&lt;` into a scheme.
      const address = value!
        .replaceAll('&lt;', '<')
        .replace(/&[^;]+;|[\s\p{Cc}]/gu, '')
        .toLowerCase()
      if (key!.startsWith('on') || key === 'style' || key === 'srcdoc') return true
      if (key === 'id') return !value!.startsWith('user-content-')
      return (
        ['href', 'src', 'srcset'].includes(key!) && /^(javascript|vbscript|data|file|blob):/.test(address)
      )
    })
    return isOdd || isForbidden || isAwkward ? [tag] : []
  })
}

describe('dangerous HTML', () => {
  it.each(ATTACKS)('%j', (source) => {
    for (const breaks of [false, true]) expect(dangers(renderMarkdown(source, { breaks }))).toEqual([])
  })

  it('is detected by the check of this test', () => {
    for (const html of [
      '<script>',
      '<p onclick="x">',
      '<a href="javascript:x">',
      '<p style="x">',
      '<p id="app">',
      '<p x>',
    ])
      expect(dangers(html)).toEqual([html])
  })

  it('does not result from combined fragments', () => {
    const piece = fc.oneof(
      fc.constantFrom(...ATTACKS),
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '`',
        '[',
        ']',
        '(',
        ')',
        '!',
        '\n',
        '\t',
        ' ',
        '&',
        '&#60;',
        '&lt;',
        '/',
        '=',
        '\\',
        '<a href=',
        'x',
        '*',
        '|',
        '- [ ] ',
        '```',
        '> ',
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        expect(dangers(renderMarkdown(pieces.join('')))).toEqual([])
      }),
      { numRuns: 600 },
    )
  })

  it('does not result from any text in a title, an address or a language', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 30 }), (text) => {
        const source = `[a](${text} "${text}") ![${text}](${text})\n\n\`\`\`${text}\nx\n\`\`\`\n\n# ${text}\n\n<a title="${text}">`
        expect(dangers(renderMarkdown(source))).toEqual([])
      }),
      { numRuns: 400 },
    )
  })
})

describe('large and odd texts', () => {
  it('are shown unrendered above half a megabyte', () => {
    const html = renderMarkdown('<b>'.repeat(200_000))
    expect(html.startsWith('<pre>&lt;b&gt;')).toBe(true)
  })

  it.each([
    '[',
    '![',
    '*',
    '_',
    '`',
    '<',
    '>',
    '(',
    '[a](',
    '**a ',
    '| ',
    '- ',
    '&',
    '\\',
    '<!--',
    '"',
    '~',
    '#',
    '[x]: ',
    'http://',
    'a@b',
    '<a ',
    '<b>',
    '* * ',
  ])('are rendered in limited time: many of %j', (piece) => {
    const start = cpuTime()
    renderMarkdown(piece.repeat(Math.floor(20_000 / piece.length)))
    expect(cpuTime() - start).toBeLessThan(1500)
  })
})
