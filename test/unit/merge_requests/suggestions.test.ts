import { describe, expect, it } from 'vitest'

import {
  contentOf,
  linesWithEnds,
  overlap,
  replaceSpans,
} from '../../../server/domains/merge_requests/review/suggestions/offer.ts'
import { parseSuggestions } from '../../../server/domains/merge_requests/review/suggestions/offer.ts'

const block = (info: string, ...lines: string[]) => ['```' + info, ...lines, '```'].join('\n')

describe('suggestions in a text', () => {
  it('are code blocks with that language, and may include surrounding lines', () => {
    const text = [
      'Better:',
      block('suggestion', 'one', 'two'),
      block('suggestion:-2+1', 'three'),
      'Thanks',
    ].join('\n')
    expect(parseSuggestions(text)).toEqual([
      { lines_above: 0, lines_below: 0, to_content: 'one\ntwo\n' },
      { lines_above: 2, lines_below: 1, to_content: 'three\n' },
    ])
  })

  it('can delete lines, and need no closing fence', () => {
    expect(parseSuggestions(block('suggestion'))).toEqual([
      { lines_above: 0, lines_below: 0, to_content: '' },
    ])
    expect(parseSuggestions('```suggestion:-0+0\none')[0]!.to_content).toBe('one\n')
  })

  it('are neither other blocks nor inside other blocks', () => {
    expect(parseSuggestions(block('ruby', 'a'))).toEqual([])
    expect(parseSuggestions(block('suggestion:+1', 'a'))).toEqual([])
    expect(parseSuggestions(['````', block('suggestion', 'a'), '````'].join('\n'))).toEqual([])
    expect(parseSuggestions(['````suggestion', block('ruby', 'a'), '````'].join('\n'))[0]!.to_content).toBe(
      '```ruby\na\n```\n',
    )
  })

  it('have limits', () => {
    expect(parseSuggestions(block('suggestion:-999999+400', 'a'))).toMatchObject([
      { lines_above: 100, lines_below: 100 },
    ])
    expect(
      parseSuggestions(Array.from({ length: 200 }, () => block('suggestion', 'a')).join('\n')),
    ).toHaveLength(50)
  })
})

describe('lines of a file', () => {
  it('are replaced from the last to the first', () => {
    const text = 'a\nb\nc\nd\n'
    const changes = [
      { from: 1, to: 1, content: 'A\nAA\n' },
      { from: 3, to: 4, content: '' },
    ]
    expect(replaceSpans(text, changes)).toBe('A\nAA\nb\n')
  })

  it('keep the line ends of the file, and a missing last one', () => {
    expect(replaceSpans('a\r\nb\r\n', [{ from: 1, to: 1, content: 'x\ny\n' }])).toBe('x\r\ny\r\nb\r\n')
    expect(replaceSpans('a\nb', [{ from: 2, to: 2, content: 'x\n' }])).toBe('a\nx')
    expect(replaceSpans('a\nb', [{ from: 1, to: 1, content: 'x\n' }])).toBe('x\nb')
  })

  it('are found by their position in the file', () => {
    const lines = linesWithEnds('a\nb')
    expect(contentOf(lines, { from: 1, to: 2 })).toBe('a\nb\n')
    expect(contentOf(lines, { from: 2, to: 3 })).toBeUndefined()
    expect(contentOf(lines, { from: 0, to: 1 })).toBeUndefined()
    expect(linesWithEnds('')).toEqual([])
  })

  it('overlap if they share a line', () => {
    expect(
      overlap([
        { from: 5, to: 6 },
        { from: 1, to: 4 },
      ]),
    ).toBe(false)
    expect(
      overlap([
        { from: 4, to: 6 },
        { from: 1, to: 4 },
      ]),
    ).toBe(true)
  })
})
