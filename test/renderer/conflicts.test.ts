import { describe, expect, it } from 'vitest'
import {
  laidOut,
  linesOf,
  markersLeft,
  resultOf,
  withEndsOf,
  type Section,
} from '../../renderer/views/merge-requests/conflicts/conflict-text.ts'

const names = { source: 'feet', target: 'main' }
const sections: Section[] = [
  { conflict: false, text: 'a\nb\n' },
  { conflict: true, id: '1', ours: 'feet\nmore\n', base: 'meters\n', theirs: 'fathoms\n' },
  { conflict: false, text: 'c\n' },
  { conflict: true, id: '2', ours: '', base: 'old\n', theirs: 'new' },
]

describe('the result of a resolution', () => {
  it('has the chosen lines, and markers with the names of the branches around the others', () => {
    expect(resultOf(sections, { 1: 'both', 2: 'theirs' }, names)).toBe('a\nb\nfeet\nmore\nfathoms\nc\nnew')
    expect(resultOf(sections, { 1: 'ours' }, names)).toBe(
      'a\nb\nfeet\nmore\nc\n<<<<<<< feet\n=======\nnew\n>>>>>>> main\n',
    )
  })

  it('counts remaining markers, but not those that the file always had', () => {
    expect(markersLeft(sections, resultOf(sections, {}, names))).toBe(4)
    expect(markersLeft(sections, '=======\n')).toBe(0)
    const own: Section[] = [{ conflict: false, text: '<<<<<<< example\r\n' }]
    expect(markersLeft(own, '<<<<<<< example\n>>>>>>> main')).toBe(1)
  })

  it('numbers the lines of both branches', () => {
    expect(laidOut(sections).map(({ ours, theirs, number }) => [ours, theirs, number])).toEqual([
      [1, 1, 0],
      [3, 3, 1],
      [5, 4, 0],
      [6, 5, 2],
    ])
    expect([linesOf(''), linesOf('\n'), linesOf('a')]).toEqual([[], [''], ['a']])
  })

  it('has the line ends of its file', () => {
    const crlf: Section[] = [{ conflict: true, id: '1', ours: 'a\r\n', base: '', theirs: 'b\r\nc' }]
    expect(withEndsOf(crlf, 'a\nb\n')).toBe('a\r\nb\r\n')
    expect(withEndsOf(sections, 'a\nb\n')).toBe('a\nb\n')
  })
})
