import { describe, expect, it } from 'vitest'
import { complete, quoted, wantedAt } from '../../renderer/components/discussion/completion.ts'
import { withoutSuggestions } from '../../renderer/components/discussion/suggestions.ts'
import { startLines, surround } from '../../renderer/components/discussion/text-tools.ts'

describe('completion at the caret', () => {
  const at = (text: string) => wantedAt(text, text.length)

  it('starts with a sign', () => {
    expect(at('ask @in')).toEqual({ sign: '@', text: 'in', from: 4 })
    expect(at('(see #12')).toEqual({ sign: '#', text: '12', from: 5 })
    expect(at('~')).toEqual({ sign: '~', text: '', from: 0 })
  })

  it('offers quick actions at the start of a line only', () => {
    expect(at('Fine.\n/app')).toEqual({ sign: '/', text: 'app', from: 6 })
    expect(at('and/or')).toBeNull()
    expect(at('a /app')).toBeNull()
  })

  it('offers nothing inside a word, after a space, or for a single colon', () => {
    expect(at('mail@host')).toBeNull()
    expect(at('@ines ')).toBeNull()
    expect(at('so: ')).toBeNull()
    expect(at(':t')).toBeNull()
    expect(at(':ta')).toMatchObject({ sign: ':' })
  })

  it('replaces the word and adds one space', () => {
    expect(complete('ask @in now', 7, { sign: '@', text: 'in', from: 4 }, '@ines')).toEqual({
      text: 'ask @ines now',
      caret: 9,
    })
    expect(complete('@i', 2, { sign: '@', text: 'i', from: 0 }, '@ines').text).toBe('@ines ')
  })

  it('quotes names of several words', () => {
    expect(quoted('~', 'bug')).toBe('~bug')
    expect(quoted('%', 'Spring 2027')).toBe('%"Spring 2027"')
  })
})

describe('formatting a selection', () => {
  const field = (value: string, selectionStart: number, selectionEnd: number) => ({
    value,
    selectionStart,
    selectionEnd,
  })

  it('adds marks, and removes them again', () => {
    const set = surround(field('a bold b', 2, 6), '**')
    expect(set).toEqual({ text: 'a **bold** b', caret: 4, to: 8 })
    expect(surround(field(set.text, set.caret, set.to), '**').text).toBe('a bold b')
  })

  it('adds a prefix to every touched line', () => {
    expect(startLines(field('one\ntwo\nthree', 5, 9), '- ').text).toBe('one\n- two\n- three')
  })
})

describe('suggestions in a note', () => {
  it('are removed from the text', () => {
    const note = 'Rather so:\n\n```suggestion:-1+0\na\nb\n```\n\nAnd `more`.'
    expect(withoutSuggestions(note)).toBe('Rather so:\n\n\nAnd `more`.')
    expect(withoutSuggestions('```suggestion\n```')).toBe('')
    expect(withoutSuggestions('```js\nx\n```')).toBe('```js\nx\n```')
  })
})
