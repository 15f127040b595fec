import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzzyMatch, markedParts } from '../../renderer/composables/match.ts'

const best = (query: string, texts: string[]) =>
  texts
    .flatMap((text) => {
      const match = fuzzyMatch(query, text)
      return match ? [{ text, score: match.score }] : []
    })
    .toSorted((a, b) => b.score - a.score)
    .map((part) => part.text)

describe('matching in the palette', () => {
  it('matches everything with an empty query, without marks', () => {
    expect(fuzzyMatch('', 'Projects')).toEqual({ score: 0, marks: [] })
  })

  it('prefers the start of the text, then of a word, then the middle', () => {
    expect(best('her', ['saltmarsh/together', 'saltmarsh/heron', 'heron'])).toEqual([
      'heron',
      'saltmarsh/heron',
      'saltmarsh/together',
    ])
  })

  it('prefers the shorter of two equal matches', () => {
    expect(best('heron', ['heron-documentation', 'heron'])).toEqual(['heron', 'heron-documentation'])
  })

  it('matches the beginnings of words', () => {
    expect(fuzzyMatch('np', 'New project…')?.marks).toEqual([
      [0, 1],
      [4, 5],
    ])
    expect(fuzzyMatch('DC', 'deskforge-client')).not.toBeNull()
    expect(fuzzyMatch('newpro', 'New project…')?.marks).toEqual([
      [0, 3],
      [4, 7],
    ])
  })

  it('does not match letters spread over a sentence', () => {
    expect(fuzzyMatch('her', 'Show or hide the sidebar')).toBeNull()
  })

  it('requires every word of the query', () => {
    expect(fuzzyMatch('salt heron', 'saltmarsh/heron')?.marks).toEqual([
      [0, 4],
      [10, 15],
    ])
    expect(fuzzyMatch('salt plover', 'saltmarsh/heron')).toBeNull()
  })

  it('marks the matched letters in any case', () => {
    const match = fuzzyMatch('RUN', 'Truncate')
    expect(markedParts('Truncate', match?.marks ?? [])).toEqual([
      { text: 'T', marked: false },
      { text: 'run', marked: true },
      { text: 'cate', marked: false },
    ])
  })

  it('never loses or repeats a letter when it marks a text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (query, text) => {
        const marks = fuzzyMatch(query, text)?.marks ?? []
        const shown = markedParts(text, marks).map((part) => part.text)
        expect(shown.join('')).toBe(text)
      }),
    )
  })
})
