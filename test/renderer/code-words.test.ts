import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { escapeHtml, markRanges, splitLines } from '../../renderer/components/code/highlight-html.ts'
import {
  imageType,
  languageOf,
  languageOfFence,
  languageTitle,
} from '../../renderer/components/code/languages.ts'
import { wordDiff } from '../../renderer/components/diff/lines/word-diff.ts'
import { hljs } from '../../renderer/workers/grammars.ts'

function changed(before: string, after: string): [string[], string[]] | null {
  const result = wordDiff(before, after)
  if (!result) return null
  return [result.old.map(([a, b]) => before.slice(a, b)), result.new.map(([a, b]) => after.slice(a, b))]
}

describe('comparing two versions of a line', () => {
  it('finds the words that changed', () => {
    expect(changed('return Ok(offset);', 'return Ok(tail);')).toEqual([['offset'], ['tail']])
  })

  it('joins changed words across a single space', () => {
    expect(changed('let a = one two;', 'let a = three four;')).toEqual([['one two'], ['three four']])
  })

  it('marks nothing if the lines have little in common, are equal, or are very long', () => {
    expect(changed('alpha beta gamma', 'const x = 1')).toBeNull()
    expect(changed('same', 'same')).toBeNull()
    expect(changed('x'.repeat(5000), 'y')).toBeNull()
  })

  it('leaves equal text on both sides without the marked parts', () => {
    const text = fc
      .array(fc.constantFrom('a', 'bc', ' ', '(', ')', '=', 'Ω', '😀'), { maxLength: 40 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const result = wordDiff(before, after)
        if (!result) return
        const rest = (all: string, ranges: readonly (readonly [number, number])[]): string =>
          ranges.reduceRight((left, [a, b]) => left.slice(0, a) + left.slice(b), all).replace(/\s+/g, '')
        expect(rest(before, result.old)).toBe(rest(after, result.new))
      }),
    )
  })
})

describe('splitting highlighted text into lines', () => {
  const visible = (html: string): string => {
    const host = document.createElement('div')
    host.innerHTML = html
    return host.textContent ?? ''
  }

  it('closes spans at the end of a line and opens them on the next', () => {
    expect(splitLines('<span class="c">/* a\nb */</span> x')).toEqual([
      '<span class="c">/* a</span>',
      '<span class="c">b */</span> x',
    ])
  })

  it('keeps the text, and balances the tags of every line, for any source', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200 }),
        fc.constantFrom('javascript', 'xml', 'bash', 'markdown'),
        (source, language) => {
          const text = source.replace(/\r/g, '')
          const lines = splitLines(hljs.highlight(text, { language }).value)
          expect(lines.map(visible).join('\n')).toBe(text)
          for (const line of lines) expect(line.match(/<span/g)?.length).toBe(line.match(/<\/span>/g)?.length)
        },
      ),
    )
  })

  it('marks a range across spans and entities without touching the text', () => {
    const html = '<span class="k">a&lt;</span>b<span class="s">cd</span>'
    expect(markRanges(html, [[1, 4]])).toBe(
      '<span class="k">a<mark>&lt;</mark></span><mark>b</mark><span class="s"><mark>c</mark>d</span>',
    )
    expect(visible(markRanges(escapeHtml('<b>&"\'😀'), [[0, 3]]))).toBe('<b>&"\'😀')
  })
})

describe('the language of a file', () => {
  it('depends on its name', () => {
    expect(languageOf('src/wal/segment.rs')).toBe('rust')
    expect(languageOf('deep/Dockerfile')).toBe('dockerfile')
    expect(languageOf('CMakeLists.txt')).toBe('cmake')
    expect(languageOf('constructor')).toBeNull()
    expect(languageOf('x.__proto__')).toBeNull()
    expect(languageTitle('a.vue')).toBe('Vue')
    expect(languageTitle('a.rs')).toBe('Rust')
    expect(languageTitle('LICENSE')).toBe('Plain text')
    expect(languageOfFence('Shell')).toBe('bash')
    expect(imageType('logo.SVG')).toBe('image/svg+xml')
  })

  it('has a grammar in the worker', () => {
    const endings = [
      'ada',
      'tsx',
      'toml',
      'styl',
      'pp',
      'v',
      'bat',
      'tf',
      'm',
      're',
      'properties',
      's',
      'nix',
      'hbs',
      'php',
    ]
    for (const ending of endings) expect(hljs.getLanguage(languageOf(`x.${ending}`) ?? '')).toBeTruthy()
  })
})
