import { describe, expect, it } from 'vitest'
import { blameLines } from '../../renderer/components/code/blame-model.ts'
import { findText, firstFrom } from '../../renderer/components/code/find-text.ts'
import { readDiff } from '../../renderer/components/diff/diff-model.ts'
import { commentsByLine } from '../../renderer/views/repository/commit/comments.ts'
import { sumUp } from '../../renderer/views/repository/commit/statuses.ts'
import { indentOf } from '../../renderer/views/repository/edit/indent-of.ts'
import { pickedFiles } from '../../renderer/views/repository/edit/dropped-files.ts'
import {
  base64Of,
  cleanPath,
  encodeText,
  formOf,
  pathProblem,
} from '../../renderer/views/repository/edit/text-bytes.ts'
import { bytesOf } from '../../renderer/views/repository/file-content.ts'
import { languageShares, shareText } from '../../renderer/views/repository/overview/language-shares.ts'
import { hitFiles } from '../../renderer/views/repository/search/code-hits.ts'
import { comparePath, readCompare } from '../../renderer/views/repository/refs.ts'

describe('a text that is converted to the bytes of its file', () => {
  const back = (base64: string) => Buffer.from(base64, 'base64')

  it('keeps line ends and the byte order mark', () => {
    const bytes = Buffer.from('\ufeffa\r\nä\r\n')
    const form = formOf(bytes, 'CRLF')
    expect(form).toEqual({ crlf: true, bom: true })
    expect(back(encodeText('a\nä\n', form)).equals(bytes)).toBe(true)
    expect(back(encodeText('a\nä', formOf(Buffer.from('a'), 'LF'))).toString()).toBe('a\nä')
  })

  it('can have any bytes, also very many', () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256)
    expect(bytesOf(base64Of(bytes))).toEqual(bytes)
  })

  it('needs a valid path', () => {
    expect(cleanPath(' /docs//a b / c.md ')).toBe('docs/a b/c.md')
    expect(pathProblem('docs/a.md')).toBeNull()
    expect(pathProblem('docs/')).toContain('file name after the folder')
    expect(pathProblem('  ')).toContain('Enter a file name')
    expect(pathProblem('a/../b')).toContain('outside the repository')
    expect(pathProblem('a/.git/config')).toContain('.git')
  })

  it('keeps its indentation', () => {
    expect(indentOf('a\n\tb\n\t\tc\n')).toBe('tab')
    expect(indentOf('a\n    b\n        c\n    d\n')).toBe(4)
    expect(indentOf('a:\n  b:\n    c\n')).toBe(2)
    expect(indentOf('a\nb\n')).toBe(2)
  })

  it('uploads no files of git itself', () => {
    const file = (name: string, path = '') =>
      Object.defineProperty(new File(['x'], name), 'webkitRelativePath', { value: path })
    const picked = pickedFiles([file('a.txt', 'tern/a.txt'), file('HEAD', 'tern/.git/HEAD'), file('b.txt')])
    expect(picked.map((file) => file.path)).toEqual(['tern/a.txt', 'b.txt'])
  })
})

describe('blame', () => {
  const commit = (id: string, day: number) => ({
    id,
    parent_ids: [],
    message: id,
    author_name: 'Mara',
    author_email: 'mara@saltmarsh.test',
    authored_date: `2026-11-0${day}T00:00:00Z`,
    committed_date: `2026-11-0${day}T00:00:00Z`,
  })

  it('numbers lines, joins lines of one commit and gives them an age', () => {
    const lines = blameLines([
      { commit: commit('a', 1), lines: ['1'] },
      { commit: commit('a', 1), lines: ['2'] },
      { commit: commit('b', 5), lines: ['3'] },
      { commit: commit('c', 3), lines: ['4'] },
    ])
    expect(lines.map((line) => [line.number, line.commit.id, line.at, line.of, line.age])).toEqual([
      [1, 'a', 0, 2, 0],
      [2, 'a', 1, 2, 0],
      [3, 'b', 0, 1, 1],
      [4, 'c', 0, 1, 0.5],
    ])
  })

  it('gives a single commit the newest age', () => {
    expect(blameLines([{ commit: commit('a', 1), lines: ['x'] }])[0]?.age).toBe(1)
  })
})

describe('searching a text', () => {
  const lines = ['let Tail = tail', '', 'TAIL']

  it('is case-sensitive only if the query has capitals', () => {
    expect(findText(lines, 'tail')).toEqual([
      { line: 0, from: 4, to: 8 },
      { line: 0, from: 11, to: 15 },
      { line: 2, from: 0, to: 4 },
    ])
    expect(findText(lines, 'Tail')).toEqual([{ line: 0, from: 4, to: 8 }])
    expect(findText(lines, '')).toEqual([])
  })

  it('starts at the current line', () => {
    const found = findText(lines, 'tail')
    expect(firstFrom(found, 1)).toBe(2)
    expect(firstFrom(found, 3)).toBe(0)
  })
})

describe('a comparison', () => {
  it('is identified by its URL, whatever the branch names are', () => {
    expect(comparePath('main', 'fix/a.b')).toBe('compare/main...fix/a.b')
    expect(readCompare('main...fix/a.b', 'main')).toEqual({ from: 'main', to: 'fix/a.b', straight: false })
    expect(readCompare('v1.0..v1.1', 'main')).toEqual({ from: 'v1.0', to: 'v1.1', straight: true })
    expect(readCompare('...topic', 'main')).toEqual({ from: 'main', to: 'topic', straight: false })
    expect(readCompare('topic', 'main')).toEqual({ from: 'main', to: 'topic', straight: false })
    expect(readCompare('', 'main')).toEqual({ from: 'main', to: '', straight: false })
  })
})

describe('comments and checks of a commit', () => {
  const files = readDiff([
    { diff: '@@ -1,2 +1,2 @@\n a\n-b\n+c\n', old_path: 'old.txt', new_path: 'new.txt' },
  ])

  it('are shown at their line, on the side that has it', () => {
    const comments = [
      { path: 'new.txt', line: 2, line_type: 'new' as const, note: 'new' },
      { path: 'old.txt', line: 2, line_type: 'old' as const, note: 'old' },
      { path: 'new.txt', line: 9, line_type: 'new' as const, note: 'elsewhere' },
      { path: null, line: null, line_type: null, note: 'whole' },
    ]
    const located = [...commentsByLine(files, comments)].map(([id, list]) => [
      id,
      list.map((comment) => comment.note),
    ])
    expect(located).toEqual([
      ['new.txt:2:', ['old']],
      ['new.txt::2', ['new']],
    ])
  })

  it('are summarized by the worst status', () => {
    const check = (status: string, allow_failure = false) => ({ status, allow_failure })
    expect(sumUp([])).toBeNull()
    expect(sumUp([check('success'), check('failed')])?.words).toBe('1 check failed')
    expect(sumUp([check('success'), check('failed', true)])?.words).toBe('2 checks passed')
    expect(sumUp([check('pending'), check('success')])?.words).toBe('1 check running')
  })
})

describe('the languages of a project', () => {
  it('are the largest ones and the rest', () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`L${index}`, 20 - index]))
    const shares = languageShares(many)
    expect(shares.map((share) => share.name)).toEqual(['L0', 'L1', 'L2', 'L3', 'L4', 'Other'])
    expect(shares.at(-1)?.share).toBe(15 + 14 + 13 + 12)
    expect(languageShares({})).toEqual([])
    expect(shareText(86.4)).toBe('86%')
    expect(shareText(0.42)).toBe('0.4%')
    expect(shareText(0.01)).toBe('< 0.1%')
  })
})

describe('code search results', () => {
  const hit = (path: string, startline: number, data: string) => ({
    basename: path,
    data,
    path,
    filename: path,
    id: null,
    ref: 'main',
    startline,
    project_id: 1,
  })

  it('are grouped by file, with line numbers and highlights', () => {
    const files = hitFiles(
      [hit('a.rs', 3, 'one\nTwo two\n'), hit('b.rs', 1, 'two'), hit('a.rs', 9, 'x\n')],
      'TWO',
    )
    expect(files.map((file) => [file.path, file.pieces.length])).toEqual([
      ['a.rs', 2],
      ['b.rs', 1],
    ])
    expect(files[0]?.pieces[0]).toEqual([
      { number: 3, parts: [{ text: 'one', isFound: false }], isHit: false },
      {
        number: 4,
        parts: [
          { text: 'Two', isFound: true },
          { text: ' ', isFound: false },
          { text: 'two', isFound: true },
        ],
        isHit: true,
      },
    ])
  })
})
