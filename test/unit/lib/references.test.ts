import { describe, expect, it } from 'vitest'

import { parseMarkdown } from '../../../server/lib/markdown.ts'
import { referencesIn } from '../../../server/lib/text/references.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const found = (text: string): string[] =>
  referencesIn(text).map(({ kind, path, name }) => `${kind}:${path}:${name}`)

describe('the text of a reference', () => {
  it.each([
    ['#1', ['issue::1']],
    ['(!23).', ['merge_request::23']],
    ['group/sub/project#4, project!5', ['issue:group/sub/project:4', 'merge_request:project:5']],
    ['@ada and @team/core.', ['user::ada', 'user::team/core']],
    ['~bug ~"two words" ~scope::key', ['label::bug', 'label::two words', 'label::scope::key']],
    ['%1.0 %"Next one" %7', ['milestone::1.0', 'milestone::Next one', 'milestone::7']],
    ['$9', ['snippet::9']],
    ['1c002d07 a1b2c3d...d4e5f6a', ['commit::1c002d07', 'range::a1b2c3d...d4e5f6a']],
    ['group/project@1c002d07', ['commit:group/project:1c002d07']],
    ['me@example.com a#4b 100% # ! ~ word#', []],
    ['#12345678901 #1a deadbeefg 123456', []],
  ])('%j', (text, expected) => {
    expect(found(text)).toEqual(expected)
  })

  it('has a position', () => {
    const [reference] = referencesIn('see a/b#7!')
    expect(reference).toMatchObject({ start: 4, end: 9 })
  })

  it.each(['a', 'a/', '#', '@', '@a', '~"', '%', '#1', 'deadbeef', 'a.', '!!a#'])(
    'is found in linear time in a long run of %j',
    (piece) => {
      const text = piece.repeat(300_000 / piece.length)
      const start = cpuTime()
      referencesIn(text)
      expect(cpuTime() - start).toBeLessThan(2000)
    },
  )
})

describe('references in Markdown', () => {
  const marks = (text: string): string[] =>
    parseMarkdown(text).marks.map(
      (mark) => `${mark.reference?.name ?? mark.address}${mark.leading ? '^' : ''}${mark.quote ? '>' : ''}`,
    )

  it('are not found in code, links, escapes and pictures', () => {
    expect(
      marks('`#1` [#2](x) \\#3 <code>#4</code> ![#5](x)\n\n    #6\n\n```\n#7\n```\n\n<a href="x">#8</a> #9'),
    ).toEqual(['9'])
  })

  it('are marked if they begin a line, and if they are quoted', () => {
    expect(marks('@a @b hi @c\n@d x\n\n- @e\n\n> @f')).toEqual(['a^', 'b^', 'c', 'd^', 'e^', 'f^>'])
  })

  it('become links with an escaped class and title', () => {
    const html = parseMarkdown('see #1 & #2').render((mark) =>
      mark.reference?.name === '1'
        ? { href: 'http://x/1', title: '"<b>', kind: 'issue', text: '#1 <i>' }
        : undefined,
    )
    expect(html.trim()).toBe(
      '<p>see <a href="http://x/1" class="gfm gfm-issue" title="&quot;&lt;b&gt;" rel="nofollow noreferrer noopener">#1 &lt;i&gt;</a> &amp; #2</p>',
    )
  })

  it('are part of the anchor of a heading', () => {
    expect(parseMarkdown('# Fix #3').render(() => undefined)).toContain('id="user-content-fix-3"')
  })
})
