import { describe, expect, it } from 'vitest'

import { strftime } from '../../../server/lib/text/strftime.ts'
import { parseTemplate, renderTemplate, TemplateError } from '../../../server/lib/text/text-template.ts'

const render = (source: string, data = {}) => renderTemplate(parseTemplate(source), data)

describe('a text template', () => {
  it('inserts values by name, and nothing for missing ones', () => {
    expect(render('{{a}} {{ b.c }} {{ b.0 }}|{{ nope.x }}|', { a: 1, b: { c: true } })).toBe('1 true ||')
    expect(render('{{ list.1 }}', { list: ['x', 'y'] })).toBe('y')
    expect(render('{{ constructor }}{{ a.length }}', { a: {} })).toBe('')
  })

  it('has conditions and loops', () => {
    const source =
      '{% if list %}\n{% each list %}\n- {{ it }}{{ name }}\n{% end %}\n{% else %}\nnone\n{% end %}\n'
    expect(render(source, { list: ['a', { name: 'b' }] })).toBe('- a\n- b\n')
    expect(render(source, { list: [] })).toBe('none\n')
    expect(render('{% if a %}x{% end %}{% if b %}y{% end %}', { a: false, b: 0 })).toBe('y')
  })

  it('joins lines that end with a backslash', () => {
    expect(render('one\\\n two\n')).toBe('one two\n')
  })

  it('refuses invalid syntax', () => {
    for (const source of [
      '{% if a %}',
      '{% end %}',
      '{% else %}',
      '{% each a %}{% else %}{% end %}',
      '{% for a %}',
      '{% if a b %}{% end %}',
    ])
      expect(() => parseTemplate(source), source).toThrow(TemplateError)
    expect(() => parseTemplate('{% if a %}'.repeat(100))).toThrow('too deeply')
    const long = { list: Array.from({ length: 1000 }, () => 'x'.repeat(10_000)) }
    expect(() => render('{% each list %}{{ it }}{% end %}', long)).toThrow('too long')
  })
})

describe('strftime', () => {
  it('formats a date with every directive', () => {
    const date = new Date('2024-03-05T06:07:08Z')
    expect(strftime(date, '%Y-%m-%d %H:%M:%S %F %T %%')).toBe('2024-03-05 06:07:08 2024-03-05 06:07:08 %')
    expect(strftime(date, '%A, %-d %B %y (%a %b %e), day %j %Q')).toBe(
      'Tuesday, 5 March 24 (Tue Mar  5), day 065 %Q',
    )
  })
})
